import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { insertedCredential, insertedGuest, newCredential } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  newUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  resetOf,
  storedReset,
  tally,
  winners,
} from './suite.js';

export function describeCredentials(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'credentials');

  test('findWithUser returns the passkey as it was inserted, with its user', async (storage) => {
    const user = await insertedUser(storage);
    const fresh = await insertedCredential(storage, user.id, { transports: [] });
    // The highest counter of an authenticator is an unsigned 32-bit number.
    const used = await insertedCredential(storage, user.id, {
      counter: 2 ** 32 - 1,
      backupEligible: false,
      backedUp: true,
      lastUsedAt: after(5),
      userHandle: 'aGFuZGxlIG9mIGFub3RoZXIgc3lzdGVt',
    });
    const unknownHandle = await insertedCredential(storage, user.id, { userHandle: '' });
    for (const credential of [fresh, used, unknownHandle]) {
      assert.deepEqual(await storage.credentials.findWithUser(credential.id), { credential, user });
    }
    assert.equal(await storage.credentials.findWithUser(randomUUID()), null);
  });

  test('insert returns taken if any user has a passkey with this id', async (storage) => {
    const [mine, other] = [await insertedUser(storage), await insertedUser(storage)];
    const credential = await insertedCredential(storage, mine.id);
    for (const { id: userId } of [mine, other]) {
      const second = newCredential(userId, { id: credential.id, publicKey: 'forged' });
      assert.equal(await storage.credentials.insert(second, 0), 'taken');
    }
    assert.deepEqual(await storage.credentials.listForUser(mine.id), [credential]);
    assert.deepEqual(await storage.credentials.listForUser(other.id), []);
  });

  test('ids of passkeys are case-sensitive', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const id = randomUUID();
    const upper = await insertedCredential(storage, userId, { id: `${id}A` });
    const lower = await insertedCredential(storage, userId, { id: `${id}a` });
    assert.deepEqual((await storage.credentials.findWithUser(upper.id))?.credential, upper);
    assert.deepEqual((await storage.credentials.findWithUser(lower.id))?.credential, lower);
  });

  test('insert returns no_user for an unknown user or another epoch than the current one', async (storage) => {
    const user = await insertedUser(storage);
    await storage.sessions.revokeAll(user.id, now);
    const taken = await insertedCredential(storage, user.id, {}, 1);
    const refused = [
      { credential: newCredential(user.id), epoch: 0 },
      { credential: newCredential(user.id), epoch: 2 },
      { credential: newCredential(randomUUID()), epoch: 0 },
      // The result for an unknown user does not reveal whether the id is taken.
      { credential: newCredential(randomUUID(), { id: taken.id }), epoch: 0 },
    ];
    for (const { credential, epoch } of refused) {
      assert.equal(await storage.credentials.insert(credential, epoch), 'no_user');
    }
    assert.deepEqual(await storage.credentials.listForUser(user.id), [taken]);
    assert.equal(await storage.credentials.findWithUser(refused[0]?.credential.id ?? ''), null);
  });

  testsRequiring(
    register,
    'credentials',
    'guests',
  )('insert returns guest for a guest, at any epoch', async (storage) => {
    const { id: userId } = await insertedGuest(storage);
    for (const epoch of [0, 1]) {
      assert.equal(await storage.credentials.insert(newCredential(userId), epoch), 'guest');
    }
    assert.deepEqual(await storage.credentials.listForUser(userId), []);
  });

  test('only one of 50 parallel registrations of an id is inserted', async (storage) => {
    const users = await inParallel(5, () => insertedUser(storage));
    const id = randomUUID();
    const wishes = await inParallel(50, async (index) => newCredential(users[index % 5]?.id ?? '', { id }));
    const results = await Promise.all(wishes.map((input) => storage.credentials.insert(input, 0)));
    assert.deepEqual(tally(results), { inserted: 1, taken: 49 });
    const found = await storage.credentials.findWithUser(id);
    assert.deepEqual(found?.credential, wishes[results.indexOf('inserted')]);
  });

  test("listForUser returns the user's passkeys oldest first", async (storage) => {
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    const newer = await insertedCredential(storage, user.id, { createdAt: after(5) });
    const oldest = await insertedCredential(storage, user.id, { createdAt: after(-5) });
    const older = await insertedCredential(storage, user.id);
    const theirs = await insertedCredential(storage, other.id);
    assert.deepEqual(await storage.credentials.listForUser(user.id), [oldest, older, newer]);
    assert.deepEqual(await storage.credentials.listForUser(other.id), [theirs]);
    assert.deepEqual(await storage.credentials.listForUser(randomUUID()), []);
  });

  test('use with a higher counter stores counter, backup state and time, and nothing else', async (storage) => {
    const user = await insertedUser(storage);
    const [credential, other] = await inParallel(2, () =>
      insertedCredential(storage, user.id, { counter: 7 }),
    );
    assert.ok(credential && other);
    const { id } = credential;
    const use = { id, counter: 8, backedUp: true, now: after(5) };
    assert.equal(await storage.credentials.use(use), true);
    const expected = { ...credential, counter: 8, backedUp: true, lastUsedAt: after(5) };
    assert.deepEqual(await storage.credentials.findWithUser(id), { credential: expected, user });
    const last = { ...use, counter: 2 ** 32 - 1, backedUp: false, now: after(6) };
    assert.equal(await storage.credentials.use(last), true);
    const { counter, backedUp, lastUsedAt } = (await storage.credentials.findWithUser(id))?.credential ?? {};
    assert.deepEqual([counter, backedUp, lastUsedAt], [2 ** 32 - 1, false, after(6)]);
    assert.deepEqual((await storage.credentials.findWithUser(other.id))?.credential, other);
  });

  test('use returns false and stores nothing for an equal or lower counter', async (storage) => {
    const user = await insertedUser(storage);
    const credential = await insertedCredential(storage, user.id, {
      counter: 7,
      lastUsedAt: now,
      backupEligible: false,
    });
    for (const counter of [7, 6, 1, 0]) {
      const use = { id: credential.id, counter, backedUp: true, now: after(5) };
      assert.equal(await storage.credentials.use(use), false);
    }
    assert.deepEqual(await storage.credentials.findWithUser(credential.id), { credential, user });
    const unknown = { id: randomUUID(), counter: 8, backedUp: true, now: after(5) };
    assert.equal(await storage.credentials.use(unknown), false);
  });

  test('use accepts a counter of 0 any number of times while the stored counter is 0', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const { id } = await insertedCredential(storage, userId, { backupEligible: false });
    const use = (counter: number, ms: number) =>
      storage.credentials.use({ id, counter, backedUp: false, now: after(ms) });
    assert.deepEqual([await use(0, 1), await use(0, 2)], [true, true]);
    assert.deepEqual((await storage.credentials.findWithUser(id))?.credential.lastUsedAt, after(2));
    assert.equal(winners(await inParallel(50, () => use(0, 3))), 50);
    // The authenticator counts from now on, so 0 is too low.
    assert.deepEqual([await use(1, 4), await use(0, 5), await use(1, 5)], [true, false, false]);
  });

  test('use accepts a counter of 0 for a credential that can be synchronized, and no other lower one', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const { id } = await insertedCredential(storage, userId, { counter: 7, backupEligible: true });
    const use = (counter: number, ms: number) =>
      storage.credentials.use({ id, counter, backedUp: true, now: after(ms) });
    assert.deepEqual([await use(7, 1), await use(6, 1), await use(0, 2)], [false, false, true]);
    const { counter, lastUsedAt } = (await storage.credentials.findWithUser(id))?.credential ?? {};
    assert.deepEqual([counter, lastUsedAt], [0, after(2)]);
    assert.deepEqual([await use(3, 4), await use(3, 5), await use(0, 6)], [true, false, true]);
  });

  test('only one of 50 parallel uses of a counter value returns true', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    for (const counter of [0, 7]) {
      const { id } = await insertedCredential(storage, userId, { counter });
      const use = { id, counter: counter + 1, backedUp: true, now };
      assert.equal(winners(await inParallel(50, () => storage.credentials.use(use))), 1);
    }
  });

  test('one passkey remains if two are removed in parallel and allowed keeps the last', async (storage) => {
    const user = await insertedUser(storage);
    const ids = [
      (await insertedCredential(storage, user.id)).id,
      (await insertedCredential(storage, user.id)).id,
    ];
    const keepOne = ({ passkeys }: { passkeys: number }) => passkeys > 0;
    const removed = await Promise.all(ids.map((id) => storage.credentials.remove(user.id, id, keepOne)));
    assert.deepEqual(removed.sort(), [false, true]);
    assert.equal((await storage.credentials.listForUser(user.id)).length, 1);
  });

  test("remove returns true once, and only for the passkey's own user", async (storage) => {
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    const credential = await insertedCredential(storage, user.id);
    const kept = await insertedCredential(storage, user.id, { createdAt: after(5) });
    for (const stranger of [other.id, randomUUID()]) {
      assert.equal(await storage.credentials.remove(stranger, credential.id), false);
    }
    assert.equal(await storage.credentials.remove(user.id, randomUUID()), false);
    assert.deepEqual(await storage.credentials.listForUser(user.id), [credential, kept]);
    const results = await inParallel(50, () => storage.credentials.remove(user.id, credential.id));
    assert.equal(winners(results), 1);
    assert.equal(await storage.credentials.findWithUser(credential.id), null);
    const use = { id: credential.id, counter: 9, backedUp: false, now };
    assert.equal(await storage.credentials.use(use), false);
    assert.deepEqual(await storage.credentials.listForUser(user.id), [kept]);
    // The id is available again.
    await insertedCredential(storage, other.id, { id: credential.id });
  });

  for (const verb of ['claim', 'resetPassword', 'deleteUser'] as const) {
    test(`no passkey remains after a parallel ${verb}`, async (storage) => {
      await inParallel(10, async () => {
        const user = await insertedUser(storage);
        const { id: userId } = user;
        const old = await insertedCredential(storage, userId);
        const reset = resetOf(user, await storedReset(storage, user));
        const ends = {
          claim: () => storage.users.claim(userId, now),
          resetPassword: () => storage.users.resetPassword(reset),
          deleteUser: async () => storage.accounts?.deleteUser(userId, async () => undefined),
        };
        if (verb === 'deleteUser' && !storage.accounts) return;
        const insert = () => storage.credentials.insert(newCredential(userId), 0);
        const use = () => storage.credentials.use({ id: old.id, counter: 0, backedUp: true, now });
        await Promise.all([insert(), use(), insert(), ends[verb](), insert(), use(), insert()]);
        assert.deepEqual(await storage.credentials.listForUser(userId), []);
        assert.equal(await storage.credentials.findWithUser(old.id), null);
      });
    });
  }

  test('changing an inserted or returned passkey does not change the stored one', async (storage) => {
    const user = newUser();
    await storage.users.insert(user);
    const given = newCredential(user.id, { createdAt: new Date(now) });
    const untouched = newCredential(user.id, { id: given.id });
    await storage.credentials.insert(given, 0);
    given.transports.push('stolen');
    given.createdAt.setTime(0);
    const [found, listed] = [
      await storage.credentials.findWithUser(given.id),
      await storage.credentials.listForUser(user.id),
    ];
    assert.deepEqual([found?.credential, listed], [untouched, [untouched]]);
    for (const credential of [found?.credential, ...listed]) {
      credential?.transports.push('stolen');
      credential?.createdAt.setTime(0);
      Object.assign(credential ?? {}, { publicKey: 'stolen', counter: 99 });
    }
    if (found) found.user.metadata.plan = 'stolen';
    const again = await storage.credentials.findWithUser(given.id);
    assert.deepEqual([again?.credential, again?.user.metadata], [untouched, user.metadata]);
    const time = after(5);
    await storage.credentials.use({ id: given.id, counter: 1, backedUp: false, now: time });
    time.setTime(0);
    const [used] = await storage.credentials.listForUser(user.id);
    assert.deepEqual(used?.lastUsedAt, after(5));
  });
}
