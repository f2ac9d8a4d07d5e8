/** Export and deletion of everything that is held about a user (specification 4.3, `account`). */
import { toPublicUserData, type UserDataExport } from '../domain/user-data-export.js';
import { InternalError, InvalidRequestError, OrgError, UserNotFoundError } from '../errors/catalog.js';
import { capability } from '../kit/capability.js';
import { existingUser } from '../kit/existing-user.js';
import { orTrue } from '../kit/option-types.js';
import type { Toolkit } from '../kit/toolkit.js';
import type { Zod } from '../runtime/load.js';
import type { AccountRepository } from '../storage/pro-repositories.js';

export const accountOptions = (z: Zod) => orTrue(z, z.strictObject({}));

type Tools = Pick<Toolkit, 'clock' | 'events' | 'logger' | 'storage'>;

/** What an application adds to the export and deletion of an account. */
export interface AccountContributor {
  /** Everything the application holds about the user, as JSON, without secrets. */
  exportData?: (userId: string) => unknown;
  /**
   * Deletes it. `transaction` is the knex transaction in which the account goes: use it for tables of the same database, and
   * only it (PGlite has one connection). A rejection undoes the whole deletion. Undefined with `memoryAdapter`.
   */
  deleteData?: (userId: string, context: { transaction: unknown }) => Promise<void> | void;
}

export class AccountProvider {
  private readonly accounts: AccountRepository;
  private readonly contributors = new Map<string, AccountContributor>();

  constructor(private readonly tools: Tools) {
    this.accounts = capability(tools.storage, 'accounts');
  }

  /**
   * Makes the application's own data travel and die with the account. The name is its key in the export.
   * @throws InvalidRequestError when the name is taken, or nothing is contributed.
   */
  contribute(name: string, contributor: AccountContributor): void {
    if (typeof name !== 'string' || name === '' || name === '__proto__' || this.contributors.has(name)) {
      throw new InvalidRequestError('A contributor needs a name of its own.');
    }
    if (typeof contributor?.exportData !== 'function' && typeof contributor?.deleteData !== 'function') {
      throw new InvalidRequestError('A contributor needs exportData, deleteData, or both.');
    }
    this.contributors.set(name, contributor);
  }

  /**
   * Everything the engine and the contributors hold about the user and nobody else, without secrets, as JSON-ready data.
   * @throws UserNotFoundError; InternalError that names the contributor which failed.
   */
  async exportData(userId: string): Promise<UserDataExport> {
    const { clock, storage } = this.tools;
    const user = await existingUser(storage.users, userId);
    // An address that is not proven may be somebody else's, and so are the invites to it.
    const provenEmail = user.emailVerified ? user.email : null;
    const contributions: Record<string, unknown> = {};
    for (const [name, { exportData }] of this.contributors) {
      if (exportData) contributions[name] = await attempted(name, () => exportData(user.id));
    }
    const records = await Promise.all([
      storage.identities.listForUser(user.id),
      storage.credentials?.listForUser(user.id) ?? [],
      storage.totp?.find(user.id) ?? null,
      storage.totp?.countRecoveryCodes(user.id) ?? 0,
      this.accounts.listSessions(user.id),
      storage.refreshFamilies?.listForUser(user.id) ?? [],
      storage.apiKeys?.list({ userId: user.id }) ?? [],
      storage.orgs?.listForUser(user.id) ?? [],
      storage.orgs?.listInvitesOf({ userId: user.id, email: provenEmail }) ?? [],
    ]);
    const [identities, credentials, enrollment, recoveryCodesLeft, ...others] = records;
    const [sessions, families, keys, memberships, invites] = others;
    return toPublicUserData({
      exportedAt: new Date(clock()),
      user,
      identities,
      credentials,
      enrollment,
      recoveryCodesLeft,
      sessions,
      families,
      keys,
      memberships,
      invites,
      contributions,
    });
  }

  /**
   * Deletes the user and everything that names them, with the contributors' data, in one transaction. Tokens die with the
   * user. @throws UserNotFoundError; OrgError for the last owner of an organisation; InternalError that names the contributor
   * which failed, and then nothing is deleted.
   */
  async deleteUser(userId: string): Promise<void> {
    const { events, logger } = this.tools;
    if (typeof userId !== 'string') throw new UserNotFoundError();
    const outcome = await this.accounts.deleteUser(userId, async (transaction) => {
      for (const [name, { deleteData }] of this.contributors) {
        if (deleteData) await attempted(name, () => deleteData(userId, { transaction }));
      }
    });
    if (outcome.status === 'no_user') throw new UserNotFoundError();
    if (outcome.status === 'last_owner') {
      throw new OrgError(
        `The user is the last owner of the organisation ${outcome.orgId}. Hand it over or delete it first.`,
      );
    }
    logger.info({ event: 'user_deleted', userId }, 'a user was deleted');
    events.emit('user.deleted', { userId });
  }
}

async function attempted<T>(contributor: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new InternalError(error, `The contributor "${contributor}" failed; nothing was changed.`);
  }
}
