/** Revocations that are limited to the records of one user. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createdOrg, insertedApiKey } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  startedSession,
} from './suite.js';

export function describeOwnRecords(register: RegisterConformanceTest): void {
  register('sessions.revoke with a user id revokes only a session of that user', async (storage) => {
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    const session = await startedSession(storage, user.id);
    for (const stranger of [other.id, randomUUID(), 'malformed', '']) {
      assert.equal(await storage.sessions.revoke(session.id, now, stranger), null);
    }
    assert.equal((await storage.sessions.findWithUser(session.id))?.session.revokedAt, null);
    const results = await inParallel(20, () => storage.sessions.revoke(session.id, now, user.id));
    assert.deepEqual(
      results.filter((result) => result !== null),
      [{ userId: user.id, trustedBrowserId: null }],
    );
  });

  register('revokeOthers revokes every active session of the user except one', async (storage) => {
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    const sessions = await inParallel(5, () => startedSession(storage, user.id));
    const [kept, ...others] = sessions.map(({ id }) => id);
    const otherSession = await startedSession(storage, other.id);
    await startedSession(storage, user.id, { expiresAt: after(3) });
    const revoked = await inParallel(5, () => storage.sessions.revokeOthers(user.id, after(3), kept));
    assert.deepEqual(revoked.flat().sort(), others.sort());
    const active = async (userId: string) =>
      (await storage.sessions.listLive(userId, after(3))).map(({ id }) => id);
    assert.deepEqual([await active(user.id), await active(other.id)], [[kept], [otherSession.id]]);
    assert.deepEqual(await storage.sessions.revokeOthers(user.id, after(4), otherSession.id), [kept]);
    for (const id of [randomUUID(), 'malformed']) {
      assert.deepEqual(await storage.sessions.revokeOthers(id, now), []);
      assert.deepEqual(
        await storage.sessions.revokeOthers(other.id, now, id),
        id === 'malformed' ? [] : [otherSession.id],
      );
    }
  });

  testsRequiring(
    register,
    'apiKeys',
    'orgs',
  )('apiKeys.revoke with a user id revokes only a key of that user', async (storage) => {
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    const { id: orgId } = await createdOrg(storage, user.id);
    const key = await insertedApiKey(storage, { userId: user.id });
    const ofOrg = await insertedApiKey(storage, { orgId });
    for (const userId of [other.id, randomUUID(), 'malformed', '']) {
      assert.equal(await storage.apiKeys.revoke(key.id, now, { userId }), null);
    }
    assert.equal(await storage.apiKeys.revoke(ofOrg.id, now, { userId: user.id }), null);
    assert.equal((await storage.apiKeys.findById(key.id))?.revokedAt, null);
    const revoked = await storage.apiKeys.revoke(key.id, now, { userId: user.id });
    assert.deepEqual(revoked?.revokedAt, now);
  });
}
