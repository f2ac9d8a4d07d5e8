/**
 * Sign-in with email address and password (specification 1, 2.4, 4.3, 5.4 to 5.6): signup, login, reset by mail.
 */
import { parseEmailAddress } from '../../domain/email-address.js';
import { parseMetadata } from '../../domain/metadata.js';
import { toServiceUser, type ServiceUser } from '../../domain/user.js';
import {
  EmailExistsError,
  InvalidCredentialsError,
  InvalidRequestError,
  ProviderNotConfiguredError,
  TokenInvalidError,
} from '../../errors/catalog.js';
import { isServiceError } from '../../errors/service-error.js';
import { sendBudgets } from '../../kit/budgets.js';
import { checkInput, optional } from '../../kit/input.js';
import { withToken } from '../../kit/link-targets.js';
import { stored } from '../../kit/mailbox-proof.js';
import { minutes } from '../../kit/mailer.js';
import { PasswordVerifier } from '../../kit/password-hasher.js';
import { checkNewPassword } from '../../kit/password-policy.js';
import { usualFreshMs } from '../../kit/sessions.js';
import type { ChangedUser, RequestContext, SignInResult } from '../../kit/sign-in.js';
import type { EmailPasswordOptions, EmailPasswordTools } from './options.js';
import { PasswordChanges, type PasswordChangeInput } from './password-changes.js';
import { PasswordGuesses } from './password-guesses.js';

const resetTtlMs = 30 * 60_000;

export class EmailPasswordProvider {
  private readonly passwords: PasswordVerifier;
  private readonly guesses: PasswordGuesses;
  private readonly changes: PasswordChanges;

  constructor(
    private readonly options: EmailPasswordOptions,
    private readonly tools: EmailPasswordTools,
  ) {
    this.passwords = new PasswordVerifier(options.hasher);
    this.guesses = new PasswordGuesses(this.passwords, tools);
    this.changes = new PasswordChanges(options, tools, this.passwords, this.guesses);
  }

  /** Makes what the first login would otherwise wait for. Called by `service.init()`. */
  async prepare(): Promise<void> {
    await this.passwords.prepare();
  }

  /**
   * Creates an account with a password. Its address is unverified until a mail sent there is answered.
   * An address that has an account is refused, with or without a password: attaching one would hand the account over.
   * Only its own live session (`context.sessionToken`) may give a passwordless account its first password. That session goes on, and
   * no other is started.
   * @throws InvalidRequestError, WeakPasswordError, EmailExistsError; ReauthRequiredError for such a session whose sign-in was more
   * than ten minutes ago.
   */
  async signup(
    input: { email: string; password: string; metadata?: Record<string, unknown> },
    context: RequestContext = {},
  ): Promise<SignInResult> {
    const { mailboxProof, signIn, storage } = this.tools;
    checkInput(input);
    context = optional(context);
    const email = parseEmailAddress(input.email);
    const metadata = parseMetadata(input.metadata);
    await checkNewPassword(input.password, email, this.options);
    const existing = await storage.users.findByEmail(email);
    if (existing) {
      const owner = await this.changes.addFirst(existing, input.password, context, usualFreshMs);
      if (!owner) throw new EmailExistsError();
      this.changes.notify(owner);
      // Who chooses a password has not shown who they are: a new session would be a fresh sign-in, and skip a second factor.
      return signIn.complete('password_signup', owner, false, { ...context, startSession: false });
    }
    const passwordHash = await this.passwords.hash(input.password);
    const user = mailboxProof.newUser({ email, emailVerified: false, metadata, passwordHash });
    if (!(await storage.users.insert(user))) throw new EmailExistsError();
    return signIn.complete('password_signup', stored(user), true, context);
  }

  /**
   * Signs in. Unknown address, account without a password and wrong password are one answer at one cost.
   * @throws InvalidRequestError, RateLimitError, InvalidCredentialsError.
   */
  async login(
    input: { email: string; password: string },
    context: RequestContext = {},
  ): Promise<SignInResult> {
    const { signIn, storage } = this.tools;
    checkInput(input);
    context = optional(context);
    const email = parseEmailAddress(input.email);
    const find = () => storage.users.findByEmail(email);
    const user = await this.guesses.check(email, input.password, context.ip, find);
    if (!user) throw signIn.failed('password_login', email, new InvalidCredentialsError(), context);
    return signIn.complete('password_login', user, false, context);
  }

