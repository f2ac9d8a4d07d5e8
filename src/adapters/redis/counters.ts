/** `rateLimit.store` in Redis or Valkey: docs/decisions/redis.md. */
import type { RateLimitHit, RateLimitResult } from '../../storage/rate-limit-repository.js';
import type { RateLimitStore } from '../../storage/rate-limit-store.js';
import { connectionOf, type RedisClient } from './client.js';
import { correctScript, hitScript, type Script } from './counting-scripts.js';
import { redisOptions, type RedisOptions } from './options.js';
import { isUnknownScript, RedisSender } from './sender.js';

/**
 * Returns a `rateLimit.store` that counts in Redis 6 or later, or Valkey. One script per attempt raises all of its counters or none, so
 * the limits are exact with any number of processes. While Redis does not respond, the adapter counts. Keys contain no addresses.
 * @param client of `ioredis`, `iovalkey` or `redis`. The application connects and closes it.
 * @throws ConfigError if the client is not one of these, or if an option is invalid.
 */
export function redisCounters(client: RedisClient, options: RedisOptions = {}): RateLimitStore {
  const { prefix, timeoutMs } = redisOptions(options, 'redisCounters');
  const sender = new RedisSender(connectionOf(client, 'redisCounters'), timeoutMs);
  // The part in braces keeps the counters of one script on one node of a cluster.
  const keyOf = (key: string) => `{${prefix}limits}:${key}`;

  async function run({ text, sha1 }: Script, keys: readonly string[], args: (string | number)[]) {
    const rest = [keys.length, ...keys.map(keyOf), ...args];
    try {
      return await sender.send('EVALSHA', [sha1, ...rest]);
    } catch (error) {
      // After a restart, the server does not know the script.
      if (!isUnknownScript(error)) throw error;
      return sender.send('EVAL', [text, ...rest]);
    }
  }

  async function hitAll(hits: readonly RateLimitHit[], now: number): Promise<RateLimitResult[]> {
    // A key that occurs twice is still one counter.
    const unique = new Map(hits.map((hit) => [hit.key, hit]));
    if (unique.size === 0) return [];
    const args = [...unique.values()].flatMap(({ windowMs, max = '', growingWait }) => [
      windowMs,
      max,
      growingWait?.firstMs ?? '',
      growingWait?.longestMs ?? '',
    ]);
    const keys = [...unique.keys()];
    const numbers = (await run(hitScript, keys, [now, ...args])) as unknown[];
    return hits.map(({ key }) => {
      const [count, resetAt, retryAt] = numbers.slice(3 * keys.indexOf(key)).map(Number);
      const result = { count: count ?? Number.NaN, resetAt: resetAt ?? Number.NaN };
      return retryAt === -1 ? result : { ...result, retryAt: retryAt ?? Number.NaN };
    });
  }

  async function correct(refund: readonly string[], reset: readonly string[], now: number): Promise<void> {
    const corrections = new Map([
      ...refund.map((key) => [key, 'refund'] as const),
      ...reset.map((key) => [key, 'reset'] as const),
    ]);
    if (corrections.size === 0) return;
    await run(correctScript, [...corrections.keys()], [now, ...corrections.values()]);
  }

  return {
    fallsBack: true,
    hitAll,
    correct: ({ refund, reset }, now) => correct(refund, reset, now),
    async hit(key, windowMs, now) {
      const [result] = await hitAll([{ key, windowMs }], now);
      return { count: result?.count ?? Number.NaN, resetAt: result?.resetAt ?? Number.NaN };
    },
    refund: (key, now) => correct([key], [], now),
    reset: (key) => correct([], [key], 0),
    ping: () => sender.ping(),
  };
}
