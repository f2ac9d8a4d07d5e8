// Counted limits (docs/security-requirements.md A-20, C-13).
import { createHash } from 'node:crypto';
import { memoryAdapter } from 'svc-auth';
import { testClock } from 'svc-auth/testing';
import { guessBudgets, loginBudgets, secondFactorBudgets } from '../../src/kit/budgets.js';
import { sendBudgets } from '../../src/kit/send-budgets.js';
import { createKeyring } from '../../src/crypto/keys.js';
import { Limiter, type Budget } from '../../src/kit/limiter.js';
import { sharedCounters } from '../../src/kit/shared-counters.js';
import { errorOf, inTurn, outcomeOf, race } from '../support/outcomes.js';

const minute = 60_000;
const budget = (name: string, max: number, subject = 'x', windowMs = minute): Budget => ({
  name,
  subject,
  max,
  windowMs,
});

const keys = createKeyring('the secret of these tests, 32 bytes or more');

function limiter() {
  const clock = testClock(1_000_000);
  return { clock, limiter: new Limiter(memoryAdapter().rateLimits, keys, clock.now) };
}

describe('A budget', () => {
  it('allows exactly its number, then none', async () => {
    const { limiter: limits } = limiter();
    const outcomes = await inTurn(7, () => limits.charge([budget('a', 5)]));
    expect(outcomes).toEqual([...Array(5).fill('ok'), ...Array(2).fill('rate_limit_exceeded')]);
  });

  it('A-20 never allows more under parallel calls', async () => {
    const { limiter: limits } = limiter();
    expect(await race(50, () => limits.charge([budget('a', 5)]))).toEqual({ ok: 5, rate_limit_exceeded: 45 });
  });

  it('says when the next try is allowed, and it is then', async () => {
    const { limiter: limits, clock } = limiter();
    await limits.charge([budget('a', 1)]);
    clock.advance(20_000);
    expect(await errorOf(() => limits.charge([budget('a', 1)]))).toMatchObject({ retryAfterMs: 40_000 });
    clock.advance(40_000 - 1);
    expect(await outcomeOf(() => limits.charge([budget('a', 1)]))).toBe('rate_limit_exceeded');
    clock.advance(1);
    expect(await outcomeOf(() => limits.charge([budget('a', 1)]))).toBe('ok');
  });

  it('has a window that refused tries do not stretch', async () => {
    const { limiter: limits, clock } = limiter();
    await limits.charge([budget('a', 1)]);
    for (let i = 0; i < 6; i += 1) {
      clock.advance(9_999);
      expect(await outcomeOf(() => limits.charge([budget('a', 1)]))).toBe('rate_limit_exceeded');
    }
    clock.advance(6);
    expect(await outcomeOf(() => limits.charge([budget('a', 1)]))).toBe('ok');
  });

  it('is counted per name and per subject', async () => {
    const { limiter: limits } = limiter();
    await limits.charge([budget('a', 1, 'x')]);
    expect(await outcomeOf(() => limits.charge([budget('a', 1, 'y')]))).toBe('ok');
    expect(await outcomeOf(() => limits.charge([budget('b', 1, 'x')]))).toBe('ok');
    expect(await outcomeOf(() => limits.charge([budget('a', 1, 'x')]))).toBe('rate_limit_exceeded');
  });

  it('that is refused waits for the longest of the windows that refuse', async () => {
    const { limiter: limits } = limiter();
    const both = [budget('short', 1, 'x', minute), budget('long', 1, 'x', 60 * minute)];
    await limits.charge(both);
    expect(await errorOf(() => limits.charge(both))).toMatchObject({ retryAfterMs: 60 * minute });
  });
});

