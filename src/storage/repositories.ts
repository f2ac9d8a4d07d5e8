/**
 * The interface between the engine and its database: one repository per kind of record. Every
 * method is atomic under any number of processes: one SQL statement or one transaction, or one
 * synchronous block in memory. Time is a parameter; a repository never reads a clock. An unknown
 * identifier, well-formed or not, is a result (null, false, no rows), never an error. An address
 * that a method writes to a user or an invite must be in canonical form (`canonicalEmail`): any
 * other is rejected with `invalid_request`, because no sign-in could find it.
 */
import type { ServiceIdentity } from '../domain/identity.js';
import type { ServiceSession } from '../domain/session.js';
import type { SingleUseToken, TokenPurpose } from '../domain/single-use-token.js';
import type { InitialUserState, StoredUser } from '../domain/user.js';
import type { ActingUser } from './acting-user.js';
import type { ListRange } from './list-range.js';
import type { EndedSignIns, SignInLimit } from './sign-in-limit.js';

/**
 * A user to insert, with epoch 0, no revocation, no second factor, no block, no language,
 * and `updatedAt` equal to `createdAt`.
 */
export interface NewUser extends Omit<StoredUser, keyof InitialUserState | 'updatedAt'> {
  /** Sorted. Default: none. */
  roles?: readonly string[];
  /** Unique, if it is not null. Default: null. */
  externalId?: string | null;
}

export interface UserRepository {
  /**
   * False if the address or the external id already has an account. Both are unique; any number of
   * users have none.
   */
  insert(user: NewUser): Promise<boolean>;
  findById(id: string): Promise<StoredUser | null>;
  findByEmail(email: string): Promise<StoredUser | null>;
  /**
   * Sets `emailVerified` and changes nothing else. Null if the user does not exist, or no longer has
   * the address that was proven, if it is given.
   */
  markEmailVerified(id: string, now: Date, email?: string): Promise<StoredUser | null>;
  /**
   * Claims an unverified account, after its mailbox has been proven for the first time: removes the
   * password, every session, identity, refresh family, API key, passkey, second factor, and pending
   * token or code of the user, the choice of a language, and every pending invite that the user has
   * sent; raises the epoch, and sets `sessionsValidAfter` and `emailVerified`. Null if the user does not exist, no longer has
   * the address that was proven, if it is given, or the address is already verified. Only one of
   * several parallel claims succeeds.
   */
  claim(id: string, now: Date, email?: string): Promise<StoredUser | null>;
  /**
   * Sets the password of a user who has none. False if the user has a password, has another epoch,
   * or does not exist.
   */
  setFirstPassword(id: string, epoch: number, passwordHash: string, now: Date): Promise<boolean>;
  /**
   * Compare-and-swap of the hash of an unchanged password, for example after a change of the
   * hashing cost: sets `toHash` if the hash is still `fromHash`. Changes nothing else: sessions,
   * epoch, pending tokens and `updatedAt` stay. False if the user has another hash or does not
   * exist.
   */
  renewPasswordHash(id: string, fromHash: string, toHash: string): Promise<boolean>;
  /**
   * Consumes the reset token and resets the account that now has the address of the link: sets the
   * password, marks the address verified, raises the epoch, sets `sessionsValidAfter`, revokes every
   * session and removes every pending token, code and second factor of the user, and the choice of
   * codes by email as a second factor. Locks the account: of parallel calls one succeeds. An unverified account is reset even if the link was mailed for
   * another one; this is also a claim: everything that `claim` removes is removed, and `claimed` is
   * true. A verified account is reset only if the link was mailed for it and it still has the same
   * state (`isResetFor`). With `revokeCredentials`, the user's passkeys and API keys are removed too.
   * Returns null and changes nothing if the token does not exist, is used, is expired, was mailed to
   * another address or has no `account`, if no account has the address, or if the verified account
   * is another one or has another state.
   */
  resetPassword(reset: PasswordReset): Promise<{ user: StoredUser; claimed: boolean } | null>;
  /**
   * Compare-and-swap: if the hash is still `fromHash` and the user still has this epoch, sets the
   * new password, raises the epoch, sets `sessionsValidAfter`, revokes every session and removes
   * every pending token, code and second factor of the user. If the address is unverified,
   * everything mailed to it is kept: its codes, links and resets, and the user's verification codes.
   * Otherwise nothing changes, and the result is the first of these that applies: `other_password`
   * (the password was changed in the meantime, the user has none, or the user does not exist),
   * `epoch_moved`.
   */
  changePassword(change: PasswordChange): Promise<PasswordChangeOutcome>;
}

