// The password reset by a mailed code: the semantics of a link, the guesses of a code, and no word about who has an account.
import { englishMailTexts, type ServiceConfig } from 'svc-auth';
import { outbox } from 'svc-auth/testing';
import { describeAdapters, recordCalls } from '../support/describe-adapters.js';
import { license } from '../support/make-pro-service.js';
import { testSecret, type TestService } from '../support/make-service.js';
import { outcomeOf, race, runInSequence } from '../support/outcomes.js';
import {
  countingHasher,
  login,
  otherPassword as other,
  password,
  passwordAccounts,
  setPassword,
} from '../support/password-accounts.js';
import { differentCode } from '../support/site-actions.js';
import { withoutFastPaths } from '../support/without-fast-paths.js';
import { plainBrand } from '../support/every-mail.js';

type Options = Partial<NonNullable<NonNullable<ServiceConfig['providers']>['emailPassword']>>;

const minute = 60_000;

describeAdapters('The password reset by a code', ({ make: makeOn, uniqueEmail, adapter }) => {
  const { signUpUser, passwordlessUser } = passwordAccounts(uniqueEmail);
  const make = (options: Options = {}, more: Parameters<typeof makeOn>[0] = {}) =>
    makeOn({
      ...license,
      ...more,
      providers: { emailPassword: { reset: 'code', resetUrl: undefined, ...options } },
    });
  const makeBoth = (options: Options = {}) =>
    make({ reset: 'both', resetUrl: 'https://app.test/reset', ...options });

  async function request({ service }: TestService, email: string, context = {}) {
    const response = await service.emailPassword.requestReset({ email }, context);
    await service.close();
    return response;
  }

  async function mailedCode(test: TestService, email: string): Promise<string> {
    await request(test, email);
    return test.mail.lastCode(email)!;
  }

  const linkToken = ({ mail }: TestService, email: string) =>
    new URL(mail.lastLink(email)!).searchParams.get('token')!;

  const reset = ({ service }: TestService, email: string, code: unknown, newPassword = other, context = {}) =>
    outcomeOf(() => service.emailPassword.setPassword({ email, code: code as string, newPassword }, context));

  describe('the mail', () => {
    it('contains a code for 30 minutes and no link', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      const code = await mailedCode(test, email);
      const [mail] = test.mail.messages;
      expect(mail).toMatchObject({ to: email, kind: 'password_reset' });
      expect(code).toMatch(/^\d{6}$/);
      expect(mail?.subject).not.toContain(code);
      expect(mail?.text).toContain('30 minutes');
      expect(`${mail?.text}${mail?.html}`).not.toContain('http');
    });

    it('contains both with reset: "both"', async () => {
      const test = await makeBoth();
      const { email } = await signUpUser(test);
      const code = await mailedCode(test, email);
      expect(test.mail.messages).toHaveLength(1);
      expect(code).toMatch(/^\d{6}$/);
      expect(test.mail.lastLink(email)).toMatch(/^https:\/\/app\.test\/reset\?token=/);
    });

    it('is rendered by resetCodeTemplate', async () => {
      const values: unknown[] = [];
      const resetCodeTemplate: Options['resetCodeTemplate'] = (each) => {
        values.push(each);
        return { subject: 'x', text: each.code, html: each.code };
      };
      const test = await make({ resetCodeTemplate });
      const { email } = await signUpUser(test);
      const code = await mailedCode(test, email);
      // The mail may be rendered again, in another language, so that the time does not depend on the account.
      expect(values[0]).toEqual({
        code,
        expiresInMinutes: 30,
        appName: 'Acme',
        language: 'en',
        texts: englishMailTexts,
        brand: plainBrand('Acme'),
      });
    });

    it('with both and without resetUrl, the request is refused with or without an account', async () => {
      const test = await make({ reset: 'both' });
      const { email } = await signUpUser(test);
      for (const address of [email, uniqueEmail()])
        expect(await outcomeOf(() => test.service.emailPassword.requestReset({ email: address }))).toBe(
          'provider_not_configured',
        );
    });

    it('emits code.sent, and link.sent if there is a link', async () => {
      for (const [makeThis, expected] of [
        [make, ['code.sent']],
        [makeBoth, ['link.sent', 'code.sent']],
      ] as const) {
        const test = await makeThis();
        const { email } = await signUpUser(test);
        const names: string[] = [];
        test.service.on('code.sent', ({ purpose }) => names.push(`code.sent ${purpose}`));
        test.service.on('link.sent', ({ purpose }) => names.push(`link.sent ${purpose}`));
        await request(test, email);
        expect(names).toEqual(expected.map((name) => `${name} password_reset`));
      }
    });
  });

  describe('setPassword', () => {
    //
    it('sets the password, ends the sessions, marks the address verified, and starts no session', async () => {
      const test = await make();
      const { email, user } = await signUpUser(test);
      const { session } = await test.service.emailPassword.login({ email, password }, { startSession: true });
      const code = await mailedCode(test, email);
      const result = await test.service.emailPassword.setPassword({
        email: ` ${email.toUpperCase()}`,
        code: ` ${code} `,
        newPassword: other,
      });
      expect(Object.keys(result)).toEqual(['user']);
      expect(result.user).toMatchObject({ id: user.id, emailVerified: true });
      expect(await outcomeOf(() => test.service.getSessionUser(session!.token))).toBe('token_invalid');
      expect(await login(test, email)).toBe('invalid_credentials');
      expect(await login(test, email, other)).toBe('ok');
    });

    it('sets the first password of an account', async () => {
      const test = await make();
      const { email } = await passwordlessUser(test);
      expect(await reset(test, email, await mailedCode(test, email))).toBe('ok');
      expect(await login(test, email, other)).toBe('ok');
    });

    //
    it('accepts a code once, and no code of an earlier mail', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      const first = await mailedCode(test, email);
      const second = await mailedCode(test, email);
      if (first !== second) expect(await reset(test, email, first)).toBe('code_invalid');
      expect(
        await runInSequence(3, () =>
          test.service.emailPassword.setPassword({ email, code: second, newPassword: other }),
        ),
      ).toEqual(['ok', 'code_not_found', 'code_not_found']);
    });

    //
    it('accepts a code until its last millisecond', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      const code = await mailedCode(test, email);
      test.clock.advance(30 * minute - 1);
      expect(await reset(test, email, differentCode(code))).toBe('code_invalid');
      test.clock.advance(1);
      expect(await reset(test, email, code)).toBe('code_expired');
      expect(await login(test, email)).toBe('ok');
    });

    it('evaluates five wrong guesses per code, and ten per address in 15 minutes', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      const guess = async () => reset(test, email, differentCode(test.mail.lastCode(email)));
      await request(test, email);
      const outcomes = [];
      for (let i = 0; i < 6; i += 1) outcomes.push(await guess());
      expect(outcomes).toEqual([...Array<string>(5).fill('code_invalid'), 'max_attempts_exceeded']);
      expect(await reset(test, email, test.mail.lastCode(email))).toBe('max_attempts_exceeded');
      await request(test, email);
      for (let i = 0; i < 5; i += 1) expect(await guess()).toBe('code_invalid');
      await request(test, email);
      expect(await guess()).toBe('rate_limit_exceeded');
      expect(await reset(test, email, test.mail.lastCode(email))).toBe('rate_limit_exceeded');
      // Neither a login nor the address's other codes are affected.
      expect(await login(test, email)).toBe('ok');
    });

    //
    it('does not count or consume a guess with a password that is refused', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      const code = await mailedCode(test, email);
      for (let i = 0; i < 20; i += 1)
        for (const guess of [code, differentCode(code)])
          expect(await reset(test, email, guess, i % 2 ? 'password1' : '1234567')).toBe('weak_password');
      expect(await reset(test, email, code)).toBe('ok');
    });

    it('asks about the passwords of one client without a code 200 times in 15 minutes', async () => {
      let asked = 0;
      const test = await make({ checkPassword: () => (asked += 1) < 0 });
      const outcomes = [];
      for (let i = 0; i < 203; i += 1)
        outcomes.push(await reset(test, uniqueEmail(), '123456', other, { ip: '198.51.100.44' }));
      expect([asked, outcomes.slice(199)]).toEqual([
        200,
        ['weak_password', ...Array<string>(3).fill('rate_limit_exceeded')],
      ]);
    });

    it('hashes only after the right code', async () => {
      const { hasher, hashed } = countingHasher();
      const test = await make({ hasher });
      const { email } = await signUpUser(test);
      const code = await mailedCode(test, email);
      hashed.length = 0;
      for (let i = 0; i < 8; i += 1) await reset(test, email, differentCode(code));
      expect(hashed).toEqual([]);
    });

    it.each([undefined, null, 1, {}])('rejects the address %p with invalid_request', async (address) => {
      const test = await make();
      expect(await reset(test, address as string, '123456')).toBe('invalid_request');
    });

    it('rejects a token and a code together, and neither of them, with invalid_request', async () => {
      const test = await makeBoth();
      const input = { email: uniqueEmail(), newPassword: other };
      const { emailPassword } = test.service;
      for (const proof of [{ token: 'x', code: '123456' }, {}])
        expect(await outcomeOf(() => emailPassword.setPassword({ ...input, ...proof }))).toBe(
          'invalid_request',
        );
    });

    it('accepts no code without the option', async () => {
      const test = await makeOn();
      const { email } = await signUpUser(test);
      expect(await reset(test, email, '123456')).toBe('provider_not_configured');
    });

    it('accepts neither a sign-in code nor a code of another address', async () => {
      const test = await make();
      const [one, two] = [await signUpUser(test), await signUpUser(test)];
      const code = await mailedCode(test, one.email);
      await test.service.emailCode.sendCode({ email: two.email });
      const signInCode = test.mail.lastCode(two.email)!;
      expect(await reset(test, two.email, signInCode)).toBe('code_not_found');
      await request(test, two.email);
      if (code !== test.mail.lastCode(two.email))
        expect(await reset(test, two.email, code)).toBe('code_invalid');
      const verify = () => test.service.emailCode.verify({ email: one.email, code });
      expect(await outcomeOf(verify)).toBe('code_not_found');
    });

    it('accepts a code of a previous secret', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      const code = await mailedCode(test, email);
      const session = { secret: `another ${testSecret}`, previousSecrets: [testSecret] };
      expect(await reset(await make({}, { session }), email, code)).toBe('ok');
    });

    it('revokes passkeys and API keys only with revokeCredentials, and refuses blocked users', async () => {
      const test = await make();
      const { email, user } = await signUpUser(test);
      await request(test, email);
      await test.service.users.block(user.id);
      expect(await reset(test, email, test.mail.lastCode(email))).not.toBe('ok');
      await test.service.users.unblock(user.id);
      await request(test, email);
      expect(await reset(test, email, test.mail.lastCode(email))).toBe('ok');
    });

    it('sets the password once in 50 concurrent calls', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      const code = await mailedCode(test, email);
      const input = (index: number) => ({ email, code, newPassword: `a fine password ${index}` });
      const tally = await race(50, (index) => test.service.emailPassword.setPassword(input(index)));
      expect(tally['ok']).toBe(1);
    });
  });

  describe('a link and the code of one mail', () => {
    it.each(['link', 'code'])('end each other: the %s first', async (first) => {
      const test = await makeBoth();
      const { email } = await signUpUser(test);
      const code = await mailedCode(test, email);
      const token = linkToken(test, email);
      if (first === 'link') {
        expect(await setPassword(test, token)).toBe('ok');
        expect(await reset(test, email, code, 'a third password')).toBe('code_not_found');
      } else {
        expect(await reset(test, email, code)).toBe('ok');
        expect(await setPassword(test, token, 'a third password')).toBe('token_invalid');
      }
      expect(await login(test, email, other)).toBe('ok');
    });

    it('of a verified account are void after a change of the password and a sign-out everywhere', async () => {
      const test = await makeBoth();
      const changes: ((userId: string) => Promise<unknown>)[] = [
        (userId) =>
          test.service.emailPassword.changePassword({
            userId,
            currentPassword: password,
            newPassword: other,
          }),
        (userId) => adapter().sessions.revokeAll(userId, new Date(test.clock.now())),
      ];
      for (const change of changes) {
        const { email, user } = await signUpUser(test);
        await adapter().users.markEmailVerified(user.id, new Date(test.clock.now()), email);
        const code = await mailedCode(test, email);
        const token = linkToken(test, email);
        await change(user.id);
        expect(await reset(test, email, code, 'of a thief')).toBe('code_not_found');
        expect(await setPassword(test, token, 'of a thief')).toBe('token_invalid');
      }
    });

    it('of an unverified account reclaim whichever unverified account has the address', async () => {
      const test = await makeBoth();
      const { email, user } = await signUpUser(test);
      const code = await mailedCode(test, email);
      // The stranger who signed up changes the password, to void what was mailed to the owner of the mailbox.
      await test.service.emailPassword.changePassword({
        userId: user.id,
        currentPassword: password,
        newPassword: 'of a stranger',
      });
      const claimed: unknown[] = [];
      test.service.on('user.claimed', (event) => claimed.push(event));
      expect(await reset(test, email, code)).toBe('ok');
      expect(await login(test, email, other)).toBe('ok');
      expect(claimed).toEqual([{ userId: user.id }]);
    });

    it('store nothing that names the user of an unverified account', async () => {
      const test = await make();
      const { email, user } = await signUpUser(test);
      const code = await mailedCode(test, email);
      const rows: unknown[] = [];
      const attempt = adapter().oneTimeCodes.attempt.bind(adapter().oneTimeCodes);
      const watched = {
        ...withoutFastPaths(adapter()),
        oneTimeCodes: {
          ...adapter().oneTimeCodes,
          attempt: async (...args: Parameters<typeof attempt>) => {
            const outcome = await attempt(...args);
            if ('code' in outcome) rows.push(outcome.code);
            return outcome;
          },
        },
      };
      expect(await reset(await make({}, { adapter: watched }), email, code)).toBe('ok');
      expect(rows).toHaveLength(1);
      expect(JSON.stringify(rows)).not.toContain(user.id);
    });
  });

  describe('an address without an account', () => {
    //
    it('gets the same responses to requests and guesses, and no mail', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      const unknown = uniqueEmail();
      const responses = [];
      for (const address of [email, unknown]) {
        const sequence: unknown[] = [await reset(test, address, '000000')];
        sequence.push(await request(test, address));
        const real = test.mail.lastCode(address) ?? '123456';
        for (let i = 0; i < 6; i += 1) sequence.push(await reset(test, address, differentCode(real)));
        test.clock.advance(30 * minute);
        sequence.push(await reset(test, address, differentCode(real)));
        for (let i = 0; i < 7; i += 1) sequence.push(await request(test, address));
        for (let i = 0; i < 6; i += 1) sequence.push(await reset(test, address, differentCode(real)));
        responses.push(sequence);
      }
      expect(responses[1]).toEqual(responses[0]);
      expect(responses[0]).toContain('max_attempts_exceeded');
      expect(responses[0]).toContain('code_expired');
      expect(test.mail.messages.filter(({ to }) => to === unknown)).toEqual([]);
    });

    it('gets the same responses as one whose mail could not be sent', async () => {
      const mail = outbox();
      const sender = {
        send: async () => {
          throw new Error('refused');
        },
      };
      const test = await make({ sender }, { mail });
      const { email } = await passwordlessUser(test);
      const outcomes = [];
      for (const address of [email, uniqueEmail()]) {
        await request(test, address);
        outcomes.push(await reset(test, address, '123456'));
      }
      expect(outcomes).toEqual(['code_invalid', 'code_invalid']);
    });

    it('causes the same storage calls for a guess', async () => {
      const calls: string[] = [];
      const test = await make({}, { adapter: recordCalls(adapter(), calls) });
      const { email } = await signUpUser(test);
      const recorded = [];
      for (const address of [email, uniqueEmail()]) {
        await request(test, address);
        calls.length = 0;
        await reset(test, address, differentCode(test.mail.lastCode(address) ?? '123456'));
        recorded.push([...calls]);
      }
      expect(recorded[1]).toEqual(recorded[0]);
      expect(recorded[0]).not.toEqual([]);
    });
  });
});
