/**
 * Passkeys (specification 4.3, `webauthn`; docs/decisions/passkeys.md; WebAuthn Level 3, 7.1 and 7.2). The challenge of every ceremony
 * is also kept here, for five minutes and one use: otherwise a response could be replayed forever.
 */
import type * as z from 'zod';
import type { SentCode } from '../../domain/one-time-code.js';
import { toPublicCredential, type PasskeySignals, type PublicCredential } from '../../domain/credential.js';
import type { AuthenticationOptions, RegistrationOptions } from '../../domain/passkey-json.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import { capability } from '../../core/support/capability.js';
import { parseAdministrative, type AdministrativeChange } from '../../core/sessions/change-by.js';
import { existingUser } from '../../core/sessions/existing-user.js';
import { mustBeInPerson } from '../../core/sessions/in-person.js';
import { readPage, type Page, type PageRequest } from '../../core/support/pages.js';
import { canSignIn, lastSignInMethodError } from '../../core/sessions/sign-in-methods.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import type { SignInResult } from '../../core/sessions/sign-in-result.js';
import type { ListRange } from '../../storage/list-range.js';
import type { CredentialRepository } from '../../storage/second-factor-repositories.js';
import type { SignInMethods } from '../../storage/repositories.js';
import { isCredentialId } from './answer.js';
import { Assertions } from './assertions.js';
import { Challenges } from './challenges.js';
import {
  type renameInput,
  type authenticationInput,
  type finishSecondFactorInput,
  type finishSignUpInput,
  type registrationInput,
  type RegistrationStart,
  type PasskeyTools,
  type sendSignUpCodeInput,
  type startSecondFactorInput,
  type startSignUpInput,
  type WebAuthnOptions,
} from './options.js';
import { PasskeyPolicy } from './policy.js';
import { PasskeyRegistrations } from './registrations.js';
import { PasskeySecondStep } from './second-step.js';
import { PasskeySignIns } from './sign-ins.js';
import { handleOf, signalsOf, type RelyingParty } from './signals.js';
import { PasskeySignUps } from './sign-ups.js';

/** A ceremony that has begun: what the browser needs, and what the application keeps. */
export interface StartedPasskey<Options> {
  options: Options;
  /** To be kept with the browser until the response. */
  challenge: string;
}

type CredentialPage = Page<{ credentials: PublicCredential[] }>;

export class WebAuthnProvider {
  private readonly credentials: CredentialRepository;
  private readonly registrations: PasskeyRegistrations;
  private readonly secondStep: PasskeySecondStep;
  private readonly signIns: PasskeySignIns;
  private readonly signUps: PasskeySignUps;
  /** The domain of the passkeys, and its other origins. */
  readonly relyingParty: RelyingParty;

  constructor(
    options: WebAuthnOptions,
    private readonly tools: PasskeyTools,
  ) {
    const credentials = capability(tools.storage, 'credentials');
    const challenges = new Challenges(tools);
    const policy = new PasskeyPolicy(options, tools.mailer.appName);
    const assertions = new Assertions(tools, credentials, policy);
    this.registrations = new PasskeyRegistrations(tools, credentials, challenges, policy);
    this.secondStep = new PasskeySecondStep(tools, credentials, challenges, policy, assertions);
    this.signIns = new PasskeySignIns(options, tools, credentials, challenges, policy, assertions);
    this.signUps = new PasskeySignUps(options, tools, credentials, challenges, policy);
    this.credentials = credentials;
    const { origins, relatedOrigins, rpId } = options;
    this.relyingParty = { rpId, origins, relatedOrigins };
  }

  /**
   * Returns the options for `navigator.credentials.create`, as JSON. Keep `challenge` with the browser's session until the response.
   * @param input.automatic whether the browser creates the passkey by itself, after a sign-in with a password (`mediation: 'conditional'`).
   * @throws UserNotFoundError; NotAuthorizedError for a guest, whom `sessionsProvider.upgrade` makes a user first; RateLimitError.
   */
  async startRegistration(
    userId: string,
    context: RequestContext = {},
    input: RegistrationStart = {},
  ): Promise<StartedPasskey<RegistrationOptions>> {
    return this.registrations.start(userId, context, input);
  }

