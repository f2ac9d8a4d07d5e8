/** Opens the storage of a database by its URL, also in the processes that tests start. */
import { fileURLToPath } from 'node:url';
import { pgliteAdapter } from '../../src/adapters/postgres/pglite-adapter.js';
import { knexAdapter } from '../../src/adapters/knex-adapter.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';

/** @param connections the most of the pool. */
export function openStorage(url: string, connections = 10): StorageAdapter {
  if (url.startsWith('pglite:')) return pgliteAdapter(url.slice('pglite:'.length));
  if (url.startsWith('file:')) return openSqlite(fileURLToPath(url));
  const client = url.startsWith('mysql:') ? 'mysql2' : 'pg';
  return knexAdapter({ client, connection: url, pool: { min: 0, max: connections } });
}

/** Like `sqliteAdapter`, without writes to the disk at every commit: the tests end processes, not the machine. */
function openSqlite(filename: string): StorageAdapter {
  type Done = (error: unknown, connection: unknown) => void;
  const afterCreate = (connection: { pragma(text: string): unknown }, done: Done) => {
    connection.pragma('synchronous = off');
    done(null, connection);
  };
  return knexAdapter({ client: 'better-sqlite3', connection: { filename }, pool: { afterCreate } });
}
