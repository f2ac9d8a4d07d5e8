/**
 * The optional capability of an adapter to report changes of sessions and users. `session.cache`
 * requires it: the service keeps checked sessions in the process until the adapter reports a change.
 */
import type { StorageWarning } from './warning.js';

export interface SessionChanges {
  /**
   * Reports from now on every change after which a session check could have another result: the end
   * of a session, the deletion of a user, and a change of any field of a user except `passwordHash`.
   * - A change that is made through this adapter is reported before the promise of the method
   *   settles, also if the method rejects but may have changed something.
   * - Changes by other processes are reported as soon as possible. `isCurrent()` says whether they
   *   have been.
   * - Renewals of sessions, and the purge of sessions that have ended, need not be reported.
   */
  subscribe(options: SessionSubscriptionOptions): SessionSubscription;
}

export interface SessionSubscriptionOptions {
  /**
   * Receives the id of the session that changed, or of the user who changed. Null means that any of
   * them may have changed, for example because the connection was interrupted. Never throws.
   */
  onChange: (id: string | null) => void;
  /** See `isCurrent`. Milliseconds. */
  maxStaleMs: number;
  /** Receives a warning if changes cannot be received. */
  warn: StorageWarning;
}

export interface SessionSubscription {
  /**
   * Returns true if every change that was committed more than `maxStaleMs` ago, by any process, has
   * been reported. Otherwise the service asks the storage on every check. An adapter whose lookups do
   * not leave the process may always return false.
   */
  isCurrent(): boolean;
  /** Ends the reports and closes the connection that they use. */
  close(): Promise<void>;
}
