/** Every row of every table of a database, searched for what somebody could use who reads it. */
import { rowSearch } from './leak-scan.js';

/** @param run runs SQL. @returns where which kind of secret is. */
export async function storedSecrets(
  run: (sql: string) => Promise<Record<string, unknown>[]>,
): Promise<string[]> {
  const tables = await run(
    `select table_name as name from information_schema.tables
     where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1`,
  );
  const found = new Set<string>();
  const search = rowSearch();
  for (const { name } of tables) {
    const rows = await run(`select to_jsonb(t)::text as row from "${String(name)}" as t`);
    for (const { row } of rows) {
      for (const each of search(`the table ${String(name)}`, String(row))) found.add(each);
    }
  }
  return [...found];
}
