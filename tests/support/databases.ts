/**
 * The storages that tests run on, and the databases of those that several processes can share. `STORAGES` selects storages: `all`,
 * or names separated by commas. Without it, suites run on memory, and the storage contract and the first routes on each storage.
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

const names = ['memory', 'PGlite', 'PostgreSQL', 'SQLite', 'MariaDB'] as const;

export type StorageName = (typeof names)[number];

const selected = process.env['STORAGES'] ?? '';

/** Whether the tests run on every storage, and the routes also on both versions of Express. */
export const isThorough = selected === 'all';

const wanted: readonly string[] = isThorough ? names : selected.split(',').filter(Boolean);

for (const name of wanted) {
  if (!names.some((known) => known === name))
    throw new Error(`STORAGES names ${name}. Name some of ${names.join(', ')}, or \`all\`.`);
}

/** Those that `STORAGES` selects, of what is here. */
function selectStorages<Name extends StorageName>(
  available: readonly Name[],
  usual: readonly Name[],
): readonly Name[] {
  const chosen = selected === '' ? usual : available.filter((name) => wanted.includes(name));
  return chosen.filter((name) => name !== 'MariaDB' || hasMariaDb);
}

/** The storages of every suite. */
export function suiteStorages(): readonly StorageName[] {
  return selectStorages(names, ['memory']);
}

/** Whether every suite runs on this storage. */
export function isForEverySuite(storage: StorageName): boolean {
  return suiteStorages().includes(storage);
}

/** @param usual those that run without `STORAGES`. */
export function sharedStorages(usual: readonly SharedStorage[]): readonly SharedStorage[] {
  return selectStorages(['PostgreSQL', 'SQLite', 'MariaDB'], usual);
}
