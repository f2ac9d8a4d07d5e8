import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createdOrg, insertedApiKey, insertedFamily, newApiKey } from './pro-records.js';
import { insertGrant, newGrant } from './oauth-records.js';
import { trusted } from './trusted-browsers.js';
import {
  after,
  inParallel,
  insertedUser,
  newSession,
  now,
  startedSession,
  testsRequiring,
  type RegisterConformanceTest,
  type With,
} from './suite.js';

/** The last chapter, because every user is read with the time of a lockdown of everyone. */
export function describeLockdowns(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'lockdowns');
  const withOrgs = testsRequiring(register, 'lockdowns', 'orgs', 'apiKeys');
  const withAll = testsRequiring(
    register,
    ...(['lockdowns', 'refreshFamilies', 'trustedBrowsers', 'oauthServer', 'apiKeys'] as const),
  );

  const start = (storage: With<'lockdowns'>, scope: 'everyone' | { orgId: string } | { userId: string }) =>
    storage.lockdowns.start({ scope, now: after(5), apiKeys: false });
  const epochOf = async (storage: With<'lockdowns'>, id: string) =>
    (await storage.users.findById(id))?.epoch ?? assert.fail('no user');
  /** The epoch of a user and of a new one, which earlier tests may have raised. */
  const inserted = async (storage: With<'lockdowns'>) => {
    const { id } = await insertedUser(storage);
    return { id, epoch: await epochOf(storage, id) };
  };

  test('a lockdown of a user ends the sessions of that user only', async (storage) => {
    const [mine, other] = [await inserted(storage), await inserted(storage)];
    const session = await startedSession(storage, mine.id);
    assert.deepEqual(await start(storage, { userId: mine.id }), { users: 1 });
    const found = await storage.sessions.findWithUser(session.id);
    assert.deepEqual([found?.session.revokedAt, found?.user.epoch], [after(5), mine.epoch + 1]);
    assert.deepEqual(found?.user.sessionsValidAfter, after(5));
    assert.equal(await epochOf(storage, other.id), other.epoch);
    for (const userId of [randomUUID(), 'x']) assert.equal(await start(storage, { userId }), 'not_found');
  });

  withOrgs('a lockdown of an organization ends the sessions of its members', async (storage) => {
    const [owner, member, other] = [
      await inserted(storage),
      await inserted(storage),
      await inserted(storage),
    ];
    const org = await createdOrg(storage, owner.id, { [member.id]: 'member' });
    const session = await startedSession(storage, member.id);
    const keys = [
      await insertedApiKey(storage, { orgId: org.id }),
      await insertedApiKey(storage, { userId: member.id }),
    ];
    assert.deepEqual(await start(storage, { orgId: org.id }), { users: 2 });
    const epochs = await Promise.all([owner, member, other].map(({ id }) => epochOf(storage, id)));
    assert.deepEqual(epochs, [owner.epoch + 1, member.epoch + 1, other.epoch]);
    assert.deepEqual((await storage.sessions.findWithUser(session.id))?.session.revokedAt, after(5));
    const revokedAt = async () =>
      Promise.all(keys.map(async ({ id }) => (await storage.apiKeys.findById(id))?.revokedAt ?? null));
    assert.deepEqual(await revokedAt(), [null, null]);
    await storage.lockdowns.start({ scope: { orgId: org.id }, now: after(6), apiKeys: true });
    assert.deepEqual(await revokedAt(), [after(6), after(6)]);
    for (const orgId of [randomUUID(), 'x']) assert.equal(await start(storage, { orgId }), 'not_found');
  });

  test('a lockdown of a user changes nothing if the acting user is refused', async (storage) => {
    const [mine, acting] = [await inserted(storage), await inserted(storage)];
    const refusal = new Error('refused');
    const seen: (number | undefined)[] = [];
    for (const scope of ['everyone', { userId: mine.id }] as const) {
      const decide = (user: { epoch: number } | null) => {
        seen.push(user?.epoch);
        throw refusal;
      };
      const by = { userId: acting.id, decide };
      await assert.rejects(storage.lockdowns.start({ scope, now: after(5), apiKeys: true, by }), refusal);
    }
    assert.deepEqual(seen, [acting.epoch, acting.epoch]);
    assert.equal(await epochOf(storage, mine.id), mine.epoch);
  });

  withAll('a lockdown of everyone ends everything that depends on the epoch', async (storage) => {
    const { id, epoch } = await inserted(storage);
    const session = await startedSession(storage, id, { createdAt: now }, epoch);
    const family = await insertedFamily(storage, id, { epoch });
    const browser = await trusted(storage, id, { epoch });
    const grant = newGrant(id, { epoch });
    await insertGrant(storage, grant);
    const key = await insertedApiKey(storage, { userId: id }, {}, epoch);
    const kept = async () => ({
      sessions: (await storage.sessions.listLive(id, now)).length,
      browsers: (await storage.sessions.listBrowsers(id, now)).length,
      families: (await storage.refreshFamilies.listLive(id, now)).length,
      trusted: (await storage.trustedBrowsers.list(id, now)).length,
      grants: (await storage.oauthServer.listGrants(id, now)).length,
      key: (await storage.apiKeys.findById(key.id))?.revokedAt ?? null,
    });
    const all = { sessions: 1, browsers: 1, families: 1, trusted: 1, grants: 1, key: null };
    assert.deepEqual(await kept(), all);
    assert.deepEqual(await start(storage, 'everyone'), { users: null });
    const none = { sessions: 0, browsers: 0, families: 0, trusted: 0, grants: 0, key: null };
    assert.deepEqual(await kept(), none);
    const found = await storage.sessions.findWithUser(session.id);
    assert.deepEqual([found?.user.epoch, found?.user.sessionsValidAfter], [epoch + 1, after(5)]);
    const rotation = { familyId: family.id, counter: family.counter, graceMs: 0, now };
    assert.deepEqual((await storage.refreshFamilies.rotate(rotation)).status, 'invalid');
    assert.equal(await storage.oauthServer.findGrant(grant.id, now), null);
    assert.equal(await storage.trustedBrowsers.use(id, epoch, [browser.secretHash], now), null);
    assert.equal(await storage.trustedBrowsers.use(id, epoch + 1, [browser.secretHash], now), null);
    assert.equal(await storage.apiKeys.insert(newApiKey({ userId: id }), epoch), 'epoch_moved');
    await storage.lockdowns.start({ scope: 'everyone', now: after(6), apiKeys: true });
    assert.deepEqual((await kept()).key, after(6));
  });

  test('a sign-in with the epoch before a lockdown of everyone is refused, and with the new one starts', async (storage) => {
    const { id, epoch } = await inserted(storage);
    await start(storage, 'everyone');
    assert.equal(await storage.sessions.start(newSession(id), epoch), false);
    assert.equal(await storage.sessions.startWithin(newSession(id), epoch, { max: 2 }), null);
    assert.equal(await storage.users.setFirstPassword(id, epoch, 'hash', now), false);
    const later = { createdAt: after(60), lastSeenAt: after(60), expiresAt: after(90_000) };
    const session = await startedSession(storage, id, later, epoch + 1);
    assert.deepEqual((await storage.sessions.findWithUser(session.id))?.user.epoch, epoch + 1);
    assert.deepEqual(await storage.sessions.listLive(id, after(61)), [session]);
    assert.equal(await storage.users.setFirstPassword(id, epoch + 1, 'hash', now), true);
  });

  test('a user who signs up after a lockdown of everyone starts with epoch 0', async (storage) => {
    await start(storage, 'everyone');
    const { epoch } = await inserted(storage);
    assert.equal(epoch, 0);
  });

  test('revokeAll and a lockdown of everyone each raise the epoch by one, in any order and at once', async (storage) => {
    const { id, epoch } = await inserted(storage);
    await storage.sessions.revokeAll(id, after(1));
    await start(storage, 'everyone');
    await storage.sessions.revokeAll(id, after(7));
    assert.equal(await epochOf(storage, id), epoch + 3);
    await inParallel(4, (index) =>
      index % 2 ? start(storage, 'everyone').then(() => true) : storage.sessions.revokeAll(id, after(8)),
    );
    assert.equal(await epochOf(storage, id), epoch + 7);
  });

  test('sessionsValidAfter never moves back, whatever the clock of the process that locks down', async (storage) => {
    const { id } = await inserted(storage);
    const at = after(50_000);
    await storage.lockdowns.start({ scope: 'everyone', now: at, apiKeys: false });
    await start(storage, 'everyone');
    assert.deepEqual((await storage.users.findById(id))?.sessionsValidAfter, at);
    await start(storage, { userId: id });
    assert.deepEqual((await storage.users.findById(id))?.sessionsValidAfter, at);
  });
}
