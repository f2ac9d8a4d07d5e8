/** The schema of SQLite, MariaDB and MySQL for `svc-auth migrate` and `svc-auth grants`. */
import { ConfigError } from '../../errors/catalog.js';
import type { PlannedStatement, SchemaAdministration } from '../../storage/schema-administration.js';
import { expectedIndexes, migrationState } from '../shared/schema-state.js';
import type { PortableDatabase } from './database.js';
import type { Dialect } from './dialect.js';
import { locksOf } from './migrations/locks.js';
import { appliedIds, createRegister, migrate, migrations } from './migrations/migrate.js';
import { grantsOf } from './schema-grants.js';
import { replaceMarks } from './statements.js';

/** @param check refuses a database that cannot be used, and prepares the marks of the dialect. */
export function portableSchema(
  db: PortableDatabase,
  { listIndexes, marks, isRemote }: Pick<Dialect, 'listIndexes' | 'marks' | 'isRemote'>,
  check: () => Promise<void>,
): SchemaAdministration {
  /** Null if no migration has been applied. */
  async function readApplied(): Promise<number[] | null> {
    // The clock first: an error of the register alone means that there is no register.
    await db.find('select {now} as now_ms', {}, (row) => row);
    return appliedIds(db).catch(() => null);
  }

  return {
    async status() {
      const applied = await readApplied();
      const existing = await db.query(listIndexes, {}, (row) => String(row['index_name']));
      const names = migrations.filter(({ id }) => applied?.includes(id)).map(({ name }) => name);
      const missingIndexes = expectedIndexes(migrations).filter((name) => !existing.includes(name));
      return { applied: names, ...migrationState(migrations, applied), missingIndexes };
    },
    async plan() {
      await check();
      const applied = await readApplied();
      const planned: PlannedStatement[] = [];
      const add = (step: string, text: string) => {
        const locks = locksOf(text, !isRemote);
        planned.push({ step, sql: replaceMarks(text, marks), locks, inTransaction: !isRemote });
      };
      for (const [position, { id, name, statements }] of migrations.entries()) {
        if (applied?.includes(id)) continue;
        if (applied === null && position === 0) add(name, createRegister);
        for (const statement of statements) add(name, statement);
        add(name, `insert into svc_migrations (id, name) values (${id}, '${name}')`);
      }
      return { statements: planned, ...(await needs()) };
    },
    async apply({ report }) {
      await check();
      await migrate(db, report);
    },
    async grants(roles) {
      if (isRemote) return grantsOf(roles, (await readNames()).name);
      const message = 'SQLite has no roles: a process that can read the file can read all of it.';
      throw new ConfigError([{ path: 'adapter', message }]);
    },
  };

  async function readNames(): Promise<{ name: string; account: string }> {
    const names = await db.find('select database() as name, current_user() as account', {}, (row) => ({
      name: String(row['name']),
      account: String(row['account']),
    }));
    return names ?? { name: '', account: '' };
  }

  async function needs() {
    if (!isRemote)
      return { needs: ['The process must be able to write to the file and its folder.'], lacks: null };
    const { name, account } = await readNames();
    const [user = '', host = '%'] = account.split('@');
    const rights = 'create, alter, index, references, select, insert, update, delete';
    return { needs: [`grant ${rights} on \`${name}\`.* to '${user}'@'${host}'`], lacks: null };
  }
}
