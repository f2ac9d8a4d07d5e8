import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StoredUser } from '../../domain/user.js';
import { insertedFamily, insertedGuest, newCredential, newUpgrade } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  newIdentity,
  newSession,
  newUser,
  now,
  type Promises,
  promisesOf,
  startedSession,
  storedToken,
  tally,
} from './suite.js';

export function guestPromises(promises: Promises): void {
  const promise = promisesOf(promises, 'guests');
  const address = () => `${randomUUID()}@example.test`;

  promise('a guest is a user with a mark', async (storage) => {
    const [guest, user] = [await insertedGuest(storage), await insertedUser(storage)];
    assert.deepEqual(await storage.users.findById(guest.id), guest);
    assert.equal(await storage.guests.isGuest(guest.id), true);
    assert.equal(await storage.guests.isGuest(user.id), false);
    assert.equal(await storage.guests.isGuest(randomUUID()), null);
    await startedSession(storage, guest.id);
  });

  promise('a guest has no address', async (storage) => {
    const guest = newUser();
    await storage.guests.insert(guest);
    assert.equal((await storage.users.findById(guest.id))?.email, null);
    assert.equal(await storage.users.findByEmail(guest.email ?? ''), null);
  });

  promise('upgrade links, sets the address, ends every session and clears the mark', async (storage) => {
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

  promise('upgrade without an address leaves the user without one', async (storage) => {
    const guest = await insertedGuest(storage);
    const upgrade = newUpgrade(guest.id, { now: after(5) });
    const user = upgraded(guest, null, false);
    assert.deepEqual(await storage.guests.upgrade(upgrade), { status: 'upgraded', user });
  });

  promise('upgrade needs no identity: an address and a password are a way in as well', async (storage) => {
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

  promise('upgrade removes what was begun in the name of the guest, and of nobody else', async (storage) => {
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

  promisesOf(
    promises,
    'guests',
    'credentials',
    'totp',
  )('of what races an upgrade nothing is planted before it', async (storage) => {
    await inParallel(10, async () => {
      const { id } = await insertedGuest(storage);
      const upgrade = newUpgrade(id);
      const insert = () => storage.credentials.insert(newCredential(id), 0);
      const begin = () => storage.totp.savePending(id, 'secret');
      await Promise.all([insert(), storage.guests.upgrade(upgrade), insert()]);
      assert.deepEqual(await storage.credentials.listForUser(id), []);
      // Who begins after the upgrade is a user; the secret is that user's own.
      assert.equal(await begin(), 'kept');
    });
  });

  promisesOf(
    promises,
    'guests',
    'refreshFamilies',
  )('upgrade ends refresh families', async (storage) => {
    const guest = await insertedGuest(storage);
    const { id: familyId } = await insertedFamily(storage, guest.id);
    await storage.guests.upgrade(newUpgrade(guest.id));
    const outcome = await storage.refreshFamilies.rotate({ familyId, counter: 0, graceMs: 9, now });
    assert.equal(outcome.status, 'invalid');
  });

  promise('upgrade says why not, and then changes nothing', async (storage) => {
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

  promise('of 50 parallel upgrades of one guest one succeeds, whatever they ask for', async (storage) => {
    const guest = await insertedGuest(storage);
    const answers = await inParallel(50, () => {
      return storage.guests.upgrade(newUpgrade(guest.id, { email: address(), emailVerified: true }));
    });
    assert.deepEqual(tally(answers.map(({ status }) => status)), { upgraded: 1, not_a_guest: 49 });
    assert.equal((await storage.identities.listForUser(guest.id)).length, 1);
    assert.equal((await storage.users.findById(guest.id))?.epoch, 1);
  });

  promise('of 50 guests who want one address, or one identity, one gets it', async (storage) => {
    for (const wanted of ['email', 'identity'] as const) {
      const guests = await inParallel(50, () => insertedGuest(storage));
      const [email, { providerAccountId }] = [address(), newIdentity('')];
      const answers = await Promise.all(
        guests.map(({ id }) => {
          const identity = newIdentity(id, wanted === 'identity' ? { providerAccountId } : {});
          const to = wanted === 'email' ? email : address();
          return storage.guests.upgrade(newUpgrade(id, { identity, email: to, emailVerified: true }));
        }),
      );
      const statuses = tally(answers.map(({ status }) => status));
      assert.deepEqual(statuses, { upgraded: 1, [`${wanted}_taken`]: 49 });
      const marks = await Promise.all(guests.map(({ id }) => storage.guests.isGuest(id)));
      assert.equal(marks.filter((isGuest) => isGuest === true).length, 49);
    }
  });

  promise(
    'upgrades and first sign-ins that want the same address and identity do not block each other',
    async (storage) => {
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
          const answer = await storage.guests.upgrade(upgrade);
          return answer.status === 'upgraded';
        });
        assert.equal(won.filter(Boolean).length, 1);
      });
    },
  );
}

function upgraded(guest: StoredUser, email: string | null, emailVerified: boolean): StoredUser {
  return { ...guest, email, emailVerified, epoch: 1, sessionsValidAfter: after(5), updatedAt: after(5) };
}
