import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { inParallel, now, type Promises } from './suite.js';

const windowMs = 60_000;
const time = now.getTime();
const key = () => `limit:${randomUUID()}`;

export function rateLimitPromises(promise: Promises): void {
  promise('a window starts with its first hit and counts every further one', async ({ rateLimits }) => {
    const hits = [{ key: key(), windowMs }];
    assert.deepEqual(await rateLimits.hit(hits, time), [{ count: 1, resetAt: time + windowMs }]);
    assert.deepEqual(await rateLimits.hit(hits, time + 500), [{ count: 2, resetAt: time + windowMs }]);
  });

  promise('a window is over from its very end on; the next hit starts a new one', async ({ rateLimits }) => {
    const hits = [{ key: key(), windowMs }];
    await rateLimits.hit(hits, time);
    const [last] = await rateLimits.hit(hits, time + windowMs - 1);
    assert.equal(last?.count, 2);
    const [fresh] = await rateLimits.hit(hits, time + windowMs);
    assert.deepEqual(fresh, { count: 1, resetAt: time + 2 * windowMs });
  });

  promise('no window ends later than its length from now, though a clock ahead began it', async (storage) => {
    const hits = [{ key: key(), windowMs }];
    await storage.rateLimits.hit(hits, time + 100 * windowMs);
    assert.deepEqual(await storage.rateLimits.hit(hits, time), [{ count: 2, resetAt: time + windowMs }]);
    const [fresh] = await storage.rateLimits.hit(hits, time + windowMs);
    assert.equal(fresh?.count, 1);
  });

  promise(
    'several counters are raised at once and returned in the order of the hits',
    async ({ rateLimits }) => {
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
    },
  );

  promise('a counter named twice in one hit is raised once', async ({ rateLimits }) => {
    const hit = { key: key(), windowMs };
    const counts = await rateLimits.hit([hit, hit], time);
    assert.deepEqual(
      counts.map(({ count }) => count),
      [1, 1],
    );
  });

  promise('50 parallel hits count to 50, each with its own number', async ({ rateLimits }) => {
    const hits = [{ key: key(), windowMs }];
    const counts = (await inParallel(50, () => rateLimits.hit(hits, time))).map(([answer]) => answer?.count);
    assert.deepEqual(
      counts.sort((a = 0, b = 0) => a - b),
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
  });

  promise(
    'hits, refunds and resets of the same counters in any order do not block each other',
    async (storage) => {
      const { rateLimits } = storage;
      const keys = Array.from({ length: 10 }, key).sort();
      const hits = (names: string[]) => names.map((name) => ({ key: name, windowMs }));
      // Stored against the order of their keys, in case an adapter locks rows as it finds them.
      for (const hit of hits(keys).reverse()) await rateLimits.hit([hit], time);
      await inParallel(300, async (index) => {
        const order = index % 2 ? keys : [...keys].reverse();
        if (index % 3 === 0) await rateLimits.refund(order, time);
        else if (index % 3 === 1) await rateLimits.reset(order);
        else await rateLimits.hit(hits(order), time);
      });
    },
  );

  promise(
    'refund takes one hit back, never below zero, and none from a window that is over',
    async (storage) => {
      const { rateLimits } = storage;
      const [two, one] = [key(), key()];
      const hits = [
        { key: two, windowMs },
        { key: one, windowMs },
      ];
      await rateLimits.hit(hits, time);
      await rateLimits.hit([{ key: two, windowMs }], time);
      await rateLimits.refund([two, one, key()], time);
      await rateLimits.refund([one], time);
      await rateLimits.refund([two], time + windowMs);
      const counts = await rateLimits.hit(hits, time);
      assert.deepEqual(
        counts.map(({ count }) => count),
        [2, 1],
      );
    },
  );

  promise('50 parallel refunds of 50 hits leave zero', async ({ rateLimits }) => {
    const name = key();
    await inParallel(50, () => rateLimits.hit([{ key: name, windowMs }], time));
    await inParallel(50, () => rateLimits.refund([name], time));
    assert.equal((await rateLimits.hit([{ key: name, windowMs }], time))[0]?.count, 1);
  });

  promise('reset sets the counters to zero', async ({ rateLimits }) => {
    const [mine, other] = [key(), key()];
    const hits = [
      { key: mine, windowMs },
      { key: other, windowMs },
    ];
    await rateLimits.hit(hits, time);
    await rateLimits.hit(hits, time);
    await rateLimits.reset([mine, key()]);
    const counts = await rateLimits.hit(hits, time);
    assert.deepEqual(
      counts.map(({ count }) => count),
      [1, 3],
    );
  });

  promise('a hit that one counter refuses raises none of them', async ({ rateLimits }) => {
    const [narrow, wide] = [
      { key: key(), windowMs, max: 1 },
      { key: key(), windowMs: 2 * windowMs, max: 5 },
    ];
    await rateLimits.hit([narrow, wide], time);
    for (const order of [
      [narrow, wide],
      [wide, narrow],
    ]) {
      const results = await rateLimits.hit(order, time + 1);
      const refusals = results.map(({ retryAt }) => retryAt);
      assert.deepEqual(
        refusals,
        order[0] === narrow ? [time + windowMs, undefined] : [undefined, time + windowMs],
      );
    }
    assert.deepEqual(await rateLimits.hit([{ key: narrow.key, windowMs }], time), [
      { count: 2, resetAt: time + windowMs },
    ]);
    assert.deepEqual(await rateLimits.hit([wide], time), [{ count: 2, resetAt: time + 2 * windowMs }]);
  });

  promise('a counter that refused allows a hit again when its window is over', async ({ rateLimits }) => {
    const hits = [{ key: key(), windowMs, max: 1 }];
    await rateLimits.hit(hits, time);
    const [late] = await rateLimits.hit(hits, time + windowMs - 1);
    assert.equal(late?.retryAt, time + windowMs);
    assert.deepEqual(await rateLimits.hit(hits, time + windowMs), [
      { count: 1, resetAt: time + 2 * windowMs },
    ]);
  });

  promise(
    'a refusal ends no later than the window from now, though a clock ahead began it',
    async (storage) => {
      const hits = [{ key: key(), windowMs, max: 1 }];
      await storage.rateLimits.hit(hits, time + 100 * windowMs);
      const [refused] = await storage.rateLimits.hit(hits, time);
      assert.equal(refused?.retryAt, time + windowMs);
      const [fresh] = await storage.rateLimits.hit(hits, time + windowMs);
      assert.deepEqual(fresh, { count: 1, resetAt: time + 2 * windowMs });
    },
  );

  promise(
    'of 50 parallel hits exactly max are allowed, and a wider counter counts those alone',
    async (storage) => {
      const { rateLimits } = storage;
      const [narrow, wide] = [
        { key: key(), windowMs, max: 10 },
        { key: key(), windowMs, max: 100 },
      ];
      const results = await inParallel(50, () => rateLimits.hit([wide, narrow], time));
      const allowed = results.filter((each) => each.every(({ retryAt }) => retryAt === undefined));
      assert.equal(allowed.length, 10);
      const [count] = await rateLimits.hit([{ key: wide.key, windowMs }], time);
      assert.equal(count?.count, 11);
    },
  );

  promise('waits that grow double with each hit beyond max, up to the longest', async ({ rateLimits }) => {
    const growingWait = { firstMs: 1_000, longestMs: 3_000 };
    const hits = [{ key: key(), windowMs, max: 2, growingWait }];
    const hitAt = async (at: number) => (await rateLimits.hit(hits, at))[0];
    await hitAt(time);
    assert.deepEqual(await hitAt(time), { count: 2, resetAt: time + windowMs });
    let at = time;
    for (const [count, waitMs] of [1_000, 2_000, 3_000, 3_000].entries()) {
      assert.equal((await hitAt(at + waitMs - 1))?.retryAt, at + waitMs);
      at += waitMs;
      assert.deepEqual(await hitAt(at), { count: count + 3, resetAt: at + windowMs });
    }
    // Forgotten a window after the last hit.
    assert.deepEqual(await hitAt(at + windowMs), { count: 1, resetAt: at + 2 * windowMs });
  });

  promise('of 50 parallel hits one is allowed when a growing wait is over', async ({ rateLimits }) => {
    const growingWait = { firstMs: 1_000, longestMs: 4_000 };
    const hits = [{ key: key(), windowMs, max: 1, growingWait }];
    await rateLimits.hit(hits, time);
    const results = await inParallel(50, () => rateLimits.hit(hits, time + 1_000));
    assert.equal(results.filter(([result]) => result?.retryAt === undefined).length, 1);
  });

  promise(
    'no growing wait is longer than its longest, though a clock ahead made the last hit',
    async (storage) => {
      const growingWait = { firstMs: 1_000, longestMs: 4_000 };
      const hits = [{ key: key(), windowMs, max: 1, growingWait }];
      await storage.rateLimits.hit(hits, time + 100 * windowMs);
      const [result] = await storage.rateLimits.hit(hits, time);
      assert.deepEqual(result, { count: 2, resetAt: time + windowMs });
    },
  );
}
