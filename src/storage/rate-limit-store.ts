/** A store of rate limit counters that processes share outside of the database, such as Redis. */
import type {
  CounterCorrection,
  RateLimitCount,
  RateLimitHit,
  RateLimitResult,
} from './rate-limit-repository.js';

export interface RateLimitStore {
  /**
   * Increments the counter and resolves `count`, which includes this hit, and `resetAt`, the end of the window in milliseconds since
   * the epoch. The window starts with its first hit. Any other result fails the request with `internal_error`.
   */
  hit(key: string, windowMs: number, now: number): Promise<RateLimitCount>;
  /**
   * Decrements the counter. Without it each process remembers its own refunds, which other processes do not see: implement it if you
   * run several processes.
   */
  refund?(key: string, now: number): Promise<void>;
  /** Sets the counter to zero. Without it a counter is reset only when its window ends. */
  reset?(key: string): Promise<void>;
  /**
   * Raises every counter by one, or none, in one step, as `RateLimitRepository.hit` does. It is then called instead of `hit`, and
   * supports growing waits. Requires `correct`.
   */
  hitAll?(hits: readonly RateLimitHit[], now: number): Promise<RateLimitResult[]>;
  /** Refunds and resets counters in one step, as `RateLimitRepository.correct` does. Called instead of `refund` and `reset`. */
  correct?(correction: CounterCorrection, now: number): Promise<void>;
  /**
   * If true, the adapter counts while the store rejects, so that requests continue. Otherwise they fail with `internal_error`.
   * Requires `hitAll`.
   */
  readonly fallsBack?: boolean;
  /** Rejects if the store does not respond. Changes nothing. Called by `service.health()` and `service.diagnose()`. */
  ping?(): Promise<void>;
}
