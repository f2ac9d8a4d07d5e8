import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createdOrg, insertedApiKey, insertedFamily, newFamily, storedInvite } from './pro-records.js';
import {
  after,
  hasCapabilities,
  inParallel,
  insertedUser,
  newIdentity,
  newSession,
  newUser,
  now,
  type Promises,
  promisesOf,
  startedSession,
  storedCode,
  storedToken,
  tally,
  type With,
} from './suite.js';

const nothing = async () => undefined;

/** A user with something in every table that the adapter has, and the ways to look for it. */
async function entangledUser(storage: With<'accounts'>) {
  const user = await insertedUser(storage, { emailVerified: true });
  const [userId, email] = [user.id, user.email ?? ''];
  const session = await startedSession(storage, userId);
  await storage.identities.link(newIdentity(userId), 0);
  const code = await storedCode(storage, { subject: email });
  const odd = await storedCode(storage, { purpose: 'phone_code', subject: userId });
  const link = await storedToken(storage, { subject: email });
  const reset = await storedToken(storage, { purpose: 'password_reset', subject: userId });
  if (hasCapabilities(storage, ['refreshFamilies'])) await insertedFamily(storage, userId);
  const key = hasCapabilities(storage, ['apiKeys']) && (await insertedApiKey(storage, { userId }));
  if (hasCapabilities(storage, ['orgs'])) {
    const { id: owner } = await insertedUser(storage);
    const org = await createdOrg(storage, owner, { [userId]: 'owner' });
    await storedInvite(storage, org.id, { invitedByUserId: userId });
    const { digest } = await storedInvite(storage, org.id, { email });
    await storage.orgs.acceptInvite(digest, userId, now);
    await storedInvite(storage, org.id, { email });
  }
  async function things() {
    const status = async ({ purpose, subject }: typeof code) =>
      (await storage.oneTimeCodes.reserveAttempt(purpose, subject, 99, now)).status;
    return {
      user: await storage.users.findById(userId),
      byAddress: await storage.users.findByEmail(email),
      session: await storage.sessions.findWithUser(session.id),
      sessions: await storage.accounts.listSessions(userId),
      identities: await storage.identities.listForUser(userId),
      codes: [await status(code), await status(odd)],
      families: (await storage.refreshFamilies?.listForUser(userId)) ?? [],
      key: (key && (await storage.apiKeys?.findById(key.id))) || null,
      memberships: (await storage.orgs?.listForUser(userId)) ?? [],
      invites: (await storage.orgs?.listInvitesOf({ userId, email })) ?? [],
    };
  }
  async function secrets() {
    const { singleUseTokens } = storage;
    return [
      await singleUseTokens.consume('magic_link', link.digest, now),
      await singleUseTokens.consume('password_reset', reset.digest, now),
    ];
  }
  return { user, things, secrets };
}

const gone = {
  user: null,
  byAddress: null,
  session: null,
  sessions: [],
  identities: [],
  codes: ['missing', 'missing'],
  families: [],
  key: null,
  memberships: [],
  invites: [],
};

export function accountPromises(promises: Promises): void {
  const promise = promisesOf(promises, 'accounts');

  promise('deleteUser removes every row of that user, and of no other', async (storage) => {
    const [mine, other] = [await entangledUser(storage), await entangledUser(storage)];
    const before = await other.things();
    assert.deepEqual(await storage.accounts.deleteUser(mine.user.id, nothing), { status: 'deleted' });
    assert.deepEqual(await mine.things(), gone);
    assert.deepEqual(await mine.secrets(), [null, null]);
    assert.deepEqual(await other.things(), before);
    assert.ok((await other.secrets()).every((secret) => secret !== null));
    assert.deepEqual(await storage.accounts.deleteUser(mine.user.id, nothing), { status: 'no_user' });
    const successor = newUser({ email: mine.user.email });
    assert.equal(await storage.users.insert(successor), true);
    assert.deepEqual(await storage.users.findByEmail(mine.user.email ?? ''), {
      ...successor,
      epoch: 0,
      sessionsValidAfter: null,
      updatedAt: now,
    });
  });

  promise('deleteUser of a user without an address leaves all others alone', async (storage) => {
    const nameless = await insertedUser(storage, { email: null });
    const other = await insertedUser(storage, { email: null });
    assert.deepEqual(await storage.accounts.deleteUser(nameless.id, nothing), { status: 'deleted' });
    assert.deepEqual(await storage.users.findById(other.id), other);
  });

  promise('for an unknown user within is not called', async (storage) => {
    const within = () => assert.fail('called');
    assert.deepEqual(await storage.accounts.deleteUser(randomUUID(), within), { status: 'no_user' });
  });

  promise('where within rejects, nothing is deleted and its error is rethrown as it is', async (storage) => {
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

  promise('of 50 parallel deletions of one user one deletes', async (storage) => {
    const { user, things } = await entangledUser(storage);
    const answers = await inParallel(50, () => storage.accounts.deleteUser(user.id, nothing));
    assert.deepEqual(tally(answers.map(({ status }) => status)), { deleted: 1, no_user: 49 });
    assert.deepEqual(await things(), gone);
  });

  promise('sessions are listed oldest first, revoked and expired ones too', async (storage) => {
    const user = await insertedUser(storage);
    const newer = await startedSession(storage, user.id, { createdAt: after(5) });
    const expired = await startedSession(storage, user.id, { expiresAt: after(-1) });
    const revoked = await startedSession(storage, user.id, { createdAt: after(-5), revokedAt: now });
    await startedSession(storage, (await insertedUser(storage)).id);
    assert.deepEqual(await storage.accounts.listSessions(user.id), [revoked, expired, newer]);
    assert.deepEqual(await storage.accounts.listSessions(randomUUID()), []);
  });

  promise('no session start slips past a deletion that races it', async (storage) => {
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
