/** Commands on a database with an audit log, without the configuration that knows its secret. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sqliteAdapter, type Service } from 'svc-auth';
import { runCommandLine } from '../support/command-line.js';
import { guessPassword } from '../support/guesses.js';
import { makeService, testSecret } from '../support/make-service.js';

const library = new URL('../../src/index.ts', import.meta.url).href;

let folder: string;
let service: Service;
let userId: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svc-auth-'));
  const adapter = sqliteAdapter(path.join(folder, 'app.db'));
  ({ service } = await makeService({ adapter, audit: true }));
  ({ id: userId } = await service.users.create({ email: 'ada@example.com' }));
  await service.audit.seal();
});

afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const run = (...args: string[]) =>
  runCommandLine(args, { folder, env: { ...process.env, DATABASE_URL: 'file:app.db' } });

it.each([
  ['user', 'block', 'ada@example.com', '--yes'],
  ['lockdown', '--yes'],
])('a change that could not be recorded is refused, and named: %s %s', async (...args) => {
  const { code, err } = await run(...args);
  expect([code, err]).toEqual([2, expect.stringContaining('Pass --config <file>')]);
  expect((await service.users.get(userId)).blocked).toBeNull();
});

it('a list says how many attempts a record stands for', async () => {
  await guessPassword(service, userId, 40);
  await service.close();
  await writeFile(
    path.join(folder, 'auth.mjs'),
    `import { createService, sqliteAdapter } from '${library}';
    export const service = createService({
      adapter: sqliteAdapter('app.db'), session: { secret: '${testSecret}' }, audit: true,
    });`,
  );
  const { code, out, err } = await run('audit', 'list', '--failures', '--config', 'auth.mjs');
  expect([code, err]).toEqual([0, '']);
  const counts = [...out.matchAll(/sign_in\.failed \([^)]+\)(?:, (\d+) attempts)? /g)].map(([, count]) =>
    Number(count ?? 1),
  );
  expect(Math.max(...counts)).toBeGreaterThan(1);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(40);
});

it('users are listed without the configuration', async () => {
  const { code, out } = await run('user', 'list');
  expect([code, out]).toEqual([0, expect.stringContaining('ada@example.com')]);
});
