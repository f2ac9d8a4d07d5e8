// Passwords: the policy, bcrypt and the verifier around a hasher (docs/security-requirements.md
// facts 1, 2).
import { queueClientOf } from '../../src/core/queues/fair-queue.js';
import { scryptSync } from 'node:crypto';
import { createHook } from 'node:async_hooks';
import bcrypt from 'bcrypt';
import { bcryptHasher, type PasswordHasher } from 'svc-auth';
import { PasswordVerifier } from '../../src/core/passwords/password-verifier.js';
import { PasswordRules, type PasswordRulesOptions } from '../../src/core/passwords/password-rules.js';
import { silentLogger } from '../../src/core/support/logger.js';
import { cheapHasher } from '../support/make-service.js';
import { cpuMsOf, errorOf, outcomeOf } from '../support/outcomes.js';

/** Runs one verification in a place of the queue. */
async function tryOnce(passwords: PasswordVerifier, plain: string, hash: string | null) {
  const place = passwords.enter(queueClientOf());
  try {
    return await place.verifyPassword(plain, hash);
  } finally {
    place.leave();
  }
}

const policyOf = (options: Partial<PasswordRulesOptions>) =>
  new PasswordRules({ minLength: 8, commonPasswords: false, ...options }, 'Acme', silentLogger);

/** Checks a password without the list of common ones. */
const check = (password: string, options: Partial<PasswordRulesOptions> = {}) =>
  outcomeOf(() => policyOf(options).check(password, { email: 'ada@example.com' }));

describe('the policy for new passwords', () => {
  //
  it.each([
    ['7 characters', '1234567'],
    ['4 emoji, which are 8 UTF-16 units', '👍'.repeat(4)],
    ['7 emoji', '👍'.repeat(7)],
    ['nothing', ''],
  ])('a new password with %s is weak', async (_name, password) => {
    expect(await check(password)).toBe('weak_password');
  });

  //
  it.each([
    ['8 digits', '12345678'],
    ['8 spaces', '        '],
    ['8 emoji', '👍'.repeat(8)],
    ['another script', 'пароль-на-8'],
    ['no digit and no capital', 'passwordpassword'],
    ['64 emoji', '😀'.repeat(64)],
    ['1024 bytes', 'x'.repeat(1024)],
    ['combining characters', 'a\u0301'.repeat(8)],
    ['control characters', '\u0001\u0002\t\n\r\u001b12'],
  ])('a new password with %s is accepted: only its length is required', async (_name, password) => {
    expect(await check(password)).toBe('ok');
  });

  //
  it('minLength sets the minimum length of a new password', async () => {
    expect(await check('x'.repeat(14), { minLength: 15 })).toBe('weak_password');
    expect(await check('x'.repeat(15), { minLength: 15 })).toBe('ok');
  });

  // C-11
  it.each([
    ['1025 bytes', 'x'.repeat(1025)],
    ['1025 bytes in fewer characters', '😀'.repeat(257)],
    ['U+0000', 'password\0password'],
    ['a lone high surrogate', 'password\uD800password'],
    ['a lone low surrogate', 'password\uDC00'],
    ['surrogates in the wrong order', 'password\uDC00\uD800'],
  ])(
    'a new password with %s throws invalid_request and is not shortened or repaired',
    async (_name, password) => {
      expect(await check(password)).toBe('invalid_request');
    },
  );

  //
  it('checkPassword can refuse a new password and receives the address', async () => {
    const calls: unknown[] = [];
    const checkPassword = (password: string, context: { email: string | null }) => {
      calls.push([password, context]);
      return password !== 'password1';
    };
    expect(await check('password1', { checkPassword })).toBe('weak_password');
    expect(await check('password2', { checkPassword })).toBe('ok');
    expect(calls).toEqual([
      ['password1', { email: 'ada@example.com' }],
      ['password2', { email: 'ada@example.com' }],
    ]);
  });

  //
  it('only a result of true, awaited, from checkPassword accepts a new password', async () => {
    expect(await check('password1', { checkPassword: async () => true })).toBe('ok');
    for (const result of [Promise.resolve(false), undefined, 'no', 1, {}]) {
      expect(await check('password1', { checkPassword: () => result as boolean })).toBe('weak_password');
    }
  });

  //
  it('checkPassword is not called with a password that is too short', async () => {
    const checkedPasswords: string[] = [];
    await check('1234567', { checkPassword: (password) => checkedPasswords.push(password) > 0 });
    expect(checkedPasswords).toEqual([]);
  });

  it.each([
    ['tooShort', 'x'.repeat(7), undefined],
    ['tooShort', '', undefined],
    ['tooLong', 'x'.repeat(1025), undefined],
    ['breached', 'password1', false],
    ['breached', 'password1', 'breached'],
    ['containsEmail', 'ada@example.com', 'containsEmail'],
    // No string of the application is sent to the client: it could quote the password.
    ['breached', 'password1', 'password1 is on the list'],
  ])('a new password is refused with the reason %s', async (reason, password, verdict) => {
    const checkPassword = () => verdict as boolean;
    const policy = policyOf(verdict === undefined ? {} : { checkPassword });
    const refused = policy.check(password, { email: 'ada@example.com' });
    const code = reason === 'tooLong' ? 'invalid_request' : 'weak_password';
    await expect(refused).rejects.toMatchObject({ code, reason });
  });

  it('a new password that cannot be stored is refused without a reason', async () => {
    const error = await errorOf(() => policyOf({}).check('pass\0word', { email: null }));
    expect([error.code, error.reason]).toEqual(['invalid_request', undefined]);
  });

  it('the error that refuses a new password does not contain it', async () => {
    const error = await errorOf(() => policyOf({}).check('pass\0word1', { email: null }));
    expect(error.message).not.toContain('word1');
  });
});

