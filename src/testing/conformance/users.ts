import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, asStored, inParallel, insertedUser, newUser, now, type Promises, winners } from './suite.js';

export function userPromises(promise: Promises): void {
  promise('a user is found by id and by address, as it was inserted', async ({ users }) => {
    const user = newUser({ passwordHash: '$2b$10$hash' });
    assert.equal(await users.insert(user), true);
    assert.deepEqual(await users.findById(user.id), asStored(user));
    assert.deepEqual(await users.findByEmail(user.email ?? ''), asStored(user));
  });

  promise('an unknown id or address finds null', async ({ users }) => {
    assert.equal(await users.findById(randomUUID()), null);
    assert.equal(await users.findByEmail(`${randomUUID()}@example.test`), null);
  });

  promise('an address has one account: a second insert is false and stores nothing', async (storage) => {
    const first = await insertedUser(storage);
    const second = newUser({ email: first.email });
    assert.equal(await storage.users.insert(second), false);
    assert.equal(await storage.users.findById(second.id), null);
    assert.deepEqual(await storage.users.findByEmail(first.email ?? ''), first);
  });

  promise('any number of users have no address', async ({ users }) => {
    assert.equal(await users.insert(newUser({ email: null })), true);
    assert.equal(await users.insert(newUser({ email: null })), true);
  });

  promise('of 50 parallel signups with one address one is stored', async ({ users }) => {
    const email = `${randomUUID()}@example.test`;
    const candidates = Array.from({ length: 50 }, () => newUser({ email }));
    const answers = await Promise.all(candidates.map((user) => users.insert(user)));
    assert.equal(winners(answers), 1);
    assert.equal((await users.findByEmail(email))?.id, candidates[answers.indexOf(true)]?.id);
    assert.equal(winners(await Promise.all(candidates.map((user) => users.findById(user.id)))), 1);
  });

  promise('many look-ups at once each get their own answer', async (storage) => {
    const known = await inParallel(20, () => insertedUser(storage));
    const ids = known.flatMap((user) => [user.id, randomUUID(), 'malformed']);
    const found = await Promise.all(ids.map((id) => storage.users.findById(id)));
    assert.deepEqual(
      found,
      known.flatMap((user) => [user, null, null]),
    );
  });

  promise('a write that has resolved is seen by every look-up after it', async (storage) => {
    await inParallel(20, async () => {
      const user = newUser();
      const early = storage.users.findById(user.id);
      await storage.users.insert(user);
      assert.deepEqual(await storage.users.findById(user.id), asStored(user));
      await early;
    });
  });

  promise(
    'what a caller does to a record does not reach the store, nor another caller',
    async ({ users }) => {
      const user = newUser({ createdAt: new Date(now) });
      const untouched = asStored(structuredCopy(user));
      await users.insert(user);
      user.metadata.plan = 'stolen';
      user.createdAt.setTime(0);
      const [first, second] = await Promise.all([users.findById(user.id), users.findById(user.id)]);
      assert.deepEqual(second, untouched);
      assert.ok(first);
      first.metadata.plan = 'stolen';
      (first.metadata.nested as { list: unknown[] }).list.push('stolen');
      first.createdAt.setTime(0);
      assert.deepEqual(second, untouched);
      assert.deepEqual(await users.findById(user.id), untouched);
    },
  );

  promise('metadata comes back as it was given, whatever JSON it holds', async (storage) => {
    const metadata = {
      text: 'ü 😀 " \\ \\u0000 :name ? $1',
      empty: {},
      list: [],
      n: 1.5,
      yes: true,
      no: null,
    };
    const user = await insertedUser(storage, { metadata });
    assert.deepEqual((await storage.users.findById(user.id))?.metadata, metadata);
  });

  promise('markEmailVerified sets the flag and touches nothing else', async (storage) => {
    const user = await insertedUser(storage, { passwordHash: 'hash' });
    const expected = { ...user, emailVerified: true, updatedAt: after(5) };
    assert.deepEqual(await storage.users.markEmailVerified(user.id, after(5)), expected);
    assert.deepEqual(await storage.users.findById(user.id), expected);
    assert.equal(await storage.users.markEmailVerified(randomUUID(), now), null);
  });

  promise(
    'setFirstPassword gives a password only to a user who has none, at the epoch that was read',
    async (storage) => {
      const user = await insertedUser(storage);
      assert.equal(await storage.users.setFirstPassword(user.id, 1, 'early', after(5)), false);
      assert.equal(await storage.users.setFirstPassword(user.id, 0, 'first', after(5)), true);
      assert.equal(await storage.users.setFirstPassword(user.id, 0, 'second', after(6)), false);
      assert.deepEqual(await storage.users.findById(user.id), {
        ...user,
        passwordHash: 'first',
        updatedAt: after(5),
      });
      assert.equal(await storage.users.setFirstPassword(randomUUID(), 0, 'first', now), false);
    },
  );

  promise('of 50 parallel first passwords one is set', async (storage) => {
    const user = await insertedUser(storage);
    const answers = await inParallel(50, (index) =>
      storage.users.setFirstPassword(user.id, 0, `hash ${index}`, now),
    );
    assert.equal(winners(answers), 1);
    const { passwordHash } = (await storage.users.findById(user.id)) ?? {};
    assert.equal(passwordHash, `hash ${answers.indexOf(true)}`);
  });
}

function structuredCopy(user: ReturnType<typeof newUser>): ReturnType<typeof newUser> {
  const metadata = JSON.parse(JSON.stringify(user.metadata)) as Record<string, unknown>;
  return { ...user, metadata, createdAt: new Date(user.createdAt) };
}
