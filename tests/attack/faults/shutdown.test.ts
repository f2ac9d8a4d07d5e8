/** A SIGTERM under traffic, in a real process: requests are answered, mails are sent or told of, and it ends in time with code 0. */
import { connect } from 'node:net';
import type { HttpClient } from '../../support/http-client.js';
import { createDatabase, type TestDatabase } from '../../support/postgres.js';
import { endProcesses, startApplication } from './processes.js';
import { timed } from '../../support/outcomes.js';

const password = 'correct horse battery';
let database: TestDatabase;

beforeAll(async () => void (database = await createDatabase()), 60_000);
afterEach(endProcesses);
afterAll(() => database?.drop());

const start = (order: { mailMs: number | null; graceMs: number }) =>
  startApplication({ ...order, databaseUrl: database.url });

/** Asks on one connection, without a pause, until nobody answers. */
async function busy(client: HttpClient): Promise<number> {
  for (let answers = 0; answers < 100_000; answers += 1) {
    const answer = await client.send({ method: 'GET', path: '/api/auth/session' }).catch(() => null);
    if (answer === null) return answers;
    expect(answer.status).toBe(401);
  }
  throw new Error('The application did not end.');
}

it('what is under way is answered, mails leave, kept connections hold nothing up, and the code is 0', async () => {
  const app = await start({ mailMs: 400, graceMs: 20_000 });
  const people = Array.from({ length: 4 }, (_, i) => `person-${i}@example.com`);
  for (const email of people)
    expect((await app.post('/password/signup', { email, password })).status).toBe(200);
  const visitors = Promise.all(Array.from({ length: 4 }, () => busy(app.client())));
  const slow = Array.from({ length: 4 }, () => app.client().send({ method: 'GET', path: '/slow' }));
  const resets = await Promise.all(people.map((email) => app.post('/password/request-reset', { email })));
  const logins = people.map((email) => app.post('/password/login', { email, password }));
  await app.until('/slow', 4);
  await app.until('/api/auth/password/login', 4);

  const { ms, result: code } = await timed(app.terminate);
  expect(code).toBe(0);
  // Half a second for what is under way and for the mails; the rest is the machine's.
  expect(ms).toBeLessThan(6_000);
  const answers = [...(await Promise.all([...slow, ...logins])), ...resets];
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
  expect(app.mailed.sort()).toEqual(people);
  expect(Math.min(...(await visitors))).toBeGreaterThan(0);
  expect(app.log()).toBe('');
}, 30_000);

it('a mail that hangs and a client that never ends its request are given up in time, and the log names the mail', async () => {
  const app = await start({ mailMs: null, graceMs: 1_000 });
  const email = 'hanging@example.com';
  await app.post('/password/signup', { email, password });
  await app.post('/password/request-reset', { email });
  const half = connect(app.port, '127.0.0.1');
  half.on('error', () => undefined);
  half.write(
    'POST /api/auth/password/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
  );
  await app.until('/api/auth/password/login', 1);

  const { ms, result: code } = await timed(app.terminate);
  half.destroy();
  expect(code).toBe(0);
  expect(ms).toBeLessThan(6_000);
  expect(app.log()).toMatch(/"event":"close_incomplete","waitingFor":\["password reset mail"\]/);
  expect(app.log()).not.toContain(email);
}, 30_000);
