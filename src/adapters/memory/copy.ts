/** Copies of records, so that a caller who changes one never changes the stored record. */
import { types } from 'node:util';

/**
 * Returns a deep copy of plain data and dates. Not `structuredClone`: its results belong to Node's
 * own realm, and fail `instanceof Date` and deep equality in a test runner's realm.
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
