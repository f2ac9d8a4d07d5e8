/** Counters as the limiter uses them: those of the adapter, of a store, or of a store with the adapter as its fallback. */
import type { RateLimitRepository, RateLimitResult } from '../../storage/rate-limit-repository.js';
import { describeError, type Logger } from '../support/logger.js';

export interface CountedHit extends RateLimitResult {
  /** The key to refund, if it is not that of the hit. */
  countedAs?: string;
}

export interface Counters extends Omit<RateLimitRepository, 'hit'> {
  hit(...args: Parameters<RateLimitRepository['hit']>): Promise<CountedHit[]>;
}

/** Called if counters could not be corrected. They then count an attempt that should not count. */
export type ReportUncorrected = (error: unknown) => void;

export function reportUncorrected(logger: Logger): ReportUncorrected {
  return (error) =>
    logger.warn({ err: describeError(error) }, 'the limits of an attempt could not be corrected');
}
