/** Verification and change of the address of an account by the signed-in user (docs/decisions/email-change.md). */
import { maskEmailAddress, parseEmailAddress } from '../../domain/email-address.js';
import type { ServiceUser, StoredUser } from '../../domain/user.js';
import {
  EmailExistsError,
  InvalidRequestError,
  NotAuthorizedError,
  ProviderNotConfiguredError,
  TokenInvalidError,
} from '../../errors/catalog.js';
import { chosenAddressLimits } from '../../core/limits/send-limits.js';
import { existingUser } from '../../core/sessions/existing-user.js';
import { parseCode, parseInput } from '../../core/support/input.js';
import type { Reader } from '../../core/mail/languages.js';
import type { MailOptions } from '../../core/mail/mailer.js';
import type { IssuedCode } from '../../core/mail/one-time-codes.js';
import { emailChangeBinding, mailNewAddress } from '../../core/mail/new-addresses.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import type { ChangedUser } from '../../core/sessions/sign-in-result.js';
import type { Toolkit } from '../../core/toolkit.js';
import type { AccountRepository } from '../../storage/pro-repositories.js';
import { changeEmailInput, confirmEmailInput, verifyEmailInput, type AccountOptions } from './options.js';
import { mustBeInPerson } from '../../core/sessions/in-person.js';

export type AddressTools = Pick<
  Toolkit,
  | 'addressVerification'
  | 'background'
  | 'clock'
  | 'codeMailer'
  | 'codes'
  | 'events'
  | 'limiter'
  | 'limits'
  | 'logger'
  | 'mailer'
  | 'signIn'
  | 'storage'
>;

export class Addresses {
  constructor(
    private readonly options: AccountOptions,
    private readonly tools: AddressTools,
    private readonly accounts: AccountRepository,
  ) {}

  async sendVerification(userId: unknown, context: RequestContext): Promise<{ expiresAt: Date | null }> {
    context = parseContext(context);
    const mail = { ...this.mailOptions(), template: this.options.verificationTemplate };
    return this.tools.addressVerification.send(userId, mail, context);
  }

  async verify(input: unknown, context: RequestContext): Promise<{ user: ServiceUser }> {
    const { userId, code } = parseInput(verifyEmailInput, input);
    mustBeInPerson(userId, context);
    return this.tools.addressVerification.verify(userId, code, parseContext(context).ip);
  }

  async requestChange(
    input: unknown,
    context: RequestContext,
  ): Promise<{ expiresAt: Date; currentCodeSent: boolean }> {
    const { codeMailer, codes, limiter, limits, storage } = this.tools;
    const { addressInUseTemplate, leavingAddressTemplate, newAddressTemplate } = this.options;
    const { userId, email } = parseInput(changeEmailInput, input);
    context = parseContext(context);
    mustBeInPerson(userId, context);
    const { ip, sessionEpoch } = context;
    const mail = this.mailOptions();
    const address = parseEmailAddress(email);
    const user = await existingUser(storage.users, userId);
    const epoch = sessionEpoch ?? user.epoch;
    // A guest gets an address by an upgrade.
    if (await storage.guests?.isGuest(userId)) throw new NotAuthorizedError();
    if (address === user.email) throw new InvalidRequestError('The account already has this address.');
    const current = provenAddress(user);
    const budgets = chosenAddressLimits(limits.send, 'email_change', { userId, address }, ip);
    const spent = await limiter.consume(budgets);
    let issued: IssuedCode;
    try {
      // Issued even if it is not mailed: a missing code would cause a different error and reveal the account.
      issued = await codes.issueCode('email_change', userId, {
        binding: emailChangeBinding(user.email, address, epoch),
        withSecond: current !== null,
      });
      const owner = await storage.users.findByEmail(address);
      const newAddressMail = { ...mail, template: newAddressTemplate, addressInUseTemplate };
      await mailNewAddress(this.tools, 'email_change', address, issued, newAddressMail, owner !== null, {
        user: owner ?? user,
        context,
      });
    } catch (error) {
      await spent.refund();
      throw error;
    }
    // The first mail has been sent: the send counts from here on, or failures at one address would allow unlimited mails to the other.
    if (current !== null && issued.secondCode !== undefined) {
      const second = { ...issued, code: issued.secondCode };
      const leavingMail = { ...mail, template: leavingAddressTemplate };
      await codeMailer.sendCode('email_change', current, second, leavingMail, { user, context });
    }
    return { expiresAt: issued.expiresAt, currentCodeSent: current !== null };
  }

  async confirmChange(input: unknown, context: RequestContext): Promise<ChangedUser> {
    const { clock, codes, events, logger, signIn, storage } = this.tools;
    const { userId, code, ...change } = parseInput(confirmEmailInput, input);
    context = parseContext(context);
    mustBeInPerson(userId, context);
    const email = parseEmailAddress(change.email);
    const user = await existingUser(storage.users, userId);
    const epoch = context.sessionEpoch ?? user.epoch;
    const old = provenAddress(user);
    const currentCode = old === null ? null : parseCode(change.currentCode, 'currentCode');
    await codes.redeemCode('email_change', userId, code, context.ip, {
      binding: emailChangeBinding(user.email, email, epoch),
      ...(currentCode !== null && { second: { code: currentCode, field: 'currentCode' } }),
    });
    const outcome = await this.accounts.changeEmail({ userId, epoch, email, now: new Date(clock()) });
    if (outcome.status === 'email_taken') throw new EmailExistsError();
    if (outcome.status === 'guest') throw new NotAuthorizedError();
    // Deleted, or signed out everywhere, since the codes were checked.
    if (outcome.status !== 'changed') throw new TokenInvalidError();
    const from = old === null ? undefined : maskEmailAddress(old);
    const to = maskEmailAddress(email);
    logger.info({ event: 'email_changed', userId, from, to, ip: context.ip }, 'a user changed the address');
    events.emit('email.changed', { userId });
    if (old !== null) this.notify(old, { user, context });
    return signIn.continueSession(outcome.user, context, true);
  }

  /** @throws ProviderNotConfiguredError without a sender. */
  private mailOptions(): MailOptions {
    const { sender, from } = this.options;
    if (!sender) throw new ProviderNotConfiguredError('account.sender');
    return { sender, from };
  }

  private notify(old: string, reader: Reader): void {
    const { background, mailer } = this.tools;
    const { sender, from, addressChangedTemplate } = this.options;
    if (!sender) return;
    background.start(
      'address notice',
      () => mailer.sendMail('notice', old, { sender, from }, addressChangedTemplate, reader),
      reader.context?.ip,
    );
  }
}

/** An unverified address may belong to another person: it need not agree, and receives no mail. */
function provenAddress({ email, emailVerified }: StoredUser): string | null {
  return emailVerified ? email : null;
}
