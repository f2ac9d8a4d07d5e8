/** Checks that the user of a call exists. */
import { mustNotBeBlocked } from '../../domain/user-block.js';
import type { StoredUser } from '../../domain/user.js';
import { NotAuthorizedError, UserNotFoundError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import type { UserRepository } from '../../storage/repositories.js';
import { parseContext, routeCheck, type RequestContext } from './request-context.js';

/**
 * Returns the user with this id.
 * @param context passed by methods that only read: the user that the guard of the route has read is not read again. Methods that write
 * omit it and read the user again, because the client can extend the time in between by sending the body slowly.
 * @throws UserNotFoundError if the user does not exist, also if the id is not a string; InvalidRequestError if the context is invalid.
 */
export async function existingUser(
  users: UserRepository,
  userId: unknown,
  context?: RequestContext,
): Promise<StoredUser> {
  const sessionUser = parseContext(context)[routeCheck]?.session?.user;
  if (sessionUser && sessionUser.id === userId) return sessionUser;
  const user = typeof userId === 'string' ? await users.findById(userId) : null;
  if (!user) throw new UserNotFoundError();
  return user;
}

/** As `existingUser`, for a call that lets someone act as the user. @throws UserNotFoundError; UserBlockedError. */
export async function unblockedUser(
  users: UserRepository,
  userId: unknown,
  now: number,
): Promise<StoredUser> {
  const user = await existingUser(users, userId);
  mustNotBeBlocked(user, now);
  return user;
}

/**
 * Returns the user with this id, who is about to add a sign-in method. A guest cannot have one: it would outlive the guest's session,
 * which anyone at a shared device can use, and would sign in to the account that the guest becomes (docs/decisions/guests.md).
 * @throws UserNotFoundError; NotAuthorizedError if the user is a guest.
 */
export async function existingMember(storage: StorageAdapter, userId: unknown): Promise<StoredUser> {
  const user = await existingUser(storage.users, userId);
  if (await storage.guests?.isGuest(user.id)) throw new NotAuthorizedError(because('guest'));
  return user;
}
