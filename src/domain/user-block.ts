/** The block of a user: a blocked user cannot sign in with any method. */
import { UserBlockedError } from '../errors/catalog.js';

export interface UserBlock {
  /** Time of the block. */
  at: Date;
  /** When the block ends by itself. Null: only `users.unblock` ends it. */
  until: Date | null;
  /** Why the user was blocked, for administrators. The user never sees it. */
  reason: string | null;
}

/** Returns whether a block is in force at `now`, in milliseconds. */
export function isInForce(block: UserBlock | null | undefined, now: number): boolean {
  if (!block) return false;
  // Written so that an invalid date blocks.
  return block.until === null || !(block.until.getTime() <= now);
}

/**
 * Checks a user who has completed a proof. Call it only then: a stranger must not learn who is
 * blocked.
 * @throws UserBlockedError
 */
export function mustNotBeBlocked({ blocked }: { blocked: UserBlock | null }, now: number): void {
  if (isInForce(blocked, now)) throw new UserBlockedError();
}
