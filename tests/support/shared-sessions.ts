/** Services that share checked sessions in Redis, each with its own clients and pool, like processes. */
import { testClock, type TestClock } from 'svc-auth/testing';
import { redisSessionCache, type RedisOptions } from '../../src/redis.js';
import { startCached, until, type CachedOptions, type CachedService } from './cached-sessions.js';
import { libraries, type OpenClient } from './redis-clients.js';

export interface SharedService extends CachedService {
  /** The client of the service. */
  redis: OpenClient;
}

export interface SharedOptions extends Omit<CachedOptions, 'maxStaleMs'>, RedisOptions {
  library?: string;
  maxStaleMs?: number;
}

/** The age of an entry is measured by the clock of the service, so it must run. */
export function runningClock(): TestClock {
  return { ...testClock(), now: () => Date.now() };
}

export async function startShared(
  { database, redis }: { database: string; redis: string },
  {
    library = 'ioredis',
    maxStaleMs = 2_000,
    overrides = {},
    prefix,
    timeoutMs,
    ...options
  }: SharedOptions = {},
): Promise<SharedService> {
  const client = await libraries[library]!(redis);
  const store = redisSessionCache(client.client, {
    ...(prefix !== undefined && { prefix }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  const session = { ...overrides.session, cache: { maxStaleMs, store } };
  const service = await startCached(database, {
    ...options,
    maxStaleMs: null,
    overrides: { clock: runningClock(), ...overrides, session },
  });
  return {
    ...service,
    redis: client,
    async stop() {
      await service.stop();
      client.close();
    },
  };
}

/** Waits until a check of the token sends no statement and no command. */
export async function inMemory({ check, redis }: SharedService, token: string): Promise<void> {
  const commands = async () => {
    const info = String(await redis.run('info', 'commandstats'));
    return Number(/cmdstat_get:calls=(\d+)/.exec(info)?.[1] ?? 0);
  };
  await until('a session in the memory of the process', async () => {
    const before = await commands();
    const { accepted, statements } = await check(token);
    return accepted && statements === 0 && (await commands()) === before;
  });
}
