/** Checks what a store of counters resolves: if its results are malformed, requests must fail, or no limit would ever refuse. */
import { InternalError } from '../../errors/catalog.js';
import type { RateLimitCount, RateLimitHit, RateLimitResult } from '../../storage/rate-limit-repository.js';

const day = 24 * 60 * 60_000;

/**
 * Returns the result of `rateLimit.store.hit()` with the type that was checked.
 * @throws InternalError if the result does not have its type. The cause describes the shape of the result.
 */
export function checkedCount(result: unknown, { windowMs }: RateLimitHit, now: number): RateLimitCount {
  const { count, resetAt } = (result ?? {}) as Partial<Record<keyof RateLimitCount, unknown>>;
  const isCount = Number.isSafeInteger(count) && (count as number) >= 1;
  // Seconds and durations are years away from milliseconds since the epoch; a clock that differs is not.
  const isTimestamp = Number.isFinite(resetAt) && Math.abs((resetAt as number) - now) <= windowMs + day;
  if (!isCount || !isTimestamp) {
    throw new InternalError(
      new TypeError(
        'rateLimit.store.hit() must resolve { count, resetAt }: count is a whole number of 1 or more, this hit included, and ' +
          `resetAt is the end of the window in milliseconds since the epoch. It resolved ${shapeOf(result)}.`,
      ),
    );
  }
  return { count: count as number, resetAt: resetAt as number };
}

/**
 * Returns the results of the adapter's `rateLimits.hit()` with the type that was checked.
 * @throws InternalError unless there is one result per hit, and every count above its limit has a `retryAt`.
 */
export function checkedResults(response: unknown, hits: readonly RateLimitHit[]): readonly RateLimitResult[] {
  const results = Array.isArray(response) ? (response as unknown[]) : [];
  if (results.length === hits.length && results.every((result, i) => isResult(result, hits[i]!))) {
    return results as RateLimitResult[];
  }
  throw new InternalError(
    new TypeError(
      'adapter.rateLimits.hit() must resolve one { count, resetAt, retryAt? } per hit, and retryAt if count exceeds max. ' +
        `It resolved ${Array.isArray(response) ? `[${results.map(shapeOf).join(', ')}]` : shapeOf(response)}.`,
    ),
  );
}

function isResult(result: unknown, { max = Infinity, growingWait }: RateLimitHit): boolean {
  const { count, resetAt, retryAt } = (result ?? {}) as Partial<Record<keyof RateLimitResult, unknown>>;
  if (!Number.isSafeInteger(count) || !Number.isFinite(resetAt)) return false;
  if (retryAt !== undefined) return Number.isFinite(retryAt);
  return growingWait !== undefined || (count as number) <= max;
}

/** Describes a value by the names and types of its properties. Values may be secrets, except for the expected numbers. */
function shapeOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  const names = Object.keys(value).slice(0, 8);
  const typeOf = (name: string, property: unknown) =>
    typeof property === 'number' && ['count', 'resetAt', 'retryAt'].includes(name)
      ? String(property)
      : typeof property;
  const properties = names.map(
    (name) => `${name.slice(0, 32)}: ${typeOf(name, (value as Record<string, unknown>)[name])}`,
  );
  return properties.length === 0 ? '{}' : `{ ${properties.join(', ')} }`;
}
