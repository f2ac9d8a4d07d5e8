/**
 * A user with one of everything that a claim or a reset may remove, and a check of what remains.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { phoneProvider } from '../../src/domain/identity.js';
import type { TokenPurpose } from '../../src/domain/single-use-token.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import type { NewUser } from '../../src/storage/repositories.js';
import {
  begunTotp,
  confirmedTotp,
  insertedApiKey,
  insertedCredential,
  insertedFamily,
} from './pro-records.js';
import {
  hasCapabilities,
  insertedUser,
  newIdentity,
  now,
  startedSession,
  storedCode,
  storedReset,
  storedToken,
  guessedStatus,
} from './suite.js';

/** Returns a unique phone number in E.164. */
export function newPhone(): string {
  const digits = BigInt(`0x${randomUUID().replaceAll('-', '')}`) % 10n ** 11n;
  return `+49${String(digits).padStart(11, '0')}`;
}

/** Links a phone number to the user, and stores a pending code for it. */
export async function linkedPhone(storage: StorageAdapter, userId: string, epoch = 0) {
  const phone = newIdentity(userId, { provider: phoneProvider, providerAccountId: newPhone() });
  assert.equal(await storage.identities.link(phone, epoch), true);
  return storedCode(storage, { purpose: 'phone_code', subject: phone.providerAccountId });
}

export async function equippedUser(storage: StorageAdapter, overrides: Partial<NewUser> = {}) {
  const { id } = await insertedUser(storage, { passwordHash: 'old', ...overrides });
  // First, because the confirmation ends sessions and raises the epoch.
  if (hasCapabilities(storage, ['totp'])) {
    await confirmedTotp(storage, id);
    await begunTotp(storage, id);
  }
  const user = (await storage.users.findById(id)) ?? assert.fail('no user');
  const { epoch, email } = user;
  const session = await startedSession(storage, id, {}, epoch);
  assert.equal(await storage.identities.link(newIdentity(id), epoch), true);
  const codes = [
    await storedCode(storage, { subject: email ?? '' }),
    await linkedPhone(storage, id, epoch),
    await storedCode(storage, { purpose: 'email_change', subject: id }),
    await storedCode(storage, { purpose: 'email_verification', subject: id }),
    await storedCode(storage, { purpose: 'password_reset', subject: email ?? '' }),
  ];
  const link = await storedToken(storage, { subject: email ?? '' });
  const bound = (purpose: TokenPurpose) => storedToken(storage, { purpose, subject: id });
  const reset = await storedReset(storage, user);
  const challenges = [await bound('webauthn_registration'), await bound('webauthn_authentication')];
  const family =
    hasCapabilities(storage, ['refreshFamilies']) && (await insertedFamily(storage, id, { epoch }));
  const key =
    hasCapabilities(storage, ['apiKeys']) && (await insertedApiKey(storage, { userId: id }, {}, epoch));
  if (hasCapabilities(storage, ['credentials'])) await insertedCredential(storage, id, {}, epoch);
  return { user, session, codes, link, reset, challenges, family, key };
}

export type Equipment = Awaited<ReturnType<typeof equippedUser>>;

/** Returns what remains of a user's equipment, by name. Consumes the pending tokens. */
export async function remains(storage: StorageAdapter, equipment: Equipment) {
  const { user, session, codes, link, reset, challenges, family, key } = equipment;
  const sessionWithUser = await storage.sessions.findWithUser(session.id);
  const attempts = codes.map((code) => guessedStatus(storage, code));
  const tokens = [link, reset, ...challenges].map(({ purpose, digest }) =>
    storage.singleUseTokens.consume(purpose, digest, now),
  );
  const enrollment = await storage.totp?.find(user.id);
  return {
    session: sessionWithUser !== null && sessionWithUser.session.revokedAt === null,
    identities: (await storage.identities.listForUser(user.id)).length,
    codes: (await Promise.all(attempts)).map((status) => status !== 'missing'),
    tokens: (await Promise.all(tokens)).map((token) => token !== null),
    family: family && (await isActive(storage, family.id, family.counter)),
    key: key && (await storage.apiKeys?.findById(key.id)) !== null,
    secret: (enrollment?.secret ?? null) !== null,
    pendingSecret: (enrollment?.pendingSecret ?? null) !== null,
    recoveryCodes: (await storage.totp?.countRecoveryCodes(user.id)) ?? 0,
    passkeys: (await storage.credentials?.listForUser(user.id))?.length ?? 0,
  };
}

export type Remains = Awaited<ReturnType<typeof remains>>;

async function isActive(storage: StorageAdapter, familyId: string, counter: number): Promise<boolean> {
  // Rotates the valid counter without a grace period, as a client would.
  const outcome = await storage.refreshFamilies?.rotate({ familyId, counter, graceMs: 0, now });
  return outcome?.status === 'rotated';
}

/** The complete equipment of a user, as far as the adapter supports it. */
export function everything(storage: StorageAdapter): Remains {
  const { refreshFamilies, apiKeys, totp, credentials } = storage;
  return {
    session: true,
    identities: 2,
    codes: [true, true, true, true, true],
    tokens: [true, true, true, true],
    family: refreshFamilies !== undefined,
    key: apiKeys !== undefined,
    secret: totp !== undefined,
    pendingSecret: totp !== undefined,
    recoveryCodes: totp ? 3 : 0,
    passkeys: credentials ? 1 : 0,
  };
}

/**
 * The secrets that were mailed to the address. They stay if the user of an unverified account makes
 * a change.
 */
export const mailed: Pick<Remains, 'codes' | 'tokens'> = {
  codes: [true, false, false, true, true],
  tokens: [true, true, false, false],
};

export const nothing: Remains = {
  session: false,
  identities: 0,
  codes: [false, false, false, false, false],
  tokens: [false, false, false, false],
  family: false,
  key: false,
  secret: false,
  pendingSecret: false,
  recoveryCodes: 0,
  passkeys: 0,
};
