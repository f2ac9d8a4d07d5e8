/** Finds out what a pooler in front of PostgreSQL does, by its behavior: no statement names it, and its console is another database. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { PoolerBehavior } from '../../storage/inspection.js';
import { maxOfPool } from '../shared/pool-size.js';
import { disconnect, openConnection, type PgClient } from './listener-connection.js';

interface Connection {
  query(statement: string | { name: string; text: string }): Promise<{ rows: { pid?: number }[] }>;
}

interface PoolClient {
  acquireConnection(): Promise<Connection>;
  releaseConnection(connection: Connection): Promise<void>;
}

/** Returns null if the pool has one connection: there is nothing to compare it with. */
export async function poolerBehavior(knex: Knex): Promise<PoolerBehavior | null> {
  if (maxOfPool(knex) < 2) return null;
  return withConnection(knex, (first) => withConnection(knex, (second) => compare(first, second)));
}

async function withConnection<T>(knex: Knex, work: (connection: Connection) => Promise<T>): Promise<T> {
  const client = knex.client as PoolClient;
  const connection = await client.acquireConnection();
  try {
    return await work(connection);
  } finally {
    await client.releaseConnection(connection);
  }
}

const readPid = 'select pg_backend_pid() as pid';

/**
 * A transaction of the second connection takes a connection of the server. If the first one loses its own to it, or gets another one in
 * the meantime, the pooler shares them.
 */
async function compare(first: Connection, second: Connection): Promise<PoolerBehavior> {
  const before = pidOf(await first.query(readPid));
  const [other, now] = await duringTransaction(second, async (pid) => [
    pid,
    pidOf(await first.query(readPid)),
  ]);
  const sharesConnections = other === before || now !== before;
  // Nothing is prepared on a direct connection, which would keep the statement.
  if (!sharesConnections) return { sharesConnections, keepsPreparedStatements: true };
  return { sharesConnections, keepsPreparedStatements: await keepsPrepared(first, second) };
}

/** Prepares a statement on one connection of the server, and executes it on another. Null if it came to the same one. */
async function keepsPrepared(first: Connection, second: Connection): Promise<boolean | null> {
  const statement = { name: `svc_auth_doctor_${randomBytes(8).toString('hex')}`, text: readPid };
  const before = pidOf(await first.query(statement));
  return duringTransaction(second, async () =>
    first.query(statement).then(
      (result) => (pidOf(result) === before ? null : true),
      // 26000: the statement does not exist.
      (error: unknown) => ((error as { code?: unknown }).code === '26000' ? false : null),
    ),
  );
}

async function duringTransaction<T>(
  connection: Connection,
  work: (pid: number | undefined) => Promise<T>,
): Promise<T> {
  await connection.query('begin');
  try {
    return await work(pidOf(await connection.query(readPid)));
  } finally {
    await connection.query('rollback');
  }
}

function pidOf({ rows: [row] }: { rows: { pid?: number }[] }): number | undefined {
  return row?.pid;
}

/** Sends a notification over the pool, to a channel that no one else knows. */
export async function hearsNotifications(
  knex: Knex,
  createClient: () => Promise<PgClient>,
  timeoutMs: number,
): Promise<boolean> {
  const channel = `svc_auth_doctor_${randomBytes(8).toString('hex')}`;
  const client = await createClient();
  const stop = new AbortController();
  // Errors of a lost connection: nothing is heard then.
  client.on('error', () => undefined);
  const heard = new Promise<boolean>((resolve) => client.on('notification', () => resolve(true)));
  try {
    await openConnection(client, [channel], stop.signal);
    await withConnection(knex, (connection) => connection.query(`select pg_notify('${channel}', '')`));
    const timeout = pause(timeoutMs, false, { signal: stop.signal }).catch(() => false);
    return await Promise.race([heard, timeout]);
  } finally {
    stop.abort();
    await disconnect(client);
  }
}
