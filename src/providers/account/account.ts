/**
 * A user's account: verification and change of its address (docs/decisions/email-change.md), its language, and export and deletion of
 * all data about the user (specification 4.3, `account`).
 */
import type * as z from 'zod';
import { maskEmailAddress, parseEmailAddress } from '../../domain/email-address.js';
import { toPublicUserData, type UserDataExport } from '../../domain/user-data-export.js';
import { toServiceUser, type ServiceUser, type StoredUser } from '../../domain/user.js';
import {
  EmailExistsError,
  InvalidRequestError,
  NotAuthorizedError,
  ProviderNotConfiguredError,
  TokenInvalidError,
} from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { chosenAddressLimits } from '../../core/limits/send-limits.js';
import type { MailOptions } from '../../core/mail/mailer.js';
import type { IssuedCode } from '../../core/mail/one-time-codes.js';
import { emailChangeBinding, mailNewAddress } from '../../core/mail/new-addresses.js';
import { capability } from '../../core/support/capability.js';
import type { UserDataHandler } from '../../core/support/user-data.js';
import { existingUser } from '../../core/sessions/existing-user.js';
import { parseAdministrative, type AdministrativeChange } from '../../core/sessions/change-by.js';
import { parseCode, parseInput } from '../../core/support/input.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import type { ChangedUser } from '../../core/sessions/sign-in-result.js';
import type { Toolkit } from '../../core/toolkit.js';
import type { AccountRepository } from '../../storage/pro-repositories.js';
import {
  setLanguageInput,
  type changeProfileInput,
  type AccountOptions,
  changeEmailInput,
  confirmEmailInput,
  verifyEmailInput,
  type EmailChangeInput,
} from './options.js';
import { changeProfile } from './profile.js';
import { mustBeInPerson } from '../../core/sessions/in-person.js';

type Tools = Pick<
  Toolkit,
  | 'addressVerification'
  | 'clock'
  | 'codeMailer'
  | 'codes'
  | 'events'
  | 'languages'
  | 'limiter'
  | 'limits'
  | 'logger'
  | 'mailer'
  | 'accountNotices'
  | 'notices'
  | 'profiles'
  | 'signIn'
  | 'storage'
  | 'userDataHandlers'
  | 'userDeletion'
