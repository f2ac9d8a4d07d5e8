/**
 * `npm run test:timing`: whether anybody can tell by the clock who has an account. Requests of all kinds go out one at a
 * time, in random order, so that whatever else the machine does colours all of them alike. Some routes leak on purpose, and
 * must be seen to. Takes one minute to four; TIMING_SAMPLES says how many times each kind is measured.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { httpClient, type HttpClient, type SentRequest } from '../../support/http-client.js';
import { startPostgres } from '../../support/postgres-server.js';
import { casesOf, type Case } from './cases.js';
import type { Ready } from './server.js';
import { compare, type Comparison } from './statistics.js';

const samples = Number(process.env['TIMING_SAMPLES'] ?? 120);
const warmUp = 10;
// Below this many a verdict would be chance.
const fewest = 60;
/** Of the first measurement, and of the second one where that is needed. */
const patienceMs = [150_000, 80_000] as const;

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

/** True where every route is uniform and every control is seen to leak. */
async function judge(ready: Ready): Promise<boolean> {
  const client = httpClient(ready.port);
  const { prepare, cases } = casesOf(ready);
  for (let at = 0; at < prepare.length; at += 20) {
    await Promise.all(prepare.slice(at, at + 20).map((request) => send(client, request, 200)));
  }
  const judged = async (measured: Case[], count: number, patience: number) => {
    const times = await measure(client, measured, count, patience);
    return measured.filter((each) => !report(each, times.get(each)!));
  };
  let bad = await judged(cases, samples, patienceMs[0]);
  if (bad.length > 0) {
    // With twice the samples: a leak is there again, a busy neighbour is not.
    console.log(`\nOnce more, for ${bad.map(({ name }) => name).join('; ')}:`);
    bad = await judged(bad, 2 * samples, patienceMs[1]);
  }
  client.close();
  const names = bad.map(({ name }) => name).join('; ');
  console.log(bad.length === 0 ? '\nNobody can tell, and both controls were seen.' : `\nFAILED: ${names}`);
  return bad.length === 0;
}

async function measure(
  client: HttpClient,
  cases: readonly Case[],
  count: number,
  patience: number,
): Promise<Map<Case, Record<string, number[]>>> {
  const times = new Map(
    cases.map((each) => [each, Object.fromEntries(Object.keys(each.kinds).map((kind) => [kind, []]))]),
  ) as Map<Case, Record<string, number[]>>;
  const requests = cases.flatMap((each) => Object.keys(each.kinds).map((kind) => ({ each, kind })));
  const deadline = performance.now() + patience;
  for (let round = -warmUp; round < count && performance.now() < deadline; round += 1) {
    for (const { each, kind } of shuffled(requests)) {
      const taken = await send(client, each.kinds[kind]!(round + warmUp), each.status);
      if (round >= 0) times.get(each)![kind]!.push(taken);
      // What a request leaves for later must not be in the time of the next.
      await send(client, { method: 'POST', path: '/settle' }, 200);
    }
  }
  return times;
}

/** Milliseconds from the request to the end of its answer. */
async function send(client: HttpClient, request: SentRequest, expected: number): Promise<number> {
  const start = performance.now();
  const { status, text } = await client.send(request);
  const taken = performance.now() - start;
  // A request that is refused, by a limit for instance, would measure something else.
  if (status !== expected) throw new Error(`${request.path}: ${status} ${text}`);
  return taken;
}

/** Prints every pair of a case; true where it is as it must be. */
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
  const verdict = isUniform ? 'the same' : 'TOLD APART';
  const wanted = n < fewest ? ', too few' : isUniform === leaks ? ', not as it must be' : '';
  return (
    `  ${pair.join(' / ').padEnd(32)} n ${String(n).padStart(3)}  medians ${medians.map(ms).join(' ')} ms  ` +
    `difference ${ms(difference)} of ${ms(allowed)} ms  AUC ${auc.toFixed(2)}  ${verdict}${wanted}`
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
      throw new Error('The measured server ended.');
    }),
  ])) as [T];
  return received;
}
