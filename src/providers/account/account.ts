/** A user's account: its address, and export and deletion of all data about them (specification 4.3, `account`). */
import type * as z from 'zod';
import { toPublicUserData, type UserDataExport } from '../../domain/user-data-export.js';
import { toServiceUser, type ServiceUser } from '../../domain/user.js';
import { capability } from '../../core/support/capability.js';
import type { UserDataHandler } from '../../core/support/user-data.js';
import { existingUser } from '../../core/sessions/existing-user.js';
import { parseAdministrative, type AdministrativeChange } from '../../core/sessions/change-by.js';
import { parseInput } from '../../core/support/input.js';
import { TokenInvalidError } from '../../errors/catalog.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import type { ChangedUser } from '../../core/sessions/sign-in-result.js';
import type { Toolkit } from '../../core/toolkit.js';
import type { AccountRepository } from '../../storage/pro-repositories.js';
import { Addresses, type AddressTools } from './addresses.js';
import {
  setLanguageInput,
  type AccountOptions,
  type changeEmailInput,
  type EmailChangeInput,
  type verifyEmailInput,
} from './options.js';
import { mustBeInPerson } from '../../core/sessions/in-person.js';

type Tools = AddressTools & Pick<Toolkit, 'languages' | 'userDataHandlers' | 'userDeletion'>;

export interface AccountSummary {
  user: ServiceUser;
  /** Whether the user has a password; the first one is set without a current password. */
  hasPassword: boolean;
  isGuest: boolean;
  /** Language tag of the language that the user has chosen. Null if mails and pages follow the request. */
  language: string | null;
  /** The tags that the user can choose. */
  languages: readonly string[];
}

export class AccountProvider {
  private readonly accounts: AccountRepository;
  private readonly addresses: Addresses;

  constructor(
    private readonly options: AccountOptions,
    private readonly tools: Tools,
  ) {
    this.accounts = capability(tools.storage, 'accounts');
    this.addresses = new Addresses(options, tools, this.accounts);
  }

  /** Returns the summary for a settings page. @throws UserNotFoundError */
  async summary(userId: string, context?: RequestContext): Promise<AccountSummary> {
    const { languages, storage } = this.tools;
    const user = await existingUser(storage.users, userId, context);
    const isGuest = (await storage.guests?.isGuest(user.id)) === true;
    return {
      user: toServiceUser(user),
      hasPassword: user.passwordHash !== null,
      isGuest,
      language: user.language,
      languages: languages.offered,
    };
  }

  /**
   * Sets the language of the user's mails, text messages and pages.
   * @param input.language one of the offered tags (`languages` of the configuration). Null to follow the request again.
   * @throws UserNotFoundError; InvalidRequestError for another language; TokenInvalidError if all sessions of the user have ended since
   * that of the request was checked (`context.sessionEpoch`).
   */
  async setLanguage(
    input: z.infer<ReturnType<typeof setLanguageInput>>,
    context: RequestContext = {},
  ): Promise<{ language: string | null }> {
    const { clock, languages, storage } = this.tools;
    const { userId, ...sent } = parseInput(setLanguageInput, input);
    mustBeInPerson(userId, context);
    const { sessionEpoch } = parseContext(context);
    const language = languages.parseChoice(sent.language);
    const user = await existingUser(storage.users, userId);
    const epoch = sessionEpoch ?? user.epoch;
    if (!(await this.accounts.setLanguage(user.id, epoch, language, new Date(clock()))))
      throw new TokenInvalidError();
    return { language };
  }

  /** Whether codes are mailed: `sender` is configured. Without it, no address can be verified or changed. */
  get mailsCodes(): boolean {
    return this.options.sender !== undefined;
  }

  /**
   * Mails the user a code for their current address. If it is already verified, `expiresAt` is null and nothing is sent.
   * @throws UserNotFoundError, RateLimitError; InvalidRequestError for a user without an address; ProviderNotConfiguredError
   * without `sender`; EmailSendError; a failed send is not counted.
   */
  async sendVerification(userId: string, context: RequestContext = {}): Promise<{ expiresAt: Date | null }> {
    return this.addresses.sendVerification(userId, context);
  }

  /**
   * Marks the address of the user verified, with the code that was mailed to it, and changes nothing else. Call it only in a
   * session of that user that is not an impersonation.
   * @throws UserNotFoundError, InvalidRequestError, RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError,
   * CodeInvalidError.
   */
  async verifyEmail(
    input: z.infer<ReturnType<typeof verifyEmailInput>>,
    context: RequestContext = {},
  ): Promise<{ user: ServiceUser }> {
    return this.addresses.verify(input, context);
  }

