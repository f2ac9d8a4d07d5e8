/** Databases through knex: PostgreSQL in ./postgres, the others in ./portable. */
import type { Knex } from 'knex';
import { ConfigError } from '../errors/catalog.js';
import { checkOptions } from '../errors/options.js';
import { loadKnex } from '../runtime/load-databases.js';
import type { StorageAdapter } from '../storage/adapter.js';
import { mustBeConnection } from './shared/connection-option.js';
import { mysqlConfig } from './portable/mysql-pool.js';
import { portableAdapter, type PortableClient } from './portable/open-portable.js';
import { ownedSqlite } from './portable/sqlite-adapter.js';
import { createClient } from './postgres/listener-connection.js';
import type { MigrationOptions } from './postgres/migrations/migrate.js';
import type { ReplicaOptions } from './postgres/replica.js';
import { ownedKnex, type KnexSource } from './shared/knex-source.js';
import { postgresAdapter } from './postgres/postgres-adapter.js';

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
  /** For databases that have the protocol of PostgreSQL but not all of its features: docs/scale.md. */
  migrations?: MigrationOptions;
  /** A streaming replica that session checks may read, if it is fresh enough: docs/scale.md. */
  readFrom?: ReplicaOptions;
}

/** A knex configuration. `connection` may come from a variable that is not set: that throws a `ConfigError`. */
export type KnexAdapterConfig = Omit<Knex.Config, 'connection'> & {
  connection?: Knex.Config['connection'] | undefined;
};

/**
 * Returns a storage adapter on PostgreSQL 14 or later (`client: 'pg'`), MariaDB 10.6 or later and
 * MySQL 8 or later (`mysql2`), or SQLite (`better-sqlite3`). Accepts a knex configuration and opens its
 * own pool at first use, or a knex instance, which `close()` leaves open.
 * @throws ConfigError if the database is another one, if there is neither a configuration nor an
 * instance, if the configuration has no `connection`, or if an option is invalid or is not one of this
 * database.
 */
export function knexAdapter(
  configOrInstance: KnexAdapterConfig | Knex,
  options: KnexAdapterOptions = {},
): StorageAdapter {
  checkOptions('knexAdapter(…, …)', options, ['schema', 'listenConnection', 'migrations', 'readFrom']);
  if (typeof configOrInstance === 'function') {
    const instance = configOrInstance;
    const { dialect, driverName, config } = instance.client as KnexClient;
    mustNotRename(config);
    const source = { open: async () => instance, close: async () => undefined };
    // The dialect of better-sqlite3 is that of the client sqlite3, whose driver has another interface.
    return adapterOf(databaseOf(dialect === 'sqlite3' ? driverName : dialect), source, options);
  }
  if (Object(configOrInstance) !== configOrInstance) {
    const message = "must be a knex configuration, such as { client: 'pg', connection }, or a knex instance";
    throw new ConfigError([{ path: 'knexAdapter(…)', message }]);
  }
  const config = configOrInstance as Knex.Config;
  const { client, connection } = config;
  mustNotRename(config);
  const database = typeof client === 'string' ? databaseOf(client) : 'PostgreSQL';
  if (database === 'sqlite') return adapterOf(database, ownedSqlite(config), options);
  // A class of a client may have its own way to connect.
  if (typeof client === 'string') mustBeConnection('knexAdapter(…).connection', connection, database);
  const source = ownedKnex(async () => createKnex(database === 'PostgreSQL' ? config : mysqlConfig(config)));
  return adapterOf(database, source, options);
}

interface KnexClient {
  dialect?: unknown;
  driverName?: unknown;
  config?: Knex.Config;
}

type DatabaseKind = 'PostgreSQL' | PortableClient;

function adapterOf(
  database: DatabaseKind,
  source: KnexSource,
  { schema, listenConnection, migrations, readFrom }: KnexAdapterOptions,
): StorageAdapter {
  if (database === 'PostgreSQL') {
    mustBeMigrations(migrations);
    return postgresAdapter(source, {
      schema,
      createClient: (knex) => createClient(knex, listenConnection),
      ...(migrations && { migrations }),
      ...(readFrom && { replica: replicaSource(readFrom) }),
    });
  }
  const postgresOnly = Object.entries({ schema, listenConnection, migrations, readFrom });
  const [option] = postgresOnly.find(([, value]) => value !== undefined) ?? [];
  if (option === undefined) return portableAdapter(database, source);
  throw new ConfigError([{ path: 'adapter', message: `the option \`${option}\` is for PostgreSQL only.` }]);
}

// A function that renames columns, such as from snake case to camel case, would return rows that
// the adapter cannot read.
function mustNotRename(config: Knex.Config | undefined): void {
  if (!config?.postProcessResponse) return;
  const message = 'must not use postProcessResponse; use a separate knex configuration for svc-auth.';
  throw new ConfigError([{ path: 'adapter', message }]);
}

function replicaSource({ connection, maxStaleMs = 1_000 }: ReplicaOptions) {
  const refuse = (option: string, message: string) => {
    throw new ConfigError([{ path: `knexAdapter(…).readFrom.${option}`, message }]);
  };
  mustBeConnection('knexAdapter(…).readFrom.connection', connection, 'PostgreSQL');
  if (!Number.isInteger(maxStaleMs) || maxStaleMs < 100 || maxStaleMs > 60_000)
    refuse('maxStaleMs', 'must be a whole number from 100 to 60,000');
  return { source: ownedKnex(() => createKnex({ client: 'pg', connection })), maxStaleMs };
}

async function createKnex(config: Knex.Config): Promise<Knex> {
  return loadKnex()({ ...defaults, ...config, pool: keepConnections(config.pool) });
}

/** The default of knex. */
const maxConnections = 10;

/**
 * Returns the settings of a pool that closes no idle connection, unless they have a minimum. PostgreSQL plans statements for each
 * connection, so the first requests on a new one are slower. Connections are still opened only when they are needed.
 */
function keepConnections(pool: Knex.PoolConfig = {}): Knex.PoolConfig {
  const { max = maxConnections } = pool;
  return { min: max, max, ...pool };
}

function mustBeMigrations({ lock = 'advisory', triggers = true }: MigrationOptions = {}): void {
  const refuse = (option: string, message: string) => {
    throw new ConfigError([{ path: `knexAdapter(…).migrations.${option}`, message }]);
  };
  if (!['advisory', 'table'].includes(lock)) refuse('lock', 'must be `advisory` or `table`');
  if (typeof triggers !== 'boolean') refuse('triggers', 'must be true or false');
}

const clients: Readonly<Record<string, DatabaseKind>> = {
  pg: 'PostgreSQL',
  postgres: 'PostgreSQL',
  postgresql: 'PostgreSQL',
  'better-sqlite3': 'sqlite',
  mysql2: 'mysql',
  // The dialect of the client mysql2.
  mysql: 'mysql',
};

function databaseOf(client: unknown): DatabaseKind {
  const database = typeof client === 'string' ? clients[client] : undefined;
  if (database) return database;
  const message =
    'knexAdapter supports PostgreSQL (client "pg"), MariaDB and MySQL ("mysql2") and SQLite ("better-sqlite3").';
  throw new ConfigError([{ path: 'adapter', message }]);
}
