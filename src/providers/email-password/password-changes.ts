/** Changes of the password, and the first password, of a signed-in user. */
import { passwordChangedTemplate } from '../../core/mail/email-templates.js';
import type { StoredUser } from '../../domain/user.js';
import {
  InvalidCredentialsError,
  InvalidRequestError,
  NotAuthorizedError,
  TokenInvalidError,
} from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { newPasswordLimits } from '../../core/limits/rate-limits.js';
import { existingUser } from '../../core/sessions/existing-user.js';
import { assertRecentSignIn } from '../../core/sessions/recent-sign-in.js';
import { parseInput } from '../../core/support/input.js';
import type { PasswordVerifier } from '../../core/passwords/password-verifier.js';
import type { PasswordOwner } from '../../core/passwords/password-rules.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import type { SignInAttempt } from '../../core/sessions/sign-in-attempts.js';
import type { ChangedUser } from '../../core/sessions/sign-in-result.js';
import { changePasswordInput, type EmailPasswordOptions, type EmailPasswordTools } from './options.js';
import type { PasswordGuesses } from './password-guesses.js';
import { mustBeInPerson } from '../../core/sessions/in-person.js';

export class PasswordChanges {
  constructor(
    private readonly options: EmailPasswordOptions,
    private readonly tools: EmailPasswordTools,
    private readonly passwords: PasswordVerifier,
    private readonly guesses: PasswordGuesses,
  ) {}

  async change(input: unknown, context: RequestContext): Promise<ChangedUser> {
    const { limiter, logger, newPasswords, signIn, storage } = this.tools;
    const { userId, currentPassword, newPassword } = parseInput(changePasswordInput, input);
    context = parseContext(context);
    mustBeInPerson(userId, context);
    const user = await existingUser(storage.users, userId);
    newPasswords.rules.checkForm(newPassword);
    // Not refunded: a user could otherwise have any number of passwords checked by another server.
    await signIn.attempts.watch(attemptOf(user, context), () =>
      limiter.consume(newPasswordLimits(context.ip, user.id)),
    );
    await newPasswords.rules.checkContent(newPassword, await this.ownerOf(user));
    const changed =
      currentPassword === undefined
        ? await this.add(user, newPassword, context)
        : await this.replace(user, currentPassword, newPassword, context);
    logger.info({ event: 'password_changed', userId: user.id, ip: context.ip }, 'a user set a password');
    this.notify(changed, context, currentPassword === undefined ? 'password_added' : 'password_changed');
    return signIn.continueSession(changed, context, currentPassword !== undefined);
  }

  /**
   * Sets the first password of a user, in their own session.
   * @param user as read before the session is checked: a reclaim or a revocation in between wins. Returns null then, and if
   * the user already has a password.
   * @param isRecent whether the caller has made sure that the user has signed in recently.
   * @throws ReauthRequiredError if the user has not.
   */
  async addFirst(
    user: StoredUser,
    password: string,
    context: RequestContext,
    isRecent: boolean,
  ): Promise<StoredUser | null> {
    const { changes, clock, signIn, storage } = this.tools;
    const session = user.passwordHash === null ? await signIn.currentSession(context) : null;
    if (session?.user.id !== user.id) return null;
    // An abandoned session must not create a sign-in method that outlives it.
    if (!isRecent) assertRecentSignIn(session, this.tools);
    const passwordHash = await this.passwords.hashPassword(password, context.ip);
    const now = new Date(clock());
    const isSet = await changes.commit(
      () => storage.users.setFirstPassword(user.id, user.epoch, passwordHash, now),
      (isAdded) => (isAdded ? [['password.added', { userId: user.id }]] : []),
    );
    if (!isSet) return null;
    return { ...user, passwordHash, updatedAt: now };
  }

  /** Mails the user a notice of the change if `notifyTemplate` or `notices` is configured. A template of the application has priority. */
  notify(
    user: StoredUser,
    context: RequestContext,
    change: 'password_added' | 'password_changed' | 'password_reset',
  ): void {
    const { notifyTemplate } = this.options;
    const { accountNotices } = this.tools;
    const { email } = user;
    const isOwn = typeof notifyTemplate === 'function';
    if (!isOwn && accountNotices.isOn && user.emailVerified)
      return accountNotices.send(change, user, context);
    if (!notifyTemplate || email === null) return;
    const template = notifyTemplate === true ? passwordChangedTemplate : notifyTemplate;
    this.tools.notices.send('password notice', email, this.options, template, { user, context });
  }

  /** Reads the user name only if users have one. */
  private async ownerOf({ id, email }: StoredUser): Promise<PasswordOwner> {
    const { newPasswords, storage, usernames } = this.tools;
    const reads = usernames.isEnabled && newPasswords.rules.comparesNames;
    const user = reads ? await storage.userAdministration?.find({ id }) : null;
    return { email, username: user?.username ?? null };
  }

  private async add(user: StoredUser, newPassword: string, context: RequestContext): Promise<StoredUser> {
    // Nothing was guessed: the account's user knows that it has a password.
    if (user.passwordHash !== null) throw wrongPassword();
    if (user.email === null)
      throw new InvalidRequestError('A password requires an email address to sign in with.', {
        reason: 'email_missing',
      });
    const changed = await this.addFirst(user, newPassword, context, true);
    if (!changed) throw new NotAuthorizedError(because('other_user'));
    return changed;
  }

  private async replace(
    user: StoredUser,
    currentPassword: string,
    newPassword: string,
    context: RequestContext,
  ): Promise<StoredUser> {
    const { changes, clock, signIn, storage } = this.tools;
    const { id: userId } = user;
    const attempt = attemptOf(user, context);
    const guess = await signIn.attempts.watch(attempt, () =>
      this.guesses.check(user.email ?? userId, currentPassword, context, { user }),
    );
    await guess.end();
    const fromHash = guess.user?.passwordHash ?? null;
    const passwordHash =
      fromHash === null ? null : await this.passwords.hashPassword(newPassword, context.ip);
    if (fromHash === null || passwordHash === null) throw signIn.failed(attempt, wrongPassword());
    // Conditional on the verified hash and the session's epoch: a reset, a reclaim or a sign-out everywhere in between wins.
    const epoch = context.sessionEpoch ?? user.epoch;
    const now = new Date(clock());
    const outcome = await changes.commit(
      () => storage.users.changePassword({ userId, epoch, fromHash, passwordHash, now }),
      ({ status }) => (status === 'changed' ? [['password.changed', { userId }]] : []),
    );
    if (outcome.status !== 'changed') {
      const error =
        outcome.status === 'epoch_moved' ? new TokenInvalidError(because('epoch_passed')) : wrongPassword();
      throw signIn.failed(attempt, error);
    }
    return outcome.user;
  }
}

const attemptOf = ({ email, id }: StoredUser, context: RequestContext): SignInAttempt => ({
  method: 'password_change',
  subject: email ?? undefined,
  userId: id,
  context,
});

function wrongPassword(): InvalidCredentialsError {
  return new InvalidCredentialsError({ field: 'currentPassword', ...because('current_password_wrong') });
}
