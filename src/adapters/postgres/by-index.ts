/**
 * Keeps sign-ins from reading whole tables. PostgreSQL keeps the plan of a prepared statement until the
 * table is analyzed again, usually within a few minutes. If the table had a few dozen rows, the plan
 * reads all of them, and continues to do so when there are thousands. Foreign keys have the same plans,
 * which no statement can influence.
 */

/**
 * SQL that is always true, to be added to a condition that finds a row by an index on this column.
 * PostgreSQL estimates that it is expensive for every row, and so prefers the index from three rows on.
 * Only the comparison is executed, unless the value is empty. It costs about 3 µs and halves the time
 * of a code on a database that was analyzed with a few users (docs/performance.md). The prepared
 * statements of sign-ins have it. Lookups of sessions do not, because 3 µs are much of their time.
 *
 * To prepare the statements again under new names as their use grows does not replace it, because
 * PostgreSQL multiplies the pages of the table by the few rows per page that it has analyzed: 3,000
 * first sign-ins by code took 8 ms each with these conditions and 33 ms with new plans after 4, 16,
 * 64 … uses instead.
 */
export function byIndex(column: string): string {
  const text = `cast(${column} as text)`;
  return `(${text} <> '' or array(select generate_series(1, length(${text}))) is not null)`;
}
