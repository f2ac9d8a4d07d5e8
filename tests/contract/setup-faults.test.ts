// Faults of the set-up: the developer reads what to change, and never the sentence for visitors.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import request from 'supertest';
import {
  createAuthRouter,
  knexAdapter,
  pgliteAdapter,
  smtpSender,
  sqliteAdapter,
  type StorageAdapter,
} from 'svc-auth';
import { freePort } from '../support/free-port.js';
import { makeService } from '../support/make-service.js';
import { errorOf } from '../support/outcomes.js';
import { createDatabase, querySql, type TestDatabase } from '../support/postgres.js';

const forVisitors = 'Something went wrong on our side';
let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-auth-faults-'));
  database = await createDatabase();
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await database.drop();
});

/** Returns the error of the first call of an adapter, and closes it. */
async function faultOf(adapter: StorageAdapter): Promise<Error & { code?: string }> {
  const error = (await errorOf(() => adapter.init())) as Error & { code?: string };
  await adapter.close();
  return error;
}

describe('a connection that is missing or of another database', () => {
  // As of a variable that is not set.
  const unset = process.env['SVC_AUTH_NOT_SET'];
  it.each<[string, () => unknown, string]>([
    [
      'pg: undefined',
      () => knexAdapter({ client: 'pg', connection: unset }),
      'knexAdapter(…).connection: is missing',
    ],
    ['pg: no connection', () => knexAdapter({ client: 'pg' }), 'DATABASE_URL'],
    ['pg: empty', () => knexAdapter({ client: 'pg', connection: '' }), 'is missing or empty'],
    ['pg: no URL', () => knexAdapter({ client: 'pg', connection: 'app' }), 'starts with postgres://'],
    [
      'pg: MySQL',
      () => knexAdapter({ client: 'pg', connection: 'mysql://root:hunter2@db/app' }),
      'postgres://',
    ],
    ['pg: number', () => knexAdapter({ client: 'pg', connection: 5432 as never }), 'must be a connection'],
    ['mysql2: undefined', () => knexAdapter({ client: 'mysql2', connection: unset }), 'is missing or empty'],
    ['mysql2: no URL', () => knexAdapter({ client: 'mysql2', connection: 'app' }), 'starts with mysql://'],
    [
      'better-sqlite3: undefined',
      () => knexAdapter({ client: 'better-sqlite3', connection: unset }),
      'is missing or empty',
    ],
    [
      'better-sqlite3: no filename',
      () => knexAdapter({ client: 'better-sqlite3', connection: {} }),
      'is missing or empty',
    ],
    ['sqliteAdapter(undefined)', () => sqliteAdapter(unset as never), 'sqliteAdapter(file): is missing'],
    ["sqliteAdapter('')", () => sqliteAdapter(''), 'sqliteAdapter(file): is missing'],
    ['pgliteAdapter(undefined)', () => pgliteAdapter(unset as never), 'pgliteAdapter(dataDir): is missing'],
    [
      'readFrom: empty',
      () => knexAdapter({ client: 'pg', connection: 'postgres://db/app' }, { readFrom: { connection: '' } }),
      'readFrom.connection: is missing or empty',
    ],
    ['smtpSender: empty', () => smtpSender('', { from: 'a@acme.test' }), 'smtpSender(options)'],
    ['smtpSender: no URL', () => smtpSender('localhost:1025', { from: 'a@acme.test' }), 'smtp://'],
  ])('throws config_invalid that names the option and repeats no value (%s)', (_name, make, message) => {
    expect(make).toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining(message) }),
    );
    expect(make).not.toThrow(/hunter2/);
  });

  it.each(['postgres://db/app', 'postgresql://db/app', {}, async () => ({})])(
    'accepts %p for PostgreSQL',
    async (connection) => {
      await knexAdapter({ client: 'pg', connection }).close();
    },
  );
});

