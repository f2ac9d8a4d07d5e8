/** `svc_single_use_tokens`: row, mapping, queries. */
import { userOfToken, type SingleUseToken, type TokenPurpose } from '../../domain/single-use-token.js';
import type { SingleUseTokenRepository } from '../../storage/repositories.js';
import { epochMs, json, readTime, text, time, uuid } from './bindings.js';
import type { Database } from './database.js';

interface TokenRow {
  digest: string;
  purpose: TokenPurpose;
  subject: string;
  expires_at_ms: string;
  metadata: string;
  account_email: string | null;
  account_epoch: number;
  account_has_password: boolean;
}

function toToken(row: TokenRow): SingleUseToken {
  return {
    digest: row.digest,
    purpose: row.purpose,
    subject: row.subject,
    expiresAt: readTime(row.expires_at_ms),
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    ...(row.account_email !== null && {
      account: {
        email: row.account_email,
        epoch: row.account_epoch,
        hasPassword: row.account_has_password,
      },
    }),
  };
}

/** `hasAccountState` in SQL, of `svc_users as u`. A state that is null matches no user. */
export function accountHasState(email: string, epoch: string, hasPassword: string): string {
  return `(u.email = ${email} and (not u.email_verified
    or (u.epoch = ${epoch} and (u.password_hash is not null) = ${hasPassword})))`;
}

const givenState = accountHasState(
  ':accountEmail',
  'cast(:accountEpoch as integer)',
  'cast(:accountHasPassword as boolean)',
);

// The lock waits for a deletion or a change of the account that is under way: what came after it would name a user who is gone,
// or whose account has changed.
const insert = `
  with owner as (
    select from svc_users u
    where u.id = :userId and (cast(:accountEmail as text) is null or ${givenState}) for key share)
  insert into svc_single_use_tokens (
    digest, purpose, subject, expires_at, metadata, account_email, account_epoch, account_has_password)
  select :digest, :purpose, :subject, cast(:expiresAt as timestamptz), cast(:metadata as jsonb),
    cast(:accountEmail as text), cast(:accountEpoch as integer), cast(:accountHasPassword as boolean)
  where not cast(:isOfUser as boolean) or exists (select from owner)`;

const consume = `
  delete from svc_single_use_tokens
  where digest = :digest and purpose = :purpose and expires_at > :now
  returning digest, purpose, subject, ${epochMs('expires_at')} as expires_at_ms, cast(metadata as text) as metadata,
    account_email, account_epoch, account_has_password`;

const discard = `delete from svc_single_use_tokens where digest = :digest`;

export function singleUseTokenQueries(db: Database): SingleUseTokenRepository {
  return {
    async insert(token) {
      const userId = userOfToken(token);
      const { account } = token;
      await db.execute(insert, {
        isOfUser: userId !== null,
        userId: userId === null ? null : uuid(userId),
        digest: text(token.digest),
        purpose: token.purpose,
        subject: text(token.subject),
        expiresAt: time(token.expiresAt),
        metadata: json(token.metadata),
        accountEmail: account?.email ?? null,
        accountEpoch: account?.epoch ?? null,
        accountHasPassword: account?.hasPassword ?? null,
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
