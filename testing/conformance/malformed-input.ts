import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  insertedUser,
  newIdentity,
  newSession,
  now,
  type RegisterConformanceTest,
  resetOf,
  startedSession,
  usedLink,
} from './suite.js';
import { describeMalformedProIds } from './malformed-pro-ids.js';
import { malformedIds, oddTexts } from './malformed-ids.js';

/** "An unknown identifier, well-formed or not, is a result, never an error" (repositories.ts). */
export function describeMalformedInput(test: RegisterConformanceTest): void {
  test('every method treats a malformed id as an unknown id', async (storage) => {
    const { users, identities, sessions } = storage;
    for (const id of malformedIds) {
      assert.equal(await users.findById(id), null);
      assert.equal(await users.markEmailVerified(id, now), null);
      assert.equal(await users.claim(id, now), null);
      assert.equal(await users.setFirstPassword(id, 0, 'hash', now), false);
      assert.equal(await users.resetPassword(resetOf({ id, email: id }, { digest: 'x' })), null);
      const change = { userId: id, epoch: 0, fromHash: 'hash', passwordHash: 'new', now };
      assert.deepEqual(await users.changePassword(change), { status: 'other_password' });
      assert.equal(await identities.link(newIdentity(id), 0), false);
      assert.deepEqual(await identities.listForUser(id), []);
      assert.equal(await sessions.start(newSession(id), 0), false);
      assert.equal(await sessions.findWithUser(id), null);
      assert.equal(await sessions.renew(id, { lastSeenAt: now, expiresAt: now }), false);
      assert.equal(await sessions.revoke(id, now), null);
      assert.equal(await sessions.revokeAll(id, now), false);
      assert.equal(await sessions.revokeAllOnce(id, usedLink(), now), null);
      assert.deepEqual(await sessions.listLive(id, now), []);
      assert.deepEqual(await sessions.listBrowsers(id, now), []);
    }
  });

  test('an address, provider account, subject or digest that cannot be stored is unknown', async (storage) => {
    const { users, identities, oneTimeCodes, singleUseTokens } = storage;
    const user = await insertedUser(storage);
    for (const text of oddTexts) {
      assert.equal(await users.findByEmail(text), null);
      for (const each of [user, { ...user, email: text }])
        assert.equal(await users.resetPassword(resetOf(each, { digest: text })), null);
      const change = { userId: user.id, epoch: 0, fromHash: text, passwordHash: 'new', now };
      assert.deepEqual(await users.changePassword(change), { status: 'other_password' });
      assert.equal(await identities.findUser(text, randomUUID()), null);
      assert.equal(await identities.findUser('google', text), null);
      const attempt = {
        purpose: 'email_code',
        subject: text,
        codeHashes: [text],
        maxAttempts: 5,
        now,
      } as const;
      assert.deepEqual(await oneTimeCodes.attempt(attempt), { status: 'missing' });
      await oneTimeCodes.discard('email_code', text, text);
      assert.equal(await singleUseTokens.consume('magic_link', text, now), null);
      await singleUseTokens.discard(text);
    }
  });

  test('rateLimits.hit counts under every key', async ({ rateLimits }) => {
    const time = now.getTime();
    const names = ['a\0b', '\ud800', '\ud801', 'x?y', ':name', '{"a",b}'].map(
      (odd) => `${randomUUID()}${odd}`,
    );
    const hits = names.map((key) => ({ key, windowMs: 1000 }));
    const counts = async () => (await rateLimits.hit(hits, time)).map(({ count }) => count);
    assert.deepEqual(await counts(), [1, 1, 1, 1, 1, 1]);
    assert.deepEqual(await counts(), [2, 2, 2, 2, 2, 2]);
    await rateLimits.correct({ refund: names, reset: [] }, time);
    assert.deepEqual(await counts(), [2, 2, 2, 2, 2, 2]);
    await rateLimits.correct({ refund: [], reset: names }, time);
    assert.deepEqual(await counts(), [1, 1, 1, 1, 1, 1]);
  });

  test('sessions.start accepts a device with text that the database cannot store', async (storage) => {
    const user = await insertedUser(storage);
    const session = await startedSession(storage, user.id, { device: { userAgent: 'a\0b\ud800c\\u0000' } });
    const found = await storage.sessions.findWithUser(session.id);
    assert.match(found?.session.device.userAgent ?? '', /^a.b.c\\u0000$/s);
  });

  describeMalformedProIds(test);
}
