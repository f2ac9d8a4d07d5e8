/** New accounts with a password, and guests who become one. */
import { parseEmailAddress } from '../../domain/email-address.js';
import { parseMetadata } from '../../domain/metadata.js';
import type { StoredUser } from '../../domain/user.js';
import type { Username } from '../../domain/username.js';
import {
  EmailExistsError,
  InvalidRequestError,
  SignUpDisabledError,
  TokenInvalidError,
  WeakPasswordError,
} from '../../errors/catalog.js';
import { queueClientOf } from '../../core/limits/fair-queue.js';
import { signUpLimits } from '../../core/limits/rate-limits.js';
import { usualFreshMs } from '../../core/sessions/sessions.js';
import {
  stored,
  type ChangedUser,
  type CreatedUser,
  type RequestContext,
  type SignInResult,
} from '../../core/sessions/sign-in.js';
import { capability } from '../../core/support/capability.js';
import { optional, parseInput } from '../../core/support/input.js';
import type { PasswordPlace, PasswordVerifier } from '../../core/support/password-hasher.js';
import { checkByApplication, checkPasswordForm } from '../../core/support/password-policy.js';
import { usernameTaken } from '../../core/support/usernames.js';
import type { NewUser } from '../../storage/repositories.js';
import {
  signupInput,
  upgradeWithPasswordInput,
  type EmailPasswordOptions,
  type EmailPasswordTools,
} from './options.js';
import type { PasswordChanges } from './password-changes.js';

export class PasswordSignUps {
  constructor(
    private readonly options: EmailPasswordOptions,
    private readonly tools: EmailPasswordTools,
    private readonly passwords: PasswordVerifier,
    private readonly changes: PasswordChanges,
  ) {}

  async signUp(input: unknown, context: RequestContext): Promise<SignInResult> {
    const { signIn, signUpPolicy } = this.tools;
    const { password, ...sent } = parseInput(signupInput, input);
    context = optional(context);
    const { ip } = context;
    const email = parseEmailAddress(sent.email);
    const username = this.usernameOf(sent.username);
    const isOwner = (await signIn.currentSession(context))?.user.email === email;
    // The owner of an account adds a password to it: the policy is about new accounts.
    if (!isOwner) signUpPolicy.assertEnabled();
    else if (username) throw accountHasUsername();
    const fields = isOwner ? {} : await signUpPolicy.parseFields(sent.fields);
    const metadata = parseMetadata({ ...fields, ...parseMetadata(sent.metadata) });
    const signUp = { method: 'password_signup', email, emailVerified: false, metadata, fields };
    const { existing, inserted } = await this.asSignUp(password, email, ip, async (place, owner) => {
      // Whether or not there is an owner: the refusal must not depend on whether it has an account.
      const admitted = isOwner ? null : await signUpPolicy.newUser(signUp, ip);
      if (owner) return { existing: owner };
      const passwordHash = await place.hashPassword(password);
      // The account of the session was deleted in the meantime.
      if (!admitted) throw new TokenInvalidError();
      const newUser = { ...admitted, passwordHash };
      return { inserted: await this.insert(newUser, username, context) };
    });
    if (existing) {
      const owner = await this.changes.addFirst(existing, password, context, usualFreshMs);
      if (!owner) throw new EmailExistsError();
      this.changes.notify(owner, ip);
      // Choosing a password proves nothing: a new session would count as a recent sign-in and skip the second factor.
      return signIn.completeSignIn('password_signup', owner, false, { ...context, startSession: false });
    }
    if (inserted === 'username_taken') throw usernameTaken();
    if (inserted === 'email_taken') throw new EmailExistsError();
    const { user, ...started } = inserted;
    this.startVerification(user.id, ip);
    return signIn.completeSignIn('password_signup', user, true, context, started);
  }

  async upgradeGuest(input: unknown, context: RequestContext): Promise<ChangedUser> {
    const { guestUpgrades, signIn, signUpPolicy } = this.tools;
    const { userId, email: address, password } = parseInput(upgradeWithPasswordInput, input);
    context = optional(context);
    const email = parseEmailAddress(address);
    await guestUpgrades.assertGuest(userId);
    signUpPolicy.assertEnabled();
    const user = await this.asSignUp(password, email, context.ip, async (place) => {
      const passwordHash = await place.hashPassword(password);
      try {
        return await guestUpgrades.upgrade(userId, { email, passwordHash }, context);
      } catch (error) {
        if (error instanceof EmailExistsError) return null;
        throw error;
      }
    });
    if (!user) throw new EmailExistsError();
    this.startVerification(user.id, context.ip);
    return signIn.continueSession(user, context, false);
  }

  private usernameOf(input: string | undefined): Username | null {
    const { usernames } = this.tools;
    if (input === undefined) return null;
    usernames.assertEnabled();
    return usernames.parse(input);
  }

  private async insert(
    user: NewUser,
    username: Username | null,
    context: RequestContext,
  ): Promise<CreatedUser | 'email_taken' | 'username_taken'> {
    const { signIn, storage } = this.tools;
    // Custom adapters without user names still support sign-ups without them.
    if (!username) return (await signIn.insertUser(user, context)) ?? 'email_taken';
    const named = { ...user, username, roles: user.roles ?? [] };
    const status = await capability(storage, 'userAdministration').insert(named);
    return status === 'inserted' ? { user: stored(user), created: true } : status;
  }

  /** Mails a code in the background: the account exists, whether or not the mail arrives. */
  private startVerification(userId: StoredUser['id'], ip: string | undefined): void {
    const { addressVerification, background } = this.tools;
    const { verificationTemplate: template, verifyEmail, ...mail } = this.options;
    if (verifyEmail === 'off') return;
    background.start(
      'address verification',
      async () => void (await addressVerification.send(userId, { ...mail, template }, ip)),
      ip,
    );
  }

  /**
   * Checks a new password and runs `work`, in a slot of the queue and within the sign-up limits. Both come before the check by
   * the application, which may call another server. A refused password or sign-up and a taken address or user name still count: they
   * cost a hash, call the application, or reveal an account. `work` receives the owner of the address, as read with the limits.
   */
  private async asSignUp<T>(
    password: string,
    email: string,
    ip: string | undefined,
    work: (place: PasswordPlace, owner: StoredUser | null) => Promise<T>,
  ): Promise<T> {
    const { limiter, limits } = this.tools;
    checkPasswordForm(password, this.options);
    const outcome = await this.passwords.withPlace(queueClientOf(ip), (place) =>
      limiter.withLimitsAndUser(signUpLimits(limits.signUp, ip), email, async (_consumed, owner) => {
        await place.turn();
        try {
          await checkByApplication(password, email, this.options);
          return { result: await work(place, owner) };
        } catch (error) {
          if (error instanceof WeakPasswordError || error instanceof SignUpDisabledError) return error;
          throw error;
        }
      }),
    );
    if (outcome instanceof Error) throw outcome;
    return outcome.result;
  }
}

function accountHasUsername(): InvalidRequestError {
  const message = 'The address has an account: set its user name when you are signed in.';
  return new InvalidRequestError(message, { field: 'username', reason: 'account_exists' });
}
