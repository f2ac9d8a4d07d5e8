/**
 * The repositories that only some providers need. Each is optional on an adapter, as a whole: a provider that misses one
 * throws `adapter_capability` when it is constructed. The promises of repositories.ts hold here as well.
 */
import type { PublicApiKey, StoredApiKey } from '../domain/api-key.js';
import type { RefreshFamily } from '../domain/refresh-family.js';
import type { ServiceIdentity } from '../domain/identity.js';
import type { ServiceSession } from '../domain/session.js';
import type { StoredCredential } from '../domain/credential.js';
import type { TotpEnrollment } from '../domain/totp.js';
import type { StoredUser } from '../domain/user.js';
import type { ListRange } from './list-range.js';
import type { OrgActor } from './org-repository.js';
import type { NewUser, WaysIn } from './repositories.js';

/** `ended`: somebody else committed it or rolled it back. `failed`: a statement failed, and all that follow will. */
export type TransactionState = 'open' | 'ended' | 'failed';

/**
 * What goes with a user, in the transaction in which the user goes. `transaction` is the knex transaction on SQL adapters;
 * `stateOf` asks the database what has become of it. Both are undefined in memory.
 */
export type DeletesWithin = (
  transaction: unknown,
  stateOf?: () => Promise<TransactionState>,
) => Promise<void>;

/** Users without an address who may become real ones. */
export interface GuestRepository {
  /** Inserts a user marked as a guest (`email` null). */
  insert(user: NewUser): Promise<void>;
  /** Null where there is no such user. */
  isGuest(userId: string): Promise<boolean | null>;
  /**
   * Makes the guest a real user: links the identity, sets the address and the password, each if one is given, ends every
   * session (rows, epoch, `sessionsValidAfter`), removes every passkey, second factor and single-use token of the user, and
   * clears the mark. All or nothing.
   */
  upgrade(upgrade: GuestUpgrade): Promise<GuestUpgradeOutcome>;
  /** Ids of guests who were created then or earlier, ascending, those beyond `after`, at most `limit`. */
  listAbandoned(query: { createdBefore: Date; after?: string; limit: number }): Promise<string[]>;
  /**
   * Deletes guests who were created then or earlier, each with everything that names them, and returns their ids: at most `limit`,
   * all or none of them. Leaves out guests whom another transaction is using, members of an organization, and guests who invited
   * someone. For applications that delete nothing together with a guest. Optional: without it, guests are deleted one by one.
   */
  deleteAbandoned?(query: { createdBefore: Date; limit: number }): Promise<string[]>;
  /** As `AccountRepository.deleteUser`, for who is a guest still. False for anybody else, and then `within` is not called. */
  delete(userId: string, within: DeletesWithin): Promise<boolean>;
}

export interface GuestUpgrade {
  userId: string;
  /** If given, the epoch that the guest must still have. */
  epoch?: number;
  /** Null where the address is the way in. */
  identity: ServiceIdentity | null;
  email: string | null;
  emailVerified: boolean;
  passwordHash: string | null;
  now: Date;
}

export type GuestUpgradeOutcome =
  | { status: 'upgraded'; user: StoredUser }
  | { status: 'no_user' | 'not_a_guest' | 'epoch_moved' | 'identity_taken' | 'email_taken' };

/** What became of a wish to rotate. `current` is the grace: the family stays as it is. */
export type RotationOutcome =
  | { status: 'rotated' | 'current'; family: RefreshFamily }
  | { status: 'reused' | 'invalid'; userId: string | null };

