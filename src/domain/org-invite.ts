/** The rules on invites to organizations. They are pure; the storage applies them under a lock. */
import { EmailUnverifiedError, NotAuthorizedError, TokenInvalidError } from '../errors/catalog.js';
import { atLeast, mayGrant, type Org, type OrgInvite, type OrgRole } from './org.js';
import { hasUnverifiedAddress, type ServiceUser } from './user.js';

type Address = Pick<ServiceUser, 'email' | 'emailVerified'>;

/** An invite and whether its inviter may still invite, as a preview and an acceptance judge it. */
export interface PresentedInvite {
  invite: OrgInvite;
  /** Current role of the inviter. Null if the inviter is not a member, or the system invited. */
  inviterRole: OrgRole | null;
  /** True if the inviter has an address that is unverified. */
  isInviterUnverified: boolean;
}

/** The state of an invite that a user wants to accept, as read under the lock. */
export interface InviteState extends PresentedInvite {
  user: Address;
  /** Current role of the accepting user. Null if the user is not a member. */
  currentRole: OrgRole | null;
}

/** An invite with its organization and inviter, for a preview. */
export interface InviteDetails extends PresentedInvite {
  org: Org;
  /** Verified address of the inviter. Null if it is unverified, or the system invited. */
  inviterEmail: string | null;
}

/**
 * Checks that the invite can still be accepted by the user to whom it was mailed.
 * @throws TokenInvalidError if it was accepted or has expired, or the inviter may no longer invite to its role: by the role, or
 * by an unverified address, unless it is allowed.
 */
export function mustBePending(
  { invite, inviterRole, isInviterUnverified }: PresentedInvite,
  now: Date,
  allowUnverified: boolean,
): void {
  // Written so that an unreadable time counts as past.
  if (invite.acceptedAt !== null || !(now < invite.expiresAt)) throw new TokenInvalidError();
  if (invite.invitedByUserId === null) return;
  if (!atLeast(inviterRole, 'admin') || !atLeast(inviterRole, invite.role)) throw new TokenInvalidError();
  if (isInviterUnverified && !allowUnverified) throw new TokenInvalidError();
}

/**
 * Returns the role that the user has after accepting: the higher of the current role and the invited one.
 * @throws TokenInvalidError as `mustBePending`; NotAuthorizedError unless the invited address is the user's
 * verified address.
 */
export function acceptInvite(state: InviteState, now: Date, allowUnverified: boolean): OrgRole {
  mustBePending(state, now, allowUnverified);
  const { invite, user, currentRole } = state;
  if (!user.emailVerified || user.email !== invite.email) throw new NotAuthorizedError();
  return currentRole !== null && atLeast(currentRole, invite.role) ? currentRole : invite.role;
}

/**
 * Checks that a role may withdraw an invite: every role that may invite to the invited role. Without an invite, admins.
 * @throws NotAuthorizedError
 */
export function mayWithdraw(role: OrgRole | null, invite: OrgInvite | null): void {
  mayGrant(role, invite?.role ?? 'member');
}

/**
 * Checks that a role may invite. A new invite withdraws the pending one that it replaces: an admin must not replace an
 * invitation as owner. @throws NotAuthorizedError
 */
export function mayInvite(role: OrgRole | null, invited: OrgRole, pending: OrgInvite | null): void {
  mayGrant(role, invited);
  mayWithdraw(role, pending);
}

/** @throws EmailUnverifiedError if the user has an unverified address. */
export function mustBeVerified(user: Address): void {
  if (hasUnverifiedAddress(user)) throw new EmailUnverifiedError();
}

/** Prefix of the digests of revoked invites. No token has such a digest. */
export const revokedPrefix = 'revoked:';

/**
 * Returns the digest that replaces the one of a revoked invite, so that its token is invalid at once, also for a process
 * whose clock is behind. The row stays until the purge: an older invite that is stored late is superseded by it.
 */
export function digestOfRevoked(inviteId: string): string {
  return `${revokedPrefix}${inviteId}`;
}
