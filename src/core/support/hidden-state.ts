/** Keeps the properties of objects out of logs: a service and its providers contain secrets of the configuration. */

const inspect = Symbol.for('nodejs.util.inspect.custom');

/**
 * Makes the properties of an object non-enumerable, so that `JSON.stringify` and loggers omit them, and makes `util.inspect` show only
 * its class name, also with `showHidden`. Private fields are not used, because the router and the guards of another copy of the package
 * must reach `internals`.
 * @returns the same object.
 */
export function hideState<T extends object>(object: T): T {
  for (const key of Reflect.ownKeys(object)) Object.defineProperty(object, key, { enumerable: false });
  Object.defineProperty(object, inspect, { value: () => `${object.constructor.name} {}` });
  return object;
}
