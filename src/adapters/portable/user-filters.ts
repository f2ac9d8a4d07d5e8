/** The conditions of lists of users. */
import type { ListRange } from '../../storage/list-range.js';
import type {
  SearchRange,
  UserFilter,
  UserOrder,
  UserSearch,
} from '../../storage/user-administration-repository.js';
import { asText, asUuid } from '../shared/bindings.js';
import { limitOf, lowestId } from './list-range.js';
import type { Bindings } from './statements.js';

interface Matching {
  sql: string;
  bindings: Bindings;
}

/** The conditions of a list of users, of `svc_users u`. */
export function matchingUsers(filter: UserFilter): Matching {
  const { id, contained, role, externalId, verified, guest, blocked, createdAfter, createdBefore, now } =
    filter;
  const isBlocked = `(u.blocked_at is not null and (u.blocked_until is null or u.blocked_until > :filterNow))`;
  const conditions: [condition: string, bindings: Bindings, isGiven: boolean][] = [
    ['u.id = :filterId', { filterId: asUuid(id ?? '') }, id !== undefined],
    [
      '({contains u.email} or {contains u.username_key})',
      containedIn(contained ?? ''),
      contained !== undefined,
    ],
    // A role that cannot be stored is null, and matches no user. Roles have no quotes in them.
    [
      '{hasRole}',
      { role: asText(role ?? ''), roleJson: asText(JSON.stringify(role ?? '')) },
      role !== undefined,
    ],
    [
      'u.external_id = :filterExternalId',
      { filterExternalId: asText(externalId ?? '') },
      externalId !== undefined,
    ],
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

/** A string that cannot be stored is in no address and in no user name: neither contains a space. */
function containedIn(text: string): Bindings {
  const contained = asText(text) ?? ' ';
  return { contained, containedPattern: `%${escaped(contained)}%` };
}

const escaped = (text: string) => text.replace(/[\\%_]/g, '\\$&');

/**
 * The users whose address or user name begins with the prefix, with what matches as `matched`: two
 * parts, each in the order of its index, so that a page costs the same for any prefix.
 */
export function matchingSearch(
  { prefix, ...filter }: UserSearch,
  { after = '', limit }: SearchRange,
): Matching {
  const { sql, bindings } = matchingUsers(filter);
  const part = (match: string, condition: string) => `
    select * from (
      select u.*, ${match} as matched from svc_users u
      where {begins ${match}} and ${sql} ${condition}
      order by {bytewise ${match}} ${limitOf(limit)}) part`;
  const isListedByAddress = `(u.email is not null and substr(u.email, 1, :prefixLength) = :prefix)`;
  // A string that cannot be stored matches no user: no address and no user name contains a space.
  const storable = asText(prefix) ?? ' ';
  return {
    sql: `${part('u.email', '')} union all ${part('u.username_key', `and not ${isListedByAddress}`)}`,
    bindings: {
      ...bindings,
      prefix: storable,
      prefixLength: [...storable].length,
      pattern: `${escaped(storable)}%`,
      after: asText(after) ?? '',
    },
  };
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
