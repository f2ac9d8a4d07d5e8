/**
 * Repositories that only some providers need. An adapter may leave out a whole repository: a
 * provider that needs it throws `adapter_capability` when it is constructed. The guarantees of
 * repositories.ts apply here too.
 */
import type { PublicApiKey, StoredApiKey } from '../domain/api-key.js';
import type { RefreshFamily, RefreshFamilyKind } from '../domain/refresh-family.js';
import type { ServiceIdentity } from '../domain/identity.js';
import type { ServiceSession } from '../domain/session.js';
import type { StoredUser } from '../domain/user.js';
import type { ActingUser } from './acting-user.js';
import type { ListRange } from './list-range.js';
import type { OrgActor } from './org-repository.js';
import type { NewUser } from './repositories.js';
import type { EndedSignIns, SignInLimit } from './sign-in-limit.js';

/**
 * `ended`: the application committed it or rolled it back. `failed`: a statement failed, so every
 * later statement fails too.
 */
export type TransactionState = 'open' | 'ended' | 'failed';

/**
 * Deletes the application's data of a user in the transaction that deletes the user. `transaction`
 * is the knex transaction on SQL adapters; `stateOf` queries its state from the database. Both are
 * undefined in memory.
 */
export type DeletesWithin = (
  transaction: unknown,
  stateOf?: () => Promise<TransactionState>,
) => Promise<void>;

/** Users without an address who can be upgraded to regular users. */
export interface GuestRepository {
  /** Inserts a user who is a guest (`email` is null). */
  insert(user: NewUser): Promise<void>;
  /** Null if the user does not exist. */
  isGuest(userId: string): Promise<boolean | null>;
  /**
   * Makes the guest a regular user: links the identity, sets the address and the password, each if
   * it is given, merges `metadata`, replaces the roles if given, ends every session (rows, epoch, `sessionsValidAfter`), and removes every passkey,
   * second factor and single-use token of the user. All or nothing. `blocked` if the guest is
   * blocked at `now`.
   */
  upgrade(upgrade: GuestUpgrade): Promise<GuestUpgradeOutcome>;
  /**
   * Returns at most `limit` ids of guests created at `createdBefore` or earlier, ascending,
   * starting after the id `after`.
   */
  listAbandoned(query: { createdBefore: Date; after?: string; limit: number }): Promise<string[]>;
  /**
   * Deletes at most `limit` guests created at `createdBefore` or earlier, each with every row that
   * names them, and returns their ids. All or nothing. Skips guests whom another transaction is
   * using, members of an organization, and guests who have invited someone. Used if the application
   * has no data of its guests to delete. Optional: without this method, guests are deleted one
   * by one.
   */
  deleteAbandoned?(query: { createdBefore: Date; limit: number }): Promise<string[]>;
  /**
   * Like `AccountRepository.deleteUser`, if the user is still a guest. Otherwise returns false
   * without calling `within`.
   */
  delete(userId: string, within: DeletesWithin): Promise<boolean>;
}

export interface GuestUpgrade {
  userId: string;
  /** The epoch that the guest must still have, if given. */
  epoch?: number;
  /** Null if the user will sign in by address. */
  identity: ServiceIdentity | null;
  email: string | null;
  emailVerified: boolean;
  passwordHash: string | null;
  /** Merged into the metadata, one level deep; null removes a key. */
  metadata?: Record<string, unknown> | undefined;
  /** Replace the roles, if given. */
  roles?: readonly string[] | undefined;
  now: Date;
}

export type GuestUpgradeOutcome =
  | { status: 'upgraded'; user: StoredUser }
  | { status: 'no_user' | 'not_a_guest' | 'epoch_moved' | 'blocked' | 'identity_taken' | 'email_taken' };

/** Result of a rotation. `current` is returned during the grace period: the family is unchanged. */
export type RotationOutcome =
  | { status: 'rotated' | 'current'; family: RefreshFamily }
  | { status: 'reused' | 'invalid'; userId: string | null };

export interface RefreshFamilyRepository {
  /**
   * Inserts the family if the user exists, still has its epoch and is not blocked at `createdAt`;
   * false otherwise.
   */
  insert(family: RefreshFamily): Promise<boolean>;
  /**
   * Like `insert`, for a sign-in: also sets the user's `lastSignInAt` to `createdAt`, unless it is
   * later. With a limit, ends the oldest sessions and families of the user that exceed it, as
   * `sessions.startWithin` does. Null if `insert` would return false; then nothing has ended.
   */
  start(family: RefreshFamily, limit?: SignInLimit): Promise<EndedSignIns | null>;
  /**
   * Compare-and-swap on the counter. Checks in this order:
   * - `invalid` if the family is unknown, revoked, expired (`now >= expiresAt`), of another kind than
   *   the given one, or its user's epoch has changed.
   * - `rotated` if `counter` is the family's: raises the counter by one, sets `rotatedAt` to `now`,
   *   and stores claims and device if they are given.
   * - `current` if `counter` is one behind and `rotatedAt` is less than `graceMs` away from `now`,
   *   before or after it: changes nothing.
   * - `reused` otherwise (an older counter, one behind after the grace period, or never issued):
   *   revokes the family.
   */
  rotate(rotation: Rotation): Promise<RotationOutcome>;
  /**
   * Revokes an active family and returns its user's id. Null if it is not active or, with
   * `ownerId`, belongs to another user.
   * @param by requires `ownerId`.
   */
  revoke(familyId: string, now: Date, ownerId?: string, by?: ActingUser): Promise<string | null>;
  /** Revokes every family of the user. */
  revokeAllForUser(userId: string, now: Date): Promise<void>;
  /**
   * Hot path of access tokens: one indexed, coalesced query for the family and its user. Revoked
   * and expired families are returned too.
   */
  findWithUser(familyId: string): Promise<{ family: RefreshFamily; user: StoredUser } | null>;
  /** Every family of the user, including revoked ones, oldest first. */
  listForUser(userId: string): Promise<RefreshFamily[]>;
  /** Families that are not revoked, not expired and of the user's current epoch, newest first. */
  listLive(userId: string, now: Date, range?: ListRange): Promise<RefreshFamily[]>;
}

