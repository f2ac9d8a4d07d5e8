import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { begunTotp, confirmedTotp, newHashes } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  resetOf,
  storedReset,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  startedSession,
  winners,
  type With,
} from './suite.js';

/** Creates a user with a second factor and three recovery codes. */
async function userWithCodes(storage: With<'totp'>) {
  const { id } = await insertedUser(storage);
  const { recoveryCodeHashes: hashes } = await confirmedTotp(storage, id);
  return { id, hashes };
}

export function describeRecoveryCodes(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'totp');

  test('consumeRecoveryCode consumes a code once, and the others stay', async (storage) => {
    const { id, hashes } = await userWithCodes(storage);
    const consume = (hash = '') => storage.totp.consumeRecoveryCode(id, [hash]);
    const before = [await storage.users.findById(id), await storage.totp.find(id)];
    assert.equal(await storage.totp.countRecoveryCodes(id), 3);
    assert.deepEqual([await consume(hashes[1]), await consume(hashes[1])], [{ left: 2 }, null]);
    assert.equal(await storage.totp.countRecoveryCodes(id), 2);
    assert.deepEqual([await consume(hashes[0]), await consume(hashes[2])], [{ left: 1 }, { left: 0 }]);
    assert.equal(await storage.totp.countRecoveryCodes(id), 0);
    assert.deepEqual([await storage.users.findById(id), await storage.totp.find(id)], before);
  });

  test('consumeRecoveryCode finds a code by any of its hashes', async (storage) => {
    const { id, hashes } = await userWithCodes(storage);
    const [first = '', second = ''] = hashes;
    // One hash per key, because the caller does not know with which key the code was stored.
    assert.ok(await storage.totp.consumeRecoveryCode(id, [randomUUID(), first]));
    assert.ok(await storage.totp.consumeRecoveryCode(id, [second, randomUUID()]));
    assert.equal(await storage.totp.consumeRecoveryCode(id, [randomUUID(), first, second]), null);
    assert.equal(await storage.totp.countRecoveryCodes(id), 1);
  });

  test("consumeRecoveryCode returns null for no hash, an unknown hash, or another user's hash", async (storage) => {
    const [mine, other] = [await userWithCodes(storage), await userWithCodes(storage)];
    for (const hashes of [[], [''], [randomUUID()], other.hashes]) {
      assert.equal(await storage.totp.consumeRecoveryCode(mine.id, hashes), null);
    }
    assert.equal(await storage.totp.consumeRecoveryCode(randomUUID(), mine.hashes), null);
    for (const { id } of [mine, other]) assert.equal(await storage.totp.countRecoveryCodes(id), 3);
    assert.equal(await storage.totp.countRecoveryCodes(randomUUID()), 0);
  });

  test('two users can have recovery codes with the same hash, each their own', async (storage) => {
    const [one, two] = [await insertedUser(storage), await insertedUser(storage)];
    const recoveryCodeHashes = newHashes();
    for (const { id } of [one, two]) await confirmedTotp(storage, id, { recoveryCodeHashes });
    const [hash = ''] = recoveryCodeHashes;
    for (const { id } of [one, two]) {
      assert.ok(await storage.totp.consumeRecoveryCode(id, [hash]));
      assert.equal(await storage.totp.countRecoveryCodes(id), 2);
    }
  });

  test('only one of 50 parallel uses of a recovery code consumes it', async (storage) => {
    const { id, hashes } = await userWithCodes(storage);
    const [hash = ''] = hashes;
    const results = await inParallel(50, () => storage.totp.consumeRecoveryCode(id, [randomUUID(), hash]));
    assert.equal(winners(results.map(Boolean)), 1);
    assert.equal(await storage.totp.countRecoveryCodes(id), 2);
  });

  test('parallel uses of all recovery codes consume each of them once', async (storage) => {
    const { id } = await insertedUser(storage);
    const { recoveryCodeHashes: hashes } = await confirmedTotp(storage, id, {
      recoveryCodeHashes: newHashes(10),
    });
    const results = await inParallel(50, (index) =>
      storage.totp.consumeRecoveryCode(id, [hashes[index % 10] ?? '']),
    );
    // Exactly one of them leaves two, for a notice that is sent once.
    const left = results.flatMap((result) => (result ? [result.left] : []));
    assert.deepEqual(left.sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.equal(await storage.totp.countRecoveryCodes(id), 0);
  });

  test('replaceRecoveryCodes replaces all codes of that user only, and keeps the secret', async (storage) => {
    const [mine, other] = [await userWithCodes(storage), await userWithCodes(storage)];
    const enrollment = await storage.totp.find(mine.id);
    const session = await startedSession(storage, mine.id, {}, 1);
    const hashes = newHashes(5);
    assert.equal(await storage.totp.replaceRecoveryCodes(mine.id, hashes, after(5)), true);
    assert.equal(await storage.totp.countRecoveryCodes(mine.id), 5);
    assert.equal(await storage.totp.consumeRecoveryCode(mine.id, mine.hashes), null);
    assert.ok(await storage.totp.consumeRecoveryCode(mine.id, hashes.slice(4)));
    assert.deepEqual(await storage.totp.find(mine.id), enrollment);
    const found = await storage.sessions.findWithUser(session.id);
    assert.deepEqual(found?.session.revokedAt, after(5));
    const { epoch, sessionsValidAfter, totpEnabled } = found?.user ?? {};
    assert.deepEqual([epoch, sessionsValidAfter, totpEnabled], [2, after(5), true]);
    assert.equal(await storage.totp.countRecoveryCodes(other.id), 3);
  });

  test('replaceRecoveryCodes returns false without a confirmed second factor', async (storage) => {
    const [user, beginner] = [await insertedUser(storage), await insertedUser(storage)];
    await begunTotp(storage, beginner.id);
    for (const { id } of [user, beginner, { id: randomUUID() }]) {
      assert.equal(await storage.totp.replaceRecoveryCodes(id, newHashes(), after(5)), false);
      assert.equal(await storage.totp.countRecoveryCodes(id), 0);
    }
    for (const each of [user, beginner]) assert.deepEqual(await storage.users.findById(each.id), each);
  });

  test('50 parallel replacements leave the recovery codes of one of them', async (storage) => {
    const { id } = await userWithCodes(storage);
    const sets = await inParallel(50, async () => newHashes(2));
    await Promise.all(sets.map((hashes) => storage.totp.replaceRecoveryCodes(id, hashes, now)));
    assert.equal(await storage.totp.countRecoveryCodes(id), 2);
    const left: boolean[] = [];
    for (const hashes of sets) {
      const [first, second] = hashes.map((hash) => storage.totp.consumeRecoveryCode(id, [hash]));
      const [hasFirst, hasSecond] = [await first, await second];
      assert.equal(Boolean(hasFirst), Boolean(hasSecond));
      left.push(Boolean(hasFirst));
    }
    assert.equal(winners(left), 1);
    assert.equal((await storage.users.findById(id))?.epoch, 51);
  });

  for (const verb of ['disable', 'claim'] as const) {
    test(`no recovery code and no second factor remains after a parallel ${verb}`, async (storage) => {
      await inParallel(10, async () => {
        const { id } = await userWithCodes(storage);
        const next = await begunTotp(storage, id);
        const results = await Promise.all([
          storage.totp.replaceRecoveryCodes(id, newHashes(), now),
          verb === 'claim' ? storage.users.claim(id, now) : storage.totp.disable(id, now),
          storage.totp.replaceRecoveryCodes(id, newHashes(), now),
          storage.totp.confirm(next),
          storage.totp.advance(id, next.pendingSecret, 2000, now),
        ]);
        assert.ok(results[1]);
        const user = await storage.users.findById(id);
        const { secret, pendingSecret } = (await storage.totp.find(id)) ?? {};
        assert.deepEqual([secret ?? null, pendingSecret ?? null, user?.totpEnabled], [null, null, false]);
        assert.equal(await storage.totp.countRecoveryCodes(id), 0);
      });
    });
  }

  test('only one of a password reset and a parallel confirmation succeeds', async (storage) => {
    await inParallel(10, async () => {
      const user = await insertedUser(storage, { emailVerified: true });
      const { id } = user;
      const reset = resetOf(user, await storedReset(storage, user));
      const begun = await begunTotp(storage, id);
      const [isConfirmed, wasReset] = await Promise.all([
        storage.totp.confirm(begun),
        storage.users.resetPassword(reset),
      ]);
      const found = await storage.totp.find(id);
      assert.equal(found?.secret ?? null, isConfirmed ? begun.pendingSecret : null);
      assert.equal(found?.pendingSecret ?? null, null);
      const { totpEnabled, passwordHash } = (await storage.users.findById(id)) ?? {};
      // The first one ends what the second one requires: the enrollment, or the state of the
      // account.
      assert.equal(isConfirmed, wasReset === null);
      assert.deepEqual([totpEnabled, passwordHash], [isConfirmed, wasReset === null ? null : 'new']);
      assert.equal(await storage.totp.countRecoveryCodes(id), isConfirmed ? 3 : 0);
    });
  });
}
