/**
 * Organizations, memberships and invites: optional as a whole, like the repositories of
 * pro-repositories.ts.
 */
import type { InviteDetails, InviteState, PresentedInvite } from '../domain/org-invite.js';
import type { MembershipState, Org, OrgInvite, OrgMembership, OrgRole } from '../domain/org.js';
import type { StoredUser } from '../domain/user.js';
import type { ActingUser } from './acting-user.js';
import type { ListRange } from './list-range.js';

/** The membership to change. If `actingUserId` is undefined, the system makes the change. */
export interface MemberChange {
  orgId: string;
  userId: string;
  actingUserId?: string;
  /** The administrator of the application who makes the change for the system. */
  by?: ActingUser;
  now: Date;
}

/**
 * A user whose role in an org decides whether a change of the org's records is allowed. `decide` is
 * called under locks on the user and the org, so that neither changes between the decision and the
 * change. It is pure and synchronous; if it throws, nothing changes and its error is rethrown.
 */
export interface OrgActor<About = void> {
  userId: string;
  /**
   * `role` is null if the user is not a member or the org does not exist. `user` is null if the
   * user does not exist.
   */
  decide: (role: OrgRole | null, user: StoredUser | null, about: About) => void;
}

/**
 * Requirements for the owner of a new organization, checked under a lock on the owner in the
 * statement that inserts the organization.
 */
export interface OwnerRequirements {
  /**
   * `epoch_moved` if the owner no longer has this epoch: all of the owner's sessions were ended
   * after the epoch was read.
   */
  epoch?: number;
  /** `unverified` if the owner's address is unverified. A user without an address is accepted. */
  verified?: boolean;
}

