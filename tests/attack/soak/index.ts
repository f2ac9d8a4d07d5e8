/**
 * `npm test -- --soak`: mixed traffic at a bounded rate against PostgreSQL, for ten minutes or SOAK_MINUTES. The application's clock
 * advances by a day and a half between rounds. Exits with code 1 if memory, handles or tables grow, a response is unexpected or
 * the application reports an error. SOAK_LEAK=memory, rows or handles leaks on purpose, and the verdict must then be FAILED.
 */
import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { httpClient } from '../../support/http-client.js';
import { startPostgres } from '../../support/postgres-server.js';
import type { Leak, SoakOrder, SoakReport, SoakSample } from './application.js';
import { judge, type Bound, type Judgement } from './verdict.js';
import { Browser, leave, signUp, visits, type Person, type World } from './visitors.js';

const minute = 60_000;
const minutes = Number(process.env['SOAK_MINUTES'] ?? 10);
const leaks = [undefined, 'memory', 'rows', 'handles'];
const leak = process.env['SOAK_LEAK'] as Leak | undefined;
if (!(minutes >= 1 && minutes <= 600) || !leaks.includes(leak)) {
  throw new Error('SOAK_MINUTES must be 1 to 600, SOAK_LEAK memory, rows or handles.');
}
const roundMs = 500;
const pauseMs = 36 * 60 * minute;
const roundsPerPurge = 2;
const sampleMs = 2_000;
const population = 45;
const megabyte = 2 ** 20;

/** How far each value may rise from the middle of the run to its end. Tables include dead rows until autovacuum removes them. */
const bounds: Record<string, Bound> = {
  'heap (MB)': { part: 0.03, plus: 1 },
  'resident (MB)': { part: 0.1, plus: 10 },
  handles: { part: 0.1, plus: 6 },
  'live rows': { part: 0.05, plus: 60 },
  'dead rows': { part: 0.35, plus: 2_000 },
  'tables (MB)': { part: 0.15, plus: 3 },
};

const postgres = await startPostgres({ autovacuum_naptime: '5s' });
const sql = new Client({ connectionString: postgres.url });
await sql.connect();
const child = fork(fileURLToPath(new URL('./application.ts', import.meta.url)), {
  execArgv: ['--expose-gc', '--import', 'tsx'],
  env: { ...process.env, NODE_ENV: 'test' },
});
const world = {
  mailbox: new Map(),
  visits: new Map(),
  faults: [],
  answers: { count: 0 },
} as unknown as World;
const waiting: ((message: SoakReport) => void)[] = [];
child.on('message', (message: SoakReport) => {
  if ('to' in message) world.mailbox.set(message.to, message.text);
  else waiting.shift()?.(message);
});
child.once('exit', (code) => {
  if (code !== null) world.faults.push(`The application exited with ${code}.`);
});

/** Sends an order and resolves with its report. Reports arrive in the order of the orders. */
function order(message: SoakOrder): Promise<SoakReport> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('The application no longer responds.')), 30_000);
    waiting.push((soakReport) => {
      clearTimeout(late);
      resolve(soakReport);
    });
    child.send(message);
  });
}

const series: Record<string, number[]> = Object.fromEntries(Object.keys(bounds).map((name) => [name, []]));
let lag = { p99: 0, max: 0 };

async function sample(): Promise<void> {
  const { sample: current } = (await order({ sample: true })) as { sample: SoakSample };
  lag = { p99: Math.max(lag.p99, current.lagP99), max: Math.max(lag.max, current.lagMax) };
  world.faults.push(...current.errors);
  const { rows: tables } = await sql.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename like 'svc_%'",
  );
  const counts = tables.map(({ name }) => `(select count(*) from ${name})`).join(' + ');
  const { rows } = await sql.query<{ live: string; dead: string; bytes: string }>(
    `select ${counts} as live, sum(n_dead_tup) as dead, sum(pg_total_relation_size(relid)) as bytes
     from pg_stat_user_tables where relname like 'svc_%'`,
  );
  const [{ live, dead, bytes } = { live: NaN, dead: NaN, bytes: NaN }] = rows;
  const values: Record<string, number> = {
    'heap (MB)': current.heap / megabyte,
    'resident (MB)': current.resident / megabyte,
    handles: current.handles,
    'live rows': Number(live),
    'dead rows': Number(dead),
    'tables (MB)': Number(bytes) / megabyte,
  };
  for (const [name, value] of Object.entries(values)) series[name]!.push(value);
}