  /**
   * Verifies a browser's response and adds the passkey to the user.
   * @param input.name by which the user recognizes the passkey. Default: the name of the authenticator's model.
   * @throws TokenInvalidError for an invalid response, or a challenge that is not this user's, already used or older than five
   * minutes; InvalidRequestError if the passkey is already registered, or the name is malformed; UserNotFoundError; NotAuthorizedError for a guest.
   */
  async finishRegistration(
    input: z.infer<ReturnType<typeof registrationInput>>,
    context: RequestContext = {},
  ): Promise<{ credential: PublicCredential }> {
    return this.registrations.finish(input, context);
  }

  /**
   * Returns the options for `navigator.credentials.get`, as JSON. Without a user, any discoverable passkey is accepted, and
   * nothing is revealed about any account. @throws UserNotFoundError, RateLimitError
   */
  async startAuthentication(
    userId?: string,
    context: RequestContext = {},
  ): Promise<StartedPasskey<AuthenticationOptions>> {
    return this.signIns.start(userId, context);
  }

  /**
   * As `startAuthentication` without a user, for passkeys among the suggestions of a form (`mediation: 'conditional'`): called at every
   * visit of a page, with a separate limit, so that visits do not use up the sign-ins of others with the same IP address.
   * @throws RateLimitError
   */
  async startAutofill(context: RequestContext = {}): Promise<StartedPasskey<AuthenticationOptions>> {
    return this.signIns.startAutofill(context);
  }

  /**
   * Signs in with a browser's response. With `userId`, the passkey must be that user's.
   * @throws TokenInvalidError for every invalid response; UserBlockedError.
   */
  async finishAuthentication(
    input: z.infer<ReturnType<typeof authenticationInput>>,
    context: RequestContext = {},
  ): Promise<SignInResult> {
    return this.signIns.finish(input, context);
  }

  /**
   * Returns the options for `navigator.credentials.get` to complete a pending sign-in: the user's passkeys, without user verification.
   * @throws TokenInvalidError if the token is not that of a pending sign-in; RateLimitError; NotAuthorizedError with the reason
   * `second_factor_unavailable` without `secondFactor`, if the user has no passkey, or after a sign-in with a passkey.
   */
  async startSecondFactor(
    input: z.infer<ReturnType<typeof startSecondFactorInput>>,
    context: RequestContext = {},
  ): Promise<StartedPasskey<AuthenticationOptions>> {
    return this.secondStep.start(input, context);
  }

  /**
   * Completes a pending sign-in with a passkey of its user. Works once per token and per challenge.
   * @throws as `startSecondFactor`; TokenInvalidError for every invalid response; UserBlockedError.
   */
  async finishSecondFactor(
    input: z.infer<ReturnType<typeof finishSecondFactorInput>>,
    context: RequestContext = {},
  ): Promise<SignInResult> {
    return this.secondStep.finish(input, context);
  }

  /** @throws ProviderNotConfiguredError without `signUp`. */
  assertSignUpEnabled(): void {
    this.signUps.assertEnabled();
  }

  /**
   * Mails a code that proves the address of a new account, if `signUp.address` is `verified`. Neither the result nor the time reveals
   * whether the address has an account: the mail to it does.
   * @throws InvalidRequestError, RateLimitError, ChallengeRequiredError, SignUpDisabledError, ProviderNotConfiguredError, EmailSendError.
   */
  async sendSignUpCode(
    input: z.infer<ReturnType<typeof sendSignUpCodeInput>>,
    context: RequestContext = {},
  ): Promise<SentCode> {
    return this.signUps.sendCode(input, context);
  }

  /**
   * Returns the options for `navigator.credentials.create` for a new account. Asks the sign-up policy, so that no passkey is created
   * for an account that is refused. Every start counts against the limits of sign-ups.
   * @param input.email required unless `signUp.address` is `none`; `input.code` if it is `verified`.
   * @throws InvalidRequestError, also with the reason `username_taken`; RateLimitError, ChallengeRequiredError, SignUpDisabledError;
   * CodeNotFoundError, CodeExpiredError, MaxAttemptsError, CodeInvalidError; EmailExistsError if a right code proves an address that has an account;
   * ReauthRequiredError if the address is that of the caller's own session, and its sign-in is not recent; ProviderNotConfiguredError.
   */
  async startSignUp(
    input: z.infer<ReturnType<typeof startSignUpInput>>,
    context: RequestContext = {},
  ): Promise<StartedPasskey<RegistrationOptions>> {
    return this.signUps.start(input, context);
  }

