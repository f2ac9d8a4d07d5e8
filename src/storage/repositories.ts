/**
 * The seam between the engine and its database: one repository per kind of record, each method an intention
 * with a promise. Every method is atomic under any number of processes: one SQL statement or one transaction,
 * one synchronous block in memory. Time is a parameter; a repository never reads a clock.
 * An identifier that names nothing, well-formed or not, is an answer (null, false, no rows), never an error.
 */
import type { ServiceIdentity } from '../domain/identity.js';
import type { CodePurpose, ServiceOneTimeCode } from '../domain/one-time-code.js';
import type { ServiceSession } from '../domain/session.js';
import type { SingleUseToken, TokenPurpose } from '../domain/single-use-token.js';
import type { StoredUser } from '../domain/user.js';

/** A user to insert; epoch 0, no revocation yet, no second factor, `updatedAt` = `createdAt`. */
export type NewUser = Omit<StoredUser, 'epoch' | 'sessionsValidAfter' | 'totpEnabled' | 'updatedAt'>;

export interface UserRepository {
  /** False where the address has an account (addresses are unique; any number of users have none). */
  insert(user: NewUser): Promise<boolean>;
  findById(id: string): Promise<StoredUser | null>;
  findByEmail(email: string): Promise<StoredUser | null>;
  /** Sets `emailVerified`, touches nothing else. */
  markEmailVerified(id: string, now: Date): Promise<StoredUser | null>;
  /**
   * First proof of the mailbox of an unverified account: removes the password, every session, identity, refresh family,
   * API key, passkey, second factor, and pending token or code of the user, bumps the epoch, sets `sessionsValidAfter` and
   * `emailVerified`.
   * Null where there is no such user or the address is verified already: of parallel claims one acts.
   */
  claim(id: string, now: Date): Promise<StoredUser | null>;
  /** Gives a user without a password one; false where there is one already, the epoch has moved, or no such user. */
  setFirstPassword(id: string, epoch: number, passwordHash: string, now: Date): Promise<boolean>;
  /**
   * Consumes the reset token and, if it was live, sets the password, marks the address verified, bumps the epoch,
   * sets `sessionsValidAfter`, revokes every session and removes every pending token, code and second factor of the user.
   * On an account that was not verified it is also a claim: what a claim removes goes too, and `claimed` is true.
   * Null where the token does not exist, is used, is expired or is another user's: then nothing changes.
   */
  resetPassword(reset: PasswordReset): Promise<{ user: StoredUser; claimed: boolean } | null>;
  /**
   * Compare-and-swap: if the password is still the one of `fromHash`, sets the new one, bumps the epoch, sets `sessionsValidAfter`,
   * revokes every session and removes every pending token, code and second factor of the user. Null where the password is
   * another (a reset came first), there is none, or no such user: then nothing changes.
   */
  changePassword(change: PasswordChange): Promise<StoredUser | null>;
}

export interface PasswordChange {
  userId: string;
  fromHash: string;
  passwordHash: string;
  now: Date;
}

export interface PasswordReset {
  tokenDigest: string;
  userId: string;
  passwordHash: string;
  now: Date;
}

export interface IdentityRepository {
  findUser(provider: string, providerAccountId: string): Promise<StoredUser | null>;
  /** False where (provider, providerAccountId) is taken, by whomever, the user is gone, or the epoch has moved. */
  link(identity: ServiceIdentity, epoch: number): Promise<boolean>;
  /** Both or neither: false where the address or the identity is taken. */
  insertWithUser(identity: ServiceIdentity, user: NewUser): Promise<boolean>;
  listForUser(userId: string): Promise<ServiceIdentity[]>;
  /**
   * Removes an identity of the user, under a lock on the user, so that of parallel removals each sees what the one before it
   * left. `allowed` is pure and synchronous, and is asked with what would be left: where it says false, nothing changes and the
   * answer is `refused`. `missing`: the user has no such identity, and `allowed` is not asked.
   */
  unlink(userId: string, id: string, allowed: (left: WaysIn) => boolean): Promise<UnlinkOutcome>;
}

/** By what a user can sign in. */
export interface WaysIn {
  user: StoredUser;
  identities: ServiceIdentity[];
  /** How many. */
  passkeys: number;
}

