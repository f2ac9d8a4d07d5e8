/** Runs SQL on an SQLite file directly. */
import { fileURLToPath } from 'node:url';
import Database from 'libsql';

/** @param url a `file:` URL. */
export async function querySqlite(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const database = new Database(fileURLToPath(url));
  try {
    return database.prepare(sql).all() as Record<string, unknown>[];
  } finally {
    database.close();
  }
}
