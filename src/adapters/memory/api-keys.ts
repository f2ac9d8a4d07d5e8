/** API keys in memory. */
import { toPublicApiKey, type PublicApiKey } from '../../domain/api-key.js';
import { hasUnverifiedAddress } from '../../domain/user.js';
import type { ApiKeyRepository } from '../../storage/pro-repositories.js';
import { copy } from './copy.js';
import { newestFirst } from './list-range.js';
import { roleOf } from './org-memberships.js';
import type { Tables } from './tables.js';
import { admit } from './users.js';

export function memoryApiKeys(tables: Tables): ApiKeyRepository {
  const { users, guests, orgs, apiKeys } = tables;
  const find = (id: string) => {
    const key = apiKeys.get(id);
    const ownerBlock = users.get(key?.userId ?? '')?.blocked;
    return key ? copy({ ...key, ...(ownerBlock && { ownerBlock }) }) : null;
  };
  return {
    async insert(key, epoch, { verified = false, actor } = {}) {
      const { userId, orgId } = key;
      if ((userId === null) === (orgId === null)) return 'no_owner';
      if (userId !== null && guests.has(userId)) return 'guest';
      if (orgId !== null) {
        actor?.decide(roleOf(tables, orgId, actor.userId), copy(users.get(actor.userId) ?? null));
      }
      const user = users.get(userId ?? '');
      if (!user && !orgs.has(orgId ?? '')) return 'no_owner';
      if (user && user.epoch !== epoch) return 'epoch_moved';
      if (user && verified && hasUnverifiedAddress(user)) return 'unverified';
      apiKeys.set(key.id, copy(key));
      return 'inserted';
    },
    findById: async (id) => find(id),
    findByDigest: async (digest) => find(tables.apiKeyIdByDigest.get(digest) ?? ''),
    async touch(id, now, unlessSince) {
      const key = apiKeys.get(id);
      if (key && (key.lastUsedAt === null || key.lastUsedAt < unlessSince)) key.lastUsedAt = copy(now);
    },
    async revoke(id, now, of) {
      if (of && 'userId' in of) admit(tables, of.by);
      const findUser = (userId: string) => copy(users.get(userId) ?? null);
      if (of && 'actor' in of)
        of.actor.decide(roleOf(tables, of.orgId, of.actor.userId), findUser(of.actor.userId));
      else of?.decide?.(findUser(of.userId));
      const key = apiKeys.get(id);
      if (!key || (of && !isOwnedBy(key, of))) return null;
      if (key.revokedAt || (key.expiresAt !== null && key.expiresAt <= now)) return null;
      key.revokedAt = copy(now);
      return copy(toPublicApiKey(key));
    },
    async list(owner, range) {
      const own = [...apiKeys.values()].filter((key) => isOwnedBy(key, owner));
      return copy(newestFirst(own, ({ id }) => id, range)).map(toPublicApiKey);
    },
  };
}

function isOwnedBy(key: PublicApiKey, owner: { userId: string } | { orgId: string }): boolean {
  return 'userId' in owner ? key.userId === owner.userId : key.orgId === owner.orgId;
}
