/**
 * Settings of a database, a role or a server that the application has not chosen for this package.
 */
import { randomUUID } from 'node:crypto';
import knexPackage, { type Knex } from 'knex';
import pg from 'pg';
import { knexAdapter, type KnexAdapterOptions } from '../../src/adapters/knex-adapter.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { createDatabase, querySql, runSql, type TestDatabase } from '../support/postgres.js';

const now = new Date('2031-05-06T07:08:09.123Z');
const past = new Date('2031-05-06T07:08:09.122Z');

let database: TestDatabase;
let open: Required<StorageAdapter>[];

beforeEach(async () => {
  database = await createDatabase();
  open = [];
});

afterEach(async () => {
  await Promise.all(open.map((storage) => storage.close()));
  await database.drop();
});

function adapter(overrides: Knex.Config = {}, options?: KnexAdapterOptions): Required<StorageAdapter> {
  const config = { client: 'pg', connection: database.url, pool: { min: 0, max: 10 } };
  const storage = knexAdapter({ ...config, ...overrides }, options) as Required<StorageAdapter>;
  open.push(storage);
  return storage;
}

/** Changes a setting for every new connection. */
async function set(setting: string): Promise<void> {
  await runSql(database.url, `alter database ${new URL(database.url).pathname.slice(1)} set ${setting}`);
}

async function newUser(storage: StorageAdapter, email: string | null = null): Promise<string> {
  const user = { id: randomUUID(), email, emailVerified: true, passwordHash: null, metadata: {} };
  expect(await storage.users.insert({ ...user, createdAt: now })).toBe(true);
  return user.id;
}

describe('timestamps', () => {
  async function readsTimes(storage: Required<StorageAdapter>) {
    await storage.init();
    const userId = await newUser(storage);
    const key = { id: randomUUID(), name: 'n', prefix: 'p', secretHash: 'h', userId, orgId: null };
    const parts = { scopes: [], metadata: {}, createdAt: now, lastUsedAt: past };
    const times = { expiresAt: past, revokedAt: now };
    expect(await storage.apiKeys.insert({ ...key, ...parts, ...times }, 0)).toBe('inserted');
    expect(await storage.apiKeys.findById(key.id)).toMatchObject({ ...parts, ...times });
    const session = { id: randomUUID(), userId, device: {}, createdAt: past, lastSeenAt: now, boundAt: null };
    expect(await storage.sessions.start({ ...session, ...times }, 0)).toBe(true);
    const family = { id: randomUUID(), userId, kind: null, counter: 0, epoch: 0, claims: {}, device: {} };
    await storage.refreshFamilies.insert({ ...family, rotatedAt: now, createdAt: past, ...times });
    await storage.sessions.revokeAll(userId, now);
    const sessionWithUser = await storage.sessions.findWithUser(session.id);
    expect(sessionWithUser).toMatchObject({
      session: { ...session, ...times },
      user: { sessionsValidAfter: now, createdAt: now },
    });
    const familyWithUser = await storage.refreshFamilies.findWithUser(family.id);
    expect(familyWithUser?.family).toMatchObject({ rotatedAt: now, createdAt: past, ...times });
  }

  it.each(['German, DMY', 'SQL, DMY', 'Postgres, MDY', 'ISO, YMD'])(
    'timestamps are read to the millisecond with the DateStyle %s',
    async (style) => {
      await set(`datestyle = '${style}'`);
      await set(`timezone = 'Pacific/Chatham'`);
      await readsTimes(adapter());
    },
  );

  it('timestamps are read even if the application has replaced the type parser of the driver', async () => {
    const timestamps = [1114, 1184];
    const getTypeParser = (oid: number, format?: 'text') =>
      timestamps.includes(oid) ? () => null : (pg.types.getTypeParser(oid, format) as unknown);
    await readsTimes(
      adapter({
        connection: { connectionString: database.url, types: { getTypeParser } } as Knex.Config['connection'],
      }),
    );
  });
});