export interface OrgRepository {
  /**
   * Inserts both or neither. Checks in this order: `no_user`, `guest` (the owner is a guest), the
   * requirements, `slug_taken`.
   */
  create(
    org: Org,
    owner: OrgMembership,
    requires?: OwnerRequirements,
  ): Promise<'created' | 'slug_taken' | 'no_user' | 'guest' | 'epoch_moved' | 'unverified'>;
  findById(id: string): Promise<Org | null>;
  findBySlug(slug: string): Promise<Org | null>;
  /**
   * Returns the organization with this id or slug, and the user's membership, in one query. Null if
   * the user is not a member.
   */
  findForMember(idOrSlug: string, userId: string): Promise<OrgWithMembership | null>;
  /**
   * Changes the org under a lock, so that each of several parallel changes sees the result of the one before it. `decide` is pure and
   * synchronous and returns the new values; values that it leaves out stay. If it throws, nothing changes and its error is rethrown.
   * `updatedAt` becomes `now`, or one millisecond more than before if that is later. Null, without calling `decide`, if the org does not
   * exist; `decide` of the actor is called before.
   */
  update(
    orgId: string,
    now: Date,
    decide: (org: Org) => Partial<Pick<Org, 'name' | 'metadata'>>,
    actor?: OrgActor,
  ): Promise<Org | null>;
  /**
   * Deletes the org with its memberships, invites and keys, and frees the slug. False if the org
   * does not exist.
   */
  delete(orgId: string, actor?: OrgActor): Promise<boolean>;
  roleOf(orgId: string, userId: string): Promise<OrgRole | null>;
  /** Oldest first; memberships created at the same time are ordered by user id. */
  listMembers(orgId: string, range?: ListRange): Promise<OrgMembership[]>;
  /** Like `listMembers`, each with the user's verified address, or null, and metadata. One query. */
  listMembersWithUsers(orgId: string, range?: ListRange): Promise<MembershipWithUser[]>;
  /** Returns the ids of the organizations whose only owner is the user, sorted. One query. */
  listOnlyOwned(userId: string): Promise<string[]>;
  /** Oldest first; memberships created at the same time are ordered by organization id. */
  listForUser(userId: string, range?: ListRange): Promise<OrgMembership[]>;
  /** Like `listForUser`, each with its organization. One query. */
  listForUserWithOrgs(userId: string, range?: ListRange): Promise<OrgWithMembership[]>;
  /**
   * Changes a membership under locks on the user, the acting user and the org, so that each of
   * several parallel changes sees the result of the one before it. `decide` is pure and
   * synchronous. It returns the new role, or null to remove the membership; if it throws, nothing
   * changes and its error is rethrown. Returns `no_org` or `no_user` without calling `decide` if
   * the org or the user does not exist. `previousRole` is the role that `decide` received.
   */
  changeMember(
    change: MemberChange,
    decide: (state: MembershipState) => OrgRole | null,
  ): Promise<'no_org' | 'no_user' | { membership: OrgMembership | null; previousRole: OrgRole | null }>;
  /**
   * Stores the invite and replaces any pending invite of the same org and address. Returns
   * `superseded` if a pending or accepted invite was created later; of two invites created at the
   * same time, the one stored last replaces the other. Returns `no_org` if the org does not exist
   * and `no_inviter` if the user `invitedByUserId` does not exist. If the invite is not stored, a
   * pending invite stays unchanged. An actor's `decide` receives the invite that is pending at
   * `createdAt`, and is called before the check for `superseded`.
   */
  insertInvite(
    invite: OrgInvite,
    digest: string,
    actor?: OrgActor<OrgInvite | null>,
  ): Promise<'stored' | 'superseded' | 'no_org' | 'no_inviter'>;
  /**
   * Accepts an invite, once, with the role that `decide` returns. `decide` is called under a lock
   * on the org; it is pure and synchronous, and if it throws, nothing changes and its error is
   * rethrown. Returns `no_user` if the user does not exist and `invalid` if the digest is unknown
   * or the invite has already been accepted, in both cases without calling `decide`.
   */
  acceptInvite(
    digest: string,
    userId: string,
    now: Date,
    decide: (state: InviteState) => OrgRole,
  ): Promise<InviteOutcome>;
  /**
   * Returns the invite with this digest, even if it is accepted or expired, with its organization
   * and inviter. One query.
   */
  findInvite(digest: string): Promise<InviteDetails | null>;
  /**
   * Returns the org's invite to this address that is neither accepted nor expired (`now >=
   * expiresAt`). One query.
   */
  findPendingInvite(orgId: string, email: string, now: Date): Promise<OrgInvite | null>;
  /**
   * Returns the invites of every org to this address that are neither accepted, revoked nor expired
   * (`now >= expiresAt`), in no particular order. One query.
   */
  findInvitesTo(email: string, now: Date): Promise<PresentedInvite[]>;
  /** Invites that are neither accepted nor expired (`now >= expiresAt`), oldest first. */
  listPendingInvites(orgId: string, now: Date, range?: ListRange): Promise<OrgInvite[]>;
  /**
   * Revokes a pending invite of the org. It can no longer be accepted, even by a process whose
   * clock is behind, and it still supersedes an older invite that is stored late. False if the
   * invite is not pending; `decide` is called nevertheless, with null.
   */
  revokeInvite(
    revocation: { orgId: string; inviteId: string; now: Date },
    actor?: OrgActor<OrgInvite | null>,
  ): Promise<boolean>;
  /** Invites sent by the user or to the user's address, oldest first. */
  listInvitesOf(user: { userId: string; email: string | null }): Promise<OrgInvite[]>;
}

export type InviteOutcome =
  /** `previousRole` is null if the user was not a member. */
  | { status: 'accepted'; membership: OrgMembership; previousRole: OrgRole | null }
  | { status: 'invalid' | 'no_user' };

/** A membership, with what members may see of the user. */
export interface MembershipWithUser extends OrgMembership {
  /** Null if the address is unverified. */
  email: string | null;
  metadata: Record<string, unknown>;
}

/** An organization, and the membership of one user in it. */
export interface OrgWithMembership {
  org: Org;
  membership: OrgMembership;
}
