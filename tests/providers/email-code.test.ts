// Sign-in by code (specification 1, 2.4, 3, 4.3).
import { englishMailTexts, type CodeTemplate } from 'svc-auth';
import { describeAdapters, recordCalls } from '../support/describe-adapters.js';
import { errorOf, runInSequence, outcomeOf, race } from '../support/outcomes.js';
import type { TestService } from '../support/make-service.js';
import { plainBrand } from '../support/every-mail.js';

const minute = 60_000;

/** Another code than this one. */
const wrong = (code: string | undefined) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describeAdapters('emailCode', ({ make, uniqueEmail, adapter, sql }) => {
  const send = async ({ service, mail }: TestService, email: string) => {
    await service.emailCode.sendCode({ email });
    return mail.lastCode(email)!;
  };

  describe('sendCode', () => {
    it('mails a 6-digit code that expires in 10 minutes', async () => {
      const { service, mail, clock } = await make();
      const email = uniqueEmail();
      expect(await service.emailCode.sendCode({ email })).toEqual({
        expiresAt: new Date(clock.now() + 600_000),
      });
      expect(mail.messages).toHaveLength(1);
      expect(mail.messages[0]).toMatchObject({ to: email, kind: 'email_code' });
      expect(mail.messages[0]).not.toHaveProperty('from');
      expect(mail.lastCode(email)).toMatch(/^\d{6}$/);
    });

    it('applies code.length and code.ttlMs', async () => {
      const { service, mail, clock } = await make({ code: { length: 8, ttlMs: 2 * minute } });
      const email = uniqueEmail();
      const { expiresAt } = await service.emailCode.sendCode({ email });
      expect(expiresAt.getTime()).toBe(clock.now() + 2 * minute);
      expect(mail.lastCode(email)).toMatch(/^\d{8}$/);
    });

    it('passes the code, the minutes and the name of the app to the template, and from to the sender', async () => {
      const templateValues: unknown[] = [];
      const template: CodeTemplate = (values) => {
        templateValues.push(values);
        return { subject: 'S', html: '<b>H</b>', text: 'T' };
      };
      const { service, mail } = await make({
        providers: { emailCode: { template, from: 'Acme <a@acme.test>' } },
      });
      const email = uniqueEmail();
      await service.emailCode.sendCode({ email });
      // The mail may be rendered again, in another language, so that the time does not depend on the account.
      expect(templateValues[0]).toEqual({
        code: expect.stringMatching(/^\d{6}$/),
        expiresInMinutes: 10,
        appName: 'Acme',
        language: 'en',
        texts: englishMailTexts,
        brand: plainBrand('Acme'),
      });
      expect(mail.messages).toEqual([
        {
          to: email,
          from: 'Acme <a@acme.test>',
          kind: 'email_code',
          subject: 'S',
          html: '<b>H</b>',
          text: 'T',
          headers: { 'Auto-Submitted': 'auto-generated' },
        },
      ]);
    });

    //
    it('mails to the canonical address', async () => {
      const { service, mail } = await make();
      const email = uniqueEmail();
      await service.emailCode.sendCode({ email: `  ${email.toUpperCase()} ` });
      expect(mail.messages.map(({ to }) => to)).toEqual([email]);
      expect((await service.emailCode.verify({ email, code: mail.lastCode(email)! })).user.email).toBe(email);
    });

    it.each([
      ['a bad address', { email: 'ada@' }],
      ['two addresses', { email: 'ada@example.com,eve@evil.com' }],
      ['no address', {}],
      ['a list of addresses', { email: ['ada@example.com'] }],
      ['metadata that is not an object', { email: 'ada@example.com', metadata: 'x' }],
      // T10
      ['metadata in the reserved namespace', { email: 'ada@example.com', metadata: { __svc: {} } }],
    ])('sends, stores and counts nothing for %s', async (_name, input) => {
      const calls: string[] = [];
      const { service, mail } = await make({ adapter: recordCalls(adapter(), calls) });
      calls.length = 0;
      expect(await outcomeOf(() => service.emailCode.sendCode(input as never))).toBe('invalid_request');
      expect(mail.messages).toEqual([]);
      expect(calls).toEqual([]);
    });
  });

  describe('verify', () => {
    it('creates the user if there is none', async () => {
      const test = await make();
      const email = uniqueEmail();
      const code = await send(test, email);
      const result = await test.service.emailCode.verify({ email, code });
      expect(result).toEqual({
        created: true,
        method: 'email_code',
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

    it('finds the same user at the next sign-in', async () => {
      const test = await make();
      const email = uniqueEmail();
      const first = await test.service.emailCode.verify({ email, code: await send(test, email) });
      const code = await send(test, email);
      const second = await test.service.emailCode.verify({ email: email.toUpperCase(), code });
      expect(second).toEqual({ user: first.user, created: false, method: 'email_code' });
    });

    //
    it('accepts a code once: afterwards it is code_not_found', async () => {
      const test = await make();
      const email = uniqueEmail();
      const code = await send(test, email);
      const verify = () => test.service.emailCode.verify({ email, code });
      expect(await runInSequence(3, verify)).toEqual(['ok', 'code_not_found', 'code_not_found']);
    });

    it('rejects with code_not_found if no code was sent', async () => {
      const { service } = await make();
      const verify = () => service.emailCode.verify({ email: uniqueEmail(), code: '123456' });
      expect(await outcomeOf(verify)).toBe('code_not_found');
    });

    //
    it('accepts a code until its last millisecond: afterwards it is code_expired', async () => {
      const test = await make();
      const [early, late] = [uniqueEmail(), uniqueEmail()];
      const [good, bad] = [await send(test, early), await send(test, late)];
      test.clock.advance(600_000 - 1);
      expect(await outcomeOf(() => test.service.emailCode.verify({ email: early, code: good }))).toBe('ok');
      test.clock.advance(1);
      const verify = () => test.service.emailCode.verify({ email: late, code: bad });
      expect(await outcomeOf(verify)).toBe('code_expired');
      test.clock.advance(20 * 60 * minute);
      expect(await outcomeOf(verify)).toBe('code_expired');
    });

    //
    it('accepts only the newest code, with its own count of attempts', async () => {
      const test = await make();
      const email = uniqueEmail();
      const old = await send(test, email);
      const guess = (code: string) => errorOf(() => test.service.emailCode.verify({ email, code }));
      expect(await guess(wrong(old))).toMatchObject({ attemptsRemaining: 4 });
      let fresh = await send(test, email);
      if (fresh === old) fresh = await send(test, email);
      expect(await guess(old)).toMatchObject({ code: 'code_invalid', attemptsRemaining: 4 });
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code: fresh }))).toBe('ok');
    });

    //
    it('accepts a code only for the address that it was sent to', async () => {
      const test = await make();
      const [victim, attacker] = [uniqueEmail(), uniqueEmail()];
      const ofVictim = await send(test, victim);
      let code = await send(test, attacker);
      if (code === ofVictim) code = await send(test, attacker);
      expect(await outcomeOf(() => test.service.emailCode.verify({ email: victim, code }))).toBe(
        'code_invalid',
      );
    });

    // C-16, A-27
    it('rejects a hash that was moved to another address', async () => {
      const test = await make();
      const [victim, attacker] = [uniqueEmail(), uniqueEmail()];
      await send(test, victim);
      const code = await send(test, attacker);
      const now = new Date(test.clock.now());
      const guess = { purpose: 'email_code', subject: attacker, codeHashes: [], maxAttempts: 5 } as const;
      const outcome = await adapter().oneTimeCodes.attempt({ ...guess, now });
      if (outcome.status !== 'wrong') throw new Error(outcome.status);
      const { codeHash, expiresAt } = outcome.code;
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
    ])('rejects %s with invalid_request and counts no attempt', async (_name, code) => {
      const test = await make();
      const email = uniqueEmail();
      const right = await send(test, email);
      const bad = () => test.service.emailCode.verify({ email, code: code as string });
      expect(await runInSequence(12, bad)).toEqual(Array(12).fill('invalid_request'));
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code: right }))).toBe('ok');
    });

    //
    it('accepts a code of a previous secret', async () => {
      const before = await make();
      const email = uniqueEmail();
      const code = await send(before, email);
      const session = { secret: 'the secret after the rotation, 32 bytes or more' };
      const { secret } = before.config.session;
      const rotated = await make({ session: { ...session, previousSecrets: [secret as string] } });
      expect(await outcomeOf(() => rotated.service.emailCode.verify({ email, code }))).toBe('ok');
    });

    // C-16
    it('rejects codes that another secret created', async () => {
      const before = await make();
      const email = uniqueEmail();
      const code = await send(before, email);
      const other = await make({ session: { secret: 'the secret of another service, 32 bytes or more' } });
      expect(await outcomeOf(() => other.service.emailCode.verify({ email, code }))).toBe('code_invalid');
    });
  });

  describe('metadata', () => {
    it('metadata is stored with the user whom the code creates', async () => {
      const { service, mail } = await make();
      const email = uniqueEmail();
      await service.emailCode.sendCode({ email, metadata: { plan: 'pro', tags: ['a'] } });
      const { user } = await service.emailCode.verify({ email, code: mail.lastCode(email)! });
      expect(user.metadata).toEqual({ plan: 'pro', tags: ['a'] });
    });

    it('metadata is not stored with an existing user', async () => {
      const test = await make();
      const email = uniqueEmail();
      await test.service.emailCode.verify({ email, code: await send(test, email) });
      await test.service.emailCode.sendCode({ email, metadata: { role: 'admin' } });
      const { user } = await test.service.emailCode.verify({ email, code: test.mail.lastCode(email)! });
      expect(user.metadata).toEqual({});
    });

    it('metadata is that of the newest code', async () => {
      const { service, mail } = await make();
      const email = uniqueEmail();
      await service.emailCode.sendCode({ email, metadata: { from: 'first' } });
      await service.emailCode.sendCode({ email });
      const { user } = await service.emailCode.verify({ email, code: mail.lastCode(email)! });
      expect(user.metadata).toEqual({});
    });

    // T10
    it('overrides neither the verification nor the fields of a user', async () => {
      const { service, mail } = await make();
      const email = uniqueEmail();
      const metadata = { passwordHash: 'x', emailVerified: false, id: '1', email: 'eve@evil.com' };
      await service.emailCode.sendCode({ email, metadata });
      const { user } = await service.emailCode.verify({ email, code: mail.lastCode(email)! });
      expect(user).toMatchObject({ email, emailVerified: true, metadata });
      expect(Object.keys(user).sort()).toEqual(
        'createdAt email emailVerified id metadata updatedAt'.split(' '),
      );
    });
  });

  describe('concurrent calls', () => {
    it('signs in once and creates one user for concurrent calls with the right code', async () => {
      const test = await make();
      const email = uniqueEmail();
      const code = await send(test, email);
      const winners: unknown[] = [];
      const tally = await race(50, async () => {
        winners.push(await test.service.emailCode.verify({ email, code }));
      });
      expect(tally['ok']).toBe(1);
      expect(winners).toEqual([expect.objectContaining({ created: true })]);
      // The others fail only because they were late.
      const lost = ['code_not_found', 'max_attempts_exceeded', 'rate_limit_exceeded'];
      expect(Object.keys(tally).filter((outcome) => outcome !== 'ok' && !lost.includes(outcome))).toEqual([]);
      // Late calls do not count against the address.
      const next = await send(test, email);
      expect(await test.service.emailCode.verify({ email, code: next })).toMatchObject({ created: false });
    });

    it('creates one user for a concurrent code and link to one new address', async () => {
      const test = await make();
      const email = uniqueEmail();
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
    //
    it('stores no code, and no address in its counters', async () => {
      const test = await make();
      const email = uniqueEmail();
      const code = await send(test, email);
      await runInSequence(2, () => test.service.emailCode.verify({ email, code: wrong(code) }));
      const rows = JSON.stringify(await sql(`select * from svc_one_time_codes where subject = '${email}'`));
      expect(rows).toContain(email);
      expect(rows).not.toMatch(new RegExp(`(?<!\\d)${code}(?!\\d)`));
      const counters = JSON.stringify(await sql('select key from svc_rate_limits'));
      expect(counters).toContain('guess:email_code:');
      expect(counters).not.toContain('@');
    });

    it('rejects with internal_error and a constant message while the database fails, and recovers without a restart', async () => {
      const test = await make();
      const email = uniqueEmail();
      const code = await send(test, email);
      const verify = () => test.service.emailCode.verify({ email, code });
      await sql('alter table svc_one_time_codes rename to svc_one_time_codes_away');
      try {
        const error = await errorOf(verify);
        expect(error).toMatchObject({ code: 'internal_error', cause: expect.anything() });
        expect(error.message).not.toMatch(/svc_one_time_codes|relation/);
        // A failure does not count as a wrong code, which is limited to ten.
        expect(await runInSequence(12, verify)).toEqual(Array(12).fill('internal_error'));
        expect(await outcomeOf(() => test.service.emailCode.sendCode({ email: uniqueEmail() }))).toBe(
          'internal_error',
        );
      } finally {
        await sql('alter table svc_one_time_codes_away rename to svc_one_time_codes');
      }
      expect(await outcomeOf(verify)).toBe('ok');
    });

    //
    it('stores quotes and SQL in any string unchanged', async () => {
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
