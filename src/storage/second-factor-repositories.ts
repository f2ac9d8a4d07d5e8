/** Optional repositories of authenticator apps, recovery codes and passkeys. */
import type { StoredCredential } from '../domain/credential.js';
import type { DeviceInfo } from '../domain/session.js';
import type { TotpEnrollment } from '../domain/totp.js';
import type { StoredUser } from '../domain/user.js';
import type { Username } from '../domain/username.js';
import type { ActingUser } from './acting-user.js';
import type { ListRange } from './list-range.js';
import type { NewUser, SignInMethods } from './repositories.js';

export interface TotpRepository {
  /** Null if the user has neither a confirmed nor a pending enrollment. */
  find(userId: string): Promise<TotpEnrollment | null>;
  /**
   * Stores a secret until it is confirmed and replaces any other pending secret; a confirmed secret
   * stays. Nothing is stored for a guest.
   */
  savePending(userId: string, secret: string): Promise<'kept' | 'no_user' | 'guest'>;
  /**
   * If this secret is still pending: makes it the confirmed secret with `step` as its last step,
   * replaces the recovery codes, sets `totpEnabled` and ends every session (rows, epoch,
   * `sessionsValidAfter`). One of several parallel calls succeeds; the others return false. Also
   * returns false for a guest, or if `epoch` is given and the user no longer has it.
   */
  confirm(confirmation: TotpConfirmation): Promise<boolean>;
  /**
   * Compare-and-swap: sets the last step to `step` and returns true if the user has this secret and
   * its last step is lower.
   */
  advance(userId: string, secret: string, step: number): Promise<boolean>;
  /**
   * Returns at most `limit` confirmed secrets that do not start with `prefix`, ordered by user id,
   * starting after `afterUserId`.
   */
  listSecrets(
    prefix: string,
    afterUserId: string | null,
    limit: number,
  ): Promise<{ userId: string; secret: string }[]>;
  /** Replaces the ciphertext `from` of a confirmed secret by `to`, if the user still has it. */
  reencrypt(userId: string, from: string, to: string): Promise<void>;
  /**
   * Replaces all recovery codes and ends every session. False if the user has no confirmed secret,
   * or if `epoch` is given and the user no longer has it.
   */
  replaceRecoveryCodes(
    userId: string,
    hashes: readonly string[],
    now: Date,
    epoch?: number,
  ): Promise<boolean>;
  /**
   * Removes the code that has one of these hashes. Only one of several parallel calls returns true.
   */
  consumeRecoveryCode(userId: string, hashes: readonly string[]): Promise<boolean>;
  countRecoveryCodes(userId: string): Promise<number>;
  /**
   * Removes the secret, the pending secret and the recovery codes. If a secret was confirmed, ends
   * every session and returns true. Returns false and changes nothing if `epoch` is given and the
   * user no longer has it.
   */
  disable(userId: string, now: Date, epoch?: number, by?: ActingUser): Promise<boolean>;
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
   * Inserts nothing and returns `taken` if a credential with this id exists, `no_user` if the user
   * does not exist or has another epoch, or `guest` if the user is a guest, at any epoch.
   */
  insert(credential: StoredCredential, epoch: number): Promise<'inserted' | 'taken' | 'no_user' | 'guest'>;
  /**
   * Inserts a new user with the first credential, or neither: `taken` if a credential with this id
   * exists, `email_taken` or `username_taken` if another user has the address or the user name.
   */
  insertWithUser(
    credential: StoredCredential,
    user: NewUser,
    username: Username | null,
  ): Promise<'inserted' | 'taken' | 'email_taken' | 'username_taken'>;
  /** The credential and its user, in one query. */
  findWithUser(id: string): Promise<{ credential: StoredCredential; user: StoredUser } | null>;
  /** Oldest first. */
  listForUser(userId: string, range?: ListRange): Promise<StoredCredential[]>;
  /**
   * Compare-and-swap: records a use if `counter` is above the stored one, or both are zero. False
   * if it is not (the key may have been cloned) or the credential does not exist.
   */
  use(use: CredentialUse): Promise<boolean>;
  /**
   * Sets the name that the user has chosen; null removes it. Null if the user does not have the
   * credential.
   */
  rename(userId: string, id: string, name: string | null): Promise<StoredCredential | null>;
  /**
   * Removes a credential of the user. False if the user does not have it, or if `allowed` returns
   * false (called as in `IdentityRepository.unlink`).
   */
  remove(
    userId: string,
    id: string,
    allowed?: (left: SignInMethods) => boolean,
    by?: ActingUser,
  ): Promise<boolean>;
}

export interface CredentialUse {
  id: string;
  counter: number;
  backedUp: boolean;
  /** The browser; replaces that of the last use. Absent: unknown. */
  from?: DeviceInfo;
  now: Date;
}
