/** Keyset pagination: selects the rows after a position in the order of an index, so that every page of a list costs the same. */
import type { ListRange } from '../../storage/list-range.js';
import { asUuid } from '../shared/bindings.js';
import type { Bindings } from './statements.js';

/** An id that no row has, below all others. */
export const lowestId = '00000000-0000-0000-0000-000000000000';

/** The end of a `where` clause with its order and limit, and its bindings. */
export interface Page {
  sql: string;
  bindings: Bindings;
}

/** Returns the rows of a range, oldest first. `createdAt` and `id` are the names of columns. @param asId of ids that are not UUIDs. */
export function oldestFirst(createdAt: string, id: string, range?: ListRange, asId = asUuid): Page {
  return pageOf(createdAt, id, range, '>', asId);
}

/** Like `oldestFirst`, in reverse order. */
export function newestFirst(createdAt: string, id: string, range?: ListRange): Page {
  return pageOf(createdAt, id, range, '<', asUuid);
}

function pageOf(
  createdAt: string,
  id: string,
  { after, limit }: ListRange = {},
  past: '<' | '>',
  asId: (id: string) => string | null,
): Page {
  const position = after ? `and {past ${createdAt}, ${id}, ${past}}` : '';
  const direction = past === '<' ? ' desc' : '';
  return {
    sql: `${position} order by ${createdAt}${direction}, ${id}${direction} ${limitOf(limit)}`,
    // A malformed id becomes null, and no id is past null.
    bindings: after ? { afterTime: after.createdAt, afterId: asId(after.id) } : {},
  };
}

/** Written into the statement: not every server accepts it as a value. */
export function limitOf(limit: number | undefined): string {
  if (limit === undefined || limit === Infinity) return '';
  if (!Number.isSafeInteger(limit) || limit < 0) throw new RangeError('A limit must be a positive integer.');
  return `limit ${limit}`;
}
