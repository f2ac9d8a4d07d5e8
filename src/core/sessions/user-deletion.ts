/**
 * Deletes users, on request or as abandoned guests: together with the application's data, in one transaction, and reported after the
 * commit (docs/decisions/account-deletion.md).
 */
import { OrgError, TokenInvalidError, UserNotFoundError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import type { Clock } from '../support/clock.js';
import type { UserDataHandlers } from '../support/user-data.js';
import type { EventActor, EventBus } from '../support/events.js';
import { describeError, type Logger } from '../support/logger.js';
import type { ChangeAuthor } from '../sessions/change-by.js';
import type { RequestContext } from '../sessions/request-context.js';

const guestRetentionMs = 30 * 24 * 60 * 60_000;
const pageSize = 1000;
const maxFailuresInARow = 10;

export class UserDeletion {
  /** The guest at which the last purge stopped before the end of the list. */
  private lastTried: string | undefined;

  constructor(
    private readonly storage: Pick<StorageAdapter, 'accounts' | 'guests'>,
    private readonly userDataHandlers: UserDataHandlers,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly events: EventBus,
  ) {}

  /**
   * Deletes a user.
   * @throws UserNotFoundError; OrgError if the user is the last owner of an organization; InternalError that names the user data handler
   * that failed, in which case nothing is deleted; TokenInvalidError if all sessions of the user have ended since the request's session
   * was checked.
   */
  async deleteUser(
    userId: unknown,
    { sessionEpoch }: Pick<RequestContext, 'sessionEpoch'> = {},
    { actor, acting }: Partial<ChangeAuthor> = {},
  ): Promise<void> {
    const { accounts } = this.storage;
    if (!accounts || typeof userId !== 'string') throw new UserNotFoundError();
    const outcome = await accounts.deleteUser(
      userId,
      (...context) => this.userDataHandlers.deleteData(userId, ...context),
      sessionEpoch,
      acting,
    );
    if (outcome.status === 'epoch_moved') throw new TokenInvalidError(because('epoch_passed'));
    if (outcome.status === 'no_user') throw new UserNotFoundError();
    if (outcome.status === 'last_owner') {
      throw new OrgError(
        `The user is the last owner of the organization ${outcome.orgId}. Transfer or delete it first.`,
      );
    }
    this.report(userId, actor);
  }

  /**
   * Deletes guests 30 days after their creation, and returns their number. If the application deletes data with each guest, they are
   * deleted one by one, so that a handler that fails for one guest does not affect the others. Tries at most `limit` guests, and stops
   * after ten failures in a row. Guests that failed are tried again after all others.
   */
  async purgeGuests(limit = Infinity): Promise<number> {
    const inBatches = await this.purgeGuestBatches(limit);
    return inBatches + (await this.purgeGuestsOneByOne(limit - inBatches));
  }

  /** Deletes many guests per transaction if no handler deletes data with them. Returns their number. */
  private async purgeGuestBatches(limit: number): Promise<number> {
    const { guests } = this.storage;
    if (!guests?.deleteAbandoned || this.userDataHandlers.deletesData) return 0;
    let deleted = 0;
    while (deleted < limit) {
      const batch = { createdBefore: this.guestsCreatedBefore(), limit: Math.min(pageSize, limit - deleted) };
      // A row of the application that refers to a guest makes the batch fail. One by one, only that guest fails, and is logged.
      const ids = await guests.deleteAbandoned(batch).catch(() => []);
      for (const userId of ids) this.report(userId);
      deleted += ids.length;
      if (ids.length < batch.limit) break;
    }
    return deleted;
  }

  private async purgeGuestsOneByOne(limit: number): Promise<number> {
    const outcomes = { deleted: 0, left: 0, failed: 0 };
    let attempts = 0;
    let failuresInARow = 0;
    for await (const userId of this.abandonedGuests(limit)) {
      const outcome = await this.deleteGuest(userId);
      outcomes[outcome] += 1;
      attempts += 1;
      failuresInARow = outcome === 'failed' ? failuresInARow + 1 : 0;
      const isHopeless = failuresInARow === maxFailuresInARow;
      if (isHopeless) {
        const message = `the purge of guests stopped after ${failuresInARow} failures in a row`;
        this.logger.error({ event: 'guest_purge_stopped', ...outcomes }, message);
      }
      if (isHopeless || attempts === limit) {
        this.lastTried = userId;
        return outcomes.deleted;
      }
    }
    this.lastTried = undefined;
    return outcomes.deleted;
  }

  /** Logs guests that cannot be purged: without a license, no handler is registered to delete the application's data about them. */
  async reportGuestsLeft(): Promise<void> {
    const range = { createdBefore: this.guestsCreatedBefore(), limit: 1 };
    const abandoned = await this.storage.guests?.listAbandoned(range);
    if (!abandoned || abandoned.length === 0) return;
    this.logger.info(
      { event: 'guests_left' },
      'abandoned guests are not deleted: purging guests requires a license',
    );
  }

  private guestsCreatedBefore(): Date {
    return new Date(this.clock() - guestRetentionMs);
  }

  /** Yields guest ids from where the last purge stopped to the end, then from the start: failing guests must not block those after them. */
  private async *abandonedGuests(limit: number): AsyncGenerator<string> {
    const { guests } = this.storage;
    if (!guests || limit === 0) return;
    const createdBefore = this.guestsCreatedBefore();
    const start = this.lastTried;
    let after = start;
    let isSecondHalf = start === undefined;
    while (true) {
      const page = await guests.listAbandoned({ createdBefore, after, limit: Math.min(pageSize, limit) });
      for (const userId of page) {
        if (isSecondHalf && start !== undefined && userId > start) return;
        yield userId;
      }
      after = page.at(-1);
      if (after !== undefined) continue;
      if (isSecondHalf) return;
      isSecondHalf = true;
    }
  }

  /** Deletes a guest. Returns `left` if the user is already deleted or is not a guest any more. */
  private async deleteGuest(userId: string): Promise<'deleted' | 'left' | 'failed'> {
    try {
      const isDeleted = await this.storage.guests?.delete(userId, (...context) =>
        this.userDataHandlers.deleteData(userId, ...context),
      );
      if (!isDeleted) return 'left';
    } catch (error) {
      this.logger.error(
        { event: 'guest_deletion_failed', userId, err: describeError(error) },
        'an abandoned guest could not be deleted',
      );
      return 'failed';
    }
    this.report(userId);
    return 'deleted';
  }

  private report(userId: string, actor?: EventActor): void {
    // The event of an administrative change is logged with its actor.
    if (!actor) this.logger.info({ event: 'user_deleted', userId }, 'a user was deleted');
    this.events.emit('user.deleted', { userId, ...(actor && { actor }) });
  }
}
