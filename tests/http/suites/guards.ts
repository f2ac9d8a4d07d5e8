/** The guards of an application's own routes. */
import type { Express } from 'express';
import { optionalSession, requireSession } from 'svc-auth';
import type { OpenSite } from '../matrix.js';
import type { SiteOptions } from '../../support/http-site.js';
import { proProviders } from '../../support/make-pro-service.js';
import type { TestService } from '../../support/make-service.js';
import { asInProduction } from '../../support/refusal-reason.js';

const day = 24 * 60 * 60 * 1000;

/**
 * Three pages that return what the guard set on the request, after middleware that has set another
 * user.
 */
function pages(app: Express, { service }: TestService): void {
  app.use('/app', (req, _res, next) => {
    Object.assign(req, {
      user: { id: 'planted', admin: true },
      svcAuth: { token: 'planted', claims: { sub: 'planted' } },
    });
    next();
  });
  app.get(
    '/app/me',
    requireSession(service),
    (req, res) => void res.json({ user: req.user, auth: req.svcAuth }),
  );
  app.get('/app/maybe', optionalSession(service), (req, res) => {
    res.json({ user: req.user ?? null, auth: req.svcAuth ?? null });
  });
  app.get('/app/stateless', requireSession(service, { stateless: true }), (req, res) => {
    res.json({ user: req.user ?? null, sub: req.svcAuth?.claims.sub });
  });
}

