import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  after,
  asStored,
  inParallel,
  insertedUser,
  newUser,
  now,
  type RegisterConformanceTest,
  winners,
} from './suite.js';

export function describeUsers(test: RegisterConformanceTest): void {
  test('findById and findByEmail return the user as inserted', async ({ users }) => {
    const user = newUser({ passwordHash: '$2b$10$hash' });
    assert.equal(await users.insert(user), true);
    assert.deepEqual(await users.findById(user.id), asStored(user));
    assert.deepEqual(await users.findByEmail(user.email ?? ''), asStored(user));
  });

  test('insert stores the roles of the user', async (storage) => {
    const user = await insertedUser(storage, { roles: ['admin', 'support'] });
    assert.deepEqual((await storage.users.findById(user.id))?.roles, ['admin', 'support']);
    const other = await insertedUser(storage, { roles: [] });
    assert.deepEqual((await storage.users.findById(other.id))?.roles, []);
  });

  test('findById and findByEmail return null for an unknown id or address', async ({ users }) => {
    assert.equal(await users.findById(randomUUID()), null);
    assert.equal(await users.findByEmail(`${randomUUID()}@example.test`), null);
  });

  test('insert returns false and stores nothing when the address is taken', async (storage) => {
    const first = await insertedUser(storage);
    const second = newUser({ email: first.email });
    assert.equal(await storage.users.insert(second), false);
    assert.equal(await storage.users.findById(second.id), null);
    assert.deepEqual(await storage.users.findByEmail(first.email ?? ''), first);
  });

  test('insert accepts any number of users without an address', async ({ users }) => {
    assert.equal(await users.insert(newUser({ email: null })), true);
    assert.equal(await users.insert(newUser({ email: null })), true);
  });

  test('only one of 50 parallel inserts with an address succeeds', async ({ users }) => {
    const email = `${randomUUID()}@example.test`;
    const candidates = Array.from({ length: 50 }, () => newUser({ email }));
    const results = await Promise.all(candidates.map((user) => users.insert(user)));
    assert.equal(winners(results), 1);
    assert.equal((await users.findByEmail(email))?.id, candidates[results.indexOf(true)]?.id);
    assert.equal(winners(await Promise.all(candidates.map((user) => users.findById(user.id)))), 1);
  });

  test('parallel look-ups each return their own user', async (storage) => {
    const known = await inParallel(20, () => insertedUser(storage));
    const ids = known.flatMap((user) => [user.id, randomUUID(), 'malformed']);
    const found = await Promise.all(ids.map((id) => storage.users.findById(id)));
    assert.deepEqual(
      found,
      known.flatMap((user) => [user, null, null]),
    );
  });

  test('every look-up sees a write that resolved before it', async (storage) => {
    await inParallel(20, async () => {
      const user = newUser();
      const early = storage.users.findById(user.id);
      await storage.users.insert(user);
      assert.deepEqual(await storage.users.findById(user.id), asStored(user));
      await early;
    });
  });

  test('changing an inserted or returned user changes neither the stored user nor that of another caller', async ({
    users,
  }) => {
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
  });

  test('metadata is returned as it was stored, for every JSON value', async (storage) => {
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

  test('markEmailVerified sets the flag and changes nothing else', async (storage) => {
    const user = await insertedUser(storage, { passwordHash: 'hash' });
    const expected = { ...user, emailVerified: true, updatedAt: after(5) };
    assert.deepEqual(await storage.users.markEmailVerified(user.id, after(5)), expected);
    assert.deepEqual(await storage.users.findById(user.id), expected);
    assert.equal(await storage.users.markEmailVerified(randomUUID(), now), null);
  });

  test('markEmailVerified returns null and changes nothing if the user no longer has the proven address', async (storage) => {
    const user = await insertedUser(storage);
    const { id } = user;
    assert.equal(await storage.users.markEmailVerified(id, after(5), 'other@example.test'), null);
    assert.deepEqual(await storage.users.findById(id), user);
    const verified = await storage.users.markEmailVerified(id, after(5), user.email ?? undefined);
    assert.equal(verified?.emailVerified, true);
  });

  test('setFirstPassword sets a password only if the user has none and still has the epoch', async (storage) => {
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
  });

  test('only one of 50 parallel first passwords is set', async (storage) => {
    const user = await insertedUser(storage);
    const results = await inParallel(50, (index) =>
      storage.users.setFirstPassword(user.id, 0, `hash ${index}`, now),
    );
    assert.equal(winners(results), 1);
    const { passwordHash } = (await storage.users.findById(user.id)) ?? {};
    assert.equal(passwordHash, `hash ${results.indexOf(true)}`);
  });
}

function structuredCopy(user: ReturnType<typeof newUser>): ReturnType<typeof newUser> {
  const metadata = JSON.parse(JSON.stringify(user.metadata)) as Record<string, unknown>;
  return { ...user, metadata, createdAt: new Date(user.createdAt) };
}
