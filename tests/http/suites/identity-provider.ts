/** GET /google/start and /google/callback, also at /idp, against a real OpenID provider (specification 4.1, T5, T13, A-71 to A-79). */
import { testClock } from 'svc-auth/testing';
import type { ServiceError } from 'svc-auth';
import type { OpenSite } from '../matrix.js';
import type { Answer } from '../../support/http-client.js';
import { failingAdapter, type FailingAdapter } from '../../support/failing-adapter.js';
import type { Site, SiteOptions } from '../../support/http-site.js';
import { startOidcServer, type OidcServer } from '../../support/oidc-server.js';
import { expectError, expectRedirect, userLike } from './expect.js';

const minute = 60_000;
const redirectUri = 'https://app.test/api/auth/google/callback';

// Over both versions of Express, as they share a database.
let people = 0;

export function identityProvider(open: OpenSite): void {
  let oidc: OidcServer;

  const openWithProvider = (options: SiteOptions = {}) =>
    open({ ...options, service: { ...options.service, providers: { google: oidc.client } } });

  /** A person known to the provider. */
  function person(site: Site, account: { email?: string; email_verified?: unknown } = {}) {
    const subject = `subject-${(people += 1)}`;
    const { email = site.address(), ...others } = account;
    oidc.accounts.set(subject, { email, email_verified: true, ...others });
    return { subject, email };
  }

  const start = (site: Site, query = '', prefix = '/google') => site.get(`${prefix}/start${query}`);

  /** From the start to the callback URL's query, in the browser of `started`. */
  async function atProvider(started: Answer, subject: string): Promise<string> {
    const url = await oidc.signIn(started.location!, subject);
    expect(url.origin + url.pathname).toBe(redirectUri);
    return url.search;
  }

  const callback = (site: Site, search: string, cookie?: string, prefix = '/google') =>
    site.get(`${prefix}/callback${search}`, { cookie });

  /** The whole way: start, sign in at the provider, come back. */
  async function signIn(site: Site, subject: string, cookie = '', prefix = '/google') {
    const started = await start(site, '', prefix);
    const search = await atProvider(started, subject);
    return callback(site, search, `${cookie}; ${started.cookie('svc_oauth')}`, prefix);
  }

  function expectSignedIn(answer: Answer, target = '/') {
    expect([answer.status, answer.location, answer.text]).toEqual([302, target, '']);
    expect(answer.cookies.map(({ name, value }) => [name, value !== ''])).toEqual([
      ['svc_oauth', false],
      ['svc_session', true],
      ['svc_device', true],
    ]);
  }

  const expired = '/?error=oauth_error&reason=expired';
  const providerError = '/?error=oauth_error&reason=provider_error';

  function expectFailure(answer: Answer, target = expired) {
    expectRedirect(answer, target);
  }

  describe('the identity provider', () => {
    beforeAll(async () => {
      oidc = await startOidcServer(redirectUri);
    });

    afterAll(() => oidc.stop());

    it.each(['/google', '/idp'])(
      '%s/start is 302 to the provider with state, nonce and PKCE S256 (A-72, A-76)',
      async (prefix) => {
        const site = await openWithProvider();
        const answer = await start(site, '', prefix);
        expect([answer.status, answer.text]).toEqual([302, '']);
        const url = new URL(answer.location!);
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

    it('A-71: start binds the sign-in to the browser by svc_oauth: HttpOnly, SameSite=Lax, 10 minutes, for the routes alone', async () => {
      const site = await openWithProvider({ trustProxy: true });
      const answer = await start(site);
      expect(answer.cookies).toHaveLength(1);
      const { name, attributes } = answer.cookies[0]!;
      expect(name).toBe('svc_oauth');
      expect(attributes).toMatchObject({ httponly: true, samesite: 'Lax', 'max-age': '600' });
      expect(attributes).not.toHaveProperty('domain');
      expect(attributes).not.toHaveProperty('secure');
      // The start must see it as well, which adds to it.
      expect(attributes['path']).toBe('/api/auth');
      const https = await site.get('/google/start', { headers: { 'X-Forwarded-Proto': 'https' } });
      expect(https.cookies[0]!.attributes).toHaveProperty('secure', true);
    });

    it.each([
      ['https://app.test/api/auth/idp/callback', '/api/auth'],
      ['https://app.test/behind/a/proxy/google/callback/', '/behind/a/proxy'],
      ['https://app.test/google/callback', '/'],
      // An address that the application leads to ours: where the start is, nothing says.
      ['https://app.test/signed-in', '/'],
    ])('A-71: the redirectUri %s gives the cookie the path %s', async (other, path) => {
      const site = await open({ service: { providers: { google: { ...oidc.client, redirectUri: other } } } });
      expect((await start(site, '', '/idp')).cookies[0]!.attributes['path']).toBe(path);
    });

    it('A-71: the cookie lives for the whole 10 minutes, however long the start took', async () => {
      const clock = testClock();
      const ticking = { ...clock, now: () => (clock.advance(7), clock.now()) };
      const site = await openWithProvider({ service: { clock: ticking } });
      expect((await start(site)).cookies[0]!.attributes['max-age']).toBe('600');
    });

    it('A-71: beside a session cookie of this host alone it is one as well: what a sibling subdomain plants signs nobody in', async () => {
      const cookie = { name: '__Host-svc_session', secure: true } as const;
      const site = await openWithProvider({ service: { session: { cookie } } });
      const { subject } = person(site);
      const started = await start(site);
      const { name, value, attributes } = started.cookies[0]!;
      expect([name, attributes['path'], attributes['secure']]).toEqual(['__Host-svc_oauth', '/', true]);
      expect(attributes).not.toHaveProperty('domain');
      const search = await atProvider(started, subject);
      expectFailure(await callback(site, search, `svc_oauth=${value}`));
      const answer = await callback(site, search, `${name}=${value}`);
      expect(answer.location).toBe('/');
      expect(answer.cookies.map((each) => [each.name, each.value !== ''])).toEqual([
        [name, false],
        [cookie.name, true],
        ['__Host-svc_device', true],
      ]);
    });

    it.each(['/google', '/idp'])(
      '%s/callback signs in, sets the cookie and redirects; created and verified',
      async (prefix) => {
        const site = await openWithProvider();
        const { subject, email } = person(site);
        const answer = await signIn(site, subject, '', prefix);
        expectSignedIn(answer);
        const { user } = (await site.get('/session', { cookie: answer.cookie() })).json;
        expect(user).toEqual(userLike({ email, emailVerified: true }));
        const again = await signIn(site, subject, '', prefix);
        expect((await site.get('/session', { cookie: again.cookie() })).json.user.id).toBe(user.id);
      },
    );

    it('the caller’s state comes back as ?state= on the success redirect, and is not what the provider sees', async () => {
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

    it('A-83: a state that is given twice or is longer than 512 characters is 400 invalid_request', async () => {
      const site = await openWithProvider();
      for (const query of ['?state=a&state=b', `?state=${'x'.repeat(513)}`]) {
        expectError(await start(site, query), 400, 'invalid_request');
      }
      const longest = await start(site, `?state=${'x'.repeat(512)}`);
      expect(longest.status).toBe(302);
      expect(longest.cookie('svc_oauth').length).toBeLessThan(4096);
    });

    it('a person who declines at the provider goes to the failure target', async () => {
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

    describe('in several tabs of one browser', () => {
      const cookieName = (value: { cookie?: { name: string } }) =>
        value.cookie?.name.startsWith('__Host-') ? '__Host-svc_oauth' : 'svc_oauth';

      /** Starts one sign-in per person, in the order of the tabs, with the cookie that the browser has by then. */
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

      /** What the cookie is after an answer, as a browser keeps it. */
      function jarAfter(answer: Answer, jar: string, name = 'svc_oauth') {
        const set = answer.cookies.find((each) => each.name === name);
        return set ? `${name}=${set.value}` : jar;
      }

      it.each([{}, { cookie: { name: '__Host-svc_session', secure: true } } as const])(
        'signs in once from each tab, in any order, with the session options %j',
        async (session) => {
          const name = cookieName(session);
          const site = await openWithProvider({ service: { session } });
          const opened = await openTabs(site, 5, name);
          let { jar } = opened;
          for (const tab of [1, 0, 4, 3, 2]) {
            const { search, email } = opened.tabs[tab]!;
            const answer = await callback(site, search, jar);
            expect([tab, answer.location]).toEqual([tab, '/']);
            const cookie = answer.cookie(session.cookie?.name);
            expect((await site.get('/session', { cookie })).json.user.email).toBe(email);
            jar = jarAfter(answer, jar, name);
            expect((await callback(site, search, opened.jar)).location).toMatch(/error=oauth_error/);
          }
          expect(jar).toBe(`${name}=`);
        },
      );

      it('keeps the five newest sign-ins, and those that fit into one cookie', async () => {
        const site = await openWithProvider();
        for (const [query, kept] of [
          ['', 5],
          [`?state=${'x'.repeat(512)}`, 3],
          [`?state=${encodeURIComponent('漢'.repeat(512))}`, 1],
        ] as const) {
          const { tabs, jar } = await openTabs(site, 6, 'svc_oauth', query);
          const locations = [];
          for (const { search } of tabs) locations.push((await callback(site, search, jar)).location);
          expect(locations.map((location) => location?.includes('error='))).toEqual(
            tabs.map((_, tab) => tab < tabs.length - kept),
          );
        }
      });

      it('keeps a sign-in that is under way when a forged or stale answer arrives', async () => {
        const site = await openWithProvider();
        const { tabs, jar } = await openTabs(site, 2);
        const forged = new URLSearchParams(tabs[0]!.search);
        forged.set('state', 'x'.repeat(43));
        const other = await atProvider(await start(site), person(site).subject);
        for (const search of [`?${forged.toString()}`, other, '?code=x', '', '?error=access_denied']) {
          const answer = await callback(site, search, jar);
          expectFailure(answer);
          expect(answer.cookies).toEqual([]);
        }
        expect((await callback(site, tabs[0]!.search, jar)).location).toBe('/');
        expect((await callback(site, tabs[1]!.search, jar)).location).toBe('/');
      });

      it('drops what is not an entry of the cookie', async () => {
        const site = await openWithProvider();
        const odd = ['ü'.repeat(2_000), '~~', '__proto__', `${'x'.repeat(16)}.a.b.c`].join('~');
        const first = await site.get('/google/start', { cookie: `svc_oauth=${encodeURIComponent(odd)}` });
        expect(first.cookies[0]!.value.split('~')).toHaveLength(1);
      });
    });

    it('T5: the callback of one browser signs nobody in at another: login CSRF', async () => {
      const site = await openWithProvider();
      const attacker = person(site);
      const started = await start(site);
      const search = await atProvider(started, attacker.subject);
      expectFailure(await callback(site, search));
      // The victim's browser may be in the middle of a sign-in of its own.
      const victims = await start(site);
      expectFailure(await callback(site, search, victims.cookie('svc_oauth')));
      // Nor may a signed-in victim be linked to the attacker's identity by it.
      const victim = await site.signInByCode();
      expectFailure(await callback(site, search, victim.cookie));
      expect((await site.get('/session', { cookie: victim.cookie })).json.user.id).toBe(victim.user.id);
    });

    it('A-71: a cookie that was changed, made for something else, or is older than 10 minutes is none', async () => {
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
        // Another letter in the state that it carries.
        cookie.replace(/^(svc_oauth=.{60})(.)/, (_, before, at) => `${before}${at === 'A' ? 'B' : 'A'}`),
        `svc_oauth=${site.mailedToken(victim.email)}`,
        victim.cookie.replace('svc_session', 'svc_oauth'),
      ]) {
        expectFailure(await callback(site, search, other));
      }
      site.clock.advance(10 * minute);
      expectFailure(await callback(site, search, cookie));
    });

    it('A-71: a start counts once: neither its answer again, nor a second answer of the provider to it, signs in', async () => {
      const site = await openWithProvider();
      const { subject } = person(site);
      const started = await start(site);
      const [first, second] = [await atProvider(started, subject), await atProvider(started, subject)];
      const cookie = started.cookie('svc_oauth');
      expectSignedIn(await callback(site, first, cookie));
      expectFailure(await callback(site, first, cookie));
      // A code that the provider would still take, under the same state, nonce and challenge.
      expect(second).not.toBe(first);
      expectFailure(await callback(site, second, cookie));
    });

    it('A-71: a code of one start is none under the state and the cookie of another: nonce and PKCE', async () => {
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

    it('A-71, A-83: a state that is missing, wrong, doubled or a list, and a code that is missing or doubled, fail', async () => {
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

    it('A-79: of what the provider gave, nothing is in a cookie, a redirect or a body', async () => {
      const site = await openWithProvider();
      const { subject } = person(site);
      const started = await start(site);
      const search = await atProvider(started, subject);
      const answer = await callback(site, search, started.cookie('svc_oauth'));
      expectSignedIn(answer);
      const payload = answer.cookie().split('.')[1] ?? '';
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
      expect(Object.keys(claims).sort()).toEqual(['epoch', 'exp', 'iat', 'sid', 'sub', 'use']);
      expect(claims['sub']).not.toBe(subject);
      const code = new URLSearchParams(search).get('code')!;
      const session = await site.get('/session', { cookie: answer.cookie() });
      const visible = JSON.stringify([answer.headers, session.headers, session.json, site.log]);
      for (const secret of [code, subject, oidc.client.clientSecret]) expect(visible).not.toContain(secret);
      expect(visible).not.toMatch(/access_token|id_token|refresh_token|codeVerifier/);
    });

    it('T13: an unverified address of the provider touches nobody’s account: the newcomer has no address', async () => {
      const site = await openWithProvider();
      const victim = await site.signInByCode();
      for (const email_verified of [false, 'true', 1, undefined]) {
        const { subject } = person(site, { email: victim.email, email_verified });
        const answer = await signIn(site, subject);
        expectSignedIn(answer);
        const { user } = (await site.get('/session', { cookie: answer.cookie() })).json;
        expect(user).toMatchObject({ email: null, emailVerified: false });
        expect(user.id).not.toBe(victim.user.id);
      }
      expect((await site.get('/session', { cookie: victim.cookie })).status).toBe(200);
    });

    it('T2, T13: a verified address claims an unverified account: what was set up before it ends', async () => {
      const site = await openWithProvider();
      const attacker = await site.signUp();
      const { subject } = person(site, { email: attacker.email });
      const answer = await signIn(site, subject);
      const { user } = (await site.get('/session', { cookie: answer.cookie() })).json;
      expect(user).toMatchObject({ id: attacker.user.id, emailVerified: true });
      expect((await site.get('/session', { cookie: attacker.cookie })).status).toBe(401);
      const { email, password } = attacker;
      expectError(await site.post('/password/login', { email, password }), 401, 'invalid_credentials');
    });

    it('T13: a verified address joins the verified account; from then on the subject counts, not the address', async () => {
      const site = await openWithProvider();
      const { email, user, cookie } = await site.signInByCode();
      const { subject } = person(site, { email });
      const joined = await signIn(site, subject);
      expect((await site.get('/session', { cookie: joined.cookie() })).json.user.id).toBe(user.id);
      expect((await site.get('/session', { cookie })).status).toBe(200);
      const renamed = site.address();
      oidc.accounts.set(subject, { email: renamed, email_verified: true });
      const later = await signIn(site, subject);
      const session = await site.get('/session', { cookie: later.cookie() });
      expect(session.json.user).toMatchObject({ id: user.id, email });
    });

    it('A-48: a sign-in by the provider ends the session whose cookie it came with', async () => {
      const site = await openWithProvider();
      const { cookie } = await site.signUp();
      const { subject } = person(site);
      expectSignedIn(await signIn(site, subject, cookie));
      expect((await site.get('/session', { cookie })).status).toBe(401);
    });

    it('A-34: redirect_uri and the cookie follow the configuration, not Host', async () => {
      const site = await openWithProvider({ trustProxy: true });
      const headers = { Host: 'evil.test', 'X-Forwarded-Host': 'evil.test', Referer: 'https://evil.test/' };
      const answer = await site.get('/google/start', { headers });
      expect(new URL(answer.location!).searchParams.get('redirect_uri')).toBe(redirectUri);
      expect(JSON.stringify(answer.headers)).not.toContain('evil.test');
    });

    it('a provider that is away is oauth_error: 400 at the start, the failure target at the callback, and it comes back', async () => {
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

    it('a failing store at the callback goes to the failure target as internal_error', async () => {
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
