import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StoredUser } from '../../src/domain/user.js';
import { equippedUser, everything, nothing, remains } from './equipment.js';
import { begunTotp } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  resetOf,
  startedSession,
  storedReset,
  winners,
} from './suite.js';

/** Returns the user after a reset at that time. */
function reset(user: StoredUser, at: Date): StoredUser {
  const times = { epoch: user.epoch + 1, sessionsValidAfter: at, updatedAt: at };
  return { ...user, passwordHash: 'new', emailVerified: true, ...times };
}

/** Returns the user after a claim at that time. */
function claimed(user: StoredUser, at: Date): StoredUser {
  return { ...reset(user, at), passwordHash: null, totpEnabled: false };
}

export function describeRevocations(test: RegisterConformanceTest): void {
  test('claim removes all sign-in methods, sessions and pending secrets of that user only', async (storage) => {
    const mine = await equippedUser(storage);
    const other = await equippedUser(storage);
    const expected = claimed(mine.user, after(5));
    assert.deepEqual(await storage.users.claim(mine.user.id, after(5)), expected);
    assert.deepEqual(await storage.users.findById(mine.user.id), expected);
    assert.deepEqual(await remains(storage, mine), nothing);
    assert.equal(await storage.sessions.findWithUser(mine.session.id), null);
    assert.deepEqual((await storage.refreshFamilies?.listForUser(mine.user.id)) ?? [], []);
    assert.deepEqual(await storage.users.findById(other.user.id), other.user);
    assert.deepEqual(await remains(storage, other), everything(storage));
  });

  test('claim returns null and changes nothing for a verified or unknown user', async (storage) => {
    const mine = await equippedUser(storage, { emailVerified: true });
    assert.equal(await storage.users.claim(mine.user.id, after(5)), null);
    assert.equal(await storage.users.claim(randomUUID(), now), null);
    assert.deepEqual(await storage.users.findById(mine.user.id), mine.user);
    assert.deepEqual(await remains(storage, mine), everything(storage));
  });

  test('claim returns null and changes nothing if the user no longer has the proven address', async (storage) => {
    const mine = await equippedUser(storage);
    assert.equal(await storage.users.claim(mine.user.id, after(5), 'other@example.test'), null);
    assert.deepEqual(await storage.users.findById(mine.user.id), mine.user);
    assert.deepEqual(await remains(storage, mine), everything(storage));
    const expected = claimed(mine.user, after(5));
    assert.deepEqual(
      await storage.users.claim(mine.user.id, after(5), mine.user.email ?? undefined),
      expected,
    );
  });

  test('only one of 50 parallel claims succeeds', async (storage) => {
    const { user } = await equippedUser(storage);
    const results = await inParallel(50, () => storage.users.claim(user.id, after(5)));
    assert.equal(winners(results), 1);
    assert.deepEqual(await storage.users.findById(user.id), claimed(user, after(5)));
  });

  test('resetPassword of a verified user ends sessions, removes pending secrets, and keeps the rest', async (storage) => {
    const mine = await equippedUser(storage, { emailVerified: true });
    const other = await equippedUser(storage);
    const input = resetOf(mine.user, mine.reset, { now: after(5) });
    const expected = reset(mine.user, after(5));
    assert.deepEqual(await storage.users.resetPassword(input), { user: expected, claimed: false });
    assert.deepEqual(await storage.users.findById(mine.user.id), expected);
    const { identities, key, secret, recoveryCodes, passkeys } = everything(storage);
    const kept = { identities, key, secret, recoveryCodes, passkeys };
    assert.deepEqual(await remains(storage, mine), { ...nothing, ...kept });
    assert.deepEqual(await remains(storage, other), everything(storage));
    assert.equal(await storage.users.resetPassword(input), null);
  });

  test('resetPassword of an unverified user is also a claim', async (storage) => {
    const mine = await equippedUser(storage);
    const input = resetOf(mine.user, mine.reset, { now: after(5) });
    const expected = { ...claimed(mine.user, after(5)), passwordHash: 'new' };
    assert.deepEqual(await storage.users.resetPassword(input), { user: expected, claimed: true });
    assert.deepEqual(await remains(storage, mine), nothing);
  });

  test('resetPassword without a valid reset token of that user changes nothing', async (storage) => {
    const mine = await equippedUser(storage, { emailVerified: true });
    const other = await equippedUser(storage, { emailVerified: true });
    const input = resetOf(mine.user, mine.reset);
    const { id: userId, email } = other.user;
    const refused = [
      { ...input, tokenDigest: 'unknown' },
      { ...input, tokenDigest: mine.link.digest },
      { ...input, tokenDigest: other.reset.digest },
      { ...input, userId },
      { ...input, userId: randomUUID() },
      { ...input, email: email ?? '' },
      { ...input, email: email ?? '', userId },
      { ...input, email: `${randomUUID()}@example.test` },
      { ...input, now: mine.reset.expiresAt },
    ];
    for (const each of refused) assert.equal(await storage.users.resetPassword(each), null);
    for (const owner of [mine, other]) {
      assert.deepEqual(await storage.users.findById(owner.user.id), owner.user);
      assert.deepEqual(await remains(storage, owner), everything(storage));
    }
  });

  test('only one of 50 parallel resets succeeds, even with different tokens', async (storage) => {
    for (const tokens of [1, 50]) {
      const user = await insertedUser(storage, { emailVerified: true });
      const resets = await inParallel(tokens, () => storedReset(storage, user));
      const results = await inParallel(50, (index) => {
        const token = resets[index % tokens] ?? assert.fail('no token');
        return storage.users.resetPassword(resetOf(user, token, { passwordHash: `${index}` }));
      });
      assert.equal(winners(results), 1);
      const after50 = await storage.users.findById(user.id);
      assert.equal(after50?.epoch, 1);
      assert.equal(after50.passwordHash, String(results.findIndex((result) => result !== null)));
    }
  });

  test('revokeAll ends the sessions of that user only and raises the epoch', async (storage) => {
    const mine = await equippedUser(storage);
    const other = await equippedUser(storage);
    assert.equal(await storage.sessions.revokeAll(mine.user.id, after(5)), true);
    const { epoch, sessionsValidAfter, passwordHash } = (await storage.users.findById(mine.user.id)) ?? {};
    const expected = [mine.user.epoch + 1, after(5), 'old'];
    assert.deepEqual([epoch, sessionsValidAfter, passwordHash], expected);
    const ended = { session: false, family: false, pendingSecret: false };
    assert.deepEqual(await remains(storage, mine), { ...everything(storage), ...ended });
    assert.deepEqual(await remains(storage, other), everything(storage));
    assert.equal(await storage.sessions.revokeAll(randomUUID(), now), false);
  });

  for (const verb of ['resetPassword', 'revokeAll'] as const) {
    testsRequiring(test, 'totp')(`${verb} removes a pending enrollment`, async (storage) => {
      const [user, other] = [
        await insertedUser(storage, { emailVerified: true }),
        await insertedUser(storage),
      ];
      const [begun, theirs] = [await begunTotp(storage, user.id), await begunTotp(storage, other.id)];
      const input = resetOf(user, await storedReset(storage, user));
      const end = {
        resetPassword: () => storage.users.resetPassword(input),
        revokeAll: () => storage.sessions.revokeAll(user.id, now),
      };
      assert.ok(await end[verb]());
      assert.equal(await storage.totp.find(user.id), null);
      assert.equal(await storage.totp.confirm(begun), false);
      assert.equal((await storage.users.findById(user.id))?.totpEnabled, false);
      assert.equal(await storage.totp.confirm(theirs), true);
    });
  }

  test('revokeAll keeps the time of an earlier revocation', async (storage) => {
    const user = await insertedUser(storage);
    const session = await startedSession(storage, user.id);
    await storage.sessions.revoke(session.id, after(1));
    await storage.sessions.revokeAll(user.id, after(5));
    assert.deepEqual((await storage.sessions.findWithUser(session.id))?.session.revokedAt, after(1));
  });

  test('50 parallel revocations raise the epoch 50 times', async (storage) => {
    const user = await insertedUser(storage);
    await inParallel(50, () => storage.sessions.revokeAll(user.id, now));
    assert.equal((await storage.users.findById(user.id))?.epoch, 50);
  });
}
