/** Holds rows of PostgreSQL while calls arrive at them: however slow the machine, they overlap where it matters. */
import { Client } from 'pg';

const mostTries = 60;
// Looks, 25 ms apart, that found as many waiting as the one before: on a slow machine they come one by one.
const enough = 8;

export interface Held {
  table: string;
  /** Column and value. */
  where: readonly [string, string];
}

/** Starts the calls, waits until they wait for the rows and no more come, and lets all of them go on. */
export async function whileHeld<T>(url: string, { table, where }: Held, start: () => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('begin');
    const { rowCount } = await client.query(`select from ${table} where ${where[0]} = $1 for update`, [
      where[1],
    ]);
    expect(rowCount).toBeGreaterThan(0);
    const calls = start();
    // A call that fails is told below; until then nobody listens.
    calls.catch(() => undefined);
    let [before, same] = [0, 0];
    for (let tries = 0; tries < mostTries; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      const waiting = await client.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      const now = waiting.rowCount ?? 0;
      same = now > 1 && now === before ? same + 1 : 0;
      if (same === enough) break;
      before = now;
    }
    await client.query('commit');
    return await calls;
  } finally {
    await client.end();
  }
}
