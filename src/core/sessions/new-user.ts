/** Users whom a sign-in creates. */
import type { ServiceSession } from '../../domain/session.js';
import { initialUserState, type StoredUser } from '../../domain/user.js';
import type { NewUser } from '../../storage/repositories.js';

export interface CreatedUser {
  user: StoredUser;
  created: true;
  /** Present if the context requests a session with a cookie. It is started, and has no token yet. */
  session?: ServiceSession;
}

/** Returns a new user as the storage returns it right after `insert`. */
export function stored(user: NewUser): StoredUser {
  const roles = [...(user.roles ?? [])];
  return { ...user, ...initialUserState(), roles, updatedAt: user.createdAt };
}
