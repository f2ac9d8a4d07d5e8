import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  after,
  inParallel,
  insertedUser,
  newSession,
  now,
  type Promises,
  startedSession,
  winners,
} from './suite.js';

export function sessionPromises(promise: Promises): void {
  promise('findWithTarget finds a session, its user and another user, as they are', async (storage) => {
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

  promise('a started session is found together with its user', async (storage) => {
    const user = await insertedUser(storage);
    const session = newSession(user.id, { device: {} });
    assert.equal(await storage.sessions.start(session, 0), true);
    assert.deepEqual(await storage.sessions.findWithUser(session.id), { session, user });
    assert.equal(await storage.sessions.findWithUser(randomUUID()), null);
  });

  promise(
    'start is false for an unknown user and for an epoch that is not the present one',
    async (storage) => {
      const user = await insertedUser(storage);
      await storage.sessions.revokeAll(user.id, now);
      for (const epoch of [0, 2]) {
        const session = newSession(user.id);
        assert.equal(await storage.sessions.start(session, epoch), false);
        assert.equal(await storage.sessions.findWithUser(session.id), null);
      }
      assert.equal(await storage.sessions.start(newSession(user.id), 1), true);
      assert.equal(await storage.sessions.start(newSession(randomUUID()), 0), false);
    },
  );

  promise('revoked and expired sessions are returned as they are', async (storage) => {
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

  promise('many look-ups at once each get their own answer', async (storage) => {
    const users = await inParallel(10, () => insertedUser(storage));
    const sessions = await Promise.all(users.map((user) => startedSession(storage, user.id)));
    const ids = sessions.flatMap(({ id }) => [id, randomUUID(), id, 'malformed']);
    const found = await Promise.all(ids.map((id) => storage.sessions.findWithUser(id)));
    const own = sessions.map((session, index) => ({ session, user: users[index] }));
    assert.deepEqual(
      found,
      own.flatMap((answer) => [answer, null, answer, null]),
    );
  });

  promise('what a caller does to an answer does not reach the store, nor another caller', async (storage) => {
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

  promise('renew extends a live session', async (storage) => {
    const user = await insertedUser(storage);
    const session = await startedSession(storage, user.id);
    const renewal = { lastSeenAt: after(10), expiresAt: after(120_000) };
    assert.equal(await storage.sessions.renew(session.id, renewal), true);
    assert.deepEqual((await storage.sessions.findWithUser(session.id))?.session, { ...session, ...renewal });
  });

  promise('renew is false for a session that is revoked, expired or unknown', async (storage) => {
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

  promise('revoke answers with the user, once', async (storage) => {
    const user = await insertedUser(storage);
    const { id } = await startedSession(storage, user.id);
    const answers = await inParallel(50, () => storage.sessions.revoke(id, after(3)));
    assert.equal(winners(answers), 1);
    assert.ok(answers.includes(user.id));
    assert.equal(await storage.sessions.revoke(id, after(4)), null);
    assert.deepEqual((await storage.sessions.findWithUser(id))?.session.revokedAt, after(3));
    assert.equal(await storage.sessions.revoke(randomUUID(), now), null);
  });

  promise('no renewal brings a session back that is revoked meanwhile', async (storage) => {
    const user = await insertedUser(storage);
    await inParallel(20, async () => {
      const { id } = await startedSession(storage, user.id);
      const renewal = { lastSeenAt: after(10), expiresAt: after(120_000) };
      const renew = () => storage.sessions.renew(id, renewal);
      await Promise.all([renew(), storage.sessions.revoke(id, now), renew()]);
      assert.deepEqual((await storage.sessions.findWithUser(id))?.session.revokedAt, now);
    });
  });

  promise(
    'listLive has neither revoked nor expired sessions nor those of others, newest first',
    async (storage) => {
      const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
      const older = await startedSession(storage, user.id);
      const newer = await startedSession(storage, user.id, { createdAt: after(5) });
      await startedSession(storage, user.id, { expiresAt: after(10) });
      await startedSession(storage, other.id);
      const revoked = await startedSession(storage, user.id);
      await storage.sessions.revoke(revoked.id, now);
      assert.deepEqual(await storage.sessions.listLive(user.id, after(10)), [newer, older]);
      assert.deepEqual(await storage.sessions.listLive(randomUUID(), now), []);
    },
  );
}
