/**
 * `redisCounters()` on a real Redis, with each client library (skipped if Redis is not installed). The rules are those of every
 * adapter: the same chapters of the conformance suite run on it.
 */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { memoryAdapter } from 'svc-auth';
import type { StorageAdapter } from 'svc-auth';
import { countingStorage } from '../../src/core/limits/shared-counters.js';
import { Limiter } from '../../src/core/limits/limiter.js';
import type { RateLimitHit, RateLimitRepository } from '../../src/storage/rate-limit-repository.js';
import { redisCounters } from '../../src/redis.js';
import { describeRateLimits } from '../../testing/conformance/rate-limits.js';
import { keys, limitOf, minute } from '../support/limits.js';
import { runInSequence } from '../support/outcomes.js';
import { libraries, type OpenClient } from '../support/redis-clients.js';
import { describeWithRedis, startRedis, type RedisServer } from '../support/redis-server.js';
import type { CountingCommand } from '../support/redis-worker.js';
import { forkWatched, waitForExit } from '../support/watched-process.js';

const now = Date.parse('2031-05-06T07:08:09.123Z');
const windowMs = 60_000;
const newKey = () => `limit:${randomUUID()}`;

/** An adapter whose counters are in Redis. */
function adapterOn({ client }: OpenClient): StorageAdapter {
  const store = redisCounters(client, { timeoutMs: 60_000 }) as Required<ReturnType<typeof redisCounters>>;
  const adapter = memoryAdapter();
  const rateLimits: RateLimitRepository = {
    hit: (...args) => store.hitAll(...args),
    correct: (...args) => store.correct(...args),
  };
  return { ...adapter, rateLimits };
}