export interface RefreshFamilyRepository {
  /** Inserts the family if the user exists and still has its epoch; false otherwise. */
  insert(family: RefreshFamily): Promise<boolean>;
  /**
   * Compare-and-swap on the counter. In this order: unknown, revoked, expired (`now >= expiresAt`) or of a user whose epoch
   * moved: `invalid`. `counter` equal: counter + 1, `rotatedAt` = now, new claims and device where given: `rotated`.
   * One behind, and less than `graceMs` from `rotatedAt`, before or after: `current`, unchanged. Otherwise (older, one behind too late,
   * never issued): revokes the family: `reused`.
   */
  rotate(rotation: Rotation): Promise<RotationOutcome>;
  /** Revokes a live family and returns its user's id; null if it is not live or, with `ownerId`, belongs to another user. */
  revoke(familyId: string, now: Date, ownerId?: string): Promise<string | null>;
  /** All but `exceptFamilyId`, which may be of nobody. */
  revokeAllForUser(userId: string, now: Date, exceptFamilyId?: string): Promise<void>;
  /** Hot path of access tokens: one indexed, coalesced query for family and user, as they are. */
  findWithUser(familyId: string): Promise<{ family: RefreshFamily; user: StoredUser } | null>;
  /** All there are, revoked ones included, oldest first. */
  listForUser(userId: string): Promise<RefreshFamily[]>;
  /** Families that are not revoked, not expired and of the user's current epoch, newest first. */
  listLive(userId: string, now: Date, range?: ListRange): Promise<RefreshFamily[]>;
}

export interface Rotation {
  familyId: string;
  counter: number;
  graceMs: number;
  now: Date;
  claims?: Record<string, unknown>;
  device?: ServiceSession['device'];
}

export interface ApiKeyRepository {
  /**
   * In this order: `no_owner` if the user or org does not exist, `guest` if the user is a guest, then the first requirement
   * that the user does not meet; nothing is inserted then. The epoch is required for a key of a user. A key of an org has no
   * requirements, and any are ignored; so is an actor for a key of a user.
   */
  insert(
    key: StoredApiKey,
    epoch: number | null,
    by?: { verified?: boolean; actor?: OrgActor },
  ): Promise<'inserted' | 'no_owner' | 'guest' | 'epoch_moved' | 'unverified'>;
  /** One indexed read. Revoked and expired keys are returned as they are; keys die with their owner. */
  findById(id: string): Promise<StoredApiKey | null>;
  /** Sets `lastUsedAt` if it is null or before `unlessSince`. */
  touch(id: string, now: Date, unlessSince: Date): Promise<void>;
  /**
   * Revokes a live key and returns it, else null. With `of`, only a key of this user, or of this org if the actor may
   * revoke it. `decide` is called under a lock on the user, as that of an `OrgActor` is; its user is null if there is no such
   * user.
   */
  revoke(
    id: string,
    now: Date,
    of?: { userId: string; decide?: (user: StoredUser | null) => void } | { orgId: string; actor: OrgActor },
  ): Promise<PublicApiKey | null>;
  /** Every key of the owner, revoked ones included, newest first. */
  list(owner: { userId: string } | { orgId: string }, range?: ListRange): Promise<PublicApiKey[]>;
}

export interface TotpRepository {
  /** Null where nothing was enrolled or begun. */
  find(userId: string): Promise<TotpEnrollment | null>;
  /** Keeps a secret until it is confirmed, in place of another such; a confirmed one stays. For a guest nothing is kept. */
  savePending(userId: string, secret: string): Promise<'kept' | 'no_user' | 'guest'>;
  /**
   * If this secret is still the pending one: makes it the secret, `step` its last step, replaces the recovery codes, sets
   * `totpEnabled` and ends every session (rows, epoch, `sessionsValidAfter`). Of parallel calls one acts, the others get false, and
   * so does whoever is a guest. False also if `epoch` is given and the user no longer has it.
   */
  confirm(confirmation: TotpConfirmation): Promise<boolean>;
  /** Compare-and-swap: true where the secret is this one and its last step was before `step`, which it then is. */
  advance(userId: string, secret: string, step: number): Promise<boolean>;
  /** Confirmed secrets that do not start with `prefix`, in the order of their users' ids after `afterUserId`; at most `limit`. */
  listSecrets(
    prefix: string,
    afterUserId: string | null,
    limit: number,
  ): Promise<{ userId: string; secret: string }[]>;
  /** Puts the same secret under another encryption, if it is still `from`. */
  reencrypt(userId: string, from: string, to: string): Promise<void>;
  /**
   * Replaces all recovery codes and ends every session. False if nothing is confirmed, or `epoch` is given and the user no longer
   * has it.
   */
  replaceRecoveryCodes(
    userId: string,
    hashes: readonly string[],
    now: Date,
    epoch?: number,
  ): Promise<boolean>;
  /** Removes the code that has one of these hashes: one winner. */
  consumeRecoveryCode(userId: string, hashes: readonly string[]): Promise<boolean>;
  countRecoveryCodes(userId: string): Promise<number>;
  /**
   * Removes secret, pending secret and recovery codes; ends every session and is true where one was confirmed. False, and nothing
   * changes, if `epoch` is given and the user no longer has it.
   */
  disable(userId: string, now: Date, epoch?: number): Promise<boolean>;
}

