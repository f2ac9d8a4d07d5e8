import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ActiveUsers, StatisticsAddition } from '../../src/storage/statistics-repository.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  testsRequiring,
  type RegisterConformanceTest,
  type With,
} from './suite.js';

type Storage = With<'statistics'>;

/** Not a time: the periods of one test are not those of another. */
const newPeriod = () => randomUUID().slice(0, 16);

function addition(overrides: Partial<StatisticsAddition> = {}): StatisticsAddition {
  return {
    period: newPeriod(),
    name: 'sign_ins',
    label: 'google',
    count: 1,
    expiresAt: after(60_000),
    ...overrides,
  };
}

function active(overrides: Partial<ActiveUsers> = {}): ActiveUsers {
  return { period: newPeriod(), userIds: [], expiresAt: after(60_000), countExpiresAt: null, ...overrides };
}

const sorted = <Row extends { name: string; label: string }>(rows: readonly Row[]) =>
  [...rows].sort((a, b) => (`${a.name} ${a.label}` < `${b.name} ${b.label}` ? -1 : 1));

async function activeIn({ statistics }: Storage, period: string): Promise<number> {
  const rows = await statistics.read([period]);
  assert.ok(rows.every(({ name, label }) => name === 'active_users' && label === ''));
  return rows[0]?.count ?? 0;
}

export function describeStatistics(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'statistics');

  test('statistics are added to what was counted before, by period, name and label', async ({
    statistics,
  }) => {
    const [period, other] = [newPeriod(), newPeriod()];
    await statistics.add([addition({ period, count: 2 }), addition({ period, label: '' })], []);
    await statistics.add([addition({ period, count: 3 }), addition({ period: other, count: 7 })], []);
    assert.deepEqual(sorted(await statistics.read([period, newPeriod()])), [
      { period, name: 'sign_ins', label: '', count: 1 },
      { period, name: 'sign_ins', label: 'google', count: 5 },
    ]);
    assert.deepEqual(await statistics.read([other]), [
      { period: other, name: 'sign_ins', label: 'google', count: 7 },
    ]);
    assert.deepEqual(await statistics.read([]), []);
  });

  test('statistics of one addition may name a counter twice, and there may be many of them', async ({
    statistics,
  }) => {
    const period = newPeriod();
    const many = Array.from({ length: 300 }, (_, index) =>
      addition({ period, label: `kind_${index % 150}` }),
    );
    await statistics.add(many, []);
    const rows = await statistics.read([period]);
    assert.equal(rows.length, 150);
    assert.ok(rows.every(({ count }) => count === 2));
  });

  test('statistics that several processes add at the same time are all counted', async ({ statistics }) => {
    const period = newPeriod();
    const labels = ['a', 'b', 'c', 'd', 'e'];
    await inParallel(20, async (index) => {
      // In another order each time: a deadlock would fail one of them.
      const order = index % 2 === 0 ? labels : [...labels].reverse();
      await statistics.add(
        order.map((label) => addition({ period, label, count: 1 + index })),
        [],
      );
    });
    assert.deepEqual(
      sorted(await statistics.read([period])).map(({ label, count }) => [label, count]),
      labels.map((label) => [label, 210]),
    );
  });

  test('statistics count a user once in each period', async (storage) => {
    const [first, second] = [await insertedUser(storage), await insertedUser(storage)];
    const [day, month] = [active(), active()];
    const add = (each: ActiveUsers, ...userIds: string[]) =>
      storage.statistics.add([], [{ ...each, userIds }]);
    await add(day, first.id, first.id);
    await add(day, first.id);
    await storage.statistics.add(
      [],
      [
        { ...day, userIds: [first.id, second.id] },
        { ...month, userIds: [second.id] },
      ],
    );
    assert.equal(await activeIn(storage, day.period), 2);
    assert.equal(await activeIn(storage, month.period), 1);
  });

  test('statistics count a user once whom several processes report at the same time', async (storage) => {
    const users = await inParallel(5, () => insertedUser(storage));
    const userIds = users.map(({ id }) => id);
    const each = active();
    await inParallel(12, (index) =>
      storage.statistics.add([], [{ ...each, userIds: index % 2 === 0 ? userIds : [...userIds].reverse() }]),
    );
    assert.equal(await activeIn(storage, each.period), 5);
  });

  test('statistics leave out users who do not exist, and count the others', async (storage) => {
    const user = await insertedUser(storage);
    const each = active({ userIds: [randomUUID(), user.id, 'malformed'] });
    await storage.statistics.add([addition({ period: each.period })], [each]);
    assert.deepEqual(sorted(await storage.statistics.read([each.period])), [
      { period: each.period, name: 'active_users', label: '', count: 1 },
      { period: each.period, name: 'sign_ins', label: 'google', count: 1 },
    ]);
  });

  test('statistics of active users add many of them at once', async (storage) => {
    const users = await inParallel(70, () => insertedUser(storage));
    const each = active({ userIds: users.map(({ id }) => id) });
    await storage.statistics.add([], [each]);
    assert.equal(await activeIn(storage, each.period), 70);
  });

  register(
    'statistics keep no record of a user who was deleted, and keep the count',
    async (given) => {
      const storage = given as With<'statistics' | 'accounts'>;
      const user = await insertedUser(storage);
      const each = active({ userIds: [user.id] });
      await storage.statistics.add([], [each]);
      const { status } = await storage.accounts.deleteUser(user.id, async () => undefined);
      assert.equal(status, 'deleted');
      assert.equal(await activeIn(storage, each.period), 1);
      // With the same id: a record that was left would not be counted again.
      await insertedUser(storage, { id: user.id });
      await storage.statistics.add([], [each]);
      assert.equal(await activeIn(storage, each.period), 2);
    },
    ['statistics', 'accounts'],
  );

  test('a purge removes statistics that have expired and no others', async (storage) => {
    const user = await insertedUser(storage);
    const [expired, kept] = [newPeriod(), newPeriod()];
    const additions = [
      addition({ period: expired, expiresAt: after(10) }),
      addition({ period: kept, expiresAt: after(11) }),
      addition({ period: kept, label: 'kept', expiresAt: null }),
    ];
    const day = active({ userIds: [user.id], expiresAt: after(10), countExpiresAt: after(10) });
    const month = active({ userIds: [user.id], expiresAt: after(11) });
    await storage.statistics.add(additions, [day, month]);

    const counts = await storage.purgeExpired({ now: after(10) });

    assert.ok((counts['statistics'] ?? 0) >= 2);
    assert.ok((counts['activeUsers'] ?? 0) >= 1);
    assert.deepEqual(await storage.statistics.read([expired, day.period]), []);
    assert.equal((await storage.statistics.read([kept])).length, 2);
    await storage.statistics.add([], [day, month]);
    assert.equal(await activeIn(storage, day.period), 1);
    assert.equal(await activeIn(storage, month.period), 1);
    await storage.purgeExpired({ now });
  });
}