export type PasswordChangeOutcome =
  { status: 'changed'; user: StoredUser } | { status: 'other_password' | 'epoch_moved' };

export interface PasswordChange {
  userId: string;
  /**
   * The epoch of the session that requested the change, or as read before the current password was
   * checked.
   */
  epoch: number;
  fromHash: string;
  passwordHash: string;
  now: Date;
}

export interface PasswordReset {
  tokenDigest: string;
  /** The address that the link was mailed to. */
  email: string;
  /** The user who had this address when the link was mailed. */
  userId: string;
  passwordHash: string;
  /** Also removes the user's passkeys and API keys. */
  revokeCredentials?: boolean;
  now: Date;
}

export interface IdentityRepository {
  findUser(provider: string, providerAccountId: string): Promise<StoredUser | null>;
  /**
   * False if any user already has this (provider, providerAccountId), if the user does not exist,
   * or if the user has another epoch.
   */
  link(identity: ServiceIdentity, epoch: number): Promise<boolean>;
  /** Inserts both or neither. False if the address or the identity is taken. */
  insertWithUser(identity: ServiceIdentity, user: NewUser): Promise<boolean>;
  listForUser(userId: string): Promise<ServiceIdentity[]>;
  /**
   * Removes an identity of the user under a lock on the user, so that each of several parallel
   * removals sees the result of the one before it. `allowed` is pure and synchronous and receives
   * the sign-in methods that would be left; if it returns false, nothing changes and the result is
   * `refused`. Returns `missing` without calling `allowed` if the user does not have the identity.
   */
  unlink(
    userId: string,
    id: string,
    allowed: (left: SignInMethods) => boolean,
    by?: ActingUser,
  ): Promise<UnlinkOutcome>;
}

/** The methods by which a user can sign in. */
export interface SignInMethods {
  user: StoredUser;
  identities: ServiceIdentity[];
  /** The number of passkeys. */
  passkeys: number;
}

export type UnlinkOutcome =
  { status: 'unlinked'; identity: ServiceIdentity } | { status: 'refused' | 'missing' };

export interface RevokedSession {
  userId: string;
  /** The browser whose trust has ended with the session, if it still counted. */
  trustedBrowserId: string | null;
  /** The ids of the other sessions of its trusted browser, which have ended with it, in no particular order. */
  others: string[];
}

export interface BrowserSession extends ServiceSession {
  /** The trusted browser in which it was started, if any. */
  trustedBrowserId: string | null;
}

