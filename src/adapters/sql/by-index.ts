/**
 * Keeps sign-ins from reading whole tables. PostgreSQL keeps the plan of a prepared statement until it analyzes
 * the table again, a minute later by default. If the table has a few dozen rows, it plans to read all of them,
 * and continues to do so when there are thousands.
 */

/**
 * SQL that is always true, to be added to a condition that finds a row by an index on this column. PostgreSQL
 * estimates that it takes long for every row, and so prefers the index from three rows on. Unless the value is
 * empty, only the comparison is executed. That costs about 3 µs, which a session check does without, and halves
 * the time of a code on a database that was analyzed with a few users (docs/performance.md).
 */
export function byIndex(column: string): string {
  const text = `cast(${column} as text)`;
  return `(${text} <> '' or array(select generate_series(1, length(${text}))) is not null)`;
}
