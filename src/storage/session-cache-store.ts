/** A store of checked sessions that processes share outside of the database, such as Redis. */
import type { SessionSubscription, SessionSubscriptionOptions } from './session-changes.js';

/**
 * Keeps strings by the id of a session or of a user, which are UUIDs. The service encrypts and authenticates what it stores, and
 * refuses what is too old, so a store that loses data, keeps it too long or returns other data makes no session valid
 * (docs/decisions/redis.md). A method that rejects or takes long makes checks slower.
 */
export interface SessionCacheStore {
  /** Returns the values in the order of the ids; null without one. Reads what was written before, not a replica. */
  read(ids: readonly string[]): Promise<(string | null)[]>;
  /** Stores a value for `ttlMs` milliseconds, unless the id has one. Atomic: two calls do not both store one. */
  add(id: string, value: string, ttlMs: number): Promise<void>;
  /**
   * Stores the same mark for every id, for `ttlMs` milliseconds, instead of any other value. Then it notifies the subscribers of all
   * processes. Null: they are notified that any session may have changed.
   */
  markChanged(ids: readonly (string | null)[], ttlMs: number): Promise<void>;
  /** Reports the ids of `markChanged`. `isCurrent()` is as in `SessionChanges`, for changes that were marked. */
  subscribe(options: SessionSubscriptionOptions): SessionSubscription;
  /** Rejects if the store does not respond. Changes nothing. Called by `service.health()` and `service.diagnose()`. */
  ping?(): Promise<void>;
}
