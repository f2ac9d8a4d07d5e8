/** Lockdowns in memory: the epoch of each user is raised. */
import type { StoredApiKey } from '../../domain/api-key.js';
import type { LockdownRepository, LockdownScope } from '../../storage/lockdown-repository.js';
import { copy } from './copy.js';
import type { Tables } from './tables.js';
import { admit, removeBegunEnrollment, revokeSessions } from './users.js';

export function memoryLockdowns(tables: Tables): LockdownRepository {
  const { apiKeys: keys, memberships, orgs, users } = tables;

  const userIdsOf = (scope: LockdownScope): string[] => {
    if (scope === 'everyone') return [...users.keys()];
    if ('userId' in scope) return [scope.userId];
    return [...memberships.values()].filter(({ orgId }) => orgId === scope.orgId).map(({ userId }) => userId);
  };
  const exists = (scope: LockdownScope) => {
    if (scope === 'everyone') return true;
    return 'userId' in scope ? users.has(scope.userId) : orgs.has(scope.orgId);
  };
  const isOf = (scope: LockdownScope, ids: ReadonlySet<string>, { userId, orgId }: StoredApiKey) =>
    scope === 'everyone' ||
    (userId !== null && ids.has(userId)) ||
    ('orgId' in scope && orgId === scope.orgId);

  return {
    async start({ scope, now, apiKeys, by }) {
      admit(tables, by);
      if (!exists(scope)) return 'not_found';
      const ids = new Set(userIdsOf(scope));
      for (const id of ids) {
        revokeSessions(tables, users.get(id)!, now);
        removeBegunEnrollment(tables, id);
      }
      if (apiKeys) for (const key of keys.values()) if (isOf(scope, ids, key)) key.revokedAt ??= copy(now);
      return { users: scope === 'everyone' ? null : ids.size };
    },
  };
}
