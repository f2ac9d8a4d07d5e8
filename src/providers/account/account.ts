/** A user's account: its address, and export and deletion of everything that is held about them (specification 4.3, `account`). */
import { toPublicUserData, type UserDataExport } from '../../domain/user-data-export.js';
import { toServiceUser, type ServiceUser } from '../../domain/user.js';
import { capability } from '../../kit/capability.js';
import type { AccountContributor } from '../../kit/contributors.js';
import { existingUser } from '../../kit/existing-user.js';
import { optional } from '../../kit/input.js';
import type { ChangedUser, RequestContext } from '../../kit/sign-in.js';
import type { Toolkit } from '../../kit/toolkit.js';
import type { AccountRepository } from '../../storage/pro-repositories.js';
import { Addresses, type AddressTools, type EmailChangeInput } from './addresses.js';
import type { AccountOptions } from './options.js';

type Tools = AddressTools & Pick<Toolkit, 'contributors' | 'userDeletion'>;

export interface AccountSummary {
  user: ServiceUser;
  /** Whether there is a password; a first one is set without a current one. */
  hasPassword: boolean;
  isGuest: boolean;
}

export class AccountProvider {
  private readonly accounts: AccountRepository;
  private readonly addresses: Addresses;

  constructor(
    options: AccountOptions,
    private readonly tools: Tools,
  ) {
    this.accounts = capability(tools.storage, 'accounts');
    this.addresses = new Addresses(options, tools, this.accounts);
  }

  /** What a page of settings begins with. @throws UserNotFoundError */
  async summary(userId: string, context?: RequestContext): Promise<AccountSummary> {
    const { storage } = this.tools;
    const user = await existingUser(storage.users, userId, context);
    const isGuest = (await storage.guests?.isGuest(user.id)) === true;
    return { user: toServiceUser(user), hasPassword: user.passwordHash !== null, isGuest };
  }

  /**
   * Mails the user a code for the address that they have. `expiresAt` is null where it is verified already: then nothing is sent.
   * @throws UserNotFoundError, RateLimitError; InvalidRequestError for a user without an address; ProviderNotConfiguredError
   * without `sender`; EmailSendError, and then the send is not charged.
   */
  async sendVerification(userId: string, context: RequestContext = {}): Promise<{ expiresAt: Date | null }> {
    return this.addresses.sendVerification(userId, context);
  }

  /**
   * Marks the address of the user verified, by the code that was sent there, and touches nothing else: call it for whoever is
   * signed in as that user, in person.
   * @throws UserNotFoundError, InvalidRequestError, RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError,
   * CodeInvalidError.
   */
  async verifyEmail(
    input: { userId: string; code: string },
    context: RequestContext = {},
  ): Promise<{ user: ServiceUser }> {
    return this.addresses.verify(input, context);
  }

  /**
   * Begins a change of the address: mails a code to the new one, and another to the present one if that is verified. The answer
   * does not tell whether the new address has an account; its mailbox is told.
   * @throws UserNotFoundError, InvalidRequestError, RateLimitError; NotAuthorizedError for a guest; ProviderNotConfiguredError
   * without `sender`; EmailSendError, and then the send is not charged unless the first of two mails had left.
   */
  async requestEmailChange(
    input: { userId: string; email: string },
    context: RequestContext = {},
  ): Promise<{ expiresAt: Date; currentCodeSent: boolean }> {
    return this.addresses.requestChange(input, context);
  }

  /**
   * Changes the address, by both codes: it is verified then, every session and whatever is pending for either address ends, and
   * with `context.startSession` the browser goes on with a new session. A notice goes to the address before.
   * @throws UserNotFoundError, InvalidRequestError, RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError;
   * CodeInvalidError, with the field of the wrong code if there are two (`code` before `currentCode`); EmailExistsError when somebody has the address by now; TokenInvalidError
   * when the user's sessions were ended meanwhile.
   */
  async confirmEmailChange(input: EmailChangeInput, context: RequestContext = {}): Promise<ChangedUser> {
    return this.addresses.confirmChange(input, context);
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
   * which failed, and then nothing is deleted; TokenInvalidError if all sessions of the user have ended since that of the request
   * was checked (`context.sessionEpoch`).
   */
  async deleteUser(userId: string, context: RequestContext = {}): Promise<void> {
    await this.tools.userDeletion.deleteUser(userId, optional(context));
  }
}
