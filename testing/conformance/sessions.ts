import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  after,
  inParallel,
  asStored,
  insertedUser,
  newSession,
  newUser,
  now,
  type RegisterConformanceTest,
  startedSession,
  winners,
} from './suite.js';

export function describeSessions(test: RegisterConformanceTest): void {
  test('findWithTarget returns a session, its user and another user, even if the session is revoked', async (storage) => {
    const [user, target] = [await insertedUser(storage), await insertedUser(storage)];
    const session = await startedSession(storage, user.id);
    const found = await storage.sessions.findWithTarget(session.id, target.id);
    assert.deepEqual(found, { session, user, target });
    await storage.sessions.revoke(session.id, after(1));
    const revoked = await storage.sessions.findWithTarget(session.id, target.id);
    assert.deepEqual(revoked?.session.revokedAt, after(1));
    const own = await storage.sessions.findWithTarget(session.id, user.id);
    assert.deepEqual([own?.user, own?.target], [user, user]);
    for (const id of [randomUUID(), 'x']) {
      assert.equal(await storage.sessions.findWithTarget(session.id, id), null);
      assert.equal(await storage.sessions.findWithTarget(id, target.id), null);
    }
  });

  test('findWithUser returns the session as it was started, with its user', async (storage) => {
    const user = await insertedUser(storage);
    const session = newSession(user.id, { device: {} });
    assert.equal(await storage.sessions.start(session, 0), true);
    assert.deepEqual(await storage.sessions.findWithUser(session.id), { session, user });
    assert.equal(await storage.sessions.findWithUser(randomUUID()), null);
  });

  test('start returns false for an unknown user or another epoch than the current one', async (storage) => {
    const user = await insertedUser(storage);
    await storage.sessions.revokeAll(user.id, now);
    for (const epoch of [0, 2]) {
      const session = newSession(user.id);
      assert.equal(await storage.sessions.start(session, epoch), false);
      assert.equal(await storage.sessions.findWithUser(session.id), null);
    }
    assert.equal(await storage.sessions.start(newSession(user.id), 1), true);
    assert.equal(await storage.sessions.start(newSession(randomUUID()), 0), false);
  });

  test('startWithUser inserts a user with a session', async (storage) => {
    const user = newUser({ roles: ['editor'], emailVerified: true });
    const session = newSession(user.id, { createdAt: after(5), lastSeenAt: after(5) });
    assert.equal(await storage.sessions.startWithUser(session, user), true);
    assert.deepEqual(await storage.sessions.findWithUser(session.id), { session, user: asStored(user) });
    const administered = await storage.userAdministration?.find({ id: user.id });
    if (storage.userAdministration) assert.deepEqual(administered?.lastSignInAt, after(5));
    const without = newUser({ email: null });
    assert.equal(await storage.sessions.startWithUser(newSession(without.id), without), true);
  });

  test('startWithUser inserts neither the user nor the session if the address or the id is taken', async (storage) => {
    const owner = await insertedUser(storage);
    for (const user of [newUser({ email: owner.email }), newUser({ id: owner.id })]) {
      const session = newSession(user.id);
      assert.equal(await storage.sessions.startWithUser(session, user), false);
      assert.equal(await storage.sessions.findWithUser(session.id), null);
    }
    assert.deepEqual(await storage.users.findById(owner.id), owner);
    assert.deepEqual(await storage.sessions.listLive(owner.id, now), []);
  });

  test('only one of 20 parallel insertions of an address succeeds, with one session', async (storage) => {
    await inParallel(5, async () => {
      const { email } = newUser();
      const candidates = Array.from({ length: 20 }, () => newUser({ email }));
      const results = await Promise.all(
        candidates.map((user, index) =>
          index % 2 ? storage.users.insert(user) : storage.sessions.startWithUser(newSession(user.id), user),
        ),
      );
      assert.equal(winners(results), 1);
      const stored = await storage.users.findByEmail(email ?? '');
      assert.equal(stored?.id, candidates[results.indexOf(true)]?.id);
      const sessions = await inParallel(20, (index) => storage.sessions.listLive(candidates[index]!.id, now));
      assert.equal(sessions.flat().length, results.indexOf(true) % 2 ? 0 : 1);
    });
  });

  test('findWithUser returns revoked and expired sessions too', async (storage) => {
    const user = await insertedUser(storage);
    const expired = await startedSession(storage, user.id, { expiresAt: after(-1) });
    const revoked = await startedSession(storage, user.id);
    await storage.sessions.revoke(revoked.id, after(3));
    assert.deepEqual((await storage.sessions.findWithUser(expired.id))?.session, expired);
    assert.deepEqual((await storage.sessions.findWithUser(revoked.id))?.session, {
      ...revoked,
      revokedAt: after(3),
    });
  });

  test('parallel look-ups each return their own session', async (storage) => {
    const users = await inParallel(10, () => insertedUser(storage));
    const sessions = await Promise.all(users.map((user) => startedSession(storage, user.id)));
    const ids = sessions.flatMap(({ id }) => [id, randomUUID(), id, 'malformed']);
    const found = await Promise.all(ids.map((id) => storage.sessions.findWithUser(id)));
    const own = sessions.map((session, index) => ({ session, user: users[index] }));
    assert.deepEqual(
      found,
      own.flatMap((result) => [result, null, result, null]),
    );
  });

  test('changing a returned session changes neither the stored session nor that of another caller', async (storage) => {
    const user = await insertedUser(storage);
    const { id } = await startedSession(storage, user.id);
    const find = () => storage.sessions.findWithUser(id);
    const [first, second] = await Promise.all([find(), find()]);
    const untouched = await find();
    assert.ok(first);
    first.session.device.name = 'stolen';
    first.session.expiresAt.setTime(0);
    first.user.metadata.plan = 'stolen';
    assert.deepEqual(second, untouched);
    assert.deepEqual(await find(), untouched);
  });

  test('renew extends an active session', async (storage) => {
    const user = await insertedUser(storage);
    const session = await startedSession(storage, user.id);
    const renewal = { lastSeenAt: after(10), expiresAt: after(120_000) };
    assert.equal(await storage.sessions.renew(session.id, renewal), true);
    assert.deepEqual((await storage.sessions.findWithUser(session.id))?.session, { ...session, ...renewal });
  });

  test('renew returns false for a session that is revoked, expired or unknown', async (storage) => {
    const user = await insertedUser(storage);
    const revoked = await startedSession(storage, user.id);
    await storage.sessions.revoke(revoked.id, now);
    const expired = await startedSession(storage, user.id, { expiresAt: after(10) });
    const renewal = { lastSeenAt: after(10), expiresAt: after(120_000) };
    for (const id of [revoked.id, expired.id, randomUUID()]) {
      assert.equal(await storage.sessions.renew(id, renewal), false);
    }
    assert.deepEqual((await storage.sessions.findWithUser(expired.id))?.session, expired);
  });

  test("revoke returns the user's id and no trusted browser, once", async (storage) => {
    const user = await insertedUser(storage);
    const { id } = await startedSession(storage, user.id);
    const results = await inParallel(50, () => storage.sessions.revoke(id, after(3)));
    assert.equal(winners(results), 1);
    assert.deepEqual(results.find(Boolean), { userId: user.id, trustedBrowserId: null, others: [] });
    assert.equal(await storage.sessions.revoke(id, after(4)), null);
    assert.deepEqual((await storage.sessions.findWithUser(id))?.session.revokedAt, after(3));
    assert.equal(await storage.sessions.revoke(randomUUID(), now), null);
  });

  test('no parallel renewal makes a revoked session active again', async (storage) => {
    const user = await insertedUser(storage);
    await inParallel(20, async () => {
      const { id } = await startedSession(storage, user.id);
      const renewal = { lastSeenAt: after(10), expiresAt: after(120_000) };
      const renew = () => storage.sessions.renew(id, renewal);
      await Promise.all([renew(), storage.sessions.revoke(id, now), renew()]);
      assert.deepEqual((await storage.sessions.findWithUser(id))?.session.revokedAt, now);
    });
  });

  test('listLive orders sessions of one millisecond by id, the highest first', async (storage) => {
    const user = await insertedUser(storage);
    const ids: string[] = [];
    for (let count = 0; count < 6; count += 1) ids.push((await startedSession(storage, user.id)).id);
    const listed = await storage.sessions.listLive(user.id, now);
    assert.deepEqual(
      listed.map(({ id }) => id),
      ids.sort().reverse(),
    );
  });

  test("listLive returns the user's active sessions newest first, without revoked and expired ones", async (storage) => {
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    const older = await startedSession(storage, user.id);
    const newer = await startedSession(storage, user.id, { createdAt: after(5) });
    await startedSession(storage, user.id, { expiresAt: after(10) });
    await startedSession(storage, other.id);
    const revoked = await startedSession(storage, user.id);
    await storage.sessions.revoke(revoked.id, now);
    assert.deepEqual(await storage.sessions.listLive(user.id, after(10)), [newer, older]);
    assert.deepEqual(await storage.sessions.listLive(randomUUID(), now), []);
  });
}
