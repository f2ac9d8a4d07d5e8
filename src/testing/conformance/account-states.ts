import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { SingleUseToken } from '../../domain/single-use-token.js';
import type { StoredUser } from '../../domain/user.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import { equippedUser, everything, nothing, remains } from './equipment.js';
import {
  after,
  inParallel,
  insertedUser,
  newUser,
  now,
  type Promises,
  promisesOf,
  storedCode,
  storedReset,
  storedToken,
} from './suite.js';

/** A reset link is valid for the account that it was mailed for, as it was then. */
export function accountStatePromises(promise: Promises): void {
  const address = () => `${randomUUID()}@example.test`;
  const nothingElse = async () => undefined;

  function reset(storage: StorageAdapter, { digest, subject }: SingleUseToken) {
    const wish = { tokenDigest: digest, userId: subject, passwordHash: 'of the reset', now: after(9) };
    return storage.users.resetPassword(wish);
  }

  promise('a reset token without the state of its account is refused', async (storage) => {
    const user = await insertedUser(storage, { emailVerified: true });
    const token = await storedReset(storage, user, { account: undefined });
    assert.equal(await reset(storage, token), null);
    assert.deepEqual(await storage.users.findById(user.id), user);
  });

  promise(
    'a reset token for another state of the account is neither stored nor accepted',
    async (storage) => {
      const user = await insertedUser(storage, { emailVerified: true, passwordHash: 'old' });
      const state = { email: user.email ?? '', epoch: 0, hasPassword: true };
      for (const other of [{ email: address() }, { epoch: 1 }, { hasPassword: false }]) {
        const token = await storedReset(storage, user, { account: { ...state, ...other } });
        assert.equal(await reset(storage, token), null);
        assert.equal(await storage.singleUseTokens.consume('password_reset', token.digest, now), null);
      }
      assert.deepEqual(await storage.users.findById(user.id), user);
      assert.ok(await reset(storage, await storedReset(storage, user)));
    },
  );

  promise('a reset token of a verified account is void after a first password', async (storage) => {
    const user = await insertedUser(storage, { emailVerified: true });
    const token = await storedReset(storage, user);
    assert.equal(await storage.users.setFirstPassword(user.id, 0, 'first', now), true);
    assert.equal(await reset(storage, token), null);
    assert.equal((await storage.users.findById(user.id))?.passwordHash, 'first');
  });

  promise('a reset token of a verified account is void after revokeAll', async (storage) => {
    const user = await insertedUser(storage, { emailVerified: true });
    const token = await storedReset(storage, user);
    await storage.sessions.revokeAll(user.id, now);
    assert.equal(await reset(storage, token), null);
  });

  promise('a reset token of an unverified account outlasts what its user does', async (storage) => {
    const user = await insertedUser(storage);
    const token = await storedReset(storage, user);
    await storage.users.setFirstPassword(user.id, 0, 'old', now);
    const change = { userId: user.id, epoch: 0, fromHash: 'old', passwordHash: 'other', now };
    assert.equal((await storage.users.changePassword(change)).status, 'changed');
    await storage.sessions.revokeAll(user.id, now);
    const late = await storedReset(storage, user);
    assert.deepEqual((await reset(storage, token))?.claimed, true);
    assert.equal(await reset(storage, late), null);
  });

  promise('resetPassword with revokeCredentials also removes passkeys and API keys', async (storage) => {
    for (const emailVerified of [true, false]) {
      const mine = await equippedUser(storage, { emailVerified });
      const other = await equippedUser(storage);
      const wish = {
        tokenDigest: mine.reset.digest,
        userId: mine.user.id,
        passwordHash: 'new',
        now: after(5),
      };
      assert.ok(await storage.users.resetPassword({ ...wish, revokeCredentials: true }));
      const { identities, secret, recoveryCodes } = everything(storage);
      const kept = emailVerified ? { identities, secret, recoveryCodes } : {};
      assert.deepEqual(await remains(storage, mine), { ...nothing, ...kept });
      assert.deepEqual(await remains(storage, other), everything(storage));
    }
  });

  promisesOf(promise, 'accounts')(
    'no reset token slips past a change of the address that races it',
    async (storage) => {
      await inParallel(20, async () => {
        const user = await insertedUser(storage, { emailVerified: true, passwordHash: 'old' });
        const { id: userId, epoch } = user;
        const change = () => storage.accounts.changeEmail({ userId, epoch, email: address(), now });
        const [one, two, , three] = await Promise.all([
          storedReset(storage, user),
          storedReset(storage, user),
          change(),
          storedReset(storage, user),
        ]);
        for (const token of [one, two, three]) assert.equal(await reset(storage, token), null);
        assert.equal((await storage.users.findById(userId))?.passwordHash, 'old');
      });
    },
  );

  promisesOf(promise, 'accounts')(
    'deleteUser of an unverified account leaves the codes and links of the address, and no reset',
    async (storage) => {
      const user = await insertedUser(storage);
      const subject = user.email ?? '';
      const [link, code] = [await storedToken(storage, { subject }), await storedCode(storage, { subject })];
      const token = await storedReset(storage, user);
      const deleted = await storage.accounts.deleteUser(user.id, nothingElse);
      assert.deepEqual(deleted, { status: 'deleted' });
      assert.equal(await reset(storage, token), null);
      assert.equal(await storage.users.insert(newUser({ email: user.email })), true);
      assert.equal(await reset(storage, token), null);
      assert.ok(await storage.singleUseTokens.consume('magic_link', link.digest, now));
      const attempt = await storage.oneTimeCodes.reserveAttempt('email_code', subject, 5, now);
      assert.deepEqual(attempt.status === 'reserved' && attempt.code.codeHash, code.codeHash);
    },
  );

  sessionEpochPromises(promise);
}

