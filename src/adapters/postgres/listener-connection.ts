/** Opens and closes the connection of session-listener.ts, which does not belong to the pool. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { ConfigError } from '../../errors/catalog.js';

/** What the listener uses of a client of `pg`. */
export interface PgClient {
  connect(): Promise<unknown>;
  query(text: string): Promise<unknown>;
  end(): Promise<void>;
  on(event: 'notification', handler: (message: { channel: string; payload?: string }) => void): unknown;
  on(event: 'error', handler: (error: Error & { code?: string }) => void): unknown;
  on(event: 'end', handler: () => void): unknown;
  unref?(): void;
  connection?: { stream?: { destroy?(): void } };
}

interface PgKnexClient {
  driver: { Client?: new (settings: unknown) => PgClient };
  connectionSettings?: unknown;
  /** Present if the configuration has a function that returns the settings, for passwords that expire. */
  connectionConfigProvider?: () => unknown;
}

const connectTimeoutMs = 10_000;
const endTimeoutMs = 1_000;

/**
 * Creates a client with the settings of the pool, or with others.
 * @throws ConfigError if the knex instance has no settings, because its pool was passed to it.
 */
export async function createClient(knex: Knex, listenConnection?: string | object): Promise<PgClient> {
  const { driver, connectionSettings, connectionConfigProvider } = knex.client as PgKnexClient;
  const settings = listenConnection ?? (await connectionConfigProvider?.()) ?? connectionSettings;
  if (driver.Client && settings) return new driver.Client(settings);
  const message =
    'session.cache requires listenConnection, because knex does not open the connections itself.';
  throw new ConfigError([{ path: 'adapter', message }]);
}

/** Connects and listens. Rejects if that takes longer than ten seconds, or if the signal aborts it. */
export async function openConnection(
  client: PgClient,
  channels: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const open = async () => {
    await client.connect();
    // Only `close()` ends the connection; it must not keep a process alive that has nothing else to do.
    client.unref?.();
    for (const channel of channels) await client.query(`listen ${channel}`);
  };
  const opening = open();
  const timeout = pause(connectTimeoutMs, undefined, { ref: false, signal }).then(() => {
    throw Object.assign(new Error('The connection was not opened in time.'), { code: 'timeout' });
  });
  // The one that loses the race may reject later.
  opening.catch(() => undefined);
  timeout.catch(() => undefined);
  await Promise.race([opening, timeout]);
}

/** Closes the connection, also if the server does not respond. Never rejects. */
export async function disconnect(client: PgClient): Promise<void> {
  const stop = new AbortController();
  const end = client.end().catch(() => undefined);
  const timeout = pause(endTimeoutMs, undefined, { signal: stop.signal }).catch(() => undefined);
  await Promise.race([end, timeout]);
  stop.abort();
  client.connection?.stream?.destroy?.();
}
