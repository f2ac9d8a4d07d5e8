// The quickstart, as a new user follows it: its files and commands, in its order, from an empty folder, with the packed tarball.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseDocument, sectionOf } from '../architecture/documents.js';
import { repository } from '../architecture/source-graph.js';
import { freePort } from '../support/free-port.js';
import { createDatabase, type TestDatabase } from '../support/postgres.js';
import { watchOutput } from '../support/watched-process.js';
import { Consumer, runProgram, type Output } from './consumer.js';

const minutes = 60_000;
const quickstart = parseDocument(
  'docs/quickstart.md',
  readFileSync(path.join(repository, 'docs/quickstart.md'), 'utf8'),
);
const partOf = (heading: string) =>
  parseDocument('docs/quickstart.md', sectionOf(quickstart, heading)!).fences;

const consumer = new Consumer();
const folder = mkdtempSync(path.join(tmpdir(), 'svc-auth-quickstart-'));
let tarball: string;
let database: TestDatabase;
let server: ChildProcess | undefined;
let output = '';
let port: number;

beforeAll(async () => {
  tarball = await consumer.pack();
  database = await createDatabase();
}, 10 * minutes);
afterEach(() => stop());
afterAll(async () => {
  consumer.remove();
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

/** Runs commands in the folder, as a shell that a user has opened. */
function shell(commands: string): Promise<Output> {
  return runProgram('sh', folder, ['-e', '-c', commands]);
}

/** Follows a part of the quickstart: saves its files, and runs its commands. `npm start` stays running. */
async function follow(heading: string): Promise<Output[]> {
  const outputs: Output[] = [];
  for (const { info, code } of partOf(heading)) {
    const [, file] = /^\/\/ ([\w-]+\.ts)\n/.exec(code) ?? [];
    if (info === 'ts' && file !== undefined) writeFileSync(path.join(folder, file), code);
    if (info !== 'sh') continue;
    const commands = code
      // The tarball takes the place of the package in the registry.
      .replace('npm install svc-auth ', `npm install ${tarball} `)
      .replaceAll('localhost:3000', `127.0.0.1:${port}`)
      .replace('postgres://user:password@localhost:5432/app', database.url);
    const untilStart = commands.replace(/^npm start\n/m, '');
    const done = await shell(untilStart);
    if (done.code !== 0) throw new Error(`${untilStart}\n${done.stdout}\n${done.stderr}`);
    outputs.push(done);
    if (untilStart !== commands) await start();
  }
  return outputs;
}

/** Runs `npm start` until the server listens. */
async function start(): Promise<void> {
  output = '';
  // In a separate group: npm starts another process, which starts the server.
  server = spawn('npm', ['start'], {
    cwd: folder,
    detached: true,
    env: { ...withoutMode(), PORT: String(port) },
  });
  watchOutput(server, 'the quickstart');
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Listening on')) resolve();
    };
    server?.stdout?.on('data', read);
    server?.stderr?.on('data', read);
    server?.once('exit', () => reject(new Error(output)));
  });
}

async function stop(): Promise<void> {
  const { pid, exitCode } = server ?? {};
  if (!server || pid === undefined || exitCode !== null) return;
  const ended = new Promise((resolve) => server?.once('close', resolve));
  process.kill(-pid, 'SIGKILL');
  await ended;
  server = undefined;
}

function withoutMode(): NodeJS.ProcessEnv {
  const { NODE_ENV: _mode, NODE_OPTIONS: _options, ...inherited } = process.env;
  return inherited;
}

const printedCode = () => /^\d{6}$/m.exec(output.slice(output.lastIndexOf('--- mail to')))?.[0];

/** Signs in with the commands of the quickstart, and the code that the server prints. Returns what the last one prints. */
async function signIn(): Promise<unknown> {
  const commands = partOf('4. Sign in').find(({ code }) => code.includes('curl'))!.code;
  const [setup, send, verify, ...rest] = commands
    .replaceAll('localhost:3000', `127.0.0.1:${port}`)
    .replaceAll('curl ', 'curl -sS --fail-with-body ')
    .trim()
    .split('\n');
  expect(await shell(`${setup}\n${send}`)).toMatchObject({ code: 0 });
  const code = printedCode();
  expect(code).toBeDefined();
  const last = await shell([setup, verify!.replace('123456', code!), 'echo', ...rest].join('\n'));
  expect(last).toMatchObject({ code: 0 });
  return JSON.parse(last.stdout.trim().split('\n').at(-1)!);
}

describe('The quickstart', () => {
  it(
    'installs, configures, compiles and starts on SQLite, and signs a user in',
    async () => {
      port = await freePort();
      await follow('1. Install');
      await follow('2. Configure');
      await follow('3. Mount');
      expect(output).not.toMatch(/svc-auth: |warn/i);
      expect(await signIn()).toMatchObject({ email: 'ada@example.com', emailVerified: true });
      const page = await fetch(`http://127.0.0.1:${port}/sign-in`);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Acme')]);
    },
    5 * minutes,
  );

  it(
    'compiles with the TypeScript of this repository, too',
    async () => {
      expect(await consumer.compileAt(folder)).toEqual({ code: 0, stdout: '', stderr: '' });
    },
    2 * minutes,
  );

  it(
    'lists the users with the command line, from the configuration in TypeScript',
    async () => {
      const [command] = partOf('4. Sign in').filter(({ code }) => code.startsWith('npx svc-auth'));
      const listed = await shell(command!.code);
      expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('ada@example.com')]);
    },
    2 * minutes,
  );

  it(
    'moves to PostgreSQL by another adapter in auth.ts',
    async () => {
      port = await freePort();
      await follow('6. PostgreSQL and mail');
      const { code } = partOf('6. PostgreSQL and mail').find(({ info }) => info === 'ts')!;
      const file = path.join(folder, 'auth.ts');
      const configured = readFileSync(file, 'utf8')
        .replace(/adapter: sqliteAdapter\(.*\),/, 'adapter,')
        .replace(', sqliteAdapter }', ' }')
        .replace(/(?<=from 'svc-auth';\n)/, `${code}\n`);
      writeFileSync(file, configured);
      expect(await shell('npx tsc --noEmit')).toMatchObject({ code: 0, stdout: '' });
      await start();
      expect(await signIn()).toMatchObject({ email: 'ada@example.com' });
    },
    5 * minutes,
  );

  it(
    'names the variable of a database that is not set',
    async () => {
      port = await freePort();
      const env = path.join(folder, '.env');
      writeFileSync(env, readFileSync(env, 'utf8').replace(/^DATABASE_URL=.*\n/m, ''));
      await expect(start()).rejects.toThrow(/knexAdapter\(…\)\.connection: is missing .* DATABASE_URL/);
    },
    2 * minutes,
  );
});
