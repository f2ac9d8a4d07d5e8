/** The pool of mysql2 that the adapter opens itself. */
import type { Knex } from 'knex';
import { loadMysql } from '../../runtime/load-databases.js';

interface MysqlConnection {
  /** Spares the dialect a statement in every transaction. */
  isReadCommitted?: boolean;
  query(sql: string, done: (error: unknown) => void): void;
}

type Done = (error: unknown, connection: unknown) => void;

type Settings = Knex.StaticConnectionConfig;

// By default, mysql2 keeps 16,000 per connection, and the server of all connections together 16,382. A
// statement beyond that fails.
const maxPreparedStatements = 100;

// A value that does not fit must be an error: a digest that is cut off would be another one.
const sqlMode = `set session sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'`;

const isolation = 'set session transaction isolation level read committed';

const limited = (settings: Settings): Settings => ({ maxPreparedStatements, ...settings });

function connectionOf(connection: Knex.Config['connection']): Knex.Config['connection'] {
  if (typeof connection === 'function') return async () => limited(await connection());
  return limited(typeof connection === 'string' ? { uri: connection } : (connection ?? {}));
}

/** Returns the configuration with what every connection needs, before the application's own `pool.afterCreate`. */
export function mysqlConfig(config: Knex.Config): Knex.Config {
  // knex would report a missing package without the command that installs it.
  loadMysql();
  const { afterCreate } = config.pool ?? {};
  return {
    ...config,
    connection: connectionOf(config.connection),
    pool: {
      ...config.pool,
      afterCreate(connection: MysqlConnection, done: Done) {
        connection.query(sqlMode, (modeError) => {
          if (modeError) return done(modeError, connection);
          connection.query(isolation, (error) => {
            connection.isReadCommitted = true;
            if (error || !afterCreate) done(error, connection);
            else (afterCreate as (connection: unknown, done: Done) => void)(connection, done);
          });
        });
      },
    },
  };
}
