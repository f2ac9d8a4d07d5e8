/**
 * What `service.users.import` reads: the users of another system, with everything that lets them sign in. Null counts as absent. Times are
 * dates, ISO 8601 strings, or milliseconds since 1970.
 */
import type { ImportFault, ImportReport } from './import-report.js';
import type { OrgRole } from './org-role.js';

export type ImportedTime = Date | string | number;

export interface ImportedUser {
  /**
   * The id of the user in the old system, at most 255 characters. It is unique, it stays with the account (`req.svcAuth.externalId`), and a
   * second import with the same one finds the account again. Default: `id`, if that is not a UUID.
   */
  externalId?: string | number | bigint | null;
  /** Becomes the id of the account if it is a UUID; otherwise it is taken as `externalId`. */
  id?: string | number | bigint | null;
  email?: string | null;
  /** Whether the old system has verified the address. See `emailVerified` of the options for systems that do not know. */
  emailVerified?: boolean | null;
  username?: string | null;
  /** E.164. Its owner signs in with it: it becomes an identity only if it is verified. */
  phone?: string | null;
  /** Whether the old system has sent a code to the number that its user has entered. A number that the user has only typed can be anyone's. */
  phoneVerified?: boolean | null;
  metadata?: Record<string, unknown> | null;
  roles?: readonly string[] | null;
  language?: string | null;
  createdAt?: ImportedTime | null;
  lastSignInAt?: ImportedTime | null;
  /** True, or since when and until when, and why. */
  blocked?:
    boolean | { at?: ImportedTime | null; until?: ImportedTime | null; reason?: string | null } | null;
  /** A hash that names its format, or its parts with the name of their format. */
  passwordHash?: string | ForeignHash | null;
  identities?: readonly ImportedIdentity[] | null;
  totp?: ImportedTotp | null;
  passkeys?: readonly ImportedPasskey[] | null;
  apiKeys?: readonly ImportedApiKey[] | null;
  memberships?: readonly ImportedMembership[] | null;
}

/** An account at an identity provider. */
export interface ImportedIdentity {
  /** `google`, or the name of a provider in the configuration. */
  provider: string;
  /** The `sub` claim, or what else the provider calls the user. */
  providerAccountId: string | number;
  createdAt?: ImportedTime | null;
}

/** An authenticator app, with SHA-1, six digits and thirty seconds: what every app supports. */
export interface ImportedTotp {
  /** The secret in Base32. */
  secret: string;
  name?: string | null;
  createdAt?: ImportedTime | null;
  /** Recovery codes as plain text, which are stored as digests. Codes that the old system has hashed cannot be carried. */
  recoveryCodes?: readonly string[] | null;
  /**
   * Digests of recovery codes that `users.export` has written. They are valid for an account that keeps its id, with the `encryptionKey`
   * that they were made with.
   */
  recoveryCodeHashes?: readonly string[] | null;
  /** Further apps of the user, at most two. */
  otherApps?: readonly ImportedTotpApp[] | null;
  /** Whether the user can get codes by email instead. Default false. */
  codesByEmail?: boolean | null;
}

export interface ImportedTotpApp {
  /** The secret in Base32. */
  secret: string;
  name?: string | null;
  createdAt?: ImportedTime | null;
}

export interface ImportedPasskey {
  /** The credential id, base64url. */
  id: string;
  /** The COSE key, base64url. */
  publicKey: string;
  /** The user handle with which it was registered, base64url, if the old system has kept it. */
  userHandle?: string | null;
  counter?: number | null;
  transports?: readonly string[] | null;
  backupEligible?: boolean | null;
  backedUp?: boolean | null;
  aaguid?: string | null;
  name?: string | null;
  createdAt?: ImportedTime | null;
  lastUsedAt?: ImportedTime | null;
}

/** A key of the old system, which keeps its form: requests continue to send it. */
export interface ImportedApiKey {
  /** SHA-256 of the whole key, in hexadecimal digits or base64url. Required, except for a key of svc-auth. */
  digest?: string | null;
  /** Of a key of svc-auth, which `users.export` has written: its id, which is a part of the key. */
  id?: string | null;
  /** With `id`: SHA-256 of the secret part of the key, base64url. */
  secretHash?: string | null;
  /** The first characters of the key, by which its owner recognizes it. At most 20. */
  prefix?: string | null;
  name: string;
  scopes?: readonly string[] | null;
  metadata?: Record<string, unknown> | null;
  createdAt?: ImportedTime | null;
  lastUsedAt?: ImportedTime | null;
  expiresAt?: ImportedTime | null;
}

