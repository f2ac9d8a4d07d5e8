import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  fastPathsOf,
  after,
  insertedUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
} from './suite.js';

/** The language that a user chooses. */
export function describeUserLanguages(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'accounts');

  test('setLanguage sets the language and updatedAt, and changes nothing else', async (storage) => {
    const user = await insertedUser(storage);
    const other = await insertedUser(storage);
    assert.equal(user.language, null);
    for (const [index, language] of ['zh-Hans', 'ar', null].entries()) {
      assert.equal(await storage.accounts.setLanguage(user.id, user.epoch, language, after(index + 1)), true);
      const expected = { ...user, language, updatedAt: after(index + 1) };
      assert.deepEqual(await storage.users.findById(user.id), expected);
    }
    assert.deepEqual(await storage.users.findById(other.id), other);
  });

  test('every method that returns a user returns the language', async (storage) => {
    const user = await insertedUser(storage);
    await storage.accounts.setLanguage(user.id, user.epoch, 'pl', after(1));
    assert.equal((await storage.users.findByEmail(user.email ?? ''))?.language, 'pl');
    const found = await fastPathsOf(storage).hitAndFindUser([], user.email ?? '', now.getTime());
    assert.equal(found.user?.language, 'pl');
    assert.equal((await storage.users.markEmailVerified(user.id, now))?.language, 'pl');
  });

  test('setLanguage changes nothing for another epoch or an unknown user', async (storage) => {
    const user = await insertedUser(storage);
    assert.equal(await storage.accounts.setLanguage(user.id, user.epoch + 1, 'de', after(1)), false);
    assert.deepEqual(await storage.users.findById(user.id), user);
    for (const id of [randomUUID(), 'not a uuid', ''])
      assert.equal(await storage.accounts.setLanguage(id, 0, 'de', now), false);
  });

  test('a claim removes the language: a stranger may have chosen it', async (storage) => {
    const user = await insertedUser(storage);
    await storage.accounts.setLanguage(user.id, user.epoch, 'tr', after(1));
    assert.equal((await storage.users.claim(user.id, after(2)))?.language, null);
  });
}
