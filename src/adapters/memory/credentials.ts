/** Passkeys in memory. */
import type { CredentialRepository } from '../../storage/pro-repositories.js';
import { copy } from './copy.js';
import { oldestFirst } from './list-range.js';
import type { Tables } from './tables.js';

export function memoryCredentials({ users, guests, identities, credentials }: Tables): CredentialRepository {
  return {
    async insert(credential, epoch) {
      if (guests.has(credential.userId)) return 'guest';
      if (users.get(credential.userId)?.epoch !== epoch) return 'no_user';
      if (credentials.has(credential.id)) return 'taken';
      credentials.set(credential.id, copy(credential));
      return 'inserted';
    },
    async findWithUser(id) {
      const credential = credentials.get(id);
      const user = credential && users.get(credential.userId);
      return user ? copy({ credential, user }) : null;
    },
    async listForUser(userId, range) {
      const own = [...credentials.values()].filter((credential) => credential.userId === userId);
      return copy(oldestFirst(own, ({ id }) => id, range));
    },
    async use({ id, counter, backedUp, now }) {
      const credential = credentials.get(id);
      if (!credential) return false;
      const isForward = counter > credential.counter || (counter === 0 && credential.counter === 0);
      if (!isForward) return false;
      Object.assign(credential, copy({ counter, backedUp, lastUsedAt: now }));
      return true;
    },
    async remove(userId, id, allowed) {
      const user = users.get(userId);
      if (!user || credentials.get(id)?.userId !== userId) return false;
      const ofUser = (each: { userId: string }) => each.userId === userId;
      const passkeys = [...credentials.values()].filter(ofUser).length - 1;
      const left = [...identities.values()].filter(ofUser);
      if (allowed && !allowed(copy({ user, identities: left, passkeys }))) return false;
      return credentials.delete(id);
    },
  };
}
