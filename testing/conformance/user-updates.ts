import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { UserChanges } from '../../src/storage/user-administration-repository.js';
import {
  after,
  inParallel,
  newSession,
  now,
  type RegisterConformanceTest,
  startedSession,
  storedCode,
  storedToken,
  tally,
  testsRequiring,
  guessedStatus,
} from './suite.js';
import { insertedAdministered, uniqueUsername } from './user-lists.js';

export function describeUserUpdates(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'userAdministration');

  test('update writes the values that decide returns, keeps the others, and passes the user to decide', async (storage) => {
    const user = await insertedAdministered(storage, { roles: ['support'], username: uniqueUsername() });
    const change = (changes: UserChanges, at: Date) =>
      storage.userAdministration.update(user.id, at, (current) => {
        assert.deepEqual(current, expected);
        return changes;
      });
    let expected = user;
    const username = uniqueUsername('Grace');
    const steps: [UserChanges, Partial<typeof user>][] = [
      [{ metadata: { plan: 'pro' } }, { metadata: { plan: 'pro' } }],
      [{ roles: ['admin', 'billing'] }, { roles: ['admin', 'billing'] }],
      [{ emailVerified: true }, { emailVerified: true }],
      [{ username }, { username: username.name }],
      [{ roles: [] }, { roles: [] }],
      [{ username: null }, { username: null }],
      [{}, {}],
    ];
    for (const [index, [changes, values]] of steps.entries()) {
      const outcome = await change(changes, after(index + 1));
      expected = { ...expected, ...values, updatedAt: after(index + 1) };
      assert.deepEqual(outcome, { status: 'updated', user: expected });
      assert.deepEqual(await storage.userAdministration.find({ id: user.id }), expected);
    }
    assert.equal(await storage.userAdministration.find({ usernameKey: username.key }), null);
  });

  test('update raises updatedAt by at least one millisecond, even if the clock is behind', async (storage) => {
    const { id } = await insertedAdministered(storage);
    for (const [at, expected] of [
      [now, after(1)],
      [after(-5), after(2)],
      [after(9), after(9)],
    ] as const) {
      const outcome = await storage.userAdministration.update(id, at, () => ({}));
      assert.deepEqual(outcome.status === 'updated' && outcome.user.updatedAt, expected);
    }
  });

  test('update does not call decide for an unknown user', async (storage) => {
    for (const id of [randomUUID(), 'x']) {
      const outcome = storage.userAdministration.update(id, now, () => assert.fail('called'));
      assert.deepEqual(await outcome, { status: 'no_user' });
    }
  });

  test('update changes nothing and rethrows the error if decide throws', async (storage) => {
    const user = await insertedAdministered(storage);
    const error = new TypeError('mine');
    const outcome = storage.userAdministration.update(user.id, now, () => {
      throw error;
    });
    await assert.rejects(outcome, (thrown) => thrown === error);
    assert.deepEqual(await storage.userAdministration.find({ id: user.id }), user);
  });

  test('update changes nothing if the address or the user name is taken', async (storage) => {
    const username = uniqueUsername();
    const other = await insertedAdministered(storage, { username });
    const user = await insertedAdministered(storage);
    const email = other.email ?? '';
    assert.deepEqual(
      await storage.userAdministration.update(user.id, after(1), () => ({ email, roles: ['x'] })),
      {
        status: 'email_taken',
      },
    );
    const renamed = await storage.userAdministration.update(user.id, after(1), () => ({
      username,
      roles: ['x'],
    }));
    assert.deepEqual(renamed, { status: 'username_taken' });
    assert.deepEqual(await storage.userAdministration.find({ id: user.id }), user);
    const own = await storage.userAdministration.update(other.id, after(1), () => ({ email, username }));
    assert.equal(own.status, 'updated');
    const free = uniqueUsername();
    const users = await inParallel(10, () => insertedAdministered(storage));
    const race = await Promise.all(
      users.map(({ id }) => storage.userAdministration.update(id, now, () => ({ username: free }))),
    );
    assert.deepEqual(tally(race.map(({ status }) => status)), { updated: 1, username_taken: 9 });
  });

  test('a new address ends every session and removes what was mailed to a verified old one', async (storage) => {
    const user = await insertedAdministered(storage, { emailVerified: true });
    const { id, email: old } = user;
    const session = await startedSession(storage, id);
    const link = await storedToken(storage, { subject: old ?? '' });
    const code = await storedCode(storage, { subject: old ?? '' });
    const email = `${randomUUID()}@example.test`;
    const change = () => ({ email, emailVerified: false });
    const outcome = await storage.userAdministration.update(id, after(5), change);
    const changed = { ...user, email, emailVerified: false, epoch: 1 };
    const times = { sessionsValidAfter: after(5), updatedAt: after(5), lastSignInAt: now };
    assert.deepEqual(outcome, { status: 'updated', user: { ...changed, ...times } });
    assert.deepEqual((await storage.sessions.findWithUser(session.id))?.session.revokedAt, after(5));
    assert.equal(await storage.singleUseTokens.consume('magic_link', link.digest, now), null);
    assert.equal(await guessedStatus(storage, code), 'missing');
    assert.equal(await storage.users.findByEmail(old ?? ''), null);
    assert.equal((await storage.users.findByEmail(email))?.id, id);
    const same = await storage.userAdministration.update(id, after(6), change);
    assert.equal(same.status === 'updated' && same.user.epoch, 1);
  });

  test('update rejects an address that is not in canonical form', async (storage) => {
    const user = await insertedAdministered(storage);
    const outcome = storage.userAdministration.update(user.id, now, () => ({ email: 'A@example.test' }));
    await assert.rejects(outcome, { code: 'invalid_request' });
    assert.deepEqual(await storage.userAdministration.find({ id: user.id }), user);
  });

  test('each of 50 parallel updates sees the result of the one before it', async (storage) => {
    const { id } = await insertedAdministered(storage, { metadata: {} });
    await inParallel(50, (index) =>
      storage.userAdministration.update(id, now, ({ metadata }) => ({
        metadata: { ...metadata, [`key${index}`]: index },
      })),
    );
    const user = await storage.userAdministration.find({ id });
    assert.equal(Object.keys(user?.metadata ?? {}).length, 50);
    assert.deepEqual(user?.updatedAt, after(50));
  });

  test('setPassword sets the hash and ends every session', async (storage) => {
    const user = await insertedAdministered(storage, { emailVerified: true });
    const session = await startedSession(storage, user.id);
    const link = await storedToken(storage, { subject: user.email ?? '' });
    const expected = { epoch: 1, sessionsValidAfter: after(5), updatedAt: after(5), lastSignInAt: now };
    const changed = { ...user, passwordHash: 'hash', ...expected };
    assert.deepEqual(await storage.userAdministration.setPassword(user.id, 'hash', after(5)), changed);
    assert.deepEqual((await storage.sessions.findWithUser(session.id))?.session.revokedAt, after(5));
    assert.equal(await storage.singleUseTokens.consume('magic_link', link.digest, now), null);
    assert.equal(await storage.sessions.start(newSession(user.id), 0), false);
    for (const id of [randomUUID(), 'x'])
      assert.equal(await storage.userAdministration.setPassword(id, 'hash', now), null);
  });
}
