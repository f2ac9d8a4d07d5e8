/**
 * Reads strings of SQLite as the bytes that they are. SQLite stores whatever an application has written, and its driver ends the process at
 * a string that is not UTF-8.
 */
import { TextDecoder } from 'node:util';
import type { Knex } from 'knex';
import { UsageError } from '../arguments.js';
import { closeSync, openSync, readSync, statSync } from 'node:fs';

type AnyRow = Record<string, unknown>;

/** Marks a row with the name of the column that is not text in the encoding of the database. */
export const unreadableColumn = Symbol('the column that cannot be read');

/** Returns what to select so that a string arrives in hexadecimal digits, and any other value as it is. */
export function selectBytes(knex: Knex, column: string): Knex.Raw {
  const sql = `case typeof(??) when 'text' then hex(??) else ?? end as ??`;
  return knex.raw(sql, [column, column, column, column]);
}

export async function decoderOf(knex: Knex): Promise<TextDecoder> {
  const [row] = await knex.raw<{ encoding?: string }[]>('pragma encoding');
  return new TextDecoder(row?.encoding?.toLowerCase() ?? 'utf-8', { fatal: true, ignoreBOM: true });
}

/** Decodes the strings of rows whose columns were selected with `selectBytes`, in place. */
export function decodeRows<Row extends AnyRow>(rows: Row[], decoder: TextDecoder): Row[] {
  for (const row of rows as (AnyRow & { [unreadableColumn]?: string })[]) {
    for (const [name, value] of Object.entries(row)) {
      if (typeof value !== 'string') continue;
      const bytes = Buffer.from(value, 'hex');
      try {
        row[name] = decoder.decode(bytes);
      } catch {
        row[name] = null;
        row[unreadableColumn] = name;
      }
    }
  }
  return rows;
}

const header = 'SQLite format 3\0';

/** @throws UsageError unless the file begins as a database of SQLite does. */
export function mustBeSqlite(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  // A misspelled name would create an empty database.
  if (!stats) throw new UsageError('The SQLite file of --database does not exist.');
  if (!stats.isFile()) throw new UsageError('--database must be a file of SQLite, not a folder.');
  if (stats.size === 0) throw new UsageError('The SQLite file of --database is empty.');
  const head = Buffer.alloc(header.length);
  const open = openSync(file, 'r');
  try {
    readSync(open, head, 0, head.length, 0);
  } finally {
    closeSync(open);
  }
  if (head.toString('latin1') !== header)
    throw new UsageError('The file of --database is not a database of SQLite, or it is encrypted.');
}
