/**
 * Sign-in with a one-time code by email (specification 1, 2.4, 4.3). The code proves the mailbox: its user is found,
 * created, or claimed.
 */
import { parseEmailAddress } from '../domain/email-address.js';
import { parseMetadata } from '../domain/metadata.js';
import type { CodePurpose } from '../domain/one-time-code.js';
import type { StoredUser } from '../domain/user.js';
import type { ServiceError } from '../errors/service-error.js';
import { chosenSendBudgets } from '../kit/send-budgets.js';
import { codeTemplate } from '../kit/email-templates.js';
import { checkInput, optional } from '../kit/input.js';
import { minutes } from '../kit/mailer.js';
import type { IssuedCode } from '../kit/one-time-codes.js';
import { from, functionOption, senderOption } from '../kit/option-types.js';
import type { CodeTemplate } from '../kit/senders/email-sender.js';
import type { ChangedUser, RequestContext, SignInResult } from '../kit/sign-in.js';
import type { Toolkit } from '../kit/toolkit.js';
import type { Zod } from '../runtime/load.js';

export const emailCodeOptions = (z: Zod) =>
  z.strictObject({
    /** Delivers the code. */
    sender: senderOption(z),
    /** Overrides the sender's From. */
    from: from(z),
    /** Makes the mail from `{ code, expiresInMinutes, appName }`. */
    template: functionOption<CodeTemplate>(z).default(() => codeTemplate),
  });

type Options = ReturnType<ReturnType<typeof emailCodeOptions>['parse']>;
type Tools = Pick<
  Toolkit,
  | 'accountLimits'
  | 'clock'
  | 'codes'
  | 'events'
  | 'guestUpgrades'
  | 'limiter'
  | 'limits'
  | 'mailboxProof'
  | 'mailer'
  | 'signIn'
>;

export class EmailCodeProvider {
  constructor(
    private readonly options: Options,
    private readonly tools: Tools,
  ) {}

  /**
   * Mails a new code in place of the old one.
   * @param input.metadata for the user, should this code create one.
   * @throws InvalidRequestError, RateLimitError; EmailSendError, and then the send is not charged.
   */
  async sendCode(
    input: { email: string; metadata?: Record<string, unknown> },
    context: RequestContext = {},
  ): Promise<{ expiresAt: Date }> {
    const { accountLimits, codes, limiter } = this.tools;
    checkInput(input);
    context = optional(context);
    const email = parseEmailAddress(input.email);
    const metadata = parseMetadata(input.metadata);
    return limiter.spend(await accountLimits.send('email_code', email, context), async () =>
      this.mail('email_code', email, await codes.issue('email_code', email, { metadata })),
    );
  }

  /**
   * Signs in with a code, which is used up by that.
   * @throws InvalidRequestError, RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError, CodeInvalidError.
   */
  async verify(input: { email: string; code: string }, context: RequestContext = {}): Promise<SignInResult> {
    const { accountLimits, codes, mailboxProof, signIn } = this.tools;
    checkInput(input);
    context = optional(context);
    const email = parseEmailAddress(input.email);
    const budgets = await accountLimits.guessByMail('email_code', email, context);
    let seen = null as StoredUser | null;
    const before = async () => void (seen = await mailboxProof.look(email));
    const metadata = await codes
      .redeem('email_code', email, input.code, context.ip, { budgets, before })
      .catch((error: ServiceError) => Promise.reject(signIn.failed('email_code', email, error, context)));
    const { user, created } = await mailboxProof.resolve(email, metadata, context, seen);
    return signIn.complete('email_code', user, created, context);
  }
  /**
   * Mails a guest a code for the address that is to be theirs. Whether it has an account is not told here.
   * @throws UserNotFoundError, InvalidRequestError, RateLimitError; NotAuthorizedError for who is no guest; EmailSendError, and then
   * the send is not charged.
   */
  async sendUpgradeCode(
    input: { userId: string; email: string },
    context: RequestContext = {},
  ): Promise<{ expiresAt: Date }> {
    const { codes, guestUpgrades, limiter, limits } = this.tools;
    checkInput(input);
    const { ip } = optional(context);
    const { userId } = input;
    const address = parseEmailAddress(input.email);
    await guestUpgrades.assertGuest(userId);
    const budgets = chosenSendBudgets(limits.send, 'guest_upgrade', { userId, address }, ip);
    return limiter.spend(budgets, async () =>
      this.mail('guest_upgrade', address, await codes.issue('guest_upgrade', userId, { binding: [address] })),
    );
  }

  /**
   * Makes a guest a real user with a verified address, by the code that was sent there. The guest's tokens end; with
   * `context.startSession` the browser goes on with a new session.
   * @throws UserNotFoundError, InvalidRequestError; NotAuthorizedError if the user is not a guest; RateLimitError,
   * CodeNotFoundError, CodeExpiredError, MaxAttemptsError, CodeInvalidError; EmailExistsError if the address has an account: sign in
   * there; TokenInvalidError if all sessions of the guest ended in the meantime.
   */
  async upgradeGuest(
    input: { userId: string; email: string; code: string },
    context: RequestContext = {},
  ): Promise<ChangedUser> {
    const { codes, guestUpgrades, signIn } = this.tools;
    checkInput(input);
    context = optional(context);
    const { userId, code } = input;
    const email = parseEmailAddress(input.email);
    await guestUpgrades.assertGuest(userId);
    await codes.redeem('guest_upgrade', userId, code, context.ip, { binding: [email] });
    const user = await guestUpgrades.upgrade(userId, { email, emailVerified: true }, context);
    return signIn.goOn(user, context, true);
  }

  private async mail(
    purpose: CodePurpose,
    email: string,
    { code, expiresAt, discard }: IssuedCode,
  ): Promise<{ expiresAt: Date }> {
    const { clock, events, mailer } = this.tools;
    const expiresInMinutes = minutes(expiresAt.getTime() - clock());
    const render = () => this.options.template({ code, expiresInMinutes, appName: mailer.appName });
    await mailer.send('email_code', email, this.options, render, discard);
    events.emit('code.sent', { purpose });
    return { expiresAt };
  }
}
