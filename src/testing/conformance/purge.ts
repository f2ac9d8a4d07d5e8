import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StorageAdapter } from '../../storage/adapter.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  type Promises,
  startedSession,
  storedCode,
  storedToken,
} from './suite.js';

const day = 24 * 60 * 60 * 1000;

export function purgePromises(promise: Promises): void {
  promise('purgeExpired removes what is dead and nothing else', async (storage) => {
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

    for (const count of Object.values(counts)) assert.ok(count >= 1);
    assert.deepEqual(await storage.sessions.findWithUser(live.id), { session: live, user });
    assert.equal(await storage.sessions.findWithUser(expired.id), null);
    assert.equal(await storage.sessions.findWithUser(revoked.id), null);
    assert.ok(await storage.singleUseTokens.consume('magic_link', liveToken.digest, now));
    assert.equal(await storage.singleUseTokens.consume('magic_link', deadToken.digest, now), null);
    assert.equal(await codeStatus(storage, keptCode.subject), 'expired');
    assert.equal(await codeStatus(storage, oldCode.subject), 'missing');
    const after10 = await storage.rateLimits.hit(hits, now.getTime());
    assert.deepEqual(
      after10.map(({ count }) => count),
      [2, 1],
    );
  });

  promise('purgeExpired reports the rows removed by table', async (storage) => {
    await storage.purgeExpired({ now: after(10) });
    await storedToken(storage, { expiresAt: now });
    await storedToken(storage, { expiresAt: now });
    const counts = await storage.purgeExpired({ now: after(10) });
    assert.deepEqual(counts, { sessions: 0, singleUseTokens: 2, oneTimeCodes: 0, rateLimits: 0 });
  });

  promise('purgeExpired removes at most limit rows per table', async (storage) => {
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
}

async function codeStatus(storage: StorageAdapter, subject: string): Promise<string> {
  return (await storage.oneTimeCodes.reserveAttempt('email_code', subject, 5, now)).status;
}
