/** Retries work of which nothing is left in the database: it was rolled back because of a conflict, or never sent. */
import { randomInt } from 'node:crypto';
// Imported, because fake timers in an application's tests replace the global objects.
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

// The other transactions take milliseconds each.
const longestRetriesMs = 30_000;
const longestPauseMs = 200;

/**
 * Runs `work`, and runs it again after a temporary error, for thirty seconds, with a random, growing
 * pause in between.
 * @param isTemporary of an error of `work`, such as a deadlock: nothing has changed.
 * @param mayRetry false if `work` has had an effect outside of the database.
 */
export async function retryOn<Result>(
  work: () => Promise<Result>,
  isTemporary: (error: unknown) => boolean,
  mayRetry: () => boolean = () => true,
): Promise<Result> {
  const deadline = performance.now() + longestRetriesMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > deadline || !isTemporary(error) || !mayRetry()) throw error;
      await pauseWithJitter(Math.min(2 ** attempt, longestPauseMs));
    }
  }
}

/**
 * Waits for a random time between 75% and 125% of `ms`, so that processes do not retry at the same
 * time.
 */
export async function pauseWithJitter(ms: number): Promise<void> {
  await pause(ms * 0.75 + randomInt(Math.ceil(ms / 2)));
}