describe('A try that is refused', () => {
  it('A-15 charges no other budget: nobody is locked out of the wider one by it', async () => {
    const { limiter: limits } = limiter();
    const both = [budget('narrow', 1), budget('wide', 3)];
    expect(await inTurn(20, () => limits.charge(both))).toContain('rate_limit_exceeded');
    expect(await inTurn(3, () => limits.charge([budget('wide', 3)]))).toEqual([
      'ok',
      'ok',
      'rate_limit_exceeded',
    ]);
  });

  it('does not charge the budget that refuses it either', async () => {
    const { limiter: limits } = limiter();
    const charge = await limits.charge([budget('a', 1)]);
    await inTurn(20, () => limits.charge([budget('a', 1)]));
    await charge.refund();
    expect(await outcomeOf(() => limits.charge([budget('a', 1)]))).toBe('ok');
  });
});

describe('A charge', () => {
  it('can be given back', async () => {
    const { limiter: limits } = limiter();
    await (await limits.charge([budget('a', 1)])).refund();
    expect(await inTurn(2, () => limits.charge([budget('a', 1)]))).toEqual(['ok', 'rate_limit_exceeded']);
  });

  it('given back after its window does not enlarge the next one', async () => {
    const { limiter: limits, clock } = limiter();
    const early = await limits.charge([budget('a', 1)]);
    clock.advance(minute);
    await early.refund();
    expect(await inTurn(2, () => limits.charge([budget('a', 1)]))).toEqual(['ok', 'rate_limit_exceeded']);
  });

  it('forgives the earlier failures of the named budgets only', async () => {
    const { limiter: limits } = limiter();
    const both = [budget('pair', 3), budget('address', 4)];
    await limits.charge(both);
    await limits.charge(both);
    await (await limits.charge(both)).forgive('pair');
    // pair: forgotten; address: two failures remain.
    expect(await inTurn(3, () => limits.charge([budget('address', 4)]))).toEqual([
      'ok',
      'ok',
      'rate_limit_exceeded',
    ]);
    expect(await inTurn(4, () => limits.charge([budget('pair', 3)]))).toEqual([
      'ok',
      'ok',
      'ok',
      'rate_limit_exceeded',
    ]);
  });
});

describe('Work that is charged', () => {
  it('is refunded when it fails, and its error comes through', async () => {
    const { limiter: limits } = limiter();
    const failing = () => limits.spend([budget('a', 2)], () => Promise.reject(new Error('smtp down')));
    expect(await inTurn(10, failing)).toEqual(Array(10).fill('not a ServiceError: Error: smtp down'));
    expect(await limits.spend([budget('a', 2)], async () => 'done')).toBe('done');
  });

  it('fails with its own error where its charge cannot be given back either', async () => {
    const { rateLimits } = memoryAdapter();
    const refund = () => Promise.reject(new Error('no connection'));
    const limits = new Limiter({ ...rateLimits, refund }, keys, () => 0);
    const failing = () => limits.spend([budget('a', 2)], () => Promise.reject(new Error('smtp down')));
    expect(await inTurn(1, failing)).toEqual(['not a ServiceError: Error: smtp down']);
  });

  it('is charged when it succeeds, and not started when the budget is used up', async () => {
    const { limiter: limits } = limiter();
    let started = 0;
    const work = () => limits.spend([budget('a', 2)], async () => (started += 1));
    expect(await inTurn(4, work)).toEqual(['ok', 'ok', 'rate_limit_exceeded', 'rate_limit_exceeded']);
    expect(started).toBe(2);
  });
});

describe('The first time', () => {
  it('is once, however many ask at once', async () => {
    const { limiter: limits } = limiter();
    const firsts = await Promise.all(Array.from({ length: 50 }, () => limits.first('replay', 'x', minute)));
    expect(firsts.filter(Boolean)).toHaveLength(1);
    expect(await limits.first('replay', 'y', minute)).toBe(true);
  });

  it('stays the first after a rotation of the secret, which forgets counters', async () => {
    const { rateLimits } = memoryAdapter();
    const before = new Limiter(rateLimits, keys, () => 0);
    const rotated = new Limiter(rateLimits, createKeyring('the secret after it, 32 bytes or more'), () => 0);
    for (const limits of [before, rotated]) await limits.charge([budget('a', 1)]);
    expect(await before.first('replay', 'x', minute)).toBe(true);
    expect(await rotated.first('replay', 'x', minute)).toBe(false);
  });
});

