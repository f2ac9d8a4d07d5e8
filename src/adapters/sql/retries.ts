/** Retries work that the database rolled back because of a conflict between transactions. */
import { randomInt } from 'node:crypto';
// Imported, because fake timers in an application's tests replace the global function.
import { setTimeout as pause } from 'node:timers/promises';
import { isConflict } from './database-error.js';

const maxAttempts = 5;

/**
 * Runs `work`, and runs it again after a deadlock or a serialization failure, up to five times in
 * all, with a random, growing pause in between.
 * @param mayRetry false if `work` has had an effect outside of the database.
 */
export async function retryOnConflict<Result>(
  work: () => Promise<Result>,
  mayRetry: () => boolean = () => true,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === maxAttempts || !mayRetry() || !isConflict(error)) throw error;
      await pause(randomInt(10 * 2 ** attempt));
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
