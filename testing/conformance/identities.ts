import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { newCredential } from './pro-records.js';
import {
  after,
  asStored,
  inParallel,
  insertedUser,
  newIdentity,
  newUser,
  now,
  type RegisterConformanceTest,
  winners,
} from './suite.js';

export function describeIdentities(test: RegisterConformanceTest): void {
  test('findUser returns the user of an identity by provider and account together', async (storage) => {
    const user = await insertedUser(storage);
    const identity = newIdentity(user.id);
    assert.equal(await storage.identities.link(identity, 0), true);
    assert.deepEqual(await storage.identities.findUser('google', identity.providerAccountId), user);
    assert.equal(await storage.identities.findUser('github', identity.providerAccountId), null);
    assert.equal(await storage.identities.findUser('google', randomUUID()), null);
  });

  test("listForUser returns the user's identities oldest first", async (storage) => {
    const user = await insertedUser(storage);
    const newer = newIdentity(user.id, { provider: 'github', createdAt: after(9) });
    const older = newIdentity(user.id);
    await storage.identities.link(newer, 0);
    await storage.identities.link(older, 0);
    await storage.identities.link(newIdentity((await insertedUser(storage)).id), 0);
    assert.deepEqual(await storage.identities.listForUser(user.id), [older, newer]);
    assert.deepEqual(await storage.identities.listForUser(randomUUID()), []);
  });

  test('insertWithUser stores the roles of the user', async ({ identities }) => {
    const user = newUser({ roles: ['member'] });
    const identity = newIdentity(user.id);
    assert.equal(await identities.insertWithUser(identity, user), true);
    assert.deepEqual(await identities.findUser('google', identity.providerAccountId), asStored(user));
  });

  test('link returns false if any user has the identity or the user does not exist', async (storage) => {
    const [one, two] = [await insertedUser(storage), await insertedUser(storage)];
    const identity = newIdentity(one.id);
    assert.equal(await storage.identities.link(identity, 0), true);
    assert.equal(await storage.identities.link({ ...identity, id: randomUUID() }, 0), false);
    assert.equal(await storage.identities.link({ ...identity, id: randomUUID(), userId: two.id }, 0), false);
    assert.equal(await storage.identities.link(newIdentity(randomUUID()), 0), false);
    assert.deepEqual(await storage.identities.findUser('google', identity.providerAccountId), one);
  });

  test('link returns false if the user no longer has the epoch', async (storage) => {
    const user = await insertedUser(storage);
    await storage.sessions.revokeAll(user.id, now);
    for (const epoch of [0, 2]) {
      assert.equal(await storage.identities.link(newIdentity(user.id), epoch), false);
    }
    assert.deepEqual(await storage.identities.listForUser(user.id), []);
    assert.equal(await storage.identities.link(newIdentity(user.id), 1), true);
  });

  test('no identity remains after a parallel claim', async (storage) => {
    await inParallel(5, async () => {
      const { id } = await insertedUser(storage);
      const link = () => storage.identities.link(newIdentity(id), 0);
      await Promise.all([link(), link(), storage.users.claim(id, now), link(), link()]);
      assert.deepEqual(await storage.identities.listForUser(id), []);
    });
  });

  test('unlink removes an identity and passes the remaining sign-in methods to allowed', async (storage) => {
    const user = await insertedUser(storage);
    const [one, two] = [newIdentity(user.id), newIdentity(user.id, { provider: 'github' })];
    await storage.identities.link(one, 0);
    await storage.identities.link(two, 0);
    const calls: unknown[] = [];
    const result = (allowed: boolean) => (left: unknown) => calls.push(left) > 0 && allowed;
    assert.deepEqual(await storage.identities.unlink(user.id, one.id, result(false)), { status: 'refused' });
    assert.equal((await storage.identities.listForUser(user.id)).length, 2);
    assert.deepEqual(await storage.identities.unlink(user.id, one.id, result(true)), {
      status: 'unlinked',
      identity: one,
    });
    assert.deepEqual(calls, Array(2).fill({ user, identities: [two], passkeys: 0 }));
    assert.deepEqual(await storage.identities.listForUser(user.id), [two]);
    assert.equal(await storage.identities.findUser('google', one.providerAccountId), null);
    // The identity is available again.
    const heir = await insertedUser(storage);
    assert.equal(await storage.identities.link({ ...one, userId: heir.id }, 0), true);
  });

  test("unlink passes the number of the user's own passkeys to allowed", async (storage) => {
    if (!storage.credentials) return;
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    for (const { id } of [user, other, other]) await storage.credentials.insert(newCredential(id), 0);
    const identity = newIdentity(user.id);
    await storage.identities.link(identity, 0);
    const counted = await storage.identities.unlink(user.id, identity.id, ({ passkeys }) => passkeys === 1);
    assert.equal(counted.status, 'unlinked');
  });

  test('unlink returns missing for an identity of another user without calling allowed', async (storage) => {
    const [owner, other] = [await insertedUser(storage), await insertedUser(storage)];
    const identity = newIdentity(owner.id);
    await storage.identities.link(identity, 0);
    const never = () => assert.fail('calls');
    for (const [userId, id] of [
      [other.id, identity.id],
      [owner.id, randomUUID()],
      [randomUUID(), identity.id],
      [owner.id, 'nul\0'],
      ['x', identity.id],
    ] as const) {
      assert.deepEqual(await storage.identities.unlink(userId, id, never), { status: 'missing' });
    }
    assert.deepEqual(await storage.identities.listForUser(owner.id), [identity]);
  });

  test('unlink changes nothing and rethrows the error if allowed throws', async (storage) => {
    const user = await insertedUser(storage);
    const identity = newIdentity(user.id);
    await storage.identities.link(identity, 0);
    const error = new Error('no');
    const unlink = storage.identities.unlink(user.id, identity.id, () => {
      throw error;
    });
    await assert.rejects(unlink, (thrown) => thrown === error);
    assert.deepEqual(await storage.identities.listForUser(user.id), [identity]);
  });

  test('one identity remains after parallel removals if allowed keeps the last', async (storage) => {
    await inParallel(5, async () => {
      const user = await insertedUser(storage);
      const identities = Array.from({ length: 4 }, () => newIdentity(user.id));
      for (const each of identities) await storage.identities.link(each, 0);
      const results = await Promise.all(
        identities.map(({ id }) =>
          storage.identities.unlink(user.id, id, ({ identities: left }) => left.length > 0),
        ),
      );
      assert.equal(winners(results.map(({ status }) => status === 'unlinked')), 3);
      assert.equal((await storage.identities.listForUser(user.id)).length, 1);
    });
  });

  test('insertWithUser stores the identity and the user', async (storage) => {
    const user = newUser({ emailVerified: true });
    const identity = newIdentity(user.id);
    assert.equal(await storage.identities.insertWithUser(identity, user), true);
    assert.deepEqual(await storage.users.findById(user.id), asStored(user));
    assert.deepEqual(await storage.identities.listForUser(user.id), [identity]);
  });

  test('insertWithUser stores neither if the address or the identity is taken', async (storage) => {
    const owner = await insertedUser(storage);
    const taken = newIdentity(owner.id);
    await storage.identities.link(taken, 0);

    const sameAddress = newUser({ email: owner.email });
    const free = newIdentity(sameAddress.id);
    assert.equal(await storage.identities.insertWithUser(free, sameAddress), false);
    assert.equal(await storage.identities.findUser('google', free.providerAccountId), null);

    const newcomer = newUser();
    const sameIdentity = newIdentity(newcomer.id, { providerAccountId: taken.providerAccountId });
    assert.equal(await storage.identities.insertWithUser(sameIdentity, newcomer), false);
    assert.equal(await storage.users.findById(newcomer.id), null);
    assert.deepEqual(await storage.identities.listForUser(owner.id), [taken]);
  });

  test('only one of 50 parallel first sign-ins with an identity stores it, with one user', async (storage) => {
    for (const email of [null, `${randomUUID()}@example.test`]) {
      const providerAccountId = randomUUID();
      const users = Array.from({ length: 50 }, () => newUser({ email }));
      const results = await inParallel(50, (index) => {
        const user = users[index] ?? newUser();
        return storage.identities.insertWithUser(newIdentity(user.id, { providerAccountId }), user);
      });
      assert.equal(winners(results), 1);
      assert.equal(winners(await Promise.all(users.map((user) => storage.users.findById(user.id)))), 1);
      const found = await storage.identities.findUser('google', providerAccountId);
      assert.equal(found?.id, users[results.indexOf(true)]?.id);
    }
  });

  test('only one of 50 parallel links of an identity succeeds', async (storage) => {
    const user = await insertedUser(storage);
    const { providerAccountId } = newIdentity(user.id);
    const links = inParallel(50, () =>
      storage.identities.link(newIdentity(user.id, { providerAccountId }), 0),
    );
    assert.equal(winners(await links), 1);
    assert.equal((await storage.identities.listForUser(user.id)).length, 1);
  });
}
