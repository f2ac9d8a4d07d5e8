/** The conditions of lists of users. */
import type { SearchRange, UserFilter, UserSearch } from '../../storage/user-administration-repository.js';
import { asText, asUuid } from '../sql/bindings.js';
import { limitOf } from './list-range.js';
import type { Bindings } from './statements.js';

interface Matching {
  sql: string;
  bindings: Bindings;
}

/** The conditions of a list of users, of `svc_users u`. */
export function matchingUsers(filter: UserFilter): Matching {
  const { id, role, verified, guest, blocked, createdAfter, createdBefore, now } = filter;
  const isBlocked = `(u.blocked_at is not null and (u.blocked_until is null or u.blocked_until > :filterNow))`;
  const conditions: [condition: string, bindings: Bindings, isGiven: boolean][] = [
    ['u.id = :filterId', { filterId: asUuid(id ?? '') }, id !== undefined],
    // The roles are a JSON array of strings without quotes in them.
    ['instr(u.roles, :role) > 0', { role: asText(JSON.stringify(role ?? '')) }, role !== undefined],
    ['u.email_verified = :verified', { verified: verified ?? false }, verified !== undefined],
    ['u.is_guest = :guest', { guest: guest ?? false }, guest !== undefined],
    [blocked ? isBlocked : `not ${isBlocked}`, { filterNow: now }, blocked !== undefined],
    ['u.created_at >= :createdAfter', { createdAfter: createdAfter ?? now }, createdAfter !== undefined],
    ['u.created_at < :createdBefore', { createdBefore: createdBefore ?? now }, createdBefore !== undefined],
  ];
  const given = conditions.filter(([, , isGiven]) => isGiven);
  return {
    sql: given.length === 0 ? '1 = 1' : given.map(([condition]) => condition).join(' and '),
    bindings: Object.assign({}, ...given.map(([, bindings]) => bindings)) as Bindings,
  };
}

/**
 * The users whose address or user name begins with the prefix, with what matches as `matched`: two
 * parts, each in the order of its index, so that a page costs the same for any prefix.
 */
export function matchingSearch(
  { prefix, ...filter }: UserSearch,
  { after = '', limit }: SearchRange,
): Matching {
  const { sql, bindings } = matchingUsers(filter);
  const begins = (match: string) => `substr(${match}, 1, :prefixLength) = :prefix`;
  // The first conditions are those that an index is searched by.
  const part = (match: string, condition: string) => `
    select * from (
      select u.*, ${match} as matched from svc_users u
      where ${match} >= :prefix and ${match} > :after and ${begins(match)} and ${sql} ${condition}
      order by ${match} ${limitOf(limit)}) part`;
  const isListedByAddress = `(u.email is not null and ${begins('u.email')})`;
  return {
    sql: `${part('u.email', '')} union all ${part('u.username_key', `and not ${isListedByAddress}`)}`,
    bindings: { ...bindings, prefix: asText(prefix), prefixLength: [...prefix].length, after: asText(after) },
  };
}
