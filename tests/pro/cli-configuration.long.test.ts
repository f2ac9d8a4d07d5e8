// `svc-auth` in a process: configuration files, invites, secrets and exit codes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { runCommandLine } from '../support/command-line.js';
import { createDatabase, type TestDatabase } from '../support/postgres.js';

const library = pathToFileURL(path.resolve(import.meta.dirname, '../../src/index.ts')).href;
let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await createDatabase();
  folder = mkdtempSync(path.join(tmpdir(), 'svc-auth-cli-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

function cli(args: string[], { url = '', input = '' } = {}) {
  return runCommandLine(args, { folder, input, env: { ...process.env, DATABASE_URL: url } });
}

/** Writes a configuration file that sends mail and the log to files. */
function writeConfig(file: string, exported: string): void {
  const text = `
import { appendFileSync } from 'node:fs';
import { createService, knexAdapter } from '${library}';
const append = (file, value) => appendFileSync(file, JSON.stringify(value) + '\\n');
const log = (fields, message) => append('log.jsonl', { ...fields, message });
const sender = { send: async ({ to, kind }) => append('mail.jsonl', { to, kind }) };
const config = {
  adapter: knexAdapter({ client: 'pg', connection: '${database.url}' }),
  session: { secret: 'a secret of the configuration file, of 32 bytes' },
  logger: { debug() {}, info: log, warn: log, error: log },
  providers: { emailPassword: { sender, resetUrl: 'https://app.test/reset' } },
};
// A handle that keeps a process running.
setInterval(() => undefined, 60_000);
export default ${exported};
`;
  writeFileSync(path.join(folder, file), text);
}

function readLines(file: string): Record<string, unknown>[] {
  const lines = readFileSync(path.join(folder, file), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('svc-auth secret', () => {
  it('prints another 48 random bytes each time', async () => {
    const [first, second] = await Promise.all([cli(['secret']), cli(['secret'])]);
    for (const { code, out, err } of [first, second]) {
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toMatch(/^[\w-]{64}\n$/);
    }
    expect(first.out).not.toBe(second.out);
  });

  it('exits 2 for an argument', async () => {
    const { code, out, err } = await cli(['secret', '32']);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('Run svc-auth secret --help.');
  });
});

describe('svc-auth user', () => {
  it('uses the database of DATABASE_URL, and reads a password from standard input', async () => {
    const args = ['user', 'create', '--email', 'ada@example.com', '--role', 'admin', '--password', '--json'];
    const created = await cli(args, { url: database.url, input: 'correct horse battery\n' });
    expect([created.code, created.err]).toEqual([0, '']);
    expect(JSON.parse(created.out)).toMatchObject({ hasPassword: true, roles: ['admin'] });
    const shown = await cli(['user', 'show', 'ada@example.com'], { url: database.url });
    expect([shown.code, shown.err]).toEqual([0, '']);
    expect(shown.out).toMatch(/^Address +ada@example\.com$/m);
  });

  it('prints the error and its code, and exits 1, if the user does not exist', async () => {
    const output = await cli(['user', 'show', 'unknown@example.com'], { url: database.url });
    expect([output.code, output.out]).toEqual([1, '']);
    expect(output.err).toMatch(/^svc-auth: [^\n]+ \(user_not_found\)\n$/);
  });

  it.each([
    ['a configuration', 'config.mjs', 'config'],
    ['a service', 'service.mjs', 'createService(config)'],
  ])('invites with %s of a file, and logs the system as actor', async (_name, file, exported) => {
    writeConfig(file, exported);
    const email = `${exported.slice(0, 6)}@example.com`;
    const { code, out, err } = await cli(['user', 'invite', email, '--config', file, '--role', 'support']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /^Invited \w+@example\.com \([\w-]{36}\)\. The link is valid until [\d-]{10} [\d:]{5} UTC\.\n$/,
    );
    expect(readLines('mail.jsonl')).toContainEqual({ to: email, kind: 'user_invite' });
    expect(readLines('log.jsonl')).toContainEqual(
      expect.objectContaining({ event: 'user_invited', actor: { type: 'system' } }),
    );
    const again = await cli(['user', 'invite', email, '--config', file]);
    expect(again.out).toContain(') again. The link');
  });

  it.each<[string, string, string, number, string]>([
    [
      'exports something else',
      'other.mjs',
      'export default 1;',
      2,
      'must export a Service or a configuration',
    ],
    ['exports nothing', 'nothing.cjs', '', 2, 'must export a Service or a configuration'],
    ['throws', 'throws.mjs', "throw new Error('No such setting');", 1, 'No such setting'],
    [
      'has an invalid configuration',
      'invalid.cjs',
      "Object.assign(exports, { __esModule: true, default: { adapter: {}, session: { secret: '' } } });",
      1,
      '(config_invalid)',
    ],
  ])('reports a configuration file that %s', async (_name, file, text, code, message) => {
    writeFileSync(path.join(folder, file), text);
    const output = await cli(['user', 'list', '--config', file]);
    expect([output.code, output.out]).toEqual([code, '']);
    expect(output.err).toContain(message);
    expect(output.err).not.toMatch(/^\s+at /m);
  });
});
