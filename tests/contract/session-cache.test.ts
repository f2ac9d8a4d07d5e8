/** `session.cache` on PostgreSQL. What breaks the connection is in tests/attack/faults/session-cache.long.test.ts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryAdapter } from 'svc-auth';
import { internals } from '../../src/core/internals.js';
import { describeSessionChanges } from '../../testing/conformance/session-changes.js';
import {
  signUp,
  startCached,
  until,
  type CachedOptions,
  type CachedService,
} from '../support/cached-sessions.js';
import { makeService } from '../support/make-service.js';
import { startRelay, type PostgresRelay } from '../support/postgres-relay.js';
import {
  createDatabase,
  createMigratedDatabase,
  querySql,
  runSql,
  type TestDatabase,
} from '../support/postgres.js';

let database: TestDatabase;
const started: CachedService[] = [];
const relays: PostgresRelay[] = [];
let people = 0;

const email = () => `person-${(people += 1)}@example.com`;

async function start(options?: CachedOptions): Promise<CachedService> {
  const service = await startCached(database.url, options);
  started.push(service);
  return service;
}

/** A service that hears of nothing that other processes change, although its heartbeats arrive. */
async function startDeaf(): Promise<CachedService> {
  const relay = await startRelay(database.url, (channel) => channel === 'svc_session_changes');
  relays.push(relay);
  return start({ listenConnection: relay.url, maxStaleMs: 60_000 });
}

beforeAll(async () => {
  database = await createMigratedDatabase();
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.stop()));
  await Promise.all(relays.splice(0).map((relay) => relay.close()));
});

afterAll(() => database.drop());

it('a session check runs no query once the session is cached, also with a pool of one connection', async () => {
  const one = await start({ pool: 1 });
  const { token } = await signUp(one, email());
  await one.cached(token);
  expect(await one.check(token)).toEqual({ accepted: true, statements: 0 });
});

describe('a change by this process', () => {
  it('is seen by the next check, without a notification', async () => {
    const one = await startDeaf();
    const { sessions } = one.service[internals];
    const ends: Record<string, (session: Awaited<ReturnType<typeof signUp>>) => Promise<unknown>> = {
      logout: ({ token }) => sessions.endSession(token),
      signOut: ({ userId }) => one.service.users.signOut(userId),
      block: ({ userId }) => one.service.users.block(userId),
      setPassword: ({ userId }) => one.service.users.setPassword(userId, 'another good password'),
      revokeOthers: ({ userId }) => sessions.revokeOtherSessions(userId, {}),
      deletion: async ({ userId }) => one.adapter.accounts?.deleteUser(userId, async () => undefined),
    };
    for (const [name, end] of Object.entries(ends)) {
      const session = await signUp(one, email());
      await one.cached(session.token);
      await end(session);
      expect([name, (await one.check(session.token)).accepted]).toEqual([name, false]);
    }
    const { token, userId } = await signUp(one, email());
    await one.cached(token);
    await one.service.users.update(userId, { metadata: { plan: 'pro' } });
    expect((await one.service.getSessionUser(token)).metadata).toEqual({ plan: 'pro' });
  });

  it('is seen while many checks of the session are in progress', async () => {
    const one = await startDeaf();
    for (let round = 0; round < 30; round += 1) {
      const { token } = await signUp(one, email());
      if (round % 2) await one.cached(token);
      let isOver = false;
      const visitor = async () => {
        while (!isOver) await Promise.all([one.check(token), sleep(Math.random())]);
      };
      const visitors = Promise.all([visitor(), visitor(), visitor(), visitor()]);
      await sleep(round % 5);
      await one.service[internals].sessions.endSession(token);
      for (let check = 0; check < 5; check += 1) expect((await one.check(token)).accepted).toBe(false);
      isOver = true;
      await visitors;
      expect((await one.check(token)).accepted).toBe(false);
    }
  });

  // The same chapter runs on every adapter; here, a notification of the change cannot be the report.
  describeSessionChanges((title, body) => {
    it(title, async () => body((await startDeaf()).adapter));
  });
});