export type UnlinkOutcome =
  { status: 'unlinked'; identity: ServiceIdentity } | { status: 'refused' | 'missing' };

export interface SessionRepository {
  /**
   * Inserts the session if the user exists and still has this epoch. False otherwise: a sign-in that began before a
   * revocation must not survive it.
   */
  start(session: ServiceSession, epoch: number): Promise<boolean>;
  /** The hot path: one indexed query for session and user. Revoked and expired rows are returned as they are. */
  findWithUser(sessionId: string): Promise<{ session: ServiceSession; user: StoredUser } | null>;
  /** Extends a live session; false where it is revoked or gone. */
  renew(sessionId: string, renewal: { lastSeenAt: Date; expiresAt: Date }): Promise<boolean>;
  /** The user id where a session was revoked; null where it is gone or was revoked before. */
  revoke(sessionId: string, now: Date): Promise<string | null>;
  /**
   * Revokes every session, removes a second factor that was begun and not confirmed, bumps the epoch and sets
   * `sessionsValidAfter`. False where there is no such user.
   */
  revokeAll(userId: string, now: Date): Promise<boolean>;
  /** Neither revoked nor expired, newest first. */
  listLive(userId: string, now: Date): Promise<ServiceSession[]>;
}

/** What became of the wish to try a code: a slot with the code to compare against, or the reason why not. */
export type AttemptReservation =
  { status: 'reserved'; code: ServiceOneTimeCode } | { status: 'missing' | 'expired' | 'exhausted' };

export interface OneTimeCodeRepository {
  /**
   * Stores the code in place of any other of the same purpose and subject, with no attempts made. Of a purpose whose subject is a
   * user's id nothing is stored where that user is gone.
   */
  replace(code: Omit<ServiceOneTimeCode, 'attempts' | 'consumedAt'>): Promise<void>;
  /** Removes the code if it is still the one with this hash (its send failed). */
  discard(purpose: CodePurpose, subject: string, codeHash: string): Promise<void>;
  /**
   * Takes one attempt before anything is compared. In this order: none or consumed is `missing`,
   * `now >= expiresAt` is `expired`, `attempts >= maxAttempts` is `exhausted`; else attempts + 1 and `reserved`
   * (`code.attempts` counts this one). Never more than `maxAttempts` reservations per code.
   */
  reserveAttempt(
    purpose: CodePurpose,
    subject: string,
    maxAttempts: number,
    now: Date,
  ): Promise<AttemptReservation>;
  /** Marks the code consumed if it is still the one with this hash and unconsumed: one winner. */
  consume(purpose: CodePurpose, subject: string, codeHash: string, now: Date): Promise<boolean>;
}

export interface SingleUseTokenRepository {
  /** Stores the token. One whose subject is a user's id is not stored where that user is gone. */
  insert(token: SingleUseToken): Promise<void>;
  /** Removes and returns a live token: one winner. Null where it is unknown, used, expired or for something else. */
  consume(purpose: TokenPurpose, digest: string, now: Date): Promise<SingleUseToken | null>;
  /** Removes the token (its send failed). */
  discard(digest: string): Promise<void>;
}

/** One counter to raise: a fixed window that starts with its first hit. */
export interface RateLimitHit {
  key: string;
  windowMs: number;
  /** The count that is still allowed, for stores that stop at the first counter that exceeds it. */
  max?: number;
}

export interface RateLimitCount {
  /** Hits in the window, this one included. */
  count: number;
  /** End of the window, milliseconds since the epoch. */
  resetAt: number;
}

export interface RateLimitRepository {
  /**
   * Raises every counter by one, a window that is over starting anew, and returns them in the same order. No window ends later
   * than `windowMs` from now: one that a clock began which ran ahead must not last until that time has come.
   */
  hit(hits: readonly RateLimitHit[], now: number): Promise<RateLimitCount[]>;
  /** Takes one hit back from each counter whose window is not over, never below zero. */
  refund(keys: readonly string[], now: number): Promise<void>;
  /** Sets the counters to zero. */
  reset(keys: readonly string[]): Promise<void>;
}
