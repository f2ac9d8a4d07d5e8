/** The pool of mysql2 that the adapter opens itself. */
import type { Knex } from 'knex';
import { missingPackage } from '../../runtime/load.js';

interface MysqlConnection {
  /** Spares the dialect a statement in every transaction. */
  isReadCommitted?: boolean;
  query(sql: string, done: (error: unknown) => void): void;
}

type Done = (error: unknown, connection: unknown) => void;

// A value that does not fit must be an error: a digest that is cut off would be another one.
const sqlMode = `set session sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'`;

const isolation = 'set session transaction isolation level read committed';

/** Returns the configuration with what every connection needs, before the application's own `pool.afterCreate`. */
export async function mysqlConfig(config: Knex.Config): Promise<Knex.Config> {
  await import('mysql2').catch((cause: unknown) => {
    throw missingPackage('mysql2', cause);
  });
  const { afterCreate } = config.pool ?? {};
  return {
    ...config,
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
