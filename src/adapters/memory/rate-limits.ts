/** Counters in memory. */
import type { RateLimitRepository } from '../../storage/repositories.js';
import { copy } from './copy.js';
import type { Tables } from './tables.js';

export function memoryRateLimits({ counters }: Tables): RateLimitRepository {
  return {
    async hit(hits, now) {
      // A counter named twice is still one counter.
      for (const [key, windowMs] of new Map(hits.map((hit) => [hit.key, hit.windowMs]))) {
        const counter = counters.get(key);
        if (counter && counter.resetAt > now) {
          counter.count += 1;
          counter.resetAt = Math.min(counter.resetAt, now + windowMs);
        } else counters.set(key, { count: 1, resetAt: now + windowMs });
      }
      return hits.map(({ key }) => copy(counters.get(key) ?? { count: 0, resetAt: now }));
    },
    async refund(keys, now) {
      for (const key of new Set(keys)) {
        const counter = counters.get(key);
        if (counter && counter.resetAt > now) counter.count = Math.max(counter.count - 1, 0);
      }
    },
    async reset(keys) {
      for (const key of keys) {
        const counter = counters.get(key);
        if (counter) counter.count = 0;
      }
    },
  };
}
