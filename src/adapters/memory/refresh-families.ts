/** Refresh families in memory. */
import type { RefreshFamily } from '../../domain/refresh-family.js';
import type { RefreshFamilyRepository } from '../../storage/pro-repositories.js';
import { copy } from './copy.js';
import { newestFirst } from './list-range.js';
import { endSurplus } from './sign-in-limit.js';
import { byAge, type Tables } from './tables.js';
import { admit, markSignIn, mayStart } from './users.js';

export function revokeFamilies({ families }: Tables, userId: string, now: Date, exceptId?: string): void {
  for (const family of families.values())
    if (family.userId === userId && family.id !== exceptId) family.revokedAt ??= copy(now);
}

export function memoryRefreshFamilies(tables: Tables): RefreshFamilyRepository {
  const { users, families } = tables;
  function isActive(family: RefreshFamily, now: Date): boolean {
    const { epoch } = users.get(family.userId) ?? {};
    return family.revokedAt === null && family.expiresAt > now && family.epoch === epoch;
  }
  const insert = (family: RefreshFamily) => {
    if (!mayStart(tables, family.userId, family.epoch, family.createdAt)) return false;
    families.set(family.id, copy(family));
    return true;
  };
  return {
    async insert(family) {
      return insert(family);
    },
    async start(family, limit) {
      if (!insert(family)) return null;
      markSignIn(tables, family);
      const none = { sessions: [], families: [] };
      return limit ? endSurplus(tables, family, family.createdAt, limit) : none;
    },
    async rotate({ familyId, kind, counter, graceMs, now, claims, device }) {
      const family = families.get(familyId);
      if (!family) return { status: 'invalid', userId: null };
      const isOther = kind !== undefined && (family.kind ?? kind) !== kind;
      if (!isActive(family, now) || isOther) return { status: 'invalid', userId: family.userId };
      if (counter === family.counter) {
        const changes = { claims: claims ?? family.claims, device: device ?? family.device };
        Object.assign(family, copy({ ...changes, counter: counter + 1, rotatedAt: now }));
        return { status: 'rotated', family: copy(family) };
      }
      const isPrevious = counter >= 0 && counter === family.counter - 1;
      // Without a grace period, a clock that runs behind must not create one.
      if (isPrevious && graceMs > 0 && Math.abs(now.getTime() - family.rotatedAt.getTime()) < graceMs) {
        return { status: 'current', family: copy(family) };
      }
      family.revokedAt = copy(now);
      return { status: 'reused', userId: family.userId };
    },
    async revoke(familyId, now, ownerId, by) {
      admit(tables, by);
      const family = families.get(familyId);
      if (!family || !isActive(family, now)) return null;
      if (ownerId !== undefined && family.userId !== ownerId) return null;
      family.revokedAt = copy(now);
      return family.userId;
    },
    async revokeAllForUser(userId, now) {
      revokeFamilies(tables, userId, now);
    },
    async findWithUser(familyId) {
      const family = families.get(familyId);
      const user = family && users.get(family.userId);
      return user ? copy({ family, user }) : null;
    },
    async listForUser(userId) {
      const own = [...families.values()].filter((family) => family.userId === userId);
      return copy(own.sort(byAge(({ id }) => id)));
    },
    async listLive(userId, now, range) {
      const activeFamilies = [...families.values()].filter(
        (family) => family.userId === userId && isActive(family, now),
      );
      return copy(newestFirst(activeFamilies, ({ id }) => id, range));
    },
  };
}
