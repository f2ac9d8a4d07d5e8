/**
 * Decides when a counter refuses a hit, for both adapters. The SQL of `sql/rate-limits.ts`
 * implements the same rules.
 */
import type { RateLimitCount, RateLimitHit } from '../../storage/rate-limit-repository.js';

/** Returns when the counter allows its next hit, or undefined if that is now. */
export function retryAtOf(
  { count, resetAt }: RateLimitCount,
  { windowMs, max = Infinity, growingWait }: RateLimitHit,
  now: number,
): number | undefined {
  if (resetAt <= now || count < max) return undefined;
  if (!growingWait) return resetAt;
  const lastHitAt = resetAt - windowMs;
  const retryAt = lastHitAt + Math.min(growingWait.firstMs * 2 ** (count - max), growingWait.longestMs);
  return retryAt > now && retryAt <= now + growingWait.longestMs ? retryAt : undefined;
}
