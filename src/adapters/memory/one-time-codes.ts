/** One-time codes in memory. */
import { longHashPrefix, userOfCode } from '../../domain/one-time-code.js';
import type { OneTimeCodeRepository } from '../../storage/one-time-code-repository.js';
import { copy } from './copy.js';
import { codeKey, type Tables } from './tables.js';

export function memoryOneTimeCodes(tables: Tables): OneTimeCodeRepository {
  const { codes, tokens, users } = tables;
  return {
    async replace(code) {
      const userId = userOfCode(code);
      if (userId !== null && !users.has(userId)) return;
      codes.set(codeKey(code.purpose, code.subject), copy({ ...code, attempts: 0, consumedAt: null }));
    },
    async renew({ purpose, subject, codeHash, expiresAt }) {
      const code = codes.get(codeKey(purpose, subject));
      if (!code || code.consumedAt) return false;
      Object.assign(code, { codeHash, expiresAt: copy(expiresAt), attempts: 0 });
      return true;
    },
    async discard(purpose, subject, codeHash) {
      const key = codeKey(purpose, subject);
      if (codes.get(key)?.codeHash === codeHash) codes.delete(key);
    },
    async attempt({ purpose, subject, codeHashes, isLong = false, maxAttempts, now }) {
      const code = codes.get(codeKey(purpose, subject));
      if (!code || code.consumedAt || code.codeHash.startsWith(longHashPrefix) !== isLong)
        return { status: 'missing' };
      if (code.expiresAt <= now) return { status: 'expired' };
      const { linkDigest } = code;
      if (linkDigest !== undefined && !tokens.has(linkDigest)) return { status: 'missing' };
      if (code.attempts >= maxAttempts) return { status: 'exhausted' };
      code.attempts += 1;
      if (!codeHashes.includes(code.codeHash)) return { status: 'wrong', code: copy(code) };
      code.consumedAt = copy(now);
      if (linkDigest !== undefined) tokens.delete(linkDigest);
      return { status: 'consumed', code: copy(code) };
    },
  };
}
