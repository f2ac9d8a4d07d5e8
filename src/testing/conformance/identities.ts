import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
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
