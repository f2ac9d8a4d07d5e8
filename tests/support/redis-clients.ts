/** Clients of the three libraries that `svc-auth/redis` recognizes. */
import { Redis as IoRedis } from 'ioredis';
import { Redis as IoValkey } from 'iovalkey';
import { createClient } from 'redis';
import type { RedisClient } from '../../src/redis.js';

/** A client of the application. */
export interface OpenClient {
  client: RedisClient;
  /** Runs a command, for the test itself. */
  run: (command: string, ...args: string[]) => Promise<unknown>;
  close: () => void;
}

const reconnect = () => 50;

/** Opens a client of each library. Each emits its errors, which an application must handle. */
export const libraries: Record<string, (url: string) => Promise<OpenClient>> = {
  async ioredis(url) {
    const client = new IoRedis(url, { retryStrategy: reconnect });
    client.on('error', () => undefined);
    await client.ping();
    const run = async (command: string, ...args: string[]) => client.call(command, args);
    return { client, run, close: () => client.disconnect() };
  },
  async iovalkey(url) {
    const client = new IoValkey(url, { retryStrategy: reconnect });
    client.on('error', () => undefined);
    await client.ping();
    const run = async (command: string, ...args: string[]) => client.call(command, args);
    return { client, run, close: () => client.disconnect() };
  },
  async redis(url) {
    const client = createClient({ url, socket: { reconnectStrategy: reconnect } });
    client.on('error', () => undefined);
    await client.connect();
    const run = async (command: string, ...args: string[]): Promise<unknown> =>
      client.sendCommand([command, ...args]);
    return { client, run, close: () => client.destroy() };
  },
};
