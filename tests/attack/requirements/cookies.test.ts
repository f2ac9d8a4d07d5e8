// The session in a browser: its cookie, and the caching of responses.
import { memoryAdapter } from 'svc-auth';
import { uuidV7 } from '../../../src/crypto/random.js';
import type { SetCookie } from '../../support/http-client.js';
import { validPassword, type SiteOptions } from '../../support/http-site.js';
import { callRoute, everyRoute } from '../../support/every-route.js';
import { outcomeOf } from '../../support/outcomes.js';
import { enrollTotp, isSignedIn, issueTokens } from '../../support/site-actions.js';
import { signInMethods } from '../../support/sign-in-methods.js';
import { loopbackProviders, fullSiteOpener } from '../../support/full-site.js';

const jwtLike = /eyJ[\w-]+\.[\w-]+/;
const memory = memoryAdapter();

describe('The session cookie', () => {
  const open = fullSiteOpener(() => memory, loopbackProviders('google', 'acme'));
  const isSet = ({ value }: SetCookie) => value !== '';

  //
  it('generates 100,000 distinct ids within one millisecond, and an id alone authenticates no one', async () => {
    const now = Date.now();
    const ids = new Set(Array.from({ length: 100_000 }, () => uuidV7(now)));
    expect(ids.size).toBe(100_000);
    const site = await open();
    const me = await site.signInByCode();
    // Ids may be public, as in the list of devices: what cannot be guessed is the 256-bit MAC.
    const [header = '', payload = '', mac = ''] = me.cookie.slice('svc_session='.length).split('.');
    expect(Buffer.from(mac, 'base64url')).toHaveLength(32);
    for (const guess of ['', 'A'.repeat(43), mac.slice(1), [...mac].reverse().join('')]) {
      expect(await isSignedIn(site, `svc_session=${header}.${payload}.${guess}`)).toBe(false);
    }
    const families = await Promise.all(Array.from({ length: 20 }, () => issueTokens(site, me)));
    const [id = '', counter = '', ...macs] = families[0]!.refreshToken.split('.');
    expect(macs.map((each) => Buffer.from(each, 'base64url').length)).toEqual([32]);
    const guessed = { refreshToken: `${id}.${counter}.${'A'.repeat(43)}` };
    expect((await site.post('/token/refresh', guessed)).status).toBe(401);
    const starts = await Promise.all(families.map(() => site.post('/passkeys/authenticate/start')));
    const challenges = starts.map(({ json }) => json.options.challenge as string);
    expect(new Set(challenges).size).toBe(20);
    for (const each of challenges) expect(Buffer.from(each, 'base64url').length).toBeGreaterThanOrEqual(16);
  });

  //
  it.each(Object.entries(signInMethods))(
    '%s sets one session cookie with HttpOnly, SameSite=Lax, Path=/, its Max-Age and no Domain, and returns no token elsewhere',
    async (_name, way) => {
      const site = await open();
      const response = await (await way(site))('theme=dark');
      const [session, ...others] = response.cookies.filter(isSet);
      // The device cookie authenticates no one, and has the same attributes as the session cookie.
      const { expires, ...guards } = session!.attributes;
      expect(others).toMatchObject([
        { name: 'svc_device', attributes: { ...guards, 'max-age': String(90 * 24 * 60 * 60) } },
      ]);
      expect(expires).toBeDefined();
      expect(session?.name).toBe('svc_session');
      expect(session?.attributes).toEqual({
        httponly: true,
        samesite: 'Lax',
        path: '/',
        'max-age': '604800',
        expires: expect.any(String) as string,
      });
      //
      expect(response.text).not.toMatch(jwtLike);
      const otherHeaders = { ...response.headers, 'set-cookie': [] };
      expect(JSON.stringify(otherHeaders)).not.toMatch(jwtLike);
    },
  );

  //
  it('sets Secure on every cookie over HTTPS, and allows the __Host- prefix', async () => {
    const https = { headers: { 'X-Forwarded-Proto': 'https' } };
    const proxied: SiteOptions = { trustProxy: true };
    const cookie = { name: '__Host-svc_session', secure: true };
    for (const options of [proxied, { service: { session: { cookie } } } as SiteOptions]) {
      const site = await open(options);
      const me = await site.signInByCode(undefined, https).catch(() => null);
      const email = me?.email ?? site.uniqueEmail();
      await site.post('/email-code/send', { email });
      const responses = [
        await site.post('/email-code/verify', { email, code: site.mail.lastCode(email) }, https),
        await site.get('/oauth/acme/start', https),
        await site.post('/passkeys/authenticate/start', undefined, https),
        await site.post('/logout', undefined, https),
      ];
      const cookies = responses.flatMap((response) => response.cookies);
      expect(new Set(cookies.map(({ name }) => name)).size).toBe(4);
      for (const { name, attributes } of cookies) {
        expect([name, attributes]).toEqual([name, expect.objectContaining({ httponly: true, secure: true })]);
        expect([name, attributes['domain']]).toEqual([name, undefined]);
      }
    }
  });

  //
  it('sets Secure in production even if the application sees no HTTPS', async () => {
    const { NODE_ENV } = process.env;
    process.env['NODE_ENV'] = 'production';
    try {
      const site = await open();
      const { response: answer } = await site.signInByCode();
      expect(answer.cookies).toMatchObject([
        { name: 'svc_session', attributes: { secure: true } },
        { name: 'svc_device', attributes: { secure: true } },
      ]);
    } finally {
      process.env['NODE_ENV'] = NODE_ENV;
    }
  });

  //
  it('returns tokens as JSON only from the /token/ routes', async () => {
    const site = await open();
    const { cookie } = await site.signInByCode();
    const tokens = await issueTokens(site, { cookie });
    for (const route of everyRoute) {
      if (route.path.startsWith('/token/') || route.method === 'DELETE' || route.path === '/logout') continue;
      for (const options of [
        {},
        { cookie },
        { headers: { Authorization: `Bearer ${tokens.accessToken}` } },
      ]) {
        const { text, location = '' } = await callRoute(site, route, options);
        expect([route.name, jwtLike.test(text) || jwtLike.test(location)]).toEqual([route.name, false]);
        expect(text).not.toContain(tokens.refreshToken.split('.')[2]);
      }
    }
  });

  //
  it('rejects a token that would not fit into a cookie when it is issued, by any method', async () => {
    const site = await open({ service: { session: { cookie: { name: 'n'.repeat(64) } } } });
    const { service } = site;
    const me = await service.emailPassword.signup({ email: site.uniqueEmail(), password: validPassword });
    const large = { claims: { data: 'x'.repeat(5_000) } };
    expect(await outcomeOf(() => service.createSessionToken(me.user.id, large))).toBe('invalid_request');
    expect(await outcomeOf(() => service.refresh.issue({ userId: me.user.id, ...large }))).toBe(
      'invalid_request',
    );
    let largest = 0;
    for (let size = 2_000; size < 3_200; size += 1) {
      const claims = { data: 'x'.repeat(size) };
      if ((await outcomeOf(() => service.createSessionToken(me.user.id, { claims }))) !== 'ok') break;
      largest = service.createSessionToken(me.user.id, { claims }).token.length;
    }
    expect(largest).toBeGreaterThan(3_500);
    expect(largest + 64).toBeLessThanOrEqual(4_096);
    // The cookie that an OAuth start sets contains the state from the query.
    for (const letter of ['x', '%01', '%22', '%E4%B8%96', '%F0%9F%98%80']) {
      const response = await site.get(`/oauth/acme/start?state=${letter.repeat(512)}`);
      const [set] = response.cookies;
      expect([letter, response.status === 400 || set!.name.length + set!.value.length <= 4_096]).toEqual([
        letter,
        true,
      ]);
    }
  });

  //
  it('forbids caching of every response, including errors, redirects and HEAD requests', async () => {
    const site = await open();
    const { cookie } = await site.signInByCode();
    const statuses = new Set<number>();
    for (const route of everyRoute) {
      for (const options of [{}, { cookie }, { cookie, headers: { Origin: 'https://evil.test' } }]) {
        if (route.method === 'DELETE' && route.path === '/account') continue;
        if (route.path === '/logout' && 'cookie' in options) continue;
        // Without `notices`, Express responds.
        if (route.path === '/not-me') continue;
        const response = await callRoute(site, route, options);
        statuses.add(response.status);
        const { vary = '', pragma: _pragma, ...headers } = response.headers;
        expect([route.name, headers['cache-control'], headers.etag, headers['last-modified']]).toEqual([
          route.name,
          'no-store',
          undefined,
          undefined,
        ]);
        expect([route.name, vary.split(/, */).includes('Cookie')]).toEqual([route.name, true]);
      }
      if (route.method !== 'GET') continue;
      const head = await site.send('HEAD', route.path, undefined, { cookie });
      expect([route.name, head.headers['cache-control']]).toEqual([route.name, 'no-store']);
    }
    for (const status of [200, 302, 400, 401, 403]) expect(statuses).toContain(status);
  });

  //
  it('does not sign anyone in or out by a request that a browser sends on its own', async () => {
    const site = await open();
    const { cookie, email } = await site.signInByCode();
    await site.post('/magic-link/send', { email });
    const link = `/magic-link/verify?token=${site.mailedToken(email)}`;
    const byItself: Record<string, string>[] = [
      { 'Sec-Purpose': 'prefetch' },
      { 'Sec-Purpose': 'prefetch;prerender' },
      { Purpose: 'prefetch' },
      { 'X-Moz': 'prefetch' },
    ];
    for (const headers of byItself) expect((await site.get(link, { headers })).cookies).toEqual([]);
    expect((await site.send('HEAD', link)).cookies).toEqual([]);
    for (const route of everyRoute) {
      // A browser can be led to these pages without any action of the user: an image, a frame, a cross-site link.
      if (route.method !== 'GET') continue;
      const response = await site.get(route.path, { cookie, headers: { 'Sec-Fetch-Site': 'cross-site' } });
      expect([route.name, response.cookies.filter(({ name }) => name === 'svc_session')]).toEqual([
        route.name,
        [],
      ]);
    }
    const login = { email: site.uniqueEmail(), password: validPassword };
    for (const [path, body] of [
      ['/guest', undefined],
      ['/logout', undefined],
      ['/password/signup', login],
    ] as const) {
      const response = await site.post(path, body, { cookie, headers: { 'Sec-Fetch-Site': 'same-site' } });
      expect([path, response.status, response.cookies]).toEqual([path, 403, []]);
    }
    expect(await isSignedIn(site, cookie)).toBe(true);
    expect((await site.get(link)).cookie()).toMatch(/^svc_session=/);
  });

  //
  it('clears the cookies of a sign-in on logout and deletion with the attributes they were set with', async () => {
    const cookie = { path: '/app', domain: 'app.test', sameSite: 'strict', secure: true } as const;
    const site = await open({ service: { session: { cookie } } });
    for (const [method, path] of [
      ['POST', '/logout'],
      ['DELETE', '/account'],
    ] as const) {
      const { response: answer, cookie: sessionCookie } = await site.signInByCode();
      const { response: enrolled } = await enrollTotp(site, sessionCookie);
      const set = answer.cookies.find(isSet)!;
      const cleared = await site.send(method, path, undefined, { cookie: `${enrolled.cookie()}; svc_mfa=x` });
      expect(cleared.status).toBe(200);
      expect(cleared.cookies.map(({ name, value }) => [name, value]).sort()).toEqual([
        ['svc_mfa', ''],
        ['svc_session', ''],
        // That of the host alone.
        ['svc_session', ''],
      ]);
      for (const { attributes } of cleared.cookies.filter(({ attributes: { domain } }) => domain)) {
        const { expires, 'max-age': maxAge, ...others } = attributes;
        const { expires: _until, 'max-age': _for, ...before } = set.attributes;
        expect(others).toEqual(before);
        expect(maxAge === '0' || new Date(String(expires)).getTime() === 0).toBe(true);
      }
    }
  });
});
