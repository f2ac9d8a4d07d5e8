/**
 * Hundreds of concurrent logins on PostgreSQL: the queue before the hasher is bounded, and session requests are served in the
 * meantime. With FAULTS=long (`npm test -- --faults`, on an otherwise idle machine) also their speed, with bcrypt.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { knexAdapter, type StorageAdapter } from 'svc-auth';
import type { HttpResponse } from '../../support/http-client.js';
import { openSite, type Site } from '../../support/http-site.js';
import { cheapHasher } from '../../support/make-service.js';
import { gate } from '../../support/password-accounts.js';
import { createMigratedDatabase, querySql, type TestDatabase } from '../../support/postgres.js';
import { endProcesses, startApplication, startProbe } from './processes.js';

const password = 'correct horse battery';
const longIt = process.env['FAULTS'] === 'long' ? it : it.skip;
const allowedMs = 250;
let database: TestDatabase;

beforeAll(async () => void (database = await createMigratedDatabase()), 60_000);
afterAll(() => database?.drop());
afterEach(endProcesses);

const outcome = ({ status, json }: HttpResponse) => `${status} ${json.error ?? ''}`.trim();
const from = (at: number) => `10.0.${Math.floor(at / 250)}.${(at % 250) + 1}`;

describe('Concurrent logins', () => {
  let adapter: StorageAdapter;
  let site: Site;
  const cheap = cheapHasher();
  let opened = Promise.resolve();
  let verifying = 0;
  const hasher = {
    ...cheap,
    async verify(plain: string, hash: string) {
      verifying += 1;
      await opened;
      return cheap.verify(plain, hash);
    },
  };

  beforeAll(async () => {
    adapter = knexAdapter({ client: 'pg', connection: database.url });
    await adapter.init();
    const service = { providers: { emailPassword: { hasher } } };
    site = await openSite(express, adapter, { trustProxy: true, service });
  });
  afterAll(async () => {
    await site?.close();
    await adapter?.close();
  });

  /** Makes the hasher wait until the returned function is called. */
  function hold(): () => void {
    const { opened: next, open } = gate();
    [opened, verifying] = [next, 0];
    return open;
  }

  it('queues 64 of 80 concurrent logins, rejects the others with a retry time and serves sessions in the meantime', async () => {
    const open = hold();
    const { email, cookie } = await site.signUp();
    const session = async () => (await site.get('/session', { cookie })).status;
    const rejected: HttpResponse[] = [];
    const logins = Array.from({ length: 80 }, async (_, i) => {
      const body = { email: i === 0 ? email : site.uniqueEmail(), password };
      const response = await site.post('/password/login', body, { headers: { 'X-Forwarded-For': from(i) } });
      if (response.status === 429) rejected.push(response);
      return response;
    });
    const all = Promise.all(logins);
    for (let requests = 0; requests < 2_000 && verifying + rejected.length < 24; requests += 1)
      expect(await session()).toBe(200);
    // No queued login has a response yet: neither a rejected login nor a session request waited for them. Most of the queue has
    // not started either, or session requests would wait behind its work.
    expect([verifying, rejected.length]).toEqual([8, 16]);
    expect(await session()).toBe(200);
    open();
    const outcomes = (await all).map(outcome);
    expect(
      outcomes.filter((each) => !/^(200|401 invalid_credentials|429 rate_limit_exceeded)$/.test(each)),
    ).toEqual([]);
    expect(rejected.map(({ json }) => json.retryAfterMs as number)).toEqual(Array(16).fill(1000));
    // A rejected login does not reach the database, since all other requests would wait behind that flood.
    const counters = `select count(*) from svc_rate_limits where key like 'login:address:%'`;
    expect(await querySql(database.url, counters)).toEqual([{ count: '64' }]);
    expect((await site.post('/password/login', { email, password })).status).toBe(200);
  });

  it('makes 64 logins for one address wait for each other, and leaves the queue to other addresses', async () => {
    const open = hold();
    const { email } = await site.signUp();
    const headers = { 'X-Forwarded-For': from(0) };
    const flood = Array.from({ length: 64 }, () =>
      site.post('/password/login', { email: 'flood@example.com', password }, { headers }),
    );
    while (verifying < 2) await sleep(5);
    const login = site.post('/password/login', { email, password });
    while (verifying < 3) await sleep(5);
    open();
    expect((await login).status).toBe(200);
    const outcomes = (await Promise.all(flood)).map(outcome);
    expect(outcomes.filter((each) => each.startsWith('401'))).toHaveLength(10);
  });
});

describe('Bursts of 500 concurrent logins', () => {
  longIt(
    `keeps GET /session under ${allowedMs} ms at p99, or under twice the time of Express alone`,
    async () => {
      const order = { databaseUrl: database.url, mailMs: 0, graceMs: 1_000, reports: false };
      const app = await startApplication(order);
      const people = Array.from({ length: 50 }, (_, i) => `flood-${i}@example.com`);
      let cookie = '';
      for (const email of people) cookie = (await app.post('/password/signup', { email, password })).cookie();
      const client = app.client();

      /** Posts to one path and requests another one in the meantime; returns the p99 of the requests and the outcomes of the posts. */
      async function flood(path: string, probed: string) {
        const counts: Record<string, number> = {};
        const post = async (_: unknown, i: number) => {
          const headers = { 'X-Forwarded-For': from(i) };
          const body = { email: people[i % people.length], password };
          const outcomeName = await client
            .send({ method: 'POST', path, headers, body })
            .then(outcome, () => 'no response');
          counts[outcomeName] = (counts[outcomeName] ?? 0) + 1;
        };
        const burst = () => Promise.all(Array.from({ length: 500 }, post));
        // A process that has just started compiles its code first, so the first burst takes twice as long.
        await burst();
        const stop = await startProbe({ port: app.port, path: probed, cookie });
        for (let round = 0; round < 5; round += 1) await burst();
        // A short flood would be over before it has been probed.
        await sleep(500);
        const waits = await stop();
        const at = (part: number) => waits[Math.floor((waits.length - 1) * part)] ?? NaN;
        console.log(
          `${path}: ${JSON.stringify(counts)}; ${probed}, ${waits.length} times: median ${at(0.5).toFixed(0)} ms, ` +
            `p99 ${at(0.99).toFixed(0)} ms, longest ${at(1).toFixed(0)} ms`,
        );
        return { outcomes: Object.keys(counts).sort(), p99: at(0.99), times: waits.length };
      }

      const bare = await flood('/bare', '/bare');
      const logins = await flood('/api/auth/password/login', '/api/auth/session');
      expect(bare.outcomes).toEqual(['429 bare']);
      expect(logins.outcomes).toEqual(['200', '429 rate_limit_exceeded']);
      expect(logins.times).toBeGreaterThan(200);
      expect(logins.p99).toBeLessThan(Math.max(allowedMs, 2 * bare.p99));
    },
    120_000,
  );
});
