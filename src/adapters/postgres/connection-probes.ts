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

/**
 * A transaction of the second connection takes a connection of the server. If the first one loses its own to it, or gets another one in
 * the meantime, the pooler shares them.
 */
async function compare(first: Connection, second: Connection): Promise<PoolerBehavior> {
  const name = `svc_auth_doctor_${randomBytes(8).toString('hex')}`;
  const text = 'select pg_backend_pid() as pid';
  const before = pidOf(await first.query({ name, text }));
  await second.query('begin');
  try {
    const other = pidOf(await second.query(text));
    const now = pidOf(await first.query(text));
    const sharesConnections = other === before || now !== before;
    if (!sharesConnections) return { sharesConnections, keepsPreparedStatements: true };
    const keepsPreparedStatements = await first.query({ name, text }).then(
      (result) => (pidOf(result) === before ? null : true),
      (error: unknown) => ((error as { code?: unknown }).code === '26000' ? false : null),
    );
    return { sharesConnections, keepsPreparedStatements };
  } finally {
    await second.query('rollback');
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
