/** PostgreSQL inside the process: an opener of PGlite over the SQL adapter. For development, tests and small apps. */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Knex } from 'knex';
import type { StorageAdapter } from '../../storage/adapter.js';
import { ownedKnex, sqlAdapter } from '../sql/sql-adapter.js';

/**
 * A storage adapter on an embedded PostgreSQL that keeps its data in a folder, which is created where it does not
 * exist; without a folder, in memory. Opened at first use (seconds the first time). One process per folder.
 * Needs the packages `@electric-sql/pglite` and `knex-pglite`.
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
    throw new Error('pgliteAdapter needs two more packages: npm install @electric-sql/pglite knex-pglite', {
      cause,
    });
  }
}
