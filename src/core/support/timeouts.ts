/** Timeouts for code of the application: senders and functions that hang must not block a request forever. */
import { InternalError } from '../../errors/catalog.js';

const defaultTimeoutMs = 30_000;

/**
 * Returns the result of `work`.
 * @param name subject of the error message, as in "The sender".
 * @throws InternalError if `work` does not settle in `ms` milliseconds.
 */
export async function withTimeout<T>(work: T | Promise<T>, name: string, ms = defaultTimeoutMs): Promise<T> {
  let result: T | undefined;
  const completion = Promise.resolve(work).then((value) => void (result = value));
  if (!(await settlesWithin(ms, completion)))
    throw new InternalError(new Error(`${name} did not respond within ${ms} ms.`));
  return result as T;
}

/** Waits for `work`, for at most `ms` milliseconds. Resolves whether it is fulfilled by then, and rejects if it rejects by then. */
export async function settlesWithin(ms: number, work: unknown): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    // A longer timer would fire immediately.
    timer = setTimeout(() => resolve(false), Math.min(ms, 2 ** 31 - 1));
  });
  try {
    // `work` may be any value: a custom adapter may not return a promise.
    return await Promise.race([Promise.resolve(work).then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