describe('a change by another process', () => {
  it('is seen in three other processes, whatever made it', async () => {
    // The first has no cache.
    const writer = await start({ maxStaleMs: null });
    const readers = await Promise.all([start(), start(), start()]);
    const changes: Record<string, (session: Awaited<ReturnType<typeof signUp>>) => Promise<unknown>> = {
      logout: ({ token }) => writer.service[internals].sessions.endSession(token),
      signOut: ({ userId }) => writer.service.users.signOut(userId),
      block: ({ userId }) => writer.service.users.block(userId),
      deletion: async ({ userId }) => writer.adapter.accounts?.deleteUser(userId, async () => undefined),
      // Long ago, so that the cookie from before is not accepted for a moment more.
      'session bound': ({ sessionId }) => {
        const key = { alg: 'ES256' as const, jwk: {}, epoch: 0, twoFactors: false, remember: true };
        return writer.adapter.sessionBindings!.bind(sessionId, { id: sessionId, key }, new Date(0));
      },
      'session deleted by hand': ({ sessionId }) =>
        runSql(database.url, `delete from svc_sessions where id = '${sessionId}'`),
      'session revoked by hand': ({ sessionId }) =>
        runSql(database.url, `update svc_sessions set revoked_at = now() where id = '${sessionId}'`),
      'user deleted by hand': ({ userId }) =>
        runSql(database.url, `delete from svc_users where id = '${userId}'`),
      'user blocked by hand': ({ userId }) =>
        runSql(database.url, `update svc_users set blocked_at = '2020-01-01' where id = '${userId}'`),
      'sessions truncated': () => runSql(database.url, 'truncate svc_sessions'),
    };
    for (const [name, change] of Object.entries(changes)) {
      const session = await signUp(writer, email());
      await Promise.all(readers.map((reader) => reader.cached(session.token)));
      await change(session);
      const lastMs = await Promise.all(readers.map((reader) => reader.refused(session.token)));
      // The heartbeats alone would take up to two seconds. Usual are a few milliseconds.
      expect([name, Math.max(...lastMs) < 1_000]).toEqual([name, true]);
    }
  });

  it('is seen if it is made while the session is being looked up', async () => {
    const [writer, reader] = [await start({ maxStaleMs: null }), await start({ maxStaleMs: 60_000 })];
    const warm = await signUp(writer, email());
    await reader.cached(warm.token);
    for (let round = 0; round < 60; round += 1) {
      const { token } = await signUp(writer, email());
      const lookUps = [reader.check(token), sleep(round % 4).then(() => reader.check(token))];
      await Promise.all([...lookUps, writer.service[internals].sessions.endSession(token)]);
      // An entry that was remembered after its notification would stay for a minute.
      expect(await reader.refused(token)).toBeLessThan(1_000);
    }
  });

  it('is seen in a separate schema, and by two services on one adapter', async () => {
    await runSql(database.url, 'create schema "Sign in"');
    const schema = 'Sign in';
    const [writer, reader] = [await start({ maxStaleMs: null, schema }), await start({ schema })];
    const second = await makeService({
      adapter: reader.adapter,
      clock: reader.clock,
      session: { cache: { maxStaleMs: 60_000 } },
    });
    const { token, userId } = await signUp(writer, email());
    await reader.cached(token);
    await second.service.getSessionUser(token);
    await writer.service.users.signOut(userId);
    expect(await reader.refused(token)).toBeLessThan(1_000);
    await until('a refusal by the second service', () =>
      second.service.getSessionUser(token).then(
        () => false,
        () => true,
      ),
    );
    const other = await signUp(second, email());
    await reader.cached(other.token);
    await second.service.users.signOut(other.userId);
    expect((await reader.check(other.token)).accepted).toBe(false);
  });

  it('of roles, metadata and verification is seen', async () => {
    const [writer, reader] = [await start(), await start()];
    const { token, userId } = await signUp(writer, email());
    await reader.cached(token);
    await writer.service.users.update(userId, { metadata: { plan: 'pro' }, roles: ['support'] });
    await until('new metadata', async () => {
      const { user } = await reader.service[internals].sessions.check(token);
      return user.roles[0] === 'support' && user.metadata['plan'] === 'pro';
    });
    await reader.cached(token);
    await writer.adapter.users.markEmailVerified(userId, new Date());
    await until('verification', async () => (await reader.service.getSessionUser(token)).emailVerified);
  });

  it('does not fail if the application has added a column whose type cannot be compared', async () => {
    const one = await start();
    const { token, userId } = await signUp(one, email());
    await one.cached(token);
    await runSql(database.url, `alter table svc_users add column settings json default '{}'`);
    const verify = () => one.adapter.users.markEmailVerified(userId, new Date(one.clock.now()));
    await verify();
    expect(await verify()).toMatchObject({ emailVerified: true });
    await runSql(database.url, 'alter table svc_users drop column settings');
  });

  it('is a notification only if a check could depend on it', async () => {
    const [one, two] = [await start(), await start()];
    const { token, email: address, userId, sessionId } = await signUp(one, email());
    await two.cached(token);
    const counted = await countedNotifications(async () => {
      await one.service.emailPassword.login({ email: address, password: 'correct horse battery' });
      await one.adapter.users.markEmailVerified(userId, new Date(one.clock.now()));
      await one.adapter.users.markEmailVerified(userId, new Date(one.clock.now() + 1));
      const later = new Date(one.clock.now() + 60_000);
      await one.adapter.sessions.renew(sessionId, { lastSeenAt: later, expiresAt: new Date(+later + 1) });
      for (let session = 0; session < 20; session += 1) await signUpAgain(one, address);
      await one.service.users.signOut(userId);
    });
    // The first verification, and the end of 21 sessions.
    expect(counted).toEqual([userId, userId]);
  });
});

