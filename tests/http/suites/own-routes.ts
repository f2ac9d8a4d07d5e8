/**
 * What this package provides for an application's own routes: error handler, origin check, sign-in
 * response, asynchronous routes.
 */
import type { Express, NextFunction, Request, Response } from 'express';
import { codeAt } from '../../support/authenticator-app.js';
import { validPassword, type Site } from '../../support/http-site.js';
import { proProviders } from '../../support/make-pro-service.js';
import type { TestService } from '../../support/make-service.js';
import {
  asyncRoute,
  requireSession,
  sameOrigin,
  serviceErrorHandler,
  signInContext,
  signInResponse,
} from 'svc-auth';
import type { OpenSite, Suite } from '../matrix.js';
import { expectError, expectTooMany } from './expect.js';

/** Values that Express does not treat as an error. */
const falsyRejections: readonly unknown[] = ['', 0, false, null, 'route', 'router'];

export function ownRoutes(open: OpenSite, express: Parameters<Suite>[1]): void {
  const routes = (app: Express, { service }: TestService) => {
    app.use('/app', sameOrigin(service), express.json());
    app.post(
      '/app/login',
      asyncRoute(async (req, res) => {
        const { email, password } = req.body ?? {};
        const result = await service.emailPassword.login({ email, password }, signInContext(service, req));
        signInResponse(service, req, res, result);
      }),
    );
    app.post(
      '/app/password',
      requireSession(service),
      asyncRoute(async (req, res) => {
        const { currentPassword, newPassword } = req.body ?? {};
        const change = { userId: req.user!.id, currentPassword, newPassword };
        const changed = await service.emailPassword.changePassword(change, signInContext(service, req));
        signInResponse(service, req, res, changed);
      }),
    );
    app.post(
      '/app/no-session',
      asyncRoute(async (req, res) => {
        const { email, password } = req.body ?? {};
        signInResponse(service, req, res, await service.emailPassword.login({ email, password }));
      }),
    );
    app.get(
      '/app/fails',
      asyncRoute(async () => Promise.reject(new Error('an error of the application'))),
    );
    app.get(
      '/app/fails-without-an-error',
      asyncRoute(() => Promise.reject(undefined as unknown as Error)),
    );
    for (const [index, falsy] of falsyRejections.entries()) {
      const route = `/app/fails-with-${index}`;
      app.get(
        route,
        asyncRoute(() => Promise.reject(falsy as Error)),
      );
      app.get(route, (_req, res) => void res.json({ app: 'reached' }));
    }
    app.get(
      '/app/throws',
      asyncRoute(() => {
        throw new TypeError('an error of the application');
      }),
    );
    app.get(
      '/app/late',
      asyncRoute(async (_req, res) => {
        res.write('begun');
        await service.emailPassword.login({ email: 'x', password: 'x' });
      }),
    );
    app.use(serviceErrorHandler(service));
    app.use((error: Error, _req: Request, res: Response, next: NextFunction) => {
      if (res.headersSent) return next(error);
      res.status(500).json({ app: error.message });
    });
  };
  const openRoutes = () =>
    open({
      after: routes,
      pro: true,
      service: {
        encryptionKey: 'an encryption key of the tests, 32 bytes',
        providers: { ...proProviders, totp: true },
      },
    });
  const login = (site: Site, body: unknown, options = {}) => site.send('POST', '/app/login', body, options);

  describe('an application’s own route', () => {
    it('signInResponse() sends the same cookie, user and headers as the routes, and ends the earlier session', async () => {
      const site = await openRoutes();
      const { email, cookie, user } = await site.signUp();
      const response = await login(site, { email, password: validPassword }, { cookie });
      expect([response.status, response.json]).toEqual([200, { user, created: false }]);
      const reference = await site.post('/password/login', { email, password: validPassword });
      // The tokens differ, and the two sessions may begin in different seconds.
      const { value: _value, ...set } = response.cookies[0]!;
      const { value: _other, ...expected } = reference.cookies[0]!;
      const expires = expect.stringMatching(/ GMT$/) as string;
      expect(set).toEqual({ ...expected, attributes: { ...expected.attributes, expires } });
      for (const name of ['cache-control', 'referrer-policy', 'x-content-type-options', 'vary']) {
        expect([name, response.headers[name]]).toEqual([name, reference.headers[name]]);
      }
      expectError(await site.get('/session', { cookie }), 401, 'token_invalid');
      expect((await site.get('/session', { cookie: response.cookie() })).json.user.id).toBe(user.id);
    });

    it('signInResponse() sends mfa_required with svc_mfa, and /mfa/verify completes the sign-in', async () => {
      const site = await openRoutes();
      const { email, cookie } = await site.signUp();
      const { secret } = (await site.post('/totp/enroll', undefined, { cookie })).json;
      await site.post('/totp/confirm', { code: codeAt(secret, site.clock.now()) }, { cookie });
      const response = await login(site, { email, password: validPassword });
      expect([response.status, response.json.error]).toEqual([403, 'mfa_required']);
      expect(response.cookies.map(({ name }) => name)).toEqual(['svc_mfa']);
      site.clock.advance(30_000);
      const code = codeAt(secret, site.clock.now());
      const second = await site.post('/mfa/verify', { code }, { cookie: response.cookie('svc_mfa') });
      expect(second.status).toBe(200);
    });

    it('signInResponse() sends the cookie of the new session after a change of the account', async () => {
      const site = await openRoutes();
      const { cookie, user } = await site.signUp();
      const body = { currentPassword: validPassword, newPassword: 'another good password' };
      const response = await site.send('POST', '/app/password', body, { cookie });
      expect([response.status, response.json.user.id]).toEqual([200, user.id]);
      expect((await site.get('/session', { cookie: response.cookie() })).status).toBe(200);
      expectError(await site.get('/session', { cookie }), 401, 'token_invalid');
    });

    it('serviceErrorHandler() responds to every ServiceError as the routes do', async () => {
      const site = await openRoutes();
      const { email } = await site.signUp();
      const json = { 'Content-Type': 'application/json' };
      for (const body of [undefined, {}, [], { email: 1, password: {} }, { email }]) {
        expectError(await login(site, body), 400, 'invalid_request');
      }
      for (const body of ['{', 'null', '"x"', `{"x":"${'x'.repeat(200_000)}"}`]) {
        expectError(await login(site, body, { headers: json }), 400, 'invalid_request');
      }
      expectError(
        await login(site, '{}', { headers: { ...json, 'Content-Encoding': 'rot13' } }),
        400,
        'invalid_request',
      );
      for (let tries = 0; tries < 10; tries += 1) {
        expectError(await login(site, { email, password: 'wrong' }), 401, 'invalid_credentials');
      }
      const { json: body } = await login(site, { email, password: 'wrong' });
      expectTooMany(await login(site, { email, password: 'wrong' }), body.retryAfterMs as number);
    });

    it('serviceErrorHandler() passes other errors, rejected or thrown, to the next error handler', async () => {
      const site = await openRoutes();
      for (const path of ['/app/fails', '/app/throws']) {
        const response = await site.send('GET', path);
        expect([response.status, response.json]).toEqual([500, { app: 'an error of the application' }]);
      }
      expectError(await site.send('GET', '/app/fails-without-an-error'), 500, 'internal_error');
    });

    it.each(falsyRejections.map((value, index) => [JSON.stringify(value), index]))(
      'asyncRoute() does not call the next handler if the route rejects with %s',
      async (_value, index) => {
        const site = await openRoutes();
        expectError(await site.send('GET', `/app/fails-with-${index}`), 500, 'internal_error');
      },
    );

    it('serviceErrorHandler() passes the error on if the response has started, and the connection ends', async () => {
      const site = await openRoutes();
      await expect(site.send('GET', '/app/late')).rejects.toThrow();
      expect((await site.get('/session')).status).toBe(401);
    });

    it('signInResponse() returns 500 for a sign-in without startSession and logs the reason', async () => {
      const site = await openRoutes();
      const { email } = await site.signUp();
      const response = await site.send('POST', '/app/no-session', { email, password: validPassword });
      expectError(response, 500, 'internal_error');
      expect(JSON.stringify(site.log.filter(({ level }) => level === 'error'))).toContain('signInContext()');
    });

    it('sameOrigin() refuses a request of another site unless it only reads', async () => {
      const site = await openRoutes();
      const { email } = await site.signUp();
      for (const [name, value] of [
        ['Origin', 'https://evil.test'],
        ['Sec-Fetch-Site', 'cross-site'],
      ] as const) {
        const body = { email, password: validPassword };
        const options = { headers: { [name]: value } };
        expectError(await login(site, body, options), 403, 'not_authorized');
        for (const method of ['PUT', 'PATCH', 'DELETE']) {
          expectError(await site.send(method, '/app/x', undefined, options), 403, 'not_authorized');
        }
        expect((await site.send('GET', '/app/fails', undefined, options)).status).toBe(500);
      }
      const own = { Origin: site.origin };
      expect((await login(site, { email, password: validPassword }, { headers: own })).status).toBe(200);
    });
  });
}
