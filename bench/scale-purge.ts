/** What it costs to remove sessions: by the purge, and by dropping a partition. */
import { readFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { knexAdapter } from '../src/adapters/knex-adapter.js';
import { idOf, kinds, type Sizes } from './scale-data.js';

const limit = 100_000;
const partitions = 5;

/** Purges a part of the rows that have expired. */
export async function measurePurge(knex: Knex): Promise<void> {
  let counts: Record<string, number> = {};
  const cost = await costOf(knex, async () => {
    counts = await knexAdapter(knex).purgeExpired({ now: new Date(), limit });
  });
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  print(`purge of ${rows} rows (${JSON.stringify(counts)})`, cost, rows);
}

/** Makes svc_sessions a partitioned table, as docs/scale.md describes, with partitions of equal size. */
export async function partitionSessions(knex: Knex, { sessions }: Sizes): Promise<void> {
  const page = await readFile(new URL('../docs/scale.md', import.meta.url), 'utf8');
  const [, sql = ''] = /```sql\n(begin;.*?)```/s.exec(page) ?? [];
  const lower = (n: number) =>
    n === 0 ? 'minvalue' : `'${idOf(kinds.session, (sessions / partitions) * n)}'`;
  const ours = Array.from({ length: partitions }, (_, n) => {
    const upper = n === partitions - 1 ? 'maxvalue' : lower(n + 1);
    return `create table svc_sessions_${n} partition of svc_sessions_new for values from (${lower(n)}) to (${upper}) with (fillfactor = 85)`;
  });
  const isPartition = (statement: string) => statement.includes(' partition of ');
  const others = sql.split(';\n').filter((statement) => !isPartition(statement) && statement !== '');
  // Before the rows are copied.
  others.splice(
    others.findIndex((statement) => statement.startsWith('insert')),
    0,
    ...ours,
  );
  await knex.raw(others.join(';\n'));
  await knex.raw('vacuum analyze svc_sessions');
}

/** Drops the partition with the oldest sessions. */
export async function measureDrop(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: { n: string }[] }>('select count(*) as n from svc_sessions_0');
  const count = Number(rows[0]?.n);
  const cost = await costOf(knex, async () => void (await knex.raw('drop table svc_sessions_0')));
  print(`drop of a partition of ${count} rows`, cost, count);
}

interface Cost {
  ms: number;
  pages: number;
  walBytes: number;
}

async function costOf(knex: Knex, work: () => Promise<void>): Promise<Cost> {
  const before = await counters(knex);
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  const after = await counters(knex);
  return { ms, pages: after.pages - before.pages, walBytes: after.wal - before.wal };
}

/** Reads the counters of a server that does nothing else. */
async function counters(knex: Knex): Promise<{ pages: number; wal: number }> {
  await knex.raw('select pg_stat_force_next_flush()');
  const { rows } = await knex.raw<{ rows: { pages: string; wal: string }[] }>(
    `select blks_hit + blks_read as pages, pg_current_wal_lsn() - '0/0' as wal from pg_stat_database where datname = current_database()`,
  );
  return { pages: Number(rows[0]?.pages), wal: Number(rows[0]?.wal) };
}

function print(what: string, { ms, pages, walBytes }: Cost, rows: number): void {
  const each = (amount: number) => (amount / rows).toPrecision(3);
  console.log(
    `${what}: ${(ms / 1000).toFixed(1)} s, ${pages} pages (${each(pages)} a row), ${walBytes} bytes of WAL (${each(walBytes)} a row)`,
  );
}
