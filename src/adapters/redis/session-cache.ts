/** `session.cache.store` in Redis or Valkey: docs/decisions/redis.md. */
import type { SessionCacheStore } from '../../storage/session-cache-store.js';
import { connectionOf, type RedisClient } from './client.js';
import { redisOptions, type RedisOptions } from './options.js';
import { RedisSender } from './sender.js';
import { SessionMessages } from './session-messages.js';

const mark = 'changed';

/**
 * Returns a `session.cache.store` in Redis 6 or later, or Valkey: processes share the sessions that they have checked. Entries are
 * encrypted and expire; a process that ends a session deletes them and publishes a message. While Redis does not respond, checks
 * ask the database.
 * @param client of `ioredis`, `iovalkey` or `redis`. The application connects and closes it; the messages arrive on a duplicate, which
 * `service.close()` closes. It must not read from replicas.
 * @throws ConfigError if the client is not one of these, or if an option is invalid.
 */
export function redisSessionCache(client: RedisClient, options: RedisOptions = {}): SessionCacheStore {
  const { prefix, timeoutMs } = redisOptions(options, 'redisSessionCache');
  const connection = connectionOf(client, 'redisSessionCache');
  const sender = new RedisSender(connection, timeoutMs);
  const channel = `${prefix}sessions`;
  const keyOf = (id: string) => `${prefix}session:${id}`;

  return {
    // One command per key, because a cluster has the keys on different nodes.
    read: (ids) =>
      Promise.all(
        ids.map(async (id) => {
          const value = await sender.send('GET', [keyOf(id)]);
          return typeof value === 'string' ? value : null;
        }),
      ),
    async add(id, value, ttlMs) {
      await sender.send('SET', [keyOf(id), value, 'PX', Math.ceil(ttlMs), 'NX']);
    },
    async markChanged(ids, ttlMs) {
      const known = ids.filter((id) => id !== null);
      const marks = await Promise.allSettled(
        known.map((id) => sender.send('SET', [keyOf(id), mark, 'PX', Math.ceil(ttlMs)])),
      );
      // Afterwards, so that a process that reacts to the message finds the mark. Also if Redis refuses to write: a process that
      // receives the message remembers the change for as long.
      await Promise.all(ids.map((id) => sender.send('PUBLISH', [channel, id ?? '*'])));
      const failed = marks.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    },
    ping: () => sender.ping(),
    subscribe: (subscription) => new SessionMessages(connection, sender, channel, subscription),
  };
}
