/**
 * Sign-in with a one-time code by email (specification 1, 2.4, 4.3). The code proves the mailbox: its user is found,
 * created, or reclaimed.
 */
import * as z from 'zod';
import { parseEmailAddress } from '../domain/email-address.js';
import { parseMetadata } from '../domain/metadata.js';
import type { CodePurpose, SentCode } from '../domain/one-time-code.js';
import { mailedCodeLimits } from '../core/limits/rate-limits.js';
import { chosenAddressLimits } from '../core/limits/send-limits.js';
import type { Reader } from '../core/mail/languages.js';
import { codeTemplate } from '../core/mail/email-templates.js';
import { parseCode, parseInput } from '../core/support/input.js';
import {
  challengeSolutionInput,
  fieldsInput,
  metadataInput,
  userIdInput,
} from '../core/support/input-types.js';
import type { IssuedCode } from '../core/mail/one-time-codes.js';
import { senderOption } from '../core/mail/sender-option.js';
import { fromOption, functionOption } from '../core/support/option-types.js';
import type { CodeTemplate } from '../core/mail/senders/email-sender.js';
import { parseContext, type RequestContext } from '../core/sessions/request-context.js';
import type { ChangedUser, SignInResult } from '../core/sessions/sign-in-result.js';
import type { Toolkit } from '../core/toolkit.js';
import { lazily } from '../runtime/load.js';
import { signInWithMailedCode } from '../core/sign-ups/mailed-code-sign-in.js';
import { mustBeInPerson } from '../core/sessions/in-person.js';

export const emailCodeOptions = lazily(() =>
  z
    .strictObject({
      sender: senderOption().describe('Delivers the code.'),
      from: fromOption(),
      template: functionOption<CodeTemplate>()
        .default(() => codeTemplate)
        .meta({
          description: 'Renders the mail from `{ code, expiresInMinutes, appName }`.',
          defaultText: 'the built-in mail',
        }),
    })
    .meta({
      title: 'Email code',
      description: 'Sign-in with a code by email: [email code](providers/email-code.md).',
    }),
);

export const sendEmailCodeInput = lazily(() =>
  z.object({
    email: z.string(),
    metadata: metadataInput(),
    challengeSolution: challengeSolutionInput(),
  }),
);
export const verifyEmailCodeInput = lazily(() => z.object({ email: z.string(), code: z.string() }));
export const sendUpgradeCodeInput = lazily(() =>
  z.object({
    userId: userIdInput(),
    email: z.string(),
    challengeSolution: challengeSolutionInput(),
  }),
);
export const upgradeWithCodeInput = lazily(() =>
  z.object({ userId: userIdInput(), email: z.string(), code: z.string(), fields: fieldsInput() }),
);

type Options = z.output<ReturnType<typeof emailCodeOptions>>;
type Tools = Pick<
  Toolkit,
  | 'accountLimits'
  | 'challenges'
  | 'codeMailer'
  | 'codes'
  | 'guestUpgrades'
  | 'limiter'
  | 'limits'
  | 'mailboxProof'
  | 'mailer'
  | 'signIn'
  | 'signUpPolicy'
>;

export class EmailCodeProvider {
  constructor(
    private readonly options: Options,
    private readonly tools: Tools,
  ) {}

  /**
   * Mails a new code, which replaces the previous one. An address without an account that may not sign up gets a mail that says so instead;
   * neither the result nor the time reveals which mail was sent.
   * @param input.metadata for the user, if this code creates one.
   * @throws InvalidRequestError, RateLimitError, ChallengeRequiredError; EmailSendError; a failed send is not counted.
   */
  async sendCode(
    input: z.infer<ReturnType<typeof sendEmailCodeInput>>,
    context: RequestContext = {},
  ): Promise<SentCode> {
    const { accountLimits, challenges, codes, limiter, signUpPolicy } = this.tools;
    const sent = parseInput(sendEmailCodeInput, input);
    context = parseContext(context);
    const email = parseEmailAddress(sent.email);
    const metadata = parseMetadata(sent.metadata);
    const { ip } = context;
    await challenges.assertSolved('send', sent.challengeSolution, ip, () =>
      accountLimits.isOwner(email, context),
    );
    const limits = await accountLimits.forMail('email_code', email, context);
    const { spent, user } = await limiter.consumeAndFindUser(limits, email);
    try {
      const signUp = { method: 'email_code', email, emailVerified: true, metadata };
      const isRefused = await signUpPolicy.refusesMail(signUp, ip);
      // Also for an address that is refused: guesses must get the same responses.
      const isLong = await accountLimits.needsLongCode('email_code', email, context);
      const issued = await codes.issueCode('email_code', email, { metadata, isLong });
      return await this.mail('email_code', email, issued, isRefused, { user, context });
    } catch (error) {
      await spent.refund();
      throw error;
    }
  }

