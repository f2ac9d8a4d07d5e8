/** The user record that callers get, and the one that is stored. */
import type { UserBlock } from './user-block.js';

/**
 * A user, as returned by every method (specification 2.1). Dates are ISO 8601 strings over HTTP.
 */
export interface ServiceUser {
  /** UUID v7; the `sub` claim of the user's session tokens. */
  id: string;
  /** Canonical address. Null for users who signed in without an address. */
  email: string | null;
  emailVerified: boolean;
  /** The application's own data, given when the user was created. */
  metadata: Record<string, unknown>;
  createdAt: Date;
  updatedAt: Date;
}

/** The stored record of a user. The additional fields never leave the engine. */
export interface StoredUser extends ServiceUser {
  passwordHash: string | null;
  /** Counts the revocations of all sessions. A token with a lower epoch is invalid. */
  epoch: number;
  /**
   * Time of the last revocation of all sessions. Tokens without an epoch that were issued before
   * are invalid.
   */
  sessionsValidAfter: Date | null;
  /**
   * Whether sign-in requires a confirmed authenticator app. Changes only together with the epoch.
   */
  totpEnabled: boolean;
  /** The latest block, also if it has ended. Null if the user was never blocked, or was unblocked. */
  blocked: UserBlock | null;
  /** Roles in the application, sorted. */
  roles: string[];
  /** Language tag of the language that the user has chosen. Null for a user who has chosen none. */
  language: string | null;
  /** As it is displayed. Null for a user without a user name. */
  username: string | null;
  /** The unique id of the user in the application, or in the system that the user was imported from. */
  externalId: string | null;
}

/** What no insertion of a user has to name. */
export type InitialUserState = Pick<
  StoredUser,
  | 'epoch'
  | 'sessionsValidAfter'
  | 'totpEnabled'
  | 'blocked'
  | 'roles'
  | 'language'
  | 'username'
  | 'externalId'
>;

/** Returns what every user starts with, unless it is given: no revocation, no second factor, no block, no roles, no names. */
export function initialUserState(): InitialUserState {
  const state = { epoch: 0, sessionsValidAfter: null, totpEnabled: false, blocked: null, roles: [] };
  return { ...state, language: null, username: null, externalId: null };
}

/** What an import has done with an account: given it the id of the other system, or claimed it, which ended the sessions of its maker. */
export type ImportMark = 'kept_id' | 'claim';

const second = 1_000;
const minute = 60 * second;
/** Revocations per minute that cannot make the epoch of an import that of a later minute. As a 32-bit integer it lasts until 2225. */
const revocationsPerMinute = 16;

/** The end of the unit of time. */
const endOf = (time: number, unit: number) => (Math.floor(time / unit) + 1) * unit;

/**
 * Returns the revocations that an import gives to an account. They are more than it can have had before, under any owner: an id that returns
 * must not make the tokens valid that an account with this id had before it was deleted. The epoch is that of the end of the minute. The
 * time, by which `importMarkOf` recognizes them, is that too for an account that keeps an id, and the last millisecond of the second for one
 * that is claimed, because the application may create a token for it soon after.
 */
export function revocationsOfImport(
  mark: ImportMark,
  now: Date,
): Pick<StoredUser, 'epoch'> & { sessionsValidAfter: Date } {
  const end = endOf(now.getTime(), minute);
  const sessionsValidAfter = new Date(mark === 'claim' ? endOf(now.getTime(), second) - 1 : end);
  return { epoch: (revocationsPerMinute * end) / minute, sessionsValidAfter };
}

/**
 * Returns the mark of an account whose sessions have not all been revoked since the import, or null. A revocation adds one to the epoch and
 * sets its time, unless the stored one is later: until then the epoch alone differs. Later the time does too, which is hardly ever that of a
 * mark, to the millisecond.
 */
export function importMarkOf({
  epoch,
  sessionsValidAfter,
}: Pick<StoredUser, 'epoch' | 'sessionsValidAfter'>): ImportMark | null {
  const minutes = epoch / revocationsPerMinute;
  if (epoch === 0 || sessionsValidAfter === null || !Number.isInteger(minutes)) return null;
  const before = minutes * minute - sessionsValidAfter.getTime();
  if (before === 0) return 'kept_id';
  return before > 0 && before <= minute && before % second === 1 ? 'claim' : null;
}

/**
 * Returns true if the user has an unverified address. Users without an address have proven an
 * identity or a phone number.
 */
export function hasUnverifiedAddress({
  email,
  emailVerified,
}: Pick<ServiceUser, 'email' | 'emailVerified'>): boolean {
  return email !== null && !emailVerified;
}

/**
 * Returns the public fields of a user. They are listed by name, so that a new internal field is not
 * exposed by accident.
 */
export function toServiceUser(user: ServiceUser): ServiceUser {
  const { id, email, emailVerified, metadata, createdAt, updatedAt } = user;
  return { id, email, emailVerified, metadata, createdAt, updatedAt };
}
