/** Selects a range of a list. */
import type { ListRange } from '../../storage/list-range.js';
import { byAge } from './tables.js';

interface Dated {
  createdAt: Date;
}

/** Returns the rows of the range, oldest first; rows of the same time are ordered by id. */
export function oldestFirst<Row extends Dated>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
  range: ListRange = {},
): Row[] {
  return partOf([...rows].sort(byAge(idOf)), idOf, range, 1);
}

/** Like `oldestFirst`, in reverse order. */
export function newestFirst<Row extends Dated>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
  range: ListRange = {},
): Row[] {
  return partOf([...rows].sort(byAge(idOf)).reverse(), idOf, range, -1);
}

function partOf<Row extends Dated>(
  sorted: Row[],
  idOf: (row: Row) => string,
  { after, limit = Infinity }: ListRange,
  direction: 1 | -1,
): Row[] {
  if (!after) return sorted.slice(0, limit);
  const isAfter = (row: Row) => {
    const age = direction * (row.createdAt.getTime() - after.createdAt.getTime());
    return age > 0 || (age === 0 && (direction === 1 ? idOf(row) > after.id : idOf(row) < after.id));
  };
  return sorted.filter(isAfter).slice(0, limit);
}
