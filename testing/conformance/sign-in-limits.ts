/** The limit of sign-ins per user: `sessions.startWithin` and `refreshFamilies.start`. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { insertedFamily, newFamily } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  newSession,
  now,
  type RegisterConformanceTest,
  startedSession,
  testsRequiring,
} from './suite.js';

const none = { sessions: [], families: [] };

const liveSessions = async (storage: StorageAdapter, userId: string) =>
  (await storage.sessions.listLive(userId, after(100))).map(({ id }) => id);

export function describeSignInLimits(test: RegisterConformanceTest): void {
  const testFamilies = testsRequiring(test, 'refreshFamilies', 'userAdministration');

  test('startWithin ends the oldest sessions beyond the limit and returns their ids', async (storage) => {
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    const oldest = await startedSession(storage, user.id);
    const older = await startedSession(storage, user.id, { createdAt: after(1) });
    const newer = await startedSession(storage, user.id, { createdAt: after(2) });
    await startedSession(storage, other.id);
    const session = newSession(user.id, { createdAt: after(3), lastSeenAt: after(3) });
    const ended = await storage.sessions.startWithin(session, 0, { max: 2 });
    assert.deepEqual(new Set(ended?.sessions), new Set([oldest.id, older.id]));
    assert.deepEqual(ended?.families, []);
    assert.deepEqual(await liveSessions(storage, user.id), [session.id, newer.id]);
    assert.deepEqual((await storage.sessions.findWithUser(oldest.id))?.session.revokedAt, after(3));
    assert.equal((await liveSessions(storage, other.id)).length, 1);
  });

  test('startWithin ends nothing while the limit is not exceeded, and stores the session as start does', async (storage) => {
    const user = await insertedUser(storage);
    await startedSession(storage, user.id, { expiresAt: after(-1) });
    const revoked = await startedSession(storage, user.id);
    await storage.sessions.revoke(revoked.id, now);
    const session = newSession(user.id);
    assert.deepEqual(await storage.sessions.startWithin(session, 0, { max: 1 }), none);
    assert.deepEqual(await storage.sessions.findWithUser(session.id), { session, user });
    const { revokedAt } = (await storage.sessions.findWithUser(revoked.id))?.session ?? {};
    assert.deepEqual(revokedAt, now);
  });

  test('startWithin never ends the session that it starts, even if its sign-in was earlier', async (storage) => {
    const user = await insertedUser(storage);
    const other = await startedSession(storage, user.id, { createdAt: after(5) });
    const session = newSession(user.id, { createdAt: after(-5) });
    const ended = await storage.sessions.startWithin(session, 0, { max: 1 });
    assert.deepEqual(ended, { ...none, sessions: [other.id] });
    assert.deepEqual(await liveSessions(storage, user.id), [session.id]);
  });

  test('startWithin ends the session that the new one replaces, and no other in its place', async (storage) => {
    const user = await insertedUser(storage);
    const oldest = await startedSession(storage, user.id);
    const replaced = await startedSession(storage, user.id, { createdAt: after(1) });
    const session = newSession(user.id, { createdAt: after(2) });
    const limit = { max: 2, replaces: replaced.id };
    assert.deepEqual(await storage.sessions.startWithin(session, 0, limit), {
      ...none,
      sessions: [replaced.id],
    });
    assert.deepEqual(await liveSessions(storage, user.id), [session.id, oldest.id]);
  });

  test('startWithin ends the oldest session other than the one that it keeps, and that one last', async (storage) => {
    const user = await insertedUser(storage);
    const kept = await startedSession(storage, user.id);
    const older = await startedSession(storage, user.id, { createdAt: after(1) });
    const newer = await startedSession(storage, user.id, { createdAt: after(2) });
    const third = newSession(user.id, { createdAt: after(3) });
    const ended = await storage.sessions.startWithin(third, 0, { max: 3, keeps: kept.id });
    assert.deepEqual(ended, { ...none, sessions: [older.id] });
    assert.deepEqual(await liveSessions(storage, user.id), [third.id, newer.id, kept.id]);
    const last = newSession(user.id, { createdAt: after(4) });
    await storage.sessions.startWithin(last, 0, { max: 1, keeps: kept.id });
    assert.deepEqual(await liveSessions(storage, user.id), [last.id]);
  });

  test('startWithin does not end a session of another user that the new one replaces', async (storage) => {
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    const foreign = await startedSession(storage, other.id);
    for (const replaces of [foreign.id, randomUUID(), 'malformed']) {
      const session = newSession(user.id);
      assert.notEqual(await storage.sessions.startWithin(session, 0, { max: 1, replaces }), null);
      assert.deepEqual(await liveSessions(storage, user.id), [session.id]);
    }
    assert.deepEqual(await liveSessions(storage, other.id), [foreign.id]);
  });

  test('startWithin returns null and ends nothing for another epoch, a blocked and an unknown user', async (storage) => {
    const user = await insertedUser(storage);
    const { id } = await startedSession(storage, user.id);
    assert.equal(await storage.sessions.startWithin(newSession(user.id), 1, { max: 1 }), null);
    assert.equal(await storage.sessions.startWithin(newSession(randomUUID()), 0, { max: 1 }), null);
    assert.deepEqual(await liveSessions(storage, user.id), [id]);
    await storage.userAdministration?.block(user.id, { at: now, until: null, reason: null });
    if (storage.userAdministration)
      assert.equal(await storage.sessions.startWithin(newSession(user.id), 1, { max: 1 }), null);
  });

  test('fifty parallel calls of startWithin leave as many sessions as the limit allows', async (storage) => {
    const user = await insertedUser(storage);
    const results = await inParallel(50, (index) =>
      storage.sessions.startWithin(newSession(user.id, { createdAt: after(index) }), 0, { max: 3 }),
    );
    assert.ok(results.every((result) => result !== null));
    const ended = results.flatMap((result) => result?.sessions ?? []);
    assert.deepEqual([ended.length, new Set(ended).size], [47, 47]);
    assert.equal((await liveSessions(storage, user.id)).length, 3);
  });

  testFamilies('families.start stores the family and sets the time of the last sign-in', async (storage) => {
    const user = await insertedUser(storage);
    const family = newFamily(user.id, { createdAt: after(7) });
    assert.deepEqual(await storage.refreshFamilies.start(family), none);
    assert.deepEqual(await storage.refreshFamilies.findWithUser(family.id), { family, user });
    const found = await storage.userAdministration.find({ id: user.id });
    assert.deepEqual(found?.lastSignInAt, after(7));
    assert.equal(await storage.refreshFamilies.start(newFamily(user.id, { epoch: 1 })), null);
    assert.equal(await storage.refreshFamilies.start(newFamily(randomUUID())), null);
    await storage.userAdministration.block(user.id, { at: now, until: null, reason: null });
    assert.equal(await storage.refreshFamilies.start(newFamily(user.id, { epoch: 1 })), null);
  });

  testFamilies('sessions and refresh families share the limit', async (storage) => {
    const user = await insertedUser(storage);
    const session = await startedSession(storage, user.id);
    const family = await insertedFamily(storage, user.id, { createdAt: after(1) });
    const next = newFamily(user.id, { createdAt: after(2) });
    assert.deepEqual(await storage.refreshFamilies.start(next, { max: 2 }), {
      ...none,
      sessions: [session.id],
    });
    const last = newSession(user.id, { createdAt: after(3) });
    assert.deepEqual(await storage.sessions.startWithin(last, 0, { max: 2 }), {
      ...none,
      families: [family.id],
    });
    const live = await storage.refreshFamilies.listLive(user.id, after(4));
    assert.deepEqual(
      [live.map(({ id }) => id), await liveSessions(storage, user.id)],
      [[next.id], [last.id]],
    );
  });

  testFamilies('parallel starts of sessions and families never exceed the limit', async (storage) => {
    const user = await insertedUser(storage);
    await inParallel<unknown>(40, (index) =>
      index % 2 === 0
        ? storage.sessions.startWithin(newSession(user.id, { createdAt: after(index) }), 0, { max: 3 })
        : storage.refreshFamilies.start(newFamily(user.id, { createdAt: after(index) }), { max: 3 }),
    );
    const families = await storage.refreshFamilies.listLive(user.id, after(100));
    assert.equal(families.length + (await liveSessions(storage, user.id)).length, 3);
  });
}
