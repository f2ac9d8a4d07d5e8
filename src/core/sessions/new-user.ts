/** Users whom a sign-in creates. */
import { uuidV7 } from '../../crypto/random.js';
import type { ServiceIdentity } from '../../domain/identity.js';
import type { ServiceSession } from '../../domain/session.js';
import { initialUserState, type StoredUser } from '../../domain/user.js';
import type { IdentityRepository, NewUser } from '../../storage/repositories.js';
import type { Changes } from '../support/changes.js';
import type { EmittedEvent } from '../support/events.js';

export interface CreatedUser {
  user: StoredUser;
  created: true;
  /** Present if the context requests a session with a cookie. It is started, and has no token yet. */
  session?: ServiceSession;
}

/** Returns a new user as the storage returns it right after `insert`. */
export function stored(user: NewUser): StoredUser {
  const { roles = [], externalId = null } = user;
  return { ...user, ...initialUserState(), roles: [...roles], externalId, updatedAt: user.createdAt };
}

/** An account at a provider, or a phone number. */
type Account = Pick<ServiceIdentity, 'provider' | 'providerAccountId'>;

export function newIdentity(userId: string, account: Account, now: number): ServiceIdentity {
  return { id: uuidV7(now), userId, ...account, createdAt: new Date(now) };
}

/** Inserts a new user with an identity. @returns null if there is a user with the address or the identity. */
export async function insertWithIdentity(
  { changes, identities }: { changes: Changes; identities: IdentityRepository },
  user: NewUser,
  account: Account,
  now: number,
  event: EmittedEvent,
): Promise<CreatedUser | null> {
  const isInserted = await changes.commit(
    () => identities.insertWithUser(newIdentity(user.id, account, now), user),
    (isNew) => (isNew ? [event] : []),
  );
  return isInserted ? { user: stored(user), created: true } : null;
}
