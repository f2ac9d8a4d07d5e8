// Phone numbers and text messages with codes (specification 4.3 `phoneOtp`;
// docs/decisions/phone-numbers.md; C-44).
import { englishMailTexts, type SmsSender } from 'svc-auth';
import { smsOutbox } from 'svc-auth/testing';
import { describeAdapters } from '../support/describe-adapters.js';
import { minute, settleService } from '../support/make-pro-service.js';
import { errorOf, runInSequence, outcomeOf, race } from '../support/outcomes.js';
import { plainBrand } from '../support/every-mail.js';
import { newClient, newNumber, phoneOtp, type PhoneOptions } from './phone-otp-service.js';

describeAdapters('Text messages with codes', (on) => {
  const { adapter } = on;
  const { makePhone, send, verify } = phoneOtp(on);

  describe('a phone number', () => {
    // A-14, C-44
    it.each([
      ['+14155552671', '+14155552671'],
      ['+1 (415) 555-2671', '+14155552671'],
      ['+1.415.555.2671', '+14155552671'],
      ['+49 1511 2345678', '+4915112345678'],
      ['+44 (0)20 7946 0958', '+442079460958'],
      ['+39 06 1234 5678', '+390612345678'],
      // Fictional: in no list of ranges, but an international number of valid length.
      ['+1 555 555 0100', '+15555550100'],
      ['+1 202 555 0100', '+12025550100'],
    ])('is normalized: %s is %s', async (written, e164) => {
      const test = await makePhone();
      await send(test, written);
      expect(test.texts.messages.map(({ to }) => to)).toEqual([e164]);
      const { user, created } = await verify(test, e164, test.texts.lastCode(e164));
      const [identity, ...others] = await adapter().identities.listForUser(user.id);
      expect([identity, others]).toMatchObject([{ provider: 'phone', providerAccountId: e164 }, []]);
      expect(created).toBe(true);
      await test.service.account.deleteUser(user.id);
    });

    // C-44
    it.each<[string, unknown]>([
      ['without a country', '4155552671'],
      ['with 00 instead of the plus', '0014155552671'],
      ['with NUL', '+1415555\x002671'],
      ['with six digits, and punctuation enough for seven', '+49 (151) 2'],
      ['with a carrier selection code', '+861234563800138000'],
      ['with two zeros of a national prefix', '+4900 (151) 23'],
      ['with an extension', '+14155552671 ext. 12'],
      ['with an extension as in RFC 3966', '+14155552671;ext=12'],
      ['with x12', '+14155552671x12'],
      ['with two plus signs', '++14155552671'],
      ['as a tel: URI', 'tel:+14155552671'],
      ['inside a sentence', 'call +14155552671 now'],
      ['in letters', '+1415GOFEDEX'],
      ['that is too short', '+141'],
      ['that is too long', '+1415555267112345'],
      ['of a country that does not exist', '+999123456789'],
      ['at a premium rate', '+19005551234'],
      ['at a premium rate of another country', '+449098790123'],
      ['at shared cost', '+448431234567'],
      ['without a country: freephone', '+80012345678'],
      ['without a country: satellite', '+870773111632'],
      ['without a country: a network', '+882161234567'],
      ['of 100 KB', `+1${'4'.repeat(100_000)}`],
      ['of 100 KB of spaces', `+1${' '.repeat(100_000)}4155552671`],
      ['that is empty', ''],
      ['that is absent', undefined],
      ['that is null', null],
      ['that is a number', 14155552671],
      ['that is a list', ['+14155552671']],
      ['that is an object', { toString: () => '+14155552671' }],
      ['with a lone surrogate', '+14155552671\ud800'],
    ])('is rejected with invalid_request, without a message, lookup or count: %s', async (_what, phone) => {
      const test = await makePhone();
      expect(await outcomeOf(() => send(test, phone))).toBe('invalid_request');
      expect(await outcomeOf(() => verify(test, phone, '123456'))).toBe('invalid_request');
      expect(test.texts.messages).toEqual([]);
    });
  });

  describe('allowCountry', () => {
    // C-44
    it('allowCountry is called with the country of the number and permits it only by true', async () => {
      const countries: string[] = [];
      const test = await makePhone({
        allowCountry: (iso2: string) => {
          countries.push(iso2);
          return iso2 !== 'GB';
        },
      });
      expect(await outcomeOf(() => send(test, newNumber()))).toBe('ok');
      expect(await outcomeOf(() => send(test, '+4915112345678'))).toBe('ok');
      expect(await outcomeOf(() => send(test, '+447400123456'))).toBe('invalid_request');
      // The same calling code but another country: Guernsey.
      expect(await outcomeOf(() => send(test, '+447911123456'))).toBe('ok');
      expect(countries).toEqual(['US', 'DE', 'GB', 'GG']);
      expect(test.texts.messages.map(({ to }) => to.slice(0, 3))).toEqual(['+12', '+49', '+44']);
    });

    it('allowCountry is called when a code is sent, not when it is verified', async () => {
      let isOpen = true;
      const test = await makePhone({ allowCountry: () => isOpen });
      const phone = newNumber();
      await send(test, phone);
      isOpen = false;
      expect(await outcomeOf(() => verify(test, phone, test.texts.lastCode(phone)))).toBe('ok');
    });

    // C-44
    it.each<[string, () => unknown]>([
      [
        'throws',
        () => {
          throw new Error('the list of countries is missing');
        },
      ],
      ['returns nothing', () => undefined],
      ['returns null', () => null],
      ['returns 1', () => 1],
      ['returns "false"', () => 'false'],
      ['returns an object', () => ({})],
      ['returns a promise of true', async () => true],
      ['returns a promise of false', async () => false],
      ['returns a promise that is rejected', () => Promise.reject(new Error('too late'))],
      ['returns a thenable that never settles', () => ({ then: () => undefined })],
    ])('sends nothing and names itself in the error if it %s', async (_what, allowCountry) => {
      const test = await makePhone({ allowCountry });
      const phone = newNumber();
      const error = await errorOf(() => send(test, phone));
      expect([error['code'], error.message]).toEqual([
        'internal_error',
        expect.stringMatching(/^allowCountry /),
      ]);
      expect(test.texts.messages).toEqual([]);
      // No attempt is counted either.
      expect(await runInSequence(6, () => send(test, phone))).toEqual(Array(6).fill('internal_error'));
      await settleService(test);
    });
  });

  describe('sendCode', () => {
    it('sends six digits and the name of the product, valid for five minutes, and emits an event without the number', async () => {
      const test = await makePhone();
      const phone = newNumber();
      const { expiresAt } = await send(test, phone);
      expect(expiresAt).toEqual(new Date(test.clock.now() + 5 * minute));
      expect(test.texts.messages).toEqual([
        {
          to: phone,
          body: expect.stringMatching(
            /^\d{6} is your code for Acme\. It expires in 5 minutes\. Don't share this code with anyone\.$/,
          ),
        },
      ]);
      expect(await test.takeEvents()).toEqual([{ name: 'code.sent', payload: { purpose: 'phone_code' } }]);
    });

    it('replaces the previous code', async () => {
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

    // A-20
    it('limits a number to five messages in 15 minutes, in any notation', async () => {
      const test = await makePhone();
      const phone = newNumber();
      const spaced = phone.replace(/(\d{4})$/, ' - $1');
      expect(await runInSequence(6, (i) => send(test, i % 2 ? phone : spaced))).toEqual([
        ...Array<string>(5).fill('ok'),
        'rate_limit_exceeded',
      ]);
      expect(await errorOf(() => send(test, phone))).toMatchObject({ retryAfterMs: 15 * minute });
      expect(await outcomeOf(() => send(test, newNumber()))).toBe('ok');
      test.clock.advance(15 * minute);
      expect(await outcomeOf(() => send(test, phone))).toBe('ok');
    });

    // A-20
    it('sends five messages for 30 concurrent calls', async () => {
      const test = await makePhone();
      const phone = newNumber();
      expect(await race(30, () => send(test, phone))).toEqual({ ok: 5, rate_limit_exceeded: 25 });
      expect(test.texts.messages).toHaveLength(5);
    });

    // A-20
    it('limits a client to 20 messages in 15 minutes, to any numbers', async () => {
      const test = await makePhone();
      const context = { ip: newClient() };
      const outcomes = await runInSequence(21, () => send(test, newNumber(), {}, context));
      expect(outcomes).toEqual([...Array<string>(20).fill('ok'), 'rate_limit_exceeded']);
      expect(await outcomeOf(() => send(test, newNumber(), {}, { ip: '198.51.100.1' }))).toBe('ok');
      expect(await outcomeOf(() => send(test, newNumber()))).toBe('ok');
    });

    // C-44
    it('limits a country to maxPerCountry messages, from any clients', async () => {
      const test = await makePhone({ maxPerCountry: 3 });
      const outcomes = await runInSequence(4, (i) => send(test, newNumber(), {}, { ip: `203.0.113.${i}` }));
      expect(outcomes).toEqual(['ok', 'ok', 'ok', 'rate_limit_exceeded']);
      expect(await outcomeOf(() => send(test, '+4915112345670'))).toBe('ok');
      test.clock.advance(15 * minute);
      expect(await outcomeOf(() => send(test, newNumber()))).toBe('ok');
    });

    it('counts a message that one limit refuses against no other limit', async () => {
      const test = await makePhone({ maxPerCountry: 7 });
      const phone = newNumber();
      await runInSequence(20, () => send(test, phone));
      expect(await runInSequence(3, () => send(test, newNumber()))).toEqual([
        'ok',
        'ok',
        'rate_limit_exceeded',
      ]);
    });

    it('rejects invalid metadata with invalid_request', async () => {
      const test = await makePhone();
      expect(await outcomeOf(() => send(test, newNumber(), { metadata: 'x' }))).toBe('invalid_request');
      expect(await outcomeOf(() => send(test, newNumber(), { metadata: { count: 1n } }))).toBe(
        'invalid_request',
      );
      expect(test.texts.messages).toEqual([]);
    });
  });

  describe('a message that cannot be sent', () => {
    const refusing = (fault: () => unknown): SmsSender => ({ send: () => fault() as Promise<void> });

    it.each<[string, () => unknown]>([
      ['rejects', () => Promise.reject(new Error('carrier says no'))],
      [
        'throws',
        () => {
          throw new Error('carrier says no');
        },
      ],
    ])('is sms_send_failed if the sender %s, counts nothing and leaves no code', async (_what, fault) => {
      const test = await makePhone({ sender: refusing(fault) });
      const phone = newNumber();
      expect(await runInSequence(7, () => send(test, phone))).toEqual(Array(7).fill('sms_send_failed'));
      expect(await outcomeOf(() => verify(test, phone, '123456'))).toBe('code_not_found');
      expect(await test.takeEvents()).toEqual([]);
    });

    // A-93
    it('logs a failed message without the number and the code, even if the carrier quotes both', async () => {
      const test = await makePhone({
        sender: {
          send: async ({ to, body }: { to: string; body: string }) => {
            throw Object.assign(new Error(`could not send "${body}" to ${to}`), { request: { to, body } });
          },
        },
      });
      const phone = newNumber();
      await outcomeOf(() => send(test, phone));
      const errors = test.log.filter(({ fields }) => fields['event'] === 'sms_failed');
      expect(errors).toHaveLength(1);
      const text = JSON.stringify(errors);
      expect(text).not.toContain(phone);
      expect(text).not.toContain(phone.slice(1));
      expect(text).not.toMatch(/"could not send "?\d{6}/);
      expect(text).toContain('[secret]');
    });

    // A-93
    it.each<[string, (to: string) => string]>([
      ['unchanged', (to) => to],
      ['without the plus', (to) => to.slice(1)],
      ['in a URL', (to) => encodeURIComponent(to)],
      ['in a form', (to) => new URLSearchParams({ to }).toString()],
    ])('is logged without the number if the carrier quotes it %s', async (_how, quote) => {
      const quoting = async ({ to }: { to: string }) => {
        throw new Error(`GET /send?${quote(to)} failed`, { cause: new Error(quote(to)) });
      };
      const test = await makePhone({ sender: { send: quoting } });
      const phone = newNumber();
      await outcomeOf(() => send(test, phone));
      const errors = JSON.stringify(test.log.filter(({ fields }) => fields['event'] === 'sms_failed'));
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
      ['returns an empty string', () => ''],
      ['returns a number', () => 123456],
      ['returns an object', () => ({ toString: () => 'x' })],
      ['returns a promise of a string', async () => 'your code'],
      ['returns 1601 characters', () => 'x'.repeat(1601)],
      ['returns a promise that is rejected', () => Promise.reject(new Error('no template'))],
    ])('is sms_send_failed if the template %s, and no message is sent', async (_what, template) => {
      const test = await makePhone({ template });
      const phone = newNumber();
      expect(await runInSequence(6, () => send(test, phone))).toEqual(Array(6).fill('sms_send_failed'));
      expect(test.texts.messages).toEqual([]);
      expect(await outcomeOf(() => verify(test, phone, '123456'))).toBe('code_not_found');
      await settleService(test);
    });

    it('keeps a newer code when an earlier message fails', async () => {
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

    it('uses a template of the application', async () => {
      const templateValues: unknown[] = [];
      const template = (values: { code: string }) => {
        templateValues.push(values);
        return `Acme says ${values.code}`;
      };
      const test = await makePhone({ template, ttlMs: 90_000 });
      const phone = newNumber();
      await send(test, phone);
      const [, code] = /^Acme says (\d{6})$/.exec(test.texts.messages[0]!.body)!;
      expect(templateValues[0]).toEqual({
        code,
        expiresInMinutes: 2,
        appName: 'Acme',
        language: 'en',
        texts: englishMailTexts,
        brand: plainBrand('Acme'),
      });
    });
  });

  it('closes the SMS sender once with close(), and ignores a sender that fails to close', async () => {
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

  it('rejects with sms_send_failed after 30 seconds if the sender never settles', async () => {
    const real = setTimeout;
    const waits: number[] = [];
    // Shortens the timer of the sender only; the timers of the database stay unchanged.
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
    ['a template that is a string', { template: 'your code: {code}' }],
    ['a lifetime of zero', { ttlMs: 0 }],
    ['a limit of zero', { maxPerCountry: 0 }],
    ['an unknown option', { allowCountries: () => true }],
  ])('rejects %s with config_invalid', async (_what, options) => {
    expect(await outcomeOf(() => makePhone(options))).toBe('config_invalid');
  });
});
