/** `session.bearer`: sign-ins that return tokens instead of a cookie, for an application on another site. */
import { requireSession, sameOrigin, signInContext, signInResponse } from 'svc-auth';
import { smsOutbox, softwareAuthenticator } from 'svc-auth/testing';
import { codeAt } from '../../support/authenticator-app.js';
import { encryptionKey } from '../../support/every-provider.js';
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword, type Site, type SiteOptions } from '../../support/http-site.js';
import { isSignedIn } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';
import { expectError } from './expect.js';

const minute = 60_000;
const day = 24 * 60 * minute;
const step = 30_000;
const spa = 'https://spa.example';

/** The headers of a script on another site that uses tokens. */
const asking = { 'svc-session': 'bearer', Origin: spa, 'Sec-Fetch-Site': 'cross-site' };
const withToken = (accessToken: string) => ({ ...asking, Authorization: `Bearer ${accessToken}` });

// Shared by all sites of a database.
let numbers = 0;

export function bearerSessions(open: OpenSite): void {
  const sms = smsOutbox();

  const openPro = ({ service = {}, ...options }: SiteOptions = {}) =>
    open({
      pro: true,
      ...options,
      service: {
        encryptionKey,
        ...service,
        session: { bearer: true, ...service.session },
        providers: {
          account: true,
          phoneOtp: { sender: sms },
          refresh: true,
          sessions: true,
          totp: true,
          webauthn: { rpId: 'app.test', origins: ['https://app.test'] },
        },
      },
    });

  const post = (site: Site, route: string, body?: object, accessToken?: string) =>
    site.post(route, body, { headers: accessToken === undefined ? asking : withToken(accessToken) });
  const session = (site: Site, accessToken: string) =>
    site.get('/session', { headers: withToken(accessToken) });
  const refresh = (site: Site, refreshToken: string) => post(site, '/session/refresh', { refreshToken });

  async function signUp(site: Site, choice: object = {}) {
    const email = site.uniqueEmail();
    const response = await post(site, '/password/signup', { email, password: validPassword, ...choice });
    return { email, user: response.json.user, ...tokensOf(response) };
  }

  /** Expects tokens and no cookie. */
  function tokensOf({ status, json, cookies }: HttpResponse): Record<'accessToken' | 'refreshToken', string> {
    expect([status, cookies]).toEqual([200, []]);
    expect(Object.keys(json.bearer).sort()).toEqual(
      ['accessExpiresAt', 'accessToken', 'familyId', 'refreshExpiresAt', 'refreshToken'].sort(),
    );
    return json.bearer;
  }

  async function enrolled(site: Site) {
    const { email, accessToken } = await signUp(site);
    const { secret } = (await post(site, '/totp/enroll', undefined, accessToken)).json;
    const code = () => codeAt(secret, site.clock.now());
    const confirmed = await post(site, '/totp/confirm', { code: code() }, accessToken);
    expect(confirmed.cookies).toEqual([]);
    site.clock.advance(step);
    return { email, code };
  }

  describe('bearer sessions', () => {
    it('a sign-in with `svc-session: bearer` returns tokens and sets no cookie, without a license', async () => {
      const site = await open({ service: { session: { bearer: true } } });
      const { email, user, accessToken, refreshToken } = await signUp(site);
      expect((await session(site, accessToken)).json).toEqual({ user });
      const login = await post(site, '/password/login', { email, password: validPassword });
      expect(tokensOf(login).refreshToken).not.toBe(refreshToken);
      await post(site, '/email-code/send', { email });
      const code = site.mail.lastCode(email);
      // Proves the mailbox of an unverified account, which ends what was set before.
      const claimed = tokensOf(await post(site, '/email-code/verify', { email, code }));
      expectError(await refresh(site, refreshToken), 401, 'refresh_token_invalid');
      const next = await refresh(site, claimed.refreshToken);
      expect([next.status, (await session(site, next.json.accessToken)).status]).toEqual([200, 200]);
    });

    it('text messages, passkeys and guests get tokens too', async () => {
      const site = await openPro();
      const phone = `+4915197${String((numbers += 1)).padStart(6, '0')}`;
      await post(site, '/phone/send', { phone });
      tokensOf(await post(site, '/phone/verify', { phone, code: sms.lastCode(phone) }));
      const guest = tokensOf(await post(site, '/guest'));
      expect((await session(site, guest.accessToken)).status).toBe(200);
      expect((await post(site, '/guest', undefined, guest.accessToken)).json).toMatchObject({
        created: false,
      });
      const { user, accessToken } = await signUp(site);
      const authenticator = softwareAuthenticator();
      const start = await post(site, '/passkeys/register/start', undefined, accessToken);
      const created = authenticator.create(start.json.options);
      const registered = await post(site, '/passkeys/register/finish', { response: created }, accessToken);
      expect([start.cookies, registered.status]).toEqual([[], 200]);
      const begun = await post(site, '/passkeys/authenticate/start');
      const response = authenticator.get(begun.json.options);
      const finish = () => post(site, '/passkeys/authenticate/finish', { response });
      const signedIn = await finish();
      expect([begun.cookies, signedIn.json.user.id]).toEqual([[], user.id]);
      tokensOf(signedIn);
      expectError(await finish(), 401, 'token_invalid');
    });

    it('a sign-in that does not ask for tokens gets the cookie, and none of the tokens', async () => {
      const site = await openPro();
      const email = site.uniqueEmail();
      const response = await site.post('/password/signup', { email, password: validPassword });
      expect(Object.keys(response.json)).toEqual(['user']);
      expect(await isSignedIn(site, response.cookie())).toBe(true);
    });

    it('without session.bearer, a sign-in that asks for tokens and a refresh return 501', async () => {
      const site = await open();
      const body = { email: site.uniqueEmail(), password: validPassword };
      const headers = { 'svc-session': 'bearer' };
      const asked = await site.post('/password/signup', body, { headers });
      expectError(asked, 501, 'provider_not_configured');
      const refreshed = await site.post('/session/refresh', { refreshToken: 'x' });
      expectError(refreshed, 501, 'provider_not_configured');
    });

    it('an access token lasts 15 minutes; a refresh token is valid once and lasts as long as session.maxAgeMs', async () => {
      const site = await openPro({ service: { session: { maxAgeMs: 10 * day } } });
      const first = await signUp(site);
      site.clock.advance(15 * minute);
      expectError(await session(site, first.accessToken), 401, 'token_invalid');
      const second = (await refresh(site, first.refreshToken)).json;
      expect((await session(site, second.accessToken)).status).toBe(200);
      site.clock.advance(10 * day - 15 * minute);
      expectError(await refresh(site, second.refreshToken), 401, 'refresh_token_invalid');
    });

    it('a refresh token that comes back ends the session of the thief and of the user', async () => {
      const site = await openPro();
      const stolen = await signUp(site);
      const events: string[] = [];
      site.service.on('refresh.reuse_detected', () => void events.push('reuse'));
      const next = (await refresh(site, stolen.refreshToken)).json;
      site.clock.advance(minute);
      expectError(await refresh(site, stolen.refreshToken), 401, 'refresh_token_invalid');
      expectError(await refresh(site, next.refreshToken), 401, 'refresh_token_invalid');
      expectError(await session(site, next.accessToken), 401, 'token_invalid');
      expect(events).toEqual(['reuse']);
    });

    it('remember: false ends the session with unrememberedTtlMs', async () => {
      const site = await openPro({ service: { session: { unrememberedTtlMs: 60 * minute } } });
      const { refreshToken } = await signUp(site, { remember: false });
      site.clock.advance(60 * minute);
      expectError(await refresh(site, refreshToken), 401, 'refresh_token_invalid');
    });

    it('remember: false is kept by the session that follows a changed password', async () => {
      const site = await openPro({ service: { session: { unrememberedTtlMs: 60 * minute } } });
      const { accessToken } = await signUp(site, { remember: false });
      const body = { currentPassword: validPassword, newPassword: 'another correct horse' };
      const { refreshToken } = tokensOf(await post(site, '/account/password', body, accessToken));
      site.clock.advance(60 * minute);
      expectError(await refresh(site, refreshToken), 401, 'refresh_token_invalid');
    });

    it('a private sign-up needs no cookie: its token is in the response and in the request with the code', async () => {
      const site = await openPro({ service: { signUp: { revealExisting: false } } });
      const email = site.uniqueEmail();
      const body = { email, password: validPassword };
      const started = await post(site, '/password/signup', body);
      expect([started.status, started.cookies]).toEqual([200, []]);
      const { token } = started.json.pending;
      const code = site.mail.lastCode(email);
      const finish = (more: object) => post(site, '/password/signup/verify', { code, ...more });
      for (const more of [{}, { token: 'x' }]) expectError(await finish(more), 401, 'token_invalid');
      // Not from a cookie: the request was exempt from the origin check.
      const inBrowser = await site.post('/password/signup', body);
      const cookie = inBrowser.cookie('svc_sign_up');
      const newest = { code: site.mail.lastCode(email) };
      const attack = await site.post('/password/signup/verify', newest, { cookie, headers: asking });
      expectError(attack, 401, 'token_invalid');
      // Nor does the body replace the cookie.
      const withoutCookie = await site.post('/password/signup/verify', { code, token });
      expectError(withoutCookie, 401, 'token_invalid');
      const finished = await finish({ token });
      expect(finished.json).toMatchObject({ user: { email, emailVerified: true }, created: true });
      tokensOf(finished);
    });

    it('POST /logout ends the session of the access token', async () => {
      const site = await openPro();
      const { accessToken, refreshToken } = await signUp(site);
      const response = await post(site, '/logout', undefined, accessToken);
      expect([response.status, response.cookies]).toEqual([200, []]);
      expectError(await session(site, accessToken), 401, 'token_invalid');
      expectError(await refresh(site, refreshToken), 401, 'refresh_token_invalid');
    });

    it('POST /logout with an expired access token ends its session, and with a forged one does not', async () => {
      const site = await openPro();
      const { accessToken, refreshToken } = await signUp(site);
      const other = await signUp(site);
      site.clock.advance(16 * minute);
      expectError(await session(site, accessToken), 401, 'token_invalid');
      const [header, , signature] = accessToken.split('.');
      const forged = [header, other.accessToken.split('.')[1], signature].join('.');
      expect((await post(site, '/logout', undefined, forged)).json).toEqual({ ok: true });
      expect((await post(site, '/logout', undefined, accessToken)).json).toEqual({ ok: true });
      expectError(await refresh(site, refreshToken), 401, 'refresh_token_invalid');
      expect((await refresh(site, other.refreshToken)).status).toBe(200);
    });

    it('the tokens of a bearer session and of POST /token/issue are refused by the route of the other, and stay valid', async () => {
      const site = await openPro();
      const { accessToken, refreshToken } = await signUp(site);
      const browser = await site.signUp();
      const issued = (await site.post('/token/issue', {}, { cookie: browser.cookie })).json;
      for (let count = 0; count < 2; count += 1) {
        expectError(await site.post('/token/refresh', { refreshToken }), 401, 'refresh_token_invalid');
        expectError(await refresh(site, issued.refreshToken), 401, 'refresh_token_invalid');
      }
      expect((await session(site, accessToken)).status).toBe(200);
      expect((await refresh(site, refreshToken)).status).toBe(200);
      const { refreshToken: token } = issued;
      expect((await site.post('/token/refresh', { refreshToken: token })).status).toBe(200);
    });

    it('a sign-in with an access token ends the session of that token', async () => {
      const site = await openPro();
      const { email, accessToken } = await signUp(site);
      const login = { email, password: validPassword };
      const { accessToken: next } = tokensOf(await post(site, '/password/login', login, accessToken));
      expectError(await session(site, accessToken), 401, 'token_invalid');
      expect((await session(site, next)).status).toBe(200);
    });

    it('a second factor completes the sign-in of the token that mfa_required returned', async () => {
      const site = await openPro({
        before: (app, { service }) =>
          app.get('/app/strong', requireSession(service, { mfa: true }), (_req, res) =>
            res.json({ ok: true }),
          ),
      });
      const { email, code } = await enrolled(site);
      const pending = await post(site, '/password/login', { email, password: validPassword });
      expectError(pending, 403, 'mfa_required');
      expect(pending.cookies).toEqual([]);
      const finish = (headers: Record<string, string>) =>
        site.post('/mfa/verify', { code: code() }, { headers: { ...asking, ...headers } });
      expectError(await finish({}), 401, 'token_invalid');
      expectError(await finish({ 'svc-mfa': 'x' }), 401, 'token_invalid');
      const { refreshToken } = tokensOf(await finish({ 'svc-mfa': pending.json.pending.token }));
      const { accessToken } = (await refresh(site, refreshToken)).json;
      const guarded = await site.send('GET', '/app/strong', undefined, { headers: withToken(accessToken) });
      expect(guarded.status).toBe(200);
    });

    it('a changed password ends every session and returns new tokens; a change without a proof does not', async () => {
      const site = await openPro();
      const { accessToken, refreshToken } = await signUp(site);
      const body = { currentPassword: validPassword, newPassword: 'another correct horse' };
      const next = tokensOf(await post(site, '/account/password', body, accessToken));
      expectError(await session(site, accessToken), 401, 'token_invalid');
      expectError(await refresh(site, refreshToken), 401, 'refresh_token_invalid');
      expect((await session(site, next.accessToken)).status).toBe(200);
      const { secret } = (await post(site, '/totp/enroll', undefined, next.accessToken)).json;
      const code = codeAt(secret, site.clock.now());
      const confirmed = await post(site, '/totp/confirm', { code }, next.accessToken);
      expect([confirmed.status, Object.keys(confirmed.json)]).toEqual([200, ['recoveryCodes']]);
      expectError(await session(site, next.accessToken), 401, 'token_invalid');
    });

    it('an application returns the tokens with signInResponse', async () => {
      const site = await openPro({
        before: (app, { service }) =>
          app.post('/app/sign-in', sameOrigin(service), (req, res, next) => {
            const { email } = req.query as { email: string };
            service.emailPassword
              .login({ email, password: validPassword }, signInContext(service, req))
              .then((result) => signInResponse(service, req, res, result))
              .catch(next);
          }),
      });
      const { email } = await signUp(site);
      const path = `/app/sign-in?email=${encodeURIComponent(email)}`;
      tokensOf(await site.send('POST', path, undefined, { headers: asking }));
    });
  });

  describe('bearer sessions and cookies', () => {
    // The preflight that `svc-session` causes may have been allowed with credentials, so the cookie arrives.
    it('a request of another site that asks for tokens never acts with the cookie', async () => {
      const site = await openPro({
        before: (app, { service }) => {
          app.post('/app/transfer', sameOrigin(service), requireSession(service), (_req, res) => {
            res.json({ ok: true });
          });
        },
      });
      const { cookie, user } = await site.signUp();
      const attack = { cookie, headers: asking };
      expectError(await site.get('/session', attack), 401, 'token_invalid');
      for (const route of ['/token/issue', '/account/password', '/totp/enroll']) {
        expectError(await site.post(route, {}, attack), 401, 'token_invalid');
      }
      const transfer = await site.send('POST', '/app/transfer', undefined, attack);
      expectError(transfer, 401, 'token_invalid');
      const signup = { email: user.email, password: 'a password of the attacker' };
      expectError(await site.post('/password/signup', signup, attack), 409, 'email_exists');
      expect((await site.post('/logout', undefined, attack)).cookies).toEqual([]);
      expect(await isSignedIn(site, cookie)).toBe(true);
    });

    it('a link and a linking sign-in that begin with tokens leave nothing in a browser for its cookies to complete', async () => {
      const client = {
        clientId: 'c',
        clientSecret: 's',
        redirectUri: 'https://app.test/oauth/acme/callback',
      };
      const endpoints = ['authorization', 'token', 'userInfo'].map((name) => [
        `${name}Endpoint`,
        `https://acme.test/${name}`,
      ]);
      const acme = { ...client, ...Object.fromEntries(endpoints), mapProfile: () => ({ id: '1' }) } as never;
      const site = await open({
        pro: true,
        service: {
          session: { bearer: true },
          providers: { magicLink: { confirmElsewhere: true }, oauth: { acme } },
        },
      });
      const { email, accessToken } = await signUp(site);
      const sent = await post(site, '/magic-link/send', { email });
      expect([sent.status, sent.cookies]).toEqual([200, []]);
      // Otherwise a page that has these headers allowed could link the identity of this browser's user to its own account.
      const link = await post(site, '/oauth/acme/link', {}, accessToken);
      expect([link.status, link.cookies]).toEqual([200, []]);
    });

    it('a token and a cookie of different users: only the token acts, and the cookie is neither set nor cleared', async () => {
      const site = await openPro();
      const { cookie } = await site.signUp();
      const attacker = await signUp(site);
      const both = { cookie, headers: withToken(attacker.accessToken) };
      expect((await site.get('/session', both)).json.user.id).toBe(attacker.user.id);
      const login = { email: attacker.email, password: validPassword };
      tokensOf(await site.post('/password/login', login, both));
      expect((await site.post('/logout', undefined, both)).cookies).toEqual([]);
      expect(await isSignedIn(site, cookie)).toBe(true);
    });

    it('a cross-site request with the cookie alone is refused as before', async () => {
      const site = await openPro();
      const { cookie } = await site.signUp();
      const headers = { Origin: spa, 'Sec-Fetch-Site': 'cross-site' };
      expectError(await site.post('/totp/enroll', undefined, { cookie, headers }), 403, 'not_authorized');
      const other = { ...headers, 'svc-session': 'cookie' };
      expectError(
        await site.post('/totp/enroll', undefined, { cookie, headers: other }),
        403,
        'not_authorized',
      );
    });

    it('without session.bearer, neither header replaces the origin check', async () => {
      const site = await open({ pro: true, service: { providers: { sessions: true, refresh: true } } });
      const { cookie } = await site.signUp();
      const headers = { ...asking, Authorization: 'Bearer x' };
      const body = { cookie, headers };
      expectError(await site.post('/devices/revoke-others', undefined, body), 403, 'not_authorized');
    });
  });
}
