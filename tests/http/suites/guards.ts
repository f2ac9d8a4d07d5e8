/** The guards of an application's own routes. */
import type { Express } from 'express';
import { optionalSession, requireSession } from 'svc-auth';
import type { OpenSite } from '../matrix.js';
import type { SiteOptions } from '../../support/http-site.js';
import { proProviders } from '../../support/make-pro-service.js';
import type { TestService } from '../../support/make-service.js';

const day = 24 * 60 * 60 * 1000;

/** Three pages that show what the guard left on the request, behind middleware that planted a user of its own. */
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

  describe('the guards', () => {
    it('requireSession sets req.user, a ServiceUser, and req.svcAuth with the token and its claims', async () => {
      const site = await openPages();
      const { cookie, user } = await site.signUp();
      const answer = await site.send('GET', '/app/me', undefined, { cookie });
      expect(answer.status).toBe(200);
      expect(answer.json.user).toEqual(user);
      expect(answer.json.auth).toEqual({
        token: cookie.slice('svc_session='.length),
        claims: expect.objectContaining({ sub: user.id, use: 'session' }) as object,
      });
    });

    it('run no handler where the application has answered meanwhile, as by a time-out of its own', async () => {
      let ran = false;
      const site = await open({
        before: (app, { service }) => {
          app.use('/app/late', (_req, res, next) => {
            next();
            res.status(503).set('Cache-Control', 'no-store').json({ error: 'late' });
          });
          app.get('/app/late', requireSession(service), (_req, res) => {
            ran = true;
            res.json({});
          });
        },
      });
      const { cookie } = await site.signUp();
      for (const sent of [cookie, undefined])
        expect((await site.send('GET', '/app/late', undefined, { cookie: sent })).status).toBe(503);
      expect(ran).toBe(false);
    });

    it('A-46: without a session it is 401 JSON, whatever user another middleware put on the request', async () => {
      const site = await openPages();
      for (const cookie of [undefined, 'svc_session=nonsense', 'user=admin']) {
        for (const page of ['/app/me', '/app/stateless']) {
          const answer = await site.send('GET', page, undefined, { cookie });
          expect(answer.status).toBe(401);
          expect(answer.json).toEqual({ error: 'token_invalid', message: expect.any(String) as string });
          expect(answer.headers).toMatchObject({
            'content-type': 'application/json; charset=utf-8',
            'cache-control': 'no-store',
            'x-content-type-options': 'nosniff',
          });
        }
      }
    });

    it('A-46: with one, its own user replaces the planted one', async () => {
      const site = await openPages();
      const { cookie, user } = await site.signUp();
      for (const page of ['/app/me', '/app/maybe']) {
        const { json } = await site.send('GET', page, undefined, { cookie });
        expect(json.user).toEqual(user);
        expect(json.auth.claims.sub).toBe(user.id);
      }
    });

    it('A-46: optionalSession refuses nobody, and removes a planted user where there is no session', async () => {
      const site = await openPages();
      for (const cookie of [undefined, 'svc_session=nonsense', 'svc_session=j:{"a":1}']) {
        const answer = await site.send('GET', '/app/maybe', undefined, { cookie });
        expect([answer.status, answer.json]).toEqual([200, { user: null, auth: null }]);
      }
    });

    it('leave req.auth, which belongs to other packages, as it is', async () => {
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

    it('read the Cookie header once per session check', async () => {
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

    it('read session and user once: a route that only reads asks the storage for neither again', async () => {
      const asked: string[] = [];
      const noting =
        <Args extends unknown[], Found>(name: string, find: (...args: Args) => Found) =>
        (...args: Args) => {
          asked.push(name);
          return find(...args);
        };
      const site = await open({
        pro: true,
        service: {
          encryptionKey: 'a key of these tests, 32 bytes or more',
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
              findWithUser: noting('session', sessions.findWithUser.bind(sessions)),
            }),
            users: Object.assign(Object.create(users) as typeof users, {
              findById: noting('user', users.findById.bind(users)),
            }),
          };
        },
      });
      const { cookie } = await site.signUp();
      const lists = ['/identities', '/passkeys', '/devices', '/tokens', '/api-keys', '/orgs'];
      for (const path of ['/session', '/account', '/totp', ...lists]) {
        asked.length = 0;
        expect((await site.get(path, { cookie })).status).toBe(200);
        expect([path, ...asked]).toEqual([path, 'session']);
      }
    });

    it('reads `Authorization: Bearer`, in any case of the word, and nothing else from that header', async () => {
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
        const answer = await site.send('GET', '/app/me', undefined, { headers: { Authorization } });
        expect(answer.status).toBe(401);
      }
    });

    it('A-80: a token in the query or in the body is no session', async () => {
      const site = await openPages();
      const { cookie } = await site.signUp();
      const token = cookie.slice('svc_session='.length);
      for (const query of [`token=${token}`, `access_token=${token}`, `svc_session=${token}`]) {
        expect((await site.send('GET', `/app/me?${query}`)).status).toBe(401);
      }
      const answer = await site.send('GET', '/app/me', { access_token: token, svc_session: token });
      expect(answer.status).toBe(401);
    });

    it('A-49: requireSession asks the store every time: a session that has ended is 401 at once', async () => {
      const site = await openPages();
      const { cookie } = await site.signUp();
      expect((await site.send('GET', '/app/me', undefined, { cookie })).status).toBe(200);
      await site.post('/logout', undefined, { cookie });
      expect((await site.send('GET', '/app/me', undefined, { cookie })).status).toBe(401);
      const bearer = { headers: { Authorization: `Bearer ${cookie.slice('svc_session='.length)}` } };
      expect((await site.send('GET', '/app/me', undefined, bearer)).status).toBe(401);
      expect((await site.send('GET', '/app/maybe', undefined, { cookie })).json.user).toBeNull();
    });

    it('stateless: true asks no store: no req.user, and a session that has ended stays in until its token expires', async () => {
      const site = await openPages();
      const { cookie, user } = await site.signUp();
      const page = () => site.send('GET', '/app/stateless', undefined, { cookie });
      expect((await page()).json).toEqual({ user: null, sub: user.id });
      await site.post('/logout', undefined, { cookie });
      expect((await page()).json).toEqual({ user: null, sub: user.id });
      site.clock.advance(7 * day + 1000);
      expect((await page()).status).toBe(401);
    });

    it('requireSession renews a session that is older than renewAfterMs and re-sends its cookie; a Bearer token gets none', async () => {
      const site = await openPages();
      const { cookie } = await site.signUp();
      site.clock.advance(day + 1000);
      const headers = { Authorization: `Bearer ${cookie.slice('svc_session='.length)}` };
      expect((await site.send('GET', '/app/me', undefined, { headers })).cookies).toEqual([]);
      const answer = await site.send('GET', '/app/me', undefined, { cookie });
      expect(answer.cookies).toMatchObject([
        {
          name: 'svc_session',
          attributes: { httponly: true, samesite: 'Lax', path: '/', 'max-age': '604800' },
        },
      ]);
      site.clock.advance(6.5 * day);
      expect((await site.send('GET', '/app/me', undefined, { cookie: answer.cookie() })).status).toBe(200);
    });

    it('A-58: an answer that re-sends the cookie is not for a cache to keep', async () => {
      const site = await openPages();
      for (const page of ['/app/me', '/app/maybe']) {
        const { cookie } = await site.signUp();
        site.clock.advance(day + 1000);
        const answer = await site.send('GET', page, undefined, { cookie });
        expect(answer.cookies).toHaveLength(1);
        expect(answer.headers['cache-control']).toMatch(/no-store/);
      }
    });

    it('A-58: what requireSession lets through is no-store, unless the application says otherwise', async () => {
      const site = await openPages({});
      const { cookie } = await site.signUp();
      const answer = await site.send('GET', '/app/me', undefined, { cookie });
      expect(answer.headers['cache-control']).toMatch(/no-store/);
    });

    it('an expired session is 401 behind requireSession and nobody behind optionalSession', async () => {
      const site = await openPages();
      const { cookie } = await site.signUp();
      site.clock.advance(7 * day);
      expect((await site.send('GET', '/app/me', undefined, { cookie })).status).toBe(401);
      expect((await site.send('GET', '/app/maybe', undefined, { cookie })).json.user).toBeNull();
    });

    it('the routes and the guards work side by side on one request pipeline, guard first', async () => {
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
