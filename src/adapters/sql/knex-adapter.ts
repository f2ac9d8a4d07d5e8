/** PostgreSQL through knex and pg. */
import type { Knex } from 'knex';
import { ConfigError } from '../../errors/catalog.js';
import { missingPackage } from '../../runtime/load.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import { createClient } from './listener-connection.js';
import { ownedKnex, sqlAdapter } from './sql-adapter.js';

const defaults: Knex.Config = {
  // The default of knex is one minute, which is too long for a user who is signing in.
  acquireConnectionTimeout: 10_000,
  // Keeps values (addresses, digests) out of error messages.
  compileSqlOnError: false,
  // Callers get failures as errors. knex would print them to the console too.
  log: { warn: () => undefined },
};

export interface KnexAdapterOptions {
  /**
   * The schema of the tables. It must exist, because `init()` creates only the tables. Default: the
   * first schema of the connection's `search_path` that exists, read once at the first statement.
   */
  schema?: string;
  /**
   * The connection on which `session.cache` receives notifications: a connection string, or settings
   * of `pg`. Default: the settings of the pool. Set it if the pool connects to a pooler in transaction
   * mode, which does not deliver notifications.
   */
  listenConnection?: string | object;
}

/**
 * Returns a storage adapter on PostgreSQL 14 or later. Accepts a knex configuration and opens its
 * own pool at first use, or a knex instance, which `close()` leaves open.
 * @throws ConfigError if the database is not PostgreSQL, if there is neither a configuration nor an
 * instance, or if the schema name is invalid.
 */
export function knexAdapter(
  configOrInstance: Knex.Config | Knex,
  { schema, listenConnection }: KnexAdapterOptions = {},
): StorageAdapter {
  const options = { schema, createClient: (knex: Knex) => createClient(knex, listenConnection) };
  if (typeof configOrInstance === 'function') {
    const instance = configOrInstance;
    const client = instance.client as { dialect?: unknown; config?: Knex.Config };
    mustSpeakPostgres(client.dialect);
    mustNotRename(client.config);
    return sqlAdapter({ open: async () => instance, close: async () => undefined }, options);
  }
  if (Object(configOrInstance) !== configOrInstance) {
    const message = "must be a knex configuration, such as { client: 'pg', connection }, or a knex instance";
    throw new ConfigError([{ path: 'knexAdapter(…)', message }]);
  }
  const { client } = configOrInstance;
  if (typeof client === 'string') mustSpeakPostgres(client);
  mustNotRename(configOrInstance);
  return sqlAdapter(
    ownedKnex(async () => {
      const { default: knex } = await import('knex').catch((cause: unknown) => {
        throw missingPackage('knex', cause);
      });
      return knex({ ...defaults, ...configOrInstance });
    }),
    options,
  );
}

// A function that renames columns, such as from snake case to camel case, would return rows that
// the adapter cannot read.
function mustNotRename(config: Knex.Config | undefined): void {
  if (!config?.postProcessResponse) return;
  const message = 'must not use postProcessResponse; use a separate knex configuration for svc-auth.';
  throw new ConfigError([{ path: 'adapter', message }]);
}

function mustSpeakPostgres(dialect: unknown): void {
  if (dialect === 'pg' || dialect === 'postgres' || dialect === 'postgresql') return;
  const message = 'knexAdapter supports PostgreSQL only; use the client "pg".';
  throw new ConfigError([{ path: 'adapter', message }]);
}
