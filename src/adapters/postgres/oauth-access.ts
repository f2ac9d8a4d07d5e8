/** The OAuth server on the hot path: the check of an access token. */
import {
  isOfClient,
  type OAuthGrant,
  type OAuthToken,
  type OAuthTokenKind,
} from '../../domain/oauth-server.js';
import type { OAuthServerRepository } from '../../storage/oauth-server-repository.js';
import { asText, readOptionalTime, readTime } from '../shared/bindings.js';
import { coalesce } from '../shared/coalesce.js';
import { isActiveGrant } from '../portable/oauth-server.js';
import type { Database } from './database.js';
import { epochMs } from './expressions.js';
import { toUser, userColumns, type UserRow } from './users.js';

/** The columns of the grant and its user are null for a token of a client itself. */
interface AccessRow extends UserRow {
  digest: string;
  token_client_id: string | null;
  is_client_known: boolean;
  client_expires_at: string | null;
  kind: string;
  alias: string | null;
  token_data: string;
  token_used_at: string | null;
  token_expires_at: string;
  token_grant_id: string | null;
  grant_id: string | null;
  client_id: string;
  grant_epoch: number;
  scopes: string;
  renewal: string | null;
  counter: number;
  rotated_at: string;
  grant_created_at: string;
  last_used_at: string | null;
  grant_expires_at: string;
}

// `offset 0` as in sessions.ts: reads the grant and its user by index.
const findAccess = `
  select t.digest, t.kind, t.alias, t.grant_id as token_grant_id, t.client_id as token_client_id,
    c.id is not null as is_client_known, ${epochMs('c.expires_at')} as client_expires_at, cast(t.data as text) as token_data, ${epochMs('t.used_at')} as token_used_at,
    ${epochMs('t.expires_at')} as token_expires_at, g.id as grant_id, g.client_id, g.epoch as grant_epoch,
    cast(g.scopes as text) as scopes, cast(g.renewal as text) as renewal, g.counter,
    ${epochMs('g.rotated_at')} as rotated_at, ${epochMs('g.created_at')} as grant_created_at,
    ${epochMs('g.last_used_at')} as last_used_at, ${epochMs('g.expires_at')} as grant_expires_at, ${userColumns}
  from svc_oauth_tokens t
    left join lateral (select * from svc_oauth_grants where id = t.grant_id offset 0) as g on true
    left join lateral (select * from svc_users where id = g.user_id offset 0) as u on true
    left join lateral (select id, expires_at from svc_oauth_clients where id = t.client_id offset 0) as c on true
  where t.digest = any(cast((select cast(:digests as text[])) as text[]))`;

/** Callers of one coalesced query share the row, so JSON and dates are created here, once per caller. */
function toToken(row: AccessRow): OAuthToken {
  return {
    digest: row.digest,
    kind: row.kind as OAuthTokenKind,
    alias: row.alias,
    grantId: row.token_grant_id,
    clientId: row.token_client_id,
    data: JSON.parse(row.token_data) as OAuthToken['data'],
    usedAt: readOptionalTime(row.token_used_at),
    expiresAt: readTime(row.token_expires_at),
  };
}

function toGrant(row: AccessRow, id: string): OAuthGrant {
  return {
    id,
    userId: row.user_id,
    clientId: row.client_id,
    epoch: row.grant_epoch,
    scopes: JSON.parse(row.scopes) as OAuthGrant['scopes'],
    renewal: row.renewal === null ? null : (JSON.parse(row.renewal) as OAuthGrant['renewal']),
    counter: row.counter,
    rotatedAt: readTime(row.rotated_at),
    createdAt: readTime(row.grant_created_at),
    lastUsedAt: readOptionalTime(row.last_used_at),
    expiresAt: readTime(row.grant_expires_at),
  };
}

/** Whether the token ends with a client that was removed or has expired. */
function hasLostClient(row: AccessRow, now: Date): boolean {
  if (row.token_client_id === null) return false;
  const expiresAt = readOptionalTime(row.client_expires_at);
  return !row.is_client_known || (expiresAt !== null && expiresAt <= now);
}

export function oauthAccessQueries(db: Database): Pick<OAuthServerRepository, 'findAccess'> {
  const rowByDigest = coalesce(
    (digests) => db.queryPrepared('svc_oauth_access', findAccess, { digests }, (row: AccessRow) => row),
    (row) => row.digest,
    db.isInScope,
  );
  return {
    async findAccess(digest, now) {
      const key = asText(digest);
      const row = key === null ? null : await rowByDigest(key);
      if (!row) return null;
      const token = toToken(row);
      if (token.expiresAt <= now || hasLostClient(row, now)) return null;
      if (isOfClient(token)) return { token, active: null };
      if (row.grant_id === null) return null;
      const [grant, user] = [toGrant(row, row.grant_id), toUser(row)];
      return isActiveGrant(grant, user, now) ? { token, active: { grant, user } } : null;
    },
  };
}
