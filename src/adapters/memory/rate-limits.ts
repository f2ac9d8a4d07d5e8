/** Counters in memory. */
import type {
  CounterCorrection,
  RateLimitHit,
  RateLimitRepository,
  RateLimitResult,
} from '../../storage/rate-limit-repository.js';
import { retryAtOf } from '../shared/counting-rules.js';
import { copy } from './copy.js';
import { startSession } from './sessions.js';
import type { Tables } from './tables.js';

export function memoryRateLimits(tables: Tables): RateLimitRepository {
  const { counters, users, userIdByEmail } = tables;

  function raise({ key, windowMs, growingWait }: RateLimitHit, now: number): void {
    const counter = counters.get(key);
    const end = now + windowMs;
    if (!counter || counter.resetAt <= now) counters.set(key, { count: 1, resetAt: end });
    else {
      counter.count += 1;
      if (growingWait) counter.resetAt = end;
    }
  }

  function hitAll(hits: readonly RateLimitHit[], now: number): RateLimitResult[] {
    const refusals = hits.map((hit) => {
      const counter = counters.get(hit.key);
      // If a clock that ran ahead started the window, the window ends earlier.
      if (counter && !hit.growingWait) counter.resetAt = Math.min(counter.resetAt, now + hit.windowMs);
      return counter && retryAtOf(counter, hit, now);
    });
    if (refusals.every((retryAt) => retryAt === undefined)) {
      // A key that occurs twice is still one counter.
      for (const hit of new Map(hits.map((each) => [each.key, each])).values()) raise(hit, now);
    }
    return hits.map(({ key }, i) => {
      const { count, resetAt } = counters.get(key) ?? { count: 0, resetAt: now };
      const retryAt = refusals[i];
      return { count, resetAt, ...(retryAt !== undefined && { retryAt }) };
    });
  }

  return {
    hit: async (hits, now) => hitAll(hits, now),
    async hitAndFindUser(hits, email, now) {
      const results = hitAll(hits, now);
      const isRefused = results.some(({ retryAt }) => retryAt !== undefined);
      const user = users.get(userIdByEmail.get(email) ?? '');
      return { results, user: isRefused ? null : copy(user ?? null) };
    },
    correct: async (correction, now) => correctCounters(tables, correction, now),
    async correctAndStart(correction, start, now) {
      correctCounters(tables, correction, now);
      return startSession(tables, start);
    },
  };
}

/** Corrects counters in the same synchronous block as the caller. */
export function correctCounters(
  { counters }: Tables,
  { refund, reset }: CounterCorrection,
  now: number,
): void {
  for (const key of new Set(refund)) {
    const counter = counters.get(key);
    if (counter && counter.resetAt > now) counter.count = Math.max(counter.count - 1, 0);
  }
  for (const key of reset) {
    const counter = counters.get(key);
    if (counter) counter.count = 0;
  }
}
