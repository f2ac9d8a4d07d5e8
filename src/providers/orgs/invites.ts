/** Invitations: single-use, for seven days, for one address (docs/decisions/invites.md). */
import { uuidV7 } from '../../crypto/random.js';
import { openToken, signToken } from '../../crypto/signed-token.js';
import { parseEmailAddress } from '../../domain/email-address.js';
import {
  mayInvite,
  mayWithdraw,
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
  TokenInvalidError,
  UserNotFoundError,
} from '../../errors/catalog.js';
import { actorOf } from '../../kit/acting.js';
import { inviteBudgets } from '../../kit/budgets.js';
import { existingUser } from '../../kit/existing-user.js';
import { withToken } from '../../kit/link-targets.js';
import { minutes } from '../../kit/mailer.js';
import type { EmailSender, LinkTemplate } from '../../kit/senders/email-sender.js';
import type { RequestContext } from '../../kit/sign-in.js';
import type { Toolkit } from '../../kit/toolkit.js';
import type { OrgActor, OrgRepository } from '../../storage/org-repository.js';

export interface InviteOptions {
  sender?: EmailSender;
  inviteUrl?: string;
  template: LinkTemplate;
}

type Tools = Pick<Toolkit, 'clock' | 'events' | 'keys' | 'limiter' | 'limits' | 'mailer' | 'storage'>;

export interface NewInvite {
  orgId: string;
  email: string;
  /** `member` by default. */
  role?: OrgRole;
  /** Who invites; without it, the system does. */
  invitedByUserId?: string;
}

export interface IssuedInvite {
  invite: OrgInvite;
  token: string;
  /** Where `inviteUrl` is set: the link that was mailed. */
  url?: string;
}

const inviteTtlMs = 7 * 24 * 60 * 60_000;

export class OrgInvites {
  constructor(
    private readonly orgs: OrgRepository,
    private readonly options: InviteOptions,
    private readonly tools: Tools,
  ) {}

  async invite(org: Org, input: NewInvite, { ip }: RequestContext): Promise<IssuedInvite> {
    const { clock, events, keys, limiter, limits, mailer } = this.tools;
    const { sender, inviteUrl, template } = this.options;
    const email = parseEmailAddress(input.email);
    const role = parseRole(input.role ?? 'member');
    const now = clock();
    const inviter = await this.inviterOf(org.id, { email, role }, input.invitedByUserId, new Date(now));
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
      const values = { url, expiresInMinutes: minutes(inviteTtlMs), appName: mailer.appName };
      const about = { address: email, inviterId: input.invitedByUserId };
      await limiter.spend(inviteBudgets(limits.send, about, ip), () =>
        mailer.send('org_invite', email, { sender }, () => template(values)),
      );
    }
    // After the mail: what replaces a pending invite must be able to take its place. Outside of `spend`: the mail has left.
    const outcome = await this.orgs.insertInvite(invite, digest, inviter);
    if (outcome === 'no_org') throw noSuchOrg();
    if (outcome === 'no_inviter') throw new UserNotFoundError();
    // Its mail has left with a link that was never good; the newer one is, and whoever asked last got what they asked for.
    if (outcome === 'superseded') throw new OrgError('A newer invite to this address was made meanwhile.');
    events.emit('org.invited', { orgId: org.id, inviteId: invite.id });
    return { invite, token, ...(url !== undefined && { url }) };
  }

  async accept(token: string, userId: string): Promise<OrgMembership> {
    const { clock, events, keys } = this.tools;
    const opened = openToken(keys, 'org_invite', token, clock());
    if (opened.status !== 'valid') throw new TokenInvalidError();
    if (typeof userId !== 'string') throw new UserNotFoundError();
    const outcome = await this.orgs.acceptInvite(opened.digest, userId, new Date(clock()));
    if (outcome.status !== 'accepted') throw refusal(outcome.status);
    const { membership, previousRole } = outcome;
    const { orgId, role } = membership;
    if (previousRole === null) events.emit('org.member_added', { orgId, userId, role });
    else if (previousRole !== role) events.emit('org.role_changed', { orgId, userId, role });
    return membership;
  }

  async listPending(orgId: string): Promise<OrgInvite[]> {
    return this.orgs.listPendingInvites(orgId, new Date(this.tools.clock()));
  }

  async revoke(orgId: string, inviteId: string, acting: unknown): Promise<void> {
    const { clock, events } = this.tools;
    if (typeof inviteId !== 'string') throw new InvalidRequestError('inviteId must be a string.');
    const actor = actorOf(acting, mayWithdraw);
    const revoked = await this.orgs.revokeInvite({ orgId, inviteId, now: new Date(clock()) }, actor);
    if (revoked) events.emit('org.invite_revoked', { orgId, inviteId });
  }

  /** Asked here, so that no mail leaves for nothing, and by the storage again: the mail may take its time. */
  private async inviterOf(
    orgId: string,
    { email, role }: Pick<OrgInvite, 'email' | 'role'>,
    inviter: unknown,
    now: Date,
  ): Promise<OrgActor<OrgInvite | null> | undefined> {
    if (inviter === undefined) return undefined;
    const { id: userId } = await existingUser(this.tools.storage.users, inviter);
    const decide = (own: OrgRole | null, pending: OrgInvite | null) => mayInvite(own, role, pending);
    const own = await this.orgs.roleOf(orgId, userId);
    const pending = await this.orgs.listPendingInvites(orgId, now);
    decide(own, pending.find((each) => each.email === email) ?? null);
    return { userId, decide };
  }
}

function refusal(status: 'invalid' | 'wrong_user' | 'no_user') {
  if (status === 'no_user') return new UserNotFoundError();
  return status === 'wrong_user' ? new NotAuthorizedError() : new TokenInvalidError();
}