describe('a database that cannot be used', () => {
  it.each(['pg', 'mysql2'])('reports the host and port that refuse a connection of %s', async (client) => {
    const port = await freePort();
    const scheme = client === 'pg' ? 'postgres' : 'mysql';
    const connection = `${scheme}://app:hunter2@127.0.0.1:${port}/app`;
    const error = await faultOf(knexAdapter({ client, connection }));
    expect(error.code).toBe('internal_error');
    expect(error.message).toBe(`The database could not be reached: connect ECONNREFUSED 127.0.0.1:${port}.`);
  });

  it.each(['pg', 'mysql2'])(
    'reports every address of a host that refuses a connection of %s',
    async (client) => {
      const port = await freePort();
      const connection = { host: 'localhost', port, user: 'app', database: 'app' };
      const { message } = await faultOf(knexAdapter({ client, connection }));
      expect(message).toMatch(/^The database could not be reached: connect ECONNREFUSED [\d.:a-f]+/);
      expect(message).toContain(`:${port}`);
    },
  );

  it.each(['pg', 'mysql2'])('reports the host that %s does not find', async (client) => {
    const connection = { host: 'db.invalid', user: 'app', database: 'app' };
    const { message } = await faultOf(knexAdapter({ client, connection }));
    expect(message).toMatch(/^The database could not be reached: getaddrinfo \w+ db\.invalid\.$/);
  });

  it('reports a database that does not exist, and a refused user', async () => {
    const [missing, refused] = [new URL(database.url), new URL(database.url)];
    missing.pathname = '/missing';
    const atMissing = knexAdapter({ client: 'pg', connection: missing.href });
    expect((await faultOf(atMissing)).message).toContain('database "missing" does not exist');
    refused.username = 'stranger';
    refused.password = 'hunter2';
    const { message } = await faultOf(knexAdapter({ client: 'pg', connection: refused.href }));
    expect(message).toContain('The database refused the user or the password: ');
    expect(message).toContain('"stranger"');
    expect(message).not.toContain('hunter2');
  });

  it('reports a user of PostgreSQL who may not create tables', async () => {
    await querySql(database.url, `create role svc_reader login password 'hunter2'`);
    const url = new URL(database.url);
    [url.username, url.password] = ['svc_reader', 'hunter2'];
    try {
      const { message } = await faultOf(knexAdapter({ client: 'pg', connection: url.href }));
      expect(message).toBe(
        'The user of the connection lacks a permission in the database: permission denied for schema public.',
      );
    } finally {
      await querySql(database.url, 'drop role svc_reader');
    }
  });

  it.each<[string, () => StorageAdapter]>([
    ['PostgreSQL', () => knexAdapter({ client: 'pg', connection: database.url })],
    ['SQLite', () => sqliteAdapter()],
  ])('reports that init() was not called, on %s', async (_name, open) => {
    const adapter = open();
    const { message, cause } = (await errorOf(() => adapter.users.findByEmail('ada@example.com'))) as Error;
    expect(message).toMatch(/^A table does not exist: call `await service\.init\(\)`/);
    // Which one, says the cause: the message may be shown to users.
    expect((cause as Error).message).toMatch(/svc_users/);
    await adapter.close();
  });

  it('reports a file of SQLite that is a folder, is not a database, or cannot be created', async () => {
    const file = join(folder, 'text.db');
    await writeFile(file, 'not a database '.repeat(100));
    const messages = await Promise.all(
      [folder, file, join(file, 'below.db')].map(
        async (path) => (await faultOf(sqliteAdapter(path))).message,
      ),
    );
    expect(messages).toEqual([
      expect.stringMatching(/^The database file could not be opened: ./),
      expect.stringMatching(/^The database file is not an SQLite database: ./),
      expect.stringMatching(/^The folder of the database file could not be created: E\w+: /),
    ]);
  });

  it('is reported to the log of a request, and to the visitor as a failure', async () => {
    const port = await freePort();
    const adapter = knexAdapter({ client: 'pg', connection: `postgres://app@127.0.0.1:${port}/app` });
    const { service, log } = await makeService({ adapter, init: false });
    const app = express().use('/api/auth', createAuthRouter(service));
    const response = await request(app).post('/api/auth/email-code/send').send({ email: 'ada@example.com' });
    expect(response.status).toBe(500);
    expect(response.text).toContain(forVisitors);
    expect(response.text).not.toContain('ECONNREFUSED');
    expect(log).toContainEqual({
      level: 'error',
      message: 'a request failed',
      fields: expect.objectContaining({
        detail: `The database could not be reached: connect ECONNREFUSED 127.0.0.1:${port}.`,
      }),
    });
    await service.close();
  });
});

it('a mail server that cannot be reached is named by email_send_failed', async () => {
  const port = await freePort();
  const sender = smtpSender(`smtp://127.0.0.1:${port}`, { from: 'no-reply@acme.test' });
  const { service } = await makeService({ providers: { emailCode: { sender } } });
  const error = await errorOf(() => service.emailCode.sendCode({ email: 'ada@example.com' }));
  expect(error).toMatchObject({
    code: 'email_send_failed',
    message: `The email could not be sent: connect ECONNREFUSED 127.0.0.1:${port}.`,
  });
  await service.close();
});
