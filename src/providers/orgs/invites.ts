/** Invites: single use, valid for seven days, for one address (docs/decisions/invites.md). */
import * as z from 'zod';
import { uuidV7 } from '../../crypto/random.js';
import { openToken, signToken } from '../../crypto/signed-token.js';
import { maskEmailAddress, parseEmailAddress } from '../../domain/email-address.js';
import {
  acceptInvite,
  endedInvite,
  mayInvite,
  mayWithdraw,
  mustBeInvited,
  mustBePending,
} from '../../domain/org-invite.js';
import { mustNotBeBlocked } from '../../domain/user-block.js';
import {
  mustBe,
  noSuchOrg,
  parseRole,
  type Org,
  type OrgInvite,
  type OrgMembership,
  type OrgRole,
} from '../../domain/org.js';
import { OrgError, TokenInvalidError, UserNotFoundError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { parseActor, mustStillAct, orgIdOf, sessionInput, type Actor } from '../../core/sessions/actor.js';
import { invitePreviewLimits } from '../../core/limits/rate-limits.js';
import { inviteLimits } from '../../core/limits/send-limits.js';
import { existingUser } from '../../core/sessions/existing-user.js';
import { parseInput } from '../../core/support/input.js';
import { parseId, unchecked, userIdInput } from '../../core/support/input-types.js';
import { withToken } from '../../core/support/link-targets.js';
import type { Render } from '../../core/mail/languages.js';
import { minutes } from '../../core/mail/mailer.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import type { ListRange } from '../../storage/list-range.js';
import type { OrgActor, OrgRepository, OrgWithMembership } from '../../storage/org-repository.js';
import type { OrgsOptions, OrgTools } from './options.js';
import { lazily } from '../../runtime/load.js';

export const newInvite = lazily(
  () =>
    z.object({
      orgId: unchecked<string>(),
      email: z.string(),
      role: unchecked<OrgRole>().optional(),
      invitedByUserId: unchecked<string>().optional(),
    }) satisfies z.ZodType<NewInvite>,
);
/** An invitation to an organization. */
export interface NewInvite {
  orgId: string;
  email: string;
  /** Default: `member`. */
  role?: OrgRole | undefined;
  /** The inviter; without it, the system invites. */
  invitedByUserId?: string | undefined;
}

export interface IssuedInvite {
  invite: OrgInvite;
  token: string;
  /** Where `inviteUrl` is set: the link that was mailed. */
  url?: string;
}

/** What the holder of an invite's token may know about it, for a page on which the user joins. */
export interface InvitePreview {
  organization: { name: string; slug: string };
  /**
   * Address of the inviter. Null if the system invited, or the address is unverified. Masked (`a***@example.com`) unless the invited user is
   * signed in.
   */
  inviter: string | null;
  /** Address that was invited, masked like that of the inviter. */
  email: string;
  role: OrgRole;
  expiresAt: Date;
}

const inviteTtlMs = 7 * 24 * 60 * 60_000;

export class OrgInvites {
  constructor(
    private readonly orgs: OrgRepository,
    private readonly options: OrgsOptions,
    private readonly tools: OrgTools,
  ) {}

  async invite(input: NewInvite, context: RequestContext): Promise<IssuedInvite> {
    const { clock, events, keys, limiter, limits, mailer, sessions } = this.tools;
    const { ip, sessionEpoch, sessionToken } = context;
    const { sender, inviteUrl, template } = this.options;
    const email = parseEmailAddress(input.email);
    const role = parseRole(input.role ?? 'member');
    const now = clock();
    const session = parseInput(sessionInput, { sessionEpoch });
    const { org, inviterEmail, actor } = await this.admit(input, { email, role }, session, new Date(now));
    const invite: OrgInvite = {
      id: uuidV7(now),
      orgId: org.id,
      email,
      role,
      invitedByUserId: input.invitedByUserId ?? null,
      createdAt: new Date(now),
      expiresAt: new Date(now + inviteTtlMs),
      acceptedAt: null,
    };
    const { token, digest } = signToken(keys, 'org_invite', email, invite.expiresAt.getTime());
    const url = inviteUrl === undefined ? undefined : withToken(inviteUrl, token);
    if (sender && url !== undefined) {
      const link = { url, expiresInMinutes: minutes(inviteTtlMs) };
      const details = { ...link, organization: org.name, role, inviter: inviterEmail };
      const render: Render = (values) => template({ ...values, ...details });
      const about = { address: email, inviterId: input.invitedByUserId };
      const { invitedByUserId } = input;
      const isFromSession =
        invitedByUserId != null && sessions.tokens.claimsOf(sessionToken)?.sub === invitedByUserId;
      const { spent, user } = await limiter.consumeAndFindUser(inviteLimits(limits.send, about, ip), email);
      try {
        await mailer.sendMail('org_invite', email, { sender }, render, { user, context });
      } catch (error) {
        await spent.refund();
        throw error;
      }
      // The epoch stays the same if this session alone has ended while the mail was being sent.
      if (isFromSession && sessionToken !== undefined) await sessions.authenticate(sessionToken);
    }
    // After the mail: what replaces a pending invite must be able to take its place. Not refunded: the mail has left.
    const outcome = await this.orgs.insertInvite(invite, digest, actor);
    if (outcome === 'no_org') throw noSuchOrg();
    if (outcome === 'no_inviter') throw new UserNotFoundError();
    // Its mail has left with a link that was never valid; that of the newer invite is.
    if (outcome === 'superseded')
      throw new OrgError('A newer invite to this address was created in the meantime.');
    events.emit('org.invited', { orgId: org.id, inviteId: invite.id });
    return { invite, token, ...(url !== undefined && { url }) };
  }

  async accept(token: string, userId: string): Promise<OrgMembership> {
    const { clock, events } = this.tools;
    const digest = this.digestOf(token);
    const now = new Date(clock());
    const id = parseInput(userIdInput, userId);
    const outcome = await this.orgs.acceptInvite(digest, id, now, (state) =>
      acceptInvite(state, now, this.options.allowUnverified),
    );
    if (outcome.status === 'no_user') throw new UserNotFoundError();
    if (outcome.status !== 'accepted')
      throw endedInvite((await this.orgs.findInvite(digest)) ? 'used' : 'withdrawn');
    const { membership, previousRole } = outcome;
    const { orgId, role } = membership;
    if (previousRole === null) events.emit('org.member_added', { orgId, userId, role });
    else if (previousRole !== role) events.emit('org.role_changed', { orgId, userId, role });
    return membership;
  }

  async decline(token: string, userId: string): Promise<void> {
    const { clock, events } = this.tools;
    const id = parseInput(userIdInput, userId);
    const details = await this.orgs.findInvite(this.digestOf(token));
    if (!details) throw endedInvite('withdrawn');
    const { id: inviteId, orgId } = details.invite;
    const decide: OrgActor<OrgInvite | null>['decide'] = (_, user, pending) => {
      if (!user) throw new UserNotFoundError();
      mustNotBeBlocked(user, clock());
      mustBeInvited(user, details.invite);
      if (!pending) throw endedInvite(details.invite.acceptedAt === null ? 'withdrawn' : 'used');
    };
    await this.orgs.revokeInvite({ orgId, inviteId, now: new Date(clock()) }, { userId: id, decide });
    events.emit('org.invite_declined', { orgId, inviteId, userId: id });
  }

  async findJoined(token: string, userId: string): Promise<OrgWithMembership | null> {
    const { clock, keys } = this.tools;
    const id = parseInput(userIdInput, userId);
    const opened = openToken(keys, 'org_invite', token, clock());
    if (opened.status === 'invalid') return null;
    const details = await this.orgs.findInvite(opened.digest);
    if (!details || details.invite.acceptedAt === null) return null;
    return this.orgs.findForMember(details.org.id, id);
  }

  async preview(token: string, { ip, sessionToken }: RequestContext): Promise<InvitePreview> {
    const { clock, limiter } = this.tools;
    await limiter.consume(invitePreviewLimits(ip));
    const details = await this.orgs.findInvite(this.digestOf(token));
    if (!details) throw endedInvite('withdrawn');
    mustBePending(details, new Date(clock()), this.options.allowUnverified);
    const { invite, org, inviterEmail } = details;
    // The link may have been forwarded or logged.
    const shown = (await this.isInvited(sessionToken, invite))
      ? (address: string) => address
      : maskEmailAddress;
    return {
      organization: { name: org.name, slug: org.slug },
      inviter: inviterEmail === null ? null : shown(inviterEmail),
      email: shown(invite.email),
      role: invite.role,
      expiresAt: invite.expiresAt,
    };
  }

  async listPending(orgId: string, range?: ListRange): Promise<OrgInvite[]> {
    return this.orgs.listPendingInvites(orgId, new Date(this.tools.clock()), range);
  }

  async revoke(orgId: string, inviteId: string, acting: Actor | undefined): Promise<void> {
    const { clock, events } = this.tools;
    const invite = { orgId, inviteId: parseId(inviteId, 'inviteId') };
    const actor = parseActor<OrgInvite | null>(acting, (role, _, found) => mayWithdraw(role, found));
    const isRevoked = await this.orgs.revokeInvite({ ...invite, now: new Date(clock()) }, actor);
    if (isRevoked) events.emit('org.invite_revoked', invite);
  }

  /** @throws TokenInvalidError with the reason `expired` for a genuine token that has expired. */
  private digestOf(token: string): string {
    const { clock, keys } = this.tools;
    const opened = openToken(keys, 'org_invite', token, clock());
    if (opened.status === 'expired') throw endedInvite('expired');
    if (opened.status !== 'valid') throw new TokenInvalidError(because('link_invalid'));
    return opened.digest;
  }

  /** Whether the token is that of a session of the user to whom the invite belongs. */
  private async isInvited(sessionToken: string | undefined, { email }: OrgInvite): Promise<boolean> {
    if (sessionToken === undefined) return false;
    try {
      const { user } = await this.tools.sessions.authenticate(sessionToken);
      return user.emailVerified && user.email === email;
    } catch (error) {
      if (error instanceof TokenInvalidError || error instanceof UserNotFoundError) return false;
      throw error;
    }
  }

  /** Decided here, so that no mail is sent in vain, and by the storage again, since the mail may take its time. */
  private async admit(
    input: NewInvite,
    { email, role }: Pick<OrgInvite, 'email' | 'role'>,
    session: { sessionEpoch?: number },
    now: Date,
  ): Promise<{ org: Org; inviterEmail: string | null; actor?: OrgActor<OrgInvite | null> }> {
    const { orgId: idOrSlug, invitedByUserId } = input;
    const org = await this.orgs.findById(await orgIdOf(this.orgs, idOrSlug, invitedByUserId));
    if (invitedByUserId === undefined) {
      if (!org) throw noSuchOrg();
      return { org, inviterEmail: null };
    }
    const inviter = await existingUser(this.tools.storage.users, invitedByUserId);
    const decide: OrgActor<OrgInvite | null>['decide'] = (own, user, pending) => {
      mayInvite(own, role, pending);
      mustStillAct(user, session, this.options.allowUnverified);
    };
    const own = org && (await this.orgs.roleOf(org.id, inviter.id));
    mustBe('admin', own);
    // A stranger learns nothing about an organization, not even that it exists.
    if (!org) throw noSuchOrg();
    decide(own, inviter, await this.orgs.findPendingInvite(org.id, email, now));
    const actor = { userId: inviter.id, decide };
    return { org, inviterEmail: inviter.emailVerified ? inviter.email : null, actor };
  }
}
