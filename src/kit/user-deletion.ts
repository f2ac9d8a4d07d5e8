/**
 * The way of every user who goes, by request or as a guest whose time is up: with the application's data, in one transaction,
 * told after the commit (docs/decisions/account-deletion.md).
 */
import { OrgError, TokenInvalidError, UserNotFoundError } from '../errors/catalog.js';
import type { StorageAdapter } from '../storage/adapter.js';
import type { Clock } from './clock.js';
import type { Contributors } from './contributors.js';
import type { EventBus } from './events.js';
import { describeError, type Logger } from './logger.js';
import type { RequestContext } from './sign-in.js';

const guestRetentionMs = 30 * 24 * 60 * 60_000;
const pageSize = 1000;
const mostFailuresInARow = 10;

export class UserDeletion {
  /** The guest at which the last purge stopped before it was through. */
  private lastTried: string | undefined;

  constructor(
    private readonly storage: Pick<StorageAdapter, 'accounts' | 'guests'>,
    private readonly contributors: Contributors,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly events: EventBus,
  ) {}

  /**
   * @throws UserNotFoundError; OrgError for the last owner of an organisation; InternalError that names the contributor which
   * failed, and then nothing is deleted; TokenInvalidError if all sessions of the user have ended since that of the request was
   * checked.
   */
  async deleteUser(
    userId: unknown,
    { sessionEpoch }: Pick<RequestContext, 'sessionEpoch'> = {},
  ): Promise<void> {
    const { accounts } = this.storage;
    if (!accounts || typeof userId !== 'string') throw new UserNotFoundError();
    const outcome = await accounts.deleteUser(
      userId,
      (...context) => this.contributors.deleteData(userId, ...context),
      sessionEpoch,
    );
    if (outcome.status === 'epoch_moved') throw new TokenInvalidError();
    if (outcome.status === 'no_user') throw new UserNotFoundError();
    if (outcome.status === 'last_owner') {
      throw new OrgError(
        `The user is the last owner of the organisation ${outcome.orgId}. Hand it over or delete it first.`,
      );
    }
    this.report(userId);
  }

  /**
   * Deletes guests 30 days after their creation; their number. One by one if the application deletes data with each, so that a
   * contributor that fails for one of them does not stop the others. Tries at most `limit`, and gives up after ten failures
   * in a row: another try would not help then. Guests that failed are tried again when the round is through.
   */
  async purgeGuests(limit = Infinity): Promise<number> {
    const inBatches = await this.purgeGuestBatches(limit);
    return inBatches + (await this.purgeGuestsOneByOne(limit - inBatches));
  }

  /** If the application deletes nothing together with a guest, many go in one transaction. Returns their number. */
  private async purgeGuestBatches(limit: number): Promise<number> {
    const { guests } = this.storage;
    if (!guests?.deleteAbandoned || this.contributors.deletesData) return 0;
    let deleted = 0;
    while (deleted < limit) {
      const batch = { createdBefore: this.guestsCreatedBefore(), limit: Math.min(pageSize, limit - deleted) };
      // A row of the application that refers to one of them undoes the batch. One by one, only that guest stays, and the log says so.
      const ids = await guests.deleteAbandoned(batch).catch(() => []);
      for (const userId of ids) this.report(userId);
      deleted += ids.length;
      if (ids.length < batch.limit) break;
    }
    return deleted;
  }

  private async purgeGuestsOneByOne(limit: number): Promise<number> {
    const outcomes = { deleted: 0, left: 0, failed: 0 };
    let tries = 0;
    let failuresInARow = 0;
    for await (const userId of this.abandonedGuests(limit)) {
      const outcome = await this.deleteGuest(userId);
      outcomes[outcome] += 1;
      tries += 1;
      failuresInARow = outcome === 'failed' ? failuresInARow + 1 : 0;
      const isHopeless = failuresInARow === mostFailuresInARow;
      if (isHopeless) {
        const message = `the purge of guests gave up after ${failuresInARow} failures in a row`;
        this.logger.error({ event: 'guest_purge_stopped', ...outcomes }, message);
      }
      if (isHopeless || tries === limit) {
        this.lastTried = userId;
        return outcomes.deleted;
      }
    }
    this.lastTried = undefined;
    return outcomes.deleted;
  }

  /** Guests are a Pro feature, and without a licence no contributor is here to delete what the application holds of them. */
  async reportGuestsLeft(): Promise<void> {
    const due = await this.storage.guests?.listAbandoned({
      createdBefore: this.guestsCreatedBefore(),
      limit: 1,
    });
    if (!due || due.length === 0) return;
    this.logger.info(
      { event: 'guests_left' },
      'there are guests to purge, which takes a licence: they stay until there is one',
    );
  }

  private guestsCreatedBefore(): Date {
    return new Date(this.clock() - guestRetentionMs);
  }

  /** Ids, from where the last purge stopped round to there again: who fails every time must not hide who comes after. */
  private async *abandonedGuests(limit: number): AsyncGenerator<string> {
    const { guests } = this.storage;
    if (!guests || limit === 0) return;
    const createdBefore = this.guestsCreatedBefore();
    const start = this.lastTried;
    let after = start;
    let isSecondHalf = start === undefined;
    while (true) {
      const due = await guests.listAbandoned({ createdBefore, after, limit: Math.min(pageSize, limit) });
      for (const userId of due) {
        if (isSecondHalf && start !== undefined && userId > start) return;
        yield userId;
      }
      after = due.at(-1);
      if (after !== undefined) continue;
      if (isSecondHalf) return;
      isSecondHalf = true;
    }
  }

  /** `left`: gone already, or none any more. */
  private async deleteGuest(userId: string): Promise<'deleted' | 'left' | 'failed'> {
    try {
      const isDeleted = await this.storage.guests?.delete(userId, (...context) =>
        this.contributors.deleteData(userId, ...context),
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

  private report(userId: string): void {
    this.logger.info({ event: 'user_deleted', userId }, 'a user was deleted');
    this.events.emit('user.deleted', { userId });
  }
}
