// Rate limits (docs/security-requirements.md A-20, C-13).
import { memoryAdapter } from 'svc-auth';
import { testClock } from 'svc-auth/testing';
import type { CountingStorage } from '../../src/core/limits/shared-counters.js';
import { Limiter } from '../../src/core/limits/limiter.js';
import { guessLimits, loginLimits, secondFactorLimits } from '../../src/core/limits/rate-limits.js';
import { sendLimits } from '../../src/core/limits/send-limits.js';
import { createKeyring } from '../../src/crypto/keys.js';
import type { RateLimit } from '../../src/core/limits/rate-limits.js';
import { errorOf, runInSequence, outcomeOf, race } from '../support/outcomes.js';
import { countingWith, keys, limitOf, minute, newLimiter } from '../support/limits.js';
import { PausePoint } from '../support/pause-points.js';

describe('rate limits', () => {
  it('a limit allows exactly its maximum', async () => {
    const { limiter: limits } = newLimiter();
    const outcomes = await runInSequence(7, () => limits.consume([limitOf('a', 5)]));
    expect(outcomes).toEqual([...Array(5).fill('ok'), ...Array(2).fill('rate_limit_exceeded')]);
  });

  //
  it('a limit never allows more than its maximum under concurrent calls', async () => {
    const { limiter: limits } = newLimiter();
    expect(await race(50, () => limits.consume([limitOf('a', 5)]))).toEqual({
      ok: 5,
      rate_limit_exceeded: 45,
    });
  });

  it('a refusal contains the time until the next allowed attempt', async () => {
    const { limiter: limits, clock } = newLimiter();
    await limits.consume([limitOf('a', 1)]);
    clock.advance(20_000);
    expect(await errorOf(() => limits.consume([limitOf('a', 1)]))).toMatchObject({ retryAfterMs: 40_000 });
    clock.advance(40_000 - 1);
    expect(await outcomeOf(() => limits.consume([limitOf('a', 1)]))).toBe('rate_limit_exceeded');
    clock.advance(1);
    expect(await outcomeOf(() => limits.consume([limitOf('a', 1)]))).toBe('ok');
  });

  it('refused attempts do not extend the window', async () => {
    const { limiter: limits, clock } = newLimiter();
    await limits.consume([limitOf('a', 1)]);
    for (let i = 0; i < 6; i += 1) {
      clock.advance(9_999);
      expect(await outcomeOf(() => limits.consume([limitOf('a', 1)]))).toBe('rate_limit_exceeded');
    }
    clock.advance(6);
    expect(await outcomeOf(() => limits.consume([limitOf('a', 1)]))).toBe('ok');
  });

  it('attempts are counted per name and per subject', async () => {
    const { limiter: limits } = newLimiter();
    await limits.consume([limitOf('a', 1, 'x')]);
    expect(await outcomeOf(() => limits.consume([limitOf('a', 1, 'y')]))).toBe('ok');
    expect(await outcomeOf(() => limits.consume([limitOf('b', 1, 'x')]))).toBe('ok');
    expect(await outcomeOf(() => limits.consume([limitOf('a', 1, 'x')]))).toBe('rate_limit_exceeded');
  });

  it('a refusal by several limits contains the longest of their times', async () => {
    const { limiter: limits } = newLimiter();
    const both = [limitOf('short', 1, 'x', minute), limitOf('long', 1, 'x', 60 * minute)];
    await limits.consume(both);
    expect(await errorOf(() => limits.consume(both))).toMatchObject({ retryAfterMs: 60 * minute });
  });
});

