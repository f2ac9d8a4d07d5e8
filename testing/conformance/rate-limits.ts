import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describeRateLimitRefusals } from './rate-limit-refusals.js';
import { inParallel, now, type RegisterConformanceTest } from './suite.js';

const windowMs = 60_000;
const time = now.getTime();
const key = () => `limit:${randomUUID()}`;

export function describeRateLimits(test: RegisterConformanceTest): void {
  test('hit starts a window with the first hit and counts every further one', async ({ rateLimits }) => {
    const hits = [{ key: key(), windowMs }];
    assert.deepEqual(await rateLimits.hit(hits, time), [{ count: 1, resetAt: time + windowMs }]);
    assert.deepEqual(await rateLimits.hit(hits, time + 500), [{ count: 2, resetAt: time + windowMs }]);
  });

  test('a window has ended from resetAt on, and the next hit starts a new one', async ({ rateLimits }) => {
    const hits = [{ key: key(), windowMs }];
    await rateLimits.hit(hits, time);
    const [last] = await rateLimits.hit(hits, time + windowMs - 1);
    assert.equal(last?.count, 2);
    const [fresh] = await rateLimits.hit(hits, time + windowMs);
    assert.deepEqual(fresh, { count: 1, resetAt: time + 2 * windowMs });
  });

  test('a window that a clock ahead started ends no later than windowMs from now', async (storage) => {
    const hits = [{ key: key(), windowMs }];
    await storage.rateLimits.hit(hits, time + 100 * windowMs);
    assert.deepEqual(await storage.rateLimits.hit(hits, time), [{ count: 2, resetAt: time + windowMs }]);
    const [fresh] = await storage.rateLimits.hit(hits, time + windowMs);
    assert.equal(fresh?.count, 1);
  });

  test('hit raises several counters and returns them in the order of the hits', async ({ rateLimits }) => {
    const [a, b, c] = [key(), key(), key()].sort() as [string, string, string];
    await rateLimits.hit([{ key: b, windowMs }], time);
    const hits = [
      { key: c, windowMs: 1000 },
      { key: a, windowMs: 2000 },
      { key: b, windowMs },
    ];
    assert.deepEqual(await rateLimits.hit(hits, time), [
      { count: 1, resetAt: time + 1000 },
      { count: 1, resetAt: time + 2000 },
      { count: 2, resetAt: time + windowMs },
    ]);
    assert.deepEqual(await rateLimits.hit([], time), []);
  });

  test('hit raises a counter once if its key occurs twice', async ({ rateLimits }) => {
    const hit = { key: key(), windowMs };
    const counts = await rateLimits.hit([hit, hit], time);
    assert.deepEqual(
      counts.map(({ count }) => count),
      [1, 1],
    );
  });

  test('50 parallel hits count to 50, each with its own number', async ({ rateLimits }) => {
    const hits = [{ key: key(), windowMs }];
    const counts = (await inParallel(50, () => rateLimits.hit(hits, time))).map(([answer]) => answer?.count);
    assert.deepEqual(
      counts.sort((a = 0, b = 0) => a - b),
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
  });

  test('parallel hits and corrections of the same counters in any order do not deadlock', async (storage) => {
    const { rateLimits } = storage;
    const keys = Array.from({ length: 10 }, key).sort();
    const hits = (names: string[]) => names.map((name) => ({ key: name, windowMs }));
    // Stored in descending order of their keys, in case an adapter locks rows in the order of
    // storage.
    for (const hit of hits(keys).reverse()) await rateLimits.hit([hit], time);
    await inParallel(300, async (index) => {
      const order = index % 2 ? keys : [...keys].reverse();
      if (index % 3 === 0) await rateLimits.correct({ refund: order, reset: [] }, time);
      else if (index % 3 === 1) await rateLimits.correct({ refund: [], reset: order }, time);
      else await rateLimits.hit(hits(order), time);
    });
  });

  test('a refund takes one hit back, never below zero, and none from a window that has ended', async (storage) => {
    const { rateLimits } = storage;
    const [two, one] = [key(), key()];
    const hits = [
      { key: two, windowMs },
      { key: one, windowMs },
    ];
    await rateLimits.hit(hits, time);
    await rateLimits.hit([{ key: two, windowMs }], time);
    await rateLimits.correct({ refund: [two, one, key()], reset: [] }, time);
    await rateLimits.correct({ refund: [one, one], reset: [] }, time);
    await rateLimits.correct({ refund: [two], reset: [] }, time + windowMs);
    const counts = await rateLimits.hit(hits, time);
    assert.deepEqual(
      counts.map(({ count }) => count),
      [2, 1],
    );
  });

  test('50 parallel refunds of 50 hits leave zero', async ({ rateLimits }) => {
    const name = key();
    await inParallel(50, () => rateLimits.hit([{ key: name, windowMs }], time));
    await inParallel(50, () => rateLimits.correct({ refund: [name], reset: [] }, time));
    assert.equal((await rateLimits.hit([{ key: name, windowMs }], time))[0]?.count, 1);
  });

  test('a reset sets the counters to zero, also if they are refunded', async ({ rateLimits }) => {
    const [mine, other] = [key(), key()];
    const hits = [
      { key: mine, windowMs },
      { key: other, windowMs },
    ];
    await rateLimits.hit(hits, time);
    await rateLimits.hit(hits, time);
    await rateLimits.correct({ refund: [mine], reset: [mine, key()] }, time);
    const counts = await rateLimits.hit(hits, time);
    assert.deepEqual(
      counts.map(({ count }) => count),
      [1, 3],
    );
  });

  test('a correction refunds and resets different counters, and creates none', async ({ rateLimits }) => {
    const [refunded, reset, unknown] = [key(), key(), key()];
    const hits = [refunded, reset].map((name) => ({ key: name, windowMs }));
    for (let i = 0; i < 3; i += 1) await rateLimits.hit(hits, time);
    await rateLimits.correct({ refund: [refunded, unknown], reset: [reset] }, time);
    await rateLimits.correct({ refund: [], reset: [] }, time);
    const counts = await rateLimits.hit([...hits, { key: unknown, windowMs: 5 }], time);
    assert.deepEqual(
      counts.map(({ count }) => count),
      [3, 1, 1],
    );
    assert.equal(counts[2]?.resetAt, time + 5);
  });

  describeRateLimitRefusals(test);
}
