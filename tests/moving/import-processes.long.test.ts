// Imports in several processes at once, and imports that are killed: no user is there twice, in part, or missing.
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ImportReport } from 'svc-auth';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import type { ImportCommand } from '../support/importing-process.js';
import { createSharedDatabase, sharedStorages, type SharedDatabase } from '../support/databases.js';
import { openStorage } from '../support/open-storage.js';
import { forkWatched, waitForExit } from '../support/watched-process.js';

const script = fileURLToPath(new URL('../support/importing-process.ts', import.meta.url));

interface Message {
  report?: ImportReport;
  error?: string;
}

describe.each(sharedStorages(['PostgreSQL', 'SQLite']))('imports in processes on %s', (name) => {
  let database: SharedDatabase;
  let storage: StorageAdapter;

  beforeEach(async () => {
    database = await createSharedDatabase(name);
    storage = openStorage(database.url);
    await storage.init();
  });

  afterEach(async () => {
    await storage.close();
    await database.drop();
  });

  async function start(command: Omit<ImportCommand, 'url'>) {
    const { child } = forkWatched(script);
    await once(child, 'message');
    const messages: Message[] = [];
    child.on('message', (message: Message) => void messages.push(message));
    child.send({ url: database.url, ...command });
    const result = async () => {
      await waitForExit(child);
      const last = messages.at(-1);
      if (!last?.report) throw new Error(last?.error ?? 'The process ended without a report.');
      return last.report;
    };
    return { child, messages, result };
  }

  async function count(table: string): Promise<number> {
    const [row] = await database.sql(`select count(*) as total from ${table}`);
    return Number(row?.['total']);
  }

  async function expectAll(users: number): Promise<void> {
    const factors = Math.ceil(users / 3);
    expect(await count('svc_users')).toBe(users);
    expect(await count('svc_users where external_id is not null')).toBe(users);
    expect(await count('svc_identities')).toBe(users);
    expect(await count('svc_totp')).toBe(factors);
    expect(await count('svc_recovery_codes')).toBe(2 * factors);
    expect(await count('svc_orgs')).toBe(10);
    expect(await count('svc_org_memberships')).toBe(users);
    expect(await count(`svc_org_memberships where role = 'owner'`)).toBe(10);
  }

  it('four processes import the same users at once: each user is created by one of them', async () => {
    const command = { users: 1_200, batchSize: 100 };
    const processes = await Promise.all(Array.from({ length: 4 }, () => start(command)));
    const reports = await Promise.all(processes.map(({ result }) => result()));
    const total = (key: 'created' | 'unchanged' | 'skipped' | 'refused') =>
      reports.reduce((sum, report) => sum + report[key], 0);
    expect([total('created'), total('unchanged'), total('skipped'), total('refused')]).toEqual([
      1_200, 3_600, 0, 0,
    ]);
    await expectAll(1_200);
  }, 120_000);

  it('an import that is killed at random points, twice, leaves whole users and is completed by the third one', async () => {
    const command = { users: 3_000, batchSize: 50 };
    for (let kill = 0; kill < 2; kill += 1) {
      const { child } = await start({ ...command, killAfter: 500 * (kill + 1) });
      await once(child, 'exit');
      expect(child.signalCode).toBe('SIGKILL');
      const users = await count('svc_users');
      expect(users % 50).toBe(0);
      expect(await count('svc_identities')).toBe(users);
      expect(await count('svc_org_memberships')).toBe(users);
    }
    const { result } = await start(command);
    const report = await result();
    expect(report.unchanged).toBeGreaterThanOrEqual(1_000);
    expect(report.created + report.unchanged).toBe(3_000);
    await expectAll(3_000);
  }, 120_000);
});
