/** PostgreSQL through knex and pg. */
import type { Knex } from 'knex';
import { ConfigError } from '../../errors/catalog.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import { ownedKnex, sqlAdapter } from './sql-adapter.js';

const defaults: Knex.Config = {
  // A sign-in that waits a minute for a connection has lost its user; knex's own default is that minute.
  acquireConnectionTimeout: 10_000,
  // Values (addresses, digests) stay out of error messages.
  compileSqlOnError: false,
  // Failures reach the caller as errors; knex would print them to the console as well.
  log: { warn: () => undefined },
};

export interface KnexAdapterOptions {
  /**
   * The schema of the tables. It must exist; `init()` creates only the tables. Default: the first schema of the connection's
   * `search_path` that exists, read once at the first statement.
   */
  schema?: string;
}

/**
 * A storage adapter on PostgreSQL 14 or later. Takes a knex configuration and opens its own pool at first use, or takes a knex
 * instance, which `close()` leaves open.
 * @throws ConfigError for another database, without a configuration or an instance, or for a schema name that cannot be quoted.
 */
export function knexAdapter(
  configOrInstance: Knex.Config | Knex,
  { schema }: KnexAdapterOptions = {},
): StorageAdapter {
  if (typeof configOrInstance === 'function') {
    const instance = configOrInstance;
    const client = instance.client as { dialect?: unknown; config?: Knex.Config };
    mustSpeakPostgres(client.dialect);
    mustNotRename(client.config);
    return sqlAdapter({ open: async () => instance, close: async () => undefined }, schema);
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
      const { default: knex } = await import('knex');
      return knex({ ...defaults, ...configOrInstance });
    }),
    schema,
  );
}

// A mapper of column names, such as snake case to camel case, would hand the adapter rows that it cannot read.
function mustNotRename(config: Knex.Config | undefined): void {
  if (!config?.postProcessResponse) return;
  const message = 'must not use postProcessResponse; give svc-auth a knex configuration of its own.';
  throw new ConfigError([{ path: 'adapter', message }]);
}

function mustSpeakPostgres(dialect: unknown): void {
  if (dialect === 'pg' || dialect === 'postgres' || dialect === 'postgresql') return;
  const message = 'knexAdapter works on PostgreSQL only; use the client "pg".';
  throw new ConfigError([{ path: 'adapter', message }]);
}
