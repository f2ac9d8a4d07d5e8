/** The conditions of the list of users, as fields of a form and as parameters of a link. */
import type { UserFilterInput } from '../../domain/user-inputs.js';
import { daysBetween } from '../time-zone.js';

export const filterNames = [
  'search',
  'within',
  'role',
  'blocked',
  'verified',
  'guest',
  'from',
  'to',
  'sort',
] as const;
export type FilterName = (typeof filterNames)[number];

export interface Filters {
  /** The conditions as they were typed; empty strings are absent. */
  values: Partial<Record<FilterName, string>>;
  conditions: UserFilterInput & { sort?: 'oldest' };
}

/** A condition that the service refuses. The empty field is the form itself. */
export interface FilterError {
  field: string;
  text: string;
}

/** Days are those of the time zone, which the form names. A value that the form cannot send is ignored. */
export function filtersOf(query: URLSearchParams, zone: string): Filters {
  const given = filterNames.map((name) => [name, (query.get(name) ?? '').trim()] as const);
  const values: Filters['values'] = Object.fromEntries(given.filter(([, value]) => value !== ''));
  const { search, within, role, blocked, verified, guest, from, to, sort } = values;
  const { after, before } = daysBetween(zone, from, to);
  return {
    values,
    conditions: {
      ...(search !== undefined && { search }),
      ...(search !== undefined && within === 'words' && { within }),
      ...(role !== undefined && { role }),
      ...flag('blocked', blocked),
      ...flag('verified', verified),
      ...flag('guest', guest),
      ...(after && { createdAfter: after }),
      ...(before && { createdBefore: before }),
      ...(sort === 'oldest' && { sort }),
    },
  };
}

function flag(name: 'blocked' | 'verified' | 'guest', value: string | undefined) {
  return value === 'yes' || value === 'no' ? { [name]: value === 'yes' } : {};
}

/**
 * Returns the path of the list with these conditions, without those that are undefined.
 * @param back the cursors of the pages before.
 */
export function listPath(
  values: Filters['values'],
  others: Record<string, string | undefined> = {},
  back: readonly string[] = [],
): string {
  const parameters = Object.entries({ ...values, ...others }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const before = back.map((cursor): [string, string] => ['back', cursor]);
  const query = new URLSearchParams([...parameters, ...before]).toString();
  return query === '' ? '/users' : `/users?${query}`;
}
