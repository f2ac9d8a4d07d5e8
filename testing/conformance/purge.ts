import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import {
  accepted,
  createdOrg,
  insertedApiKey,
  insertedFamily,
  insertedGuest,
  storedInvite,
} from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  startedSession,
  storedCode,
  storedToken,
  guessedStatus,
} from './suite.js';

const day = 24 * 60 * 60 * 1000;

export function describePurge(test: RegisterConformanceTest): void {
  test('purgeExpired removes expired and revoked rows and nothing else', async (storage) => {
    const user = await insertedUser(storage);
    const live = await startedSession(storage, user.id, { expiresAt: after(11) });
    const expired = await startedSession(storage, user.id, { expiresAt: after(10) });
    const revoked = await startedSession(storage, user.id);
    await storage.sessions.revoke(revoked.id, now);
    const liveToken = await storedToken(storage, { expiresAt: after(11) });
    const deadToken = await storedToken(storage, { expiresAt: after(10) });
    const keptCode = await storedCode(storage, { expiresAt: after(11 - day) });
    const oldCode = await storedCode(storage, { expiresAt: after(10 - day) });
    const [liveKey, deadKey] = [randomUUID(), randomUUID()];
    const hits = [
      { key: liveKey, windowMs: 11 },
      { key: deadKey, windowMs: 10 },
    ];
    await storage.rateLimits.hit(hits, now.getTime());

    const counts = await storage.purgeExpired({ now: after(10) });

    for (const table of ['sessions', 'singleUseTokens', 'oneTimeCodes', 'rateLimits']) {
      assert.ok((counts[table] ?? 0) >= 1);
    }
    assert.deepEqual(await storage.sessions.findWithUser(live.id), { session: live, user });
    assert.equal(await storage.sessions.findWithUser(expired.id), null);
    assert.equal(await storage.sessions.findWithUser(revoked.id), null);
    assert.ok(await storage.singleUseTokens.consume('magic_link', liveToken.digest, now));
    assert.equal(await storage.singleUseTokens.consume('magic_link', deadToken.digest, now), null);
    assert.equal(await guessedStatus(storage, keptCode), 'expired');
    assert.equal(await guessedStatus(storage, oldCode), 'missing');
    const after10 = await storage.rateLimits.hit(hits, now.getTime());
    assert.deepEqual(
      after10.map(({ count }) => count),
      [2, 1],
    );
  });

  test('purgeExpired keeps a renewed session until its new expiry', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const session = await startedSession(storage, userId, { expiresAt: after(5) });
    assert.equal(await storage.sessions.renew(session.id, { lastSeenAt: now, expiresAt: after(20) }), true);
    await storage.purgeExpired({ now: after(10) });
    assert.ok(await storage.sessions.findWithUser(session.id));
    assert.equal(
      await storage.sessions.renew(session.id, { lastSeenAt: after(10), expiresAt: after(30) }),
      true,
    );
    await storage.purgeExpired({ now: after(25) });
    assert.ok(await storage.sessions.findWithUser(session.id));
    await storage.purgeExpired({ now: after(30) });
    assert.equal(await storage.sessions.findWithUser(session.id), null);
  });

  test('purgeExpired returns the number of removed rows by table', async (storage) => {
    await storage.purgeExpired({ now: after(10) });
    await storedToken(storage, { expiresAt: now });
    await storedToken(storage, { expiresAt: now });
    const counts = await storage.purgeExpired({ now: after(10) });
    const none = Object.fromEntries(tablesOf(storage).map((table) => [table, 0]));
    assert.deepEqual(counts, { ...none, singleUseTokens: 2 });
  });

  test('purgeExpired removes at most limit rows per table', async (storage) => {
    await storage.purgeExpired({ now: after(10) });
    await inParallel(5, () => storedToken(storage, { expiresAt: now }));
    await inParallel(2, () => storedCode(storage, { expiresAt: after(-day) }));
    const purge = async (limit?: number) => {
      const { singleUseTokens, oneTimeCodes } = await storage.purgeExpired({ now: after(10), limit });
      return [singleUseTokens, oneTimeCodes];
    };
    assert.deepEqual(await purge(0), [0, 0]);
    assert.deepEqual(await purge(3), [3, 2]);
    assert.deepEqual(await purge(), [2, 0]);
  });

  testsRequiring(test, 'refreshFamilies')(
    'purgeExpired removes expired refresh families, revoked or not, and no others',
    async (storage) => {
      const user = await insertedUser(storage);
      const live = await insertedFamily(storage, user.id, { expiresAt: after(11) });
      // Until it expires, a revoked family makes its access tokens invalid.
      const revoked = await insertedFamily(storage, user.id, { expiresAt: after(11), revokedAt: now });
      await insertedFamily(storage, user.id, { expiresAt: after(10) });
      await insertedFamily(storage, user.id, { expiresAt: after(10), revokedAt: now });
      const { refreshFamilies } = await storage.purgeExpired({ now: after(10) });
      assert.ok((refreshFamilies ?? 0) >= 2);
      const left = await storage.refreshFamilies.listForUser(user.id);
      assert.deepEqual(new Set(left), new Set([live, revoked]));
    },
  );

  testsRequiring(test, 'orgs')(
    'purgeExpired removes invites a day after their expiry, accepted or not',
    async (storage) => {
      const [owner, user] = [
        await insertedUser(storage),
        await insertedUser(storage, { emailVerified: true }),
      ];
      const [org, other] = [await createdOrg(storage, owner.id), await createdOrg(storage, owner.id)];
      const [email, invitedByUserId] = [user.email ?? '', owner.id];
      const used = await storedInvite(storage, org.id, { email, invitedByUserId, expiresAt: after(10) });
      await accepted(storage, used.digest, user.id, now);
      await storedInvite(storage, org.id, { email, invitedByUserId, expiresAt: after(10) });
      const kept = await storedInvite(storage, other.id, { email, invitedByUserId, expiresAt: after(11) });
      const { orgInvites } = await storage.purgeExpired({ now: after(10 + day) });
      assert.ok((orgInvites ?? 0) >= 2);
      const left = await storage.orgs.listInvitesOf({ userId: owner.id, email: owner.email });
      assert.deepEqual(left, [kept.invite]);
      assert.equal(await storage.orgs.roleOf(org.id, user.id), 'member');
    },
  );

  testsRequiring(test, 'guests')('purgeExpired keeps guests of any age', async (storage) => {
    const guest = await insertedGuest(storage, { createdAt: after(-400 * day) });
    const counts = await storage.purgeExpired({ now });
    assert.ok(!('guests' in counts));
    assert.equal(await storage.guests.isGuest(guest.id), true);
  });

  testsRequiring(test, 'apiKeys')('purgeExpired keeps revoked and expired API keys', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    await insertedApiKey(storage, { userId }, { expiresAt: after(-1), revokedAt: after(-2) });
    await storage.purgeExpired({ now });
    assert.equal((await storage.apiKeys.list({ userId })).length, 1);
  });
}

/** Returns the tables that `purgeExpired` counts. */
function tablesOf(storage: StorageAdapter): string[] {
  const { oauthServer, refreshFamilies, orgs, statistics, trustedBrowsers } = storage;
  return [
    'sessions',
    'singleUseTokens',
    'oneTimeCodes',
    'rateLimits',
    ...(refreshFamilies ? ['refreshFamilies'] : []),
    ...(orgs ? ['orgInvites'] : []),
    ...(trustedBrowsers ? ['trustedBrowsers'] : []),
    ...(statistics ? ['statistics', 'activeUsers'] : []),
    ...(oauthServer ? ['oauthClients', 'oauthGrants', 'oauthTokens'] : []),
  ];
}
