/** Invites in memory. */
import type { OrgInvite } from '../../domain/org.js';
import type { OrgRepository } from '../../storage/org-repository.js';
import { digestOfRevoked, higherRole, inviteRefusal, revokedPrefix } from '../invite-rules.js';
import { copy } from './copy.js';
import { putMembership, roleOf } from './org-memberships.js';
import { byAge, removeWhere, type Tables } from './tables.js';

type OrgInvites = Pick<
  OrgRepository,
  'insertInvite' | 'acceptInvite' | 'listPendingInvites' | 'revokeInvite' | 'listInvitesOf'
>;

export function memoryOrgInvites(tables: Tables): OrgInvites {
  const { users, orgs, invites } = tables;
  const pendingOf = (orgId: string, now: Date) =>
    [...invites].filter(([digest, invite]) => isPending(digest, invite, orgId, now));
  return {
    async insertInvite(invite, digest, actor) {
      const { orgId, email, invitedByUserId } = invite;
      if (invitedByUserId !== null && !users.has(invitedByUserId)) return 'no_inviter';
      if (!orgs.has(orgId)) return 'no_org';
      const isSame = (row: OrgInvite) => row.orgId === orgId && row.email === email;
      const [, pending] = pendingOf(orgId, invite.createdAt).find(([, row]) => isSame(row)) ?? [];
      actor?.decide(roleOf(tables, orgId, actor.userId), copy(pending ?? null));
      const isNewer = (row: OrgInvite) => isSame(row) && row.createdAt > invite.createdAt;
      if ([...invites.values()].some(isNewer)) return 'superseded';
      removeWhere(invites, (row) => isSame(row) && row.acceptedAt === null);
      invites.set(digest, copy(invite));
      return 'stored';
    },
    async acceptInvite(digest, userId, now) {
      const user = users.get(userId);
      const invite = invites.get(digest);
      if (!user) return { status: 'no_user' };
      if (!invite) return { status: 'invalid' };
      const { orgId, invitedByUserId } = invite;
      const refusal = inviteRefusal(invite, roleOf(tables, orgId, invitedByUserId ?? ''), user, now);
      if (refusal) return { status: refusal };
      const present = roleOf(tables, orgId, userId);
      invite.acceptedAt = copy(now);
      const role = higherRole(present, invite.role);
      const membership = putMembership(tables, { orgId, userId, role, createdAt: now });
      return { status: 'accepted', membership, previousRole: present };
    },
    async listPendingInvites(orgId, now) {
      const found = pendingOf(orgId, now).map(([, invite]) => invite);
      return copy(found.sort(byAge(({ id }) => id)));
    },
    async revokeInvite({ orgId, inviteId, now }, actor) {
      const [digest, invite] = pendingOf(orgId, now).find(([, each]) => each.id === inviteId) ?? [];
      actor?.decide(roleOf(tables, orgId, actor.userId), copy(invite ?? null));
      if (digest === undefined || !invite) return false;
      invites.delete(digest);
      invites.set(digestOfRevoked(invite.id), { ...invite, expiresAt: copy(now) });
      return true;
    },
    async listInvitesOf({ userId, email }) {
      const found = [...invites.values()].filter(
        (invite) => invite.invitedByUserId === userId || invite.email === email,
      );
      return copy(found.sort(byAge(({ id }) => id)));
    },
  };
}

function isPending(digest: string, invite: OrgInvite, orgId: string, now: Date): boolean {
  // The clock that ended a withdrawn one may have been ahead.
  if (digest.startsWith(revokedPrefix)) return false;
  return invite.orgId === orgId && invite.acceptedAt === null && invite.expiresAt > now;
}
