/** Lists of users: their conditions, their orders and their pages. */
import { parseExternalId } from '../../domain/external-id.js';
import type { UserFilterInput } from '../../domain/user-inputs.js';
import { searchMatch, type AdministeredUser } from '../../domain/user-record.js';
import { parseUserRole } from '../../domain/user-roles.js';
import { usernameKey } from '../../domain/username.js';
import { isUuid } from '../../domain/uuid.js';
import { InvalidRequestError } from '../../errors/catalog.js';
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
export async function listUsers(
  repository: UserAdministrationRepository,
  query: UserListInput | undefined,
  now: number,
): Promise<{ rows: AdministeredUser[]; nextCursor: string | null }> {
  const { sort, cursor, limit, ...conditions } = parseInput(listInput, query) ?? {};
  const filter = await searchableFilter(repository, conditions, now);
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

/** The most users that a search within words reads one by one: some hundredths of a second. */
const mostRead = 100_000;

/** @throws InvalidRequestError, also if a search within words would read too many users. */
export async function searchableFilter(
  repository: UserAdministrationRepository,
  input: UserFilterInput | undefined,
  now: number,
): Promise<UserFilter | UserSearch> {
  const filter = filterOf(input, now);
  if (!('contained' in filter) || (await repository.hasWordIndex?.())) return filter;
  if ((await repository.count({ now: filter.now }, mostRead + 1)) <= mostRead) return filter;
  const message = `within: 'words' searches at most ${mostRead} users without an index: docs/scale.md#search-inside-words.`;
  throw new InvalidRequestError(message, { field: 'within' });
}

function filterOf(input: UserFilterInput | undefined, now: number): UserFilter | UserSearch {
  const { search, within, role, externalId, ...conditions } = parseInput(filterInput, input) ?? {};
  const given = Object.entries(conditions).filter(([, value]) => value != null);
  return {
    ...(Object.fromEntries(given) as Omit<UserFilter, 'now'>),
    ...searchOf(search ?? '', within === 'words'),
    ...(externalId != null && { externalId: parseExternalId(externalId) }),
    ...(role != null && { role: parseUserRole(role) }),
    now: new Date(now),
  };
}

/** The beginning of an address or a user name, or a text inside of them, or an id. */
function searchOf(
  search: string,
  isWithinWords: boolean,
): Pick<UserFilter, 'id' | 'contained'> | Pick<UserSearch, 'prefix'> {
  const text = usernameKey(search.trim());
  if (text === '') return {};
  if (isUuid(text)) return { id: text };
  if (!isWithinWords) return { prefix: text };
  // A shorter one is in most addresses, and no index finds it.
  if ([...text].length < 3)
    throw new InvalidRequestError("search must have at least three characters with within: 'words'.", {
      field: 'search',
    });
  return { contained: text };
}
