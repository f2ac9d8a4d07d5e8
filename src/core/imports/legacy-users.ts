/**
 * Users who are still in another system only, and are imported when they are first needed (`emailPassword.legacy`, docs/import.md). A
 * failure of the other system never becomes an error of a request: it would reveal who is there.
 */
import type { ImportedUser } from '../../domain/imported-user.js';
import type { LegacyQuery } from '../../domain/legacy-query.js';
import { usernameKey } from '../../domain/username.js';
import type { StoredUser } from '../../domain/user.js';
import type { ImportRecord } from '../../storage/import-repository.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import { capability } from '../support/capability.js';
import { describeError, type Logger } from '../support/logger.js';
import { withTimeout } from '../support/timeouts.js';
import type { UserImports } from './user-imports.js';

export type FindLegacyUser = (query: LegacyQuery) => Promise<ImportedUser | null | undefined>;

/** Longer than a database that works takes. Every login waits for it. */
const timeoutMs = 2_000;

export class LegacyUsers {
  constructor(
    private readonly ask: FindLegacyUser | undefined,
    private readonly imports: UserImports,
    private readonly storage: StorageAdapter,
    private readonly logger: Logger,
  ) {}

  get isConfigured(): boolean {
    return this.ask !== undefined;
  }

  /** Returns the checked record of the user in the other system. Null if there is none, or if the other system fails. */
  async find(query: LegacyQuery): Promise<ImportRecord | null> {
    if (!this.ask) return null;
    try {
      const found = await withTimeout(this.ask(query), 'emailPassword.legacy', timeoutMs);
      if (found == null) return null;
      const record = this.imports.parse(found, { anyUsername: true });
      if (isOf(record, query)) return record;
      this.logger.error(
        { event: 'legacy_user_mismatch' },
        'emailPassword.legacy returned another user than it was asked for',
      );
    } catch (error) {
      this.logger.error({ event: 'legacy_failed', err: describeError(error) }, 'emailPassword.legacy failed');
    }
    return null;
  }

  /**
   * Imports a user whom `find` has returned.
   * @returns the account of the user, which another request may have imported first. Its password may be another one: it can be that of a
   * stranger who has signed up with the address. Null if the record conflicts with another account.
   */
  async import(record: ImportRecord, query: LegacyQuery): Promise<StoredUser | null> {
    const outcome = await this.imports.importOne(record);
    if (outcome.status === 'conflict') {
      const { reason, field } = outcome;
      this.logger.warn(
        { event: 'legacy_conflict', reason, field },
        'a user of emailPassword.legacy was not imported',
      );
    }
    // A record without an id conflicts with the account that a request at the same time has made of it.
    const user = await (outcome.status === 'conflict'
      ? this.findAccount(query)
      : this.storage.users.findById(outcome.userId));
    // Imported earlier, and has another address or user name since: who knows the old one must not get in with it.
    if (query.email !== undefined) return user?.email === query.email ? user : null;
    return query.username === undefined || hasName(user, query.username) ? user : null;
  }

  private findAccount({ email, username }: LegacyQuery): Promise<StoredUser | null> {
    if (email !== undefined) return this.storage.users.findByEmail(email);
    if (username === undefined) return Promise.resolve(null);
    const users = capability(this.storage, 'userAdministration');
    return users.find({ usernameKey: usernameKey(username) });
  }

  /** Imports the user of an address, a user name or an id, if only the other system has it. Returns whether there is an account now. Never rejects. */
  async bring(query: LegacyQuery): Promise<boolean> {
    if (!this.ask) return false;
    const record = await this.find(query);
    if (!record) return false;
    try {
      return (await this.import(record, query)) !== null;
    } catch (error) {
      this.logger.error(
        { event: 'legacy_failed', err: describeError(error) },
        'a user could not be imported',
      );
      return false;
    }
  }
}

function isOf({ keepsId, user }: ImportRecord, query: LegacyQuery): boolean {
  if (query.email !== undefined) return user.email === query.email;
  if (query.externalId !== undefined) {
    const isKept = keepsId && user.externalId === null && user.id === query.externalId.toLowerCase();
    return isKept || user.externalId === query.externalId;
  }
  return user.username?.key === usernameKey(query.username);
}

function hasName(user: StoredUser | null, username: string): boolean {
  return user !== null && user.username !== null && usernameKey(user.username) === usernameKey(username);
}
