/** Organisations, their members, and who may do what to whom. The rules are pure; the storage applies them under a lock. */
import { EmailUnverifiedError, NotAuthorizedError, OrgError } from '../errors/catalog.js';

/** Ascending. */
export const orgRoles = ['member', 'admin', 'owner'] as const;
export type OrgRole = (typeof orgRoles)[number];

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

export const noSuchOrg = () => new OrgError('There is no such organisation.');

/** @throws OrgError for what is no role. */
export function parseRole(role: unknown): OrgRole {
  const known = orgRoles.find((each) => each === role);
  if (!known) throw new OrgError(`There is no such role. Roles are ${orgRoles.join(', ')}.`);
  return known;
}

export function atLeast(role: OrgRole | null, min: OrgRole): boolean {
  return role !== null && orgRoles.indexOf(role) >= orgRoles.indexOf(min);
}

/** The state of a membership that is about to change, as it stands under the lock. */
export interface MembershipState {
  /** Role of the user it is about, null for no member. */
  current: OrgRole | null;
  /** Role of who asks: null for no member, undefined for the system. */
  acting: OrgRole | null | undefined;
  /** The user changes their own membership. */
  isSelf: boolean;
  owners: number;
  /** Guests may be members, no more. */
  isGuest: boolean;
  /** True if the acting user has an address that is unverified. */
  isActingUnverified: boolean;
  /** Epoch of the acting user. Null if the system acts, or there is no such user. */
  actingEpoch: number | null;
}

/**
 * A new member. @throws NotAuthorizedError, OrgError; EmailUnverifiedError for an acting user with an unverified address,
 * unless it is allowed.
 */
export function addMember(
  { current, acting, isGuest, isActingUnverified }: MembershipState,
  role: OrgRole,
  allowUnverified: boolean,
): OrgRole {
  mayGrant(acting, role);
  // Adding a member is an invitation that is accepted at once.
  if (isActingUnverified && !allowUnverified) throw new EmailUnverifiedError();
  if (current !== null) throw new OrgError('This user is a member already.');
  mayHold(isGuest, role);
  return role;
}

/**
 * Another role. @throws NotAuthorizedError, OrgError; EmailUnverifiedError for a higher role that an acting user with an
 * unverified address gives, unless it is allowed.
 */
export function changeRole(
  { current, acting, owners, isGuest, isActingUnverified }: MembershipState,
  role: OrgRole,
  allowUnverified: boolean,
): OrgRole {
  mayGrant(acting, role);
  if (current === null) throw new OrgError('This user is not a member.');
  mayTouch(acting, current);
  // A member who was given a higher role keeps it when the account of the acting user is reclaimed.
  if (isActingUnverified && !allowUnverified && !atLeast(current, role)) throw new EmailUnverifiedError();
  mayHold(isGuest, role);
  if (current === 'owner' && role !== 'owner') mustLeaveOwner(owners);
  return role;
}

/** No membership any more. Every member may leave. @throws NotAuthorizedError, OrgError */
export function removeMember({ current, acting, isSelf, owners }: MembershipState): null {
  // A stranger learns nothing about an organization, not even that it exists.
  if (acting === null) throw new NotAuthorizedError();
  if (!isSelf && acting !== undefined && !atLeast(acting, 'admin')) throw new NotAuthorizedError();
  if (current === null) throw new OrgError('This user is not a member.');
  if (!isSelf) mayTouch(acting, current);
  if (current === 'owner') mustLeaveOwner(owners);
  return null;
}

/** Admins manage members and admins; only owners grant owner. @throws NotAuthorizedError */
export function mayGrant(acting: OrgRole | null | undefined, role: OrgRole): void {
  if (acting === undefined) return;
  if (!atLeast(acting, 'admin') || !atLeast(acting, role)) throw new NotAuthorizedError();
}

/** @throws NotAuthorizedError unless the role is at least this one. */
export function mustBe(min: OrgRole, role: OrgRole | null): void {
  if (!atLeast(role, min)) throw new NotAuthorizedError();
}

function mayTouch(acting: OrgRole | null | undefined, current: OrgRole): void {
  if (acting !== undefined && !atLeast(acting, current)) throw new NotAuthorizedError();
}

function mayHold(isGuest: boolean, role: OrgRole): void {
  if (isGuest && role !== 'member') throw new NotAuthorizedError();
}

function mustLeaveOwner(owners: number): void {
  if (owners <= 1) throw new OrgError('The last owner must stay. Make somebody else an owner first.');
}
