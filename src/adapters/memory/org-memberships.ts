/** Memberships in memory. */
import type { OrgMembership, OrgRole } from '../../domain/org.js';
import type { OrgRepository } from '../../storage/org-repository.js';
import { copy } from './copy.js';
import { byAge, membershipKey, type Tables } from './tables.js';

type OrgMemberships = Pick<OrgRepository, 'roleOf' | 'listMembers' | 'listForUser' | 'changeMember'>;

export function memoryOrgMemberships(tables: Tables): OrgMemberships {
  const { users, guests, orgs, memberships } = tables;
  return {
    async roleOf(orgId, userId) {
      return roleOf(tables, orgId, userId);
    },
    async listMembers(orgId) {
      const members = [...memberships.values()].filter((membership) => membership.orgId === orgId);
      return copy(members.sort(byAge(({ userId }) => userId)));
    },
    async listForUser(userId) {
      const own = [...memberships.values()].filter((membership) => membership.userId === userId);
      return copy(own.sort(byAge(({ orgId }) => orgId)));
    },
    async changeMember({ orgId, userId, actingUserId, now }, decide) {
      if (!orgs.has(orgId)) return 'no_org';
      if (!users.has(userId)) return 'no_user';
      const previousRole = roleOf(tables, orgId, userId);
      const role = decide({
        current: previousRole,
        acting: actingUserId === undefined ? undefined : roleOf(tables, orgId, actingUserId),
        isSelf: actingUserId === userId,
        owners: ownersOf(tables, orgId).length,
        isGuest: guests.has(userId),
      });
      if (role !== null) {
        return {
          membership: putMembership(tables, { orgId, userId, role, createdAt: now }),
          previousRole,
        };
      }
      memberships.delete(membershipKey(orgId, userId));
      return { membership: null, previousRole };
    },
  };
}

export function roleOf({ memberships }: Tables, orgId: string, userId: string): OrgRole | null {
  return memberships.get(membershipKey(orgId, userId))?.role ?? null;
}

/** Ids of the owners. */
export function ownersOf({ memberships }: Tables, orgId: string): string[] {
  const owners = [...memberships.values()].filter((each) => each.orgId === orgId && each.role === 'owner');
  return owners.map(({ userId }) => userId);
}

/** Adds the member, or gives an existing one the role. */
export function putMembership({ memberships }: Tables, membership: OrgMembership): OrgMembership {
  const key = membershipKey(membership.orgId, membership.userId);
  const { createdAt } = memberships.get(key) ?? membership;
  memberships.set(key, copy({ ...membership, createdAt }));
  return copy({ ...membership, createdAt });
}
