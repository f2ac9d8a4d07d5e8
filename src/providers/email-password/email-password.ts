/**
 * Sign-in with email address and password (specification 1, 2.4, 4.3, 5.4 to 5.6): sign-up, login, reset by mail.
 */
import type * as z from 'zod';
import { parseEmailAddress } from '../../domain/email-address.js';
import type { LegacyQuery } from '../../domain/legacy-query.js';
import type { ServiceUser } from '../../domain/user.js';
import { usernameKey } from '../../domain/username.js';
import {
  InvalidCredentialsError,
  InvalidRequestError,
  ProviderNotConfiguredError,
} from '../../errors/catalog.js';
import type { SentCode } from '../../domain/one-time-code.js';
import { capability } from '../../core/support/capability.js';
import { parseInput } from '../../core/support/input.js';
import { PasswordVerifier } from '../../core/passwords/password-verifier.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import type { ChangedUser, SignInResult } from '../../core/sessions/sign-in-result.js';
import {
  loginInput,
  verifyEmailInput,
  type finishSignUpInput,
  type resendSignUpInput,
  type EmailPasswordOptions,
  type EmailPasswordTools,
  type PasswordChangeInput,
  type requestResetInput,
  type setPasswordInput,
  type signupInput,
  type upgradeWithPasswordInput,
} from './options.js';
import { createReset, type CreatedReset } from './created-resets.js';
import { LoginCodes, type LoginSubject } from './login-codes.js';
import { PasswordChanges } from './password-changes.js';
import { PasswordGuesses } from './password-guesses.js';
import { PasswordResets } from './password-resets.js';
import { PasswordSignUps } from './password-sign-ups.js';
import type { PendingSignUp } from './private-sign-ups.js';
import { mustBeInPerson } from '../../core/sessions/in-person.js';

export class EmailPasswordProvider {
  private readonly passwords: PasswordVerifier;
  private readonly guesses: PasswordGuesses;
  private readonly changes: PasswordChanges;
  private readonly resets: PasswordResets;
  private readonly signUps: PasswordSignUps;
  private readonly loginCodes: LoginCodes;

  constructor(
    private readonly options: EmailPasswordOptions,
    private readonly tools: EmailPasswordTools,
  ) {
    this.passwords = new PasswordVerifier(options.hasher, tools.telemetry);
    this.guesses = new PasswordGuesses(this.passwords, tools);
    this.changes = new PasswordChanges(options, tools, this.passwords, this.guesses);
    this.resets = new PasswordResets(options, tools, this.passwords, this.changes);
    this.signUps = new PasswordSignUps(options, tools, this.passwords, this.changes);
    this.loginCodes = new LoginCodes(options, tools);
  }

  /**
   * Checks the file of `commonPasswords`, and computes the decoy hash, so that the first login does not wait for it. Called by
   * `service.init()`. @throws ConfigError
   */
  async prepare(): Promise<void> {
    await this.tools.newPasswords.rules.prepare();
    await this.passwords.prepare();
  }

  /**
   * Creates an account with a password. Its address is unverified until the user proves access to the mailbox.
   * Refuses an address that has an account, with or without a password: attaching a password would hand the account over.
   * Only an active session of that account (`context.sessionToken`) may give a passwordless account its first password. That
   * session continues, and no other is started.
   * Every sign-up counts against the limits of its client and network (`rateLimit.signUp`), even if it is refused because the
   * account exists.
   * The sign-up policy is asked whether or not the address has an account, so its refusal reveals nothing.
   * With `signUp.revealExisting: false`, it refuses with the reason `email_unproven`: call `startSignUp`.
   * @param input.fields the fields of `signUp.fields`, stored in the metadata. `input.metadata` replaces fields of the same name.
   * @param input.email may be absent with a user name and `usernames.signUpWithoutEmail`: no mail can then reset the password.
   * @param input.username requires `usernames.enabled`. If another user has it, the error has the reason `username_taken`.
   * @throws InvalidRequestError, WeakPasswordError, RateLimitError, ChallengeRequiredError, SignUpDisabledError, EmailExistsError; ReauthRequiredError if the
   * sign-in of that session was more than ten minutes ago, or skipped the second factor in a trusted browser.
   */
  async signup(
    input: z.infer<ReturnType<typeof signupInput>>,
    context: RequestContext = {},
  ): Promise<SignInResult> {
    return this.signUps.signUp(input, context);
  }

  /**
   * Signs up as the route does. With `signUp.revealExisting: false`, creates nothing and mails a code, also to an address that has an
   * account: neither the result nor the time reveals which. `finishSignUp` creates the account. Otherwise the same as `signup`.
   * @throws InvalidRequestError, WeakPasswordError, RateLimitError, ChallengeRequiredError, SignUpDisabledError; EmailSendError; a failed
   * send is not counted. The other errors of `signup` only with `signUp.revealExisting`.
   */
  async startSignUp(
    input: z.infer<ReturnType<typeof signupInput>>,
    context: RequestContext = {},
  ): Promise<SignInResult | PendingSignUp> {
    return this.signUps.start(input, context);
  }

