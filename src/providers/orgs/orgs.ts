/** Organizations (specification 4.3, `orgs`; docs/providers/orgs.md). The rules on roles are in domain/org.ts. */
import {
  atLeast,
  mustBe,
  noSuchOrg,
  parseRole,
  type Org,
  type OrgInvite,
  type OrgMembership,
  type OrgRole,
} from '../../domain/org.js';
import { NotAuthorizedError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { parseActor, orgIdOf, parseActing, type Actor } from '../../core/sessions/actor.js';
import { parseAdministrative, type AdministrativeChange } from '../../core/sessions/change-by.js';
import { capability } from '../../core/support/capability.js';
import { existingUser } from '../../core/sessions/existing-user.js';
import { parseInput } from '../../core/support/input.js';
import { parseId, userIdInput } from '../../core/support/input-types.js';
import { readPage, type Page, type PageRequest } from '../../core/support/pages.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import type { ListRange } from '../../storage/list-range.js';
import type { OrgRepository, OrgWithMembership } from '../../storage/org-repository.js';
import { updateOrg, type OrgChanges } from './changes.js';
import { createOrg, type NewOrg } from './creation.js';
import { newInvite, OrgInvites, type InvitePreview, type IssuedInvite, type NewInvite } from './invites.js';
import { OrgMembers, type OrgMember } from './members.js';
import type { OrgsOptions, OrgTools } from './options.js';

type MembershipPage = Page<{ memberships: (OrgMembership & { org: Org })[] }>;
type Memberships = OrgMembership[] | MembershipPage;
type MemberPage = Page<{ members: OrgMember[] }>;
type InvitePage = Page<{ invites: OrgInvite[] }>;

export class OrgsProvider {
  private readonly orgs: OrgRepository;
  private readonly invites: OrgInvites;
  private readonly members: OrgMembers;

  constructor(
    private readonly options: OrgsOptions,
    private readonly tools: OrgTools,
  ) {
    this.orgs = capability(tools.storage, 'orgs');
    this.invites = new OrgInvites(this.orgs, options, tools);
    this.members = new OrgMembers(this.orgs, options, tools);
  }

  /**
   * Creates an organization with its first owner. Without `slug`, one is derived from the name.
   * @param acting with it, the owner must be the acting user, who may create 20 organizations in 24 hours.
   * @throws InvalidRequestError, UserNotFoundError; OrgError if the slug is taken; NotAuthorizedError for a guest, for another user than the
   * owner, and for an acting user who may not create organizations (`create`); EmailUnverifiedError for an owner with an unverified address,
   * unless `allowUnverified`; RateLimitError; TokenInvalidError if every session has ended since the epoch was read.
   */
  async create(input: NewOrg, acting?: Actor): Promise<{ org: Org; membership: OrgMembership }> {
    return createOrg(this.orgs, this.options, this.tools, input, acting);
  }

  /** Returns the organization of an id or a slug, or null. @throws InvalidRequestError */
  async get(idOrSlug: string): Promise<Org | null>;
  /**
   * Returns the organization, and the membership of the acting user.
   * @throws NotAuthorizedError for a user who is not a member, whether or not there is such an organization.
   */
  async get(idOrSlug: string, acting: Actor): Promise<OrgWithMembership>;
  async get(idOrSlug: string, acting?: Actor): Promise<Org | null | OrgWithMembership> {
    const { actingUserId } = parseActing(acting);
    const name = parseId(idOrSlug, 'idOrSlug');
    if (actingUserId === undefined) return (await this.orgs.findById(name)) ?? this.orgs.findBySlug(name);
    const found = await this.orgs.findForMember(name, actingUserId);
    if (!found) throw new NotAuthorizedError(because('org_role_missing'));
    return found;
  }

  /**
   * Changes the name and the picture, as far as they are given; a picture of null removes it (`metadata.picture`). The slug stays.
   * @throws InvalidRequestError, with the reason `picture_source` for a picture that the application does not allow (`profiles.pictures`);
   * OrgError for an unknown organization; with an acting user who is not an admin, whether or not it exists, NotAuthorizedError;
   * RateLimitError: an acting user may make 20 changes in 24 hours; TokenInvalidError if every session has ended since the epoch was read.
   */
  async update(orgId: string, changes: OrgChanges, acting?: Actor): Promise<Org> {
    return updateOrg(this.orgs, this.tools, orgId, changes, acting);
  }

  /**
   * Returns the ids of the organizations whose only owner is the user: there the user can neither leave nor get another role. Empty for
   * an unknown user.
   * @throws UserNotFoundError if the id is not a string.
   */
  async listOnlyOwned(userId: string): Promise<string[]> {
    return this.orgs.listOnlyOwned(parseInput(userIdInput, userId));
  }

  /**
   * Returns the memberships of a user, oldest first: all of them, or one page, with the organizations.
   * @throws UserNotFoundError; InvalidRequestError for a malformed page.
   */
  async listForUser(userId: string): Promise<OrgMembership[]>;
  async listForUser(userId: string, page: PageRequest, context?: RequestContext): Promise<MembershipPage>;
  async listForUser(userId: string, page?: PageRequest, context?: RequestContext): Promise<Memberships> {
    const user = await existingUser(this.tools.storage.users, userId, context);
    if (page === undefined) return this.orgs.listForUser(user.id);
    const { rows, nextCursor } = await readPage(
      page,
      (range) => this.orgs.listForUserWithOrgs(user.id, range),
      ({ membership: { createdAt, orgId } }) => ({ createdAt, id: orgId }),
    );
    return { memberships: rows.map(({ org, membership }) => ({ ...membership, org })), nextCursor };
  }

  /**
   * Returns the members, oldest first: all of them, or one page. With an acting user, who must be a member, they have
   * names and pictures, and for admins and owners addresses.
   * Read an organization that may be large by pages.
   * @throws OrgError for an unknown organization; with an acting user who is not a member, NotAuthorizedError; InvalidRequestError for a
   * malformed page.
   */
  async listMembers(orgId: string, acting?: Actor): Promise<OrgMember[]>;
  async listMembers(orgId: string, acting: Actor | undefined, page: PageRequest): Promise<MemberPage>;
  async listMembers(orgId: string, acting?: Actor, page?: PageRequest): Promise<OrgMember[] | MemberPage> {
    const { actingUserId } = parseActing(acting);
    const id = await orgIdOf(this.orgs, orgId, acting);
    if (actingUserId === undefined) await this.existing(id);
    const list =
      actingUserId === undefined
        ? (range?: ListRange) => this.orgs.listMembers(id, range)
        : await this.members.listFor(id, actingUserId);
    if (page === undefined) return list();
    const position = ({ createdAt, userId }: OrgMember) => ({ createdAt, id: userId });
    const { rows, nextCursor } = await readPage(page, list, position);
    return { members: rows, nextCursor };
  }

  /** Returns the role, or null if the user is not a member, or there is no such user or organization. */
  async roleOf(orgId: string, userId: string): Promise<OrgRole | null> {
    if (typeof orgId !== 'string' || typeof userId !== 'string') return null;
    return this.orgs.roleOf(orgId, userId);
  }

  /** Whether invites are mailed: `sender` and `inviteUrl` are configured. */
  get mailsInvites(): boolean {
    return this.options.sender !== undefined && this.options.inviteUrl !== undefined;
  }

  /**
   * Creates an invite for one address, valid for seven days, in place of a pending one. With `sender` and `inviteUrl` it is mailed.
   * @param context with `ip`, mails are limited per client too; with `sessionEpoch`, the inviter must still have that epoch; a
   * `sessionToken` of the inviter must be valid after the mail.
   * @returns the token, a secret: only the invited mailbox may learn it.
   * @throws InvalidRequestError, UserNotFoundError; OrgError, also if a newer invite was created while the mail was being sent;
   * NotAuthorizedError unless the inviter is admin or owner, and at or above the role, and that of a pending invite; EmailUnverifiedError
   * for an inviter with an unverified address, unless `allowUnverified`; TokenInvalidError if every session has ended since that of the
   * context was checked, or that session while the mail was being sent; RateLimitError; EmailSendError: then there is no new invite, and a
   * pending one stays.
   */
  async invite(input: NewInvite, context: RequestContext = {}): Promise<IssuedInvite> {
    return this.invites.invite(parseInput(newInvite, input), parseContext(context));
  }

  /**
   * Returns what a page needs on which the holder of the token decides whether to join. Does not use the invite up.
   * @param context with `ip`, previews are limited per client.
   * @throws TokenInvalidError for an invite that is malformed, unknown, used, expired, revoked or replaced, or whose inviter lost the role
   * or, unless `allowUnverified`, has an unverified address; RateLimitError.
   */
  async previewInvite(token: string, context: RequestContext = {}): Promise<InvitePreview> {
    return this.invites.preview(token, parseContext(context));
  }

  /**
   * Makes the signed-in user a member, once per invite. A wrong user does not use it up.
   * @throws TokenInvalidError as `previewInvite`; UserNotFoundError; NotAuthorizedError unless the invited address is the user's verified
   * address.
   */
  async acceptInvite(token: string, userId: string): Promise<OrgMembership> {
    return this.invites.accept(token, userId);
  }

  /**
   * Ends a pending invite for the user to whom it was mailed. A wrong user does not end it.
   * @throws TokenInvalidError as `previewInvite`; UserNotFoundError; NotAuthorizedError unless the invited address is the user's verified
   * address.
   */
  async declineInvite(token: string, userId: string): Promise<void> {
    return this.invites.decline(token, userId);
  }

  /**
   * Returns the organization of an invite that has been used, and the membership of the user in it, for a page that a member opens again.
   * Null for a user who is not a member, and for an invite that is malformed, unknown or unused. @throws InvalidRequestError
   */
  async findJoined(token: string, userId: string): Promise<OrgWithMembership | null> {
    return this.invites.findJoined(token, userId);
  }

  /**
   * Returns the invites that are neither accepted nor expired, oldest first: all of them, or one page. No token is among the data.
   * @throws OrgError for an unknown organization; with an acting user who is not an admin, whether or not it exists, NotAuthorizedError;
   * InvalidRequestError for a malformed page.
   */
  async listInvites(orgId: string, acting?: Actor): Promise<OrgInvite[]>;
  async listInvites(orgId: string, acting: Actor | undefined, page: PageRequest): Promise<InvitePage>;
  async listInvites(orgId: string, acting?: Actor, page?: PageRequest): Promise<OrgInvite[] | InvitePage> {
    const { actingUserId } = parseActing(acting);
    const id = await orgIdOf(this.orgs, orgId, acting);
    if (actingUserId === undefined) await this.existing(id);
    else mustBe('admin', await this.roleOf(id, actingUserId));
    if (page === undefined) return this.invites.listPending(id);
    const list = (range: ListRange) => this.invites.listPending(id, range);
    const { rows, nextCursor } = await readPage(page, list, (invite) => invite);
    return { invites: rows, nextCursor };
  }

  /**
   * Revokes an invite: its token is invalid from then on. One that is unknown, accepted or of another organization is ignored.
   * @throws InvalidRequestError; OrgError for an unknown organization; with an acting user who is not an admin, whether or not it exists, or
   * below the role of the invite, NotAuthorizedError; TokenInvalidError if every session has ended since the epoch was read.
   */
  async revokeInvite(orgId: string, inviteId: string, acting?: Actor): Promise<void> {
    const id = await orgIdOf(this.orgs, orgId, acting);
    if (acting === undefined) await this.existing(id);
    return this.invites.revoke(id, inviteId, acting);
  }

  /**
   * Adds a member. @throws OrgError, UserNotFoundError, NotAuthorizedError; EmailUnverifiedError for an acting user with an unverified
   * address, unless `allowUnverified`; TokenInvalidError if every session has ended since the epoch was read.
   */
  async addMember(orgId: string, userId: string, role: OrgRole, acting?: Actor): Promise<OrgMembership> {
    const parsed = parseRole(role);
    return this.members.add({ orgId, userId, ...parseActing(acting) }, parsed);
  }

  /**
   * Changes a role. The last owner stays an owner. @throws OrgError, UserNotFoundError, NotAuthorizedError; EmailUnverifiedError for a
   * higher role that an acting user with an unverified address gives, unless `allowUnverified`; TokenInvalidError if every session has ended
   * since the epoch was read.
   */
  async setRole(orgId: string, userId: string, role: OrgRole, acting?: Actor): Promise<OrgMembership> {
    const parsed = parseRole(role);
    return this.members.setRole({ orgId, userId, ...parseActing(acting) }, parsed);
  }

  /**
   * Removes a member; a member who is the acting user leaves. The last owner stays. An administrator, as `actor`, needs no role.
   * @throws OrgError, UserNotFoundError, NotAuthorizedError; TokenInvalidError if every session has ended since the epoch was read.
   */
  async removeMember(orgId: string, userId: string, by?: Actor | AdministrativeChange): Promise<void> {
    const author = parseAdministrative(by);
    // An administrator learns first that there is no such user.
    if (author) await existingUser(this.tools.storage.users, userId);
    await this.members.remove({ orgId, userId, ...(author ? { by: author } : parseActing(by)) });
  }

  /**
   * Checks that the user has at least this role.
   * @throws NotAuthorizedError if not, also for an unknown organization: a user who is not a member must not learn that it exists. OrgError
   * for an unknown role.
   */
  async assertRole(orgId: string, userId: string, min: OrgRole): Promise<void> {
    const least = parseRole(min);
    if (!atLeast(await this.roleOf(orgId, userId), least))
      throw new NotAuthorizedError(because('org_role_missing'));
  }

  /**
   * Deletes the organization with its memberships, invites and API keys; frees the slug.
   * @throws OrgError for an unknown organization; with an acting user who is not an owner, whether or not it exists, NotAuthorizedError;
   * TokenInvalidError if every session has ended since the epoch was read.
   */
  async delete(orgId: string, acting?: Actor): Promise<void> {
    const actor = parseActor(acting, (role) => mustBe('owner', role));
    const id = await orgIdOf(this.orgs, orgId, acting);
    if (!(await this.orgs.delete(id, actor))) throw noSuchOrg();
    this.tools.events.emit('org.deleted', { orgId: id });
  }

  private async existing(orgId: string): Promise<void> {
    if (!(await this.orgs.findById(orgId))) throw noSuchOrg();
  }
}
