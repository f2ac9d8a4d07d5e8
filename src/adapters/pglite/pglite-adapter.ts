/**
 * Embedded PostgreSQL: opens PGlite for the SQL adapter. For development, tests and small
 * applications.
 */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Knex } from 'knex';
import type { StorageAdapter } from '../../storage/adapter.js';
import { ownedKnex } from '../sql/knex-source.js';
import { sqlAdapter } from '../sql/sql-adapter.js';

/**
 * Returns a storage adapter on an embedded PostgreSQL. Stores its data in `dataDir`, which is
 * created if it does not exist, or in memory without it. Opens the database at first use, which
 * takes seconds the first time. Only one process may use a folder. Requires the packages
 * `@electric-sql/pglite` and `knex-pglite`.
 */
export function pgliteAdapter(dataDir?: string): StorageAdapter {
  return sqlAdapter(ownedKnex(() => open(dataDir)));
}

async function open(dataDir: string | undefined): Promise<Knex> {
  const client = await loadClient();
  const { default: knex } = await import('knex');
  if (dataDir !== undefined && !dataDir.includes('://')) await mkdir(dirname(dataDir), { recursive: true });
  return knex({
    client,
    connection: { filename: dataDir } as Knex.Sqlite3ConnectionConfig,
    compileSqlOnError: false,
    log: { warn: () => undefined },
  });
}

async function loadClient(): Promise<typeof Knex.Client> {
  try {
    const { default: client } = await import('knex-pglite');
    return client;
  } catch (cause) {
    const code = (cause as { code?: unknown } | null)?.code;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw cause;
    throw new Error(
      'pgliteAdapter requires two more packages: npm install @electric-sql/pglite knex-pglite',
      {
        cause,
      },
    );
  }
}
