/**
 * A flood of logins or sign-ups and one login of another client, on PostgreSQL: counts how many passwords are hashed before that
 * of the other client. The time that takes is measured in floods.test.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import knexPackage, { type Knex } from 'knex';
import { knexAdapter } from 'svc-auth';
import { openSite, type Site } from '../../support/http-site.js';
import { cheapHasher } from '../../support/make-service.js';
import { gate } from '../../support/password-accounts.js';
import { createMigratedDatabase, type TestDatabase } from '../../support/postgres.js';

const floodPassword = 'the password of the flood';
const width = 8;
let database: TestDatabase;
let knex: Knex;
let site: Site;
let opened = Promise.resolve();
/** Whose passwords the hasher received, in order. */
const hashed: ('flood' | 'visitor')[] = [];

beforeAll(async () => {
  database = await createMigratedDatabase();
  knex = knexPackage({ client: 'pg', connection: database.url });
  const adapter = knexAdapter(knex);
  await adapter.init();
  const cheap = cheapHasher();
  const note = async (plain: string) => {
    hashed.push(plain === floodPassword ? 'flood' : 'visitor');
    await opened;
  };
  const hasher = {
    hash: (plain: string) => note(plain).then(() => cheap.hash(plain)),
    verify: (plain: string, hash: string) => note(plain).then(() => cheap.verify(plain, hash)),
  };
  site = await openSite(express, adapter, {
    trustProxy: true,
    service: {
      providers: { emailPassword: { hasher } },
      // Lifts the limits per client, since the queue is under test.
      rateLimit: { login: { perIp: { max: 10_000 } }, signUp: false },
    },
  });
});
afterAll(async () => {
  await site?.close();
  await knex?.destroy();
  await database?.drop();
});

const waitUntil = async (condition: () => boolean) => {
  while (!condition()) await sleep(5);
};

interface Pooled {
  pool: { numUsed: () => number; numPendingAcquires: () => number };
}

/** Resolves when no query runs or waits for a connection: each request in the queue has read its user, and waits only for its turn. */
async function untilQueriesEnd() {
  const { pool } = knex.client as Pooled;
  await waitUntil(() => pool.numUsed() + pool.numPendingAcquires() === 0);
}

function send(route: '/password/login' | '/password/signup', client: string) {
  const body = { email: site.uniqueEmail(), password: floodPassword };
  return site.post(route, body, { headers: { 'X-Forwarded-For': client } });
}

let networks = 0;
describe.each([
  ['logins', '/password/login'],
  ['sign-ups', '/password/signup'],
] as const)('Password queue during a flood of %s', (_name, route) => {
  it.each([1, 100])(
    'puts the login of another client before a flood from %d clients',
    async (clients) => {
      const network = (networks += 1);
      const from = (at: number) => `10.${network}.${at % clients}.7`;
      const { email, password } = await site.signUp();
      // By now the flood has lasted for a while.
      for (let round = 0; round < 3; round += 1)
        await Promise.all(Array.from({ length: 50 }, (_, at) => send(route, from(round * 50 + at))));
      const { opened: next, open } = gate();
      [opened, hashed.length] = [next, 0];
      let refused = 0;
      const flood = Array.from({ length: 64 }, (_, at) =>
        send(route, from(at)).then(({ status }) => (refused += status === 429 ? 1 : 0)),
      );
      await waitUntil(() => hashed.length === width);
      const headers = { 'X-Forwarded-For': `198.51.100.${network}` };
      const login = site.post('/password/login', { email, password }, { headers });
      // The queue is full: once the visitor is in it, it has taken the place of a login from the flood.
      await waitUntil(() => refused > 0);
      await untilQueriesEnd();
      open();
      expect((await login).status).toBe(200);
      await Promise.all(flood);
      // The visitor had the next turn.
      expect(hashed.indexOf('visitor')).toBe(width);
      expect(refused).toBe(1);
    },
    30_000,
  );
});

it('rejects a client whose limit is used up before it enters the queue', async () => {
  const client = '203.0.113.9';
  const headers = { 'X-Forwarded-For': client };
  const attempt = { email: site.uniqueEmail(), password: floodPassword };
  for (let i = 0; i < 10; i += 1) await site.post('/password/login', attempt, { headers });
  const { opened: next, open } = gate();
  [opened, hashed.length] = [next, 0];
  const others = Array.from({ length: 20 }, (_, at) => send('/password/login', `10.99.${at}.7`));
  await waitUntil(() => hashed.length === width);
  const { status, json } = await site.post('/password/login', attempt, { headers });
  expect([status, json.error]).toEqual([429, 'rate_limit_exceeded']);
  // The end of the window, not the time until the queue has room.
  expect(json.retryAfterMs).toBeGreaterThan(60_000);
  open();
  await Promise.all(others);
});