describe('refused attempts', () => {
  //
  it('a refused attempt does not count toward any other limit, so that it cannot exhaust a wider one', async () => {
    const { limiter: limits } = newLimiter();
    const both = [limitOf('narrow', 1), limitOf('wide', 3)];
    expect(await runInSequence(20, () => limits.consume(both))).toContain('rate_limit_exceeded');
    expect(await runInSequence(3, () => limits.consume([limitOf('wide', 3)]))).toEqual([
      'ok',
      'ok',
      'rate_limit_exceeded',
    ]);
  });

  it('a refused attempt does not count toward the limit that refuses it', async () => {
    const { limiter: limits } = newLimiter();
    const charge = await limits.consume([limitOf('a', 1)]);
    await runInSequence(20, () => limits.consume([limitOf('a', 1)]));
    await charge.refund();
    expect(await outcomeOf(() => limits.consume([limitOf('a', 1)]))).toBe('ok');
  });
});

describe('refunds', () => {
  it('refund() returns an attempt', async () => {
    const { limiter: limits } = newLimiter();
    await (await limits.consume([limitOf('a', 1)])).refund();
    expect(await runInSequence(2, () => limits.consume([limitOf('a', 1)]))).toEqual([
      'ok',
      'rate_limit_exceeded',
    ]);
  });

  it('refund() after the window does not enlarge the next window', async () => {
    const { limiter: limits, clock } = newLimiter();
    const early = await limits.consume([limitOf('a', 1)]);
    clock.advance(minute);
    await early.refund();
    expect(await runInSequence(2, () => limits.consume([limitOf('a', 1)]))).toEqual([
      'ok',
      'rate_limit_exceeded',
    ]);
  });

  it('a correction resets only the given limits', async () => {
    const { limiter: limits } = newLimiter();
    const both = [limitOf('pair', 3), limitOf('address', 4)];
    await limits.consume(both);
    await limits.consume(both);
    await (await limits.consume(both)).correction([limitOf('pair', 3)]).make();
    // pair: reset; address: two failures remain.
    expect(await runInSequence(3, () => limits.consume([limitOf('address', 4)]))).toEqual([
      'ok',
      'ok',
      'rate_limit_exceeded',
    ]);
    expect(await runInSequence(4, () => limits.consume([limitOf('pair', 3)]))).toEqual([
      'ok',
      'ok',
      'ok',
      'rate_limit_exceeded',
    ]);
  });
});

describe('a correction', () => {
  const session = {
    id: '',
    userId: '',
    device: {},
    createdAt: new Date(0),
    lastSeenAt: new Date(0),
    expiresAt: new Date(0),
    revokedAt: null,
    boundAt: null,
  };

  /** Returns a limiter that has consumed the only attempt, and the names of the calls that correct its counters. */
  async function consumed() {
    const { fastPaths, rateLimits } = countingWith(memoryAdapter().rateLimits);
    const corrections: string[] = [];
    const counting: CountingStorage = {
      rateLimits: {
        ...rateLimits,
        correct: (...args) => {
          corrections.push('correct');
          return rateLimits.correct(...args);
        },
      },
      fastPaths: {
        ...fastPaths,
        correctAndStart: (...args) => {
          corrections.push('correctAndStart');
          return fastPaths.correctAndStart(...args);
        },
      },
    };
    const limits = new Limiter(counting, keys, () => 0);
    return { limits, corrections, attempt: await limits.consume([limitOf('a', 1)]) };
  }

  it('corrects the counters in the query that starts a session, and in no other', async () => {
    const { limits, corrections, attempt } = await consumed();
    const correction = attempt.correction([limitOf('a', 1)]);
    expect(await correction.start({ session, epoch: 0 })).toBe(false);
    await correction.make();
    expect(corrections).toEqual(['correctAndStart']);
    await limits.consume([limitOf('a', 1)]);
  });

  it('logs that the counters cannot be corrected, and does not reject', async () => {
    const { rateLimits } = memoryAdapter();
    const counters = { ...rateLimits, correct: () => Promise.reject(new Error('no connection')) };
    const reported: unknown[] = [];
    const report = (error: unknown) => void reported.push(error);
    const limits = new Limiter(countingWith(counters), keys, () => 0, report);
    await (await limits.consume([limitOf('a', 9)])).correction([limitOf('a', 9)]).make();
    await (await limits.consume([limitOf('a', 9)])).refund();
    expect(reported).toMatchObject([{ message: 'no connection' }, { message: 'no connection' }]);
  });

  it('corrects the counters without a session, once', async () => {
    const { limits, corrections, attempt } = await consumed();
    const correction = attempt.correction([limitOf('a', 1)]);
    await correction.make();
    await correction.make();
    expect(corrections).toEqual(['correct']);
    await limits.consume([limitOf('a', 1)]);
  });
});

