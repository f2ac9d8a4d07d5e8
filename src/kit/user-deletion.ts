/**
 * The way of every user who goes, by request or as a guest whose time is up: with the application's data, in one transaction,
 * told after the commit (docs/decisions/account-deletion.md).
 */
import { OrgError, UserNotFoundError } from '../errors/catalog.js';
import type { StorageAdapter } from '../storage/adapter.js';
import type { Clock } from './clock.js';
import type { Contributors } from './contributors.js';
import type { EventBus } from './events.js';
import { describeError, type Logger } from './logger.js';

const guestRetentionMs = 30 * 24 * 60 * 60_000;
const pageSize = 1000;

export class UserDeletion {
  constructor(
    private readonly storage: Pick<StorageAdapter, 'accounts' | 'guests'>,
    private readonly contributors: Contributors,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly events: EventBus,
  ) {}

  /**
   * @throws UserNotFoundError; OrgError for the last owner of an organisation; InternalError that names the contributor which
   * failed, and then nothing is deleted.
   */
  async deleteUser(userId: unknown): Promise<void> {
    const { accounts } = this.storage;
    if (!accounts || typeof userId !== 'string') throw new UserNotFoundError();
    const outcome = await accounts.deleteUser(userId, (...context) =>
      this.contributors.deleteData(userId, ...context),
    );
    if (outcome.status === 'no_user') throw new UserNotFoundError();
    if (outcome.status === 'last_owner') {
      throw new OrgError(
        `The user is the last owner of the organisation ${outcome.orgId}. Hand it over or delete it first.`,
      );
    }
    this.report(userId);
  }

  /**
   * Deletes guests 30 days after their creation, at most `limit`; their number. One by one, so that a contributor that fails
   * for one of them holds up nobody else; that one is tried again by the next purge.
   */
  async purgeGuests(limit = Infinity): Promise<number> {
    const { guests } = this.storage;
    const createdBefore = new Date(this.clock() - guestRetentionMs);
    let removed = 0;
    let after: string | undefined;
    while (guests && removed < limit) {
      const count = Math.min(pageSize, limit - removed);
      const due = await guests.listAbandoned({ createdBefore, after, limit: count });
      for (const userId of due) if (await this.deleteGuest(userId)) removed += 1;
      if (due.length < count) break;
      after = due.at(-1);
    }
    return removed;
  }

  /** False where the guest is gone, or none any more, or could not be deleted. */
  private async deleteGuest(userId: string): Promise<boolean> {
    try {
      const isDeleted = await this.storage.guests?.delete(userId, (...context) =>
        this.contributors.deleteData(userId, ...context),
      );
      if (!isDeleted) return false;
    } catch (error) {
      this.logger.error(
        { event: 'guest_deletion_failed', userId, err: describeError(error) },
        'an abandoned guest could not be deleted',
      );
      return false;
    }
    this.report(userId);
    return true;
  }

  private report(userId: string): void {
    this.logger.info({ event: 'user_deleted', userId }, 'a user was deleted');
    this.events.emit('user.deleted', { userId });
  }
}