export interface Rotation {
  familyId: string;
  /** If given, families of the other kind are invalid. */
  kind?: RefreshFamilyKind;
  counter: number;
  graceMs: number;
  now: Date;
  claims?: Record<string, unknown>;
  device?: ServiceSession['device'];
}

export interface ApiKeyRepository {
  /**
   * Inserts the key unless one of these applies, checked in this order: `no_owner` if the user or
   * org does not exist, `guest` if the user is a guest, then the requirements. The epoch is
   * required for a key of a user. Requirements are ignored for a key of an org, and an actor is
   * ignored for a key of a user.
   */
  insert(
    key: StoredApiKey,
    epoch: number | null,
    by?: { verified?: boolean; actor?: OrgActor },
  ): Promise<'inserted' | 'no_owner' | 'guest' | 'epoch_moved' | 'unverified'>;
  /**
   * One indexed read. Revoked and expired keys are returned too, and with `ownerBlock` those of
   * users who are or were blocked. Keys are deleted with their owner.
   */
  findById(id: string): Promise<StoredApiKey | null>;
  /**
   * Like `findById`, for a key of another system (`imports`), by the SHA-256 of the whole key. Optional: without this method there are
   * no such keys.
   */
  findByDigest?(keyDigest: string): Promise<StoredApiKey | null>;
  /** Sets `lastUsedAt` if it is null or before `unlessSince`. */
  touch(id: string, now: Date, unlessSince: Date): Promise<void>;
  /**
   * Revokes an active key and returns it; null if the key is not active. With `of`, only a key of
   * this user, or of this org if the actor may revoke it, is revoked. `decide` is called under a
   * lock on the user, like that of an `OrgActor`, with null if the user does not exist.
   */
  revoke(
    id: string,
    now: Date,
    of?:
      | { userId: string; decide?: (user: StoredUser | null) => void; by?: ActingUser }
      | { orgId: string; actor: OrgActor },
  ): Promise<PublicApiKey | null>;
  /** Every key of the owner, including revoked ones, newest first. */
  list(owner: { userId: string } | { orgId: string }, range?: ListRange): Promise<PublicApiKey[]>;
}

export interface AccountRepository {
  /**
   * Deletes the user and every row that names the user's id or verified address, in one transaction
   * with `within`, which is called first inside it. If `within` rejects, nothing is deleted and its
   * error is rethrown. Codes, links, resets and invites sent to an unverified address are kept: they
   * belong to the owner of the mailbox and do not name the user. Returns `last_owner` with the org's id if the user is the last
   * owner of an org, and `epoch_moved` if `epoch` is given and the user no longer has it; in both
   * cases `within` is not called and nothing is deleted. Safe against parallel changes of
   * memberships.
   */
  deleteUser(
    userId: string,
    within: DeletesWithin,
    epoch?: number,
    by?: ActingUser,
  ): Promise<{ status: 'deleted' | 'no_user' | 'epoch_moved' } | { status: 'last_owner'; orgId: string }>;
  /**
   * If the user still has this epoch: sets the address and marks it verified, raises the epoch,
   * sets `sessionsValidAfter`, revokes every session, and removes every pending token, code and
   * second factor of the user and of both addresses. If the old address is unverified, codes,
   * links and resets mailed to it are kept. Otherwise nothing changes, and the result is the first of these
   * that applies: `no_user`, `guest` (see `guests.upgrade`), `epoch_moved`, `email_taken` (also if
   * it is already the user's address).
   */
  changeEmail(change: EmailChange): Promise<EmailChangeOutcome>;
  /**
   * Sets the language that the user has chosen, and changes nothing else but `updatedAt`. False if the user does not exist, or has
   * another epoch.
   */
  setLanguage(userId: string, epoch: number, language: string | null, now: Date): Promise<boolean>;
  /**
   * Every session row of the user that has not been purged, including revoked and expired ones,
   * oldest first.
   */
  listSessions(userId: string): Promise<ServiceSession[]>;
}

export interface EmailChange {
  userId: string;
  /**
   * The epoch when the user was read. The change is refused if the user's sessions have been ended
   * since.
   */
  epoch: number;
  email: string;
  now: Date;
}

export type EmailChangeOutcome =
  { status: 'changed'; user: StoredUser } | { status: 'no_user' | 'guest' | 'epoch_moved' | 'email_taken' };
