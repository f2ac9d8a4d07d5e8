/**
 * Cached sessions in Redis while Redis is stopped, hangs, or starts again (skipped if Redis is not installed). Whatever fails, requests
 * continue, no session is refused that is valid, and none is accepted longer than `maxStaleMs` after its end.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { signUp, until } from '../support/cached-sessions.js';
import { createMigratedDatabase, type TestDatabase } from '../support/postgres.js';
import { libraries, type OpenClient } from '../support/redis-clients.js';
import { describeWithRedis, startRedis, type RedisServer } from '../support/redis-server.js';
import { inMemory, startShared, type SharedOptions, type SharedService } from '../support/shared-sessions.js';

type Change = (client: OpenClient) => Promise<unknown>;

/** By the beginning of the response: what makes Redis refuse to write, and what ends it. */
const refusals: Record<string, [Change, Change]> = {
  OOM: [
    async ({ run }) => {
      await run('config', 'set', 'maxmemory', '4mb');
      for (let isFull = false; !isFull;)
        isFull = await run('append', 'filler', 'x'.repeat(200_000)).then(
          () => false,
          () => true,
        );
    },
    ({ run }) => run('config', 'set', 'maxmemory', '0'),
  ],
  READONLY: [({ run }) => run('replicaof', '127.0.0.1', '1'), ({ run }) => run('replicaof', 'no', 'one')],
};

const maxStaleMs = 800;
const timeoutMs = 200;

