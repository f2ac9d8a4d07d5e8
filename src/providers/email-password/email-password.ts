/**
 * Sign-in with email address and password (specification 1, 2.4, 4.3, 5.4 to 5.6): signup, login, reset by mail.
 */
import { parseEmailAddress } from '../../domain/email-address.js';
import { parseMetadata } from '../../domain/metadata.js';
import { accountState } from '../../domain/single-use-token.js';
import { toServiceUser, type ServiceUser } from '../../domain/user.js';
import {
  EmailExistsError,
  InvalidCredentialsError,
  InvalidRequestError,
  ProviderNotConfiguredError,
  TokenInvalidError,
} from '../../errors/catalog.js';
import { isServiceError } from '../../errors/service-error.js';
import { signUpBudgets } from '../../kit/budgets.js';
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
   * Every sign-up counts against the limits of its client and network (`rateLimit.signUp`), also one that is refused because the
   * account exists.
   * @throws InvalidRequestError, WeakPasswordError, RateLimitError, EmailExistsError; ReauthRequiredError for such a session whose sign-in was more
   * than ten minutes ago.
   */
  async signup(
    input: { email: string; password: string; metadata?: Record<string, unknown> },
    context: RequestContext = {},
  ): Promise<SignInResult> {
    const { limiter, limits, mailboxProof, signIn, storage } = this.tools;
    checkInput(input);
    context = optional(context);
    const { ip } = context;
    const email = parseEmailAddress(input.email);
    const metadata = parseMetadata(input.metadata);
    await checkNewPassword(input.password, email, this.options);
    const budgets = signUpBudgets(limits.signUp, ip);
    // An address that has an account stays charged: the refusal reveals the account.
    const { existing, user } = await this.passwords.withPlace(ip, (place) =>
      limiter.spend(budgets, async () => {
        const owner = await storage.users.findByEmail(email);
        if (owner) return { existing: owner };
        const passwordHash = await place.hash(input.password);
        const newUser = mailboxProof.newUser({ email, emailVerified: false, metadata, passwordHash });
        return (await storage.users.insert(newUser)) ? { user: newUser } : {};
      }),
    );
    if (existing) {
      const owner = await this.changes.addFirst(existing, input.password, context, usualFreshMs);
      if (!owner) throw new EmailExistsError();
      this.changes.notify(owner, ip);
      // Who chooses a password has not shown who they are: a new session would be a fresh sign-in, and skip a second factor.
      return signIn.complete('password_signup', owner, false, { ...context, startSession: false });
    }
    if (!user) throw new EmailExistsError();
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
    const user = await this.guesses.check(email, input.password, context, find);
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
    context = optional(context);
    if (typeof input.email !== 'string') throw new InvalidRequestError('email must be a string.');
    const target =
      input.redirectTo === undefined ? this.options.resetUrl : linkTargets.check(input.redirectTo);
    if (target === undefined) throw new ProviderNotConfiguredError('emailPassword.resetUrl');
    const mail = () => this.mailReset(input.email, target, context);
    background.start('password reset mail', mail, context.ip);
    return { sent: true };
  }

  /**
   * Sets a new password with the token of a reset link: revokes every session, voids all pending codes and links of the
   * user, marks the address verified, and signs nobody in. A password that is refused does not use up the token. The token is void if
   * the address, the password or the epoch of a verified account has changed since it was mailed.
   * @param input.revokeCredentials also removes the user's passkeys and API keys, in the same transaction; false by default.
   * @throws InvalidRequestError, TokenInvalidError, WeakPasswordError.
   */
  async setPassword(
    input: { token: string; newPassword: string; revokeCredentials?: boolean },
    context: RequestContext = {},
  ): Promise<{ user: ServiceUser }> {
    const { accountLimits, clock, events, logger, mailboxProof, mailedTokens, storage } = this.tools;
    checkInput(input);
    const { ip } = optional(context);
    const { revokeCredentials = false } = input;
    if (typeof input.token !== 'string') throw new InvalidRequestError('token must be a string.');
    if (typeof revokeCredentials !== 'boolean')
      throw new InvalidRequestError('revokeCredentials must be true or false.');
    const opened = mailedTokens.open('password_reset', input.token);
    if (opened.status !== 'valid') throw new TokenInvalidError();
    const owner = this.options.checkPassword && (await storage.users.findById(opened.subject));
    await checkNewPassword(input.newPassword, owner?.email ?? null, this.options);
    const passwordHash = await this.passwords.hash(input.newPassword, ip);
    const reset = await storage.users.resetPassword({
      tokenDigest: opened.digest,
      userId: opened.subject,
      passwordHash,
      revokeCredentials,
      now: new Date(clock()),
    });
    if (!reset) throw new TokenInvalidError();
    if (reset.user.email !== null) await accountLimits.forgive(reset.user.email, { ip });
    logger.info(
      { event: 'password_reset', userId: reset.user.id, claimed: reset.claimed, revokeCredentials, ip },
      'a password was reset',
    );
    if (reset.claimed) mailboxProof.reportClaim(reset.user.id);
    events.emit('password.reset', { userId: reset.user.id });
    this.changes.notify(reset.user, ip);
    return { user: toServiceUser(reset.user) };
  }

  /**
   * Sets another password with the one before it, or a first one. With `context.startSession` the browser goes on with a new
   * session. Another password ends every session and voids all pending codes and links of the user; a first one needs the user's
   * own session (`context.sessionToken`), which it replaces.
   * @throws UserNotFoundError, InvalidRequestError, WeakPasswordError, RateLimitError; InvalidCredentialsError with the field
   * `currentPassword` if that is not right, or a reset has just replaced it; TokenInvalidError if all sessions of the user ended in
   * the meantime; NotAuthorizedError for a first one without such a session.
   */
  async changePassword(input: PasswordChangeInput, context: RequestContext = {}): Promise<ChangedUser> {
    return this.changes.change(input, context);
  }

  /**
   * Makes a guest a real user with an address, unverified as after a signup, and a password. The guest's tokens end; with
   * `context.startSession` the browser goes on with a new session.
   * @throws UserNotFoundError, InvalidRequestError, WeakPasswordError; NotAuthorizedError if the user is not a guest;
   * EmailExistsError if the address has an account; TokenInvalidError if all sessions of the guest ended in the meantime.
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
    const passwordHash = await this.passwords.hash(password, context.ip);
    const user = await guestUpgrades.upgrade(userId, { email, passwordHash }, context);
    return signIn.goOn(user, context, false);
  }

  private async mailReset(address: string, target: string, context: RequestContext): Promise<void> {
    const { accountLimits, events, limiter, mailedTokens, mailer, storage } = this.tools;
    try {
      const email = parseEmailAddress(address);
      await limiter.spend(await accountLimits.send('password_reset', email, context), async () => {
        const user = await storage.users.findByEmail(email);
        const account = user && accountState(user);
        if (!account) return;
        // Bound to the account as it was found by this address: a change that commits in between makes the link void.
        const bound = { account };
        const { token, discard } = await mailedTokens.issue('password_reset', user.id, resetTtlMs, bound);
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
