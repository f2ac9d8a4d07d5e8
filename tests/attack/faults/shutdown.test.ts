/** SIGTERM under traffic, in a real process: pending requests get a response, mails are sent or logged, and it exits with code 0. */
import { connect } from 'node:net';
import type { HttpClient } from '../../support/http-client.js';
import { createMigratedDatabase, type TestDatabase } from '../../support/postgres.js';
import { endProcesses, startApplication } from './processes.js';

const password = 'correct horse battery';
let database: TestDatabase;

beforeAll(async () => void (database = await createMigratedDatabase()), 60_000);
afterEach(endProcesses);
afterAll(() => database?.drop());

const start = (order: { mailMs: number | null; graceMs: number }) =>
  startApplication({ ...order, databaseUrl: database.url });

/** Sends requests on one connection without a pause until one fails, and returns how many succeeded. */
async function countResponses(client: HttpClient): Promise<number> {
  for (let count = 0; count < 100_000; count += 1) {
    const response = await client.send({ method: 'GET', path: '/api/auth/session' }).catch(() => null);
    if (response === null) return count;
    expect(response.status).toBe(401);
  }
  throw new Error('The application did not end.');
}

it('completes pending requests and mails on SIGTERM, closes idle connections and exits with code 0', async () => {
  const app = await start({ mailMs: 400, graceMs: 600_000 });
  const people = Array.from({ length: 4 }, (_, i) => `person-${i}@example.com`);
  for (const email of people)
    expect((await app.post('/password/signup', { email, password })).status).toBe(200);
  const visitors = Promise.all(Array.from({ length: 4 }, () => countResponses(app.client())));
  const slow = Array.from({ length: 4 }, () => app.client().send({ method: 'GET', path: '/slow' }));
  const resets = await Promise.all(people.map((email) => app.post('/password/request-reset', { email })));
  const logins = people.map((email) => app.post('/password/login', { email, password }));
  await app.until('/slow', 4);
  await app.until('/api/auth/password/login', 4);

  // That it ends at all shows that it waits for nothing but these: the grace period is longer than the test may take.
  expect(await app.terminate()).toBe(0);
  const responses = [...(await Promise.all([...slow, ...logins])), ...resets];
  expect(responses.map(({ status }) => status)).toEqual(Array(12).fill(200));
  expect(app.mailed.sort()).toEqual(people);
  expect(Math.min(...(await visitors))).toBeGreaterThan(0);
  expect(app.log()).toBe('');
});

it('gives up a hanging mail and an unfinished request in time on SIGTERM, and logs the mail', async () => {
  const app = await start({ mailMs: null, graceMs: 1_000 });
  const email = 'hanging@example.com';
  await app.post('/password/signup', { email, password });
  await app.post('/password/request-reset', { email });
  const unfinished = connect(app.port, '127.0.0.1');
  unfinished.on('error', () => undefined);
  unfinished.write(
    'POST /api/auth/password/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
  );
  await app.until('/api/auth/password/login', 1);

  // The mail and the request never end.
  const code = await app.terminate();
  unfinished.destroy();
  expect(code).toBe(0);
  expect(app.log()).toMatch(/"event":"close_incomplete","waitingFor":\["password reset mail"\]/);
  expect(app.log()).not.toContain(email);
});
