/** What follows an attempt that has consumed limits: refunds and resets, in a separate query or within another. */
import type { Keyring } from '../../crypto/keys.js';
import type { CounterCorrection } from '../../storage/rate-limit-repository.js';
import type { SessionStart } from '../../storage/repositories.js';
import type { Clock } from '../support/clock.js';
import { counterKeys } from './counter-keys.js';
import type { ReportUncorrected } from './counters.js';
import type { RateLimit } from './rate-limits.js';
import type { RefusedKeys } from './refused-keys.js';
import type { CountingStorage } from './shared-counters.js';

/** A limit that an attempt has consumed. */
export interface ConsumedLimit {
  limit: RateLimit;
  /** The key to refund. It is not that of the limit if a fallback has counted the hit. */
  countedAs: string;
}

/** The limits that an attempt has consumed. They are refunded if the attempt does not count. */
export class ConsumedLimits {
  /** @param remaining how many more attempts the tightest limit allows. */
  constructor(
    private outstanding: readonly ConsumedLimit[],
    readonly remaining: number,
    private readonly counters: CorrectableCounters,
  ) {}

  /**
   * Refunds every limit, once: a second call does nothing. A failure is logged, and not thrown: it neither refuses an attempt that has
   * succeeded nor hides why one was refused.
   */
  refund(): Promise<void> {
    return this.refundAll(this.outstanding);
  }

  /** Refunds all limits except those of the caller: for an attempt that could not have succeeded but still caused work. */
  refundAllButCaller(): Promise<void> {
    return this.refundAll(this.outstanding.filter(({ limit }) => !limit.isCaller));
  }

  /** Returns what follows a right guess: it refunds every limit and resets others. It is not made yet. */
  correction(resets: readonly RateLimit[]): Correction {
    const refund = this.outstanding.map(({ countedAs }) => countedAs);
    const onceMade = () => (this.outstanding = []);
    return new Correction({ refund, reset: this.counters.keysOf(resets) }, onceMade, this.counters);
  }

  private refundAll(refunds: readonly ConsumedLimit[]): Promise<void> {
    // A refund happens once: before it is made, its limits no longer count as consumed.
    this.outstanding = this.outstanding.filter((each) => !refunds.includes(each));
    return this.counters.tryToCorrect({ refund: refunds.map(({ countedAs }) => countedAs), reset: [] });
  }
}

/** A correction that is made once: with a session, by another method of the storage, or in a separate query. */
export class Correction {
  private isMade = false;

  constructor(
    /** For a method of the storage that makes the correction: call `noteMade` after it. */
    readonly counters: CounterCorrection,
    private readonly onceMade: () => void,
    private readonly owner: CorrectableCounters,
  ) {}

  /** Whether there is something to correct, in the query that starts the session. A store of counters is corrected after it. */
  get isWithSession(): boolean {
    return !this.owner.isElsewhere && keysIn(this.counters).length > 0;
  }

  /** Starts a session as `sessions.start` of the storage, and corrects the counters in the same query. */
  async start(session: SessionStart): Promise<boolean> {
    const isStarted = await this.owner.correctAndStart(this.counters, session);
    this.noteMade();
    return isStarted;
  }

  noteMade(): void {
    this.isMade = true;
    this.onceMade();
    this.owner.forget(this.counters);
  }

  /** Makes the correction, unless it is made. A failure is logged: it neither refuses an attempt that has succeeded nor hides why one was refused. */
  async make(): Promise<void> {
    if (this.isMade) return;
    this.isMade = true;
    this.onceMade();
    await this.owner.tryToCorrect(this.counters);
  }
}

/** Corrects counters, and lets the process ask the storage about them again. */
export class CorrectableCounters {
  constructor(
    private readonly storage: CountingStorage,
    private readonly secrets: Keyring,
    private readonly clock: Clock,
    private readonly refused: RefusedKeys,
    private readonly reportUncorrected: ReportUncorrected,
  ) {}

  get isElsewhere(): boolean {
    return this.storage.isElsewhere === true;
  }

  keysOf(limits: readonly RateLimit[]): string[] {
    return counterKeys(this.secrets, limits);
  }

  async correct(correction: CounterCorrection): Promise<void> {
    if (keysIn(correction).length === 0) return;
    await this.storage.rateLimits.correct(correction, this.clock());
    this.forget(correction);
  }

  tryToCorrect(correction: CounterCorrection): Promise<void> {
    return this.correct(correction).catch(this.reportUncorrected);
  }

  async correctAndStart(correction: CounterCorrection, session: SessionStart): Promise<boolean> {
    return this.storage.fastPaths.correctAndStart(correction, session, this.clock());
  }

  forget(correction: CounterCorrection): void {
    this.refused.delete(keysIn(correction));
  }
}

function keysIn({ refund, reset }: CounterCorrection): string[] {
  return [...refund, ...reset];
}
