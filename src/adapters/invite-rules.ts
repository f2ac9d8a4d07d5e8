/** What decides on an invite that somebody wants to accept; every adapter asks it while nothing can change. */
import { atLeast, type OrgInvite, type OrgRole } from '../domain/org.js';
import type { ServiceUser } from '../domain/user.js';

/** Null where the user may accept. A wrong user is told apart, since for the right one the invite still holds. */
export function inviteRefusal(
  invite: OrgInvite,
  inviterRole: OrgRole | null,
  user: Pick<ServiceUser, 'email' | 'emailVerified'>,
  now: Date,
): 'invalid' | 'wrong_user' | null {
  if (invite.acceptedAt !== null || invite.expiresAt <= now) return 'invalid';
  if (invite.invitedByUserId !== null && !mayStillInvite(inviterRole, invite.role)) return 'invalid';
  return user.emailVerified && user.email === invite.email ? null : 'wrong_user';
}

/**
 * What takes the place of the digest of an invite that was withdrawn. It is the digest of no token, so the invite is dead at once, also
 * for a process whose clock is behind. The row stays until it is purged, as the newest of its address.
 */
export function digestOfRevoked(inviteId: string): string {
  return `${revokedPrefix}${inviteId}`;
}

export const revokedPrefix = 'revoked:';

/** A member who accepts an invite to a lower role loses nothing. */
export function higherRole(present: OrgRole | null, invited: OrgRole): OrgRole {
  return present !== null && atLeast(present, invited) ? present : invited;
}

function mayStillInvite(inviterRole: OrgRole | null, invited: OrgRole): boolean {
  return atLeast(inviterRole, 'admin') && atLeast(inviterRole, invited);
}
