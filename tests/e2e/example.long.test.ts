/** `npm start`: the example starts on a free port and serves its pages, and the curl script of its README works as described. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { httpClient, type HttpClient } from '../support/http-client.js';
import { scanResponse } from '../support/leak-hooks.js';
import { failOnLeaks, LeakScan } from '../support/leak-scan.js';
import { createDatabase, querySql } from '../support/postgres.js';
import { waitForExit, watchOutput } from '../support/watched-process.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Returns an environment in which the example uses SQLite, even if the tests have another one. */
const environment = (own: Record<string, string>) => {
  const { DATABASE_URL: _, ...others } = process.env;
  return { ...others, NODE_ENV: 'development', ...own };
};

let example: ChildProcess;
let client: HttpClient;
let port: number;
let folder: string;
let output = '';
const leaks = new LeakScan();

/** Returns a free port without an existing data folder, so that only a folder of the tests is removed afterwards. */
async function freePort(): Promise<number> {
  for (;;) {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const found = (probe.address() as AddressInfo).port;
    await new Promise((resolve) => probe.close(resolve));
    if (!existsSync(`${root}example-app/data/${found}`)) return found;
  }
}

/** Waits until the example is ready. @param onOutput receives all output of the process. */
async function untilReady(child: ChildProcess, onOutput: (text: string) => void = () => undefined) {
  let written = '';
  await new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      written += chunk.toString();
      onOutput(chunk.toString());
      if (written.includes('Ready:')) resolve();
    };
    child.stdout?.on('data', onData);
    child.stderr?.on('data', onData);
    child.once('exit', () => reject(new Error(`The example ended:\n${written}`)));
    child.once('error', reject);
  });
}

