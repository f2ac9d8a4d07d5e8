/** Revocations that are limited to the records of one user. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createdOrg, insertedApiKey, insertedFamily } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  startedSession,
} from './suite.js';
import { trusted } from './trusted-browsers.js';

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
      [{ userId: user.id, trustedBrowserId: null, others: [] }],
    );
  });

  register('revokeOthers revokes every active session of the user except one', async (storage) => {
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    const sessions = await inParallel(5, () => startedSession(storage, user.id));
    const [kept, ...others] = sessions.map(({ id }) => id);
    const otherSession = await startedSession(storage, other.id);
    await startedSession(storage, user.id, { expiresAt: after(3) });
    const revoked = await inParallel(5, () => storage.sessions.revokeOthers(user.id, after(3), kept));
    assert.deepEqual(revoked.flatMap(({ sessions: ids }) => ids).sort(), others.sort());
    const active = async (userId: string) =>
      (await storage.sessions.listLive(userId, after(3))).map(({ id }) => id);
    assert.deepEqual([await active(user.id), await active(other.id)], [[kept], [otherSession.id]]);
    const revokeOthers = async (...args: Parameters<typeof storage.sessions.revokeOthers>) =>
      (await storage.sessions.revokeOthers(...args)).sessions;
    assert.deepEqual(await revokeOthers(user.id, after(4), otherSession.id), [kept]);
    for (const id of [randomUUID(), 'malformed']) {
      assert.deepEqual(await revokeOthers(id, now), []);
      assert.deepEqual(await revokeOthers(other.id, now, id), id === 'malformed' ? [] : [otherSession.id]);
    }
  });

  testsRequiring(
    register,
    'refreshFamilies',
    'trustedBrowsers',
  )(
    'revokeOthers revokes every refresh family except one, and removes every trusted browser',
    async (storage) => {
      const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
      const [session, kept] = [
        await startedSession(storage, user.id),
        await insertedFamily(storage, user.id),
      ];
      const [ended, early] = [await insertedFamily(storage, user.id), await insertedFamily(storage, user.id)];
      await storage.refreshFamilies.revoke(early.id, after(1));
      const theirs = await insertedFamily(storage, other.id);
      await Promise.all([user, user, other].map(({ id }) => trusted(storage, id)));
      assert.deepEqual(await storage.sessions.revokeOthers(user.id, after(5), kept.id), {
        sessions: [session.id],
        trustedBrowsers: 2,
      });
      const revokedAt = async ({ id }: { id: string }) =>
        (await storage.refreshFamilies.findWithUser(id))?.family.revokedAt;
      assert.deepEqual(
        [await revokedAt(kept), await revokedAt(ended), await revokedAt(early), await revokedAt(theirs)],
        [null, after(5), after(1), null],
      );
      const { trustedBrowsers } = storage;
      assert.deepEqual(await trustedBrowsers.list(user.id, now), []);
      assert.equal((await trustedBrowsers.list(other.id, now)).length, 1);
      for (const unknown of [randomUUID(), 'malformed']) {
        const family = await insertedFamily(storage, user.id);
        await storage.sessions.revokeOthers(user.id, after(6), unknown);
        assert.deepEqual([await revokedAt(family), await revokedAt(kept)], [after(6), after(6)]);
      }
    },
  );

  testsRequiring(
    register,
    'refreshFamilies',
    'trustedBrowsers',
  )(
    'revokeOthers ends sessions, refresh families and trusted browsers at the same moment',
    async (storage) => {
      for (let round = 0; round < 5; round += 1) {
        const { id } = await insertedUser(storage);
        await startedSession(storage, id);
        await insertedFamily(storage, id);
        await trusted(storage, id);
        const lists = [
          () => storage.sessions.listLive(id, now),
          () => storage.refreshFamilies.listLive(id, now),
          () => storage.trustedBrowsers.list(id, now),
        ];
        // If the list that is read first has ended, so have those that are read afterwards, in any order.
        const observe = async (first: number) => {
          const states: boolean[] = [];
          for (const at of [first, first + 1, first + 2]) {
            const list = lists[at % lists.length] ?? assert.fail('no list');
            states.push((await list()).length === 0);
          }
          assert.ok(!states[0] || (states[1] && states[2]), `ended: ${states.join(', ')}`);
        };
        const observers = inParallel(30, async () => {
          for (const first of [0, 1, 2]) await observe(first);
        });
        await storage.sessions.revokeOthers(id, now);
        await observers;
      }
    },
  );

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
