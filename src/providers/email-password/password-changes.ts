/** Another password, or a first one, for somebody who is signed in. */
import type { StoredUser } from '../../domain/user.js';
import {
  InvalidCredentialsError,
  InvalidRequestError,
  NotAuthorizedError,
  ReauthRequiredError,
  TokenInvalidError,
} from '../../errors/catalog.js';
import { existingUser } from '../../kit/existing-user.js';
import { checkInput, optional } from '../../kit/input.js';
import type { PasswordVerifier } from '../../kit/password-hasher.js';
import { checkNewPassword } from '../../kit/password-policy.js';
import type { ChangedUser, RequestContext } from '../../kit/sign-in.js';
import type { EmailPasswordOptions, EmailPasswordTools } from './options.js';
import type { PasswordGuesses } from './password-guesses.js';

export interface PasswordChangeInput {
  userId: string;
  /** Left out by who has none. */
  currentPassword?: string;
  newPassword: string;
}

export class PasswordChanges {
  constructor(
    private readonly options: EmailPasswordOptions,
    private readonly tools: EmailPasswordTools,
    private readonly passwords: PasswordVerifier,
    private readonly guesses: PasswordGuesses,
  ) {}

  async change(input: PasswordChangeInput, context: RequestContext): Promise<ChangedUser> {
    const { logger, signIn, storage } = this.tools;
    checkInput(input);
    context = optional(context);
    const { currentPassword, newPassword } = input;
    const user = await existingUser(storage.users, input.userId);
    await checkNewPassword(newPassword, user.email, this.options);
    const changed =
      currentPassword === undefined
        ? await this.add(user, newPassword, context)
        : await this.replace(user, currentPassword, newPassword, context);
    logger.info({ event: 'password_changed', userId: user.id, ip: context.ip }, 'a user set a password');
    this.notify(changed, context.ip);
    return signIn.goOn(changed, context, currentPassword !== undefined);
  }

  /**
   * The first password of a user who has none, in their own session.
   * @param user as read before the session is checked: a claim or a revocation in between wins. Null then, and where there is a
   * password already.
   * @param freshMs how old the session's sign-in may be.
   * @throws ReauthRequiredError for an older one.
   */
  async addFirst(
    user: StoredUser,
    password: string,
    context: RequestContext,
    freshMs = Infinity,
  ): Promise<StoredUser | null> {
    const { clock, events, signIn, storage } = this.tools;
    const session = user.passwordHash === null ? await signIn.currentSession(context) : null;
    if (session?.user.id !== user.id) return null;
    // A forgotten session must not get a way in that outlives it.
    if (!(session.signedInAt.getTime() >= clock() - freshMs)) throw new ReauthRequiredError();
    const passwordHash = await this.passwords.hash(password, context.ip);
    const now = new Date(clock());
    if (!(await storage.users.setFirstPassword(user.id, user.epoch, passwordHash, now))) return null;
    events.emit('password.added', { userId: user.id });
    return { ...user, passwordHash, updatedAt: now };
  }

  /** Tells the owner, where that is configured, that the password is another now. */
  notify({ email }: StoredUser, ip?: string): void {
    const { background, mailer } = this.tools;
    const { notifyTemplate } = this.options;
    if (!notifyTemplate || email === null) return;
    const render = () => notifyTemplate({ appName: mailer.appName });
    background.start('password notice', () => mailer.send('notice', email, this.options, render), ip);
  }

  private async add(user: StoredUser, newPassword: string, context: RequestContext): Promise<StoredUser> {
    // Nothing was guessed: the user of the account knows that it has a password.
    if (user.passwordHash !== null) throw wrongPassword();
    if (user.email === null)
      throw new InvalidRequestError('A password needs an address to sign in with.', {
        reason: 'email_missing',
      });
    const changed = await this.addFirst(user, newPassword, context);
    if (!changed) throw new NotAuthorizedError();
    return changed;
  }

  private async replace(
    user: StoredUser,
    currentPassword: string,
    newPassword: string,
    context: RequestContext,
  ): Promise<StoredUser> {
    const { clock, events, signIn, storage } = this.tools;
    const { id: userId } = user;
    const address = user.email ?? userId;
    const find = () => storage.users.findById(userId);
    const owner = await this.guesses.check(address, currentPassword, context, find);
    const fromHash = owner?.passwordHash ?? null;
    const passwordHash = fromHash === null ? null : await this.passwords.hash(newPassword, context.ip);
    if (fromHash === null || passwordHash === null)
      throw signIn.failed('password_change', address, wrongPassword(), context);
    // From the hash that was verified, and at the epoch of the session: a reset, a claim or a sign-out everywhere in between wins.
    const epoch = context.sessionEpoch ?? user.epoch;
    const now = new Date(clock());
    const outcome = await storage.users.changePassword({ userId, epoch, fromHash, passwordHash, now });
    if (outcome.status !== 'changed') {
      const error = outcome.status === 'epoch_moved' ? new TokenInvalidError() : wrongPassword();
      throw signIn.failed('password_change', address, error, context);
    }
    events.emit('password.changed', { userId });
    return outcome.user;
  }
}

function wrongPassword(): InvalidCredentialsError {
  return new InvalidCredentialsError({ field: 'currentPassword' });
}
