/** Searches every row of every table of a database for secrets that a reader could use. */
import { rowScanner } from './leak-scan.js';

interface Reading {
  /** Selects the names of the tables. */
  tables: string;
  /** Selects the rows of a table, each as one string, or as columns. */
  rows: (table: string) => string;
}

const postgres: Reading = {
  tables: `select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1`,
  rows: (table) => `select to_jsonb(t)::text as row from "${table}" as t`,
};

const others: Readonly<Record<string, Reading>> = {
  SQLite: {
    tables: `select name from sqlite_master where type = 'table' order by 1`,
    rows: (table) => `select * from ${table}`,
  },
  MariaDB: {
    tables: `select table_name as name from information_schema.tables where table_schema = database() order by 1`,
    rows: (table) => `select * from ${table}`,
  },
};

/** @param run runs SQL. @returns the table and kind of each secret. */
export async function storedSecrets(
  run: (sql: string) => Promise<Record<string, unknown>[]>,
  storage = 'PostgreSQL',
): Promise<string[]> {
  const reading = others[storage] ?? postgres;
  const secrets = new Set<string>();
  const search = rowScanner();
  for (const { name } of await run(reading.tables)) {
    const table = String(name);
    for (const row of await run(reading.rows(table))) {
      const text = typeof row['row'] === 'string' ? row['row'] : JSON.stringify(row);
      for (const each of search(`the table ${table}`, text)) secrets.add(each);
    }
  }
  return [...secrets];
}
