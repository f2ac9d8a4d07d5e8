/** Export and deletion of everything that is held about a user (specification 4.3, `account`). */
import { toPublicUserData, type UserDataExport } from '../domain/user-data-export.js';
import { capability } from '../kit/capability.js';
import type { AccountContributor } from '../kit/contributors.js';
import { existingUser } from '../kit/existing-user.js';
import { orTrue } from '../kit/option-types.js';
import type { Toolkit } from '../kit/toolkit.js';
import type { Zod } from '../runtime/load.js';
import type { AccountRepository } from '../storage/pro-repositories.js';

export const accountOptions = (z: Zod) => orTrue(z, z.strictObject({}));

type Tools = Pick<Toolkit, 'clock' | 'contributors' | 'storage' | 'userDeletion'>;

export class AccountProvider {
  private readonly accounts: AccountRepository;

  constructor(private readonly tools: Tools) {
    this.accounts = capability(tools.storage, 'accounts');
  }

  /**
   * Makes the application's own data travel and die with the account. The name is its key in the export.
   * @throws InvalidRequestError when the name is taken, or nothing is contributed.
   */
  contribute(name: string, contributor: AccountContributor): void {
    this.tools.contributors.add(name, contributor);
  }

  /**
   * Everything the engine and the contributors hold about the user and nobody else, without secrets, as JSON-ready data.
   * @throws UserNotFoundError, also where the user is deleted meanwhile; InternalError that names the contributor which failed.
   */
  async exportData(userId: string): Promise<UserDataExport> {
    const { clock, contributors, storage } = this.tools;
    const user = await existingUser(storage.users, userId);
    // An address that is not proven may be somebody else's, and so are the invites to it.
    const provenEmail = user.emailVerified ? user.email : null;
    const contributions = await contributors.exportData(user.id);
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
    // Contributors take their time, and an export of half a user would pass for a whole one.
    await existingUser(storage.users, user.id);
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
    await this.tools.userDeletion.deleteUser(userId);
  }
}
