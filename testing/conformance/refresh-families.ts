import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { insertedFamily, newFamily } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  tally,
  winners,
} from './suite.js';

const graceMs = 10_000;

export function describeRefreshFamilies(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'refreshFamilies');

  test('findWithUser returns the family as it was inserted, with its user', async (storage) => {
    const user = await insertedUser(storage);
    const family = await insertedFamily(storage, user.id, { claims: {}, device: {} });
    assert.deepEqual(await storage.refreshFamilies.findWithUser(family.id), { family, user });
    assert.equal(await storage.refreshFamilies.findWithUser(randomUUID()), null);
  });

  test('insert returns false for an unknown user or another epoch than the current one', async (storage) => {
    const user = await insertedUser(storage);
    await storage.sessions.revokeAll(user.id, now);
    for (const epoch of [0, 2]) {
      const family = newFamily(user.id, { epoch });
      assert.equal(await storage.refreshFamilies.insert(family), false);
      assert.equal(await storage.refreshFamilies.findWithUser(family.id), null);
    }
    assert.equal(await storage.refreshFamilies.insert(newFamily(user.id, { epoch: 1 })), true);
    assert.equal(await storage.refreshFamilies.insert(newFamily(randomUUID())), false);
  });

  test('rotate of the valid counter raises it by one and keeps everything else', async (storage) => {
    const user = await insertedUser(storage);
    const family = await insertedFamily(storage, user.id);
    const input = { familyId: family.id, counter: 0, graceMs, now: after(5) };
    const rotated = { ...family, counter: 1, rotatedAt: after(5) };
    assert.deepEqual(await storage.refreshFamilies.rotate(input), { status: 'rotated', family: rotated });
    assert.deepEqual(await storage.refreshFamilies.findWithUser(family.id), { family: rotated, user });
  });

  test('rotate refuses a family of the other kind, and neither rotates nor revokes it', async (storage) => {
    const user = await insertedUser(storage);
    const family = await insertedFamily(storage, user.id, { kind: 'bearer', counter: 3 });
    const input = { familyId: family.id, graceMs, now };
    // Also an old counter, whose reuse would revoke the family.
    for (const counter of [3, 2, 0])
      assert.deepEqual(await storage.refreshFamilies.rotate({ ...input, counter, kind: 'refresh' }), {
        status: 'invalid',
        userId: user.id,
      });
    assert.deepEqual(await storage.refreshFamilies.findWithUser(family.id), { family, user });
    const rotated = await storage.refreshFamilies.rotate({ ...input, counter: 3, kind: 'bearer' });
    assert.deepEqual(rotated, { status: 'rotated', family: { ...family, counter: 4, rotatedAt: now } });
  });

  test('rotate accepts every kind for a family without one, which stays without one', async (storage) => {
    const user = await insertedUser(storage);
    const family = await insertedFamily(storage, user.id, { kind: null });
    for (const [counter, kind] of [
      [0, 'bearer'],
      [1, 'refresh'],
    ] as const) {
      const rotation = { familyId: family.id, graceMs, now, counter, kind };
      const rotated = { ...family, counter: counter + 1, rotatedAt: now };
      assert.deepEqual(await storage.refreshFamilies.rotate(rotation), {
        status: 'rotated',
        family: rotated,
      });
    }
  });

  test('rotate stores claims and device if they are given', async (storage) => {
    const user = await insertedUser(storage);
    const family = await insertedFamily(storage, user.id);
    const input = { familyId: family.id, graceMs, now };
    const [claims, device] = [{ plan: 'free', list: [1, '?', ':name'] }, { ip: '192.0.2.2' }];
    const first = await storage.refreshFamilies.rotate({ ...input, counter: 0, claims });
    assert.deepEqual(first, { status: 'rotated', family: { ...family, counter: 1, claims } });
    const second = await storage.refreshFamilies.rotate({ ...input, counter: 1, device });
    assert.deepEqual(second, { status: 'rotated', family: { ...family, counter: 2, claims, device } });
  });

  test('rotate of the previous counter returns current during the grace period and changes nothing', async (storage) => {
    const user = await insertedUser(storage);
    const family = await insertedFamily(storage, user.id);
    const input = { familyId: family.id, counter: 0, graceMs, claims: { plan: 'stolen' } };
    await storage.refreshFamilies.rotate({ familyId: family.id, counter: 0, graceMs, now });
    const live = { ...family, counter: 1 };
    for (const time of [now, after(-5), after(graceMs - 1)]) {
      const outcome = await storage.refreshFamilies.rotate({ ...input, now: time });
      assert.deepEqual(outcome, { status: 'current', family: live });
    }
    assert.deepEqual(await storage.refreshFamilies.findWithUser(family.id), { family: live, user });
  });

  test('rotate of the previous counter returns reused if a clock far ahead rotated the family', async (storage) => {
    const user = await insertedUser(storage);
    const { id: familyId } = await insertedFamily(storage, user.id);
    await storage.refreshFamilies.rotate({ familyId, counter: 0, graceMs, now: after(graceMs) });
    const input = { familyId, counter: 0, graceMs, now };
    assert.equal((await storage.refreshFamilies.rotate(input)).status, 'reused');
  });

  test('rotate of the previous counter returns reused from the end of the grace period on', async (storage) => {
    const user = await insertedUser(storage);
    const { id: familyId } = await insertedFamily(storage, user.id);
    await storage.refreshFamilies.rotate({ familyId, counter: 0, graceMs, now });
    const late = await storage.refreshFamilies.rotate({ familyId, counter: 0, graceMs, now: after(graceMs) });
    assert.deepEqual(late, { status: 'reused', userId: user.id });
    const found = await storage.refreshFamilies.findWithUser(familyId);
    assert.deepEqual([found?.family.counter, found?.family.revokedAt], [1, after(graceMs)]);
  });

  test('rotate of the previous counter returns reused immediately without a grace period, even by a clock behind', async (storage) => {
    const user = await insertedUser(storage);
    for (const time of [now, after(-5)]) {
      const { id: familyId } = await insertedFamily(storage, user.id);
      await storage.refreshFamilies.rotate({ familyId, counter: 0, graceMs: 0, now });
      const again = await storage.refreshFamilies.rotate({ familyId, counter: 0, graceMs: 0, now: time });
      assert.deepEqual(again, { status: 'reused', userId: user.id });
    }
  });

  test('rotate of an older counter, or one that was never issued, revokes the family', async (storage) => {
    const user = await insertedUser(storage);
    for (const counter of [0, 3, 4, -1, 1.5, Number.NaN, Infinity, 2 ** 31, 2 ** 53]) {
      const family = await insertedFamily(storage, user.id, { counter: 2 });
      const input = { familyId: family.id, graceMs, now: after(5) };
      const reused = { status: 'reused', userId: user.id };
      assert.deepEqual(await storage.refreshFamilies.rotate({ ...input, counter }), reused);
      const revoked = { ...family, revokedAt: after(5) };
      assert.deepEqual((await storage.refreshFamilies.findWithUser(family.id))?.family, revoked);
      const invalid = { status: 'invalid', userId: user.id };
      assert.deepEqual(await storage.refreshFamilies.rotate({ ...input, counter: 2 }), invalid);
    }
  });

  test('rotate of the counter -1 returns reused', async (storage) => {
    const user = await insertedUser(storage);
    const { id: familyId } = await insertedFamily(storage, user.id);
    const outcome = await storage.refreshFamilies.rotate({ familyId, counter: -1, graceMs, now });
    assert.equal(outcome.status, 'reused');
  });

  test('rotate returns invalid for a family that is unknown, revoked, expired or of an older epoch', async (storage) => {
    const [user, ended] = [await insertedUser(storage), await insertedUser(storage)];
    const revoked = await insertedFamily(storage, user.id, { counter: 5 });
    assert.equal(await storage.refreshFamilies.revoke(revoked.id, after(1)), user.id);
    const expired = await insertedFamily(storage, user.id, { counter: 5, expiresAt: after(10) });
    const outdated = await insertedFamily(storage, ended.id, { counter: 5 });
    await storage.sessions.revokeAll(ended.id, now);
    // The valid counter, the previous one, and one that would be a reuse.
    for (const counter of [5, 4, 1]) {
      const input = { counter, graceMs, now: after(10) };
      for (const { id, userId } of [revoked, expired, outdated]) {
        const outcome = await storage.refreshFamilies.rotate({ ...input, familyId: id });
        assert.deepEqual(outcome, { status: 'invalid', userId });
      }
      const unknown = await storage.refreshFamilies.rotate({ ...input, familyId: randomUUID() });
      assert.deepEqual(unknown, { status: 'invalid', userId: null });
    }
    const families = await storage.refreshFamilies.listForUser(user.id);
    assert.deepEqual(new Set(families), new Set([{ ...revoked, revokedAt: after(1) }, expired]));
    assert.deepEqual(await storage.refreshFamilies.listForUser(ended.id), [outdated]);
  });

  test('rotate succeeds a millisecond before expiresAt', async (storage) => {
    const user = await insertedUser(storage);
    const { id: familyId } = await insertedFamily(storage, user.id, { expiresAt: after(10) });
    const outcome = await storage.refreshFamilies.rotate({ familyId, counter: 0, graceMs, now: after(9) });
    assert.equal(outcome.status, 'rotated');
  });

  test('50 parallel rotations of one counter raise it by one, and all return the valid counter', async (storage) => {
    const user = await insertedUser(storage);
    for (const counter of [0, 1, 2]) {
      const { id: familyId } = await insertedFamily(storage, user.id, { counter });
      const outcomes = await inParallel(50, () =>
        storage.refreshFamilies.rotate({ familyId, counter, graceMs, now }),
      );
      assert.deepEqual(tally(outcomes.map(({ status }) => status)), { rotated: 1, current: 49 });
      for (const outcome of outcomes)
        assert.equal('family' in outcome && outcome.family.counter, counter + 1);
      const found = await storage.refreshFamilies.findWithUser(familyId);
      assert.deepEqual([found?.family.counter, found?.family.revokedAt], [counter + 1, null]);
    }
  });

  test('only one of 50 parallel rotations succeeds without a grace period, and the family is revoked', async (storage) => {
    const user = await insertedUser(storage);
    const { id: familyId } = await insertedFamily(storage, user.id);
    const rotate = () => storage.refreshFamilies.rotate({ familyId, counter: 0, graceMs: 0, now });
    const outcomes = await inParallel(50, rotate);
    assert.deepEqual(tally(outcomes.map(({ status }) => status)), { rotated: 1, reused: 1, invalid: 48 });
    const found = await storage.refreshFamilies.findWithUser(familyId);
    assert.deepEqual(found?.family.revokedAt, now);
  });

  test('only one of 50 parallel reuses returns reused, so that the theft is reported once', async (storage) => {
    const user = await insertedUser(storage);
    const { id: familyId } = await insertedFamily(storage, user.id, { counter: 7 });
    const reuse = () => storage.refreshFamilies.rotate({ familyId, counter: 3, graceMs, now });
    const outcomes = await inParallel(50, reuse);
    assert.deepEqual(tally(outcomes.map(({ status }) => status)), { reused: 1, invalid: 49 });
  });

  test("revoke returns the user's id once, and only for an active family", async (storage) => {
    const user = await insertedUser(storage);
    const { refreshFamilies } = storage;
    const { id } = await insertedFamily(storage, user.id, { expiresAt: after(10) });
    const results = await inParallel(50, () => refreshFamilies.revoke(id, after(9)));
    assert.equal(winners(results), 1);
    assert.ok(results.includes(user.id));
    const found = await refreshFamilies.findWithUser(id);
    assert.deepEqual(found?.family.revokedAt, after(9));
    const expired = await insertedFamily(storage, user.id, { expiresAt: after(10) });
    assert.equal(await refreshFamilies.revoke(expired.id, after(10)), null);
    const outdated = await insertedFamily(storage, user.id);
    await storage.sessions.revokeAll(user.id, now);
    assert.equal(await refreshFamilies.revoke(outdated.id, now), null);
    assert.equal(await refreshFamilies.revoke(randomUUID(), now), null);
  });

  test('revoke with an owner does not revoke the families of other users', async (storage) => {
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    const { refreshFamilies } = storage;
    const { id } = await insertedFamily(storage, user.id);
    for (const owner of [other.id, randomUUID(), 'malformed', '']) {
      assert.equal(await refreshFamilies.revoke(id, now, owner), null);
    }
    assert.equal((await refreshFamilies.findWithUser(id))?.family.revokedAt, null);
    assert.equal(await refreshFamilies.revoke(id, now, user.id), user.id);
    assert.deepEqual((await refreshFamilies.findWithUser(id))?.family.revokedAt, now);
  });

  test('no parallel rotation makes a revoked family active again', async (storage) => {
    const user = await insertedUser(storage);
    await inParallel(20, async () => {
      const { id: familyId } = await insertedFamily(storage, user.id);
      const rotate = () => storage.refreshFamilies.rotate({ familyId, counter: 0, graceMs, now });
      await Promise.all([rotate(), storage.refreshFamilies.revoke(familyId, after(1)), rotate()]);
      assert.equal((await rotate()).status, 'invalid');
      const found = await storage.refreshFamilies.findWithUser(familyId);
      assert.deepEqual(found?.family.revokedAt, after(1));
    });
  });

  test('revokeAllForUser revokes the families of that user only, and keeps earlier revocation times', async (storage) => {
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    const families = await inParallel(3, () => insertedFamily(storage, user.id));
    const early = await insertedFamily(storage, user.id);
    await storage.refreshFamilies.revoke(early.id, after(1));
    const kept = await insertedFamily(storage, other.id);
    await storage.refreshFamilies.revokeAllForUser(user.id, after(5));
    await storage.refreshFamilies.revokeAllForUser(randomUUID(), after(5));
    const expected = [...families.map((family) => ({ ...family, revokedAt: after(5) }))];
    assert.deepEqual(
      new Set(await storage.refreshFamilies.listForUser(user.id)),
      new Set([...expected, { ...early, revokedAt: after(1) }]),
    );
    assert.deepEqual(await storage.refreshFamilies.listForUser(other.id), [kept]);
  });

  test("listForUser returns the user's families oldest first, including revoked and expired ones", async (storage) => {
    const user = await insertedUser(storage);
    const newer = await insertedFamily(storage, user.id, { createdAt: after(9) });
    const older = await insertedFamily(storage, user.id, { expiresAt: after(-1) });
    const oldest = await insertedFamily(storage, user.id, { createdAt: after(-9), revokedAt: now });
    await insertedFamily(storage, (await insertedUser(storage)).id);
    assert.deepEqual(await storage.refreshFamilies.listForUser(user.id), [oldest, older, newer]);
    assert.deepEqual(await storage.refreshFamilies.listForUser(randomUUID()), []);
  });

  test('listLive returns families that are not revoked, expired or of an older epoch, newest first', async (storage) => {
    const user = await insertedUser(storage);
    await insertedFamily(storage, user.id, { createdAt: after(-20) });
    await storage.sessions.revokeAll(user.id, now);
    const epoch = 1;
    const older = await insertedFamily(storage, user.id, { epoch, createdAt: after(-9) });
    const newer = await insertedFamily(storage, user.id, {
      epoch,
      createdAt: after(-1),
      expiresAt: after(1),
    });
    await insertedFamily(storage, user.id, { epoch, revokedAt: after(-1) });
    await insertedFamily(storage, user.id, { epoch, expiresAt: now });
    await insertedFamily(storage, (await insertedUser(storage)).id);
    assert.deepEqual(await storage.refreshFamilies.listLive(user.id, now), [newer, older]);
    for (const unknown of [randomUUID(), 'malformed']) {
      assert.deepEqual(await storage.refreshFamilies.listLive(unknown, now), []);
    }
  });

  test('parallel look-ups each return their own family, in separate copies', async (storage) => {
    const user = await insertedUser(storage);
    const families = await inParallel(10, () => insertedFamily(storage, user.id));
    const ids = families.flatMap(({ id }) => [id, randomUUID(), 'malformed', id]);
    const found = await Promise.all(ids.map((id) => storage.refreshFamilies.findWithUser(id)));
    const expected = families.flatMap((family) => [{ family, user }, null, null, { family, user }]);
    assert.deepEqual(found, expected);
    const [first] = found;
    assert.ok(first);
    first.family.claims.plan = 'stolen';
    first.family.device.name = 'stolen';
    first.family.expiresAt.setTime(0);
    first.user.metadata.plan = 'stolen';
    assert.deepEqual(found.slice(1), expected.slice(1));
    assert.deepEqual(await storage.refreshFamilies.findWithUser(families[0]?.id ?? ''), expected[0]);
  });
}
