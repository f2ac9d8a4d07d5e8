/** Memberships in memory. */
import type { Org, OrgMembership, OrgRole } from '../../domain/org.js';
import { hasUnverifiedAddress } from '../../domain/user.js';
import type { ListRange } from '../../storage/list-range.js';
import type { OrgRepository } from '../../storage/org-repository.js';
import { copy } from './copy.js';
import { oldestFirst } from './list-range.js';
import { membershipKey, type Tables } from './tables.js';
import { admit } from './users.js';

type OrgMemberships = Pick<
  OrgRepository,
  | 'roleOf'
  | 'listMembers'
  | 'listMembersWithUsers'
  | 'listOnlyOwned'
  | 'listForUser'
  | 'listForUserWithOrgs'
  | 'changeMember'
>;

export function memoryOrgMemberships(tables: Tables): OrgMemberships {
  const { users, guests, orgs, memberships } = tables;
  const membersOf = (orgId: string, range?: ListRange) => {
    const members = [...memberships.values()].filter((membership) => membership.orgId === orgId);
    return oldestFirst(members, ({ userId }) => userId, range);
  };
  const ofUser = (userId: string, range?: ListRange) => {
    const own = [...memberships.values()].filter((membership) => membership.userId === userId);
    return oldestFirst(own, ({ orgId }) => orgId, range);
  };
  return {
    async roleOf(orgId, userId) {
      return roleOf(tables, orgId, userId);
    },
    async listMembers(orgId, range) {
      return copy(membersOf(orgId, range));
    },
    async listMembersWithUsers(orgId, range) {
      return membersOf(orgId, range).map((membership) => {
        const { email, emailVerified, metadata } = users.get(membership.userId)!;
        return copy({ ...membership, email: emailVerified ? email : null, metadata });
      });
    },
    async listOnlyOwned(userId) {
      return orgsOnlyOwnedBy(tables, userId);
    },
    async listForUser(userId, range) {
      return copy(ofUser(userId, range));
    },
    async listForUserWithOrgs(userId, range) {
      return ofUser(userId, range).map((membership) =>
        copy({ org: orgs.get(membership.orgId) as Org, membership }),
      );
    },
    async changeMember({ orgId, userId, actingUserId, by, now }, decide) {
      admit(tables, by);
      if (!orgs.has(orgId)) return 'no_org';
      if (!users.has(userId)) return 'no_user';
      const previousRole = roleOf(tables, orgId, userId);
      const actingUser = users.get(actingUserId ?? '');
      const role = decide({
        current: previousRole,
        acting: actingUserId === undefined ? undefined : roleOf(tables, orgId, actingUserId),
        isSelf: actingUserId === userId,
        owners: ownersOf(tables, orgId).length,
        isGuest: guests.has(userId),
        isActingUnverified: actingUser !== undefined && hasUnverifiedAddress(actingUser),
        actingEpoch: actingUser?.epoch ?? null,
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

/** Returns the ids of the org's owners. */
export function orgsOnlyOwnedBy(tables: Tables, userId: string): string[] {
  const own = [...tables.memberships.values()].filter((each) => each.userId === userId);
  const owned = own.filter(({ role, orgId }) => role === 'owner' && ownersOf(tables, orgId).length === 1);
  return owned.map(({ orgId }) => orgId).sort();
}

function ownersOf({ memberships }: Tables, orgId: string): string[] {
  const owners = [...memberships.values()].filter((each) => each.orgId === orgId && each.role === 'owner');
  return owners.map(({ userId }) => userId);
}

/** Adds a member, or sets the role of an existing member. */
export function putMembership({ memberships }: Tables, membership: OrgMembership): OrgMembership {
  const key = membershipKey(membership.orgId, membership.userId);
  const { createdAt } = memberships.get(key) ?? membership;
  memberships.set(key, copy({ ...membership, createdAt }));
  return copy({ ...membership, createdAt });
}
