/** What follows an attempt that has consumed limits: refunds and resets, in a separate query or within another. */
import type { Keyring } from '../../crypto/keys.js';
import type { CounterCorrection, RateLimitRepository } from '../../storage/rate-limit-repository.js';
import type { StartSession } from '../sessions/new-session.js';
import type { Clock } from '../support/clock.js';
import { counterKeys } from './counter-keys.js';
import type { ReportUncorrected } from './counters.js';
import type { RateLimit } from './rate-limits.js';
import type { RefusedKeys } from './refused-keys.js';

/** The limits that an attempt has consumed. They are refunded if the attempt does not count. */
export interface ConsumedLimits {
  /** How many more attempts the tightest limit allows. */
  readonly remaining: number;
  /** Refunds every limit, once: a second call does nothing. */
  refund(): Promise<void>;
  /** Refunds all limits except those of the caller: for an attempt that could not have succeeded but still caused work. */
  refundAllButCaller(): Promise<void>;
  /**
   * Refunds every limit and resets the named ones, which removes their earlier failures, and runs `finish`. If that starts a session
   * with the function that it receives, the counters are corrected in the same query; otherwise in one after it, also if it rejects.
   */
  refundAndReset<T>(names: readonly string[], finish: (start?: StartSession) => Promise<T>): Promise<T>;
  /**
   * Refunds every limit and resets others without a separate query: `write` passes the correction to a storage method that makes it.
   * @param isMade whether the result of `write` says that the correction was made.
   */
  refundWithin<T>(
    resets: readonly RateLimit[],
    write: (correction: CounterCorrection) => Promise<T>,
    isMade: (result: T) => boolean,
  ): Promise<T>;
}

/** A limit that an attempt has consumed. */
export interface ConsumedLimit {
  limit: RateLimit;
  key: string;
  /** The key to refund. It differs from `key` if a fallback has counted the hit. */
  countedAs: string;
}

export class Corrections {
  constructor(
    private readonly counters: Pick<RateLimitRepository, 'correct' | 'correctAndStart'>,
    private readonly secrets: Keyring,
    private readonly clock: Clock,
    private readonly refused: RefusedKeys,
    private readonly reportUncorrected: ReportUncorrected,
  ) {}

  /** Returns the limits of an attempt. @param remaining see `ConsumedLimits`. */
  of(consumed: readonly ConsumedLimit[], remaining: number): ConsumedLimits {
    let outstanding = consumed;
    // A refund happens once: before it is made, its limits no longer count as consumed.
    const take = (refunds: readonly ConsumedLimit[], reset: readonly string[] = []): CounterCorrection => {
      outstanding = outstanding.filter((each) => !refunds.includes(each));
      return { refund: refunds.map(({ countedAs }) => countedAs), reset };
    };
    const keysNamed = (names: readonly string[]) =>
      consumed.flatMap(({ limit, key }) => (names.includes(limit.name) ? [key] : []));
    return {
      remaining,
      refund: () => this.correct(take(outstanding)),
      refundAllButCaller: () => this.correct(take(outstanding.filter(({ limit }) => !limit.isCaller))),
      refundAndReset: (names, finish) => this.correctWith(take(outstanding, keysNamed(names)), finish),
      refundWithin: async (resets, write, isMade) => {
        const refunds = outstanding;
        const reset = counterKeys(this.secrets, resets);
        const result = await write({ refund: refunds.map(({ countedAs }) => countedAs), reset });
        if (isMade(result)) this.refused.delete([...take(outstanding).refund, ...reset]);
        return result;
      },
    };
  }

  private async correctWith<T>(
    correction: CounterCorrection,
    finish: (start?: StartSession) => Promise<T>,
  ): Promise<T> {
    const keys = [...correction.refund, ...correction.reset];
    if (keys.length === 0) return finish();
    let isCorrected = false;
    const start: StartSession = async (session) => {
      const isStarted = await this.counters.correctAndStart(correction, session, this.clock());
      this.refused.delete(keys);
      isCorrected = true;
      return isStarted;
    };
    try {
      return await finish(start);
    } finally {
      // A failure neither refuses an attempt that has succeeded nor hides why one was refused.
      if (!isCorrected) await this.correct(correction).catch(this.reportUncorrected);
    }
  }

  /** Corrects counters, and lets the process ask the storage about them again. */
  async correct(correction: CounterCorrection): Promise<void> {
    const keys = [...correction.refund, ...correction.reset];
    if (keys.length === 0) return;
    await this.counters.correct(correction, this.clock());
    this.refused.delete(keys);
  }
}
