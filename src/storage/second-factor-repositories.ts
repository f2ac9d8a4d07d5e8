/** Optional repositories of authenticator apps, recovery codes, trusted browsers and passkeys. */
import type { StoredCredential } from '../domain/credential.js';
import type { PreferableMethod, SecondFactors } from '../domain/second-factor.js';
import type { DeviceInfo } from '../domain/session.js';
import type { TotpApp, TotpEnrollment } from '../domain/totp.js';
import type { StoredTrustedBrowser } from '../domain/trusted-browser.js';
import type { StoredUser } from '../domain/user.js';
import type { Username } from '../domain/username.js';
import type { ActingUser } from './acting-user.js';
import type { ListRange } from './list-range.js';
import type { NewUser, SignInMethods } from './repositories.js';
import type { TakenName } from './user-administration-repository.js';

export interface TotpRepository {
  /**
   * The first app, and the pending secret. Null if the user has neither a confirmed nor a pending
   * enrollment.
   */
  find(userId: string): Promise<TotpEnrollment | null>;
  /** The confirmed apps, the first one first, the others oldest first. */
  listApps(userId: string): Promise<TotpApp[]>;
  /** What the second step of a sign-in can use, in one query. Null without a confirmed app. */
  findFactors(userId: string): Promise<SecondFactors | null>;
  /**
   * Stores a secret until it is confirmed and replaces any other pending secret; a confirmed secret
   * stays. Nothing is stored for a guest.
   */
  savePending(userId: string, secret: string): Promise<'kept' | 'no_user' | 'guest'>;
  /**
   * If this secret is still pending: makes it the only confirmed app with `step` as its last step,
   * replaces the recovery codes, sets `totpEnabled` and ends every session (rows, epoch,
   * `sessionsValidAfter`). The choices of the second step stay. One of several parallel calls
   * succeeds; the others return false. Also returns false for a guest, or if `epoch` is given and
   * the user no longer has it.
   */
  confirm(confirmation: TotpConfirmation): Promise<boolean>;
  /**
   * If this secret is still pending and the user has a confirmed app: makes it another one, keeps
   * the recovery codes, and ends every session. One of several parallel calls returns `added`.
   * `too_many` if the user has `maxApps` apps. `refused` otherwise, also if `epoch` is given and the
   * user no longer has it.
   */
  addApp(addition: TotpAddition): Promise<'added' | 'too_many' | 'refused'>;
  /** False if the user has no such app. */
  renameApp(userId: string, id: string, name: string | null): Promise<boolean>;
  /**
   * Removes an app and ends every session. `disabled` if it was the last one: the second factor is
   * removed as by `disable`. `refused` if the user has no such app, or if `epoch` is given and the
   * user no longer has it; nothing changes. Another app becomes the first one if the first one is
   * removed.
   */
  removeApp(
    userId: string,
    id: string,
    now: Date,
    epoch?: number,
  ): Promise<'removed' | 'disabled' | 'refused'>;
  /**
   * Compare-and-swap: sets the last step of an app to `step`, and the time of its last use, and
   * returns true if the user has an app with this secret and its last step is lower.
   */
  advance(userId: string, secret: string, step: number, now: Date): Promise<boolean>;
  /**
   * Enables or disables codes by email and ends every session. False without a confirmed app, if
   * nothing changes, or if `epoch` is given and the user no longer has it. A reset of the password
   * disables them too (`UserRepository.resetPassword`).
   */
  setEmail(userId: string, enabled: boolean, now: Date, epoch?: number): Promise<boolean>;
  /** False without a confirmed app. */
  setPreferred(userId: string, method: PreferableMethod | null): Promise<boolean>;
  /**
   * Returns the confirmed secrets that do not start with `prefix`, of at most `limit` users, ordered
   * by user id, starting after `afterUserId`.
   */
  listSecrets(
    prefix: string,
    afterUserId: string | null,
    limit: number,
  ): Promise<{ userId: string; secret: string }[]>;
  /** Returns the number of confirmed secrets that do not start with `prefix`. */
  countSecrets(prefix: string): Promise<number>;
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
   * Removes the code that has one of these hashes, and returns how many are left. Null if there is
   * none; only one of several parallel calls gets a code. Codes that are consumed in parallel leave
   * different numbers.
   */
  consumeRecoveryCode(userId: string, hashes: readonly string[]): Promise<{ left: number } | null>;
  countRecoveryCodes(userId: string): Promise<number>;
  /**
   * Removes the apps, the pending secret, the choices of the second step and the recovery codes. If an app was confirmed, ends
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
  /** The id of the app, a UUID. Default: that of the user. */
  appId?: string;
  name?: string | null;
}

export interface TotpAddition extends Omit<TotpConfirmation, 'recoveryCodeHashes'> {
  appId: string;
  maxApps: number;
}

