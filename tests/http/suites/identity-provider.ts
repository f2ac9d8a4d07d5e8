/**
 * GET /google/start and /google/callback, also at /idp, against a real OpenID provider
 * (specification 4.1, T5, T13, A-71 to A-79).
 */
import { testClock } from 'svc-auth/testing';
import type { ServiceError } from 'svc-auth';
import type { OpenSite } from '../matrix.js';
import type { HttpResponse } from '../../support/http-client.js';
import { failingAdapter, type FailingAdapter } from '../../support/failing-adapter.js';
import type { Site, SiteOptions } from '../../support/http-site.js';
import { startOidcServer, type OidcServer } from '../../support/oidc-server.js';
import { expectError, expectRedirect, expectSignedIn, userLike } from './expect.js';

const minute = 60_000;
const redirectUri = 'https://app.test/api/auth/google/callback';

// Shared by both versions of Express, which use one database.
let accountCount = 0;

export function identityProvider(open: OpenSite): void {
  let oidc: OidcServer;

  const openWithProvider = (options: SiteOptions = {}) =>
    open({ ...options, service: { ...options.service, providers: { google: oidc.client } } });

  /** Creates an account at the provider. */
  function person(site: Site, account: { email?: string; email_verified?: unknown } = {}) {
    const subject = `subject-${(accountCount += 1)}`;
    const { email = site.uniqueEmail(), ...others } = account;
    oidc.accounts.set(subject, { email, email_verified: true, ...others });
    return { subject, email };
  }

  const start = (site: Site, query = '', prefix = '/google') => site.get(`${prefix}/start${query}`);

  /** Signs in at the provider and returns the query of the callback URL. */
  async function atProvider(started: HttpResponse, subject: string): Promise<string> {
    const url = await oidc.signIn(started.location!, subject);
    expect(url.origin + url.pathname).toBe(redirectUri);
    return url.search;
  }

  const callback = (site: Site, search: string, cookie?: string, prefix = '/google') =>
    site.get(`${prefix}/callback${search}`, { cookie });

  /** Completes a sign-in: start, provider, callback. */
  async function signIn(site: Site, subject: string, cookie = '', prefix = '/google') {
    const started = await start(site, '', prefix);
    const search = await atProvider(started, subject);
    return callback(site, search, `${cookie}; ${started.cookie('svc_oauth')}`, prefix);
  }

  const expired = '/?error=oauth_error&reason=expired';
  const providerError = '/?error=oauth_error&reason=provider_error';

  function expectFailure(response: HttpResponse, target = expired) {
    expectRedirect(response, target);
  }

  describe('sign-in with the identity provider', () => {
    beforeAll(async () => {
      oidc = await startOidcServer(redirectUri);
    });

    afterAll(() => oidc.stop());

    //
    it.each(['/google', '/idp'])(
      'GET %s/start redirects to the provider with state, nonce and PKCE S256',
      async (prefix) => {
        const site = await openWithProvider();
        const response = await start(site, '', prefix);
        expect([response.status, response.text]).toEqual([302, '']);
        const url = new URL(response.location!);
        expect(url.origin).toBe(oidc.issuer);
        expect(Object.fromEntries(url.searchParams)).toEqual({
          response_type: 'code',
          client_id: oidc.client.clientId,
          redirect_uri: redirectUri,
          scope: 'openid email profile',
          state: expect.stringMatching(/^[\w-]{22,}$/) as string,
          nonce: expect.stringMatching(/^[\w-]{22,}$/) as string,
          code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
          code_challenge_method: 'S256',
        });
        const again = new URL((await start(site, '', prefix)).location!);
        for (const name of ['state', 'nonce', 'code_challenge']) {
          expect(again.searchParams.get(name)).not.toBe(url.searchParams.get(name));
        }
      },
    );

    //
    it('GET /google/start sets svc_oauth with HttpOnly, SameSite=Lax, 10 minutes and the path of the routes', async () => {
      const site = await openWithProvider({ trustProxy: true });
      const response = await start(site);
      expect(response.cookies).toHaveLength(1);
      const { name, attributes } = response.cookies[0]!;
      expect(name).toBe('svc_oauth');
      expect(attributes).toMatchObject({ httponly: true, samesite: 'Lax', 'max-age': '600' });
      expect(attributes).not.toHaveProperty('domain');
      expect(attributes).not.toHaveProperty('secure');
      // The start route must also receive it, because it adds to it.
      expect(attributes['path']).toBe('/api/auth');
      const https = await site.get('/google/start', { headers: { 'X-Forwarded-Proto': 'https' } });
      expect(https.cookies[0]!.attributes).toHaveProperty('secure', true);
    });

    //
    it.each([
      ['https://app.test/api/auth/idp/callback', '/api/auth'],
      ['https://app.test/behind/a/proxy/google/callback/', '/behind/a/proxy'],
      ['https://app.test/google/callback', '/'],
      // A custom address: it does not show where the start route is.
      ['https://app.test/signed-in', '/'],
    ])('the redirectUri %s gives the svc_oauth cookie the path %s', async (other, path) => {
      const site = await open({ service: { providers: { google: { ...oidc.client, redirectUri: other } } } });
      expect((await start(site, '', '/idp')).cookies[0]!.attributes['path']).toBe(path);
    });

    //
    it('the svc_oauth cookie lasts the full 10 minutes, even if the start takes time', async () => {
      const clock = testClock();
      const ticking = { ...clock, now: () => (clock.advance(7), clock.now()) };
      const site = await openWithProvider({ service: { clock: ticking } });
      expect((await start(site)).cookies[0]!.attributes['max-age']).toBe('600');
    });

    //
    it('the svc_oauth cookie uses the __Host- prefix if the session cookie does, and a planted svc_oauth is ignored', async () => {
      const cookie = { name: '__Host-svc_session', secure: true } as const;
      const site = await openWithProvider({ service: { session: { cookie } } });
      const { subject } = person(site);
      const started = await start(site);
      const { name, value, attributes } = started.cookies[0]!;
      expect([name, attributes['path'], attributes['secure']]).toEqual(['__Host-svc_oauth', '/', true]);
      expect(attributes).not.toHaveProperty('domain');
      const search = await atProvider(started, subject);
      expectFailure(await callback(site, search, `svc_oauth=${value}`));
      const response = await callback(site, search, `${name}=${value}`);
      expect(response.location).toBe('/');
      expect(response.cookies.map((cookie) => [cookie.name, cookie.value !== ''])).toEqual([
        [name, false],
        [cookie.name, true],
        ['__Host-svc_device', true],
      ]);
    });

    it.each(['/google', '/idp'])(
      'GET %s/callback signs in, sets the cookie and redirects; a new user is created with a verified address',
      async (prefix) => {
        const site = await openWithProvider();
        const { subject, email } = person(site);
        const response = await signIn(site, subject, '', prefix);
        expectSignedIn(response);
        const { user } = (await site.get('/session', { cookie: response.cookie() })).json;
        expect(user).toEqual(userLike({ email, emailVerified: true }));
        const again = await signIn(site, subject, '', prefix);
        expect((await site.get('/session', { cookie: again.cookie() })).json.user.id).toBe(user.id);
      },
    );

    it('the caller’s state is returned as ?state= on the success redirect and is not sent to the provider', async () => {
      for (const [successRedirect, state, target] of [
        [undefined, 'basket 7&x=1', '/?state=basket%207%26x%3D1'],
        ['/in?a=1#top', 'plain', '/in?a=1&state=plain#top'],
        // whatever it says, it is a parameter and no target.
        [undefined, 'https://evil.test/', '/?state=https%3A%2F%2Fevil.test%2F'],
        [undefined, '//evil.test', '/?state=%2F%2Fevil.test'],
      ] as const) {
        const site = await openWithProvider({ router: { successRedirect } });
        const { subject } = person(site);
        const started = await start(site, `?state=${encodeURIComponent(state)}`);
        expect(started.location).not.toContain(encodeURIComponent(state));
        const search = await atProvider(started, subject);
        expectSignedIn(await callback(site, search, started.cookie('svc_oauth')), target);
      }
    });

    //
    it('GET /google/start returns 400 invalid_request for a state that is given twice or longer than 512 characters', async () => {
      const site = await openWithProvider();
      for (const query of ['?state=a&state=b', `?state=${'x'.repeat(513)}`]) {
        expectError(await start(site, query), 400, 'invalid_request');
      }
      const longest = await start(site, `?state=${'x'.repeat(512)}`);
      expect(longest.status).toBe(302);
      expect(longest.cookie('svc_oauth').length).toBeLessThan(4096);
    });

    it('GET /google/callback redirects to the failure target if the user declines at the provider', async () => {
      for (const [failureRedirect, target] of [
        [undefined, '/?error=oauth_error&reason=access_denied'],
        ['https://app.test/sign-in#again', 'https://app.test/sign-in#again'],
        [
          ({ code, reason }: ServiceError) => `/failed/${code}/${reason}`,
          '/failed/oauth_error/access_denied',
        ],
      ] as const) {
        const site = await openWithProvider({ router: { failureRedirect } });
        const started = await start(site);
        const search = await atProvider(started, '');
        expect(search).toContain('error=access_denied');
        expectFailure(await callback(site, search, started.cookie('svc_oauth')), target);
      }
    });

    describe('sign-in in several tabs of one browser', () => {
      const cookieName = (value: { cookie?: { name: string } }) =>
        value.cookie?.name.startsWith('__Host-') ? '__Host-svc_oauth' : 'svc_oauth';

      /**
       * Starts one sign-in per account, in the order of the tabs, each with the cookie that the
       * browser has at that time.
       */
      async function openTabs(site: Site, count: number, name = 'svc_oauth', query = '') {
        const tabs: { search: string; email: string }[] = [];
        let jar = '';
        for (let tab = 0; tab < count; tab += 1) {
          const { subject, email } = person(site);
          const started = await site.get(`/google/start${query}`, { cookie: jar });
          jar = started.cookie(name);
          expect(jar.length).toBeLessThan(4096);
          tabs.push({ search: await atProvider(started, subject), email });
        }
        return { tabs, jar };
      }

      /** Returns the cookie after a response, as a browser stores it. */
      function jarAfter(response: HttpResponse, jar: string, name = 'svc_oauth') {
        const updatedCookie = response.cookies.find((each) => each.name === name);
        return updatedCookie ? `${name}=${updatedCookie.value}` : jar;
      }

      it.each([{}, { cookie: { name: '__Host-svc_session', secure: true } } as const])(
        'a browser can sign in once from each tab, in any order, with the session options %j',
        async (session) => {
          const name = cookieName(session);
          const site = await openWithProvider({ service: { session } });
          const opened = await openTabs(site, 5, name);
          let { jar } = opened;
          for (const tab of [1, 0, 4, 3, 2]) {
            const { search, email } = opened.tabs[tab]!;
            const response = await callback(site, search, jar);
            expect([tab, response.location]).toEqual([tab, '/']);
            const cookie = response.cookie(session.cookie?.name);
            expect((await site.get('/session', { cookie })).json.user.email).toBe(email);
            jar = jarAfter(response, jar, name);
            expect((await callback(site, search, opened.jar)).location).toMatch(/error=oauth_error/);
          }
          expect(jar).toBe(`${name}=`);
        },
      );

      it('the svc_oauth cookie keeps the five newest sign-ins, as far as they fit into it', async () => {
        const site = await openWithProvider();
        for (const [query, keptCount] of [
          ['', 5],
          [`?state=${'x'.repeat(512)}`, 3],
          [`?state=${encodeURIComponent('漢'.repeat(512))}`, 1],
        ] as const) {
          const { tabs, jar } = await openTabs(site, 6, 'svc_oauth', query);
          const locations = [];
          for (const { search } of tabs) locations.push((await callback(site, search, jar)).location);
          expect(locations.map((location) => location?.includes('error='))).toEqual(
            tabs.map((_, tab) => tab < tabs.length - keptCount),
          );
        }
      });

      it('a forged or stale callback keeps a pending sign-in', async () => {
        const site = await openWithProvider();
        const { tabs, jar } = await openTabs(site, 2);
        const forged = new URLSearchParams(tabs[0]!.search);
        forged.set('state', 'x'.repeat(43));
        const other = await atProvider(await start(site), person(site).subject);
        for (const search of [`?${forged.toString()}`, other, '?code=x', '', '?error=access_denied']) {
          const response = await callback(site, search, jar);
          expectFailure(response);
          expect(response.cookies).toEqual([]);
        }
        expect((await callback(site, tabs[0]!.search, jar)).location).toBe('/');
        expect((await callback(site, tabs[1]!.search, jar)).location).toBe('/');
      });

      it('GET /google/start removes invalid entries from the svc_oauth cookie', async () => {
        const site = await openWithProvider();
        const odd = ['ü'.repeat(2_000), '~~', '__proto__', `${'x'.repeat(16)}.a.b.c`].join('~');
        const first = await site.get('/google/start', { cookie: `svc_oauth=${encodeURIComponent(odd)}` });
        expect(first.cookies[0]!.value.split('~')).toHaveLength(1);
      });
    });

    // T5
    it('the callback of one browser does not sign in another browser (login CSRF)', async () => {
      const site = await openWithProvider();
      const attacker = person(site);
      const started = await start(site);
      const search = await atProvider(started, attacker.subject);
      expectFailure(await callback(site, search));
      // The victim's browser may have a pending sign-in.
      const victimStart = await start(site);
      expectFailure(await callback(site, search, victimStart.cookie('svc_oauth')));
      // The callback must not link the attacker's identity to a signed-in victim.
      const victim = await site.signInByCode();
      expectFailure(await callback(site, search, victim.cookie));
      expect((await site.get('/session', { cookie: victim.cookie })).json.user.id).toBe(victim.user.id);
    });

    //
    it('GET /google/callback rejects a svc_oauth cookie that is altered, of another purpose or older than 10 minutes', async () => {
      const site = await openWithProvider();
      const { subject } = person(site);
      const started = await start(site);
      const search = await atProvider(started, subject);
      const cookie = started.cookie('svc_oauth');
      const victim = await site.signInByCode();
      await site.post('/magic-link/send', { email: victim.email });
      for (const other of [
        'svc_oauth=',
        'svc_oauth=x.y',
        `${cookie}x`,
        // Changes one letter of the state in the cookie.
        cookie.replace(/^(svc_oauth=.{60})(.)/, (_, before, at) => `${before}${at === 'A' ? 'B' : 'A'}`),
        `svc_oauth=${site.mailedToken(victim.email)}`,
        victim.cookie.replace('svc_session', 'svc_oauth'),
      ]) {
        expectFailure(await callback(site, search, other));
      }
      site.clock.advance(10 * minute);
      expectFailure(await callback(site, search, cookie));
    });

    //
    it('a start signs in once: a repeated callback and a second code for the same start are rejected', async () => {
      const site = await openWithProvider();
      const { subject } = person(site);
      const started = await start(site);
      const [first, second] = [await atProvider(started, subject), await atProvider(started, subject)];
      const cookie = started.cookie('svc_oauth');
      expectSignedIn(await callback(site, first, cookie));
      expectFailure(await callback(site, first, cookie));
      // The provider would still accept this code, with the same state, nonce and challenge.
      expect(second).not.toBe(first);
      expectFailure(await callback(site, second, cookie));
    });

    //
    it('GET /google/callback rejects a code of another start: nonce and PKCE', async () => {
      const site = await openWithProvider();
      const { subject } = person(site);
      const started = await start(site);
      const stolen = new URLSearchParams(await atProvider(await start(site), subject));
      stolen.set('state', new URL(started.location!).searchParams.get('state')!);
      expectFailure(
        await callback(site, `?${stolen.toString()}`, started.cookie('svc_oauth')),
        providerError,
      );
    });

    //
    it('GET /google/callback rejects a missing, wrong, repeated or list-valued state, and a missing or repeated code', async () => {
      const site = await openWithProvider();
      const { subject } = person(site);
      const changes: ((query: URLSearchParams) => void)[] = [
        (query) => query.delete('state'),
        (query) => query.set('state', ''),
        (query) => query.set('state', 'x'.repeat(43)),
        (query) => query.append('state', query.get('state')!),
        (query) => query.append('state', 'other'),
        (query) => {
          query.append('state[]', query.get('state')!);
          query.delete('state');
        },
        (query) => query.delete('code'),
        (query) => query.append('code', query.get('code')!),
        (query) => query.set('code', 'nonsense'),
        (query) => query.set('iss', 'https://evil.test'),
      ];
      for (const change of changes) {
        const started = await start(site);
        const query = new URLSearchParams(await atProvider(started, subject));
        change(query);
        const isAnswer =
          query.getAll('state').join() === new URL(started.location!).searchParams.get('state');
        const target = isAnswer ? providerError : expired;
        expectFailure(await callback(site, `?${query.toString()}`, started.cookie('svc_oauth')), target);
      }
      expectFailure(await callback(site, ''));
    });

    //
    it('no response and no log contains codes, secrets or the subject of the provider', async () => {
      const site = await openWithProvider();
      const { subject } = person(site);
      const started = await start(site);
      const search = await atProvider(started, subject);
      const response = await callback(site, search, started.cookie('svc_oauth'));
      expectSignedIn(response);
      const payload = response.cookie().split('.')[1] ?? '';
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
      expect(Object.keys(claims).sort()).toEqual(['epoch', 'exp', 'iat', 'sid', 'sub', 'use']);
      expect(claims['sub']).not.toBe(subject);
      const code = new URLSearchParams(search).get('code')!;
      const session = await site.get('/session', { cookie: response.cookie() });
      const visible = JSON.stringify([response.headers, session.headers, session.json, site.log]);
      for (const secret of [code, subject, oidc.client.clientSecret]) expect(visible).not.toContain(secret);
      expect(visible).not.toMatch(/access_token|id_token|refresh_token|codeVerifier/);
    });

    // T13
    it('an unverified address of the provider matches no account: the new user has no address', async () => {
      const site = await openWithProvider();
      const victim = await site.signInByCode();
      for (const email_verified of [false, 'true', 1, undefined]) {
        const { subject } = person(site, { email: victim.email, email_verified });
        const response = await signIn(site, subject);
        expectSignedIn(response);
        const { user } = (await site.get('/session', { cookie: response.cookie() })).json;
        expect(user).toMatchObject({ email: null, emailVerified: false });
        expect(user.id).not.toBe(victim.user.id);
      }
      expect((await site.get('/session', { cookie: victim.cookie })).status).toBe(200);
    });

    // T2, T13
    it('a verified address of the provider claims an unverified account and ends its earlier sessions and password', async () => {
      const site = await openWithProvider();
      const attacker = await site.signUp();
      const { subject } = person(site, { email: attacker.email });
      const response = await signIn(site, subject);
      const { user } = (await site.get('/session', { cookie: response.cookie() })).json;
      expect(user).toMatchObject({ id: attacker.user.id, emailVerified: true });
      expect((await site.get('/session', { cookie: attacker.cookie })).status).toBe(401);
      const { email, password } = attacker;
      expectError(await site.post('/password/login', { email, password }), 401, 'invalid_credentials');
    });

    // T13
    it('a verified address of the provider joins a verified account; afterwards the subject identifies the user', async () => {
      const site = await openWithProvider();
      const { email, user, cookie } = await site.signInByCode();
      const { subject } = person(site, { email });
      const joined = await signIn(site, subject);
      expect((await site.get('/session', { cookie: joined.cookie() })).json.user.id).toBe(user.id);
      expect((await site.get('/session', { cookie })).status).toBe(200);
      const renamed = site.uniqueEmail();
      oidc.accounts.set(subject, { email: renamed, email_verified: true });
      const later = await signIn(site, subject);
      const session = await site.get('/session', { cookie: later.cookie() });
      expect(session.json.user).toMatchObject({ id: user.id, email });
    });

    //
    it('a sign-in with the provider ends the session whose cookie it came with', async () => {
      const site = await openWithProvider();
      const { cookie } = await site.signUp();
      const { subject } = person(site);
      expectSignedIn(await signIn(site, subject, cookie));
      expect((await site.get('/session', { cookie })).status).toBe(401);
    });

    //
    it('redirect_uri and the cookie depend on the configuration, not on the Host header', async () => {
      const site = await openWithProvider({ trustProxy: true });
      const headers = { Host: 'evil.test', 'X-Forwarded-Host': 'evil.test', Referer: 'https://evil.test/' };
      const response = await site.get('/google/start', { headers });
      expect(new URL(response.location!).searchParams.get('redirect_uri')).toBe(redirectUri);
      expect(JSON.stringify(response.headers)).not.toContain('evil.test');
    });

    it('an unreachable provider causes oauth_error: 400 at the start, the failure target at the callback', async () => {
      const site = await openWithProvider();
      const { subject } = person(site);
      const ready = await openWithProvider({ service: { clock: site.clock } });
      const started = await start(ready);
      const search = await atProvider(started, subject);
      await oidc.stop();
      try {
        expectError(await start(site), 400, 'oauth_error');
        expectFailure(await callback(ready, search, started.cookie('svc_oauth')), providerError);
      } finally {
        await oidc.restart();
      }
      expectSignedIn(await signIn(site, subject));
    });

    it('GET /google/callback redirects to the failure target with internal_error if the store fails', async () => {
      let store: FailingAdapter | undefined;
      const site = await openWithProvider({
        wrapAdapter: (adapter) => (store = failingAdapter(adapter)).adapter,
      });
      const { subject } = person(site);
      const started = await start(site);
      const search = await atProvider(started, subject);
      store!.fail();
      expectFailure(await callback(site, search, started.cookie('svc_oauth')), '/?error=internal_error');
    });
  });
}
