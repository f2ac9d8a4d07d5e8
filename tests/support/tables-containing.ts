/** Finds a value in a database. */
import type { Knex } from 'knex';

/** Returns the names of the tables that have one of the values in any column of any row. */
export async function tablesContaining(knex: Knex, ...values: string[]): Promise<string[]> {
  const { rows: tables } = await knex.raw<{ rows: { name: string }[] }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by tablename`,
  );
  const containing: string[] = [];
  for (const { name } of tables) {
    const { rows } = await knex.raw<{ rows: { line: string }[] }>(
      `select cast(t as text) as line from ${name} t`,
    );
    if (rows.some(({ line }) => values.some((value) => line.includes(value)))) containing.push(name);
  }
  return containing;
}
