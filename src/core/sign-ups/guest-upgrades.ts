/** Turns a guest into a full user with the same id, and never merges it into another account (docs/decisions/guests.md). */
import { phoneProvider } from '../../domain/identity.js';
import type { StoredUser } from '../../domain/user.js';
import {
  EmailExistsError,
  NotAuthorizedError,
  TokenInvalidError,
  UserBlockedError,
  UserNotFoundError,
} from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import type { GuestRepository, GuestUpgrade } from '../../storage/pro-repositories.js';
import { capability } from '../support/capability.js';
import type { Clock } from '../support/clock.js';
import type { EventBus } from '../support/events.js';
import { existingUser } from '../sessions/existing-user.js';
import type { RequestContext } from '../sessions/request-context.js';
import type { SignUp } from './sign-up-options.js';
import type { SignUpPolicy } from './sign-up-policy.js';
import { mustBeInPerson } from '../sessions/in-person.js';

/** What the guest can sign in with after the upgrade. */
export type UpgradeCredentials = Partial<
  Pick<GuestUpgrade, 'identity' | 'email' | 'emailVerified' | 'passwordHash'>
>;

export class GuestUpgrades {
  constructor(
    private readonly storage: StorageAdapter,
    private readonly signUps: SignUpPolicy,
    private readonly clock: Clock,
    private readonly events: EventBus,
  ) {}

  /** @throws UserNotFoundError; NotAuthorizedError if the user is not a guest. */
  async assertGuest(userId: unknown): Promise<void> {
    const isGuest = typeof userId === 'string' ? await this.guests.isGuest(userId) : null;
    if (isGuest === null) throw new UserNotFoundError();
    if (!isGuest) throw new NotAuthorizedError(because('not_a_guest'));
  }

  /**
   * Upgrades a guest, which revokes the guest's tokens, and returns the user. Asks the sign-up policy, whether or not the address has an
   * account: a refused address must not get one by way of a guest.
   * @param details.profile what the identity provider says about the guest, for the policy.
   * @param details.fields the parsed fields of `signUp.fields`, for the metadata.
   * @throws SignUpDisabledError; UserNotFoundError; NotAuthorizedError if the user is not a guest, the identity is linked to another user, or the request's session is an impersonation; EmailExistsError
   * if the address has an account; UserBlockedError; TokenInvalidError if all sessions of the guest have ended since the request's session was checked.
   */
  async upgrade(
    userId: string,
    credentials: UpgradeCredentials,
    context: RequestContext = {},
    details: Pick<SignUp, 'profile' | 'fields'> = {},
  ): Promise<StoredUser> {
    mustBeInPerson(userId, context);
    const { ip, sessionEpoch } = context;
    const admission = await this.admit(userId, credentials, ip, details);
    const outcome = await this.guests.upgrade({
      identity: null,
      email: null,
      emailVerified: false,
      passwordHash: null,
      ...credentials,
      ...admission,
      userId,
      epoch: sessionEpoch,
      now: new Date(this.clock()),
    });
    if (outcome.status === 'no_user') throw new UserNotFoundError();
    if (outcome.status === 'email_taken') throw new EmailExistsError();
    if (outcome.status === 'epoch_moved') throw new TokenInvalidError(because('epoch_passed'));
    if (outcome.status === 'blocked') throw new UserBlockedError();
    if (outcome.status !== 'upgraded')
      throw new NotAuthorizedError(
        because(outcome.status === 'not_a_guest' ? 'not_a_guest' : 'identity_taken'),
      );
    this.events.emit('user.upgraded', { userId });
    return outcome.user;
  }

  /** As `SignUpPolicy.refusesMail`. @throws UserNotFoundError */
  async refusesMail(userId: string, email: string, ip: string | undefined): Promise<boolean> {
    if (this.signUps.isOpen) return false;
    const signUp = await this.signUpOf(userId, { email, emailVerified: true });
    return this.signUps.refusesMail({ ...signUp, email }, ip);
  }

  /** Returns what the policy sets on the user. @throws SignUpDisabledError; UserNotFoundError */
  private async admit(
    userId: string,
    credentials: UpgradeCredentials,
    ip: string | undefined,
    { profile, fields = {} }: Pick<SignUp, 'profile' | 'fields'>,
  ): Promise<Pick<GuestUpgrade, 'metadata' | 'roles'>> {
    const added = Object.keys(fields).length > 0 ? { metadata: fields } : {};
    if (this.signUps.isOpen) return added;
    const known = await this.signUpOf(userId, credentials);
    const signUp = { ...known, profile, fields, metadata: { ...known.metadata, ...fields } };
    const { merged, roles } = await this.signUps.admit(signUp, ip);
    return { ...added, ...(merged && { metadata: { ...fields, ...merged } }), roles };
  }

  private async signUpOf(userId: string, credentials: UpgradeCredentials): Promise<SignUp> {
    const { identity, email = null, emailVerified = false } = credentials;
    const { metadata } = await existingUser(this.storage.users, userId);
    const phone = identity?.provider === phoneProvider ? identity.providerAccountId : undefined;
    return { method: 'guest_upgrade', email, emailVerified, metadata, ...(phone && { phone }) };
  }

  private get guests(): GuestRepository {
    return capability(this.storage, 'guests');
  }
}
