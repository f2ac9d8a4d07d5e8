/** External ids: unique, compared by every byte, and part of every record of a user. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { NewAdministeredUser } from '../../src/storage/user-administration-repository.js';
import {
  after,
  inParallel,
  newUser,
  now,
  type RegisterConformanceTest,
  startedSession,
  tally,
  testsRequiring,
} from './suite.js';
import { insertedAdministered, newAdministered, uniqueUsername } from './user-lists.js';

const uniqueExternalId = () => `crm|${randomUUID()}`;

export function describeExternalIds(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'userAdministration');

  test('find returns a user by the external id, and null for one that no user has', async (storage) => {
    const externalId = uniqueExternalId();
    const user = await insertedAdministered(storage, { externalId });
    assert.equal(user.externalId, externalId);
    assert.deepEqual(await storage.userAdministration.find({ externalId }), user);
    for (const other of [uniqueExternalId(), '', '\0', 'x'.repeat(400)])
      assert.equal(await storage.userAdministration.find({ externalId: other }), null);
  });

  test('external ids differ in case, in accents and in spaces at the end', async (storage) => {
    const base = `a${randomUUID()}`;
    const ids = [
      base,
      base.toUpperCase(),
      `${base} `,
      `${base}  `,
      `0${base}`,
      `\u00e4${base}`,
      `a\u0308${base}`,
    ];
    const users = [];
    for (const externalId of ids) users.push(await insertedAdministered(storage, { externalId }));
    for (const [index, externalId] of ids.entries())
      assert.equal((await storage.userAdministration.find({ externalId }))?.id, users[index]?.id);
  });

  test('an external id may have 255 characters of four bytes', async (storage) => {
    const externalId = `${randomUUID()}${'\u{1f600}'.repeat(219)}`;
    const user = await insertedAdministered(storage, { externalId });
    assert.deepEqual(await storage.userAdministration.find({ externalId }), user);
  });

  test('insert returns external_id_taken if another user has the external id', async (storage) => {
    const externalId = uniqueExternalId();
    const user = await insertedAdministered(storage, { externalId });
    const second = newAdministered({ externalId });
    assert.equal(await storage.userAdministration.insert(second), 'external_id_taken');
    assert.equal(await storage.userAdministration.find({ id: second.id }), null);
    assert.equal(await storage.users.findByEmail(second.email ?? ''), null);
    assert.equal((await storage.userAdministration.find({ externalId }))?.id, user.id);
    assert.equal(await storage.users.insert(newUser({ externalId })), false);
  });

  test('of 50 parallel inserts with one external id one succeeds', async (storage) => {
    const externalId = uniqueExternalId();
    const outcomes = await inParallel(50, () =>
      storage.userAdministration.insert(newAdministered({ externalId })),
    );
    assert.deepEqual(tally(outcomes), { inserted: 1, external_id_taken: 49 });
  });

  test('any number of users have no external id', async (storage) => {
    const users: Partial<NewAdministeredUser>[] = [
      {},
      { externalId: null },
      { email: null, externalId: null },
    ];
    for (const user of users) assert.equal((await insertedAdministered(storage, user)).externalId, null);
  });

  test('update sets, changes and removes the external id, which is free afterwards', async (storage) => {
    const user = await insertedAdministered(storage);
    const [first, second] = [uniqueExternalId(), uniqueExternalId()];
    for (const [index, externalId] of [first, second, second, null].entries()) {
      const at = after(index + 1);
      const outcome = await storage.userAdministration.update(user.id, at, () => ({ externalId }));
      assert.deepEqual(outcome, { status: 'updated', user: { ...user, externalId, updatedAt: at } });
    }
    await storage.userAdministration.update(user.id, after(9), () => ({ externalId: second }));
    const kept = await storage.userAdministration.update(user.id, after(10), () => ({ roles: ['x'] }));
    assert.equal(kept.status === 'updated' && kept.user.externalId, second);
    assert.equal(await storage.userAdministration.find({ externalId: first }), null);
    await insertedAdministered(storage, { externalId: first });
  });

  test('update changes nothing if the external id is taken, also in a race', async (storage) => {
    const externalId = uniqueExternalId();
    await insertedAdministered(storage, { externalId });
    const user = await insertedAdministered(storage);
    const outcome = await storage.userAdministration.update(user.id, after(1), () => ({
      externalId,
      roles: ['x'],
    }));
    assert.deepEqual(outcome, { status: 'external_id_taken' });
    assert.deepEqual(await storage.userAdministration.find({ id: user.id }), user);
    const free = uniqueExternalId();
    const users = await inParallel(10, () => insertedAdministered(storage));
    const race = await Promise.all(
      users.map(({ id }) => storage.userAdministration.update(id, now, () => ({ externalId: free }))),
    );
    assert.deepEqual(tally(race.map(({ status }) => status)), { updated: 1, external_id_taken: 9 });
  });

  test('every lookup of the user and the check of a session have the external id and the user name', async (storage) => {
    const [externalId, username] = [uniqueExternalId(), uniqueUsername()];
    const { id, email } = await insertedAdministered(storage, { externalId, username });
    const session = await startedSession(storage, id);
    const names = { externalId, username: username.name };
    const records = [
      await storage.users.findById(id),
      await storage.users.findByEmail(email ?? ''),
      (await storage.sessions.findWithUser(session.id))?.user,
      await storage.users.markEmailVerified(id, after(1)),
    ];
    for (const record of records) assert.deepEqual({ ...record, ...names }, record);
    await storage.userAdministration.update(id, after(2), () => ({ username: null, externalId: null }));
    const cleared = (await storage.sessions.findWithUser(session.id))?.user;
    assert.deepEqual([cleared?.username, cleared?.externalId], [null, null]);
  });

  test('list, search and count accept an external id as a condition', async (storage) => {
    const externalId = uniqueExternalId();
    const user = await insertedAdministered(storage, { externalId });
    const { userAdministration } = storage;
    const filter = { now, externalId };
    const prefix = user.email ?? '';
    for (const order of ['newest', 'oldest'] as const)
      assert.deepEqual(await userAdministration.list(filter, order, { limit: 5 }), [user]);
    assert.deepEqual(await userAdministration.search({ ...filter, prefix }, { limit: 5 }), [user]);
    assert.equal(await userAdministration.count(filter, 10), 1);
    for (const other of [
      { externalId: uniqueExternalId() },
      { externalId: '\0' },
      { ...filter, guest: true },
    ])
      assert.equal(await userAdministration.count({ now, ...other }, 10), 0);
  });

  test('a claim keeps the external id: the rows of the application still refer to the account', async (storage) => {
    const externalId = uniqueExternalId();
    const { id } = await insertedAdministered(storage, { externalId });
    assert.equal((await storage.users.claim(id, after(1)))?.externalId, externalId);
  });
}
