// Sign-in by link (specification 2.4, 3.1, 4.3, 5.3; docs/security-requirements.md T4, T14, A-22 to
//
import { createHash } from 'node:crypto';
import { englishMailTexts, type LinkTemplate } from 'svc-auth';
import { createKeyring } from '../../src/crypto/keys.js';
import { signToken } from '../../src/crypto/signed-token.js';
import { describeAdapters, recordCalls } from '../support/describe-adapters.js';
import { appOrigin, testSecret, type TestService } from '../support/make-service.js';
import { errorOf, runInSequence, outcomeOf, race } from '../support/outcomes.js';
import { plainBrand } from '../support/every-mail.js';

const minute = 60_000;
const tokenOf = (url: string) => new URL(url).searchParams.get('token')!;

describeAdapters('magicLink', ({ make, uniqueEmail, adapter, sql }) => {
  const send = async ({ service }: TestService, email: string) =>
    tokenOf((await service.magicLink.sendLink({ email })).url);

  describe('sendLink', () => {
    it('mails the link that it resolves: baseUrl with a token parameter, valid for 15 minutes', async () => {
      const { service, mail, clock } = await make();
      const email = uniqueEmail();
      const { url, expiresAt } = await service.magicLink.sendLink({ email });
      expect(expiresAt).toEqual(new Date(clock.now() + 900_000));
      expect(url.startsWith(`${appOrigin}/api/auth/magic-link/verify?token=`)).toBe(true);
      expect([...new URL(url).searchParams.keys()]).toEqual(['token']);
      expect(mail.messages).toHaveLength(1);
      expect(mail.messages[0]).toMatchObject({ to: email, kind: 'magic_link' });
      expect(mail.lastLink(email)).toBe(url);
    });

    it('applies ttlMs, template and from', async () => {
      const templateValues: unknown[] = [];
      const template: LinkTemplate = (values) => {
        templateValues.push(values);
        return { subject: 'S', html: '<b>H</b>', text: 'T' };
      };
      const magicLink = { ttlMs: 5 * minute, template, from: 'Acme <a@acme.test>' };
      const { service, mail, clock } = await make({ providers: { magicLink } });
      const email = uniqueEmail();
      const { url, expiresAt } = await service.magicLink.sendLink({ email });
      expect(expiresAt.getTime()).toBe(clock.now() + 5 * minute);
      // The mail may be rendered again, in another language, so that the time does not depend on the account.
      expect(templateValues[0]).toEqual({
        url,
        expiresInMinutes: 5,
        appName: 'Acme',
        language: 'en',
        texts: englishMailTexts,
        brand: plainBrand('Acme'),
      });
      expect(mail.messages).toEqual([
        {
          to: email,
          from: 'Acme <a@acme.test>',
          kind: 'magic_link',
          subject: 'S',
          html: '<b>H</b>',
          text: 'T',
          headers: { 'Auto-Submitted': 'auto-generated' },
        },
      ]);
    });

    it('keeps the parameters of baseUrl', async () => {
      const baseUrl = 'https://app.test/verify?lang=de&token=old#top';
      const { service } = await make({ providers: { magicLink: { baseUrl } } });
      const url = new URL((await service.magicLink.sendLink({ email: uniqueEmail() })).url);
      expect(url.searchParams.get('lang')).toBe('de');
      expect(url.searchParams.getAll('token')).toHaveLength(1);
      expect(url.hash).toBe('#top');
    });

    it('uses an allowed redirectTo instead of baseUrl', async () => {
      const { service, mail } = await make({ trustedOrigins: ['https://other.test'] });
      for (const target of [`${appOrigin}/welcome?a=1`, 'https://other.test/in']) {
        const email = uniqueEmail();
        const { url } = await service.magicLink.sendLink({ email, redirectTo: target });
        expect(url.startsWith(target)).toBe(true);
        expect(mail.lastLink(email)).toBe(url);
        expect(await outcomeOf(() => service.magicLink.verify(tokenOf(url)))).toBe('ok');
      }
    });

    // T4
    it.each([
      'https://evil.test/',
      'https://app.test.evil.test/',
      'https://app.test@evil.test/',
      'http://app.test/',
      '//evil.test',
      '/relative',
      'javascript:alert(1)',
      '',
      null,
      1,
      ['https://app.test/'],
      new URL('https://app.test/'),
      { toString: () => 'https://app.test/' },
    ])('mails no token to a redirectTo of another origin: %p', async (redirectTo) => {
      const calls: string[] = [];
      const { service, mail } = await make({ adapter: recordCalls(adapter(), calls) });
      calls.length = 0;
      const call = () =>
        service.magicLink.sendLink({ email: uniqueEmail(), redirectTo: redirectTo as string });
      expect(await outcomeOf(call)).toBe('invalid_request');
      expect(mail.messages).toEqual([]);
      expect(calls).toEqual([]);
    });

    // C-38
    it('rejects a forbidden redirectTo with the same error with and without an account', async () => {
      const test = await make();
      const email = uniqueEmail();
      await test.service.magicLink.verify(await send(test, email));
      const errors = await Promise.all(
        [email, uniqueEmail()].map((to) =>
          errorOf(() => test.service.magicLink.sendLink({ email: to, redirectTo: 'https://evil.test/' })),
        ),
      );
      expect(errors[0]).toEqual(errors[1]);
    });

    it.each([
      ['a bad address', { email: 'ada@' }],
      ['two addresses', { email: 'ada@example.com,eve@evil.com' }],
      ['no address', {}],
      // T10
      ['metadata in the reserved namespace', { email: 'ada@example.com', metadata: { __svc: {} } }],
    ])('sends, stores and counts nothing for %s', async (_name, input) => {
      const calls: string[] = [];
      const { service, mail } = await make({ adapter: recordCalls(adapter(), calls) });
      calls.length = 0;
      expect(await outcomeOf(() => service.magicLink.sendLink(input as never))).toBe('invalid_request');
      expect(mail.messages).toEqual([]);
      expect(calls).toEqual([]);
    });
  });

  describe('verify', () => {
    it('creates the user if there is none, and finds that user again', async () => {
      const test = await make();
      const email = uniqueEmail();
      const first = await test.service.magicLink.verify(await send(test, email));
      expect(first).toEqual({
        created: true,
        method: 'magic_link',
        user: expect.objectContaining({ email, emailVerified: true }),
      });
      expect(Object.keys(first.user).sort()).toEqual(
        'createdAt email emailVerified id metadata updatedAt'.split(' '),
      );
      const second = await test.service.magicLink.verify(await send(test, email));
      expect(second).toEqual({ created: false, method: 'magic_link', user: first.user });
    });

    it('finds the user that a code has created', async () => {
      const test = await make();
      const email = uniqueEmail();
      await test.service.emailCode.sendCode({ email });
      const byCode = await test.service.emailCode.verify({ email, code: test.mail.lastCode(email)! });
      expect(await test.service.magicLink.verify(await send(test, email))).toEqual({
        created: false,
        method: 'magic_link',
        user: byCode.user,
      });
    });

    //
    it('accepts a link once: afterwards it is token_invalid', async () => {
      const test = await make();
      const token = await send(test, uniqueEmail());
      const outcomes = await runInSequence(3, () => test.service.magicLink.verify(token));
      expect(outcomes).toEqual(['ok', 'token_invalid', 'token_invalid']);
    });

    //
    it('accepts a link until its last millisecond: afterwards it is code_expired', async () => {
      const test = await make();
      const [early, late] = [await send(test, uniqueEmail()), await send(test, uniqueEmail())];
      test.clock.advance(900_000 - 1);
      expect(await outcomeOf(() => test.service.magicLink.verify(early))).toBe('ok');
      test.clock.advance(1);
      expect(await outcomeOf(() => test.service.magicLink.verify(late))).toBe('code_expired');
    });

    //
    it('rejects a link with a changed address, or combined from two links', async () => {
      const test = await make();
      const [victim, attacker] = [uniqueEmail(), uniqueEmail()];
      const [ofVictim, ofAttacker] = [await send(test, victim), await send(test, attacker)];
      const [body, signature] = ofAttacker.split('.') as [string, string];
      const readdressed = Buffer.from(body, 'base64url').toString('latin1').replace(attacker, victim);
      const forged = [
        `${Buffer.from(readdressed, 'latin1').toString('base64url')}.${signature}`,
        `${ofVictim.split('.')[0]}.${signature}`,
        `${body}.${ofVictim.split('.')[1]}`,
      ];
      expect(await runInSequence(3, (i) => test.service.magicLink.verify(forged[i]!))).toEqual(
        Array(3).fill('token_invalid'),
      );
      // The forged links used up nothing.
      expect(await outcomeOf(() => test.service.magicLink.verify(ofVictim))).toBe('ok');
    });

    //
    it('queries nothing for a token that is malformed, forged, expired or of another kind', async () => {
      const calls: string[] = [];
      const test = await make({ adapter: recordCalls(adapter(), calls) });
      const email = uniqueEmail();
      const expired = await send(test, email);
      test.clock.advance(15 * minute);
      const foreign = createKeyring('a secret of another service, 32 bytes or more');
      const reset = signToken(createKeyring(testSecret), 'password_reset', email, test.clock.now() + minute);
      const session = test.service.createSessionToken('0190f6a0-0000-7000-8000-000000000001');
      const bad: [unknown, string][] = [
        ['', 'token_invalid'],
        ['x', 'token_invalid'],
        ['x.y', 'token_invalid'],
        [undefined, 'token_invalid'],
        [['x'], 'token_invalid'],
        [{ token: 'x' }, 'token_invalid'],
        [`${expired}x`, 'token_invalid'],
        [signToken(foreign, 'magic_link', email, test.clock.now() + minute).token, 'token_invalid'],
        [reset.token, 'token_invalid'],
        [session.token, 'token_invalid'],
        [expired, 'code_expired'],
      ];
      calls.length = 0;
      for (const [token, outcome] of bad) {
        expect(await outcomeOf(() => test.service.magicLink.verify(token as string))).toBe(outcome);
      }
      expect(calls).toEqual([]);
    });

    // C-17
    it('rejects a token that is signed but not stored', async () => {
      const test = await make();
      const { token } = signToken(
        createKeyring(testSecret),
        'magic_link',
        uniqueEmail(),
        test.clock.now() + minute,
      );
      expect(await outcomeOf(() => test.service.magicLink.verify(token))).toBe('token_invalid');
    });

    // T14, A-27
    it('rejects a reset token, and a reset rejects a link', async () => {
      const test = await make();
      const email = uniqueEmail();
      await test.service.emailPassword.signup({ email, password: 'password-1' });
      await test.service.emailPassword.requestReset({ email });
      await test.service.close();
      const reset = tokenOf(test.mail.lastLink(email)!);
      const link = await send(test, email);
      expect(await outcomeOf(() => test.service.magicLink.verify(reset))).toBe('token_invalid');
      const setPassword = (token: string) =>
        outcomeOf(() => test.service.emailPassword.setPassword({ token, newPassword: 'password-2' }));
      expect(await setPassword(link)).toBe('token_invalid');
      expect(await setPassword(reset)).toBe('ok');
    });

    //
    it('accepts a link of a previous secret', async () => {
      const before = await make();
      const token = await send(before, uniqueEmail());
      const secret = 'the secret after the rotation, 32 bytes or more';
      const rotated = await make({ session: { secret, previousSecrets: [testSecret] } });
      const emergency = await make({ session: { secret } });
      expect(await outcomeOf(() => emergency.service.magicLink.verify(token))).toBe('token_invalid');
      expect(await outcomeOf(() => rotated.service.magicLink.verify(token))).toBe('ok');
    });

    it('stores the metadata of a link with the user whom it creates, and with no existing one', async () => {
      const { service } = await make();
      const email = uniqueEmail();
      const first = await service.magicLink.sendLink({ email, metadata: { plan: 'pro' } });
      const second = await service.magicLink.sendLink({ email, metadata: { role: 'admin' } });
      expect((await service.magicLink.verify(tokenOf(first.url))).user.metadata).toEqual({ plan: 'pro' });
      expect((await service.magicLink.verify(tokenOf(second.url))).user.metadata).toEqual({ plan: 'pro' });
    });
  });

  describe('messages', () => {
    it('limits links to 5 in 15 minutes per address, apart from codes', async () => {
      const test = await make();
      const email = uniqueEmail();
      const link = () => test.service.magicLink.sendLink({ email });
      expect(await runInSequence(6, link)).toEqual([...Array(5).fill('ok'), 'rate_limit_exceeded']);
      expect(await errorOf(link)).toMatchObject({ retryAfterMs: 15 * minute });
      expect(await outcomeOf(() => test.service.emailCode.sendCode({ email }))).toBe('ok');
      test.clock.advance(15 * minute);
      expect(await outcomeOf(link)).toBe('ok');
    });

    it('sends 5 links for 50 concurrent calls', async () => {
      const test = await make();
      const email = uniqueEmail();
      const tally = await race(50, () => test.service.magicLink.sendLink({ email }));
      expect(tally).toEqual({ ok: 5, rate_limit_exceeded: 45 });
    });

    it('rejects with email_send_failed if the mail fails, counts nothing and invalidates the link', async () => {
      let failing = true;
      const urls: string[] = [];
      const sender = {
        async send() {
          if (failing) throw new Error('connection refused');
        },
      };
      const template: LinkTemplate = ({ url }) => {
        urls.push(url);
        return { subject: 'Link', html: url, text: url };
      };
      const { service } = await make({ providers: { magicLink: { sender, template } } });
      const email = uniqueEmail();
      const link = () => service.magicLink.sendLink({ email });
      expect(await runInSequence(20, link)).toEqual(Array(20).fill('email_send_failed'));
      expect(await outcomeOf(() => service.magicLink.verify(tokenOf(urls.at(-1)!)))).toBe('token_invalid');
      failing = false;
      expect(await runInSequence(6, link)).toEqual([...Array(5).fill('ok'), 'rate_limit_exceeded']);
      expect(await outcomeOf(() => service.magicLink.verify(tokenOf(urls.at(-1)!)))).toBe('ok');
    });
  });

  //
  it('accepts a link once in 50 concurrent calls', async () => {
    const test = await make();
    const token = await send(test, uniqueEmail());
    expect(await race(50, () => test.service.magicLink.verify(token))).toEqual({ ok: 1, token_invalid: 49 });
  });

  if (!sql) return;
  describe('the database', () => {
    //
    it('stores a digest of the random part, never the token', async () => {
      const test = await make();
      const email = uniqueEmail();
      const token = await send(test, email);
      const rows = JSON.stringify(
        await sql(`select * from svc_single_use_tokens where subject = '${email}'`),
      );
      const random = Buffer.from(token.split('.')[0]!, 'base64url').subarray(-32);
      expect(rows).toContain(createHash('sha256').update(random).digest('base64url'));
      for (const secret of [
        token,
        token.split('.')[0]!,
        token.split('.')[1]!,
        random.toString('base64url'),
      ]) {
        expect(rows).not.toContain(secret);
      }
    });

    it('rejects with internal_error while the database fails, keeps the link valid, and recovers without a restart', async () => {
      const test = await make();
      const token = await send(test, uniqueEmail());
      const verify = () => test.service.magicLink.verify(token);
      await sql('alter table svc_single_use_tokens rename to svc_single_use_tokens_away');
      try {
        expect(await outcomeOf(verify)).toBe('internal_error');
        const failed = () => test.service.magicLink.sendLink({ email: uniqueEmail() });
        expect(await outcomeOf(failed)).toBe('internal_error');
      } finally {
        await sql('alter table svc_single_use_tokens_away rename to svc_single_use_tokens');
      }
      expect(await outcomeOf(verify)).toBe('ok');
    });
  });
});
