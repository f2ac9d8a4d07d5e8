/** A process that counts in Redis at the same time as others. tests/servers/redis-counters.test.ts starts it. */
import { setTimeout as pause } from 'node:timers/promises';
import { redisCounters } from '../../src/redis.js';
import type { RateLimitHit } from '../../src/storage/rate-limit-repository.js';
import { libraries } from './redis-clients.js';

export interface CountingCommand {
  url: string;
  library: string;
  hits: RateLimitHit[];
  now: number;
  /** How many attempts, of which every `refundEvery`th is refunded if it was allowed. */
  attempts: number;
  refundEvery?: number;
}

process.on('message', (command: CountingCommand) => {
  void run(command).then(
    (allowed) => process.send?.({ allowed }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
process.send?.('ready');

/** Returns how many attempts were allowed and not refunded. */
async function run(command: CountingCommand): Promise<number> {
  const { url, library, hits, now, attempts, refundEvery = Infinity } = command;
  const opened = await libraries[library]!(url);
  const store = redisCounters(opened.client);
  const attempt = async (number: number): Promise<number> => {
    await pause(Math.random() * 20);
    const results = (await store.hitAll?.(hits, now)) ?? [];
    if (results.some(({ retryAt }) => retryAt !== undefined)) return 0;
    if (number % refundEvery !== 0) return 1;
    await pause(Math.random() * 5);
    await store.correct?.({ refund: hits.map(({ key }) => key), reset: [] }, now);
    return 0;
  };
  const allowed = await Promise.all(Array.from({ length: attempts }, (_, i) => attempt(i + 1)));
  opened.close();
  return allowed.reduce((sum, each) => sum + each, 0);
}