describe('isFirstUse()', () => {
  it('isFirstUse() returns true once under concurrent calls', async () => {
    const { limiter: limits } = newLimiter();
    const firsts = await Promise.all(
      Array.from({ length: 50 }, () => limits.isFirstUse('replay', 'x', minute)),
    );
    expect(firsts.filter(Boolean)).toHaveLength(1);
    expect(await limits.isFirstUse('replay', 'y', minute)).toBe(true);
  });

  it('isFirstUse() returns false after a rotation of the secret, which resets counters', async () => {
    const { rateLimits } = memoryAdapter();
    const before = new Limiter(countingWith(rateLimits), keys, () => 0);
    const rotated = new Limiter(
      countingWith(rateLimits),
      createKeyring('the secret after it, 32 bytes or more'),
      () => 0,
    );
    for (const limits of [before, rotated]) await limits.consume([limitOf('a', 1)]);
    expect(await before.isFirstUse('replay', 'x', minute)).toBe(true);
    expect(await rotated.isFirstUse('replay', 'x', minute)).toBe(false);
  });
});

describe('two processes with one store', () => {
  const processes = () => {
    const clock = testClock(1_000_000);
    const { rateLimits } = memoryAdapter();
    return {
      clock,
      first: new Limiter(countingWith(rateLimits), keys, clock.now),
      second: new Limiter(countingWith(rateLimits), keys, clock.now),
    };
  };

  it('both processes see a reset counter within a second, even if another counter still refuses', async () => {
    const { clock, first, second } = processes();
    const day = 24 * 60 * minute;
    const address = limitOf('address', 1, 'ada', day);
    const attacker = limitOf('pair', 1, 'mallory', day);
    const attack = () => outcomeOf(() => first.consume([attacker, address]));
    await attack();
    expect(await attack()).toBe('rate_limit_exceeded');
    await second.reset([address]);
    clock.advance(1_000);
    expect(await attack()).toBe('rate_limit_exceeded');
    clock.advance(100);
    expect(await outcomeOf(() => first.consume([limitOf('pair', 1, 'ada', day), address]))).toBe('ok');
  });
});

describe('limits with an alternative', () => {
  it('a limit that refuses uses its alternative, and returns its own time if both refuse', async () => {
    const { limiter: limits } = newLimiter();
    const usual = { ...limitOf('usual', 1), orElse: [limitOf('first', 1, 'x', 10 * minute)] };
    const outcomes = await runInSequence(3, () => limits.consume([limitOf('other', 5), usual]));
    expect(outcomes).toEqual(['ok', 'ok', 'rate_limit_exceeded']);
    expect(await errorOf(() => limits.consume([usual]))).toMatchObject({ retryAfterMs: minute });
  });

  it('the alternative is not used if another limit also refuses, and the storage is queried once', async () => {
    const { rateLimits } = memoryAdapter();
    let queries = 0;
    const counted = {
      ...rateLimits,
      hit: (...hit: Parameters<typeof rateLimits.hit>) => {
        queries += 1;
        return rateLimits.hit(...hit);
      },
    };
    const limits = new Limiter(countingWith(counted), keys, () => 1_000_000);
    const usual = { ...limitOf('usual', 1), orElse: [limitOf('first', 5)] };
    const outcomes = await runInSequence(2, () => limits.consume([limitOf('client', 1), usual]));
    expect([outcomes, queries]).toEqual([['ok', 'rate_limit_exceeded'], 2]);
  });
});

