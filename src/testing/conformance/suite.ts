/** What the chapters of the conformance suite are written with: one promise per sentence, and records to try it on. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ServiceIdentity } from '../../domain/identity.js';
import type { ServiceOneTimeCode } from '../../domain/one-time-code.js';
import type { ServiceSession } from '../../domain/session.js';
import { accountState, type SingleUseToken } from '../../domain/single-use-token.js';
import type { StoredUser } from '../../domain/user.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import type { NewUser } from '../../storage/repositories.js';

/** Registers one promise of the seam and its proof, for adapters that have the repositories it needs. */
export type Promises = (
  sentence: string,
  proof: (storage: StorageAdapter) => Promise<void>,
  needed?: readonly Capability[],
) => void;

/** The repositories that an adapter may lack. */
export type Capability =
  'guests' | 'refreshFamilies' | 'apiKeys' | 'orgs' | 'accounts' | 'totp' | 'credentials';

/** An adapter that has these. */
export type With<Needed extends Capability> = StorageAdapter & Required<Pick<StorageAdapter, Needed>>;

export function hasCapabilities<Needed extends Capability>(
  storage: StorageAdapter,
  needed: readonly Needed[],
): storage is With<Needed> {
  return needed.every((capability) => storage[capability] !== undefined);
}

/** Registers promises that concern only adapters with all of these repositories. On others they are skipped. */
export function promisesOf<Needed extends Capability>(promise: Promises, ...needed: Needed[]) {
  return (sentence: string, proof: (storage: With<Needed>) => Promise<void>): void => {
    promise(sentence, (storage) => proof(storage as With<Needed>), needed);
  };
}

/** The time at which everything happens; no adapter may read a clock. */
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

/** The record that an insert of `user` leaves. */
export function asStored(user: NewUser): StoredUser {
  return { ...user, epoch: 0, sessionsValidAfter: null, totpEnabled: false, updatedAt: user.createdAt };
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

/** Stores a reset token for the account as it is. */
export async function storedReset(
  storage: StorageAdapter,
  user: StoredUser,
  overrides: Partial<SingleUseToken> = {},
): Promise<SingleUseToken> {
  const account = accountState(user) ?? assert.fail('The user has no address.');
  return storedToken(storage, { purpose: 'password_reset', subject: user.id, account, ...overrides });
}

/** Calls at once, as many requests at the same moment would. */
export function inParallel<Result>(
  count: number,
  call: (index: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => call(index)));
}

/** How many of the answers are neither false nor null. */
export function winners(answers: readonly unknown[]): number {
  return answers.filter((answer) => answer !== false && answer !== null).length;
}

/** How often each answer came. */
export function tally(answers: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1;
  return counts;
}
