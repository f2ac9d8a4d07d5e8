// `svc-auth migrate` in a process, on real databases.
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { SchemaPlan, SchemaStatus } from '../../src/storage/schema-administration.js';
import { runCommandLine } from '../support/command-line.js';
import {
  createEmptyDatabase,
  sharedStorages,
  type SharedDatabase,
  type SharedStorage,
} from '../support/databases.js';
import { openStorage } from '../support/open-storage.js';

const newest: Record<SharedStorage, string> = {
  PostgreSQL: 'audit-acting-user',
  SQLite: 'audit-acting-user',
  MariaDB: 'audit-acting-user',
};

describe.each(sharedStorages(['PostgreSQL', 'SQLite']))('svc-auth migrate on %s', (name) => {
  let database: SharedDatabase;
  beforeEach(async () => {
    database = await createEmptyDatabase(name);
    // The command refuses a file that does not exist, as a misspelled name would not.
    if (name === 'SQLite') await database.sql('create table own (id integer)');
  });
  afterEach(() => database.drop());

  const run = (...args: string[]) =>
    runCommandLine(['migrate', ...args], {
      folder: tmpdir(),
      env: { ...process.env, DATABASE_URL: database.url },
    });

  it('reports what is missing, applies it, and reports that nothing is missing, with exit codes', async () => {
    const before = await run('status');
    expect([before.code, before.err]).toEqual([3, '']);
    expect(before.out).toMatch(/^missing {2}first-release\n/);
    expect(before.out).toMatch(/The schema is behind: run "svc-auth migrate up"\.\n$/);
    expect(await tables()).not.toContain('svc_users');

    const up = await run('up');
    expect([up.code, up.out]).toEqual([0, 'The schema is that of this release.\n']);
    expect(up.err).toMatch(/^\[1\/\d+\] first-release\n\[2\/\d+\] /);

    const after = await run('status', '--json');
    const status = JSON.parse(after.out) as SchemaStatus & { state: string };
    expect(after.code).toBe(0);
    expect(status).toMatchObject({ state: 'current', missing: [], missingIndexes: [], unknown: [] });
    expect(status.applied.at(-1)).toBe(newest[name]);
    expect(await run('up')).toMatchObject({ code: 0, out: 'Nothing to do.\n', err: '' });
    expect(await run('plan')).toMatchObject({
      code: 0,
      out: '-- Nothing to do: the schema is that of this release.\n',
    });
  });

  it('exits 4 if a newer release has changed the schema, and changes nothing', async () => {
    await run('up');
    await database.sql(`insert into svc_migrations (id, name) values (99, 'from-the-future')`);
    const { code, out } = await run('status');
    expect(code).toBe(4);
    expect(out).toContain('\nahead    99\n');
    expect(await run('up')).toMatchObject({ code: 0, out: 'Nothing to do.\n' });
  });

  it('prints statements that, run by hand, create the schema of init()', async () => {
    const { code, out } = await run('plan', '--json');
    expect(code).toBe(0);
    const plan = JSON.parse(out) as SchemaPlan;
    expect(await tables()).not.toContain('svc_users');
    for (const { sql } of plan.statements) await database.sql(sql);
    expect(await run('status')).toMatchObject({ code: 0 });
    const storage = openStorage(database.url);
    await storage.init({ migrate: false });
    expect(await storage.inspection!.missingIndexes()).toEqual([]);
    expect(await storage.users.findByEmail('ada@example.com')).toBeNull();
    await storage.close();
  });

  it('prints SQL with the rights that it needs and the lock of each statement', async () => {
    const { out } = await run('plan');
    expect(out).toMatch(/^-- The role that runs these statements needs:\n-- {3}\S/);
    expect(out).toMatch(/\n-- first-release\n/);
    expect(out).toMatch(/;\n-- [A-Z ]+ on [\w ]+: .+\.\n(?:create|alter|insert) /);
  });

  async function tables(): Promise<unknown[]> {
    const queries: Record<SharedStorage, string> = {
      PostgreSQL: `select tablename as name from pg_tables where schemaname = 'public'`,
      SQLite: `select name from sqlite_master where type = 'table'`,
      MariaDB: `select table_name as name from information_schema.tables where table_schema = database()`,
    };
    return (await database.sql(queries[name])).map((row) => row['name']);
  }
});

describe('svc-auth migrate', () => {
  it.each([[[]], [['down']], [['status', 'extra']], [['plan', '--nothing']]])(
    'exits 2 for wrong usage: %j',
    async (args) => {
      const { code, err } = await runCommandLine(['migrate', ...args], { folder: tmpdir() });
      expect(code).toBe(2);
      expect(err).toMatch(/^svc-auth: .+\nRun svc-auth migrate/);
    },
  );

  it('fails with the reason if the adapter has no schema', async () => {
    const config = fileURLToPath(new URL('../support/memory-config.ts', import.meta.url));
    const { code, err } = await runCommandLine(['migrate', 'status', '--config', config], {
      folder: tmpdir(),
    });
    expect([code, err]).toEqual([1, 'svc-auth: This adapter has no schema that svc-auth manages.\n']);
  });
});
