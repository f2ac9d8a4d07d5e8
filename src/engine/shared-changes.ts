/** Lets the cache of sessions and the watch of sockets share one subscription, which may need a connection. */
import type { SessionCacheStore } from '../storage/session-cache-store.js';
import type {
  SessionChanges,
  SessionSubscription,
  SessionSubscriptionOptions,
} from '../storage/session-changes.js';

/** Returns the changes of `source` for any number of subscribers. The first one decides `maxStaleMs`, and receives the warnings. */
export function sharedChanges(source: SessionChanges): SessionChanges {
  const receivers = new Set<SessionSubscriptionOptions['onChange']>();
  let shared: SessionSubscription | null = null;
  const close = async () => {
    const closing = shared;
    shared = null;
    await closing?.close();
  };
  return {
    subscribe(options) {
      const onChange: typeof options.onChange = (id) => options.onChange(id);
      receivers.add(onChange);
      shared ??= source.subscribe({
        ...options,
        onChange: (id) => {
          for (const receive of receivers) receive(id);
        },
      });
      const own = shared;
      return {
        isCurrent: () => own.isCurrent(),
        async close() {
          if (receivers.delete(onChange) && receivers.size === 0) await close();
        },
      };
    },
  };
}

/** Returns the store with these reports of its changes. */
export function withChanges(store: SessionCacheStore, changes: SessionChanges): SessionCacheStore {
  return {
    read: (ids) => store.read(ids),
    add: (id, value, ttlMs) => store.add(id, value, ttlMs),
    markChanged: (ids, ttlMs) => store.markChanged(ids, ttlMs),
    subscribe: (options) => changes.subscribe(options),
  };
}
