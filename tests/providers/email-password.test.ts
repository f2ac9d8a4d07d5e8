// Signup and login with a password (specification 1, 2.4, 4.3, 5.5, 5.6; docs/security-requirements.md T1, T10,
// C-14, C-27).
import { bcryptHasher, type PasswordHasher } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { cheapHasher, makeService, type TestService } from '../support/make-service.js';
import { errorOf, inTurn, outcomeOf, race } from '../support/outcomes.js';
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
const userFields = 'createdAt email emailVerified id metadata updatedAt'.split(' ');

describeAdapters('emailPassword', ({ make, person, adapter, sql }) => {
  const { signedUp, passwordless } = passwordAccounts(person);

  describe('signup', () => {
    it('creates an account with an unverified address', async () => {
      const { service, clock } = await make();
      const email = person();
      const result = await service.emailPassword.signup({
        email: ` ${email.toUpperCase()} `,
        password,
        metadata: { plan: 'pro' },
      });
      expect(result.user).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        email,
        emailVerified: false,
        metadata: { plan: 'pro' },
        createdAt: new Date(clock.now()),
        updatedAt: new Date(clock.now()),
      });
      expect((await service.emailPassword.login({ email, password })).user).toEqual(result.user);
    });

    it('answers email_exists where the address has a password, however it is written', async () => {
      const test = await make();
      const { email } = await signedUp(test);
      const again = (form: string) =>
        outcomeOf(() => test.service.emailPassword.signup({ email: form, password: other }));
      expect(await again(email)).toBe('email_exists');
      expect(await again(email.toUpperCase())).toBe('email_exists');
      expect(await login(test, email, other)).toBe('invalid_credentials');
      expect(await login(test, email)).toBe('ok');
    });

    it('T1 answers email_exists where the account has no password, and attaches none', async () => {
      const test = await make();
      const { email } = await passwordless(test);
      expect(await outcomeOf(() => test.service.emailPassword.signup({ email, password }))).toBe(
        'email_exists',
      );
      expect(await login(test, email)).toBe('invalid_credentials');
    });

    it('T1 C-27 gives an account its first password in its own live session, and in no other', async () => {
      const test = await make();
      const { email, user } = await passwordless(test);
      const stranger = await passwordless(test);
      const signup = (sessionToken: string | undefined, chosen = password) =>
        outcomeOf(() => test.service.emailPassword.signup({ email, password: chosen }, { sessionToken }));
      const tokenFor = (id: string, expiresInSec?: number) =>
        test.service.createSessionToken(id, { expiresInSec }).token;
      const short = tokenFor(user.id, 1);
      test.clock.advance(1000);
      for (const token of [undefined, '', 'garbage', short, tokenFor(stranger.user.id)]) {
        expect(await signup(token)).toBe('email_exists');
      }
      const own = tokenFor(user.id);
      await adapter().sessions.revokeAll(stranger.user.id, new Date(test.clock.now()));
      expect(await signup(own)).toBe('ok');
      expect(await login(test, email)).toBe('ok');
      // The first, not another one.
      expect(await signup(own, other)).toBe('email_exists');
      expect(await login(test, email, other)).toBe('invalid_credentials');
    });

    it('T1 C-27 gives no password in a session that was revoked', async () => {
      const test = await make();
      const { email, user } = await passwordless(test);
      const { token } = test.service.createSessionToken(user.id);
      test.clock.advance(1);
      await adapter().sessions.revokeAll(user.id, new Date(test.clock.now()));
      const signup = () => test.service.emailPassword.signup({ email, password }, { sessionToken: token });
      expect(await outcomeOf(signup)).toBe('email_exists');
      expect(await login(test, email)).toBe('invalid_credentials');
    });

    it.each([
      ['a weak password', { password: '1234567' }, 'weak_password'],
      ['A-01 four emoji', { password: '👍'.repeat(4) }, 'weak_password'],
      ['an empty password', { password: '' }, 'weak_password'],
      ['a password with U+0000', { password: 'password\0' }, 'invalid_request'],
      ['a password of 1025 bytes', { password: 'x'.repeat(1025) }, 'invalid_request'],
      ['a password that is no text', { password: 12345678 }, 'invalid_request'],
      ['no password', { password: undefined }, 'invalid_request'],
      [
        'T10 metadata in the reserved namespace',
        { metadata: { __svc: { passwordHash: 'x' } } },
        'invalid_request',
      ],
      ['metadata that is too large', { metadata: { a: 'x'.repeat(9000) } }, 'invalid_request'],
    ])('refuses %s and stores nothing', async (_name, input, outcome) => {
      const test = await make();
      const email = person();
      const signup = () => test.service.emailPassword.signup({ email, password, ...(input as object) });
      expect(await outcomeOf(signup)).toBe(outcome);
      expect(await adapter().users.findByEmail(email)).toBeNull();
    });

    it.each(['ada@', 'ada@example.com,eve@evil.com', '', undefined, ['ada@example.com']])(
      'refuses the address %p',
      async (email) => {
        const { service } = await make();
        const signup = () => service.emailPassword.signup({ email: email as string, password });
        expect(await outcomeOf(signup)).toBe('invalid_request');
      },
    );

    it('T10 A-81 takes nothing from its input but address, password and metadata', async () => {
      const test = await make();
      const email = person();
      const extra = { id: '1', emailVerified: true, passwordHash: 'x', epoch: 9, createdAt: new Date(0) };
      const { user } = await test.service.emailPassword.signup({ email, password, ...extra });
      expect(user).toMatchObject({
        emailVerified: false,
        metadata: {},
        createdAt: new Date(test.clock.now()),
      });
      expect(user.id).not.toBe('1');
      expect(await login(test, email)).toBe('ok');
    });

    it('A-12 never returns the hash', async () => {
      const test = await make();
      const email = person();
      const { user } = await test.service.emailPassword.signup({ email, password });
      const found = await test.service.emailPassword.login({ email, password });
      const session = await test.service.getSessionUser(test.service.createSessionToken(user.id).token);
      for (const each of [user, found.user, session]) {
        expect(Object.keys(each).sort()).toEqual(userFields);
        expect(JSON.stringify(each)).not.toContain('cheap$');
      }
    });

    it('A-05 asks checkPassword, which is told the address', async () => {
      const asked: unknown[] = [];
      const checkPassword = (candidate: string, context: { email: string | null }) => {
        asked.push([candidate, context.email]);
        return candidate !== password;
      };
      const test = await make({ providers: { emailPassword: { checkPassword } } });
      const email = person();
      const signup = (chosen: string) =>
        outcomeOf(() => test.service.emailPassword.signup({ email, password: chosen }));
      expect(await signup(password)).toBe('weak_password');
      expect(await adapter().users.findByEmail(email)).toBeNull();
      expect(await signup(other)).toBe('ok');
      expect(asked).toEqual([
        [password, email],
        [other, email],
      ]);
    });

    it('has one winner of 50 at once, whose password it is', async () => {
      const test = await make();
      const email = person();
      const winners: number[] = [];
      const tally = await race(50, async (i) => {
        await test.service.emailPassword.signup({ email, password: `password-${i}` });
        winners.push(i);
      });
      expect(tally).toEqual({ ok: 1, email_exists: 49 });
      expect(await login(test, email, `password-${winners[0]}`)).toBe('ok');
    });
  });

  describe('login', () => {
    it('signs in with the right password, whatever the case of the address', async () => {
      const test = await make();
      const { email, user } = await signedUp(test);
      expect(await test.service.emailPassword.login({ email: email.toUpperCase(), password })).toEqual({
        user,
        created: false,
      });
    });

    it('A-13 answers invalid_credentials identically for unknown, passwordless and wrong', async () => {
      const test = await make();
      const [known, bare] = [await signedUp(test), await passwordless(test)];
      const errors = [];
      for (const email of [person(), bare.email, known.email]) {
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

    it('A-03 takes the password exactly as it was set', async () => {
      const test = await make();
      const email = person();
      await test.service.emailPassword.signup({ email, password: ' Pässword ' });
      for (const near of ['Pässword', ' pässword ', ' Pa\u0308ssword ', ' Pässword', ' Pässword  ']) {
        expect(await login(test, email, near)).toBe('invalid_credentials');
      }
      expect(await login(test, email, ' Pässword ')).toBe('ok');
    });

    const unknown = async () => person();
    const known = async (test: TestService) => (await signedUp(test)).email;
    const bare = async (test: TestService) => (await passwordless(test)).email;

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
    ])('A-13 makes exactly one verification for %s', async (_name, account, with_, outcome) => {
      const { hasher, hashed, verified } = countingHasher();
      const test = await make({ providers: { emailPassword: { hasher } } });
      const email = await account(test);
      hashed.length = 0;
      expect(await login(test, email, with_)).toBe(outcome);
      // Fact 2: against a hash of the right form, else it would be the wrong cost.
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
    ])('answers invalid_request for %s', async (_name, with_) => {
      const test = await make();
      const { email } = await signedUp(test);
      const call = () => test.service.emailPassword.login({ email, password: with_ as never });
      expect(await outcomeOf(call)).toBe('invalid_request');
    });

    it.each([
      ['false', false],
      ['a promise of false', Promise.resolve(false)],
      ['a text', 'no'],
      ['1', 1],
      ['nothing', undefined],
    ])('A-07 fails with a hasher that answers %s', async (_name, answer) => {
      const hasher: PasswordHasher = { hash: async () => 'hash', verify: async () => answer as boolean };
      const test = await make({ providers: { emailPassword: { hasher } } });
      const { email } = await signedUp(test);
      expect(await login(test, email)).toBe('invalid_credentials');
    });

    it('A-07 fails with a hasher that fails, is not charged, and recovers', async () => {
      let failing = true;
      const cheap = cheapHasher();
      const hasher: PasswordHasher = {
        hash: (plain) => cheap.hash(plain),
        verify: (plain, hash) =>
          failing ? Promise.reject(new Error('no memory')) : cheap.verify(plain, hash),
      };
      const test = await make({ providers: { emailPassword: { hasher } } });
      const { email } = await signedUp(test);
      const outcomes = await inTurn(15, () => test.service.emailPassword.login({ email, password }));
      expect(outcomes).toEqual(Array(15).fill('not a ServiceError: Error: no memory'));
      failing = false;
      expect(await login(test, email)).toBe('ok');
    });

    it('A-36 takes no code for a password', async () => {
      const test = await make();
      const { email } = await signedUp(test);
      await test.service.emailCode.sendCode({ email });
      expect(await login(test, email, test.mail.lastCode(email))).toBe('invalid_credentials');
    });
  });

  describe('failed logins', () => {
    const fail = (test: TestService, times: number, email: string, ip?: string) =>
      inTurn(times, () => test.service.emailPassword.login({ email, password: 'wrong password' }, { ip }));
    const limit = (times: number) => [...Array(times).fill('invalid_credentials'), 'rate_limit_exceeded'];
    /** A client of this test only. */
    const client = () => `2001:db8::${person().replace(/\D/g, '')}`;

    it('A-14 are 10 in 15 minutes per address and client, for known and unknown addresses alike', async () => {
      const test = await make();
      const { email } = await signedUp(test);
      const ip = client();
      for (const address of [email, person()]) {
        expect(await fail(test, 11, address, ip)).toEqual(limit(10));
        const error = await errorOf(() =>
          test.service.emailPassword.login({ email: address, password }, { ip }),
        );
        expect(error).toMatchObject({ code: 'rate_limit_exceeded', retryAfterMs: 15 * minute });
      }
      test.clock.advance(15 * minute);
      expect(await login(test, email, password, ip)).toBe('ok');
    });

    it('A-14 are refused before the password is looked at', async () => {
      const { hasher, verified } = countingHasher();
      const test = await make({ providers: { emailPassword: { hasher } } });
      const { email } = await signedUp(test);
      const tally = await race(100, () => test.service.emailPassword.login({ email, password: other }));
      expect(tally).toEqual({ invalid_credentials: 10, rate_limit_exceeded: 90 });
      expect(verified).toHaveLength(10);
    });

    it('A-14 of an unknown client are limited, too', async () => {
      const test = await make();
      const { email } = await signedUp(test);
      expect(await fail(test, 11, email)).toEqual(limit(10));
    });

    it('A-15 of one client do not lock the owner out who comes from another, however many they are', async () => {
      // More than the address may have in a day.
      const test = await make({ rateLimit: { login: { perAddress: { max: 20 } } } });
      const { email } = await signedUp(test);
      const attacker = client();
      await fail(test, 30, email, attacker);
      expect(await login(test, email, password, attacker)).toBe('rate_limit_exceeded');
      expect(await login(test, email, password, client())).toBe('ok');
    });

    it('A-14 A-15 are 100 a day per address from wherever, and then code, link and reset still work', async () => {
      const test = await make();
      const { email } = await signedUp(test);
      for (let i = 0; i < 10; i += 1)
        expect(await fail(test, 10, email, client())).toEqual(limit(10).slice(0, 10));
      const error = await errorOf(() =>
        test.service.emailPassword.login({ email, password }, { ip: client() }),
      );
      expect(error).toMatchObject({ code: 'rate_limit_exceeded', retryAfterMs: day });
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

    it('A-14 are 200 in 15 minutes per client, over all addresses', async () => {
      const test = await make();
      const ip = client();
      for (let i = 0; i < 20; i += 1)
        expect(await fail(test, 10, person(), ip)).toEqual(limit(10).slice(0, 10));
      expect(await fail(test, 1, person(), ip)).toEqual(['rate_limit_exceeded']);
      expect(await fail(test, 1, person(), client())).toEqual(['invalid_credentials']);
    });

    it('follow rateLimit.login', async () => {
      const rule = { max: 2, windowMs: minute };
      const test = await make({ rateLimit: { login: { perAddressAndIp: rule } } });
      const { email } = await signedUp(test);
      expect(await fail(test, 3, email)).toEqual(limit(2));
      test.clock.advance(minute);
      expect(await login(test, email)).toBe('ok');
    });

    it('are not limited with rateLimit.login false', async () => {
      const test = await make({ rateLimit: { login: false } });
      const { email } = await signedUp(test);
      expect(await fail(test, 30, email)).toEqual(Array(30).fill('invalid_credentials'));
      expect(await login(test, email)).toBe('ok');
    });

    it('are forgotten for this client after a success, and stay counted for the address', async () => {
      const rule = { max: 25, windowMs: day };
      const test = await make({ rateLimit: { login: { perAddress: rule } } });
      const { email } = await signedUp(test);
      const ip = client();
      for (let i = 0; i < 2; i += 1) {
        expect(await fail(test, 9, email, ip)).toEqual(Array(9).fill('invalid_credentials'));
        expect(await login(test, email, password, ip)).toBe('ok');
      }
      // 18 of 25 are counted: 7 remain.
      expect(await fail(test, 8, email, ip)).toEqual(limit(7));
    });

    it('are not what a success is counted as', async () => {
      const rule = { max: 3 };
      const test = await make({
        rateLimit: { login: { perAddressAndIp: rule, perAddress: rule, perIp: rule } },
      });
      const { email } = await signedUp(test);
      const ip = client();
      expect(await inTurn(8, () => login(test, email, password, ip))).toEqual(Array(8).fill('ok'));
    });
  });

  describe('logs', () => {
    it('A-21 A-93 tell who did what, without a secret or a whole address', async () => {
      const test = await make();
      const { email, user } = await signedUp(test);
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

    it('A-21 tell of a failed login', async () => {
      const test = await make();
      const { email } = await signedUp(test);
      const before = test.log.length;
      await login(test, email, 'wrong password', '192.0.2.78');
      const lines = test.log.slice(before).map((entry) => JSON.stringify(entry));
      expect(lines.filter((line) => line.includes('192.0.2.78'))).toHaveLength(1);
      expect(lines.join()).not.toContain(email);
    });
  });

  if (!sql) return;
  describe('the database', () => {
    it('A-12 A-28 holds a hash, and neither the password nor a token', async () => {
      const test = await make();
      const { email, user } = await signedUp(test);
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

    it('that fails is internal_error, is not charged as a wrong password, and nothing needs a restart', async () => {
      const test = await make();
      const { email } = await signedUp(test);
      await sql('alter table svc_users rename to svc_users_away');
      try {
        expect(await inTurn(12, () => test.service.emailPassword.login({ email, password }))).toEqual(
          Array(12).fill('internal_error'),
        );
        const signup = () => test.service.emailPassword.signup({ email: person(), password });
        expect(await outcomeOf(signup)).toBe('internal_error');
        // T6: nor does a broken database show here.
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
  it('A-02 A-03 A-06 signs in with 64 emoji and with 73 bytes, the last of which matter', async () => {
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
