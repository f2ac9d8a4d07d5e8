/** Specification 5.1, A-55, A-60: how the session cookie is set, read and cleared. */
import cookieParser from 'cookie-parser';
import { optionalSession } from 'svc-auth';
import type { OpenSite } from '../matrix.js';
import type { Answer } from '../../support/http-client.js';
import { goodPassword } from '../../support/http-site.js';

const week = 7 * 24 * 60 * 60;

function sessionCookie(answer: Answer, name = 'svc_session') {
  const found = answer.cookies.filter((cookie) => cookie.name === name);
  expect(found).toHaveLength(1);
  return found[0]!;
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
    it('A-55: is svc_session with HttpOnly, SameSite=Lax, Path=/, Max-Age of the session, no Domain, and not Secure on plain http', async () => {
      const site = await open();
      const { answer } = await site.signInByCode();
      const { attributes } = sessionCookie(answer);
      expect(attributes).toEqual({
        httponly: true,
        samesite: 'Lax',
        path: '/',
        'max-age': String(week),
        expires: expect.any(String) as string,
      });
    });

    it('A-55: every way to sign in sets it with the same attributes', async () => {
      const site = await open();
      const email = site.address();
      const signup = await site.post('/password/signup', { email, password: goodPassword });
      const login = await site.post('/password/login', { email, password: goodPassword });
      const { answer: code } = await site.signInByCode();
      await site.post('/magic-link/send', { email });
      const link = await site.get(`/magic-link/verify?token=${site.mailedToken(email)}`);
      const [first, ...others] = [signup, login, code, link].map((answer) => {
        const { expires: _, ...attributes } = sessionCookie(answer).attributes;
        return attributes;
      });
      for (const other of others) expect(other).toEqual(first);
    });

    it('A-55: is Secure in production, whatever the request', async () => {
      await inProduction(async () => {
        const site = await open();
        const { answer, cookie } = await site.signInByCode();
        expect(sessionCookie(answer).attributes).toMatchObject({
          secure: true,
          httponly: true,
          samesite: 'Lax',
        });
        const cleared = sessionCookie(await site.post('/logout', undefined, { cookie }));
        expect(cleared.attributes).toMatchObject({ secure: true, path: '/' });
      });
    });

    it('A-55, A-90: is Secure on https as the application knows it, and X-Forwarded-Proto alone makes no https', async () => {
      const headers = { 'X-Forwarded-Proto': 'https' };
      const trusting = await open({ trustProxy: true });
      const overTls = await trusting.signInByCode(undefined, { headers });
      expect(sessionCookie(overTls.answer).attributes).toHaveProperty('secure', true);
      const { answer: plain } = await trusting.signInByCode();
      expect(sessionCookie(plain).attributes).not.toHaveProperty('secure');
      const { answer: untrusted } = await (await open()).signInByCode(undefined, { headers });
      expect(sessionCookie(untrusted).attributes).not.toHaveProperty('secure');
    });

    it('takes its name, path, domain, sameSite and secure from session.cookie, set and cleared alike (A-60)', async () => {
      const cookie = {
        name: 'acme',
        path: '/api',
        domain: 'acme.test',
        sameSite: 'strict',
        secure: true,
      } as const;
      const site = await open({ service: { session: { cookie } } });
      const email = site.address();
      const answer = await site.post('/password/signup', { email, password: goodPassword });
      const expected = {
        path: '/api',
        domain: 'acme.test',
        samesite: 'Strict',
        secure: true,
        httponly: true,
      };
      expect(sessionCookie(answer, 'acme').attributes).toMatchObject(expected);
      const cleared = await site.post('/logout', undefined, { cookie: answer.cookie('acme') });
      expect(sessionCookie(cleared, 'acme').attributes).toMatchObject(expected);
      expect((await site.get('/session', { cookie: answer.cookie('acme') })).status).toBe(401);
    });

    it('A-55: may be named __Host-svc_session, which is then Secure with Path=/ and without Domain', async () => {
      const name = '__Host-svc_session';
      const site = await open({ service: { session: { cookie: { name, secure: true } } } });
      const email = site.address();
      const answer = await site.post('/password/signup', { email, password: goodPassword });
      const { attributes } = sessionCookie(answer, name);
      expect(attributes).toMatchObject({ secure: true, path: '/', httponly: true });
      expect(attributes).not.toHaveProperty('domain');
      const cookie = answer.cookie(name);
      expect((await site.get('/session', { cookie })).status).toBe(200);
      // Under the ordinary name a sibling subdomain could have planted it.
      const planted = `svc_session=${cookie.slice(name.length + 1)}`;
      expect((await site.get('/session', { cookie: planted })).status).toBe(401);
    });

    it('A-60: logout clears it: empty, in the past, with the attributes it was set with', async () => {
      const site = await open();
      const { answer, cookie } = await site.signInByCode();
      const { httponly, samesite, path } = sessionCookie(answer).attributes;
      for (const options of [{ cookie }, {}]) {
        const cleared = sessionCookie(await site.post('/logout', undefined, options));
        expect(cleared.value).toBe('');
        expect(cleared.attributes).toMatchObject({ httponly, samesite, path });
        expect(Date.parse(String(cleared.attributes['expires']))).toBeLessThan(Date.now() - 1000);
        expect(Number(cleared.attributes['max-age'] ?? 0)).toBe(0);
      }
    });

    it('A-56: its token is in the cookie and nowhere else', async () => {
      const site = await open();
      const email = site.address();
      const signup = await site.post('/password/signup', { email, password: goodPassword });
      const login = await site.post('/password/login', { email, password: goodPassword });
      const { answer: code } = await site.signInByCode(email);
      const session = await site.get('/session', { cookie: code.cookie() });
      for (const answer of [signup, login, code, session]) {
        const { 'set-cookie': _, ...headers } = answer.headers;
        for (const { value } of [...signup.cookies, ...login.cookies, ...code.cookies]) {
          expect(answer.text + JSON.stringify(headers)).not.toContain(value);
          expect(answer.text).not.toContain(value.split('.').at(-1));
        }
      }
    });

    it('is read with cookie-parser before the routes, with a secret of its own or none, and without cookie-parser', async () => {
      for (const before of [undefined, cookieParser(), cookieParser('secret of the application')]) {
        const site = await open({ before: (app) => before && app.use(before) });
        const { cookie } = await site.signUp();
        expect((await site.get('/session', { cookie })).status).toBe(200);
        expect((await site.get('/session', { cookie: `theme=dark; ${cookie}; other=1` })).status).toBe(200);
        expect((await site.get('/session', { cookie: 'theme=dark' })).status).toBe(401);
      }
    });

    it('is read without cookie-parser in a way that leaves a cookie-parser behind a guard its signed cookies', async () => {
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
      const answer = await site.send('GET', '/app/cart', undefined, { cookie: `${cookie}; ${cart}` });
      expect(answer.json).toEqual({ cart: 'three', user: email });
    });

    it('is no session when it holds an object (`j:` under cookie-parser), an array, nothing, or 9 KB: 401, never 5xx', async () => {
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
          const answer = await site.get('/session', { cookie });
          expect([answer.status, answer.json?.error]).toEqual([401, 'token_invalid']);
          expect((await site.post('/logout', undefined, { cookie })).status).toBe(200);
          const email = site.address();
          const signup = await site.post('/password/signup', { email, password: goodPassword }, { cookie });
          expect(signup.status).toBe(200);
        }
      }
    });

    it('counts once when it is sent twice: the first, as cookie-parser has it', async () => {
      for (const before of [undefined, cookieParser()]) {
        const site = await open({ before: (app) => before && app.use(before) });
        const [ada, bob] = [await site.signUp(), await site.signUp()];
        const answer = await site.get('/session', { cookie: `${ada.cookie}; ${bob.cookie}` });
        expect(answer.json.user.id).toBe(ada.user.id);
        const shadowed = await site.get('/session', { cookie: `svc_session=nonsense; ${ada.cookie}` });
        expect(shadowed.status).toBe(401);
      }
    });

    it('may be quoted, as RFC 6265 allows', async () => {
      const site = await open();
      const { cookie } = await site.signUp();
      const quoted = cookie.replace(/=(.*)$/, '="$1"');
      expect((await site.get('/session', { cookie: quoted })).status).toBe(200);
    });
  });
}
