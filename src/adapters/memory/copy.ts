/** Copies of records, so that what a caller does to one never reaches the store. */
import { types } from 'node:util';

/**
 * A deep copy of plain data and dates. Not `structuredClone`: its results belong to Node's own realm, where a
 * test runner's `instanceof Date` and deep equality do not know them.
 */
export function copy<Value>(value: Value): Value {
  return copyValue(value) as Value;
}

function copyValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (types.isDate(value)) return new Date(value.getTime());
  if (Array.isArray(value)) return value.map(copyValue);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, copyValue(entry)]));
}
