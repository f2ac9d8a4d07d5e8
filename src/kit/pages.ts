/** Pages of lists: the request of a caller, and the opaque cursor that leads to the next page. */
import { InvalidRequestError } from '../errors/catalog.js';
import type { ListPosition, ListRange } from '../storage/list-range.js';
import { optional } from './input.js';

/** A part of a list that grows. */
export interface PageRequest {
  /** `nextCursor` of the page before. Absent or null: the first page. */
  cursor?: string | null;
  /** Maximum number of rows, from 1 to 200. Default 100. */
  limit?: number;
}

/** One page of rows, and the cursor of the next page; null on the last page. */
export type Page<Rows extends object> = Rows & { nextCursor: string | null };

const defaultLimit = 100;
const maxLimit = 200;
// The last millisecond of the year 9999: ISO 8601 writes later years in a form that PostgreSQL does not read.
const latest = 253_402_300_799_999;

/**
 * Reads one page. Asks for one row more than the page has, which shows whether there is another page.
 * @throws InvalidRequestError for a malformed cursor or limit.
 */
export async function readPage<Row>(
  page: PageRequest,
  read: (range: ListRange) => Promise<Row[]>,
  positionOf: (row: Row) => ListPosition,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  const { cursor, limit } = optional(page);
  const size = parseLimit(limit);
  const after = (cursor ?? null) === null ? undefined : parseCursor(cursor);
  const found = await read({ ...(after && { after }), limit: size + 1 });
  const rows = found.slice(0, size);
  const last = found.length > size ? rows.at(-1) : undefined;
  return { rows, nextCursor: last === undefined ? null : cursorOf(positionOf(last)) };
}

function parseLimit(limit: unknown = defaultLimit): number {
  if (Number.isInteger(limit) && (limit as number) >= 1 && (limit as number) <= maxLimit)
    return limit as number;
  throw new InvalidRequestError(`limit must be a whole number from 1 to ${maxLimit}.`, { field: 'limit' });
}

// Not signed: every list is limited to the rows that its caller may see, wherever a page begins.
function cursorOf({ createdAt, id }: ListPosition): string {
  return Buffer.from(`${createdAt.getTime()} ${id}`).toString('base64url');
}

function parseCursor(cursor: unknown): ListPosition {
  const isText = typeof cursor === 'string' && cursor.length <= 2_000;
  const position = isText ? Buffer.from(cursor, 'base64url').toString() : '';
  const [, time, id] = /^(\d{1,15}) ([\w-]+)$/.exec(position) ?? [];
  const createdAt = new Date(Number(time));
  // The round trip refuses every other spelling of the same bytes.
  if (id !== undefined && createdAt.getTime() <= latest && cursorOf({ createdAt, id }) === cursor) {
    return { createdAt, id };
  }
  throw new InvalidRequestError('cursor must be the nextCursor of another page of this list.', {
    field: 'cursor',
  });
}
