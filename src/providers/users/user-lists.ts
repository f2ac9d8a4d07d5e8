/** Lists of users: their conditions, their orders and their pages. */
import { parseExternalId } from '../../domain/external-id.js';
import type { UserFilterInput } from '../../domain/user-inputs.js';
import { searchMatch, type AdministeredUser } from '../../domain/user-record.js';
import { parseUserRole } from '../../domain/user-roles.js';
import { usernameKey } from '../../domain/username.js';
import { isUuid } from '../../domain/uuid.js';
import { parseInput } from '../../core/support/input.js';
import { readPage, readSearch, type PageRequest } from '../../core/support/pages.js';
import type {
  UserAdministrationRepository,
  UserFilter,
  UserSearch,
} from '../../storage/user-administration-repository.js';
import { filterInput, listInput } from './inputs.js';

export type UserListInput = UserFilterInput & PageRequest & { sort?: 'newest' | 'oldest' | null };

/** Reads a page: a search in the order of what matches, any other list by age. @throws InvalidRequestError */
export function listUsers(
  repository: UserAdministrationRepository,
  query: UserListInput | undefined,
  now: number,
): Promise<{ rows: AdministeredUser[]; nextCursor: string | null }> {
  const { sort, cursor, limit, ...conditions } = parseInput(listInput, query) ?? {};
  const filter = filterOf(conditions, now);
  const order = sort ?? 'newest';
  const page = { cursor, limit };
  if (!('prefix' in filter)) {
    return readPage(
      page,
      (range) => repository.list(filter, order, range),
      (user) => user,
    );
  }
  return readSearch(
    page,
    (range) => repository.search(filter, range),
    (user) => searchMatch(user, filter.prefix) ?? '',
  );
}

/** @throws InvalidRequestError */
export function filterOf(input: UserFilterInput | undefined, now: number): UserFilter | UserSearch {
  const { search, role, externalId, ...conditions } = parseInput(filterInput, input) ?? {};
  const given = Object.entries(conditions).filter(([, value]) => value != null);
  return {
    ...(Object.fromEntries(given) as Omit<UserFilter, 'now'>),
    ...searchOf(search ?? ''),
    ...(externalId != null && { externalId: parseExternalId(externalId) }),
    ...(role != null && { role: parseUserRole(role) }),
    now: new Date(now),
  };
}

/** The beginning of an address or a user name, or an id. */
function searchOf(search: string): Pick<UserFilter, 'id'> | Pick<UserSearch, 'prefix'> {
  const prefix = usernameKey(search.trim());
  if (prefix === '') return {};
  return isUuid(prefix) ? { id: prefix } : { prefix };
}
