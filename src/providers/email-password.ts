/**
 * Sign-in with email address and password (specification 1, 2.4, 4.3, 5.4 to 5.6): signup, login, reset by mail.
 */
import { parseEmailAddress } from '../domain/email-address.js';
import { parseMetadata } from '../domain/metadata.js';
import { toServiceUser, type ServiceUser, type StoredUser } from '../domain/user.js';
import {
  EmailExistsError,
  InvalidCredentialsError,
  InvalidRequestError,
  ProviderNotConfiguredError,
  TokenInvalidError,
} from '../errors/catalog.js';
import { isServiceError } from '../errors/service-error.js';
import { loginBudgets, loginPairBudget, sendBudgets } from '../kit/budgets.js';
import { passwordResetTemplate } from '../kit/email-templates.js';
import { checkInput, optional } from '../kit/input.js';
import { withToken } from '../kit/link-targets.js';
import { stored } from '../kit/mailbox-proof.js';
import { minutes } from '../kit/mailer.js';
import { absoluteUrl, from, functionOption, hasMethod, senderOption } from '../kit/option-types.js';
import { bcryptHasher, PasswordVerifier, type PasswordHasher } from '../kit/password-hasher.js';
import { checkNewPassword, isStorablePassword, type PasswordPolicy } from '../kit/password-policy.js';
import type { LinkTemplate, NoticeTemplate } from '../kit/senders/email-sender.js';
import type { RequestContext, SignInResult } from '../kit/sign-in.js';
import type { Toolkit } from '../kit/toolkit.js';
import type { Zod } from '../runtime/load.js';

const resetTtlMs = 30 * 60_000;

export const emailPasswordOptions = (z: Zod) =>
  z.strictObject({
    /** Delivers the reset mail. */
    sender: senderOption(z),
    /** Where reset links point: your page that reads `token` and posts it. Needed for the reset flow only. */
    resetUrl: absoluteUrl(z).optional(),
    /** Minimum password length in code points. */
    minLength: z.number().int().min(1).max(256).default(8),
    /** Replaces bcrypt. */
    hasher: z
      .custom<PasswordHasher>(
        (value) => hasMethod(value, 'hash') && hasMethod(value, 'verify'),
        'must be an object with hash(plain) and verify(plain, hash)',
      )
      .default(() => bcryptHasher()),
    /** Makes the reset mail from `{ url, expiresInMinutes, appName }`. */
    resetTemplate: functionOption<LinkTemplate>(z).default(() => passwordResetTemplate),
    /** When set, mails a notice after every reset, made from `{ appName }`. */
    notifyTemplate: functionOption<NoticeTemplate>(z).optional(),
    /** Refuses a new password by returning false: for a list of breached ones. */
    checkPassword: functionOption<NonNullable<PasswordPolicy['checkPassword']>>(z).optional(),
    /** Overrides the sender's From. */
    from: from(z),
  });

type Options = ReturnType<ReturnType<typeof emailPasswordOptions>['parse']>;
type Tools = Pick<
  Toolkit,
  | 'background'
  | 'clock'
  | 'events'
  | 'limiter'
  | 'limits'
  | 'linkTargets'
  | 'logger'
  | 'mailboxProof'
  | 'mailedTokens'
  | 'mailer'
  | 'signIn'
  | 'storage'
>;

export class EmailPasswordProvider {
  private readonly passwords: PasswordVerifier;

  constructor(
    private readonly options: Options,
    private readonly tools: Tools,
  ) {
    this.passwords = new PasswordVerifier(options.hasher);
  }

  /** Makes what the first login would otherwise wait for. Called by `service.init()`. */
  async prepare(): Promise<void> {
    await this.passwords.prepare();
  }

  /**
   * Creates an account with a password. Its address is unverified until a mail sent there is answered.
   * An address that has an account is refused, with or without a password: attaching one would hand the account over.
   * Only its own live session (`context.sessionToken`) may give a passwordless account its first password; where it has a second
   * factor, that session goes on and no other is started.
   * @throws InvalidRequestError, WeakPasswordError, EmailExistsError.
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
    if (existing) return this.addPassword(existing, input.password, context);
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
    const { limiter, limits, signIn } = this.tools;
    checkInput(input);
    context = optional(context);
    const email = parseEmailAddress(input.email);
    const { password } = input;
    if (typeof password !== 'string') throw new InvalidRequestError('password must be a string.');
    // Charged before the password is looked at, or parallel guesses would all be evaluated.
    const budgets = loginBudgets(limits.login, email, context.ip);
    const user = await limiter.attempt(`login ${email} ${context.ip}`, budgets, async (charge) => {
      const owner = await this.check(email, password);
      if (owner) await charge.forgive(loginPairBudget);
      return owner;
    });
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
  async setPassword(input: { token: string; newPassword: string }): Promise<{ user: ServiceUser }> {
    const { clock, events, logger, mailboxProof, mailedTokens, storage } = this.tools;
    checkInput(input);
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
      { event: 'password_reset', userId: reset.user.id, claimed: reset.claimed },
      'a password was reset',
    );
    if (reset.claimed) mailboxProof.reportClaim(reset.user.id);
    events.emit('password.reset', { userId: reset.user.id });
    this.notify(reset.user);
    return { user: toServiceUser(reset.user) };
  }

  /** The user if the password is theirs. One look-up and one verification in every case, of the same cost. */
  private async check(email: string, password: string): Promise<StoredUser | null> {
    // Read before the password is checked: a reset in between makes the session that follows void.
    const user = await this.tools.storage.users.findByEmail(email);
    // A password that cannot have been set is compared with the decoy, as for a user who is not there.
    const isStorable = isStorablePassword(password);
    const hash = isStorable ? (user?.passwordHash ?? null) : null;
    return (await this.passwords.verify(isStorable ? password : '', hash)) ? user : null;
  }

  private async addPassword(
    user: StoredUser,
    password: string,
    context: RequestContext,
  ): Promise<SignInResult> {
    const { clock, events, signIn, storage } = this.tools;
    if (user.passwordHash !== null || (await signIn.currentUserId(context)) !== user.id)
      throw new EmailExistsError();
    const passwordHash = await this.passwords.hash(password);
    const now = new Date(clock());
    // With the epoch that was read before the session was checked: a claim or a revocation in between wins.
    const isFirst = await storage.users.setFirstPassword(user.id, user.epoch, passwordHash, now);
    if (!isFirst) throw new EmailExistsError();
    events.emit('password.added', { userId: user.id });
    // A password alone starts no session where there is a second factor; the one that asked has shown both, and stays.
    const within = user.totpEnabled ? { ...context, startSession: false } : context;
    return signIn.complete('password_signup', { ...user, passwordHash, updatedAt: now }, false, within);
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

  private notify(user: StoredUser): void {
    const { background, mailer } = this.tools;
    const { notifyTemplate } = this.options;
    const { email } = user;
    if (!notifyTemplate || email === null) return;
    background.start('password notice', () =>
      mailer.send('notice', email, this.options, () => notifyTemplate({ appName: mailer.appName })),
    );
  }
}
