import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { insertedUser, newIdentity, newSession, now, type Promises, startedSession } from './suite.js';

const malformedIds = ['', ' ', 'x', '1', "' or 1=1 --", '{}', 'a\0b', '\ud800', 'é'.repeat(5000)];
const oddTexts = [
  '',
  'a\0b',
  '\ud800',
  'x\udc00y',
  '\\u0000',
  "'; drop table svc_users; --",
  'é'.repeat(5000),
];

/** "An identifier that names nothing, well-formed or not, is an answer, never an error." */
export function malformedInputPromises(promise: Promises): void {
  promise('a malformed id is an unknown id, for every method that takes one', async (storage) => {
    const { users, identities, sessions } = storage;
    for (const id of malformedIds) {
      assert.equal(await users.findById(id), null);
      assert.equal(await users.markEmailVerified(id, now), null);
      assert.equal(await users.claim(id, now), null);
      assert.equal(await users.setFirstPassword(id, 0, 'hash', now), false);
      const reset = { tokenDigest: 'x', userId: id, passwordHash: 'hash', now };
      assert.equal(await users.resetPassword(reset), null);
      assert.equal(await identities.link(newIdentity(id)), false);
      assert.deepEqual(await identities.listForUser(id), []);
      assert.equal(await sessions.start(newSession(id), 0), false);
      assert.equal(await sessions.findWithUser(id), null);
      assert.equal(await sessions.renew(id, { lastSeenAt: now, expiresAt: now }), false);
      assert.equal(await sessions.revoke(id, now), false);
      assert.equal(await sessions.revokeAll(id, now), false);
      assert.deepEqual(await sessions.listLive(id, now), []);
    }
  });

  promise('an odd address, provider account, subject or digest names nothing', async (storage) => {
    const { users, identities, oneTimeCodes, singleUseTokens } = storage;
    const { id: userId } = await insertedUser(storage);
    for (const text of oddTexts) {
      assert.equal(await users.findByEmail(text), null);
      const reset = { tokenDigest: text, userId, passwordHash: 'hash', now };
      assert.equal(await users.resetPassword(reset), null);
      assert.equal(await identities.findUser(text, randomUUID()), null);
      assert.equal(await identities.findUser('google', text), null);
      assert.deepEqual(await oneTimeCodes.reserveAttempt('email_code', text, 5, now), { status: 'missing' });
      assert.equal(await oneTimeCodes.consume('email_code', text, text, now), false);
      await oneTimeCodes.discard('email_code', text, text);
      assert.equal(await singleUseTokens.consume('magic_link', text, now), null);
      await singleUseTokens.discard(text);
    }
  });

  promise('a counter counts under any key', async ({ rateLimits }) => {
    const time = now.getTime();
    const names = ['a\0b', '\ud800', '\ud801', 'x?y', ':name', '{"a",b}'].map(
      (odd) => `${randomUUID()}${odd}`,
    );
    const hits = names.map((key) => ({ key, windowMs: 1000 }));
    const counts = async () => (await rateLimits.hit(hits, time)).map(({ count }) => count);
    assert.deepEqual(await counts(), [1, 1, 1, 1, 1, 1]);
    assert.deepEqual(await counts(), [2, 2, 2, 2, 2, 2]);
    await rateLimits.refund(names, time);
    assert.deepEqual(await counts(), [2, 2, 2, 2, 2, 2]);
    await rateLimits.reset(names);
    assert.deepEqual(await counts(), [1, 1, 1, 1, 1, 1]);
  });

  promise('a device with text that a database cannot hold does not stop a sign-in', async (storage) => {
    const user = await insertedUser(storage);
    const session = await startedSession(storage, user.id, { device: { userAgent: 'a\0b\ud800c\\u0000' } });
    const found = await storage.sessions.findWithUser(session.id);
    assert.match(found?.session.device.userAgent ?? '', /^a.b.c\\u0000$/s);
  });
}
