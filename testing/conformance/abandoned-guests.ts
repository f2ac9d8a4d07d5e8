import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createdOrg, insertedFamily, insertedGuest, newUpgrade } from './pro-records.js';
import {
  after,
  hasCapabilities,
  inParallel,
  insertedUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  startedSession,
  storedCode,
  storedToken,
  type With,
  winners,
  guessedStatus,
} from './suite.js';

const nothing = async () => undefined;
const yesterday = after(-24 * 60 * 60 * 1000);

/** Returns all abandoned guests, including those of other tests, reading page by page. */
async function abandoned({ guests }: With<'guests'>, createdBefore: Date, limit: number): Promise<string[]> {
  const listed: string[] = [];
  for (;;) {
    const page = await guests.listAbandoned({ createdBefore, after: listed.at(-1), limit });
    listed.push(...page);
    assert.ok(page.length <= limit);
    if (page.length < limit) return listed;
  }
}

export function describeAbandonedGuests(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'guests');

  test('listAbandoned returns guests created at createdBefore or earlier, and no users', async (storage) => {
    const old = await inParallel(3, () => insertedGuest(storage, { createdAt: yesterday }));
    const young = await insertedGuest(storage, { createdAt: new Date(yesterday.getTime() + 1) });
    const user = await insertedUser(storage, { createdAt: yesterday });
    const upgraded = await insertedGuest(storage, { createdAt: yesterday });
    await storage.guests.upgrade(newUpgrade(upgraded.id));
    const listed = await abandoned(storage, yesterday, 1000);
    for (const { id } of old) assert.ok(listed.includes(id));
    for (const { id } of [young, user, upgraded]) assert.ok(!listed.includes(id));
  });

  test('listAbandoned returns every guest once, ordered by id, page by page', async (storage) => {
    await inParallel(5, () => insertedGuest(storage, { createdAt: yesterday }));
    const listed = await abandoned(storage, yesterday, 2);
    assert.deepEqual(listed, [...new Set(listed)].sort());
    assert.deepEqual(await abandoned(storage, yesterday, 1000), listed);
    const emptyPage = { createdBefore: yesterday, limit: 0 };
    assert.deepEqual(await storage.guests.listAbandoned(emptyPage), []);
  });

  test('delete of a guest also deletes the sessions, tokens, codes and refresh families of the guest', async (storage) => {
    const { id } = await insertedGuest(storage);
    const session = await startedSession(storage, id);
    const token = await storedToken(storage, { subject: id });
    const code = await storedCode(storage, { purpose: 'phone_code', subject: id });
    if (hasCapabilities(storage, ['refreshFamilies'])) await insertedFamily(storage, id);
    let called = 0;
    const within = async () => void (called += 1);
    assert.equal(await storage.guests.delete(id, within), true);
    assert.equal(called, 1);
    assert.equal(await storage.users.findById(id), null);
    assert.equal(await storage.guests.isGuest(id), null);
    assert.equal(await storage.sessions.findWithUser(session.id), null);
    assert.equal(await storage.singleUseTokens.consume('magic_link', token.digest, now), null);
    assert.equal(await guessedStatus(storage, code), 'missing');
    assert.deepEqual((await storage.refreshFamilies?.listForUser(id)) ?? [], []);
  });

  test('deleteAbandoned deletes old guests with every row that names them, and no other users', async (storage) => {
    const { guests } = storage;
    if (!guests.deleteAbandoned) return;
    // An age that guests of other tests do not have.
    const at = after(-90 * 24 * 60 * 60 * 1000);
    const old = await inParallel(3, () => insertedGuest(storage, { createdAt: at }));
    const young = await insertedGuest(storage, { createdAt: new Date(at.getTime() + 1) });
    const user = await insertedUser(storage, { createdAt: at });
    const upgraded = await insertedGuest(storage, { createdAt: at });
    await guests.upgrade(newUpgrade(upgraded.id));
    const [first] = old;
    const id = first?.id ?? '';
    const session = await startedSession(storage, id);
    const token = await storedToken(storage, { subject: id });
    const code = await storedCode(storage, { purpose: 'phone_code', subject: id });
    const query = { createdBefore: at, limit: 2 };
    const deleted = [...(await guests.deleteAbandoned(query)), ...(await guests.deleteAbandoned(query))];
    assert.deepEqual(deleted.sort(), old.map((each) => each.id).sort());
    assert.deepEqual(await guests.deleteAbandoned(query), []);
    for (const each of [young, user, upgraded]) assert.ok(await storage.users.findById(each.id));
    assert.equal(await storage.sessions.findWithUser(session.id), null);
    assert.equal(await storage.singleUseTokens.consume('magic_link', token.digest, now), null);
    assert.equal(await guessedStatus(storage, code), 'missing');
  });

  testsRequiring(
    register,
    'guests',
    'orgs',
  )('deleteAbandoned keeps guests who are members of an organization', async (storage) => {
    if (!storage.guests.deleteAbandoned) return;
    const at = after(-80 * 24 * 60 * 60 * 1000);
    const guest = await insertedGuest(storage, { createdAt: at });
    const org = await createdOrg(storage, (await insertedUser(storage)).id);
    await storage.orgs.changeMember({ orgId: org.id, userId: guest.id, now }, () => 'member');
    await storage.guests.deleteAbandoned({ createdBefore: at, limit: 10 });
    assert.equal(await storage.guests.isGuest(guest.id), true);
    assert.equal(await storage.guests.delete(guest.id, nothing), true);
  });

  test('a guest who is upgraded during a parallel deleteAbandoned is either upgraded or deleted', async (storage) => {
    const { guests } = storage;
    if (!guests.deleteAbandoned) return;
    const at = after(-70 * 24 * 60 * 60 * 1000);
    const candidates = await inParallel(10, () => insertedGuest(storage, { createdAt: at }));
    const [deleted, again, ...upgrades] = await Promise.all([
      guests.deleteAbandoned({ createdBefore: at, limit: 10 }),
      guests.deleteAbandoned({ createdBefore: at, limit: 10 }),
      ...candidates.map(({ id }) => guests.upgrade(newUpgrade(id))),
    ]);
    const deletedIds = [...deleted, ...again];
    assert.equal(new Set(deletedIds).size, deletedIds.length);
    for (const [index, { id }] of candidates.entries()) {
      assert.equal(upgrades[index]?.status, deletedIds.includes(id) ? 'no_user' : 'upgraded');
    }
  });

  test('delete of a user who is not or no longer a guest returns false without calling within', async (storage) => {
    const user = await insertedUser(storage);
    const upgraded = await insertedGuest(storage);
    await storage.guests.upgrade(newUpgrade(upgraded.id));
    const within = () => assert.fail('called');
    for (const id of [user.id, upgraded.id, randomUUID()]) {
      assert.equal(await storage.guests.delete(id, within), false);
    }
    for (const { id } of [user, upgraded]) assert.ok(await storage.users.findById(id));
    assert.equal((await storage.identities.listForUser(upgraded.id)).length, 1);
  });

  test('delete of a guest deletes nothing and rethrows the error if within rejects', async (storage) => {
    const guest = await insertedGuest(storage);
    const session = await startedSession(storage, guest.id);
    const error = new Error('the application');
    await assert.rejects(
      storage.guests.delete(guest.id, () => Promise.reject(error)),
      (thrown) => thrown === error,
    );
    assert.equal(await storage.guests.isGuest(guest.id), true);
    assert.deepEqual((await storage.sessions.findWithUser(session.id))?.session, session);
    assert.equal(await storage.guests.delete(guest.id, nothing), true);
  });

  test('only one of 20 parallel deletions of a guest returns true', async (storage) => {
    const { id } = await insertedGuest(storage);
    assert.equal(winners(await inParallel(20, () => storage.guests.delete(id, nothing))), 1);
  });

  test('a guest who is upgraded and deleted in parallel is either upgraded or deleted', async (storage) => {
    await inParallel(10, async () => {
      const { id } = await insertedGuest(storage);
      const [upgrade, isDeleted] = await Promise.all([
        storage.guests.upgrade(newUpgrade(id)),
        storage.guests.delete(id, nothing),
      ]);
      assert.equal(upgrade.status, isDeleted ? 'no_user' : 'upgraded');
      assert.equal((await storage.users.findById(id)) === null, isDeleted);
    });
  });

  testsRequiring(
    register,
    'guests',
    'orgs',
    'accounts',
  )('guests who are members are deleted despite parallel changes of their organizations', async (storage) => {
    await inParallel(5, async () => {
      const owner = await insertedUser(storage);
      const orgs = await inParallel(2, () => createdOrg(storage, owner.id));
      const guests = await inParallel(4, () => insertedGuest(storage));
      const change = (orgId: string, userId: string) => () =>
        storage.orgs.changeMember({ orgId, userId, now }, () => 'member');
      const changes = orgs.flatMap((org) => guests.map(({ id }) => change(org.id, id)));
      for (const join of changes) await join();
      const [doomed] = orgs;
      await Promise.all([
        ...guests.map(({ id }) => storage.guests.delete(id, nothing)),
        ...changes.map((again) => again()),
        storage.orgs.delete(doomed?.id ?? ''),
        storage.accounts.deleteUser(guests[0]?.id ?? '', nothing),
        ...guests.map(({ id }) => storage.guests.delete(id, nothing)),
      ]);
      const members = await Promise.all(orgs.map(({ id }) => storage.orgs.listMembers(id)));
      assert.deepEqual(
        members.flat().map(({ userId }) => userId),
        [owner.id],
      );
    });
  });
}
