/** `startSession`, `endSession` and `tokenFrom`: for applications with their own forms, and clients with other schemes. */
import express, { type Express } from 'express';
import {
  asyncRoute,
  endSession,
  optionalSession,
  requireApiKey,
  requireOrgRole,
  requireRole,
  requireSession,
  serviceErrorHandler,
  startSession,
  type RequireSessionOptions,
  type StartSessionOptions,
} from 'svc-auth';
import { codeAt } from '../support/authenticator-app.js';
import { encryptionKey } from '../support/every-provider.js';
import { openSite, type Site, type SiteOptions } from '../support/http-site.js';
import type { TestService } from '../support/make-service.js';

const open: Site[] = [];

afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

async function newSite(options: SiteOptions = {}): Promise<Site> {
  const site = await openSite(express, undefined, { before: forms, ...options });
  open.push(site);
  return site;
}

/** The forms of an application: they respond themselves. */
function forms(app: Express, { service }: TestService): void {
  const router = express.Router();
  router.use(express.json());
  router.post(
    '/sign-in',
    asyncRoute(async (req, res) => {
      const { userId, options } = req.body as { userId: string; options?: StartSessionOptions };
      const { user, expiresAt, bearer } = await startSession(service, req, res, userId, options);
      res.status(201).json({ user, expiresAt, bearer, current: req.user, auth: req.svcAuth?.claims.sub });
    }),
  );
  router.post(
    '/sign-out',
    optionalSession(service),
    asyncRoute(async (req, res) => {
      await endSession(service, req, res);
      res.redirect(303, '/bye');
    }),
  );
  router.post(
    '/both',
    asyncRoute(async (req, res) => {
      const { userId } = req.body as { userId: string };
      await startSession(service, req, res, userId);
      const { token } = req.svcAuth!;
      await endSession(service, req, res);
      res.json({ token, user: req.user ?? null });
    }),
  );
  router.post(
    '/late',
    asyncRoute(async (req, res) => {
      res.write('begun');
      const outcome = await startSession(service, req, res, (req.body as { userId: string }).userId).catch(
        (error: Error) => error.name,
      );
      res.end(typeof outcome === 'string' ? ` ${outcome}` : ' started');
    }),
  );
  router.use(serviceErrorHandler(service));
  app.use('/app', router);
}

describe('startSession', () => {
  it('starts a session for a user whom the application has signed in, and leaves the response to it', async () => {
    const site = await newSite();
    const { id: userId } = await site.service.users.create({ email: site.uniqueEmail() });
    const response = await site.send('POST', '/app/sign-in', { userId });
    expect(response.status).toBe(201);
    expect(response.json).toMatchObject({ user: { id: userId }, current: { id: userId }, auth: userId });
    expect(new Date(response.json.expiresAt as string).getTime()).toBe(site.clock.now() + 7 * 86_400_000);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.cookies.map(({ name }) => name)).toContain('svc_device');
    const cookie = response.cookie();
    expect((await site.get('/session', { cookie })).json.user.id).toBe(userId);
    expect(site.log).toContainEqual(
      expect.objectContaining({
        fields: expect.objectContaining({ event: 'signed_in', method: 'application' }),
      }),
    );
  });

  it('ends the session that the browser had', async () => {
    const site = await newSite();
    const { cookie } = await site.signUp();
    const { id: userId } = await site.service.users.create({ email: site.uniqueEmail() });
    const response = await site.send('POST', '/app/sign-in', { userId }, { cookie });
    expect((await site.get('/session', { cookie })).status).toBe(401);
    expect((await site.get('/session', { cookie: response.cookie() })).json.user.id).toBe(userId);
  });

  it('sets a cookie without expiry with remember false', async () => {
    const site = await newSite();
    const { id: userId } = await site.service.users.create({ email: site.uniqueEmail() });
    const response = await site.send('POST', '/app/sign-in', { userId, options: { remember: false } });
    const cookie = response.cookies.find(({ name }) => name === 'svc_session');
    expect(cookie?.attributes).not.toHaveProperty('max-age');
  });

  it('refuses users who do not exist or are blocked, and unknown options, without a cookie', async () => {
    const site = await newSite();
    const { id } = await site.service.users.create({ email: site.uniqueEmail() });
    await site.service.users.block(id);
    const cases: [object, number, string][] = [
      [{ userId: id }, 403, 'user_blocked'],
      [{ userId: '018f0000-0000-7000-8000-000000000000' }, 404, 'user_not_found'],
      [{ userId: '__proto__' }, 404, 'user_not_found'],
      [{ userId: { id } }, 400, 'invalid_request'],
      [{}, 400, 'invalid_request'],
      [{ userId: id, options: { second_factor: true } }, 400, 'invalid_request'],
      [{ userId: id, options: { secondFactor: 'yes' } }, 400, 'invalid_request'],
    ];
    for (const [body, status, code] of cases) {
      const response = await site.send('POST', '/app/sign-in', body);
      expect([response.status, response.json.error, response.cookies]).toEqual([status, code, []]);
    }
  });

  it('asks for the second factor of an account only with secondFactor', async () => {
    const site = await newSite({ pro: true, service: { encryptionKey, providers: { totp: {} } } });
    const { id: userId } = await site.service.users.create({ email: site.uniqueEmail() });
    const { secret } = await site.service.totp.beginEnrollment(userId);
    await site.service.totp.confirmEnrollment(userId, codeAt(secret, site.clock.now()));
    site.clock.advance(60_000);
    const plain = await site.send('POST', '/app/sign-in', { userId });
    expect(plain.status).toBe(201);
    const asked = await site.send('POST', '/app/sign-in', { userId, options: { secondFactor: true } });
    expect([asked.status, asked.json.error]).toEqual([403, 'mfa_required']);
    expect(asked.cookies.map(({ name }) => name)).toEqual(['svc_mfa']);
    const code = codeAt(secret, site.clock.now());
    const completed = await site.post('/mfa/verify', { code }, { cookie: asked.cookie('svc_mfa') });
    expect(completed.json.user.id).toBe(userId);
  });

  it('returns tokens to a client without cookies', async () => {
    const site = await newSite({ service: { session: { bearer: true } } });
    const { id: userId } = await site.service.users.create({ email: site.uniqueEmail() });
    const headers = { 'svc-session': 'bearer' };
    const response = await site.send('POST', '/app/sign-in', { userId }, { headers });
    expect([response.status, response.cookies]).toEqual([201, []]);
    const { accessToken } = response.json.bearer as { accessToken: string };
    const withToken = { ...headers, Authorization: `Bearer ${accessToken}` };
    expect((await site.get('/session', { headers: withToken })).json.user.id).toBe(userId);
  });

  it('starts no session once the response has begun', async () => {
    const site = await newSite();
    const { id: userId } = await site.service.users.create({ email: site.uniqueEmail() });
    expect((await site.send('POST', '/app/late', { userId })).text).toBe('begun InternalError');
    expect(await site.adapter.sessions.listLive(userId, new Date(site.clock.now()))).toEqual([]);
  });
});