  /**
   * Signs in with a code and consumes it.
   * @throws InvalidRequestError, RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError, CodeInvalidError;
   * SignUpDisabledError if the address has no account and may not sign up.
   */
  async verify(
    input: z.infer<ReturnType<typeof verifyEmailCodeInput>>,
    context: RequestContext = {},
  ): Promise<SignInResult> {
    const { email: address, code } = parseInput(verifyEmailCodeInput, input);
    context = parseContext(context);
    const email = parseEmailAddress(address);
    return signInWithMailedCode(this.tools, 'email_code', { email, code }, context);
  }

  /**
   * Mails a code to the address that a guest wants to use. Does not reveal whether it has an account, or may
   * have one: the mail to it does.
   * @throws UserNotFoundError, InvalidRequestError, RateLimitError, ChallengeRequiredError; NotAuthorizedError if the user is not a guest;
   * SignUpDisabledError if no one may sign up; EmailSendError; a failed send is not counted.
   */
  async sendUpgradeCode(
    input: z.infer<ReturnType<typeof sendUpgradeCodeInput>>,
    context: RequestContext = {},
  ): Promise<SentCode> {
    const { accountLimits, challenges, codes, guestUpgrades, limiter, limits, signUpPolicy } = this.tools;
    const { userId, email, challengeSolution } = parseInput(sendUpgradeCodeInput, input);
    context = parseContext(context);
    const { ip } = context;
    const address = parseEmailAddress(email);
    mustBeInPerson(userId, context);
    await guestUpgrades.assertGuest(userId);
    signUpPolicy.assertEnabled();
    // Anyone can become a guest.
    await challenges.assertSolved('send', challengeSolution, ip);
    const budgets = chosenAddressLimits(limits.send, 'guest_upgrade', { userId, address }, ip);
    const { spent, user } = await limiter.consumeAndFindUser(budgets, address);
    try {
      const isRefused = await guestUpgrades.refusesMail(userId, address, ip);
      const isLong = await accountLimits.needsLongCode('guest_upgrade', address, { ip });
      const issued = await codes.issueCode('guest_upgrade', userId, { binding: [address], isLong });
      return await this.mail('guest_upgrade', address, issued, isRefused, { user, context });
    } catch (error) {
      await spent.refund();
      throw error;
    }
  }

  /**
   * Upgrades a guest to a user with a verified address, with the code that was mailed to it. Revokes the guest's tokens; with
   * `context.startSession`, starts a new session for the browser.
   * @throws UserNotFoundError, InvalidRequestError; NotAuthorizedError if the user is not a guest; RateLimitError,
   * CodeNotFoundError, CodeExpiredError, MaxAttemptsError, CodeInvalidError; SignUpDisabledError if the address may not sign up;
   * EmailExistsError if the address has an account: sign in
   * to that account; TokenInvalidError if all sessions of the guest ended in the meantime.
   */
  async upgradeGuest(
    input: z.infer<ReturnType<typeof upgradeWithCodeInput>>,
    context: RequestContext = {},
  ): Promise<ChangedUser> {
    const { codes, guestUpgrades, signIn, signUpPolicy } = this.tools;
    const { userId, email: address, code, fields: sent } = parseInput(upgradeWithCodeInput, input);
    context = parseContext(context);
    const email = parseEmailAddress(address);
    mustBeInPerson(userId, context);
    await guestUpgrades.assertGuest(userId);
    // Before the code is redeemed: the guest corrects them with the same code.
    const fields = await signUpPolicy.parseFields(sent);
    const { ip } = context;
    // Per address too: a client can have many guests, each with a code for the same mailbox. Not the limits of codes that sign in, which
    // any guest could then use up with an address for which there is no code.
    const guess = parseCode(code);
    const rateLimits = [userId, email].flatMap((subject) =>
      mailedCodeLimits('guest_upgrade', subject, guess, subject === email ? ip : undefined),
    );
    await codes.redeemCode('guest_upgrade', userId, code, ip, { binding: [email], rateLimits });
    const user = await guestUpgrades.upgrade(userId, { email, emailVerified: true }, context, { fields });
    return signIn.continueSession(user, context, true);
  }

  private async mail(
    purpose: CodePurpose,
    email: string,
    issued: IssuedCode,
    isRefused: boolean,
    reader: Reader,
  ): Promise<SentCode> {
    const { codeMailer, mailer, signUpPolicy } = this.tools;
    const { discard, expiresAt, format } = issued;
    const template: CodeTemplate = (values) =>
      signUpPolicy.admission(
        mailer,
        () => this.options.template(values),
        (builtIn) => codeTemplate({ ...values, ...builtIn }),
      )(values);
    const refusal = signUpPolicy.refusal(mailer);
    if (isRefused) await mailer.sendMail('sign_up_refused', email, this.options, refusal, reader, discard);
    else await codeMailer.sendCode(purpose, email, issued, { ...this.options, template }, reader);
    return { expiresAt, ...format };
  }
}
