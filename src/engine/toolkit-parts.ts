/** The parts of a service that only some configurations have, or that an option selects. */
import type { ParsedConfig } from '../config/schema.js';
import { FailureRecorder } from '../core/audit/failures.js';
import { Sealer } from '../core/audit/sealer.js';
import { AuditRecords } from '../core/support/audit-records.js';
import type { Changes } from '../core/support/changes.js';
import { capability } from '../core/support/capability.js';
import { DatabaseClock } from '../core/support/database-clock.js';
import type { ChallengeProvider } from '../core/limits/challenge-options.js';
import { Challenges } from '../core/limits/challenges.js';
import { proofOfWork } from '../core/limits/proof-of-work.js';
import { type Logger } from '../core/support/logger.js';
import type { LegacyQuery } from '../domain/legacy-query.js';
import { OldSessions } from '../core/sessions/old-sessions.js';
import { BoundSessions } from '../core/sessions/bound-sessions.js';
import { BearerSessions } from '../core/sessions/bearer-sessions.js';
import { DpopKeys } from '../core/sessions/dpop-keys.js';
import { RefreshTokens } from '../core/sessions/refresh-tokens.js';
import type { Clock } from '../core/support/clock.js';
import { TrustedBrowsers } from '../core/sessions/trusted-browsers.js';
import type { Audit, Toolkit } from '../core/toolkit.js';
import type { StorageAdapter } from '../storage/adapter.js';

export function oldSessionsOf(
  { acceptSessionsFrom: sources, acceptSessionsUntil: until, maxAgeMs }: ParsedConfig['session'],
  { clock, legacyUsers, limiter, logger, sessions, storage }: Toolkit,
): OldSessions {
  const bringLegacyUser = (query: LegacyQuery) => legacyUsers.bring(query);
  return new OldSessions(
    { sources, until, maxAgeMs },
    { bringLegacyUser, clock, limiter, logger, sessions, storage },
  );
}

/** @throws AdapterCapabilityError if the adapter does not store the keys. */
export function boundSessionsOf(
  { bound }: ParsedConfig['session'],
  { changes, clock, keys, logger, sessions, storage }: Toolkit,
): BoundSessions | null {
  if (!bound) return null;
  const bindings = capability(storage, 'sessionBindings');
  return new BoundSessions({ bindings, changes, clock, keys, logger, sessions, storage }, bound.path);
}

/** @throws AdapterCapabilityError if the adapter has no audit log. */
export function auditOf(
  { audit }: ParsedConfig,
  storage: StorageAdapter,
  { clock, keys, logger }: Pick<Toolkit, 'clock' | 'keys' | 'logger'>,
): Audit | null {
  if (audit === false) return null;
  const repository = capability(storage, 'audit');
  const records = new AuditRecords(keys);
  const failures = new FailureRecorder(repository, records, clock, logger);
  const sealer = new Sealer(repository, records, clock, logger, () => failures.storeCounted());
  return { failures, records, repository, sealer };
}

export function challengesOf(
  { signUp: { challenge } }: ParsedConfig,
  { keys, ...tools }: Pick<Toolkit, 'keys' | 'limiter' | 'clock'>,
): Challenges {
  const isBuiltIn = challenge?.provider === 'proof-of-work';
  const provider = isBuiltIn ? proofOfWork(challenge, keys) : (challenge?.provider ?? null);
  return new Challenges(challenge ?? null, provider as ChallengeProvider | null, tools);
}

/** @throws AdapterCapabilityError if the adapter does not store refresh tokens. */
export function bearerOf(
  { bearer, maxAgeMs, ttlMs, unrememberedTtlMs = ttlMs }: ParsedConfig['session'],
  storage: ParsedConfig['adapter'],
  tools: ConstructorParameters<typeof RefreshTokens>[3],
): BearerSessions {
  if (!bearer) return new BearerSessions(null, ttlMs);
  const options = { ...bearer, ttlMs: maxAgeMs };
  const tokens = new RefreshTokens('bearer', capability(storage, 'refreshFamilies'), options, tools);
  const dpopKeys = new DpopKeys(storage.singleUseTokens, tools.clock, bearer);
  return new BearerSessions(tokens, unrememberedTtlMs, dpopKeys);
}

/** Null if the application has set a clock: tests move it, and a database could not follow. */
export function databaseClockOf({ adapter, clock }: ParsedConfig, logger: Logger): DatabaseClock | null {
  // eslint-disable-next-line no-restricted-properties -- compared with the default of the schema
  if (clock !== Date.now || !adapter.currentTime) return null;
  return new DatabaseClock(clock, async () => (await adapter.currentTime?.()) ?? Number.NaN, logger);
}

export function trustedBrowsersOf(
  { adapter, providers }: ParsedConfig,
  clock: Clock,
  changes: Changes,
): TrustedBrowsers | null {
  const { days } = providers.totp?.trustedBrowsers ?? {};
  return days === undefined ? null : new TrustedBrowsers(adapter, clock, changes, days * 24 * 60 * 60_000);
}
