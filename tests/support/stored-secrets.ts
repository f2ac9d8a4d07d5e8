/** Searches every row of every table of a database for secrets that a reader could use. */
import { rowScanner } from './leak-scan.js';

/** @param run runs SQL. @returns the table and kind of each secret. */
export async function storedSecrets(
  run: (sql: string) => Promise<Record<string, unknown>[]>,
): Promise<string[]> {
  const tables = await run(
    `select table_name as name from information_schema.tables
     where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1`,
  );
  const secrets = new Set<string>();
  const search = rowScanner();
  for (const { name } of tables) {
    const rows = await run(`select to_jsonb(t)::text as row from "${String(name)}" as t`);
    for (const { row } of rows) {
      for (const each of search(`the table ${String(name)}`, String(row))) secrets.add(each);
    }
  }
  return [...secrets];
}
