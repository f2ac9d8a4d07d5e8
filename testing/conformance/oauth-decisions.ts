import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { OAuthGrant } from '../../src/domain/oauth-server.js';
import { newGrant, newToken } from './oauth-records.js';
import { inParallel, insertedUser, now, testsRequiring, type RegisterConformanceTest } from './suite.js';

export function describeOAuthDecisions(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'oauthServer');

  test('a grant and the change of the token that asked for it are stored together, once', async (storage) => {
    const { oauthServer } = storage;
    const { id } = await insertedUser(storage);
    const token = newToken({ kind: 'deviceCode' });
    await oauthServer.insertToken(token);
    const decide = (grant: OAuthGrant, digest = token.digest, at = now) =>
      oauthServer.insertGrant(grant, at, {
        digest,
        change: ({ data }) =>
          'decision' in data ? null : { data: { ...data, decision: grant.id }, grantId: grant.id },
      });
    const stored = async (grants: readonly OAuthGrant[]) => {
      const all = await Promise.all(grants.map((grant) => oauthServer.findGrant(grant.id, now)));
      return all.flatMap((found) => found?.grant.id ?? []);
    };
    const refused: [grant: OAuthGrant, digest?: string, at?: Date][] = [
      [newGrant(id, { epoch: 1 })],
      [newGrant(randomUUID())],
      [newGrant(id), 'unknown'],
      [newGrant(id), token.digest, token.expiresAt],
    ];
    for (const args of refused) assert.equal(await decide(...args), false);
    assert.deepEqual(await stored(refused.map(([grant]) => grant)), []);
    assert.deepEqual(await oauthServer.findToken(token.digest), token);

    const grants = Array.from({ length: 8 }, () => newGrant(id));
    const outcomes = await inParallel(8, (index) => decide(grants[index]!));
    const winners = grants.filter((_, index) => outcomes[index]).map((grant) => grant.id);
    assert.equal(winners.length, 1);
    assert.deepEqual(await stored(grants), winners);
    const [grantId] = winners;
    const changed = { ...token, data: { ...token.data, decision: grantId }, grantId };
    assert.deepEqual(await oauthServer.findToken(token.digest), changed);
  });
}
