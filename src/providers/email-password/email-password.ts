/**
 * Sign-in with email address and password (specification 1, 2.4, 4.3, 5.4 to 5.6): signup, login, reset by mail.
 */
import { parseEmailAddress } from '../../domain/email-address.js';
import { parseMetadata } from '../../domain/metadata.js';
import type { ServiceUser } from '../../domain/user.js';
import { EmailExistsError, InvalidCredentialsError, WeakPasswordError } from '../../errors/catalog.js';
import { signUpBudgets } from '../../kit/budgets.js';
import { queueClientOf } from '../../kit/fair-queue.js';
import { checkInput, optional } from '../../kit/input.js';
import { stored } from '../../kit/mailbox-proof.js';
import { PasswordVerifier, type PasswordPlace } from '../../kit/password-hasher.js';
import { checkByApplication, checkPasswordForm } from '../../kit/password-policy.js';
import { usualFreshMs } from '../../kit/sessions.js';
import type { ChangedUser, RequestContext, SignInResult } from '../../kit/sign-in.js';
import type { EmailPasswordOptions, EmailPasswordTools } from './options.js';
import { PasswordChanges, type PasswordChangeInput } from './password-changes.js';
import { PasswordGuesses } from './password-guesses.js';
import { PasswordResets } from './password-resets.js';

export class EmailPasswordProvider {
  private readonly passwords: PasswordVerifier;
  private readonly guesses: PasswordGuesses;
  private readonly changes: PasswordChanges;
  private readonly resets: PasswordResets;

  constructor(
    private readonly options: EmailPasswordOptions,
    private readonly tools: EmailPasswordTools,
  ) {
    this.passwords = new PasswordVerifier(options.hasher);
    this.guesses = new PasswordGuesses(this.passwords, tools);
    this.changes = new PasswordChanges(options, tools, this.passwords, this.guesses);
    this.resets = new PasswordResets(options, tools, this.passwords, this.changes);
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
    const { mailboxProof, signIn, storage } = this.tools;
    checkInput(input);
    context = optional(context);
    const { ip } = context;
    const email = parseEmailAddress(input.email);
    const metadata = parseMetadata(input.metadata);
    const { existing, user } = await this.asSignUp(input.password, email, ip, async (place) => {
      const owner = await storage.users.findByEmail(email);
      if (owner) return { existing: owner };
      const passwordHash = await place.hash(input.password);
      const newUser = mailboxProof.newUser({ email, emailVerified: false, metadata, passwordHash });
      return (await storage.users.insert(newUser)) ? { user: newUser } : {};
    });
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
    return this.resets.request(input, context);
  }

  /**
   * Sets a new password with the token of a reset link: revokes every session, voids all pending codes and links of the
   * user, marks the address verified, and signs nobody in. A password that is refused does not use up the token. The token is void if
   * the address, the password or the epoch of a verified account has changed since it was mailed.
   * @param input.revokeCredentials also removes the user's passkeys and API keys, in the same transaction; false by default.
   * @throws InvalidRequestError, TokenInvalidError, WeakPasswordError; RateLimitError after 100 tries with one link.
   */
  async setPassword(
    input: { token: string; newPassword: string; revokeCredentials?: boolean },
    context: RequestContext = {},
  ): Promise<{ user: ServiceUser }> {
    return this.resets.setPassword(input, context);
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
    await guestUpgrades.assertGuest(userId);
    const user = await this.asSignUp(password, email, context.ip, async (place) => {
      const passwordHash = await place.hash(password);
      try {
        return await guestUpgrades.upgrade(userId, { email, passwordHash }, context);
      } catch (error) {
        if (error instanceof EmailExistsError) return null;
        throw error;
      }
    });
    if (!user) throw new EmailExistsError();
    return signIn.goOn(user, context, false);
  }

  /**
   * Checks a new password and does `work`, in a place of the queue and within the limits of sign-ups. Both come before the check by
   * the application, which may ask another server. A refused password and a taken address stay charged: they cost a hash, or
   * reveal an account.
   */
  private async asSignUp<T>(
    password: string,
    email: string,
    ip: string | undefined,
    work: (place: PasswordPlace) => Promise<T>,
  ): Promise<T> {
    const { limiter, limits } = this.tools;
    checkPasswordForm(password, this.options);
    const outcome = await this.passwords.withPlace(queueClientOf(ip), (place) =>
      limiter.spend(signUpBudgets(limits.signUp, ip), async () => {
        await place.turn();
        try {
          await checkByApplication(password, email, this.options);
        } catch (error) {
          if (error instanceof WeakPasswordError) return error;
          throw error;
        }
        return { result: await work(place) };
      }),
    );
    if (outcome instanceof WeakPasswordError) throw outcome;
    return outcome.result;
  }
}
