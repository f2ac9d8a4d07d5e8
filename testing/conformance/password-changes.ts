import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { equippedUser, everything, mailed, nothing, remains } from './equipment.js';
import { malformedIds } from './malformed-ids.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  type RegisterConformanceTest,
  resetOf,
  storedReset,
  tally,
  winners,
} from './suite.js';

export function describePasswordChanges(test: RegisterConformanceTest): void {
  for (const emailVerified of [true, false]) {
    const removed = emailVerified
      ? 'all pending secrets'
      : 'pending secrets except those mailed to the unverified address';
    test(`changePassword ends all sessions, removes ${removed}, and keeps the rest`, async (storage) => {
      const mine = await equippedUser(storage, { emailVerified });
      const other = await equippedUser(storage);
      const { id: userId, epoch } = mine.user;
      const change = { userId, epoch, fromHash: 'old', passwordHash: 'new', now: after(5) };
      const times = { epoch: epoch + 1, sessionsValidAfter: after(5), updatedAt: after(5) };
      const user = { ...mine.user, passwordHash: 'new', ...times };
      assert.deepEqual(await storage.users.changePassword(change), { status: 'changed', user });
      assert.deepEqual(await storage.users.findById(userId), user);
      const { identities, key, secret, recoveryCodes, passkeys } = everything(storage);
      const kept = { identities, key, secret, recoveryCodes, passkeys, ...(!emailVerified && mailed) };
      assert.deepEqual(await remains(storage, mine), { ...nothing, ...kept });
      assert.deepEqual(await storage.users.findById(other.user.id), other.user);
      assert.deepEqual(await remains(storage, other), everything(storage));
    });
  }

  test('changePassword returns other_password or epoch_moved and changes nothing', async (storage) => {
    const mine = await equippedUser(storage);
    const without = await insertedUser(storage);
    const { id: userId, epoch } = mine.user;
    const change = { userId, epoch, fromHash: 'old', passwordHash: 'new', now };
    const refused = [
      { ...change, fromHash: 'older' },
      { ...change, fromHash: '' },
      { ...change, userId: without.id },
      { ...change, userId: without.id, fromHash: '' },
      { ...change, userId: randomUUID() },
    ];
    for (const each of refused)
      assert.deepEqual(await storage.users.changePassword(each), { status: 'other_password' });
    const late = { ...change, epoch: epoch - 1 };
    assert.deepEqual(await storage.users.changePassword(late), { status: 'epoch_moved' });
    assert.deepEqual(await storage.users.findById(mine.user.id), mine.user);
    assert.deepEqual(await storage.users.findById(without.id), without);
    assert.deepEqual(await remains(storage, mine), everything(storage));
  });

  test('renewPasswordHash sets the hash and changes nothing else', async (storage) => {
    const mine = await equippedUser(storage);
    const { id } = mine.user;
    assert.equal(await storage.users.renewPasswordHash(id, 'old', 'renewed'), true);
    assert.deepEqual(await storage.users.findById(id), { ...mine.user, passwordHash: 'renewed' });
    assert.deepEqual(await remains(storage, mine), everything(storage));
  });

  test('renewPasswordHash returns false and changes nothing if the user has another hash or none', async (storage) => {
    const user = await insertedUser(storage, { passwordHash: 'old' });
    const without = await insertedUser(storage);
    for (const fromHash of ['older', '', 'a\0b', '\ud800']) {
      assert.equal(await storage.users.renewPasswordHash(user.id, fromHash, 'new'), false);
      assert.equal(await storage.users.renewPasswordHash(without.id, fromHash, 'new'), false);
    }
    for (const id of [randomUUID(), ...malformedIds])
      assert.equal(await storage.users.renewPasswordHash(id, 'old', 'new'), false);
    assert.deepEqual(await storage.users.findById(user.id), user);
    assert.deepEqual(await storage.users.findById(without.id), without);
  });

  test('only one of 50 parallel renewals of a hash returns true', async (storage) => {
    const { id } = await insertedUser(storage, { passwordHash: 'old' });
    const results = await inParallel(50, (index) =>
      storage.users.renewPasswordHash(id, 'old', `hash ${index}`),
    );
    assert.equal(winners(results), 1);
    const user = await storage.users.findById(id);
    assert.equal(user?.passwordHash, `hash ${results.indexOf(true)}`);
  });

  test('a password change is not undone by a parallel renewal of the hash', async (storage) => {
    await inParallel(10, async () => {
      const { id: userId } = await insertedUser(storage, { passwordHash: 'old' });
      const change = { userId, epoch: 0, fromHash: 'old', passwordHash: 'changed', now };
      const [isRenewed, changed] = await Promise.all([
        storage.users.renewPasswordHash(userId, 'old', 'renewed'),
        storage.users.changePassword(change),
      ]);
      const user = await storage.users.findById(userId);
      const isChanged = changed.status === 'changed';
      assert.equal(user?.passwordHash, isChanged ? 'changed' : 'renewed');
      assert.equal(isRenewed, !isChanged);
    });
  });

  test('only one of 50 parallel changes of a password succeeds', async (storage) => {
    const { id: userId } = await insertedUser(storage, { passwordHash: 'old' });
    const results = await inParallel(50, (index) =>
      storage.users.changePassword({ userId, epoch: 0, fromHash: 'old', passwordHash: `${index}`, now }),
    );
    assert.deepEqual(tally(results.map(({ status }) => status)), { changed: 1, other_password: 49 });
    const user = await storage.users.findById(userId);
    const winner = results.findIndex(({ status }) => status === 'changed');
    assert.deepEqual([user?.epoch, user?.passwordHash], [1, String(winner)]);
  });

  test('a parallel password change does not undo a reset or a claim', async (storage) => {
    await inParallel(10, async (index) => {
      const isReset = index % 2 === 0;
      const owner = await insertedUser(storage, { passwordHash: 'old', emailVerified: isReset });
      const { id: userId } = owner;
      const token = await storedReset(storage, owner);
      const reset = resetOf(owner, token, { passwordHash: 'of the reset' });
      const change = { userId, epoch: 0, fromHash: 'old', passwordHash: 'of the change', now };
      const end = () => (isReset ? storage.users.resetPassword(reset) : storage.users.claim(userId, now));
      const [, ended] = await Promise.all([storage.users.changePassword(change), end()]);
      const user = await storage.users.findById(userId);
      // If the change came first, it removed the reset token with all pending secrets.
      const left = isReset ? 'of the reset' : null;
      assert.equal(user?.passwordHash, ended === null ? 'of the change' : left);
      assert.deepEqual(await storage.users.changePassword(change), { status: 'other_password' });
    });
  });
}