describe('Two processes', () => {
  const processes = () => {
    const clock = testClock(1_000_000);
    const { rateLimits } = memoryAdapter();
    return {
      clock,
      one: new Limiter(rateLimits, keys, clock.now),
      two: new Limiter(rateLimits, keys, clock.now),
    };
  };

  it('agree within a second that a counter was forgiven, though another counter goes on refusing', async () => {
    const { clock, one, two } = processes();
    const day = 24 * 60 * minute;
    const address = budget('address', 1, 'ada', day);
    const attacker = budget('pair', 1, 'mallory', day);
    const attack = () => outcomeOf(() => one.charge([attacker, address]));
    await attack();
    expect(await attack()).toBe('rate_limit_exceeded');
    await two.forget([address]);
    clock.advance(1_000);
    expect(await attack()).toBe('rate_limit_exceeded');
    clock.advance(100);
    expect(await outcomeOf(() => one.charge([budget('pair', 1, 'ada', day), address]))).toBe('ok');
  });
});

describe('A budget with another in its place', () => {
  it('charges that one when it refuses, and says when it is open itself when both refuse', async () => {
    const { limiter: limits } = limiter();
    const usual = { ...budget('usual', 1), orElse: [budget('first', 1, 'x', 10 * minute)] };
    const outcomes = await inTurn(3, () => limits.charge([budget('other', 5), usual]));
    expect(outcomes).toEqual(['ok', 'ok', 'rate_limit_exceeded']);
    expect(await errorOf(() => limits.charge([usual]))).toMatchObject({ retryAfterMs: minute });
  });

  it('is not replaced where a budget without another refuses as well, and asks the storage once', async () => {
    const { rateLimits } = memoryAdapter();
    let asked = 0;
    const counted = {
      ...rateLimits,
      hit: (...hit: Parameters<typeof rateLimits.hit>) => {
        asked += 1;
        return rateLimits.hit(...hit);
      },
    };
    const limits = new Limiter(counted, keys, () => 1_000_000);
    const usual = { ...budget('usual', 1), orElse: [budget('first', 5)] };
    const outcomes = await inTurn(2, () => limits.charge([budget('client', 1), usual]));
    expect([outcomes, asked]).toEqual([['ok', 'rate_limit_exceeded'], 2]);
  });
});

/** A store that has nothing but `hit`. */
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

