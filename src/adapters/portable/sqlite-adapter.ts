/** SQLite: opens a file for the adapter. */
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Knex } from 'knex';
import { InternalError } from '../../errors/catalog.js';
import { installedVersion, isInstalled, loadSqliteDriver } from '../../runtime/load.js';
import { loadKnex, loadSqliteClient } from '../../runtime/load-databases.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import { mustBeFile } from '../shared/connection-option.js';
import { portableAdapter } from './open-portable.js';
import { ownedKnex } from '../shared/knex-source.js';

/**
 * Returns a storage adapter on an SQLite database in `file`, which is created if it does not exist,
 * with its folder, or in memory without it. Opens the database at first use. Any number of processes
 * on one machine may use a file. Requires the package `libsql` or `better-sqlite3`.
 * @throws ConfigError if `file` is undefined or empty, as of a variable that is not set: the data would be lost.
 */
export function sqliteAdapter(...given: [] | [file: string]): StorageAdapter {
  const [file = ':memory:'] = given;
  if (given.length > 0) mustBeFile('sqliteAdapter(file)', given[0]);
  return portableAdapter('sqlite', ownedSqlite({ connection: { filename: file } }));
}

/** Opens a pool with its first statement, and closes it with the adapter. @throws ConfigError without the name of a file. */
export function ownedSqlite(config: Knex.Config) {
  const { connection } = config;
  const filename: unknown =
    Object(connection) === connection ? (connection as { filename?: unknown }).filename : connection;
  mustBeFile('knexAdapter(…).connection', filename);
  return ownedKnex(() => openSqlite(config, filename as string));
}

/** Creates the file, if it does not exist, for its owner alone: it contains the hashes of passwords. SQLite gives its mode to `-wal` and `-shm`. */
async function createFile(filename: string): Promise<void> {
  await mkdir(dirname(filename), { recursive: true }).catch((cause: NodeJS.ErrnoException) => {
    throw new InternalError(cause, `The folder of the database file could not be created: ${cause.message}.`);
  });
  // A file that cannot be opened is reported by SQLite.
  const file = await open(filename, 'a', 0o600).catch(() => null);
  await file?.close();
}

interface SqliteConnection {
  pragma(text: string): unknown;
  /** For the dialect, which then need not ask the pool for a lookup. */
  isOnly?: boolean;
}

type Done = (error: unknown, connection: unknown) => void;

/**
 * What a connection needs, before the application's own `pool.afterCreate`:
 * - WAL, so that readers and the writer do not wait for each other;
 * - a short wait for the lock of a writer in another process. The driver blocks the whole process
 *   while it waits, so that longer waits are pauses between attempts (database.ts).
 */
const settings = ['busy_timeout = 20', 'journal_mode = wal', 'foreign_keys = on', 'synchronous = full'];

async function openSqlite(config: Knex.Config, filename: string): Promise<Knex> {
  const knex = loadKnex();
  const client = sqliteClient();
  const { connection } = config;
  if (!filename.startsWith(':memory:')) await createFile(filename);
  const { afterCreate } = config.pool ?? {};
  return knex({
    // All changes of the process wait for one connection, and those of other processes for the same file.
    acquireConnectionTimeout: 30_000,
    // Keeps values (addresses, digests) out of error messages.
    compileSqlOnError: false,
    log: { warn: () => undefined },
    useNullAsDefault: true,
    ...config,
    connection: { ...(connection as object | undefined), filename },
    client,
    pool: {
      ...config.pool,
      // Two connections of a process would block it while one waits for the other.
      min: 1,
      max: 1,
      afterCreate(connection: SqliteConnection, done: Done) {
        try {
          for (const setting of settings) connection.pragma(setting);
        } catch (error) {
          done(error, connection);
          return;
        }
        connection.isOnly = true;
        if (afterCreate) (afterCreate as (connection: unknown, done: Done) => void)(connection, done);
        else done(null, connection);
      },
    },
  });
}

/** The client of knex for better-sqlite3, with the driver that is installed. */
export function sqliteClient(): typeof Knex.Client {
  const Client = loadSqliteClient();
  const driver = loadDriver();
  return class extends Client {
    _driver(): unknown {
      return driver;
    }
  } as unknown as typeof Knex.Client;
}

function loadDriver(): unknown {
  const isCrashing = crashes(installedVersion('better-sqlite3'), process.versions.node);
  if (!isCrashing && isInstalled('better-sqlite3')) return loadSqliteDriver('better-sqlite3');
  try {
    return loadSqliteDriver('libsql');
  } catch (cause) {
    throw isCrashing ? new InternalError(cause, crashing) : cause;
  }
}

const crashing =
  'better-sqlite3 13 ends the process on Node.js 20: npm install libsql, or use Node.js 22 or later, or better-sqlite3 12.';

/** Returns whether this version of better-sqlite3 ends the process on this version of Node.js when it opens a database. */
export function crashes(version: string | null, node: string): boolean {
  return version !== null && Number.parseInt(version, 10) >= 13 && Number.parseInt(node, 10) < 22;
}
