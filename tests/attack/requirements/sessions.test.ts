// Sessions over HTTP, from every sign-in method to every way that a session ends.
import { requireOrgRole, requireSession, optionalSession } from 'svc-auth';
import type { Express, Request } from 'express';
import { describeAdapters } from '../../support/describe-adapters.js';
import type { Site, SiteOptions } from '../../support/http-site.js';
import { day, minute } from '../../support/make-pro-service.js';
import { isSignedIn, issueTokens, readToken } from '../../support/site-actions.js';
import { signInMethods } from '../../support/sign-in-methods.js';
import { loopbackProviders, fullSiteOpener } from '../../support/full-site.js';

const providers = loopbackProviders('google', 'acme');

/** Mounts routes of the application behind each guard, after a middleware that plants another user on the request. */
function guarded(app: Express, { service }: Pick<Site, 'service'>): void {
  const show = (req: Request) => ({ user: req.user ?? null, auth: req.svcAuth?.claims.sub ?? null });
  app.use('/app', (req, _res, next) => {
    const planted = { id: 'planted', email: 'eve@evil.test' };
    Object.assign(req, { user: planted, svcAuth: { token: 'x', claims: { sub: 'planted' } } });
    next();
  });
  const org = (req: Request) => req.params['org'];
  app.get('/app/required', requireSession(service), (req, res) => void res.json(show(req)));
  app.get(
    '/app/fresh',
    requireSession(service, { maxAgeMs: minute }),
    (req, res) => void res.json(show(req)),
  );
  app.get('/app/strong', requireSession(service, { mfa: true }), (req, res) => void res.json(show(req)));
  app.get('/app/token', requireSession(service, { stateless: true }), (req, res) => void res.json(show(req)));
  app.get('/app/maybe', optionalSession(service), (req, res) => void res.json(show(req)));
  app.get(
    '/app/orgs/:org',
    requireOrgRole(service, { min: 'member', org }),
    (req, res) => void res.json(show(req)),
  );
}

