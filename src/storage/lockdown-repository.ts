/** Lockdowns: the end of every session of all users, of an organization or of a user. Optional as a whole. */
import type { ActingUser } from './acting-user.js';

/** `everyone`, the members of an organization, or a user. */
export type LockdownScope = 'everyone' | { orgId: string } | { userId: string };

export interface LockdownStart {
  scope: LockdownScope;
  now: Date;
  /** Whether to revoke API keys too: all of them, those of the organization and of its members, or those of the user. */
  apiKeys: boolean;
  by?: ActingUser | undefined;
}

export interface LockdownRepository {
  /**
   * Raises the epoch of the users by one and sets `sessionsValidAfter`, which ends all their sessions, refresh families, grants,
   * trusted browsers and pending sign-ins, in one transaction that commits at once.
   * - `everyone` includes users who are inserted while it runs and does not write to their rows, so its duration does not depend on
   *   their number: every later read of a user has the raised epoch, and lists leave out the sessions that have ended.
   * - An organization: its members when the transaction begins. Revokes the rows of their sessions too.
   * - With `apiKeys`, a key that is inserted in the meantime is either revoked or refused.
   * @returns the number of users, or null for everyone; `not_found` if the user or the organization does not exist.
   */
  start(lockdown: LockdownStart): Promise<{ users: number | null } | 'not_found'>;
}
