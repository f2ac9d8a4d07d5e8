/**
 * `npm run bench:sizes`: fills a PostgreSQL and prints how large the tables and indexes are, per row. Sizes do not depend on how busy the
 * machine is. SCALE_USERS, SCALE_SESSIONS and SCALE_ORGS change the numbers of rows.
 */
import knexPackage from 'knex';
import { knexAdapter } from '../src/index.js';
import { startPostgres } from '../tests/support/postgres-server.js';
import { fill } from './scale-data.js';

const sizes = {
  users: Number(process.env['SCALE_USERS'] ?? 1_000_000),
  sessions: Number(process.env['SCALE_SESSIONS'] ?? 2_000_000),
  orgs: Number(process.env['SCALE_ORGS'] ?? 1_000),
};

interface SizeRow {
  table: string;
  index: string | null;
  rows: string;
  bytes: string;
}

// The rows are counted: the estimate of the catalog is not exact. One pass over tables that were just written.
const relationSizes = `
  select c.relname as "table", null as index, pg_table_size(c.oid) as bytes,
    (xpath('/row/n/text()', query_to_xml('select count(*) as n from ' || c.relname, false, true, '')))[1]::text as rows
  from pg_class c where c.relkind = 'r' and c.relname like 'svc\\_%'
  union all
  select t.relname, i.relname, pg_relation_size(i.oid), null
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
  where t.relname like 'svc\\_%'
  order by 1, 2 nulls first`;

const postgres = await startPostgres({ max_wal_size: '4GB' });
const knex = knexPackage({ client: 'pg', connection: postgres.url, pool: { min: 0, max: 4 } });
try {
  const storage = knexAdapter(knex);
  await storage.init();
  await fill(knex, sizes, console.log);
  await knex.raw('vacuum');
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
} finally {
  await knex.destroy();
  await postgres.stop();
}
