/** Organizations in memory. */
import { hasUnverifiedAddress } from '../../domain/user.js';
import type { OrgRepository } from '../../storage/org-repository.js';
import { laterThan } from '../shared/change-time.js';
import { copy } from './copy.js';
import { roleOf } from './org-memberships.js';
import { membershipKey, removeWhere, type Tables } from './tables.js';

type Orgs = Pick<OrgRepository, 'create' | 'findById' | 'findBySlug' | 'findForMember' | 'update' | 'delete'>;

export function memoryOrgs(tables: Tables): Orgs {
  const { users, guests, orgs, memberships, invites, apiKeys } = tables;
  const bySlug = (slug: string) => [...orgs.values()].find((org) => org.slug === slug) ?? null;
  return {
    async create(org, owner, { epoch, verified = false } = {}) {
      const user = users.get(owner.userId);
      if (!user) return 'no_user';
      if (guests.has(user.id)) return 'guest';
      if (epoch !== undefined && user.epoch !== epoch) return 'epoch_moved';
      if (verified && hasUnverifiedAddress(user)) return 'unverified';
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
    async findForMember(idOrSlug, userId) {
      const org = orgs.get(idOrSlug) ?? bySlug(idOrSlug);
      const membership = org && memberships.get(membershipKey(org.id, userId));
      return membership ? copy({ org, membership }) : null;
    },
    async update(orgId, now, decide, actor) {
      actor?.decide(roleOf(tables, orgId, actor.userId), copy(users.get(actor.userId) ?? null));
      const org = orgs.get(orgId);
      if (!org) return null;
      const { name = org.name, metadata = org.metadata } = decide(copy(org));
      return copy(Object.assign(org, copy({ name, metadata, updatedAt: laterThan(org.updatedAt, now) })));
    },
    async delete(orgId, actor) {
      actor?.decide(roleOf(tables, orgId, actor.userId), copy(users.get(actor.userId) ?? null));
      removeWhere(memberships, (membership) => membership.orgId === orgId);
      removeWhere(invites, (invite) => invite.orgId === orgId);
      removeWhere(apiKeys, (key) => key.orgId === orgId);
      return orgs.delete(orgId);
    },
  };
}
