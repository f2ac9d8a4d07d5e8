/**
 * `npm run bench:scale`: fills a PostgreSQL with a million users, five million sessions and 200,000 organizations, runs every method of
 * the storage adapter, and prints the time and the plan of every statement that they sent. SCALE_USERS, SCALE_SESSIONS and SCALE_ORGS
 * change the sizes. SCALE_PLANS=all prints every plan, not only those of slow statements and sequential scans.
 */
import knexPackage, { type Knex } from 'knex';
import pg from 'pg';
import { knexAdapter } from '../src/adapters/sql/knex-adapter.js';
import { startPostgres } from '../tests/support/postgres-server.js';
import { fill, type Sizes } from './scale-data.js';
import { callEveryVerb } from './scale-verbs.js';

const sizes: Sizes = {
  users: Number(process.env['SCALE_USERS'] ?? 1_000_000),
  sessions: Number(process.env['SCALE_SESSIONS'] ?? 5_000_000),
  orgs: Number(process.env['SCALE_ORGS'] ?? 200_000),
};
const slowMs = 20;

interface Sent {
  verb: string;
  sql: string;
  bindings: readonly unknown[];
}

const postgres = await startPostgres({ shared_buffers: '1GB', work_mem: '16MB', max_wal_size: '8GB' });
const knex = knexPackage({ client: 'pg', connection: postgres.url, pool: { min: 0, max: 4 } });
try {
  const storage = knexAdapter(knex);
  await storage.init();
  const start = performance.now();
  await fill(knex, sizes, console.log);
  console.log(`Filled in ${((performance.now() - start) / 1000).toFixed(0)} s: ${JSON.stringify(sizes)}`);
  await explainAll(await collect(knex, storage));
} finally {
  await knex.destroy();
  await postgres.stop();
}

/** Returns every distinct statement that the methods sent, with the values of its first call. */
async function collect(on: Knex, storage: ReturnType<typeof knexAdapter>): Promise<Sent[]> {
  const sent = new Map<string, Sent>();
  let verb = '';
  on.on('query', ({ sql, bindings }: { sql: string; bindings?: readonly unknown[] }) => {
    if (/svc_\w/.test(sql) && !sent.has(sql)) sent.set(sql, { verb, sql, bindings: bindings ?? [] });
  });
  const uncalled = await callEveryVerb(storage, sizes, (name) => void (verb = name));
  if (uncalled.length > 0) console.log(`Not called and not measured: ${uncalled.join(', ')}`);
  return [...sent.values()];
}

/** Runs each statement again in a transaction that is rolled back, with warm buffers as in a long-running server. */
async function explainAll(statements: readonly Sent[]): Promise<void> {
  const client = new pg.Client(postgres.url);
  await client.connect();
  const rows: { verb: string; ms: number; flag: string; sql: string; plan: string }[] = [];
  for (const { verb, sql, bindings } of statements) {
    await client.query('begin');
    // Twice, so that the second run reads from memory. An insert of a row that already exists is only planned.
    const isWarm = await attempt(client, sql, bindings);
    const { rows: lines } = await client.query<Record<string, string>>({
      text: `explain ${isWarm ? '(analyze, buffers) ' : ''}${sql}`,
      values: [...bindings],
    });
    await client.query('rollback');
    const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
    const ms = Number(/Execution Time: ([\d.]+)/.exec(plan)?.[1] ?? 0);
    const scans = new Set([...plan.matchAll(/Seq Scan on (svc_\w+)/g)].map(([, table]) => table));
    const flags = [
      ...(ms >= slowMs ? ['SLOW'] : []),
      ...(scans.size > 0 ? [`SEQ ${[...scans].join()}`] : []),
      ...(isWarm ? [] : ['PLANNED ONLY']),
    ];
    rows.push({ verb, ms, flag: flags.join(' '), sql, plan });
  }
  await client.end();
  for (const { verb, ms, flag, sql } of [...rows].sort((a, b) => b.ms - a.ms)) {
    const text = sql.replace(/\s+/g, ' ').replaceAll('"public".', '').trim();
    console.log(
      `${ms.toFixed(2).padStart(10)} ms  ${verb.padEnd(34)} ${flag.padEnd(24)} ${text.slice(0, 100)}`,
    );
  }
  const isPrinted = ({ flag }: { flag: string }) =>
    process.env['SCALE_PLANS'] === 'all' || /SLOW|SEQ/.test(flag);
  for (const row of rows.filter(isPrinted))
    console.log(`\n== ${row.verb} ${row.flag}\n${row.sql}\n${row.plan}`);
}

/** Returns false if a unique index rejects the statement. */
async function attempt(client: pg.Client, sql: string, bindings: readonly unknown[]): Promise<boolean> {
  await client.query('savepoint first');
  try {
    await client.query({ text: sql, values: [...bindings] });
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code !== '23505') throw error;
    return false;
  } finally {
    await client.query('rollback to first');
  }
}
