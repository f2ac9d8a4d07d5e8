import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { OAuthGrant } from '../../src/domain/oauth-server.js';
import { insertGrant, newClient, newGrant, newToken } from './oauth-records.js';
import { insertedFamily } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  startedSession,
  testsRequiring,
  type RegisterConformanceTest,
  type With,
} from './suite.js';

export function describeOAuthDecisions(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'oauthServer');
  const withFamilies = testsRequiring(register, 'oauthServer', 'refreshFamilies');

  async function registered({ oauthServer }: With<'oauthServer'>): Promise<string> {
    const client = newClient();
    await oauthServer.insertClient(client);
    return client.id;
  }

  test('a grant and the change of the token that asked for it are stored together, once', async (storage) => {
    const { oauthServer } = storage;
    const { id } = await insertedUser(storage);
    const token = newToken({ kind: 'deviceCode' });
    const client = newClient();
    await oauthServer.insertClient(client);
    const asked = (overrides: Partial<OAuthGrant> = {}, userId = id) =>
      newGrant(userId, { clientId: client.id, ...overrides });
    await oauthServer.insertToken(token);
    const decide = (grant: OAuthGrant, digest = token.digest, at = now) =>
      oauthServer.insertGrant(grant, at, {
        request: {
          digest,
          change: ({ data }) =>
            'decision' in data ? null : { data: { ...data, decision: grant.id }, grantId: grant.id },
        },
      });
    const stored = async (grants: readonly OAuthGrant[]) => {
      const all = await Promise.all(grants.map((grant) => oauthServer.findGrant(grant.id, now)));
      return all.flatMap((found) => found?.grant.id ?? []);
    };
    const refused: [grant: OAuthGrant, digest?: string, at?: Date][] = [
      [asked({ epoch: 1 })],
      [asked({}, randomUUID())],
      [asked({ clientId: randomUUID() })],
      [asked(), 'unknown'],
      [asked(), token.digest, token.expiresAt],
    ];
    for (const args of refused) assert.equal(await decide(...args), false);
    assert.deepEqual(await stored(refused.map(([grant]) => grant)), []);
    assert.deepEqual(await oauthServer.findToken(token.digest), token);

    const grants = Array.from({ length: 8 }, () => asked());
    const outcomes = await inParallel(8, (index) => decide(grants[index]!));
    const winners = grants.filter((_, index) => outcomes[index]).map((grant) => grant.id);
    assert.equal(winners.length, 1);
    assert.deepEqual(await stored(grants), winners);
    const [grantId] = winners;
    const changed = { ...token, data: { ...token.data, decision: grantId }, grantId };
    assert.deepEqual(await oauthServer.findToken(token.digest), changed);
  });

  test('a grant that relies on others is inserted only while all of them are active', async (storage) => {
    const { oauthServer, sessions } = storage;
    const [{ id }, { id: other }] = [await insertedUser(storage), await insertedUser(storage)];
    const [first, second] = [newGrant(id), newGrant(id, { expiresAt: after(2) })];
    const { clientId } = first;
    const toOther = newGrant(id);
    const ofOther = newGrant(other, { clientId });
    for (const grant of [first, { ...second, clientId }, toOther, ofOther]) await insertGrant(storage, grant);
    const rely = (ids: readonly string[], at = after(1), epoch = 0) =>
      oauthServer.insertGrant(newGrant(id, { clientId, epoch }), at, { reliesOn: ids });
    assert.equal(await rely([first.id, second.id]), true);
    assert.equal(await rely([first.id, second.id], after(2)), false);
    for (const wrong of [toOther.id, ofOther.id, randomUUID()])
      assert.equal(await rely([first.id, wrong]), false);
    await sessions.revokeAll(id, after(1));
    assert.equal(await rely([first.id], after(1), 1), false);
    assert.deepEqual(await oauthServer.listGrants(id, after(1)), []);
  });

  test('of a removal and a grant that relies on what is removed, nothing is left', async (storage) => {
    const { oauthServer } = storage;
    for (const remove of ['removeGrantsFor', 'removeClient'] as const) {
      for (let round = 0; round < 10; round++) {
        const { id } = await insertedUser(storage);
        const given = newGrant(id);
        await insertGrant(storage, given);
        const rely = () =>
          oauthServer.insertGrant(newGrant(id, { clientId: given.clientId }), now, { reliesOn: [given.id] });
        const end = () =>
          remove === 'removeClient'
            ? oauthServer.removeClient(given.clientId)
            : oauthServer.removeGrantsFor(id, given.clientId);
        await inParallel<unknown>(5, (index) => (index === 2 ? end() : rely()));
        assert.deepEqual(await oauthServer.listGrants(id, now), []);
      }
    }
  });

  test('a grant of a session is inserted only while that is active', async (storage) => {
    const { oauthServer, sessions } = storage;
    const clientId = await registered(storage);
    const [{ id }, { id: other }] = [await insertedUser(storage), await insertedUser(storage)];
    const own = await startedSession(storage, id, { expiresAt: after(2) });
    const ofOther = await startedSession(storage, other);
    const grants = [newGrant(id, { clientId }), newGrant(id, { clientId })] as const;
    const give = (sessionId: string, at = after(1), grant: OAuthGrant = grants[0]) =>
      oauthServer.insertGrant(grant, at, { sessionId });
    for (const wrong of [ofOther.id, randomUUID(), 'x']) assert.equal(await give(wrong), false);
    assert.equal(await give(own.id, after(2)), false);
    assert.equal(await give(own.id), true);
    await sessions.end(own.id, after(1));
    assert.equal(await give(own.id, after(1), grants[1]), false);
    assert.deepEqual(await oauthServer.listGrants(id, after(1)), [grants[0]]);
  });

  withFamilies('a grant of a refresh family is inserted only while that is active', async (storage) => {
    const { oauthServer, refreshFamilies } = storage;
    const clientId = await registered(storage);
    const [{ id }, { id: other }] = [await insertedUser(storage), await insertedUser(storage)];
    const own = await insertedFamily(storage, id, { expiresAt: after(2) });
    const ofOther = await insertedFamily(storage, other);
    const grants = [newGrant(id, { clientId }), newGrant(id, { clientId })] as const;
    const give = (sessionId: string, at = after(1), grant: OAuthGrant = grants[0]) =>
      oauthServer.insertGrant(grant, at, { sessionId });
    assert.equal(await give(ofOther.id), false);
    assert.equal(await give(own.id, after(2)), false);
    assert.equal(await give(own.id), true);
    await refreshFamilies.revoke(own.id, after(1));
    assert.equal(await give(own.id, after(1), grants[1]), false);
    assert.deepEqual(await oauthServer.listGrants(id, after(1)), [grants[0]]);
  });

  test('a refused grant of an ended session leaves its request undecided', async (storage) => {
    const { oauthServer, sessions } = storage;
    const clientId = await registered(storage);
    const { id } = await insertedUser(storage);
    const { id: sessionId } = await startedSession(storage, id);
    const token = newToken({ kind: 'deviceCode' });
    await oauthServer.insertToken(token);
    await sessions.end(sessionId, now);
    const request = {
      digest: token.digest,
      change: () => ({ data: { decision: 'allowed' }, grantId: null }),
    };
    const grant = newGrant(id, { clientId });
    assert.equal(await oauthServer.insertGrant(grant, now, { sessionId, request }), false);
    assert.deepEqual(await oauthServer.findToken(token.digest), token);
  });

  test('no grant of a session appears after its end', async (storage) => {
    const { oauthServer, sessions } = storage;
    const clientId = await registered(storage);
    for (let round = 0; round < 10; round++) {
      const { id } = await insertedUser(storage);
      const { id: sessionId } = await startedSession(storage, id);
      const give = () => oauthServer.insertGrant(newGrant(id, { clientId }), now, { sessionId });
      let atEnd: OAuthGrant[] = [];
      const end = async () => {
        assert.equal(await sessions.end(sessionId, now), id);
        atEnd = await oauthServer.listGrants(id, now);
      };
      await inParallel<unknown>(5, (index) => (index === 2 ? end() : give()));
      assert.deepEqual(await oauthServer.listGrants(id, now), atEnd);
    }
  });

  test('of the removal of a client and a grant to it, nothing is left', async (storage) => {
    const { oauthServer } = storage;
    for (let round = 0; round < 10; round++) {
      const client = newClient();
      await oauthServer.insertClient(client);
      const { id } = await insertedUser(storage);
      await inParallel<unknown>(4, (index) =>
        index === 1
          ? oauthServer.removeClient(client.id)
          : oauthServer.insertGrant(newGrant(id, { clientId: client.id }), now),
      );
      assert.deepEqual(await oauthServer.listGrants(id, now), []);
    }
  });
}
