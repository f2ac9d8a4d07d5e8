/** What became of a call, as a word: `ok`, the code of a ServiceError, or the name of whatever else was thrown. */
import { isServiceError } from 'svc-auth';

export async function outcomeOf(call: () => unknown): Promise<string> {
  try {
    await call();
    return 'ok';
  } catch (error) {
    return isServiceError(error) ? error.code : `not a ServiceError: ${String(error)}`;
  }
}

/** The error a call ends in; the test fails where it does not. */
export async function errorOf(call: () => unknown): Promise<Error & Record<string, unknown>> {
  try {
    await call();
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error('The call was expected to fail.');
}

/** Milliseconds of this process's own work that a call takes: what else the machine does meanwhile does not count. */
export async function effortOf(call: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Milliseconds of the wall until `call` is through, and what it answered. */
export async function timed<T>(call: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const start = performance.now();
  const result = await call();
  return { ms: performance.now() - start, result };
}

/** Starts `count` calls at once: how often each outcome came. */
export async function race(count: number, call: (index: number) => unknown): Promise<Record<string, number>> {
  return tallyOf(await Promise.all(Array.from({ length: count }, (_, i) => outcomeOf(() => call(i)))));
}

/** How often each outcome came. */
export function tallyOf(outcomes: readonly string[]): Record<string, number> {
  const tally: Record<string, number> = {};
  for (const outcome of outcomes) tally[outcome] = (tally[outcome] ?? 0) + 1;
  return tally;
}

/** Runs `count` calls one after the other and lists their outcomes. */
export async function inTurn(count: number, call: (index: number) => unknown): Promise<string[]> {
  const outcomes: string[] = [];
  for (let i = 0; i < count; i += 1) outcomes.push(await outcomeOf(() => call(i)));
  return outcomes;
}
