/** Keeps what an object contains out of logs: a service and its providers contain secrets of the configuration. */

/**
 * Makes the properties of an object non-enumerable, so that `JSON.stringify`, `util.inspect` and loggers show none of them. Not private
 * fields, because the router and the guards of another copy of the package must reach `internals`.
 * @returns the same object.
 */
export function hideState<T extends object>(object: T): T {
  for (const key of Reflect.ownKeys(object)) Object.defineProperty(object, key, { enumerable: false });
  return object;
}
