/**
 * Passkeys (specification 4.3, `webauthn`; docs/decisions/passkeys.md; WebAuthn Level 3, 7.1 and 7.2). The challenge of every ceremony
 * is also kept here, for five minutes and one use: what the caller hands back alone would let an answer be replayed for ever.
 */
import type * as WebAuthn from '@simplewebauthn/server';
import { sha256 } from '../../crypto/digest.js';
import { toPublicCredential, type PublicCredential, type StoredCredential } from '../../domain/credential.js';
import { anybody, type SingleUseToken, type TokenPurpose } from '../../domain/single-use-token.js';
import type { StoredUser } from '../../domain/user.js';
import { InvalidRequestError, NotAuthorizedError, TokenInvalidError } from '../../errors/catalog.js';
import { challengeBudgets, registrationBudgets } from '../../kit/budgets.js';
import { capability } from '../../kit/capability.js';
import { existingMember, existingUser } from '../../kit/existing-user.js';
import { checkInput, optional } from '../../kit/input.js';
import { describeError } from '../../kit/logger.js';
import type { RequestContext, SignInResult } from '../../kit/sign-in.js';
import type { Toolkit } from '../../kit/toolkit.js';
import type { CredentialRepository } from '../../storage/pro-repositories.js';
import type { WaysIn } from '../../storage/repositories.js';
import { isCredentialId } from './answer.js';
import { PasskeyPolicy, userHandle, type WebAuthnOptions } from './policy.js';

type Tools = Pick<Toolkit, 'clock' | 'events' | 'limiter' | 'logger' | 'mailer' | 'signIn' | 'storage'>;

export type RegistrationResponse = WebAuthn.RegistrationResponseJSON;
export type AuthenticationResponse = WebAuthn.AuthenticationResponseJSON;
export type RegistrationOptions = WebAuthn.PublicKeyCredentialCreationOptionsJSON;
export type AuthenticationOptions = WebAuthn.PublicKeyCredentialRequestOptionsJSON;

const challengeTtlMs = 5 * 60_000;

export class WebAuthnProvider {
  private readonly credentials: CredentialRepository;
  private readonly policy: PasskeyPolicy;

  constructor(
    options: WebAuthnOptions,
    private readonly tools: Tools,
  ) {
    this.credentials = capability(tools.storage, 'credentials');
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
    await this.remember('webauthn_registration', options.challenge, user.id, { epoch: user.epoch });
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
    const { metadata } = await this.spend('webauthn_registration', expectedChallenge, [user.id]);
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
    await this.remember('webauthn_authentication', options.challenge, user?.id ?? anybody, {});
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
      await this.spend('webauthn_authentication', expectedChallenge, [anybody, userId]);
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

  /** The user's passkeys, oldest first, without their public keys. @throws UserNotFoundError */
  async listCredentials(userId: string): Promise<PublicCredential[]> {
    const user = await existingUser(this.tools.storage.users, userId);
    return (await this.credentials.listForUser(user.id)).map(toPublicCredential);
  }

  /**
   * Removes a passkey. Whether the user has another way in is for the application to ask.
   * @param credentialId base64url, as listed.
   * @param letsIn judges what would be left. Without it the last way in may go.
   * @throws UserNotFoundError; InvalidRequestError where the user has no such passkey, whoever else has, or `letsIn` says no.
   */
  async removeCredential(
    userId: string,
    credentialId: string,
    letsIn?: (left: WaysIn) => boolean,
  ): Promise<void> {
    const user = await existingUser(this.tools.storage.users, userId);
    let isLast = false;
    const allowed = letsIn && ((left: WaysIn) => !(isLast = !letsIn(left)));
    const isRemoved =
      isCredentialId(credentialId) && (await this.credentials.remove(user.id, credentialId, allowed));
    if (isLast) throw new InvalidRequestError('This is the last way to sign in to the account.');
    if (!isRemoved) throw new InvalidRequestError('The user has no such passkey.');
    this.tools.logger.info(
      { event: 'passkey_removed', userId: user.id, credentialId },
      'a passkey was removed',
    );
    this.tools.events.emit('passkey.removed', { userId: user.id, credentialId });
  }

  private async remember(
    purpose: TokenPurpose,
    challenge: string,
    subject: string,
    metadata: { epoch?: number },
  ): Promise<void> {
    const expiresAt = new Date(this.tools.clock() + challengeTtlMs);
    const digest = sha256(challenge);
    await this.tools.storage.singleUseTokens.insert({ digest, purpose, subject, expiresAt, metadata });
  }

  /** Before any cryptography: of parallel answers to one challenge one is looked at. */
  private async spend(
    purpose: TokenPurpose,
    challenge: unknown,
    subjects: readonly (string | undefined)[],
  ): Promise<SingleUseToken> {
    if (typeof challenge !== 'string' || challenge === '') throw new TokenInvalidError();
    const now = new Date(this.tools.clock());
    const spent = await this.tools.storage.singleUseTokens.consume(purpose, sha256(challenge), now);
    if (!spent || !subjects.includes(spent.subject)) throw new TokenInvalidError();
    return spent;
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
   * Whatever is wrong with an answer is one error for the caller, and a reason for the logger: without what the library
   * quotes, which is from the answer, and may be a challenge that is good still.
   */
  private async holds<T>(verify: () => Promise<T>): Promise<T> {
    try {
      return await verify();
    } catch (error) {
      const [reason] = String(describeError(error).message).slice(0, 100).split(/["':]/, 1);
      this.tools.logger.info({ event: 'passkey_refused', reason }, 'a passkey answer does not hold');
      throw new TokenInvalidError();
    }
  }
}
