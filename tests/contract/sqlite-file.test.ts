// The file of an SQLite database, and a database in memory.
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { knexAdapter, sqliteAdapter, type StorageAdapter } from 'svc-auth';
import { makeService } from '../support/make-service.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-auth-file-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function signUpOn(adapter: StorageAdapter): Promise<void> {
  const { service } = await makeService({ adapter });
  await service.emailPassword.signup({ email: 'ada@example.com', password: 'a battery that is a horse' });
  await service.close();
}

const modeOf = async (file: string) => (await stat(file)).mode & 0o777;

describe('an SQLite file', () => {
  it('that svc-auth creates is readable by its owner alone, and so are its journals', async () => {
    const file = join(folder, 'data', 'auth.db');
    const adapter = sqliteAdapter(file);
    await adapter.init();
    for (const each of [file, `${file}-wal`, `${file}-shm`])
      expect([each, await modeOf(each)]).toEqual([each, 0o600]);
    await adapter.close();
  });

  it('that exists keeps its mode', async () => {
    const file = join(folder, 'auth.db');
    await writeFile(file, '');
    await chmod(file, 0o640);
    const adapter = sqliteAdapter(file);
    await adapter.init();
    expect(await modeOf(file)).toBe(0o640);
    await adapter.close();
  });
});

describe('a database in memory', () => {
  it.each([
    ['sqliteAdapter()', () => sqliteAdapter()],
    ["sqliteAdapter(':memory:')", () => sqliteAdapter(':memory:')],
    [
      "knexAdapter with the connection ':memory:'",
      () => knexAdapter({ client: 'better-sqlite3', connection: ':memory:' }),
    ],
  ])('%s signs users up', async (_name, open) => {
    await expect(signUpOn(open())).resolves.toBeUndefined();
  });
});
