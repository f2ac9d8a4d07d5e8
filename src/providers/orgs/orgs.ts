/** Organisations (specification 4.3, `orgs`; docs/providers/orgs.md). The rules on roles are in domain/org.ts. */
import { randomDigits, uuidV7 } from '../../crypto/random.js';
import { parseMetadata } from '../../domain/metadata.js';
import { parseName } from '../../domain/name.js';
import { parseSlug, slugOf } from '../../domain/org-slug.js';
import {
  addMember,
  atLeast,
  changeRole,
  mustBe,
  noSuchOrg,
  parseRole,
  type Org,
  type OrgInvite,
  type OrgMembership,
  type OrgRole,
} from '../../domain/org.js';
import {
  InvalidRequestError,
  NotAuthorizedError,
  OrgError,
  UserNotFoundError,
} from '../../errors/catalog.js';
import { actorOf, parseActing, type Acting } from '../../kit/acting.js';
import { capability } from '../../kit/capability.js';
import { orgInviteTemplate } from '../../kit/email-templates.js';
import { existingUser } from '../../kit/existing-user.js';
import { checkInput, optional } from '../../kit/input.js';
import { isSafeUrl } from '../../kit/link-targets.js';
import { absoluteUrl, functionOption, orTrue, senderOption } from '../../kit/option-types.js';
import type { LinkTemplate } from '../../kit/senders/email-sender.js';
import type { RequestContext } from '../../kit/sign-in.js';
import type { Toolkit } from '../../kit/toolkit.js';
import type { Zod } from '../../runtime/load.js';
import type { OrgRepository } from '../../storage/org-repository.js';
import { OrgInvites, type IssuedInvite, type NewInvite } from './invites.js';
import { OrgMembers, type OrgMember } from './members.js';

export const orgsOptions = (z: Zod) =>
  orTrue(
    z,
    z.strictObject({
      /** Delivers invites; with `inviteUrl` they are mailed. */
      sender: senderOption(z).optional(),
      /** Your page that reads `token` and has the signed-in user accept. */
      inviteUrl: absoluteUrl(z, isSafeUrl).optional(),
      /** Makes the mail from `{ url, expiresInMinutes, appName }`. */
      template: functionOption<LinkTemplate>(z).default(() => orgInviteTemplate),
    }),
  );

type Options = ReturnType<ReturnType<typeof orgsOptions>['parse']>;
type Tools = Pick<Toolkit, 'clock' | 'events' | 'keys' | 'limiter' | 'limits' | 'mailer' | 'storage'>;

export class OrgsProvider {
  private readonly orgs: OrgRepository;
  private readonly invites: OrgInvites;
  private readonly members: OrgMembers;

  constructor(
    private readonly options: Options,
    private readonly tools: Tools,
  ) {
    this.orgs = capability(tools.storage, 'orgs');
    this.invites = new OrgInvites(this.orgs, options, tools);
    this.members = new OrgMembers(this.orgs, tools);
  }

  /**
   * A new organisation with its first owner. Without `slug` one is made from the name.
   * @throws InvalidRequestError, UserNotFoundError; OrgError when the slug is taken; NotAuthorizedError for a guest.
   */
  async create(input: {
    name: string;
    slug?: string;
    ownerUserId: string;
    metadata?: Record<string, unknown>;
  }): Promise<{ org: Org; membership: OrgMembership }> {
    const { clock, events } = this.tools;
    checkInput(input);
    const name = parseName(input.name);
    const metadata = parseMetadata(input.metadata);
    const slugs = input.slug === undefined ? candidates(slugOf(name)) : [parseSlug(input.slug)];
    if (typeof input.ownerUserId !== 'string') throw new UserNotFoundError();
    const now = new Date(clock());
    const id = uuidV7(clock());
    const membership: OrgMembership = { orgId: id, userId: input.ownerUserId, role: 'owner', createdAt: now };
    for (const slug of slugs) {
      const org: Org = { id, name, slug, metadata, createdAt: now, updatedAt: now };
      const outcome = await this.orgs.create(org, membership);
      if (outcome === 'no_user') throw new UserNotFoundError();
      if (outcome === 'guest') throw new NotAuthorizedError();
      if (outcome === 'slug_taken') continue;
      events.emit('org.created', { orgId: id, userId: membership.userId });
      events.emit('org.member_added', { orgId: id, userId: membership.userId, role: membership.role });
      return { org, membership };
    }
    throw new OrgError('This slug is taken.');
  }

  async get(idOrSlug: string): Promise<Org | null> {
    if (typeof idOrSlug !== 'string') throw new InvalidRequestError('idOrSlug must be a string.');
    return (await this.orgs.findById(idOrSlug)) ?? this.orgs.findBySlug(idOrSlug);
  }

  /** @throws UserNotFoundError */
  async listForUser(userId: string): Promise<OrgMembership[]> {
    const user = await existingUser(this.tools.storage.users, userId);
    return this.orgs.listForUser(user.id);
  }

  /**
   * Oldest first. With an actor, as they may see it: members see members, and admins their addresses.
   * @throws OrgError for an organisation that does not exist; with an actor who is no member, there or not, NotAuthorizedError.
   */
  async listMembers(orgId: string, acting?: Acting): Promise<OrgMember[]> {
    const { actingUserId } = parseActing(acting);
    if (actingUserId === undefined) {
      await this.existing(orgId);
      return this.orgs.listMembers(orgId);
    }
    return this.members.listFor(orgId, actingUserId);
  }

