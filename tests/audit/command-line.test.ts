/** Commands on a database with an audit log, without the configuration that knows its secret. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sqliteAdapter, type Service } from 'svc-auth';
import { runCommandLine } from '../support/command-line.js';
import { makeService } from '../support/make-service.js';

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

it('users are listed without the configuration', async () => {
  const { code, out } = await run('user', 'list');
  expect([code, out]).toEqual([0, expect.stringContaining('ada@example.com')]);
});
