// Sign-in with a password (specification 1, 2.4, 4.3, 5.4 to 5.6; contract "Signup", "Passwords", "Password reset";
// SECURITY T1, T3, T6, T10, A-01 to ).
import type { PasswordHasher } from 'svc-auth';
import { bcryptHasher } from 'svc-auth';
import { outbox } from 'svc-auth/testing';
import { describeAdapters, noting } from '../support/describe-adapters.js';
import { cheapHasher, testSecret, type TestService } from '../support/make-service.js';
import { errorOf, inTurn, outcomeOf, race } from '../support/outcomes.js';

const minute = 60_000;
const day = 24 * 60 * minute;
const password = 'correct horse';
const other = 'battery staple';
const userFields = 'createdAt email emailVerified id metadata updatedAt'.split(' ');

/** A hasher that notes what it is asked to do. */
function counting() {
  const cheap = cheapHasher();
  const hashed: string[] = [];
  const verified: { plain: string; hash: string }[] = [];
  const hasher: PasswordHasher = {
    hash: async (plain) => {
      hashed.push(plain);
      return cheap.hash(plain);
    },
    verify: async (plain, hash) => {
      verified.push({ plain, hash });
      return cheap.verify(plain, hash);
    },
  };
  return { hasher, hashed, verified };
}