describeAdapters('Sessions', (on) => {
  const open = fullSiteOpener(on.adapter, providers);
  const openGuarded = (options: SiteOptions = {}) => open({ ...options, after: guarded });
  const getInApp = (site: Site, path: string, options: object = {}) =>
    site.send('GET', `/app/${path}`, undefined, options);

  //
  it('discards a user that was set on the request before a guard, regardless of headers and cookies', async () => {
    const site = await openGuarded();
    const claimsOfNobody = Buffer.from('{"sub":"planted","use":"session","exp":9999999999}').toString(
      'base64url',
    );
    const forgedRequests = [
      {},
      { cookie: 'svc_session=planted' },
      { cookie: 'svc_session=j:{"sub":"planted"}; user=planted' },
      { cookie: `svc_session=e30.${claimsOfNobody}.` },
      { cookie: 'svc_session=' },
      { headers: { Authorization: `Bearer e30.${claimsOfNobody}.x` } },
      { headers: { Authorization: 'Basic cGxhbnRlZDpwbGFudGVk' } },
      { headers: { 'X-User': 'planted', 'X-Svc-User': 'planted', 'X-Forwarded-User': 'planted' } },
    ];
    for (const options of forgedRequests) {
      for (const path of ['required', 'fresh', 'strong', 'token', 'orgs/planted']) {
        const response = await getInApp(site, `${path}?user=planted&svc_session=planted`, options);
        expect([path, options, response.status, response.json.error]).toEqual([
          path,
          options,
          401,
          'token_invalid',
        ]);
      }
      expect((await getInApp(site, 'maybe', options)).json).toEqual({ user: null, auth: null });
    }
    const { cookie, user } = await site.signInByCode();
    for (const path of ['required', 'fresh', 'maybe']) {
      expect((await getInApp(site, path, { cookie })).json).toEqual({ user, auth: user.id });
    }
    expect((await getInApp(site, 'token', { cookie })).json).toEqual({ user: null, auth: user.id });
    expect((await getInApp(site, 'strong', { cookie })).status).toBe(403);
    expect((await getInApp(site, 'orgs/planted', { cookie })).status).toBe(403);
  });

  //
  it.each(Object.entries(signInMethods))(
    'starts a new session on a sign-in by %s and revokes the previous one of the browser',
    async (_name, way) => {
      const site = await open();
      const enter = await way(site);
      const before = await site.signInByCode();
      const bystander = await site.signInByCode(before.email);
      const response = await enter(before.cookie);
      const cookie = response.cookie();
      expect(readToken(cookie)['sid']).toMatch(/^[0-9a-f-]{36}$/);
      expect(readToken(cookie)['sid']).not.toBe(readToken(before.cookie)['sid']);
      expect([await isSignedIn(site, cookie), await isSignedIn(site, before.cookie)]).toEqual([true, false]);
      expect(await isSignedIn(site, bystander.cookie)).toBe(true);
    },
  );

  //
  it('never adopts a session id that an attacker chose', async () => {
    const site = await open();
    const attacker = await site.signInByCode();
    const victim = await site.signUp();
    for (const planted of [attacker.cookie, 'svc_session=chosen', `${attacker.cookie}; svc_session=x`]) {
      const { email, password } = victim;
      const response = await site.post('/password/login', { email, password }, { cookie: planted });
      expect(readToken(response.cookie())['sid']).not.toBe(readToken(attacker.cookie)['sid']);
      expect(readToken(response.cookie())['sub']).toBe(victim.user.id);
    }
    expect(await isSignedIn(site, attacker.cookie)).toBe(false);
  });

  //
  it('rejects a copied cookie after logout wherever tokens are read, and returns 200 for every logout', async () => {
    const site = await openGuarded();
    const { cookie, email } = await site.signInByCode();
    const other = await site.signInByCode(email);
    const token = cookie.slice('svc_session='.length);
    for (let i = 0; i < 2; i += 1) {
      expect((await site.post('/logout', undefined, { cookie })).json).toEqual({ ok: true });
    }
    for (const options of [{ cookie }, { headers: { Authorization: `Bearer ${token}` } }]) {
      for (const path of ['/session', '/devices', '/account', '/api-keys', '/orgs', '/totp', '/passkeys']) {
        expect([path, (await site.get(path, options)).status]).toEqual([path, 401]);
      }
      expect((await getInApp(site, 'required', options)).status).toBe(401);
      expect((await getInApp(site, 'maybe', options)).json.user).toBeNull();
    }
    expect(await isSignedIn(site, other.cookie)).toBe(true);
  });

  //
  it('revokes the refresh family of an access token on logout, and the session too if both are sent', async () => {
    const site = await open();
    const me = await site.signInByCode();
    const [one, two] = [await issueTokens(site, me), await issueTokens(site, me)];
    const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
    await site.post('/logout', undefined, bearer(one.accessToken));
    expect((await site.get('/session', bearer(one.accessToken))).status).toBe(401);
    expect((await site.post('/token/refresh', { refreshToken: one.refreshToken })).status).toBe(401);
    expect(await isSignedIn(site, me.cookie)).toBe(true);
    await site.post('/logout', undefined, { ...bearer(two.accessToken), cookie: me.cookie });
    expect(await isSignedIn(site, me.cookie)).toBe(false);
    expect((await site.post('/token/refresh', { refreshToken: two.refreshToken })).status).toBe(401);
  });

  //
  it('revokes every credential of a deleted user, and creates a new user for the next owner of the address', async () => {
    const site = await openGuarded();
    const me = await site.signInByCode();
    const elsewhere = await site.signInByCode(me.email);
    const { accessToken, refreshToken } = await issueTokens(site, me);
    const { key } = (await site.post('/api-keys', { name: 'mine', scopes: ['read'] }, me)).json;
    const admin = await site.signInByCode();
    const acting = await site.service.sessionsProvider.impersonate(admin.user.id, me.user.id);
    const unlisted = site.service.createSessionToken(me.user.id).token;
    const others = [accessToken, acting.token, unlisted].map((token) => `svc_session=${token}`);
    const tokens = [me.cookie, elsewhere.cookie, ...others];
    for (const cookie of tokens) expect(await isSignedIn(site, cookie)).toBe(true);
    expect((await site.send('DELETE', '/account', undefined, me)).cookies).toMatchObject([{ value: '' }]);
    const expectAllRejected = async () => {
      for (const cookie of tokens) {
        expect(await isSignedIn(site, cookie)).toBe(false);
        expect((await getInApp(site, 'required', { cookie })).status).toBe(401);
      }
      expect((await site.post('/token/refresh', { refreshToken })).status).toBe(401);
      await expect(site.service.apiKeys.verify(key)).rejects.toMatchObject({ code: 'api_key_invalid' });
    };
    await expectAllRejected();
    const next = await site.signInByCode(me.email);
    expect(next.user.id).not.toBe(me.user.id);
    await expectAllRejected();
  });

  //
  it('lists and revokes only the caller’s own sessions', async () => {
    const site = await open();
    const me = await site.signInByCode();
    const second = await site.signInByCode(me.email);
    const victim = await site.signInByCode();
    const victimId = readToken(victim.cookie)['sid'] as string;
    const { devices } = (await site.get('/devices', me)).json as {
      devices: { id: string; current: boolean }[];
    };
    const listed = devices.map(({ id, current }) => [id, current]);
    expect(listed.sort()).toEqual(
      [
        [readToken(me.cookie)['sid'], true],
        [readToken(second.cookie)['sid'], false],
      ].sort(),
    );
    await site.send('DELETE', `/devices/${victimId}`, undefined, me);
    expect(await isSignedIn(site, victim.cookie)).toBe(true);
    await site.send('DELETE', `/devices/${String(readToken(second.cookie)['sid'])}`, undefined, me);
    expect([await isSignedIn(site, second.cookie), await isSignedIn(site, me.cookie)]).toEqual([false, true]);
  });

  //
  it('revokes all other sessions with revoke-others, and every token, stateless ones included, with revokeAll', async () => {
    const site = await open();
    const me = await site.signInByCode();
    const second = await site.signInByCode(me.email);
    const family = await issueTokens(site, me);
    expect((await site.post('/devices/revoke-others', undefined, me)).status).toBe(200);
    expect([await isSignedIn(site, me.cookie), await isSignedIn(site, second.cookie)]).toEqual([true, false]);
    expect((await site.post('/token/refresh', family)).status).toBe(401);
    const unlisted = `svc_session=${site.service.createSessionToken(me.user.id).token}`;
    const { refreshToken } = await issueTokens(site, me);
    const admin = await site.signInByCode();
    const acting = await site.service.sessionsProvider.impersonate(admin.user.id, me.user.id);
    expect(await isSignedIn(site, unlisted)).toBe(true);
    await site.service.sessionsProvider.revokeAll(me.user.id);
    for (const cookie of [me.cookie, unlisted, `svc_session=${acting.token}`]) {
      expect(await isSignedIn(site, cookie)).toBe(false);
    }
    expect((await site.post('/token/refresh', { refreshToken })).status).toBe(401);
    expect(await isSignedIn(site, admin.cookie)).toBe(true);
  });

  //
  it('ends a session after seven idle days, extends it on use, and never past 30 days from sign-in', async () => {
    const site = await open();
    const idle = await site.signInByCode();
    const { iat, exp } = readToken(idle.cookie) as { iat: number; exp: number };
    expect(exp - iat).toBe(604_800);
    const used = await site.signInByCode();
    let { cookie } = used;
    for (let age = 0; age < 30; age += 1) {
      expect([age, await isSignedIn(site, idle.cookie)]).toEqual([age, age < 7]);
      const response = await site.get('/session', { cookie });
      expect([age, response.status]).toEqual([age, 200]);
      if (response.cookies.length > 0) cookie = response.cookie();
      site.clock.advance(day);
    }
    expect(await isSignedIn(site, cookie)).toBe(false);
    const end = readToken(cookie)['exp'] as number;
    expect(end).toBeLessThanOrEqual((readToken(used.cookie)['iat'] as number) + 30 * 24 * 3600 + 1);
  });

  //
  it('allows any number of independent sessions per user', async () => {
    const site = await open();
    const { email, password, cookie } = await site.signUp();
    const logins = await Promise.all(
      Array.from({ length: 12 }, () => site.post('/password/login', { email, password })),
    );
    const cookies = [cookie, ...logins.map((response) => response.cookie())];
    expect(new Set(cookies.map((each) => readToken(each)['sid'])).size).toBe(13);
    await site.post('/logout', undefined, { cookie: cookies[5]! });
    const alive = await Promise.all(cookies.map((each) => isSignedIn(site, each)));
    expect(alive).toEqual(cookies.map((_, i) => i !== 5));
    expect((await site.get('/devices', { cookie })).json.devices).toHaveLength(12);
  });
});