  /**
   * Mails another code for a sign-up of `startSignUp`, in place of the previous one. The password need not be sent again.
   * @throws TokenInvalidError if the token is malformed or an hour older than its code; CodeNotFoundError if the sign-up is complete;
   * RateLimitError; EmailSendError; a failed send is not counted.
   */
  async resendSignUp(
    input: z.infer<ReturnType<typeof resendSignUpInput>>,
    context: RequestContext = {},
  ): Promise<SentCode> {
    return this.signUps.private.resend(input, context);
  }

  /**
   * Completes a sign-up of `startSignUp` with the mailed code: creates the account, with a verified address. If the address has an
   * account, signs in to it and drops the new password, unless the account is unverified and therefore reclaimed.
   * @throws TokenInvalidError, RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError, CodeInvalidError, SignUpDisabledError,
   * UserBlockedError; InvalidRequestError with the reason `username_taken` if another user has taken the user name in the meantime.
   */
  async finishSignUp(
    input: z.infer<ReturnType<typeof finishSignUpInput>>,
    context: RequestContext = {},
  ): Promise<SignInResult> {
    return this.signUps.private.finish(input, context);
  }

  /**
   * Signs in with an address or, if `usernames.enabled`, a user name. An unknown address or user name, an account without a password
   * and a wrong password cause the same error at the same cost.
   * If the wrong passwords that a day allows for the address are used up, the error has the reason `code_required`, and a code is mailed to
   * the account, if there is one. With the right `input.code` the password is evaluated; wrong and right passwords get the same error without it.
   * @throws InvalidRequestError, RateLimitError, InvalidCredentialsError; ProviderNotConfiguredError for a user name without
   * `usernames.enabled`; with a code CodeNotFoundError, CodeExpiredError, MaxAttemptsError, CodeInvalidError.
   */
  async login(
    input: z.infer<ReturnType<typeof loginInput>>,
    context: RequestContext = {},
  ): Promise<SignInResult> {
    const { email, username, password, code } = parseInput(loginInput, input);
    context = parseContext(context);
    const login = await this.subjectOf(email, username);
    const query = username === undefined ? { email: login.subject } : { username };
    const attempt = { method: 'password_login', subject: login.subject, context };
    return this.tools.signIn.attempts.run(attempt, () =>
      this.guess(login, { password, code, query }, context),
    );
  }

  private async guess(
    login: LoginSubject,
    { password, code, query }: { password: string; code: string | undefined; query: LegacyQuery },
    context: RequestContext,
  ): Promise<SignInResult> {
    const { signIn } = this.tools;
    const { subject, owner } = login;
    if (code !== undefined) await this.loginCodes.redeem(login, code, context);
    const guess = await this.guesses
      .check(subject, password, context, owner, query)
      .catch((error: unknown) => this.loginCodes.refuse(error, login, context));
    try {
      const { user, correction } = guess;
      if (!user) {
        const attempt = { method: 'password_login', subject, userId: guess.attemptedId, context };
        throw signIn.failed(attempt, new InvalidCredentialsError());
      }
      return await signIn.completeSignIn('password_login', user, false, context, { correction });
    } finally {
      await guess.end();
    }
  }

  /**
   * Mails a reset link, a code or both (option `reset`) if the address has an account, with or without a password. Resolves before it queries anything:
   * neither the result, the time nor a failure reveals whether there is one. The mail is sent in the background.
   * @param input.redirectTo overrides `resetUrl` for this link; its origin must be allowed.
   * @throws InvalidRequestError if `email` is not a string or `redirectTo` is not allowed; ProviderNotConfiguredError without
   * `resetUrl`.
   */
  async requestReset(
    input: z.infer<ReturnType<typeof requestResetInput>>,
    context: RequestContext = {},
  ): Promise<{ sent: true }> {
    return this.resets.request(input, context);
  }

  /**
   * Returns a reset link for an application that mails it itself: the one that `requestReset` mails, valid once and for 30 minutes, and
   * counted against the same limits. Null if the address has no account: the visitor must not learn which, nor from the time of the response.
   * @param input.redirectTo overrides `resetUrl` for this link; its origin must be allowed.
   * @throws InvalidRequestError if `email` is malformed or `redirectTo` is not allowed; RateLimitError; ProviderNotConfiguredError without
   * `resetUrl` and `redirectTo`.
   */
  async createReset(
    input: z.infer<ReturnType<typeof requestResetInput>>,
    context: RequestContext = {},
  ): Promise<CreatedReset | null> {
    return createReset(input, context, this.options, this.tools);
  }

