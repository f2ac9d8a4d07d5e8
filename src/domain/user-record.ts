/** A user as administrators see it. */
import { isStorableText } from './storable-text.js';
import { isInForce, type UserBlock } from './user-block.js';
import { toServiceUser, type ServiceUser, type StoredUser } from './user.js';
import { usernameKey } from './username.js';

export interface UserRecord extends ServiceUser {
  username: string | null;
  /** The unique id of the user in the application, or in the system that the user was imported from. */
  externalId: string | null;
  /** Roles in the application, sorted. */
  roles: string[];
  /** Null if the user is not blocked, or the block has ended. */
  blocked: UserBlock | null;
  hasPassword: boolean;
  /** Whether sign-in requires an authenticator app. */
  twoFactor: boolean;
  isGuest: boolean;
  /** Time of the last sign-in that started a session. */
  lastSignInAt: Date | null;
}

/** The stored record of a user with what only administrators read. */
export interface AdministeredUser extends StoredUser {
  isGuest: boolean;
  lastSignInAt: Date | null;
}

/** Returns the text of the user that begins with the prefix: the address, or else the key of the user name. Null if neither does. */
export function searchMatch({ email, username }: AdministeredUser, prefix: string): string | null {
  const texts = [email, username === null ? null : usernameKey(username)];
  return (isStorableText(prefix) && texts.find((text) => text?.startsWith(prefix))) || null;
}

/** Returns whether the address or the key of the user name contains the text. */
export function containsText(
  { email, username }: Pick<StoredUser, 'email' | 'username'>,
  text: string,
): boolean {
  const texts = [email, username === null ? null : usernameKey(username)];
  return isStorableText(text) && texts.some((each) => each?.includes(text));
}

/** Returns the fields for administrators, listed by name as in `toServiceUser`. */
export function toUserRecord(user: AdministeredUser, now: number): UserRecord {
  return {
    ...toServiceUser(user),
    username: user.username,
    externalId: user.externalId,
    roles: [...user.roles],
    blocked: isInForce(user.blocked, now) ? user.blocked : null,
    hasPassword: user.passwordHash !== null,
    twoFactor: user.totpEnabled,
    isGuest: user.isGuest,
    lastSignInAt: user.lastSignInAt,
  };
}
