import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { linkedPhone } from './equipment.js';
import {
  accepted,
  begunTotp,
  confirmedTotp,
  createdOrg,
  insertedApiKey,
  insertedCredential,
  insertedFamily,
  newFamily,
  storedInvite,
} from './pro-records.js';
import {
  after,
  asStored,
  hasCapabilities,
  inParallel,
  insertedUser,
  newIdentity,
  newSession,
  newUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  startedSession,
  storedCode,
  storedReset,
  storedToken,
  tally,
  type With,
  guessedStatus,
} from './suite.js';

const nothing = async () => undefined;

/**
 * Creates a user with a row in every table that the adapter has, and returns functions that read
 * those rows.
 */
async function entangledUser(storage: With<'accounts'>) {
  const { id: userId } = await insertedUser(storage, { emailVerified: true });
  // First, because the confirmation ends sessions and raises the epoch.
  if (hasCapabilities(storage, ['totp'])) {
    await confirmedTotp(storage, userId);
    await begunTotp(storage, userId);
  }
  const user = (await storage.users.findById(userId)) ?? assert.fail('no user');
  const [email, epoch] = [user.email ?? '', user.epoch];
  const session = await startedSession(storage, userId, {}, epoch);
  await storage.identities.link(newIdentity(userId), epoch);
  const codes = [
    await storedCode(storage, { subject: email }),
    await storedCode(storage, { purpose: 'email_verification', subject: userId }),
    await storedCode(storage, { purpose: 'password_reset', subject: email }),
    await linkedPhone(storage, userId, epoch),
    await linkedPhone(storage, userId, epoch),
  ];
  const tokens = [
    await storedToken(storage, { subject: email }),
    await storedReset(storage, user),
    await storedToken(storage, { purpose: 'webauthn_registration', subject: userId }),
    await storedToken(storage, { purpose: 'webauthn_authentication', subject: userId }),
  ];
  if (hasCapabilities(storage, ['refreshFamilies'])) await insertedFamily(storage, userId, { epoch });
  if (hasCapabilities(storage, ['credentials'])) await insertedCredential(storage, userId, {}, epoch);
  const key = hasCapabilities(storage, ['apiKeys']) && (await insertedApiKey(storage, { userId }, {}, epoch));
  if (hasCapabilities(storage, ['orgs'])) {
    const { id: owner } = await insertedUser(storage);
    const org = await createdOrg(storage, owner, { [userId]: 'owner' });
    await storedInvite(storage, org.id, { invitedByUserId: userId });
    const { digest } = await storedInvite(storage, org.id, { email });
    await accepted(storage, digest, userId, now);
    await storedInvite(storage, org.id, { email });
  }
  async function things() {
    const attempts = codes.map((code) => guessedStatus(storage, code));
    return {
      user: await storage.users.findById(userId),
      byAddress: await storage.users.findByEmail(email),
      session: await storage.sessions.findWithUser(session.id),
      sessions: await storage.accounts.listSessions(userId),
      identities: await storage.identities.listForUser(userId),
      codes: await Promise.all(attempts),
      families: (await storage.refreshFamilies?.listForUser(userId)) ?? [],
      secondFactor: (await storage.totp?.find(userId)) ?? null,
      recoveryCodes: (await storage.totp?.countRecoveryCodes(userId)) ?? 0,
      passkeys: (await storage.credentials?.listForUser(userId)) ?? [],
      key: (key && (await storage.apiKeys?.findById(key.id))) || null,
      memberships: (await storage.orgs?.listForUser(userId)) ?? [],
      invites: (await storage.orgs?.listInvitesOf({ userId, email })) ?? [],
    };
  }
  const secrets = () =>
    Promise.all(tokens.map(({ purpose, digest }) => storage.singleUseTokens.consume(purpose, digest, now)));
  return { user, things, secrets };
}

const gone = {
  user: null,
  byAddress: null,
  session: null,
  sessions: [],
  identities: [],
  codes: ['missing', 'missing', 'missing', 'missing', 'missing'],
  families: [],
  secondFactor: null,
  recoveryCodes: 0,
  passkeys: [],
  key: null,
  memberships: [],
  invites: [],
};