describe('the configured limits', () => {
  const rules = (rateLimits: RateLimit[]) => rateLimits.map(({ max, windowMs }) => [max, windowMs / minute]);

  // C-13
  it('sendLimits() limits per purpose and address, per mailbox, and per client if its address is known', () => {
    const send = (ip?: string) =>
      sendLimits({ maxPerWindow: 5, windowMs: 15 * minute }, 'magic_link', 'a.b+c@x.co', ip);
    expect(rules(send())).toEqual([
      [5, 15],
      [10, 15],
      [20, 24 * 60],
    ]);
    expect(rules(send('192.0.2.1'))).toEqual([
      [100, 15],
      [2_000, 24 * 60],
      [5, 15],
      [10, 15],
      [20, 24 * 60],
    ]);
    expect(send().map(({ subject }) => subject)).toEqual(['a.b+c@x.co', 'ab@x.co', 'ab@x.co']);
  });

  //
  it('guessLimits() allows 10 wrong codes in 15 minutes and 50 a day per address, across codes', () => {
    expect(rules(guessLimits('email_code', 'a@x.co'))).toEqual([
      [10, 15],
      [50, 24 * 60],
    ]);
  });

  it('limits are separate for every purpose, except per client and per mailbox and day', () => {
    const shared = (one: RateLimit[], other: RateLimit[]) =>
      one.flatMap(({ name }) => (other.some((each) => each.name === name) ? [name] : []));
    const limits = { maxPerWindow: 5, windowMs: 15 * minute };
    const send = (purpose: string) => sendLimits(limits, purpose, 'a@x.co', '192.0.2.1');
    const guess = (purpose: string) => guessLimits(purpose, 'a@x.co', '192.0.2.1');
    expect(shared(send('magic_link'), send('email_code'))).toEqual(['send:ip', 'send-day:ip', 'send-day']);
    expect(shared(guess('email_change'), guess('email_verification'))).toEqual([]);
    expect(
      shared(secondFactorLimits('totp', 'a-user'), secondFactorLimits('totp-confirm', 'a-user')),
    ).toEqual([]);
  });

  //
  it('loginLimits() limits per address and client, per address, and per client', () => {
    const rule = (max: number, windowMs: number) => ({ max, windowMs });
    const limits = { perAddressAndIp: rule(1, minute), perAddress: rule(2, minute), perIp: rule(3, minute) };
    expect(rules(loginLimits(limits, 'a@x.co', '192.0.2.1'))).toEqual([
      [3, 1],
      [2, 1],
      [1, 1],
    ]);
    expect(rules(loginLimits(limits, 'a@x.co'))).toEqual([
      [2, 1],
      [1, 1],
    ]);
    expect(loginLimits(false, 'a@x.co', '192.0.2.1')).toEqual([]);
  });
});