async function signUpAgain({ service }: CachedService, address: string): Promise<void> {
  const input = { email: address, password: 'correct horse battery' };
  await service.emailPassword.login(input, { startSession: true });
}

/** Returns the payloads that a separate connection receives while `work` runs. */
async function countedNotifications(work: () => Promise<void>): Promise<string[]> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: database.url });
  const payloads: string[] = [];
  await client.connect();
  client.on('notification', ({ payload = '' }) => void payloads.push(payload));
  await client.query('listen svc_session_changes');
  await work();
  await client.query(`select pg_notify('svc_session_changes', 'last')`);
  await until('the last notification', () => payloads.at(-1) === 'last');
  await client.end();
  return payloads.slice(0, -1);
}

describe('a cached session', () => {
  it('ends at its expiry, and asks the storage before it is refused', async () => {
    const one = await start({ overrides: { session: { ttlMs: 60_000, renewAfterMs: 0 } } });
    const { token, sessionId } = await signUp(one, email());
    await one.cached(token);
    one.clock.advance(59_000);
    expect(await one.check(token)).toEqual({ accepted: true, statements: 0 });
    // Extended elsewhere: the token is still valid for a second.
    const expiresAt = new Date(one.clock.now() + 60_000);
    await runSql(
      database.url,
      `update svc_sessions set expires_at = '${new Date(one.clock.now()).toISOString()}' where id = '${sessionId}'`,
    );
    await one.stop();
    const two = await start({ overrides: { clock: one.clock, session: { renewAfterMs: 0 } } });
    expect((await two.check(token)).accepted).toBe(false);
    await runSql(
      database.url,
      `update svc_sessions set expires_at = '${expiresAt.toISOString()}' where id = '${sessionId}'`,
    );
    expect((await two.check(token)).accepted).toBe(true);
    one.clock.advance(2_000);
    expect((await two.check(token)).accepted).toBe(false);
  });

  it('that is due for renewal is looked up and renewed', async () => {
    const one = await start({ overrides: { session: { renewAfterMs: 60_000 } } });
    const { token } = await signUp(one, email());
    await one.cached(token);
    one.clock.advance(60_000);
    expect((await one.check(token)).statements).toBe(1);
    const { sessions } = one.service[internals];
    const renewed = await sessions.renewSession(await sessions.check(token));
    await one.cached(renewed?.token ?? '');
  });

  it('of a user whose block ends by itself is accepted again only with a new epoch', async () => {
    const one = await start();
    const { token, userId } = await signUp(one, email());
    await one.cached(token);
    await one.service.users.block(userId, { until: new Date(one.clock.now() + 1_000) });
    expect((await one.check(token)).accepted).toBe(false);
    one.clock.advance(2_000);
    expect((await one.check(token)).accepted).toBe(false);
  });

  it('is not used by routes that change the account', async () => {
    const one = await startDeaf();
    const { token } = await signUp(one, email());
    await one.cached(token);
    // As a process that this one does not hear of does it.
    await runSql(database.url, 'update svc_sessions set revoked_at = now()');
    const { sessions } = one.service[internals];
    expect((await one.check(token)).accepted).toBe(true);
    await expect(sessions.authenticate(token)).rejects.toMatchObject({ code: 'token_invalid' });
  });
});

