/** The administration of users: optional as a whole, like the repositories of pro-repositories.ts. */
import type { UserBlock } from '../domain/user-block.js';
import type { AdministeredUser } from '../domain/user-record.js';
import type { Username } from '../domain/username.js';
import type { ActingUser } from './acting-user.js';
import type { ListRange } from './list-range.js';
import type { NewUser } from './repositories.js';

export interface UserAdministrationRepository {
  find(lookup: UserLookup): Promise<AdministeredUser | null>;
  /** Users who match the filter, by creation time; users created at the same time are ordered by id. */
  list(filter: UserFilter, order: UserOrder, range: ListRange): Promise<AdministeredUser[]>;
  /**
   * Users whose address or user name begins with the prefix, ordered by the address or user name that matches (`searchMatch`), in the byte order of
   * UTF-8: an index finds any prefix in this order. A user whose address and user name both match is listed by the address.
   */
  search(search: UserSearch, range: SearchRange): Promise<AdministeredUser[]>;
  /** Whether an index finds a text inside of an address and of a user name, for `UserFilter.contained`. Absent: there is none. */
  hasWordIndex?(): Promise<boolean>;
  /** The number of users who match the filter or the search, counted up to `limit`. */
  count(filter: UserFilter | UserSearch, limit: number): Promise<number>;
  /** Inserts the user unless the address, the user name or the external id is taken. */
  insert(user: NewAdministeredUser, by?: ActingUser): Promise<'inserted' | TakenName>;
  /**
   * Changes a user under a lock, so that each of several parallel changes sees the result of the one
   * before it. `decide` is pure and synchronous and returns the new values; values that it leaves
   * out stay. If it throws, nothing changes and its error is rethrown. Returns `no_user` without
   * calling `decide` if the user does not exist, and changes nothing if the new address, user name or
   * external id is taken. `updatedAt` becomes `now`, or one millisecond more than before if that is later, so
   * that it differs after every change. A new address also raises the epoch, sets
   * `sessionsValidAfter`, revokes every session, and removes every pending token, code and
   * second factor of the user and of a verified old address.
   */
  update(
    userId: string,
    now: Date,
    decide: (user: AdministeredUser) => UserChanges,
    by?: ActingUser,
  ): Promise<UserUpdateOutcome>;
  /**
   * Sets the password and ends what `UserRepository.changePassword` ends. Null if the user does not
   * exist.
   */
  setPassword(
    userId: string,
    passwordHash: string,
    now: Date,
    by?: ActingUser,
  ): Promise<AdministeredUser | null>;
  /**
   * Blocks the user, replacing any other block: raises the epoch, sets `sessionsValidAfter`, revokes
   * every session and removes a second factor that has not been confirmed, as `sessions.revokeAll`
   * does. `updatedAt` is set as in `update`. Null if the user does not exist.
   */
  block(userId: string, block: UserBlock, by?: ActingUser): Promise<AdministeredUser | null>;
  /**
   * Removes the block. Sessions and refresh families that it ended stay ended. `wasBlocked` is true
   * if a block was in force at `now`. Null if the user does not exist.
   */
  unblock(
    userId: string,
    now: Date,
    by?: ActingUser,
  ): Promise<{ user: AdministeredUser; wasBlocked: boolean } | null>;
}

/** By id, address, key of the user name, external id, or identity. A phone number is an identity. */
export type UserLookup =
  | { id: string }
  | { email: string }
  | { usernameKey: string }
  | { externalId: string }
  | { provider: string; providerAccountId: string };

/** Every condition that is given must be met. */
export interface UserFilter {
  /** For conditions that depend on the time. */
  now: Date;
  id?: string;
  /** A text in lower case, anywhere in the address or in the key of the user name. */
  contained?: string;
  role?: string;
  externalId?: string;
  /** Whether a block is in force at `now`. */
  blocked?: boolean;
  /** Value of `emailVerified`. */
  verified?: boolean;
  guest?: boolean;
  /** Created at this time or later. */
  createdAfter?: Date;
  /** Created before this time. */
  createdBefore?: Date;
}

export interface UserSearch extends UserFilter {
  /** Beginning of the address or of the key of the user name, in lower case. */
  prefix: string;
}

/** A part of a search: the users after this address or key of a user name. */
export interface SearchRange {
  after?: string;
  limit: number;
}

export type UserOrder = 'newest' | 'oldest';

export interface NewAdministeredUser extends NewUser {
  username: Username | null;
  roles: readonly string[];
}

export interface UserChanges {
  metadata?: Record<string, unknown>;
  roles?: readonly string[];
  email?: string;
  emailVerified?: boolean;
  /** Null removes the user name. */
  username?: Username | null;
  /** Null removes the external id. */
  externalId?: string | null;
}

/** What another user has. */
export type TakenName = 'email_taken' | 'username_taken' | 'external_id_taken';

export type UserUpdateOutcome =
  { status: 'updated'; user: AdministeredUser } | { status: 'no_user' | TakenName };
