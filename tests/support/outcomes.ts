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

/** Returns the wall-clock milliseconds that `call` takes, and its result. */
export async function timed<T>(call: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const start = performance.now();
  const result = await call();
  return { ms: performance.now() - start, result };
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
