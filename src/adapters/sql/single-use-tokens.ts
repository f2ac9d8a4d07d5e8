/** `svc_single_use_tokens`: row, mapping, queries. */
import { userOfToken, type SingleUseToken, type TokenPurpose } from '../../domain/single-use-token.js';
import type { SingleUseTokenRepository } from '../../storage/repositories.js';
import { json, text, time, uuid } from './bindings.js';
import type { Database } from './database.js';

interface TokenRow {
  digest: string;
  purpose: TokenPurpose;
  subject: string;
  expires_at: Date;
  metadata: string;
}

function toToken(row: TokenRow): SingleUseToken {
  return {
    digest: row.digest,
    purpose: row.purpose,
    subject: row.subject,
    expiresAt: new Date(row.expires_at),
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
  };
}

// The lock waits for a deletion that is under way: what came after it would name a user who is gone.
const insert = `
  with owner as (select from svc_users where id = :userId for key share)
  insert into svc_single_use_tokens (digest, purpose, subject, expires_at, metadata)
  select :digest, :purpose, :subject, cast(:expiresAt as timestamptz), cast(:metadata as jsonb)
  where not cast(:isOfUser as boolean) or exists (select from owner)`;

const consume = `
  delete from svc_single_use_tokens
  where digest = :digest and purpose = :purpose and expires_at > :now
  returning digest, purpose, subject, expires_at, cast(metadata as text) as metadata`;

const discard = `delete from svc_single_use_tokens where digest = :digest`;

export function singleUseTokenQueries(db: Database): SingleUseTokenRepository {
  return {
    async insert(token) {
      const userId = userOfToken(token);
      await db.execute(insert, {
        isOfUser: userId !== null,
        userId: userId === null ? null : uuid(userId),
        digest: text(token.digest),
        purpose: token.purpose,
        subject: text(token.subject),
        expiresAt: time(token.expiresAt),
        metadata: json(token.metadata),
      });
    },
    async consume(purpose, digest, now) {
      const [token] = await db.query(consume, { purpose, digest: text(digest), now: time(now) }, toToken);
      return token ?? null;
    },
    async discard(digest) {
      await db.execute(discard, { digest: text(digest) });
    },
  };
}
