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
  type Promises,
  winners,
} from './suite.js';

export function identityPromises(promise: Promises): void {
  promise('a linked identity finds its user, by provider and account together', async (storage) => {
    const user = await insertedUser(storage);
    const identity = newIdentity(user.id);
    assert.equal(await storage.identities.link(identity, 0), true);
    assert.deepEqual(await storage.identities.findUser('google', identity.providerAccountId), user);
    assert.equal(await storage.identities.findUser('github', identity.providerAccountId), null);
    assert.equal(await storage.identities.findUser('google', randomUUID()), null);
  });

  promise('identities are listed per user, oldest first', async (storage) => {
    const user = await insertedUser(storage);
    const newer = newIdentity(user.id, { provider: 'github', createdAt: after(9) });
    const older = newIdentity(user.id);
    await storage.identities.link(newer, 0);
    await storage.identities.link(older, 0);
    await storage.identities.link(newIdentity((await insertedUser(storage)).id), 0);
    assert.deepEqual(await storage.identities.listForUser(user.id), [older, newer]);
    assert.deepEqual(await storage.identities.listForUser(randomUUID()), []);
  });

  promise('link is false where the identity is taken, by whomever, or the user is gone', async (storage) => {
    const [one, two] = [await insertedUser(storage), await insertedUser(storage)];
    const identity = newIdentity(one.id);
    assert.equal(await storage.identities.link(identity, 0), true);
    assert.equal(await storage.identities.link({ ...identity, id: randomUUID() }, 0), false);
    assert.equal(await storage.identities.link({ ...identity, id: randomUUID(), userId: two.id }, 0), false);
    assert.equal(await storage.identities.link(newIdentity(randomUUID()), 0), false);
    assert.deepEqual(await storage.identities.findUser('google', identity.providerAccountId), one);
  });

  promise('an identity is linked only at the epoch that was read', async (storage) => {
    const user = await insertedUser(storage);
    await storage.sessions.revokeAll(user.id, now);
    for (const epoch of [0, 2]) {
      assert.equal(await storage.identities.link(newIdentity(user.id), epoch), false);
    }
    assert.deepEqual(await storage.identities.listForUser(user.id), []);
    assert.equal(await storage.identities.link(newIdentity(user.id), 1), true);
  });

  promise('no identity outlives a claim that its link races', async (storage) => {
    await inParallel(5, async () => {
      const { id } = await insertedUser(storage);
      const link = () => storage.identities.link(newIdentity(id), 0);
      await Promise.all([link(), link(), storage.users.claim(id, now), link(), link()]);
      assert.deepEqual(await storage.identities.listForUser(id), []);
    });
  });

  promise('unlink removes an identity of the user, and asks with what would be left', async (storage) => {
    const user = await insertedUser(storage);
    const [one, two] = [newIdentity(user.id), newIdentity(user.id, { provider: 'github' })];
    await storage.identities.link(one, 0);
    await storage.identities.link(two, 0);
    const asked: unknown[] = [];
    const answer = (allowed: boolean) => (left: unknown) => asked.push(left) > 0 && allowed;
    assert.deepEqual(await storage.identities.unlink(user.id, one.id, answer(false)), { status: 'refused' });
    assert.equal((await storage.identities.listForUser(user.id)).length, 2);
    assert.deepEqual(await storage.identities.unlink(user.id, one.id, answer(true)), {
      status: 'unlinked',
      identity: one,
    });
    assert.deepEqual(asked, Array(2).fill({ user, identities: [two], passkeys: 0 }));
    assert.deepEqual(await storage.identities.listForUser(user.id), [two]);
    assert.equal(await storage.identities.findUser('google', one.providerAccountId), null);
    // Free again, for whoever has it.
    const heir = await insertedUser(storage);
    assert.equal(await storage.identities.link({ ...one, userId: heir.id }, 0), true);
  });

  promise('unlink counts the passkeys of the user alone', async (storage) => {
    if (!storage.credentials) return;
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    for (const { id } of [user, other, other]) await storage.credentials.insert(newCredential(id), 0);
    const identity = newIdentity(user.id);
    await storage.identities.link(identity, 0);
    const counted = await storage.identities.unlink(user.id, identity.id, ({ passkeys }) => passkeys === 1);
    assert.equal(counted.status, 'unlinked');
  });

  promise('unlink finds nothing of anybody else, and then asks nothing', async (storage) => {
    const [owner, other] = [await insertedUser(storage), await insertedUser(storage)];
    const identity = newIdentity(owner.id);
    await storage.identities.link(identity, 0);
    const never = () => assert.fail('asked');
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

  promise('an error of the rule is rethrown, and nothing changes', async (storage) => {
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

  promise('of parallel removals each sees what the one before left: one identity stays', async (storage) => {
    await inParallel(5, async () => {
      const user = await insertedUser(storage);
      const identities = Array.from({ length: 4 }, () => newIdentity(user.id));
      for (const each of identities) await storage.identities.link(each, 0);
      const answers = await Promise.all(
        identities.map(({ id }) =>
          storage.identities.unlink(user.id, id, ({ identities: left }) => left.length > 0),
        ),
      );
      assert.equal(winners(answers.map(({ status }) => status === 'unlinked')), 3);
      assert.equal((await storage.identities.listForUser(user.id)).length, 1);
    });
  });

  promise('insertWithUser stores both', async (storage) => {
    const user = newUser({ emailVerified: true });
    const identity = newIdentity(user.id);
    assert.equal(await storage.identities.insertWithUser(identity, user), true);
    assert.deepEqual(await storage.users.findById(user.id), asStored(user));
    assert.deepEqual(await storage.identities.listForUser(user.id), [identity]);
  });

  promise('insertWithUser stores neither where the address or the identity is taken', async (storage) => {
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

  promise('of 50 parallel first sign-ins with one identity one is stored, with one user', async (storage) => {
    for (const email of [null, `${randomUUID()}@example.test`]) {
      const providerAccountId = randomUUID();
      const users = Array.from({ length: 50 }, () => newUser({ email }));
      const answers = await inParallel(50, (index) => {
        const user = users[index] ?? newUser();
        return storage.identities.insertWithUser(newIdentity(user.id, { providerAccountId }), user);
      });
      assert.equal(winners(answers), 1);
      assert.equal(winners(await Promise.all(users.map((user) => storage.users.findById(user.id)))), 1);
      const found = await storage.identities.findUser('google', providerAccountId);
      assert.equal(found?.id, users[answers.indexOf(true)]?.id);
    }
  });

  promise('of 50 parallel links of one identity one succeeds', async (storage) => {
    const user = await insertedUser(storage);
    const { providerAccountId } = newIdentity(user.id);
    const links = inParallel(50, () =>
      storage.identities.link(newIdentity(user.id, { providerAccountId }), 0),
    );
    assert.equal(winners(await links), 1);
    assert.equal((await storage.identities.listForUser(user.id)).length, 1);
  });
}
