/** Expressions of statements on the hot path of PostgreSQL. */

/**
 * SQL for the binding `:ids` of a coalesced lookup. The sub-select hides their number from
 * PostgreSQL, which would plan the prepared statement again for every call because a plan for one
 * id is cheaper than one for any number: 0.2 ms of planning for 0.05 ms of execution.
 */
export const anyOfIds = 'any(cast((select cast(:ids as uuid[])) as uuid[]))';

/** SQL for an array binding of `unnest`, which hides the number of its elements like `anyOfIds`. */
export function arrayOf(binding: string, type: string): string {
  return `(select cast(:${binding} as ${type}[]))`;
}

/**
 * Returns SQL that selects a time as a string of milliseconds since the epoch. It does not depend
 * on the `DateStyle` and `TimeZone` of the connection, or on type parsers that the application has
 * registered with the driver.
 */
export function epochMs(column: string): string {
  return `cast(extract(epoch from ${column}) * 1000 as text)`;
}
