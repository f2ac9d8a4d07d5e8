/** The bare drivers of the databases: prepared statements with `?` for each value, and what differs in their SQL. */
import { fileURLToPath } from 'node:url';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { poolSize } from '../site.js';

export type Row = Record<string, unknown>;
type Value = string | Date;

export interface Driver {
  types: { id: string; time: string };
  /** Runs a statement that defines a table. */
  define: (sql: string) => Promise<unknown>;
  /** Runs a prepared statement and returns its first row. */
  one: (sql: string, values: Value[]) => Promise<Row | undefined>;
  /** SQL at the end of an insertion that writes these columns if the row exists. */
  merge: (key: string, columns: string[]) => string;
}

/** Opens the database of a URL, with the pool and the settings of the adapter. */
export async function openDriver(url: string): Promise<Driver> {
  if (url.startsWith('file:')) return openSqlite(fileURLToPath(url));
  return url.startsWith('mysql:') ? openMysql(url) : openPostgres(url);
}

const onConflict = (key: string, columns: string[]) =>
  `on conflict (${key}) do update set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`;

function openPostgres(connectionString: string): Driver {
  const pool = new pg.Pool({ connectionString, min: poolSize, max: poolSize });
  const statements = new Map<string, { name: string; text: string }>();
  const prepare = (sql: string) => {
    let number = 0;
    const text = sql.replace(/\?/g, () => `$${(number += 1)}`);
    const statement = { name: `statement_${statements.size}`, text };
    statements.set(sql, statement);
    return statement;
  };
  return {
    types: { id: 'uuid', time: 'timestamptz' },
    define: (sql) => pool.query(sql),
    async one(sql, values) {
      const { name, text } = statements.get(sql) ?? prepare(sql);
      return (await pool.query<Row>({ name, text, values })).rows[0];
    },
    merge: onConflict,
  };
}

function openMysql(uri: string): Driver {
  const pool = mysql.createPool({ uri, connectionLimit: poolSize });
  return {
    types: { id: 'varchar(36)', time: 'datetime(3)' },
    define: (sql) => pool.query(sql),
    async one(sql, values) {
      const [rows] = await pool.execute(sql, values);
      return Array.isArray(rows) ? (rows[0] as Row | undefined) : undefined;
    },
    merge: (_key, columns) =>
      `on duplicate key update ${columns.map((column) => `${column} = values(${column})`).join(', ')}`,
  };
}

interface SqliteDatabase {
  pragma: (text: string) => unknown;
  exec: (sql: string) => unknown;
  prepare: (sql: string) => {
    reader: boolean;
    get: (values: unknown[]) => unknown;
    run: (values: unknown[]) => unknown;
  };
}

async function openSqlite(filename: string): Promise<Driver> {
  // In the order of the adapter, so that both use the same driver. Not a literal: it has no types here.
  const preferred: string = 'better-sqlite3';
  const { default: Database } = (await import(preferred).catch(() => import('libsql'))) as {
    default: new (filename: string) => SqliteDatabase;
  };
  const database = new Database(filename);
  for (const setting of ['journal_mode = wal', 'foreign_keys = on', 'synchronous = full'])
    database.pragma(setting);
  const statements = new Map<string, ReturnType<SqliteDatabase['prepare']>>();
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return {
    types: { id: 'text', time: 'integer' },
    define: async (sql) => database.exec(sql),
    async one(sql, values) {
      const statement = statements.get(sql) ?? prepare(sql);
      const bound = values.map((value) => (value instanceof Date ? value.getTime() : value));
      if (statement.reader) return statement.get(bound) as Row | undefined;
      statement.run(bound);
      return undefined;
    },
    merge: onConflict,
  };
}
