/** The check before acting for a user whom a caller named. */
import type { StoredUser } from '../domain/user.js';
import { NotAuthorizedError, UserNotFoundError } from '../errors/catalog.js';
import type { StorageAdapter } from '../storage/adapter.js';
import type { UserRepository } from '../storage/repositories.js';
import { optional } from './input.js';
import { routeSession, type RequestContext } from './sign-in.js';

/**
 * Returns the user with this id.
 * @param context of a method that only reads: the user that the guard of its route has read is not read again. A method that writes
 * leaves it out and reads the user again, because the client can delay the time in between by sending the body slowly.
 * @throws UserNotFoundError if there is no such user, whatever the id is; InvalidRequestError for an invalid context.
 */
export async function existingUser(
  users: UserRepository,
  userId: unknown,
  context?: RequestContext,
): Promise<StoredUser> {
  const known = optional(context)[routeSession]?.user;
  if (known && known.id === userId) return known;
  const user = typeof userId === 'string' ? await users.findById(userId) : null;
  if (!user) throw new UserNotFoundError();
  return user;
}

/**
 * The user who is to get another way in. A guest gets none: it would outlive the guest's session, which anybody at a shared
 * screen may hold, and be a way into the account that the guest becomes (docs/decisions/guests.md).
 * @throws UserNotFoundError; NotAuthorizedError for a guest.
 */
export async function existingMember(storage: StorageAdapter, userId: unknown): Promise<StoredUser> {
  const user = await existingUser(storage.users, userId);
  if (await storage.guests?.isGuest(user.id)) throw new NotAuthorizedError();
  return user;
}
