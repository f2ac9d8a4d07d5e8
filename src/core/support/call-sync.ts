/** Calls functions of the application that must be synchronous, such as templates. */

/**
 * Returns the result of a synchronous function. If it is a promise, the caller rejects it like any other invalid result; its
 * rejection, which is not handled elsewhere, must not end the process.
 */
export function callSync<T>(callback: () => T): T {
  const result = callback();
  void Promise.resolve(result).catch(() => undefined);
  return result;
}
