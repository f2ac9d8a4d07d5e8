/** Identities in memory. */
import type { IdentityRepository } from '../../storage/repositories.js';
import { copy } from './copy.js';
import { byAge, identityKey, type Tables } from './tables.js';
import { admit, insertUser } from './users.js';

export function memoryIdentities(tables: Tables): IdentityRepository {
  const { users, identities, credentials } = tables;
  const ownedBy = (userId: string) =>
    [...identities.values()].filter((identity) => identity.userId === userId).sort(byAge(({ id }) => id));
  return {
    async findUser(provider, providerAccountId) {
      const identity = identities.get(identityKey(provider, providerAccountId));
      return copy(users.get(identity?.userId ?? '') ?? null);
    },
    async link(identity, epoch) {
      const key = identityKey(identity.provider, identity.providerAccountId);
      if (identities.has(key) || users.get(identity.userId)?.epoch !== epoch) return false;
      identities.set(key, copy(identity));
      return true;
    },
    async insertWithUser(identity, user) {
      const key = identityKey(identity.provider, identity.providerAccountId);
      if (identities.has(key) || !insertUser(tables, user)) return false;
      identities.set(key, copy({ ...identity, userId: user.id }));
      return true;
    },
    async listForUser(userId) {
      return copy(ownedBy(userId));
    },
    async unlink(userId, id, allowed, by) {
      admit(tables, by);
      const user = users.get(userId);
      const own = ownedBy(userId);
      const identity = own.find((each) => each.id === id);
      if (!user || !identity) return { status: 'missing' };
      const rest = own.filter((each) => each !== identity);
      const passkeys = [...credentials.values()].filter((each) => each.userId === userId).length;
      if (!allowed(copy({ user, identities: rest, passkeys }))) return { status: 'refused' };
      identities.delete(identityKey(identity.provider, identity.providerAccountId));
      return { status: 'unlinked', identity: copy(identity) };
    },
  };
}
