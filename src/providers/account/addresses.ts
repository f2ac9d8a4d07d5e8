/** The address of an account, proven or changed by somebody who is signed in (docs/decisions/email-change.md). */
import { maskEmailAddress, parseEmailAddress } from '../../domain/email-address.js';
import type { CodePurpose } from '../../domain/one-time-code.js';
import { toServiceUser, type ServiceUser, type StoredUser } from '../../domain/user.js';
import {
  EmailExistsError,
  InvalidRequestError,
  NotAuthorizedError,
  ProviderNotConfiguredError,
  TokenInvalidError,
  UserNotFoundError,
} from '../../errors/catalog.js';
import { chosenSendBudgets, sendBudgets } from '../../kit/send-budgets.js';
import { existingUser } from '../../kit/existing-user.js';
import { checkInput, optional, parseCode } from '../../kit/input.js';
import { minutes, type MailOptions } from '../../kit/mailer.js';
import type { IssuedCode } from '../../kit/one-time-codes.js';
import type { CodeTemplate } from '../../kit/senders/email-sender.js';
import type { ChangedUser, RequestContext } from '../../kit/sign-in.js';
import type { Toolkit } from '../../kit/toolkit.js';
import type { AccountRepository } from '../../storage/pro-repositories.js';
import type { AccountOptions } from './options.js';

export type AddressTools = Pick<
  Toolkit,
  | 'background'
  | 'clock'
  | 'codes'
  | 'events'
  | 'limiter'
  | 'limits'
  | 'logger'
  | 'mailer'
  | 'signIn'
  | 'storage'
>;

export interface EmailChangeInput {
  userId: string;
  /** The new address. */
  email: string;
  /** What was mailed there. */
  code: string;
  /** What was mailed to the present address, where that is verified. */
  currentCode?: string;
}

export class Addresses {
  constructor(
    private readonly options: AccountOptions,
    private readonly tools: AddressTools,
    private readonly accounts: AccountRepository,
  ) {}

  async sendVerification(userId: unknown, context: RequestContext): Promise<{ expiresAt: Date | null }> {
    const { codes, limiter, limits, storage } = this.tools;
    const { ip } = optional(context);
    const mail = this.mailOptions();
    const user = await existingUser(storage.users, userId);
    const address = addressOf(user);
    if (user.emailVerified) return { expiresAt: null };
    return limiter.spend(sendBudgets(limits.send, 'email_verification', address, ip), async () => {
      const issued = await codes.issue('email_verification', user.id, { binding: [address] });
      await this.mailCode('email_verification', address, issued, mail, this.options.verificationTemplate);
      return { expiresAt: issued.expiresAt };
    });
  }

  async verify(
    input: { userId: string; code: string },
    context: RequestContext,
  ): Promise<{ user: ServiceUser }> {
    const { clock, codes, logger, storage } = this.tools;
    checkInput(input);
    const { ip } = optional(context);
    const user = await existingUser(storage.users, input.userId);
    const address = addressOf(user);
    if (user.emailVerified) return { user: toServiceUser(user) };
    await codes.redeem('email_verification', user.id, input.code, ip, { binding: [address] });
    // No claim: the code was good for this account only, and whoever typed it is in it.
    const verified = await storage.users.markEmailVerified(user.id, new Date(clock()));
    if (!verified) throw new UserNotFoundError();
    logger.info({ event: 'email_verified', userId: user.id, ip }, 'a user proved the address of the account');
    return { user: toServiceUser(verified) };
  }

  async requestChange(
    input: { userId: string; email: string },
    context: RequestContext,
  ): Promise<{ expiresAt: Date; currentCodeSent: boolean }> {
    const { codes, limiter, limits, storage } = this.tools;
    checkInput(input);
    const { ip, sessionEpoch } = optional(context);
    const mail = this.mailOptions();
    const address = parseEmailAddress(input.email);
    const user = await existingUser(storage.users, input.userId);
    const { id: userId } = user;
    const epoch = sessionEpoch ?? user.epoch;
    // A guest gets an address by becoming a user.
    if (await storage.guests?.isGuest(userId)) throw new NotAuthorizedError();
    if (address === user.email) throw new InvalidRequestError('This is the address of the account.');
    const current = provenAddress(user);
    const budgets = chosenSendBudgets(limits.send, 'email_change', { userId, address }, ip);
    const issued = await limiter.spend(budgets, async () => {
      // Also where nobody is told it: a code that is not there would answer otherwise, and tell the caller.
      const made = await codes.issue('email_change', userId, {
        binding: bindingOf(user.email, address, epoch),
        withSecond: current !== null,
      });
      const isInUse = (await storage.users.findByEmail(address)) !== null;
      if (isInUse) await this.mailInUse(address, made, mail);
      else await this.mailCode('email_change', address, made, mail, this.options.newAddressTemplate);
      return made;
    });
    // The first mail has left: from here on the send stays charged, or failures at one address would be mails to the other.
    if (current !== null && issued.secondCode !== undefined) {
      const second = { ...issued, code: issued.secondCode };
      await this.mailCode('email_change', current, second, mail, this.options.leavingAddressTemplate);
    }
    return { expiresAt: issued.expiresAt, currentCodeSent: current !== null };
  }

