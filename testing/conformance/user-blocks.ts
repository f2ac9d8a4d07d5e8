import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  createdOrg,
  insertedApiKey,
  insertedFamily,
  insertedGuest,
  newFamily,
  newUpgrade,
} from './pro-records.js';
import {
  after,
  inParallel,
  newSession,
  now,
  type RegisterConformanceTest,
  startedSession,
  testsRequiring,
  winners,
} from './suite.js';
import { insertedAdministered } from './user-lists.js';

const forever = { at: after(5), until: null, reason: 'abuse' };
const aWhile = { at: after(5), until: after(60), reason: null };

export function describeUserBlocks(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'userAdministration');

  test('block ends every session and is read with every look-up of the user', async (storage) => {
    const user = await insertedAdministered(storage);
    const session = await startedSession(storage, user.id);
    const ended = { epoch: 1, sessionsValidAfter: after(5), updatedAt: after(5), lastSignInAt: now };
    const blocked = { ...user, ...ended, blocked: forever };
    assert.deepEqual(await storage.userAdministration.block(user.id, forever), blocked);
    assert.deepEqual(await storage.userAdministration.find({ id: user.id }), blocked);
    const found = await storage.sessions.findWithUser(session.id);
    assert.deepEqual([found?.session.revokedAt, found?.user.blocked], [after(5), forever]);
    assert.deepEqual((await storage.users.findByEmail(user.email ?? ''))?.blocked, forever);
    const again = await storage.userAdministration.block(user.id, { ...aWhile, at: after(9) });
    assert.deepEqual([again?.blocked, again?.epoch], [{ ...aWhile, at: after(9) }, 2]);
    for (const id of [randomUUID(), 'x'])
      assert.equal(await storage.userAdministration.block(id, forever), null);
  });

  test('start refuses a blocked user, also with the current epoch, until the block ends', async (storage) => {
    const { id } = await insertedAdministered(storage);
    await storage.userAdministration.block(id, aWhile);
    const startAt = (ms: number) =>
      storage.sessions.start(newSession(id, { lastSeenAt: after(ms), expiresAt: after(90_000) }), 1);
    assert.equal(await startAt(59), false);
    assert.equal(await startAt(60), true);
    await storage.userAdministration.block(id, { ...forever, at: after(61) });
    assert.equal(await storage.sessions.start(newSession(id, { lastSeenAt: after(90) }), 2), false);
  });

  test('unblock removes the block and leaves sessions ended', async (storage) => {
    const { id } = await insertedAdministered(storage);
    const session = await startedSession(storage, id);
    const blocked = await storage.userAdministration.block(id, forever);
    const unblocked = { ...blocked, blocked: null, updatedAt: after(7) };
    assert.deepEqual(await storage.userAdministration.unblock(id, after(7)), {
      user: unblocked,
      wasBlocked: true,
    });
    assert.deepEqual(await storage.userAdministration.unblock(id, after(8)), {
      user: unblocked,
      wasBlocked: false,
    });
    assert.deepEqual((await storage.sessions.findWithUser(session.id))?.session.revokedAt, after(5));
    assert.equal(await storage.sessions.start(newSession(id), 0), false);
    assert.equal(await storage.sessions.start(newSession(id), 1), true);
    await storage.userAdministration.block(id, aWhile);
    assert.equal((await storage.userAdministration.unblock(id, after(60)))?.wasBlocked, false);
    for (const unknown of [randomUUID(), 'x'])
      assert.equal(await storage.userAdministration.unblock(unknown, now), null);
  });

  test('no parallel sign-in leaves a blocked user with an active session', async (storage) => {
    await inParallel(20, async () => {
      const { id } = await insertedAdministered(storage);
      const signIn = () => storage.sessions.start(newSession(id, { lastSeenAt: after(6) }), 0);
      const block = storage.userAdministration.block(id, forever);
      await Promise.all([signIn(), block, signIn(), signIn()]);
      assert.deepEqual(await storage.sessions.listLive(id, after(6)), []);
    });
  });

  test('parallel changes of two administrators lose neither a block nor an update', async (storage) => {
    const { id } = await insertedAdministered(storage, { metadata: {} });
    await inParallel(50, async (index) => {
      if (index % 2)
        return storage.userAdministration.block(id, { at: now, until: null, reason: `${index}` });
      return storage.userAdministration.update(id, now, ({ metadata }) => ({
        metadata: { ...metadata, [`key${index}`]: index },
      }));
    });
    const user = await storage.userAdministration.find({ id });
    assert.equal(Object.keys(user?.metadata ?? {}).length, 25);
    assert.deepEqual([user?.epoch, user?.blocked?.at, user?.updatedAt], [25, now, after(50)]);
  });

  testsRequiring(
    register,
    'userAdministration',
    'refreshFamilies',
  )('block ends refresh families, and no new one can be issued until the block ends', async (storage) => {
    const { id } = await insertedAdministered(storage);
    const family = await insertedFamily(storage, id);
    await storage.userAdministration.block(id, aWhile);
    const rotation = { familyId: family.id, counter: 0, graceMs: 0, now: after(6) };
    assert.deepEqual(await storage.refreshFamilies.rotate(rotation), { status: 'invalid', userId: id });
    assert.equal(
      await storage.refreshFamilies.insert(newFamily(id, { epoch: 1, createdAt: after(59) })),
      false,
    );
    assert.equal(
      await storage.refreshFamilies.insert(newFamily(id, { epoch: 1, createdAt: after(60) })),
      true,
    );
    await storage.userAdministration.unblock(id, after(6));
    assert.deepEqual(await storage.refreshFamilies.rotate(rotation), { status: 'invalid', userId: id });
  });

  testsRequiring(
    register,
    'userAdministration',
    'apiKeys',
    'orgs',
  )(
    "keys of a blocked user are returned with the block, keys of the user's organization without it",
    async (storage) => {
      const { id } = await insertedAdministered(storage);
      const org = await createdOrg(storage, id);
      const [own, ofOrg] = [
        await insertedApiKey(storage, { userId: id }),
        await insertedApiKey(storage, { orgId: org.id }),
      ];
      await storage.userAdministration.block(id, aWhile);
      const found = await Promise.all([storage.apiKeys.findById(own.id), storage.apiKeys.findById(ofOrg.id)]);
      assert.deepEqual(found, [{ ...own, ownerBlock: aWhile }, ofOrg]);
      await storage.userAdministration.unblock(id, now);
      assert.deepEqual(await storage.apiKeys.findById(own.id), own);
    },
  );

  testsRequiring(
    register,
    'userAdministration',
    'guests',
  )('a blocked guest cannot be upgraded', async (storage) => {
    const guest = await insertedGuest(storage);
    await storage.userAdministration.block(guest.id, forever);
    const upgrade = () => storage.guests.upgrade(newUpgrade(guest.id, { now: after(9) }));
    assert.deepEqual(await upgrade(), { status: 'blocked' });
    assert.equal(await storage.guests.isGuest(guest.id), true);
    await storage.userAdministration.unblock(guest.id, after(9));
    const outcomes = await inParallel(5, upgrade);
    assert.equal(winners(outcomes.map(({ status }) => status === 'upgraded')), 1);
  });
}
