/** Organisations, memberships and invites: optional as a whole, as those of pro-repositories.ts. */
import type { InviteDetails, InviteState } from '../domain/org-invite.js';
import type { MembershipState, Org, OrgInvite, OrgMembership, OrgRole } from '../domain/org.js';
import type { StoredUser } from '../domain/user.js';
import type { ListRange } from './list-range.js';

/** What a change of a membership is about. `actingUserId` undefined: the system. */
export interface MemberChange {
  orgId: string;
  userId: string;
  actingUserId?: string;
  now: Date;
}

/**
 * A user whose role in an org decides on a change of what belongs to it. `decide` is called under locks on the user and the org,
 * so that neither changes between its answer and the change. It is pure and synchronous; what it throws is rethrown, and nothing
 * changes.
 */
export interface OrgActor<About = void> {
  userId: string;
  /** `role` is null if the user is not a member or there is no such org. `user` is null if there is no such user. */
  decide: (role: OrgRole | null, user: StoredUser | null, about: About) => void;
}

/** What the owner of a new organization must be, checked under a lock on the owner in the statement that inserts it. */
export interface OwnerRequirements {
  /** `epoch_moved` if the owner no longer has this epoch: every session has ended since it was read. */
  epoch?: number;
  /** `unverified` if the owner has an address that is unverified. A user without an address is accepted. */
  verified?: boolean;
}

export interface OrgRepository {
  /**
   * Both or neither. In this order: `no_user`, `guest` (the owner is a guest), then the first requirement that the owner
   * does not meet, `slug_taken`.
   */
  create(
    org: Org,
    owner: OrgMembership,
    requires?: OwnerRequirements,
  ): Promise<'created' | 'slug_taken' | 'no_user' | 'guest' | 'epoch_moved' | 'unverified'>;
  findById(id: string): Promise<Org | null>;
  findBySlug(slug: string): Promise<Org | null>;
  /** One query for the organization of an id or a slug and the user's membership. Null if the user is not a member. */
  findForMember(idOrSlug: string, userId: string): Promise<OrgWithMembership | null>;
  /** False where there is no such org. Takes memberships, invites and keys along, and frees the slug. */
  delete(orgId: string, actor?: OrgActor): Promise<boolean>;
  roleOf(orgId: string, userId: string): Promise<OrgRole | null>;
  /** Oldest first; by user id for memberships of the same time. */
  listMembers(orgId: string, range?: ListRange): Promise<OrgMembership[]>;
  /** As `listMembers`, each with the verified address of the user, or null. One query. */
  listMembersWithAddresses(
    orgId: string,
    range?: ListRange,
  ): Promise<(OrgMembership & { email: string | null })[]>;
  /** Oldest first; by organization id for memberships of the same time. */
  listForUser(userId: string, range?: ListRange): Promise<OrgMembership[]>;
  /** As `listForUser`, each with its organization. One query. */
  listForUserWithOrgs(userId: string, range?: ListRange): Promise<OrgWithMembership[]>;
  /**
   * Changes a membership under locks on the user, the acting user and the org, so that of parallel changes each sees the state
   * that the one before it left. `decide` is pure and synchronous: it returns the new role, or null for no membership, or throws, and then nothing
   * changes and its error is rethrown. `no_org`, `no_user`: there is none, and `decide` is not asked. `previousRole` is the
   * one that `decide` saw.
   */
  changeMember(
    change: MemberChange,
    decide: (state: MembershipState) => OrgRole | null,
  ): Promise<'no_org' | 'no_user' | { membership: OrgMembership | null; previousRole: OrgRole | null }>;
  /**
   * Stores the invite in place of any pending one of the same org and address. `superseded`: there is one that was created
   * later, pending or accepted. Of two of one age the one that is stored later stays. `no_org`, `no_inviter`: there is no such org, or no
   * such user as `invitedByUserId`. What is not stored leaves a pending invite as it is. An actor is asked about the one that is
   * pending at `createdAt`, before anything is `superseded`.
   */
  insertInvite(
    invite: OrgInvite,
    digest: string,
    actor?: OrgActor<OrgInvite | null>,
  ): Promise<'stored' | 'superseded' | 'no_org' | 'no_inviter'>;
  /**
   * Accepts an invite, once, with the role that `decide` returns. `decide` is called under a lock on the org; it is pure and
   * synchronous, and what it throws is rethrown, and nothing changes. `no_user`: there is no such user. `invalid`: the
   * digest is unknown or was accepted already. In both cases `decide` is not called.
   */
  acceptInvite(
    digest: string,
    userId: string,
    now: Date,
    decide: (state: InviteState) => OrgRole,
  ): Promise<InviteOutcome>;
  /** The invite of a digest, accepted and expired ones included, with its organization and inviter. One query. */
  findInvite(digest: string): Promise<InviteDetails | null>;
  /** The invite of the org to this address that is neither accepted nor expired (`now >= expiresAt`). One query. */
  findPendingInvite(orgId: string, email: string, now: Date): Promise<OrgInvite | null>;
  /** Those that are neither accepted nor expired (`now >= expiresAt`), oldest first. */
  listPendingInvites(orgId: string, now: Date, range?: ListRange): Promise<OrgInvite[]>;
  /**
   * Ends a pending invite of the org: nobody accepts it any more, by whatever clock, and it goes on being the answer to an older one
   * that is stored late (`superseded`). False where there is no pending one; `decide` is asked all the same, about null.
   */
  revokeInvite(
    revocation: { orgId: string; inviteId: string; now: Date },
    actor?: OrgActor<OrgInvite | null>,
  ): Promise<boolean>;
  /** Sent by the user or to the user's address, oldest first. */
  listInvitesOf(user: { userId: string; email: string | null }): Promise<OrgInvite[]>;
}

export type InviteOutcome =
  /** `previousRole` is null if the user was not a member. */
  | { status: 'accepted'; membership: OrgMembership; previousRole: OrgRole | null }
  | { status: 'invalid' | 'no_user' };

/** An organization, and the membership of one user in it. */
export interface OrgWithMembership {
  org: Org;
  membership: OrgMembership;
}
