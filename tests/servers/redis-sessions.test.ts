/**
 * `redisSessionCache()` on a real Redis and PostgreSQL (skipped if Redis is not installed). What happens while Redis fails is in
 * redis-faults.test.ts.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { memoryAdapter } from 'svc-auth';
import { internals } from '../../src/core/internals.js';
import { redisSessionCache } from '../../src/redis.js';
import { signUp, until } from '../support/cached-sessions.js';
import { makeService } from '../support/make-service.js';
import { createMigratedDatabase, runSql, type TestDatabase } from '../support/postgres.js';
import { libraries } from '../support/redis-clients.js';
import { describeWithRedis, startRedis, type RedisServer } from '../support/redis-server.js';
import {
  inMemory,
  runningClock,
  startShared,
  type SharedOptions,
  type SharedService,
} from '../support/shared-sessions.js';
import { forkWatched, waitForExit } from '../support/watched-process.js';

describeWithRedis('redisSessionCache()', () => {
  let database: TestDatabase;
  let redis: RedisServer;
  const started: SharedService[] = [];
  let people = 0;

  const email = () => `person-${(people += 1)}@example.com`;

  async function start(options?: SharedOptions): Promise<SharedService> {
    const service = await startShared({ database: database.url, redis: redis.url }, options);
    started.push(service);
    return service;
  }

  beforeAll(async () => {
    [database, redis] = await Promise.all([createMigratedDatabase(), startRedis()]);
  });

  afterEach(async () => {
    await Promise.all(started.splice(0).map((service) => service.stop()));
  });

  afterAll(async () => {
    await redis.stop();
    await database.drop();
  });

  describe.each(Object.keys(libraries))('with a client of %s', (library) => {
    it('a session that one process has checked is accepted by another without a query', async () => {
      const [one, two] = [await start({ library }), await start({ library })];
      const { token } = await signUp(one, email());
      await one.cached(token);
      await until('a check by the other without a query', async () => {
        const { token: fresh } = await signUp(one, email());
        await one.check(fresh);
        await sleep(20);
        const { accepted, statements } = await two.check(fresh);
        return accepted && statements === 0;
      });
    });

    it('a check of a session that is in the memory of the process sends no command', async () => {
      const one = await start({ library });
      const { token } = await signUp(one, email());
      await inMemory(one, token);
    });

    it('the end of a session is seen in two other processes, whatever ends it', async () => {
      const writer = await start({ library });
      const readers = [
        await start({ library, maxStaleMs: 60_000 }),
        await start({ library, maxStaleMs: 60_000 }),
      ];
      const { users, [internals]: internal } = writer.service;
      const changes: Record<string, (session: Awaited<ReturnType<typeof signUp>>) => Promise<unknown>> = {
        logout: ({ token }) => internal.sessions.endSession(token),
        signOut: ({ userId }) => users.signOut(userId),
        block: ({ userId }) => users.block(userId),
        setPassword: ({ userId }) => users.setPassword(userId, 'another good password'),
        revokeOthers: ({ userId }) => internal.sessions.revokeOtherSessions(userId, {}),
      };
      for (const [name, change] of Object.entries(changes)) {
        const session = await signUp(writer, email());
        await Promise.all(readers.map((reader) => inMemory(reader, session.token)));
        await change(session);
        const lastMs = await Promise.all(readers.map((reader) => reader.refused(session.token)));
        expect([name, Math.max(...lastMs) < 1_000]).toEqual([name, true]);
      }
    });
  });

  it('a change of roles and metadata is seen in another process', async () => {
    const [writer, reader] = [await start(), await start({ maxStaleMs: 60_000 })];
    const { token, userId } = await signUp(writer, email());
    await inMemory(reader, token);
    await writer.service.users.update(userId, { metadata: { plan: 'pro' }, roles: ['support'] });
    await until('new metadata', async () => {
      const { user } = await reader.service[internals].sessions.check(token);
      return user.roles[0] === 'support' && user.metadata['plan'] === 'pro';
    });
  });

  it('a change by the process itself is seen by its next check, without a message', async () => {
    const one = await start({ maxStaleMs: 60_000 });
    for (let round = 0; round < 20; round += 1) {
      const { token, userId } = await signUp(one, email());
      if (round % 2) await inMemory(one, token);
      else await one.check(token);
      await one.service.users.signOut(userId);
      expect((await one.check(token)).accepted).toBe(false);
    }
  });

  it('a session that ends while other processes look it up is accepted by none of them afterwards', async () => {
    const [writer, ...readers] = [
      await start({ maxStaleMs: 60_000 }),
      await start({ maxStaleMs: 60_000 }),
      await start({ maxStaleMs: 60_000 }),
    ];
    const warm = await signUp(writer, email());
    await Promise.all(readers.map((reader) => inMemory(reader, warm.token)));
    for (let round = 0; round < 60; round += 1) {
      const { token, userId } = await signUp(writer, email());
      const lookUps = readers.flatMap((reader) => [
        reader.check(token),
        sleep(round % 4).then(() => reader.check(token)),
      ]);
      const end = sleep(round % 3).then(() =>
        round % 2
          ? writer.service.users.signOut(userId)
          : writer.service[internals].sessions.endSession(token),
      );
      await Promise.all([...lookUps, end]);
      // An entry that was stored after the end would be accepted for a minute.
      for (const reader of readers) expect(await reader.refused(token)).toBeLessThan(1_000);
    }
  });

  it('a change that the service does not make ends a session maxStaleMs after its last lookup', async () => {
    const [one, two] = [await start({ maxStaleMs: 800 }), await start({ maxStaleMs: 800 })];
    const { token, sessionId } = await signUp(one, email());
    await Promise.all([inMemory(one, token), inMemory(two, token)]);
    await runSql(database.url, `update svc_sessions set revoked_at = now() where id = '${sessionId}'`);
    const lastMs = await Promise.all([one.refused(token), two.refused(token)]);
    // It was accepted in the meantime: the test has ended the session behind the back of the services.
    expect(Math.min(...lastMs)).toBeGreaterThan(0);
    expect(Math.max(...lastMs)).toBeLessThan(800);
  });

  it('two services on one memory adapter, which reports no changes, end the sessions of each other', async () => {
    const memory = memoryAdapter();
    let lookups = 0;
    const findWithUser = (id: string) => {
      lookups += 1;
      return memory.sessions.findWithUser(id);
    };
    const adapter = { ...memory, sessions: { ...memory.sessions, findWithUser } };
    const made = await Promise.all(
      ['ioredis', 'redis'].map(async (library) => {
        const client = await libraries[library]!(redis.url);
        const store = redisSessionCache(client.client, { prefix: 'memory:' });
        const session = { cache: { maxStaleMs: 60_000, store } };
        return { client, ...(await makeService({ adapter, clock: runningClock(), session })) };
      }),
    );
    const [one, two] = made as [(typeof made)[0], (typeof made)[0]];
    const { token, userId } = await signUp(one, email());
    await until('a check without a lookup', async () => {
      const before = lookups;
      await two.service.getSessionUser(token);
      return lookups === before;
    });
    await one.service.users.signOut(userId);
    await until('a refusal', () =>
      two.service.getSessionUser(token).then(
        () => false,
        () => true,
      ),
    );
    for (const { service, client } of made) {
      await service.close();
      client.close();
    }
  });

  describe('what is stored', () => {
    /** Returns a session whose entry is in Redis, and its key. */
    async function stored(one: SharedService) {
      await one.redis.run('flushall');
      const session = await signUp(one, email());
      await one.cached(session.token);
      const key = `svc-auth:session:${session.sessionId}`;
      await until('an entry', async () => (await one.redis.run('get', key)) !== null);
      return { ...session, key, value: String(await one.redis.run('get', key)) };
    }

    it('reveals neither the token nor the address, and expires', async () => {
      const one = await start();
      const { token, userId, email: address, key, value } = await stored(one);
      expect(await one.redis.run('keys', '*')).toEqual([key]);
      for (const secret of [address, token, userId, 'example.com']) {
        expect(value).not.toContain(secret);
        expect(Buffer.from(value.split('.')[3]!, 'base64url').toString('latin1')).not.toContain(secret);
      }
      expect(Number(await one.redis.run('pttl', key))).toBeLessThanOrEqual(2_000);
    });

    it('cannot be forged: an entry of another secret, of another session, or a changed one is looked up', async () => {
      const [one, stranger] = [
        await start(),
        await start({ overrides: { session: { secret: 'another secret of 32 bytes or more than that' } } }),
      ];
      const mine = await stored(one);
      const foreign = await stored(stranger);
      const changed = `${mine.value.slice(0, -4)}AAAA`;
      const reader = await start();
      for (const value of [foreign.value, changed, 'null', '{}', 'v1.a.b.c.d', '']) {
        await one.redis.run('set', mine.key, value);
        expect(await reader.check(mine.token)).toEqual({ accepted: true, statements: 1 });
        await reader.service[internals].sessions.endSession(foreign.token);
      }
      // An entry under the id of a session that has ended.
      const ended = await signUp(one, email());
      await one.service.users.signOut(ended.userId);
      await one.redis.run('set', `svc-auth:session:${ended.sessionId}`, mine.value);
      expect((await reader.check(ended.token)).accepted).toBe(false);
    });

    it('cannot be replayed: an entry that is written again after the end of its session is refused after maxStaleMs', async () => {
      const maxStaleMs = 1_000;
      const one = await start({ maxStaleMs });
      const { token, userId, sessionId, key, value } = await stored(one);
      await one.service.users.signOut(userId);
      await one.redis.run('del', `svc-auth:session:${userId}`, `svc-auth:session:${sessionId}`);
      const reader = await start({ maxStaleMs });
      // Before the first check, which the storage would answer otherwise.
      await one.redis.run('set', key, value);
      const replay = setInterval(() => void one.redis.run('set', key, value).catch(() => undefined), 5);
      const lastMs = await reader.refused(token);
      await sleep(maxStaleMs);
      expect((await reader.check(token)).accepted).toBe(false);
      clearInterval(replay);
      expect(lastMs).toBeLessThan(maxStaleMs);
    });

    it('is read with a previous secret', async () => {
      const [previous, secret] = [
        'a previous secret of 32 bytes or more',
        'a new secret of 32 bytes or more than that',
      ];
      const one = await start({ overrides: { session: { secret: previous } } });
      const two = await start({ overrides: { session: { secret, previousSecrets: [previous] } } });
      await until('an entry that the other reads', async () => {
        const { token } = await stored(one);
        const { accepted, statements } = await two.check(token);
        expect(accepted).toBe(true);
        return statements === 0;
      });
    });
  });

  describe('another process', () => {
    let child: ChildProcess;

    beforeAll(async () => {
      child = forkWatched(
        fileURLToPath(new URL('../support/redis-session-worker.ts', import.meta.url)),
      ).child;
      await once(child, 'message');
    });

    afterAll(async () => {
      child.disconnect();
      await waitForExit(child);
    });

    async function ask(command: object): Promise<{ at: number }> {
      child.send({ database: database.url, redis: redis.url, ...command });
      const [answer] = (await once(child, 'message')) as [{ at: number; error?: string }];
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer;
    }

    it('refuses a session soon after its end, long before its entry would expire', async () => {
      const one = await start();
      for (let round = 0; round < 100; round += 1) {
        const { token, userId } = await signUp(one, email());
        await ask({ cache: token });
        const refusal = ask({ refused: token });
        await sleep(5);
        await one.service.users.signOut(userId);
        const ended = Date.now();
        // Milliseconds, unless the machine is busy. Without the message, the entry would be valid for a minute.
        expect((await refusal).at - ended).toBeLessThan(30_000);
      }
    });
  });
});
