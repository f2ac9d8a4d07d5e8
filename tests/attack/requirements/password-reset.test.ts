// The password reset: its request, its use, and its effects on an account with every kind of credential.
import { softwareAuthenticator } from 'svc-auth/testing';
import { cheapHasher } from '../../support/make-service.js';
import { gate } from '../../support/password-accounts.js';
import { validPassword } from '../../support/http-site.js';
import { codeAt } from '../../support/authenticator-app.js';
import { outcomeOf } from '../../support/outcomes.js';
import {
  addPasskey,
  enrollTotp,
  logIn,
  requestResetToken,
  outcome,
  signInByPasskey,
  tallyResponses,
} from '../../support/site-actions.js';
import { describeAttacks, type SiteWithProviders } from '../../support/full-site.js';

const newPassword = 'after the reset';
const reset = (site: SiteWithProviders, token: string, password: unknown = newPassword) =>
  site.post('/password/reset', { token, newPassword: password });

describeAttacks('Password reset', ({ on, open }) => {
  //
  it('returns the same response to every reset request, before any lookup or mail', async () => {
    const { opened, open: release } = gate();
    const sender = { send: () => opened };
    const site = await open({ service: { providers: { emailPassword: { sender } } } });
    const { email } = await site.signUp();
    const passwordless = (await site.signInByCode()).email;
    const responses = [];
    for (const typed of [
      email,
      passwordless,
      site.uniqueEmail(),
      'not an address',
      '',
      'a@b,c@d.test',
      'x'.repeat(5_000),
    ]) {
      const { status, text, headers } = await site.post('/password/request-reset', { email: typed });
      const { date: _, ...others } = headers;
      responses.push(JSON.stringify([status, text, others]));
    }
    expect(new Set(responses).size).toBe(1);
    expect(responses[0]).toContain('{\\"sent\\":true}');
    release();
    await site.settle();
  });

  //
  it('mails a reset only to the stored address, five times, regardless of how it was typed', async () => {
    const site = await open();
    const { email } = await site.signUp();
    for (const typed of [email.toUpperCase(), ` ${email} `, email, email, email, email, email]) {
      await site.post('/password/request-reset', {
        email: typed,
        to: 'eve@evil.test',
        cc: ['eve@evil.test'],
      });
      await site.settle();
    }
    const mails = site.mail.messages.filter(({ kind }) => kind === 'password_reset');
    expect(mails.map(({ to }) => to)).toEqual(Array(5).fill(email));
  });

  //
  it('changes nothing when a reset is requested: password, sessions and tokens remain valid', async () => {
    const site = await open();
    const { email, cookie } = await site.signUp();
    const { refreshToken } = (await site.post('/token/issue', {}, { cookie })).json;
    const before = JSON.stringify(await on.adapter().users.findByEmail(email));
    for (let i = 0; i < 5; i += 1) await requestResetToken(site, email);
    expect(JSON.stringify(await on.adapter().users.findByEmail(email))).toBe(before);
    expect((await site.get('/session', { cookie })).status).toBe(200);
    expect((await logIn(site, email, validPassword)).status).toBe(200);
    expect((await site.post('/token/refresh', { refreshToken })).status).toBe(200);
  });

  //
  it('lets one of ten concurrent resets set the password, and invalidates all other reset links', async () => {
    const site = await open();
    const { email } = await site.signUp();
    const [earlier, token] = [await requestResetToken(site, email), await requestResetToken(site, email)];
    const passwords = Array.from({ length: 10 }, (_, i) => `the password of ${i}`);
    const responses = await Promise.all(
      passwords.map((password, i) => reset(site, i % 2 ? token : earlier, password)),
    );
    expect(tallyResponses(responses)).toEqual({ '200': 1, '401 token_invalid': 9 });
    const winner = responses.findIndex(({ status }) => status === 200);
    const logins = [];
    for (const [index, password] of passwords.entries()) {
      // The nine wrong passwords are within the limit.
      logins.push((await logIn(site, email, password)).status === 200 ? index : -1);
    }
    expect(logins.filter((each) => each >= 0)).toEqual([winner]);
    for (const used of [earlier, token]) expect(outcome(await reset(site, used))).toBe('401 token_invalid');
  });

  //
  it('revokes sessions, engine tokens and refresh families after a reset', async () => {
    const site = await open();
    const { email, cookie, user } = await site.signUp();
    await site.post('/account/verify-email/send', undefined, { cookie });
    await site.post('/account/verify-email', { code: site.mail.lastCode(email) }, { cookie });
    const elsewhere = (await logIn(site, email, validPassword)).cookie();
    const engine = site.service.createSessionToken(user.id as string).token;
    const first = (await site.post('/token/issue', {}, { cookie })).json;
    const second = (await site.post('/token/refresh', { refreshToken: first.refreshToken })).json;
    const device = (await site.service.sessionsProvider.create({ userId: user.id })).token;
    expect((await reset(site, await requestResetToken(site, email))).status).toBe(200);
    for (const revoked of [
      cookie,
      elsewhere,
      ...[engine, device, first.accessToken, second.accessToken].map((each) => `svc_session=${each}`),
    ])
      expect((await site.get('/session', { cookie: revoked })).status).toBe(401);
    for (const { refreshToken } of [first, second])
      expect(outcome(await site.post('/token/refresh', { refreshToken }))).toBe('401 refresh_token_invalid');
    expect(await site.service.sessionsProvider.listDevices(user.id)).toEqual([]);
  });

  //
  it('removes API keys, passkeys, authenticator app and tokens that were added to an unverified account before its reset', async () => {
    const site = await open();
    const squatter = await site.signUp();
    const { email, cookie, user } = squatter;
    const key = (await site.post('/api-keys', { name: 'x', scopes: ['read'] }, { cookie })).json.key;
    const authenticator = await addPasskey(site, cookie);
    const app = await enrollTotp(site, cookie);
    const { refreshToken } = (await site.post('/token/issue', {}, { cookie: app.cookie })).json;
    expect((await reset(site, await requestResetToken(site, email))).status).toBe(200);
    expect(await outcomeOf(() => site.service.apiKeys.verify(key))).toBe('api_key_invalid');
    expect(outcome(await signInByPasskey(site, authenticator))).toBe('401 token_invalid');
    expect(outcome(await site.post('/token/refresh', { refreshToken }))).toBe('401 refresh_token_invalid');
    // Nor does an authenticator app that the owner has never seen block the sign-in.
    const login = await logIn(site, email, newPassword);
    expect([login.status, login.json.user.id]).toEqual([200, user.id]);
  });

  //
  it('invalidates pending codes, links, resets, enrollments, ceremonies and changes of address after a reset', async () => {
    const site = await open();
    const { email, cookie } = await site.signInByCode();
    await reset(site, await requestResetToken(site, email), validPassword);
    const session = (await logIn(site, email, validPassword)).cookie();
    expect((await site.get('/session', { cookie })).status).toBe(401);
    await site.post('/email-code/send', { email });
    const code = site.mail.lastCode(email)!;
    await site.post('/magic-link/send', { email });
    const link = site.mailedToken(email);
    const other = await requestResetToken(site, email);
    const { secret } = (await site.post('/totp/enroll', undefined, { cookie: session })).json;
    const authenticator = softwareAuthenticator();
    const begun = await site.post('/passkeys/register/start', undefined, { cookie: session });
    const response = authenticator.create(begun.json.options);
    const wanted = site.uniqueEmail();
    await site.post('/account/email', { email: wanted }, { cookie: session });
    const change = {
      email: wanted,
      code: site.mail.lastCode(wanted),
      currentCode: site.mail.lastCode(email),
    };
    site.acme.accounts.set('of a thief', { email: site.uniqueEmail(), email_verified: true });
    const linking = await site.post('/oauth/acme/link', {}, { cookie: session });
    const { search } = await site.acme.signIn(linking.json.url, 'of a thief');
    expect((await reset(site, await requestResetToken(site, email))).status).toBe(200);

    expect(outcome(await site.post('/email-code/verify', { email, code }))).toBe('401 code_not_found');
    expect((await site.get(`/magic-link/verify?token=${link}`)).location).toBe('/?error=token_invalid');
    expect(outcome(await reset(site, other))).toBe('401 token_invalid');
    const mine = (await logIn(site, email, newPassword)).cookie();
    for (const as of [session, mine]) {
      const code = codeAt(secret, site.clock.now());
      expect((await site.post('/totp/confirm', { code }, { cookie: as })).status).toBe(401);
      const cookies = { cookie: `${as}; ${begun.cookie('svc_webauthn')}` };
      expect((await site.post('/passkeys/register/finish', { response }, cookies)).status).toBe(401);
      expect((await site.post('/account/email/confirm', change, { cookie: as })).status).toBe(401);
    }
    const linked = await site.get(`/oauth/acme/callback${search}`, {
      cookie: `${session}; ${linking.cookie('svc_oauth')}`,
    });
    expect(linked.location).toContain('error=');
    expect((await site.get('/identities', { cookie: mine })).json.identities).toEqual([]);
    expect((await site.get('/totp', { cookie: mine })).json.enabled).toBe(false);
  });

  //
  it('does not sign in by a reset, and keeps the second factor enabled', async () => {
    const site = await open();
    const { email, cookie } = await site.signInByCode();
    const app = await enrollTotp(site, cookie);
    const half = await (async () => {
      await site.post('/email-code/send', { email });
      return site.post('/email-code/verify', { email, code: site.mail.lastCode(email) });
    })();
    const pending = half.cookie('svc_mfa');
    const token = await requestResetToken(site, email);
    for (const cookies of [`${app.cookie}; ${pending}`]) {
      const response = await site.post('/password/reset', { token, newPassword }, { cookie: cookies });
      expect([response.status, response.cookies, Object.keys(response.json)]).toEqual([200, [], ['user']]);
      expect(JSON.stringify(response.json)).not.toMatch(/token|session|eyJ/i);
    }
    // Neither the earlier session nor the pending sign-in is valid.
    expect((await site.get('/session', { cookie: app.cookie })).status).toBe(401);
    expect(outcome(await site.post('/mfa/verify', { code: app.code() }, { cookie: pending }))).toBe(
      '401 token_invalid',
    );
    const login = await logIn(site, email, newPassword);
    expect(outcome(login)).toBe('403 mfa_required');
    const finished = await site.post(
      '/mfa/verify',
      { recoveryCode: app.recoveryCodes[3] },
      { cookie: login.cookie('svc_mfa') },
    );
    expect((await site.get('/totp', { cookie: finished.cookie() })).json).toEqual({
      enabled: true,
      recoveryCodesLeft: 9,
    });
  });

  //
  it('sets no cookie on a reset, with or without a session in the browser', async () => {
    const site = await open();
    const { email } = await site.signUp();
    const stranger = await site.signUp();
    for (const cookie of [undefined, stranger.cookie]) {
      const body = { token: await requestResetToken(site, email), newPassword };
      const response = await site.post('/password/reset', body, { cookie });
      expect([response.status, response.cookies]).toEqual([200, []]);
    }
    expect((await site.get('/session', { cookie: stranger.cookie })).json.user.id).toBe(stranger.user.id);
  });

  //
  it('verifies the email address by a reset', async () => {
    const site = await open();
    const { email, user } = await site.signUp();
    expect(user.emailVerified).toBe(false);
    expect((await reset(site, await requestResetToken(site, email))).json.user).toMatchObject({
      id: user.id,
      emailVerified: true,
    });
    const { cookie } = { cookie: (await logIn(site, email, newPassword)).cookie() };
    expect((await site.get('/session', { cookie })).json.user.emailVerified).toBe(true);
  });

  //
  it('does not use up a reset link if the password is rejected or the hasher fails', async () => {
    let isBroken = false;
    const cheap = cheapHasher();
    const hasher = {
      ...cheap,
      hash: async (plain: string) => {
        if (isBroken) throw new Error('the hasher is broken');
        return cheap.hash(plain);
      },
    };
    let allowed: unknown = true;
    const checkPassword = (password: string) => (password === newPassword ? true : allowed) as boolean;
    const site = await open({ service: { providers: { emailPassword: { hasher, checkPassword } } } });
    const { email } = await site.signUp();
    const token = await requestResetToken(site, email);
    for (const weak of ['', 'short', '👍👍👍👍'])
      expect(outcome(await reset(site, token, weak))).toBe('400 weak_password');
    for (const invalid of ['a'.repeat(1025), 'null\0byte', '\ud800 alone', 12345678, null, ['12345678']])
      expect(outcome(await reset(site, token, invalid))).toBe('400 invalid_request');
    allowed = false;
    expect(outcome(await reset(site, token, 'a breached one'))).toBe('400 weak_password');
    isBroken = true;
    expect(outcome(await reset(site, token))).toBe('500 internal_error');
    isBroken = false;
    expect((await logIn(site, email, validPassword)).status).toBe(200);
    expect(outcome(await reset(site, token))).toBe('200');
    expect((await logIn(site, email, newPassword)).status).toBe(200);
  });
});
