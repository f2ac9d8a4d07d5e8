// Every sign-in method is as strong as the others, notified to its owner, and logged.
import { wrongCodeAt } from '../../support/authenticator-app.js';
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword } from '../../support/http-site.js';
import { minute } from '../../support/make-pro-service.js';
import {
  addPasskey,
  enrollTotp,
  logIn,
  requestResetToken,
  uniquePhone,
  differentCode,
  outcome,
  signInByPasskey,
} from '../../support/site-actions.js';
import { singleFactorMethods } from '../../support/sign-in-methods.js';
import { describeAttacks } from '../../support/full-site.js';

describeAttacks('Sign-in methods', ({ on, open }) => {
  //
  it('starts without default accounts', async () => {
    if (on.sql) {
      const rows = await on.sql('select count(*)::int as n from svc_users');
      expect(rows).toEqual([{ n: 0 }]);
    }
    const site = await open();
    for (const email of ['admin@example.com', 'root@localhost.localdomain', 'test@test.com'])
      for (const password of ['admin', 'passw0rd', 'changeme', 'admin123'])
        expect(outcome(await logIn(site, email, password))).toBe('401 invalid_credentials');
  });

  //
  it.each(Object.entries(singleFactorMethods))(
    'requires the second factor after %s, and accepts the pending sign-in nowhere else',
    async (_name, way) => {
      const site = await open();
      const enter = await way(site);
      const cookie = (await enter()).cookie();
      const { id: userId } = (await site.get('/session', { cookie })).json.user;
      const refresh = (await site.post('/token/issue', {}, { cookie })).json;
      const app = await enrollTotp(site, cookie);
      const waiting = await enter();
      const code = waiting.status === 302 ? waiting.location : outcome(waiting);
      expect(code).toMatch(/^(\/\?error=|403 )mfa_required$/);
      const cookieNames = waiting.cookies.filter(({ value }) => value !== '').map(({ name }) => name);
      expect(cookieNames).toEqual(['svc_mfa']);
      const token = waiting.cookie('svc_mfa').slice('svc_mfa='.length);
      for (const options of [
        { cookie: `svc_mfa=${token}` },
        { cookie: `svc_session=${token}` },
        { headers: { Authorization: `Bearer ${token}` } },
      ]) {
        for (const route of ['/session', '/account', '/devices', '/totp'])
          expect([route, (await site.get(route, options)).status]).toEqual([route, 401]);
        for (const route of [
          '/token/issue',
          '/api-keys',
          '/totp/disable',
          '/totp/enroll',
          '/account/password',
        ])
          expect([
            route,
            (await site.post(route, { name: 'x', newPassword: validPassword }, options)).status,
          ]).toEqual([route, 401]);
      }
      // Nor do sessions and tokens from before the second factor remain valid.
      expect((await site.get('/session', { cookie })).status).toBe(401);
      const { refreshToken, accessToken } = refresh;
      expect(outcome(await site.post('/token/refresh', { refreshToken }))).toBe('401 refresh_token_invalid');
      expect(
        (await site.get('/session', { headers: { Authorization: `Bearer ${accessToken}` } })).status,
      ).toBe(401);
      const half = `svc_mfa=${token}`;
      const wrong = wrongCodeAt(app.secret, site.clock.now());
      expect(outcome(await site.post('/mfa/verify', { code: wrong }, { cookie: half }))).toBe(
        '401 code_invalid',
      );
      const finished = await site.post('/mfa/verify', { code: app.code() }, { cookie: half });
      expect((await site.get('/session', { cookie: finished.cookie() })).json.user.id).toBe(userId);
    },
  );

  //
  it('does not bypass the second factor through credentials added during a pending sign-in', async () => {
    const site = await open();
    const { email, cookie } = await site.signInByCode();
    await enrollTotp(site, cookie);
    await site.post('/email-code/send', { email });
    const half = await site.post('/email-code/verify', { email, code: site.mail.lastCode(email) });
    const options = { cookie: half.cookie('svc_mfa') };
    for (const [route, body] of [
      ['/password/signup', { email, password: validPassword }],
      ['/account/password', { newPassword: validPassword }],
      ['/passkeys/register/start', undefined],
      ['/oauth/acme/link', {}],
      ['/account/email', { email: site.uniqueEmail() }],
      ['/totp/recovery-codes', undefined],
      ['/guest/upgrade', { email: site.uniqueEmail(), password: validPassword }],
    ] as const) {
      const response = await site.post(route, body, options);
      expect([route, response.status >= 400]).toEqual([route, true]);
      expect(response.cookies.filter(({ name }) => name === 'svc_session')).toEqual([]);
    }
    // Signing in as a guest starts a guest session, without access to the account.
    const guest = await site.post('/guest', undefined, options);
    expect(guest.json.user.id).not.toBe(half.json?.user?.id);
    expect((await site.get('/account', { cookie: guest.cookie() })).json.isGuest).toBe(true);
    const reset = await site.post('/password/reset', {
      token: await requestResetToken(site, email),
      newPassword: validPassword,
    });
    expect([reset.status, reset.cookies]).toEqual([200, []]);
    expect(outcome(await logIn(site, email, validPassword))).toBe('403 mfa_required');
  });

  //
  it('counts a passkey as two factors only if its signed response confirms user verification', async () => {
    const site = await open();
    const { cookie } = await site.signInByCode();
    const authenticator = await addPasskey(site, cookie);
    await enrollTotp(site, cookie);
    const answerWith = (tampering: object) => signInByPasskey(site, authenticator, undefined, tampering);
    expect(outcome(await answerWith({ userVerified: false }))).toBe('403 mfa_required');
    expect(outcome(await answerWith({ forged: true }))).toBe('401 token_invalid');
    expect(outcome(await answerWith({}))).toBe('200');
  });

  //
  it('keeps codes valid for 10 minutes, links for 15 and resets for 30', async () => {
    const site = await open();
    const [a, b] = [await site.signUp(), await site.signUp()];
    for (const [{ email }, early] of [
      [a, 1],
      [b, 0],
    ] as const) {
      await site.post('/email-code/send', { email });
      const code = site.mail.lastCode(email);
      await site.post('/magic-link/send', { email });
      const link = `/magic-link/verify?token=${site.mailedToken(email)}`;
      const token = await requestResetToken(site, email);
      // Checked in the order of their lifetimes: on one account only the last, since a successful proof invalidates the others.
      site.clock.advance(10 * minute - early);
      if (!early)
        expect(outcome(await site.post('/email-code/verify', { email, code }))).toBe('401 code_expired');
      site.clock.advance(5 * minute);
      if (!early) expect((await site.get(link)).location).toBe('/?error=code_expired');
      site.clock.advance(15 * minute);
      const reset = await site.post('/password/reset', { token, newPassword: validPassword });
      expect(outcome(reset)).toBe(early ? '200' : '401 token_invalid');
    }
  });

  //
  it('notifies the owner of every password change at the account’s address, without a secret in the mail', async () => {
    const notifyTemplate = () => ({
      subject: 'Changed',
      text: 'Your password was changed.',
      html: '<p>Changed.</p>',
    });
    const site = await open({ service: { providers: { emailPassword: { notifyTemplate } } } });
    const events: string[] = [];
    site.service.on('*', (name) => void (/^password\./.test(name) && events.push(name)));
    const notices = async () => {
      await site.settle();
      return site.mail.messages.filter(({ kind }) => kind === 'notice').map(({ to }) => to);
    };
    const { email, cookie } = await site.signUp();
    const changed = await site.post(
      '/account/password',
      { currentPassword: validPassword, newPassword: 'another one' },
      { cookie },
    );
    expect(await notices()).toEqual([email]);
    await site.post('/password/reset', {
      token: await requestResetToken(site, email),
      newPassword: validPassword,
    });
    expect(await notices()).toEqual([email, email]);
    const first = await site.signInByCode();
    await site.post(
      '/password/signup',
      { email: first.email, password: validPassword },
      { cookie: first.cookie },
    );
    expect(await notices()).toEqual([email, email, first.email]);
    const second = await site.signInByCode();
    await site.post('/account/password', { newPassword: validPassword }, { cookie: second.cookie });
    expect(await notices()).toEqual([email, email, first.email, second.email]);
    // A failed change sends no notice.
    await site.post('/account/password', { newPassword: 'x' }, { cookie: changed.cookie() });
    await site.post('/password/reset', { token: 'x', newPassword: validPassword });
    expect(await notices()).toHaveLength(4);
    expect(events).toEqual(['password.changed', 'password.reset', 'password.added', 'password.added']);
    const text = JSON.stringify(site.mail.messages.filter(({ kind }) => kind === 'notice'));
    expect(text).not.toMatch(/another one|correct horse|token=|\d{6}/);
  });

  //
  it('logs user, method and client address of every sign-in', async () => {
    const site = await open();
    for (const [name, way] of Object.entries(singleFactorMethods)) {
      const enter = await way(site);
      const { id: userId } = (await site.get('/session', { cookie: (await enter()).cookie() })).json.user;
      site.log.length = 0;
      await enter();
      const entry = site.log.find(({ fields }) => fields['event'] === 'signed_in')?.fields;
      expect([name, entry]).toEqual([
        name,
        expect.objectContaining({
          userId,
          method: expect.any(String),
          ip: expect.stringContaining('127.0.0.1'),
        }),
      ]);
    }
  });

  //
  it('logs method, reason and client address of every failed sign-in', async () => {
    const site = await open();
    const { email, cookie } = await site.signUp();
    const enrolled = await site.signInByCode();
    const app = await enrollTotp(site, enrolled.cookie);
    await site.post('/email-code/send', { email: enrolled.email });
    const half = await site.post('/email-code/verify', {
      email: enrolled.email,
      code: site.mail.lastCode(enrolled.email),
    });
    const phone = uniquePhone();
    await site.post('/phone/send', { phone });
    await site.post('/email-code/send', { email });
    const start = await site.post('/passkeys/authenticate/start');
    const pair = (await site.post('/token/issue', {}, { cookie })).json;
    const attempts: [string, () => Promise<HttpResponse>][] = [
      ['a password', () => logIn(site, email, 'a guess')],
      [
        'a code',
        () => site.post('/email-code/verify', { email, code: differentCode(site.mail.lastCode(email)) }),
      ],
      [
        'a phone code',
        () => site.post('/phone/verify', { phone, code: differentCode(site.sms.lastCode(phone)) }),
      ],
      ['a link', () => site.get('/magic-link/verify?token=x.y')],
      ['a response of google', () => site.get('/google/callback?code=x&state=y')],
      ['a response of an OAuth provider', () => site.get('/oauth/acme/callback?code=x&state=y')],
      ['a reset token', () => site.post('/password/reset', { token: 'x.y', newPassword: validPassword })],
      [
        'a current password',
        () =>
          site.post(
            '/account/password',
            { currentPassword: 'a guess', newPassword: validPassword },
            { cookie },
          ),
      ],
      [
        'a second factor',
        () =>
          site.post(
            '/mfa/verify',
            { code: wrongCodeAt(app.secret, site.clock.now()) },
            { cookie: half.cookie('svc_mfa') },
          ),
      ],
      ['a pending sign-in', () => site.post('/mfa/verify', { code: '000000' }, { cookie: 'svc_mfa=x.y' })],
      [
        'a passkey',
        () =>
          site.post(
            '/passkeys/authenticate/finish',
            { response: { id: 'x', response: {} } },
            { cookie: start.cookie('svc_webauthn') },
          ),
      ],
      [
        'a refresh token',
        () => site.post('/token/refresh', { refreshToken: `${String(pair.refreshToken).slice(0, -2)}AA` }),
      ],
    ];
    const guesses = ['a password', 'a code', 'a phone code', 'a current password', 'a second factor'];
    const silent: string[] = [];
    for (const [name, attempt] of attempts) {
      site.log.length = 0;
      await attempt();
      const fields = site.log.map((entry) => entry.fields);
      const isLogged = (event: string, why: 'code' | 'reason') =>
        fields.some(
          (each) => each['event'] === event && each[why] && each['method'] && each['ip'] === '127.0.0.1',
        );
      if (!isLogged('refused', 'code') || (guesses.includes(name) && !isLogged('sign_in_failed', 'reason')))
        silent.push(name);
    }
    expect(silent).toEqual([]);
  });

  //
  it('logs user and client address of every password change and reset', async () => {
    const site = await open();
    const { email, cookie, user } = await site.signUp();
    const from = { userId: user.id, ip: expect.stringContaining('127.0.0.1') as string };
    const fieldsOf = (event: string) => site.log.find(({ fields }) => fields['event'] === event)?.fields;
    const body = { currentPassword: validPassword, newPassword: validPassword };
    await site.post('/account/password', body, { cookie });
    expect(fieldsOf('password_changed')).toMatchObject(from);
    await site.post('/password/reset', {
      token: await requestResetToken(site, email),
      newPassword: validPassword,
    });
    expect(fieldsOf('password_reset')).toMatchObject(from);
  });
});
