// Sign-in by code (specification 1, 2.4, 3, 4.3).
import type { CodeTemplate } from 'svc-auth';
import { outbox } from 'svc-auth/testing';
import { describeAdapters, noting } from '../support/describe-adapters.js';
import { errorOf, inTurn, outcomeOf, race } from '../support/outcomes.js';
import type { TestService } from '../support/make-service.js';

const minute = 60_000;
const day = 24 * 60 * minute;

/** A code that is not this one. */
const wrong = (code: string | undefined) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describeAdapters('emailCode', ({ make, person, adapter, sql }) => {
  const send = async ({ service, mail }: TestService, email: string) => {
    await service.emailCode.sendCode({ email });
    return mail.lastCode(email)!;
  };

  describe('sendCode', () => {
    it('mails a 6-digit code that expires in 10 minutes', async () => {
      const { service, mail, clock } = await make();
      const email = person();
      expect(await service.emailCode.sendCode({ email })).toEqual({
        expiresAt: new Date(clock.now() + 600_000),
      });
      expect(mail.messages).toHaveLength(1);
      expect(mail.messages[0]).toMatchObject({ to: email, kind: 'email_code' });
      expect(mail.messages[0]).not.toHaveProperty('from');
      expect(mail.lastCode(email)).toMatch(/^\d{6}$/);
    });

    it('follows code.length and code.ttlMs', async () => {
      const { service, mail, clock } = await make({ code: { length: 8, ttlMs: 2 * minute } });
      const email = person();
      const { expiresAt } = await service.emailCode.sendCode({ email });
      expect(expiresAt.getTime()).toBe(clock.now() + 2 * minute);
      expect(mail.lastCode(email)).toMatch(/^\d{8}$/);
    });

    it('gives the template the code, the minutes and the name of the app, and the sender the from', async () => {
      const seen: unknown[] = [];
      const template: CodeTemplate = (values) => {
        seen.push(values);
        return { subject: 'S', html: '<b>H</b>', text: 'T' };
      };
      const { service, mail } = await make({
        providers: { emailCode: { template, from: 'Acme <a@acme.test>' } },
      });
      const email = person();
      await service.emailCode.sendCode({ email });
      expect(seen).toEqual([
        { code: expect.stringMatching(/^\d{6}$/), expiresInMinutes: 10, appName: 'Acme' },
      ]);
      expect(mail.messages).toEqual([
        {
          to: email,
          from: 'Acme <a@acme.test>',
          kind: 'email_code',
          subject: 'S',
          html: '<b>H</b>',
          text: 'T',
        },
      ]);
    });

    it('A-85 mails to the canonical address, whatever was typed', async () => {
      const { service, mail } = await make();
      const email = person();
      await service.emailCode.sendCode({ email: `  ${email.toUpperCase()} ` });
      expect(mail.messages.map(({ to }) => to)).toEqual([email]);
      expect((await service.emailCode.verify({ email, code: mail.lastCode(email)! })).user.email).toBe(email);
    });

    it.each([
      ['a bad address', { email: 'ada@' }],
      ['two addresses', { email: 'ada@example.com,eve@evil.com' }],
      ['no address', {}],
      ['a list of addresses', { email: ['ada@example.com'] }],
      ['metadata that is no object', { email: 'ada@example.com', metadata: 'x' }],
      ['T10 metadata in the reserved namespace', { email: 'ada@example.com', metadata: { __svc: {} } }],
    ])('given %s sends, stores and charges nothing', async (_name, input) => {
      const calls: string[] = [];
      const { service, mail } = await make({ adapter: noting(adapter(), calls) });
      calls.length = 0;
      expect(await outcomeOf(() => service.emailCode.sendCode(input as never))).toBe('invalid_request');
      expect(mail.messages).toEqual([]);
      expect(calls).toEqual([]);
    });
  });

  describe('verify', () => {
    it('creates the user when there is none and says so', async () => {
      const test = await make();
      const email = person();
      const code = await send(test, email);
      const result = await test.service.emailCode.verify({ email, code });
      expect(result).toEqual({
        created: true,
        user: {
          id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
          email,
          emailVerified: true,
          metadata: {},
          createdAt: new Date(test.clock.now()),
          updatedAt: new Date(test.clock.now()),
        },
      });
    });

    it('finds the same user the next time', async () => {
      const test = await make();
      const email = person();
      const first = await test.service.emailCode.verify({ email, code: await send(test, email) });
      const code = await send(test, email);
      const second = await test.service.emailCode.verify({ email: email.toUpperCase(), code });
      expect(second).toEqual({ user: first.user, created: false });
    });

    it('A-22 consumes the code: the second time it is code_not_found', async () => {
      const test = await make();
      const email = person();
      const code = await send(test, email);
      const verify = () => test.service.emailCode.verify({ email, code });
      expect(await inTurn(3, verify)).toEqual(['ok', 'code_not_found', 'code_not_found']);
    });

    it('answers code_not_found where none was sent', async () => {
      const { service } = await make();
      const verify = () => service.emailCode.verify({ email: person(), code: '123456' });
      expect(await outcomeOf(verify)).toBe('code_not_found');
    });

    it('A-25 takes a code until its last millisecond, then it is code_expired', async () => {
      const test = await make();
      const [early, late] = [person(), person()];
      const [good, bad] = [await send(test, early), await send(test, late)];
      test.clock.advance(600_000 - 1);
      expect(await outcomeOf(() => test.service.emailCode.verify({ email: early, code: good }))).toBe('ok');
      test.clock.advance(1);
      const verify = () => test.service.emailCode.verify({ email: late, code: bad });
      expect(await outcomeOf(verify)).toBe('code_expired');
      test.clock.advance(20 * 60 * minute);
      expect(await outcomeOf(verify)).toBe('code_expired');
    });

    it('A-29 knows the newest code only, with tries of its own', async () => {
      const test = await make();
      const email = person();
      const old = await send(test, email);
      const guess = (code: string) => errorOf(() => test.service.emailCode.verify({ email, code }));
      expect(await guess(wrong(old))).toMatchObject({ attemptsRemaining: 4 });
      let fresh = await send(test, email);
      if (fresh === old) fresh = await send(test, email);
      expect(await guess(old)).toMatchObject({ code: 'code_invalid', attemptsRemaining: 4 });
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code: fresh }))).toBe('ok');
    });

    it('A-27 takes a code for the address it was sent to only', async () => {
      const test = await make();
      const [victim, attacker] = [person(), person()];
      const ofVictim = await send(test, victim);
      let code = await send(test, attacker);
      if (code === ofVictim) code = await send(test, attacker);
      expect(await outcomeOf(() => test.service.emailCode.verify({ email: victim, code }))).toBe(
        'code_invalid',
      );
    });

    it('C-16 A-27 takes no hash that was moved to another address', async () => {
      const test = await make();
      const [victim, attacker] = [person(), person()];
      await send(test, victim);
      const code = await send(test, attacker);
      const now = new Date(test.clock.now());
      const reserved = await adapter().oneTimeCodes.reserveAttempt('email_code', attacker, 5, now);
      if (reserved.status !== 'reserved') throw new Error(reserved.status);
      const { codeHash, expiresAt } = reserved.code;
      await adapter().oneTimeCodes.replace({
        purpose: 'email_code',
        subject: victim,
        codeHash,
        expiresAt,
        metadata: {},
      });
      expect(await outcomeOf(() => test.service.emailCode.verify({ email: victim, code }))).toBe(
        'code_invalid',
      );
    });

    it.each([
      ['no code', undefined],
      ['an empty code', ''],
      ['a number', 123456],
      ['a list', ['123456']],
      ['an object', { $ne: null }],
      ['a kilobyte', '1'.repeat(1024)],
    ])('given %s answers invalid_request and counts no attempt', async (_name, code) => {
      const test = await make();
      const email = person();
      const right = await send(test, email);
      const bad = () => test.service.emailCode.verify({ email, code: code as string });
      expect(await inTurn(12, bad)).toEqual(Array(12).fill('invalid_request'));
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code: right }))).toBe('ok');
    });

    it('A-69 takes a code that was sent before the secret was changed', async () => {
      const before = await make();
      const email = person();
      const code = await send(before, email);
      const session = { secret: 'the secret after the rotation, 32 bytes or more' };
      const { secret } = before.config.session;
      const rotated = await make({ session: { ...session, previousSecrets: [secret as string] } });
      expect(await outcomeOf(() => rotated.service.emailCode.verify({ email, code }))).toBe('ok');
    });

    it('C-16 makes codes that are worthless without the secret they were made with', async () => {
      const before = await make();
      const email = person();
      const code = await send(before, email);
      const other = await make({ session: { secret: 'the secret of somebody else, 32 bytes or more' } });
      expect(await outcomeOf(() => other.service.emailCode.verify({ email, code }))).toBe('code_invalid');
    });
  });

  describe('metadata', () => {
    it('lands on the user that this code creates', async () => {
      const { service, mail } = await make();
      const email = person();
      await service.emailCode.sendCode({ email, metadata: { plan: 'pro', tags: ['a'] } });
      const { user } = await service.emailCode.verify({ email, code: mail.lastCode(email)! });
      expect(user.metadata).toEqual({ plan: 'pro', tags: ['a'] });
    });

    it('does not touch a user that there is', async () => {
      const test = await make();
      const email = person();
      await test.service.emailCode.verify({ email, code: await send(test, email) });
      await test.service.emailCode.sendCode({ email, metadata: { role: 'admin' } });
      const { user } = await test.service.emailCode.verify({ email, code: test.mail.lastCode(email)! });
      expect(user.metadata).toEqual({});
    });

    it('is that of the newest code', async () => {
      const { service, mail } = await make();
      const email = person();
      await service.emailCode.sendCode({ email, metadata: { from: 'first' } });
      await service.emailCode.sendCode({ email });
      const { user } = await service.emailCode.verify({ email, code: mail.lastCode(email)! });
      expect(user.metadata).toEqual({});
    });

    it('T10 makes nobody verified, and sets no password', async () => {
      const { service, mail } = await make();
      const email = person();
      const metadata = { passwordHash: 'x', emailVerified: false, id: '1', email: 'eve@evil.com' };
      await service.emailCode.sendCode({ email, metadata });
      const { user } = await service.emailCode.verify({ email, code: mail.lastCode(email)! });
      expect(user).toMatchObject({ email, emailVerified: true, metadata });
      expect(Object.keys(user).sort()).toEqual(
        'createdAt email emailVerified id metadata updatedAt'.split(' '),
      );
    });
  });

  describe('wrong codes', () => {
    it('are five times code_invalid, 4 to 0 remaining, then max_attempts_exceeded even for the right one', async () => {
      const test = await make();
      const email = person();
      const code = await send(test, email);
      for (const attemptsRemaining of [4, 3, 2, 1, 0]) {
        const error = await errorOf(() => test.service.emailCode.verify({ email, code: wrong(code) }));
        expect(error).toMatchObject({ code: 'code_invalid', attemptsRemaining });
      }
      const right = () => test.service.emailCode.verify({ email, code });
      expect(await inTurn(3, right)).toEqual(Array(3).fill('max_attempts_exceeded'));
    });

    it('follow code.maxAttempts', async () => {
      const test = await make({ code: { maxAttempts: 2 } });
      const email = person();
      const code = await send(test, email);
      const guess = () => test.service.emailCode.verify({ email, code: wrong(code) });
      expect(await inTurn(3, guess)).toEqual(['code_invalid', 'code_invalid', 'max_attempts_exceeded']);
    });

    it('do not keep the right code from working on the fifth try', async () => {
      const test = await make();
      const email = person();
      const code = await send(test, email);
      await inTurn(4, () => test.service.emailCode.verify({ email, code: wrong(code) }));
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code }))).toBe('ok');
    });

    it('A-26 are evaluated five times at most, of 200 at once', async () => {
      const test = await make();
      const email = person();
      const code = await send(test, email);
      const tally = await race(200, () => test.service.emailCode.verify({ email, code: wrong(code) }));
      expect(tally['code_invalid']).toBe(5);
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code }))).toBe(
        'max_attempts_exceeded',
      );
    });

    it('A-26 C-13 are 10 in 15 minutes across codes, then 429 even for the right one', async () => {
      const test = await make();
      const email = person();
      for (const _code of ['first', 'second']) {
        const code = await send(test, email);
        await inTurn(5, () => test.service.emailCode.verify({ email, code: wrong(code) }));
      }
      const code = await send(test, email);
      const error = await errorOf(() => test.service.emailCode.verify({ email, code }));
      expect(error).toMatchObject({ code: 'rate_limit_exceeded', retryAfterMs: 15 * minute });
      // Somebody else is not concerned.
      const other = person();
      const ofOther = await send(test, other);
      expect(await outcomeOf(() => test.service.emailCode.verify({ email: other, code: ofOther }))).toBe(
        'ok',
      );
      test.clock.advance(15 * minute);
      const fresh = await send(test, email);
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code: fresh }))).toBe('ok');
    });

    it('A-26 C-13 are 50 a day across codes', async () => {
      const test = await make();
      const email = person();
      const start = test.clock.now();
      let evaluated = 0;
      for (let quarter = 0; quarter < 8; quarter += 1) {
        for (const _code of ['first', 'second']) {
          const code = await send(test, email);
          const outcomes = await inTurn(5, () => test.service.emailCode.verify({ email, code: wrong(code) }));
          evaluated += outcomes.filter((outcome) => outcome === 'code_invalid').length;
        }
        test.clock.advance(15 * minute);
      }
      expect(evaluated).toBe(50);
      const code = await send(test, email);
      const error = await errorOf(() => test.service.emailCode.verify({ email, code }));
      expect(error).toMatchObject({
        code: 'rate_limit_exceeded',
        retryAfterMs: start + day - test.clock.now(),
      });
      test.clock.set(start + day);
      const next = await send(test, email);
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code: next }))).toBe('ok');
    });

    it('C-13 are 200 in 15 minutes per client, whichever address they are for', async () => {
      const test = await make();
      const context = { ip: `192.0.2.${person().replace(/\D/g, '')}` };
      const addresses = Array.from({ length: 41 }, person);
      const codes = await Promise.all(addresses.map((email) => send(test, email)));
      const guess = (i: number) =>
        test.service.emailCode.verify({ email: addresses[i]!, code: wrong(codes[i]) }, context);
      for (let i = 0; i < 40; i += 1)
        expect(await inTurn(5, () => guess(i))).toEqual(Array(5).fill('code_invalid'));
      expect(await outcomeOf(() => guess(40))).toBe('rate_limit_exceeded');
      // Another client still has them all.
      const [email, code] = [addresses[40]!, codes[40]!];
      expect(
        await outcomeOf(() => test.service.emailCode.verify({ email, code }, { ip: '198.51.100.1' })),
      ).toBe('ok');
    });

    it('are not what a right, an expired or a missing code is counted as', async () => {
      const test = await make({ rateLimit: { maxPerWindow: 100 } });
      const email = person();
      for (let i = 0; i < 12; i += 1) {
        const code = await send(test, email);
        const outcomes = await inTurn(2, () => test.service.emailCode.verify({ email, code }));
        expect(outcomes).toEqual(['ok', 'code_not_found']);
      }
      const code = await send(test, email);
      test.clock.advance(10 * minute);
      const late = await inTurn(12, () => test.service.emailCode.verify({ email, code }));
      expect(late).toEqual(Array(12).fill('code_expired'));
    });
  });

  describe('sends', () => {
    it('are 5 in 15 minutes per address, the next answers 429 with the time to wait', async () => {
      const test = await make();
      const email = person();
      const sendOne = () => test.service.emailCode.sendCode({ email });
      await sendOne();
      test.clock.advance(5 * minute);
      expect(await inTurn(5, sendOne)).toEqual([...Array(4).fill('ok'), 'rate_limit_exceeded']);
      expect(await errorOf(sendOne)).toMatchObject({ retryAfterMs: 10 * minute });
      expect(test.mail.messages).toHaveLength(5);
      test.clock.advance(10 * minute - 1);
      expect(await outcomeOf(sendOne)).toBe('rate_limit_exceeded');
      test.clock.advance(1);
      expect(await outcomeOf(sendOne)).toBe('ok');
    });

    it('follow rateLimit.maxPerWindow and windowMs', async () => {
      const test = await make({ rateLimit: { maxPerWindow: 2, windowMs: minute } });
      const email = person();
      const sendOne = () => test.service.emailCode.sendCode({ email });
      expect(await inTurn(3, sendOne)).toEqual(['ok', 'ok', 'rate_limit_exceeded']);
      test.clock.advance(minute);
      expect(await outcomeOf(sendOne)).toBe('ok');
    });

    it('are counted for the address, however it is written', async () => {
      const test = await make();
      const email = person();
      const forms = [email, email.toUpperCase(), ` ${email} `];
      const outcomes = await inTurn(6, (i) => test.service.emailCode.sendCode({ email: forms[i % 3]! }));
      expect(outcomes).toEqual([...Array(5).fill('ok'), 'rate_limit_exceeded']);
    });

    it('are no more than 5 of 50 at once', async () => {
      const test = await make();
      const email = person();
      expect(await race(50, () => test.service.emailCode.sendCode({ email }))).toEqual({
        ok: 5,
        rate_limit_exceeded: 45,
      });
      expect(test.mail.messages).toHaveLength(5);
    });

    it('A-20 C-13 do not flood one mailbox through its tags and dots', async () => {
      const test = await make();
      const [local, domain] = person().split('@');
      const outcomes = await inTurn(12, (i) =>
        test.service.emailCode.sendCode({ email: `${local}+${i}@${domain}` }),
      );
      expect(outcomes).toEqual([...Array(10).fill('ok'), ...Array(2).fill('rate_limit_exceeded')]);
    });

    it('A-20 C-13 are 100 in 15 minutes per client', async () => {
      const test = await make();
      const context = { ip: `203.0.113.${person().replace(/\D/g, '')}` };
      const outcomes = await inTurn(101, () => test.service.emailCode.sendCode({ email: person() }, context));
      expect(outcomes.slice(99)).toEqual(['ok', 'rate_limit_exceeded']);
      expect(outcomes.slice(0, 99)).toEqual(Array(99).fill('ok'));
    });

    it('that are refused keep the code that was sent before', async () => {
      const test = await make({ rateLimit: { maxPerWindow: 1 } });
      const email = person();
      const code = await send(test, email);
      expect(await outcomeOf(() => test.service.emailCode.sendCode({ email }))).toBe('rate_limit_exceeded');
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code }))).toBe('ok');
    });

    it('that fail answer email_send_failed, are not charged and leave no code', async () => {
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
      const email = person();
      const sendOne = () => service.emailCode.sendCode({ email });
      expect(await inTurn(20, sendOne)).toEqual(Array(20).fill('email_send_failed'));
      expect(await outcomeOf(() => service.emailCode.verify({ email, code: codes.at(-1)! }))).toBe(
        'code_not_found',
      );
      failing = false;
      expect(await inTurn(6, sendOne)).toEqual([...Array(5).fill('ok'), 'rate_limit_exceeded']);
    });
  });

  describe('races', () => {
    it('of 50 with the right code have one winner and make one user', async () => {
      const test = await make();
      const email = person();
      const code = await send(test, email);
      const winners: unknown[] = [];
      const tally = await race(50, async () => {
        winners.push(await test.service.emailCode.verify({ email, code }));
      });
      expect(tally['ok']).toBe(1);
      expect(winners).toEqual([expect.objectContaining({ created: true })]);
      // None of the others fails in another way than by losing.
      const lost = ['code_not_found', 'max_attempts_exceeded', 'rate_limit_exceeded'];
      expect(Object.keys(tally).filter((outcome) => outcome !== 'ok' && !lost.includes(outcome))).toEqual([]);
      // Nor does losing count against the address.
      const next = await send(test, email);
      expect(await test.service.emailCode.verify({ email, code: next })).toMatchObject({ created: false });
    });

    it('of a code and a link for one new address make one user', async () => {
      const test = await make();
      const email = person();
      const code = await send(test, email);
      const { url } = await test.service.magicLink.sendLink({ email });
      const token = new URL(url).searchParams.get('token')!;
      const results = await Promise.all([
        test.service.emailCode.verify({ email, code }),
        test.service.magicLink.verify(token),
      ]);
      expect(new Set(results.map(({ user }) => user.id)).size).toBe(1);
      expect(results.filter(({ created }) => created)).toHaveLength(1);
    });
  });

  if (!sql) return;
  describe('the database', () => {
    it('A-28 holds no code and no address in its counters', async () => {
      const test = await make();
      const email = person();
      const code = await send(test, email);
      await inTurn(2, () => test.service.emailCode.verify({ email, code: wrong(code) }));
      const rows = JSON.stringify(await sql(`select * from svc_one_time_codes where subject = '${email}'`));
      expect(rows).toContain(email);
      expect(rows).not.toMatch(new RegExp(`(?<!\\d)${code}(?!\\d)`));
      const counters = JSON.stringify(await sql('select key from svc_rate_limits'));
      expect(counters).toContain('guess:email_code:');
      expect(counters).not.toContain('@');
    });

    it('that fails is internal_error with a constant text, and nothing needs a restart', async () => {
      const test = await make();
      const email = person();
      const code = await send(test, email);
      const verify = () => test.service.emailCode.verify({ email, code });
      await sql('alter table svc_one_time_codes rename to svc_one_time_codes_away');
      try {
        const error = await errorOf(verify);
        expect(error).toMatchObject({ code: 'internal_error', cause: expect.anything() });
        expect(error.message).not.toMatch(/svc_one_time_codes|relation/);
        // Nor is that a wrong code, of which there may be ten.
        expect(await inTurn(12, verify)).toEqual(Array(12).fill('internal_error'));
        expect(await outcomeOf(() => test.service.emailCode.sendCode({ email: person() }))).toBe(
          'internal_error',
        );
      } finally {
        await sql('alter table svc_one_time_codes_away rename to svc_one_time_codes');
      }
      expect(await outcomeOf(verify)).toBe('ok');
    });

    it('A-84 takes quotes and SQL in every text for text', async () => {
      const test = await make();
      const email = `o'hara.${Date.now()}'--@example.com`;
      const metadata = { note: `'); drop table svc_users; --`, "ke'y": '\\' };
      await test.service.emailCode.sendCode({ email, metadata });
      const { user } = await test.service.emailCode.verify({ email, code: test.mail.lastCode(email)! });
      expect(user).toMatchObject({ email, metadata });
      const injected = () => test.service.emailCode.verify({ email, code: `' or '1'='1` });
      expect(await outcomeOf(injected)).toBe('code_not_found');
      expect(await test.service.getSessionUser(test.service.createSessionToken(user.id).token)).toEqual(user);
    });
  });
});
