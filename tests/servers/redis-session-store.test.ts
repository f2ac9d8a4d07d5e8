/** The commands of `redisSessionCache()` on a real Redis, without a service (skipped if Redis is not installed). */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionCacheStore } from 'svc-auth';
import { redisSessionCache } from '../../src/redis.js';
import { until } from '../support/cached-sessions.js';
import { libraries, type OpenClient } from '../support/redis-clients.js';
import { describeWithRedis, startRedis, type RedisServer } from '../support/redis-server.js';

const ttlMs = 60_000;
const maxStaleMs = 2_000;
const keyOf = (id: string) => `svc-auth:session:${id}`;

describeWithRedis('the store of redisSessionCache()', () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await startRedis();
  });

  afterAll(() => redis.stop());

  describe.each(Object.keys(libraries))('with a client of %s', (library) => {
    let client: OpenClient;
    let store: SessionCacheStore;
    const closing: (() => Promise<void>)[] = [];

    beforeEach(async () => {
      client = await libraries[library]!(redis.url);
      store = redisSessionCache(client.client);
    });

    afterEach(async () => {
      await Promise.all(closing.splice(0).map((close) => close()));
      client.close();
    });

    /** Subscribes, and waits until messages arrive. */
    async function subscribed(onChange: (id: string | null) => void) {
      const subscription = store.subscribe({ onChange, maxStaleMs, warn: () => undefined });
      closing.push(() => subscription.close());
      await until('a heartbeat', async () => subscription.isCurrent());
      return subscription;
    }

    it('an entry replaces neither another entry nor a mark, a mark replaces both, and each expires', async () => {
      const id = randomUUID();
      await Promise.all([store.add(id, 'first', ttlMs), store.add(id, 'second', ttlMs)]);
      const [entry] = await store.read([id]);
      expect(['first', 'second']).toContain(entry);
      await store.add(id, 'third', ttlMs);
      expect(await store.read([id, randomUUID()])).toEqual([entry, null]);
      await store.markChanged([id], 2 * ttlMs);
      await store.add(id, 'late', ttlMs);
      expect(await store.read([id])).toEqual(['changed']);
      expect(Number(await client.run('pttl', keyOf(id)))).toBeGreaterThan(ttlMs);
      const short = randomUUID();
      await store.add(short, 'entry', 20);
      await sleep(60);
      expect(await store.read([short])).toEqual([null]);
    });

    it('a subscriber that reacts to a message finds the mark', async () => {
      const found: Promise<(string | null)[]>[] = [];
      await subscribed((id) => void (id !== null && found.push(store.read([id]))));
      for (let round = 0; round < 20; round += 1) await store.markChanged([randomUUID()], ttlMs);
      await until('the messages', async () => found.length === 20);
      expect((await Promise.all(found)).flat()).toEqual(Array(20).fill('changed'));
    });

    it('a change of all sessions arrives as null', async () => {
      const changes: (string | null)[] = [];
      await subscribed((id) => void changes.push(id));
      changes.length = 0;
      const id = randomUUID();
      await store.markChanged([id, null], ttlMs);
      await until('the messages', async () => changes.length === 2);
      expect(new Set(changes)).toEqual(new Set([id, null]));
    });

    it('a mark that Redis refuses is an error, and the message arrives', async () => {
      const changes: (string | null)[] = [];
      await subscribed((id) => void changes.push(id));
      changes.length = 0;
      const id = randomUUID();
      await client.run('config', 'set', 'maxmemory', '1');
      try {
        await expect(store.markChanged([id], ttlMs)).rejects.toThrow('OOM');
        await until('the message', async () => changes.includes(id));
      } finally {
        await client.run('config', 'set', 'maxmemory', '0');
      }
    });

    it('a subscriber learns that anything may have changed when its connection is lost and when it is back', async () => {
      const changes: (string | null)[] = [];
      const subscription = await subscribed((id) => void changes.push(id));
      changes.length = 0;
      await redis.kill();
      await until('an interruption', async () => !subscription.isCurrent());
      expect(changes).toEqual([null]);
      await redis.start();
      await until('a heartbeat', async () => subscription.isCurrent());
      // On a busy machine, the client of redis may be interrupted once more.
      expect(changes.length).toBeGreaterThanOrEqual(2);
      expect(new Set(changes)).toEqual(new Set([null]));
      const id = randomUUID();
      await until('a command', () =>
        store.markChanged([id], ttlMs).then(
          () => true,
          () => false,
        ),
      );
      await until('a message', async () => changes.includes(id));
    });
  });

  it('a message of another process does not count as a heartbeat', async () => {
    const [client, other] = await Promise.all([
      libraries['ioredis']!(redis.url),
      libraries['ioredis']!(redis.url),
    ]);
    const subscription = redisSessionCache(client.client).subscribe({
      onChange: () => undefined,
      maxStaleMs: 200,
      warn: () => undefined,
    });
    await until('a heartbeat', async () => subscription.isCurrent());
    const [channel = ''] = (await other.run('pubsub', 'channels', 'svc-auth:sessions:*')) as string[];
    // Only the connection that sends: the one that subscribes remains.
    client.close();
    for (let round = 0; round < 30; round += 1) {
      subscription.isCurrent();
      expect(await other.run('publish', channel, 'a message')).toBe(1);
      await sleep(20);
    }
    expect(subscription.isCurrent()).toBe(false);
    await subscription.close();
    other.close();
  });

  it('a heartbeat that arrives late proves what was sent before it, and nothing later', async () => {
    const client = await libraries['ioredis']!(redis.url);
    const subscription = redisSessionCache(client.client).subscribe({
      onChange: () => undefined,
      maxStaleMs: 200,
      warn: () => undefined,
    });
    await until('a heartbeat', async () => subscription.isCurrent());
    redis.hang();
    await sleep(60);
    // Sends a heartbeat, which arrives after the pause.
    subscription.isCurrent();
    await sleep(300);
    redis.resume();
    await sleep(50);
    expect(subscription.isCurrent()).toBe(false);
    await until('a heartbeat', async () => subscription.isCurrent());
    await subscription.close();
    client.close();
  });

  it('messages count as missing while no heartbeat arrives', async () => {
    const client = await libraries['ioredis']!(redis.url);
    const store = redisSessionCache(client.client, { timeoutMs: 100 });
    const subscription = store.subscribe({
      onChange: () => undefined,
      maxStaleMs: 200,
      warn: () => undefined,
    });
    await until('a heartbeat', async () => subscription.isCurrent());
    redis.hang();
    await sleep(300);
    expect(subscription.isCurrent()).toBe(false);
    redis.resume();
    await until('a heartbeat', async () => subscription.isCurrent());
    await subscription.close();
    expect(subscription.isCurrent()).toBe(false);
    client.close();
  });
});
