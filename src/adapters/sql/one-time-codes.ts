/** `svc_one_time_codes`: row, mapping, queries. */
import { userOfCode, type CodePurpose, type ServiceOneTimeCode } from '../../domain/one-time-code.js';
import type { AttemptReservation, OneTimeCodeRepository } from '../../storage/repositories.js';
import { epochMs, json, readTime, text, time, uuid } from './bindings.js';
import type { Database } from './database.js';

interface AttemptRow {
  status: AttemptReservation['status'];
  purpose: CodePurpose;
  subject: string;
  code_hash: string;
  attempts: number;
  expires_at_ms: string;
  metadata: string;
}

function toReservation(row: AttemptRow): AttemptReservation {
  if (row.status !== 'reserved') return { status: row.status };
  const code: ServiceOneTimeCode = {
    purpose: row.purpose,
    subject: row.subject,
    codeHash: row.code_hash,
    attempts: row.attempts,
    expiresAt: readTime(row.expires_at_ms),
    consumedAt: null,
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
  };
  return { status: 'reserved', code };
}

// The lock waits for a deletion that is under way: what came after it would name a user who is gone.
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

// The lock comes first and the verdict is about the locked row, so that parallel attempts are counted one by one.
const reserveAttempt = `
  with candidate as (
    select *,
      case when consumed_at is not null then 'missing'
        when expires_at <= :now then 'expired'
        when attempts >= :maxAttempts then 'exhausted'
        else 'reserved' end as status
    from svc_one_time_codes where purpose = :purpose and subject = :subject
    for update
  ), counted as (
    update svc_one_time_codes as c set attempts = c.attempts + 1
    from candidate
    where c.purpose = candidate.purpose and c.subject = candidate.subject and candidate.status = 'reserved'
  )
  select status, purpose, subject, code_hash, attempts + 1 as attempts,
    ${epochMs('expires_at')} as expires_at_ms,
    cast(metadata as text) as metadata
  from candidate`;

const consume = `
  update svc_one_time_codes set consumed_at = :now
  where purpose = :purpose and subject = :subject and code_hash = :codeHash and consumed_at is null`;

export function oneTimeCodeQueries(db: Database): OneTimeCodeRepository {
  return {
    async replace(code) {
      const userId = userOfCode(code);
      await db.execute(replace, {
        isOfUser: userId !== null,
        userId: userId === null ? null : uuid(userId),
        purpose: code.purpose,
        subject: text(code.subject),
        codeHash: code.codeHash,
        expiresAt: time(code.expiresAt),
        metadata: json(code.metadata),
      });
    },
    async discard(purpose, subject, codeHash) {
      await db.execute(discard, { purpose, subject: text(subject), codeHash: text(codeHash) });
    },
    async reserveAttempt(purpose, subject, maxAttempts, now) {
      const bindings = { purpose, subject: text(subject), maxAttempts, now: time(now) };
      const [reservation] = await db.query(reserveAttempt, bindings, toReservation);
      return reservation ?? { status: 'missing' };
    },
    async consume(purpose, subject, codeHash, now) {
      const bindings = { purpose, subject: text(subject), codeHash: text(codeHash), now: time(now) };
      return (await db.execute(consume, bindings)) === 1;
    },
  };
}