describe('the schema of the tables', () => {
  it('the adapter uses the first schema of search_path and ignores svc-auth tables in later ones', async () => {
    const inPublic = adapter();
    await inPublic.init();
    await newUser(inPublic, 'ada@example.test');
    await runSql(database.url, 'create schema app');
    await set('search_path = app, public');
    const inApp = adapter();
    await inApp.init();
    expect(await inApp.users.findByEmail('ada@example.test')).toBeNull();
    await newUser(inApp, 'ada@example.test');
    expect((await inPublic.users.findByEmail('ada@example.test'))?.id).not.toBe(
      (await inApp.users.findByEmail('ada@example.test'))?.id,
    );
    const tables = `select count(*) as count from pg_tables where tablename like 'svc%' and schemaname =`;
    const [ofApp, ofPublic] = await Promise.all([
      querySql(database.url, `${tables} 'app'`),
      querySql(database.url, `${tables} 'public'`),
    ]);
    expect(ofApp).toEqual(ofPublic);
  });

  it('a first schema without tables causes an error, and the tables of another schema are not used', async () => {
    await adapter().init();
    await runSql(database.url, 'create schema app');
    await set('search_path = app, public');
    await expect(adapter().users.findByEmail('ada@example.test')).rejects.toMatchObject({
      code: 'internal_error',
      cause: { code: '42P01' },
    });
  });

  it('the adapter keeps the first schema it used when search_path changes', async () => {
    const storage = adapter({ pool: { min: 0, max: 1 } });
    await storage.init();
    const userId = await newUser(storage);
    await runSql(database.url, 'create schema app');
    await set('search_path = app, public');
    await runSql(
      database.url,
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await storage.users.findById(userId).catch(() => undefined);
    expect((await storage.users.findById(userId))?.id).toBe(userId);
  });

  it('the schema option overrides search_path', async () => {
    await runSql(database.url, 'create schema "Sign in"');
    const storage = adapter({}, { schema: 'Sign in' });
    await storage.init();
    await storage.init();
    const userId = await newUser(storage);
    expect((await storage.users.findById(userId))?.id).toBe(userId);
    await storage.purgeExpired({ now });
    const rows = await querySql(database.url, `select id from "Sign in".svc_users`);
    expect(rows).toEqual([{ id: userId }]);
    expect(await querySql(database.url, `select from pg_tables where schemaname = 'public'`)).toEqual([]);
  });

  it('the adapter ignores temporary tables of the same name', async () => {
    const storage = adapter({ pool: { min: 0, max: 1 } });
    await storage.init();
    const knex = knexPackage({ client: 'pg', connection: database.url, pool: { min: 0, max: 1 } });
    await knex.raw('create temporary table svc_users as select * from svc_users');
    const userId = await newUser(knexAdapter(knex));
    await knex.destroy();
    expect((await storage.users.findById(userId))?.id).toBe(userId);
  });

  it('init() refuses a schema that does not exist', async () => {
    await expect(adapter({}, { schema: 'missing' }).init()).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('requires the schema "missing", which does not exist') as unknown,
    });
    await set(`search_path = 'missing'`);
    await expect(adapter().init()).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('no schema of the search_path exists') as unknown,
    });
  });

  it.each(['', 'a"b', 'a?', ':a', 'x'.repeat(64), 1])(
    'knexAdapter() refuses the schema name %j',
    (schema) => {
      expect(() => adapter({}, { schema: schema as string })).toThrow(
        expect.objectContaining({ code: 'config_invalid' }),
      );
    },
  );

  it('the names of prepared statements include the schema', async () => {
    await runSql(database.url, 'create schema app');
    const knex = knexPackage({ client: 'pg', connection: database.url, pool: { min: 0, max: 1 } });
    const [inPublic, inApp] = [knexAdapter(knex), knexAdapter(knex, { schema: 'app' })];
    await inPublic.init();
    await inApp.init();
    const userId = await newUser(inPublic);
    expect((await inPublic.users.findById(userId))?.id).toBe(userId);
    expect(await inApp.users.findById(userId)).toBeNull();
    await knex.destroy();
  });
});

