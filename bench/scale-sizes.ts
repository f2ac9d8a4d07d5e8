/** Sizes of tables and indexes, per row. They do not depend on how busy the machine is. */
import type { Knex } from 'knex';

interface SizeRow {
  table: string;
  index: string | null;
  rows: string;
  bytes: string;
}

// The rows are counted: the estimate of the catalog is not exact.
const relationSizes = `
  select c.relname as "table", null as index, pg_table_size(c.oid) as bytes,
    (xpath('/row/n/text()', query_to_xml('select count(*) as n from ' || c.relname, false, true, '')))[1]::text as rows
  from pg_class c where c.relkind = 'r' and c.relname like 'svc\\_%'
  union all
  select t.relname, i.relname, pg_relation_size(i.oid), null
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
  where t.relname like 'svc\\_%'
  order by 1, 2 nulls first`;

export async function printSizes(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: SizeRow[] }>(relationSizes);
  const counts = new Map(
    rows.flatMap(({ table, index, rows: n }) => (index === null ? [[table, Number(n)]] : [])),
  );
  for (const { table, index, bytes } of rows) {
    const count = counts.get(table) ?? 0;
    if (count < 1_000) continue;
    const perRow = (Number(bytes) / count).toFixed(1);
    console.log(`${index === null ? table : `  ${index}`}\t${count} rows\t${bytes} bytes\t${perRow} per row`);
  }
}
