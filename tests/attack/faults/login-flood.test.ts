/**
 * Hundreds of logins at once on PostgreSQL. Always: the line before the hasher is bounded, and sessions are answered meanwhile.
 * With FAULTS=long (`npm run test:faults`, on a machine that does nothing else): with bcrypt, and how fast.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { knexAdapter, type StorageAdapter } from 'svc-auth';
import type { Answer } from '../../support/http-client.js';
import { openSite, type Site } from '../../support/http-site.js';
import { cheapHasher } from '../../support/make-service.js';
import { gate } from '../../support/password-accounts.js';
import { createDatabase, querySql, type TestDatabase } from '../../support/postgres.js';
import { endProcesses, startApplication, startProbe } from './processes.js';

const password = 'correct horse battery';
const longIt = process.env['FAULTS'] === 'long' ? it : it.skip;
const allowedMs = 250;
let database: TestDatabase;

beforeAll(async () => void (database = await createDatabase()), 60_000);
afterAll(() => database?.drop());
afterEach(endProcesses);

const outcome = ({ status, json }: Answer) => `${status} ${json.error ?? ''}`.trim();
const from = (at: number) => `10.0.${Math.floor(at / 250)}.${(at % 250) + 1}`;

describe('Logins at once', () => {
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

  /** From now on the hasher waits to be let. */
  function hold(): () => void {
    const { opened: next, open } = gate();
    [opened, verifying] = [next, 0];
    return open;
  }

  it('are 80: they wait in a line of 64 for the hasher, are told to come back beyond it, and sessions are answered meanwhile', async () => {
    const open = hold();
    const { email, cookie } = await site.signUp();
    const session = async () => (await site.get('/session', { cookie })).status;
    const refused: Answer[] = [];
    const logins = Array.from({ length: 80 }, async (_, i) => {
      const body = { email: i === 0 ? email : site.address(), password };
      const answer = await site.post('/password/login', body, { headers: { 'X-Forwarded-For': from(i) } });
      if (answer.status === 429) refused.push(answer);
      return answer;
    });
    const all = Promise.all(logins);
    for (let asked = 0; asked < 2_000 && verifying + refused.length < 24; asked += 1)
      expect(await session()).toBe(200);
    // None of the line has its answer yet: whoever was refused did not wait for them, and neither did a session. Most of
    // the line has not begun, either, or its work would be what sessions wait behind.
    expect([verifying, refused.length]).toEqual([8, 16]);
    expect(await session()).toBe(200);
    open();
    const words = (await all).map(outcome);
    expect(
      words.filter((word) => !/^(200|401 invalid_credentials|429 rate_limit_exceeded)$/.test(word)),
    ).toEqual([]);
    expect(refused.map(({ json }) => json.retryAfterMs as number)).toEqual(Array(16).fill(1000));
    // A refused login did not reach the database: that would be the flood that all other requests wait behind.
    const counters = `select count(*) from svc_rate_limits where key like 'login:address:%'`;
    expect(await querySql(database.url, counters)).toEqual([{ count: '64' }]);
    expect((await site.post('/password/login', { email, password })).status).toBe(200);
  }, 30_000);

  it('are 64 for one address: they wait for each other, and leave the line to the others', async () => {
    const open = hold();
    const { email } = await site.signUp();
    const headers = { 'X-Forwarded-For': from(0) };
    const flood = Array.from({ length: 64 }, () =>
      site.post('/password/login', { email: 'flood@example.com', password }, { headers }),
    );
    for (let tries = 0; tries < 200 && verifying < 2; tries += 1) await sleep(5);
    const login = site.post('/password/login', { email, password });
    for (let tries = 0; tries < 200 && verifying < 3; tries += 1) await sleep(5);
    open();
    expect((await login).status).toBe(200);
    const words = (await Promise.all(flood)).map(outcome);
    expect(words.filter((word) => word.startsWith('401'))).toHaveLength(10);
  }, 30_000);
});

describe('500 logins at once, five times after a first', () => {
  longIt(
    `leave GET /session under ${allowedMs} ms at p99, or where Express alone takes longer, under twice its time`,
    async () => {
      const order = { databaseUrl: database.url, mailMs: 0, graceMs: 1_000, tells: false };
      const app = await startApplication(order);
      const people = Array.from({ length: 50 }, (_, i) => `flood-${i}@example.com`);
      let cookie = '';
      for (const email of people) cookie = (await app.post('/password/signup', { email, password })).cookie();
      const client = app.client();

      /** Posts to one path, and asks for another meanwhile: how long that takes at p99, and what the posts were answered. */
      async function flood(path: string, probed: string) {
        const seen: Record<string, number> = {};
        const post = async (_: unknown, i: number) => {
          const headers = { 'X-Forwarded-For': from(i) };
          const body = { email: people[i % people.length], password };
          const word = await client
            .send({ method: 'POST', path, headers, body })
            .then(outcome, () => 'no answer');
          seen[word] = (seen[word] ?? 0) + 1;
        };
        const burst = () => Promise.all(Array.from({ length: 500 }, post));
        // What has just been started compiles what it does for the first time; that takes the first burst twice as long.
        await burst();
        const stop = await startProbe({ port: app.port, path: probed, cookie });
        for (let round = 0; round < 5; round += 1) await burst();
        // A flood that is over at once has hardly been asked through.
        await sleep(500);
        const waits = await stop();
        const at = (part: number) => waits[Math.floor((waits.length - 1) * part)] ?? NaN;
        console.log(
          `${path}: ${JSON.stringify(seen)}; ${probed}, ${waits.length} times: median ${at(0.5).toFixed(0)} ms, ` +
            `p99 ${at(0.99).toFixed(0)} ms, longest ${at(1).toFixed(0)} ms`,
        );
        return { seen: Object.keys(seen).sort(), p99: at(0.99), times: waits.length };
      }

      const bare = await flood('/bare', '/bare');
      const logins = await flood('/api/auth/password/login', '/api/auth/session');
      expect(bare.seen).toEqual(['429 bare']);
      expect(logins.seen).toEqual(['200', '429 rate_limit_exceeded']);
      expect(logins.times).toBeGreaterThan(200);
      expect(logins.p99).toBeLessThan(Math.max(allowedMs, 2 * bare.p99));
    },
    120_000,
  );
});
