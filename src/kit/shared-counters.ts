/** Counters in a store that is not the database, such as Redis, in the shape of the adapter's. */
import { InternalError } from '../errors/catalog.js';
import { inTime } from './in-time.js';
import type { RateLimitCount, RateLimitHit, RateLimitRepository } from '../storage/repositories.js';

/** A store of counters shared by other means than the database, such as Redis. */
export interface RateLimitStore {
  /** Raises the counter by one and returns it; the window starts with its first hit and ends at `resetAt` (ms). */
  hit(key: string, windowMs: number, now: number): Promise<RateLimitCount>;
  /**
   * Takes one hit back. Without it this process keeps account of what it took back itself, and other processes do not
   * learn of it: implement it where there are several.
   */
  refund?(key: string, now: number): Promise<void>;
  /** Sets the counter to zero. Without it nothing is forgiven before its window ends. */
  reset?(key: string): Promise<void>;
}

/** What a counter owes, and until when its window lasts. */
interface Account {
  credit: number;
  resetAt: number;
}

export function sharedCounters(store: RateLimitStore): RateLimitRepository {
  const accounts = new Map<string, Account>();

  /** One counter after the other, up to the first that is exceeded: what cannot be taken back is better not charged. */
  async function hit(hits: readonly RateLimitHit[], now: number): Promise<RateLimitCount[]> {
    const counts: RateLimitCount[] = [];
    for (const { key, windowMs, max = Infinity } of hits) {
      const { count, resetAt } = await store.hit(key, windowMs, now);
      const known = accounts.get(key);
      const credit = known && known.resetAt > now ? known.credit : 0;
      if (!store.refund) remember(key, { credit, resetAt }, now);
      counts.push({ count: count - credit, resetAt });
      if (count - credit > max) break;
    }
    return counts;
  }

  function remember(key: string, account: Account, now: number): void {
    accounts.set(key, account);
    if (accounts.size < 10_000) return;
    for (const [each, { resetAt }] of accounts) if (resetAt <= now) accounts.delete(each);
  }

  async function refund(keys: readonly string[], now: number): Promise<void> {
    for (const key of keys) {
      const account = accounts.get(key);
      if (store.refund) await store.refund(key, now);
      else if (account) account.credit += 1;
    }
  }

  return {
    hit: (hits, now) => reported(hit(hits, now)),
    refund: (keys, now) => reported(refund(keys, now)),
    reset: async (keys) => void (await reported(Promise.all(keys.map(async (key) => store.reset?.(key))))),
  };
}

/** An error of the store may hold its address and password. */
async function reported<T>(asked: Promise<T>): Promise<T> {
  try {
    return await inTime(asked, 'rateLimit.store');
  } catch (error) {
    throw new InternalError(error);
  }
}
