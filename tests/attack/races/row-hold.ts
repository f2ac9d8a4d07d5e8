/** Locks rows while calls arrive, so that they overlap at these rows even on a slow machine. */
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { Client } from 'pg';

const maxPolls = 60;
// Consecutive polls, 25 ms apart, with the same number of waiting calls: on a slow machine they arrive one by one.
const requiredStablePolls = 8;

export interface LockedRows {
  table: string;
  /** Column and value. */
  where: readonly [string, string];
}

/** Rows that another connection has locked. */
interface Hold {
  count: number;
  /** How many calls wait. Null if the database does not report it. */
  waiting: () => Promise<number | null>;
  release: () => Promise<void>;
}

async function holdOnPostgres(url: string, { table, where: [column, value] }: LockedRows): Promise<Hold> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  const { rowCount } = await client.query(`select from ${table} where ${column} = $1 for update`, [value]);
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return {
    count: rowCount ?? 0,
    waiting: async () => (await client.query(waiting)).rowCount,
    release: () => client.end(),
  };
}

async function holdOnMariaDb(url: string, { table, where: [column, value] }: LockedRows): Promise<Hold> {
  const connection = await createConnection(url);
  await connection.query('set session transaction isolation level read committed');
  await connection.query('start transaction');
  const [rows] = await connection.query<RowDataPacket[]>(
    `select 1 from ${table} where ${column} = ? for update`,
    [value],
  );
  const waiting = `select 1 from information_schema.innodb_trx where trx_state = 'LOCK WAIT'`;
  return {
    count: rows.length,
    waiting: async () => (await connection.query<RowDataPacket[]>(waiting))[0].length,
    release: () => connection.end(),
  };
}

/** SQLite locks the whole database. */
async function holdOnSqlite(url: string, { table, where: [column, value] }: LockedRows): Promise<Hold> {
  const database = new Database(fileURLToPath(url), { timeout: 5_000 });
  database.exec('begin immediate');
  const rows = database.prepare(`select 1 from ${table} where ${column} = ?`).all([value]);
  return {
    count: rows.length,
    waiting: async () => null,
    async release() {
      database.exec('rollback');
      database.close();
    },
  };
}

function hold(url: string, rows: LockedRows): Promise<Hold> {
  if (url.startsWith('file:')) return holdOnSqlite(url, rows);
  return url.startsWith('mysql:') ? holdOnMariaDb(url, rows) : holdOnPostgres(url, rows);
}

/** Starts the calls, waits until they wait for the rows and no more arrive, and releases the rows. */
export async function whileLocked<T>(url: string, rows: LockedRows, start: () => Promise<T>): Promise<T> {
  const { count, waiting, release } = await hold(url, rows);
  let calls: Promise<T>;
  try {
    expect(count).toBeGreaterThan(0);
    calls = start();
    // A rejection is awaited below; this keeps it from being reported as unhandled until then.
    calls.catch(() => undefined);
    let [previous, stablePolls] = [0, 0];
    for (let tries = 0; tries < maxPolls; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      const now = await waiting();
      const isStable = now === null || (now > 1 && now === previous);
      stablePolls = isStable ? stablePolls + 1 : 0;
      if (stablePolls === requiredStablePolls) break;
      previous = now ?? 0;
    }
  } finally {
    await release();
  }
  return calls;
}
