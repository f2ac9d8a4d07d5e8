/** Patience with what the application brings along: senders and functions that may hang must not hold a request for ever. */
import { InternalError } from '../errors/catalog.js';

const patienceMs = 30_000;

/** What `work` comes to, if it does so in time. @param who for the log, as in "The sender". @throws InternalError when it does not. */
export async function inTime<T>(work: T | Promise<T>, who: string, ms = patienceMs): Promise<T> {
  let result: T | undefined;
  const noted = Promise.resolve(work).then((value) => void (result = value));
  if (!(await within(ms, noted))) throw new InternalError(new Error(`${who} did not answer in ${ms} ms.`));
  return result as T;
}

/** Waits for `work`, but no longer than that. Whether it was through; what it rejects with meanwhile is rethrown. */
export async function within(ms: number, work: unknown): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    // A longer one would be over at once.
    timer = setTimeout(() => resolve(false), Math.min(ms, 2 ** 31 - 1));
  });
  try {
    // Whatever an adapter of somebody's own returns: not all of them return promises.
    return await Promise.race([Promise.resolve(work).then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
