import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StoredCredential } from '../../src/domain/credential.js';
import type { StoredUser } from '../../src/domain/user.js';
import { insertedCredential, newCredential } from './pro-records.js';
import {
  after,
  asStored,
  inParallel,
  insertedUser,
  newUser,
  now,
  type RegisterConformanceTest,
  tally,
  testsRequiring,
  type With,
} from './suite.js';

const browser = { userAgent: 'Test/1.0', ip: '192.0.2.1' };

const nameOf = (label: string) => ({ name: label, key: label.toLowerCase() });

/** Expects that neither the user nor the passkey exists. */
async function expectNothing(
  storage: With<'credentials'>,
  { id, email }: Pick<StoredUser, 'id' | 'email'>,
  credential: StoredCredential,
): Promise<void> {
  assert.equal(await storage.users.findById(id), null);
  if (email !== null) assert.notEqual((await storage.users.findByEmail(email))?.id, id);
  assert.notEqual((await storage.credentials.findWithUser(credential.id))?.user.id, id);
}

/** Names of passkeys, their last use, and new users with a passkey. */
export function describePasskeyDetails(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'credentials');
  const testNames = testsRequiring(register, 'credentials', 'userAdministration');

  test('insert stores the name and the browser of the last use', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const name = `Ada's phone 📱 ${'x'.repeat(80)}`;
    const credential = await insertedCredential(storage, userId, { name, lastUsedFrom: browser });
    assert.deepEqual((await storage.credentials.findWithUser(credential.id))?.credential, credential);
    assert.deepEqual(await storage.credentials.listForUser(userId), [credential]);
  });

  test('use replaces the browser of the last use, also by an unknown one', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const { id } = await insertedCredential(storage, userId);
    const lastUse = async () => (await storage.credentials.findWithUser(id))?.credential.lastUsedFrom;
    for (const [from, stored] of [
      [browser, browser],
      [{ userAgent: 'Other/2.0' }, { userAgent: 'Other/2.0' }],
      [{}, {}],
      [undefined, null],
    ] as const) {
      const use = { id, counter: 0, backedUp: false, now: after(1), ...(from && { from }) };
      assert.equal(await storage.credentials.use(use), true);
      assert.deepEqual(await lastUse(), stored);
    }
    // A use that fails is not recorded.
    await storage.credentials.use({ id, counter: 5, backedUp: false, now: after(2), from: browser });
    const stale = { id, counter: 5, backedUp: false, now: after(3), from: { ip: '198.51.100.7' } };
    assert.equal(await storage.credentials.use(stale), false);
    assert.deepEqual(await lastUse(), browser);
  });

  test("rename sets and removes the name of the user's own passkey, and nothing else", async (storage) => {
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    const credential = await insertedCredential(storage, user.id);
    const kept = await insertedCredential(storage, user.id, { createdAt: after(5), name: 'Kept' });
    for (const stranger of [other.id, randomUUID()])
      assert.equal(await storage.credentials.rename(stranger, credential.id, 'Stolen'), null);
    assert.equal(await storage.credentials.rename(user.id, randomUUID(), 'Unknown'), null);
    const named = { ...credential, name: 'Laptop' };
    assert.deepEqual(await storage.credentials.rename(user.id, credential.id, 'Laptop'), named);
    assert.deepEqual(await storage.credentials.listForUser(user.id), [named, kept]);
    assert.deepEqual(await storage.credentials.rename(user.id, credential.id, null), credential);
    assert.deepEqual(await storage.credentials.listForUser(user.id), [credential, kept]);
  });

  test('insertWithUser inserts a user with a passkey', async (storage) => {
    for (const overrides of [{}, { email: null }, { emailVerified: true, roles: ['editor'] }]) {
      const user = newUser(overrides);
      const credential = newCredential(user.id, { name: 'Phone' });
      assert.equal(await storage.credentials.insertWithUser(credential, user, null), 'inserted');
      assert.deepEqual(await storage.users.findById(user.id), asStored(user));
      const expected = { credential, user: asStored(user) };
      assert.deepEqual(await storage.credentials.findWithUser(credential.id), expected);
    }
  });

  test('insertWithUser inserts neither if the passkey or the address is taken', async (storage) => {
    const owner = await insertedUser(storage);
    const taken = await insertedCredential(storage, owner.id);
    const first = newUser();
    const sameKey = newCredential(first.id, { id: taken.id, publicKey: 'forged' });
    assert.equal(await storage.credentials.insertWithUser(sameKey, first, null), 'taken');
    await expectNothing(storage, first, sameKey);
    const second = newUser({ email: owner.email });
    const credential = newCredential(second.id);
    assert.equal(await storage.credentials.insertWithUser(credential, second, null), 'email_taken');
    await expectNothing(storage, second, credential);
    assert.deepEqual(await storage.credentials.findWithUser(taken.id), { credential: taken, user: owner });
  });

  testNames('insertWithUser sets the user name, or inserts nothing if it is taken', async (storage) => {
    const label = `Ada${randomUUID().slice(0, 8)}`;
    const user = newUser({ email: null });
    const inserted = storage.credentials.insertWithUser(newCredential(user.id), user, nameOf(label));
    assert.equal(await inserted, 'inserted');
    const found = await storage.userAdministration.find({ usernameKey: label.toLowerCase() });
    assert.deepEqual([found?.id, found?.username], [user.id, label]);
    const other = newUser();
    const credential = newCredential(other.id);
    const outcome = storage.credentials.insertWithUser(credential, other, nameOf(label.toUpperCase()));
    assert.equal(await outcome, 'username_taken');
    await expectNothing(storage, other, credential);
  });

  test('only one of 50 parallel insertions of an address or a passkey is made', async (storage) => {
    const email = `${randomUUID()}@example.test`;
    const byAddress = await inParallel(50, () => {
      const user = newUser({ email });
      return storage.credentials.insertWithUser(newCredential(user.id), user, null);
    });
    assert.deepEqual(tally(byAddress), { inserted: 1, email_taken: 49 });
    const owner = await storage.users.findByEmail(email);
    assert.equal((await storage.credentials.listForUser(owner?.id ?? '')).length, 1);
    const id = randomUUID();
    const users = Array.from({ length: 50 }, () => newUser({ email: null }));
    const byPasskey = await Promise.all(
      users.map((user) => storage.credentials.insertWithUser(newCredential(user.id, { id }), user, null)),
    );
    assert.deepEqual(tally(byPasskey), { inserted: 1, taken: 49 });
    const stored = await Promise.all(users.map((user) => storage.users.findById(user.id)));
    assert.equal(stored.filter((user) => user !== null).length, 1);
  });

  testNames('only one of 50 parallel insertions of a user name is made', async (storage) => {
    const username = nameOf(`race${randomUUID().slice(0, 8)}`);
    const outcomes = await inParallel(50, () => {
      const user = newUser({ email: null });
      return storage.credentials.insertWithUser(newCredential(user.id), user, username);
    });
    assert.deepEqual(tally(outcomes), { inserted: 1, username_taken: 49 });
  });

  test('a claim removes the passkey of an unverified user who signed up with it', async (storage) => {
    const user = newUser();
    const credential = newCredential(user.id);
    assert.equal(await storage.credentials.insertWithUser(credential, user, null), 'inserted');
    assert.equal((await storage.users.claim(user.id, now))?.emailVerified, true);
    assert.equal(await storage.credentials.findWithUser(credential.id), null);
    // The user exists, so the id cannot be inserted again.
    const again = storage.credentials.insertWithUser(newCredential(user.id), { ...user, email: null }, null);
    await assert.rejects(again);
  });

  test('insertWithUser rejects an address that is not canonical', async (storage) => {
    const user = newUser({ email: 'ADA@Example.test' });
    const inserted = storage.credentials.insertWithUser(newCredential(user.id), user, null);
    await assert.rejects(inserted, { code: 'invalid_request' });
    assert.equal(await storage.users.findById(user.id), null);
  });
}
