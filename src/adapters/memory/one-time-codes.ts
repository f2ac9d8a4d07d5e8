/** One-time codes in memory. */
import { userOfCode } from '../../domain/one-time-code.js';
import type { OneTimeCodeRepository } from '../../storage/repositories.js';
import { copy } from './copy.js';
import { codeKey, type Tables } from './tables.js';

export function memoryOneTimeCodes({ codes, users }: Tables): OneTimeCodeRepository {
  return {
    async replace(code) {
      const userId = userOfCode(code);
      if (userId !== null && !users.has(userId)) return;
      codes.set(codeKey(code.purpose, code.subject), copy({ ...code, attempts: 0, consumedAt: null }));
    },
    async discard(purpose, subject, codeHash) {
      const key = codeKey(purpose, subject);
      if (codes.get(key)?.codeHash === codeHash) codes.delete(key);
    },
    async reserveAttempt(purpose, subject, maxAttempts, now) {
      const code = codes.get(codeKey(purpose, subject));
      if (!code || code.consumedAt) return { status: 'missing' };
      if (code.expiresAt <= now) return { status: 'expired' };
      if (code.attempts >= maxAttempts) return { status: 'exhausted' };
      code.attempts += 1;
      return { status: 'reserved', code: copy(code) };
    },
    async consume(purpose, subject, codeHash, now) {
      const code = codes.get(codeKey(purpose, subject));
      if (code?.codeHash !== codeHash || code.consumedAt) return false;
      code.consumedAt = copy(now);
      return true;
    },
  };
}
