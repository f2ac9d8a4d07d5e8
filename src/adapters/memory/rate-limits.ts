/** Counters in memory. */
import type {
  RateLimitHit,
  RateLimitRepository,
  RateLimitResult,
} from '../../storage/rate-limit-repository.js';
import { retryAtOf } from '../shared/counting-rules.js';
import type { Tables } from './tables.js';

export function memoryRateLimits({ counters }: Tables): RateLimitRepository {
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
    async correct({ refund, reset }, now) {
      for (const key of new Set(refund)) {
        const counter = counters.get(key);
        if (counter && counter.resetAt > now) counter.count = Math.max(counter.count - 1, 0);
      }
      for (const key of reset) {
        const counter = counters.get(key);
        if (counter) counter.count = 0;
      }
    },
  };
}
