/**
 * Passkeys (specification 4.3, `webauthn`; docs/decisions/passkeys.md; WebAuthn Level 3, 7.1 and 7.2). The challenge of every ceremony
 * is also kept here, for five minutes and one use: what the caller hands back alone would let an answer be replayed for ever.
 */
import type * as WebAuthn from '@simplewebauthn/server';
import { toPublicCredential, type PublicCredential, type StoredCredential } from '../../domain/credential.js';
import { anybody } from '../../domain/single-use-token.js';
import type { StoredUser } from '../../domain/user.js';
import {
  InternalError,
  InvalidRequestError,
  NotAuthorizedError,
  TokenInvalidError,
} from '../../errors/catalog.js';
import { challengeBudgets, registrationBudgets } from '../../kit/budgets.js';
import { capability } from '../../kit/capability.js';
import { existingMember, existingUser } from '../../kit/existing-user.js';
import { checkInput, optional } from '../../kit/input.js';
import { describeError } from '../../kit/logger.js';
import { readPage, type Page, type PageRequest } from '../../kit/pages.js';
import { canSignIn, lastSignInMethodError } from '../../kit/sign-in-methods.js';
import type { RequestContext, SignInResult } from '../../kit/sign-in.js';
import type { Toolkit } from '../../kit/toolkit.js';
import type { ListRange } from '../../storage/list-range.js';
import type { CredentialRepository } from '../../storage/pro-repositories.js';
import type { WaysIn } from '../../storage/repositories.js';
import { isCredentialId } from './answer.js';
import { Challenges } from './challenges.js';
import { PasskeyPolicy, userHandle, type WebAuthnOptions } from './policy.js';

type Tools = Pick<
  Toolkit,
  'clock' | 'events' | 'limiter' | 'logger' | 'mailer' | 'signIn' | 'signInMethods' | 'storage'
>;

type CredentialPage = Page<{ credentials: PublicCredential[] }>;

