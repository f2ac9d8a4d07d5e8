/** The end of every session with a link that works once and is stored only when it is used. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  inParallel,
  insertedUser,
  newSession,
  now,
  type RegisterConformanceTest,
  startedSession,
  usedLink,
  winners,
} from './suite.js';

export function describeRevocationsOnce(test: RegisterConformanceTest): void {
  test('revokeAllOnce ends every session of the user, and raises the epoch', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const sessions = [await startedSession(storage, userId), await startedSession(storage, userId)];
    const other = await startedSession(storage, (await insertedUser(storage)).id);
    const user = await storage.sessions.revokeAllOnce(userId, usedLink(), now);
    assert.deepEqual([user?.id, user?.epoch, user?.sessionsValidAfter], [userId, 1, now]);
    assert.deepEqual(await storage.users.findById(userId), user);
    for (const { id } of sessions)
      assert.deepEqual((await storage.sessions.findWithUser(id))?.session.revokedAt, now);
    assert.equal((await storage.sessions.findWithUser(other.id))?.session.revokedAt, null);
    // A sign-in that has read the user before does not get a session.
    assert.equal(await storage.sessions.start(newSession(userId), 0), false);
  });

  test('revokeAllOnce stores the token, and changes nothing for one that is stored', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const used = usedLink();
    const { digest, expiresAt, purpose } = used;
    assert.ok(await storage.sessions.revokeAllOnce(userId, used, now));
    assert.deepEqual(await storage.singleUseTokens.find(purpose, digest, now), used);
    const { id } = await startedSession(storage, userId, {}, 1);
    assert.equal(await storage.sessions.revokeAllOnce(userId, used, now), null);
    // Also when it has expired: it keeps its digest until it is purged.
    assert.equal(await storage.sessions.revokeAllOnce(userId, used, expiresAt), null);
    assert.equal((await storage.sessions.findWithUser(id))?.session.revokedAt, null);
    assert.equal((await storage.users.findById(userId))?.epoch, 1);
  });

  test('revokeAllOnce stores nothing for an unknown user', async (storage) => {
    const used = usedLink();
    assert.equal(await storage.sessions.revokeAllOnce(randomUUID(), used, now), null);
    assert.equal(await storage.singleUseTokens.find(used.purpose, used.digest, now), null);
  });

  test('only one of 50 parallel revocations with one link succeeds', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const used = usedLink();
    const results = await inParallel(50, () => storage.sessions.revokeAllOnce(userId, used, now));
    assert.equal(winners(results), 1);
    assert.equal((await storage.users.findById(userId))?.epoch, 1);
  });
}
