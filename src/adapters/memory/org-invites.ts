/** Invites in memory. */
import { assertCanonicalEmail } from '../../domain/email-address.js';
import { digestOfRevoked, revokedPrefix } from '../../domain/org-invite.js';
import type { OrgInvite } from '../../domain/org.js';
import { hasUnverifiedAddress } from '../../domain/user.js';
import type { OrgRepository } from '../../storage/org-repository.js';
import { copy } from './copy.js';
import { oldestFirst } from './list-range.js';
import { putMembership, roleOf } from './org-memberships.js';
import { removeWhere, type Tables } from './tables.js';

type OrgInvites = Pick<
  OrgRepository,
  | 'insertInvite'
  | 'acceptInvite'
  | 'findInvite'
  | 'findPendingInvite'
  | 'findInvitesTo'
  | 'listPendingInvites'
  | 'revokeInvite'
  | 'listInvitesOf'
>;

export function memoryOrgInvites(tables: Tables): OrgInvites {
  const { users, orgs, invites } = tables;
  const pendingOf = (orgId: string, now: Date) =>
    [...invites].filter(([digest, invite]) => isPending(digest, invite, orgId, now));
  const presented = (invite: OrgInvite) => {
    const inviterId = invite.invitedByUserId ?? '';
    const inviter = users.get(inviterId);
    const isInviterUnverified = inviter !== undefined && hasUnverifiedAddress(inviter);
    return { invite, inviterRole: roleOf(tables, invite.orgId, inviterId), isInviterUnverified };
  };
  return {
    async insertInvite(invite, digest, actor) {
      const { orgId, email, invitedByUserId } = invite;
      assertCanonicalEmail(email);
      if (invitedByUserId !== null && !users.has(invitedByUserId)) return 'no_inviter';
      if (!orgs.has(orgId)) return 'no_org';
      const isSame = (row: OrgInvite) => row.orgId === orgId && row.email === email;
      const [, pending] = pendingOf(orgId, invite.createdAt).find(([, row]) => isSame(row)) ?? [];
      if (actor) {
        const { userId } = actor;
        actor.decide(roleOf(tables, orgId, userId), copy(users.get(userId) ?? null), copy(pending ?? null));
      }
      const isNewer = (row: OrgInvite) => isSame(row) && row.createdAt > invite.createdAt;
      if ([...invites.values()].some(isNewer)) return 'superseded';
      removeWhere(invites, (row) => isSame(row) && row.acceptedAt === null);
      invites.set(digest, copy(invite));
      return 'stored';
    },
    async acceptInvite(digest, userId, now, decide) {
      const user = users.get(userId);
      const invite = invites.get(digest);
      if (!user) return { status: 'no_user' };
      if (!invite || invite.acceptedAt !== null) return { status: 'invalid' };
      const { orgId } = invite;
      const previousRole = roleOf(tables, orgId, userId);
      const role = decide(copy({ ...presented(invite), user, currentRole: previousRole }));
      invite.acceptedAt = copy(now);
      const membership = putMembership(tables, { orgId, userId, role, createdAt: now });
      return { status: 'accepted', membership, previousRole };
    },
    async findInvite(digest) {
      const invite = invites.get(digest);
      const org = invite && orgs.get(invite.orgId);
      if (!org) return null;
      const inviter = users.get(invite.invitedByUserId ?? '');
      const inviterEmail = inviter?.emailVerified ? inviter.email : null;
      return copy({ ...presented(invite), org, inviterEmail });
    },
    async findPendingInvite(orgId, email, now) {
      const [, invite] = pendingOf(orgId, now).find(([, each]) => each.email === email) ?? [];
      return copy(invite ?? null);
    },
    async findInvitesTo(email, now) {
      const isTo = ([digest, invite]: [string, OrgInvite]) =>
        invite.email === email && isPending(digest, invite, invite.orgId, now);
      return copy([...invites].filter(isTo).map(([, invite]) => presented(invite)));
    },
    async listPendingInvites(orgId, now, range) {
      const pending = pendingOf(orgId, now).map(([, invite]) => invite);
      return copy(oldestFirst(pending, ({ id }) => id, range));
    },
    async revokeInvite({ orgId, inviteId, now }, actor) {
      const [digest, invite] = pendingOf(orgId, now).find(([, each]) => each.id === inviteId) ?? [];
      if (actor) {
        const { userId } = actor;
        actor.decide(roleOf(tables, orgId, userId), copy(users.get(userId) ?? null), copy(invite ?? null));
      }
      if (digest === undefined || !invite) return false;
      invites.delete(digest);
      invites.set(digestOfRevoked(invite.id), { ...invite, expiresAt: copy(now) });
      return true;
    },
    async listInvitesOf({ userId, email }) {
      const ownInvites = [...invites.values()].filter(
        (invite) => invite.invitedByUserId === userId || invite.email === email,
      );
      return copy(oldestFirst(ownInvites, ({ id }) => id));
    },
  };
}

function isPending(digest: string, invite: OrgInvite, orgId: string, now: Date): boolean {
  // A revoked invite may expire in the future, if the clock that revoked it was ahead.
  if (digest.startsWith(revokedPrefix)) return false;
  return invite.orgId === orgId && invite.acceptedAt === null && invite.expiresAt > now;
}
