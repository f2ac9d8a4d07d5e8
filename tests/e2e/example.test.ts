/** `npm start`: the example comes up on a port of its own, answers, and its README's walk with curl does what it says. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { httpClient, type HttpClient } from '../support/http-client.js';
import { lookAtAnswer } from '../support/leak-hooks.js';
import { failOnLeaks, LeakScan } from '../support/leak-scan.js';
import { closed, watchOutput } from '../support/watched-process.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

let example: ChildProcess;
let client: HttpClient;
let port: number;
let folder: string;
let output = '';
const leaks = new LeakScan();

/** A free port whose data folder does not exist: what we remove afterwards is ours. */
async function freePort(): Promise<number> {
  for (;;) {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const found = (probe.address() as AddressInfo).port;
    await new Promise((resolve) => probe.close(resolve));
    if (!existsSync(`${root}example-app/data/${found}`)) return found;
  }
}

beforeAll(async () => {
  port = await freePort();
  folder = `${root}example-app/data/${port}`;
  const env = { ...process.env, PORT: String(port), NODE_ENV: 'development' };
  // A process group of its own: npm, the shell and node end together, and nobody else with them.
  example = spawn('npm', ['start'], { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  watchOutput(example, 'the example', leaks);
  const ready = new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Ready:')) resolve();
    };
    example.stdout?.on('data', onData);
    example.stderr?.on('data', onData);
    example.once('exit', () => reject(new Error(`npm start ended:\n${output}`)));
    example.once('error', reject);
  });
  await ready;
  client = httpClient(port);
}, 60_000);

afterAll(async () => {
  client?.close();
  if (example?.pid !== undefined && example.exitCode === null && example.signalCode === null) {
    const ended = once(example, 'exit');
    process.kill(-example.pid, 'SIGTERM');
    const patience = setTimeout(() => process.kill(-example.pid!, 'SIGKILL'), 8_000);
    await ended;
    clearTimeout(patience);
  }
  if (example) await closed(example);
  failOnLeaks();
  if (folder) await rm(folder, { recursive: true, force: true });
}, 20_000);

const get = (path: string, headers = {}) =>
  client.send({ method: 'GET', path, headers: { Host: `localhost:${port}`, ...headers } });

it('npm start comes up and its pages answer', async () => {
  expect(output).toContain(`http://localhost:${port}`);
  for (const path of ['/sign-in', '/inbox', '/reset']) {
    const answer = await get(path);
    expect([path, answer.status]).toEqual([path, 200]);
    expect(answer.headers['content-type']).toMatch(/^text\/html; charset=utf-8/i);
  }
  const home = await get('/');
  expect([home.status, home.location]).toEqual([302, '/sign-in']);
  expect((await get('/api/auth/session')).json.error).toBe('token_invalid');
  expect((await get('/me')).status).toBe(401);
});

it('a visitor signs in with the code of the inbox and sees the protected page', async () => {
  const email = 'visitor@acme.test';
  const post = (route: string, body: object) =>
    client.send({
      method: 'POST',
      path: `/api/auth${route}`,
      body,
      headers: {
        Host: `localhost:${port}`,
        Origin: `http://localhost:${port}`,
        'Sec-Fetch-Site': 'same-origin',
      },
    });
  expect((await post('/email-code/send', { email })).status).toBe(200);
  const [mail] = (await get('/inbox.json')).json as { to: string; code: string }[];
  expect(mail?.to).toBe(email);
  leaks.learnCode(mail!.code);
  const answer = await post('/email-code/verify', { email, code: mail?.code });
  expect(answer.status).toBe(200);
  lookAtAnswer(leaks, 'POST', '/email-code/verify', answer);
  const headers = { Cookie: answer.cookie() };
  const page = await get('/', headers);
  expect(page.status).toBe(200);
  expect(page.text).toContain(email);
  expect((await get('/me', headers)).json).toMatchObject({ email, emailVerified: true });
});

it('curl alone walks through all twelve routes, as example-app/README.md has it', async () => {
  const readme = await readFile(`${root}example-app/README.md`, 'utf8');
  const script = /```sh\n(base=[\s\S]*?)```/.exec(readme)![1]!;
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    env: { ...process.env, base: `http://localhost:${port}` },
  });
  const steps = stdout.split(/^== /m).slice(1);
  const answers = steps.map((step) => {
    const [route = '', ...lines] = step.split('\n');
    return `${route.replace(/\?.*/, '')} ${summary(lines.join('\n'))}`;
  });
  if (answers.some((answer) => answer.includes('internal_error'))) throw new Error(output);
  expect(answers).toEqual([
    'email-code/send {expiresAt}',
    'email-code/verify {user,created}',
    'session {user}',
    'logout {ok}',
    'session token_invalid',
    'magic-link/send {expiresAt}',
    'magic-link/verify 302 /',
    'session {user}',
    'password/signup {user}',
    'password/login {user}',
    'password/request-reset {sent}',
    'password/reset {user}',
    'session token_invalid',
    'password/login {user}',
    'logout {ok}',
    'session {user}',
  ]);
  expect(stdout).toContain('ada@people.example');
}, 30_000);

function summary(text: string): string {
  const redirect = /^HTTP\/1\.1 (302)[\s\S]*^Location: (\S+)/im.exec(text);
  if (redirect) return `${redirect[1]} ${redirect[2]}`;
  const json = JSON.parse(/^\{.*\}$/m.exec(text)![0]) as { error?: string };
  return json.error ?? `{${Object.keys(json).join()}}`;
}
