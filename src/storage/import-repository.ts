/** The import of users of another system: optional as a whole, like the repositories of pro-repositories.ts. */
import type { StoredCredential } from '../domain/credential.js';
import type { ServiceIdentity } from '../domain/identity.js';
import type { StoredApiKey } from '../domain/api-key.js';
import type { OrgRole } from '../domain/org.js';
import type { TotpApp } from '../domain/totp.js';
import type { AdministeredUser } from '../domain/user-record.js';
import type { Username } from '../domain/username.js';

export interface ImportRepository {
  /**
   * Imports the users of a batch, each with everything that belongs to it, in one transaction: all of them or none. A user whom an
   * earlier import has brought is left unchanged, except for its password hash (`mayRenew`). The outcomes are those of the records, in their order.
   *
   * The conflicts of the records are decided with what no other transaction can change until this one has ended. A user who signs up in
   * the meantime is a conflict, not an error. Of imports of the same user in several processes, one creates the user.
   */
  importUsers(batch: ImportBatch): Promise<ImportBatchOutcome>;
}

export interface ImportBatch {
  records: readonly ImportRecord[];
  /** `fail`: nothing is written if a record is a conflict. `merge`: what an account may get is decided in import-plan.ts. */
  onConflict: 'fail' | 'skip' | 'merge';
  /** Decides everything and writes nothing. */
  dryRun: boolean;
  /**
   * Whether the hash of an account that an earlier import has brought is still one of the other system. That of its record then replaces it,
   * which ends the sessions of the account. Absent: hashes are left as they are.
   */
  mayRenew?: (storedHash: string) => boolean;
  now: Date;
}

export interface ImportBatchOutcome {
  /** False if nothing was written, because a record is a conflict and `onConflict` is `fail`. Then the outcomes may end with it. */
  isWritten: boolean;
  outcomes: ImportOutcome[];
}

export type ImportOutcome =
  | { status: 'created' | 'unchanged' | 'renewed'; userId: string; partial?: readonly ImportObstacle[] }
  /** `claimed`: the account was unverified, and everything that was set before has been removed, with the epoch of `revocationsOfClaim`. */
  | { status: 'merged'; userId: string; claimed: boolean; partial?: readonly ImportObstacle[] }
  | ({ status: 'conflict' } & ImportObstacle);

/** What is in the way of a record, or of a part of it. */
export interface ImportObstacle {
  reason: ImportConflict;
  /** Name of the field of the record. */
  field: string;
}

export type ImportConflict =
  | 'id_taken'
  | 'email_taken'
  | 'username_taken'
  | 'phone_taken'
  | 'identity_taken'
  | 'passkey_taken'
  | 'api_key_taken'
  | 'account_differs'
  | 'slug_taken'
  | 'roles_kept'
  | 'block_left_out'
  | 'metadata_left_out'
  | 'phone_unproven';

/** A user of another system in the form in which it is stored. Everything in it is checked. */
export interface ImportRecord {
  /** A new user. Its `totpEnabled` says whether there is a second factor. */
  user: ImportedAccount;
  /** Whether the old system had this id, so that the user is found by it. */
  keepsId: boolean;
  /** Whether the record itself says that the address is verified: only then can it belong to an existing account. */
  isProven: boolean;
  identities: readonly ServiceIdentity[];
  /** Encrypts the second factor for the account of this id. Null without one. */
  secondFactor: ((userId: string) => ImportedSecondFactor) | null;
  credentials: readonly StoredCredential[];
  apiKeys: readonly ForeignApiKey[];
  memberships: readonly ImportedMember[];
  /** What the check of the record has left out. It is reported, and not stored. */
  leftOut: readonly ImportObstacle[];
}

export interface ImportedAccount extends Omit<AdministeredUser, 'username' | 'isGuest'> {
  username: Username | null;
}

export interface ImportedSecondFactor {
  /** The first one first. There is at least one. */
  apps: readonly TotpApp[];
  recoveryCodeHashes: readonly string[];
  /** Whether the user can get codes by email instead. */
  email: boolean;
}

/** A key of another system, which is found by its digest, or of another svc-auth, which is found by its id. */
export interface ForeignApiKey extends Omit<StoredApiKey, 'ownerBlock'> {
  /** SHA-256 of the whole key, base64url. Null for a key of another svc-auth. */
  keyDigest: string | null;
}

export interface ImportedMember {
  org: ImportedOrg;
  role: OrgRole;
  createdAt: Date;
}

/** An organization that is created unless there is one with its external id, or its id if it keeps it. */
export interface ImportedOrg {
  id: string;
  /** Whether the old system had this id, so that the organization is found by it. */
  keepsId: boolean;
  externalId: string;
  name: string;
  /** Tried in this order. The last one is random. */
  slugs: readonly string[];
  /** Whether the old system has given the first slug. */
  hasSlug: boolean;
  metadata: Record<string, unknown>;
  createdAt: Date;
}
