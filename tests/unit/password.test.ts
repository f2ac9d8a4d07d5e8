// Passwords: the policy, bcrypt and the verifier around a hasher (docs/security-requirements.md, facts 1, 2).
import { queueClientOf } from '../../src/kit/fair-queue.js';
import { scryptSync } from 'node:crypto';
import bcrypt from 'bcrypt';
import { bcryptHasher, type PasswordHasher } from 'svc-auth';
import { PasswordVerifier } from '../../src/kit/password-hasher.js';
import { checkNewPassword } from '../../src/kit/password-policy.js';
import { cheapHasher } from '../support/make-service.js';
import { effortOf, errorOf, outcomeOf } from '../support/outcomes.js';

/** One verification, in a place of the line. */
const tryOnce = (passwords: PasswordVerifier, plain: string, hash: string | null) =>
  passwords.withPlace(queueClientOf(), (place) => place.verify(plain, hash));

const check = (password: unknown, policy: Partial<Parameters<typeof checkNewPassword>[2]> = {}) =>
  outcomeOf(() => checkNewPassword(password, 'ada@example.com', { minLength: 8, ...policy }));

describe('A new password', () => {
  it.each([
    ['7 characters', '1234567'],
    ['4 emoji, which are 8 UTF-16 units', '👍'.repeat(4)],
    ['7 emoji', '👍'.repeat(7)],
    ['nothing', ''],
  ])('A-01 is weak with %s', async (_name, password) => {
    expect(await check(password)).toBe('weak_password');
  });

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
  ])('A-02 A-04 is good with %s: nothing is required but its length', async (_name, password) => {
    expect(await check(password)).toBe('ok');
  });

  it('A-01 is as long as minLength says', async () => {
    expect(await check('x'.repeat(14), { minLength: 15 })).toBe('weak_password');
    expect(await check('x'.repeat(15), { minLength: 15 })).toBe('ok');
  });

  it.each([
    ['1025 bytes', 'x'.repeat(1025)],
    ['1025 bytes in fewer characters', '😀'.repeat(257)],
    ['U+0000', 'password\0password'],
    ['a lone high surrogate', 'password\uD800password'],
    ['a lone low surrogate', 'password\uDC00'],
    ['surrogates in the wrong order', 'password\uDC00\uD800'],
    ['undefined', undefined],
    ['null', null],
    ['a number', 12345678],
    ['a list', ['password1']],
    ['a String object', Object('password1')],
  ])('C-11 is invalid_request, not shortened or mended, with %s', async (_name, password) => {
    expect(await check(password)).toBe('invalid_request');
  });

  it('A-05 is refused by checkPassword, which is told the address', async () => {
    const asked: unknown[] = [];
    const checkPassword = (password: string, context: { email: string | null }) => {
      asked.push([password, context]);
      return password !== 'password1';
    };
    expect(await check('password1', { checkPassword })).toBe('weak_password');
    expect(await check('password2', { checkPassword })).toBe('ok');
    expect(asked).toEqual([
      ['password1', { email: 'ada@example.com' }],
      ['password2', { email: 'ada@example.com' }],
    ]);
  });

  it('A-05 is good only for an answer that is true, awaited', async () => {
    expect(await check('password1', { checkPassword: async () => true })).toBe('ok');
    for (const answer of [Promise.resolve(false), undefined, 'no', 1, {}]) {
      expect(await check('password1', { checkPassword: () => answer as boolean })).toBe('weak_password');
    }
  });

  it('A-05 that is too short is not shown to checkPassword', async () => {
    const asked: string[] = [];
    await check('1234567', { checkPassword: (password) => asked.push(password) > 0 });
    expect(asked).toEqual([]);
  });

  it.each([
    ['tooShort', 'x'.repeat(7), undefined],
    ['tooShort', '', undefined],
    ['tooLong', 'x'.repeat(1025), undefined],
    ['breached', 'password1', false],
    ['breached', 'password1', 'breached'],
    ['containsEmail', 'ada@example.com', 'containsEmail'],
    // No text of the application's own is sent to the client: it could quote the password.
    ['breached', 'password1', 'password1 is on the list'],
  ])('is refused with the reason %s', async (reason, password, verdict) => {
    const checkPassword = () => verdict as boolean;
    const policy = { minLength: 8, ...(verdict !== undefined && { checkPassword }) };
    const refused = checkNewPassword(password, 'ada@example.com', policy);
    const code = reason === 'tooLong' ? 'invalid_request' : 'weak_password';
    await expect(refused).rejects.toMatchObject({ code, reason });
  });

  it('is refused without a reason if it contains what cannot be stored', async () => {
    const error = await errorOf(() => checkNewPassword('pass\0word', null, { minLength: 8 }));
    expect([error.code, error.reason]).toEqual(['invalid_request', undefined]);
  });

  it('is not repeated by the error that refuses it', async () => {
    const error = await errorOf(() => checkNewPassword('pass\0word1', null, { minLength: 8 }));
    expect(error.message).not.toContain('word1');
  });
});

