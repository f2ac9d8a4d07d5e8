/** A database that accepts a statement and does not respond: the test locks a whole table. */
import express from 'express';
import { Client } from 'pg';
import { knexAdapter, type StorageAdapter } from 'svc-auth';
import { openSite, type Site } from '../../support/http-site.js';
import { createMigratedDatabase, type TestDatabase } from '../../support/postgres.js';

let database: TestDatabase;
let adapter: StorageAdapter;
let site: Site;
let holder: Client;

beforeAll(async () => {
  database = await createMigratedDatabase();
  adapter = knexAdapter({
    client: 'pg',
    connection: { connectionString: database.url, query_timeout: 500 },
    pool: { min: 0, max: 3 },
  });
  await adapter.init();
  site = await openSite(express, adapter);
  holder = new Client({ connectionString: database.url });
  await holder.connect();
});

afterAll(async () => {
  await holder?.end();
  await site?.close();
  await adapter?.close();
  await database?.drop();
});

it('responds after query_timeout while the database hangs, and as usual once it continues', async () => {
  const { cookie, email, password } = await site.signUp();
  await holder.query('begin; lock table svc_users in access exclusive mode');
  // The lock ends after the responses: without the time-out there would be none.
  const result = await Promise.all([
    ...Array.from({ length: 10 }, () => site.get('/session', { cookie })),
    site.post('/password/login', { email, password }),
  ]);
  expect(result.map(({ status, json }) => `${status} ${json.error}`)).toEqual(
    Array(11).fill('500 internal_error'),
  );
  await holder.query('rollback');

  expect((await site.get('/session', { cookie })).status).toBe(200);
  expect((await site.post('/password/login', { email, password })).status).toBe(200);
});

it('makes a request without query_timeout wait until the database continues', async () => {
  const waiting = knexAdapter({ client: 'pg', connection: database.url });
  const other = await openSite(express, waiting);
  const { cookie } = await other.signUp();
  await holder.query('begin; lock table svc_users in access exclusive mode');
  const session = other.get('/session', { cookie });
  const waitingForLock = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  while ((await holder.query(waitingForLock)).rowCount === 0)
    await new Promise((resolve) => setTimeout(resolve, 10));
  await holder.query('rollback');
  expect((await session).status).toBe(200);
  await other.close();
  await waiting.close();
});
