// the session as a browser holds it: its cookie, and what may be kept of the answers around it.
import { memoryAdapter } from 'svc-auth';
import { uuidV7 } from '../../../src/crypto/random.js';
import type { SetCookie } from '../../support/http-client.js';
import { goodPassword, type SiteOptions } from '../../support/http-site.js';
import { callRoute, everyRoute } from '../../support/every-route.js';
import { outcomeOf } from '../../support/outcomes.js';
import { enrolTotp, isIn, issueTokens } from '../../support/people.js';
import { waysIn } from '../../support/ways-in.js';
import { providersOnLoopback, wholeProduct } from '../../support/whole-product.js';

const jwtLike = /eyJ[\w-]+\.[\w-]+/;
const memory = memoryAdapter();

describe('The cookie', () => {
  const open = wholeProduct(() => memory, providersOnLoopback('google', 'acme'));
  const isSet = ({ value }: SetCookie) => value !== '';

  it('A-47 a hundred thousand ids of one millisecond are all different, and an id alone opens nothing', async () => {
    const now = Date.now();
    const ids = new Set(Array.from({ length: 100_000 }, () => uuidV7(now)));
    expect(ids.size).toBe(100_000);
    const site = await open();
    const me = await site.signInByCode();
    // Ids may be known, as from a list of devices: what nobody can guess are the 256 bits of the MAC beside them.
    const [header = '', payload = '', mac = ''] = me.cookie.slice('svc_session='.length).split('.');
    expect(Buffer.from(mac, 'base64url')).toHaveLength(32);
    for (const guess of ['', 'A'.repeat(43), mac.slice(1), [...mac].reverse().join('')]) {
      expect(await isIn(site, `svc_session=${header}.${payload}.${guess}`)).toBe(false);
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

  it.each(Object.entries(waysIn))(
    'A-55 %s sets one cookie: HttpOnly, SameSite=Lax, Path=/, Max-Age of the session, no Domain; A-56 and tells no token besides',
    async (_name, way) => {
      const site = await open();
      const answer = await (await way(site))('theme=dark');
      const [session, ...others] = answer.cookies.filter(isSet);
      // The device cookie authenticates nothing, and is guarded like the session's.
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
      expect(answer.text).not.toMatch(jwtLike);
      const outside = { ...answer.headers, 'set-cookie': [] };
      expect(JSON.stringify(outside)).not.toMatch(jwtLike);
    },
  );

  it('A-55 every cookie is Secure on https, and can have the prefix of its host alone', async () => {
    const https = { headers: { 'X-Forwarded-Proto': 'https' } };
    const proxied: SiteOptions = { trustProxy: true };
    const cookie = { name: '__Host-svc_session', secure: true };
    for (const options of [proxied, { service: { session: { cookie } } } as SiteOptions]) {
      const site = await open(options);
      const me = await site.signInByCode(undefined, https).catch(() => null);
      const email = me?.email ?? site.address();
      await site.post('/email-code/send', { email });
      const answers = [
        await site.post('/email-code/verify', { email, code: site.mail.lastCode(email) }, https),
        await site.get('/oauth/acme/start', https),
        await site.post('/passkeys/authenticate/start', undefined, https),
        await site.post('/logout', undefined, https),
      ];
      const cookies = answers.flatMap((answer) => answer.cookies);
      expect(new Set(cookies.map(({ name }) => name)).size).toBe(4);
      for (const { name, attributes } of cookies) {
        expect([name, attributes]).toEqual([name, expect.objectContaining({ httponly: true, secure: true })]);
        expect([name, attributes['domain']]).toEqual([name, undefined]);
      }
    }
  });

  it('A-55 in production the cookie is Secure although the application does not see https', async () => {
    const { NODE_ENV } = process.env;
    process.env['NODE_ENV'] = 'production';
    try {
      const site = await open();
      const { answer } = await site.signInByCode();
      expect(answer.cookies).toMatchObject([
        { name: 'svc_session', attributes: { secure: true } },
        { name: 'svc_device', attributes: { secure: true } },
      ]);
    } finally {
      process.env['NODE_ENV'] = NODE_ENV;
    }
  });

  it('A-56 no route but those of /token/ tells a token in JSON, whoever asks', async () => {
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

  it('A-57 a token that would not fit into a cookie is refused when it is made, whatever makes it', async () => {
    const site = await open({ service: { session: { cookie: { name: 'n'.repeat(64) } } } });
    const { service } = site;
    const me = await service.emailPassword.signup({ email: site.address(), password: goodPassword });
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
    // The cookie that a start sets carries what the query says.
    for (const letter of ['x', '%01', '%22', '%E4%B8%96', '%F0%9F%98%80']) {
      const answer = await site.get(`/oauth/acme/start?state=${letter.repeat(512)}`);
      const [set] = answer.cookies;
      expect([letter, answer.status === 400 || set!.name.length + set!.value.length <= 4_096]).toEqual([
        letter,
        true,
      ]);
    }
  });

  it('A-58 no answer of any route may be kept by a cache, also no refusal, no redirect and no preview', async () => {
    const site = await open();
    const { cookie } = await site.signInByCode();
    const seen = new Set<number>();
    for (const route of everyRoute) {
      for (const options of [{}, { cookie }, { cookie, headers: { Origin: 'https://evil.test' } }]) {
        if (route.method === 'DELETE' && route.path === '/account') continue;
        if (route.path === '/logout' && 'cookie' in options) continue;
        const answer = await callRoute(site, route, options);
        seen.add(answer.status);
        const { vary = '', pragma: _pragma, ...headers } = answer.headers;
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
    for (const status of [200, 302, 400, 401, 403]) expect(seen).toContain(status);
  });

  it('A-59 nobody is signed in, or signed out, by what a browser does by itself', async () => {
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
      // A page that a browser is led to, without a step at anybody's: an image, a frame, a link of somebody else.
      if (route.method !== 'GET') continue;
      const answer = await site.get(route.path, { cookie, headers: { 'Sec-Fetch-Site': 'cross-site' } });
      expect([route.name, answer.cookies.filter(({ name }) => name === 'svc_session')]).toEqual([
        route.name,
        [],
      ]);
    }
    const login = { email: site.address(), password: goodPassword };
    for (const [path, body] of [
      ['/guest', undefined],
      ['/logout', undefined],
      ['/password/signup', login],
    ] as const) {
      const answer = await site.post(path, body, { cookie, headers: { 'Sec-Fetch-Site': 'same-site' } });
      expect([path, answer.status, answer.cookies]).toEqual([path, 403, []]);
    }
    expect(await isIn(site, cookie)).toBe(true);
    expect((await site.get(link)).cookie()).toMatch(/^svc_session=/);
  });

  it('A-60 logout and deletion clear what a sign-in has set, with the attributes that it was set with', async () => {
    const cookie = { path: '/app', domain: 'app.test', sameSite: 'strict', secure: true } as const;
    const site = await open({ service: { session: { cookie } } });
    for (const [method, path] of [
      ['POST', '/logout'],
      ['DELETE', '/account'],
    ] as const) {
      const { answer, cookie: held } = await site.signInByCode();
      const { answer: enrolled } = await enrolTotp(site, held);
      const set = answer.cookies.find(isSet)!;
      const cleared = await site.send(method, path, undefined, { cookie: `${enrolled.cookie()}; svc_mfa=x` });
      expect(cleared.status).toBe(200);
      expect(cleared.cookies.map(({ name, value }) => [name, value]).sort()).toEqual([
        ['svc_mfa', ''],
        ['svc_session', ''],
      ]);
      for (const { attributes } of cleared.cookies) {
        const { expires, 'max-age': maxAge, ...others } = attributes;
        const { expires: _until, 'max-age': _for, ...before } = set.attributes;
        expect(others).toEqual(before);
        expect(maxAge === '0' || new Date(String(expires)).getTime() === 0).toBe(true);
      }
    }
  });
});
