/** Checks what a store of counters resolves: a limit whose answer is not understood must refuse, or it would never refuse again. */
import { InternalError } from '../errors/catalog.js';
import type { RateLimitCount, RateLimitHit, RateLimitResult } from '../storage/repositories.js';

const day = 24 * 60 * 60_000;

/** @throws InternalError unless `rateLimit.store.hit()` resolved what its type says. The logged cause names what came instead. */
export function checkedCount(answer: unknown, { windowMs }: RateLimitHit, now: number): RateLimitCount {
  const { count, resetAt } = (answer ?? {}) as Partial<Record<keyof RateLimitCount, unknown>>;
  const isCount = Number.isSafeInteger(count) && (count as number) >= 1;
  // Seconds and lengths of time are years away from milliseconds since the epoch; clocks are not.
  const isTime = Number.isFinite(resetAt) && Math.abs((resetAt as number) - now) <= windowMs + day;
  if (!isCount || !isTime) {
    throw new InternalError(
      new TypeError(
        'rateLimit.store.hit() must resolve { count, resetAt }: count is a whole number of 1 or more, this hit included, and ' +
          `resetAt is the end of the window in milliseconds since the epoch. It resolved ${shapeOf(answer)}.`,
      ),
    );
  }
  return { count: count as number, resetAt: resetAt as number };
}

/** @throws InternalError unless the adapter's `rateLimits.hit()` resolved one result per hit, and refused what exceeds a limit. */
export function checkedResults(answer: unknown, hits: readonly RateLimitHit[]): readonly RateLimitResult[] {
  const results = Array.isArray(answer) ? (answer as unknown[]) : [];
  if (results.length === hits.length && results.every((each, i) => isResult(each, hits[i]!))) {
    return results as RateLimitResult[];
  }
  throw new InternalError(
    new TypeError(
      'adapter.rateLimits.hit() must resolve one { count, resetAt, retryAt? } per hit, and retryAt if count exceeds max. ' +
        `It resolved ${Array.isArray(answer) ? `[${results.map(shapeOf).join(', ')}]` : shapeOf(answer)}.`,
    ),
  );
}

function isResult(result: unknown, { max = Infinity, growingWait }: RateLimitHit): boolean {
  const { count, resetAt, retryAt } = (result ?? {}) as Partial<Record<keyof RateLimitResult, unknown>>;
  if (!Number.isSafeInteger(count) || !Number.isFinite(resetAt)) return false;
  if (retryAt !== undefined) return Number.isFinite(retryAt);
  return growingWait !== undefined || (count as number) <= max;
}

/** Names and types of the properties: values may be secrets, except the numbers that were asked for. */
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