/** A promise and the key to it. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describeAdapters('emailPassword', ({ make, person, adapter, sql }) => {
  const signedUp = async ({ service }: TestService, email = person()) => {
    const { user } = await service.emailPassword.signup({ email, password });
    return { email, user };
  };
  const passwordless = async ({ service, mail }: TestService, email = person()) => {
    await service.emailCode.sendCode({ email });
    const { user } = await service.emailCode.verify({ email, code: mail.lastCode(email)! });
    return { email, user };
  };
  const login = ({ service }: TestService, email: string, with_ = password, ip?: string) =>
    outcomeOf(() => service.emailPassword.login({ email, password: with_ }, { ip }));
  /** Asks for a reset and takes the token out of the mail. */
  const resetToken = async ({ service, mail }: TestService, email: string) => {
    await service.emailPassword.requestReset({ email });
    await service.close();
    return new URL(mail.lastLink(email)!).searchParams.get('token')!;
  };
  const setPassword = ({ service }: TestService, token: unknown, newPassword: unknown = other) =>
    outcomeOf(() =>
      service.emailPassword.setPassword({ token: token as string, newPassword: newPassword as string }),
    );

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
      const { hasher, hashed, verified } = counting();
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
      const { hasher, verified } = counting();
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
      const test = await make();
      const { email } = await signedUp(test);
      const attacker = client();
      await fail(test, 150, email, attacker);
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
      const test = await make();
      const { email } = await signedUp(test);
      expect(await inTurn(120, () => login(test, email))).toEqual(Array(120).fill('ok'));
    });
  });

  describe('requestReset', () => {
    it('mails a link that is good for 30 minutes, to the stored address', async () => {
      const test = await make();
      const { email } = await signedUp(test);
      expect(await test.service.emailPassword.requestReset({ email: ` ${email.toUpperCase()}` })).toEqual({
        sent: true,
      });
      await test.service.close();
      expect(test.mail.messages).toHaveLength(1);
      const [mail] = test.mail.messages;
      expect(mail).toMatchObject({ to: email, kind: 'password_reset' });
      expect(mail?.text).toContain('30 minutes');
      expect(test.mail.lastLink(email)).toMatch(/^https:\/\/app\.test\/reset\?token=[\w-]+\.[\w-]+$/);
    });

    it('A-37 resolves { sent: true } for known, passwordless, unknown and malformed addresses; mails go to accounts', async () => {
      const test = await make();
      const [known, bare] = [await signedUp(test), await passwordless(test)];
      test.mail.clear();
      const { service } = test;
      for (const email of [known.email, bare.email, person(), 'not an address', '', 'x'.repeat(100_000)]) {
        expect(await service.emailPassword.requestReset({ email })).toEqual({ sent: true });
      }
      await service.close();
      expect(test.mail.messages.map(({ to }) => to).sort()).toEqual([known.email, bare.email].sort());
    });

    it('T6 A-37 has answered before anything is looked up, charged or sent', async () => {
      const calls: string[] = [];
      const test = await make({ adapter: noting(adapter(), calls) });
      const { email } = await signedUp(test);
      calls.length = 0;
      for (const address of [email, person()]) {
        await test.service.emailPassword.requestReset({ email: address });
        expect(calls).toEqual([]);
        expect(test.mail.messages).toEqual([]);
        await test.service.close();
        calls.length = 0;
        test.mail.clear();
      }
    });

    it('T6 A-37 does not wait for a sender that hangs', async () => {
      const { opened, open } = gate();
      const sender = { send: () => opened };
      const test = await make({ providers: { emailPassword: { sender } } });
      const { email } = await signedUp(test);
      expect(await test.service.emailPassword.requestReset({ email })).toEqual({ sent: true });
      open();
      await test.service.close();
    });

    it('T6 does not show a sender that fails, logs it without the address, and is not charged', async () => {
      let failing = true;
      const mail = outbox();
      const sender = {
        async send(message: Parameters<typeof mail.send>[0]) {
          if (failing) throw new Error(`550 ${message.to} refused`);
          await mail.send(message);
        },
      };
      const test = await make({ providers: { emailPassword: { sender } } });
      const { email } = await signedUp(test);
      const request = async () => {
        const answer = await test.service.emailPassword.requestReset({ email });
        await test.service.close();
        return answer;
      };
      for (let i = 0; i < 20; i += 1) expect(await request()).toEqual({ sent: true });
      const logged = test.log.filter(({ level }) => level === 'error');
      expect(logged.length).toBeGreaterThanOrEqual(20);
      expect(JSON.stringify(logged)).not.toContain(email);
      failing = false;
      await request();
      expect(mail.messages).toHaveLength(1);
    });

    it('T6 over the limit still resolves { sent: true }, and mails nothing more', async () => {
      const test = await make();
      const { email } = await signedUp(test);
      for (let i = 0; i < 8; i += 1) {
        expect(await test.service.emailPassword.requestReset({ email })).toEqual({ sent: true });
      }
      await test.service.close();
      expect(test.mail.messages).toHaveLength(5);
      expect(test.log.filter(({ level }) => level === 'error')).toEqual([]);
      test.clock.advance(15 * minute);
      await test.service.emailPassword.requestReset({ email });
      await test.service.close();
      expect(test.mail.messages).toHaveLength(6);
    });

    it('A-38 changes nothing: the password and the sessions stay good', async () => {
      const test = await make();
      const { email, user } = await signedUp(test);
      const { token } = test.service.createSessionToken(user.id);
      await resetToken(test, email);
      expect(await login(test, email)).toBe('ok');
      expect(await test.service.getSessionUser(token)).toEqual(user);
    });

    it.each([undefined, null, 1, ['ada@example.com'], {}])(
      'answers invalid_request for the address %p',
      async (email) => {
        const { service } = await make();
        const call = () => service.emailPassword.requestReset({ email: email as string });
        expect(await outcomeOf(call)).toBe('invalid_request');
      },
    );

    it('lets an allowed redirectTo override resetUrl', async () => {
      const test = await make({ trustedOrigins: ['https://other.test'] });
      const { email } = await signedUp(test);
      await test.service.emailPassword.requestReset({ email, redirectTo: 'https://other.test/new?a=1' });
      await test.service.close();
      expect(test.mail.lastLink(email)).toMatch(/^https:\/\/other\.test\/new\?a=1&token=/);
    });

    it('T4 rejects another redirectTo with invalid_request, account or not, and mails nothing', async () => {
      const test = await make();
      const { email } = await signedUp(test);
      for (const address of [email, person(), 'malformed']) {
        for (const redirectTo of ['https://evil.test/', 'https://app.test.evil.test/', '//evil.test', '']) {
          const call = () => test.service.emailPassword.requestReset({ email: address, redirectTo });
          expect(await outcomeOf(call)).toBe('invalid_request');
        }
      }
      await test.service.close();
      expect(test.mail.messages).toEqual([]);
    });

    it('without resetUrl answers provider_not_configured, account or not', async () => {
      const test = await make({ providers: { emailPassword: { resetUrl: undefined } } });
      const { email } = await signedUp(test);
      for (const address of [email, person()]) {
        const call = () => test.service.emailPassword.requestReset({ email: address });
        expect(await outcomeOf(call)).toBe('provider_not_configured');
      }
    });

    it('gives resetTemplate the link, the minutes and the name of the app', async () => {
      const seen: unknown[] = [];
      const resetTemplate = (values: object) => {
        seen.push(values);
        return { subject: 'S', html: '<b>H</b>', text: 'T' };
      };
      const test = await make({
        providers: { emailPassword: { resetTemplate, from: 'Acme <a@acme.test>' } },
      });
      const { email } = await signedUp(test);
      await test.service.emailPassword.requestReset({ email });
      await test.service.close();
      const url = expect.stringMatching(/^https:\/\/app\.test\/reset\?token=/);
      expect(seen).toEqual([{ url, expiresInMinutes: 30, appName: 'Acme' }]);
      expect(test.mail.messages).toEqual([
        {
          to: email,
          from: 'Acme <a@acme.test>',
          kind: 'password_reset',
          subject: 'S',
          html: '<b>H</b>',
          text: 'T',
        },
      ]);
    });
  });

  describe('setPassword', () => {
    it('sets the password, marks the address verified, and signs nobody in', async () => {
      const test = await make();
      const { email, user } = await signedUp(test);
      const token = await resetToken(test, email);
      test.clock.advance(minute);
      const result = await test.service.emailPassword.setPassword({ token, newPassword: other });
      // a user, and no session. A-44: verified.
      expect(result).toEqual({
        user: { ...user, emailVerified: true, updatedAt: new Date(test.clock.now()) },
      });
      expect(await login(test, email)).toBe('invalid_credentials');
      expect(await login(test, email, other)).toBe('ok');
    });

    it('gives a passwordless account its first password', async () => {
      const test = await make();
      const { email, user } = await passwordless(test);
      expect(await setPassword(test, await resetToken(test, email))).toBe('ok');
      expect((await test.service.emailPassword.login({ email, password: other })).user.id).toBe(user.id);
    });

    it('A-22 takes a token once', async () => {
      const test = await make();
      const { email } = await signedUp(test);
      const token = await resetToken(test, email);
      expect(
        await inTurn(3, () => test.service.emailPassword.setPassword({ token, newPassword: other })),
      ).toEqual(['ok', 'token_invalid', 'token_invalid']);
    });

    it('A-25 takes a token until its last millisecond, then it is token_invalid', async () => {
      const test = await make();
      const [early, late] = [await signedUp(test), await signedUp(test)];
      const [good, bad] = [await resetToken(test, early.email), await resetToken(test, late.email)];
      test.clock.advance(30 * minute - 1);
      expect(await setPassword(test, good)).toBe('ok');
      test.clock.advance(1);
      expect(await setPassword(test, bad)).toBe('token_invalid');
      expect(await login(test, late.email)).toBe('ok');
    });

    it.each([
      ['7 characters', '1234567', 'weak_password'],
      ['nothing', '', 'weak_password'],
      ['U+0000', 'password\0', 'invalid_request'],
      ['1025 bytes', 'x'.repeat(1025), 'invalid_request'],
      ['a number', 12345678, 'invalid_request'],
    ])(
      'A-45 refuses a new password of %s without using up the token',
      async (_name, newPassword, outcome) => {
        const test = await make();
        const { email } = await signedUp(test);
        const token = await resetToken(test, email);
        expect(await setPassword(test, token, newPassword)).toBe(outcome);
        expect(await login(test, email)).toBe('ok');
        expect(await setPassword(test, token)).toBe('ok');
      },
    );

    it('A-05 A-45 asks checkPassword, without using up the token', async () => {
      const asked: unknown[] = [];
      const checkPassword = (candidate: string, context: { email: string | null }) => {
        asked.push(context.email);
        return candidate !== 'breached password';
      };
      const test = await make({ providers: { emailPassword: { checkPassword } } });
      const { email } = await signedUp(test);
      const token = await resetToken(test, email);
      asked.length = 0;
      expect(await setPassword(test, token, 'breached password')).toBe('weak_password');
      expect(asked).toEqual([email]);
      expect(await setPassword(test, token)).toBe('ok');
    });

    it('A-30 looks nothing up and hashes nothing for a token that is malformed, forged or expired', async () => {
      const calls: string[] = [];
      const { hasher, hashed } = counting();
      const test = await make({
        adapter: noting(adapter(), calls),
        providers: { emailPassword: { hasher } },
      });
      const { email } = await signedUp(test);
      const expired = await resetToken(test, email);
      test.clock.advance(30 * minute);
      calls.length = hashed.length = 0;
      for (const token of ['', 'x', 'x.y', `${expired}x`, expired.slice(0, -2), expired]) {
        expect(await setPassword(test, token)).toBe('token_invalid');
      }
      expect([...calls, ...hashed]).toEqual([]);
    });

    it.each([undefined, null, 1, ['x'], {}])('answers invalid_request for the token %p', async (token) => {
      expect(await setPassword(await make(), token)).toBe('invalid_request');
    });

    it('T3 A-40 revokes every session of the user, and of nobody else', async () => {
      const test = await make();
      const { email, user } = await signedUp(test);
      const stranger = await signedUp(test);
      const start = async (address: string) => {
        const context = { startSession: true };
        return (await test.service.emailPassword.login({ email: address, password }, context)).session!.token;
      };
      const tokens = [await start(email), await start(email), test.service.createSessionToken(user.id).token];
      const foreign = await start(stranger.email);
      const token = await resetToken(test, email);
      for (const each of tokens) expect(await outcomeOf(() => test.service.getSessionUser(each))).toBe('ok');
      expect(await setPassword(test, token)).toBe('ok');
      for (const each of tokens)
        expect(await outcomeOf(() => test.service.getSessionUser(each))).toBe('token_invalid');
      expect(await outcomeOf(() => test.service.getSessionUser(foreign))).toBe('ok');
      // Signature and time alone do not know of it, as is documented.
      expect(test.service.verifyToken(tokens[0]!).sub).toBe(user.id);
    });

    it('A-41 voids all codes, links and reset tokens of the user', async () => {
      const test = await make();
      const { email } = await signedUp(test);
      await test.service.emailCode.sendCode({ email });
      const code = test.mail.lastCode(email)!;
      const link = new URL((await test.service.magicLink.sendLink({ email })).url).searchParams.get('token')!;
      const [first, second] = [await resetToken(test, email), await resetToken(test, email)];
      expect(await setPassword(test, second)).toBe('ok');
      expect(await setPassword(test, first, 'another password')).toBe('token_invalid');
      expect(await outcomeOf(() => test.service.magicLink.verify(link))).toBe('token_invalid');
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code }))).toBe('code_not_found');
    });

    it('A-41 leaves the codes, links and resets of others alone', async () => {
      const test = await make();
      const [one, two] = [await signedUp(test), await signedUp(test)];
      const foreign = await resetToken(test, two.email);
      await test.service.emailCode.sendCode({ email: two.email });
      expect(await setPassword(test, await resetToken(test, one.email))).toBe('ok');
      const code = test.mail.lastCode(two.email)!;
      expect(await outcomeOf(() => test.service.emailCode.verify({ email: two.email, code }))).toBe('ok');
      // The code was the first proof of that mailbox: what was pending before it is gone.
      expect(await setPassword(test, foreign)).toBe('token_invalid');
    });

    it('A-39 has one winner of 50 at once, whose password it is', async () => {
      const test = await make();
      const { email } = await signedUp(test);
      const token = await resetToken(test, email);
      const winners: number[] = [];
      const tally = await race(50, async (i) => {
        await test.service.emailPassword.setPassword({ token, newPassword: `password-${i}` });
        winners.push(i);
      });
      expect(tally).toEqual({ ok: 1, token_invalid: 49 });
      expect(await login(test, email, `password-${winners[0]}`)).toBe('ok');
    });

    it('A-69 takes a token that was mailed before the secret was changed', async () => {
      const before = await make();
      const { email } = await signedUp(before);
      const token = await resetToken(before, email);
      const secret = 'the secret after the rotation, 32 bytes or more';
      expect(await setPassword(await make({ session: { secret } }), token)).toBe('token_invalid');
      expect(
        await setPassword(await make({ session: { secret, previousSecrets: [testSecret] } }), token),
      ).toBe('ok');
    });

    it('C-5 does not let a slow login with the old password outlive it', async () => {
      const { opened, open } = gate();
      const cheap = cheapHasher();
      let waiting: () => void = () => undefined;
      const verifying = new Promise<void>((resolve) => (waiting = resolve));
      const hasher: PasswordHasher = {
        hash: (plain) => cheap.hash(plain),
        async verify(plain, hash) {
          waiting();
          await opened;
          return cheap.verify(plain, hash);
        },
      };
      const test = await make({ providers: { emailPassword: { hasher } } });
      const { email, user } = await signedUp(test);
      const token = await resetToken(test, email);
      const slow = outcomeOf(async () => {
        const { session } = await test.service.emailPassword.login(
          { email, password },
          { startSession: true },
        );
        await test.service.getSessionUser(session!.token);
      });
      await verifying;
      expect(await setPassword(test, token)).toBe('ok');
      open();
      expect(await slow).toBe('token_invalid');
      // Not even a row of it is left.
      expect(await adapter().sessions.listLive(user.id, new Date(test.clock.now()))).toEqual([]);
    });

    it('A-19 mails a notice without a secret where notifyTemplate is set', async () => {
      const notifyTemplate = ({ appName }: { appName: string }) => ({
        subject: `Your ${appName} password was changed`,
        html: '<p>It was changed.</p>',
        text: 'It was changed.',
      });
      const test = await make({ providers: { emailPassword: { notifyTemplate } } });
      const { email } = await signedUp(test);
      const token = await resetToken(test, email);
      test.mail.clear();
      await setPassword(test, 'not a token');
      expect(await setPassword(test, token)).toBe('ok');
      await test.service.close();
      expect(test.mail.messages).toEqual([
        {
          to: email,
          kind: 'notice',
          subject: 'Your Acme password was changed',
          html: '<p>It was changed.</p>',
          text: 'It was changed.',
        },
      ]);
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

describeAdapters('emailPassword with bcrypt', ({ make, person }) => {
  it('A-02 A-03 A-06 signs in with 64 emoji and with 73 bytes, the last of which matter', async () => {
    const test = await make({ providers: { emailPassword: { hasher: bcryptHasher() } } });
    const [emoji, long] = [person(), person()];
    const a72 = 'a'.repeat(72);
    await test.service.emailPassword.signup({ email: emoji, password: '😀'.repeat(64) });
    await test.service.emailPassword.signup({ email: long, password: `${a72}X` });
    const login = (email: string, with_: string) =>
      outcomeOf(() => test.service.emailPassword.login({ email, password: with_ }));
    expect(await login(emoji, '😀'.repeat(64))).toBe('ok');
    expect(await login(emoji, `${'😀'.repeat(63)}😁`)).toBe('invalid_credentials');
    expect(await login(long, `${a72}X`)).toBe('ok');
    expect(await login(long, `${a72}Y`)).toBe('invalid_credentials');
    expect(await login(long, a72)).toBe('invalid_credentials');
    const stored = await test.adapter.users.findByEmail(long);
    expect(stored?.passwordHash).toMatch(/^\$2[aby]\$10\$.{53}$/);
  });
});
