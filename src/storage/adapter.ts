/** The storage adapter: its repositories, and the methods that concern the database as a whole. */
import type { AuditRepository } from './audit-repository.js';
import type { ExportRepository } from './export-repository.js';
import type { FastPaths } from './fast-paths.js';
import type { ImportRepository } from './import-repository.js';
import type { StorageInspection } from './inspection.js';
import type { SchemaAdministration } from './schema-administration.js';
import type { LockdownRepository } from './lockdown-repository.js';
import type { OneTimeCodeRepository } from './one-time-code-repository.js';
import type {
  IdentityRepository,
  SessionRepository,
  SingleUseTokenRepository,
  UserRepository,
} from './repositories.js';
import type { RateLimitRepository } from './rate-limit-repository.js';
import type { OAuthServerRepository } from './oauth-server-repository.js';
import type { OrgRepository } from './org-repository.js';
import type {
  AccountRepository,
  ApiKeyRepository,
  GuestRepository,
  RefreshFamilyRepository,
} from './pro-repositories.js';
import type {
  CredentialRepository,
  TotpRepository,
  TrustedBrowserRepository,
} from './second-factor-repositories.js';
import type { SessionBindingRepository } from './session-binding-repository.js';
import type { SessionChanges } from './session-changes.js';
import type { StatisticsRepository } from './statistics-repository.js';
import type { StorageWarning } from './warning.js';
import type { UserAdministrationRepository } from './user-administration-repository.js';

/** Rows removed, by table. */
export type PurgeCounts = Record<string, number>;

/**
 * A database as the engine uses it. `memoryAdapter`, `knexAdapter`, `sqliteAdapter` and `pgliteAdapter` implement
 * it. Test your own adapter with `describeStorageAdapter` of `svc-auth/testing`.
 */
export interface StorageAdapter {
  readonly users: UserRepository;
  readonly identities: IdentityRepository;
  readonly sessions: SessionRepository;
  readonly oneTimeCodes: OneTimeCodeRepository;
  readonly singleUseTokens: SingleUseTokenRepository;
  readonly rateLimits: RateLimitRepository;
  /** Required by `session.bound`. */
  readonly sessionBindings?: SessionBindingRepository;
  readonly guests?: GuestRepository;
  readonly refreshFamilies?: RefreshFamilyRepository;
  readonly apiKeys?: ApiKeyRepository;
  readonly orgs?: OrgRepository;
  readonly totp?: TotpRepository;
  readonly trustedBrowsers?: TrustedBrowserRepository;
  readonly credentials?: CredentialRepository;
  readonly oauthServer?: OAuthServerRepository;
  readonly accounts?: AccountRepository;
  readonly userAdministration?: UserAdministrationRepository;
  readonly imports?: ImportRepository;
  readonly exports?: ExportRepository;
  readonly lockdowns?: LockdownRepository;
  /** Required by the option `audit`. */
  readonly audit?: AuditRepository;
  /** Required by the option `statistics`. */
  readonly statistics?: StatisticsRepository;
  /** What sign-ins do together, as one round trip. Without it they take a few more. */
  readonly fastPaths?: FastPaths;
  /** Reports changes of sessions. Required by `session.cache`. */
  readonly sessionChanges?: SessionChanges;
  /** Reads the state of the database for `diagnose()` and `health()`, which otherwise check less. */
  readonly inspection?: StorageInspection;
  /** Reads and changes the schema for `svc-auth migrate` and `svc-auth grants`. Absent without a schema. */
  readonly schema?: SchemaAdministration;
  /**
   * Brings the schema up to date. Safe to call again, and from several processes at once.
   * @param options.warn receives the adapter's warnings from then on.
   * @param options.migrate false: changes nothing. The service then compares `inspection.migrations()`.
   */
  init(options?: { warn?: StorageWarning; migrate?: boolean }): Promise<void>;
  /**
   * Returns the database's clock in milliseconds since the epoch. Implement it for a database that
   * several processes share: the service then uses this clock, so that processes with different
   * clocks agree on limits and revocations.
   */
  currentTime?(): Promise<number>;
  /**
   * Closes the connections that the adapter opened itself; a connection that was passed in stays
   * open.
   */
  close(): Promise<void>;
  /**
   * Removes, in batches, the rows that are no longer needed at `now`: sessions that are revoked or
   * expired; expired tokens, counters, refresh families, statistics, and records of the OAuth server; codes that expired 24 hours ago (until
   * then they are reported as `code_expired`, not `code_not_found`); invites that expired 24 hours
   * ago (until then a revoked invite supersedes an older one that is stored late). Guests are kept,
   * because the application deletes its own data with each of them (`GuestRepository.delete`).
   * Removes at most `limit` rows per table, or all of them without a limit.
   * @param options.onProgress receives the number of rows that a batch has removed, after it was committed.
   */
  purgeExpired(options: {
    now: Date;
    limit?: number;
    onProgress?: (removed: number) => void;
  }): Promise<PurgeCounts>;
  /** Removes every row, for `clear(service)` of `svc-auth/testing`. The engine never calls it. */
  clear?(): Promise<void>;
}
