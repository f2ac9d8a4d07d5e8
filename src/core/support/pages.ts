/** Pages of lists, and the opaque cursors that lead from one page to the next. */
import { InvalidRequestError } from '../../errors/catalog.js';
import type { ListPosition, ListRange } from '../../storage/list-range.js';
import { parseOptions } from './input.js';

/** The requested page of a list. */
export interface PageRequest {
  /** `nextCursor` of the previous page. Absent or null: the first page. */
  cursor?: string | null;
  /** Maximum number of rows, from 1 to 200. Default 100. */
  limit?: number;
}

/** One page of rows, and the cursor of the next page; null on the last page. */
export type Page<Rows extends object> = Rows & { nextCursor: string | null };

const defaultLimit = 100;
const maxLimit = 200;
// The last millisecond of the year 9999: PostgreSQL does not parse the ISO 8601 form of later years.
const maxTime = 253_402_300_799_999;

/**
 * Reads one page. Requests one row more than the page has, to find out whether there is a next page.
 * @throws InvalidRequestError if the cursor or the limit is malformed.
 */
export async function readPage<Row>(
  page: PageRequest,
  read: (range: ListRange) => Promise<Row[]>,
  positionOf: (row: Row) => ListPosition,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  return readPart(page, creationOrder, read, positionOf);
}

/** Like `readPage`, for a list that is ordered by a string of each row. */
export async function readSearch<Row>(
  page: PageRequest,
  read: (range: { after?: string; limit: number }) => Promise<Row[]>,
  positionOf: (row: Row) => string,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  return readPart(page, textOrder, read, positionOf);
}

/** How a position is written into a cursor. Not signed: a list contains only rows that its caller may see, wherever a page starts. */
interface CursorForm<Position> {
  write: (position: Position) => string;
  /** Undefined for a string that `write` cannot have returned. */
  read: (text: string) => Position | undefined;
}

async function readPart<Row, Position>(
  page: PageRequest,
  form: CursorForm<Position>,
  read: (range: { after?: Position; limit: number }) => Promise<Row[]>,
  positionOf: (row: Row) => Position,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  const { cursor, limit } = parseOptions(page, ['cursor', 'limit']);
  const size = parseLimit(limit);
  const after = (cursor ?? null) === null ? undefined : parseCursor(cursor, form);
  const rowsAndNext = await read({ ...(after && { after }), limit: size + 1 });
  const rows = rowsAndNext.slice(0, size);
  const last = rowsAndNext.length > size ? rows.at(-1) : undefined;
  return { rows, nextCursor: last === undefined ? null : cursorOf(positionOf(last), form) };
}

function parseLimit(limit: unknown = defaultLimit): number {
  if (Number.isInteger(limit) && (limit as number) >= 1 && (limit as number) <= maxLimit)
    return limit as number;
  throw new InvalidRequestError(`limit must be a whole number from 1 to ${maxLimit}.`, { field: 'limit' });
}

const creationOrder: CursorForm<ListPosition> = {
  write: ({ createdAt, id }) => `${createdAt.getTime()} ${id}`,
  read(text) {
    const [, time, id] = /^(\d{1,15}) ([\w-]+)$/.exec(text) ?? [];
    const createdAt = new Date(Number(time));
    return id !== undefined && createdAt.getTime() <= maxTime ? { createdAt, id } : undefined;
  },
};

// The mark keeps a cursor of one order from being read in the other.
const textOrder: CursorForm<string> = {
  write: (text) => `=${text}`,
  read: (text) => (text.startsWith('=') ? text.slice(1) : undefined),
};

function cursorOf<Position>(position: Position, form: CursorForm<Position>): string {
  return Buffer.from(form.write(position)).toString('base64url');
}

function parseCursor<Position>(cursor: unknown, form: CursorForm<Position>): Position {
  const isText = typeof cursor === 'string' && cursor.length <= 2_000;
  const position = isText ? form.read(Buffer.from(cursor, 'base64url').toString()) : undefined;
  // The comparison refuses other encodings of the same bytes.
  if (position !== undefined && cursorOf(position, form) === cursor) return position;
  throw new InvalidRequestError('cursor must be the nextCursor of another page of this list.', {
    field: 'cursor',
  });
}
