/** A connection pool without a free connection, as when the application keeps its transactions open too long. */
import express from 'express';
import knexPackage, { type Knex } from 'knex';
import { knexAdapter } from 'svc-auth';
import { openSite, type Site } from '../../support/http-site.js';
import { createMigratedDatabase, type TestDatabase } from '../../support/postgres.js';

const acquireConnectionTimeout = 400;
// Silences the warning about every time-out.
const log = { warn: () => undefined };
interface Pooled {
  pool: { numPendingAcquires: () => number };
}

let database: TestDatabase;
let knex: Knex;
let site: Site;

beforeAll(async () => {
  database = await createMigratedDatabase();
  const pool = { min: 0, max: 2 };
  knex = knexPackage({ client: 'pg', connection: database.url, pool, acquireConnectionTimeout, log });
  const adapter = knexAdapter(knex);
  await adapter.init();
  site = await openSite(express, adapter);
});

afterAll(async () => {
  await site?.close();
  await knex?.destroy();
  await database?.drop();
});

/** Takes every connection while `action` runs. */
async function withNoneFree<T>(action: () => Promise<T>): Promise<T> {
  const transactions = await Promise.all([knex.transaction(), knex.transaction()]);
  try {
    return await action();
  } finally {
    await Promise.all(transactions.map((transaction) => transaction.rollback()));
  }
}

it('fails requests after the acquire time-out, regardless of their number, and serves them again once a connection is free', async () => {
  const { cookie, email, password } = await site.signUp();
  const stranger = site.uniqueEmail();
  const { pool } = knex.client as Pooled;
  let mostWaiting = 0;
  const count = setInterval(() => (mostWaiting = Math.max(mostWaiting, pool.numPendingAcquires())), 5);
  const result = await withNoneFree(() =>
    Promise.all([
      ...Array.from({ length: 40 }, () => site.get('/session', { cookie })),
      ...Array.from({ length: 40 }, () => site.post('/password/login', { email, password })),
      ...Array.from({ length: 10 }, () => site.post('/email-code/send', { email: stranger })),
      site.post('/password/signup', { email: site.uniqueEmail(), password }),
      site.post('/logout', undefined, { cookie: cookie.replace(/.$/, '!') }),
    ]),
  );
  clearInterval(count);
  const failed = result.filter(({ status, json }) => status === 500 && json.error === 'internal_error');
  // The last request has no session to revoke.
  expect(failed).toHaveLength(result.length - 1);
  // Logins of one address run two at a time, but do not wait for the time-outs of all before them.
  expect(mostWaiting).toBeGreaterThan(25);

  expect((await site.get('/session', { cookie })).status).toBe(200);
  expect((await site.post('/password/login', { email, password })).status).toBe(200);
  // None of the failed sends was counted.
  for (let i = 0; i < 5; i += 1) {
    expect((await site.post('/email-code/send', { email: stranger })).status).toBe(200);
  }
});

it('serves a waiting request when a connection is free', async () => {
  const { cookie } = await site.signUp();
  const { pool } = knex.client as Pooled;
  const { waiting } = await withNoneFree(async () => {
    const request = site.get('/session', { cookie });
    while (pool.numPendingAcquires() === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    return { waiting: request };
  });
  // After the acquire time-out it would be 500.
  expect((await waiting).status).toBe(200);
});

it('responds to a reset request as usual if no connection is free, and logs the failure', async () => {
  const { email } = await site.signUp();
  await withNoneFree(async () => {
    const response = await site.post('/password/request-reset', { email });
    expect([response.status, response.json]).toEqual([200, { sent: true }]);
    await site.settle();
  });
  expect(site.log.filter(({ level }) => level === 'error').at(-1)?.message).toBe(
    'password reset mail failed in the background',
  );
  await site.post('/password/request-reset', { email });
  await site.settle();
  expect(site.mailedToken(email)).toMatch(/./);
});
