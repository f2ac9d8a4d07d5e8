/** What is true of the PostgreSQL adapter alone: its hot path, its errors, its recovery, whose connections it ends. */
import { randomUUID } from 'node:crypto';
import knexPackage, { type Knex } from 'knex';
import { knexAdapter } from '../../src/adapters/sql/knex-adapter.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { createDatabase, runSql, type TestDatabase } from '../support/postgres.js';

const now = new Date('2031-05-06T07:08:09.123Z');

interface SentQuery {
  sql: string;
  options?: { name?: string };
}

let database: TestDatabase;
let knex: Knex;
let storage: StorageAdapter;
let sent: SentQuery[];

beforeAll(async () => {
  database = await createDatabase();
});

afterAll(() => database.drop());

beforeEach(async () => {
  // One connection: what was prepared before is what comes next.
  knex = knexPackage({
    client: 'pg',
    connection: database.url,
    pool: { min: 0, max: 1 },
    log: { warn() {} },
  });
  storage = knexAdapter(knex);
  await storage.init();
  sent = [];
  knex.on('query', (query: SentQuery) => sent.push(query));
});

afterEach(() => knex.destroy());

async function newSession() {
  const user = { id: randomUUID(), email: null, emailVerified: true, passwordHash: null, metadata: {} };
  await storage.users.insert({ ...user, createdAt: now });
  const times = { createdAt: now, lastSeenAt: now, expiresAt: now, revokedAt: null };
  const session = { id: randomUUID(), userId: user.id, device: {}, ...times };
  await storage.sessions.start(session, 0);
  sent.length = 0;
  return session;
}

describe('hot path', () => {
  it('answers all session look-ups of one turn with one prepared query', async () => {
    const { id } = await newSession();
    const ids = [id, id, randomUUID(), 'malformed', id];
    const found = await Promise.all(ids.map((each) => storage.sessions.findWithUser(each)));
    expect(found.map((answer) => answer?.session.id)).toEqual([id, id, undefined, undefined, id]);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.options?.name).toBe('svc_session_check_0');
  });

  it('answers all user look-ups of one turn with one prepared query', async () => {
    const { userId } = await newSession();
    const found = await Promise.all([1, 2, 3].map(() => storage.users.findById(userId)));
    expect(found.map((user) => user?.id)).toEqual([userId, userId, userId]);
    expect(sent.map(({ options }) => options?.name)).toEqual(['svc_users_by_id_0']);
  });

  it('prepares one statement, however many ids a turn has', async () => {
    await newSession();
    for (const count of [1, 2, 30]) {
      await Promise.all(Array.from({ length: count }, () => storage.sessions.findWithUser(randomUUID())));
    }
    const { rows } = await knex.raw<{ rows: { name: string; calls: string }[] }>(
      'select name, generic_plans + custom_plans as calls from pg_prepared_statements',
    );
    expect(rows).toEqual([{ name: 'svc_session_check_0', calls: '3' }]);
  });

  it('asks nothing for an id that is malformed', async () => {
    expect(await storage.sessions.findWithUser('malformed')).toBeNull();
    expect(await storage.users.findById('malformed')).toBeNull();
    expect(sent.filter(({ sql }) => sql.includes('any(cast'))).toEqual([]);
  });

  it('reads session and user by index', async () => {
    const ids = '{00000000-0000-4000-8000-000000000000}';
    const { id } = await newSession();
    await storage.sessions.findWithUser(id);
    const sql = (sent[0]?.sql ?? '').replace('$1', `'${ids}'`);
    const { rows } = await knex.transaction(async (transaction) => {
      await transaction.raw('set local enable_seqscan = off');
      return transaction.raw<{ rows: Record<string, string>[] }>(`explain ${sql}`);
    });
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/svc_sessions_pkey/);
    expect(plan).toMatch(/svc_users_pkey/);
  });
});

