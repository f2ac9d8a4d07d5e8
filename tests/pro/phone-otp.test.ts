// Sign-in by text message (specification 4.3 `phoneOtp`; docs/decisions/phone-numbers.md; C-44).
import type { ServiceUser, SmsSender } from 'svc-auth';
import { smsOutbox, testClock, type SmsOutbox } from 'svc-auth/testing';
import { codeAt } from '../support/authenticator-app.js';
import { describeAdapters, type OnAdapter } from '../support/describe-adapters.js';
import type { Overrides, TestService } from '../support/make-service.js';
import { minute, pro, settled, type ProService } from '../support/make-pro-service.js';
import { errorOf, inTurn, outcomeOf, race } from '../support/outcomes.js';

type PhoneOptions = Record<string, unknown>;
interface PhoneService extends ProService {
  texts: SmsOutbox;
}

// Over all storages: numbers that nobody used before, of the range that telephone companies keep for fiction.
let numbers = 0;
const newNumber = () => `+1212555${String((numbers += 1)).padStart(4, '0')}`;

const wrong = (code: string) => (code === '000000' ? '111111' : '000000');

describeAdapters('Sign-in by text message', (on: OnAdapter) => {
  const { adapter, person, sql } = on;
  const { makePro, verifiedUser } = pro(on);

  async function makePhone(options: PhoneOptions = {}, overrides: Overrides = {}): Promise<PhoneService> {
    const texts = smsOutbox();
    // A number's own country has a limit; the windows of one test must not be those of the next.
    numbers += 1;
    const clock = overrides.clock ?? testClock(Math.ceil(Date.now() / 1000) * 1000 + numbers * 60 * minute);
    const providers = { phoneOtp: { sender: texts, ...options }, ...overrides.providers } as object;
    const test = await makePro({ clock, ...overrides, providers });
    return { ...test, texts };
  }
  const send = ({ service }: TestService, phone: unknown, more: object = {}, context: object = {}) =>
    service.phoneOtp.sendCode({ phone: phone as string, ...more }, context);
  const verify = ({ service }: TestService, phone: unknown, code: unknown, context: object = {}) =>
    service.phoneOtp.verify({ phone: phone as string, code: code as string }, context);

  /** A user by number. */
  async function signIn(test: PhoneService, phone = newNumber()) {
    await send(test, phone);
    return { phone, ...(await verify(test, phone, test.texts.lastCode(phone))) };
  }

  describe('a number', () => {
    it.each([
      ['+14155552671', '+14155552671'],
      ['+1 (415) 555-2671', '+14155552671'],
      ['+1.415.555.2671', '+14155552671'],
      ['+49 1511 2345678', '+4915112345678'],
      ['+44 (0)20 7946 0958', '+442079460958'],
      ['+39 06 1234 5678', '+390612345678'],
      // Fictional: in no list of ranges, but an international number of the right length.
      ['+1 555 555 0100', '+15555550100'],
      ['+1 202 555 0100', '+12025550100'],
    ])('A-14 C-44 %s is %s, whichever way it is written', async (written, e164) => {
      const test = await makePhone();
      await send(test, written);
      expect(test.texts.messages.map(({ to }) => to)).toEqual([e164]);
      const { user, created } = await verify(test, e164, test.texts.lastCode(e164));
      const [identity, ...others] = await adapter().identities.listForUser(user.id);
      expect([identity, others]).toMatchObject([{ provider: 'phone', providerAccountId: e164 }, []]);
      expect(created).toBe(true);
      await test.service.account.deleteUser(user.id);
    });

    it.each<[string, unknown]>([
      ['without a country', '4155552671'],
      ['with 00 for the plus', '0014155552671'],
      ['with a space before it', ' +14155552671'],
      ['with a line break behind it', '+14155552671\n'],
      ['with NUL', '+1415555\x002671'],
      ['with six digits, and punctuation enough for seven', '+49 (151) 2'],
      ['with the choice of a carrier in it', '+861234563800138000'],
      ['with two noughts of a number at home', '+4900 (151) 23'],
      ['with an extension', '+14155552671 ext. 12'],
      ['with an extension as in RFC 3966', '+14155552671;ext=12'],
      ['with x12', '+14155552671x12'],
      ['with two plus signs', '++14155552671'],
      ['as a tel: URI', 'tel:+14155552671'],
      ['inside a sentence', 'call +14155552671 now'],
      ['in Arabic digits', '+١٤١٥٥٥٥٢٦٧١'],
      ['in full-width digits', '+１４１５５５５２６７１'],
      ['with a full-width plus', '＋14155552671'],
      ['of letters', '+1415GOFEDEX'],
      ['that is too short', '+141'],
      ['that is too long', '+1415555267112345'],
      ['of a country that does not exist', '+999123456789'],
      ['at a premium', '+19005551234'],
      ['at a premium elsewhere', '+449098790123'],
      ['at a shared cost', '+448431234567'],
      ['of no country: freephone', '+80012345678'],
      ['of no country: satellite', '+870773111632'],
      ['of no country: a network', '+882161234567'],
      ['of 100 KB', `+1${'4'.repeat(100_000)}`],
      ['of 100 KB of spaces', `+1${' '.repeat(100_000)}4155552671`],
      ['that is empty', ''],
      ['that is absent', undefined],
      ['that is null', null],
      ['that is a number', 14155552671],
      ['that is a list', ['+14155552671']],
      ['that is an object', { toString: () => '+14155552671' }],
      ['with a lone surrogate', '+14155552671\ud800'],
    ])('C-44 %s is invalid_request: nothing is texted, looked up or charged', async (_what, phone) => {
      const test = await makePhone();
      expect(await outcomeOf(() => send(test, phone))).toBe('invalid_request');
      expect(await outcomeOf(() => verify(test, phone, '123456'))).toBe('invalid_request');
      expect(test.texts.messages).toEqual([]);
    });
  });

  describe('allowCountry', () => {
    it('C-44 is asked for the country of the number, and only true permits', async () => {
      const asked: string[] = [];
      const test = await makePhone({
        allowCountry: (iso2: string) => {
          asked.push(iso2);
          return iso2 !== 'GB';
        },
      });
      expect(await outcomeOf(() => send(test, newNumber()))).toBe('ok');
      expect(await outcomeOf(() => send(test, '+4915112345678'))).toBe('ok');
      expect(await outcomeOf(() => send(test, '+447400123456'))).toBe('invalid_request');
      // The same calling code, another country: Guernsey.
      expect(await outcomeOf(() => send(test, '+447911123456'))).toBe('ok');
      expect(asked).toEqual(['US', 'DE', 'GB', 'GG']);
      expect(test.texts.messages.map(({ to }) => to.slice(0, 3))).toEqual(['+12', '+49', '+44']);
    });

    it('is asked about sends, not about codes that are on their way', async () => {
      let isOpen = true;
      const test = await makePhone({ allowCountry: () => isOpen });
      const phone = newNumber();
      await send(test, phone);
      isOpen = false;
      expect(await outcomeOf(() => verify(test, phone, test.texts.lastCode(phone)))).toBe('ok');
    });

    it.each<[string, () => unknown]>([
      [
        'throws',
        () => {
          throw new Error('the list of countries is missing');
        },
      ],
      ['forgets to return', () => undefined],
      ['returns null', () => null],
      ['returns 1', () => 1],
      ['returns "false"', () => 'false'],
      ['returns an object', () => ({})],
      ['returns a promise of true', async () => true],
      ['returns a promise of false', async () => false],
      ['returns a promise that is rejected', () => Promise.reject(new Error('too late'))],
      ['returns something that only looks like a promise', () => ({ then: () => undefined })],
    ])('C-44 that %s sends nothing, and says whose fault it is', async (_what, allowCountry) => {
      const test = await makePhone({ allowCountry });
      const phone = newNumber();
      const error = await errorOf(() => send(test, phone));
      expect([error['code'], error.message]).toEqual([
        'internal_error',
        expect.stringMatching(/^allowCountry /),
      ]);
      expect(test.texts.messages).toEqual([]);
      // Not charged either.
      expect(await inTurn(6, () => send(test, phone))).toEqual(Array(6).fill('internal_error'));
      await settled(test);
    });
  });

  describe('a send', () => {
    it('texts six digits and the product’s name, for five minutes, and tells listeners nothing of the number', async () => {
      const test = await makePhone();
      const phone = newNumber();
      const { expiresAt } = await send(test, phone);
      expect(expiresAt).toEqual(new Date(test.clock.now() + 5 * minute));
      expect(test.texts.messages).toEqual([
        {
          to: phone,
          body: expect.stringMatching(
            /^\d{6} is your code for Acme\. It expires in 5 minutes\. Give it to nobody\.$/,
          ),
        },
      ]);
      expect(await test.heard()).toEqual([{ name: 'code.sent', payload: { purpose: 'phone_code' } }]);
    });

    it('replaces the code before it', async () => {
      const test = await makePhone();
      const phone = newNumber();
      await send(test, phone);
      const first = test.texts.lastCode(phone)!;
      let second = first;
      while (second === first) {
        await send(test, phone);
        second = test.texts.lastCode(phone)!;
      }
      expect(await outcomeOf(() => verify(test, phone, first))).toBe('code_invalid');
      expect(await outcomeOf(() => verify(test, phone, second))).toBe('ok');
    });

    it('A-20 is one of five in 15 minutes to a number, however it is written', async () => {
      const test = await makePhone();
      const phone = newNumber();
      const spaced = phone.replace(/(\d{4})$/, ' - $1');
      expect(await inTurn(6, (i) => send(test, i % 2 ? phone : spaced))).toEqual([
        ...Array<string>(5).fill('ok'),
        'rate_limit_exceeded',
      ]);
      expect(await errorOf(() => send(test, phone))).toMatchObject({ retryAfterMs: 15 * minute });
      expect(await outcomeOf(() => send(test, newNumber()))).toBe('ok');
      test.clock.advance(15 * minute);
      expect(await outcomeOf(() => send(test, phone))).toBe('ok');
    });

    it('A-20 of 30 at once five are texted', async () => {
      const test = await makePhone();
      const phone = newNumber();
      expect(await race(30, () => send(test, phone))).toEqual({ ok: 5, rate_limit_exceeded: 25 });
      expect(test.texts.messages).toHaveLength(5);
    });

    it('A-20 is one of 20 in 15 minutes from a client, whichever the number', async () => {
      const test = await makePhone();
      const context = { ip: `192.0.2.${(numbers += 1) % 250}` };
      const outcomes = await inTurn(21, () => send(test, newNumber(), {}, context));
      expect(outcomes).toEqual([...Array<string>(20).fill('ok'), 'rate_limit_exceeded']);
      expect(await outcomeOf(() => send(test, newNumber(), {}, { ip: '198.51.100.1' }))).toBe('ok');
      expect(await outcomeOf(() => send(test, newNumber()))).toBe('ok');
    });

    it('C-44 is one of maxPerCountry to a country, whichever the number and the client', async () => {
      const test = await makePhone({ maxPerCountry: 3 });
      const outcomes = await inTurn(4, (i) => send(test, newNumber(), {}, { ip: `203.0.113.${i}` }));
      expect(outcomes).toEqual(['ok', 'ok', 'ok', 'rate_limit_exceeded']);
      expect(await outcomeOf(() => send(test, '+4915112345670'))).toBe('ok');
      test.clock.advance(15 * minute);
      expect(await outcomeOf(() => send(test, newNumber()))).toBe('ok');
    });

    it('that is refused by one limit is not charged to the others', async () => {
      const test = await makePhone({ maxPerCountry: 7 });
      const phone = newNumber();
      await inTurn(20, () => send(test, phone));
      expect(await inTurn(3, () => send(test, newNumber()))).toEqual(['ok', 'ok', 'rate_limit_exceeded']);
    });

    it('keeps metadata for the user, and refuses what is none', async () => {
      const test = await makePhone();
      expect(await outcomeOf(() => send(test, newNumber(), { metadata: 'x' }))).toBe('invalid_request');
      expect(await outcomeOf(() => send(test, newNumber(), { metadata: { count: 1n } }))).toBe(
        'invalid_request',
      );
      expect(test.texts.messages).toEqual([]);
    });
  });

  describe('a send that fails', () => {
    const refusing = (fault: () => unknown): SmsSender => ({ send: () => fault() as Promise<void> });

    it.each<[string, () => unknown]>([
      ['is rejected', () => Promise.reject(new Error('carrier says no'))],
      [
        'throws',
        () => {
          throw new Error('carrier says no');
        },
      ],
    ])(
      'because it %s is sms_send_failed, is not charged, and leaves no code behind',
      async (_what, fault) => {
        const test = await makePhone({ sender: refusing(fault) });
        const phone = newNumber();
        expect(await inTurn(7, () => send(test, phone))).toEqual(Array(7).fill('sms_send_failed'));
        expect(await outcomeOf(() => verify(test, phone, '123456'))).toBe('code_not_found');
        expect(await test.heard()).toEqual([]);
      },
    );

    it('A-93 is logged without the number and without the code, even if the carrier quotes both', async () => {
      const test = await makePhone({
        sender: {
          send: async ({ to, body }: { to: string; body: string }) => {
            throw Object.assign(new Error(`could not send "${body}" to ${to}`), { request: { to, body } });
          },
        },
      });
      const phone = newNumber();
      await outcomeOf(() => send(test, phone));
      const errors = test.log.filter(({ level }) => level === 'error');
      expect(errors).toHaveLength(1);
      const text = JSON.stringify(errors);
      expect(text).not.toContain(phone);
      expect(text).not.toContain(phone.slice(1));
      expect(text).not.toMatch(/"could not send "?\d{6}/);
      expect(text).toContain('[secret]');
    });

    it.each<[string, (to: string) => string]>([
      ['as it stands', (to) => to],
      ['without the plus', (to) => to.slice(1)],
      ['in a URL', (to) => encodeURIComponent(to)],
      ['in a form', (to) => new URLSearchParams({ to }).toString()],
    ])('A-93 is logged without the number where the carrier quotes it %s', async (_how, quote) => {
      const quoting = async ({ to }: { to: string }) => {
        throw new Error(`GET /send?${quote(to)} failed`, { cause: new Error(quote(to)) });
      };
      const test = await makePhone({ sender: { send: quoting } });
      const phone = newNumber();
      await outcomeOf(() => send(test, phone));
      const errors = JSON.stringify(test.log.filter(({ level }) => level === 'error'));
      expect(errors).toContain('[secret] failed');
      expect(errors).not.toContain(phone.slice(1));
    });

    it.each<[string, () => unknown]>([
      [
        'throws',
        () => {
          throw new Error('no template');
        },
      ],
      ['returns nothing', () => undefined],
      ['returns an empty text', () => ''],
      ['returns a number', () => 123456],
      ['returns an object', () => ({ toString: () => 'x' })],
      ['returns a promise of a text', async () => 'your code'],
      ['returns 1601 characters', () => 'x'.repeat(1601)],
      ['returns a promise that is rejected', () => Promise.reject(new Error('no template'))],
    ])('because its template %s is sms_send_failed, and nothing is texted', async (_what, template) => {
      const test = await makePhone({ template });
      const phone = newNumber();
      expect(await inTurn(6, () => send(test, phone))).toEqual(Array(6).fill('sms_send_failed'));
      expect(test.texts.messages).toEqual([]);
      expect(await outcomeOf(() => verify(test, phone, '123456'))).toBe('code_not_found');
      await settled(test);
    });

    it('leaves a code that was sent meanwhile alone', async () => {
      const texts = smsOutbox();
      let fail: ((error: Error) => void) | undefined;
      let calls = 0;
      const sender: SmsSender = {
        send: (message) => {
          calls += 1;
          if (calls > 1) return texts.send(message);
          return new Promise((_, reject) => {
            fail = reject;
          });
        },
      };
      const test = await makePhone({ sender });
      const phone = newNumber();
      const hanging = outcomeOf(() => send(test, phone));
      while (!fail) await new Promise((resolve) => setImmediate(resolve));
      await send(test, phone);
      fail(new Error('carrier says no'));
      expect(await hanging).toBe('sms_send_failed');
      expect(await outcomeOf(() => verify(test, phone, texts.lastCode(phone)))).toBe('ok');
    });

    it('may take a template of one’s own', async () => {
      const test = await makePhone({
        template: (values: object) => `Acme says ${JSON.stringify(values)}`,
        ttlMs: 90_000,
      });
      const phone = newNumber();
      await send(test, phone);
      const values = JSON.parse(test.texts.messages[0]!.body.slice('Acme says '.length)) as object;
      expect(values).toEqual({
        code: expect.stringMatching(/^\d{6}$/),
        expiresInMinutes: 2,
        appName: 'Acme',
      });
    });
  });

  describe('verify', () => {
    it('makes a user with the number and without an address, whom the next code finds', async () => {
      const test = await makePhone();
      const { phone, user, created, session } = await signIn(test);
      expect([created, session]).toEqual([true, undefined]);
      expect(user).toEqual({
        id: user.id,
        email: null,
        emailVerified: false,
        metadata: {},
        createdAt: new Date(test.clock.now()),
        updatedAt: new Date(test.clock.now()),
      });
      expect(await test.heard()).toEqual([
        { name: 'code.sent', payload: { purpose: 'phone_code' } },
        { name: 'user.created', payload: { userId: user.id, method: 'phone_code' } },
      ]);
      const again = await signIn(test, phone);
      expect([again.user.id, again.created]).toEqual([user.id, false]);
    });

    it('starts a session where one is asked for', async () => {
      const test = await makePhone();
      const phone = newNumber();
      await send(test, phone);
      const context = { startSession: true, ip: '192.0.2.7', userAgent: 'Test/1' };
      const { user, session } = await verify(test, phone, test.texts.lastCode(phone), context);
      expect(await test.service.getSessionUser(session!.token)).toEqual(user);
      expect(session!.session.device).toEqual({ ip: '192.0.2.7', userAgent: 'Test/1' });
    });

    it('lands metadata on a user whom this code creates, and on no other', async () => {
      const test = await makePhone();
      const phone = newNumber();
      const use = async (metadata: object) => {
        await send(test, phone, { metadata });
        return (await verify(test, phone, test.texts.lastCode(phone))).user.metadata;
      };
      expect(await use({ invitedBy: 'grace' })).toEqual({ invitedBy: 'grace' });
      expect(await use({ role: 'admin' })).toEqual({ invitedBy: 'grace' });
    });

    it('A-24 takes a code for five minutes, to the millisecond', async () => {
      const test = await makePhone();
      const [early, late] = [newNumber(), newNumber()];
      await send(test, early);
      await send(test, late);
      test.clock.advance(5 * minute - 1);
      expect(await outcomeOf(() => verify(test, early, test.texts.lastCode(early)))).toBe('ok');
      test.clock.advance(1);
      expect(await outcomeOf(() => verify(test, late, test.texts.lastCode(late)))).toBe('code_expired');
    });

    it('follows ttlMs, whatever code.ttlMs says', async () => {
      const test = await makePhone({ ttlMs: 60 * minute }, { code: { ttlMs: minute } });
      const phone = newNumber();
      await send(test, phone);
      test.clock.advance(60 * minute - 1);
      expect(await outcomeOf(() => verify(test, phone, test.texts.lastCode(phone)))).toBe('ok');
    });

    it('A-22 takes a code once; of 50 calls at once one, and they make one user', async () => {
      const test = await makePhone();
      const phone = newNumber();
      await send(test, phone);
      const code = test.texts.lastCode(phone);
      const users = new Set<string>();
      const tally = await race(50, async () => users.add((await verify(test, phone, code)).user.id));
      expect(tally).toEqual({ ok: 1, code_not_found: 49 });
      expect(users.size).toBe(1);
      expect(await outcomeOf(() => verify(test, phone, code))).toBe('code_not_found');
      expect((await test.heardNames()).filter((name) => name === 'user.created')).toHaveLength(1);
    });

    it('counts five wrong codes down, then refuses the right one; a new code has five again, ten in 15 minutes', async () => {
      const test = await makePhone();
      const phone = newNumber();
      for (const round of [1, 2]) {
        await send(test, phone);
        const code = test.texts.lastCode(phone)!;
        for (const attemptsRemaining of [4, 3, 2, 1, 0]) {
          const error = await errorOf(() => verify(test, phone, wrong(code)));
          expect([round, error]).toMatchObject([round, { code: 'code_invalid', attemptsRemaining }]);
        }
        const outcome = await outcomeOf(() => verify(test, phone, code));
        expect(outcome).toBe(round === 1 ? 'max_attempts_exceeded' : 'rate_limit_exceeded');
      }
      await send(test, phone);
      expect(await outcomeOf(() => verify(test, phone, test.texts.lastCode(phone)))).toBe(
        'rate_limit_exceeded',
      );
      test.clock.advance(15 * minute);
      await send(test, phone);
      expect(await outcomeOf(() => verify(test, phone, test.texts.lastCode(phone)))).toBe('ok');
    });

    it('takes the number in any spelling and the code with spaces', async () => {
      const test = await makePhone();
      const phone = newNumber();
      await send(test, phone);
      const code = test.texts.lastCode(phone)!.replace(/^.../, '$& ');
      expect(await outcomeOf(() => verify(test, phone.replace('555', ' 555-'), code))).toBe('ok');
    });

    it.each([undefined, null, 123456, {}, ['123456'], '', ' '.repeat(6), '1'.repeat(65)])(
      'of the code %p is invalid_request and costs no try',
      async (code) => {
        const test = await makePhone();
        const phone = newNumber();
        await send(test, phone);
        expect(await inTurn(6, () => verify(test, phone, code))).toEqual(Array(6).fill('invalid_request'));
        expect(await outcomeOf(() => verify(test, phone, test.texts.lastCode(phone)))).toBe('ok');
      },
    );

    it('takes no code of another number, and none that was mailed', async () => {
      const test = await makePhone();
      const [mine, theirs, email] = [newNumber(), newNumber(), person()];
      await send(test, mine);
      expect(await outcomeOf(() => verify(test, theirs, test.texts.lastCode(mine)))).toBe('code_not_found');
      await test.service.emailCode.sendCode({ email });
      const mailed = test.mail.lastCode(email);
      expect(await outcomeOf(() => verify(test, theirs, mailed))).toBe('code_not_found');
      expect(await outcomeOf(() => verify(test, email, mailed))).toBe('invalid_request');
      const asEmail = { email: mine, code: test.texts.lastCode(mine)! };
      expect(await outcomeOf(() => test.service.emailCode.verify(asEmail))).toBe('invalid_request');
      expect(await outcomeOf(() => verify(test, mine, test.texts.lastCode(mine)))).toBe('ok');
    });

    it('never resets a password: a number is no mailbox', async () => {
      const test = await makePhone();
      const { phone } = await signIn(test);
      expect(await test.service.emailPassword.requestReset({ email: phone })).toEqual({ sent: true });
      await settled(test);
      expect(test.mail.messages).toEqual([]);
      expect(test.texts.messages).toHaveLength(1);
    });

    it('A-16 meets the gate like any other first factor', async () => {
      const test = await makePhone(
        {},
        { encryptionKey: 'an encryption key, 32 bytes or more!', providers: { totp: true } },
      );
      const { phone, user } = await signIn(test);
      await enable(test, user);
      await send(test, phone);
      const result = await verify(test, phone, test.texts.lastCode(phone), { startSession: true });
      expect([result.session, result.pending?.token]).toEqual([undefined, expect.any(String)]);
    });

    it('a revocation between the look at the user and the session wins', async () => {
      const test = await makePhone();
      const { phone, user } = await signIn(test);
      const real = adapter();
      const slow = await makePhone(
        {},
        {
          clock: test.clock,
          adapter: {
            ...real,
            oneTimeCodes: {
              ...real.oneTimeCodes,
              consume: async (...input) => {
                await test.service.sessionsProvider.revokeAll(user.id);
                return real.oneTimeCodes.consume(...input);
              },
            },
          },
        },
      );
      await send(slow, phone);
      const signInAgain = () => verify(slow, phone, slow.texts.lastCode(phone), { startSession: true });
      expect(await outcomeOf(signInAgain)).toBe('token_invalid');
    });

    it('A-93 shows no number to the log, at a success or a failure', async () => {
      const test = await makePhone();
      const { phone } = await signIn(test);
      await send(test, phone);
      await outcomeOf(() => verify(test, phone, wrong(test.texts.lastCode(phone)!)));
      const failures = test.log.filter(({ fields }) => fields['event'] === 'sign_in_failed');
      const masked = `+12*******${phone.slice(-2)}`;
      expect(failures.map(({ fields }) => [fields['method'], fields['reason'], fields['address']])).toEqual([
        ['phone_code', 'code_invalid', masked],
      ]);
      expect(JSON.stringify(test.log)).not.toContain(phone.slice(3));
    });
  });

  describe('and guests', () => {
    it('one is upgraded by a number in any spelling, and signs in by it', async () => {
      const test = await makePhone();
      const { sessionsProvider } = test.service;
      const { user: guest } = await sessionsProvider.createGuest();
      const phone = newNumber();
      const upgrade = (userId: string, providerAccountId: string) =>
        sessionsProvider.upgrade({ userId, provider: 'phone', providerAccountId });
      await upgrade(guest.id, phone.replace('555', ' (555) '));
      const { user, created } = await signIn(test, phone);
      expect([user.id, created]).toEqual([guest.id, false]);
      // And nobody else can be, in whichever spelling.
      const other = await sessionsProvider.createGuest();
      for (const spelling of [phone, phone.replace('555', '-555-')]) {
        expect(await outcomeOf(() => upgrade(other.user.id, spelling))).toBe('not_authorized');
      }
      for (const none of ['2125550100', 'phone', '+19005551234']) {
        expect(await outcomeOf(() => upgrade(other.user.id, none))).toBe('invalid_request');
      }
    });
  });

  describe('and the account', () => {
    /** A guest who became a user by a number and an address that is not proven. */
    async function withBoth(test: PhoneService) {
      const { sessionsProvider } = test.service;
      const { user: guest } = await sessionsProvider.createGuest();
      const [phone, email] = [newNumber(), person()];
      const upgrade = { userId: guest.id, provider: 'phone', providerAccountId: phone, email };
      const { user } = await sessionsProvider.upgrade(upgrade);
      return { user, phone, email };
    }

    it('a claim takes the number along, and a code that is on its way to it', async () => {
      const test = await makePhone();
      const { user, phone, email } = await withBoth(test);
      await send(test, phone);
      const claimed = await verifiedUser(test, email);
      expect(claimed.id).toBe(user.id);
      expect(await adapter().identities.listForUser(user.id)).toEqual([]);
      expect(await outcomeOf(() => verify(test, phone, test.texts.lastCode(phone)))).toBe('code_not_found');
      // Whoever has the number gets an account of their own.
      expect(await signIn(test, phone)).toMatchObject({ created: true });
    });

    it('A-41 a password reset takes the code along, and leaves the number', async () => {
      const test = await makePhone();
      const { user, phone, email } = await withBoth(test);
      // Proven with a session of the account itself: that is no claim, and the number stays.
      const { token: sessionToken } = await test.service.sessionsProvider.create({ userId: user.id });
      await test.service.emailCode.sendCode({ email });
      await test.service.emailCode.verify({ email, code: test.mail.lastCode(email)! }, { sessionToken });
      await send(test, phone);
      const code = test.texts.lastCode(phone);
      await test.service.emailPassword.requestReset({ email });
      await settled(test);
      const token = new URL(test.mail.lastLink(email)!).searchParams.get('token')!;
      await test.service.emailPassword.setPassword({ token, newPassword: 'correct horse battery' });
      expect(await outcomeOf(() => verify(test, phone, code))).toBe('code_not_found');
      expect((await signIn(test, phone)).user.id).toBe(user.id);
    });

    it('a deletion takes the number and the code along; an export shows the number', async () => {
      const test = await makePhone();
      const { phone, user } = await signIn(test);
      const { identities } = await test.service.account.exportData(user.id);
      expect(identities).toMatchObject([{ provider: 'phone', providerAccountId: phone }]);
      await send(test, phone, { metadata: { left: 'behind' } });
      await test.service.account.deleteUser(user.id);
      expect(await outcomeOf(() => verify(test, phone, test.texts.lastCode(phone)))).toBe('code_not_found');
      if (!sql) return;
      for (const table of ['svc_users', 'svc_identities', 'svc_one_time_codes', 'svc_rate_limits']) {
        const rows = JSON.stringify(await sql(`select * from ${table}`));
        expect([table, rows.includes(phone), rows.includes(user.id)]).toEqual([table, false, false]);
      }
    });
  });

  it('close() closes the SMS sender, once, and a sender that cannot be closed breaks nothing', async () => {
    const closed: string[] = [];
    const sender = { send: async () => undefined, close: async () => void closed.push('sms') };
    const test = await makePhone({ sender });
    await test.service.close();
    expect(closed).toEqual(['sms']);
    const failing = await makePhone({ sender: { ...sender, close: () => Promise.reject(new Error('no')) } });
    expect(await outcomeOf(() => failing.service.close())).toBe('ok');
    const without = await makePhone({ sender: { send: async () => undefined } });
    expect(await outcomeOf(() => without.service.close())).toBe('ok');
  });

  it('a sender that hangs is sms_send_failed after 30 seconds', async () => {
    const real = setTimeout;
    const waits: number[] = [];
    // The one timer of a send; that of the database is left alone.
    globalThis.setTimeout = ((work: () => void, ms: number, ...rest: unknown[]) => {
      waits.push(ms);
      return real(work, ms === 30_000 ? 0 : ms, ...(rest as []));
    }) as typeof setTimeout;
    try {
      const test = await makePhone({ sender: { send: () => new Promise<void>(() => undefined) } });
      const phone = newNumber();
      expect(await outcomeOf(() => send(test, phone))).toBe('sms_send_failed');
      expect(waits).toContain(30_000);
      expect(await outcomeOf(() => verify(test, phone, '123456'))).toBe('code_not_found');
    } finally {
      globalThis.setTimeout = real;
    }
  });

  it.each<[string, PhoneOptions]>([
    ['no sender', { sender: undefined }],
    ['a sender without send', { sender: {} }],
    ['an allowCountry that is a list', { allowCountry: ['US'] }],
    ['a template that is a text', { template: 'your code: {code}' }],
    ['a lifetime of nothing', { ttlMs: 0 }],
    ['a limit of nothing', { maxPerCountry: 0 }],
    ['an option that does not exist', { allowCountries: () => true }],
  ])('%s is config_invalid', async (_what, options) => {
    expect(await outcomeOf(() => makePhone(options))).toBe('config_invalid');
  });
});

async function enable({ service, clock }: TestService, { id }: ServiceUser): Promise<void> {
  const { secret } = await service.totp.beginEnrollment(id);
  await service.totp.confirmEnrollment(id, codeAt(secret, clock.now()));
}
