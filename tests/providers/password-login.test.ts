// Login with a password and its limits (specification 1, 2.4, 4.3, 5.5, 5.6;
// docs/security-requirements.md, C-14).
import { bcryptHasher, type PasswordHasher } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { cheapHasher, makeService, type TestService } from '../support/make-service.js';
import { errorOf, runInSequence, outcomeOf, race } from '../support/outcomes.js';
import {
  countingHasher,
  login,
  otherPassword as other,
  password,
  passwordAccounts,
  resetToken,
  setPassword,
} from '../support/password-accounts.js';

const minute = 60_000;
const day = 24 * 60 * minute;

describeAdapters('Login with a password', ({ make, uniqueEmail, sql }) => {
  const { signUpUser, passwordlessUser } = passwordAccounts(uniqueEmail);

  describe('login', () => {
    it('signs in with the right password, in any capitals of the address', async () => {
      const test = await make();
      const { email, user } = await signUpUser(test);
      expect(await test.service.emailPassword.login({ email: email.toUpperCase(), password })).toEqual({
        user,
        created: false,
        method: 'password_login',
      });
    });

    //
    it('returns the same invalid_credentials for unknown, passwordless and wrong', async () => {
      const test = await make();
      const [account, withoutPassword] = [await signUpUser(test), await passwordlessUser(test)];
      const errors = [];
      for (const email of [uniqueEmail(), withoutPassword.email, account.email]) {
        const error = await errorOf(() => test.service.emailPassword.login({ email, password: other }));
        errors.push({
          ...error,
          name: error.name,
          message: error.message,
          keys: Object.getOwnPropertyNames(error).sort(),
        });
      }
      expect(errors[0]).toMatchObject({ code: 'invalid_credentials' });
      expect(errors[1]).toEqual(errors[0]);
      expect(errors[2]).toEqual(errors[0]);
    });

    //
    it('compares the password exactly as it was set', async () => {
      const test = await make();
      const email = uniqueEmail();
      await test.service.emailPassword.signup({ email, password: ' Pässword ' });
      for (const near of ['Pässword', ' pässword ', ' Pa\u0308ssword ', ' Pässword', ' Pässword  ']) {
        expect(await login(test, email, near)).toBe('invalid_credentials');
      }
      expect(await login(test, email, ' Pässword ')).toBe('ok');
    });

    const unknown = async () => uniqueEmail();
    const known = async (test: TestService) => (await signUpUser(test)).email;
    const bare = async (test: TestService) => (await passwordlessUser(test)).email;

    //
    it.each([
      ['an unknown address', unknown, password, 'invalid_credentials'],
      ['an account without a password', bare, password, 'invalid_credentials'],
      ['a wrong password', known, other, 'invalid_credentials'],
      ['the right password', known, password, 'ok'],
      ['a password that is too long', known, 'x'.repeat(5000), 'invalid_credentials'],
      ['a password with U+0000', known, `${password}\0`, 'invalid_credentials'],
      ['a password with a lone surrogate', known, `${password}\uD800`, 'invalid_credentials'],
      ['an empty password', known, '', 'invalid_credentials'],
      ['an unknown address and a password too long', unknown, 'x'.repeat(5000), 'invalid_credentials'],
      ['a passwordless account and an empty password', bare, '', 'invalid_credentials'],
    ])('verifies exactly one hash for %s', async (_name, account, with_, outcome) => {
      const { hasher, hashed, verified } = countingHasher();
      const test = await make({ providers: { emailPassword: { hasher } } });
      const email = await account(test);
      hashed.length = 0;
      expect(await login(test, email, with_)).toBe(outcome);
      // Fact 2: a hash of the right format, as another would have another cost.
      expect(verified).toEqual([
        { plain: expect.any(String), hash: expect.stringMatching(/^cheap\$[0-9a-f]{64}$/) },
      ]);
      expect(hashed).toEqual([]);
    });

    it.each([
      ['no password', undefined],
      ['a number', 12345678],
      ['a list', [password]],
      ['an object', { $ne: '' }],
      ['null', null],
    ])('rejects %s with invalid_request', async (_name, with_) => {
      const test = await make();
      const { email } = await signUpUser(test);
      const call = () => test.service.emailPassword.login({ email, password: with_ as never });
      expect(await outcomeOf(call)).toBe('invalid_request');
    });

    //
    it.each([
      ['false', false],
      ['a promise of false', Promise.resolve(false)],
      ['a string', 'no'],
      ['1', 1],
      ['nothing', undefined],
    ])('rejects the login if the hasher returns %s', async (_name, result) => {
      const hasher: PasswordHasher = { hash: async () => 'hash', verify: async () => result as boolean };
      const test = await make({ providers: { emailPassword: { hasher } } });
      const { email } = await signUpUser(test);
      expect(await login(test, email)).toBe('invalid_credentials');
    });

    //
    it('rejects the login if the hasher fails, counts no attempt, and recovers', async () => {
      let failing = true;
      const cheap = cheapHasher();
      const hasher: PasswordHasher = {
        hash: (plain) => cheap.hash(plain),
        verify: (plain, hash) =>
          failing ? Promise.reject(new Error('no memory')) : cheap.verify(plain, hash),
      };
      const test = await make({ providers: { emailPassword: { hasher } } });
      const { email } = await signUpUser(test);
      const outcomes = await runInSequence(15, () => test.service.emailPassword.login({ email, password }));
      expect(outcomes).toEqual(Array(15).fill('not a ServiceError: Error: no memory'));
      failing = false;
      expect(await login(test, email)).toBe('ok');
    });

    //
    it('does not accept a code as the password', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      await test.service.emailCode.sendCode({ email });
      expect(await login(test, email, test.mail.lastCode(email))).toBe('invalid_credentials');
    });
  });

  describe('failed logins', () => {
    const fail = (test: TestService, times: number, email: string, ip?: string) =>
      runInSequence(times, () =>
        test.service.emailPassword.login({ email, password: 'wrong password' }, { ip }),
      );
    const limit = (times: number) => [...Array(times).fill('invalid_credentials'), 'rate_limit_exceeded'];
    /** An address of a client that only this test uses. */
    const client = () => `2001:db8::${uniqueEmail().replace(/\D/g, '')}`;

    //
    it('failed logins are limited to 10 in 15 minutes per address and client, for known and unknown addresses alike', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      const ip = client();
      for (const address of [email, uniqueEmail()]) {
        expect(await fail(test, 11, address, ip)).toEqual(limit(10));
        const error = await errorOf(() =>
          test.service.emailPassword.login({ email: address, password }, { ip }),
        );
        expect(error).toMatchObject({ code: 'rate_limit_exceeded', retryAfterMs: 15 * minute });
      }
      test.clock.advance(15 * minute);
      expect(await login(test, email, password, ip)).toBe('ok');
    });

    //
    it('failed logins are refused before the password is verified', async () => {
      const { hasher, verified } = countingHasher();
      const test = await make({ providers: { emailPassword: { hasher } } });
      const { email } = await signUpUser(test);
      const tally = await race(100, () => test.service.emailPassword.login({ email, password: other }));
      expect(tally).toEqual({ invalid_credentials: 10, rate_limit_exceeded: 90 });
      expect(verified).toHaveLength(10);
    });

    //
    it('failed logins are limited for an unknown client, too', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      expect(await fail(test, 11, email)).toEqual(limit(10));
    });

    //
    it('lets the owner sign in from another client than that of the failed logins', async () => {
      // A limit below the attempts of this client.
      const test = await make({ rateLimit: { login: { perAddress: { max: 20 } } } });
      const { email } = await signUpUser(test);
      const attacker = client();
      await fail(test, 30, email, attacker);
      expect(await login(test, email, password, attacker)).toBe('rate_limit_exceeded');
      expect(await login(test, email, password, client())).toBe('ok');
    });

    //
    it('failed logins are limited to 100 a day per address from all clients, while code, link and reset still work', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      for (let i = 0; i < 10; i += 1)
        expect(await fail(test, 10, email, client())).toEqual(limit(10).slice(0, 10));
      const error = await errorOf(() =>
        test.service.emailPassword.login({ email, password }, { ip: client() }),
      );
      expect(error).toMatchObject({ code: 'rate_limit_exceeded', retryAfterMs: day });
      // Waits for the mail that this login has caused: the code below is that of the other mail.
      await test.service.close();
      await test.service.emailCode.sendCode({ email });
      const code = test.mail.lastCode(email)!;
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code }))).toBe('ok');
      const { url } = await test.service.magicLink.sendLink({ email });
      const token = new URL(url).searchParams.get('token')!;
      expect(await outcomeOf(() => test.service.magicLink.verify(token))).toBe('ok');
      expect(await setPassword(test, await resetToken(test, email))).toBe('ok');
      test.clock.advance(day);
      expect(await login(test, email, other, client())).toBe('ok');
    });

    //
    it('failed logins are limited to 200 in 15 minutes per client, over all addresses', async () => {
      const test = await make();
      const ip = client();
      for (let i = 0; i < 20; i += 1)
        expect(await fail(test, 10, uniqueEmail(), ip)).toEqual(limit(10).slice(0, 10));
      expect(await fail(test, 1, uniqueEmail(), ip)).toEqual(['rate_limit_exceeded']);
      expect(await fail(test, 1, uniqueEmail(), client())).toEqual(['invalid_credentials']);
    });

    it('failed logins are limited by rateLimit.login', async () => {
      const rule = { max: 2, windowMs: minute };
      const test = await make({ rateLimit: { login: { perAddressAndIp: rule } } });
      const { email } = await signUpUser(test);
      expect(await fail(test, 3, email)).toEqual(limit(2));
      test.clock.advance(minute);
      expect(await login(test, email)).toBe('ok');
    });

    it('failed logins are not limited with rateLimit.login false', async () => {
      const test = await make({ rateLimit: { login: false } });
      const { email } = await signUpUser(test);
      expect(await fail(test, 30, email)).toEqual(Array(30).fill('invalid_credentials'));
      expect(await login(test, email)).toBe('ok');
    });

    it('failed logins are reset for this client after a success, and remain counted for the address', async () => {
      const rule = { max: 25, windowMs: day };
      const test = await make({ rateLimit: { login: { perAddress: rule } } });
      const { email } = await signUpUser(test);
      const ip = client();
      for (let i = 0; i < 2; i += 1) {
        expect(await fail(test, 9, email, ip)).toEqual(Array(9).fill('invalid_credentials'));
        expect(await login(test, email, password, ip)).toBe('ok');
      }
      // 18 of 25 are counted: 7 remain.
      expect(await fail(test, 8, email, ip)).toEqual(limit(7));
    });

    it('failed logins do not include successful logins', async () => {
      const rule = { max: 3 };
      const test = await make({
        rateLimit: { login: { perAddressAndIp: rule, perAddress: rule, perIp: rule } },
      });
      const { email } = await signUpUser(test);
      const ip = client();
      expect(await runInSequence(8, () => login(test, email, password, ip))).toEqual(Array(8).fill('ok'));
    });
  });

  describe('log entries', () => {
    //
    it('logs the user and the action, without a secret or a whole address', async () => {
      const test = await make();
      const { email, user } = await signUpUser(test);
      await login(test, email, 'wrong password');
      const token = await resetToken(test, email);
      await setPassword(test, token);
      await login(test, email, other, '192.0.2.77');
      const log = JSON.stringify(test.log);
      expect(test.log.map(({ fields }) => fields)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ event: 'signed_in', method: 'password_signup', userId: user.id }),
          expect.objectContaining({ event: 'password_reset', userId: user.id }),
          expect.objectContaining({
            event: 'signed_in',
            method: 'password_login',
            userId: user.id,
            ip: '192.0.2.77',
          }),
        ]),
      );
      for (const secret of [password, other, 'wrong password', token, email, 'cheap$'])
        expect(log).not.toContain(secret);
    });

    //
    it('report a failed login', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      const before = test.log.length;
      await login(test, email, 'wrong password', '192.0.2.78');
      const lines = test.log.slice(before).map((entry) => JSON.stringify(entry));
      expect(lines.filter((line) => line.includes('192.0.2.78'))).toHaveLength(1);
      expect(lines.join()).not.toContain(email);
    });
  });

  if (!sql) return;
  describe('the database', () => {
    //
    it('stores a hash, and neither the password nor a token', async () => {
      const test = await make();
      const { email, user } = await signUpUser(test);
      const token = await resetToken(test, email);
      const tables = [
        'svc_users',
        'svc_single_use_tokens',
        'svc_sessions',
        'svc_rate_limits',
        'svc_one_time_codes',
      ];
      const rows = JSON.stringify(await Promise.all(tables.map((table) => sql(`select * from ${table}`))));
      expect(rows).toContain(user.id);
      expect(rows).toContain('cheap$');
      for (const secret of [password, token, ...token.split('.')]) expect(rows).not.toContain(secret);
    });

    it('rejects with internal_error while the database fails, counts no wrong password, and recovers without a restart', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      await sql('alter table svc_users rename to svc_users_away');
      try {
        expect(await runInSequence(12, () => test.service.emailPassword.login({ email, password }))).toEqual(
          Array(12).fill('internal_error'),
        );
        const signup = () => test.service.emailPassword.signup({ email: uniqueEmail(), password });
        expect(await outcomeOf(signup)).toBe('internal_error');
        // T6: a failing database does not show here either.
        expect(await test.service.emailPassword.requestReset({ email })).toEqual({ sent: true });
        await test.service.close();
      } finally {
        await sql('alter table svc_users_away rename to svc_users');
      }
      expect(await login(test, email)).toBe('ok');
      const token = await resetToken(test, email);
      expect(await setPassword(test, token)).toBe('ok');
    });
  });
});

describe('emailPassword with bcrypt', () => {
  //
  it('signs in with 64 emoji and with 73 bytes, all of which count', async () => {
    const test = await makeService({ providers: { emailPassword: { hasher: bcryptHasher() } } });
    const [emoji, long] = ['emoji@example.com', 'long@example.com'];
    const a72 = 'a'.repeat(72);
    await test.service.emailPassword.signup({ email: emoji, password: '😀'.repeat(64) });
    await test.service.emailPassword.signup({ email: long, password: `${a72}X` });
    expect(await login(test, emoji, '😀'.repeat(64))).toBe('ok');
    expect(await login(test, emoji, `${'😀'.repeat(63)}😁`)).toBe('invalid_credentials');
    expect(await login(test, long, `${a72}X`)).toBe('ok');
    expect(await login(test, long, `${a72}Y`)).toBe('invalid_credentials');
    expect(await login(test, long, a72)).toBe('invalid_credentials');
    const stored = await test.adapter.users.findByEmail(long);
    expect(stored?.passwordHash).toMatch(/^\$2[aby]\$10\$.{53}$/);
  });
});
