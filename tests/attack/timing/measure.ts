/**
 * `npm test -- --timing`: measures whether response times reveal which accounts exist. Requests of all kinds are sent one at a
 * time in random order, so that other load on the machine affects all of them alike. Some routes leak on purpose and must be
 * detected. Takes two to six minutes; TIMING_SAMPLES sets how many times each kind is measured.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { httpClient, type HttpClient, type HttpRequest } from '../../support/http-client.js';
import { startPostgres } from '../../support/postgres-server.js';
import { casesOf, type Case } from './cases.js';
import type { Ready } from './server.js';
import { compare, type Comparison } from './statistics.js';

const samples = Number(process.env['TIMING_SAMPLES'] ?? 120);
const warmUp = 10;
// With fewer samples a verdict would be chance.
const fewest = 60;
/** Time limits of the first measurement, and of the second one if that is needed. */
const timeLimitsMs = [220_000, 120_000] as const;

interface Verdict extends Comparison {
  pair: [string, string];
  samples: number;
}

if (!(samples >= fewest)) throw new RangeError(`TIMING_SAMPLES must be ${fewest} or more.`);
const postgres = await startPostgres();
const server = fork(new URL('./server.ts', import.meta.url), {
  env: { ...process.env, TIMING_DATABASE_URL: postgres.url, NODE_ENV: 'production' },
  execArgv: ['--import', 'tsx'],
});
try {
  process.exitCode = (await judge(await nextMessage<Ready>(server))) ? 0 : 1;
} finally {
  server.kill();
  await postgres.stop();
}

/** Returns whether every route is uniform and every control is detected as a leak. */
async function judge(ready: Ready): Promise<boolean> {
  const client = httpClient(ready.port);
  const { prepare, cases } = casesOf(ready);
  for (let at = 0; at < prepare.length; at += 20) {
    await Promise.all(prepare.slice(at, at + 20).map((request) => send(client, request, 200)));
  }
  const failedOf = async (measured: Case[], count: number, timeLimitMs: number) => {
    const times = await measure(client, measured, count, timeLimitMs);
    return measured.filter((testCase) => !report(testCase, times.get(testCase)!));
  };
  let failed = await failedOf(cases, samples, timeLimitsMs[0]);
  if (failed.length > 0) {
    // With twice the samples: a leak shows again, load from another process does not.
    console.log(`\
    Measuring again: ${failed.map(({ name }) => name).join('; ')}`);
    failed = await failedOf(failed, 2 * samples, timeLimitsMs[1]);
  }
  client.close();
  const names = failed.map(({ name }) => name).join('; ');
  console.log(
    failed.length === 0
      ? '\
  PASSED: all routes are uniform, and every control leaks.'
      : `\
  FAILED: ${names}`,
  );
  return failed.length === 0;
}

async function measure(
  client: HttpClient,
  cases: readonly Case[],
  count: number,
  timeLimitMs: number,
): Promise<Map<Case, Record<string, number[]>>> {
  const times = new Map(
    cases.map((each) => [each, Object.fromEntries(Object.keys(each.kinds).map((kind) => [kind, []]))]),
  ) as Map<Case, Record<string, number[]>>;
  const requests = cases.flatMap((each) => Object.keys(each.kinds).map((kind) => ({ each, kind })));
  const deadline = performance.now() + timeLimitMs;
  for (let round = -warmUp; round < count && performance.now() < deadline; round += 1) {
    for (const { each, kind } of shuffled(requests)) {
      const durationMs = await send(client, each.kinds[kind]!(round + warmUp), each.status);
      if (round >= 0) times.get(each)![kind]!.push(durationMs);
      // Background work of a request must not be in the time of the next.
      await send(client, { method: 'POST', path: '/settle' }, 200);
    }
  }
  return times;
}

/** Sends a request and returns the milliseconds until the end of its response. */
async function send(client: HttpClient, request: HttpRequest, expected: number): Promise<number> {
  const start = performance.now();
  const { status, text } = await client.send(request);
  const durationMs = performance.now() - start;
  // A rejected request, for example by a limit, would measure something else.
  if (status !== expected) throw new Error(`${request.path}: ${status} ${text}`);
  return durationMs;
}

/** Prints every pair of a case and returns whether all are as required. */
function report({ name, kinds, leaks }: Case, times: Record<string, number[]>): boolean {
  const names = Object.keys(kinds);
  const verdicts: Verdict[] = names.flatMap((first, i) =>
    names.slice(i + 1).map((second) => ({
      pair: [first, second] as [string, string],
      samples: Math.min(times[first]!.length, times[second]!.length),
      ...compare(times[first]!, times[second]!),
    })),
  );
  console.log(`\n${name}`);
  for (const verdict of verdicts) console.log(row(verdict, leaks === true));
  return verdicts.every(({ isUniform, samples: n }) => n >= fewest && isUniform !== (leaks === true));
}

function row({ pair, medians, difference, allowed, auc, isUniform, samples: n }: Verdict, leaks: boolean) {
  const ms = (value: number) => value.toFixed(2).padStart(7);
  const verdict = isUniform ? 'uniform' : 'DISTINGUISHABLE';
  const note = n < fewest ? ', too few samples' : isUniform === leaks ? ', unexpected' : '';
  return (
    `  ${pair.join(' / ').padEnd(32)} n ${String(n).padStart(3)}  medians ${medians.map(ms).join(' ')} ms  ` +
    `difference ${ms(difference)} of ${ms(allowed)} ms  AUC ${auc.toFixed(2)}  ${verdict}${note}`
  );
}

function shuffled<T>(items: readonly T[]): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i -= 1) {
    const j = randomInt(i + 1);
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}

async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const [received] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('The measured server exited.');
    }),
  ])) as [T];
  return received;
}