/** Changes that are made from a session are made at the epoch of that session. */
function sessionEpochPromises(promise: Promises): void {
  const epochOf = async (storage: StorageAdapter, { id }: StoredUser) =>
    (await storage.users.findById(id))?.epoch;

  promisesOf(promise, 'accounts')('deleteUser at another epoch deletes nothing', async (storage) => {
    const user = await insertedUser(storage);
    const refused = await storage.accounts.deleteUser(user.id, () => assert.fail('called'), 1);
    assert.deepEqual(refused, { status: 'epoch_moved' });
    const deleted = await storage.accounts.deleteUser(user.id, async () => undefined, 0);
    assert.deepEqual(deleted, { status: 'deleted' });
  });

  promisesOf(promise, 'guests')('upgrade at another epoch changes nothing', async (storage) => {
    const guest = newUser({ email: null });
    await storage.guests.insert(guest);
    const upgrade = { userId: guest.id, identity: null, passwordHash: null, now };
    const wish = { ...upgrade, email: `${randomUUID()}@example.test`, emailVerified: true };
    assert.deepEqual(await storage.guests.upgrade({ ...wish, epoch: 1 }), { status: 'epoch_moved' });
    assert.equal(await storage.guests.isGuest(guest.id), true);
    assert.equal((await storage.guests.upgrade({ ...wish, epoch: 0 })).status, 'upgraded');
  });

  promisesOf(promise, 'totp')('second factors at another epoch stay as they are', async (storage) => {
    const { totp } = storage;
    const user = await insertedUser(storage);
    await totp.savePending(user.id, 'secret');
    const confirmation = {
      userId: user.id,
      pendingSecret: 'secret',
      step: 1,
      recoveryCodeHashes: ['a'],
      now,
    };
    assert.equal(await totp.confirm({ ...confirmation, epoch: 1 }), false);
    assert.equal(await totp.confirm({ ...confirmation, epoch: 0 }), true);
    assert.equal(await totp.replaceRecoveryCodes(user.id, ['b', 'c'], now, 0), false);
    assert.equal(await totp.countRecoveryCodes(user.id), 1);
    assert.equal(await totp.disable(user.id, now, 0), false);
    assert.equal(await epochOf(storage, user), 1);
    assert.equal(await totp.replaceRecoveryCodes(user.id, ['b', 'c'], now, 1), true);
    assert.equal(await totp.disable(user.id, now, 2), true);
  });
}