describe('bcryptHasher', () => {
  const hasher = bcryptHasher();
  const a72 = 'a'.repeat(72);

  //
  it('bcryptHasher() creates salted bcrypt hashes of cost 10', async () => {
    const [first, second] = await Promise.all([hasher.hash('password1'), hasher.hash('password1')]);
    expect(first).toMatch(/^\$2[aby]\$10\$.{53}$/);
    expect(first).not.toBe(second);
  });

  //
  it.each([9, 4, 0, 21, 10.5, NaN, '10', null])('bcryptHasher() refuses the cost %p', (cost) => {
    expect(() => bcryptHasher({ cost: cost as number })).toThrow(RangeError);
  });

  //
  it('bcryptHasher() accepts a higher cost', async () => {
    expect(await bcryptHasher({ cost: 11 }).hash('password1')).toMatch(/^\$2[aby]\$11\$/);
  });

  //
  it('byte 73 of a password counts, unlike in bcrypt itself', async () => {
    const plain = await bcrypt.hash(`${a72}X`, 4);
    expect(await bcrypt.compare(`${a72}Y`, plain)).toBe(true);
    const hash = await hasher.hash(`${a72}X`);
    expect(await hasher.verify(`${a72}X`, hash)).toBe(true);
    expect(await hasher.verify(`${a72}Y`, hash)).toBe(false);
    expect(await hasher.verify(a72, hash)).toBe(false);
  });

  //
  it('all of 64 emoji and all of 1024 bytes are compared', async () => {
    const emoji = '😀'.repeat(64);
    const long = 'x'.repeat(1023);
    const [ofEmoji, ofLong] = await Promise.all([hasher.hash(emoji), hasher.hash(`${long}1`)]);
    expect(await hasher.verify(emoji, ofEmoji)).toBe(true);
    expect(await hasher.verify(`${'😀'.repeat(63)}😁`, ofEmoji)).toBe(false);
    expect(await hasher.verify(`${long}1`, ofLong)).toBe(true);
    expect(await hasher.verify(`${long}2`, ofLong)).toBe(false);
  });

  //
  it('a wrong password takes the same effort for a hash of a lower cost, of a higher cost or without a hash', async () => {
    const costly = bcryptHasher({ cost: 12 });
    const [ofCost8, ofCost10, ofCost12] = await Promise.all(
      [8, 10, 12].map((cost) => bcrypt.hash('other', cost)),
    );
    const compare = jest.spyOn(bcrypt, 'compare');
    /** Rounds of bcrypt, which are its time: processor time doubles if another process uses the same core. */
    const roundsOf = async (guessed: PasswordHasher, hash: string) => {
      compare.mockClear();
      expect(await guessed.verify('password1', hash)).toBe(false);
      const compared = compare.mock.calls.map(([, decoy]) => /^\$2b\$(\d\d)\$.{53}$/.exec(decoy)?.[1]);
      return compared.reduce((sum, cost) => sum + (cost ? 2 ** Number(cost) : 0), 0);
    };
    try {
      for (const hash of [ofCost8!, ofCost10!, ofCost12!, '', '!', ofCost10!.slice(0, -1)])
        expect([hash, await roundsOf(costly, hash)]).toEqual([hash, 2 ** 12]);
      const cheap = bcryptHasher();
      expect(await cheap.verify('other', ofCost12!)).toBe(true);
      expect(await roundsOf(cheap, ofCost10!)).toBe(2 ** 12);
    } finally {
      compare.mockRestore();
    }
  });

  //
  it('a wrong password waits for a thread equally often for every stored hash, once a hash of a lower cost was verified', async () => {
    const fresh = bcryptHasher();
    const hashes = await Promise.all([10, 4, 11, 9].map((cost) => bcrypt.hash('other', cost)));
    const waits = async (hash: string) => {
      let count = 0;
      const hook = createHook({
        init: (_id, type) => void (count += Number(type === 'bcrypt:CompareAsyncWorker')),
      }).enable();
      expect(await fresh.verify('password1', hash)).toBe(false);
      hook.disable();
      return count;
    };
    expect(await waits(hashes[0]!)).toBe(1);
    expect(await waits(hashes[1]!)).toBe(7);
    // The first hash of a higher cost raises the work, and with it the number of steps.
    expect(await waits(hashes[2]!)).toBe(8);
    for (const hash of [...hashes, '!']) expect(await waits(hash)).toBe(8);
  });

  //
  it('a stored hash of more than cost 20 does not slow down every login', async () => {
    // An unreachable cost: bcrypt refuses it immediately.
    expect(await hasher.verify('password1', `$2b$99$${'.'.repeat(53)}`)).toBe(false);
    const ofCost10 = await bcrypt.hash('other', 10);
    const once = await cpuMsOf(() => bcrypt.compare('password1', ofCost10));
    expect(await cpuMsOf(() => hasher.verify('password1', ofCost10))).toBeLessThan(once * 30);
  });

  it('hashes of a lower cost and malformed hashes are renewed, but not hashes of a higher cost', async () => {
    const ofCost11 = bcryptHasher({ cost: 11 });
    const isOutdated = (hash: string) => ofCost11.needsRehash!(hash);
    const isOutdatedAt = async (cost: number) => isOutdated(await bcrypt.hash('password1', cost));
    expect([
      await isOutdatedAt(4),
      await isOutdatedAt(10),
      await isOutdatedAt(11),
      await isOutdatedAt(12),
    ]).toEqual([true, true, false, false]);
    expect(['', '!', 'cheap$0'].map(isOutdated)).toEqual([true, true, true]);
  });

  // C-10
  it('the hash of a password of up to 72 bytes can be checked by any bcrypt', async () => {
    expect(await bcrypt.compare(a72, await hasher.hash(a72))).toBe(true);
    expect(await hasher.verify('password1', await bcrypt.hash('password1', 4))).toBe(true);
  });

  // C-10
  it('a plain digest of a long password is not accepted as the password: no password shucking', async () => {
    const { createHash } = await import('node:crypto');
    const hash = await hasher.hash(`${a72}X`);
    for (const digest of ['sha384', 'sha512', 'sha256']) {
      expect(await bcrypt.compare(createHash(digest).update(`${a72}X`).digest('base64'), hash)).toBe(false);
    }
  });
});

