/**
 * What sign-ins do together, as one round trip. Optional as a whole: without it, the engine calls the elementary methods one after the
 * other (`core/limits/fast-paths.ts`).
 */
import type { StoredUser } from '../domain/user.js';
import type { CodeAttempt, CodeOutcome } from './one-time-code-repository.js';
import type { CounterCorrection, RateLimitHit, RateLimitResult } from './rate-limit-repository.js';
import type { SessionStart } from './repositories.js';

export interface FastPaths {
  /**
   * As `rateLimits.hit`, and returns the user with this address: null if there is none, or if a counter
   * refuses. An unknown address must not take fewer queries than a known one.
   */
  hitAndFindUser(hits: readonly RateLimitHit[], email: string, now: number): Promise<HitsWithUser>;
  /**
   * As `rateLimits.correct` and `sessions.start`. Returns what `sessions.start` returns; the counters are
   * corrected also if that is false.
   */
  correctAndStart(correction: CounterCorrection, start: SessionStart, now: number): Promise<boolean>;
  /** As `oneTimeCodes.attempt`. If that consumes the code, corrects the counters and reads a user. */
  attemptAndCorrect(attempt: CorrectingAttempt): Promise<CorrectedOutcome>;
}

export interface HitsWithUser {
  results: RateLimitResult[];
  user: StoredUser | null;
}

export interface CorrectingAttempt extends CodeAttempt {
  /** Made together with the consumption of the code; nothing is corrected if the code is not consumed. */
  correction?: CounterCorrection;
  /** Address of the user to return with a consumed code. */
  email?: string;
}

/** `user` is the one with the `email` of the attempt, as at the consumption, or null. */
export type CorrectedOutcome =
  | (Extract<CodeOutcome, { status: 'consumed' }> & { user: StoredUser | null })
  | Exclude<CodeOutcome, { status: 'consumed' }>;
