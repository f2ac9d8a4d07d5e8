/** Rate limits for the tests of the limiter. */
import { memoryAdapter } from 'svc-auth';
import type { StorageAdapter } from 'svc-auth';
import { testClock } from 'svc-auth/testing';
import { composedFastPaths } from '../../src/core/limits/fast-paths.js';
import { Limiter } from '../../src/core/limits/limiter.js';
import type { RateLimit } from '../../src/core/limits/rate-limits.js';
import { createKeyring } from '../../src/crypto/keys.js';

export const minute = 60_000;

export const limitOf = (name: string, max: number, subject = 'x', windowMs = minute): RateLimit => ({
  name,
  subject,
  max,
  windowMs,
});

export const keys = createKeyring('the secret of these tests, 32 bytes or more');

/** The counters with what the engine composes of them. */
export const countingWith = (rateLimits: StorageAdapter['rateLimits']) => ({
  rateLimits,
  fastPaths: composedFastPaths(memoryAdapter(), rateLimits, () => undefined),
});

/** Creates a limiter in memory with a clock that the test moves. */
export function newLimiter() {
  const clock = testClock(1_000_000);
  return { clock, limiter: new Limiter(countingWith(memoryAdapter().rateLimits), keys, clock.now) };
}
