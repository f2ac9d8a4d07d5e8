/** No connection is free: the whole pool is in somebody else's hands, as when the application holds its transactions too long. */
import express from 'express';
import knexPackage, { type Knex } from 'knex';
import { knexAdapter } from 'svc-auth';
import { openSite, type Site } from '../../support/http-site.js';
import { createDatabase, type TestDatabase } from '../../support/postgres.js';
import { timed } from '../../support/outcomes.js';

const acquireConnectionTimeout = 400;
// It would tell the console of every time-out.
const log = { warn: () => undefined };
let database: TestDatabase;
let knex: Knex;
let site: Site;

beforeAll(async () => {
  database = await createDatabase();
  const pool = { min: 0, max: 2 };
  knex = knexPackage({ client: 'pg', connection: database.url, pool, acquireConnectionTimeout, log });
  const adapter = knexAdapter(knex);
  await adapter.init();
  site = await openSite(express, adapter);
}, 60_000);

afterAll(async () => {
  await site?.close();
  await knex?.destroy();
  await database?.drop();
});

/** Somebody takes every connection while `meanwhile` runs. */
async function withNoneFree<T>(meanwhile: () => Promise<T>): Promise<T> {
  const held = await Promise.all([knex.transaction(), knex.transaction()]);
  try {
    return await meanwhile();
  } finally {
    await Promise.all(held.map((each) => each.rollback()));
  }
}

it('requests wait as long as the pool says and no longer, however many there are, and are answered at once when a connection is free again', async () => {
  const { cookie, email, password } = await site.signUp();
  const stranger = site.address();
  const { ms, result } = await withNoneFree(() =>
    timed(() =>
      Promise.all([
        ...Array.from({ length: 40 }, () => site.get('/session', { cookie })),
        ...Array.from({ length: 40 }, () => site.post('/password/login', { email, password })),
        ...Array.from({ length: 10 }, () => site.post('/email-code/send', { email: stranger })),
        site.post('/password/signup', { email: site.address(), password }),
        site.post('/logout', undefined, { cookie: cookie.replace(/.$/, '!') }),
      ]),
    ),
  );
  const refused = result.filter(({ status, json }) => status === 500 && json.error === 'internal_error');
  // The last one has no session that could be ended.
  expect(refused).toHaveLength(result.length - 1);
  expect(ms).toBeGreaterThan(acquireConnectionTimeout - 50);
  // Tries of one address take turns, two at a time; but nobody waits for the time-outs of all before them: that were 8 s.
  expect(ms).toBeLessThan(5_000);

  const back = await timed(() => site.get('/session', { cookie }));
  expect(back.result.status).toBe(200);
  expect((await site.post('/password/login', { email, password })).status).toBe(200);
  // None of the sends that failed was charged.
  for (let i = 0; i < 5; i += 1) {
    expect((await site.post('/email-code/send', { email: stranger })).status).toBe(200);
  }
});

it('a request that waits for a connection is answered as soon as there is one', async () => {
  const { cookie } = await site.signUp();
  const waiting = await withNoneFree(async () => {
    const asked = timed(() => site.get('/session', { cookie }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    return { asked };
  });
  const { ms, result } = await waiting.asked;
  expect(result.status).toBe(200);
  expect(ms).toBeLessThan(acquireConnectionTimeout);
});

it('a reset that cannot get a connection is answered like any other, and told of in the log', async () => {
  const { email } = await site.signUp();
  await withNoneFree(async () => {
    const answer = await site.post('/password/request-reset', { email });
    expect([answer.status, answer.json]).toEqual([200, { sent: true }]);
    await site.settle();
  });
  expect(site.log.filter(({ level }) => level === 'error').at(-1)?.message).toBe(
    'password reset mail failed in the background',
  );
  await site.post('/password/request-reset', { email });
  await site.settle();
  expect(site.mailedToken(email)).toMatch(/./);
});
