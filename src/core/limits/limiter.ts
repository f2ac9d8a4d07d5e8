/**
 * Rate limits. An attempt consumes its limits before it is made, and is refunded if it turns out not to count, so that
 * parallel attempts in any number of processes never exceed a limit.
 */
import type { Keyring } from '../../crypto/keys.js';
import { RateLimitError } from '../../errors/catalog.js';
import type { StoredUser } from '../../domain/user.js';
import { retryNotSent } from '../../storage/not-sent.js';
import type {
  RateLimitHit,
  RateLimitRepository,
  RateLimitResult,
} from '../../storage/rate-limit-repository.js';
import type { Clock } from '../support/clock.js';
import { Corrections, type ConsumedLimits } from './consumed-limits.js';
import { counterKeys } from './counter-keys.js';
import type { CountedHit, ReportUncorrected } from './counters.js';
import { checkedResults } from './store-responses.js';
import { Pace } from './pace.js';
import type { RateLimit } from './rate-limits.js';
import { RefusedKeys } from './refused-keys.js';
import { KeyedMutex } from './keyed-mutex.js';

// Two at a time from each of four processes stay below the smallest limit on attempts, which is ten. An attempt whose turn does
// not come within two seconds proceeds, because those before it may themselves be waiting, for a connection for example.
const mutexBounds = { width: 2, maxWaiting: 64, timeoutMs: 2_000 };

/** Refusals per second that this process does not delay: more than people cause by mistake. */
const undelayedRefusals = 100;

/** Raises the counters of an attempt. */
type SendHits = (hits: readonly RateLimitHit[], now: number) => Promise<readonly RateLimitResult[]>;

export class Limiter {
  private readonly mutex = new KeyedMutex(mutexBounds);
  private readonly refused = new RefusedKeys();
  private readonly pace = new Pace(undelayedRefusals);
  private readonly corrections: Corrections;

  constructor(
    private readonly counters: RateLimitRepository,
    private readonly secrets: Keyring,
    private readonly clock: Clock,
    reportUncorrected: ReportUncorrected = () => undefined,
  ) {
    this.corrections = new Corrections(counters, secrets, clock, this.refused, reportUncorrected);
  }

  /**
   * Consumes all limits or none, in one statement. If only limits with an `orElse` refuse, consumes their `orElse` instead. A counter
   * that has refused within the last second refuses again without a query.
   * @throws RateLimitError if a limit is used up. The others are not consumed then: a refused attempt must not count toward a wider
   * limit and so help to lock out the owner of an address. InternalError if the response of the store is malformed.
   */
  async consume(limits: readonly RateLimit[], send?: SendHits): Promise<ConsumedLimits> {
    try {
      return await this.consumeOnce(limits, send);
    } catch (refusal) {
      if (!(refusal instanceof RateLimitError) || !limits.some(({ orElse }) => orElse)) throw refusal;
      const requiredKeys = counterKeys(
        this.secrets,
        limits.filter(({ orElse }) => !orElse),
      );
      if (this.refused.has(requiredKeys, this.clock())) throw refusal;
      const alternatives = limits.flatMap(({ orElse, ...limit }) => orElse ?? [limit]);
      return await this.consumeOnce(alternatives, send).catch((error: unknown) => {
        // The first refusal says when the usual limits allow an attempt again.
        throw error instanceof RateLimitError ? refusal : error;
      });
    }
  }

  private async consumeOnce(
    limits: readonly RateLimit[],
    send: SendHits = async (hits, now) => (hits.length === 0 ? [] : this.counters.hit(hits, now)),
  ): Promise<ConsumedLimits> {
    const keys = counterKeys(this.secrets, limits);
    const now = this.clock();
    const knownRetryAt = this.refused.retryAt(keys, now);
    if (knownRetryAt !== undefined) {
      await this.pace.wait();
      throw new RateLimitError(knownRetryAt - now);
    }
    const hits = limits.map(({ windowMs, max, growingWait }, i) => ({
      key: keys[i]!,
      windowMs,
      max,
      ...(growingWait && { growingWait }),
    }));
    const raise = async (): Promise<readonly CountedHit[]> => checkedResults(await send(hits, now), hits);
    const endHit = this.refused.beginHit(keys);
    let corrected: ReadonlySet<string> = new Set();
    const results = await raise()
      .then(async (first) => {
        const reset = outdatedRefusals(limits, first, now).map((i) => keys[i]!);
        if (reset.length === 0) return first;
        await this.corrections.correct({ refund: [], reset });
        return raise();
      })
      .finally(() => (corrected = endHit()));
    const waits = results.flatMap(({ retryAt }, i) => {
      const key = keys[i]!;
      // Also if another limit refuses: another process may have reset this one.
      if (retryAt === undefined) this.refused.allow(key);
      else if (!corrected.has(key)) this.refused.remember(key, retryAt, now);
      return retryAt === undefined ? [] : [retryAt - now];
    });
    if (waits.length > 0) throw new RateLimitError(Math.max(...waits));
    const remaining = Math.min(...results.map(({ count }, i) => limits[i]!.max - count));
    const consumed = limits.map((limit, i) => {
      const key = keys[i]!;
      return { limit, key, countedAs: results[i]?.countedAs ?? key };
    });
    return this.corrections.of(consumed, remaining);
  }

