/** Keyset pagination, as in ../sql/list-range.ts: selects the rows after a position in the order of an index. */
import type { ListRange } from '../../storage/list-range.js';
import { asText } from '../sql/bindings.js';
import type { Bindings } from './statements.js';

/** The end of a `where` clause with its order and limit, and its bindings. */
export interface Page {
  sql: string;
  bindings: Bindings;
}

/** Returns the rows of a range, oldest first. `createdAt` and `id` are the names of columns. */
export function oldestFirst(createdAt: string, id: string, range?: ListRange): Page {
  return pageOf(createdAt, id, range, '>', '');
}

/** Like `oldestFirst`, in reverse order. */
export function newestFirst(createdAt: string, id: string, range?: ListRange): Page {
  return pageOf(createdAt, id, range, '<', ' desc');
}

function pageOf(
  createdAt: string,
  id: string,
  { after, limit }: ListRange = {},
  past: '<' | '>',
  direction: string,
): Page {
  // The first condition is the one that an index is searched by.
  const position = after
    ? `and ${createdAt} ${past}= :afterTime and (${createdAt} ${past} :afterTime or ${id} ${past} :afterId)`
    : '';
  return {
    sql: `${position} order by ${createdAt}${direction}, ${id}${direction} ${limitOf(limit)}`,
    // An id that cannot be stored becomes null, and no id is past null.
    bindings: after ? { afterTime: after.createdAt, afterId: asText(after.id) } : {},
  };
}

/** Written into the statement: not every server accepts it as a value. */
export function limitOf(limit: number | undefined): string {
  if (limit === undefined || limit === Infinity) return '';
  if (!Number.isSafeInteger(limit) || limit < 0) throw new RangeError('A limit must be a positive integer.');
  return `limit ${limit}`;
}