describe('counters that refuse', () => {
  /** Counters in memory, with the number of their calls. */
  function countingCounters() {
    const { rateLimits } = memoryAdapter();
    const asked = { hits: 0, writes: 0 };
    const counters = {
      ...rateLimits,
      hit(...args: Parameters<typeof rateLimits.hit>) {
        asked.hits += 1;
        return rateLimits.hit(...args);
      },
      correct(...args: Parameters<typeof rateLimits.correct>) {
        asked.writes += 1;
        return rateLimits.correct(...args);
      },
    };
    const clock = testClock(1_000_000);
    return { asked, clock, counters, limits: new Limiter(countingWith(counters), keys, clock.now) };
  }

  it('a counter that refuses is queried once a second, regardless of the number of attempts', async () => {
    const { asked, clock, limits } = countingCounters();
    await limits.consume([limitOf('a', 1)]);
    asked.hits = 0;
    for (let second = 0; second < 5; second += 1) {
      const outcomes = await race(200, () => limits.consume([limitOf('a', 1)]));
      expect(outcomes).toEqual({ rate_limit_exceeded: 200 });
      clock.advance(1_000);
    }
    // The first 200 query concurrently, before any of them is refused.
    expect(asked.hits).toBe(200 + 4);
  });

  it('a refusal that arrives after the refund of its counter does not refuse the next attempt', async () => {
    const { counters, clock } = countingCounters();
    const refusal = new PausePoint();
    const hit = async (...args: Parameters<typeof counters.hit>) => {
      const results = await counters.hit(...args);
      if (results.some(({ retryAt }) => retryAt !== undefined)) await refusal.pass();
      return results;
    };
    const limits = new Limiter(countingWith({ ...counters, hit }), keys, clock.now);
    const first = await limits.consume([limitOf('a', 1)]);
    const pause = refusal.pauseNext();
    const second = outcomeOf(() => limits.consume([limitOf('a', 1)]));
    await pause.reached;
    await first.refund();
    pause.release();
    expect(await second).toBe('rate_limit_exceeded');
    expect(await outcomeOf(() => limits.consume([limitOf('a', 1)]))).toBe('ok');
  });

  it('a counter that refuses is neither raised nor refunded by the attempts that it refuses', async () => {
    const { asked, limits } = countingCounters();
    const both = [limitOf('narrow', 1), limitOf('wide', 3)];
    await limits.consume(both);
    await runInSequence(20, () => limits.consume(both));
    expect(asked.writes).toBe(0);
  });

  it('a refund by this process allows an attempt immediately, and one by another process within a second', async () => {
    const { clock, counters, limits } = countingCounters();
    const charge = await limits.consume([limitOf('a', 1)]);
    await runInSequence(2, () => limits.consume([limitOf('a', 1)]));
    await charge.refund();
    await limits.consume([limitOf('a', 1)]);
    await runInSequence(2, () => limits.consume([limitOf('a', 1)]));
    const other = new Limiter(countingWith(counters), keys, clock.now);
    await other.reset([limitOf('a', 1)]);
    expect(await outcomeOf(() => limits.consume([limitOf('a', 1)]))).toBe('rate_limit_exceeded');
    clock.advance(1_000);
    expect(await outcomeOf(() => limits.consume([limitOf('a', 1)]))).toBe('ok');
  });

  it('a refusal is dropped from the cache after ten thousand others, and then queried again', async () => {
    const { asked, limits } = countingCounters();
    const at = (i: number) => [limitOf('a', 1, String(i))];
    for (let i = 0; i <= 10_000; i += 1) await runInSequence(2, () => limits.consume(at(i)));
    asked.hits = 0;
    expect(await outcomeOf(() => limits.consume(at(10_000)))).toBe('rate_limit_exceeded');
    expect(asked.hits).toBe(0);
    expect(await outcomeOf(() => limits.consume(at(0)))).toBe('rate_limit_exceeded');
    expect(asked.hits).toBe(1);
  });
});

describe('refundAllButCaller()', () => {
  it('refundAllButCaller() refunds the limits of the subject and not those of the caller', async () => {
    const { limiter: limits } = newLimiter();
    const both = [{ ...limitOf('client', 2), isCaller: true }, limitOf('address', 2)];
    for (let i = 0; i < 2; i += 1) await (await limits.consume(both)).refundAllButCaller();
    expect(await outcomeOf(() => limits.consume(both))).toBe('rate_limit_exceeded');
    expect(await runInSequence(3, () => limits.consume([limitOf('address', 2)]))).toEqual([
      'ok',
      'ok',
      'rate_limit_exceeded',
    ]);
  });

  it('a refund happens once, even if refund() is called several times', async () => {
    const { limiter: limits } = newLimiter();
    await limits.consume([limitOf('a', 3)]);
    const charge = await limits.consume([limitOf('a', 3)]);
    for (let i = 0; i < 3; i += 1) await charge.refund();
    expect(await runInSequence(3, () => limits.consume([limitOf('a', 3)]))).toEqual([
      'ok',
      'ok',
      'rate_limit_exceeded',
    ]);
  });
});