export function describeAccounts(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'accounts');

  test('deleteUser deletes every row of that user and no row of another user', async (storage) => {
    const [mine, other] = [await entangledUser(storage), await entangledUser(storage)];
    const before = await other.things();
    assert.deepEqual(await storage.accounts.deleteUser(mine.user.id, nothing), { status: 'deleted' });
    assert.deepEqual(await mine.things(), gone);
    assert.deepEqual(await mine.secrets(), [null, null, null, null]);
    assert.deepEqual(await other.things(), before);
    assert.ok((await other.secrets()).every((secret) => secret !== null));
    assert.deepEqual(await storage.accounts.deleteUser(mine.user.id, nothing), { status: 'no_user' });
    const successor = newUser({ email: mine.user.email });
    assert.equal(await storage.users.insert(successor), true);
    assert.deepEqual(await storage.users.findByEmail(mine.user.email ?? ''), asStored(successor));
  });

  test('deleteUser of a user without an address does not change other users', async (storage) => {
    const nameless = await insertedUser(storage, { email: null });
    const other = await insertedUser(storage, { email: null });
    assert.deepEqual(await storage.accounts.deleteUser(nameless.id, nothing), { status: 'deleted' });
    assert.deepEqual(await storage.users.findById(other.id), other);
  });

  test('deleteUser returns no_user without calling within for an unknown user', async (storage) => {
    const within = () => assert.fail('called');
    assert.deepEqual(await storage.accounts.deleteUser(randomUUID(), within), { status: 'no_user' });
  });

  test('deleteUser deletes nothing and rethrows the error if within rejects', async (storage) => {
    const { user, things } = await entangledUser(storage);
    const before = await things();
    for (const error of [new Error('mine'), new TypeError('mine'), 'no error at all', undefined]) {
      const outcome = storage.accounts.deleteUser(user.id, async () => {
        throw error as Error;
      });
      const [settled] = await Promise.allSettled([outcome]);
      assert.equal(settled.status === 'rejected' && settled.reason, error);
      assert.deepEqual(await things(), before);
    }
  });

  test('only one of 50 parallel deletions of a user returns deleted', async (storage) => {
    const { user, things } = await entangledUser(storage);
    const results = await inParallel(50, () => storage.accounts.deleteUser(user.id, nothing));
    assert.deepEqual(tally(results.map(({ status }) => status)), { deleted: 1, no_user: 49 });
    assert.deepEqual(await things(), gone);
  });

  test('listSessions returns all sessions oldest first, including revoked and expired ones', async (storage) => {
    const user = await insertedUser(storage);
    const newer = await startedSession(storage, user.id, { createdAt: after(5) });
    const expired = await startedSession(storage, user.id, { expiresAt: after(-1) });
    const revoked = await startedSession(storage, user.id, { createdAt: after(-5), revokedAt: now });
    await startedSession(storage, (await insertedUser(storage)).id);
    assert.deepEqual(await storage.accounts.listSessions(user.id), [revoked, expired, newer]);
    assert.deepEqual(await storage.accounts.listSessions(randomUUID()), []);
  });

  test('no session, identity or refresh family remains after a parallel deleteUser', async (storage) => {
    await inParallel(10, async () => {
      const user = await insertedUser(storage);
      const sessions = Array.from({ length: 8 }, () => newSession(user.id));
      const start = (session: (typeof sessions)[number]) => storage.sessions.start(session, 0);
      const family = newFamily(user.id);
      await Promise.all([
        ...sessions.slice(0, 4).map(start),
        storage.accounts.deleteUser(user.id, nothing),
        storage.refreshFamilies?.insert(family),
        ...sessions.slice(4).map(start),
        storage.identities.link(newIdentity(user.id), 0),
      ]);
      assert.deepEqual(await storage.accounts.listSessions(user.id), []);
      assert.deepEqual(await storage.identities.listForUser(user.id), []);
      assert.deepEqual((await storage.refreshFamilies?.listForUser(user.id)) ?? [], []);
    });
  });
}
