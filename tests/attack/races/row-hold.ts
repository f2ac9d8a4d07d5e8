/** Locks rows of PostgreSQL while calls arrive, so that they overlap at these rows even on a slow machine. */
import { Client } from 'pg';

const maxPolls = 60;
// Consecutive polls, 25 ms apart, with the same number of waiting calls: on a slow machine they arrive one by one.
const requiredStablePolls = 8;

export interface LockedRows {
  table: string;
  /** Column and value. */
  where: readonly [string, string];
}

/** Starts the calls, waits until they wait for the rows and no more arrive, and releases the rows. */
export async function whileLocked<T>(
  url: string,
  { table, where }: LockedRows,
  start: () => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('begin');
    const { rowCount } = await client.query(`select from ${table} where ${where[0]} = $1 for update`, [
      where[1],
    ]);
    expect(rowCount).toBeGreaterThan(0);
    const calls = start();
    // A rejection is awaited below; this keeps it from being reported as unhandled until then.
    calls.catch(() => undefined);
    let [previous, stablePolls] = [0, 0];
    for (let tries = 0; tries < maxPolls; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      const waiting = await client.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      const now = waiting.rowCount ?? 0;
      stablePolls = now > 1 && now === previous ? stablePolls + 1 : 0;
      if (stablePolls === requiredStablePolls) break;
      previous = now;
    }
    await client.query('commit');
    return await calls;
  } finally {
    await client.end();
  }
}
