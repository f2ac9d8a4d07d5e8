/** Specification 4.1: the successful response of each route. */
import type { OpenSite } from '../matrix.js';
import { everyRoute } from '../../support/every-route.js';
import { validPassword } from '../../support/http-site.js';
import { expectRedirect, getRoutes, postRoutes, userLike } from './expect.js';

const minute = 60_000;

export function successResponses(open: OpenSite): void {
  describe('successful responses', () => {
    it('POST /email-code/send returns 200 { expiresAt }, mails a 6-digit code and sets no cookie', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      const response = await site.post('/email-code/send', { email });
      expect(response.status).toBe(200);
      expect(response.json).toEqual({ expiresAt: new Date(site.clock.now() + 10 * minute).toISOString() });
      expect(response.cookies).toEqual([]);
      expect(site.mail.messages).toMatchObject([{ to: email, kind: 'email_code' }]);
      expect(site.mail.lastCode(email)).toMatch(/^\d{6}$/);
    });

    it('POST /email-code/verify returns 200 { user, created } with the session cookie; created is true only for a new user', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      const { response: first } = await site.signInByCode(email);
      expect(first.json).toEqual({ user: userLike({ email, emailVerified: true }), created: true });
      const { response: second } = await site.signInByCode(email);
      expect(second.json).toEqual({ user: first.json.user, created: false });
    });

    it('POST /magic-link/send returns 200 { expiresAt } and never the link', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      const response = await site.post('/magic-link/send', { email });
      expect(response.status).toBe(200);
      expect(response.json).toEqual({ expiresAt: new Date(site.clock.now() + 15 * minute).toISOString() });
      expect(response.cookies).toEqual([]);
      expect(response.text).not.toContain(site.mailedToken(email));
    });

    it('GET /magic-link/verify sets the session cookie and redirects to / with an empty body', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      await site.post('/magic-link/send', { email });
      const link = new URL(site.mail.lastLink(email)!);
      expect(link.origin + link.pathname).toBe('https://app.test/api/auth/magic-link/verify');
      const response = await site.get(`/magic-link/verify${link.search}`);
      expectRedirect(response, '/', { signedIn: true });
      const { json } = await site.get('/session', { cookie: response.cookie() });
      expect(json).toEqual({ user: userLike({ email, emailVerified: true }) });
    });

    it('POST /password/signup returns 200 { user } with the session cookie and does not verify the address', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      const response = await site.post('/password/signup', { email, password: validPassword });
      expect(response.status).toBe(200);
      expect(response.json).toEqual({ user: userLike({ email, emailVerified: false }) });
      const { json } = await site.get('/session', { cookie: response.cookie() });
      expect(json).toEqual(response.json);
    });

    it('POST /password/login returns 200 { user } with the session cookie', async () => {
      const site = await open();
      const { email, password, user } = await site.signUp();
      const response = await site.post('/password/login', { email, password });
      expect(response.status).toBe(200);
      expect(response.json).toEqual({ user });
      expect((await site.get('/session', { cookie: response.cookie() })).status).toBe(200);
    });

    it('POST /password/request-reset returns 200 { sent: true } and mails a link to resetUrl', async () => {
      const site = await open();
      const { email } = await site.signUp();
      const response = await site.post('/password/request-reset', { email });
      expect(response.status).toBe(200);
      expect(response.json).toEqual({ sent: true });
      expect(response.cookies).toEqual([]);
      await site.settle();
      const link = new URL(site.mail.lastLink(email)!);
      expect(link.origin + link.pathname).toBe('https://app.test/reset');
      expect([...link.searchParams.keys()]).toEqual(['token']);
    });

    //
    it('POST /password/reset returns 200 { user }, sets no cookie and verifies the address', async () => {
      const site = await open();
      const { email } = await site.signUp();
      await site.post('/password/request-reset', { email });
      await site.settle();
      const response = await site.post('/password/reset', {
        token: site.mailedToken(email),
        newPassword: 'a new password',
      });
      expect(response.status).toBe(200);
      expect(response.json).toEqual({ user: userLike({ email, emailVerified: true }) });
      expect(response.cookies).toEqual([]);
      expect((await site.post('/password/login', { email, password: 'a new password' })).status).toBe(200);
    });

    it('POST /logout returns 200 { ok: true } without a body, a content type or a cookie', async () => {
      const site = await open();
      const { cookie } = await site.signUp();
      for (const options of [{ cookie }, {}, { cookie: 'svc_session=nonsense' }]) {
        const response = await site.post('/logout', undefined, options);
        expect(response.status).toBe(200);
        expect(response.json).toEqual({ ok: true });
      }
    });

    it('GET /session returns 200 { user } for a valid session cookie, otherwise 401 token_invalid', async () => {
      const site = await open();
      const { cookie, user } = await site.signUp();
      const response = await site.get('/session', { cookie });
      expect(response.status).toBe(200);
      expect(response.json).toEqual({ user });
      for (const other of [undefined, 'svc_session=', 'svc_session=nonsense', 'other=1']) {
        const refused = await site.get('/session', { cookie: other });
        expect([refused.status, refused.json.error]).toEqual([401, 'token_invalid']);
      }
    });

    //
    it('a method that a route does not support returns 404 or 405 and has no effect', async () => {
      const site = await open();
      const { cookie, email } = await site.signUp();
      const sent = site.mail.messages.length;
      for (const [route, body] of postRoutes) {
        for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
          const response = await site.send(method, route, { ...body, email }, { cookie });
          expect([404, 405]).toContain(response.status);
          expect(response.cookies).toEqual([]);
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

    //
    it('the router has only the twelve documented routes', async () => {
      const site = await open();
      const { cookie } = await site.signUp();
      for (const route of ['/', '/users', '/password', '/password/change', '/session/all', '/constructor']) {
        expect((await site.get(route, { cookie })).status).toBe(404);
        expect((await site.post(route, {}, { cookie })).status).toBe(404);
      }
    });

    //
    it('OPTIONS grants no other site permission to call a route', async () => {
      const site = await open();
      for (const [route] of postRoutes) {
        const response = await site.send('OPTIONS', route, undefined, {
          headers: { Origin: 'https://evil.test', 'Access-Control-Request-Method': 'POST' },
          skipChecks: true,
        });
        expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    });

    it('an OPTIONS request falls through to the application, which can respond to preflights after the routes', async () => {
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
        expect([path, (await site.send('OPTIONS', path, undefined, { skipChecks: true })).status]).toEqual([
          path,
          404,
        ]);
        const response = await behind.send('OPTIONS', path, undefined, { skipChecks: true });
        expect([path, response.status, response.headers['access-control-allow-origin']]).toEqual([
          path,
          204,
          'https://front.test',
        ]);
      }
    });

    //
    it('every route responds with no-store, no-referrer, nosniff and JSON in UTF-8, on success and on failure', async () => {
      // The client checks these headers on every response of every test
      // (tests/support/http-client.ts); this test covers all routes.
      const site = await open();
      const { cookie } = await site.signUp();
      for (const [route, body] of postRoutes) {
        for (const requestBody of [body, {}, '{']) {
          const response = await site.post(route, requestBody, { cookie });
          expect(response.headers).toMatchObject({
            'cache-control': 'no-store',
            'referrer-policy': 'no-referrer',
            'x-content-type-options': 'nosniff',
            'content-type': 'application/json; charset=utf-8',
          });
          expect(response.headers.vary).toMatch(/Cookie/);
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

    it('the routes respond under any mount path, with a trailing slash and in any case', async () => {
      const site = await open();
      for (const route of ['/session', '/session/', '/SESSION']) {
        expect((await site.get(route)).status).toBe(401);
      }
    });
  });
}
