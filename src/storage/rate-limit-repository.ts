/** Counters of rate limits. */

/** One counter to raise, and its limit. */
export interface RateLimitHit {
  key: string;
  /**
   * Length of the window in milliseconds. A fixed window starts with its first hit; a growing wait
   * starts over this long after the last hit.
   */
  windowMs: number;
  /** The number of hits that the window allows. No limit without it. */
  max?: number;
  /**
   * Allows further hits beyond `max`, each after a wait that doubles, instead of none until the
   * window ends.
   */
  growingWait?: GrowingWait;
}

/**
 * Waits between hits, in milliseconds: the first one, twice that after the next hit, and so on up
 * to the longest.
 */
export interface GrowingWait {
  firstMs: number;
  longestMs: number;
}

export interface RateLimitCount {
  /** Hits in the window, including this one. */
  count: number;
  /** End of the window, milliseconds since the epoch. */
  resetAt: number;
}

/** The counter after a hit. */
export interface RateLimitResult extends RateLimitCount {
  /**
   * Present if this counter refuses the hit: the time of the next allowed hit, milliseconds since
   * the epoch.
   */
  retryAt?: number;
}

/** Counters to correct after an attempt that turned out not to count. */
export interface CounterCorrection {
  /** Takes one hit back from each of these counters whose window is not over, never below zero. */
  refund: readonly string[];
  /** Sets these counters to zero, also if they are refunded. */
  reset: readonly string[];
}

export interface RateLimitRepository {
  /**
   * Raises every counter by one, or none: if one of them refuses the hit, all stay as they are, and
   * nothing is written unless another hit arrives at the same moment. Returns the counters in the
   * order of the hits; after a refusal `count` does not include this hit. A window that has ended
   * starts again. No window ends later than `windowMs` from now, even if a clock that ran ahead
   * started it.
   */
  hit(hits: readonly RateLimitHit[], now: number): Promise<RateLimitResult[]>;
  /** Corrects every counter in one step. A counter that does not exist stays so. */
  correct(correction: CounterCorrection, now: number): Promise<void>;
}
