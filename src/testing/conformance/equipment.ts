/** A user with one of everything that a claim or a reset may take away, and what is left of it afterwards. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { phoneProvider } from '../../domain/identity.js';
import type { TokenPurpose } from '../../domain/single-use-token.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import type { NewUser } from '../../storage/repositories.js';
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
} from './suite.js';

/** Numbers that nobody else has, in E.164. */
export function newPhone(): string {
  const digits = BigInt(`0x${randomUUID().replaceAll('-', '')}`) % 10n ** 11n;
  return `+49${String(digits).padStart(11, '0')}`;
}

/** The phone number that a user signs in with, with a code on its way to it. */
export async function linkedPhone(storage: StorageAdapter, userId: string, epoch = 0) {
  const phone = newIdentity(userId, { provider: phoneProvider, providerAccountId: newPhone() });
  assert.equal(await storage.identities.link(phone, epoch), true);
  return storedCode(storage, { purpose: 'phone_code', subject: phone.providerAccountId });
}

export async function equippedUser(storage: StorageAdapter, overrides: Partial<NewUser> = {}) {
  const { id } = await insertedUser(storage, { passwordHash: 'old', ...overrides });
  // First of all, because its confirmation ends sessions and moves the epoch.
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

/** What is left of a user's things, by name. Pending tokens are consumed by the question. */
export async function remains(storage: StorageAdapter, equipment: Equipment) {
  const { user, session, codes, link, reset, challenges, family, key } = equipment;
  const found = await storage.sessions.findWithUser(session.id);
  const attempts = codes.map(({ purpose, subject }) =>
    storage.oneTimeCodes.reserveAttempt(purpose, subject, 99, now),
  );
  const tokens = [link, reset, ...challenges].map(({ purpose, digest }) =>
    storage.singleUseTokens.consume(purpose, digest, now),
  );
  const enrollment = await storage.totp?.find(user.id);
  return {
    session: found !== null && found.session.revokedAt === null,
    identities: (await storage.identities.listForUser(user.id)).length,
    codes: (await Promise.all(attempts)).map(({ status }) => status !== 'missing'),
    tokens: (await Promise.all(tokens)).map((token) => token !== null),
    family: family && (await isLive(storage, family.id, family.counter)),
    key: key && (await storage.apiKeys?.findById(key.id)) !== null,
    secret: (enrollment?.secret ?? null) !== null,
    pendingSecret: (enrollment?.pendingSecret ?? null) !== null,
    recoveryCodes: (await storage.totp?.countRecoveryCodes(user.id)) ?? 0,
    passkeys: (await storage.credentials?.listForUser(user.id))?.length ?? 0,
  };
}

export type Remains = Awaited<ReturnType<typeof remains>>;

async function isLive(storage: StorageAdapter, familyId: string, counter: number): Promise<boolean> {
  // A rotation without grace of the live counter: what it answers is what a client would get.
  const outcome = await storage.refreshFamilies?.rotate({ familyId, counter, graceMs: 0, now });
  return outcome?.status === 'rotated';
}

/** What a user has, where the adapter has what it takes. */
export function everything(storage: StorageAdapter): Remains {
  const { refreshFamilies, apiKeys, totp, credentials } = storage;
  return {
    session: true,
    identities: 2,
    codes: [true, true, true, true],
    tokens: [true, true, true, true],
    family: refreshFamilies !== undefined,
    key: apiKeys !== undefined,
    secret: totp !== undefined,
    pendingSecret: totp !== undefined,
    recoveryCodes: totp ? 3 : 0,
    passkeys: credentials ? 1 : 0,
  };
}

/** What was mailed to the address of a user: it stays if a change is made by the user of an unverified account. */
export const mailed: Pick<Remains, 'codes' | 'tokens'> = {
  codes: [true, false, false, true],
  tokens: [true, true, false, false],
};

export const nothing: Remains = {
  session: false,
  identities: 0,
  codes: [false, false, false, false],
  tokens: [false, false, false, false],
  family: false,
  key: false,
  secret: false,
  pendingSecret: false,
  recoveryCodes: 0,
  passkeys: 0,
};
