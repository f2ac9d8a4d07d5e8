/** Insertions of many records with few statements. */
import type { Queryable } from '../database.js';
import type { Value } from '../statements.js';
import { rowsInsertion, valuesOf, type Table } from '../tables.js';

/**
 * Records of one statement, so that there are few different statements. A row of `svc_users` has two dozen values, and SQLite allows
 * 32,766 of them.
 */
const sizes = [128, 16, 1];

/** Inserts the records. Fails if a key is taken. */
export async function insertRows<Fields extends object>(
  on: Queryable,
  table: Table<Fields>,
  records: readonly Fields[],
): Promise<void> {
  let start = 0;
  for (const size of sizes) {
    for (; records.length - start >= size; start += size) {
      const bindings: Record<string, Value> = {};
      for (let row = 0; row < size; row += 1) {
        for (const [name, value] of Object.entries(valuesOf(table, records[start + row] as Fields)))
          bindings[`${name}_r${row}`] = value as Value;
      }
      await on.execute(rowsInsertion(table, size), bindings);
    }
  }
}

/** Lengths of lists in conditions, for the same reason. */
const listLengths = [1, 8, 64, 512, 5_000];

/** Calls `work` with parts of the values that have one of a few lengths: the last value is repeated. */
export async function inLists(
  values: Iterable<string>,
  work: (list: readonly string[]) => Promise<void>,
): Promise<void> {
  const all = [...new Set(values)];
  const longest = listLengths.at(-1) ?? 1;
  for (let start = 0; start < all.length; start += longest) {
    const part = all.slice(start, start + longest);
    const length = listLengths.find((each) => each >= part.length) ?? longest;
    const padding = new Array<string>(length - part.length).fill(part.at(-1) ?? '');
    await work([...part, ...padding]);
  }
}
