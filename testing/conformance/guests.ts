import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StoredUser } from '../../src/domain/user.js';
import { insertedFamily, insertedGuest, newCredential, newUpgrade } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  newIdentity,
  newSession,
  newUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  startedSession,
  storedToken,
  tally,
} from './suite.js';

export function describeGuests(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'guests');
  const address = () => `${randomUUID()}@example.test`;

  test('insert stores a user who is a guest', async (storage) => {
    const [guest, user] = [await insertedGuest(storage), await insertedUser(storage)];
    assert.deepEqual(await storage.users.findById(guest.id), guest);
    assert.equal(await storage.guests.isGuest(guest.id), true);
    assert.equal(await storage.guests.isGuest(user.id), false);
    assert.equal(await storage.guests.isGuest(randomUUID()), null);
    await startedSession(storage, guest.id);
  });

  test('insert stores a guest without an address', async (storage) => {
    const guest = newUser();
    await storage.guests.insert(guest);
    assert.equal((await storage.users.findById(guest.id))?.email, null);
    assert.equal(await storage.users.findByEmail(guest.email ?? ''), null);
  });

  test('upgrade links the identity, sets the address, ends every session and makes the guest a user', async (storage) => {
    const guest = await insertedGuest(storage);
    const session = await startedSession(storage, guest.id);
    const [identity, email] = [newIdentity(guest.id), address()];
    const upgrade = newUpgrade(guest.id, { identity, email, emailVerified: true, now: after(5) });
    const user = upgraded(guest, email, true);
    assert.deepEqual(await storage.guests.upgrade(upgrade), { status: 'upgraded', user });
    assert.equal(await storage.guests.isGuest(guest.id), false);
    assert.deepEqual(await storage.users.findByEmail(email), user);
    assert.deepEqual(await storage.identities.findUser(identity.provider, identity.providerAccountId), user);
    assert.deepEqual((await storage.sessions.findWithUser(session.id))?.session.revokedAt, after(5));
    assert.equal(await storage.sessions.start(newSession(guest.id), 0), false);
    assert.deepEqual(await storage.guests.upgrade(upgrade), { status: 'not_a_guest' });
  });

  test('insert stores the roles of the guest', async (storage) => {
    const guest = await insertedGuest(storage, { roles: ['visitor'] });
    assert.deepEqual((await storage.users.findById(guest.id))?.roles, ['visitor']);
  });

  test('upgrade merges metadata one level deep, replaces the roles, and keeps both if it has neither', async (storage) => {
    const metadata = { plan: 'free', cart: { items: 2 }, theme: 'dark' };
    const guests = await Promise.all(
      [1, 2].map(() => insertedGuest(storage, { metadata, roles: ['visitor'] })),
    );
    const changes = { metadata: { plan: null, cart: { items: 3 }, name: 'Ada' }, roles: ['member', 'pro'] };
    const outcomes = await Promise.all(
      guests.map(({ id }, index) => storage.guests.upgrade(newUpgrade(id, index === 0 ? changes : {}))),
    );
    const merged = { cart: { items: 3 }, theme: 'dark', name: 'Ada' };
    const expected = [
      { metadata: merged, roles: ['member', 'pro'] },
      { metadata, roles: ['visitor'] },
    ];
    for (const [index, { id }] of guests.entries()) {
      const user = await storage.users.findById(id);
      assert.deepEqual({ metadata: user?.metadata, roles: user?.roles }, expected[index]);
      assert.deepEqual(outcomes[index], { status: 'upgraded', user });
    }
  });

  test('upgrade changes nothing if the merged metadata is too large', async (storage) => {
    const guest = await insertedGuest(storage, { metadata: { note: 'x'.repeat(5_000) } });
    const upgrade = newUpgrade(guest.id, { email: address(), metadata: { more: 'x'.repeat(5_000) } });
    await assert.rejects(storage.guests.upgrade(upgrade), { code: 'invalid_request' });
    assert.equal(await storage.guests.isGuest(guest.id), true);
    assert.deepEqual(await storage.users.findById(guest.id), guest);
  });

  test('upgrade without an address leaves the user without one', async (storage) => {
    const guest = await insertedGuest(storage);
    const upgrade = newUpgrade(guest.id, { now: after(5) });
    const user = upgraded(guest, null, false);
    assert.deepEqual(await storage.guests.upgrade(upgrade), { status: 'upgraded', user });
  });

  test('upgrade accepts an address and a password without an identity', async (storage) => {
    const guest = await insertedGuest(storage);
    const session = await startedSession(storage, guest.id);
    const email = address();
    const upgrade = newUpgrade(guest.id, { identity: null, email, passwordHash: 'new', now: after(5) });
    const user = { ...upgraded(guest, email, false), passwordHash: 'new' };
    assert.deepEqual(await storage.guests.upgrade(upgrade), { status: 'upgraded', user });
    assert.deepEqual(await storage.users.findByEmail(email), user);
    assert.equal(await storage.guests.isGuest(guest.id), false);
    assert.deepEqual(await storage.identities.listForUser(guest.id), []);
    assert.deepEqual((await storage.sessions.findWithUser(session.id))?.session.revokedAt, after(5));
  });

  test('upgrade removes the pending secrets of the guest and of no other user', async (storage) => {
    const [guest, other] = [await insertedGuest(storage), await insertedGuest(storage)];
    const tokens = [guest, other].map(({ id: subject }) =>
      storedToken(storage, { purpose: 'webauthn_registration', subject }),
    );
    const [mine, theirs] = (await Promise.all(tokens)).map(({ digest }) => digest);
    await storage.guests.upgrade(newUpgrade(guest.id));
    const consume = (digest = '') => storage.singleUseTokens.consume('webauthn_registration', digest, now);
    assert.equal(await consume(mine), null);
    assert.equal((await consume(theirs))?.subject, other.id);
  });

  testsRequiring(
    register,
    'guests',
    'credentials',
    'totp',
  )('no passkey or second factor of the guest remains after a parallel upgrade', async (storage) => {
    await inParallel(10, async () => {
      const { id } = await insertedGuest(storage);
      const upgrade = newUpgrade(id);
      const insert = () => storage.credentials.insert(newCredential(id), 0);
      const begin = () => storage.totp.savePending(id, 'secret');
      await Promise.all([insert(), storage.guests.upgrade(upgrade), insert()]);
      assert.deepEqual(await storage.credentials.listForUser(id), []);
      // A secret stored after the upgrade belongs to the upgraded user.
      assert.equal(await begin(), 'kept');
    });
  });

  testsRequiring(
    register,
    'guests',
    'refreshFamilies',
  )('upgrade ends refresh families', async (storage) => {
    const guest = await insertedGuest(storage);
    const { id: familyId } = await insertedFamily(storage, guest.id);
    await storage.guests.upgrade(newUpgrade(guest.id));
    const outcome = await storage.refreshFamilies.rotate({ familyId, counter: 0, graceMs: 9, now });
    assert.equal(outcome.status, 'invalid');
  });

  test('upgrade returns the reason for a refusal and changes nothing', async (storage) => {
    const [guest, user] = [await insertedGuest(storage), await insertedUser(storage)];
    const session = await startedSession(storage, guest.id);
    const taken = newIdentity(user.id);
    await storage.identities.link(taken, 0);
    const email = address();
    const statusOf = async (userId: string, to: string | null, providerAccountId?: string) => {
      const identity = newIdentity(userId, providerAccountId ? { providerAccountId } : {});
      const upgrade = newUpgrade(userId, { identity, email: to, emailVerified: true, passwordHash: 'new' });
      return (await storage.guests.upgrade(upgrade)).status;
    };
    assert.equal(await statusOf(randomUUID(), email), 'no_user');
    assert.equal(await statusOf(user.id, email), 'not_a_guest');
    assert.equal(await statusOf(guest.id, user.email), 'email_taken');
    assert.equal(await statusOf(guest.id, email, taken.providerAccountId), 'identity_taken');
    assert.deepEqual(await storage.users.findById(guest.id), guest);
    assert.equal(await storage.guests.isGuest(guest.id), true);
    assert.deepEqual(await storage.identities.listForUser(guest.id), []);
    assert.equal(await storage.users.findByEmail(email), null);
    assert.deepEqual((await storage.sessions.findWithUser(session.id))?.session, session);
    assert.deepEqual(await storage.users.findById(user.id), user);
  });

  test('only one of 50 parallel upgrades of a guest succeeds', async (storage) => {
    const guest = await insertedGuest(storage);
    const results = await inParallel(50, () => {
      return storage.guests.upgrade(newUpgrade(guest.id, { email: address(), emailVerified: true }));
    });
    assert.deepEqual(tally(results.map(({ status }) => status)), { upgraded: 1, not_a_guest: 49 });
    assert.equal((await storage.identities.listForUser(guest.id)).length, 1);
    assert.equal((await storage.users.findById(guest.id))?.epoch, 1);
  });

  test('only one of 50 guests gets an address or identity that all request in parallel', async (storage) => {
    for (const wanted of ['email', 'identity'] as const) {
      const guests = await inParallel(50, () => insertedGuest(storage));
      const [email, { providerAccountId }] = [address(), newIdentity('')];
      const results = await Promise.all(
        guests.map(({ id }) => {
          const identity = newIdentity(id, wanted === 'identity' ? { providerAccountId } : {});
          const to = wanted === 'email' ? email : address();
          return storage.guests.upgrade(newUpgrade(id, { identity, email: to, emailVerified: true }));
        }),
      );
      const statuses = tally(results.map(({ status }) => status));
      assert.deepEqual(statuses, { upgraded: 1, [`${wanted}_taken`]: 49 });
      const marks = await Promise.all(guests.map(({ id }) => storage.guests.isGuest(id)));
      assert.equal(marks.filter((isGuest) => isGuest === true).length, 49);
    }
  });

  test('parallel upgrades and first sign-ins with the same address and identity do not deadlock', async (storage) => {
    await inParallel(10, async () => {
      const [email, { providerAccountId }] = [address(), newIdentity('')];
      const won = await inParallel(6, async (index) => {
        if (index % 2 === 0) {
          const user = newUser({ email });
          return storage.identities.insertWithUser(newIdentity(user.id, { providerAccountId }), user);
        }
        const { id } = await insertedGuest(storage);
        const identity = newIdentity(id, { providerAccountId });
        const upgrade = newUpgrade(id, { identity, email, emailVerified: true });
        const result = await storage.guests.upgrade(upgrade);
        return result.status === 'upgraded';
      });
      assert.equal(won.filter(Boolean).length, 1);
    });
  });
}

function upgraded(guest: StoredUser, email: string | null, emailVerified: boolean): StoredUser {
  return { ...guest, email, emailVerified, epoch: 1, sessionsValidAfter: after(5), updatedAt: after(5) };
}
