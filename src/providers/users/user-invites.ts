/**
 * Invites of users: a mailed link with which the owner of the address sets a password, or with only magic links configured signs in.
 * It is a reset link or a magic link that lasts longer, so the proof of the mailbox is the same (docs/decisions/account-reclaim.md).
 */
import { uuidV7 } from '../../crypto/random.js';
import { parseEmailAddress } from '../../domain/email-address.js';
import { parseMetadata } from '../../domain/metadata.js';
import { mustNotBeBlocked } from '../../domain/user-block.js';
import type { UserInviteInput } from '../../domain/user-inputs.js';
import type { AdministeredUser } from '../../domain/user-record.js';
import { parseUserRoles } from '../../domain/user-roles.js';
import { EmailExistsError, ProviderNotConfiguredError } from '../../errors/catalog.js';
import { inviteTtlMs, noteMailedInvite } from '../../core/limits/mailed-invites.js';
import { sendLimits } from '../../core/limits/send-limits.js';
import { userInviteTemplate } from '../../core/mail/email-templates.js';
import { withToken } from '../../core/support/link-targets.js';
import type { Render } from '../../core/mail/languages.js';
import { minutes } from '../../core/mail/mailer.js';
import { resetBinding } from '../../core/mail/reset-links.js';
import type { ChangeAuthor } from '../../core/sessions/change-by.js';
import { parseInput } from '../../core/support/input.js';
import type { InviteLinks, Toolkit } from '../../core/toolkit.js';
import type { UserAdministrationRepository } from '../../storage/user-administration-repository.js';
import { newInviteInput } from './inputs.js';

export type InviteTools = Pick<
  Toolkit,
  'changes' | 'clock' | 'inviteLinks' | 'limiter' | 'limits' | 'linkTargets' | 'mailedTokens' | 'mailer'
>;

export interface InvitedUser {
  user: AdministeredUser;
  created: boolean;
  expiresAt: Date;
}

export class UserInvites {
  constructor(
    private readonly users: UserAdministrationRepository,
    private readonly tools: InviteTools,
  ) {}

  async invite(input: UserInviteInput, author: ChangeAuthor): Promise<InvitedUser> {
    const { inviteLinks, limiter, limits, linkTargets } = this.tools;
    const { email: address, metadata, roles, redirectTo } = parseInput(newInviteInput, input);
    const email = parseEmailAddress(address);
    const fields = { metadata: parseMetadata(metadata ?? undefined), roles: parseUserRoles(roles ?? []) };
    if (!inviteLinks) throw new ProviderNotConfiguredError('emailPassword.resetUrl');
    const target = redirectTo == null ? inviteLinks.url : linkTargets.check(redirectTo);
    const spent = await limiter.consume(sendLimits(limits.send, 'user_invite', email));
    try {
      const { user, created } = await this.findOrCreate(email, fields, author);
      return { user, created, expiresAt: await this.mail(inviteLinks, email, user, target, author) };
    } catch (error) {
      await spent.refund();
      throw error;
    }
  }

  /**
   * Returns the unverified user of the address, whose roles and metadata stay: the account may be a stranger's until the address is
   * proven. @throws EmailExistsError if the address is verified; UserBlockedError.
   */
  private async findOrCreate(
    email: string,
    fields: { metadata: Record<string, unknown>; roles: string[] },
    { actor, acting }: ChangeAuthor,
  ): Promise<{ user: AdministeredUser; created: boolean }> {
    const now = this.tools.clock();
    const unverified = { email, emailVerified: false, username: null, passwordHash: null };
    const newUser = { id: uuidV7(now), ...unverified, ...fields, createdAt: new Date(now) };
    // Before the mail, which may fail: the user remains.
    const event = { userId: newUser.id, method: 'users.invite', actor };
    const outcome = await this.tools.changes.commit(
      () => this.users.insert(newUser, acting),
      (status) => (status === 'inserted' ? [['user.created', event]] : []),
    );
    const created = outcome === 'inserted';
    const user = await this.users.find({ email });
    // Deleted, or moved to another address, in the meantime.
    if (!user || user.emailVerified) throw new EmailExistsError();
    mustNotBeBlocked(user, now);
    return { user, created };
  }

  /** Mails the link and returns its expiry. */
  private async mail(
    { purpose, mailOptions }: InviteLinks,
    email: string,
    user: AdministeredUser,
    target: string,
    { actor }: ChangeAuthor,
  ): Promise<Date> {
    const { changes, limiter, mailedTokens, mailer } = this.tools;
    const binding = purpose === 'password_reset' ? resetBinding(user, email) : {};
    const { token, expiresAt, discard } = await changes.commit(
      () => mailedTokens.issueToken(purpose, email, inviteTtlMs, binding),
      () => [['user.invited', { userId: user.id, actor }]],
    );
    const details = { url: withToken(target, token), expiresInMinutes: minutes(inviteTtlMs) };
    const render: Render = (values) => userInviteTemplate({ ...values, ...details });
    await mailer.sendMail('user_invite', email, mailOptions, render, { user }, discard);
    await noteMailedInvite(limiter, email);
    return expiresAt;
  }
}
