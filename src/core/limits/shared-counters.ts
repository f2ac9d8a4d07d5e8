/**
 * Adapts a store of counters outside the database, such as Redis, to the interface of the adapter's counters. No other code knows where
 * the counters are.
 */
import { BoundedMap } from '../support/bounded-map.js';
import { InternalError } from '../../errors/catalog.js';
import { isServiceError } from '../../errors/service-error.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import type { FastPaths } from '../../storage/fast-paths.js';
import type {
  CounterCorrection,
  RateLimitHit,
  RateLimitRepository,
  RateLimitResult,
} from '../../storage/rate-limit-repository.js';
import type { RateLimitStore } from '../../storage/rate-limit-store.js';
import type { Logger } from '../support/logger.js';
import { reportUncorrected, type Counters } from './counters.js';
import { composedFastPaths } from './fast-paths.js';
import { withFallback } from './fallback-counters.js';
import { checkedCount } from './store-responses.js';
import { withTimeout } from '../support/timeouts.js';

/** Refunds of a counter that the store cannot take back, until the window ends. */
interface Credit {
  refunds: number;
  resetAt: number;
}

/** Beyond this number the credit that was used longest ago is dropped: its refunded hits count again. */
const maxCredits = 10_000;

/** Counters, and the methods that write them together with something else. */
export interface CountingStorage {
  rateLimits: RateLimitRepository;
  fastPaths: FastPaths;
  /** Whether a store has the counters, and they cannot be corrected in a transaction. */
  isElsewhere?: boolean;
}

/** Returns the counters of the adapter, or of a store. */
export function countingStorage(
  storage: StorageAdapter,
  store: RateLimitStore | undefined,
  logger: Logger,
): CountingStorage {
  const { fastPaths, rateLimits } = storage;
  if (!store && fastPaths) return { rateLimits, fastPaths };
  const counters = store ? inStore(store, rateLimits, logger) : rateLimits;
  return {
    rateLimits: counters,
    fastPaths: composedFastPaths(storage, counters, reportUncorrected(logger)),
    isElsewhere: store !== undefined,
  };
}

function inStore(store: RateLimitStore, database: RateLimitRepository, logger: Logger): Counters {
  const counters = countersOf(store);
  return singleUsesIn(database, store.fallsBack ? withFallback(counters, database, logger) : counters);
}

/**
 * A hit without a limit counts the uses of a value that may be used once. It is counted in the database: a store may lose its data, and
 * the value could be used again.
 */
function singleUsesIn(database: RateLimitRepository, counters: Counters): Counters {
  return {
    ...counters,
    hit: (hits, now) =>
      hits.length > 0 && hits.every(({ max }) => max === undefined)
        ? database.hit(hits, now)
        : counters.hit(hits, now),
  };
}

function countersOf(store: RateLimitStore): Counters {
  if (!store.hitAll) return sharedCounters(store);
  return {
    hit: async (hits, now) => withSafeErrors((async () => (await store.hitAll?.(hits, now)) ?? [])()),
    correct: async (correction, now) => withSafeErrors((async () => store.correct?.(correction, now))()),
  };
}

function sharedCounters(store: RateLimitStore): Counters {
  /** By key. Empty if the store can refund. */
  const credits = new BoundedMap<string, Credit>(maxCredits);

  /** Increments one counter after the other, up to the first that refuses. Refunds those that it has incremented then. */
  async function hit(hits: readonly RateLimitHit[], now: number): Promise<RateLimitResult[]> {
    const results: RateLimitResult[] = [];
    for (const counter of hits) {
      const { key, windowMs, max = Infinity } = counter;
      const { count, resetAt: end } = checkedCount(await store.hit(key, windowMs, now), counter, now);
      const resetAt = Math.min(end, now + windowMs);
      const effectiveCount = count - refundsOf(key, count, resetAt, now);
      results.push({ count: effectiveCount, resetAt });
      if (effectiveCount <= max) continue;
      const incremented = hits.slice(0, results.length);
      await refund(
        incremented.map((hit) => hit.key),
        now,
      );
      return hits.map((_, i) => {
        const result = results[i] ?? { count: 0, resetAt: now };
        // A store does not support growing waits: the next attempt is after the window.
        return i === results.length - 1 ? { ...result, retryAt: resetAt } : result;
      });
    }
    return results;
  }

  function refundsOf(key: string, count: number, resetAt: number, now: number): number {
    if (store.refund) return 0;
    const credit = credits.get(key);
    // A counter includes every refunded hit and this one. If its count is lower, it has restarted, and has no refunds.
    const refunds = credit && credit.resetAt > now && credit.refunds < count ? credit.refunds : 0;
    credits.set(key, { refunds, resetAt });
    return refunds;
  }

  async function refund(keys: readonly string[], now: number): Promise<void> {
    for (const key of keys) {
      const credit = credits.get(key);
      if (store.refund) await store.refund(key, now);
      else if (credit) credit.refunds += 1;
    }
  }

  async function correct({ refund: refunds, reset }: CounterCorrection, now: number): Promise<void> {
    await refund(refunds, now);
    await Promise.all(reset.map(async (key) => store.reset?.(key)));
  }

  return {
    hit: (hits, now) => withSafeErrors(hit(hits, now)),
    correct: (correction, now) => withSafeErrors(correct(correction, now)),
  };
}

/** Wraps errors of the store, which may contain its address and password. @throws InternalError */
async function withSafeErrors<T>(result: Promise<T>): Promise<T> {
  try {
    return await withTimeout(result, 'rateLimit.store');
  } catch (error) {
    if (isServiceError(error) && error.code === 'internal_error') throw error;
    throw new InternalError(error);
  }
}
