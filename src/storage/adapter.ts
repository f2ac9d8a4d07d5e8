/** What an adapter is: the repositories, and the few things that concern the database as a whole. */
import type {
  IdentityRepository,
  OneTimeCodeRepository,
  RateLimitRepository,
  SessionRepository,
  SingleUseTokenRepository,
  UserRepository,
} from './repositories.js';
import type { OrgRepository } from './org-repository.js';
import type {
  AccountRepository,
  ApiKeyRepository,
  CredentialRepository,
  GuestRepository,
  RefreshFamilyRepository,
  TotpRepository,
} from './pro-repositories.js';

/** Rows removed, by table. */
export type PurgeCounts = Record<string, number>;

/** Receives what the operator should know about the database, in the argument order of the logger. */
export type StorageWarning = (fields: object, message: string) => void;

/**
 * A database as the engine sees it. `memoryAdapter`, `knexAdapter` and `pgliteAdapter` implement it; an adapter of
 * your own proves itself with `describeStorageAdapter` of `svc-auth/testing`.
 */
export interface StorageAdapter {
  readonly users: UserRepository;
  readonly identities: IdentityRepository;
  readonly sessions: SessionRepository;
  readonly oneTimeCodes: OneTimeCodeRepository;
  readonly singleUseTokens: SingleUseTokenRepository;
  readonly rateLimits: RateLimitRepository;
  readonly guests?: GuestRepository;
  readonly refreshFamilies?: RefreshFamilyRepository;
  readonly apiKeys?: ApiKeyRepository;
  readonly orgs?: OrgRepository;
  readonly totp?: TotpRepository;
  readonly credentials?: CredentialRepository;
  readonly accounts?: AccountRepository;
  /**
   * Brings the schema up to date. Safe to call again, and from several processes at once.
   * @param options.warn receives the adapter's warnings from now on.
   */
  init(options?: { warn?: StorageWarning }): Promise<void>;
  /**
   * Returns the database's clock in milliseconds since the epoch. An adapter for a database that several processes share should
   * have it: the service then follows this clock, so that processes whose clocks differ agree on limits and revocations.
   */
  currentTime?(): Promise<number>;
  /** Releases what the adapter opened itself; a connection that was handed in stays open. */
  close(): Promise<void>;
  /**
   * Removes, in batches, what is dead at `now`: sessions that are revoked or expired, tokens and counters past their
   * end, codes 24 hours past theirs (until then `code_expired` can be told from `code_not_found`), refresh families past their
   * end, invites 24 hours past theirs (until then a revoked one supersedes an older one that is stored late). Guests stay: the application's data goes with each (`GuestRepository.delete`).
   * At most `limit` rows per table; without it, all.
   */
  purgeExpired(options: { now: Date; limit?: number }): Promise<PurgeCounts>;
}
