/**
 * Turns a proven mailbox into its user: an existing, a new or a claimed one. The person who signed up with an address without proving
 * it may not own it, so the first proof removes everything that was set before it (docs/decisions/account-reclaim.md).
 */
import { toPersonProfile } from '../../domain/identity.js';
import type { ServiceSession } from '../../domain/session.js';
import type { StoredUser } from '../../domain/user.js';
import { InternalError, TokenInvalidError } from '../../errors/catalog.js';
import { retryNotSent } from '../../storage/not-sent.js';
import type { UserRepository } from '../../storage/repositories.js';
import type { Clock } from '../support/clock.js';
import type { Changes } from '../support/changes.js';
import type { Logger } from '../support/logger.js';
import type { RequestContext } from '../sessions/request-context.js';
import type { SignInResult } from '../sessions/sign-in-result.js';
import type { SignIn } from '../sessions/sign-in.js';
import type { SignUp } from './sign-up-options.js';
import type { SignUpPolicy } from './sign-up-policy.js';

export interface ProvenUser {
  user: StoredUser;
  created: boolean;
  /** The session that was started with a new user, if the context requests one. */
  session?: ServiceSession;
  /** Present if the proof removed a password or a second factor that was set before. */
  reclaimed?: true;
}

/** The user of an address before its proof and, if it was read, at the proof. */
export interface ReadUsers {
  before: StoredUser | null;
  atProof?: StoredUser | null | undefined;
}

/** The properties of a sign-up besides the address. */
export type ProvenSignUp = Omit<SignUp, 'email' | 'emailVerified'>;

export class MailboxProof {
  constructor(
    private readonly users: UserRepository,
    private readonly signIn: SignIn,
    private readonly signUps: SignUpPolicy,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly changes: Changes,
    /** Imports the user of an address, if only another system has it. Returns whether there is an account now. */
    private readonly bringLegacyUser: (email: string) => Promise<boolean>,
  ) {}

  /** Returns the user of an address before it is proven. The new session is void if the user's epoch has changed since. */
  findBeforeProof(email: string): Promise<StoredUser | null> {
    return this.users.findByEmail(email);
  }

  /** Like `findBeforeProof`, of an address that is proven. Imports the user whom only another system has, with the second factor. */
  async findOrBring(email: string): Promise<StoredUser | null> {
    const user = await this.users.findByEmail(email);
    return !user && (await this.bringLegacyUser(email)) ? this.users.findByEmail(email) : user;
  }

  /**
   * Signs in the user of an address that a code has just proven.
   * @param readUsers as for `findOrCreateUser`, with the user at the proof.
   * @throws SignUpDisabledError, UserBlockedError; TokenInvalidError if all sessions of the user ended since `before` was read.
   */
  async signInWithProof(
    email: string,
    signUp: ProvenSignUp,
    context: RequestContext,
    { before, atProof }: ReadUsers,
  ): Promise<SignInResult> {
    const complete = async (readUsers: ReadUsers) => {
      const { user, created, ...started } = await this.findOrCreateUser(email, signUp, context, readUsers);
      return this.signIn.completeSignIn(signUp.method, user, created, context, started);
    };
    try {
      return await complete({ before, atProof });
    } catch (error) {
      if (!(error instanceof TokenInvalidError) || !atProof) throw error;
      // The user was deleted or got another address after the proof. The address is then like any that no account has.
      if ((await this.users.findByEmail(email))?.id === atProof.id) throw error;
      return complete({ before });
    }
  }

  /**
   * Returns the verified user of a proven address.
   * @param signUp describes the user if this creates one. A function is called only then.
   * @param readUsers a revocation since `before` was read voids the session.
   * @throws SignUpDisabledError if the address has no account, and the policy refuses one; FieldsRequiredError if it lacks fields.
   */
  async findOrCreateUser(
    email: string,
    signUp: ProvenSignUp | (() => Promise<ProvenSignUp>),
    context: RequestContext,
    { before, atProof }: ReadUsers,
  ): Promise<ProvenUser> {
    // A round fails if another request creates, claims or deletes the user at the same time, which happens once at most in practice.
    for (let round = 0; round < 5; round += 1) {
      // The insertion and the claim fail if there is another user by now. A verified user is read again, unless that was done with the
      // proof.
      const current = atProof ?? (before?.emailVerified ? undefined : before);
      const isKnown = round === 0 && current !== undefined;
      const existingUser = isKnown ? current : await this.users.findByEmail(email);
      if (!existingUser) {
        if (round === 0 && (await this.bringLegacyUser(email))) continue;
        const described = typeof signUp === 'function' ? await signUp() : signUp;
        const proven = { ...described, email, emailVerified: true };
        const newUser = await this.signUps.newUser(proven, context);
        const { method, profile } = described;
        const about = { method, ...(profile && { profile: toPersonProfile(profile) }) };
        const created = await this.signIn.insertUser(newUser, context, about);
        if (created) return created;
      } else {
        const isSameUser = before?.id === existingUser.id;
        const user = isSameUser ? { ...existingUser, epoch: before.epoch } : existingUser;
        if (user.emailVerified) return { user, created: false };
        const verifiedUser = await this.proveAddress(user, email, context);
        if (!verifiedUser) continue;
        // Only a claim removes them.
        const hasLost =
          (user.totpEnabled && !verifiedUser.totpEnabled) ||
          (user.passwordHash !== null && verifiedUser.passwordHash === null);
        return { user: verifiedUser, created: false, ...(hasLost && { reclaimed: true }) };
      }
    }
    throw new InternalError(new Error('The user changed between every read and write.'));
  }

  /** Logs a claim that the storage made, here or as part of a password reset. */
  logClaim(userId: string): void {
    this.logger.warn({ event: 'user_claimed', userId }, 'an unverified account was claimed by its mailbox');
  }

  /**
   * Marks a proven address as verified, and claims the account unless the session of the request belongs to it.
   * @param user whose address is unverified.
   * @returns the user with the given epoch plus the change made here: any other change of the epoch voids the session. Null if another
   * request changed the user first.
   */
  async proveAddress(user: StoredUser, email: string, context: RequestContext): Promise<StoredUser | null> {
    const now = new Date(this.clock());
    // A legitimate new user, who signs up and confirms the address in the same browser, keeps the password.
    const currentUserId = await retryNotSent(() => this.signIn.currentUserId(context));
    const isOwnSession = currentUserId === user.id;
    if (isOwnSession) {
      const verifiedUser = await this.changes.commit(
        () => this.users.markEmailVerified(user.id, now, email),
        (verified) => (verified ? [['email.verified', { userId: user.id }]] : []),
      );
      return verifiedUser && { ...verifiedUser, epoch: user.epoch };
    }
    const claimedUser = await this.changes.commit(
      () => this.users.claim(user.id, now, email),
      (claimed) => (claimed ? [['user.claimed', { userId: user.id }]] : []),
    );
    if (!claimedUser) return null;
    this.logClaim(user.id);
    // The claim itself raised the epoch by one.
    return { ...claimedUser, epoch: user.epoch + 1 };
  }
}
