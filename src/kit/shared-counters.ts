/** Counters in a store that is not the database, such as Redis, in the shape of the adapter's. */
import { InternalError } from '../errors/catalog.js';
import { isServiceError } from '../errors/service-error.js';
import type {
  RateLimitCount,
  RateLimitHit,
  RateLimitRepository,
  RateLimitResult,
} from '../storage/repositories.js';
import { checkedCount } from './counter-answers.js';
import { inTime } from './in-time.js';

/** A store of counters shared by other means than the database, such as Redis. */
export interface RateLimitStore {
  /**
   * Raises the counter by one and resolves it: `count` with this hit, and `resetAt`, the end of the window in milliseconds since
   * the epoch. The window starts with its first hit. Any other answer fails the request with `internal_error`.
   */
  hit(key: string, windowMs: number, now: number): Promise<RateLimitCount>;
  /**
   * Takes one hit back. Without it each process remembers what it has taken back itself, and other processes do not
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

/** Beyond it the account that was used longest ago is dropped: its hits that were taken back count again. */
const mostAccounts = 10_000;

export function sharedCounters(store: RateLimitStore): RateLimitRepository {
  /** The one used longest ago first. Empty if the store can refund. */
  const accounts = new Map<string, Account>();

  /** One counter after the other, up to the first that refuses; those before it are refunded. */
  async function hit(hits: readonly RateLimitHit[], now: number): Promise<RateLimitResult[]> {
    const results: RateLimitResult[] = [];
    for (const each of hits) {
      const { key, windowMs, max = Infinity } = each;
      const { count, resetAt: end } = checkedCount(await store.hit(key, windowMs, now), each, now);
      const resetAt = Math.min(end, now + windowMs);
      const charged = count - creditOf(key, count, resetAt, now);
      results.push({ count: charged, resetAt });
      if (charged <= max) continue;
      await refund(
        hits.slice(0, results.length).map((raised) => raised.key),
        now,
      );
      return hits.map((_, i) => {
        const result = results[i] ?? { count: 0, resetAt: now };
        // A store has no growing waits: the window has to end.
        return i === results.length - 1 ? { ...result, retryAt: resetAt } : result;
      });
    }
    return results;
  }

  function creditOf(key: string, count: number, resetAt: number, now: number): number {
    if (store.refund) return 0;
    const account = accounts.get(key);
    // A counter has counted every hit that was taken back, and this one. With fewer it has started again, and nothing was taken back.
    const credit = account && account.resetAt > now && account.credit < count ? account.credit : 0;
    accounts.delete(key);
    accounts.set(key, { credit, resetAt });
    const [oldest] = accounts.keys();
    if (accounts.size > mostAccounts && oldest !== undefined) accounts.delete(oldest);
    return credit;
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
    if (isServiceError(error) && error.code === 'internal_error') throw error;
    throw new InternalError(error);
  }
}
