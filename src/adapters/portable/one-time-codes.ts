/** `svc_one_time_codes`: row, mapping, queries. */
import { longHashPrefix, userOfCode, type ServiceOneTimeCode } from '../../domain/one-time-code.js';
import { asText } from '../shared/bindings.js';
import type { CodesWithCorrection } from '../shared/elementary-attempt.js';
import type { Database } from './database.js';
import { lockUser } from './locks.js';
import { correctCounters } from './rate-limits.js';
import { codes } from './records.js';
import { columnsOf, readerOf, valuesOf, type Row } from './tables.js';
import { readUserByEmail } from './users.js';

const readCode = readerOf(codes, 'c');

function toCode(row: Row): ServiceOneTimeCode {
  const { linkDigest, ...code } = readCode(row);
  return { ...code, ...(linkDigest !== null && { linkDigest }) };
}

const replace = `${codes.insertion}
  {merge purpose, subject; code_hash, attempts, expires_at, consumed_at, metadata, link_digest}`;

const renew = `
  update svc_one_time_codes set code_hash = :codeHash, expires_at = :expiresAt, attempts = 0
  where purpose = :purpose and subject = :subject and consumed_at is null`;

const discard = `
  delete from svc_one_time_codes where purpose = :purpose and subject = :subject and code_hash = :codeHash`;

const findAndLock = `
  select ${columnsOf(codes, 'c')} from svc_one_time_codes c where c.purpose = :purpose and c.subject = :subject {lock}`;

const findLink = `select digest from svc_single_use_tokens where digest = :digest`;

const endLink = `delete from svc_single_use_tokens where digest = :digest`;

const count = `
  update svc_one_time_codes set attempts = :attempts, consumed_at = :consumedAt
  where purpose = :purpose and subject = :subject`;

export function oneTimeCodeQueries(db: Database): CodesWithCorrection {
  return {
    replace: (code) =>
      db.transaction(async (transaction) => {
        const userId = userOfCode(code);
        if (userId !== null && !(await lockUser(transaction, userId))) return;
        const linkDigest = code.linkDigest === undefined ? null : asText(code.linkDigest);
        const fields = { ...code, attempts: 0, consumedAt: null, linkDigest };
        await transaction.execute(replace, { ...valuesOf(codes, fields), subject: asText(code.subject) });
      }),
    async renew({ purpose, subject, codeHash, expiresAt }) {
      const fields = { purpose, subject: asText(subject), codeHash: asText(codeHash), expiresAt };
      return (await db.execute(renew, fields)) > 0;
    },
    async discard(purpose, subject, codeHash) {
      await db.execute(discard, { purpose, subject: asText(subject), codeHash: asText(codeHash) });
    },
    attemptAndCorrect: ({
      purpose,
      subject,
      codeHashes,
      isLong = false,
      maxAttempts,
      now,
      correction,
      email,
    }) =>
      db.transaction(async (transaction) => {
        const key = { purpose, subject: asText(subject) };
        const code = await transaction.find(findAndLock, key, toCode);
        if (!code || code.consumedAt || code.codeHash.startsWith(longHashPrefix) !== isLong)
          return { status: 'missing' };
        if (code.expiresAt <= now) return { status: 'expired' };
        const digest = code.linkDigest;
        if (digest !== undefined && !(await transaction.find(findLink, { digest }, () => true)))
          return { status: 'missing' };
        if (code.attempts >= maxAttempts) return { status: 'exhausted' };
        const isRight = codeHashes.includes(code.codeHash);
        // The link's row decides: the call that deletes it signs in, as with the link itself.
        if (isRight && digest !== undefined && (await transaction.execute(endLink, { digest })) === 0)
          return { status: 'missing' };
        const changes = { attempts: code.attempts + 1, consumedAt: isRight ? now : null };
        await transaction.execute(count, { ...key, ...changes });
        const counted = { ...code, ...changes };
        if (!isRight) return { status: 'wrong', code: counted };
        if (correction) await correctCounters(transaction, correction, now.getTime());
        const user = email === undefined ? null : await readUserByEmail(transaction, email);
        return { status: 'consumed', code: counted, user };
      }),
  };
}
