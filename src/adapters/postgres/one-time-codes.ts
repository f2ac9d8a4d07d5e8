/** `svc_one_time_codes`: row, mapping, queries. */
import {
  longHashPrefix,
  userOfCode,
  type CodePurpose,
  type ServiceOneTimeCode,
} from '../../domain/one-time-code.js';
import type { CorrectedOutcome } from '../../storage/fast-paths.js';
import { asJsonb, asText, asTimestamp, asUuid, isStorable, readTime } from '../shared/bindings.js';
import type { CodesWithCorrection } from '../shared/elementary-attempt.js';
import { epochMs } from './expressions.js';
import { byIndex } from './by-index.js';
import type { Database } from './database.js';
import { correctIf, correctionBindings } from './counter-corrections.js';
import { ownerForKeyShare, readUser, userAsJson } from './users.js';

interface AttemptRow {
  status: CorrectedOutcome['status'];
  purpose: CodePurpose;
  subject: string;
  code_hash: string;
  attempts: number;
  expires_at_ms: string;
  metadata: string;
  link_digest: string | null;
  /** Null unless the code was consumed and a user has the address. */
  user_json: string | null;
}

function toOutcome(row: AttemptRow, now: Date): CorrectedOutcome {
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
    ...(row.link_digest !== null && { linkDigest: row.link_digest }),
  };
  return status === 'wrong' ? { status, code } : { status, code, user: readUser(row.user_json) };
}

const replace = `
  with ${ownerForKeyShare}
  insert into svc_one_time_codes (
    purpose, subject, code_hash, attempts, expires_at, consumed_at, metadata, link_digest)
  select :purpose, :subject, :codeHash, 0, cast(:expiresAt as timestamptz), null, cast(:metadata as jsonb),
    cast(:linkDigest as text)
  where not cast(:isOfUser as boolean) or exists (select from owner)
  on conflict (purpose, subject) do update set
    code_hash = excluded.code_hash, attempts = 0, expires_at = excluded.expires_at, consumed_at = null,
    metadata = excluded.metadata, link_digest = excluded.link_digest`;

const renew = `
  update svc_one_time_codes set code_hash = :codeHash, expires_at = cast(:expiresAt as timestamptz), attempts = 0
  where purpose = :purpose and subject = :subject and consumed_at is null`;

const discard = `
  delete from svc_one_time_codes where purpose = :purpose and subject = :subject and code_hash = :codeHash`;

interface LinkParts {
  /** Further conditions of the status. */
  conditions: string;
  /** Expressions that end the link and decide the outcome. */
  expressions: string;
  /** The name of the expression that contains the outcome. */
  outcome: string;
}

// The row is locked before its status is computed, so that parallel attempts are evaluated one by
// one.
const attemptWith = ({ conditions, expressions, outcome }: LinkParts) => `
  with candidate as (
    select *,
      case when consumed_at is not null then 'missing'
        when expires_at <= :now then 'expired'${conditions}
        when attempts >= :maxAttempts then 'exhausted'
        when code_hash = any(cast(:codeHashes as text[])) then 'consumed'
        else 'wrong' end as status
    from svc_one_time_codes where purpose = :purpose and subject = :subject and ${byIndex('subject')}
      and (code_hash like '${longHashPrefix}%') = cast(:isLong as boolean)
    for update
  ),${expressions} counted as (
    update svc_one_time_codes as c
    set attempts = c.attempts + 1,
      consumed_at = case when ${outcome}.status = 'consumed' then cast(:now as timestamptz) end
    from ${outcome}
    where c.purpose = :purpose and c.subject = :subject and ${byIndex('c.subject')}
      and ${outcome}.status in ('consumed', 'wrong')
  ), correction as (${correctIf(`exists (select from ${outcome} where status = 'consumed')`)})
  select ${outcome}.status, ${outcome}.purpose, ${outcome}.subject, ${outcome}.code_hash,
    ${outcome}.attempts + 1 as attempts, ${epochMs(`${outcome}.expires_at`)} as expires_at_ms,
    cast(${outcome}.metadata as text) as metadata, ${outcome}.link_digest,
    ${userAsJson(`u.email = cast(:email as text) and ${byIndex('u.email')} and ${outcome}.status = 'consumed'`)} as user_json
  from ${outcome}`;

const attempt = attemptWith({ conditions: '', expressions: '', outcome: 'candidate' });

// A separate statement, so that other codes do not become slower. The link's row decides: the statement
// that deletes it signs in, as with the link itself. A link that another transaction has locked is
// being used or removed; waiting for it while the code is locked could deadlock.
const attemptWithLink = attemptWith({
  conditions: `
        when link_digest is not null and not exists (
          select from svc_single_use_tokens as t where t.digest = link_digest and ${byIndex('t.digest')}) then 'missing'`,
  expressions: ` ended_link as (
    delete from svc_single_use_tokens where ${byIndex('digest')} and digest = (
      select t.digest from svc_single_use_tokens as t
      where t.digest = (select link_digest from candidate where status = 'consumed') and ${byIndex('t.digest')}
      for update of t skip locked)
    returning digest
  ), outcome as (
    select purpose, subject, code_hash, attempts, expires_at, metadata, link_digest,
      case when status = 'consumed' and link_digest is not null and not exists (select from ended_link)
        then 'missing' else status end as status
    from candidate
  ),`,
  outcome: 'outcome',
});

export function oneTimeCodeQueries(db: Database): CodesWithCorrection {
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
        linkDigest: code.linkDigest === undefined ? null : asText(code.linkDigest),
      });
    },
    async renew({ purpose, subject, codeHash, expiresAt }) {
      const fields = { purpose, subject: asText(subject), codeHash, expiresAt: asTimestamp(expiresAt) };
      return (await db.execute(renew, fields)) > 0;
    },
    async discard(purpose, subject, codeHash) {
      await db.execute(discard, { purpose, subject: asText(subject), codeHash: asText(codeHash) });
    },
    async attemptAndCorrect(guess) {
      const { purpose, subject, codeHashes, isLong = false, maxAttempts, now, correction, email } = guess;
      const bindings = {
        purpose,
        subject: asText(subject),
        codeHashes: codeHashes.filter(isStorable),
        isLong,
        maxAttempts,
        now: asTimestamp(now),
        email: email === undefined ? null : asText(email),
        ...correctionBindings(correction, now.getTime()),
      };
      const toResult = (row: AttemptRow) => toOutcome(row, now);
      const [outcome] = await (purpose === 'magic_link'
        ? db.queryPrepared('svc_code_attempt_with_link', attemptWithLink, bindings, toResult)
        : db.queryPrepared('svc_code_attempt', attempt, bindings, toResult));
      return outcome ?? { status: 'missing' };
    },
  };
}
