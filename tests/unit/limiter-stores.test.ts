// Stores of counters that an application passes as rateLimit.store (docs/security-requirements.md
//
import { createHash } from 'node:crypto';
import { memoryAdapter } from 'svc-auth';
import type { RateLimitStore } from 'svc-auth';
import { withFallback } from '../../src/core/limits/fallback-counters.js';
import { Limiter } from '../../src/core/limits/limiter.js';
import { sendLimits } from '../../src/core/limits/send-limits.js';
import { countingStorage } from '../../src/core/limits/shared-counters.js';
import { silentLogger } from '../../src/core/support/logger.js';
import { createKeyring } from '../../src/crypto/keys.js';
import { failingAdapter } from '../support/failing-adapter.js';
import { errorOf, runInSequence, outcomeOf } from '../support/outcomes.js';
import { countingWith, keys, limitOf, minute, newLimiter } from '../support/limits.js';

const sharedCounters = (store: RateLimitStore, adapter = memoryAdapter()) =>
  countingStorage(adapter, store, silentLogger);

/** A store with only `hit`. */
function countingStore() {
  const counts = new Map<string, number>();
  return {
    counts,
    hit: async (key: string, windowMs: number, now: number) => {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return { count: counts.get(key) ?? 0, resetAt: now + windowMs };
    },
  };
}

describe('shared stores of counters', () => {
  it('a store with only hit is sufficient', async () => {
    const store = countingStore();
    const limits = new Limiter(sharedCounters(store), keys, () => 0);
    expect(await runInSequence(3, () => limits.consume([limitOf('a', 2)]))).toEqual([
      'ok',
      'ok',
      'rate_limit_exceeded',
    ]);
    await (await limits.consume([limitOf('b', 2)])).correction([limitOf('b', 2)]).make();
  });

  it('an attempt that a narrow limit refuses does not count toward a wider one, in a store without refund', async () => {
    const store = countingStore();
    const limits = new Limiter(sharedCounters(store), keys, () => 0);
    const wide = limitOf('wide', 5);
    await runInSequence(20, () => limits.consume([limitOf('narrow', 2), wide]));
    expect(await runInSequence(4, () => limits.consume([wide]))).toEqual([
      'ok',
      'ok',
      'ok',
      'rate_limit_exceeded',
    ]);
  });

  it('refunds by this process are subtracted, in a store without refund', async () => {
    const store = countingStore();
    const limits = new Limiter(sharedCounters(store), keys, () => 0);
    for (let i = 0; i < 20; i += 1) await (await limits.consume([limitOf('a', 2)])).refund();
    expect(await runInSequence(3, () => limits.consume([limitOf('a', 2)]))).toEqual([
      'ok',
      'ok',
      'rate_limit_exceeded',
    ]);
  });

  it('refunds before a restart of a store without refund allow no additional attempts', async () => {
    const store = countingStore();
    const limits = new Limiter(sharedCounters(store), keys, () => 0);
    for (let i = 0; i < 20; i += 1) await (await limits.consume([limitOf('a', 2)])).refund();
    store.counts.clear();
    const outcomes = await runInSequence(30, () => limits.consume([limitOf('a', 2)]));
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(2);
  });

  it('an attempt is refunded if its user cannot be read', async () => {
    const database = failingAdapter(memoryAdapter());
    const store = countingStore();
    const limits = new Limiter(sharedCounters(store, database.adapter), keys, () => 0);
    const attempt = () => limits.consumeAndFindUser([limitOf('a', 2)], 'ada@example.com');
    database.fail();
    for (let i = 0; i < 5; i += 1) await expect(attempt()).rejects.toThrow('ECONNREFUSED');
    database.recover();
    expect(await runInSequence(3, attempt)).toEqual(['ok', 'ok', 'rate_limit_exceeded']);
  });

  it('an error of the store is an internal_error whose message reveals nothing of the store', async () => {
    const store = { hit: () => Promise.reject(new Error('redis://:password@host is gone')) };
    const limits = new Limiter(sharedCounters(store), keys, () => 0);
    await expect(limits.consume([limitOf('a', 2)])).rejects.toMatchObject({
      code: 'internal_error',
      message: expect.not.stringContaining('password'),
    });
  });

  //
  it('the keys of the store contain no address, number or IP', async () => {
    const storedKeys: string[] = [];
    const store = {
      hit: async (key: string, windowMs: number, now: number) => {
        storedKeys.push(key);
        return { count: 1, resetAt: now + windowMs };
      },
    };
    const limits = new Limiter(sharedCounters(store), keys, () => 0);
    await limits.consume(
      sendLimits({ maxPerWindow: 5, windowMs: minute }, 'email_code', 'ada@example.com', '192.0.2.1'),
    );
    expect(storedKeys).toHaveLength(5);
    expect(storedKeys.join()).not.toMatch(/ada|example|192\.0/);
  });

  //
  it('the keys of the store are MACs under the secret, so that they reveal nothing to an attacker who tries all numbers', async () => {
    const storedKeys: string[] = [];
    const store = {
      hit: async (key: string, windowMs: number, now: number) => {
        storedKeys.push(key);
        return { count: 1, resetAt: now + windowMs };
      },
    };
    const secrets = ['one secret, of 32 bytes or more by far', 'another secret, of 32 bytes or more'];
    for (const secret of [...secrets, secrets[0]!]) {
      const limits = new Limiter(sharedCounters(store), createKeyring(secret), () => 0);
      await limits.consume([
        limitOf('text:number', 5, '+14155552671'),
        limitOf('text:ip', 5, '+14155552671'),
      ]);
    }
    const digest = createHash('sha256').update('+14155552671').digest('base64url');
    expect(storedKeys.join()).not.toContain(digest);
    expect(storedKeys.slice(4)).toEqual(storedKeys.slice(0, 2));
    expect(new Set(storedKeys.map((key) => key.split(':').at(-1))).size).toBe(4);
  });

  it('a reset while the store fails also resets the counter of the adapter, which counts in the meantime', async () => {
    const fails = () => Promise.reject(new Error('away'));
    const { rateLimits } = memoryAdapter();
    const counters = withFallback({ hit: fails, correct: fails }, rateLimits, {
      warn() {},
      info() {},
    } as never);
    const hits = [{ key: 'password', windowMs: minute, max: 2 }];
    for (const count of [1, 2]) expect(await counters.hit(hits, 0)).toMatchObject([{ count }]);
    await counters.correct({ refund: [], reset: ['password'] }, 0);
    expect(await counters.hit(hits, 0)).toMatchObject([{ count: 1 }]);
  });

  it('a subject may have any length', async () => {
    const { limiter: limits } = newLimiter();
    await limits.consume([limitOf('a', 1, 'x'.repeat(100_000))]);
    expect(await outcomeOf(() => limits.consume([limitOf('a', 1, 'x'.repeat(100_000))]))).toBe(
      'rate_limit_exceeded',
    );
  });
});

