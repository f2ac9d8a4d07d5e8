/** Shared functions of the conformance suite: the registration of tests, and test records. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ServiceIdentity } from '../../src/domain/identity.js';
import type { ServiceOneTimeCode } from '../../src/domain/one-time-code.js';
import type { ServiceSession } from '../../src/domain/session.js';
import { accountState, type SingleUseToken } from '../../src/domain/single-use-token.js';
import type { StoredUser } from '../../src/domain/user.js';
import { composedFastPaths } from '../../src/core/limits/fast-paths.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import type { FastPaths } from '../../src/storage/fast-paths.js';
import type { CodeOutcome } from '../../src/storage/one-time-code-repository.js';
import type { NewUser, PasswordReset } from '../../src/storage/repositories.js';

/** Registers one test for adapters that have the repositories in `required`. */
export type RegisterConformanceTest = (
  title: string,
  body: (storage: StorageAdapter) => Promise<void>,
  required?: readonly Capability[],
) => void;

/** The optional repositories of an adapter, `fastPaths` and `sessionChanges`. */
export type Capability =
  | 'sessionBindings'
  | 'guests'
  | 'refreshFamilies'
  | 'apiKeys'
  | 'orgs'
  | 'accounts'
  | 'totp'
  | 'trustedBrowsers'
  | 'credentials'
  | 'oauthServer'
  | 'userAdministration'
  | 'imports'
  | 'exports'
  | 'lockdowns'
  | 'statistics'
  | 'fastPaths'
  | 'sessionChanges'
  | 'inspection'
  | 'audit';

/** An adapter that has these optional repositories. */
export type With<Needed extends Capability> = StorageAdapter & Required<Pick<StorageAdapter, Needed>>;

export function hasCapabilities<Needed extends Capability>(
  storage: StorageAdapter,
  needed: readonly Needed[],
): storage is With<Needed> {
  return needed.every((capability) => storage[capability] !== undefined);
}

/** Returns `fastPaths` of the adapter or, without it, what the engine does instead. */
export function fastPathsOf(storage: StorageAdapter): FastPaths {
  const fail = (error: unknown): never =>
    assert.fail(`The counters could not be corrected: ${String(error)}`);
  return storage.fastPaths ?? composedFastPaths(storage, storage.rateLimits, fail);
}

/** Returns a function that registers tests for adapters that have all of these repositories. */
export function testsRequiring<Needed extends Capability>(
  test: RegisterConformanceTest,
  ...needed: Needed[]
) {
  return (title: string, body: (storage: With<Needed>) => Promise<void>): void => {
    test(title, (storage) => body(storage as With<Needed>), needed);
  };
}

/** The current time of all tests. Adapters must not read a clock. */
export const now = new Date('2031-05-06T07:08:09.123Z');

export function after(ms: number): Date {
  return new Date(now.getTime() + ms);
}

export function newUser(overrides: Partial<NewUser> = {}): NewUser {
  return {
    id: randomUUID(),
    email: `${randomUUID()}@example.test`,
    emailVerified: false,
    passwordHash: null,
    metadata: { plan: 'free', nested: { list: [1, 'two', null] } },
    createdAt: now,
    ...overrides,
  };
}

/** Returns the stored record of an inserted user. */
export function asStored(user: NewUser): StoredUser {
  const fresh = { epoch: 0, sessionsValidAfter: null, totpEnabled: false, blocked: null, language: null };
  const { roles = [], externalId = null } = user;
  return { ...user, ...fresh, roles: [...roles], username: null, externalId, updatedAt: user.createdAt };
}

export async function insertedUser(
  storage: StorageAdapter,
  overrides: Partial<NewUser> = {},
): Promise<StoredUser> {
  const user = newUser(overrides);
  assert.equal(await storage.users.insert(user), true);
  return asStored(user);
}

