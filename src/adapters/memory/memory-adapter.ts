/**
 * A StorageAdapter without a database, for tests and trials: its data ends with the process. Every method is
 * async on the surface only: it reads and writes in one synchronous block, without an `await` in between, and
 * that is what makes it atomic. Keep it so.
 */
import type { StorageAdapter } from '../../storage/adapter.js';
import { memoryIdentities } from './identities.js';
import { memoryOneTimeCodes } from './one-time-codes.js';
import { memoryRateLimits } from './rate-limits.js';
import { memorySessions } from './sessions.js';
import { memorySingleUseTokens } from './single-use-tokens.js';
import { emptyTables, removeWhere } from './tables.js';
import { memoryUsers } from './users.js';

const codeRetentionMs = 24 * 60 * 60 * 1000;

/** Keeps everything in this process's memory. */
export function memoryAdapter(): StorageAdapter {
  const tables = emptyTables();
  const { sessions, tokens, codes, counters } = tables;
  return {
    users: memoryUsers(tables),
    identities: memoryIdentities(tables),
    sessions: memorySessions(tables),
    oneTimeCodes: memoryOneTimeCodes(tables),
    singleUseTokens: memorySingleUseTokens(tables),
    rateLimits: memoryRateLimits(tables),
    init: () => Promise.resolve(),
    close: () => Promise.resolve(),
    async purgeExpired({ now, limit }) {
      const time = now.getTime();
      return {
        sessions: removeWhere(sessions, (row) => row.revokedAt !== null || row.expiresAt <= now, limit),
        singleUseTokens: removeWhere(tokens, (row) => row.expiresAt <= now, limit),
        oneTimeCodes: removeWhere(codes, (row) => row.expiresAt.getTime() + codeRetentionMs <= time, limit),
        rateLimits: removeWhere(counters, (row) => row.resetAt <= time, limit),
      };
    },
  };
}