export type RegistrationResponse = WebAuthn.RegistrationResponseJSON;
export type AuthenticationResponse = WebAuthn.AuthenticationResponseJSON;
export type RegistrationOptions = WebAuthn.PublicKeyCredentialCreationOptionsJSON;
export type AuthenticationOptions = WebAuthn.PublicKeyCredentialRequestOptionsJSON;

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
   * The options for `navigator.credentials.create`, as JSON. Keep `challenge` with the browser's session until the answer.
   * @throws UserNotFoundError; NotAuthorizedError for a guest, whom `sessionsProvider.upgrade` makes a user first; RateLimitError.
   */
  async startRegistration(userId: string): Promise<{ options: RegistrationOptions; challenge: string }> {
    const user = await existingMember(this.tools.storage, userId);
    await this.tools.limiter.charge(registrationBudgets(user.id));
    const existing = await this.credentials.listForUser(user.id);
    const options = await this.policy.registrationOptions(user, existing);
    await this.challenges.remember('webauthn_registration', options.challenge, user.id, {
      epoch: user.epoch,
    });
    return { options, challenge: options.challenge };
  }

  /**
   * Adds the passkey of a browser's answer to the user.
   * @throws TokenInvalidError for an answer that does not hold, or a challenge that is not this user's, used or older than five
   * minutes; InvalidRequestError for a passkey that is registered already; UserNotFoundError; NotAuthorizedError for a guest.
   */
  async finishRegistration(input: {
    userId: string;
    response: WebAuthn.RegistrationResponseJSON;
    expectedChallenge: string;
  }): Promise<{ credential: PublicCredential }> {
    const { clock, events, logger, storage } = this.tools;
    checkInput(input);
    const { userId, response, expectedChallenge } = input;
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
    // The epoch of the start: whoever began before everything of the user was revoked does not leave a way in behind.
    const outcome = await this.credentials.insert(stored, metadata.epoch as number);
    if (outcome === 'taken') throw new InvalidRequestError('This passkey is registered already.');
    if (outcome === 'guest') throw new NotAuthorizedError();
    if (outcome === 'no_user') throw new TokenInvalidError();
    const about = { userId: user.id, credentialId: stored.id };
    logger.info({ event: 'passkey_registered', ...about }, 'a passkey was registered');
    events.emit('passkey.registered', about);
    return { credential: toPublicCredential(stored) };
  }

  /**
   * The options for `navigator.credentials.get`, as JSON. Without a user, whoever has a discoverable passkey may answer: then
   * nothing is told of any account. @throws UserNotFoundError, RateLimitError
   */
  async startAuthentication(
    userId?: string,
    context: RequestContext = {},
  ): Promise<{ options: AuthenticationOptions; challenge: string }> {
    await this.tools.limiter.charge(challengeBudgets(optional(context).ip));
    const user = userId === undefined ? null : await existingUser(this.tools.storage.users, userId);
    const allowed = user ? await this.credentials.listForUser(user.id) : [];
    const options = await this.policy.authenticationOptions(allowed);
    await this.challenges.remember('webauthn_authentication', options.challenge, user?.id ?? anybody, {});
    return { options, challenge: options.challenge };
  }

  /**
   * Signs in with a browser's answer. With `userId` the passkey must be that user's.
   * @throws TokenInvalidError for everything that does not hold.
   */
  async finishAuthentication(
    input: {
      userId?: string;
      response: WebAuthn.AuthenticationResponseJSON;
      expectedChallenge: string;
    },
    context: RequestContext = {},
  ): Promise<SignInResult> {
    const { signIn } = this.tools;
    checkInput(input);
    context = optional(context);
    const { userId, response, expectedChallenge } = input;
    try {
      await this.challenges.consume('webauthn_authentication', expectedChallenge, [anybody, userId]);
      const { credential, user } = await this.ownerOf(response, userId);
      const answer = await this.holds(() =>
        this.policy.verifyAuthentication(response, expectedChallenge, credential),
      );
      await this.use(credential, answer);
      // Something held and somebody checked by it are two factors (NIST SP 800-63B); a touch alone is one.
      return answer.userVerified
        ? await signIn.completeTwoFactors('passkey', user, context)
        : await signIn.complete('passkey', user, false, context);
    } catch (error) {
      if (error instanceof TokenInvalidError)
        throw signIn.failed('passkey', typeof userId === 'string' ? userId : 'unknown', error, context);
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
   * @throws UserNotFoundError; InvalidRequestError if the user has no such passkey, and with the reason
   * `last_sign_in_method` if it is the last way to sign in.
   */
  async removeCredential(userId: string, credentialId: string): Promise<void> {
    const { signInMethods, storage } = this.tools;
    const user = await existingUser(storage.users, userId);
    let isLast = false;
    const allowed = (left: WaysIn) => !(isLast = !canSignIn(signInMethods, left));
    const isRemoved =
      isCredentialId(credentialId) && (await this.credentials.remove(user.id, credentialId, allowed));
    if (isLast) throw lastSignInMethodError();
    if (!isRemoved) throw new InvalidRequestError('The user has no such passkey.');
    this.tools.logger.info(
      { event: 'passkey_removed', userId: user.id, credentialId },
      'a passkey was removed',
    );
    this.tools.events.emit('passkey.removed', { userId: user.id, credentialId });
  }

  private async ownerOf(
    response: WebAuthn.AuthenticationResponseJSON,
    userId: string | undefined,
  ): Promise<{ credential: StoredCredential; user: StoredUser }> {
    const id: unknown = response?.id;
    const found = isCredentialId(id) ? await this.credentials.findWithUser(id) : null;
    if (!found || (userId !== undefined && found.user.id !== userId)) throw new TokenInvalidError();
    // WebAuthn Level 3, 7.2, step 6: a discoverable passkey says whose it is, and must not say otherwise.
    const handle: unknown = response.response?.userHandle ?? undefined;
    const expected = Buffer.from(userHandle(found.user.id)).toString('base64url');
    const isAbsent = handle === undefined && userId !== undefined;
    if (!isAbsent && handle !== expected) throw new TokenInvalidError();
    return found;
  }

  /** Notes the use. A counter that does not go forward is a copy of the key at work (WebAuthn Level 3, 6.1.1). */
  private async use(
    { id, userId }: StoredCredential,
    { counter, backedUp }: { counter: number; backedUp: boolean },
  ): Promise<void> {
    const { clock, events, logger } = this.tools;
    if (await this.credentials.use({ id, counter, backedUp, now: new Date(clock()) })) return;
    // Removed in the meantime: no copy of it is at work.
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
   * Whatever is wrong with an answer is one error for the caller, and a reason for the logger, without the library's quotes of it.
   */
  private async holds<T>(verify: () => Promise<T>): Promise<T> {
    try {
      return await verify();
    } catch (error) {
      if (error instanceof InternalError) throw error; // a package that could not be loaded
      const [reason] = String(describeError(error).message).slice(0, 100).split(/["':]/, 1);
      this.tools.logger.info({ event: 'passkey_refused', reason }, 'a passkey answer does not hold');
      throw new TokenInvalidError();
    }
  }
}