  /**
   * Creates the account with the passkey, both or neither, and signs in. An unverified account with the proven address is reclaimed.
   * With `signUp.address: 'later'`, mails a code for `account.confirmEmailChange` in the background.
   * @throws TokenInvalidError for an invalid response or challenge; InvalidRequestError if the passkey is already registered, or with
   * the reason `username_taken`; SignUpDisabledError; EmailExistsError if the proven address has an account by now; UserBlockedError;
   * ReauthRequiredError as `startSignUp`.
   */
  async finishSignUp(
    input: z.infer<ReturnType<typeof finishSignUpInput>>,
    context: RequestContext = {},
  ): Promise<SignInResult> {
    return this.signUps.finish(input, context);
  }

  /**
   * Returns the user's passkeys, oldest first, without their public keys: all of them, or one page.
   * @throws UserNotFoundError; InvalidRequestError for a malformed page.
   */
  async listCredentials(userId: string): Promise<PublicCredential[]>;
  async listCredentials(userId: string, page: PageRequest, context?: RequestContext): Promise<CredentialPage>;
  async listCredentials(userId: string, page?: PageRequest, context?: RequestContext) {
    const { id } = await existingUser(this.tools.storage.users, userId, context);
    if (page === undefined) return (await this.credentials.listForUser(id)).map(toPublicCredential);
    const list = (range: ListRange) => this.credentials.listForUser(id, range);
    const { rows, nextCursor } = await readPage(page, list, (credential) => credential);
    return { credentials: rows.map(toPublicCredential), nextCursor };
  }

  /**
   * Returns what a browser should know about the user's passkeys: what `PublicKeyCredential.signalAllAcceptedCredentials` and
   * `signalCurrentUserDetails` take. @throws UserNotFoundError
   */
  async signals(userId: string, context: RequestContext = {}): Promise<PasskeySignals> {
    mustBeInPerson(userId, context);
    return signalsOf(this.tools.storage, this.credentials, this.relyingParty, userId);
  }

  /** Names the passkeys of a user for a browser: the domain, and the user handle in base64url. The user may be deleted. */
  passkeysOf(userId: string): { rpId: string; userId: string } {
    return { rpId: this.relyingParty.rpId, userId: handleOf(String(userId)) };
  }

  /**
   * Sets the name of a passkey; null restores that of the authenticator's model.
   * @throws UserNotFoundError; InvalidRequestError if the user has no such passkey, or the name is malformed.
   */
  async renameCredential(
    input: z.infer<ReturnType<typeof renameInput>>,
    context: RequestContext = {},
  ): Promise<{ credential: PublicCredential }> {
    return this.registrations.rename(input, context);
  }

  /**
   * Removes a passkey, unless the user would have no way left to sign in.
   * @param credentialId base64url, as listed.
   * @param context with `actor`, an administrator removes it, who may remove the last way to sign in.
   * @throws UserNotFoundError; InvalidRequestError if the user has no such passkey, and with the reason
   * `last_sign_in_method` if it is the last way to sign in.
   */
  async removeCredential(
    userId: string,
    credentialId: string,
    context: RequestContext | AdministrativeChange = {},
  ): Promise<void> {
    const { accountNotices, events, logger, signInMethods, storage } = this.tools;
    const author = parseAdministrative(context);
    if (!author) mustBeInPerson(userId, context);
    const user = await existingUser(storage.users, userId);
    let isLast = false;
    const allowed = (left: SignInMethods) => !(isLast = !author && !canSignIn(signInMethods, left));
    const isRemoved =
      isCredentialId(credentialId) &&
      (await this.credentials.remove(user.id, credentialId, allowed, author?.acting));
    if (isLast) throw lastSignInMethodError();
    if (!isRemoved) throw new InvalidRequestError('The user has no such passkey.');
    accountNotices.send('passkey_removed', user, author ? undefined : context);
    const about = { userId: user.id, credentialId };
    // The event of an administrative change is logged with its actor.
    if (!author) logger.info({ event: 'passkey_removed', ...about }, 'a passkey was removed');
    events.emit('passkey.removed', { ...about, ...(author && { actor: author.actor }) });
  }
}
