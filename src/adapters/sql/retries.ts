/** Runs again what the database undid because of a conflict between transactions. */
import { randomInt } from 'node:crypto';
// Imported, not global: a host that tests with fake timers replaces the global one.
import { setTimeout as pause } from 'node:timers/promises';
import { isUndone } from './database-error.js';

const mostAttempts = 5;

/** Runs `work` again after a deadlock or a serialization failure, up to five times in all, after a random pause that grows. */
export async function retryUndone<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === mostAttempts || !isUndone(error)) throw error;
      await pause(randomInt(10 * 2 ** attempt));
    }
  }
}

/** Waits about this long: between three quarters and five quarters of it, so that processes do not try in step. */
export async function pauseAbout(ms: number): Promise<void> {
  await pause(ms * 0.75 + randomInt(Math.ceil(ms / 2)));
}
