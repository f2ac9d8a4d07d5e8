/** The user who makes a change of another user, or of what belongs to another user. */
import type { StoredUser } from '../domain/user.js';

export interface ActingUser {
  userId: string;
  /**
   * Gets the acting user as read under a lock, null if there is none, so that the user does not
   * change before the change is made. It is pure and synchronous; if it throws, nothing changes and
   * its error is rethrown. It is called before anything else is checked.
   */
  decide: (user: StoredUser | null) => void;
}
