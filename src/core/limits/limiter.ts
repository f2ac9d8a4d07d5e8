/**
 * Rate limits. An attempt consumes its limits before it is made, and is refunded if it turns out not to count, so that
 * parallel attempts in any number of processes never exceed a limit.
 */
import type { Keyring } from '../../crypto/keys.js';
import { RateLimitError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { StoredUser } from '../../domain/user.js';
import { retryNotSent } from '../../storage/not-sent.js';
import type { RateLimitHit } from '../../storage/rate-limit-repository.js';
import type { Clock } from '../support/clock.js';
import { ConsumedLimits, CorrectableCounters, type ConsumedLimit } from './consumed-limits.js';
import { counterKeys } from './counter-keys.js';
import type { CountedHit, ReportUncorrected } from './counters.js';
import { checkedResults } from './store-responses.js';
import { Pace } from '../queues/pace.js';
import type { RateLimit } from './rate-limits.js';
import { RefusedKeys } from './refused-keys.js';
import { KeyedMutex, type Turn } from '../queues/keyed-mutex.js';
import type { CountingStorage } from './shared-counters.js';

// Two at a time from each of four processes stay below the smallest limit on attempts, which is ten. An attempt whose turn does
// not come within two seconds proceeds, because those before it may themselves be waiting, for a connection for example.
const mutexBounds = { width: 2, maxWaiting: 64, timeoutMs: 2_000 };

/** Refusals per second that this process does not delay: more than people cause by mistake. */
const undelayedRefusals = 100;

/** The limits that an attempt has consumed, and the user of its address if it was read. */
export interface Spending {
  spent: ConsumedLimits;
  user: StoredUser | null;
}

export class Limiter {
  private readonly mutex = new KeyedMutex(mutexBounds);
  private readonly refused = new RefusedKeys();
  private readonly pace = new Pace(undelayedRefusals);
  private readonly counters: CorrectableCounters;

  constructor(
    private readonly storage: CountingStorage,
    private readonly secrets: Keyring,
    private readonly clock: Clock,
    reportUncorrected: ReportUncorrected = () => undefined,
    private readonly reportRefusal: (error: RateLimitError) => void = () => undefined,
  ) {
    this.counters = new CorrectableCounters(storage, secrets, clock, this.refused, reportUncorrected);
  }

  /**
   * Consumes all limits or none, in one statement. If only limits with an `orElse` refuse, consumes their `orElse` instead. A counter
   * that has refused within the last second refuses again without a query. The caller refunds the limits if the attempt does not count.
   * @throws RateLimitError if a limit is used up. The others are not consumed then: a refused attempt must not count toward a wider
   * limit and so help to lock out the owner of an address. InternalError if the response of the store is malformed.
   */
  async consume(limits: readonly RateLimit[]): Promise<ConsumedLimits> {
    return (await this.reported(limits, this.consumeOrElse(limits))).spent;
  }

  /** As `consume`, and reads the user with this address in the same query. */
  consumeAndFindUser(limits: readonly RateLimit[], email: string): Promise<Spending> {
    return this.reported(limits, this.consumeOrElse(limits, email));
  }

  /** An attempt that is refused is reported once, whatever becomes of its error. */
  private async reported(limits: readonly RateLimit[], spending: Promise<Spending>): Promise<Spending> {
    try {
      return await spending;
    } catch (error) {
      const isPace = limits.every((limit) => limit.isPace);
      if (error instanceof RateLimitError && !isPace) this.reportRefusal(error);
      throw error;
    }
  }

  /**
   * Resolves when it is the caller's turn, who must end it. Two turns per key run at a time, so that a burst of legitimate attempts is not
   * counted as guesses while they are in progress. Resolves after two seconds in any case: the limit itself decides.
   */
  turn(key: string): Promise<Turn> {
    return this.mutex.turn(key);
  }

  private async consumeOrElse(limits: readonly RateLimit[], email?: string): Promise<Spending> {
    try {
      return await this.consumeOnce(limits, email);
    } catch (refusal) {
      if (!(refusal instanceof RateLimitError) || !limits.some(({ orElse }) => orElse)) throw refusal;
      const required = limits.filter(({ orElse }) => !orElse);
      if (this.hasRefused(required)) throw refusal;
      const alternatives = limits.flatMap(({ orElse, ...limit }) => orElse ?? [limit]);
      return await this.consumeOnce(alternatives, email).catch((error: unknown) => {
        // The first refusal says when the usual limits allow an attempt again.
        throw error instanceof RateLimitError ? refusal : error;
      });
    }
  }

  private async consumeOnce(limits: readonly RateLimit[], email?: string): Promise<Spending> {
    const keys = counterKeys(this.secrets, limits);
    const now = this.clock();
    const known = this.refused.retryAt(keys, now);
    if (known) {
      await this.pace.wait();
      throw refusalBy(limits[keys.indexOf(known.key)], known.retryAt - now);
    }
    const { results, user } = await this.hit(limits, keys, now, email);
    let remaining = Infinity;
    const consumed: ConsumedLimit[] = [];
    for (const [i, limit] of limits.entries()) {
      const { count, countedAs = keys[i]! } = results[i]!;
      remaining = Math.min(remaining, limit.max - count);
      consumed.push({ limit, countedAs });
    }
    return { spent: new ConsumedLimits(consumed, remaining, this.counters), user };
  }

  /** Raises the counters, and remembers those that refuse. @throws RateLimitError */
  private async hit(
    limits: readonly RateLimit[],
    keys: readonly string[],
    now: number,
    email: string | undefined,
  ): Promise<{ results: readonly CountedHit[]; user: StoredUser | null }> {
    const hits = limits.map(({ windowMs, max, growingWait }, i) => ({
      key: keys[i]!,
      windowMs,
      max,
      ...(growingWait && { growingWait }),
    }));
    const endHit = this.refused.beginHit(keys);
    let corrected: ReadonlySet<string>;
    let outcome: Awaited<ReturnType<typeof this.raise>>;
    try {
      outcome = await this.raise(hits, now, email);
      const reset = outdatedRefusals(limits, outcome.results, now).map((i) => keys[i]!);
      if (reset.length > 0) {
        await this.counters.correct({ refund: [], reset });
        outcome = await this.raise(hits, now, email);
      }
    } finally {
      corrected = endHit();
    }
    let longest: { limit: RateLimit | undefined; waitMs: number } | undefined;
    for (const [i, { retryAt }] of outcome.results.entries()) {
      const key = keys[i]!;
      // Also if another limit refuses: another process may have reset this one.
      if (retryAt === undefined) this.refused.allow(key);
      else if (!corrected.has(key)) this.refused.remember(key, retryAt, now);
      const waitMs = retryAt === undefined ? 0 : retryAt - now;
      if (retryAt !== undefined && (!longest || waitMs > longest.waitMs))
        longest = { limit: limits[i], waitMs };
    }
    if (longest) throw refusalBy(longest.limit, longest.waitMs);
    return outcome;
  }

  private async raise(hits: readonly RateLimitHit[], now: number, email: string | undefined) {
    const { fastPaths, rateLimits } = this.storage;
    if (email !== undefined) {
      const { results, user } = await fastPaths.hitAndFindUser(hits, email, now);
      return { results: checkedResults(results, hits) as readonly CountedHit[], user };
    }
    const results = hits.length === 0 ? [] : await rateLimits.hit(hits, now);
    return { results: checkedResults(results, hits) as readonly CountedHit[], user: null };
  }

  /** Returns whether one of the limits has refused an attempt in this process, and still does. Without a query. */
  hasRefused(limits: readonly RateLimit[]): boolean {
    return this.refused.has(counterKeys(this.secrets, limits), this.clock());
  }

  /** Returns whether one of the limits refuses another attempt, which it does not count. */
  async isUsedUp(limits: readonly RateLimit[]): Promise<boolean> {
    try {
      // Not an attempt, so a refusal is not reported.
      const { spent } = await this.consumeOrElse(limits);
      await spent.refund();
      return false;
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
    await this.counters.correct({ refund: [], reset: counterKeys(this.secrets, limits) });
  }

  /**
   * Returns true for the first use of a digest within the window, and false for a replay.
   * @param digest of a random value, which is hidden without a secret: rotating secrets does not make a replay a first use.
   */
  async isFirstUse(name: string, digest: string, windowMs: number): Promise<boolean> {
    const hits = [{ key: `${name}:${digest}`, windowMs }];
    // The other part of the proof may have been consumed.
    const [result] = await retryNotSent(() => this.storage.rateLimits.hit(hits, this.clock()));
    return result?.count === 1;
  }
}

/** Returns the error of a refused attempt. Its reason names the limit with the longest wait, and not its subject. */
function refusalBy(limit: RateLimit | undefined, waitMs: number): RateLimitError {
  return new RateLimitError(waitMs, because(`limit:${limit?.name ?? 'unknown'}`));
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
