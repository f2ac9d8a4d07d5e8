/** The check before acting for a user whom a caller named. */
import type { StoredUser } from '../domain/user.js';
import { NotAuthorizedError, UserNotFoundError } from '../errors/catalog.js';
import type { StorageAdapter } from '../storage/adapter.js';
import type { UserRepository } from '../storage/repositories.js';

/** @throws UserNotFoundError for an id that names nobody, whatever it is. */
export async function existingUser(users: UserRepository, userId: unknown): Promise<StoredUser> {
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