export interface TrustedBrowserWithUse extends StoredTrustedBrowser {
  /** Whether a session is active that was started in the browser. */
  isSignedIn: boolean;
}

/**
 * The browsers that a user trusts. A trusted browser counts only while the user has the epoch with
 * which it was trusted: every method ignores the others, so that whatever ends all sessions of the
 * user ends them too.
 */
export interface TrustedBrowserRepository {
  /**
   * Inserts a browser, and removes those of the same user with one of the hashes `replaces`, under a
   * lock on the user. If one is removed, the new browser gets its id, which sessions refer to.
   * Returns the id and the removed hashes. Null, and nothing changes, if the user has another epoch
   * or does not exist, or, with `credentialId`, if the user no longer has that passkey.
   */
  insert(
    browser: StoredTrustedBrowser,
    replaces: readonly string[],
    credentialId?: string,
  ): Promise<{ id: string; replaced: string[] } | null>;
  /**
   * Records a use if the user trusts a browser with one of these hashes that has not expired, and
   * returns its id. Null otherwise. One query.
   */
  use(userId: string, epoch: number, hashes: readonly string[], now: Date): Promise<string | null>;
  /** Those that have not expired, newest first. */
  list(userId: string, now: Date): Promise<TrustedBrowserWithUse[]>;
  /** Removes a browser of the user, under a lock on the user. False if there is no such browser. */
  revoke(userId: string, id: string): Promise<boolean>;
  /** Removes all browsers of the user and returns how many still counted. */
  revokeAll(userId: string): Promise<number>;
}

export interface CredentialRepository {
  /**
   * Inserts nothing and returns `taken` if a credential with this id exists, `no_user` if the user
   * does not exist or has another epoch, or `guest` if the user is a guest, at any epoch. Removes the
   * trusted browsers of the user, under a lock on the user.
   */
  insert(credential: StoredCredential, epoch: number): Promise<'inserted' | 'taken' | 'no_user' | 'guest'>;
  /**
   * Inserts a new user with the first credential, or neither: `taken` if a credential with this id
   * exists, `email_taken`, `username_taken` or `external_id_taken` if another user has the address, the
   * user name or the external id.
   */
  insertWithUser(
    credential: StoredCredential,
    user: NewUser,
    username: Username | null,
  ): Promise<'inserted' | 'taken' | TakenName>;
  /**
   * Inserts the credential of a user whose unverified address has been proven, verifies the address,
   * merges the metadata one level deep, and sets the user name if it is given. Unless `keepsAccount`
   * is true, this is also a claim: it removes what `UserRepository.claim` removes. All or nothing:
   * `taken` and `username_taken` as for `insertWithUser`; `no_user` if the user does not exist, no
   * longer has the address or the epoch, or has verified the address.
   */
  insertWithProof(credential: StoredCredential, proof: CredentialProof): Promise<CredentialProofOutcome>;
  /** The credential and its user, in one query. */
  findWithUser(id: string): Promise<{ credential: StoredCredential; user: StoredUser } | null>;
  /** Oldest first. */
  listForUser(userId: string, range?: ListRange): Promise<StoredCredential[]>;
  /**
   * Compare-and-swap: records a use if `counter` is above the stored one or both are zero, or if it is zero
   * and the credential is `backupEligible`: managers that do not count import passkeys from others. False
   * if it is not (the key may have been cloned) or the credential does not exist.
   */
  use(use: CredentialUse): Promise<boolean>;
  /**
   * Sets the name that the user has chosen; null removes it. Null if the user does not have the
   * credential.
   */
  rename(userId: string, id: string, name: string | null): Promise<StoredCredential | null>;
  /**
   * Removes a credential of the user, and the trusted browsers of the user, under a lock on the user. False if the user does
   * not have it, or if `allowed` returns false (called as in `IdentityRepository.unlink`).
   */
  remove(
    userId: string,
    id: string,
    allowed?: (left: SignInMethods) => boolean,
    by?: ActingUser,
  ): Promise<boolean>;
}

/** Of the mailbox of the credential's user. */
export interface CredentialProof {
  email: string;
  epoch: number;
  /** Whether the session of the account has made the proof: everything that it has stays. */
  keepsAccount: boolean;
  /** Null keeps the one that the user has. */
  username: Username | null;
  metadata: Record<string, unknown>;
  now: Date;
}

export type CredentialProofOutcome =
  { status: 'inserted'; user: StoredUser } | { status: 'taken' | 'username_taken' | 'no_user' };

export interface CredentialUse {
  id: string;
  counter: number;
  backedUp: boolean;
  /** The browser; replaces that of the last use. Absent: unknown. */
  from?: DeviceInfo;
  now: Date;
}
