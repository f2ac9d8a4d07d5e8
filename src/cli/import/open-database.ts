/** Opens the database of the old system, for reading only. */
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { sqliteClient } from '../../adapters/portable/sqlite-adapter.js';
import { loadKnex, loadMysql } from '../../runtime/load-databases.js';
import { UsageError } from '../arguments.js';
import { hideStatements } from './database-errors.js';
import { mustBeSqlite } from './sqlite-text.js';

export type DatabaseKind = 'PostgreSQL' | 'MySQL' | 'SQLite';

export interface OldDatabase {
  knex: Knex;
  kind: DatabaseKind;
  close: () => Promise<void>;
}

type Done = (error: unknown, connection: unknown) => void;

/**
 * Returns the database of `postgres://…`, `mysql://…`, `mariadb://…`, `file:…`, `sqlite:…` or the path of an SQLite file.
 * @throws UsageError, which does not repeat the URL: it may contain a password.
 */
export function openDatabase(url: string): OldDatabase {
  const [, scheme = ''] = /^([a-z\d]{2,}):/i.exec(url) ?? [];
  switch (scheme.toLowerCase()) {
    case 'postgres':
    case 'postgresql':
      return opened('PostgreSQL', { client: 'pg', connection: url, pool: pool(readPostgres) });
    case 'mysql':
    case 'mariadb':
      return opened('MySQL', mysqlConfig(url));
    case 'sqlite':
    case 'file':
    case '':
      return opened('SQLite', sqliteConfig(url));
    default:
      throw new UsageError(
        '--database must be a URL of postgres://, mysql:// or mariadb://, or an SQLite file.',
      );
  }
}

/** Keeps values out of error messages. */
const quiet: Knex.Config = { compileSqlOnError: false, log: { warn: () => undefined } };

function opened(kind: DatabaseKind, config: Knex.Config): OldDatabase {
  const knex = loadKnex()({ ...quiet, acquireConnectionTimeout: 10_000, ...config });
  hideStatements(knex);
  return { knex, kind, close: () => knex.destroy() };
}

const pool = (afterCreate: (connection: never, done: Done) => void): Knex.PoolConfig => ({
  min: 0,
  max: 1,
  afterCreate: afterCreate,
});

interface PostgresConnection {
  setTypeParser: (type: number, parse: (text: string) => unknown) => void;
  query: (sql: string, done: (error: unknown) => void) => void;
}

const timestampWithoutZone = 1114;

function readPostgres(connection: PostgresConnection, done: Done): void {
  // The driver takes them for times of this machine; Rails, Laravel and Prisma write UTC.
  connection.setTypeParser(timestampWithoutZone, (text) => text);
  connection.query('set session characteristics as transaction read only', (error) =>
    done(error, connection),
  );
}

interface MysqlConnection {
  query: (sql: string, done: (error: unknown) => void) => void;
}

function mysqlConfig(url: string): Knex.Config {
  loadMysql();
  const uri = url.replace(/^mariadb:/i, 'mysql:');
  // Times without a zone are UTC; large numbers keep their digits.
  const connection = { uri, timezone: 'Z', supportBigNumbers: true } as Knex.StaticConnectionConfig;
  const readOnly = (opening: MysqlConnection, done: Done) =>
    opening.query('set session transaction read only', (error) => done(error, opening));
  return { client: 'mysql2', connection, pool: pool(readOnly) };
}

interface SqliteConnection {
  pragma: (text: string) => unknown;
  defaultSafeIntegers?: (on: boolean) => unknown;
}

function sqliteConfig(url: string): Knex.Config {
  const [withoutQuery = ''] = url.split('?');
  const filename = /^file:\/\//i.test(withoutQuery)
    ? fileURLToPath(withoutQuery)
    : withoutQuery.replace(/^(?:sqlite|file):(?:\/\/)?/i, '');
  mustBeSqlite(filename);
  const readOnly = (connection: SqliteConnection, done: Done) => {
    try {
      connection.pragma('query_only = on');
      connection.pragma('busy_timeout = 5000');
      // Otherwise large ids lose digits.
      connection.defaultSafeIntegers?.(true);
      done(null, connection);
    } catch (error) {
      done(error, connection);
    }
  };
  return {
    client: sqliteClient(),
    connection: { filename },
    useNullAsDefault: true,
    pool: pool(readOnly),
  };
}