export function guards(open: OpenSite): void {
  const openPages = (options: SiteOptions = {}) => open({ ...options, before: pages });

  describe('the session guards', () => {
    it('requireSession sets req.user to a ServiceUser, and req.svcAuth to the token and its claims', async () => {
      const site = await openPages();
      const { cookie, user } = await site.signUp();
      const response = await site.send('GET', '/app/me', undefined, { cookie });
      expect(response.status).toBe(200);
      expect(response.json.user).toEqual(user);
      expect(response.json.auth).toEqual({
        token: cookie.slice('svc_session='.length),
        claims: expect.objectContaining({ sub: user.id, use: 'session' }) as object,
        externalId: null,
        username: null,
        roles: [],
      });
    });

    it('requireSession runs no handler if the application has already responded, for example after a timeout', async () => {
      let handlerRan = false;
      const site = await open({
        before: (app, { service }) => {
          app.use('/app/late', (_req, res, next) => {
            next();
            res.status(503).set('Cache-Control', 'no-store').json({ error: 'late' });
          });
          app.get('/app/late', requireSession(service), (_req, res) => {
            handlerRan = true;
            res.json({});
          });
        },
      });
      const { cookie } = await site.signUp();
      for (const presentedCookie of [cookie, undefined])
        expect((await site.send('GET', '/app/late', undefined, { cookie: presentedCookie })).status).toBe(
          503,
        );
      expect(handlerRan).toBe(false);
    });

    //
    it('requireSession returns 401 without a session, even if other middleware has set req.user', async () => {
      const site = await openPages();
      for (const cookie of [undefined, 'svc_session=nonsense', 'user=admin']) {
        for (const page of ['/app/me', '/app/stateless']) {
          const response = await site.send('GET', page, undefined, { cookie });
          expect(response.status).toBe(401);
          expect(asInProduction(response.json)).toEqual({
            error: 'token_invalid',
            message: expect.any(String) as string,
          });
          expect(response.headers).toMatchObject({
            'content-type': 'application/json; charset=utf-8',
            'cache-control': 'no-store',
            'x-content-type-options': 'nosniff',
          });
        }
      }
    });

    //
    it('the guards replace a user that other middleware has set', async () => {
      const site = await openPages();
      const { cookie, user } = await site.signUp();
      for (const page of ['/app/me', '/app/maybe']) {
        const { json } = await site.send('GET', page, undefined, { cookie });
        expect(json.user).toEqual(user);
        expect(json.auth.claims.sub).toBe(user.id);
      }
    });

    //
    it('optionalSession refuses no request and removes req.user if there is no session', async () => {
      const site = await openPages();
      for (const cookie of [undefined, 'svc_session=nonsense', 'svc_session=j:{"a":1}']) {
        const response = await site.send('GET', '/app/maybe', undefined, { cookie });
        expect([response.status, response.json]).toEqual([200, { user: null, auth: null }]);
      }
    });

    it('the guards do not change req.auth, which belongs to other packages', async () => {
      const auth = { token: 'of another package', clientId: 'x', scopes: [] };
      const site = await open({
        before: (app, { service }) => {
          app.use('/app', (req, _res, next) => next(void Object.assign(req, { auth })));
          for (const [path, guard] of [
            ['/app/me', requireSession(service)],
            ['/app/maybe', optionalSession(service)],
            ['/app/stateless', requireSession(service, { stateless: true })],
          ] as const) {
            app.get(path, guard, (req, res) => void res.json((req as { auth?: object }).auth));
          }
        },
      });
      const { cookie } = await site.signUp();
      for (const page of ['/app/me', '/app/maybe', '/app/stateless']) {
        expect((await site.send('GET', page, undefined, { cookie })).json).toEqual(auth);
      }
      expect((await site.send('GET', '/app/maybe')).json).toEqual(auth);
    });

    it('the guards read the Cookie header once per session check', async () => {
      let reads = 0;
      const site = await open({
        before: (app, test) => {
          app.use((req, _res, next) => {
            const { cookie } = req.headers;
            const get = () => {
              reads += 1;
              return cookie;
            };
            Object.defineProperty(req.headers, 'cookie', { get });
            next();
          });
          pages(app, test);
        },
      });
      const { cookie } = await site.signUp();
      for (const path of ['/api/auth/session', '/app/me', '/app/maybe', '/app/stateless']) {
        reads = 0;
        expect((await site.send('GET', path, undefined, { cookie })).status).toBe(200);
        expect([path, reads]).toEqual([path, 1]);
      }
    });

    it('GET /session responds in the same way to a query, a HEAD request and every spelling of its path', async () => {
      const site = await open();
      const { cookie, user } = await site.signUp();
      const names = ['cache-control', 'content-type', 'referrer-policy', 'vary', 'x-content-type-options'];
      const [usual, ...others] = ['/session', '/session?x=1', '/session/', '/Session'];
      const headersOf = (response: Awaited<ReturnType<typeof site.get>>) =>
        names.map((name) => response.headers[name]);
      const expected = await site.get(usual, { cookie });
      expect(expected.json).toMatchObject({ user: { id: user.id } });
      for (const path of others) {
        const response = await site.get(path, { cookie });
        expect([response.status, response.json, headersOf(response)]).toEqual([
          200,
          expected.json,
          headersOf(expected),
        ]);
        expect((await site.get(path)).status).toBe(401);
      }
      const head = await site.send('HEAD', '/api/auth/session', undefined, { cookie });
      expect([head.status, headersOf(head)]).toEqual([200, headersOf(expected)]);
    });

    it('a request has the route and the parameters by which monitoring names it, whatever the spelling of its URL', async () => {
      const named: unknown[] = [];
      const before = (app: Express) => {
        app.use((req, res, next) => {
          res.on('finish', () =>
            named.push([(req.route as { path: string } | undefined)?.path, { ...req.params }]),
          );
          next();
        });
      };
      const site = await open({ before });
      const { cookie } = await site.signUp();
      named.length = 0;
      for (const url of ['/session', '/session?x=1']) await site.get(url, { cookie });
      for (const url of ['/logout', '/logout/']) await site.post(url, undefined, { cookie });
      expect(named).toEqual(['/session', '/session', '/logout', '/logout'].map((path) => [path, {}]));
    });

    it('a route that only reads queries the session and its user once', async () => {
      const queries: string[] = [];
      const recorded =
        <Args extends unknown[], Found>(name: string, find: (...args: Args) => Found) =>
        (...args: Args) => {
          queries.push(name);
          return find(...args);
        };
      const site = await open({
        pro: true,
        service: {
          encryptionKey: 'an encryption key of the tests, 32 bytes',
          providers: {
            ...proProviders,
            totp: true,
            webauthn: { rpId: 'app.test', origins: ['https://app.test'] },
          },
        },
        wrapAdapter: (adapter) => {
          const { sessions, users } = adapter;
          return {
            ...adapter,
            sessions: Object.assign(Object.create(sessions) as typeof sessions, {
              findWithUser: recorded('session', sessions.findWithUser.bind(sessions)),
            }),
            users: Object.assign(Object.create(users) as typeof users, {
              findById: recorded('user', users.findById.bind(users)),
            }),
          };
        },
      });
      const { cookie } = await site.signUp();
      const lists = ['/identities', '/passkeys', '/devices', '/tokens', '/api-keys', '/orgs'];
      for (const path of ['/session', '/account', '/totp', ...lists]) {
        queries.length = 0;
        expect((await site.get(path, { cookie })).status).toBe(200);
        expect([path, ...queries]).toEqual([path, 'session']);
      }
    });

    it('the guards read the Authorization header only with the Bearer scheme, in any case', async () => {
      const site = await openPages();
      const { cookie, user } = await site.signUp();
      const token = cookie.slice('svc_session='.length);
      for (const page of ['/app/me', '/app/maybe', '/app/stateless']) {
        for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
          const headers = { Authorization: `${scheme} ${token}` };
          const { json } = await site.send('GET', page, undefined, { headers });
          expect(json.user?.id ?? json.sub).toBe(user.id);
        }
      }
      for (const Authorization of [
        token,
        `Basic ${token}`,
        'Bearer',
        'Bearer ',
        `Bearer ${token} x`,
        `XBearer ${token}`,
      ]) {
        const response = await site.send('GET', '/app/me', undefined, { headers: { Authorization } });
        expect(response.status).toBe(401);
      }
    });

    //
    it('a token in the query or in the body does not authenticate a request', async () => {
      const site = await openPages();
      const { cookie } = await site.signUp();
      const token = cookie.slice('svc_session='.length);
      for (const query of [`token=${token}`, `access_token=${token}`, `svc_session=${token}`]) {
        expect((await site.send('GET', `/app/me?${query}`)).status).toBe(401);
      }
      const response = await site.send('GET', '/app/me', { access_token: token, svc_session: token });
      expect(response.status).toBe(401);
    });

    //
    it('requireSession queries the store on every request and returns 401 as soon as the session has ended', async () => {
      const site = await openPages();
      const { cookie } = await site.signUp();
      expect((await site.send('GET', '/app/me', undefined, { cookie })).status).toBe(200);
      await site.post('/logout', undefined, { cookie });
      expect((await site.send('GET', '/app/me', undefined, { cookie })).status).toBe(401);
      const bearer = { headers: { Authorization: `Bearer ${cookie.slice('svc_session='.length)}` } };
      expect((await site.send('GET', '/app/me', undefined, bearer)).status).toBe(401);
      expect((await site.send('GET', '/app/maybe', undefined, { cookie })).json.user).toBeNull();
    });

    it('requireSession with stateless: true does not query the store, sets no req.user and accepts a token until it expires', async () => {
      const site = await openPages();
      const { cookie, user } = await site.signUp();
      const page = () => site.send('GET', '/app/stateless', undefined, { cookie });
      expect((await page()).json).toEqual({ user: null, sub: user.id });
      await site.post('/logout', undefined, { cookie });
      expect((await page()).json).toEqual({ user: null, sub: user.id });
      site.clock.advance(7 * day + 1000);
      expect((await page()).status).toBe(401);
    });

    it('requireSession renews a session older than renewAfterMs and sends its cookie again, but not to a bearer token', async () => {
      const site = await openPages();
      const { cookie } = await site.signUp();
      site.clock.advance(day + 1000);
      const headers = { Authorization: `Bearer ${cookie.slice('svc_session='.length)}` };
      expect((await site.send('GET', '/app/me', undefined, { headers })).cookies).toEqual([]);
      const response = await site.send('GET', '/app/me', undefined, { cookie });
      expect(response.cookies).toMatchObject([
        {
          name: 'svc_session',
          attributes: { httponly: true, samesite: 'Lax', path: '/', 'max-age': '604800' },
        },
      ]);
      site.clock.advance(6.5 * day);
      expect((await site.send('GET', '/app/me', undefined, { cookie: response.cookie() })).status).toBe(200);
    });

    //
    it('a response that renews the cookie is not cacheable', async () => {
      const site = await openPages();
      for (const page of ['/app/me', '/app/maybe']) {
        const { cookie } = await site.signUp();
        site.clock.advance(day + 1000);
        const response = await site.send('GET', page, undefined, { cookie });
        expect(response.cookies).toHaveLength(1);
        expect(response.headers['cache-control']).toMatch(/no-store/);
      }
    });

    //
    it('requireSession sets no-store unless the application sets another policy', async () => {
      const site = await openPages({});
      const { cookie } = await site.signUp();
      const response = await site.send('GET', '/app/me', undefined, { cookie });
      expect(response.headers['cache-control']).toMatch(/no-store/);
    });

    it('requireSession returns 401 for an expired session, and optionalSession continues without a user', async () => {
      const site = await openPages();
      const { cookie } = await site.signUp();
      site.clock.advance(7 * day);
      expect((await site.send('GET', '/app/me', undefined, { cookie })).status).toBe(401);
      expect((await site.send('GET', '/app/maybe', undefined, { cookie })).json.user).toBeNull();
    });

    it('the guards and the routes work together in one application, with a guard before the routes', async () => {
      const site = await open({
        before: (app, { service }) => void app.use(optionalSession(service)),
        after: (app, { service }) => {
          app.post('/app/act', requireSession(service), (req, res) => void res.json(req.user?.email));
        },
      });
      const { cookie, email } = await site.signUp();
      expect((await site.get('/session', { cookie })).json.user.email).toBe(email);
      expect((await site.send('POST', '/app/act', {}, { cookie })).json).toBe(email);
      expect((await site.send('POST', '/app/act', {})).status).toBe(401);
    });
  });
}
