/** Adds passkeys to existing accounts. */
import { toPublicCredential, type PublicCredential, type StoredCredential } from '../../domain/credential.js';
import { parseName } from '../../domain/name.js';
import type { StoredUser } from '../../domain/user.js';
import { InvalidRequestError, NotAuthorizedError, TokenInvalidError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { registrationLimits } from '../../core/limits/rate-limits.js';
import { existingMember, existingUser } from '../../core/sessions/existing-user.js';
import { mustBeInPerson } from '../../core/sessions/in-person.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import { parseInput } from '../../core/support/input.js';
import type { CredentialRepository } from '../../storage/second-factor-repositories.js';
import { isCredentialId } from './answer.js';
import { verified } from './assertions.js';
import type { Challenges } from './challenges.js';
import {
  registrationInput,
  registrationStart,
  renameInput,
  type PasskeyTools,
  type RegistrationStart,
} from './options.js';
import type { PasskeyPolicy } from './policy.js';

export class PasskeyRegistrations {
  constructor(
    private readonly tools: PasskeyTools,
    private readonly credentials: CredentialRepository,
    private readonly challenges: Challenges,
    private readonly policy: PasskeyPolicy,
  ) {}

  async start(userId: string, context: RequestContext, input: RegistrationStart = {}) {
    const { automatic = false } = parseInput(registrationStart, input);
    mustBeInPerson(userId, context);
    const user = await existingMember(this.tools.storage, userId);
    await this.tools.limiter.consume(registrationLimits(user.id));
    const existing = await this.credentials.listForUser(user.id);
    const options = await this.policy.registrationOptions(
      { id: user.id, name: await this.nameOf(user) },
      existing,
      // Nothing else is worth creating without a question.
      automatic ? 'required' : 'preferred',
    );
    await this.challenges.remember('webauthn_registration', options.challenge, user.id, {
      epoch: user.epoch,
      ...(automatic && { automatic }),
    });
    return { options, challenge: options.challenge };
  }

  async finish(input: unknown, context: RequestContext): Promise<{ credential: PublicCredential }> {
    const { accountNotices, clock, events, logger, storage } = this.tools;
    const { userId, response, expectedChallenge, name } = parseInput(registrationInput, input);
    mustBeInPerson(userId, context);
    const chosenName = name === undefined ? null : parseName(name);
    const user = await existingMember(storage, userId);
    const { metadata } = await this.challenges.consume('webauthn_registration', expectedChallenge, [user.id]);
    const {
      credential,
      userVerified: _,
      ...backup
    } = await verified(logger, () =>
      this.policy.verifyRegistration(response, expectedChallenge, {
        automatic: metadata['automatic'] === true,
      }),
    );
    const stored: StoredCredential = {
      ...credential,
      ...backup,
      userId: user.id,
      name: chosenName,
      userHandle: null,
      createdAt: new Date(clock()),
      lastUsedAt: null,
      lastUsedFrom: null,
    };
    // With the epoch of the start: a ceremony that began before all sessions were revoked must not add a sign-in method.
    const outcome = await this.credentials.insert(stored, metadata.epoch as number);
    if (outcome === 'taken') throw new InvalidRequestError('This passkey is already registered.');
    if (outcome === 'guest') throw new NotAuthorizedError(because('guest'));
    if (outcome === 'no_user') throw new TokenInvalidError(because('epoch_passed'));
    const about = { userId: user.id, credentialId: stored.id };
    logger.info({ event: 'passkey_registered', ...about }, 'a passkey was registered');
    events.emit('passkey.registered', about);
    accountNotices.send('passkey_added', user, context);
    return { credential: toPublicCredential(stored) };
  }

  async rename(input: unknown, context: RequestContext): Promise<{ credential: PublicCredential }> {
    const { userId, credentialId, name } = parseInput(renameInput, input);
    mustBeInPerson(userId, context);
    const chosenName = name === null ? null : parseName(name);
    const { id } = await existingUser(this.tools.storage.users, userId);
    const renamed = isCredentialId(credentialId)
      ? await this.credentials.rename(id, credentialId, chosenName)
      : null;
    if (!renamed) throw new InvalidRequestError('The user has no such passkey.');
    return { credential: toPublicCredential(renamed) };
  }

  /** What a browser shows next to the passkey. */
  private async nameOf({ id, email }: StoredUser): Promise<string> {
    if (email !== null) return email;
    return (await this.tools.storage.userAdministration?.find({ id }))?.username ?? id;
  }
}
