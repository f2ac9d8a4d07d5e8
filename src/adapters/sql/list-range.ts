/**
 * Keyset pagination: selects the rows after a position in the order of an index, so that every page
 * of a list costs the same. Without a position, the comparison uses the lowest or highest possible
 * value, so that the statement stays the same.
 */
import type { ListRange } from '../../storage/list-range.js';
import { asText, asTimestamp, asUuid } from './bindings.js';
import type { Bindings } from './database.js';

type IdType = 'uuid' | 'text';

/**
 * Ends a `where` clause with a range of rows, oldest first. `createdAt` and `id` are the names of
 * columns.
 */
export function oldestFirst(createdAt: string, id: string, idType: IdType = 'uuid'): string {
  return `
    and (${createdAt}, ${id}) > (${position(idType)})
  order by ${createdAt}, ${id} limit cast(:limit as bigint)`;
}

/** Like `oldestFirst`, in reverse order. */
export function newestFirst(createdAt: string, id: string, idType: IdType = 'uuid'): string {
  return `
    and (${createdAt}, ${id}) < (${position(idType)})
  order by ${createdAt} desc, ${id} desc limit cast(:limit as bigint)`;
}

const position = (idType: IdType) => `cast(:afterTime as timestamptz), cast(:afterId as ${idType})`;

const firstUuid = '00000000-0000-0000-0000-000000000000';
const lastUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Returns the bindings of `oldestFirst`. */
export function oldestFirstBindings(range: ListRange = {}, idType: IdType = 'uuid'): Bindings {
  return bindingsOf(range, idType, { afterTime: '-infinity', afterId: idType === 'uuid' ? firstUuid : '' });
}

/** Returns the bindings of `newestFirst`. */
export function newestFirstBindings(range: ListRange = {}): Bindings {
  return bindingsOf(range, 'uuid', { afterTime: 'infinity', afterId: lastUuid });
}

function bindingsOf({ after, limit }: ListRange, idType: IdType, start: Bindings): Bindings {
  // A malformed id becomes null and equals nothing, so the rows after its time are returned.
  const afterId = after && (idType === 'uuid' ? asUuid(after.id) : asText(after.id));
  const from = after ? { afterTime: asTimestamp(after.createdAt), afterId: afterId ?? null } : start;
  return { ...from, limit: limit ?? null };
}