  /**
   * Begins a change of the address: mails a code to the new address, and another to the current one if it is verified. The result
   * does not reveal whether the new address has an account; the mail to it does.
   * @throws UserNotFoundError, InvalidRequestError, RateLimitError; NotAuthorizedError for a guest; ProviderNotConfiguredError
   * without `sender`; EmailSendError; a failed send is not counted unless the first of two mails has been sent.
   */
  async requestEmailChange(
    input: z.infer<ReturnType<typeof changeEmailInput>>,
    context: RequestContext = {},
  ): Promise<{ expiresAt: Date; currentCodeSent: boolean }> {
    return this.addresses.requestChange(input, context);
  }

  /**
   * Changes the address, with both codes. The new address is verified; every session and everything pending for either address
   * ends; with `context.startSession`, starts a new session for the browser. Mails a notice to the previous address.
   * @throws UserNotFoundError, InvalidRequestError, RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError;
   * CodeInvalidError, with the field of the wrong code if there are two (`code` before `currentCode`); EmailExistsError if the address has an
   * account by now; TokenInvalidError if the user's sessions ended in the meantime.
   */
  async confirmEmailChange(input: EmailChangeInput, context: RequestContext = {}): Promise<ChangedUser> {
    return this.addresses.confirmChange(input, context);
  }

  /**
   * Registers the application's own data about users, to be exported and deleted with the account. The name is its key in the
   * export.
   * @throws InvalidRequestError if the name is taken, or the handler has neither function.
   */
  registerUserData(name: string, contributor: UserDataHandler): void {
    this.tools.userDataHandlers.register(name, contributor);
  }

  /**
   * Returns all data of the engine and the registered handlers about this user only, without secrets, ready for JSON.
   * @throws UserNotFoundError, also if the user is deleted in the meantime; InternalError that names the handler that failed.
   */
  async exportData(userId: string, context?: RequestContext): Promise<UserDataExport> {
    const { clock, userDataHandlers, storage } = this.tools;
    mustBeInPerson(userId, context);
    const user = await existingUser(storage.users, userId);
    // An unverified address may belong to another person, and so may the invites to it.
    const provenEmail = user.emailVerified ? user.email : null;
    const contributions = await userDataHandlers.exportData(user.id);
    const records = await Promise.all([
      storage.userAdministration?.find({ id: user.id }) ?? null,
      storage.identities.listForUser(user.id),
      storage.credentials?.listForUser(user.id) ?? [],
      storage.totp?.find(user.id) ?? null,
      storage.totp?.findFactors(user.id) ?? null,
      storage.totp?.listApps(user.id) ?? [],
      storage.trustedBrowsers?.list(user.id, new Date(clock())) ?? [],
      this.accounts.listSessions(user.id),
      storage.refreshFamilies?.listForUser(user.id) ?? [],
      storage.apiKeys?.list({ userId: user.id }) ?? [],
      storage.orgs?.listForUser(user.id) ?? [],
      storage.orgs?.listInvitesOf({ userId: user.id, email: provenEmail }) ?? [],
    ]);
    // Handlers may be slow, and an export of a partly deleted user would look complete.
    await existingUser(storage.users, user.id);
    const [administered, identities, credentials, enrollment, factors, ...others] = records;
    const [apps, trustedBrowsers, sessions, families, keys, memberships, invites] = others;
    return toPublicUserData({
      exportedAt: new Date(clock()),
      user,
      administered,
      identities,
      credentials,
      enrollment,
      factors,
      apps,
      trustedBrowsers,
      sessions,
      families,
      keys,
      memberships,
      invites,
      contributions,
    });
  }

  /**
   * Deletes the user and everything that refers to them, with the data of the registered handlers, in one transaction. Their
   * tokens become invalid. @throws UserNotFoundError; OrgError for the last owner of an organization; InternalError that names
   * the handler that failed, and then nothing is deleted; TokenInvalidError if all sessions of the user have ended since that of the request
   * was checked (`context.sessionEpoch`).
   * @param context with `actor`, an administrator deletes the user, and `sessionEpoch` is the administrator's.
   */
  async deleteUser(userId: string, context: RequestContext | AdministrativeChange = {}): Promise<void> {
    const author = parseAdministrative(context);
    const own = author ? {} : parseContext(context);
    mustBeInPerson(userId, own);
    await this.tools.userDeletion.deleteUser(userId, own, author);
  }
}
