/** Specification 4.1: what each route answers when all is well. */
import type { OpenSite } from '../matrix.js';
import { everyRoute } from '../../support/every-route.js';
import { goodPassword } from '../../support/http-site.js';
import { expectRedirect, getRoutes, postRoutes, userLike } from './expect.js';

const minute = 60_000;

export function answers(open: OpenSite): void {
  describe('answers', () => {
    it('POST /email-code/send is 200 { expiresAt }, mails a 6-digit code and sets no cookie', async () => {
      const site = await open();
      const email = site.address();
      const answer = await site.post('/email-code/send', { email });
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual({ expiresAt: new Date(site.clock.now() + 10 * minute).toISOString() });
      expect(answer.cookies).toEqual([]);
      expect(site.mail.messages).toMatchObject([{ to: email, kind: 'email_code' }]);
      expect(site.mail.lastCode(email)).toMatch(/^\d{6}$/);
    });

    it('POST /email-code/verify is 200 { user, created } with the session cookie; created only for a new user', async () => {
      const site = await open();
      const email = site.address();
      const { answer: first } = await site.signInByCode(email);
      expect(first.json).toEqual({ user: userLike({ email, emailVerified: true }), created: true });
      const { answer: second } = await site.signInByCode(email);
      expect(second.json).toEqual({ user: first.json.user, created: false });
    });

    it('POST /magic-link/send is 200 { expiresAt } and never the link', async () => {
      const site = await open();
      const email = site.address();
      const answer = await site.post('/magic-link/send', { email });
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual({ expiresAt: new Date(site.clock.now() + 15 * minute).toISOString() });
      expect(answer.cookies).toEqual([]);
      expect(answer.text).not.toContain(site.mailedToken(email));
    });

    it('GET /magic-link/verify sets the session cookie and is 302 to /, with an empty body', async () => {
      const site = await open();
      const email = site.address();
      await site.post('/magic-link/send', { email });
      const link = new URL(site.mail.lastLink(email)!);
      expect(link.origin + link.pathname).toBe('https://app.test/api/auth/magic-link/verify');
      const answer = await site.get(`/magic-link/verify${link.search}`);
      expectRedirect(answer, '/', { signedIn: true });
      const { json } = await site.get('/session', { cookie: answer.cookie() });
      expect(json).toEqual({ user: userLike({ email, emailVerified: true }) });
    });

    it('POST /password/signup is 200 { user } with the session cookie, and the address is not verified by it', async () => {
      const site = await open();
      const email = site.address();
      const answer = await site.post('/password/signup', { email, password: goodPassword });
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual({ user: userLike({ email, emailVerified: false }) });
      const { json } = await site.get('/session', { cookie: answer.cookie() });
      expect(json).toEqual(answer.json);
    });

    it('POST /password/login is 200 { user } with the session cookie', async () => {
      const site = await open();
      const { email, password, user } = await site.signUp();
      const answer = await site.post('/password/login', { email, password });
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual({ user });
      expect((await site.get('/session', { cookie: answer.cookie() })).status).toBe(200);
    });

    it('POST /password/request-reset is 200 { sent: true } and mails a link to resetUrl', async () => {
      const site = await open();
      const { email } = await site.signUp();
      const answer = await site.post('/password/request-reset', { email });
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual({ sent: true });
      expect(answer.cookies).toEqual([]);
      await site.settle();
      const link = new URL(site.mail.lastLink(email)!);
      expect(link.origin + link.pathname).toBe('https://app.test/reset');
      expect([...link.searchParams.keys()]).toEqual(['token']);
    });

    it('A-43, A-44: POST /password/reset is 200 { user }, sets no cookie, and verifies the address', async () => {
      const site = await open();
      const { email } = await site.signUp();
      await site.post('/password/request-reset', { email });
      await site.settle();
      const answer = await site.post('/password/reset', {
        token: site.mailedToken(email),
        newPassword: 'a new password',
      });
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual({ user: userLike({ email, emailVerified: true }) });
      expect(answer.cookies).toEqual([]);
      expect((await site.post('/password/login', { email, password: 'a new password' })).status).toBe(200);
    });

    it('POST /logout is 200 { ok: true }, without a body, without a content type, without a cookie', async () => {
      const site = await open();
      const { cookie } = await site.signUp();
      for (const options of [{ cookie }, {}, { cookie: 'svc_session=nonsense' }]) {
        const answer = await site.post('/logout', undefined, options);
        expect(answer.status).toBe(200);
        expect(answer.json).toEqual({ ok: true });
      }
    });

    it('GET /session is 200 { user } for a valid session cookie, otherwise 401 token_invalid', async () => {
      const site = await open();
      const { cookie, user } = await site.signUp();
      const answer = await site.get('/session', { cookie });
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual({ user });
      for (const other of [undefined, 'svc_session=', 'svc_session=nonsense', 'other=1']) {
        const refused = await site.get('/session', { cookie: other });
        expect([refused.status, refused.json.error]).toEqual([401, 'token_invalid']);
      }
    });

    it('A-09, A-89: a method that a route does not have is 404 or 405 and has no effect', async () => {
      const site = await open();
      const { cookie, email } = await site.signUp();
      const sent = site.mail.messages.length;
      for (const [route, body] of postRoutes) {
        for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
          const answer = await site.send(method, route, { ...body, email }, { cookie });
          expect([404, 405]).toContain(answer.status);
          expect(answer.cookies).toEqual([]);
        }
      }
      for (const route of getRoutes) {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
          expect([404, 405]).toContain((await site.send(method, route, {}, { cookie })).status);
        }
      }
      await site.settle();
      expect(site.mail.messages).toHaveLength(sent);
      expect((await site.get('/session', { cookie })).status).toBe(200);
    });

    it('A-09: there is no route besides the twelve', async () => {
      const site = await open();
      const { cookie } = await site.signUp();
      for (const route of ['/', '/users', '/password', '/password/change', '/session/all', '/constructor']) {
        expect((await site.get(route, { cookie })).status).toBe(404);
        expect((await site.post(route, {}, { cookie })).status).toBe(404);
      }
    });

    it('A-91: OPTIONS gives no other site leave to call', async () => {
      const site = await open();
      for (const [route] of postRoutes) {
        const answer = await site.send('OPTIONS', route, undefined, {
          headers: { Origin: 'https://evil.test', 'Access-Control-Request-Method': 'POST' },
          foreign: true,
        });
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    });

    it('an OPTIONS request falls through to the application, which answers preflights behind the routes too', async () => {
      const site = await open({ pro: true });
      const behind = await open({
        pro: true,
        after: (app) => {
          app.use((req, res, next) => {
            if (req.method !== 'OPTIONS') return next();
            res.setHeader('Access-Control-Allow-Origin', 'https://front.test');
            res.status(204).end();
          });
        },
      });
      for (const { path } of everyRoute) {
        expect([path, (await site.send('OPTIONS', path, undefined, { foreign: true })).status]).toEqual([
          path,
          404,
        ]);
        const answer = await behind.send('OPTIONS', path, undefined, { foreign: true });
        expect([path, answer.status, answer.headers['access-control-allow-origin']]).toEqual([
          path,
          204,
          'https://front.test',
        ]);
      }
    });

    it('A-58, A-88: success and failure of every route are no-store, no-referrer, nosniff and JSON in UTF-8', async () => {
      // The client holds every answer of every test against these (tests/support/http-client.ts); here are all routes.
      const site = await open();
      const { cookie } = await site.signUp();
      for (const [route, body] of postRoutes) {
        for (const sent of [body, {}, '{']) {
          const answer = await site.post(route, sent, { cookie });
          expect(answer.headers).toMatchObject({
            'cache-control': 'no-store',
            'referrer-policy': 'no-referrer',
            'x-content-type-options': 'nosniff',
            'content-type': 'application/json; charset=utf-8',
          });
          expect(answer.headers.vary).toMatch(/Cookie/);
        }
      }
      for (const route of getRoutes) {
        for (const method of ['GET', 'HEAD']) {
          expect((await site.send(method, route)).headers).toMatchObject({
            'cache-control': 'no-store',
            'referrer-policy': 'no-referrer',
            'x-content-type-options': 'nosniff',
          });
        }
      }
    });

    it('routes answer under whatever path they are mounted, with a trailing slash and in any case', async () => {
      const site = await open();
      for (const route of ['/session', '/session/', '/SESSION']) {
        expect((await site.get(route)).status).toBe(401);
      }
    });
  });
}
