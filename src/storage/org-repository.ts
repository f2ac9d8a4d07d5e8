/** Organisations, memberships and invites: optional as a whole, as those of pro-repositories.ts. */
import type { MembershipState, Org, OrgInvite, OrgMembership, OrgRole } from '../domain/org.js';

/** What a change of a membership is about. `actingUserId` undefined: the system. */
export interface MemberChange {
  orgId: string;
  userId: string;
  actingUserId?: string;
  now: Date;
}

/**
 * Somebody whose role in an org decides on a change of what belongs to it. `decide` is asked under a lock on the org, so that no
 * role changes between its answer and the change. It is pure and synchronous; what it throws is rethrown, and nothing changes.
 */
export interface OrgActor<About = void> {
  userId: string;
  /** `role` is null for who is no member, also where there is no such org. */
  decide: (role: OrgRole | null, about: About) => void;
}

export interface OrgRepository {
  /** Both or neither. `guest`: the owner is one. */
  create(org: Org, owner: OrgMembership): Promise<'created' | 'slug_taken' | 'no_user' | 'guest'>;
  findById(id: string): Promise<Org | null>;
  findBySlug(slug: string): Promise<Org | null>;
  /** False where there is no such org. Takes memberships, invites and keys along, and frees the slug. */
  delete(orgId: string, actor?: OrgActor): Promise<boolean>;
  roleOf(orgId: string, userId: string): Promise<OrgRole | null>;
  /** Oldest first. */
  listMembers(orgId: string): Promise<OrgMembership[]>;
  listForUser(userId: string): Promise<OrgMembership[]>;
  /**
   * Changes a membership under a lock on the org, so that of parallel changes each sees the state that the one before it
   * left. `decide` is pure and synchronous: it returns the new role, or null for no membership, or throws, and then nothing
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
   * Accepts a pending invite, once. `invalid`: unknown, accepted, expired (`now >= expiresAt`), or its inviter (if any)
   * no longer holds a role of admin or more that is at or above the invited one. `wrong_user`: the user's address is not
   * the invite's or not verified; the invite stays. An existing member keeps the higher of both roles.
   * Guests have no verified address and are `wrong_user`. `no_user`: there is none.
   */
  acceptInvite(digest: string, userId: string, now: Date): Promise<InviteOutcome>;
  /** Those that are neither accepted nor expired (`now >= expiresAt`), oldest first. */
  listPendingInvites(orgId: string, now: Date): Promise<OrgInvite[]>;
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
  /** `previousRole` is null for who was no member. */
  | { status: 'accepted'; membership: OrgMembership; previousRole: OrgRole | null }
  | { status: 'invalid' | 'wrong_user' | 'no_user' };
