/** The rules on invites to organizations. They are pure; the storage applies them under a lock. */
import { EmailUnverifiedError, NotAuthorizedError, TokenInvalidError } from '../errors/catalog.js';
import { because } from '../errors/reasons.js';
import { atLeast, mayGrant, type Org, type OrgInvite, type OrgRole } from './org.js';
import { mustNotBeBlocked } from './user-block.js';
import { hasUnverifiedAddress, type ServiceUser, type StoredUser } from './user.js';

type Address = Pick<ServiceUser, 'email' | 'emailVerified'>;

/**
 * An invite and the inviter's current role, from which a preview and an acceptance decide whether
 * it is valid.
 */
export interface PresentedInvite {
  invite: OrgInvite;
  /** Current role of the inviter. Null if the inviter is not a member, or the system invited. */
  inviterRole: OrgRole | null;
  /** True if the inviter's address is unverified. */
  isInviterUnverified: boolean;
}

/** The state of an invite that a user wants to accept, as read under the lock. */
export interface InviteState extends PresentedInvite {
  user: Address & Pick<StoredUser, 'blocked'>;
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
 * Checks that the invite can still be accepted.
 * @throws TokenInvalidError if it was accepted or has expired, or if the inviter may no longer
 * invite to its role, because the inviter's role is too low or the inviter's address is unverified
 * (unless `allowUnverified`).
 */
export function mustBePending(
  { invite, inviterRole, isInviterUnverified }: PresentedInvite,
  now: Date,
  allowUnverified: boolean,
): void {
  if (invite.acceptedAt !== null) throw endedInvite('used');
  // Written so that an invalid date counts as expired.
  if (!(now < invite.expiresAt)) throw endedInvite('expired');
  if (invite.invitedByUserId === null) return;
  if (!atLeast(inviterRole, 'admin') || !atLeast(inviterRole, invite.role)) throw endedInvite('withdrawn');
  if (isInviterUnverified && !allowUnverified) throw endedInvite('withdrawn');
}

/**
 * The error for the holder of a genuine token. `withdrawn`: it was revoked, declined or replaced by a
 * newer invite, its inviter may no longer invite, or the organization was deleted.
 */
export function endedInvite(reason: 'used' | 'expired' | 'withdrawn'): TokenInvalidError {
  return new TokenInvalidError({ reason, ...because(`invite_${reason}`) });
}

/** Returns whether the invite can still be accepted, as `mustBePending`. */
export function isPending(invite: PresentedInvite, now: Date, allowUnverified: boolean): boolean {
  try {
    mustBePending(invite, now, allowUnverified);
    return true;
  } catch (error) {
    if (error instanceof TokenInvalidError) return false;
    throw error;
  }
}

/**
 * Returns the role that the user has after accepting: the higher of the current role and the
 * invited one.
 * @throws TokenInvalidError as `mustBePending`; NotAuthorizedError unless the invited address is
 * the user's verified address; UserBlockedError.
 */
export function acceptInvite(state: InviteState, now: Date, allowUnverified: boolean): OrgRole {
  mustBePending(state, now, allowUnverified);
  const { invite, user, currentRole } = state;
  mustBeInvited(user, invite);
  mustNotBeBlocked(user, now.getTime());
  return currentRole !== null && atLeast(currentRole, invite.role) ? currentRole : invite.role;
}

/** @throws NotAuthorizedError unless the invited address is the user's verified address. */
export function mustBeInvited(user: Address, invite: OrgInvite): void {
  if (!user.emailVerified || user.email !== invite.email)
    throw new NotAuthorizedError(because('invite_other_address'));
}

/**
 * Checks that a role may revoke an invite: every role that may invite to the invited role. Without
 * an invite, it must be an admin or owner.
 * @throws NotAuthorizedError if the role is too low.
 */
export function mayWithdraw(role: OrgRole | null, invite: OrgInvite | null): void {
  mayGrant(role, invite?.role ?? 'member');
}

/**
 * Checks that a role may invite. A new invite revokes the pending one that it replaces, so an admin
 * must not replace an invite to the owner role.
 * @throws NotAuthorizedError if the role is too low.
 */
export function mayInvite(role: OrgRole | null, invited: OrgRole, pending: OrgInvite | null): void {
  mayGrant(role, invited);
  mayWithdraw(role, pending);
}

/** @throws EmailUnverifiedError if the user's address is unverified. */
export function mustBeVerified(user: Address): void {
  if (hasUnverifiedAddress(user)) throw new EmailUnverifiedError();
}

/** Prefix of the digests of revoked invites. No token has such a digest. */
export const revokedPrefix = 'revoked:';

/**
 * Returns the digest that replaces the one of a revoked invite, so that its token is invalid
 * immediately, even for a process whose clock is behind. The row stays until the purge, so that it
 * supersedes an older invite that is stored late.
 */
export function digestOfRevoked(inviteId: string): string {
  return `${revokedPrefix}${inviteId}`;
}
