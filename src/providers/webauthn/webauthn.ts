/**
 * Passkeys (specification 4.3, `webauthn`; docs/decisions/passkeys.md; WebAuthn Level 3, 7.1 and 7.2). The challenge of every ceremony
 * is also kept here, for five minutes and one use: otherwise a response could be replayed forever.
 */
import type * as z from 'zod';
import { toPublicCredential, type PublicCredential, type StoredCredential } from '../../domain/credential.js';
import type {
  AuthenticationOptions,
  AuthenticationResponse,
  RegistrationOptions,
} from '../../domain/passkey-json.js';
import { anybody } from '../../domain/single-use-token.js';
import type { StoredUser } from '../../domain/user.js';
import {
  InternalError,
  InvalidRequestError,
  NotAuthorizedError,
  TokenInvalidError,
} from '../../errors/catalog.js';
import { challengeLimits, registrationLimits } from '../../core/limits/rate-limits.js';
import { capability } from '../../core/support/capability.js';
import { parseChangeBy, type AdministrativeChange } from '../../core/sessions/change-by.js';
import { existingMember, existingUser } from '../../core/sessions/existing-user.js';
import { optional, parseInput } from '../../core/support/input.js';
import { describeError } from '../../core/support/logger.js';
import { readPage, type Page, type PageRequest } from '../../core/support/pages.js';
import { canSignIn, lastSignInMethodError } from '../../core/sessions/sign-in-methods.js';
import type { RequestContext, SignInResult } from '../../core/sessions/sign-in.js';
import type { Toolkit } from '../../core/toolkit.js';
import type { ListRange } from '../../storage/list-range.js';
import type { CredentialRepository } from '../../storage/second-factor-repositories.js';
import type { SignInMethods } from '../../storage/repositories.js';
import { isCredentialId } from './answer.js';
import { Challenges } from './challenges.js';
import { authentication, registration } from './inputs.js';
import { PasskeyPolicy, userHandle, type WebAuthnOptions } from './policy.js';

type Tools = Pick<
  Toolkit,
  'clock' | 'events' | 'limiter' | 'logger' | 'mailer' | 'signIn' | 'signInMethods' | 'storage'
>;

type CredentialPage = Page<{ credentials: PublicCredential[] }>;

export class WebAuthnProvider {
  private readonly challenges: Challenges;
  private readonly credentials: CredentialRepository;
  private readonly policy: PasskeyPolicy;

  constructor(
    options: WebAuthnOptions,
    private readonly tools: Tools,
  ) {
    this.credentials = capability(tools.storage, 'credentials');
    this.challenges = new Challenges(tools);
    this.policy = new PasskeyPolicy(options, tools.mailer.appName);
  }

  /**
   * Returns the options for `navigator.credentials.create`, as JSON. Keep `challenge` with the browser's session until the response.
   * @throws UserNotFoundError; NotAuthorizedError for a guest, whom `sessionsProvider.upgrade` makes a user first; RateLimitError.
   */
  async startRegistration(userId: string): Promise<{ options: RegistrationOptions; challenge: string }> {
    const user = await existingMember(this.tools.storage, userId);
    await this.tools.limiter.consume(registrationLimits(user.id));
    const existing = await this.credentials.listForUser(user.id);
    const options = await this.policy.registrationOptions(user, existing);
    await this.challenges.remember('webauthn_registration', options.challenge, user.id, {
      epoch: user.epoch,
    });
    return { options, challenge: options.challenge };
  }

  /**
   * Verifies a browser's response and adds the passkey to the user.
   * @throws TokenInvalidError for an invalid response, or a challenge that is not this user's, already used or older than five
   * minutes; InvalidRequestError if the passkey is already registered; UserNotFoundError; NotAuthorizedError for a guest.
   */
  async finishRegistration(
    input: z.infer<ReturnType<typeof registration>>,
  ): Promise<{ credential: PublicCredential }> {
    const { clock, events, logger, storage } = this.tools;
    const { userId, response, expectedChallenge } = parseInput(registration, input);
    const user = await existingMember(storage, userId);
    const { metadata } = await this.challenges.consume('webauthn_registration', expectedChallenge, [user.id]);
    const verified = await this.holds(() => this.policy.verifyRegistration(response, expectedChallenge));
    const { credential, ...backup } = verified;
    const stored: StoredCredential = {
      ...credential,
      ...backup,
      userId: user.id,
      createdAt: new Date(clock()),
      lastUsedAt: null,
    };
    // With the epoch of the start: a ceremony that began before all sessions were revoked must not add a sign-in method.
    const outcome = await this.credentials.insert(stored, metadata.epoch as number);
    if (outcome === 'taken') throw new InvalidRequestError('This passkey is already registered.');
    if (outcome === 'guest') throw new NotAuthorizedError();
    if (outcome === 'no_user') throw new TokenInvalidError();
    const about = { userId: user.id, credentialId: stored.id };
    logger.info({ event: 'passkey_registered', ...about }, 'a passkey was registered');
    events.emit('passkey.registered', about);
    return { credential: toPublicCredential(stored) };
  }

