/** `svc_one_time_codes`: row, mapping, queries. */
import { userOfCode, type CodePurpose, type ServiceOneTimeCode } from '../../domain/one-time-code.js';
import type { CodeOutcome, OneTimeCodeRepository } from '../../storage/repositories.js';
import { epochMs, asJsonb, isStorable, readTime, asText, asTimestamp, asUuid } from './bindings.js';
import type { Database } from './database.js';
import { correctIf, correctionBindings } from './rate-limits.js';
import { hasUser, toUser, userColumns, type OptionalUserRow } from './users.js';

/** The columns of the user are null unless the code was consumed and a user has the address. */
type AttemptRow = OutcomeRow & OptionalUserRow;

interface OutcomeRow {
  status: CodeOutcome['status'];
  purpose: CodePurpose;
  subject: string;
  code_hash: string;
  attempts: number;
  expires_at_ms: string;
  metadata: string;
}

function toOutcome(row: AttemptRow, now: Date): CodeOutcome {
  const { status } = row;
  if (status !== 'consumed' && status !== 'wrong') return { status };
  const code: ServiceOneTimeCode = {
    purpose: row.purpose,
    subject: row.subject,
    codeHash: row.code_hash,
    attempts: row.attempts,
    expiresAt: readTime(row.expires_at_ms),
    consumedAt: status === 'consumed' ? now : null,
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
  };
  return status === 'wrong' ? { status, code } : { status, code, user: hasUser(row) ? toUser(row) : null };
}

// The lock waits for a deletion in progress: a code stored after it would name a user who no longer
// exists.
const replace = `
  with owner as (select from svc_users where id = :userId for key share)
  insert into svc_one_time_codes (purpose, subject, code_hash, attempts, expires_at, consumed_at, metadata)
  select :purpose, :subject, :codeHash, 0, cast(:expiresAt as timestamptz), null, cast(:metadata as jsonb)
  where not cast(:isOfUser as boolean) or exists (select from owner)
  on conflict (purpose, subject) do update set
    code_hash = excluded.code_hash, attempts = 0, expires_at = excluded.expires_at, consumed_at = null,
    metadata = excluded.metadata`;

const discard = `
  delete from svc_one_time_codes where purpose = :purpose and subject = :subject and code_hash = :codeHash`;

// The row is locked before its status is computed, so that parallel attempts are evaluated one by
// one.
const attempt = `
  with candidate as (
    select *,
      case when consumed_at is not null then 'missing'
        when expires_at <= :now then 'expired'
        when attempts >= :maxAttempts then 'exhausted'
        when code_hash = any(cast(:codeHashes as text[])) then 'consumed'
        else 'wrong' end as status
    from svc_one_time_codes where purpose = :purpose and subject = :subject
    for update
  ), counted as (
    update svc_one_time_codes as c
    set attempts = c.attempts + 1,
      consumed_at = case when candidate.status = 'consumed' then cast(:now as timestamptz) end
    from candidate
    where c.purpose = :purpose and c.subject = :subject and candidate.status in ('consumed', 'wrong')
  ), correction as (${correctIf(`exists (select from candidate where status = 'consumed')`)})
  select candidate.status, candidate.purpose, candidate.subject, candidate.code_hash,
    candidate.attempts + 1 as attempts, ${epochMs('candidate.expires_at')} as expires_at_ms,
    cast(candidate.metadata as text) as metadata, ${userColumns}
  from candidate left join lateral (
    select * from svc_users
    where email = cast(:email as text) and candidate.status = 'consumed' offset 0) as u on true`;

export function oneTimeCodeQueries(db: Database): OneTimeCodeRepository {
  return {
    async replace(code) {
      const userId = userOfCode(code);
      await db.executePrepared('svc_code_replace', replace, {
        isOfUser: userId !== null,
        userId: userId === null ? null : asUuid(userId),
        purpose: code.purpose,
        subject: asText(code.subject),
        codeHash: code.codeHash,
        expiresAt: asTimestamp(code.expiresAt),
        metadata: asJsonb(code.metadata),
      });
    },
    async discard(purpose, subject, codeHash) {
      await db.execute(discard, { purpose, subject: asText(subject), codeHash: asText(codeHash) });
    },
    async attempt({ purpose, subject, codeHashes, maxAttempts, now, correction, email }) {
      const bindings = {
        purpose,
        subject: asText(subject),
        codeHashes: codeHashes.filter(isStorable),
        maxAttempts,
        now: asTimestamp(now),
        email: email === undefined ? null : asText(email),
        ...correctionBindings(correction, now.getTime()),
      };
      const toResult = (row: AttemptRow) => toOutcome(row, now);
      const [outcome] = await db.queryPrepared('svc_code_attempt', attempt, bindings, toResult);
      return outcome ?? { status: 'missing' };
    },
  };
}
