import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { inParallel, now, type RegisterConformanceTest, storedToken, winners } from './suite.js';

export function describeSingleUseTokens(test: RegisterConformanceTest): void {
  test('consume returns the token once, as it was inserted', async (storage) => {
    const token = await storedToken(storage);
    assert.deepEqual(await storage.singleUseTokens.consume('magic_link', token.digest, now), token);
    assert.equal(await storage.singleUseTokens.consume('magic_link', token.digest, now), null);
  });

  test('find returns a valid token and leaves it', async (storage) => {
    const token = await storedToken(storage);
    const { purpose, digest, expiresAt } = token;
    const { singleUseTokens } = storage;
    assert.deepEqual(await singleUseTokens.find(purpose, digest, now), token);
    assert.equal(await singleUseTokens.find('password_reset', digest, now), null);
    assert.equal(await singleUseTokens.find(purpose, 'unknown', now), null);
    assert.equal(await singleUseTokens.find(purpose, digest, expiresAt), null);
    assert.deepEqual(await singleUseTokens.consume(purpose, digest, now), token);
    assert.equal(await singleUseTokens.find(purpose, digest, now), null);
  });

  test('only one of 50 parallel consumptions of a token succeeds', async (storage) => {
    const { purpose, digest } = await storedToken(storage);
    const results = await inParallel(50, () => storage.singleUseTokens.consume(purpose, digest, now));
    assert.equal(winners(results), 1);
  });

  test('consume for another purpose returns null and keeps the token', async (storage) => {
    const token = await storedToken(storage);
    assert.equal(await storage.singleUseTokens.consume('password_reset', token.digest, now), null);
    assert.deepEqual(await storage.singleUseTokens.consume('magic_link', token.digest, now), token);
  });

  test('a token is invalid from expiresAt on, and valid a millisecond earlier', async (storage) => {
    const { purpose, digest, expiresAt } = await storedToken(storage);
    assert.equal(await storage.singleUseTokens.consume(purpose, digest, expiresAt), null);
    const justBefore = new Date(expiresAt.getTime() - 1);
    assert.ok(await storage.singleUseTokens.consume(purpose, digest, justBefore));
  });

  test('insert does not store a token for a user who does not exist', async (storage) => {
    for (const purpose of ['webauthn_registration', 'webauthn_authentication'] as const) {
      const { digest } = await storedToken(storage, { purpose, subject: randomUUID() });
      assert.equal(await storage.singleUseTokens.consume(purpose, digest, now), null);
    }
    const forAnybody = await storedToken(storage, { purpose: 'webauthn_authentication', subject: '*' });
    assert.ok(await storage.singleUseTokens.consume('webauthn_authentication', forAnybody.digest, now));
  });

  test('only one of 50 parallel claims of a digest succeeds, and the others change nothing', async (storage) => {
    const { singleUseTokens } = storage;
    const expiresAt = new Date(now.getTime() + 60_000);
    const token = { digest: randomUUID(), purpose: 'old_session' as const, subject: '*', expiresAt };
    const claim = (n: number) => singleUseTokens.claim({ ...token, metadata: { n } });
    const results = await inParallel(50, claim);
    assert.equal(winners(results), 1);
    const stored = await singleUseTokens.find('old_session', token.digest, now);
    assert.deepEqual(stored, { ...token, metadata: { n: results.indexOf(true) } });
    // An expired token keeps its digest until it is purged.
    assert.equal(await singleUseTokens.find('old_session', token.digest, expiresAt), null);
    assert.equal(await claim(50), false);
  });

  test('discard removes the token', async (storage) => {
    const { purpose, digest } = await storedToken(storage);
    await storage.singleUseTokens.discard(digest);
    await storage.singleUseTokens.discard('unknown');
    assert.equal(await storage.singleUseTokens.consume(purpose, digest, now), null);
  });
}