  /**
   * Returns the options for `navigator.credentials.get`, as JSON. Without a user, any discoverable passkey is accepted, and
   * nothing is revealed about any account. @throws UserNotFoundError, RateLimitError
   */
  async startAuthentication(
    userId?: string,
    context: RequestContext = {},
  ): Promise<{ options: AuthenticationOptions; challenge: string }> {
    await this.tools.limiter.consume(challengeLimits(optional(context).ip));
    const user = userId === undefined ? null : await existingUser(this.tools.storage.users, userId);
    const allowed = user ? await this.credentials.listForUser(user.id) : [];
    const options = await this.policy.authenticationOptions(allowed);
    await this.challenges.remember('webauthn_authentication', options.challenge, user?.id ?? anybody, {});
    return { options, challenge: options.challenge };
  }

  /**
   * Signs in with a browser's response. With `userId`, the passkey must be that user's.
   * @throws TokenInvalidError for every invalid response.
   */
  async finishAuthentication(
    input: z.infer<ReturnType<typeof authentication>>,
    context: RequestContext = {},
  ): Promise<SignInResult> {
    const { signIn } = this.tools;
    const { userId, response, expectedChallenge } = parseInput(authentication, input);
    context = optional(context);
    try {
      await this.challenges.consume('webauthn_authentication', expectedChallenge, [anybody, userId]);
      const { credential, user } = await this.ownerOf(response, userId);
      const answer = await this.holds(() =>
        this.policy.verifyAuthentication(response, expectedChallenge, credential),
      );
      await this.use(credential, answer);
      // Possession with user verification is two factors (NIST SP 800-63B); a touch alone is one.
      return answer.userVerified
        ? await signIn.completeTwoFactors('passkey', user, context)
        : await signIn.completeSignIn('passkey', user, false, context);
    } catch (error) {
      if (error instanceof TokenInvalidError)
        throw signIn.failed('passkey', userId ?? 'unknown', error, context);
      throw error;
    }
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
   * Removes a passkey, unless the user would have no way left to sign in.
   * @param credentialId base64url, as listed.
   * @param by an administrator may remove the last way to sign in.
   * @throws UserNotFoundError; InvalidRequestError if the user has no such passkey, and with the reason
   * `last_sign_in_method` if it is the last way to sign in.
   */
  async removeCredential(userId: string, credentialId: string, by?: AdministrativeChange): Promise<void> {
    const { events, logger, signInMethods, storage } = this.tools;
    const { actor, acting } = parseChangeBy(by);
    const user = await existingUser(storage.users, userId);
    let isLast = false;
    const allowed = (left: SignInMethods) => !(isLast = !by && !canSignIn(signInMethods, left));
    const isRemoved =
      isCredentialId(credentialId) && (await this.credentials.remove(user.id, credentialId, allowed, acting));
    if (isLast) throw lastSignInMethodError();
    if (!isRemoved) throw new InvalidRequestError('The user has no such passkey.');
    const about = { userId: user.id, credentialId };
    // The event of an administrative change is logged with its actor.
    if (!by) logger.info({ event: 'passkey_removed', ...about }, 'a passkey was removed');
    events.emit('passkey.removed', { ...about, ...(by && { actor }) });
  }

  private async ownerOf(
    response: AuthenticationResponse,
    userId: string | undefined,
  ): Promise<{ credential: StoredCredential; user: StoredUser }> {
    const id: unknown = response?.id;
    const found = isCredentialId(id) ? await this.credentials.findWithUser(id) : null;
    if (!found || (userId !== undefined && found.user.id !== userId)) throw new TokenInvalidError();
    // WebAuthn Level 3, 7.2, step 6: a discoverable passkey names its user, who must be the owner.
    const handle: unknown = response.response?.userHandle ?? undefined;
    const expected = Buffer.from(userHandle(found.user.id)).toString('base64url');
    const isAbsent = handle === undefined && userId !== undefined;
    if (!isAbsent && handle !== expected) throw new TokenInvalidError();
    return found;
  }

  /** Records the use. A counter that does not increase indicates a cloned key (WebAuthn Level 3, 6.1.1). */
  private async use(
    { id, userId }: StoredCredential,
    { counter, backedUp }: { counter: number; backedUp: boolean },
  ): Promise<void> {
    const { clock, events, logger } = this.tools;
    if (await this.credentials.use({ id, counter, backedUp, now: new Date(clock()) })) return;
    // Removed in the meantime: not a cloned key.
    if (!(await this.credentials.findWithUser(id))) throw new TokenInvalidError();
    const about = { userId, credentialId: id };
    logger.warn(
      { event: 'passkey_counter_regressed', ...about },
      'the counter of a passkey did not go forward',
    );
    events.emit('passkey.counter_regressed', about);
    throw new TokenInvalidError();
  }

  /**
   * Maps every fault of a response to one error for the caller, and logs the reason, without the library's quotes from it.
   */
  private async holds<T>(verify: () => Promise<T>): Promise<T> {
    try {
      return await verify();
    } catch (error) {
      if (error instanceof InternalError) throw error; // a package that could not be loaded
      const [reason] = String(describeError(error).message).slice(0, 100).split(/["':]/, 1);
      this.tools.logger.info({ event: 'passkey_refused', reason }, 'a passkey response is invalid');
      throw new TokenInvalidError();
    }
  }
}
