import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StoredUser } from '../../src/domain/user.js';
import {
  after,
  inParallel,
  insertedUser,
  newUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  resetOf,
  startedSession,
  storedReset,
  type With,
} from './suite.js';

const address = () => `${randomUUID()}@example.test`;

/**
 * A reset link is the mailbox owner's. The user of an unverified account may be someone else, and cannot void the link by leaving the
 * address; the user of a verified account is the owner, and can.
 */
export function describeMailedResets(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'accounts');

  test('a reset of an unverified account that is deleted reclaims the next unverified account of the address', async (storage) => {
    const user = await insertedUser(storage, { passwordHash: 'old' });
    const token = await storedReset(storage, user);
    await deleteUser(storage, user);
    const stranger = await insertedUser(storage, { email: user.email, passwordHash: 'of the stranger' });
    const session = await startedSession(storage, stranger.id);
    const reset = resetOf(user, token, { now: after(5) });
    const times = { epoch: 1, sessionsValidAfter: after(5), updatedAt: after(5) };
    const expected = { ...stranger, passwordHash: 'new', emailVerified: true, ...times };
    assert.deepEqual(await storage.users.resetPassword(reset), { user: expected, claimed: true });
    assert.deepEqual(await storage.users.findById(stranger.id), expected);
    assert.equal(await storage.sessions.findWithUser(session.id), null);
    assert.equal(await storage.users.resetPassword(reset), null);
  });

  test('resetPassword returns null and keeps the token while no account has the address', async (storage) => {
    const user = await insertedUser(storage);
    const token = await storedReset(storage, user);
    await deleteUser(storage, user);
    for (let i = 0; i < 2; i += 1)
      assert.equal(await storage.users.resetPassword(resetOf(user, token)), null);
    const stranger = await insertedUser(storage, { email: user.email });
    const outcome = await storage.users.resetPassword(resetOf(user, token));
    assert.deepEqual([outcome?.user.id, outcome?.claimed], [stranger.id, true]);
  });

  test('a reset token that outlasts its account does not name the deleted user', async (storage) => {
    const user = await insertedUser(storage);
    const { digest, purpose } = await storedReset(storage, user);
    await deleteUser(storage, user);
    const token = await storage.singleUseTokens.consume(purpose, digest, now);
    assert.equal(token?.subject, user.email);
    assert.ok(!JSON.stringify(token).includes(user.id));
  });

  test('a reset token is stored while no account has its address', async (storage) => {
    // Between the look-up of the account and the insert, its user can delete it.
    const user = await insertedUser(storage);
    await deleteUser(storage, user);
    const token = await storedReset(storage, user);
    const stranger = await insertedUser(storage, { email: user.email });
    const outcome = await storage.users.resetPassword(resetOf(user, token));
    assert.deepEqual([outcome?.user.id, outcome?.claimed], [stranger.id, true]);
  });

  test('a reset of an unverified account that moves to another address stays at the address that it was mailed to', async (storage) => {
    const user = await insertedUser(storage);
    const token = await storedReset(storage, user);
    const move = { userId: user.id, epoch: 0, email: address(), now };
    const moved = await storage.accounts.changeEmail(move);
    assert.equal(await storage.users.resetPassword(resetOf(user, token)), null);
    const stranger = await insertedUser(storage, { email: user.email });
    const outcome = await storage.users.resetPassword(resetOf(user, token));
    assert.deepEqual([outcome?.user.id, outcome?.claimed], [stranger.id, true]);
    assert.deepEqual(moved, { status: 'changed', user: await storage.users.findById(user.id) });
  });

  test('a reset of an unverified account does not set the password of a verified account that follows at the address', async (storage) => {
    const user = await insertedUser(storage, { passwordHash: 'old' });
    const token = await storedReset(storage, user);
    await deleteUser(storage, user);
    // The same epoch, and a password as well.
    const owner = await insertedUser(storage, { ...user, id: randomUUID(), emailVerified: true });
    assert.equal(await storage.users.resetPassword(resetOf(user, token)), null);
    assert.deepEqual(await storage.users.findById(owner.id), owner);
  });

  test('deleteUser of a verified account removes its reset tokens', async (storage) => {
    for (const emailVerified of [true, false]) {
      const user = await insertedUser(storage, { emailVerified: true, passwordHash: 'old' });
      const token = await storedReset(storage, user);
      await deleteUser(storage, user);
      const next = await insertedUser(storage, { ...user, id: randomUUID(), emailVerified });
      assert.equal(await storage.users.resetPassword(resetOf(user, token)), null);
      assert.deepEqual(await storage.users.findById(next.id), next);
      assert.equal(await storage.singleUseTokens.consume('password_reset', token.digest, now), null);
    }
  });

  test('changeEmail of a verified account removes the reset tokens of both addresses', async (storage) => {
    const user = await insertedUser(storage, { emailVerified: true });
    const former = await insertedUser(storage);
    const tokens = [await storedReset(storage, user), await storedReset(storage, former)];
    await deleteUser(storage, former);
    const move = { userId: user.id, epoch: 0, email: former.email ?? '', now };
    assert.equal((await storage.accounts.changeEmail(move)).status, 'changed');
    for (const { digest } of tokens)
      assert.equal(await storage.singleUseTokens.consume('password_reset', digest, now), null);
  });

  test('of resets that race a deletion and a sign-up one wins, and none is lost', async (storage) => {
    await inParallel(20, async () => {
      const user = await insertedUser(storage, { passwordHash: 'old' });
      const token = await storedReset(storage, user);
      const next = newUser({ email: user.email, passwordHash: 'of the stranger' });
      const reset = () => storage.users.resetPassword(resetOf(user, token));
      const signUp = () => storage.users.insert(next);
      const [one, two, , , , three, , four] = await Promise.all([
        reset(),
        reset(),
        // Of the session that the stranger has: a reset ends it.
        storage.accounts.deleteUser(user.id, nothing, 0),
        signUp(),
        signUp(),
        reset(),
        signUp(),
        reset(),
      ]);
      await signUp();
      // Every call can have found no account. The token is still there then.
      const outcomes = [one, two, three, four, await reset()];
      const [winner, ...others] = outcomes.filter((outcome) => outcome !== null);
      assert.ok(winner && others.length === 0);
      assert.deepEqual([winner.claimed, winner.user.passwordHash], [true, 'new']);
      assert.deepEqual(await storage.users.findByEmail(user.email ?? ''), winner.user);
    });
  });

  test('no reset reaches a verified account that takes the address in between', async (storage) => {
    await inParallel(20, async () => {
      const user = await insertedUser(storage, { passwordHash: 'old' });
      const token = await storedReset(storage, user);
      const owner = newUser({ email: user.email, emailVerified: true, passwordHash: 'of the owner' });
      const reset = () => storage.users.resetPassword(resetOf(user, token));
      const [one, , isOwner, two] = await Promise.all([
        reset(),
        storage.accounts.deleteUser(user.id, nothing, 0),
        storage.users.insert(owner),
        reset(),
      ]);
      const ownersLater = isOwner || (await storage.users.insert(owner));
      for (const outcome of [one, two, await reset()]) if (outcome) assert.equal(outcome.user.id, user.id);
      const { id, passwordHash } = (await storage.users.findByEmail(user.email ?? '')) ?? {};
      assert.deepEqual([id, passwordHash], ownersLater ? [owner.id, 'of the owner'] : [user.id, 'new']);
    });
  });
}

async function nothing(): Promise<void> {}

async function deleteUser(storage: With<'accounts'>, { id }: StoredUser): Promise<void> {
  assert.deepEqual(await storage.accounts.deleteUser(id, nothing), { status: 'deleted' });
}
