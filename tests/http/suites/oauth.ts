/** /oauth/:name/start and /callback, against a provider that implements OpenID Connect. */
import { codeAt } from '../../support/authenticator-app.js';
import { encryptionKey } from '../../support/every-provider.js';
import { basePath } from '../../support/http-site.js';
import { minute } from '../../support/make-pro-service.js';
import type { OpenSite, Suite } from '../matrix.js';
import { expectError, expectRedirect, expectSignedIn, userLike } from './expect.js';
import { oauthScenes, redirectUri } from './oauth-scenes.js';

export function oauth(open: OpenSite, express: Parameters<Suite>[1]): void {
  const { provider, useProvider, openWithOAuth, person, start, callback, signIn } = oauthScenes(open);

  describe('OAuth sign-in', () => {
    useProvider();

    it('GET /oauth/:name/start redirects to the provider and binds the sign-in to the browser with svc_oauth', async () => {
      const site = await openWithOAuth({ trustProxy: true });
      const response = await site.get('/oauth/acme/start', { headers: { 'X-Forwarded-Proto': 'https' } });
      expect([response.status, response.text]).toEqual([302, '']);
      const url = new URL(response.location!);
      expect(url.origin).toBe(new URL(provider().issuer).origin);
      expect(Object.fromEntries(url.searchParams)).toMatchObject({
        redirect_uri: redirectUri,
        code_challenge_method: 'S256',
        nonce: expect.any(String) as string,
        state: expect.any(String) as string,
      });
      expect(response.cookies).toMatchObject([
        {
          name: 'svc_oauth',
          attributes: {
            httponly: true,
            secure: true,
            samesite: 'Lax',
            'max-age': '600',
            path: basePath,
          },
        },
      ]);
    });

    it('GET /oauth/:name/callback signs in and redirects to the success target of the Pro router, with the state of the start', async () => {
      const site = await openWithOAuth({ pro: { successRedirect: '/in' } });
      const { subject, email } = person(site);
      const started = await start(site, '?state=basket%207');
      const { search } = await provider().signIn(started.location!, subject);
      const response = await callback(site, search, started.cookie('svc_oauth'));
      expectSignedIn(response, '/in?state=basket%207');
      const { user } = (await site.get('/session', { cookie: response.cookie() })).json;
      expect(user).toEqual(userLike({ email, emailVerified: true }));
      const again = await signIn(site, subject);
      expect((await site.get('/session', { cookie: again.cookie() })).json.user.id).toBe(user.id);
    });

    it('GET /oauth/:name/callback accepts a response once, in the same browser, for the same provider, for ten minutes', async () => {
      const site = await openWithOAuth();
      const { subject } = person(site);
      const started = await start(site);
      const cookie = started.cookie('svc_oauth');
      const { search } = await provider().signIn(started.location!, subject);
      for (const response of [
        await callback(site, search),
        await callback(site, search, (await start(site)).cookie('svc_oauth')),
        await site.get(`/oauth/other/callback${search}`, { cookie }),
      ]) {
        expectRedirect(response, '/?error=oauth_error&reason=expired');
      }
      const responses = await Promise.all([1, 2, 3].map(() => callback(site, search, cookie)));
      expect(responses.map(({ location }) => location).sort()).toEqual([
        '/',
        '/?error=oauth_error&reason=expired',
        '/?error=oauth_error&reason=expired',
      ]);
      const late = await start(site);
      const answered = await provider().signIn(late.location!, subject);
      site.clock.advance(10 * minute);
      expectRedirect(
        await callback(site, answered.search, late.cookie('svc_oauth')),
        '/?error=oauth_error&reason=expired',
      );
    });

    it('GET /oauth/:name/callback redirects to the failure target on every failure; the start returns 501 for an unknown name', async () => {
      const site = await openWithOAuth({ pro: { failureRedirect: ({ code }) => `/failed/${code}` } });
      const started = await start(site);
      const { search } = await provider().signIn(started.location!, '');
      expectRedirect(await callback(site, search, started.cookie('svc_oauth')), '/failed/oauth_error');
      for (const name of ['unknown', 'google', '__proto__', 'constructor', 'ACME']) {
        expectError(await site.get(`/oauth/${name}/start`), 501, 'provider_not_configured');
        expectRedirect(await site.get(`/oauth/${name}/callback?code=x`), '/failed/provider_not_configured');
      }
      const unlicensed = await openWithOAuth({ service: { licenseKey: undefined } });
      expectError(await start(unlicensed), 501, 'license_required');
      expectRedirect(await callback(unlicensed, '?code=x'), '/?error=license_required');
    });

    it('GET /oauth/:name/callback refuses an address that has an account if linking is explicit', async () => {
      const site = await openWithOAuth();
      const { email } = await site.signInByCode();
      expectRedirect(
        await signIn(site, person(site, { email }).subject),
        '/?error=oauth_error&reason=email_exists',
      );
    });

    it('an address that the provider has not verified never reveals whether it has an account', async () => {
      const site = await openWithOAuth();
      const { email } = await site.signInByCode();
      for (const address of [email, site.uniqueEmail()]) {
        const { subject } = person(site, { email: address, email_verified: false });
        expectSignedIn(await signIn(site, subject));
      }
    });

    it('the redirect of a failure contains its reason, unless failureRedirect is a string', async () => {
      const site = await openWithOAuth();
      const declined = await start(site);
      const { search } = await provider().signIn(declined.location!, '');
      const refused = (reason: string) => `/?error=oauth_error&reason=${reason}`;
      expectRedirect(await callback(site, search, declined.cookie('svc_oauth')), refused('access_denied'));
      expectRedirect(await callback(site, search), refused('expired'));
      provider().override({ faults: { token: 'error' } });
      expectRedirect(await signIn(site, person(site).subject), refused('provider_error'));
      provider().override({});
      const fixed = await openWithOAuth({ pro: { failureRedirect: '/sign-in' } });
      expectRedirect(await callback(fixed, '?code=x'), '/sign-in');
      const own = await openWithOAuth({ pro: { failureRedirect: ({ reason }) => `/failed/${reason}` } });
      expectRedirect(await callback(own, '?code=x'), '/failed/expired');
    });

    it('GET /oauth/:name/start returns 400 for a repeated or overlong state, and an invalid redirect target is a ConfigError', async () => {
      const site = await openWithOAuth();
      for (const query of ['?state=a&state=b', `?state=${'x'.repeat(513)}`]) {
        expectError(await start(site, query), 400, 'invalid_request');
      }
      await expect(openWithOAuth({ pro: { successRedirect: '//evil.test' } })).rejects.toMatchObject({
        code: 'config_invalid',
      });
    });

    it('HEAD /oauth/:name/start and /callback have no effect', async () => {
      const site = await openWithOAuth();
      const { subject } = person(site);
      const started = await start(site);
      const { search } = await provider().signIn(started.location!, subject);
      const cookie = started.cookie('svc_oauth');
      for (const path of ['/oauth/acme/start', `/oauth/acme/callback${search}`]) {
        const head = await site.send('HEAD', path, undefined, { cookie });
        expect([head.status, head.text, head.cookies]).toEqual([200, '', []]);
      }
      expectSignedIn(await callback(site, search, cookie));
    });

    it('GET /oauth/:name/callback requires the second factor of an account that has one', async () => {
      const site = await openWithOAuth({ service: { encryptionKey, providers: { totp: true } } });
      const { subject } = person(site);
      const cookie = (await signIn(site, subject)).cookie();
      const { user } = (await site.get('/session', { cookie })).json;
      const { secret } = await site.service.totp.beginEnrollment(user.id);
      await site.service.totp.confirmEnrollment(user.id, codeAt(secret, site.clock.now()));
      site.clock.advance(minute);
      const response = await signIn(site, subject);
      expect([response.status, response.location]).toEqual([302, '/?error=mfa_required']);
      const cookieNames = response.cookies.filter(({ value }) => value !== '').map(({ name }) => name);
      expect(cookieNames).toEqual(['svc_mfa']);
      const code = codeAt(secret, site.clock.now());
      const finished = await site.post('/mfa/verify', { code }, { cookie: response.cookie('svc_mfa') });
      expect(finished.json.user.id).toBe(user.id);
    });
  });

  describe('POST /oauth/:name/callback, the form post of a provider', () => {
    useProvider();

    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    // As a browser sends it from the provider's page: from another site, without Lax cookies.
    const headers = { ...type, 'Sec-Fetch-Site': 'cross-site', Origin: 'https://appleid.apple.com' };

    it('POST /oauth/:name/callback redirects with 303 to a GET of the same URL, which signs in', async () => {
      const site = await openWithOAuth();
      const { subject } = person(site);
      const started = await start(site);
      const { searchParams } = await provider().signIn(started.location!, subject);
      const form = new URLSearchParams(searchParams);
      form.set('user', '{"name":{"firstName":"Ada"},"email":"ada@apple.test"}');
      form.set('id_token', 'a.b.c');
      for (let i = 0; i < 2; i += 1) {
        const response = await site.send('POST', '/oauth/acme/callback', form.toString(), { headers });
        expect([response.status, response.text, response.cookies]).toEqual([303, '', []]);
        // Names and tokens must not appear in a URL.
        expect(response.location).toBe(`${redirectUri}?${searchParams.toString()}`);
      }
      const { search } = new URL(`${redirectUri}?${searchParams.toString()}`);
      expectSignedIn(await callback(site, search, started.cookie('svc_oauth')));
    });

    it.each(['none', 'urlencoded', 'extended', 'text', 'json'])(
      'POST /oauth/:name/callback reads the form with any parser of the application: %s',
      async (parser) => {
        const site = await openWithOAuth({
          before(app) {
            if (parser === 'urlencoded') app.use(express.urlencoded({ extended: false }));
            if (parser === 'extended') app.use(express.urlencoded({ extended: true }));
            if (parser === 'text') app.use(express.text({ type: '*/*' }));
            if (parser === 'json') app.use(express.json());
          },
        });
        const body = 'code=a%20b&state=c&state=d&error=&other=x';
        const response = await site.send('POST', '/oauth/acme/callback', body, { headers });
        expect([response.status, response.location]).toEqual([
          303,
          `${redirectUri}?code=a+b&state=c&state=d&error=`,
        ]);
      },
    );

    it('POST /oauth/:name/callback redirects to the failure target if the form is invalid, too large or for an unknown provider', async () => {
      const site = await openWithOAuth();
      const post = (path: string, body: string, sent: Record<string, string>) =>
        site.send('POST', path, body, { headers: sent });
      for (const response of [
        await post('/oauth/acme/callback', '{"code":"x"}', { 'Content-Type': 'application/json' }),
        await post('/oauth/acme/callback', `code=${'x'.repeat(20_000)}`, headers),
        // In a URL it is three times as long, and longer than a server accepts.
        await post('/oauth/acme/callback', `code=${'ü'.repeat(4_000)}`, headers),
      ]) {
        expect([response.status, response.location]).toEqual([303, '/?error=invalid_request']);
      }
      const unknown = await post('/oauth/unknown/callback', 'code=x', headers);
      expect([unknown.status, unknown.location]).toEqual([303, '/?error=provider_not_configured']);
    });
  });
}