describe.each(['repeatable read', 'serializable'])('with the default isolation %s', (isolation) => {
  it('no call fails, and every limit and single use is counted exactly', async () => {
    await set(`default_transaction_isolation = '${isolation}'`);
    const storage = adapter();
    await storage.init();
    const userId = await newUser(storage);
    const ids = Array.from({ length: 40 }, () => randomUUID());
    const hits = ids.map(() => storage.rateLimits.hit([{ key: 'k', windowMs: 60_000 }], now.getTime()));
    const times = {
      createdAt: now,
      lastSeenAt: now,
      expiresAt: new Date(now.getTime() + 1),
      revokedAt: null,
      boundAt: null,
    };
    const sessions = ids.map((id) => storage.sessions.start({ id, userId, device: {}, ...times }, 0));
    const updates = ids.map(() => storage.users.markEmailVerified(userId, now));
    const counts = (await Promise.all(hits)).map(([hit]) => hit?.count);
    expect(new Set(counts)).toEqual(new Set(ids.map((_, index) => index + 1)));
    expect(await Promise.all(sessions)).toEqual(ids.map(() => true));
    await Promise.all(updates);
    const revocations = ids.map(() => storage.sessions.revokeAll(userId, now));
    const late = ids.map(() =>
      storage.sessions.start({ id: randomUUID(), userId, device: {}, ...times }, 1000),
    );
    expect(await Promise.all(revocations)).toEqual(ids.map(() => true));
    expect(await Promise.all(late)).toEqual(ids.map(() => false));
    expect((await storage.users.findById(userId))?.epoch).toBe(40);
    expect((await storage.purgeExpired({ now }))['sessions']).toBe(40);
  });
});

it('the adapter repeats a statement or a transaction that was the victim of a deadlock', async () => {
  const storage = adapter();
  await storage.init();
  const userId = await newUser(storage);
  const other = await newUser(storage);
  const first = new pg.Client(database.url);
  await first.connect();
  // The application's own transaction locks two users in the opposite order, and is not the first
  // to detect the deadlock.
  await first.query(`set deadlock_timeout = '10s'`);
  await first.query('begin');
  await first.query('select from svc_users where id = $1 for update', [other]);
  await runSql(
    database.url,
    `create function wait_for_other() returns trigger language plpgsql as
     $$ begin perform from svc_users where id = '${other}' for update; return new; end $$`,
  );
  await runSql(
    database.url,
    `create trigger waits after update on svc_users for each row when (new.id = '${userId}') execute function wait_for_other()`,
  );
  const revocation = storage.sessions.revokeAll(userId, now);
  const single = storage.users.markEmailVerified(userId, now);
  await new Promise((resolve) => setTimeout(resolve, 200));
  await first.query('select from svc_users where id = $1 for update', [userId]);
  await first.query('commit');
  await first.end();
  expect(await revocation).toBe(true);
  expect((await single)?.id).toBe(userId);
});

describe('init() and the settings of the database', () => {
  it.each(['SQL_ASCII', 'LATIN1'])(
    'init() refuses a database in %s and says what to do',
    async (encoding) => {
      const other = await createDatabase(`encoding '${encoding}' locale 'C'`);
      const storage = knexAdapter({ client: 'pg', connection: other.url });
      await expect(storage.init()).rejects.toMatchObject({
        code: 'config_invalid',
        message: expect.stringContaining(`not ${encoding}: create one with "encoding 'UTF8'`) as unknown,
      });
      await storage.close();
      await other.drop();
    },
  );

  it('init() ignores client_encoding, standard_conforming_strings and array_nulls of the database', async () => {
    await set(`client_encoding = 'LATIN1'`);
    await set('standard_conforming_strings = off');
    await set('array_nulls = off');
    const storage = adapter();
    await storage.init();
    const userId = await newUser(storage, 'ada@example.test');
    const device = { userAgent: 'Zoë \\ 漢字 \' "' };
    const times = { createdAt: now, lastSeenAt: now, expiresAt: now, revokedAt: null, boundAt: null };
    const id = randomUUID();
    await storage.sessions.start({ id, userId, device, ...times }, 0);
    expect((await storage.sessions.findWithUser(id))?.session.device).toEqual(device);
  });

  it('init() creates tables without the statement_timeout of requests', async () => {
    // Far more than a request takes on a busy machine. One table takes longer.
    await set(`statement_timeout = '5s'`);
    await runSql(
      database.url,
      `create function slow() returns event_trigger language plpgsql as $$ begin
         if exists (select from pg_event_trigger_ddl_commands() where object_identity like '%.svc_users')
         then perform pg_sleep(6); end if;
       end $$`,
    );
    const trigger = `create event trigger slow on ddl_command_end when tag in ('CREATE TABLE') execute function slow()`;
    await runSql(database.url, trigger);
    const storage = adapter();
    await storage.init();
    await newUser(storage);
  });
});