describe('A shared store of counters', () => {
  it('that has nothing but hit is limit enough', async () => {
    const store = countingStore();
    const limits = new Limiter(sharedCounters(store), keys, () => 0);
    expect(await inTurn(3, () => limits.charge([budget('a', 2)]))).toEqual([
      'ok',
      'ok',
      'rate_limit_exceeded',
    ]);
    await (await limits.charge([budget('b', 2)])).forgive('b');
  });

  it('that cannot take back is charged no wider budget by a try that a narrower one refuses', async () => {
    const store = countingStore();
    const limits = new Limiter(sharedCounters(store), keys, () => 0);
    const wide = budget('wide', 5);
    await inTurn(20, () => limits.charge([budget('narrow', 2), wide]));
    expect(await inTurn(4, () => limits.charge([wide]))).toEqual(['ok', 'ok', 'ok', 'rate_limit_exceeded']);
  });

  it('that cannot take back does not count what this process took back', async () => {
    const store = countingStore();
    const limits = new Limiter(sharedCounters(store), keys, () => 0);
    for (let i = 0; i < 20; i += 1) await (await limits.charge([budget('a', 2)])).refund();
    expect(await inTurn(3, () => limits.charge([budget('a', 2)]))).toEqual([
      'ok',
      'ok',
      'rate_limit_exceeded',
    ]);
  });

  it('that cannot take back and starts again gives no more tries for what was taken back before', async () => {
    const store = countingStore();
    const limits = new Limiter(sharedCounters(store), keys, () => 0);
    for (let i = 0; i < 20; i += 1) await (await limits.charge([budget('a', 2)])).refund();
    store.counts.clear();
    const outcomes = await inTurn(30, () => limits.charge([budget('a', 2)]));
    expect(outcomes.filter((each) => each === 'ok')).toHaveLength(2);
  });

  it('that fails is an internal error, whose text shows nothing of the store', async () => {
    const store = { hit: () => Promise.reject(new Error('redis://:password@host is gone')) };
    const limits = new Limiter(sharedCounters(store), keys, () => 0);
    await expect(limits.charge([budget('a', 2)])).rejects.toMatchObject({
      code: 'internal_error',
      message: expect.not.stringContaining('password'),
    });
  });

  it('A-93 sees no address, number or IP in its keys', async () => {
    const seen: string[] = [];
    const store = {
      hit: async (key: string, windowMs: number, now: number) => {
        seen.push(key);
        return { count: 1, resetAt: now + windowMs };
      },
    };
    const limits = new Limiter(sharedCounters(store), keys, () => 0);
    await limits.charge(
      sendBudgets({ maxPerWindow: 5, windowMs: minute }, 'email_code', 'ada@example.com', '192.0.2.1'),
    );
    expect(seen).toHaveLength(5);
    expect(seen.join()).not.toMatch(/ada|example|192\.0/);
  });

  it('A-93 tells nothing to whoever has it and tries all numbers: its keys are MACs under the secret', async () => {
    const seen: string[] = [];
    const store = {
      hit: async (key: string, windowMs: number, now: number) => {
        seen.push(key);
        return { count: 1, resetAt: now + windowMs };
      },
    };
    const secrets = ['one secret, of 32 bytes or more by far', 'another secret, of 32 bytes or more'];
    for (const secret of [...secrets, secrets[0]!]) {
      const limits = new Limiter(sharedCounters(store), createKeyring(secret), () => 0);
      await limits.charge([budget('text:number', 5, '+14155552671'), budget('text:ip', 5, '+14155552671')]);
    }
    const digest = createHash('sha256').update('+14155552671').digest('base64url');
    expect(seen.join()).not.toContain(digest);
    expect(seen.slice(4)).toEqual(seen.slice(0, 2));
    expect(new Set(seen.map((key) => key.split(':').at(-1))).size).toBe(4);
  });

  it('is asked for a subject of any length', async () => {
    const { limiter: limits } = limiter();
    await limits.charge([budget('a', 1, 'x'.repeat(100_000))]);
    expect(await outcomeOf(() => limits.charge([budget('a', 1, 'x'.repeat(100_000))]))).toBe(
      'rate_limit_exceeded',
    );
  });
});

