/** Identities in memory. */
import type { IdentityRepository } from '../../storage/repositories.js';
import { copy } from './copy.js';
import { identityKey, type Tables } from './tables.js';
import { insertUser } from './users.js';

export function memoryIdentities(tables: Tables): IdentityRepository {
  const { users, identities } = tables;
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
      const own = [...identities.values()].filter((identity) => identity.userId === userId);
      return copy(
        own.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1)),
      );
    },
  };
}
