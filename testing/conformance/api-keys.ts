import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { toPublicApiKey } from '../../src/domain/api-key.js';
import { createdOrg, insertedApiKey, insertedGuest, newApiKey } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  winners,
} from './suite.js';

export function describeApiKeys(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'apiKeys');

  test('findById returns the key as it was inserted', async (storage) => {
    const user = await insertedUser(storage);
    const times = { expiresAt: after(10), lastUsedAt: after(-1) };
    const key = await insertedApiKey(storage, { userId: user.id }, { ...times, metadata: {}, scopes: [] });
    assert.deepEqual(await storage.apiKeys.findById(key.id), key);
    assert.equal(await storage.apiKeys.findById(randomUUID()), null);
  });

  test('insert returns no_owner unless the key has exactly one existing owner', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const keys = [
      newApiKey({ userId: randomUUID() }),
      newApiKey({ orgId: randomUUID() }),
      newApiKey({ userId: null }),
      newApiKey({ userId }, { orgId: randomUUID() }),
    ];
    for (const key of keys) {
      assert.equal(await storage.apiKeys.insert(key, 0), 'no_owner');
      assert.equal(await storage.apiKeys.findById(key.id), null);
    }
    assert.deepEqual(await storage.apiKeys.list({ userId }), []);
  });

  testsRequiring(
    register,
    'apiKeys',
    'guests',
  )('insert returns guest for a key of a guest', async (storage) => {
    const { id: userId } = await insertedGuest(storage);
    const key = newApiKey({ userId });
    assert.equal(await storage.apiKeys.insert(key, 0), 'guest');
    assert.equal(await storage.apiKeys.findById(key.id), null);
  });

  test('insert returns epoch_moved if the user no longer has the epoch', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    await storage.sessions.revokeAll(userId, now);
    for (const epoch of [0, 2, null]) {
      assert.equal(await storage.apiKeys.insert(newApiKey({ userId }), epoch), 'epoch_moved');
    }
    assert.deepEqual(await storage.apiKeys.list({ userId }), []);
    assert.equal(await storage.apiKeys.insert(newApiKey({ userId }), 1), 'inserted');
  });

  test('no key remains after a parallel claim', async (storage) => {
    await inParallel(5, async () => {
      const { id: userId } = await insertedUser(storage);
      const insert = () => storage.apiKeys.insert(newApiKey({ userId }), 0);
      await Promise.all([insert(), insert(), storage.users.claim(userId, now), insert(), insert()]);
      assert.deepEqual(await storage.apiKeys.list({ userId }), []);
    });
  });

  testsRequiring(
    register,
    'apiKeys',
    'orgs',
  )('list returns the keys of an organization separately from those of its members', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const [org, other] = [await createdOrg(storage, userId), await createdOrg(storage, userId)];
    const key = await insertedApiKey(storage, { orgId: org.id });
    assert.deepEqual(await storage.apiKeys.findById(key.id), key);
    assert.deepEqual(await storage.apiKeys.list({ orgId: org.id }), [toPublicApiKey(key)]);
    assert.deepEqual(await storage.apiKeys.list({ orgId: other.id }), []);
    assert.deepEqual(await storage.apiKeys.list({ userId }), []);
    const both = newApiKey({ orgId: org.id }, { userId });
    assert.equal(await storage.apiKeys.insert(both, 0), 'no_owner');
  });

  testsRequiring(
    register,
    'apiKeys',
    'orgs',
  )('no key remains after a parallel deletion of its organization', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    await inParallel(5, async () => {
      const { id: orgId } = await createdOrg(storage, userId);
      const keys = Array.from({ length: 6 }, () => newApiKey({ orgId }));
      const insert = (key: (typeof keys)[number]) => storage.apiKeys.insert(key, null);
      const racing = [...keys.slice(0, 3).map(insert), storage.orgs.delete(orgId)];
      await Promise.all([...racing, ...keys.slice(3).map(insert)]);
      for (const { id } of keys) assert.equal(await storage.apiKeys.findById(id), null);
    });
  });

  test('touch sets lastUsedAt only if it is null or before unlessSince', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const { id } = await insertedApiKey(storage, { userId });
    const lastUse = async () => (await storage.apiKeys.findById(id))?.lastUsedAt;
    await storage.apiKeys.touch(id, after(10), after(-50));
    assert.deepEqual(await lastUse(), after(10));
    await storage.apiKeys.touch(id, after(20), after(10));
    assert.deepEqual(await lastUse(), after(10));
    await storage.apiKeys.touch(id, after(20), after(11));
    assert.deepEqual(await lastUse(), after(20));
    await storage.apiKeys.touch(randomUUID(), now, now);
  });

  test('revoke returns the key once, and only if it is active', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const key = await insertedApiKey(storage, { userId }, { expiresAt: after(10) });
    const results = await inParallel(50, () => storage.apiKeys.revoke(key.id, after(9)));
    assert.equal(winners(results), 1);
    const revoked = { ...key, revokedAt: after(9) };
    assert.deepEqual(
      results.find((result) => result !== null),
      toPublicApiKey(revoked),
    );
    assert.deepEqual(await storage.apiKeys.findById(key.id), revoked);
    const expired = await insertedApiKey(storage, { userId }, { expiresAt: after(10) });
    assert.equal(await storage.apiKeys.revoke(expired.id, after(10)), null);
    assert.deepEqual(await storage.apiKeys.findById(expired.id), expired);
    assert.equal(await storage.apiKeys.revoke(randomUUID(), now), null);
  });

  test('list returns all keys newest first without their hashes, including revoked and expired ones', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const older = await insertedApiKey(storage, { userId }, { revokedAt: now });
    const newest = await insertedApiKey(storage, { userId }, { createdAt: after(9), expiresAt: after(-1) });
    const oldest = await insertedApiKey(storage, { userId }, { createdAt: after(-9) });
    await insertedApiKey(storage, { userId: (await insertedUser(storage)).id });
    const listed = await storage.apiKeys.list({ userId });
    assert.deepEqual(listed, [newest, older, oldest].map(toPublicApiKey));
    for (const key of listed) assert.ok(!('secretHash' in key));
    assert.deepEqual(await storage.apiKeys.list({ userId: randomUUID() }), []);
    assert.deepEqual(await storage.apiKeys.list({ orgId: randomUUID() }), []);
  });

  test('changing a returned key changes neither the stored key nor that of another caller', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const inserted = newApiKey({ userId }, { createdAt: new Date(now) });
    const untouched = newApiKey({ userId }, { id: inserted.id, secretHash: inserted.secretHash });
    await storage.apiKeys.insert(inserted, 0);
    inserted.scopes.push('stolen');
    inserted.createdAt.setTime(0);
    const find = () => storage.apiKeys.findById(inserted.id);
    const [first, second] = await Promise.all([find(), find()]);
    const [listed] = await storage.apiKeys.list({ userId });
    assert.ok(first && listed);
    for (const key of [first, listed]) {
      key.scopes.push('stolen');
      key.metadata.team = 'stolen';
      key.createdAt.setTime(0);
    }
    assert.deepEqual(second, untouched);
    assert.deepEqual(await find(), untouched);
    assert.deepEqual(await storage.apiKeys.list({ userId }), [toPublicApiKey(untouched)]);
  });

  test('parallel look-ups each return their own key', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const keys = await inParallel(20, () => insertedApiKey(storage, { userId }));
    const ids = keys.flatMap(({ id }) => [id, randomUUID(), 'malformed']);
    const found = await Promise.all(ids.map((id) => storage.apiKeys.findById(id)));
    assert.deepEqual(
      found,
      keys.flatMap((key) => [key, null, null]),
    );
  });
}
