import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { inParallel, now, type RegisterConformanceTest } from './suite.js';

const windowMs = 60_000;
const time = now.getTime();
const key = () => `limit:${randomUUID()}`;

/** What counters refuse, and until when. */
export function describeRateLimitRefusals(test: RegisterConformanceTest): void {
  test('hit raises no counter if one of them refuses', async ({ rateLimits }) => {
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

  test('a growing wait that is over does not refuse a hit that another counter refuses', async ({
    rateLimits,
  }) => {
    const growingWait = { firstMs: 1000, longestMs: 8000 };
    const [growing, fixed] = [
      { key: key(), windowMs, max: 1, growingWait },
      { key: key(), windowMs, max: 1 },
    ];
    await rateLimits.hit([growing, fixed], time);
    const results = await rateLimits.hit([growing, fixed], time + 2000);
    const refusals = results.map(({ retryAt }) => retryAt);
    assert.deepEqual(refusals, [undefined, time + windowMs]);
  });

  test('a counter that refused a hit allows one again when its window has ended', async ({ rateLimits }) => {
    const hits = [{ key: key(), windowMs, max: 1 }];
    await rateLimits.hit(hits, time);
    const [late] = await rateLimits.hit(hits, time + windowMs - 1);
    assert.equal(late?.retryAt, time + windowMs);
    assert.deepEqual(await rateLimits.hit(hits, time + windowMs), [
      { count: 1, resetAt: time + 2 * windowMs },
    ]);
  });

  test('a refusal by a window that a clock ahead started ends no later than windowMs from now', async (storage) => {
    const hits = [{ key: key(), windowMs, max: 1 }];
    await storage.rateLimits.hit(hits, time + 100 * windowMs);
    const [refused] = await storage.rateLimits.hit(hits, time);
    assert.equal(refused?.retryAt, time + windowMs);
    const [fresh] = await storage.rateLimits.hit(hits, time + windowMs);
    assert.deepEqual(fresh, { count: 1, resetAt: time + 2 * windowMs });
  });

  test('exactly max of 50 parallel hits are allowed, and a second counter counts only those', async (storage) => {
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
  });

  test('a growing wait doubles with each hit beyond max, up to longestMs', async ({ rateLimits }) => {
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
    // The counter starts over one window after the last hit.
    assert.deepEqual(await hitAt(at + windowMs), { count: 1, resetAt: at + 2 * windowMs });
  });

  test('only one of 50 parallel hits is allowed when a growing wait has ended', async ({ rateLimits }) => {
    const growingWait = { firstMs: 1_000, longestMs: 4_000 };
    const hits = [{ key: key(), windowMs, max: 1, growingWait }];
    await rateLimits.hit(hits, time);
    const results = await inParallel(50, () => rateLimits.hit(hits, time + 1_000));
    assert.equal(results.filter(([result]) => result?.retryAt === undefined).length, 1);
  });

  test('a growing wait after a hit by a clock ahead lasts no longer than longestMs', async (storage) => {
    const growingWait = { firstMs: 1_000, longestMs: 4_000 };
    const hits = [{ key: key(), windowMs, max: 1, growingWait }];
    await storage.rateLimits.hit(hits, time + 100 * windowMs);
    const [result] = await storage.rateLimits.hit(hits, time);
    assert.deepEqual(result, { count: 2, resetAt: time + windowMs });
  });
}