  async confirmChange(input: EmailChangeInput, context: RequestContext): Promise<ChangedUser> {
    const { clock, codes, events, logger, signIn, storage } = this.tools;
    checkInput(input);
    context = optional(context);
    const email = parseEmailAddress(input.email);
    const user = await existingUser(storage.users, input.userId);
    const { id: userId } = user;
    const epoch = context.sessionEpoch ?? user.epoch;
    const old = provenAddress(user);
    const currentCode = old === null ? null : parseCode(input.currentCode, 'currentCode');
    await codes.redeem('email_change', userId, input.code, context.ip, {
      binding: bindingOf(user.email, email, epoch),
      ...(currentCode !== null && { second: { code: currentCode, field: 'currentCode' } }),
    });
    const outcome = await this.accounts.changeEmail({ userId, epoch, email, now: new Date(clock()) });
    if (outcome.status === 'email_taken') throw new EmailExistsError();
    if (outcome.status === 'guest') throw new NotAuthorizedError();
    // Gone, or signed out everywhere, since the codes were looked at.
    if (outcome.status !== 'changed') throw new TokenInvalidError();
    const from = old === null ? undefined : maskEmailAddress(old);
    const to = maskEmailAddress(email);
    logger.info({ event: 'email_changed', userId, from, to, ip: context.ip }, 'a user changed the address');
    events.emit('email.changed', { userId });
    if (old !== null) this.notify(old, context.ip);
    return signIn.goOn(outcome.user, context, true);
  }

  /** @throws ProviderNotConfiguredError without a sender. */
  private mailOptions(): MailOptions {
    const { sender, from } = this.options;
    if (!sender) throw new ProviderNotConfiguredError('account.sender');
    return { sender, from };
  }

  private async mailCode(
    purpose: CodePurpose,
    to: string,
    { code, expiresAt, discard }: IssuedCode,
    mail: MailOptions,
    template: CodeTemplate,
  ): Promise<void> {
    const { clock, events, mailer } = this.tools;
    const expiresInMinutes = minutes(expiresAt.getTime() - clock());
    const render = () => template({ code, expiresInMinutes, appName: mailer.appName });
    await mailer.send('email_code', to, mail, render, discard);
    events.emit('code.sent', { purpose });
  }

  /** One mail to the new address in either case: neither the time nor a failure of the sender tells them apart. */
  private async mailInUse(to: string, { discard }: IssuedCode, mail: MailOptions): Promise<void> {
    const { mailer } = this.tools;
    const render = () => this.options.addressInUseTemplate({ appName: mailer.appName });
    await mailer.send('notice', to, mail, render, discard);
  }

  private notify(old: string, ip?: string): void {
    const { background, mailer } = this.tools;
    const { sender, from, addressChangedTemplate } = this.options;
    if (!sender) return;
    const render = () => addressChangedTemplate({ appName: mailer.appName });
    background.start('address notice', () => mailer.send('notice', old, { sender, from }, render), ip);
  }
}

/** @throws InvalidRequestError for a user without an address. */
function addressOf({ email }: StoredUser): string {
  if (email === null)
    throw new InvalidRequestError('The account has no address.', { reason: 'email_missing' });
  return email;
}

/** An address that was never proven may be somebody else's: it has no say, and gets no mail. */
function provenAddress({ email, emailVerified }: StoredUser): string | null {
  return emailVerified ? email : null;
}

/** With the epoch, a sign-out everywhere takes back what was asked for. */
function bindingOf(email: string | null, newEmail: string, epoch: number): string[] {
  return [email ?? '', newEmail, String(epoch)];
}
