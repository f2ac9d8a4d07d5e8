// Limits on wrong codes and on messages with codes (docs/security-requirements.md,
// C-13).
import type { CodeTemplate } from 'svc-auth';
import { outbox } from 'svc-auth/testing';
import { describeAdapters } from '../support/describe-adapters.js';
import { errorOf, runInSequence, outcomeOf, race } from '../support/outcomes.js';
import type { TestService } from '../support/make-service.js';

const minute = 60_000;
const day = 24 * 60 * minute;

/** Another code than this one. */
const wrong = (code: string | undefined) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describeAdapters('Limits of emailCode', ({ make, uniqueEmail }) => {
  const send = async ({ service, mail }: TestService, email: string) => {
    await service.emailCode.sendCode({ email });
    return mail.lastCode(email)!;
  };

  describe('wrong codes', () => {
    it('wrong codes are code_invalid five times, with 4 to 0 attempts left, then max_attempts_exceeded even for the right code', async () => {
      const test = await make();
      const email = uniqueEmail();
      const code = await send(test, email);
      for (const attemptsRemaining of [4, 3, 2, 1, 0]) {
        const error = await errorOf(() => test.service.emailCode.verify({ email, code: wrong(code) }));
        expect(error).toMatchObject({ code: 'code_invalid', attemptsRemaining });
      }
      const right = () => test.service.emailCode.verify({ email, code });
      expect(await runInSequence(3, right)).toEqual(Array(3).fill('max_attempts_exceeded'));
    });

    it('wrong codes are limited by code.maxAttempts', async () => {
      const test = await make({ code: { maxAttempts: 2 } });
      const email = uniqueEmail();
      const code = await send(test, email);
      const guess = () => test.service.emailCode.verify({ email, code: wrong(code) });
      expect(await runInSequence(3, guess)).toEqual([
        'code_invalid',
        'code_invalid',
        'max_attempts_exceeded',
      ]);
    });

    it('wrong codes do not prevent the right code at the fifth attempt', async () => {
      const test = await make();
      const email = uniqueEmail();
      const code = await send(test, email);
      await runInSequence(4, () => test.service.emailCode.verify({ email, code: wrong(code) }));
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code }))).toBe('ok');
    });

    //
    it('wrong codes are evaluated at most five times in 200 concurrent calls', async () => {
      const test = await make();
      const email = uniqueEmail();
      const code = await send(test, email);
      const tally = await race(200, () => test.service.emailCode.verify({ email, code: wrong(code) }));
      expect(tally['code_invalid']).toBe(5);
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code }))).toBe(
        'max_attempts_exceeded',
      );
    });

    // A-26, C-13
    it('wrong codes are limited to 10 in 15 minutes across codes, then even the right one is rate_limit_exceeded', async () => {
      const test = await make();
      const email = uniqueEmail();
      for (const _code of ['first', 'second']) {
        const code = await send(test, email);
        await runInSequence(5, () => test.service.emailCode.verify({ email, code: wrong(code) }));
      }
      const code = await send(test, email);
      const error = await errorOf(() => test.service.emailCode.verify({ email, code }));
      expect(error).toMatchObject({ code: 'rate_limit_exceeded', retryAfterMs: 15 * minute });
      // Other addresses are not affected.
      const other = uniqueEmail();
      const ofOther = await send(test, other);
      expect(await outcomeOf(() => test.service.emailCode.verify({ email: other, code: ofOther }))).toBe(
        'ok',
      );
      test.clock.advance(15 * minute);
      const fresh = await send(test, email);
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code: fresh }))).toBe('ok');
    });

    // A-26, C-13
    it('wrong codes are limited to 50 a day across codes', async () => {
      const test = await make();
      const email = uniqueEmail();
      const start = test.clock.now();
      let evaluated = 0;
      for (let quarter = 0; quarter < 8; quarter += 1) {
        for (const _code of ['first', 'second']) {
          const code = await send(test, email);
          const outcomes = await runInSequence(5, () =>
            test.service.emailCode.verify({ email, code: wrong(code) }),
          );
          evaluated += outcomes.filter((outcome) => outcome === 'code_invalid').length;
        }
        test.clock.advance(15 * minute);
      }
      expect(evaluated).toBe(50);
      // Codes have letters now: long-codes.test.ts.
      const error = await errorOf(() => test.service.emailCode.verify({ email, code: '000000' }));
      expect(error).toMatchObject({
        code: 'rate_limit_exceeded',
        retryAfterMs: start + day - test.clock.now(),
      });
      test.clock.set(start + day);
      const next = await send(test, email);
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code: next }))).toBe('ok');
    });

    // C-13
    it('wrong codes are limited to 200 in 15 minutes per client, for any addresses', async () => {
      const test = await make();
      const context = { ip: `192.0.2.${uniqueEmail().replace(/\D/g, '')}` };
      const addresses = Array.from({ length: 41 }, uniqueEmail);
      const codes = await Promise.all(addresses.map((email) => send(test, email)));
      const guess = (i: number) =>
        test.service.emailCode.verify({ email: addresses[i]!, code: wrong(codes[i]) }, context);
      for (let i = 0; i < 40; i += 1)
        expect(await runInSequence(5, () => guess(i))).toEqual(Array(5).fill('code_invalid'));
      expect(await outcomeOf(() => guess(40))).toBe('rate_limit_exceeded');
      // Another client is not affected.
      const [email, code] = [addresses[40]!, codes[40]!];
      expect(
        await outcomeOf(() => test.service.emailCode.verify({ email, code }, { ip: '198.51.100.1' })),
      ).toBe('ok');
    });

    it('wrong codes do not include right, expired and missing codes', async () => {
      const test = await make({ rateLimit: { maxPerWindow: 100 } });
      const email = uniqueEmail();
      for (let i = 0; i < 12; i += 1) {
        const code = await send(test, email);
        const outcomes = await runInSequence(2, () => test.service.emailCode.verify({ email, code }));
        expect(outcomes).toEqual(['ok', 'code_not_found']);
      }
      const code = await send(test, email);
      test.clock.advance(10 * minute);
      const late = await runInSequence(12, () => test.service.emailCode.verify({ email, code }));
      expect(late).toEqual(Array(12).fill('code_expired'));
    });
  });

  describe('messages', () => {
    it('messages are limited to 5 in 15 minutes per address, then rejected with the time to wait', async () => {
      const test = await make();
      const email = uniqueEmail();
      const sendOne = () => test.service.emailCode.sendCode({ email });
      await sendOne();
      test.clock.advance(5 * minute);
      expect(await runInSequence(5, sendOne)).toEqual([...Array(4).fill('ok'), 'rate_limit_exceeded']);
      expect(await errorOf(sendOne)).toMatchObject({ retryAfterMs: 10 * minute });
      expect(test.mail.messages).toHaveLength(5);
      test.clock.advance(10 * minute - 1);
      expect(await outcomeOf(sendOne)).toBe('rate_limit_exceeded');
      test.clock.advance(1);
      expect(await outcomeOf(sendOne)).toBe('ok');
    });

    it('messages are limited by rateLimit.maxPerWindow and windowMs', async () => {
      const test = await make({ rateLimit: { maxPerWindow: 2, windowMs: minute } });
      const email = uniqueEmail();
      const sendOne = () => test.service.emailCode.sendCode({ email });
      expect(await runInSequence(3, sendOne)).toEqual(['ok', 'ok', 'rate_limit_exceeded']);
      test.clock.advance(minute);
      expect(await outcomeOf(sendOne)).toBe('ok');
    });

    it('messages are counted per address, in any notation', async () => {
      const test = await make();
      const email = uniqueEmail();
      const forms = [email, email.toUpperCase(), ` ${email} `];
      const outcomes = await runInSequence(6, (i) =>
        test.service.emailCode.sendCode({ email: forms[i % 3]! }),
      );
      expect(outcomes).toEqual([...Array(5).fill('ok'), 'rate_limit_exceeded']);
    });

    it('messages are limited to 5 in 50 concurrent calls', async () => {
      const test = await make();
      const email = uniqueEmail();
      expect(await race(50, () => test.service.emailCode.sendCode({ email }))).toEqual({
        ok: 5,
        rate_limit_exceeded: 45,
      });
      expect(test.mail.messages).toHaveLength(5);
    });

    // A-20, C-13
    it('messages cannot flood a mailbox through its tags', async () => {
      const test = await make();
      const [local, domain] = uniqueEmail().split('@');
      const outcomes = await runInSequence(12, (i) =>
        test.service.emailCode.sendCode({ email: `${local}+${i}@${domain}` }),
      );
      expect(outcomes).toEqual([...Array(10).fill('ok'), ...Array(2).fill('rate_limit_exceeded')]);
    });

    // A-20, C-13
    it('messages are limited to 100 in 15 minutes per client', async () => {
      const test = await make();
      const context = { ip: `203.0.113.${uniqueEmail().replace(/\D/g, '')}` };
      const outcomes = await runInSequence(101, () =>
        test.service.emailCode.sendCode({ email: uniqueEmail() }, context),
      );
      expect(outcomes.slice(99)).toEqual(['ok', 'rate_limit_exceeded']);
      expect(outcomes.slice(0, 99)).toEqual(Array(99).fill('ok'));
    });

    it('messages keep the previous code when they are refused', async () => {
      const test = await make({ rateLimit: { maxPerWindow: 1 } });
      const email = uniqueEmail();
      const code = await send(test, email);
      expect(await outcomeOf(() => test.service.emailCode.sendCode({ email }))).toBe('rate_limit_exceeded');
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code }))).toBe('ok');
    });

    it('messages are email_send_failed, not counted and without a code when they fail', async () => {
      let failing = true;
      const codes: string[] = [];
      const mail = outbox();
      const sender = {
        async send(message: Parameters<typeof mail.send>[0]) {
          if (failing) throw new Error('connection refused');
          await mail.send(message);
        },
      };
      const template: CodeTemplate = ({ code }) => {
        codes.push(code);
        return { subject: 'Code', html: code, text: code };
      };
      const { service } = await make({ providers: { emailCode: { sender, template } } });
      const email = uniqueEmail();
      const sendOne = () => service.emailCode.sendCode({ email });
      expect(await runInSequence(20, sendOne)).toEqual(Array(20).fill('email_send_failed'));
      expect(await outcomeOf(() => service.emailCode.verify({ email, code: codes.at(-1)! }))).toBe(
        'code_not_found',
      );
      failing = false;
      expect(await runInSequence(6, sendOne)).toEqual([...Array(5).fill('ok'), 'rate_limit_exceeded']);
    });
  });
});
