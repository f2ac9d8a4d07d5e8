/** API keys in memory. */
import { toPublicApiKey } from '../../domain/api-key.js';
import type { ApiKeyRepository } from '../../storage/pro-repositories.js';
import { copy } from './copy.js';
import { roleOf } from './org-memberships.js';
import { byAge, type Tables } from './tables.js';

export function memoryApiKeys(tables: Tables): ApiKeyRepository {
  const { users, guests, orgs, apiKeys } = tables;
  return {
    async insert(key, epoch, actor) {
      const { userId, orgId } = key;
      if ((userId === null) === (orgId === null)) return 'no_owner';
      if (userId !== null && guests.has(userId)) return 'guest';
      if (orgId !== null) actor?.decide(roleOf(tables, orgId, actor.userId));
      const user = users.get(userId ?? '');
      if (!user && !orgs.has(orgId ?? '')) return 'no_owner';
      if (user && user.epoch !== epoch) return 'epoch_moved';
      apiKeys.set(key.id, copy(key));
      return 'inserted';
    },
    async findById(id) {
      return copy(apiKeys.get(id) ?? null);
    },
    async touch(id, now, unlessSince) {
      const key = apiKeys.get(id);
      if (key && (key.lastUsedAt === null || key.lastUsedAt < unlessSince)) key.lastUsedAt = copy(now);
    },
    async revoke(id, now, of) {
      of?.actor.decide(roleOf(tables, of.orgId, of.actor.userId));
      const key = apiKeys.get(id);
      if (!key || (of && key.orgId !== of.orgId)) return null;
      if (key.revokedAt || (key.expiresAt !== null && key.expiresAt <= now)) return null;
      key.revokedAt = copy(now);
      return copy(toPublicApiKey(key));
    },
    async list(owner) {
      const own = [...apiKeys.values()].filter((key) =>
        'userId' in owner ? key.userId === owner.userId : key.orgId === owner.orgId,
      );
      return copy(own.sort(byAge(({ id }) => id)).reverse()).map(toPublicApiKey);
    },
  };
}
