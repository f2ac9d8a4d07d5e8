// Counted limits (docs/security-requirements.md A-20, C-13).
import { createHash } from 'node:crypto';
import { memoryAdapter } from 'svc-auth';
import { testClock } from 'svc-auth/testing';
import { guessBudgets, loginBudgets, secondFactorBudgets, sendBudgets } from '../../src/kit/budgets.js';
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

describe('A shared store of counters', () => {
  it('that has nothing but hit is limit enough', async () => {
    const counts = new Map<string, number>();
    const store = {
      hit: async (key: string, windowMs: number, now: number) => {
        counts.set(key, (counts.get(key) ?? 0) + 1);
        return { count: counts.get(key) ?? 0, resetAt: now + windowMs };
      },
    };
    const limits = new Limiter(sharedCounters(store), keys, () => 0);
    expect(await inTurn(3, () => limits.charge([budget('a', 2)]))).toEqual([
      'ok',
      'ok',
      'rate_limit_exceeded',
    ]);
    await (await limits.charge([budget('b', 2)])).forgive('b');
  });

  it('that cannot take back is charged no wider budget by a try that a narrower one refuses', async () => {
    const counts = new Map<string, number>();
    const store = {
      hit: async (key: string, windowMs: number, now: number) => {
        counts.set(key, (counts.get(key) ?? 0) + 1);
        return { count: counts.get(key) ?? 0, resetAt: now + windowMs };
      },
    };
    const limits = new Limiter(sharedCounters(store), keys, () => 0);
    const wide = budget('wide', 5);
    await inTurn(20, () => limits.charge([budget('narrow', 2), wide]));
    expect(await inTurn(4, () => limits.charge([wide]))).toEqual(['ok', 'ok', 'ok', 'rate_limit_exceeded']);
  });

  it('that cannot take back does not count what this process took back', async () => {
    let count = 0;
    const store = {
      hit: async (_key: string, windowMs: number, now: number) => ({
        count: ++count,
        resetAt: now + windowMs,
      }),
    };
    const limits = new Limiter(sharedCounters(store), keys, () => 0);
    for (let i = 0; i < 20; i += 1) await (await limits.charge([budget('a', 2)])).refund();
    expect(await inTurn(3, () => limits.charge([budget('a', 2)]))).toEqual([
      'ok',
      'ok',
      'rate_limit_exceeded',
    ]);
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
    expect(seen).toHaveLength(3);
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
    ]);
    expect(rules(send('192.0.2.1'))).toEqual([
      [5, 15],
      [10, 15],
      [100, 15],
    ]);
    expect(send().map(({ subject }) => subject)).toEqual(['a.b+c@x.co', 'ab@x.co']);
  });

  it('A-26 of wrong codes are 10 in 15 minutes and 50 a day per address, across codes', () => {
    expect(rules(guessBudgets('email_code', 'a@x.co'))).toEqual([
      [10, 15],
      [50, 24 * 60],
    ]);
  });

  it('are apart for every purpose, but for what a client has sent', () => {
    const shared = (one: Budget[], other: Budget[]) =>
      one.flatMap(({ name }) => (other.some((each) => each.name === name) ? [name] : []));
    const limits = { maxPerWindow: 5, windowMs: 15 * minute };
    const send = (purpose: string) => sendBudgets(limits, purpose, 'a@x.co', '192.0.2.1');
    const guess = (purpose: string) => guessBudgets(purpose, 'a@x.co', '192.0.2.1');
    expect(shared(send('magic_link'), send('email_code'))).toEqual(['send:ip']);
    expect(shared(guess('email_change'), guess('email_verification'))).toEqual([]);
    expect(
      shared(secondFactorBudgets('totp', 'a-user'), secondFactorBudgets('totp-confirm', 'a-user')),
    ).toEqual([]);
  });

  it('A-14 of logins are per address and client, per address, and per client', () => {
    const rule = (max: number, windowMs: number) => ({ max, windowMs });
    const limits = { perAddressAndIp: rule(1, minute), perAddress: rule(2, minute), perIp: rule(3, minute) };
    expect(rules(loginBudgets(limits, 'a@x.co', '192.0.2.1'))).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
    expect(rules(loginBudgets(limits, 'a@x.co'))).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(loginBudgets(false, 'a@x.co', '192.0.2.1')).toEqual([]);
  });
});
