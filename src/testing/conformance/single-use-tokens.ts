import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { inParallel, now, type Promises, storedToken, winners } from './suite.js';

export function singleUseTokenPromises(promise: Promises): void {
  promise('a token is returned once, as it was inserted', async (storage) => {
    const token = await storedToken(storage);
    assert.deepEqual(await storage.singleUseTokens.consume('magic_link', token.digest, now), token);
    assert.equal(await storage.singleUseTokens.consume('magic_link', token.digest, now), null);
  });

  promise('of 50 parallel consumptions of one token one wins', async (storage) => {
    const { purpose, digest } = await storedToken(storage);
    const answers = await inParallel(50, () => storage.singleUseTokens.consume(purpose, digest, now));
    assert.equal(winners(answers), 1);
  });

  promise('a token for something else is null and stays', async (storage) => {
    const token = await storedToken(storage);
    assert.equal(await storage.singleUseTokens.consume('password_reset', token.digest, now), null);
    assert.deepEqual(await storage.singleUseTokens.consume('magic_link', token.digest, now), token);
  });

  promise('a token is dead from its very end on, and live a millisecond before', async (storage) => {
    const { purpose, digest, expiresAt } = await storedToken(storage);
    assert.equal(await storage.singleUseTokens.consume(purpose, digest, expiresAt), null);
    const justBefore = new Date(expiresAt.getTime() - 1);
    assert.ok(await storage.singleUseTokens.consume(purpose, digest, justBefore));
  });

  promise('a token for a user who is gone is not stored', async (storage) => {
    for (const purpose of ['password_reset', 'webauthn_registration', 'webauthn_authentication'] as const) {
      const { digest } = await storedToken(storage, { purpose, subject: randomUUID() });
      assert.equal(await storage.singleUseTokens.consume(purpose, digest, now), null);
    }
    const forAnybody = await storedToken(storage, { purpose: 'webauthn_authentication', subject: '*' });
    assert.ok(await storage.singleUseTokens.consume('webauthn_authentication', forAnybody.digest, now));
  });

  promise('discard removes the token', async (storage) => {
    const { purpose, digest } = await storedToken(storage);
    await storage.singleUseTokens.discard(digest);
    await storage.singleUseTokens.discard('unknown');
    assert.equal(await storage.singleUseTokens.consume(purpose, digest, now), null);
  });
}
