/** Opens a knex instance on a database by its URL, as an application would for its own tables. */
import { fileURLToPath } from 'node:url';
import knexPackage, { type Knex } from 'knex';
import Database from 'libsql';

/** @param options of knex. The pool has one connection. */
export async function openKnex(url: string, options: Knex.Config = {}): Promise<Knex> {
  const settings = { pool: { min: 0, max: 1 }, log: { warn: () => undefined }, ...options };
  if (!url.startsWith('file:'))
    return knexPackage({
      ...settings,
      client: url.startsWith('mysql:') ? 'mysql2' : 'pg',
      connection: url,
    });
  return knexPackage({
    ...settings,
    client: await sqliteClient(),
    connection: { filename: fileURLToPath(url) },
    useNullAsDefault: true,
    pool: { ...settings.pool, afterCreate: enforceForeignKeys },
  });
}

/** The client of knex for better-sqlite3, with the driver that is installed for the tests. */
async function sqliteClient(): Promise<typeof Knex.Client> {
  // A variable, because knex does not declare the types of its dialects.
  const dialect = 'knex/lib/dialects/better-sqlite3/index.js';
  const { default: Client } = (await import(dialect)) as { default: typeof Knex.Client };
  return class extends Client {
    _driver() {
      return Database;
    }
  };
}

function enforceForeignKeys(
  connection: { pragma(text: string): void },
  done: (error: null, connection: unknown) => void,
): void {
  connection.pragma('foreign_keys = on');
  done(null, connection);
}