describe('the connection that receives notifications', () => {
  const listeners = () =>
    querySql(
      database.url,
      `select pid from pg_stat_activity where datname = current_database() and query like 'listen %'`,
    );

  it('is separate from the pool and ends with the service', async () => {
    const one = await start({ pool: 1 });
    const { token } = await signUp(one, email());
    await one.cached(token);
    expect(await listeners()).toHaveLength(1);
    await one.service.close();
    await until('no listener', async () => (await listeners()).length === 0);
    // The knex instance of the application stays open.
    expect((await one.check(token)).accepted).toBe(true);
  });

  it('enables the triggers at the first start, and again after they were disabled by hand', async () => {
    const fresh = await createDatabase();
    const state = () =>
      querySql(fresh.url, `select distinct tgenabled from pg_trigger where tgname like 'svc_%'`);
    const without = await startCached(fresh.url, { maxStaleMs: null });
    expect(await state()).toEqual([{ tgenabled: 'D' }]);
    const one = await startCached(fresh.url, { maxStaleMs: 400 });
    const { token, userId } = await signUp(without, email());
    await one.cached(token);
    expect(await state()).toEqual([{ tgenabled: 'O' }]);
    await runSql(fresh.url, 'alter table svc_users disable trigger user');
    await runSql(fresh.url, 'alter table svc_sessions disable trigger user');
    await without.service.users.signOut(userId);
    expect(await one.refused(token)).toBeLessThan(400);
    await until('enabled triggers', async () => (await state())[0]?.['tgenabled'] === 'O');
    expect(one.log.map(({ fields }) => fields)).toContainEqual({
      event: 'session_cache_off',
      cause: 'triggers_disabled',
    });
    await one.stop();
    await without.stop();
    await fresh.drop();
  });

  it('asks the storage on every check, and warns, if the role may not enable the triggers', async () => {
    const fresh = await createDatabase();
    const owner = await startCached(fresh.url, { maxStaleMs: null });
    const role = `reader_${people}_${process.pid}`;
    await runSql(fresh.url, `create role ${role} login password 'reader'`);
    await runSql(fresh.url, `grant select, insert, update, delete on all tables in schema public to ${role}`);
    const url = new URL(fresh.url);
    [url.username, url.password] = [role, 'reader'];
    const one = await startCached(url.href);
    const { token } = await signUp(owner, email());
    const warning = () => one.log.find(({ fields }) => fields['cause'] === '42501')?.message;
    await until('a warning', () => warning() !== undefined);
    expect(warning()).toContain('Start one process with the owner of the tables.');
    expect(await one.check(token)).toEqual({ accepted: true, statements: 1 });
    await one.stop();
    await owner.stop();
    await fresh.drop();
    await runSql(database.url, `drop role ${role}`);
  });
});

it('in memory, session.cache has no effect', async () => {
  const adapter = memoryAdapter();
  const one = await makeService({ adapter, session: { cache: { maxStaleMs: 60_000 } } });
  const two = await makeService({ adapter, session: { cache: { maxStaleMs: 60_000 } }, clock: one.clock });
  const { token, userId } = await signUp(one, email());
  expect((await two.service.getSessionUser(token)).id).toBe(userId);
  await one.service.users.signOut(userId);
  await expect(two.service.getSessionUser(token)).rejects.toMatchObject({ code: 'token_invalid' });
});

it('a cached session has the names and roles of its user, as the last change in any process has left them', async () => {
  const [one, two] = [await start(), await start()];
  const { token, userId } = await signUp(one, email());
  const names = async (service: CachedService) => {
    const { user } = await service.service[internals].sessions.check(token);
    return [user.externalId, user.username, user.roles];
  };
  await two.service.users.update(userId, { externalId: userId, username: 'Cached.Ada', roles: ['a'] });
  await one.cached(token);
  await two.cached(token);
  for (const service of [one, two]) expect(await names(service)).toEqual([userId, 'Cached.Ada', ['a']]);
  await two.service.users.update(userId, { externalId: null, username: null, roles: [] });
  expect(await names(two)).toEqual([null, null, []]);
  await until('the other process has heard of the change', async () => (await names(one))[0] === null);
  expect(await names(one)).toEqual([null, null, []]);
});
