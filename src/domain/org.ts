/**
 * Organizations, their members, and the rules for changing memberships. The rules are pure; the
 * storage applies them under a lock.
 */
import { EmailUnverifiedError, NotAuthorizedError, OrgError } from '../errors/catalog.js';
import { because } from '../errors/reasons.js';
import { orgRoles, type OrgRole } from './org-role.js';

export { orgRoles, type OrgRole };

export interface Org {
  id: string;
  name: string;
  /** Unique, for URLs. */
  slug: string;
  metadata: Record<string, unknown>;
  createdAt: Date;
  updatedAt: Date;
}

export interface OrgMembership {
  orgId: string;
  userId: string;
  role: OrgRole;
  createdAt: Date;
}

export interface OrgInvite {
  id: string;
  orgId: string;
  /** The canonical address that may accept. */
  email: string;
  role: OrgRole;
  invitedByUserId: string | null;
  createdAt: Date;
  expiresAt: Date;
  acceptedAt: Date | null;
}

export const noSuchOrg = () => new OrgError('This organization does not exist.');

/** Parses a role. @throws OrgError if it is unknown. */
export function parseRole(role: unknown): OrgRole {
  const knownRole = orgRoles.find((orgRole) => orgRole === role);
  if (!knownRole) throw new OrgError(`role must be one of ${orgRoles.join(', ')}.`);
  return knownRole;
}

export function atLeast(role: OrgRole | null, min: OrgRole): boolean {
  return role !== null && orgRoles.indexOf(role) >= orgRoles.indexOf(min);
}

/** The state of a membership that is about to change, as read under the lock. */
export interface MembershipState {
  /** Role of the user whose membership changes. Null if the user is not a member. */
  current: OrgRole | null;
  /**
   * Role of the acting user. Null if the acting user is not a member, undefined if the system acts.
   */
  acting: OrgRole | null | undefined;
  /** True if the users change their own membership. */
  isSelf: boolean;
  owners: number;
  /** True if the user is a guest. Guests may have the role member only. */
  isGuest: boolean;
  /** True if the acting user's address is unverified. */
  isActingUnverified: boolean;
  /** Epoch of the acting user. Null if the system acts, or the acting user does not exist. */
  actingEpoch: number | null;
}

/**
 * Decides whether a member may be added, and returns the role.
 * @throws NotAuthorizedError if the acting user may not grant the role; OrgError if the user is
 * already a member; EmailUnverifiedError if the acting user's address is unverified (unless
 * `allowUnverified`).
 */
export function addMember(
  { current, acting, isGuest, isActingUnverified }: MembershipState,
  role: OrgRole,
  allowUnverified: boolean,
): OrgRole {
  mayGrant(acting, role);
  // Adding a member is an invite that is accepted immediately.
  if (isActingUnverified && !allowUnverified) throw new EmailUnverifiedError();
  if (current !== null) throw new OrgError('This user is already a member.');
  mayHold(isGuest, role);
  return role;
}

/**
 * Decides whether a member's role may change, and returns the new role.
 * @throws NotAuthorizedError if the acting user may not change the role; OrgError if the user is
 * not a member or is the last owner; EmailUnverifiedError if the role is higher and the acting
 * user's address is unverified (unless `allowUnverified`).
 */
export function changeRole(
  { current, acting, owners, isGuest, isActingUnverified }: MembershipState,
  role: OrgRole,
  allowUnverified: boolean,
): OrgRole {
  mayGrant(acting, role);
  if (current === null) throw new OrgError('This user is not a member.');
  mayTouch(acting, current);
  // A promoted member keeps the role even if the acting user's account is claimed later by the
  // owner of the mailbox.
  if (isActingUnverified && !allowUnverified && !atLeast(current, role)) throw new EmailUnverifiedError();
  mayHold(isGuest, role);
  if (current === 'owner' && role !== 'owner') mustKeepAnOwner(owners);
  return role;
}

/**
 * Decides whether a membership may be removed. Every member may leave.
 * @throws NotAuthorizedError if the acting user may not remove the member; OrgError if the user is
 * not a member or is the last owner.
 */
export function removeMember({ current, acting, isSelf, owners }: MembershipState): null {
  // A user who is not a member learns nothing about an organization, not even that it exists.
  if (acting === null) throw new NotAuthorizedError(because('org_role_missing'));
  if (!isSelf && acting !== undefined && !atLeast(acting, 'admin'))
    throw new NotAuthorizedError(because('org_role_missing'));
  if (current === null) throw new OrgError('This user is not a member.');
  if (!isSelf) mayTouch(acting, current);
  if (current === 'owner') mustKeepAnOwner(owners);
  return null;
}

/**
 * Checks that the acting user may grant a role: admins manage members and admins, only owners grant
 * owner. Otherwise an admin could make an accomplice an owner, who then removes the owners and
 * deletes the organization. @throws NotAuthorizedError otherwise.
 */
export function mayGrant(acting: OrgRole | null | undefined, role: OrgRole): void {
  if (acting === undefined) return;
  if (!atLeast(acting, 'admin') || !atLeast(acting, role))
    throw new NotAuthorizedError(because('org_role_missing'));
}

/** @throws NotAuthorizedError unless the role is at least this one. */
export function mustBe(min: OrgRole, role: OrgRole | null): void {
  if (!atLeast(role, min)) throw new NotAuthorizedError(because('org_role_missing'));
}

function mayTouch(acting: OrgRole | null | undefined, current: OrgRole): void {
  if (acting !== undefined && !atLeast(acting, current))
    throw new NotAuthorizedError(because('org_role_missing'));
}

function mayHold(isGuest: boolean, role: OrgRole): void {
  if (isGuest && role !== 'member') throw new NotAuthorizedError(because('guest'));
}

/** The deletion of a user checks the same in its statement: `findOrgOfLastOwner` of the adapters. */
function mustKeepAnOwner(owners: number): void {
  if (owners <= 1)
    throw new OrgError('An organization needs at least one owner. Make another member an owner first.');
}
