import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { OAuthGrant } from '../../src/domain/oauth-server.js';
import { day, insertGrant, minute, newClient, newGrant, newToken } from './oauth-records.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  testsRequiring,
  type RegisterConformanceTest,
  type With,
} from './suite.js';

export function describeOAuthServer(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'oauthServer');
  const withAccounts = testsRequiring(register, 'oauthServer', 'accounts');
  const withUsers = testsRequiring(register, 'oauthServer', 'userAdministration');

  async function granted(storage: With<'oauthServer'>, overrides: Partial<OAuthGrant> = {}) {
    const user = await insertedUser(storage);
    const grant = newGrant(user.id, overrides);
    assert.equal(await insertGrant(storage, grant), true);
    return grant;
  }

  async function issued({ oauthServer }: With<'oauthServer'>, grant: OAuthGrant) {
    const token = newToken({ grantId: grant.id });
    assert.equal(await oauthServer.insertToken(token), true);
    return token;
  }

  const rotation = (grant: OAuthGrant, counter: number, at = now) => ({
    ...{ id: grant.id, counter, graceMs: minute, now: at, expiresAt: after(2 * day) },
  });

  test('a client is found until it expires, and its id is taken once', async ({ oauthServer }) => {
    const client = newClient({ kind: 'dynamic', expiresAt: after(minute) });
    assert.equal(await oauthServer.insertClient(client), true);
    assert.equal(await oauthServer.insertClient({ ...client, metadata: {} }), false);
    assert.deepEqual(await oauthServer.findClient(client.id, after(minute - 1)), client);
    assert.equal(await oauthServer.findClient(client.id, after(minute)), null);
    assert.equal(await oauthServer.findClient(randomUUID(), now), null);
    const other = newClient();
    await oauthServer.insertClient(other);
    const listed = await oauthServer.listClients(after(minute));
    assert.deepEqual(
      listed.filter(({ id }) => [client.id, other.id].includes(id)),
      [other],
    );
  });

  test('a client is stored again by its id, unless another kind has taken it', async ({ oauthServer }) => {
    const client = newClient({ id: `https://${randomUUID()}.test/client`, kind: 'document' });
    const stored = await inParallel(4, () => oauthServer.storeClient(client));
    assert.deepEqual(stored, [true, true, true, true]);
    const changed = {
      ...client,
      metadata: { client_name: 'Notes 2' },
      createdAt: after(1),
      expiresAt: after(minute),
    };
    assert.equal(await oauthServer.storeClient(changed), true);
    assert.deepEqual(await oauthServer.findClient(client.id, now), changed);
    assert.equal(await oauthServer.storeClient({ ...changed, kind: 'registered', expiresAt: null }), false);
    assert.deepEqual(await oauthServer.findClient(client.id, now), changed);
  });

  withAccounts('the deletion of a user deletes the tokens of the user', async (storage) => {
    const [grant, other] = [await granted(storage), await granted(storage)];
    const [token, kept] = [await issued(storage, grant), await issued(storage, other)];
    const within = () => Promise.resolve();
    const outcome = await storage.accounts.deleteUser(grant.userId, within);
    assert.deepEqual(outcome, { status: 'deleted' });
    assert.equal(await storage.oauthServer.findToken(token.digest), null);
    assert.deepEqual(await storage.oauthServer.findToken(kept.digest), kept);
  });

  test('the removal of a client removes its grants and their tokens', async (storage) => {
    const client = newClient();
    await storage.oauthServer.insertClient(client);
    const grant = await granted(storage, { clientId: client.id });
    const token = await issued(storage, grant);
    assert.equal(await storage.oauthServer.removeClient(client.id), true);
    assert.equal(await storage.oauthServer.removeClient(client.id), false);
    assert.equal(await storage.oauthServer.findGrant(grant.id, now), null);
    assert.equal(await storage.oauthServer.findToken(token.digest), null);
  });

  test('a grant is inserted only at the current epoch of its user', async (storage) => {
    const { id } = await insertedUser(storage);
    assert.equal(await insertGrant(storage, newGrant(id, { epoch: 1 })), false);
    assert.equal(await insertGrant(storage, newGrant(randomUUID())), false);
    const grant = newGrant(id);
    assert.equal(await insertGrant(storage, grant), true);
    const found = await storage.oauthServer.findGrant(grant.id, now);
    assert.deepEqual(found?.grant, grant);
    assert.equal(found?.user.id, id);
  });

  test('a grant ends at its time, and with all sessions of its user', async (storage) => {
    const grant = await granted(storage);
    const token = await issued(storage, grant);
    const { oauthServer, sessions } = storage;
    assert.notEqual(await oauthServer.findGrant(grant.id, after(day - 1)), null);
    assert.equal(await oauthServer.findGrant(grant.id, after(day)), null);
    assert.notEqual(await oauthServer.findAccess(token.digest, now), null);
    await sessions.revokeAll(grant.userId, after(1));
    assert.equal(await oauthServer.findGrant(grant.id, after(1)), null);
    assert.equal(await oauthServer.findAccess(token.digest, after(1)), null);
    assert.deepEqual(await oauthServer.listGrants(grant.userId, after(1)), []);
    assert.deepEqual(await oauthServer.rotate(rotation(grant, 0)), { status: 'invalid' });
  });

  withUsers('a block of its user ends a grant, and no other begins until it ends', async (storage) => {
    const grant = await granted(storage);
    const token = await issued(storage, grant);
    const { oauthServer, userAdministration } = storage;
    const blocked = await userAdministration.block(grant.userId, {
      at: now,
      until: after(minute),
      reason: null,
    });
    assert.equal(await oauthServer.findGrant(grant.id, now), null);
    assert.equal(await oauthServer.findAccess(token.digest, now), null);
    assert.deepEqual(await oauthServer.rotate(rotation(grant, 0)), { status: 'invalid' });
    const next = newGrant(grant.userId, { epoch: blocked!.epoch });
    assert.equal(await insertGrant(storage, next), false);
    assert.equal(await insertGrant(storage, next, after(minute)), true);
    assert.equal(await oauthServer.findGrant(next.id, after(minute - 1)), null);
  });

  test('an access token is returned with its grant and its user, until it expires', async (storage) => {
    const grant = await granted(storage);
    const token = await issued(storage, grant);
    const found = await storage.oauthServer.findAccess(token.digest, after(minute - 1));
    assert.deepEqual(found?.token, token);
    assert.deepEqual(found?.active?.grant, grant);
    assert.equal(found?.active?.user.id, grant.userId);
    assert.equal(await storage.oauthServer.findAccess(token.digest, after(minute)), null);
    assert.equal(await storage.oauthServer.findAccess(randomUUID(), now), null);
    const ofClient = newToken({ kind: 'clientAccess' });
    await storage.oauthServer.insertToken(ofClient);
    assert.equal(await storage.oauthServer.findAccess(ofClient.digest, now), null);
  });

  test('a token of a client itself has no grant, and ends with its client', async ({ oauthServer }) => {
    const client = newClient({ expiresAt: after(minute) });
    await oauthServer.insertClient(client);
    const token = newToken({ kind: 'clientAccess', clientId: client.id, expiresAt: after(2 * minute) });
    assert.equal(await oauthServer.insertToken(token), true);
    assert.deepEqual(await oauthServer.findAccess(token.digest, now), { token, active: null });
    assert.equal(await oauthServer.findAccess(token.digest, after(minute)), null);
    await oauthServer.removeClient(client.id);
    assert.equal(await oauthServer.findAccess(token.digest, now), null);
  });

  test('a token for another client than that of its grant ends with either of them', async (storage) => {
    const { oauthServer } = storage;
    const agent = newClient();
    await oauthServer.insertClient(agent);
    for (const end of [
      ({ id }: OAuthGrant) => oauthServer.removeGrant(id),
      () => oauthServer.removeClient(agent.id),
    ]) {
      const grant = await granted(storage);
      const token = newToken({ grantId: grant.id, clientId: agent.id });
      assert.equal(await oauthServer.insertToken(token), true);
      assert.deepEqual((await oauthServer.findAccess(token.digest, now))?.active?.grant, grant);
      await end(grant);
      assert.equal(await oauthServer.findAccess(token.digest, now), null);
    }
  });

  test('of parallel exchanges one rotates a grant, and the others get the same number', async (storage) => {
    const grant = await granted(storage);
    const outcomes = await inParallel(8, () => storage.oauthServer.rotate(rotation(grant, 0)));
    const statuses = outcomes.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [...Array<string>(7).fill('current'), 'rotated']);
    for (const outcome of outcomes) assert.equal('grant' in outcome && outcome.grant.counter, 1);
    const { grant: rotated } = (await storage.oauthServer.findGrant(grant.id, now)) ?? {};
    assert.deepEqual(rotated, {
      ...grant,
      ...{ counter: 1, rotatedAt: now, lastUsedAt: now, expiresAt: after(2 * day) },
    });
  });

  test('of parallel changes of a token each decides on what the one before it has stored', async (storage) => {
    const { oauthServer } = storage;
    const token = newToken({ kind: 'deviceCode', alias: randomUUID() });
    await oauthServer.insertToken(token);
    const decide = (at = now) =>
      oauthServer.changeToken(token.digest, at, ({ data }) =>
        'decision' in data ? null : { data: { ...data, decision: randomUUID() }, grantId: randomUUID() },
      );
    const outcomes = await inParallel(8, () => decide());
    const [winner, ...others] = outcomes.filter((outcome) => outcome !== null);
    assert.deepEqual(others, []);
    assert.deepEqual(await oauthServer.findTokenByAlias(token.alias!), winner);
    assert.deepEqual({ ...winner, data: token.data, grantId: null }, token);
    assert.equal(
      await oauthServer.changeToken('unknown', now, ({ data }) => ({ data, grantId: null })),
      null,
    );
  });

  test('a token that has expired or was used does not change', async ({ oauthServer }) => {
    const token = newToken({ kind: 'deviceCode' });
    await oauthServer.insertToken(token);
    const change = (at: Date) =>
      oauthServer.changeToken(token.digest, at, () => ({ data: {}, grantId: null }));
    assert.equal(await change(token.expiresAt), null);
    assert.equal(await oauthServer.useToken(token.digest, now), true);
    assert.equal(await change(now), null);
    assert.deepEqual((await oauthServer.findToken(token.digest))?.data, token.data);
  });

  test('a grant rotates once in the grace period, whichever of its last two numbers is presented', async (storage) => {
    const grant = await granted(storage);
    const rotate = (counter: number, at: number) =>
      storage.oauthServer.rotate(rotation(grant, counter, after(at)));
    assert.equal((await rotate(0, 0)).status, 'rotated');
    for (const counter of [1, 0, 1]) {
      const outcome = await rotate(counter, minute - 1);
      assert.deepEqual([outcome.status, 'grant' in outcome && outcome.grant.counter], ['current', 1]);
    }
    const next = await rotate(1, minute);
    assert.deepEqual([next.status, 'grant' in next && next.grant.counter], ['rotated', 2]);
  });

  test('a number that was exchanged earlier removes the grant', async (storage) => {
    for (const [count, late] of [
      [1, minute],
      [2, minute],
    ] as const) {
      const grant = await granted(storage);
      const token = await issued(storage, grant);
      for (let counter = 0; counter < count; counter++)
        await storage.oauthServer.rotate(rotation(grant, counter, after(counter * minute)));
      const outcome = await storage.oauthServer.rotate(rotation(grant, 0, after(late)));
      assert.equal(outcome.status, 'reused');
      assert.equal('grant' in outcome && outcome.grant.id, grant.id);
      assert.equal(await storage.oauthServer.findGrant(grant.id, now), null);
      assert.equal(await storage.oauthServer.findToken(token.digest), null);
    }
  });

  test('a number that was not issued yet is refused', async (storage) => {
    const grant = await granted(storage);
    const outcome = await storage.oauthServer.rotate(rotation(grant, 1));
    assert.deepEqual(outcome, { status: 'reused', grant });
    assert.deepEqual(await storage.oauthServer.rotate({ ...rotation(grant, 0), id: 'x' }), {
      status: 'invalid',
    });
  });

  test('a grant becomes renewable', async (storage) => {
    const grant = await granted(storage);
    const renewal = { scope: 'notes:read' };
    assert.equal(await storage.oauthServer.makeRenewable(grant.id, renewal, after(2 * day)), true);
    assert.equal(await storage.oauthServer.makeRenewable(randomUUID(), renewal, after(1)), false);
    const found = await storage.oauthServer.findGrant(grant.id, now);
    assert.deepEqual(found?.grant, { ...grant, renewal, expiresAt: after(2 * day) });
  });

  test('grants are removed by their user alone, one or all of a client', async (storage) => {
    const grant = await granted(storage);
    const { clientId, userId } = grant;
    const token = await issued(storage, grant);
    const second = newGrant(userId, { clientId, createdAt: after(1) });
    const other = newGrant(userId, { createdAt: after(2) });
    const { oauthServer } = storage;
    for (const each of [second, other]) await insertGrant(storage, each);
    assert.deepEqual(await oauthServer.listGrants(userId, now), [other, second, grant]);
    assert.equal(await oauthServer.removeGrant(grant.id, randomUUID()), null);
    assert.equal(await oauthServer.removeGrantsFor(userId, clientId), 2);
    assert.equal(await oauthServer.findToken(token.digest), null);
    assert.deepEqual(await oauthServer.listGrants(userId, now), [other]);
    assert.deepEqual(await oauthServer.removeGrant(other.id, userId), other);
    assert.equal(await oauthServer.removeGrant(other.id), null);
  });

  test('a token is inserted once, found by its digest and its alias, replaced and removed', async ({
    oauthServer,
  }) => {
    const token = newToken({ kind: 'deviceCode', alias: randomUUID() });
    assert.equal(await oauthServer.insertToken(token), true);
    assert.equal(await oauthServer.insertToken({ ...token, alias: null }), false);
    assert.deepEqual(await oauthServer.findToken(token.digest), token);
    assert.deepEqual(await oauthServer.findTokenByAlias(token.alias!), token);
    assert.equal(await oauthServer.findTokenByAlias(randomUUID()), null);
    await oauthServer.useToken(token.digest, after(1));
    const changed = { ...token, data: { error: 'access_denied' }, expiresAt: after(2 * minute) };
    await oauthServer.updateToken(changed);
    assert.deepEqual(await oauthServer.findToken(token.digest), { ...changed, usedAt: after(1) });
    await oauthServer.removeToken(token.digest);
    assert.equal(await oauthServer.findToken(token.digest), null);
    await oauthServer.updateToken(changed);
    assert.equal(await oauthServer.findToken(token.digest), null);
  });

  test('of parallel uses of a token one wins', async ({ oauthServer }) => {
    const token = newToken({ kind: 'code' });
    await oauthServer.insertToken(token);
    const wins = await inParallel(8, () => oauthServer.useToken(token.digest, now));
    assert.equal(wins.filter(Boolean).length, 1);
    const expired = newToken({ kind: 'code' });
    await oauthServer.insertToken(expired);
    assert.equal(await oauthServer.useToken(expired.digest, expired.expiresAt), false);
    assert.equal(await oauthServer.useToken(randomUUID(), now), false);
  });

  test('of parallel insertions of a token one wins', async ({ oauthServer }) => {
    const proof = newToken({ kind: 'proof' });
    const wins = await inParallel(8, () => oauthServer.insertToken(proof));
    assert.equal(wins.filter(Boolean).length, 1);
  });

  test('the tokens of a grant are removed without it', async (storage) => {
    const grant = await granted(storage);
    const token = await issued(storage, grant);
    await storage.oauthServer.removeTokensOf(grant.id);
    assert.equal(await storage.oauthServer.findToken(token.digest), null);
    assert.notEqual(await storage.oauthServer.findGrant(grant.id, now), null);
  });

  test('keys are listed newest first, and one is stored with an id', async ({ oauthServer }) => {
    const key = (days: number) => ({
      id: randomUUID() as string,
      secret: 'sealed',
      createdAt: after(days * day),
    });
    const [old, young] = [key(0), key(1)];
    for (const each of [old, young]) assert.equal(await oauthServer.insertKey(each), true);
    const wins = await inParallel(4, () => oauthServer.insertKey({ ...old, secret: 'other' }));
    assert.ok(!wins.includes(true));
    const own = async () =>
      (await oauthServer.listKeys()).filter(({ id }) => [old.id, young.id].includes(id));
    assert.deepEqual(await own(), [young, old]);
    await oauthServer.removeKeys(young.createdAt);
    assert.deepEqual(await own(), [young]);
    await oauthServer.removeKeys(after(2 * day));
  });

  test('the deletion of expired rows removes clients, grants and tokens', async (storage) => {
    const { oauthServer } = storage;
    const client = newClient({ kind: 'dynamic', expiresAt: after(5) });
    await oauthServer.insertClient(client);
    const grant = await granted(storage, { expiresAt: after(5) });
    const token = newToken({ expiresAt: after(5) });
    await oauthServer.insertToken(token);
    const counts = await storage.purgeExpired({ now: after(5) });
    for (const table of ['oauthClients', 'oauthGrants', 'oauthTokens']) assert.ok((counts[table] ?? 0) >= 1);
    assert.equal(await oauthServer.findClient(client.id, now), null);
    assert.equal(await oauthServer.findGrant(grant.id, now), null);
    assert.equal(await oauthServer.findToken(token.digest), null);
  });
}
