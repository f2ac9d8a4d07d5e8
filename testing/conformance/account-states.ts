import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { SingleUseToken } from '../../src/domain/single-use-token.js';
import type { StoredUser } from '../../src/domain/user.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { equippedUser, everything, nothing, remains } from './equipment.js';
import {
  after,
  inParallel,
  insertedUser,
  newUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  resetOf,
  storedCode,
  storedReset,
  storedToken,
  guessedStatus,
} from './suite.js';

/** A reset link is valid only while the account has the state in which the link was mailed. */
export function describeAccountStates(test: RegisterConformanceTest): void {
  const address = () => `${randomUUID()}@example.test`;
  const nothingElse = async () => undefined;

  function reset(storage: StorageAdapter, user: StoredUser, token: SingleUseToken) {
    const input = { passwordHash: 'of the reset', now: after(9) };
    return storage.users.resetPassword(resetOf(user, token, input));
  }

  test('resetPassword refuses a token without an account state', async (storage) => {
    for (const emailVerified of [true, false]) {
      const user = await insertedUser(storage, { emailVerified });
      const token = await storedReset(storage, user, { account: undefined });
      assert.equal(await reset(storage, user, token), null);
      assert.deepEqual(await storage.users.findById(user.id), user);
    }
  });

  test('a reset token of a verified account is refused if it is for another state, address or user', async (storage) => {
    const user = await insertedUser(storage, { emailVerified: true, passwordHash: 'old' });
    const state = { epoch: 0, hasPassword: true };
    const tokens = [
      await storedReset(storage, user, { account: { ...state, epoch: 1 } }),
      await storedReset(storage, user, { account: { ...state, hasPassword: false } }),
      await storedReset(storage, user, { subject: address() }),
    ];
    for (const token of tokens) assert.equal(await reset(storage, user, token), null);
    const token = await storedReset(storage, user);
    assert.equal(await reset(storage, { ...user, id: randomUUID() }, token), null);
    assert.deepEqual(await storage.users.findById(user.id), user);
    assert.ok(await reset(storage, user, token));
  });

  test('a reset token of an account that is verified since then is valid for the same state alone', async (storage) => {
    const [same, other] = [await insertedUser(storage), await insertedUser(storage)];
    const tokens = [await storedReset(storage, same), await storedReset(storage, other)] as const;
    for (const { id } of [same, other]) await storage.users.markEmailVerified(id, now);
    assert.equal(await storage.users.setFirstPassword(other.id, 0, 'first', now), true);
    assert.equal((await reset(storage, same, tokens[0]))?.claimed, false);
    assert.equal(await reset(storage, other, tokens[1]), null);
    assert.equal((await storage.users.findById(other.id))?.passwordHash, 'first');
  });

  test('a reset token of a verified account is invalid after a first password is set', async (storage) => {
    const user = await insertedUser(storage, { emailVerified: true });
    const token = await storedReset(storage, user);
    assert.equal(await storage.users.setFirstPassword(user.id, 0, 'first', now), true);
    assert.equal(await reset(storage, user, token), null);
    assert.equal((await storage.users.findById(user.id))?.passwordHash, 'first');
  });

  test('a reset token of a verified account is invalid after revokeAll', async (storage) => {
    const user = await insertedUser(storage, { emailVerified: true });
    const token = await storedReset(storage, user);
    await storage.sessions.revokeAll(user.id, now);
    assert.equal(await reset(storage, user, token), null);
  });

  test('a reset token of an unverified account remains valid after changes by its user', async (storage) => {
    const user = await insertedUser(storage);
    const token = await storedReset(storage, user);
    await storage.users.setFirstPassword(user.id, 0, 'old', now);
    const change = { userId: user.id, epoch: 0, fromHash: 'old', passwordHash: 'other', now };
    assert.equal((await storage.users.changePassword(change)).status, 'changed');
    await storage.sessions.revokeAll(user.id, now);
    const late = await storedReset(storage, user);
    assert.deepEqual((await reset(storage, user, token))?.claimed, true);
    assert.equal(await reset(storage, user, late), null);
  });

  test('resetPassword with revokeCredentials also removes passkeys and API keys', async (storage) => {
    for (const emailVerified of [true, false]) {
      const mine = await equippedUser(storage, { emailVerified });
      const other = await equippedUser(storage);
      const input = resetOf(mine.user, mine.reset, { revokeCredentials: true });
      assert.ok(await storage.users.resetPassword(input));
      const { identities, secret, recoveryCodes } = everything(storage);
      const kept = emailVerified ? { identities, secret, recoveryCodes } : {};
      assert.deepEqual(await remains(storage, mine), { ...nothing, ...kept });
      assert.deepEqual(await remains(storage, other), everything(storage));
    }
  });

  testsRequiring(test, 'accounts')(
    'no reset token remains valid after a parallel change of the address',
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
        for (const token of [one, two, three]) assert.equal(await reset(storage, user, token), null);
        assert.equal((await storage.users.findById(userId))?.passwordHash, 'old');
      });
    },
  );

  testsRequiring(test, 'accounts')(
    'deleteUser of an unverified account keeps the codes, links and resets of the address',
    async (storage) => {
      const user = await insertedUser(storage);
      const subject = user.email ?? '';
      const [link, code] = [await storedToken(storage, { subject }), await storedCode(storage, { subject })];
      const token = await storedReset(storage, user);
      const deleted = await storage.accounts.deleteUser(user.id, nothingElse);
      assert.deepEqual(deleted, { status: 'deleted' });
      assert.deepEqual(await storage.singleUseTokens.consume('password_reset', token.digest, now), token);
      assert.ok(await storage.singleUseTokens.consume('magic_link', link.digest, now));
      assert.equal(await guessedStatus(storage, code), 'wrong');
    },
  );

  describeSessionEpochs(test);
}

/** Changes requested by a session require the epoch of that session. */
function describeSessionEpochs(test: RegisterConformanceTest): void {
  const epochOf = async (storage: StorageAdapter, { id }: StoredUser) =>
    (await storage.users.findById(id))?.epoch;

  testsRequiring(test, 'accounts')('deleteUser at another epoch deletes nothing', async (storage) => {
    const user = await insertedUser(storage);
    const refused = await storage.accounts.deleteUser(user.id, () => assert.fail('called'), 1);
    assert.deepEqual(refused, { status: 'epoch_moved' });
    const deleted = await storage.accounts.deleteUser(user.id, async () => undefined, 0);
    assert.deepEqual(deleted, { status: 'deleted' });
  });

  testsRequiring(test, 'guests')('upgrade at another epoch changes nothing', async (storage) => {
    const guest = newUser({ email: null });
    await storage.guests.insert(guest);
    const upgrade = { userId: guest.id, identity: null, passwordHash: null, now };
    const input = { ...upgrade, email: `${randomUUID()}@example.test`, emailVerified: true };
    assert.deepEqual(await storage.guests.upgrade({ ...input, epoch: 1 }), { status: 'epoch_moved' });
    assert.equal(await storage.guests.isGuest(guest.id), true);
    assert.equal((await storage.guests.upgrade({ ...input, epoch: 0 })).status, 'upgraded');
  });

  testsRequiring(test, 'totp')('second factors do not change at another epoch', async (storage) => {
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
