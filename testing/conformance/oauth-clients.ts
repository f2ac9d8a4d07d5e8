import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { OAuthClient } from '../../src/domain/oauth-server.js';
import type { StoredUser } from '../../src/domain/user.js';
import { insertGrant, newClient, newGrant, newToken } from './oauth-records.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  testsRequiring,
  type RegisterConformanceTest,
} from './suite.js';

const minute = 60_000;

export function describeOAuthClients(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'oauthServer');
  const withAccounts = testsRequiring(register, 'oauthServer', 'accounts');

  test('of parallel changes of a client each sees the one before it', async ({ oauthServer }) => {
    const client = newClient({ metadata: { client_name: 'Notes', count: 0 } });
    await oauthServer.insertClient(client);
    const counted = ({ metadata }: OAuthClient) => ({
      ...metadata,
      count: Number(metadata['count']) + 1,
    });
    await inParallel(8, () => oauthServer.updateClient(client.id, now, counted));
    const found = await oauthServer.findClient(client.id, now);
    assert.deepEqual(found, { ...client, metadata: { client_name: 'Notes', count: 8 } });
  });

  test('a change of a client returns it, and changes no other', async ({ oauthServer }) => {
    const [client, other] = [newClient(), newClient()];
    for (const each of [client, other]) await oauthServer.insertClient(each);
    const metadata = { client_name: 'Other notes', nested: { list: ['a', 'b'] } };
    const changed = await oauthServer.updateClient(client.id, now, (stored) => {
      assert.deepEqual(stored, client);
      return metadata;
    });
    assert.deepEqual(changed, { ...client, metadata });
    assert.deepEqual(await oauthServer.findClient(client.id, now), changed);
    assert.deepEqual(await oauthServer.findClient(other.id, now), other);
  });

  test('a client that is unknown or has expired is not changed', async ({ oauthServer }) => {
    const client = newClient({ kind: 'dynamic', expiresAt: after(minute) });
    await oauthServer.insertClient(client);
    const fail = () => assert.fail('There is nothing to change.');
    assert.equal(await oauthServer.updateClient(randomUUID(), now, fail), null);
    assert.equal(await oauthServer.updateClient(client.id, after(minute), fail), null);
    assert.deepEqual(await oauthServer.findClient(client.id, now), client);
  });

  test('a refused change of a client changes nothing', async ({ oauthServer }) => {
    const client = newClient();
    await oauthServer.insertClient(client);
    const refused = new Error('refused');
    const change = () => {
      throw refused;
    };
    await assert.rejects(oauthServer.updateClient(client.id, now, change), refused);
    assert.deepEqual(await oauthServer.findClient(client.id, now), client);
  });

  test('a client is changed under the decision about the acting user', async (storage) => {
    const { oauthServer } = storage;
    const { id: userId } = await insertedUser(storage);
    const refused = new Error('refused');
    const by = (isAllowed: boolean) => ({
      userId,
      decide: (user: StoredUser | null) => {
        assert.equal(user?.id, userId);
        if (!isAllowed) throw refused;
      },
    });
    const client = newClient();
    const rename = ({ metadata }: OAuthClient) => ({ ...metadata, client_name: 'Renamed' });
    await assert.rejects(oauthServer.insertClient(client, by(false)), refused);
    assert.equal(await oauthServer.findClient(client.id, now), null);
    assert.equal(await oauthServer.insertClient(client, by(true)), true);
    assert.equal(await oauthServer.insertClient(client, by(true)), false);
    await assert.rejects(oauthServer.updateClient(client.id, now, rename, by(false)), refused);
    await assert.rejects(oauthServer.removeClient(client.id, by(false)), refused);
    assert.deepEqual(await oauthServer.findClient(client.id, now), client);
    const changed = await oauthServer.updateClient(client.id, now, rename, by(true));
    assert.equal(changed?.metadata['client_name'], 'Renamed');
    assert.equal(await oauthServer.removeClient(client.id, by(true)), true);
  });

  test('grants are listed with their clients, newest first', async (storage) => {
    const { oauthServer } = storage;
    const { id: userId } = await insertedUser(storage);
    const stays = newClient();
    const expired = newClient({ kind: 'dynamic', expiresAt: after(1) });
    const last = newClient();
    for (const each of [stays, expired, last]) await oauthServer.insertClient(each);
    const [first, second, third] = [
      newGrant(userId, { clientId: stays.id }),
      newGrant(userId, { clientId: expired.id, createdAt: after(1) }),
      newGrant(userId, { clientId: last.id, createdAt: after(2) }),
    ];
    const ended = newGrant(userId, { clientId: stays.id, createdAt: after(3), expiresAt: after(4) });
    const others = newGrant((await insertedUser(storage)).id, { clientId: stays.id });
    for (const each of [first, second, third, ended, others])
      assert.equal(await insertGrant(storage, each), true);
    assert.deepEqual(await oauthServer.listGrantsWithClients(userId, after(4)), [
      { grant: third, client: last },
      { grant: second, client: expired },
      { grant: first, client: stays },
    ]);
    await storage.sessions.revokeAll(userId, after(5));
    assert.deepEqual(await oauthServer.listGrantsWithClients(userId, after(5)), []);
  });

  test('the use of a grant is stored', async (storage) => {
    const { oauthServer } = storage;
    const { id: userId } = await insertedUser(storage);
    const [grant, other] = [newGrant(userId), newGrant(userId)];
    for (const each of [grant, other]) await insertGrant(storage, each);
    await oauthServer.markGrantUsed(grant.id, after(minute));
    await oauthServer.markGrantUsed(randomUUID(), after(minute));
    const lastUsedAt = async (id: string) => (await oauthServer.findGrant(id, now))?.grant.lastUsedAt;
    assert.deepEqual(await lastUsedAt(grant.id), after(minute));
    assert.equal(await lastUsedAt(other.id), null);
  });

  withAccounts('the deletion of a user removes grants and their tokens, and no others', async (storage) => {
    const { accounts, oauthServer } = storage;
    const users = [await insertedUser(storage), await insertedUser(storage)] as const;
    const grants = users.map(({ id }) => newGrant(id));
    const tokens = grants.map(({ id }) => newToken({ grantId: id }));
    for (const grant of grants) await insertGrant(storage, grant);
    for (const token of tokens) await oauthServer.insertToken(token);
    const deleted = await accounts.deleteUser(users[0].id, async () => {});
    assert.deepEqual(deleted, { status: 'deleted' });
    assert.deepEqual(await oauthServer.listGrantsWithClients(users[0].id, now), []);
    assert.equal(await oauthServer.findToken(tokens[0]!.digest), null);
    assert.notEqual(await oauthServer.findAccess(tokens[1]!.digest, now), null);
  });
}