export interface TotpConfirmation {
  userId: string;
  epoch?: number;
  pendingSecret: string;
  step: number;
  recoveryCodeHashes: readonly string[];
  now: Date;
}

export interface CredentialRepository {
  /**
   * `taken`: somebody has a credential of this id. `no_user`: the user does not exist or their epoch moved. `guest`: the user
   * is one, at whatever epoch. Then nothing is inserted.
   */
  insert(credential: StoredCredential, epoch: number): Promise<'inserted' | 'taken' | 'no_user' | 'guest'>;
  /** The credential and its user, as they are. */
  findWithUser(id: string): Promise<{ credential: StoredCredential; user: StoredUser } | null>;
  /** Oldest first. */
  listForUser(userId: string, range?: ListRange): Promise<StoredCredential[]>;
  /**
   * Compare-and-swap: notes a use if `counter` is above the stored one, or both are zero. False where it is not (somebody
   * else holds a copy of the key) or the credential is gone.
   */
  use(use: CredentialUse): Promise<boolean>;
  /** False where the user has no such credential, or `allowed` says so, which is asked as by `IdentityRepository.unlink`. */
  remove(userId: string, id: string, allowed?: (left: WaysIn) => boolean): Promise<boolean>;
}

export interface CredentialUse {
  id: string;
  counter: number;
  backedUp: boolean;
  now: Date;
}

export interface AccountRepository {
  /**
   * Deletes the user and every row that names the user's id or verified address (what was sent to an unverified address stays: it is
   * the mailbox owner's), in one transaction with `within`, which is called first inside it; where `within` rejects, nothing is deleted and its error is rethrown. `last_owner`: the user is the
   * last owner of an org (its id is in `orgId`), and then `within` is not called and nothing is deleted. `epoch_moved`: `epoch` is
   * given and the user no longer has it, with the same result. Safe against parallel changes of memberships.
   */
  deleteUser(
    userId: string,
    within: DeletesWithin,
    epoch?: number,
  ): Promise<{ status: 'deleted' | 'no_user' | 'epoch_moved' } | { status: 'last_owner'; orgId: string }>;
  /**
   * If the user still has this epoch: sets the address, verified, bumps the epoch, sets `sessionsValidAfter`, revokes every session
   * and removes every pending token, code and second factor of the user and of either address (of an unverified old address, what
   * was mailed to it stays). Otherwise nothing changes, and
   * the first of these that is so is the answer: `no_user`, `guest` (see `guests.upgrade`), `epoch_moved`, `email_taken` (also by the
   * user: it is the address they have).
   */
  changeEmail(change: EmailChange): Promise<EmailChangeOutcome>;
  /** Every session row of the user that is still there, revoked and expired ones included, oldest first. */
  listSessions(userId: string): Promise<ServiceSession[]>;
}

export interface EmailChange {
  userId: string;
  /** As it was when the user was read: whatever ended their sessions since then comes first. */
  epoch: number;
  email: string;
  now: Date;
}

export type EmailChangeOutcome =
  { status: 'changed'; user: StoredUser } | { status: 'no_user' | 'guest' | 'epoch_moved' | 'email_taken' };