describe('recovery without a restart', () => {
  it('re-prepares its statements after a change of the schema under them', async () => {
    const { id, userId } = await newSession();
    await storage.sessions.findWithUser(id);
    await runSql(database.url, 'alter table svc_users alter column email type varchar(400)');
    expect((await storage.sessions.findWithUser(id))?.user.id).toBe(userId);
    expect(sent.map(({ options }) => options?.name)).toEqual([
      'svc_session_check_0',
      'svc_session_check_0',
      'svc_session_check_1',
    ]);
    await runSql(database.url, 'alter table svc_users alter column email type text');
    expect((await storage.sessions.findWithUser(id))?.user.id).toBe(userId);
  });

  it('re-prepares its statements where a pooler has dropped them', async () => {
    const { id } = await newSession();
    await storage.sessions.findWithUser(id);
    await knex.raw('deallocate all');
    expect((await storage.sessions.findWithUser(id))?.session.id).toBe(id);
  });

  it('works again after its connections were ended', async () => {
    const { id } = await newSession();
    await endConnections();
    expect((await eventually(() => storage.sessions.findWithUser(id)))?.session.id).toBe(id);
  });

  it('fails with internal_error while the database is away, and works once it is back', async () => {
    const { id, userId } = await newSession();
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

describe('errors', () => {
  it('are internal_error with the SQLSTATE in the cause and no value anywhere', async () => {
    const empty = await createDatabase();
    // The worst case: an instance of the host's, which puts values into messages.
    const host = knexPackage({ client: 'pg', connection: empty.url });
    const error = await knexAdapter(host)
      .users.findByEmail('secret@example.test')
      .catch((reason: Error) => reason);
    expect(error).toMatchObject({ code: 'internal_error', cause: { code: '42P01' } });
    const cause = (error as Error).cause as Error;
    expect(cause.message).toBe('relation "svc_users" does not exist');
    expect(JSON.stringify({ ...cause, stack: cause.stack })).not.toContain('secret@');
    await host.destroy();
    await empty.drop();
  });

  it('do not repeat the values of a broken constraint', async () => {
    const token = { purpose: 'magic_link', subject: 's', expiresAt: now, metadata: {} } as const;
    await storage.singleUseTokens.insert({ ...token, digest: 'secret digest' });
    const error = await storage.singleUseTokens
      .insert({ ...token, digest: 'secret digest' })
      .catch((e: Error) => e);
    const cause = (error as Error).cause as Error;
    expect(cause).toMatchObject({ code: '23505' });
    expect(JSON.stringify({ ...cause, message: cause.message, stack: cause.stack })).not.toContain('secret');
  });

  it('of another database come when the adapter is made', () => {
    expect(() => knexAdapter({ client: 'mysql2' })).toThrow(
      expect.objectContaining({ code: 'config_invalid' }),
    );
    const mysql = knexPackage({ client: class extends knexPackage.Client {} });
    expect(() => knexAdapter(mysql)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
  });
});

it('close() leaves an instance open that was handed in', async () => {
  await storage.close();
  await expect(knex.raw('select 1')).resolves.toBeDefined();
});

it('close() ends the connections that the adapter opened', async () => {
  const own = knexAdapter({
    client: 'pg',
    connection: { connectionString: database.url, application_name: 'own' },
  });
  const connections = async () => {
    const { rows } = await knex.raw<{ rows: unknown[] }>(
      `select from pg_stat_activity where application_name = 'own'`,
    );
    return rows.length;
  };
  await own.users.findById(randomUUID());
  expect(await connections()).toBe(1);
  await own.close();
  await eventually(async () => expect(await connections()).toBe(0));
});

it('close() before the first call opens nothing', async () => {
  await knexAdapter({ client: 'pg', connection: 'postgres://nobody@127.0.0.1:1/none' }).close();
});

it('purgeExpired works in batches of 1000 rows', async () => {
  await knex.raw(
    `insert into svc_rate_limits (key, count, reset_at) select 'old ' || n, 1, '2030-01-01' from generate_series(1, 2500) n`,
  );
  sent.length = 0;
  expect(await storage.purgeExpired({ now })).toMatchObject({ rateLimits: 2500 });
  expect(sent.filter(({ sql }) => sql.includes('svc_rate_limits'))).toHaveLength(3);
});

it('deleting a user takes its sessions and identities along', async () => {
  const { id, userId } = await newSession();
  await knex.raw('delete from svc_users where id = ?', [userId]);
  expect(await storage.sessions.findWithUser(id)).toBeNull();
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

/** The answer, once there is one: a connection's end is noticed a moment after it. */
async function eventually<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