async function visit(name: string, errand: () => Promise<unknown>): Promise<void> {
  try {
    await errand();
    world.visits.set(name, (world.visits.get(name) ?? 0) + 1);
  } catch (error) {
    world.faults.push(`${name}: ${(error as Error).message}`);
  }
}

/** Ten users that are never deleted. */
const leftovers = `
  insert into svc_users (id, email, email_verified, metadata, epoch, created_at, updated_at)
  select gen_random_uuid(), 'left-' || $1::int || '-' || i || '@example.com', false, '{}', 0, now(), now()
  from generate_series(1, 10) as i`;

const people: Person[] = [];

/** Makes one visit of each kind concurrently, each by a different person; the longest-standing person deletes the account. */
async function round(number: number): Promise<void> {
  const free = [...people].sort(() => Math.random() - 0.5);
  const leaving = people.length >= population ? people.shift()! : undefined;
  const errands = Object.entries(visits).map(([name, errand]) => {
    const person = free.find((candidate) => candidate !== leaving)!;
    free.splice(free.indexOf(person), 1);
    return visit(name, () => errand(new Browser(world), person));
  });
  if (leaving) errands.push(visit('deletion', () => leave(world, leaving)));
  errands.push(visit('signup', async () => void people.push(await signUp(world))));
  if (leak === 'rows') errands.push(visit('leak', () => sql.query(leftovers, [number])));
  await Promise.all(errands);
}

function tableRow(cells: (string | number)[]): void {
  const formatted = cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(cell < 100 ? 1 : 0) : cell));
  console.log(formatted.map((cell, at) => (at === 0 ? cell.padEnd(14) : cell.padStart(14))).join(''));
}

let passed: boolean;
try {
  const { listening } = (await order({ boot: { databaseUrl: postgres.url, leak } })) as { listening: number };
  world.client = httpClient(listening);
  let ahead = 0;
  world.now = () => Date.now() + ahead;
  while (people.length < population) people.push(await signUp(world));

  console.log(`${minutes} minutes${leak ? `, leaking ${leak}` : ''}. The first third is the warm-up.\n`);
  tableRow(['minute', ...Object.keys(bounds), 'responses', 'faults', 'lag p99 (ms)', 'lag max (ms)']);
  const start = performance.now();
  let [nextSample, nextRow, rows] = [start, start + minute, 0];
  for (let number = 1; performance.now() - start < minutes * minute; number += 1) {
    const begin = performance.now();
    await round(number);
    await order({ advance: pauseMs });
    ahead += pauseMs;
    if (number % roundsPerPurge === 0) await order({ purge: true });
    if (performance.now() >= nextSample) {
      nextSample += sampleMs;
      await sample();
    }
    if (performance.now() >= nextRow) {
      nextRow += minute;
      const latest = Object.values(series).map((values) => values.at(-1)!);
      tableRow([String((rows += 1)), ...latest, world.answers.count, world.faults.length, lag.p99, lag.max]);
      lag = { p99: 0, max: 0 };
    }
    // Stops early: a broken application would only print more of the same.
    if (world.faults.length > 100) break;
    await sleep(Math.max(0, roundMs - (performance.now() - begin)));
  }
  await sample();
  passed = verdict();
} finally {
  world.client?.close();
  child.removeAllListeners('exit').kill('SIGKILL');
  await sql.end();
  await postgres.stop();
}
process.exit(passed ? 0 : 1);

function verdict(): boolean {
  const judgments = Object.entries(bounds).map(([name, bound]): Judgement =>
    judge(name, series[name]!, bound),
  );
  console.log('');
  tableRow(['', 'middle third', 'last third', 'rise', 'allowed', 'verdict']);
  for (const { name, middle, last, rise, allowed, isFlat } of judgments) {
    tableRow([name, middle, last, rise, allowed, isFlat ? 'flat' : 'GROWS']);
  }
  const missing = [...Object.keys(visits), 'signup', 'deletion'].filter((name) => !world.visits.has(name));
  console.log(`\nVisits: ${[...world.visits].map(([name, count]) => `${name} ${count}`).join(', ')}`);
  if (missing.length > 0) console.log(`Never done: ${missing.join(', ')}`);
  for (const fault of world.faults.slice(0, 20)) console.log(`FAULT ${fault}`);
  const passes = missing.length === 0 && world.faults.length === 0 && judgments.every(({ isFlat }) => isFlat);
  console.log(
    `\n${passes ? 'PASSED' : 'FAILED'}: ${world.answers.count} responses, ${world.faults.length} faults.`,
  );
  return passes;
}