describeWithRedis('redisCounters()', () => {
  let redis: RedisServer;
  const opened: OpenClient[] = [];

  async function open(library = 'ioredis', url = redis.url): Promise<OpenClient> {
    const client = await libraries[library]!(url);
    opened.push(client);
    return client;
  }

  beforeAll(async () => {
    redis = await startRedis();
  });

  afterAll(async () => {
    for (const { close } of opened) close();
    await redis.stop();
  });

  describe.each(Object.keys(libraries))('with a client of %s', (library) => {
    let adapter: StorageAdapter;

    beforeAll(async () => {
      adapter = adapterOn(await open(library));
    });

    describeRateLimits((title, body) => {
      it(title, () => body(adapter));
    });
  });

  describe('in four processes', () => {
    let children: ChildProcess[];

    beforeAll(async () => {
      const script = fileURLToPath(new URL('../support/redis-worker.ts', import.meta.url));
      children = Array.from({ length: 4 }, () => forkWatched(script).child);
      await Promise.all(children.map((child) => once(child, 'message')));
    });

    afterAll(async () => {
      for (const child of children) child.disconnect();
      await Promise.all(children.map(waitForExit));
    });

    async function run(command: Omit<CountingCommand, 'url' | 'library' | 'now'>): Promise<number> {
      const results = children.map(async (child, i) => {
        const library = Object.keys(libraries)[i % 3]!;
        child.send({ ...command, url: redis.url, library, now });
        const [result] = (await once(child, 'message')) as [{ allowed?: number; error?: string }];
        if (result.allowed === undefined) throw new Error(result.error);
        return result.allowed;
      });
      return (await Promise.all(results)).reduce((sum, each) => sum + each, 0);
    }

    it('exactly as many attempts are allowed as the narrowest of three limits allows, and the wider ones count those', async () => {
      for (let round = 0; round < 5; round += 1) {
        const [narrow, wide, widest] = [newKey(), newKey(), newKey()];
        const hits: RateLimitHit[] = [
          { key: wide, windowMs, max: 30 },
          { key: narrow, windowMs, max: 10 },
          { key: widest, windowMs, max: 300 },
        ];
        expect(await run({ hits, attempts: 50 })).toBe(10);
        const store = redisCounters((await open()).client);
        const counts = await store.hitAll?.(
          [wide, widest].map((key) => ({ key, windowMs })),
          now,
        );
        expect(counts?.map(({ count }) => count)).toEqual([11, 11]);
      }
    });

    it('refunds are exact: as many attempts count in the end as were allowed and not refunded', async () => {
      for (let round = 0; round < 5; round += 1) {
        const key = newKey();
        const counted = await run({ hits: [{ key, windowMs, max: 20 }], attempts: 50, refundEvery: 3 });
        expect(counted).toBeLessThanOrEqual(20);
        const store = redisCounters((await open()).client);
        expect(await store.hit(key, windowMs, now)).toMatchObject({ count: counted + 1 });
      }
    });

    it('a growing wait allows one attempt at a time beyond the maximum', async () => {
      const growingWait = { firstMs: 60_000, longestMs: 600_000 };
      const hits = [{ key: newKey(), windowMs: 86_400_000, max: 3, growingWait }];
      expect(await run({ hits, attempts: 20 })).toBe(3);
    });
  });

  it('keys contain no addresses, and expire a minute after their window', async () => {
    const one = await open();
    await one.run('flushall');
    const counting = countingStorage(memoryAdapter(), redisCounters(one.client), console);
    const limiter = new Limiter(counting, keys, () => now);
    const address = 'ada@example.com';
    await limiter.consume([{ name: 'login', subject: address, max: 5, windowMs: minute }]);
    const stored = (await one.run('keys', '*')) as string[];
    expect(stored).toHaveLength(1);
    expect(stored[0]).toMatch(/^\{svc-auth:limits\}:login:[\w-]{43}$/);
    const ttl = Number(await one.run('pttl', stored[0]!));
    expect(ttl).toBeGreaterThan(minute);
    expect(ttl).toBeLessThanOrEqual(2 * minute);
  });

  it('a script that the server does not know, as after a restart, is sent again', async () => {
    const one = await open();
    const store = redisCounters(one.client);
    const key = newKey();
    await store.hit(key, windowMs, now);
    await one.run('script', 'flush');
    expect(await store.hit(key, windowMs, now)).toEqual({ count: 2, resetAt: now + windowMs });
  });

  it('single uses are counted in the database, so that a Redis that loses its data repeats none', async () => {
    const one = await open();
    const adapter = memoryAdapter();
    const counting = countingStorage(adapter, redisCounters(one.client), console);
    const limiter = new Limiter(counting, keys, () => now);
    expect(await limiter.isFirstUse('second_factor', 'digest', minute)).toBe(true);
    await one.run('flushall');
    expect(await limiter.isFirstUse('second_factor', 'digest', minute)).toBe(false);
  });

  it('a cluster accepts the keys of one attempt, because they are on one node', async () => {
    const cluster = await startRedis(['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf']);
    try {
      const one = await open('redis', cluster.url);
      await one.run('cluster', 'addslotsrange', '0', '16383');
      while (!String(await one.run('cluster', 'info')).includes('cluster_state:ok')) await pause(20);
      const store = redisCounters(one.client);
      const hits = [newKey(), newKey(), newKey()].map((key) => ({ key, windowMs }));
      expect((await store.hitAll?.(hits, now))?.map(({ count }) => count)).toEqual([1, 1, 1]);
    } finally {
      await cluster.stop();
    }
  });

  it.each([
    [{}, 'redisCounters(client)'],
    [null, 'redisCounters(client)'],
    [{ sendCommand: () => undefined, duplicate: () => undefined }, 'redisCounters(client)'],
  ])('throws config_invalid for an object that is not a client', (client, path) => {
    expect(() => redisCounters(client as never)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    expect(() => redisCounters(client as never)).toThrow(path);
  });

  it.each([{ prefix: '' }, { prefix: 'a b' }, { timeoutMs: 0 }, { timeoutMs: 1.5 }])(
    'throws config_invalid for the options %j',
    async (options) => {
      const { client } = await open();
      expect(() => redisCounters(client, options)).toThrow(
        expect.objectContaining({ code: 'config_invalid' }),
      );
    },
  );

  // Last, because it closes every client.
  describe('while Redis does not respond', () => {
    let server: RedisServer;
    const timeoutMs = 2_000;
    const warnings: { event?: string }[] = [];
    const logger = {
      debug: () => undefined,
      info: (fields: object) => void warnings.push(fields),
      warn: (fields: object) => void warnings.push(fields),
      error: () => undefined,
    };

    beforeEach(async () => {
      server = await startRedis();
      warnings.length = 0;
    });

    afterEach(async () => {
      for (const { close } of opened.splice(0)) close();
      await server.stop();
    });

    async function startLimiter(library: string) {
      const { client } = await open(library, server.url);
      const store = redisCounters(client, { timeoutMs });
      const counting = countingStorage(memoryAdapter(), store, logger);
      let time = now;
      const limiter = new Limiter(counting, keys, () => time);
      // A refusal is remembered for a second.
      const laterBy = (ms: number) => void (time += ms);
      return { limiter, laterBy };
    }

    const countsAgain = async (limiter: Limiter) => {
      const isBack = () => warnings.some(({ event }) => event === 'rate_limit_store_recovered');
      for (let i = 0; i < 500 && !isBack(); i += 1) {
        await limiter.consume([limitOf(`probe-${i}`, 5)]);
        await pause(20);
      }
      expect(isBack()).toBe(true);
    };

    describe.each(Object.keys(libraries))('and the client is one of %s', (library) => {
      it.each(['stopped', 'hung'])(
        'if it has %s, the adapter enforces every limit, and a refund goes where its hit was counted',
        async (state) => {
          const { limiter, laterBy } = await startLimiter(library);
          const attempt = () => limiter.consume([limitOf('a', 3)]);
          const before = await attempt();
          await attempt();
          if (state === 'stopped') await server.kill();
          else server.hang();
          const start = performance.now();
          const consumed = [await attempt(), await attempt(), await attempt()];
          expect(await runInSequence(3, attempt)).toEqual(Array(3).fill('rate_limit_exceeded'));
          // One attempt waits for the timeout. A second one that does would exceed the bound; a busy machine does not.
          expect(performance.now() - start).toBeLessThan(2 * timeoutMs);
          await consumed[0]!.refund();
          laterBy(1_000);
          expect(await runInSequence(2, attempt)).toEqual(['ok', 'rate_limit_exceeded']);
          if (state === 'stopped') await server.start();
          else server.resume();
          await countsAgain(limiter);
          laterBy(1_000);
          // What was counted in the adapter is refunded there, also when Redis counts again.
          await consumed[1]!.refund();
          await before.refund();
          // Redis has lost its data, or has kept two hits and executed the one that timed out. One was refunded.
          const left = state === 'stopped' ? 3 : 1;
          const outcomes = await runInSequence(4, attempt);
          expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(left);
          expect(warnings.map(({ event }) => event)).toEqual([
            'rate_limit_store_failed',
            'rate_limit_store_recovered',
          ]);
        },
        30_000,
      );
    });
  });
});