export function newIdentity(userId: string, overrides: Partial<ServiceIdentity> = {}): ServiceIdentity {
  const providerAccountId = randomUUID();
  return { id: randomUUID(), userId, provider: 'google', providerAccountId, createdAt: now, ...overrides };
}

export function newSession(userId: string, overrides: Partial<ServiceSession> = {}): ServiceSession {
  return {
    id: randomUUID(),
    userId,
    device: { name: 'Phone', userAgent: 'Test/1.0', ip: '192.0.2.1' },
    createdAt: now,
    lastSeenAt: now,
    expiresAt: after(60_000),
    revokedAt: null,
    boundAt: null,
    ...overrides,
  };
}

export async function startedSession(
  storage: StorageAdapter,
  userId: string,
  overrides: Partial<ServiceSession> = {},
  epoch = 0,
): Promise<ServiceSession> {
  const session = newSession(userId, overrides);
  assert.equal(await storage.sessions.start(session, epoch), true);
  return session;
}

type NewCode = Omit<ServiceOneTimeCode, 'attempts' | 'consumedAt'>;

export async function storedCode(
  storage: StorageAdapter,
  overrides: Partial<NewCode> = {},
): Promise<NewCode> {
  const code: NewCode = {
    purpose: 'email_code',
    subject: `${randomUUID()}@example.test`,
    codeHash: randomUUID(),
    expiresAt: after(60_000),
    metadata: { from: 'code' },
    ...overrides,
  };
  await storage.oneTimeCodes.replace(code);
  return code;
}

/** Makes a wrong guess and returns its status: `wrong` if there is an active code. */
export async function guessedStatus(
  storage: StorageAdapter,
  { purpose, subject }: Pick<NewCode, 'purpose' | 'subject'>,
  at = now,
): Promise<CodeOutcome['status']> {
  const attempt = { purpose, subject, codeHashes: [], maxAttempts: 99, now: at };
  return (await storage.oneTimeCodes.attempt(attempt)).status;
}

/** A token that is stored when its link is used. */
export function usedLink(): SingleUseToken {
  const expiresAt = after(60_000);
  return { digest: randomUUID(), purpose: 'not_me', subject: '*', expiresAt, metadata: {} };
}

export async function storedToken(
  storage: StorageAdapter,
  overrides: Partial<SingleUseToken> = {},
): Promise<SingleUseToken> {
  const token: SingleUseToken = {
    digest: randomUUID(),
    purpose: 'magic_link',
    subject: `${randomUUID()}@example.test`,
    expiresAt: after(60_000),
    metadata: { from: 'link' },
    ...overrides,
  };
  await storage.singleUseTokens.insert(token);
  return token;
}

/** Stores a reset token that was mailed to the user's address, for the account as it is. */
export async function storedReset(
  storage: StorageAdapter,
  user: StoredUser,
  overrides: Partial<SingleUseToken> = {},
): Promise<SingleUseToken> {
  const subject = user.email ?? assert.fail('The user has no address.');
  const account = accountState(user);
  return storedToken(storage, { purpose: 'password_reset', subject, account, ...overrides });
}

/** Returns the reset that the link of a token asks for, if the link was mailed for this user. */
export function resetOf(
  { id: userId, email }: Pick<StoredUser, 'id' | 'email'>,
  { digest: tokenDigest }: Pick<SingleUseToken, 'digest'>,
  overrides: Partial<PasswordReset> = {},
): PasswordReset {
  return { tokenDigest, email: email ?? '', userId, passwordHash: 'new', now, ...overrides };
}

/** Calls a function `count` times in parallel, like simultaneous requests. */
export function inParallel<Result>(
  count: number,
  call: (index: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => call(index)));
}

/** Returns how many results are neither false nor null. */
export function winners(results: readonly unknown[]): number {
  return results.filter((result) => result !== false && result !== null).length;
}

/** Counts each result. */
export function tally(results: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const result of results) counts[result] = (counts[result] ?? 0) + 1;
  return counts;
}
