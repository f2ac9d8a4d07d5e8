/**
 * The conditions of user lists as one constant statement. The statement is planned with its values,
 * so PostgreSQL removes every condition whose value is null, and uses the index of the others.
 */
import type { ListRange } from '../../storage/list-range.js';
import type {
  SearchRange,
  UserFilter,
  UserOrder,
  UserSearch,
} from '../../storage/user-administration-repository.js';
import { asText, asTimestamp, asUuid } from './bindings.js';
import type { Bindings } from './database.js';
import { isBlockedAt } from './users.js';

/** `from` and `where` of `svc_users u`. */
export const matchingUsers = `
  from svc_users u
  where (not cast(:hasId as boolean) or u.id = cast(:id as uuid))
    and (not cast(:hasRole as boolean) or u.roles @> array[cast(:role as text)])
    and (cast(:verified as boolean) is null or u.email_verified = cast(:verified as boolean))
    and (cast(:guest as boolean) is null or u.is_guest = cast(:guest as boolean))
    and (cast(:blocked as boolean) is null
      or ${isBlockedAt('cast(:now as timestamptz)')} = cast(:blocked as boolean))
    and (cast(:createdAfter as timestamptz) is null or u.created_at >= cast(:createdAfter as timestamptz))
    and (cast(:createdBefore as timestamptz) is null or u.created_at < cast(:createdBefore as timestamptz))`;

export function filterBindings(filter: UserFilter): Bindings {
  const { id, role, verified = null, guest = null, blocked = null, createdAfter, createdBefore } = filter;
  return {
    // An id or a role that cannot be stored matches no user.
    hasId: id !== undefined,
    id: id === undefined ? null : asUuid(id),
    hasRole: role !== undefined,
    role: role === undefined ? null : asText(role),
    verified,
    guest,
    blocked,
    now: asTimestamp(filter.now),
    createdAfter: createdAfter ? asTimestamp(createdAfter) : null,
    createdBefore: createdBefore ? asTimestamp(createdBefore) : null,
  };
}

/**
 * The users whose address or user name begins with `:prefix`, by what matches: two parts,
 * each in the order of its index, so that a page costs the same for any prefix. `~<~` and `~>~`
 * compare bytes, as the operator class of both indexes does.
 */
export function matchingSearch(selected: string): string {
  const part = (match: string, condition = '') => `
    (select ${selected}, ${match} as match ${matchingUsers}
      and ${match} like cast(:prefix as text) and ${match} ~>~ cast(:after as text) ${condition}
    order by ${match} using ~<~ limit cast(:limit as bigint))`;
  const isListedByAddress = `coalesce(u.email like cast(:prefix as text), false)`;
  return `${part('u.email')} union all ${part('u.username_key', `and not ${isListedByAddress}`)}`;
}

export function searchBindings(
  { prefix, ...filter }: UserSearch,
  { after = '', limit }: SearchRange,
): Bindings {
  // A string that cannot be stored matches no user: no address and no user name contains a space.
  const pattern = `${escapePattern(asText(prefix) ?? ' ')}%`;
  return { ...filterBindings(filter), prefix: pattern, after: asText(after) ?? '', limit };
}

function escapePattern(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/**
 * Returns the filter and the range with one bound in the direction of the list: the stronger of the
 * position and the window of the filter. An index scan starts at only one bound. From the weaker one,
 * it would read every row up to the page.
 */
export function withOneBound(
  filter: UserFilter,
  order: UserOrder,
  range: ListRange,
): { filter: UserFilter; range: ListRange } {
  const { after } = range;
  const { createdAfter, createdBefore } = filter;
  const isNewest = order === 'newest';
  const bound = isNewest ? createdBefore : createdAfter;
  if (!bound) return { filter, range };
  const isInWindow = after && (isNewest ? after.createdAt < bound : after.createdAt >= bound);
  const start = isInWindow ? after : { createdAt: bound, id: lowestId };
  const unbounded = isNewest ? { createdBefore: undefined } : { createdAfter: undefined };
  return { filter: { ...filter, ...unbounded }, range: { ...range, after: start } };
}

const lowestId = '00000000-0000-0000-0000-000000000000';