export interface SessionRepository {
  /**
   * Inserts the session if the user exists, still has this epoch and is not blocked at `lastSeenAt`,
   * otherwise returns false: a sign-in that began before a revocation must not survive it. Also
   * sets the user's `lastSignInAt` to `createdAt`, unless it is later.
   * @param trustedBrowserId the trusted browser in which it starts: `revoke` ends its trust too.
   */
  start(session: ServiceSession, epoch: number, trustedBrowserId?: string): Promise<boolean>;
  /** Inserts a user with a first session and `lastSignInAt`, or nothing: false if the address has an account. */
  startWithUser(session: ServiceSession, user: NewUser): Promise<boolean>;
  /**
   * Like `start`, and ends the oldest sessions and refresh families that exceed the limit, under a
   * lock on the user. Null if `start` would return false; then nothing has ended.
   */
  startWithin(
    session: ServiceSession,
    epoch: number,
    limit: SignInLimit,
    trustedBrowserId?: string,
  ): Promise<EndedSignIns | null>;
  /**
   * The hot path: one indexed query for the session and its user. Revoked and expired sessions are
   * returned too.
   */
  findWithUser(sessionId: string): Promise<{ session: ServiceSession; user: StoredUser } | null>;
  /**
   * Optional. Like `findWithUser`, from a replica, for checks that change nothing: the result may be
   * as old as the adapter documents, but not older than a change by this process. Null if the storage
   * must be asked. Never rejects.
   */
  findOnReplica?(sessionId: string): Promise<{ session: ServiceSession; user: StoredUser } | null>;
  /**
   * Returns a session, its user and the user whom that user impersonates, in one query. Revoked and
   * expired sessions are returned too. Null if one of the three does not exist.
   */
  findWithTarget(
    sessionId: string,
    targetUserId: string,
  ): Promise<{ session: ServiceSession; user: StoredUser; target: StoredUser } | null>;
  /** Extends an active session. False if it is revoked, expired or does not exist. */
  renew(sessionId: string, renewal: { lastSeenAt: Date; expiresAt: Date }): Promise<boolean>;
  /**
   * Revokes a session for a sign-out, and returns its user's id. Null if it does not exist or has
   * already been revoked. Trusted browsers stay.
   */
  end(sessionId: string, now: Date): Promise<string | null>;
  /**
   * As `end`, for a revocation: also revokes the other active sessions that were started in the same
   * trusted browser, and removes that browser, under a lock on the user. With `userId`, only a session
   * of this user is revoked. Null if none is.
   */
  revoke(sessionId: string, now: Date, userId?: string, by?: ActingUser): Promise<RevokedSession | null>;
  /**
   * Revokes every session of the user that is neither revoked nor expired and every refresh family,
   * except the one with the id `exceptId`, and removes every trusted browser of the user: all of it
   * at once, under a lock on the user.
   */
  revokeOthers(userId: string, now: Date, exceptId?: string): Promise<RevokedOthers>;
  /**
   * Revokes every session, removes a second factor that has not been confirmed, raises the epoch
   * and sets `sessionsValidAfter`. False if the user does not exist.
   */
  revokeAll(userId: string, now: Date, by?: ActingUser): Promise<boolean>;
  /**
   * As `revokeAll`, and stores `used` in the same transaction, under a lock on the user: a token whose subject is `anybody`, for a link
   * that is stored only when it is used. Changes nothing and returns null if its digest is stored already, also if that token has
   * expired, and if the user does not exist. Only one of several parallel calls gets the user, with the raised epoch.
   */
  revokeAllOnce(userId: string, used: SingleUseToken, now: Date): Promise<StoredUser | null>;
  /** Sessions that are neither revoked nor expired, newest first. */
  listLive(userId: string, now: Date, range?: ListRange): Promise<ServiceSession[]>;
  /** As `listLive`, one for each browser: of those that were started in the same trusted browser, only the newest. */
  listBrowsers(userId: string, now: Date, range?: ListRange): Promise<BrowserSession[]>;
}

/** The parameters of `sessions.start`. */
export interface SessionStart {
  session: ServiceSession;
  epoch: number;
  trustedBrowserId?: string | undefined;
}

export interface RevokedOthers {
  /** The ids of the revoked sessions, in no particular order. */
  sessions: string[];
  /** How many of the removed browsers still counted. */
  trustedBrowsers: number;
}

export interface SingleUseTokenRepository {
  /**
   * Stores the token. A token whose subject is a user's id is not stored if that user does not
   * exist. A token whose subject is an address is always stored, also if no account has the address:
   * `resetPassword` compares its `account`.
   */
  insert(token: SingleUseToken): Promise<void>;
  /**
   * Stores a token whose subject is `anybody`, unless its digest is stored already, also if that token has expired. Only one of several
   * parallel calls gets true.
   */
  claim(token: SingleUseToken): Promise<boolean>;
  /** Returns a valid token and leaves it: for a page that says at once that its link no longer works. */
  find(purpose: TokenPurpose, digest: string, now: Date): Promise<SingleUseToken | null>;
  /**
   * Removes and returns a valid token. Only one of several parallel calls gets it. Null if the
   * token is unknown, used, expired or has another purpose.
   */
  consume(purpose: TokenPurpose, digest: string, now: Date): Promise<SingleUseToken | null>;
  /** Removes the token (its send failed). */
  discard(digest: string): Promise<void>;
}
