import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { equippedUser, everything, nothing, remains } from './equipment.js';
import { after, inParallel, insertedUser, now, type Promises, storedToken, winners } from './suite.js';

export function passwordChangePromises(promise: Promises): void {
  promise('changePassword ends sessions and what is pending, and keeps the rest', async (storage) => {
    const mine = await equippedUser(storage);
    const other = await equippedUser(storage);
    const { id: userId, epoch } = mine.user;
    const change = { userId, fromHash: 'old', passwordHash: 'new', now: after(5) };
    const times = { epoch: epoch + 1, sessionsValidAfter: after(5), updatedAt: after(5) };
    const expected = { ...mine.user, passwordHash: 'new', ...times };
    assert.deepEqual(await storage.users.changePassword(change), expected);
    assert.deepEqual(await storage.users.findById(userId), expected);
    const { identities, key, secret, recoveryCodes, passkeys } = everything(storage);
    const kept = { identities, key, secret, recoveryCodes, passkeys };
    assert.deepEqual(await remains(storage, mine), { ...nothing, ...kept });
    assert.deepEqual(await storage.users.findById(other.user.id), other.user);
    assert.deepEqual(await remains(storage, other), everything(storage));
  });

  promise(
    'changePassword from another password, or from none, is null and changes nothing',
    async (storage) => {
      const mine = await equippedUser(storage);
      const without = await insertedUser(storage);
      const change = { userId: mine.user.id, fromHash: 'old', passwordHash: 'new', now };
      const refused = [
        { ...change, fromHash: 'older' },
        { ...change, fromHash: '' },
        { ...change, userId: without.id },
        { ...change, userId: without.id, fromHash: '' },
        { ...change, userId: randomUUID() },
      ];
      for (const each of refused) assert.equal(await storage.users.changePassword(each), null);
      assert.deepEqual(await storage.users.findById(mine.user.id), mine.user);
      assert.deepEqual(await storage.users.findById(without.id), without);
      assert.deepEqual(await remains(storage, mine), everything(storage));
    },
  );

  promise('of 50 parallel changes of one password one wins', async (storage) => {
    const { id: userId } = await insertedUser(storage, { passwordHash: 'old' });
    const answers = await inParallel(50, (index) =>
      storage.users.changePassword({ userId, fromHash: 'old', passwordHash: `${index}`, now }),
    );
    assert.equal(winners(answers), 1);
    const user = await storage.users.findById(userId);
    const winner = answers.findIndex((answer) => answer !== null);
    assert.deepEqual([user?.epoch, user?.passwordHash], [1, String(winner)]);
  });

  promise('a reset, or a claim, that races a change of the password wins', async (storage) => {
    await inParallel(10, async (index) => {
      const isReset = index % 2 === 0;
      const { id: userId } = await insertedUser(storage, { passwordHash: 'old', emailVerified: isReset });
      const { digest } = await storedToken(storage, { purpose: 'password_reset', subject: userId });
      const reset = { tokenDigest: digest, userId, passwordHash: 'of the reset', now };
      const change = { userId, fromHash: 'old', passwordHash: 'of the change', now };
      const end = () => (isReset ? storage.users.resetPassword(reset) : storage.users.claim(userId, now));
      const [, ended] = await Promise.all([storage.users.changePassword(change), end()]);
      const user = await storage.users.findById(userId);
      // A change that came first has taken the reset's token with it, as it takes whatever is pending.
      const left = isReset ? 'of the reset' : null;
      assert.equal(user?.passwordHash, ended === null ? 'of the change' : left);
      assert.equal(await storage.users.changePassword(change), null);
    });
  });
}
