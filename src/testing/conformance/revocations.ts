import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StoredUser } from '../../domain/user.js';
import { equippedUser, everything, nothing, remains } from './equipment.js';
import { begunTotp } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  type Promises,
  promisesOf,
  startedSession,
  storedReset,
  winners,
} from './suite.js';

/** The user after a reset at that time. */
function reset(user: StoredUser, at: Date): StoredUser {
  const times = { epoch: user.epoch + 1, sessionsValidAfter: at, updatedAt: at };
  return { ...user, passwordHash: 'new', emailVerified: true, ...times };
}

/** The user after a claim at that time. */
function claimed(user: StoredUser, at: Date): StoredUser {
  return { ...reset(user, at), passwordHash: null, totpEnabled: false };
}

export function revocationPromises(promise: Promises): void {
  promise(
    'claim removes every way to sign in, every session and all that is pending, of that user alone',
    async (storage) => {
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
    },
  );

  promise('claim of a verified or unknown user is null and changes nothing', async (storage) => {
    const mine = await equippedUser(storage, { emailVerified: true });
    assert.equal(await storage.users.claim(mine.user.id, after(5)), null);
    assert.equal(await storage.users.claim(randomUUID(), now), null);
    assert.deepEqual(await storage.users.findById(mine.user.id), mine.user);
    assert.deepEqual(await remains(storage, mine), everything(storage));
  });

  promise('of 50 parallel claims one acts', async (storage) => {
    const { user } = await equippedUser(storage);
    const answers = await inParallel(50, () => storage.users.claim(user.id, after(5)));
    assert.equal(winners(answers), 1);
    assert.deepEqual(await storage.users.findById(user.id), claimed(user, after(5)));
  });

  promise(
    'resetPassword of a verified user ends sessions and what is pending, and keeps the rest',
    async (storage) => {
      const mine = await equippedUser(storage, { emailVerified: true });
      const other = await equippedUser(storage);
      const wish = {
        tokenDigest: mine.reset.digest,
        userId: mine.user.id,
        passwordHash: 'new',
        now: after(5),
      };
      const expected = reset(mine.user, after(5));
      assert.deepEqual(await storage.users.resetPassword(wish), { user: expected, claimed: false });
      assert.deepEqual(await storage.users.findById(mine.user.id), expected);
      const { identities, key, secret, recoveryCodes, passkeys } = everything(storage);
      const kept = { identities, key, secret, recoveryCodes, passkeys };
      assert.deepEqual(await remains(storage, mine), { ...nothing, ...kept });
      assert.deepEqual(await remains(storage, other), everything(storage));
      assert.equal(await storage.users.resetPassword(wish), null);
    },
  );

  promise('resetPassword of an unverified user is a claim as well', async (storage) => {
    const mine = await equippedUser(storage);
    const wish = { tokenDigest: mine.reset.digest, userId: mine.user.id, passwordHash: 'new', now: after(5) };
    const expected = { ...claimed(mine.user, after(5)), passwordHash: 'new' };
    assert.deepEqual(await storage.users.resetPassword(wish), { user: expected, claimed: true });
    assert.deepEqual(await remains(storage, mine), nothing);
  });

  promise('resetPassword without a live reset token of that user changes nothing', async (storage) => {
    const mine = await equippedUser(storage, { emailVerified: true });
    const other = await equippedUser(storage, { emailVerified: true });
    const wish = { userId: mine.user.id, passwordHash: 'new', now };
    const refused = [
      { ...wish, tokenDigest: 'unknown' },
      { ...wish, tokenDigest: mine.link.digest },
      { ...wish, tokenDigest: other.reset.digest },
      { ...wish, tokenDigest: mine.reset.digest, userId: other.user.id },
      { ...wish, tokenDigest: mine.reset.digest, userId: randomUUID() },
      { ...wish, tokenDigest: mine.reset.digest, now: mine.reset.expiresAt },
    ];
    for (const each of refused) assert.equal(await storage.users.resetPassword(each), null);
    for (const owner of [mine, other]) {
      assert.deepEqual(await storage.users.findById(owner.user.id), owner.user);
      assert.deepEqual(await remains(storage, owner), everything(storage));
    }
  });

  promise('of 50 parallel resets one wins, even with different tokens', async (storage) => {
    for (const tokens of [1, 50]) {
      const user = await insertedUser(storage, { emailVerified: true });
      const resets = await inParallel(tokens, () => storedReset(storage, user));
      const answers = await inParallel(50, (index) => {
        const tokenDigest = resets[index % tokens]?.digest ?? '';
        return storage.users.resetPassword({ tokenDigest, userId: user.id, passwordHash: `${index}`, now });
      });
      assert.equal(winners(answers), 1);
      const after50 = await storage.users.findById(user.id);
      assert.equal(after50?.epoch, 1);
      assert.equal(after50.passwordHash, String(answers.findIndex((answer) => answer !== null)));
    }
  });

  promise('revokeAll ends the sessions of that user alone and bumps the epoch', async (storage) => {
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
    promisesOf(promise, 'totp')(
      `${verb} leaves nothing of an enrolment that was only begun`,
      async (storage) => {
        const [user, other] = [
          await insertedUser(storage, { emailVerified: true }),
          await insertedUser(storage),
        ];
        const [begun, theirs] = [await begunTotp(storage, user.id), await begunTotp(storage, other.id)];
        const { digest } = await storedReset(storage, user);
        const wish = { tokenDigest: digest, userId: user.id, passwordHash: 'new', now };
        const end = {
          resetPassword: () => storage.users.resetPassword(wish),
          revokeAll: () => storage.sessions.revokeAll(user.id, now),
        };
        assert.ok(await end[verb]());
        assert.equal(await storage.totp.find(user.id), null);
        assert.equal(await storage.totp.confirm(begun), false);
        assert.equal((await storage.users.findById(user.id))?.totpEnabled, false);
        assert.equal(await storage.totp.confirm(theirs), true);
      },
    );
  }

  promise('revokeAll keeps the time at which a session was revoked before', async (storage) => {
    const user = await insertedUser(storage);
    const session = await startedSession(storage, user.id);
    await storage.sessions.revoke(session.id, after(1));
    await storage.sessions.revokeAll(user.id, after(5));
    assert.deepEqual((await storage.sessions.findWithUser(session.id))?.session.revokedAt, after(1));
  });

  promise('50 parallel revocations bump the epoch 50 times', async (storage) => {
    const user = await insertedUser(storage);
    await inParallel(50, () => storage.sessions.revokeAll(user.id, now));
    assert.equal((await storage.users.findById(user.id))?.epoch, 50);
  });
}
