/** `svc_api_keys` on the hot path: the lookup of a key that is verified. */
import type { PublicApiKey } from '../../domain/api-key.js';
import { isUuid } from '../../domain/uuid.js';
import type { ApiKeyRepository } from '../../storage/pro-repositories.js';
import { readOptionalTime, readTime } from '../shared/bindings.js';
import { anyOfIds, epochMs } from './expressions.js';
import { coalesce } from '../shared/coalesce.js';
import type { Database } from './database.js';
import { blockColumns, toBlock, type UserRow } from './users.js';

interface PublicRow {
  id: string;
  name: string;
  prefix: string;
  user_id: string | null;
  org_id: string | null;
  scopes: string;
  metadata: string;
  created_at_ms: string;
  last_used_at_ms: string | null;
  expires_at_ms: string | null;
  revoked_at_ms: string | null;
}

interface StoredRow
  extends PublicRow, Pick<UserRow, 'user_blocked_at' | 'user_blocked_until' | 'user_blocked_reason'> {
  secret_hash: string;
}

const publicColumns = `
  id, name, prefix, user_id, org_id, cast(scopes as text) as scopes, cast(metadata as text) as metadata,
  ${epochMs('created_at')} as created_at_ms, ${epochMs('last_used_at')} as last_used_at_ms,
  ${epochMs('expires_at')} as expires_at_ms, ${epochMs('revoked_at')} as revoked_at_ms`;

/** Callers of one coalesced query share the row, so the key is created here, once per caller. */
function toPublicKey(row: PublicRow): PublicApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    userId: row.user_id,
    orgId: row.org_id,
    scopes: JSON.parse(row.scopes) as string[],
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    createdAt: readTime(row.created_at_ms),
    lastUsedAt: readOptionalTime(row.last_used_at_ms),
    expiresAt: readOptionalTime(row.expires_at_ms),
    revokedAt: readOptionalTime(row.revoked_at_ms),
  };
}

// `offset 0` as in sessions.ts: reads the owner by index. A key of an organization has none.
const findByIds = `
  select k.*, ${blockColumns('u')}
  from (select ${publicColumns}, secret_hash from svc_api_keys where id = ${anyOfIds}) as k
    left join lateral (
      select blocked_at, blocked_until, blocked_reason from svc_users where svc_users.id = k.user_id offset 0
    ) as u on true`;

export function apiKeyQueries(db: Database): Pick<ApiKeyRepository, 'findById'> {
  const rowById = coalesce(
    (ids) => db.queryPrepared('svc_api_key_check', findByIds, { ids }, (row: StoredRow) => row),
    (row) => row.id,
    db.isInScope,
  );
  return {
    async findById(id) {
      const row = isUuid(id) ? await rowById(id) : null;
      const ownerBlock = row && toBlock(row);
      return row && { ...toPublicKey(row), secretHash: row.secret_hash, ...(ownerBlock && { ownerBlock }) };
    },
  };
}
