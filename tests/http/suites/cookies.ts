/** Specification 5.1, A-55, A-60: how the session cookie is set, read and cleared. */
import cookieParser from 'cookie-parser';
import { optionalSession, requireSession } from 'svc-auth';
import type { OpenSite } from '../matrix.js';
import type { HttpResponse } from '../../support/http-client.js';
import { encryptionKey } from '../../support/every-provider.js';
import { validPassword } from '../../support/http-site.js';
import { enrollTotp } from '../../support/site-actions.js';

const week = 7 * 24 * 60 * 60;

function sessionCookie(response: HttpResponse, name = 'svc_session') {
  const sessionCookies = response.cookies.filter((cookie) => cookie.name === name);
  expect(sessionCookies).toHaveLength(1);
  return sessionCookies[0]!;
}

async function inProduction<T>(work: () => Promise<T>): Promise<T> {
  const before = process.env['NODE_ENV'];
  process.env['NODE_ENV'] = 'production';
  try {
    return await work();
  } finally {
    process.env['NODE_ENV'] = before;
  }
}

export function cookies(open: OpenSite): void {
  describe('the session cookie', () => {
    //
    it('the session cookie is svc_session with HttpOnly, SameSite=Lax, Path=/, the session’s Max-Age, no Domain, and not Secure over plain HTTP', async () => {
      const site = await open();
      const { response } = await site.signInByCode();
      const { attributes } = sessionCookie(response);
      expect(attributes).toEqual({
        httponly: true,
        samesite: 'Lax',
        path: '/',
        'max-age': String(week),
        expires: expect.any(String) as string,
      });
    });

    //
    it('every sign-in method sets the session cookie with the same attributes', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      const signup = await site.post('/password/signup', { email, password: validPassword });
      const login = await site.post('/password/login', { email, password: validPassword });
      const { response: code } = await site.signInByCode();
      await site.post('/magic-link/send', { email });
      const link = await site.get(`/magic-link/verify?token=${site.mailedToken(email)}`);
      const [first, ...others] = [signup, login, code, link].map((response) => {
        const { expires: _, ...attributes } = sessionCookie(response).attributes;
        return attributes;
      });
      for (const other of others) expect(other).toEqual(first);
    });

    //
    it('the session cookie is always Secure in production', async () => {
      await inProduction(async () => {
        const site = await open();
        const { response, cookie } = await site.signInByCode();
        expect(sessionCookie(response).attributes).toMatchObject({
          secure: true,
          httponly: true,
          samesite: 'Lax',
        });
        const cleared = sessionCookie(await site.post('/logout', undefined, { cookie }));
        expect(cleared.attributes).toMatchObject({ secure: true, path: '/' });
      });
    });

    it('a Secure cookie over plain http is reported once, and the report names trust proxy', async () => {
      await inProduction(async () => {
        const site = await open({ trustProxy: true });
        const reports = () => site.log.filter(({ fields }) => fields['option'] === 'session.cookie.secure');
        await site.signInByCode(undefined, { headers: { 'X-Forwarded-Proto': 'https' } });
        expect(reports()).toEqual([]);
        await site.signInByCode();
        await site.signInByCode();
        expect(reports().map(({ level, message }) => [level, message.includes('trust proxy')])).toEqual([
          ['warn', true],
        ]);
      });
    });

    it('a Secure cookie of a sign-up that waits for its code is reported, too: without it, no session begins', async () => {
      await inProduction(async () => {
        const site = await open({ service: { signUp: { revealExisting: false } } });
        await site.post('/password/signup', { email: site.uniqueEmail(), password: validPassword });
        expect(site.log.filter(({ fields }) => fields['option'] === 'session.cookie.secure')).toHaveLength(1);
      });
    });

    //
    it('the session cookie is Secure over HTTPS, and X-Forwarded-Proto counts only with trust proxy', async () => {
      const headers = { 'X-Forwarded-Proto': 'https' };
      const trusting = await open({ trustProxy: true });
      const overTls = await trusting.signInByCode(undefined, { headers });
      expect(sessionCookie(overTls.response).attributes).toHaveProperty('secure', true);
      const { response: plain } = await trusting.signInByCode();
      expect(sessionCookie(plain).attributes).not.toHaveProperty('secure');
      const { response: untrusted } = await (await open()).signInByCode(undefined, { headers });
      expect(sessionCookie(untrusted).attributes).not.toHaveProperty('secure');
    });

    //
    it('the session cookie takes its name, path, domain, sameSite and secure from session.cookie, when set and when cleared', async () => {
      const cookie = {
        name: 'acme',
        path: '/api',
        domain: 'acme.test',
        sameSite: 'strict',
        secure: true,
      } as const;
      const site = await open({ service: { session: { cookie } } });
      const email = site.uniqueEmail();
      const response = await site.post('/password/signup', { email, password: validPassword });
      const expected = {
        path: '/api',
        domain: 'acme.test',
        samesite: 'Strict',
        secure: true,
        httponly: true,
      };
      expect(sessionCookie(response, 'acme').attributes).toMatchObject(expected);
      const cleared = await site.post('/logout', undefined, { cookie: response.cookie('acme') });
      // A cookie of the host alone would stand before it.
      const [own, ofHost, ...others] = cleared.cookies.filter(({ name }) => name === 'acme');
      expect(own?.attributes).toMatchObject(expected);
      expect(ofHost?.attributes).not.toHaveProperty('domain');
      expect(others).toEqual([]);
      expect((await site.get('/session', { cookie: response.cookie('acme') })).status).toBe(401);
    });

    //
    it('the session cookie may be named __Host-svc_session, which is Secure with Path=/ and without Domain', async () => {
      const name = '__Host-svc_session';
      const site = await open({ service: { session: { cookie: { name, secure: true } } } });
      const email = site.uniqueEmail();
      const response = await site.post('/password/signup', { email, password: validPassword });
      const { attributes } = sessionCookie(response, name);
      expect(attributes).toMatchObject({ secure: true, path: '/', httponly: true });
      expect(attributes).not.toHaveProperty('domain');
      const cookie = response.cookie(name);
      expect((await site.get('/session', { cookie })).status).toBe(200);
      // A sibling subdomain could have planted a cookie with the ordinary name.
      const planted = `svc_session=${cookie.slice(name.length + 1)}`;
      expect((await site.get('/session', { cookie: planted })).status).toBe(401);
    });

    //
    it('POST /logout clears the session cookie: empty, expired, with its original attributes', async () => {
      const site = await open();
      const { response, cookie } = await site.signInByCode();
      const { httponly, samesite, path } = sessionCookie(response).attributes;
      for (const options of [{ cookie }, {}]) {
        const cleared = sessionCookie(await site.post('/logout', undefined, options));
        expect(cleared.value).toBe('');
        expect(cleared.attributes).toMatchObject({ httponly, samesite, path });
        expect(Date.parse(String(cleared.attributes['expires']))).toBeLessThan(Date.now() - 1000);
        expect(Number(cleared.attributes['max-age'] ?? 0)).toBe(0);
      }
    });

    //
    it('the session token appears only in the cookie', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      const signup = await site.post('/password/signup', { email, password: validPassword });
      const login = await site.post('/password/login', { email, password: validPassword });
      const { response: code } = await site.signInByCode(email);
      const session = await site.get('/session', { cookie: code.cookie() });
      for (const response of [signup, login, code, session]) {
        const { 'set-cookie': _, ...headers } = response.headers;
        for (const { value } of [...signup.cookies, ...login.cookies, ...code.cookies]) {
          expect(response.text + JSON.stringify(headers)).not.toContain(value);
          expect(response.text).not.toContain(value.split('.').at(-1));
        }
      }
    });

    it('the session cookie is read with cookie-parser before the routes, with and without a secret, and without cookie-parser', async () => {
      for (const before of [undefined, cookieParser(), cookieParser('secret of the application')]) {
        const site = await open({ before: (app) => before && app.use(before) });
        const { cookie } = await site.signUp();
        expect((await site.get('/session', { cookie })).status).toBe(200);
        expect((await site.get('/session', { cookie: `theme=dark; ${cookie}; other=1` })).status).toBe(200);
        expect((await site.get('/session', { cookie: 'theme=dark' })).status).toBe(401);
      }
    });

    it('a guard reads the session cookie without breaking the signed cookies of a later cookie-parser', async () => {
      const secret = 'secret of the application';
      const site = await open({
        before: (app, { service }) => {
          app.use(optionalSession(service));
          app.use(cookieParser(secret));
          app.get('/app/set', (_req, res) => void res.cookie('cart', 'three', { signed: true }).end());
          app.get('/app/cart', (req, res) => {
            res.json({ cart: (req.signedCookies as { cart?: string }).cart, user: req.user?.email });
          });
        },
      });
      const { cookie, email } = await site.signUp();
      const cart = (await site.send('GET', '/app/set')).cookie('cart');
      const response = await site.send('GET', '/app/cart', undefined, { cookie: `${cookie}; ${cart}` });
      expect(response.json).toEqual({ cart: 'three', user: email });
    });

    it('a session cookie with an object (`j:` under cookie-parser), an array, an empty value or 9 KB returns 401, never 5xx', async () => {
      for (const before of [undefined, cookieParser()]) {
        const site = await open({ before: (app) => before && app.use(before) });
        for (const value of [
          'j:{"a":1}',
          'j%3A%7B%22a%22%3A1%7D',
          'j:[1]',
          'j:null',
          'j:',
          's:x.y',
          '',
          '""',
          '%',
          '%E0%A4%A',
          'a'.repeat(9_000),
          'a.b.c',
          '..',
        ]) {
          const cookie = `svc_session=${value}`;
          const response = await site.get('/session', { cookie });
          expect([response.status, response.json?.error]).toEqual([401, 'token_invalid']);
          expect((await site.post('/logout', undefined, { cookie })).status).toBe(200);
          const email = site.uniqueEmail();
          const signup = await site.post('/password/signup', { email, password: validPassword }, { cookie });
          expect(signup.status).toBe(200);
        }
      }
    });

    //
    it('of several session cookies, the first that is valid counts, with and without cookie-parser', async () => {
      for (const before of [undefined, cookieParser()]) {
        const site = await open({ before: (app) => before && app.use(before) });
        const [ada, bob, gone] = [await site.signUp(), await site.signUp(), await site.signUp()];
        await site.post('/logout', undefined, { cookie: gone.cookie });
        for (const stale of ['svc_session=nonsense', gone.cookie, `${gone.cookie}; svc_session=j:{"a":1}`]) {
          const response = await site.get('/session', { cookie: `${stale}; ${ada.cookie}; ${bob.cookie}` });
          expect(response.json.user.id).toBe(ada.user.id);
        }
        expect((await site.get('/session', { cookie: `${gone.cookie}; svc_session=x` })).status).toBe(401);
      }
    });

    it('at most four session cookies are tried', async () => {
      const site = await open();
      const { cookie } = await site.signUp();
      const stale = (count: number) =>
        Array.from({ length: count }, (_, i) => `svc_session=stale-${i}`).join('; ');
      expect((await site.get('/session', { cookie: `${stale(3)}; ${cookie}` })).status).toBe(200);
      expect((await site.get('/session', { cookie: `${stale(4)}; ${cookie}` })).status).toBe(401);
    });

    it('a stateless guard takes the first session cookie that it can verify', async () => {
      const site = await open({
        before(app, { service }) {
          app.get('/app/stateless', requireSession(service, { stateless: true }), (req, res) => {
            res.json({ sub: req.svcAuth?.claims.sub });
          });
        },
      });
      const { cookie, user } = await site.signUp();
      const response = await site.send('GET', '/app/stateless', undefined, {
        cookie: `svc_session=stale; ${cookie}`,
        skipChecks: true,
      });
      expect(response.json).toEqual({ sub: user.id });
    });

    it('a sign-out ends the session of every session cookie', async () => {
      const site = await open();
      const [ada, bob] = [await site.signUp(), await site.signUp()];
      await site.post('/logout', undefined, { cookie: `${ada.cookie}; ${bob.cookie}` });
      for (const { cookie } of [ada, bob]) expect((await site.get('/session', { cookie })).status).toBe(401);
    });

    //
    it('a sign-in ends the session of every session cookie, although the first has ended', async () => {
      const site = await open();
      const [gone, ada, bob] = [await site.signUp(), await site.signUp(), await site.signUp()];
      await site.post('/logout', undefined, { cookie: gone.cookie });
      const cookie = `${gone.cookie}; ${ada.cookie}`;
      await site.post('/password/login', { email: bob.email, password: validPassword }, { cookie });
      expect((await site.get('/session', { cookie: ada.cookie })).status).toBe(401);
    });

    //
    it('a session that has ended does not hide the one in which a user sets the first password', async () => {
      const site = await open();
      const [gone, ada] = [await site.signUp(), await site.signInByCode()];
      await site.post('/logout', undefined, { cookie: gone.cookie });
      const account = { email: ada.email, password: validPassword };
      const cookie = `${gone.cookie}; ${ada.cookie}`;
      expect((await site.post('/password/signup', account, { cookie })).status).toBe(200);
    });

    //
    it('a sign-up that waits for its code expires the cookies of earlier ones', async () => {
      const site = await open({ service: { signUp: { revealExisting: false } } });
      const account = { email: site.uniqueEmail(), password: validPassword };
      const started = await site.post('/password/signup', account, {
        cookie: 'svc_sign_up=stale',
        headers: { Host: 'app.acme.example' },
      });
      const domains = started.cookies.map(({ name, attributes }) => `${name} ${attributes.domain ?? '-'}`);
      expect(domains.sort()).toEqual(
        ['-', 'acme.example', 'app.acme.example'].map((domain) => `svc_sign_up ${domain}`),
      );
    });

    //
    it('a second step and a trusted browser expire the cookies of earlier ones', async () => {
      const site = await open({
        pro: true,
        service: { encryptionKey, providers: { totp: { trustedBrowsers: true } } },
      });
      const { cookie, email } = await site.signUp();
      const enrolled = await enrollTotp(site, cookie);
      const headers = { Host: 'app.acme.example' };
      const domainsOf = ({ cookies }: HttpResponse, name: string) =>
        cookies.filter((each) => each.name === name).map(({ attributes }) => attributes.domain ?? '-');
      const variants = ['-', 'app.acme.example', 'acme.example'];
      const stale = 'svc_mfa=stale; svc_trust=stale';
      const login = { email, password: validPassword };
      const pending = await site.post('/password/login', login, { cookie: stale, headers });
      expect(domainsOf(pending, 'svc_mfa')).toEqual(variants);
      const second = await site.post(
        '/mfa/verify',
        { code: enrolled.code(), trustBrowser: true },
        { cookie: `${pending.cookie('svc_mfa')}; svc_trust=stale`, headers },
      );
      expect(second.status).toBe(200);
      expect(domainsOf(second, 'svc_trust')).toEqual(variants);
    });

    it.each([
      [undefined, ['app.acme.example', 'acme.example']],
      ['acme.example', ['-', 'app.acme.example']],
      ['.acme.example', ['-', 'app.acme.example']],
    ])(
      'a sign-in and a sign-out with the cookie domain %s expire the session cookies of the domains %s',
      async (domain, variants) => {
        const site = await open({ service: { session: { cookie: { domain } } } });
        const { email } = await site.signUp();
        const request = { cookie: 'svc_session=stale', headers: { Host: 'app.acme.example' } };
        const signIn = await site.post('/password/login', { email, password: validPassword }, request);
        const [own, ...others] = signIn.cookies.filter(({ name }) => name === 'svc_session');
        expect(own?.value).not.toBe('');
        const domainsOf = (cookies: typeof others) =>
          cookies.map(({ attributes }) => attributes.domain ?? '-').sort();
        expect(domainsOf(others)).toEqual([...variants].sort());
        for (const { value, attributes } of others) expect([value, attributes.path]).toEqual(['', '/']);
        const signOut = await site.post('/logout', undefined, request);
        const cleared = signOut.cookies.filter(({ name }) => name === 'svc_session');
        expect(cleared.map(({ value }) => value)).toEqual(['', '', '']);
      },
    );

    it('several session cookies are expired once each', async () => {
      const site = await open();
      const { email } = await site.signUp();
      const request = {
        cookie: 'svc_session=stale; svc_session=older',
        headers: { Host: 'app.acme.example' },
      };
      for (const response of [
        await site.post('/password/login', { email, password: validPassword }, request),
        await site.post('/logout', undefined, request),
      ]) {
        const own = response.cookies.filter(({ name }) => name === 'svc_session');
        expect(own.map(({ attributes }) => attributes.domain ?? '-').sort()).toEqual([
          '-',
          'acme.example',
          'app.acme.example',
        ]);
      }
    });

    it('the first sign-in of a browser, a __Host- cookie and an IP address expire no other cookies', async () => {
      const site = await open();
      const { email } = await site.signUp();
      const login = { email, password: validPassword };
      const first = await site.post('/password/login', login, { headers: { Host: 'app.acme.example' } });
      sessionCookie(first);
      sessionCookie(await site.post('/password/login', login, { cookie: 'svc_session=stale' }));
      const cookie = { name: '__Host-svc_session', secure: true };
      const hostOnly = await open({ service: { session: { cookie } } });
      const account = { email: hostOnly.uniqueEmail(), password: validPassword };
      await hostOnly.post('/password/signup', account);
      const again = await hostOnly.post('/password/login', account, {
        cookie: '__Host-svc_session=stale',
        headers: { Host: 'app.acme.example' },
      });
      sessionCookie(again, '__Host-svc_session');
    });

    it('the session cookie may be quoted, as RFC 6265 allows', async () => {
      const site = await open();
      const { cookie } = await site.signUp();
      const quoted = cookie.replace(/=(.*)$/, '="$1"');
      expect((await site.get('/session', { cookie: quoted })).status).toBe(200);
    });
  });
}
