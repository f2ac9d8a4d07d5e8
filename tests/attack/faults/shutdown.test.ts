/** A SIGTERM under traffic, in a real process: requests are answered, mails are sent or told of, and it ends in time with code 0. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { httpClient, type HttpClient } from '../../support/http-client.js';
import { createDatabase, type TestDatabase } from '../../support/postgres.js';
import { timed } from './everything.js';
import type { ShutdownOrder, ShutdownReport } from './shutdown-app.js';

const script = fileURLToPath(new URL('./shutdown-app.ts', import.meta.url));
const password = 'correct horse battery';
let database: TestDatabase;
const started: ChildProcess[] = [];
const clients: HttpClient[] = [];

beforeAll(async () => void (database = await createDatabase()), 60_000);
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
});
afterAll(() => database?.drop());

async function start(order: Omit<ShutdownOrder, 'databaseUrl'>) {
  const child = fork(script, { execArgv: ['--import', 'tsx'], silent: true });
  started.push(child);
  const written: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => written.push(chunk.toString()));
  }
  await once(child, 'message');
  const arrived: string[] = [];
  const mailed: string[] = [];
  const listening = new Promise<number>((resolve) => {
    child.on('message', (said: ShutdownReport) => {
      if ('listening' in said) resolve(said.listening);
      else if ('mailed' in said) mailed.push(said.mailed);
      else arrived.push(said.arrived);
    });
  });
  child.send({ ...order, databaseUrl: database.url } satisfies ShutdownOrder);
  const port = await listening;
  const client = () => {
    const made = httpClient(port);
    clients.push(made);
    return made;
  };
  const own = client();
  const post = (route: string, body: object) => own.send({ method: 'POST', path: `/api/auth${route}`, body });
  /** Until so many requests for that path have come in. */
  const until = async (path: string, count: number) => {
    for (let tries = 0; tries < 500; tries += 1) {
      if (arrived.filter((each) => each === path).length >= count) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`${count} requests for ${path} did not arrive.`);
  };
  const terminate = async () => {
    const ended = once(child, 'exit') as Promise<[number | null]>;
    child.kill('SIGTERM');
    return (await ended)[0];
  };
  return { port, client, post, until, terminate, mailed, log: () => written.join('') };
}

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
