/** How a guest becomes a real user, whatever the way in: with the same id, never into another account (docs/decisions/guests.md). */
import type { StoredUser } from '../domain/user.js';
import {
  EmailExistsError,
  NotAuthorizedError,
  TokenInvalidError,
  UserNotFoundError,
} from '../errors/catalog.js';
import type { StorageAdapter } from '../storage/adapter.js';
import type { GuestRepository, GuestUpgrade } from '../storage/pro-repositories.js';
import { capability } from './capability.js';
import type { Clock } from './clock.js';
import type { EventBus } from './events.js';
import type { RequestContext } from './sign-in.js';

/** What the guest gets. What is left out they do not have afterwards. */
export type WayIn = Partial<Pick<GuestUpgrade, 'identity' | 'email' | 'emailVerified' | 'passwordHash'>>;

export class GuestUpgrades {
  constructor(
    private readonly storage: StorageAdapter,
    private readonly clock: Clock,
    private readonly events: EventBus,
  ) {}

  /** @throws UserNotFoundError; NotAuthorizedError for who is a user already. */
  async assertGuest(userId: unknown): Promise<void> {
    const answer = typeof userId === 'string' ? await this.guests.isGuest(userId) : null;
    if (answer === null) throw new UserNotFoundError();
    if (!answer) throw new NotAuthorizedError();
  }

  /**
   * The user, whose tokens as a guest have ended.
   * @throws UserNotFoundError; NotAuthorizedError if the user is not a guest or the identity is taken; EmailExistsError if the
   * address has an account; TokenInvalidError if all sessions of the guest have ended since that of the request was checked.
   */
  async upgrade(
    userId: string,
    wayIn: WayIn,
    { sessionEpoch }: Pick<RequestContext, 'sessionEpoch'> = {},
  ): Promise<StoredUser> {
    const outcome = await this.guests.upgrade({
      identity: null,
      email: null,
      emailVerified: false,
      passwordHash: null,
      ...wayIn,
      userId,
      epoch: sessionEpoch,
      now: new Date(this.clock()),
    });
    if (outcome.status === 'no_user') throw new UserNotFoundError();
    if (outcome.status === 'email_taken') throw new EmailExistsError();
    if (outcome.status === 'epoch_moved') throw new TokenInvalidError();
    if (outcome.status !== 'upgraded') throw new NotAuthorizedError();
    this.events.emit('user.upgraded', { userId });
    return outcome.user;
  }

  private get guests(): GuestRepository {
    return capability(this.storage, 'guests');
  }
}