/** A hasher that records its calls of verify(). */
function recording(verify: (plain: string, hash: string) => unknown = () => true) {
  const verified: [string, string][] = [];
  const hasher: PasswordHasher = {
    hash: (plain) => cheapHasher().hash(plain),
    async verify(plain, hash) {
      verified.push([plain, hash]);
      return verify(plain, hash) as boolean;
    },
  };
  return { hasher, verified };
}

describe('PasswordVerifier', () => {
  it('a password is right if the hasher accepts it', async () => {
    const passwords = new PasswordVerifier(cheapHasher());
    const hash = await passwords.hashPassword('password1', undefined);
    expect(await tryOnce(passwords, 'password1', hash)).toBe(true);
    expect(await tryOnce(passwords, 'password2', hash)).toBe(false);
  });

  //
  it.each([
    ['a string', 'no'],
    ['1', 1],
    ['an object', {}],
    ['undefined', undefined],
    ['a promise of false', Promise.resolve(false)],
    ['a promise of a string', Promise.resolve('yes')],
  ])('a password is wrong if the hasher returns %s', async (_name, response) => {
    const { hasher } = recording(() => response);
    expect(await tryOnce(new PasswordVerifier(hasher), 'password1', 'some hash')).toBe(false);
  });

  //
  it('a verification fails if the hasher fails', async () => {
    const { hasher } = recording(() => {
      throw new Error('no memory');
    });
    await expect(tryOnce(new PasswordVerifier(hasher), 'password1', 'some hash')).rejects.toThrow(
      'no memory',
    );
  });

  //
  it('a verification without a hash fails for any result of the hasher, and still runs against a decoy hash', async () => {
    const { hasher, verified } = recording(() => true);
    expect(await tryOnce(new PasswordVerifier(hasher), 'password1', null)).toBe(false);
    expect(verified).toEqual([['password1', expect.stringMatching(/^cheap\$[0-9a-f]{64}$/)]]);
  });

  //
  it('the decoy is a well-formed hash of the configured cost, so that a missing hash costs the same', async () => {
    const bcryptOf11 = bcryptHasher({ cost: 11 });
    const verified: string[] = [];
    const passwords = new PasswordVerifier({
      hash: (plain) => bcryptOf11.hash(plain),
      verify: async (_plain, hash) => verified.push(hash) === 0,
    });
    await tryOnce(passwords, 'password1', null);
    await tryOnce(passwords, 'password2', null);
    expect(verified[0]).toMatch(/^\$2[aby]\$11\$[./A-Za-z0-9]{53}$/);
    // Created once: otherwise an unknown user would cost two hashes and a known user one.
    expect(verified[1]).toBe(verified[0]);
  });

  //
  it('a verification without a hash costs as much as one with a hash of a custom hasher', async () => {
    let derivations = 0;
    const derive = async (plain: string) => {
      derivations += 1;
      return scryptSync(plain, 'salt', 32).toString('hex');
    };
    const passwords = new PasswordVerifier({
      hash: derive,
      verify: async (plain, hash) => (await derive(plain)) === hash,
    });
    await passwords.prepare();
    const hash = await passwords.hashPassword('password1', undefined);
    for (const against of [hash, null]) {
      derivations = 0;
      await tryOnce(passwords, 'password2', against);
      expect([against, derivations]).toEqual([against, 1]);
    }
  });

  it('prepare() recovers after a failed creation of the decoy', async () => {
    let failures = 1;
    const passwords = new PasswordVerifier({
      hash: async () => {
        if (failures-- > 0) throw new Error('no memory');
        return 'hash';
      },
      verify: async () => false,
    });
    await expect(passwords.prepare()).rejects.toThrow('no memory');
    expect(await passwords.prepare()).toBe('hash');
  });
});

describe('the queue of password hashes', () => {
  //
  it('the queue admits 64 verifications; further ones get rate_limit_exceeded and can be tried again', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const passwords = new PasswordVerifier({
      hash: async () => 'hash',
      verify: async () => {
        await gate;
        return true;
      },
    });
    const verify = () => tryOnce(passwords, 'password1', 'hash');
    const waiting = Array.from({ length: 64 }, verify);
    expect(await errorOf(verify)).toMatchObject({ code: 'rate_limit_exceeded', retryAfterMs: 1000 });
    release();
    expect(await Promise.all(waiting)).toEqual(Array(64).fill(true));
    expect(await verify()).toBe(true);
  });

  //
  it('failed verifications free their places in the queue', async () => {
    const passwords = new PasswordVerifier({
      hash: async () => 'hash',
      verify: () => Promise.reject(new Error('no memory')),
    });
    for (let i = 0; i < 70; i += 1) {
      await expect(tryOnce(passwords, 'password1', 'hash')).rejects.toThrow('no memory');
    }
  });
});
