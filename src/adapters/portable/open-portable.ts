/** Adapters of the databases other than PostgreSQL, from a knex instance or a configuration. */
import type { StorageAdapter } from '../../storage/adapter.js';
import type { KnexSource } from '../sql/knex-source.js';
import { lazyStorage } from './lazy-storage.js';

/** The knex clients of these databases, and what they are. */
export type PortableClient = 'sqlite' | 'mysql';

/**
 * Returns the adapter. Nothing is loaded before its first call.
 * @param source opens and closes the knex instance.
 */
export function portableAdapter(client: PortableClient, { open, close }: KnexSource): StorageAdapter {
  const storage = lazyStorage(async () => {
    const { portableStorage } = await import('./portable-adapter.js');
    if (client === 'mysql') {
      const { mysqlDialect } = await import('./mysql-dialect.js');
      return portableStorage(open, mysqlDialect());
    }
    const { sqliteDialect } = await import('./sqlite-dialect.js');
    return portableStorage(open, sqliteDialect());
  });
  if (client === 'mysql') return { ...storage, close };
  // A lookup does not leave the process, so nothing is gained by remembering its result.
  const sessionChanges = { subscribe: () => ({ isCurrent: () => false, close: async () => undefined }) };
  return { ...storage, sessionChanges, close };
}
