/**
 * Embedded PostgreSQL: opens PGlite for the adapter of PostgreSQL. For development, tests and small
 * applications.
 */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Knex } from 'knex';
import type { StorageAdapter } from '../../storage/adapter.js';
import { loadKnex, loadPgliteClient } from '../../runtime/load-databases.js';
import { mustBeFile } from '../shared/connection-option.js';
import { ownedKnex } from '../shared/knex-source.js';
import { postgresAdapter } from './postgres-adapter.js';

/**
 * Returns a storage adapter on an embedded PostgreSQL. Stores its data in `dataDir`, which is
 * created if it does not exist, or in memory without it. Opens the database at first use, which
 * takes seconds the first time. Only one process may use a folder. Requires the packages
 * `@electric-sql/pglite` and `knex-pglite`.
 * @throws ConfigError if `dataDir` is undefined or empty, as of a variable that is not set: the data would be lost.
 */
export function pgliteAdapter(...given: [] | [dataDir: string]): StorageAdapter {
  const [dataDir] = given;
  if (given.length > 0) mustBeFile('pgliteAdapter(dataDir)', dataDir);
  return postgresAdapter(ownedKnex(() => open(dataDir)));
}

async function open(dataDir: string | undefined): Promise<Knex> {
  const client = loadPgliteClient();
  const knex = loadKnex();
  if (dataDir !== undefined && !dataDir.includes('://')) await mkdir(dirname(dataDir), { recursive: true });
  return knex({
    client,
    connection: { filename: dataDir } as Knex.Sqlite3ConnectionConfig,
    compileSqlOnError: false,
    log: { warn: () => undefined },
  });
}