>;

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

  constructor(
    private readonly options: AccountOptions,
    private readonly tools: Tools,
  ) {
    this.accounts = capability(tools.storage, 'accounts');
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
      throw new TokenInvalidError(because('epoch_passed'));
    return { language };
  }

  /**
   * Sets the name and the picture that others see of the user, as far as they are given; null removes them. They are the keys `name` and
   * `picture` of the metadata; the other keys stay.
   * @throws UserNotFoundError; InvalidRequestError, with the reason `name_address`, `name_reserved`, or `picture_source` for a picture that
   * the application does not allow (`profiles.pictures`); RateLimitError: 20 changes in 24 hours; TokenInvalidError if all sessions of the
   * user have ended since that of the request was checked; ProviderNotConfiguredError unless `profiles.editable`.
   */
  async changeProfile(
    input: z.infer<ReturnType<typeof changeProfileInput>>,
    context: RequestContext = {},
  ): Promise<{ user: ServiceUser }> {
    return changeProfile(this.tools, input, context);
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
    context = parseContext(context);
    const mail = { ...this.mailOptions(), template: this.options.verificationTemplate };
    return this.tools.addressVerification.send(userId, mail, context);
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
    const { userId, code } = parseInput(verifyEmailInput, input);
    mustBeInPerson(userId, context);
    return this.tools.addressVerification.verify(userId, code, parseContext(context).ip);
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
    const { codeMailer, codes, limiter, limits, storage } = this.tools;
    const { addressInUseTemplate, leavingAddressTemplate, newAddressTemplate } = this.options;
    const { userId, email } = parseInput(changeEmailInput, input);
    context = parseContext(context);
    mustBeInPerson(userId, context);
    const { ip, sessionEpoch } = context;
    const mail = this.mailOptions();
    const address = parseEmailAddress(email);
    const user = await existingUser(storage.users, userId);
    const epoch = sessionEpoch ?? user.epoch;
    // A guest gets an address by an upgrade.
    if (await storage.guests?.isGuest(userId)) throw new NotAuthorizedError(because('guest'));
    if (address === user.email) throw new InvalidRequestError('The account already has this address.');
    const current = provenAddress(user);
    const budgets = chosenAddressLimits(limits.send, 'email_change', { userId, address }, ip);
    const spent = await limiter.consume(budgets);
    let issued: IssuedCode;
    try {
      // Issued even if it is not mailed: a missing code would cause a different error and reveal the account.
      issued = await codes.issueCode('email_change', userId, {
        binding: emailChangeBinding(user.email, address, epoch),
        withSecond: current !== null,
      });
      const owner = await storage.users.findByEmail(address);
      const newAddressMail = { ...mail, template: newAddressTemplate, addressInUseTemplate };
      await mailNewAddress(this.tools, 'email_change', address, issued, newAddressMail, owner !== null, {
        user: owner ?? user,
        context,
      });
    } catch (error) {
      await spent.refund();
      throw error;
    }
    // The first mail has been sent: the send counts from here on, or failures at one address would allow unlimited mails to the other.
    if (current !== null && issued.secondCode !== undefined) {
      const second = { ...issued, code: issued.secondCode };
      const leavingMail = { ...mail, template: leavingAddressTemplate };
      await codeMailer.sendCode('email_change', current, second, leavingMail, { user, context });
    }
    return { expiresAt: issued.expiresAt, currentCodeSent: current !== null };
  }

  /**
   * Changes the address, with both codes. The new address is verified; every session and everything pending for either address
   * ends; with `context.startSession`, starts a new session for the browser. Mails a notice to the previous address.
   * @throws UserNotFoundError, InvalidRequestError, RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError;
   * CodeInvalidError, with the field of the wrong code if there are two (`code` before `currentCode`); EmailExistsError if the address has an
   * account by now; TokenInvalidError if the user's sessions ended in the meantime.
   */
  async confirmEmailChange(input: EmailChangeInput, context: RequestContext = {}): Promise<ChangedUser> {
    const { accountNotices, clock, codes, events, logger, signIn, storage } = this.tools;
    const { userId, code, ...change } = parseInput(confirmEmailInput, input);
    context = parseContext(context);
    mustBeInPerson(userId, context);
    const email = parseEmailAddress(change.email);
    const user = await existingUser(storage.users, userId);
    const epoch = context.sessionEpoch ?? user.epoch;
    const old = provenAddress(user);
    const currentCode = old === null ? null : parseCode(change.currentCode, 'currentCode');
    await codes.redeemCode('email_change', userId, code, context.ip, {
      binding: emailChangeBinding(user.email, email, epoch),
      ...(currentCode !== null && { second: { code: currentCode, field: 'currentCode' } }),
    });
    const outcome = await this.accounts.changeEmail({ userId, epoch, email, now: new Date(clock()) });
    if (outcome.status === 'email_taken') throw new EmailExistsError();
    if (outcome.status === 'guest') throw new NotAuthorizedError(because('guest'));
    // Deleted, or signed out everywhere, since the codes were checked.
    if (outcome.status !== 'changed') throw new TokenInvalidError(because('epoch_passed'));
    const from = old === null ? undefined : maskEmailAddress(old);
    const to = maskEmailAddress(email);
    logger.info({ event: 'email_changed', userId, from, to, ip: context.ip }, 'a user changed the address');
    events.emit('email.changed', { userId });
    if (old !== null) this.notify(old, { user, context });
    accountNotices.send('address_changed', outcome.user, context);
    return signIn.continueSession(outcome.user, context, true);
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
      storage.oauthServer?.listGrantsWithClients(user.id, new Date(clock())) ?? [],
      storage.apiKeys?.list({ userId: user.id }) ?? [],
      storage.orgs?.listForUser(user.id) ?? [],
      storage.orgs?.listInvitesOf({ userId: user.id, email: provenEmail }) ?? [],
    ]);
    // Handlers may be slow, and an export of a partly deleted user would look complete.
    await existingUser(storage.users, user.id);
    const [administered, identities, credentials, enrollment, factors, ...others] = records;
    const [apps, trustedBrowsers, sessions, families, grants, keys, memberships, invites] = others;
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
      grants,
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

  /** @throws ProviderNotConfiguredError without a sender. */
  private mailOptions(): MailOptions {
    const { sender, from } = this.options;
    if (!sender) throw new ProviderNotConfiguredError('account.sender');
    return { sender, from };
  }

  private notify(old: string, reader: { user: StoredUser; context: RequestContext }): void {
    const { sender, from, addressChangedTemplate } = this.options;
    if (!sender) return;
    this.tools.notices.send('address notice', old, { sender, from }, addressChangedTemplate, reader);
  }
}

/** An unverified address may belong to another person: it need not agree, and receives no mail. */
function provenAddress({ email, emailVerified }: StoredUser): string | null {
  return emailVerified ? email : null;
}
