/**
 * Keyset pages: the rows after a position in the order of an index, so that a page costs the same wherever in the list it
 * is. Without a position the comparison is with the first or the last value there is, so the statement stays the same.
 */
import type { ListRange } from '../../storage/list-range.js';
import { text, time, uuid } from './bindings.js';
import type { Bindings } from './database.js';

type IdType = 'uuid' | 'text';

/** Ends a `where` clause. Rows with the time `createdAt` and the id `id`, both columns, oldest first. */
export function oldestFirst(createdAt: string, id: string, idType: IdType = 'uuid'): string {
  return `
    and (${createdAt}, ${id}) > (${position(idType)})
  order by ${createdAt}, ${id} limit cast(:limit as bigint)`;
}

/** As `oldestFirst`, in the reverse order. */
export function newestFirst(createdAt: string, id: string, idType: IdType = 'uuid'): string {
  return `
    and (${createdAt}, ${id}) < (${position(idType)})
  order by ${createdAt} desc, ${id} desc limit cast(:limit as bigint)`;
}

const position = (idType: IdType) => `cast(:afterTime as timestamptz), cast(:afterId as ${idType})`;

const firstUuid = '00000000-0000-0000-0000-000000000000';
const lastUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Bindings of `oldestFirst`. */
export function oldestFirstBindings(range: ListRange = {}, idType: IdType = 'uuid'): Bindings {
  return bindingsOf(range, idType, { afterTime: '-infinity', afterId: idType === 'uuid' ? firstUuid : '' });
}

/** Bindings of `newestFirst`. */
export function newestFirstBindings(range: ListRange = {}): Bindings {
  return bindingsOf(range, 'uuid', { afterTime: 'infinity', afterId: lastUuid });
}

function bindingsOf({ after, limit }: ListRange, idType: IdType, start: Bindings): Bindings {
  // A malformed id is null and equals nothing: the rows after its time are returned.
  const afterId = after && (idType === 'uuid' ? uuid(after.id) : text(after.id));
  const from = after ? { afterTime: time(after.createdAt), afterId: afterId ?? null } : start;
  return { ...from, limit: limit ?? null };
}