describeWithRedis('sessions that are cached in Redis', () => {
  let database: TestDatabase;
  let redis: RedisServer;
  const started: SharedService[] = [];
  let people = 0;

  const email = () => `person-${(people += 1)}@example.com`;

  async function start(options: SharedOptions = {}): Promise<SharedService> {
    const places = { database: database.url, redis: redis.url };
    const service = await startShared(places, { maxStaleMs, timeoutMs, ...options });
    started.push(service);
    return service;
  }

  const warnings = ({ log }: SharedService) =>
    log.filter(({ fields }) => fields['event'] === 'session_cache_off').map(({ fields }) => fields['cause']);

  beforeAll(async () => {
    database = await createMigratedDatabase();
  });

  beforeEach(async () => {
    // Entries and marks survive a crash, which is the harder case.
    redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
  });

  afterEach(async () => {
    redis.resume();
    await Promise.all(started.splice(0).map((service) => service.stop()));
    await redis.stop();
  });

  afterAll(() => database.drop());

  describe.each(Object.keys(libraries))('by a client of %s', (library) => {
    it.each(['stopped', 'hung'])(
      'if it has %s, a session ends within maxStaleMs in other processes and at once in its own, and requests continue',
      async (state) => {
        const [writer, reader] = [await start({ library }), await start({ library })];
        const [ending, lasting] = [await signUp(writer, email()), await signUp(writer, email())];
        for (const service of [writer, reader]) {
          await inMemory(service, ending.token);
          await inMemory(service, lasting.token);
        }
        if (state === 'stopped') await redis.kill();
        else redis.hang();
        // It waits for a timeout at most: Redis does not answer.
        await writer.service.users.signOut(ending.userId);
        expect((await writer.check(ending.token)).accepted).toBe(false);
        expect(await reader.refused(ending.token)).toBeLessThan(maxStaleMs);
        for (let round = 0; round < 20; round += 1) {
          expect((await reader.check(lasting.token)).accepted).toBe(true);
          await sleep(50);
        }
        expect(warnings(reader)).toEqual(['store_failed']);
        if (state === 'stopped') await redis.start();
        else redis.resume();
        expect((await reader.check(ending.token)).accepted).toBe(false);
        await inMemory(reader, lasting.token);
        expect((await reader.check(ending.token)).accepted).toBe(false);
      },
      120_000,
    );
  });

  describe.each(Object.entries(refusals))('if Redis refuses to write (%s)', (code, [refuse, allow]) => {
    /** Makes Redis refuse writes, and makes sure that it does. */
    async function refuseWrites({ redis: client }: SharedService) {
      await refuse(client);
      await expect(client.run('set', 'any', 'value')).rejects.toThrow(code);
    }

    it.each(Object.keys(libraries))(
      'the end of a session is seen in other processes at once, and sessions are cached again afterwards, by a client of %s',
      async (library) => {
        const long = { library, maxStaleMs: 60_000 };
        const [writer, reader, other] = [await start(long), await start(long), await start(long)];
        const [ending, lasting] = [await signUp(writer, email()), await signUp(writer, email())];
        await inMemory(other, lasting.token);
        for (const { token } of [ending, lasting]) await inMemory(reader, token);
        await refuseWrites(writer);
        // A lookup whose entry is refused must not keep the message from being sent.
        const { token: fresh } = await signUp(writer, email());
        await writer.check(fresh);
        await sleep(50);
        await writer.service.users.signOut(ending.userId);
        expect(await reader.refused(ending.token)).toBeLessThan(long.maxStaleMs / 2);
        // It has the session not in its memory: the entry is still in Redis.
        expect((await other.check(ending.token)).accepted).toBe(false);
        expect(await reader.check(lasting.token)).toEqual({ accepted: true, statements: 0 });
        expect(warnings(writer)).toEqual(['store_failed']);
        await allow(writer.redis);
        const next = await signUp(writer, email());
        await writer.check(next.token);
        await inMemory(reader, next.token);
        await writer.service.users.signOut(next.userId);
        expect(await reader.refused(next.token)).toBeLessThan(long.maxStaleMs / 2);
      },
      120_000,
    );

    it('a process that starts after the end of a session refuses it maxStaleMs after its last lookup', async () => {
      const writer = await start();
      const { token, userId } = await signUp(writer, email());
      await inMemory(writer, token);
      await refuseWrites(writer);
      await writer.service.users.signOut(userId);
      const late = await start();
      expect(await late.refused(token)).toBeLessThan(maxStaleMs);
      await sleep(maxStaleMs);
      expect((await late.check(token)).accepted).toBe(false);
    });
  });

  it('an entry that Redis has kept while it was stopped is refused maxStaleMs after its lookup', async () => {
    const [writer, reader] = [await start(), await start()];
    const { token, userId, sessionId } = await signUp(writer, email());
    await inMemory(writer, token);
    const key = `svc-auth:session:${sessionId}`;
    const entry = String(await writer.redis.run('get', key));
    await redis.kill();
    await writer.service.users.signOut(userId);
    await redis.start();
    await until('a client that is connected', async () =>
      reader.redis.run('set', key, entry).then(
        () => true,
        () => false,
      ),
    );
    expect(await reader.refused(token)).toBeLessThan(maxStaleMs);
    await sleep(maxStaleMs);
    expect((await reader.check(token)).accepted).toBe(false);
  });

  it('under traffic while Redis is stopped, hangs, loses its data and starts again, no session is accepted beyond maxStaleMs', async () => {
    const services = await Promise.all(Object.keys(libraries).map((library) => start({ library })));
    const lasting = await signUp(services[0]!, email());
    let isOver = false;
    let accepted = 0;
    const lateMs: number[] = [];

    const visitor = async (service: SharedService) => {
      while (!isOver) {
        expect((await service.check(lasting.token)).accepted).toBe(true);
        accepted += 1;
        await sleep(5);
      }
    };
    /** Signs in, is checked everywhere, signs out, and measures how long another process accepts the session. */
    const user = async (first: number) => {
      for (let round = 0; !isOver; round += 1) {
        const [writer, reader] = [services[(first + round) % 3]!, services[(first + round + 1) % 3]!];
        const session = await signUp(writer, email());
        for (let check = 0; check < 5; check += 1)
          expect((await reader.check(session.token)).accepted).toBe(true);
        await writer.service.users.signOut(session.userId);
        lateMs.push(await reader.refused(session.token));
      }
    };
    const faults = async () => {
      const isEnough = () => lateMs.length > 20 && accepted > 100;
      // Further rounds on a busy machine, on which users make fewer rounds.
      for (let round = 0; round < 3 || (round < 30 && !isEnough()); round += 1) {
        await sleep(700);
        await redis.kill();
        await sleep(700);
        await redis.start();
        await sleep(700);
        redis.hang();
        await sleep(700);
        redis.resume();
        await sleep(700);
        await services[0]!.redis.run('flushall').catch(() => undefined);
      }
      isOver = true;
    };
    await Promise.all([faults(), ...services.map(visitor), user(0), user(1), user(2)]);
    expect(Math.max(...lateMs)).toBeLessThan(maxStaleMs);
    expect(lateMs.length).toBeGreaterThan(20);
    expect(accepted).toBeGreaterThan(100);
  });
});
