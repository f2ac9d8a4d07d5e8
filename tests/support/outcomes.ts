/** Outcomes of calls as strings: `ok`, the code of a `ServiceError`, or a description of any other thrown value. */
import { isServiceError } from 'svc-auth';

export async function outcomeOf(call: () => unknown): Promise<string> {
  try {
    await call();
    return 'ok';
  } catch (error) {
    return isServiceError(error) ? error.code : `not a ServiceError: ${String(error)}`;
  }
}

/** Returns the error that a call throws. Fails the test if it does not throw. */
export async function errorOf(call: () => unknown): Promise<Error & Record<string, unknown>> {
  try {
    await call();
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error('The call was expected to fail.');
}

/** Returns the CPU time of this process, in milliseconds, that a call takes. Load from other processes does not count. */
export async function cpuMsOf(call: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Returns the CPU time that a call takes, as a multiple of a million steps of a loop, about a millisecond on a machine of any speed. */
export async function effortOf(call: () => unknown): Promise<number> {
  const ms = await cpuMsOf(call);
  const steps: number[] = [];
  for (let round = 0; round < 3; round += 1) steps.push(await cpuMsOf(millionSteps));
  return ms / Math.min(...steps);
}

function millionSteps(): number {
  let state = 1;
  for (let step = 0; step < 1_000_000; step += 1) state = (Math.imul(state, 1_664_525) + step) | 0;
  return state;
}

/**
 * Returns how many times the CPU time of a call grows if its input is ten times as long: about 10 if it takes linear time, and 100 if
 * it takes quadratic time. The fastest of several calls count, because garbage collection runs in between.
 */
export async function growthOf(call: (size: number) => unknown, size: number): Promise<number> {
  const fastest = async (length: number) => {
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) times.push(await cpuMsOf(() => call(length)));
    return Math.min(...times);
  };
  const short = await fastest(size);
  // What takes less than a tenth of a millisecond is not measured reliably.
  return (await fastest(size * 10)) / Math.max(short, 0.1);
}

/** Starts `count` calls at the same time and counts their outcomes. */
export async function race(count: number, call: (index: number) => unknown): Promise<Record<string, number>> {
  return tallyOf(await Promise.all(Array.from({ length: count }, (_, i) => outcomeOf(() => call(i)))));
}

/** Counts the outcomes. */
export function tallyOf(outcomes: readonly string[]): Record<string, number> {
  const tally: Record<string, number> = {};
  for (const outcome of outcomes) tally[outcome] = (tally[outcome] ?? 0) + 1;
  return tally;
}

/** Runs `count` calls one after the other and returns their outcomes. */
export async function runInSequence(count: number, call: (index: number) => unknown): Promise<string[]> {
  const outcomes: string[] = [];
  for (let i = 0; i < count; i += 1) outcomes.push(await outcomeOf(() => call(i)));
  return outcomes;
}