/** The organization is created with the first of its members, and found again by its external id. */
export interface ImportedMembership {
  organization: {
    externalId: string | number | bigint;
    /** Becomes the id of a new organization. A UUID. */
    id?: string | null;
    name: string;
    slug?: string | null;
    metadata?: Record<string, unknown> | null;
    createdAt?: ImportedTime | null;
  };
  role: OrgRole;
  createdAt?: ImportedTime | null;
}

/**
 * The parts of a hash of another system. Binary parts are strings in base64, base64url or hexadecimal digits, as `encoding` says (default
 * `hex`).
 */
export type ForeignHash =
  | {
      /** PBKDF2 (RFC 8018), as passport-local-mongoose and others store it in several columns. */
      format: 'pbkdf2';
      digest: 'sha1' | 'sha256' | 'sha512';
      iterations: number;
      salt: string;
      /** Whether the salt is used as the string that it is (as passport-local-mongoose does), and not decoded. Default false. */
      saltIsText?: boolean;
      hash: string;
      encoding?: HashEncoding;
    }
  | {
      /** scrypt (RFC 7914). */
      format: 'scrypt';
      n: number;
      r: number;
      p: number;
      salt: string;
      saltIsText?: boolean;
      hash: string;
      encoding?: HashEncoding;
    }
  | {
      /** One round of a digest over password and salt. */
      format: 'sha256' | 'sha512' | 'sha1';
      salt: string;
      saltIsText?: boolean;
      /** Where the salt is. Default `after`. */
      saltPosition?: 'before' | 'after';
      hash: string;
      encoding?: HashEncoding;
    }
  | {
      /** A hash as another svc-auth has stored it, which prepares long passwords in its own way. `users.export` writes it. */
      format: 'svc-auth';
      hash: string;
    }
  | {
      /** Firebase's scrypt. Its parameters and key are those of the project, given once: `firebaseHasher`. */
      format: 'firebase-scrypt';
      salt: string;
      hash: string;
    };

export type HashEncoding = 'hex' | 'base64' | 'base64url';

export interface ImportOptions {
  /**
   * What happens to a record whose address, user name, phone or identity belongs to another account: `fail` (default) ends the import
   * before the batch of this record, `skip` leaves the record out and reports it, `merge` adds to the account of the address what it does
   * not have, if the record says that its address is verified.
   */
  onConflict?: 'fail' | 'skip' | 'merge';
  /** Checks every record, reports what would happen, and changes nothing. Default false. */
  dryRun?: boolean;
  /**
   * `as-given` (default): an address is verified if its record says so. `trust-all`: every address counts as verified, for a system that
   * kept no such flag. An address that is not verified loses its password with the first code or link that is mailed to it.
   */
  emailVerified?: 'as-given' | 'trust-all';
  /**
   * `as-given` (default): a phone number is imported if its record says that it is verified. `trust-all`: every number is, for a system that
   * accepted no other and kept no such flag.
   */
  phoneVerified?: 'as-given' | 'trust-all';
  /** Keeps user names that a sign-up would refuse: with spaces, or letters of several scripts. Default false. */
  anyUsername?: boolean;
  /**
   * Stands before every external id, also that of an organization: with `shop:`, the user 7 becomes `shop:7`. For two systems that gave the
   * same ids to different users. A kept id, which is a UUID, has none. At most 100 printable ASCII characters.
   */
  externalIdPrefix?: string;
  /**
   * Replaces the password of a user whom an earlier import has brought, if it has changed in the old system since and the user has never
   * signed in with it or set one here. This ends the sessions of the user. Default false.
   */
  updatePasswords?: boolean;
  /** Records in one transaction: 1 to 5000, default 500. */
  batchSize?: number;
  /** Is called after every batch, and awaited. If it fails, the import ends. */
  onProgress?: (progress: ImportReport) => void | Promise<void>;
  /** Is called for every record that is refused, skipped or stored in part, in order. Without it, the first 1000 are in the report. */
  onFault?: (fault: ImportFault) => void;
  /** Ends the import after the current batch. */
  signal?: AbortSignal;
}