beforeAll(async () => {
  port = await freePort();
  folder = `${root}example-app/data/${port}`;
  const env = environment({ PORT: String(port) });
  // A separate process group, so that npm, the shell and node end together and nothing else does.
  example = spawn('npm', ['start'], { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  watchOutput(example, 'the example', leaks);
  await untilReady(example, (text) => (output += text));
  client = httpClient(port);
});

afterAll(async () => {
  client?.close();
  if (example?.pid !== undefined && example.exitCode === null && example.signalCode === null) {
    const ended = once(example, 'exit');
    process.kill(-example.pid, 'SIGTERM');
    const timer = setTimeout(() => process.kill(-example.pid!, 'SIGKILL'), 8_000);
    await ended;
    clearTimeout(timer);
  }
  if (example) await waitForExit(example);
  failOnLeaks();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const get = (path: string, headers = {}) =>
  client.send({ method: 'GET', path, headers: { Host: `localhost:${port}`, ...headers } });

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

it('npm start serves the pages of the example', async () => {
  expect(output).toContain(`http://localhost:${port}`);
  for (const path of ['/sign-in', '/sign-up', '/inbox', '/reset', '/own-pages/sign-in']) {
    const response = await get(path);
    expect([path, response.status]).toEqual([path, 200]);
    expect(response.headers['content-type']).toMatch(/^text\/html; charset=utf-8/i);
  }
  const home = await get('/');
  expect([home.status, home.location]).toEqual([302, '/sign-in?next=/']);
  const account = await get('/account/security');
  expect([account.status, account.location]).toEqual([303, '/sign-in?next=%2Faccount%2Fsecurity']);
  const unknown = await get('/nowhere');
  expect([unknown.status, unknown.text.includes('Page not found')]).toEqual([404, true]);
  expect((await get('/api/auth/session')).json.error).toBe('token_invalid');
  expect((await get('/me')).status).toBe(401);
});

it('a visitor signs in with the code from the inbox and sees the protected page', async () => {
  const email = 'visitor@acme.test';
  expect((await post('/email-code/send', { email })).status).toBe(200);
  const [mail] = (await get('/inbox.json')).json as { to: string; code: string }[];
  expect(mail?.to).toBe(email);
  leaks.learnCode(mail!.code);
  const response = await post('/email-code/verify', { email, code: mail?.code });
  expect(response.status).toBe(200);
  scanResponse(leaks, 'POST', '/email-code/verify', response);
  const headers = { Cookie: response.cookie() };
  const page = await get('/', headers);
  expect(page.status).toBe(200);
  expect(page.text).toContain(email);
  expect((await get('/me', headers)).json).toMatchObject({ email, emailVerified: true });
});

it('mails a notice of a sign-in from a new device, whose link asks before it signs out all devices', async () => {
  const email = 'notice@acme.test';
  type Mail = { kind: string; to: string; code?: string; text: string };
  const mailsOf = async (kind: string) =>
    ((await get('/inbox.json')).json as Mail[]).filter((mail) => mail.to === email && mail.kind === kind);
  const signIn = async () => {
    expect((await post('/email-code/send', { email })).status).toBe(200);
    const code = (await mailsOf('email_code'))[0]!.code!;
    leaks.learnCode(code);
    expect((await post('/email-code/verify', { email, code })).status).toBe(200);
  };
  await signIn();
  expect(await mailsOf('notice')).toEqual([]);
  // Without the cookie of the first sign-in, as another browser.
  await signIn();
  for (let tries = 0; tries < 6_000 && (await mailsOf('notice')).length === 0; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const [notice, ...others] = await mailsOf('notice');
  expect(others).toEqual([]);
  const link = new URL(/https?:\/\/\S+\/not-me\S*/.exec(notice!.text)![0]);
  expect(link.origin).toBe(`http://localhost:${port}`);
  const opened = await get(link.pathname + link.search);
  const page = opened.location === undefined ? opened : await get(opened.location);
  expect(page.status).toBe(200);
  expect(page.text).toContain('Sign out all devices');
});

it('the curl script of example-app/README.md calls all twelve routes', async () => {
  const readme = await readFile(`${root}example-app/README.md`, 'utf8');
  const script = /```sh\n(base=[\s\S]*?)```/.exec(readme)![1]!;
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    env: { ...process.env, base: `http://localhost:${port}` },
  });
  const steps = stdout.split(/^== /m).slice(1);
  const responses = steps.map((step) => {
    const [route = '', ...lines] = step.split('\n');
    return `${route.replace(/\?.*/, '')} ${summary(lines.join('\n'))}`.replace(/link=[\w-]{22}$/, 'link=…');
  });
  if (responses.some((response) => response.includes('internal_error'))) throw new Error(output);
  expect(responses).toEqual([
    'email-code/send {expiresAt}',
    'email-code/verify {user,created}',
    'session {user}',
    'logout {ok}',
    'session token_invalid',
    'magic-link/send {expiresAt}',
    'magic-link/verify 302 /sign-in/done?link=…',
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
});

function summary(text: string): string {
  const redirect = /^HTTP\/1\.1 (302)[\s\S]*^Location: (\S+)/im.exec(text);
  if (redirect) return `${redirect[1]} ${redirect[2]}`;
  const json = JSON.parse(/^\{.*\}$/m.exec(text)![0]) as { error?: string };
  return json.error ?? `{${Object.keys(json).join()}}`;
}

it('logs one line for each refused request', async () => {
  const before = output.length;
  const refused = ['/api/auth/account', '/api/auth/devices'];
  for (const path of refused) expect((await get(path)).status).toBe(401);
  const linesOf = () => output.slice(before).split('\n').slice(0, -1).filter(Boolean);
  for (let tries = 0; tries < 6_000 && linesOf().length < refused.length; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
  // Gives a third line time to arrive.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const lines = linesOf();
  expect(lines).toHaveLength(refused.length);
  for (const [index, line] of lines.entries()) {
    const [, json = ''] = /^info: a request was refused (\{.*\})$/.exec(line) ?? [];
    expect(JSON.parse(json)).toMatchObject({ path: refused[index], code: 'token_invalid' });
  }
});

/** Starts the example with these settings and returns its exit code and errors when it ends by itself. */
async function runUntilExit(settings: Record<string, string>) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'example-app/server.ts'], {
    cwd: root,
    env: environment({ PORT: String(await freePort()), ...settings }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { code, lines: errors.trimEnd().split('\n') };
}

const unreachable = 'postgres://acme:not-for-the-log@127.0.0.1:1/acme';
it.each([
  [{ FRESH_SECONDS: 'abc' }, /FRESH_SECONDS must be a number of seconds above 0/],
  [{ FRESH_SECONDS: '-1' }, /FRESH_SECONDS must be/],
  [{ PORT: 'abc' }, /PORT must be a number from 1 to 65535/],
  [{ NODE_ENV: 'production' }, /unset NODE_ENV/],
  [{ DATABASE_URL: 'mysql://127.0.0.1/acme' }, /DATABASE_URL must be the URL of a PostgreSQL database/],
  [{ DATABASE_URL: unreachable }, /DATABASE_URL cannot be used: connect ECONNREFUSED/],
])(
  'exits with one line that names the invalid setting: %j',
  async (settings, line) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'svc-auth-example-'));
    const { code, lines } = await runUntilExit({ ...settings, DATA: folder });
    await rm(folder, { recursive: true, force: true });
    expect({ code, lines }).toEqual({ code: 1, lines: [expect.stringMatching(line)] });
    expect(lines.join()).not.toContain('not-for-the-log');
  },
  40_000,
);

it('stores its records in the database of DATABASE_URL', async () => {
  const database = await createDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-auth-example-'));
  const child = spawn(process.execPath, ['--import', 'tsx', 'example-app/server.ts'], {
    cwd: root,
    env: environment({ PORT: String(await freePort()), DATA: folder, DATABASE_URL: database.url }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  watchOutput(child, 'the example on PostgreSQL', leaks);
  try {
    await untilReady(child);
    const [row] = await querySql(database.url, 'select count(*)::int as migrations from svc_migrations');
    expect(row?.['migrations']).toBeGreaterThan(0);
    expect(existsSync(`${folder}/auth.db`)).toBe(false);
  } finally {
    if (child.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await waitForExit(child);
    await rm(folder, { recursive: true, force: true });
    await database.drop();
  }
});