describe('bcryptHasher', () => {
  const hasher = bcryptHasher();
  const a72 = 'a'.repeat(72);

  it('A-06 makes bcrypt hashes of cost 10, salted', async () => {
    const [one, other] = await Promise.all([hasher.hash('password1'), hasher.hash('password1')]);
    expect(one).toMatch(/^\$2[aby]\$10\$.{53}$/);
    expect(one).not.toBe(other);
  });

  it.each([9, 4, 0, 21, 10.5, NaN, '10', null])('A-06 takes no cost of %p', (cost) => {
    expect(() => bcryptHasher({ cost: cost as number })).toThrow(RangeError);
  });

  it('A-06 takes a higher cost', async () => {
    expect(await bcryptHasher({ cost: 11 }).hash('password1')).toMatch(/^\$2[aby]\$11\$/);
  });

  it('A-03 lets byte 73 of a password matter, where bcrypt itself would not', async () => {
    const plain = await bcrypt.hash(`${a72}X`, 4);
    expect(await bcrypt.compare(`${a72}Y`, plain)).toBe(true);
    const hash = await hasher.hash(`${a72}X`);
    expect(await hasher.verify(`${a72}X`, hash)).toBe(true);
    expect(await hasher.verify(`${a72}Y`, hash)).toBe(false);
    expect(await hasher.verify(a72, hash)).toBe(false);
  });

  it('A-02 A-03 compares all of 64 emoji, and all of 1024 bytes', async () => {
    const emoji = '😀'.repeat(64);
    const long = 'x'.repeat(1023);
    const [ofEmoji, ofLong] = await Promise.all([hasher.hash(emoji), hasher.hash(`${long}1`)]);
    expect(await hasher.verify(emoji, ofEmoji)).toBe(true);
    expect(await hasher.verify(`${'😀'.repeat(63)}😁`, ofEmoji)).toBe(false);
    expect(await hasher.verify(`${long}1`, ofLong)).toBe(true);
    expect(await hasher.verify(`${long}2`, ofLong)).toBe(false);
  });

  it('A-13 takes as much work to refuse a wrong password for a hash of a lower cost, of a higher one, or of none', async () => {
    const costly = bcryptHasher({ cost: 12 });
    const [ofCost8, ofCost10, ofCost12] = await Promise.all(
      [8, 10, 12].map((cost) => bcrypt.hash('other', cost)),
    );
    const effort = (hash: string) => effortOf(() => costly.verify('password1', hash));
    await effort(ofCost12!);
    const expected = await effort(ofCost12!);
    for (const hash of [ofCost8!, ofCost10!, '', '!', ofCost10!.slice(0, -1)]) {
      const taken = await effort(hash);
      // A hash of cost 10 alone takes a quarter.
      expect(taken).toBeGreaterThan(expected / 2);
      expect(taken).toBeLessThan(expected * 2);
    }
    const cheap = bcryptHasher();
    expect(await cheap.verify('other', ofCost12!)).toBe(true);
    const decoy = await effortOf(() => cheap.verify('password1', ofCost10!));
    expect(decoy).toBeGreaterThan(expected / 2);
  });

  it('A-08 does not make every login as costly as a stored hash of more than cost 20', async () => {
    // An unreachable cost: bcrypt refuses it at once.
    expect(await hasher.verify('password1', `$2b$99$${'.'.repeat(53)}`)).toBe(false);
    const ofCost10 = await bcrypt.hash('other', 10);
    expect(await effortOf(() => hasher.verify('password1', ofCost10))).toBeLessThan(2_000);
  });

  it('renews hashes of a lower cost and malformed ones, never downwards', async () => {
    const ofCost11 = bcryptHasher({ cost: 11 });
    const isOutdated = (hash: string) => ofCost11.needsRehash!(hash);
    const made = async (cost: number) => isOutdated(await bcrypt.hash('password1', cost));
    expect([await made(4), await made(10), await made(11), await made(12)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(['', '!', 'cheap$0'].map(isOutdated)).toEqual([true, true, true]);
  });

  it('C-10 makes a hash that any bcrypt can check of up to 72 bytes', async () => {
    expect(await bcrypt.compare(a72, await hasher.hash(a72))).toBe(true);
    expect(await hasher.verify('password1', await bcrypt.hash('password1', 4))).toBe(true);
  });

  it('C-10 does not take what it makes of a long password for a password: no shucking with a plain digest', async () => {
    const { createHash } = await import('node:crypto');
    const hash = await hasher.hash(`${a72}X`);
    for (const digest of ['sha384', 'sha512', 'sha256']) {
      expect(await bcrypt.compare(createHash(digest).update(`${a72}X`).digest('base64'), hash)).toBe(false);
    }
  });
});

/** Some 100 ms. */
const scrypt = (plain: string) =>
  scryptSync(plain, 'salt', 32, { N: 2 ** 15, maxmem: 2 ** 26 }).toString('hex');

/** A hasher that records what it is asked to verify. */
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

describe('A verification', () => {
  it('is right where the hasher says so', async () => {
    const passwords = new PasswordVerifier(cheapHasher());
    const hash = await passwords.hash('password1', undefined);
    expect(await tryOnce(passwords, 'password1', hash)).toBe(true);
    expect(await tryOnce(passwords, 'password2', hash)).toBe(false);
  });

  it.each([
    ['a text', 'no'],
    ['1', 1],
    ['an object', {}],
    ['undefined', undefined],
    ['a promise of false', Promise.resolve(false)],
    ['a promise of a text', Promise.resolve('yes')],
  ])('A-07 is wrong where the hasher answers %s', async (_name, answer) => {
    const { hasher } = recording(() => answer);
    expect(await tryOnce(new PasswordVerifier(hasher), 'password1', 'some hash')).toBe(false);
  });

  it('A-07 fails where the hasher fails', async () => {
    const { hasher } = recording(() => {
      throw new Error('no memory');
    });
    await expect(tryOnce(new PasswordVerifier(hasher), 'password1', 'some hash')).rejects.toThrow(
      'no memory',
    );
  });

  it('A-13 without a hash is wrong whatever the hasher says, and is made against a hash all the same', async () => {
    const { hasher, verified } = recording(() => true);
    expect(await tryOnce(new PasswordVerifier(hasher), 'password1', null)).toBe(false);
    expect(verified).toEqual([['password1', expect.stringMatching(/^cheap\$[0-9a-f]{64}$/)]]);
  });

  it('A-13 without a hash costs the same: its decoy is a well-formed hash of the configured cost', async () => {
    const bcryptOf11 = bcryptHasher({ cost: 11 });
    const verified: string[] = [];
    const passwords = new PasswordVerifier({
      hash: (plain) => bcryptOf11.hash(plain),
      verify: async (_plain, hash) => verified.push(hash) === 0,
    });
    await tryOnce(passwords, 'password1', null);
    await tryOnce(passwords, 'password2', null);
    expect(verified[0]).toMatch(/^\$2[aby]\$11\$[./A-Za-z0-9]{53}$/);
    // Made once: else an unknown user would cost two hashes where a known one costs one.
    expect(verified[1]).toBe(verified[0]);
  });

  it('A-13 without a hash costs what a custom hasher takes for its own hashes', async () => {
    const slow: PasswordHasher = {
      hash: async (plain) => scrypt(plain),
      verify: async (plain, hash) => scrypt(plain) === hash,
    };
    const passwords = new PasswordVerifier(slow);
    await passwords.prepare();
    const hash = await passwords.hash('password1', undefined);
    const effort = (against: string | null) => effortOf(() => tryOnce(passwords, 'password2', against));
    const known = (await effort(hash)) + (await effort(hash));
    const unknown = (await effort(null)) + (await effort(null));
    expect(unknown).toBeGreaterThan(known / 2);
    expect(unknown).toBeLessThan(known * 2);
  });

  it('recovers when the decoy could not be made', async () => {
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

describe('The line of passwords to hash', () => {
  it('A-08 is 64 long; who comes later is told to wait, and may come again', async () => {
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

  it('A-08 is left by failures, too', async () => {
    const passwords = new PasswordVerifier({
      hash: async () => 'hash',
      verify: () => Promise.reject(new Error('no memory')),
    });
    for (let i = 0; i < 70; i += 1) {
      await expect(tryOnce(passwords, 'password1', 'hash')).rejects.toThrow('no memory');
    }
  });
});
