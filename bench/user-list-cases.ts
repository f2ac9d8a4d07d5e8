/** The lists that an administration asks for, on the rows of scale-data.ts. */
import type { Knex } from 'knex';
import type {
  UserAdministrationRepository,
  UserFilter,
} from '../src/storage/user-administration-repository.js';
import { idOf, kinds } from './scale-data.js';

/** One user in a hundred is blocked, one in a thousand is `support`, ten are `admin`, and every second one has a user name. */
export async function giveRoles(knex: Knex, users: number): Promise<void> {
  await knex.raw(
    `with numbered as (select id, right(id::text, 12)::bigint as n from svc_users)
     update svc_users u set
       created_at = now() - (${users} - n) * interval '1 minute',
       username = case when n % 2 = 0 then 'Name' || n end,
       username_key = case when n % 2 = 0 then 'name' || n end,
       roles = case when n % ${Math.ceil(users / 10)} = 7 then array['admin'] when n % 1000 = 1 then array['support'] end,
       blocked_at = case when n % 100 = 3 then now() end
     from numbered where numbered.id = u.id`,
  );
  await knex.raw('vacuum analyze svc_users');
}

type Case = (repository: UserAdministrationRepository, n: number) => Promise<unknown>;

/** @returns the calls by what they list; `n` varies their values. */
export function userListCases(users: number): Record<string, Case> {
  const now = new Date();
  const createdAt = (n: number) => new Date(now.getTime() - (users - n) * 60_000);
  const some = (n: number) => 1 + ((n * 7919) % users);
  const limit = 51;
  const list =
    (filter: (n: number) => Omit<UserFilter, 'now'>, order: 'newest' | 'oldest' = 'newest'): Case =>
    (repository, n) =>
      repository.list({ now, ...filter(n) }, order, { limit });
  const search =
    (prefix: (n: number) => string, filter: Omit<UserFilter, 'now'> = {}): Case =>
    (repository, n) =>
      repository.search({ now, ...filter, prefix: prefix(n) }, { limit });
  const deep =
    (filter: Omit<UserFilter, 'now'>, order: 'newest' | 'oldest' = 'newest'): Case =>
    (repository, n) => {
      const position = some(n);
      const after = { createdAt: createdAt(position), id: idOf(kinds.user, position) };
      return repository.list({ now, ...filter }, order, { limit, after });
    };
  return {
    'First page': list(() => ({})),
    'First page, oldest first': list(() => ({}), 'oldest'),
    'A page anywhere': deep({}),
    'Search: a whole address': search((n) => `user${some(n)}@example.test`),
    'Search: 8 characters of an address': search((n) => `user${1000 + (n % 9000)}`),
    'Search: 5 characters of an address': search((n) => `user${1 + (n % 9)}`),
    'Search: 5 characters of an address, a page anywhere': (repository, n) =>
      repository.search({ now, prefix: 'user1' }, { limit, after: `user1${some(n) % 100_000}@` }),
    'Search: 7 characters of a user name': search((n) => `name${100 + (n % 900)}`),
    'Search: no user has it': search((n) => `zoe${n}`),
    'Search: an id': list((n) => ({ id: idOf(kinds.user, some(n)) })),
    'Role: 10 users have it': list(() => ({ role: 'admin' })),
    'Role: one user in a thousand': list(() => ({ role: 'support' })),
    'Role: no user has it': list((n) => ({ role: `role-${n}` })),
    Blocked: list(() => ({ blocked: true })),
    'Blocked, a page anywhere': deep({ blocked: true }),
    'Not blocked': list(() => ({ blocked: false })),
    'Unverified, a page anywhere': deep({ verified: false }),
    'Verified and not guests, a page anywhere': deep({ verified: true, guest: false }),
    Guests: list(() => ({ guest: true })),
    'Guests, a page anywhere': deep({ guest: true }),
    'Created on one day': list((n) => {
      const day = some(n);
      return { createdAfter: createdAt(day), createdBefore: createdAt(day + 1440) };
    }),
    'Blocked users with a role, created on one day': list((n) => {
      const day = some(n);
      const window = { createdAfter: createdAt(day), createdBefore: createdAt(day + 1440) };
      return { blocked: true, role: 'support', ...window };
    }),
    'Blocked users, 5 characters of an address': search((n) => `user${1 + (n % 9)}`, { blocked: true }),
    'Count of all': (repository) => repository.count({ now }, 10_001),
    'Count of the blocked': (repository) => repository.count({ now, blocked: true }, 10_001),
    'Count of a role': (repository) => repository.count({ now, role: 'support' }, 10_001),
    'Count of 5 characters of an address': (repository, n) =>
      repository.count({ now, prefix: `user${1 + (n % 9)}` }, 10_001),
  };
}