  /**
   * Sets a new password with the token of a reset link, or with an address and the code that was mailed to it: revokes every session, voids all pending codes and links of the
   * user, marks the address verified, and signs no one in. A refused password consumes neither. Both are invalid if
   * the address, the password or the epoch of a verified account has changed since they were mailed. A link and the code of the same mail end each other.
   * @param input.revokeCredentials also removes the user's passkeys and API keys, in the same transaction; false by default.
   * @throws InvalidRequestError, WeakPasswordError; with a link TokenInvalidError, and RateLimitError after 100 attempts with it; with a
   * code RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError, CodeInvalidError, and ProviderNotConfiguredError without
   * the option `reset`.
   */
  async setPassword(
    input: z.infer<ReturnType<typeof setPasswordInput>>,
    context: RequestContext = {},
  ): Promise<{ user: ServiceUser }> {
    return this.resets.setPassword(input, context);
  }

  /**
   * Changes the password, given the current one, or sets a first one. With `context.startSession`, starts a new session for the
   * browser. A change revokes every session and voids all pending codes and links of the user; a first password requires the
   * user's own session (`context.sessionToken`), which it replaces.
   * @throws UserNotFoundError, InvalidRequestError, WeakPasswordError, RateLimitError; InvalidCredentialsError with the field
   * `currentPassword` if it is wrong, or a reset has just replaced it; TokenInvalidError if all sessions of the user ended in
   * the meantime; NotAuthorizedError for a first password without such a session.
   */
  async changePassword(input: PasswordChangeInput, context: RequestContext = {}): Promise<ChangedUser> {
    return this.changes.change(input, context);
  }

  /**
   * Upgrades a guest to a user with an address, unverified as after a sign-up, and a password. Refused with `signUp.revealExisting: false`. Revokes the guest's tokens; with
   * `context.startSession`, starts a new session for the browser.
   * @throws UserNotFoundError, InvalidRequestError, WeakPasswordError, ChallengeRequiredError; NotAuthorizedError if the user is not a guest;
   * SignUpDisabledError if the address may not sign up; EmailExistsError if the address has an account; TokenInvalidError if all sessions of the guest ended in the meantime.
   */
  async upgradeGuest(
    input: z.infer<ReturnType<typeof upgradeWithPasswordInput>>,
    context: RequestContext = {},
  ): Promise<ChangedUser> {
    return this.signUps.upgradeGuest(input, context);
  }

  /** @throws ProviderNotConfiguredError unless `verifyEmail` is `send` or `require`. */
  assertVerificationEnabled(): void {
    if (this.options.verifyEmail === 'off') throw new ProviderNotConfiguredError('emailPassword.verifyEmail');
  }

  /**
   * Mails the user a code for their address, as a sign-up does with `verifyEmail`. If it is already verified, `expiresAt` is null and
   * nothing is sent.
   * @throws UserNotFoundError, RateLimitError; InvalidRequestError for a user without an address; ProviderNotConfiguredError without
   * `verifyEmail`; EmailSendError; a failed send is not counted.
   */
  async sendVerification(userId: string, context: RequestContext = {}): Promise<{ expiresAt: Date | null }> {
    context = parseContext(context);
    this.assertVerificationEnabled();
    const { verificationTemplate: template, ...mail } = this.options;
    return this.tools.addressVerification.send(userId, { ...mail, template }, context);
  }

  /**
   * Marks the address of the user verified, with the code that was mailed to it, and changes nothing else. Call it only in a
   * session of that user that is not an impersonation.
   * @throws UserNotFoundError, InvalidRequestError, RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError,
   * CodeInvalidError; ProviderNotConfiguredError without `verifyEmail`.
   */
  async verifyEmail(
    input: z.infer<ReturnType<typeof verifyEmailInput>>,
    context: RequestContext = {},
  ): Promise<{ user: ServiceUser }> {
    const { userId, code } = parseInput(verifyEmailInput, input);
    mustBeInPerson(userId, context);
    const { ip } = parseContext(context);
    this.assertVerificationEnabled();
    return this.tools.addressVerification.verify(userId, code, ip);
  }

  /** The limits of a login by user name are those of the name: those of the address would reveal the address. */
  private async subjectOf(email: string | undefined, username: string | undefined): Promise<LoginSubject> {
    const { storage, usernames } = this.tools;
    if (username === undefined) return { subject: parseEmailAddress(email) };
    usernames.assertEnabled();
    if (email !== undefined) throw eitherOr();
    const key = usernameKey(username);
    const user = await capability(storage, 'userAdministration').find({ usernameKey: key });
    return { subject: key, owner: { user } };
  }
}

function eitherOr(): InvalidRequestError {
  return new InvalidRequestError('Send either email or username, not both.', { field: 'username' });
}
