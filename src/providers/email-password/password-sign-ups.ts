/** New accounts with a password, and guests who become one. */
import { parseEmailAddress } from '../../domain/email-address.js';
import { parseMetadata } from '../../domain/metadata.js';
import type { StoredUser } from '../../domain/user.js';
import type { Username } from '../../domain/username.js';
import { EmailExistsError, InvalidRequestError, TokenInvalidError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import type { SignUp } from '../../core/sign-ups/sign-up-options.js';
import type { ChangedUser, SignInResult } from '../../core/sessions/sign-in-result.js';
import { parseInput } from '../../core/support/input.js';
import type { PasswordVerifier } from '../../core/passwords/password-verifier.js';
import { usernameTaken } from '../../core/sign-ups/usernames.js';
import {
  signupInput,
  upgradeWithPasswordInput,
  type EmailPasswordOptions,
  type EmailPasswordTools,
} from './options.js';
import type { PasswordChanges } from './password-changes.js';
import { PrivateSignUps, type PendingSignUp } from './private-sign-ups.js';
import { SignUpSlots } from './sign-up-slots.js';

/** The input of a sign-up, checked as far as the caller's own session and the input decide. */
interface SubmittedSignUp {
  password: string;
  username: Username | null;
  signUp: SignUp;
  /** Whether the session of the request belongs to the account of the address. */
  isOwner: boolean;
}

export class PasswordSignUps {
  private readonly slots: SignUpSlots;
  readonly private: PrivateSignUps;

  constructor(
    private readonly options: EmailPasswordOptions,
    private readonly tools: EmailPasswordTools,
    passwords: PasswordVerifier,
    private readonly changes: PasswordChanges,
  ) {
    this.slots = new SignUpSlots(tools, passwords);
    this.private = new PrivateSignUps(options, tools, this.slots);
  }

  async start(input: unknown, context: RequestContext): Promise<SignInResult | PendingSignUp> {
    context = parseContext(context);
    const submitted = await this.read(input, context);
    const { email } = submitted.signUp;
    if (!this.isPrivate(submitted) || email === null) return this.signUpAtOnce(submitted, context);
    return this.private.start({ ...submitted, signUp: { ...submitted.signUp, email } }, context);
  }

  async signUp(input: unknown, context: RequestContext): Promise<SignInResult> {
    context = parseContext(context);
    const submitted = await this.read(input, context);
    // Fails closed: the result and the error of this method reveal whether the address has an account.
    if (this.isPrivate(submitted)) throw unproven();
    return this.signUpAtOnce(submitted, context);
  }

  async upgradeGuest(input: unknown, context: RequestContext): Promise<ChangedUser> {
    const { challenges, guestUpgrades, newPasswords, signIn, signUpPolicy } = this.tools;
    const {
      userId,
      email: address,
      password,
      fields: sent,
      challengeSolution,
    } = parseInput(upgradeWithPasswordInput, input);
    context = parseContext(context);
    const email = parseEmailAddress(address);
    await guestUpgrades.assertGuest(userId);
    signUpPolicy.assertEnabled();
    // Anyone can become a guest, who would learn here which addresses have an account.
    if (signUpPolicy.isPrivate) throw unproven();
    const fields = await signUpPolicy.parseFields(sent);
    newPasswords.rules.checkForm(password);
    await challenges.assertSolved('sign_up', challengeSolution, context.ip);
    const user = await this.slots.run(password, { email }, context.ip, async (place) => {
      const passwordHash = await place.hashPassword(password);
      return guestUpgrades.upgrade(userId, { email, passwordHash }, context, { fields });
    });
    this.startVerification(user.id, context);
    return signIn.continueSession(user, context, false);
  }

  private async read(input: unknown, context: RequestContext): Promise<SubmittedSignUp> {
    const { challenges, signIn, signUpPolicy } = this.tools;
    const { password, inviteToken, challengeSolution, ...sent } = parseInput(signupInput, input);
    const username = this.usernameOf(sent.username);
    const email = this.addressOf(sent.email, username);
    const isOwner = email !== null && (await signIn.currentSession(context))?.user.email === email;
    const origin = { method: 'password_signup', email, emailVerified: false, inviteToken };
    // The owner of an account adds a password to it: the policy is about new accounts.
    if (email === null) signUpPolicy.assertEnabled();
    else if (!isOwner) await signUpPolicy.assertAddressAllowed({ ...origin, email, metadata: {} });
    else if (username) throw accountHasUsername();
    const fields = isOwner ? {} : await signUpPolicy.parseFields(sent.fields);
    const metadata = parseMetadata({ ...fields, ...parseMetadata(sent.metadata) });
    this.tools.newPasswords.rules.checkForm(password);
    // Last, because it consumes the solution.
    if (!isOwner) await challenges.assertSolved('sign_up', challengeSolution, context.ip);
    return { password, username, signUp: { ...origin, metadata, fields }, isOwner };
  }

  private async signUpAtOnce(
    { password, username, signUp, isOwner }: SubmittedSignUp,
    context: RequestContext,
  ): Promise<SignInResult> {
    const { legacyUsers, signIn, signUpPolicy } = this.tools;
    const { ip } = context;
    const { email } = signUp;
    // What an account of the old system has, which a sign-up must not take from it.
    const takenThere = async () => {
      if (email !== null && (await legacyUsers.bring({ email }))) return 'email';
      return username && (await legacyUsers.bring({ username: username.name })) ? 'username' : null;
    };
    const { existing, inserted } = await this.slots.run(
      password,
      { email, username: username?.name },
      ip,
      async (place, owner, legacy) => {
        // Whether or not there is an owner: the refusal must not depend on whether it has an account.
        const admitted = isOwner ? null : await signUpPolicy.newUser(signUp, context);
        if (owner) return { existing: owner };
        if (legacy === 'email') throw new EmailExistsError();
        if (legacy === 'username') throw usernameTaken();
        const passwordHash = await place.hashPassword(password);
        // The account of the session was deleted in the meantime.
        if (!admitted) throw new TokenInvalidError(because('user_deleted'));
        const newUser = { ...admitted, passwordHash };
        return { inserted: await this.slots.insert(newUser, username, context) };
      },
      isOwner || !legacyUsers.isConfigured ? undefined : takenThere,
    );
    if (existing) {
      const owner = await this.changes.addFirst(existing, password, context, false);
      if (!owner) throw new EmailExistsError();
      this.changes.notify(owner, context, 'password_added');
      // Choosing a password proves nothing: a new session would count as a recent sign-in and skip the second factor.
      return signIn.completeSignIn('password_signup', owner, false, { ...context, startSession: false });
    }
    if (inserted === 'username_taken') throw usernameTaken();
    if (inserted === 'email_taken') throw new EmailExistsError();
    const { user, ...started } = inserted;
    if (email !== null) this.startVerification(user.id, context);
    return signIn.completeSignIn('password_signup', user, true, context, started);
  }

  /** Whether the response must not reveal whether the address has an account. A user name is public. */
  private isPrivate({ isOwner, signUp }: SubmittedSignUp): boolean {
    return this.tools.signUpPolicy.isPrivate && !isOwner && signUp.email !== null;
  }

  /** Null if the user signs up with a user name alone. @throws InvalidRequestError */
  private addressOf(input: string | undefined, username: Username | null): string | null {
    if (input === undefined && username && this.tools.usernames.replaceAddresses) return null;
    return parseEmailAddress(input);
  }

  private usernameOf(input: string | undefined): Username | null {
    const { usernames } = this.tools;
    if (input === undefined) return null;
    usernames.assertEnabled();
    return usernames.parse(input);
  }

  /** Mails a code in the background: the account exists, whether or not the mail arrives. */
  private startVerification(userId: StoredUser['id'], context: RequestContext): void {
    const { addressVerification, background } = this.tools;
    const { verificationTemplate: template, verifyEmail, ...mail } = this.options;
    if (verifyEmail === 'off') return;
    background.start(
      'address verification',
      async () => void (await addressVerification.send(userId, { ...mail, template }, context)),
      context.ip,
    );
  }
}

function accountHasUsername(): InvalidRequestError {
  const message = 'The address has an account: set its user name when you are signed in.';
  return new InvalidRequestError(message, { field: 'username', reason: 'account_exists' });
}

function unproven(): InvalidRequestError {
  const message = 'With signUp.revealExisting: false, an address must be proven before it gets a password.';
  return new InvalidRequestError(message, { field: 'email', reason: 'email_unproven' });
}
