/** The time, the pages and the plan of every statement that the methods of the storage adapter send. */
import type { Knex } from 'knex';
import pg from 'pg';
import { knexAdapter } from '../src/adapters/knex-adapter.js';
import type { Sizes } from './scale-data.js';
import { callEveryVerb } from './scale-verbs.js';

const slowMs = 20;

interface Sent {
  verb: string;
  sql: string;
  bindings: readonly unknown[];
}

interface Measured extends Sent {
  ms: number;
  /** Pages that were read, from memory or from the disk. They do not depend on how busy the machine is. */
  pages: number;
  flag: string;
  plan: string;
}

/** Returns every distinct statement that the methods sent, with the values of its first call. */
export async function collect(on: Knex, sizes: Sizes): Promise<Sent[]> {
  const sent = new Map<string, Sent>();
  let verb = '';
  on.on('query', ({ sql, bindings }: { sql: string; bindings?: readonly unknown[] }) => {
    if (/svc_\w/.test(sql) && !sent.has(sql)) sent.set(sql, { verb, sql, bindings: bindings ?? [] });
  });
  const uncalled = await callEveryVerb(knexAdapter(on), sizes, (name) => void (verb = name));
  on.removeAllListeners('query');
  if (uncalled.length > 0) console.log(`Not called and not measured: ${uncalled.join(', ')}`);
  return [...sent.values()];
}

/** Runs each statement again in a transaction that is rolled back, and prints the slowest first. */
export async function explainAll(url: string, statements: readonly Sent[]): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const rows: Measured[] = [];
  for (const sent of statements) rows.push(await explain(client, sent));
  await client.end();
  for (const { verb, ms, pages, flag, sql } of [...rows].sort((a, b) => b.ms - a.ms)) {
    const text = sql.replace(/\s+/g, ' ').replaceAll('"public".', '').trim();
    console.log(
      `${ms.toFixed(2).padStart(10)} ms ${String(pages).padStart(7)} pages  ${verb.padEnd(34)} ${flag.padEnd(24)} ${text.slice(0, 100)}`,
    );
  }
  const isPrinted = ({ flag }: { flag: string }) =>
    process.env['SCALE_PLANS'] === 'all' || /SLOW|SEQ/.test(flag);
  for (const row of rows.filter(isPrinted))
    console.log(`\n== ${row.verb} ${row.flag}\n${row.sql}\n${row.plan}`);
}

async function explain(client: pg.Client, sent: Sent): Promise<Measured> {
  await client.query('begin');
  // Run before, so that it reads from memory. An insert of a row that already exists is only planned.
  const isWarm = await attempt(client, sent);
  const run = async (format: 'text' | 'json') => {
    await client.query('savepoint run');
    const { rows } = await client.query<Record<string, unknown>>({
      text: `explain (format ${format}${isWarm ? ', analyze, buffers' : ''}) ${sent.sql}`,
      values: [...sent.bindings],
    });
    await client.query('rollback to run');
    return rows.map((row) => row['QUERY PLAN']);
  };
  const plan = (await run('text')).join('\n');
  const pages = pagesOf((await run('json')) as [[{ Plan: PlanNode }]]);
  await client.query('rollback');
  const ms = Number(/Execution Time: ([\d.]+)/.exec(plan)?.[1] ?? 0);
  const scans = new Set([...plan.matchAll(/Seq Scan on (svc_\w+)/g)].map(([, table]) => table));
  const flags = [
    ...(ms >= slowMs ? ['SLOW'] : []),
    ...(scans.size > 0 ? [`SEQ ${[...scans].join()}`] : []),
    ...(isWarm ? [] : ['PLANNED ONLY']),
  ];
  return { ...sent, ms, pages, flag: flags.join(' '), plan };
}

interface PlanNode {
  'Node Type': string;
  'Subplan Name'?: string;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: PlanNode[];
}

/** The figure of the first node lacks those of a CTE that writes and is not read. */
function pagesOf([[{ Plan }]]: [[{ Plan: PlanNode }]]): number {
  const total = (node: PlanNode) => (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0);
  const sum = (amounts: number[]) => amounts.reduce((first, second) => first + second, 0);
  const visit = (node: PlanNode): number => {
    const children = node.Plans ?? [];
    // The pages of a CTE are those of its own node, not of the nodes that read it.
    const isIncluded = (child: PlanNode) => !child['Subplan Name']?.startsWith('CTE ');
    const ownPages = total(node) - sum(children.filter(isIncluded).map(total));
    return (node['Node Type'] === 'CTE Scan' ? 0 : Math.max(0, ownPages)) + sum(children.map(visit));
  };
  return visit(Plan);
}

/** Returns false if a unique index rejects the statement. */
async function attempt(client: pg.Client, { sql, bindings }: Sent): Promise<boolean> {
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
