import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StoredUser } from '../../src/domain/user.js';
import type { TotpConfirmation } from '../../src/storage/second-factor-repositories.js';
import { begunTotp, confirmedTotp, insertedGuest, newHashes } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  startedSession,
  winners,
} from './suite.js';

/** Returns the user after the second factor was enabled or disabled at that time. */
function changed(user: StoredUser, totpEnabled: boolean, at: Date): StoredUser {
  return { ...user, totpEnabled, epoch: user.epoch + 1, sessionsValidAfter: at, updatedAt: at };
}

export function confirmed({ userId, pendingSecret, step, now: confirmedAt }: TotpConfirmation) {
  return { userId, secret: pendingSecret, lastStep: step, pendingSecret: null, confirmedAt };
}

/** Asserts that exactly one of 50 parallel calls returned true. */
function assertOneWinner(results: readonly boolean[]): void {
  assert.deepEqual([results.length, winners(results)], [50, 1]);
}

export function describeTotp(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'totp');

  test('savePending stores a pending secret without enabling it', async (storage) => {
    const user = await insertedUser(storage);
    assert.equal(await storage.totp.find(user.id), null);
    const { pendingSecret } = await begunTotp(storage, user.id);
    const found = await storage.totp.find(user.id);
    assert.ok(found);
    const { userId, secret, confirmedAt } = found;
    assert.deepEqual([userId, secret, confirmedAt], [user.id, null, null]);
    assert.equal(found.pendingSecret, pendingSecret);
    assert.deepEqual(await storage.users.findById(user.id), user);
    assert.equal(await storage.totp.advance(user.id, pendingSecret, 2000, now), false);
    assert.equal(await storage.totp.find((await insertedUser(storage)).id), null);
  });

  test('savePending replaces a pending secret and keeps a confirmed one', async (storage) => {
    const { id } = await insertedUser(storage);
    const [first, second] = [await begunTotp(storage, id), await begunTotp(storage, id)];
    assert.equal(await storage.totp.confirm(first), false);
    assert.equal(await storage.totp.confirm(second), true);
    const user = await storage.users.findById(id);
    const { pendingSecret } = await begunTotp(storage, id);
    assert.deepEqual(await storage.totp.find(id), { ...confirmed(second), pendingSecret });
    assert.deepEqual(await storage.users.findById(id), user);
    assert.equal(await storage.totp.countRecoveryCodes(id), 3);
    assert.equal(await storage.totp.advance(id, second.pendingSecret, 1001, now), true);
  });

  test('savePending returns no_user and stores nothing for an unknown user', async (storage) => {
    const id = randomUUID();
    assert.equal(await storage.totp.savePending(id, 'secret'), 'no_user');
    assert.equal(await storage.totp.find(id), null);
  });

  testsRequiring(
    register,
    'totp',
    'guests',
  )('savePending returns guest, and confirm returns false, for a guest', async (storage) => {
    const { id } = await insertedGuest(storage);
    assert.equal(await storage.totp.savePending(id, 'secret'), 'guest');
    assert.equal(await storage.totp.find(id), null);
    const confirmation = { userId: id, pendingSecret: 'secret', step: 1, recoveryCodeHashes: [], now };
    assert.equal(await storage.totp.confirm(confirmation), false);
    assert.equal((await storage.users.findById(id))?.totpEnabled, false);
  });

  test('confirm enables the pending secret and sets totpEnabled', async (storage) => {
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    const confirmation = await begunTotp(storage, user.id, { now: after(5) });
    assert.equal(await storage.totp.confirm(confirmation), true);
    assert.deepEqual(await storage.totp.find(user.id), confirmed(confirmation));
    assert.deepEqual(await storage.users.findById(user.id), changed(user, true, after(5)));
    assert.equal(await storage.totp.countRecoveryCodes(user.id), 3);
    assert.deepEqual(await storage.users.findById(other.id), other);
  });

  test('confirm returns false and changes nothing for any secret but the pending one', async (storage) => {
    const [mine, other] = [await insertedUser(storage), await insertedUser(storage)];
    const session = await startedSession(storage, mine.id);
    const [begun, theirs] = [await begunTotp(storage, mine.id), await begunTotp(storage, other.id)];
    const before = await storage.totp.find(mine.id);
    const refused = [
      { ...begun, pendingSecret: theirs.pendingSecret },
      { ...begun, pendingSecret: '' },
      { ...begun, userId: randomUUID() },
      { ...begun, userId: (await insertedUser(storage)).id },
    ];
    for (const input of refused) assert.equal(await storage.totp.confirm(input), false);
    assert.deepEqual(await storage.totp.find(mine.id), before);
    assert.equal(await storage.totp.countRecoveryCodes(mine.id), 0);
    assert.deepEqual(await storage.sessions.findWithUser(session.id), { session, user: mine });
  });

  test('confirm returns false for a secret that is already confirmed', async (storage) => {
    const { id } = await insertedUser(storage);
    const confirmation = await confirmedTotp(storage, id);
    const user = await storage.users.findById(id);
    const again = { ...confirmation, step: 1, recoveryCodeHashes: newHashes(1), now: after(9) };
    assert.equal(await storage.totp.confirm(again), false);
    assert.deepEqual(await storage.totp.find(id), confirmed(confirmation));
    assert.deepEqual(await storage.users.findById(id), user);
    assert.equal(await storage.totp.countRecoveryCodes(id), 3);
  });

  test('a second enrollment replaces the first, with its last step and recovery codes', async (storage) => {
    const { id } = await insertedUser(storage);
    const first = await confirmedTotp(storage, id);
    // The clock of the new authenticator runs behind. Steps are counted per secret.
    const second = await confirmedTotp(storage, id, { step: 990, recoveryCodeHashes: newHashes(2) });
    assert.deepEqual(await storage.totp.find(id), confirmed(second));
    assert.equal(await storage.totp.advance(id, first.secret, 2000, now), false);
    assert.equal(await storage.totp.consumeRecoveryCode(id, first.recoveryCodeHashes), null);
    assert.equal(await storage.totp.countRecoveryCodes(id), 2);
    const { epoch, totpEnabled } = (await storage.users.findById(id)) ?? {};
    assert.deepEqual([epoch, totpEnabled], [2, true]);
  });

  test('only one of 50 parallel confirmations of a secret returns true', async (storage) => {
    const user = await insertedUser(storage);
    const confirmation = await begunTotp(storage, user.id);
    const codes = await inParallel(50, async () => newHashes(1));
    const input = (index: number) => ({ ...confirmation, recoveryCodeHashes: codes[index] ?? [] });
    const results = await inParallel(50, (index) => storage.totp.confirm(input(index)));
    assertOneWinner(results);
    assert.deepEqual(await storage.users.findById(user.id), changed(user, true, now));
    const { recoveryCodeHashes } = input(results.indexOf(true));
    assert.ok(await storage.totp.consumeRecoveryCode(user.id, recoveryCodeHashes));
    assert.equal(await storage.totp.countRecoveryCodes(user.id), 0);
  });

  test('advance accepts only a later step, and only of this secret', async (storage) => {
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    const { secret } = await confirmedTotp(storage, user.id);
    const theirs = await confirmedTotp(storage, other.id);
    const advance = (step: number, by = secret) => storage.totp.advance(user.id, by, step, now);
    const calls = [1000, 999, 0, -1, 1001, 1001, 1000, 1003, 1002];
    const results: boolean[] = [];
    for (const step of calls) results.push(await advance(step));
    assert.deepEqual(results, [false, false, false, false, true, false, false, true, false]);
    assert.equal(await advance(2000, theirs.secret), false);
    assert.equal(await advance(2000, 'unknown'), false);
    assert.equal(await storage.totp.advance(randomUUID(), secret, 2000, now), false);
    assert.equal((await storage.totp.find(user.id))?.lastStep, 1003);
    assert.deepEqual(await storage.totp.find(other.id), confirmed(theirs));
  });

  test('only one of 50 parallel uses of a step returns true', async (storage) => {
    const { id } = await insertedUser(storage);
    const { secret } = await confirmedTotp(storage, id);
    assertOneWinner(await inParallel(50, () => storage.totp.advance(id, secret, 1001, now)));
  });

  test('parallel uses of many steps end at the latest step', async (storage) => {
    const { id } = await insertedUser(storage);
    const { secret } = await confirmedTotp(storage, id);
    const results = await inParallel(50, (index) =>
      storage.totp.advance(id, secret, 1001 + (index % 25), now),
    );
    assert.ok(winners(results) >= 1 && winners(results) <= 25);
    assert.equal((await storage.totp.find(id))?.lastStep, 1025);
  });

  test('disable removes everything, ends every session and returns true once', async (storage) => {
    const [{ id }, other] = [await insertedUser(storage), await insertedUser(storage)];
    await confirmedTotp(storage, id);
    const theirs = await confirmedTotp(storage, other.id);
    await begunTotp(storage, id);
    const user = await storage.users.findById(id);
    const session = await startedSession(storage, id, {}, 1);
    assert.ok(user);
    assertOneWinner(await inParallel(50, () => storage.totp.disable(id, after(5))));
    assert.equal(await storage.totp.find(id), null);
    assert.equal(await storage.totp.countRecoveryCodes(id), 0);
    const expected = { session: { ...session, revokedAt: after(5) }, user: changed(user, false, after(5)) };
    assert.deepEqual(await storage.sessions.findWithUser(session.id), expected);
    assert.deepEqual(await storage.totp.find(other.id), confirmed(theirs));
    assert.equal(await storage.totp.countRecoveryCodes(other.id), 3);
  });

  test('disable before a confirmation removes the pending secret and ends no session', async (storage) => {
    const user = await insertedUser(storage);
    const session = await startedSession(storage, user.id);
    const begun = await begunTotp(storage, user.id);
    assert.equal(await storage.totp.disable(user.id, after(5)), false);
    assert.equal(await storage.totp.confirm(begun), false);
    assert.equal(await storage.totp.find(user.id), null);
    assert.equal(await storage.totp.disable(user.id, after(5)), false);
    assert.equal(await storage.totp.disable(randomUUID(), after(5)), false);
    assert.deepEqual(await storage.sessions.findWithUser(session.id), { session, user });
  });

  test('changing a returned enrollment does not change the stored one', async (storage) => {
    const { id } = await insertedUser(storage);
    const recoveryCodeHashes = newHashes();
    const given = await confirmedTotp(storage, id, { recoveryCodeHashes, now: after(5) });
    const untouched = confirmed({ ...given, now: after(5) });
    given.now.setTime(0);
    recoveryCodeHashes.push('forged');
    const found = await storage.totp.find(id);
    assert.deepEqual(found, untouched);
    Object.assign(found, { secret: 'forged', lastStep: 0, pendingSecret: 'forged' });
    found.confirmedAt?.setTime(0);
    assert.deepEqual(await storage.totp.find(id), untouched);
    assert.equal(await storage.totp.consumeRecoveryCode(id, ['forged']), null);
    assert.deepEqual((await storage.users.findById(id))?.sessionsValidAfter, after(5));
  });
}