describe('The budgets', () => {
  const rules = (budgets: Budget[]) => budgets.map(({ max, windowMs }) => [max, windowMs / minute]);

  it('C-13 of a send are per purpose and address, per mailbox, and per client where it is known', () => {
    const send = (ip?: string) =>
      sendBudgets({ maxPerWindow: 5, windowMs: 15 * minute }, 'magic_link', 'a.b+c@x.co', ip);
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

  it('A-26 of wrong codes are 10 in 15 minutes and 50 a day per address, across codes', () => {
    expect(rules(guessBudgets('email_code', 'a@x.co'))).toEqual([
      [10, 15],
      [50, 24 * 60],
    ]);
  });

  it('are separate for every purpose, except what a client sends and what a mailbox gets in a day', () => {
    const shared = (one: Budget[], other: Budget[]) =>
      one.flatMap(({ name }) => (other.some((each) => each.name === name) ? [name] : []));
    const limits = { maxPerWindow: 5, windowMs: 15 * minute };
    const send = (purpose: string) => sendBudgets(limits, purpose, 'a@x.co', '192.0.2.1');
    const guess = (purpose: string) => guessBudgets(purpose, 'a@x.co', '192.0.2.1');
    expect(shared(send('magic_link'), send('email_code'))).toEqual(['send:ip', 'send-day:ip', 'send-day']);
    expect(shared(guess('email_change'), guess('email_verification'))).toEqual([]);
    expect(
      shared(secondFactorBudgets('totp', 'a-user'), secondFactorBudgets('totp-confirm', 'a-user')),
    ).toEqual([]);
  });

  it('A-14 of logins are per address and client, per address, and per client', () => {
    const rule = (max: number, windowMs: number) => ({ max, windowMs });
    const limits = { perAddressAndIp: rule(1, minute), perAddress: rule(2, minute), perIp: rule(3, minute) };
    expect(rules(loginBudgets(limits, 'a@x.co', '192.0.2.1'))).toEqual([
      [3, 1],
      [1, 1],
      [2, 1],
    ]);
    expect(rules(loginBudgets(limits, 'a@x.co'))).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(loginBudgets(false, 'a@x.co', '192.0.2.1')).toEqual([]);
  });
});

describe('A store of counters whose answer is not understood', () => {
  const answers: [string, unknown, string][] = [
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

  it.each(answers)('refuses the first try when it resolves %s', async (_name, answer, shape) => {
    const store = { hit: async () => answer as { count: number; resetAt: number } };
    const limits = new Limiter(sharedCounters(store), keys, () => 0);
    const error = await errorOf(() => limits.charge([budget('a', 5)]));
    expect(error).toMatchObject({ code: 'internal_error' });
    const { message } = (error as Error).cause as Error;
    expect(message).toContain('rateLimit.store.hit() must resolve { count, resetAt }');
    expect(message).toContain(`It resolved ${shape}.`);
  });

  it('refuses a window that ends in seconds instead of milliseconds since the epoch', async () => {
    const now = Date.UTC(2031, 4, 6);
    const store = { hit: async () => ({ count: 1, resetAt: now / 1000 + 900 }) };
    const limits = new Limiter(sharedCounters(store), keys, () => now);
    expect(await outcomeOf(() => limits.charge([budget('a', 5)]))).toBe('internal_error');
  });

  it('refuses the first try when it is an adapter that resolves something else or lets max be exceeded', async () => {
    const now = 1_000_000;
    for (const answer of [
      undefined,
      [],
      [{}],
      [{ count: NaN, resetAt: now }],
      [{ count: 6, resetAt: now }],
    ]) {
      const counters = { ...memoryAdapter().rateLimits, hit: async () => answer as never };
      const limits = new Limiter(counters, keys, () => now);
      expect(await outcomeOf(() => limits.charge([budget('a', 5)]))).toBe('internal_error');
    }
  });
});

describe('A counter that refuses', () => {
  /** Counters in memory, and how often they were asked. */
  function watched() {
    const { rateLimits } = memoryAdapter();
    const asked = { hits: 0, writes: 0 };
    const counters = {
      ...rateLimits,
      hit(...args: Parameters<typeof rateLimits.hit>) {
        asked.hits += 1;
        return rateLimits.hit(...args);
      },
      refund(...args: Parameters<typeof rateLimits.refund>) {
        asked.writes += 1;
        return rateLimits.refund(...args);
      },
    };
    const clock = testClock(1_000_000);
    return { asked, clock, counters, limits: new Limiter(counters, keys, clock.now) };
  }

  it('is asked once a second, however many tries it refuses', async () => {
    const { asked, clock, limits } = watched();
    await limits.charge([budget('a', 1)]);
    asked.hits = 0;
    for (let second = 0; second < 5; second += 1) {
      const outcomes = await race(200, () => limits.charge([budget('a', 1)]));
      expect(outcomes).toEqual({ rate_limit_exceeded: 200 });
      clock.advance(1_000);
    }
    // The first 200 ask all at once, before any of them is refused.
    expect(asked.hits).toBe(200 + 4);
  });

  it('is not raised and refunded by the tries that it refuses', async () => {
    const { asked, limits } = watched();
    const both = [budget('narrow', 1), budget('wide', 3)];
    await limits.charge(both);
    await inTurn(20, () => limits.charge(both));
    expect(asked.writes).toBe(0);
  });

  it('allows a try at once after a refund by this process, and within a second after one by another', async () => {
    const { clock, counters, limits } = watched();
    const own = await limits.charge([budget('a', 1)]);
    await inTurn(2, () => limits.charge([budget('a', 1)]));
    await own.refund();
    await limits.charge([budget('a', 1)]);
    await inTurn(2, () => limits.charge([budget('a', 1)]));
    const other = new Limiter(counters, keys, clock.now);
    await other.forget([budget('a', 1)]);
    expect(await outcomeOf(() => limits.charge([budget('a', 1)]))).toBe('rate_limit_exceeded');
    clock.advance(1_000);
    expect(await outcomeOf(() => limits.charge([budget('a', 1)]))).toBe('ok');
  });

  it('is forgotten when ten thousand others have refused since, and asked again', async () => {
    const { asked, limits } = watched();
    const at = (i: number) => [budget('a', 1, String(i))];
    for (let i = 0; i <= 10_000; i += 1) await inTurn(2, () => limits.charge(at(i)));
    asked.hits = 0;
    expect(await outcomeOf(() => limits.charge(at(10_000)))).toBe('rate_limit_exceeded');
    expect(asked.hits).toBe(0);
    expect(await outcomeOf(() => limits.charge(at(0)))).toBe('rate_limit_exceeded');
    expect(asked.hits).toBe(1);
  });
});

describe('A shared store that has nothing but hit', () => {
  it('keeps no more than ten thousand accounts, in constant time per hit', async () => {
    const store = countingStore();
    const counters = sharedCounters(store);
    const first = [{ key: 'first', windowMs: minute, max: 2 }];
    const hitAndRefund = async (hits: typeof first) => {
      await counters.hit(hits, 0);
      await counters.refund([hits[0]!.key], 0);
    };
    await hitAndRefund(first);
    expect(await counters.hit(first, 0)).toEqual([{ count: 1, resetAt: minute }]);
    for (let i = 0; i < 10_000; i += 1) await counters.hit([{ key: String(i), windowMs: minute, max: 2 }], 0);
    // Its account was dropped: the hit that was taken back counts again.
    expect(await counters.hit(first, 0)).toMatchObject([{ retryAt: minute }]);
  });
});

describe('A try at nothing', () => {
  it('is given back to its subject and not to the caller', async () => {
    const { limiter: limits } = limiter();
    const both = [{ ...budget('client', 2), isCaller: true }, budget('address', 2)];
    for (let i = 0; i < 2; i += 1) await (await limits.charge(both)).refundAllButCaller();
    expect(await outcomeOf(() => limits.charge(both))).toBe('rate_limit_exceeded');
    expect(await inTurn(3, () => limits.charge([budget('address', 2)]))).toEqual([
      'ok',
      'ok',
      'rate_limit_exceeded',
    ]);
  });

  it('is given back once, however often that is asked for', async () => {
    const { limiter: limits } = limiter();
    await limits.charge([budget('a', 3)]);
    const charge = await limits.charge([budget('a', 3)]);
    for (let i = 0; i < 3; i += 1) await charge.refund();
    expect(await inTurn(3, () => limits.charge([budget('a', 3)]))).toEqual([
      'ok',
      'ok',
      'rate_limit_exceeded',
    ]);
  });
});
