/** A transaction on PostgreSQL that remains open while calls wait for its locks, however long they take to arrive. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

export interface OpenTransaction {
  /** Resolves when this many statements wait for a lock. */
  untilWaiting: (count: number) => Promise<void>;
  commit: () => Promise<void>;
}

export async function openTransaction(url: string, text: string): Promise<OpenTransaction> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`begin; ${text}`);
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return {
    async untilWaiting(count) {
      // The statistics of a transaction are those of its first query.
      const observer = new Client({ connectionString: url });
      await observer.connect();
      while ((await observer.query(waiting)).rows.length < count) await sleep(5);
      await observer.end();
    },
    async commit() {
      await client.query('commit');
      await client.end();
    },
  };
}
