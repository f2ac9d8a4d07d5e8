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
 */
export function byIndex(column: string): string {
  const text = `cast(${column} as text)`;
  return `(${text} <> '' or array(select generate_series(1, length(${text}))) is not null)`;
}
