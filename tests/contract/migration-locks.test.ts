/**
 * How migrations behave on tables that are in use: which locks they wait for, and what remains
 * after a failure.
 */
import knexPackage, { type Knex } from 'knex';
import pg from 'pg';
import { knexAdapter } from '../../src/adapters/knex-adapter.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { createDatabase, querySql, runSql, type TestDatabase } from '../support/postgres.js';
import { installRelease, releases, sessionId } from '../support/releases.js';

let database: TestDatabase;
let knex: Knex;
let storage: StorageAdapter;

beforeEach(async () => {
  database = await createDatabase();
  knex = knexPackage({ client: 'pg', connection: database.url });
  storage = knexAdapter(knex);
});

afterEach(async () => {
  await knex.destroy();
  await database.drop();
});

const applied = async () =>
  (await querySql(database.url, 'select id from svc_migrations order by id')).length;
const indexOf = (name: string) =>
  querySql(
    database.url,
    `select indisvalid as is_valid from pg_index where indexrelid = to_regclass('public.${name}')`,
  );

it('a migration that waits for a long read does not block session checks until the read ends', async () => {
  await installRelease(knex, releases.second);
  const reader = new pg.Client(database.url);
  await reader.connect();
  await reader.query('begin');
  await reader.query('select count(*) from svc_users join svc_sessions on true');
  const warnings: unknown[] = [];
  let isDone = false;
  const init = storage.init({ warn: (fields) => void warnings.push(fields) }).then(() => (isDone = true));
  const checker = new pg.Client(database.url);
  await checker.connect();
  // A migration without a lock timeout would block the checks, and so this loop, until the read ends, which is after it.
  for (let checksSince = 0; checksSince < 100; checksSince += Number(warnings.length > 0)) {
    await checker.query(
      `select from svc_sessions s join svc_users u on u.id = s.user_id where s.id = '${sessionId}'`,
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(isDone).toBe(false);
  expect(warnings).toEqual([{ event: 'migration_waits', migration: 'second-factors' }]);
  await reader.query('commit');
  await init;
  await Promise.all([reader.end(), checker.end()]);
  expect((await storage.sessions.findWithUser(sessionId))?.session.id).toBe(sessionId);
});

it('a migration that fails keeps the migrations before it applied', async () => {
  await runSql(database.url, 'create table svc_totp (id integer)');
  await expect(storage.init()).rejects.toMatchObject({ code: 'internal_error', cause: { code: '42P07' } });
  expect(await applied()).toBe(2);
  await runSql(database.url, 'drop table svc_totp');
  await storage.init();
  expect(await applied()).toBeGreaterThan(2);
});

it('an index whose build failed is built again, and a missing index is created again', async () => {
  await storage.init();
  await runSql(
    database.url,
    `update pg_index set indisvalid = false where indexrelid = to_regclass('svc_sessions_purge')`,
  );
  await storage.init();
  expect(await indexOf('svc_sessions_purge')).toEqual([{ is_valid: true }]);
  await runSql(database.url, 'drop index svc_sessions_purge');
  await storage.init();
  expect(await indexOf('svc_sessions_purge')).toEqual([{ is_valid: true }]);
  expect(await indexOf('svc_sessions_expiry')).toEqual([]);
});

it('an index is built while other transactions write to its table', async () => {
  await installRelease(knex, releases.first);
  const writer = new pg.Client(database.url);
  await writer.connect();
  await storage.init();
  await runSql(database.url, 'drop index svc_sessions_purge');
  await writer.query('begin');
  await writer.query(`update svc_sessions set last_seen_at = last_seen_at`);
  const init = storage.init();
  const other = new pg.Client(database.url);
  await other.connect();
  await other.query(`set lock_timeout = '500ms'`);
  for (let i = 0; i < 20; i += 1) {
    await other.query(
      `insert into svc_sessions (id, user_id, device, created_at, last_seen_at, expires_at)
       select gen_random_uuid(), user_id, '{}', created_at, last_seen_at, expires_at
       from svc_sessions where id = '${sessionId}'`,
    );
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await writer.query('commit');
  await init;
  await Promise.all([writer.end(), other.end()]);
  expect(await indexOf('svc_sessions_purge')).toEqual([{ is_valid: true }]);
});

it('rows of the earlier release without a purge time are purged when they expire', async () => {
  await installRelease(knex, releases.first);
  await storage.init();
  const end = new Date('2031-06-01T00:00:00.007Z');
  expect((await storage.purgeExpired({ now: new Date(end.getTime() - 1) }))['sessions']).toBe(0);
  expect((await storage.purgeExpired({ now: end }))['sessions']).toBe(1);
});
