/** The conditions of the list of users, as fields of a form and as parameters of a link. */
import type { UserFilterInput } from '../../domain/user-inputs.js';
import { instantIn } from '../time-zone.js';

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

const dayMs = 24 * 60 * 60_000;

/** Days are those of the time zone, which the form names. A value that the form cannot send is ignored. */
export function filtersOf(query: URLSearchParams, zone: string): Filters {
  const given = filterNames.map((name) => [name, (query.get(name) ?? '').trim()] as const);
  const values: Filters['values'] = Object.fromEntries(given.filter(([, value]) => value !== ''));
  const { search, within, role, blocked, verified, guest, from, to, sort } = values;
  const createdAfter = dayOf(from);
  const lastDay = dayOf(to);
  return {
    values,
    conditions: {
      ...(search !== undefined && { search }),
      ...(search !== undefined && within === 'words' && { within }),
      ...(role !== undefined && { role }),
      ...flag('blocked', blocked),
      ...flag('verified', verified),
      ...flag('guest', guest),
      ...(createdAfter && { createdAfter: instantIn(zone, createdAfter) }),
      ...(lastDay && { createdBefore: instantIn(zone, new Date(lastDay.getTime() + dayMs)) }),
      ...(sort === 'oldest' && { sort }),
    },
  };
}

function flag(name: 'blocked' | 'verified' | 'guest', value: string | undefined) {
  return value === 'yes' || value === 'no' ? { [name]: value === 'yes' } : {};
}

function dayOf(value: string | undefined): Date | null {
  if (value === undefined || !/^\d{4}-\d\d-\d\d$/.test(value)) return null;
  const day = new Date(`${value}T00:00:00Z`);
  return Number.isNaN(day.getTime()) ? null : day;
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