  /** Null for who is no member, and for what does not exist. */
  async roleOf(orgId: string, userId: string): Promise<OrgRole | null> {
    if (typeof orgId !== 'string' || typeof userId !== 'string') return null;
    return this.orgs.roleOf(orgId, userId);
  }

  /** Whether invites are mailed: there are `sender` and `inviteUrl`. */
  get mailsInvites(): boolean {
    return this.options.sender !== undefined && this.options.inviteUrl !== undefined;
  }

  /**
   * An invite for one address, for seven days, in place of a pending one. With `sender` and `inviteUrl` it is mailed.
   * @param context with `ip`, mails are limited per client too.
   * @returns the token, a secret: give it to nobody but the mailbox.
   * @throws InvalidRequestError, UserNotFoundError; OrgError, also where somebody made a newer invite while the mail was on
   * its way; NotAuthorizedError when the inviter is not admin or owner, and at or above the role, and that of a pending one;
   * RateLimitError; EmailSendError, and then there is no new invite and a pending one stays.
   */
  async invite(input: NewInvite, context: RequestContext = {}): Promise<IssuedInvite> {
    checkInput(input);
    return this.invites.invite(await this.existing(input.orgId), input, optional(context));
  }

  /**
   * Makes the signed-in user a member, once per invite. A wrong user does not use it up.
   * @throws TokenInvalidError for an invite that is bad, used or expired; UserNotFoundError; NotAuthorizedError unless the
   * user's verified address is the invited one.
   */
  async acceptInvite(token: string, userId: string): Promise<OrgMembership> {
    return this.invites.accept(token, userId);
  }

  /**
   * The invites that are neither accepted nor expired, oldest first. Nothing of what is listed accepts one.
   * @throws OrgError for an organisation that does not exist; with an actor who is no admin, there or not, NotAuthorizedError.
   */
  async listInvites(orgId: string, acting?: Acting): Promise<OrgInvite[]> {
    const { actingUserId } = parseActing(acting);
    if (actingUserId === undefined) await this.existing(orgId);
    else mustBe('admin', await this.roleOf(orgId, actingUserId));
    return this.invites.listPending(orgId);
  }

  /**
   * Withdraws an invite: its token is worth nothing from then on. One that is gone, accepted or another organisation’s is no error.
   * @throws InvalidRequestError; OrgError for an organisation that does not exist; with an actor who is no admin, there or not, or
   * below the role that the invite gives, NotAuthorizedError.
   */
  async revokeInvite(orgId: string, inviteId: string, acting?: Acting): Promise<void> {
    if (acting === undefined) await this.existing(orgId);
    else if (typeof orgId !== 'string') throw new NotAuthorizedError();
    return this.invites.revoke(orgId, inviteId, acting);
  }

  /** @throws OrgError, UserNotFoundError, NotAuthorizedError. */
  async addMember(orgId: string, userId: string, role: OrgRole, acting?: Acting): Promise<OrgMembership> {
    const parsed = parseRole(role);
    return this.members.put('org.member_added', { orgId, userId, ...parseActing(acting) }, (state) =>
      addMember(state, parsed),
    );
  }

  /** The last owner stays one. @throws OrgError, UserNotFoundError, NotAuthorizedError. */
  async setRole(orgId: string, userId: string, role: OrgRole, acting?: Acting): Promise<OrgMembership> {
    const parsed = parseRole(role);
    return this.members.put('org.role_changed', { orgId, userId, ...parseActing(acting) }, (state) =>
      changeRole(state, parsed),
    );
  }

  /** Also how members leave, as themselves. The last owner stays. @throws OrgError, UserNotFoundError, NotAuthorizedError. */
  async removeMember(orgId: string, userId: string, acting?: Acting): Promise<void> {
    await this.members.remove({ orgId, userId, ...parseActing(acting) });
  }

  /**
   * @throws NotAuthorizedError unless the user has at least this role, also where there is no such organisation: who is no
   * member learns nothing of one, not even that it exists. OrgError when there is no such role.
   */
  async assertRole(orgId: string, userId: string, min: OrgRole): Promise<void> {
    const least = parseRole(min);
    if (!atLeast(await this.roleOf(orgId, userId), least)) throw new NotAuthorizedError();
  }

  /**
   * With its memberships, invites and API keys; frees the slug.
   * @throws OrgError when there is none; with an actor who is no owner, there or not, NotAuthorizedError.
   */
  async delete(orgId: string, acting?: Acting): Promise<void> {
    const actor = actorOf(acting, (role) => mustBe('owner', role));
    if (actor && typeof orgId !== 'string') throw new NotAuthorizedError();
    if (typeof orgId !== 'string' || !(await this.orgs.delete(orgId, actor))) throw noSuchOrg();
    this.tools.events.emit('org.deleted', { orgId });
  }

  private async existing(orgId: unknown): Promise<Org> {
    const org = typeof orgId === 'string' ? await this.orgs.findById(orgId) : null;
    if (!org) throw noSuchOrg();
    return org;
  }
}

/** A slug made from a name may be taken, which is nobody's fault: then it gets a number. */
function candidates(slug: string): string[] {
  return [slug, `${slug}-${randomDigits(4)}`, `${slug}-${randomDigits(8)}`];
}
