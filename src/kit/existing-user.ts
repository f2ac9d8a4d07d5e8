/** The check before acting for a user whom a caller named. */
import type { StoredUser } from '../domain/user.js';
import { UserNotFoundError } from '../errors/catalog.js';
import type { UserRepository } from '../storage/repositories.js';

/** @throws UserNotFoundError for an id that names nobody, whatever it is. */
export async function existingUser(users: UserRepository, userId: unknown): Promise<StoredUser> {
  const user = typeof userId === 'string' ? await users.findById(userId) : null;
  if (!user) throw new UserNotFoundError();
  return user;
}