  /**
   * Mails a reset link if the address has an account, with or without a password. Answers before it looks anything up:
   * neither the result nor the time nor a failure tells whether there is one. The mail goes out in the background.
   * @param input.redirectTo overrides `resetUrl` for this link; its origin must be allowed.
   * @throws InvalidRequestError when `email` is no string or `redirectTo` is not allowed; ProviderNotConfiguredError without
   * `resetUrl`.
   */
  async requestReset(
    input: { email: string; redirectTo?: string },
    context: RequestContext = {},
  ): Promise<{ sent: true }> {
    const { background, linkTargets } = this.tools;
    checkInput(input);
    const { ip } = optional(context);
    if (typeof input.email !== 'string') throw new InvalidRequestError('email must be a string.');
    const target =
      input.redirectTo === undefined ? this.options.resetUrl : linkTargets.check(input.redirectTo);
    if (target === undefined) throw new ProviderNotConfiguredError('emailPassword.resetUrl');
    background.start('password reset mail', () => this.mailReset(input.email, target, ip));
    return { sent: true };
  }

  /**
   * Sets a new password with the token of a reset link: revokes every session, voids all pending codes and links of the
   * user, marks the address verified, and signs nobody in. A password that is refused does not use up the token.
   * @throws InvalidRequestError, TokenInvalidError, WeakPasswordError.
   */
  async setPassword(
    input: { token: string; newPassword: string },
    context: RequestContext = {},
  ): Promise<{ user: ServiceUser }> {
    const { clock, events, logger, mailboxProof, mailedTokens, storage } = this.tools;
    checkInput(input);
    const { ip } = optional(context);
    if (typeof input.token !== 'string') throw new InvalidRequestError('token must be a string.');
    const opened = mailedTokens.open('password_reset', input.token);
    if (opened.status !== 'valid') throw new TokenInvalidError();
    const owner = this.options.checkPassword && (await storage.users.findById(opened.subject));
    await checkNewPassword(input.newPassword, owner?.email ?? null, this.options);
    const passwordHash = await this.passwords.hash(input.newPassword);
    const reset = await storage.users.resetPassword({
      tokenDigest: opened.digest,
      userId: opened.subject,
      passwordHash,
      now: new Date(clock()),
    });
    if (!reset) throw new TokenInvalidError();
    logger.info(
      { event: 'password_reset', userId: reset.user.id, claimed: reset.claimed, ip },
      'a password was reset',
    );
    if (reset.claimed) mailboxProof.reportClaim(reset.user.id);
    events.emit('password.reset', { userId: reset.user.id });
    this.changes.notify(reset.user);
    return { user: toServiceUser(reset.user) };
  }

  /**
   * Sets another password with the one before it, or a first one. With `context.startSession` the browser goes on with a new
   * session. Another password ends every session and voids all pending codes and links of the user; a first one needs the user's
   * own session (`context.sessionToken`), which it replaces.
   * @throws UserNotFoundError, InvalidRequestError, WeakPasswordError, RateLimitError; InvalidCredentialsError where the current
   * password is not right, also one that a reset has just replaced; NotAuthorizedError for a first one without such a session.
   */
  async changePassword(input: PasswordChangeInput, context: RequestContext = {}): Promise<ChangedUser> {
    return this.changes.change(input, context);
  }

  /**
   * Makes a guest a real user with an address, unverified as after a signup, and a password. The guest's tokens end; with
   * `context.startSession` the browser goes on with a new session.
   * @throws UserNotFoundError, InvalidRequestError, WeakPasswordError; NotAuthorizedError for who is no guest; EmailExistsError
   * when somebody has the address.
   */
  async upgradeGuest(
    input: { userId: string; email: string; password: string },
    context: RequestContext = {},
  ): Promise<ChangedUser> {
    const { guestUpgrades, signIn } = this.tools;
    checkInput(input);
    context = optional(context);
    const { userId, password } = input;
    const email = parseEmailAddress(input.email);
    await checkNewPassword(password, email, this.options);
    await guestUpgrades.assertGuest(userId);
    const passwordHash = await this.passwords.hash(password);
    const user = await guestUpgrades.upgrade(userId, { email, passwordHash });
    return signIn.goOn(user, context, false);
  }

  private async mailReset(address: string, target: string, ip?: string): Promise<void> {
    const { events, limiter, limits, mailedTokens, mailer, storage } = this.tools;
    try {
      const email = parseEmailAddress(address);
      await limiter.spend(sendBudgets(limits.send, 'password_reset', email, ip), async () => {
        const user = await storage.users.findByEmail(email);
        if (!user) return;
        const { token, discard } = await mailedTokens.issue('password_reset', user.id, resetTtlMs);
        const url = withToken(target, token);
        const values = { url, expiresInMinutes: minutes(resetTtlMs), appName: mailer.appName };
        const render = () => this.options.resetTemplate(values);
        await mailer.send('password_reset', email, this.options, render, discard);
        events.emit('link.sent', { purpose: 'password_reset' });
      });
    } catch (error) {
      // A malformed address or a used-up limit is no fault; the mailer has logged a send that failed.
      const expected = isServiceError(error) && error.code !== 'internal_error';
      if (!expected) throw error;
    }
  }
}
