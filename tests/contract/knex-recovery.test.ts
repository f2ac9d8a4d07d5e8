/** What a running process survives: connections ended, the database away, the schema changed under it. */
import type { Knex } from 'knex';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { createDatabase, runSql, type TestDatabase } from '../support/postgres.js';
import {
  eventually,
  now,
  type SingleConnection,
  singleConnection,
  storedSession,
} from '../support/single-connection.js';

let database: TestDatabase;
let connection: SingleConnection;
let knex: Knex;
let storage: StorageAdapter;

beforeAll(async () => {
  database = await createDatabase();
});

afterAll(() => database.drop());

beforeEach(async () => {
  connection = await singleConnection(database.url);
  ({ knex, storage } = connection);
});

afterEach(() => knex.destroy());

describe('recovery without a restart', () => {
  it('re-prepares its statements after a change of the schema under them', async () => {
    const { id, userId } = await storedSession(connection);
    await storage.sessions.findWithUser(id);
    await runSql(database.url, 'alter table svc_users alter column email type varchar(400)');
    expect((await storage.sessions.findWithUser(id))?.user.id).toBe(userId);
    expect(connection.sent.map(({ options }) => options?.name)).toEqual([
      'svc_session_check_0',
      'svc_session_check_0',
      'svc_session_check_1',
    ]);
    await runSql(database.url, 'alter table svc_users alter column email type text');
    expect((await storage.sessions.findWithUser(id))?.user.id).toBe(userId);
  });

  it('re-prepares its statements where a pooler has dropped them', async () => {
    const { id } = await storedSession(connection);
    await storage.sessions.findWithUser(id);
    await knex.raw('deallocate all');
    expect((await storage.sessions.findWithUser(id))?.session.id).toBe(id);
  });

  it('works again after its connections were ended', async () => {
    const { id } = await storedSession(connection);
    await endConnections();
    expect((await eventually(() => storage.sessions.findWithUser(id)))?.session.id).toBe(id);
  });

  it('fails with internal_error while the database is away, and works once it is back', async () => {
    const { id, userId } = await storedSession(connection);
    await allowConnections(false);
    await endConnections();
    const calls = [
      storage.sessions.findWithUser(id),
      storage.sessions.findWithUser(id),
      storage.users.findById(userId),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'internal_error' } });
    }
    await expect(storage.sessions.revokeAll(userId, now)).rejects.toMatchObject({ code: 'internal_error' });
    await allowConnections(true);
    expect((await storage.sessions.findWithUser(id))?.session.id).toBe(id);
    expect(await storage.sessions.revokeAll(userId, now)).toBe(true);
  });
});

/** On another database of the server, since this one may be closed. */
async function asAdmin(sql: string): Promise<void> {
  const url = new URL(database.url);
  url.pathname = '/template1';
  await runSql(url.href, sql);
}

const databaseName = () => new URL(database.url).pathname.slice(1);

async function endConnections(): Promise<void> {
  await asAdmin(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${databaseName()}'`,
  );
}

async function allowConnections(allowed: boolean): Promise<void> {
  await asAdmin(`alter database ${databaseName()} allow_connections ${allowed}`);
}