describe('endSession', () => {
  it('ends the session on the server, clears its cookie, and leaves the response to the application', async () => {
    const site = await newSite();
    const { cookie } = await site.signUp();
    const response = await site.send('POST', '/app/sign-out', {}, { cookie });
    expect([response.status, response.location]).toEqual([303, '/bye']);
    expect(response.cookies.find(({ name }) => name === 'svc_session')).toMatchObject({ value: '' });
    expect((await site.get('/session', { cookie })).status).toBe(401);
    expect((await site.send('POST', '/app/sign-out', {})).status).toBe(303);
  });

  it('also ends a session that the same request has started', async () => {
    const site = await newSite();
    const { id: userId } = await site.service.users.create({ email: site.uniqueEmail() });
    const { json } = await site.send('POST', '/app/both', { userId });
    expect(json.user).toBeNull();
    expect((await site.get('/session', { cookie: `svc_session=${json.token}` })).status).toBe(401);
  });
});

describe('tokenFrom', () => {
  const tokenFrom: RequireSessionOptions['tokenFrom'] = ({ headers }) =>
    /^Token (\S+)$/.exec(headers.authorization ?? '')?.[1];

  function guarded(app: Express, { service }: TestService): void {
    const show: express.RequestHandler = (req, res) =>
      void res.json(req.user?.id ?? req.svcAuth?.claims.sub ?? null);
    app.get('/app/me', requireSession(service, { tokenFrom }), show);
    app.get('/app/maybe', optionalSession(service, { tokenFrom }), show);
    app.get('/app/stateless', requireSession(service, { stateless: true, tokenFrom }), show);
    app.get('/app/role', requireRole(service, 'admin', { tokenFrom }), show);
    app.get('/app/plain', requireSession(service), show);
    const wrong = (() => Promise.resolve('token')) as unknown as typeof tokenFrom;
    app.get('/app/wrong', requireSession(service, { tokenFrom: wrong }), show);
  }

  const ask = (site: Site, path: string, authorization: string, cookie?: string) =>
    site.send('GET', path, undefined, {
      headers: { Authorization: authorization },
      ...(cookie !== undefined && { cookie }),
    });

  it('lets the guards read the session of another scheme', async () => {
    const site = await newSite({ before: guarded });
    const { user, cookie } = await site.signUp();
    await site.service.users.update(user.id as string, { roles: ['admin'] });
    const token = cookie.slice('svc_session='.length);
    for (const path of ['/app/me', '/app/maybe', '/app/stateless', '/app/role']) {
      expect((await ask(site, path, `Token ${token}`)).json).toBe(user.id);
      expect((await ask(site, path, `Bearer ${token}`)).json).toBe(user.id);
    }
    expect((await ask(site, '/app/plain', `Token ${token}`)).status).toBe(401);
  });

  it('counts alone if it returns a token: the cookie of the request is not read', async () => {
    const site = await newSite({ before: guarded });
    const { cookie } = await site.signUp();
    expect((await ask(site, '/app/me', 'Token invalid', cookie)).status).toBe(401);
    expect((await ask(site, '/app/me', 'Basic abc', cookie)).status).toBe(200);
  });

  it('must be a function that returns a string', async () => {
    const site = await newSite({ before: guarded });
    const { service } = site;
    const wrong = 'Token' as unknown as typeof tokenFrom;
    expect(() => requireSession(service, { tokenFrom: wrong })).toThrow('tokenFrom must be a function');
    expect(() => optionalSession(service, { tokenForm: () => '' } as object)).toThrow('tokenForm');
    expect(() => requireApiKey(service, { tokenFrom: wrong })).toThrow('tokenFrom must be a function');
    const org = { min: 'member' as const, org: () => '', tokenFrom: wrong };
    expect(() => requireOrgRole(service, org)).toThrow('tokenFrom must be a function');
    expect((await ask(site, '/app/wrong', 'Token x')).status).toBe(500);
  });
});
