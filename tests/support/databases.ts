/**
 * The databases that several processes can share, for tests that run on each of them. `STORAGES` selects them: `all`, or
 * names separated by commas.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createMariaDatabase, hasMariaDb, runMariaSql } from './mariadb.js';
import { createDatabase, createMigratedDatabase, querySql, type TestDatabase } from './postgres.js';
import { querySqlite } from './sqlite.js';

export type SharedStorage = 'PostgreSQL' | 'SQLite' | 'MariaDB';

type Rows = Record<string, unknown>[];

export interface SharedDatabase extends TestDatabase {
  /** Runs one statement on a separate connection and returns its rows. */
  sql: (text: string) => Promise<Rows>;
}

const create: Readonly<Record<SharedStorage, () => Promise<SharedDatabase>>> = {
  PostgreSQL: async () => withSql(await createDatabase(), querySql),
  MariaDB: async () => withSql(await createMariaDatabase(), runMariaSql),
  async SQLite() {
    const folder = await mkdtemp(join(tmpdir(), 'svc-auth-sqlite-'));
    const url = pathToFileURL(join(folder, 'auth.db')).href;
    return withSql({ url, drop: () => rm(folder, { recursive: true, force: true }) }, querySqlite);
  },
};

function withSql(database: TestDatabase, run: (url: string, text: string) => Promise<Rows>): SharedDatabase {
  return { ...database, sql: (text) => run(database.url, text) };
}

/** Creates an empty database. */
export function createEmptyDatabase(storage: SharedStorage): Promise<SharedDatabase> {
  return create[storage]();
}

/** Creates a database for `init()` of an adapter, which finds the tables of PostgreSQL, the slowest to create, in place. */
export async function createSharedDatabase(storage: SharedStorage): Promise<SharedDatabase> {
  return storage === 'PostgreSQL' ? withSql(await createMigratedDatabase(), querySql) : create[storage]();
}

const selected = process.env['STORAGES'] ?? '';

/** Whether the tests run on every storage (`npm run test:storages`). */
export const isThorough = selected === 'all';

/** Those that `STORAGES` selects, of what is here. */
export function selectStorages<Name extends string>(
  names: readonly Name[],
  usual: readonly Name[],
): readonly Name[] {
  const wanted = selected.split(',');
  const chosen = selected === '' ? usual : isThorough ? names : names.filter((name) => wanted.includes(name));
  return chosen.filter((name) => name !== 'MariaDB' || hasMariaDb);
}

/** @param usual those that run without `STORAGES`. */
export function sharedStorages(usual: readonly SharedStorage[]): readonly SharedStorage[] {
  return selectStorages(['PostgreSQL', 'SQLite', 'MariaDB'], usual);
}
