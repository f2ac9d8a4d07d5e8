/**
 * `npm run bench -- users`: fills a PostgreSQL with a million users and measures the lists of administrators: first and deep pages,
 * searches and filters. Prints the time of each and the indexes in its plan, and fails if a plan has a sequential scan. USERS changes the number
 * of users; `-- --write` replaces the table in docs/performance.md, `-- --plans` prints every plan.
 */
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import knexPackage, { type Knex } from 'knex';
import pg from 'pg';
import { knexAdapter } from '../src/adapters/knex-adapter.js';
import type { UserAdministrationRepository } from '../src/storage/user-administration-repository.js';
import { startPostgres } from '../tests/support/postgres-server.js';
import { toText, writeTables, type Table } from './report.js';
import { fill } from './scale-data.js';
import { giveRoles, userListCases } from './user-list-cases.js';

const { values: options } = parseArgs({
  options: { write: { type: 'boolean', default: false }, plans: { type: 'boolean', default: false } },
});
const users = Number(process.env['USERS'] ?? 1_000_000);
const calls = 300;

interface Sent {
  sql: string;
  bindings: readonly unknown[];
}

interface Measured {
  label: string;
  median: number;
  slowest: number;
  plans: Set<string>;
}

const postgres = await startPostgres({ shared_buffers: '512MB', max_wal_size: '8GB' });
const knex = knexPackage({ client: 'pg', connection: postgres.url, pool: { min: 0, max: 2 } });
const planner = new pg.Client(postgres.url);
try {
  const storage = knexAdapter(knex);
  await storage.init();
  await planner.connect();
  await fill(knex, { users, sessions: 1, orgs: 1 }, console.log);
  await giveRoles(knex, users);
  const { userAdministration } = storage;
  if (!userAdministration) throw new Error('The adapter has no userAdministration.');
  const measured: Measured[] = [];
  for (const [label, call] of Object.entries(userListCases(users)))
    measured.push(await measure(knex, userAdministration, label, call));
  const table = toTable(measured);
  console.log(toText(table));
  if (options.write) await writeTables(new URL('../docs/performance.md', import.meta.url), [table]);
  const scans = measured.filter(({ plans }) => [...plans].some((plan) => plan.includes('Seq Scan')));
  if (scans.length > 0) throw new Error(`Sequential scans: ${scans.map(({ label }) => label).join(', ')}`);
} finally {
  await planner.end();
  await knex.destroy();
  await postgres.stop();
}

/** Calls with changing values; every tenth statement is also explained. */
async function measure(
  on: Knex,
  repository: UserAdministrationRepository,
  label: string,
  call: (repository: UserAdministrationRepository, n: number) => Promise<unknown>,
): Promise<Measured> {
  let sent: Sent = { sql: '', bindings: [] };
  const remember = (query: { sql: string; bindings?: readonly unknown[] }) => {
    sent = { sql: query.sql, bindings: query.bindings ?? [] };
  };
  on.on('query', remember);
  const times: number[] = [];
  const statements: Sent[] = [];
  for (let n = 0; n < calls + 20; n += 1) {
    const start = performance.now();
    await call(repository, n);
    // The first calls read pages from the disk, which a running server has in memory.
    if (n >= 20) times.push(performance.now() - start);
    if (n % 10 === 0) statements.push(sent);
  }
  on.removeListener('query', remember);
  const plans = new Set<string>();
  for (const statement of statements) plans.add(await planOf(statement));
  if (options.plans) console.log(`\n== ${label}\n${[...plans].join('\n--\n')}`);
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.ceil(share * times.length) - 1] ?? NaN;
  return { label, median: at(0.5), slowest: at(0.99), plans };
}

/** The plan without costs, so that calls with the same plan are listed once. */
async function planOf({ sql, bindings }: Sent): Promise<string> {
  const query = { text: `explain (costs off) ${sql}`, values: [...bindings] };
  const { rows } = await planner.query<Record<string, string>>(query);
  return rows
    .map((row) => row['QUERY PLAN'])
    .join('\n')
    .replace(/'[^']*'/g, "'…'");
}

function toTable(measured: readonly Measured[]): Table {
  const rows = measured.map(({ label, median, slowest, plans }) => {
    const indexes = new Set(
      [...plans].flatMap((plan) => plan.match(/svc_\w+_(?!at\b)\w+(?= on|\n|$)/g) ?? []),
    );
    return [
      label,
      `${median.toFixed(1)} ms`,
      `${slowest.toFixed(1)} ms`,
      [...indexes].map((name) => `\`${name}\``).join(', '),
    ];
  });
  const machine = `${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}`;
  return {
    id: 'user-lists',
    caption: `${users.toLocaleString('en-US')} users on PostgreSQL, ${calls} calls each, pages of 50 users: ${machine}, \`npm run bench -- users\`.`,
    head: ['List', 'Median', '99th percentile', 'Indexes'],
    rows,
  };
}
