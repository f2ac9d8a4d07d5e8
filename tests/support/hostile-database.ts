/** A database whose settings are all unusual: `npm test -- --hostile` runs the long suites on it. */
import { knexAdapter, type StorageAdapter } from 'svc-auth';
import { createDatabase, runSql, type TestDatabase } from './postgres.js';

export const isHostile = process.env['HOSTILE_DATABASE'] === '1';

const settings = [
  `datestyle = 'German, DMY'`,
  `intervalstyle = 'sql_standard'`,
  `timezone = 'Pacific/Chatham'`,
  `default_transaction_isolation = 'serializable'`,
  `search_path = 'app', 'public'`,
  `statement_timeout = '5s'`,
  `client_encoding = 'LATIN1'`,
  `standard_conforming_strings = 'off'`,
  `array_nulls = 'off'`,
  `extra_float_digits = '-10'`,
];

/** Creates the database, with another svc-auth schema in `public`, later in the search path. */
export async function createHostileDatabase(): Promise<TestDatabase> {
  const database = await createDatabase();
  const other = knexAdapter({ client: 'pg', connection: database.url });
  await other.init();
  await other.close();
  await runSql(database.url, 'create schema app');
  const name = new URL(database.url).pathname.slice(1);
  for (const setting of settings) await runSql(database.url, `alter database ${name} set ${setting}`);
  return database;
}

/** Opens the adapter; a hostile database gets one connection. */
export function adapterOn({ url }: TestDatabase, connections: number): StorageAdapter {
  const pool = { min: 0, max: isHostile ? 1 : connections };
  return knexAdapter({ client: 'pg', connection: url, pool });
}
