/**
 * What floods of every kind on PostgreSQL, from one client and from a hundred, cost other users. Runs only with FAULTS=long
 * (`npm test -- --faults`, on an otherwise idle machine); what each flood can use up is counted in tests/unit/fair-queue.test.ts,
 * tests/unit/background-work.test.ts and login-flood.test.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createMigratedDatabase, type TestDatabase } from '../../support/postgres.js';
import { endProcesses, startApplication, startProbe } from './processes.js';

const password = 'correct horse battery';
const longIt = process.env['FAULTS'] === 'long' ? it : it.skip;
const only = process.env['FLOOD'];
// On a busy machine, the bound is a multiple of the time before the flood: eight passwords are hashed on the threads of two
// cores.
const allowedLogin = { ms: 1_000, times: 16 };
// The slowest hundredth of responses of an empty Express application takes 0.6 s behind 64 busy connections.
const allowedSession = { ms: 1_000, times: 20 };
const allowedHeapMb = 250;
// A hundred clients that were never served count as a hundred visitors. Once each has had its turn they are a flood.
const firstRoundMs = 3_500;

let database: TestDatabase;
let floods = 0;
beforeAll(async () => void (database = await createMigratedDatabase()), 60_000);
afterAll(() => database?.drop());
afterEach(endProcesses);

interface Flood {
  path: string;
  body: (n: number) => object;
}

const known = (n: number) => `known-${n % 50}@example.com`;
const unknown = (n: number) => `stranger-${floods}-${n}@example.com`;
const kinds: Record<string, Flood> = {
  'wrong passwords': {
    path: '/password/login',
    body: (n) => ({ email: unknown(n), password: 'not the password' }),
  },
  'right passwords': { path: '/password/login', body: (n) => ({ email: known(n), password }) },
  'sign-ups': { path: '/password/signup', body: (n) => ({ email: unknown(n), password }) },
  'password resets': { path: '/password/request-reset', body: (n) => ({ email: known(n) }) },
  'resets for unknown addresses': { path: '/password/request-reset', body: (n) => ({ email: unknown(n) }) },
  'code sends': { path: '/email-code/send', body: (n) => ({ email: unknown(n) }) },
  'wrong codes': { path: '/email-code/verify', body: (n) => ({ email: unknown(n), code: '000000' }) },
};

const sizes = Object.keys(kinds).flatMap((kind) => [
  { kind, clients: 1, connections: 64, seconds: 8 },
  { kind, clients: 100, connections: 64, seconds: 8 },
]);
const larger = [
  { kind: 'password resets', clients: 1, connections: 256, seconds: 10 },
  { kind: 'password resets', clients: 100, connections: 256, seconds: 10 },
];

/** Sends requests on every connection until the time is over. Resolves with how often each status was returned. */
async function send(
  app: Awaited<ReturnType<typeof startApplication>>,
  { path, body }: Flood,
  { clients, connections, seconds }: { clients: number; connections: number; seconds: number },
): Promise<Record<string, number>> {
  const client = app.client();
  const end = performance.now() + seconds * 1000;
  const statuses: Record<string, number> = {};
  let sent = 0;
  const connection = async () => {
    while (performance.now() < end) {
      const n = (sent += 1);
      const headers = { 'X-Forwarded-For': `10.${floods}.${n % clients}.7` };
      const request = { method: 'POST', path: `/api/auth${path}`, headers, body: body(n) };
      const status = await client.send(request).then(
        (response) => String(response.status),
        () => 'none',
      );
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return statuses;
}

longIt.each(only ? [...sizes, ...larger].filter(({ kind }) => kind === only) : [...sizes, ...larger])(
  'serves sessions and logins of other clients during a flood of $kind from $clients clients on $connections connections',
  async ({ kind, ...size }) => {
    floods += 1;
    const order = { databaseUrl: database.url, mailMs: 50, graceMs: 1_000, reports: false };
    const app = await startApplication(order);
    const { port } = app;
    const people = ['honest@example.com', ...Array.from({ length: 50 }, (_, n) => known(n))];
    for (const email of people) await app.post('/password/signup', { email, password });
    const cookie = (await app.post('/password/login', { email: people[0], password })).cookie();
    const login = { path: '/api/auth/password/login', body: { email: people[0], password } };
    const probe = async (during: () => Promise<unknown>, delayMs = 0) => {
      const sessions = await startProbe({ port, path: '/api/auth/session', cookie });
      const network = `198.51.${floods}`;
      const logins = await startProbe({ port, ...login, network, intervalMs: 500, delayMs });
      const result = await during();
      return { result, sessionMs: await sessions(), loginMs: await logins() };
    };
    const calm = await probe(() => sleep(3_000));
    const {
      result: statuses,
      sessionMs,
      loginMs,
    } = await probe(() => send(app, kinds[kind]!, size), size.clients === 1 ? 0 : firstRoundMs);
    const { peakHeap } = await app
      .client()
      .send({ method: 'GET', path: '/memory' })
      .then(({ json }) => json as { peakHeap: number })
      .catch(() => ({ peakHeap: Infinity }));
    const at = (values: number[], part: number) => values[Math.floor((values.length - 1) * part)] ?? NaN;
    const failed = (values: number[]) => values.filter((ms) => ms === Infinity).length;
    const heapMb = peakHeap / 2 ** 20;
    console.log(
      [
        `${kind}, ${size.clients} clients, ${size.connections} connections, ${size.seconds} s: ${JSON.stringify(statuses)}`,
        `before: GET /session p99 ${at(calm.sessionMs, 0.99).toFixed(0)} ms; login median ${at(calm.loginMs, 0.5).toFixed(0)} ms`,
        `GET /session, ${sessionMs.length} requests: median ${at(sessionMs, 0.5).toFixed(0)} ms, p99 ${at(sessionMs, 0.99).toFixed(0)} ms, failed ${failed(sessionMs)}`,
        `POST /password/login, ${loginMs.length} requests: median ${at(loginMs, 0.5).toFixed(0)} ms, longest ${at(loginMs, 1).toFixed(0)} ms, failed ${failed(loginMs)}`,
        `heap ${heapMb.toFixed(0)} MB`,
      ].join('\n'),
    );
    expect(failed(sessionMs)).toBe(0);
    const bound = ({ ms, times }: { ms: number; times: number }, calmMs: number) =>
      Math.max(ms, times * calmMs);
    expect(at(sessionMs, 0.99)).toBeLessThan(bound(allowedSession, at(calm.sessionMs, 0.99)));
    expect(failed(loginMs)).toBe(0);
    expect(at(loginMs, 1)).toBeLessThan(bound(allowedLogin, at(calm.loginMs, 0.5)));
    expect(heapMb).toBeLessThan(allowedHeapMb);
  },
  90_000,
);
