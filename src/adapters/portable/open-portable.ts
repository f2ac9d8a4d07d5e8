/** Opens the storage of SQLite, MariaDB and MySQL. */
import type { StorageAdapter } from '../../storage/adapter.js';
import type { KnexSource } from '../shared/knex-source.js';
import { mysqlDialect } from './mysql-dialect.js';
import { portableStorage } from './portable-adapter.js';
import { sqliteDialect } from './sqlite-dialect.js';

/** The knex clients of these databases, and what they are. */
export type PortableClient = 'sqlite' | 'mysql';

/** @param source opens and closes the knex instance. */
export function portableAdapter(client: PortableClient, { open, close }: KnexSource): StorageAdapter {
  if (client === 'mysql') return { ...portableStorage(open, mysqlDialect()), close };
  // A lookup does not leave the process, so nothing is gained by remembering its result.
  const sessionChanges = { subscribe: () => ({ isCurrent: () => false, close: async () => undefined }) };
  return { ...portableStorage(open, sqliteDialect()), sessionChanges, close };
}
