/** Organisations in memory. */
import type { OrgRepository } from '../../storage/org-repository.js';
import { copy } from './copy.js';
import { roleOf } from './org-memberships.js';
import { membershipKey, removeWhere, type Tables } from './tables.js';

type Orgs = Pick<OrgRepository, 'create' | 'findById' | 'findBySlug' | 'delete'>;

export function memoryOrgs(tables: Tables): Orgs {
  const { users, guests, orgs, memberships, invites, apiKeys } = tables;
  const bySlug = (slug: string) => [...orgs.values()].find((org) => org.slug === slug) ?? null;
  return {
    async create(org, owner) {
      if (!users.has(owner.userId)) return 'no_user';
      if (guests.has(owner.userId)) return 'guest';
      if (orgs.has(org.id) || bySlug(org.slug)) return 'slug_taken';
      orgs.set(org.id, copy(org));
      memberships.set(membershipKey(org.id, owner.userId), copy({ ...owner, orgId: org.id }));
      return 'created';
    },
    async findById(id) {
      return copy(orgs.get(id) ?? null);
    },
    async findBySlug(slug) {
      return copy(bySlug(slug));
    },
    async delete(orgId, actor) {
      actor?.decide(roleOf(tables, orgId, actor.userId));
      removeWhere(memberships, (membership) => membership.orgId === orgId);
      removeWhere(invites, (invite) => invite.orgId === orgId);
      removeWhere(apiKeys, (key) => key.orgId === orgId);
      return orgs.delete(orgId);
    },
  };
}
