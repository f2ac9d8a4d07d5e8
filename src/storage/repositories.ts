/**
 * The seam between the engine and its database: one repository per kind of record, each method an intention
 * with a promise. Every method is atomic under any number of processes: one SQL statement or one transaction,
 * one synchronous block in memory. Time is a parameter; a repository never reads a clock.
 * An identifier that names nothing, well-formed or not, is an answer (null, false, no rows), never an error.
 * An address that a method writes to a user or an invite must be in canonical form (`canonicalEmail`): any other is refused with
 * `invalid_request`, because no sign-in could find it.
 */
import type { ServiceIdentity } from '../domain/identity.js';
import type { CodePurpose, ServiceOneTimeCode } from '../domain/one-time-code.js';
import type { ServiceSession } from '../domain/session.js';
import type { SingleUseToken, TokenPurpose } from '../domain/single-use-token.js';
import type { StoredUser } from '../domain/user.js';
import type { ListRange } from './list-range.js';

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
   * API key, passkey, second factor, and pending token or code of the user, and every pending invite that the user has sent, bumps
   * the epoch, sets `sessionsValidAfter` and `emailVerified`.
   * Null where there is no such user or the address is verified already: of parallel claims one acts.
   */
  claim(id: string, now: Date): Promise<StoredUser | null>;
  /** Gives a user without a password one; false where there is one already, the epoch has moved, or no such user. */
  setFirstPassword(id: string, epoch: number, passwordHash: string, now: Date): Promise<boolean>;
  /**
   * Compare-and-swap of the hash of an unchanged password, as when the cost of hashing has changed: sets `toHash` if the hash is still
   * `fromHash`, and touches nothing else: sessions, epoch, pending tokens and `updatedAt` stay. False if the hash is another or the
   * user does not exist.
   */
  renewPasswordHash(id: string, fromHash: string, toHash: string): Promise<boolean>;
  /**
   * Consumes the reset token and, if it was live, sets the password, marks the address verified, bumps the epoch,
   * sets `sessionsValidAfter`, revokes every session and removes every pending token, code and second factor of the user.
   * On an account that was not verified it is also a claim: what a claim removes goes too, and `claimed` is true.
   * With `revokeCredentials`, the user's passkeys and API keys are removed too.
   * Returns null and changes nothing if the token does not exist, is used, is expired or is another user's, if it has no
   * `account`, or if the user no longer has that state (`hasAccountState`).
   */
  resetPassword(reset: PasswordReset): Promise<{ user: StoredUser; claimed: boolean } | null>;
  /**
   * Compare-and-swap: if the password is still the one of `fromHash` and the user still has this epoch, sets the new one, bumps the
   * epoch, sets `sessionsValidAfter`, revokes every session and removes every pending token, code and second factor of the user.
   * If the address is unverified, what was mailed to it stays: its codes and links, and the user's resets and verification codes.
   * Otherwise nothing changes, and the first reason that applies is the result: `other_password` (a reset came first, there is no
   * password, or no such user), `epoch_moved`.
   */
  changePassword(change: PasswordChange): Promise<PasswordChangeOutcome>;
}

export type PasswordChangeOutcome =
  { status: 'changed'; user: StoredUser } | { status: 'other_password' | 'epoch_moved' };

export interface PasswordChange {
  userId: string;
  /** Of the session that asked for the change, or as read before the current password was checked. */
  epoch: number;
  fromHash: string;
  passwordHash: string;
  now: Date;
}

export interface PasswordReset {
  tokenDigest: string;
  userId: string;
  passwordHash: string;
  /** Also removes the user's passkeys and API keys. */
  revokeCredentials?: boolean;
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
  /**
   * One query for a session, its user and another user, for whom that user acts. Rows are returned as they are, revoked and expired
   * sessions included. Null if one of the three does not exist.
   */
  findWithTarget(
    sessionId: string,
    targetUserId: string,
  ): Promise<{ session: ServiceSession; user: StoredUser; target: StoredUser } | null>;
  /** Extends a live session; false where it is revoked or gone. */
  renew(sessionId: string, renewal: { lastSeenAt: Date; expiresAt: Date }): Promise<boolean>;
  /**
   * The user id where a session was revoked; null where it is gone or was revoked before. With `userId`, only a session of
   * this user is revoked.
   */
  revoke(sessionId: string, now: Date, userId?: string): Promise<string | null>;
  /**
   * Revokes every session of the user that is neither revoked nor expired, except `exceptSessionId`. Returns the ids of
   * the revoked sessions, in no particular order.
   */
  revokeOthers(userId: string, now: Date, exceptSessionId?: string): Promise<string[]>;
  /**
   * Revokes every session, removes a second factor that was begun and not confirmed, bumps the epoch and sets
   * `sessionsValidAfter`. False where there is no such user.
   */
  revokeAll(userId: string, now: Date): Promise<boolean>;
  /** Neither revoked nor expired, newest first. */
  listLive(userId: string, now: Date, range?: ListRange): Promise<ServiceSession[]>;
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
  /**
   * Stores the token. A token whose subject is a user's id is not stored if that user does not exist or, if the token has an
   * `account`, no longer has that state: a change of the account that is under way removes what is pending first.
   */
  insert(token: SingleUseToken): Promise<void>;
  /** Removes and returns a live token: one winner. Null where it is unknown, used, expired or for something else. */
  consume(purpose: TokenPurpose, digest: string, now: Date): Promise<SingleUseToken | null>;
  /** Removes the token (its send failed). */
  discard(digest: string): Promise<void>;
}

/** One counter to raise, and what it allows. */
export interface RateLimitHit {
  key: string;
  /** Length of the window in milliseconds. A fixed window starts with its first hit; a growing wait forgets after its last one. */
  windowMs: number;
  /** The number of hits that the window allows. No limit without it. */
  max?: number;
  /** Further hits beyond `max`, each after a wait that doubles, instead of none until the window ends. */
  growingWait?: GrowingWait;
}

/** Waits between hits, in milliseconds: the first one, twice that after the next hit, and so on up to the longest. */
export interface GrowingWait {
  firstMs: number;
  longestMs: number;
}

export interface RateLimitCount {
  /** Hits in the window, this one included. */
  count: number;
  /** End of the window, milliseconds since the epoch. */
  resetAt: number;
}

/** What a counter says of a hit. */
export interface RateLimitResult extends RateLimitCount {
  /** Present if this counter refuses the hit: when it allows the next one, milliseconds since the epoch. */
  retryAt?: number;
}

export interface RateLimitRepository {
  /**
   * Raises every counter by one, or none: if one of them refuses the hit, all stay as they are, and nothing is written unless
   * another hit arrives at the same moment. Returns the counters in the order of the hits; after a refusal `count` leaves this
   * hit out. A window that is over starts again. No window ends later than `windowMs` from now, even if a clock that ran ahead
   * started it.
   */
  hit(hits: readonly RateLimitHit[], now: number): Promise<RateLimitResult[]>;
  /** Takes one hit back from each counter whose window is not over, never below zero. */
  refund(keys: readonly string[], now: number): Promise<void>;
  /** Sets the counters to zero. */
  reset(keys: readonly string[]): Promise<void>;
}