describe('invalid results of a store of counters', () => {
  const invalidResults: [string, unknown, string][] = [
    ['nothing', undefined, 'undefined'],
    ['an empty object', {}, '{}'],
    ['NaN', { count: NaN, resetAt: NaN }, '{ count: NaN, resetAt: NaN }'],
    ['an infinite window', { count: 1, resetAt: Infinity }, '{ count: 1, resetAt: Infinity }'],
    ['no hit', { count: 0, resetAt: minute }, `{ count: 0, resetAt: ${minute} }`],
    ['a part of a hit', { count: 1.5, resetAt: minute }, `{ count: 1.5, resetAt: ${minute} }`],
    ['the count alone', 3, 'number'],
    ['strings', { count: '1', resetAt: String(minute) }, '{ count: string, resetAt: string }'],
    ['a Date', { count: 1, resetAt: new Date(minute) }, '{ count: 1, resetAt: object }'],
    [
      'what express-rate-limit resolves',
      { totalHits: 1, resetTime: new Date(minute) },
      '{ totalHits: number, resetTime: object }',
    ],
    [
      'a secret',
      { count: 'redis://:password@host', 'x:password': 'password' },
      '{ count: string, x:password: string }',
    ],
  ];

  it.each(invalidResults)(
    'the first attempt is refused if the store resolves %s',
    async (_name, response, shape) => {
      const store = { hit: async () => response as { count: number; resetAt: number } };
      const limits = new Limiter(sharedCounters(store), keys, () => 0);
      const error = await errorOf(() => limits.consume([limitOf('a', 5)]));
      expect(error).toMatchObject({ code: 'internal_error' });
      const { message } = (error as Error).cause as Error;
      expect(message).toContain('rateLimit.store.hit() must resolve { count, resetAt }');
      expect(message).toContain(`It resolved ${shape}.`);
    },
  );

  it('a window that ends in seconds instead of milliseconds since the epoch is refused', async () => {
    const now = Date.UTC(2031, 4, 6);
    const store = { hit: async () => ({ count: 1, resetAt: now / 1000 + 900 }) };
    const limits = new Limiter(sharedCounters(store), keys, () => now);
    expect(await outcomeOf(() => limits.consume([limitOf('a', 5)]))).toBe('internal_error');
  });

  it('the first attempt is refused if an adapter resolves an invalid result or exceeds max', async () => {
    const now = 1_000_000;
    for (const response of [
      undefined,
      [],
      [{}],
      [{ count: NaN, resetAt: now }],
      [{ count: 6, resetAt: now }],
    ]) {
      const counters = { ...memoryAdapter().rateLimits, hit: async () => response as never };
      const limits = new Limiter(countingWith(counters), keys, () => now);
      expect(await outcomeOf(() => limits.consume([limitOf('a', 5)]))).toBe('internal_error');
    }
  });
});

describe('the memory of a shared store with only hit', () => {
  it('a store with only hit keeps at most ten thousand refunds, in constant time per hit', async () => {
    const store = countingStore();
    const { rateLimits: counters } = sharedCounters(store);
    const first = [{ key: 'first', windowMs: minute, max: 2 }];
    const hitAndRefund = async (hits: typeof first) => {
      await counters.hit(hits, 0);
      await counters.correct({ refund: [hits[0]!.key], reset: [] }, 0);
    };
    await hitAndRefund(first);
    expect(await counters.hit(first, 0)).toEqual([{ count: 1, resetAt: minute }]);
    for (let i = 0; i < 10_000; i += 1) await counters.hit([{ key: String(i), windowMs: minute, max: 2 }], 0);
    // Its refund was dropped: the refunded hit counts again.
    expect(await counters.hit(first, 0)).toMatchObject([{ retryAt: minute }]);
  });
});