  /**
   * Runs `work`, at most two at a time per key, so that a burst of legitimate attempts is not counted as guesses while they are in
   * progress. After two seconds of waiting `work` runs anyway: the limit itself decides.
   */
  serialize<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.mutex.run(key, work, work);
  }

  /**
   * Consumes the limits, then runs `work`, which may refund them if the attempt does not count. If `work` rejects, the attempt is
   * refunded: a send that the sender refused does not count.
   * @throws RateLimitError if a limit is used up.
   */
  async withLimits<T>(
    limits: readonly RateLimit[],
    work: (consumed: ConsumedLimits) => Promise<T>,
  ): Promise<T> {
    return refundedOnError(await this.consume(limits), work);
  }

  /**
   * Like `withLimits`, and reads the user with this address in the query that consumes the limits.
   * @throws RateLimitError if a limit is used up.
   */
  async withLimitsAndUser<T>(
    limits: readonly RateLimit[],
    email: string,
    work: (consumed: ConsumedLimits, user: StoredUser | null) => Promise<T>,
  ): Promise<T> {
    let user: StoredUser | null = null;
    const consumed = await this.consume(limits, async (hits, now) => {
      const found = await this.counters.hitAndFindUser(hits, email, now);
      user = found.user;
      return found.results;
    });
    return refundedOnError(consumed, () => work(consumed, user));
  }

  /** Combines `serialize` and `withLimits`. */
  serializeWithLimits<T>(
    key: string,
    limits: readonly RateLimit[],
    work: (consumed: ConsumedLimits) => Promise<T>,
  ): Promise<T> {
    return this.serialize(key, () => this.withLimits(limits, work));
  }

  /** Returns whether one of the limits has refused an attempt in this process, and still does. Without a query. */
  hasRefused(limits: readonly RateLimit[]): boolean {
    return this.refused.has(counterKeys(this.secrets, limits), this.clock());
  }

  /** Returns whether one of the limits refuses another attempt, which it does not count. */
  async isUsedUp(limits: readonly RateLimit[]): Promise<boolean> {
    try {
      const consumed = await this.consume(limits);
      // If the count cannot be given back, that is logged.
      return await consumed.refundAndReset([], async () => false);
    } catch (error) {
      if (error instanceof RateLimitError) return true;
      throw error;
    }
  }

  /** Forgets which counters have refused an attempt, after their rows were removed, or limits that others are reset with (`resetWith`). */
  forgetRefusals(): void {
    this.refused.clear();
  }

  /** Sets the counters of these limits to zero. */
  async reset(limits: readonly RateLimit[]): Promise<void> {
    await this.corrections.correct({ refund: [], reset: counterKeys(this.secrets, limits) });
  }

  /**
   * Returns true for the first use of a digest within the window, and false for a replay.
   * @param digest of a random value, which is hidden without a secret: rotating secrets does not make a replay a first use.
   */
  async isFirstUse(name: string, digest: string, windowMs: number): Promise<boolean> {
    const hits = [{ key: `${name}:${digest}`, windowMs }];
    // The other part of the proof may have been consumed.
    const [result] = await retryNotSent(() => this.counters.hit(hits, this.clock()));
    return result?.count === 1;
  }
}

/** Returns the positions of the limits that refuse, if all of them count hits from before another limit was reset (`resetWith`). */
function outdatedRefusals(
  limits: readonly RateLimit[],
  results: readonly CountedHit[],
  now: number,
): number[] {
  const refusals = results.flatMap(({ retryAt }, i) => (retryAt === undefined ? [] : [i]));
  const isOutdated = (i: number) => {
    const { resetWith } = limits[i]!;
    const wider = resetWith === undefined ? -1 : limits.findIndex(({ name }) => name === resetWith);
    if (wider === -1) return false;
    const { count, resetAt } = results[wider]!;
    return (resetAt > now ? count : 0) < results[i]!.count;
  };
  return refusals.every(isOutdated) ? refusals : [];
}

/** Runs `work`; if it rejects, refunds the limits. */
async function refundedOnError<T>(
  consumed: ConsumedLimits,
  work: (consumed: ConsumedLimits) => Promise<T>,
): Promise<T> {
  try {
    return await work(consumed);
  } catch (error) {
    // A refund that fails must not hide why the work failed.
    await consumed.refund().catch(() => undefined);
    throw error;
  }
}
