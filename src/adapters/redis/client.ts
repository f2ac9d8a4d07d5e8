/**
 * Recognizes a client of Redis or Valkey by its methods, so that the library depends on none:
 * `ioredis`, `iovalkey` and `redis` (node-redis).
 */
import { ConfigError } from '../../errors/catalog.js';

/** A client of `ioredis` or `iovalkey`. */
interface IoRedisClient {
  readonly status: string;
  call(command: string, args: (string | number)[]): Promise<unknown>;
  duplicate(): IoRedisSubscriber;
}

interface IoRedisSubscriber {
  on(event: string, handler: (...args: string[]) => void): unknown;
  subscribe(...channels: string[]): Promise<unknown>;
  disconnect(): void;
}

/** A client of `redis` (node-redis). */
interface NodeRedisClient {
  readonly isReady: boolean;
  sendCommand(args: string[]): Promise<unknown>;
  duplicate(): NodeRedisSubscriber;
}

interface NodeRedisSubscriber {
  on(event: string, handler: () => void): unknown;
  connect(): Promise<unknown>;
  subscribe(channels: string[], listener: (message: string, channel: string) => void): Promise<unknown>;
  destroy(): void;
}

/** A client of `ioredis`, `iovalkey` or `redis`, connected by the application, which also closes it. */
export type RedisClient = Pick<IoRedisClient, 'status' | 'call'> | Pick<NodeRedisClient, 'isReady'>;

/** Receives what a connection that subscribes hears. */
export interface SubscriptionHandlers {
  onMessage: (channel: string, message: string) => void;
  /** The connection was lost, or is opened again: messages may have been missed. */
  onInterruption: () => void;
}

export interface RedisConnection {
  /** Returns false if the client knows that it is not connected. */
  isConnected(): boolean;
  send(command: string, args: readonly (string | number)[]): Promise<unknown>;
  /**
   * Opens another connection and subscribes. It is opened again when it is lost.
   * @returns a function that closes it.
   */
  subscribe(channels: readonly string[], handlers: SubscriptionHandlers): () => void;
}

/** @throws ConfigError if the client is not one of a known library. */
export function connectionOf(client: unknown, name: string): RedisConnection {
  const methods = Object(client) as Partial<Record<string, unknown>>;
  const has = (method: string) => typeof methods[method] === 'function';
  if (has('call') && has('duplicate') && typeof methods['status'] === 'string')
    return ofIoRedis(client as IoRedisClient);
  // A cluster of node-redis has the method too, with other arguments.
  if (has('sendCommand') && has('duplicate') && typeof methods['isReady'] === 'boolean')
    return ofNodeRedis(client as NodeRedisClient);
  const message =
    'must be a client of `ioredis`, `iovalkey` or `redis`; of `redis`, not a cluster or a pool.';
  throw new ConfigError([{ path: `${name}(client)`, message }]);
}

const interruptions = ['close', 'end', 'error', 'reconnecting', 'ready'];

function ofIoRedis(client: IoRedisClient): RedisConnection {
  return {
    // A new client is connecting, and queues commands.
    isConnected: () => !['close', 'reconnecting', 'end'].includes(client.status),
    send: async (command, args) => client.call(command, [...args]),
    subscribe(channels, { onMessage, onInterruption }) {
      const subscriber = client.duplicate();
      for (const event of interruptions) subscriber.on(event, onInterruption);
      subscriber.on('message', (channel = '', message = '') => onMessage(channel, message));
      let isClosed = false;
      const subscribe = async (): Promise<void> => {
        if (!isClosed) await subscriber.subscribe(...channels);
      };
      // It gives up a command after some attempts to connect, and does not repeat the subscription then.
      subscriber.on('ready', () => void subscribe().catch(onInterruption));
      subscribe().catch(onInterruption);
      return () => {
        isClosed = true;
        subscriber.disconnect();
      };
    },
  };
}

function ofNodeRedis(client: NodeRedisClient): RedisConnection {
  return {
    isConnected: () => client.isReady,
    send: (command, args) => client.sendCommand([command, ...args.map(String)]),
    subscribe(channels, { onMessage, onInterruption }) {
      const subscriber = client.duplicate();
      for (const event of interruptions) subscriber.on(event, onInterruption);
      const subscribe = async (): Promise<void> => {
        await subscriber.connect();
        await subscriber.subscribe([...channels], (message, channel) => onMessage(channel, message));
      };
      subscribe().catch(onInterruption);
      return () => {
        // Throws if it is closed already.
        try {
          subscriber.destroy();
        } catch {
          return;
        }
      };
    },
  };
}
