/** `svc_single_use_tokens`: row, mapping, queries. */
import { userOfToken, type SingleUseToken, type TokenPurpose } from '../../domain/single-use-token.js';
import type { SingleUseTokenRepository } from '../../storage/repositories.js';
import { asJsonb, asText, asTimestamp, asUuid, readTime } from '../shared/bindings.js';
import { epochMs } from './expressions.js';
import { byIndex } from './by-index.js';
import type { Database } from './database.js';
import { ownerForKeyShare } from './users.js';

interface TokenRow {
  digest: string;
  purpose: TokenPurpose;
  subject: string;
  expires_at_ms: string;
  metadata: string;
  account_epoch: number | null;
  account_has_password: boolean;
}

function toToken(row: TokenRow): SingleUseToken {
  return {
    digest: row.digest,
    purpose: row.purpose,
    subject: row.subject,
    expiresAt: readTime(row.expires_at_ms),
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    ...(row.account_epoch !== null && {
      account: { epoch: row.account_epoch, hasPassword: row.account_has_password },
    }),
  };
}

// The subject of a mailed token is an address, so it is always stored. `account_email` is unused: the
// address is the subject.
const insert = `
  with ${ownerForKeyShare}
  insert into svc_single_use_tokens (
    digest, purpose, subject, expires_at, metadata, account_epoch, account_has_password)
  select :digest, :purpose, :subject, cast(:expiresAt as timestamptz), cast(:metadata as jsonb),
    cast(:accountEpoch as integer), cast(:accountHasPassword as boolean)
  where not cast(:isOfUser as boolean) or exists (select from owner)`;

const claim = `
  insert into svc_single_use_tokens (digest, purpose, subject, expires_at, metadata)
  values (:digest, :purpose, :subject, cast(:expiresAt as timestamptz), cast(:metadata as jsonb))
  on conflict (digest) do nothing`;

const columns = `digest, purpose, subject, ${epochMs('expires_at')} as expires_at_ms,
  cast(metadata as text) as metadata, account_epoch, account_has_password`;
const isValid = `digest = :digest and ${byIndex('digest')} and purpose = :purpose and expires_at > :now`;
const find = `select ${columns} from svc_single_use_tokens where ${isValid}`;
const consume = `delete from svc_single_use_tokens where ${isValid} returning ${columns}`;

const discard = `delete from svc_single_use_tokens where digest = :digest`;

const bindingsOf = (purpose: TokenPurpose, digest: string, now: Date) => ({
  purpose,
  digest: asText(digest),
  now: asTimestamp(now),
});

export function singleUseTokenQueries(db: Database): SingleUseTokenRepository {
  return {
    async insert(token) {
      const userId = userOfToken(token);
      const { account } = token;
      await db.executePrepared('svc_token_insert', insert, {
        isOfUser: userId !== null,
        userId: userId === null ? null : asUuid(userId),
        digest: asText(token.digest),
        purpose: token.purpose,
        subject: asText(token.subject),
        expiresAt: asTimestamp(token.expiresAt),
        metadata: asJsonb(token.metadata),
        accountEpoch: account?.epoch ?? null,
        accountHasPassword: account?.hasPassword ?? null,
      });
    },
    async claim({ digest, purpose, subject, expiresAt, metadata }) {
      const stored = await db.execute(claim, {
        digest: asText(digest),
        purpose,
        subject: asText(subject),
        expiresAt: asTimestamp(expiresAt),
        metadata: asJsonb(metadata),
      });
      return stored === 1;
    },
    find: (purpose, digest, now) => db.find(find, bindingsOf(purpose, digest, now), toToken),
    async consume(purpose, digest, now) {
      const bindings = bindingsOf(purpose, digest, now);
      const [token] = await db.queryPrepared('svc_token_consume', consume, bindings, toToken);
      return token ?? null;
    },
    async discard(digest) {
      await db.execute(discard, { digest: asText(digest) });
    },
  };
}
