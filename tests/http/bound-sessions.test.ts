/** `session.bound`: the life of a session that is bound to a key of its browser. */
import { memoryAdapter, optionalSession, requireSession, startSession, verifyToken } from 'svc-auth';
import { testClock } from 'svc-auth/testing';
import { bind, challengeOf, offerOf, refresh, sendRefresh, type BoundJar } from '../support/bound-browser.js';
import { boundSites, graceMs, sessionStatus, setsSession, signIn, ttlMs } from '../support/bound-site.js';
import type { HttpResponse } from '../support/http-client.js';
import { validPassword, type Site, type SiteOptions } from '../support/http-site.js';
import { testSecret } from '../support/make-service.js';
import { errorOf } from '../support/outcomes.js';

const { newSite, closeSites } = boundSites();
afterEach(closeSites);

const day = 24 * 60 * 60_000;

/** The `Max-Age` of the session cookie, in milliseconds. */
const lifetimeOf = ({ response: { cookies } }: Pick<BoundJar, 'response'>) =>
  Number(cookies.find(({ name }) => name === 'svc_session')?.attributes['max-age']) * 1000;

const tokenOf = ({ cookies }: Pick<HttpResponse, 'cookies'>) =>
  cookies.find(({ name }) => name === 'svc_session')!.value;

describe('a session that is bound to its browser', () => {
  it.each(['ES256', 'RS256'] as const)(
    'lasts as long as the browser proves its %s key',
    async (algorithm) => {
      const site = await newSite();
      const { response } = await signIn(site);
      const jar = await bind(site, response, algorithm);
      expect(jar.response.status).toBe(200);
      expect(jar.response.json).toEqual({
        session_identifier: jar.id,
        refresh_url: '/api/auth/session/bound/refresh',
        scope: {
          include_site: false,
          scope_specification: [{ type: 'exclude', domain: '*', path: '/api/auth/session/bound' }],
        },
        allowed_refresh_initiators: ['*'],
        credentials: [
          { type: 'cookie', name: 'svc_session', attributes: 'Path=/; Secure; HttpOnly; SameSite=Lax' },
        ],
      });
      let { cookie } = jar;
      for (let round = 0; round < 4; round += 1) {
        expect(await sessionStatus(site, cookie)).toBe(200);
        site.clock.advance(ttlMs);
        expect(await sessionStatus(site, cookie)).toBe(401);
        const refreshed = await refresh(site, jar);
        expect(refreshed.status).toBe(200);
        cookie = refreshed.cookie();
      }
      expect(await sessionStatus(site, cookie)).toBe(200);
    },
  );

  it('has a cookie that the browser replaces before its token expires', async () => {
    const site = await newSite();
    const { response } = await signIn(site);
    const jar = await bind(site, response);
    expect(lifetimeOf(jar)).toBe(ttlMs - 30_000);
    site.clock.advance(ttlMs - 1_000);
    expect(await sessionStatus(site, jar.cookie)).toBe(200);
  });

  it('is renewed by its refreshes and ends after the maximum age', async () => {
    const site = await newSite({ service: { session: { ttlMs: 2 * day, maxAgeMs: 5 * day } } });
    const { response } = await signIn(site);
    const jar = await bind(site, response);
    for (let passed = 0; passed < 4; passed += 1) {
      site.clock.advance(day);
      expect((await refresh(site, jar)).status).toBe(200);
    }
    site.clock.advance(day);
    expect((await refresh(site, jar)).status).toBe(401);
  });

  it('ends if it is not used', async () => {
    const site = await newSite({ service: { session: { ttlMs: 2 * day } } });
    const { response } = await signIn(site);
    const jar = await bind(site, response);
    site.clock.advance(2 * day);
    expect((await refresh(site, jar)).status).toBe(401);
  });

  it('keeps the second factor of its sign-in', async () => {
    const site = await newSite({
      before: (app, { service }) => void app.get('/app', requireSession(service, { mfa: true })),
    });
    const { userId, response } = await signIn(site);
    const jar = await bind(site, response);
    expect((await site.get('/app', { cookie: jar.cookie })).json).toMatchObject({ error: 'mfa_required' });
    const { key } = (await site.adapter.sessionBindings?.find(jar.id))!.binding;
    expect(key).toMatchObject({ twoFactors: false, remember: true });
    expect(userId).toBeDefined();
  });

  it('ends when the browser closes after a sign-in that is not remembered', async () => {
    const site = await newSite();
    const { response } = await signIn(site, { remember: false });
    const jar = await bind(site, response);
    const marker = jar.response.cookies.find(({ name }) => name === '__Host-svc_bound');
    expect(marker?.attributes).not.toHaveProperty('max-age');
    expect(setsSession(await refresh(site, jar))).toBe(true);
    const reopened = await refresh(site, jar, { cookie: 'other=1' });
    expect(reopened.status).toBe(401);
    expect(setsSession(reopened)).toBe(false);
  });

  it('succeeds in every tab that refreshes at the same time', async () => {
    const site = await newSite();
    const { response } = await signIn(site);
    const jar = await bind(site, response);
    site.clock.advance(ttlMs);
    const refreshed = await Promise.all(Array.from({ length: 10 }, () => refresh(site, jar)));
    for (const each of refreshed) expect(await sessionStatus(site, each.cookie())).toBe(200);
  });

  it('is the same in every process', async () => {
    const [adapter, clock] = [memoryAdapter(), testClock()];
    const [first, second] = [
      await newSite({ service: { clock } }, adapter),
      await newSite({ service: { clock } }, adapter),
    ];
    const { cookie, response } = await signIn(first);
    const jar = await bind(second, response);
    const challenge = challengeOf(await sendRefresh(first, jar.id));
    const proof = await jar.key.prove(challenge);
    const refreshed = await sendRefresh(second, jar.id, proof);
    expect(await sessionStatus(first, refreshed.cookie())).toBe(200);
    expect((await sendRefresh(first, jar.id, proof)).status).toBe(403);
    clock.advance(graceMs);
    expect(await sessionStatus(first, cookie)).toBe(401);
  });

  it('is offered behind a proxy with TLS', async () => {
    const site = await newSite({ trustProxy: true, service: { session: { cookie: { secure: 'auto' } } } });
    const headers = { 'X-Forwarded-Proto': 'https' };
    const email = site.uniqueEmail();
    const response = await site.post('/password/signup', { email, password: validPassword }, { headers });
    const offer = offerOf(response);
    expect(offer?.path).toBe('/api/auth/session/bound');
  });

  it('ends with a sign-out, and the browser learns it at its next refresh', async () => {
    const site = await newSite();
    const { response } = await signIn(site);
    const jar = await bind(site, response);
    await site.post('/logout', {}, { cookie: jar.cookie });
    const refused = await refresh(site, jar);
    expect(refused.status).toBe(401);
    expect(refused.cookies).toEqual([]);
  });

  it('does not touch the cookie of a newer session when an ended one is refreshed', async () => {
    const site = await newSite();
    const { email, response } = await signIn(site);
    const jar = await bind(site, response);
    const again = await site.post(
      '/password/login',
      { email, password: validPassword },
      { cookie: jar.cookie },
    );
    expect(offerOf(again)).toBeDefined();
    const refused = await refresh(site, jar, { cookie: again.cookie() });
    expect(refused).toMatchObject({ status: 401, cookies: [] });
    expect(await sessionStatus(site, again.cookie())).toBe(200);
  });

  it('stays bound to the same key when a change of the account replaces it', async () => {
    const site = await newSite({ pro: true, service: { providers: { account: true } } });
    const { response } = await signIn(site);
    const jar = await bind(site, response);
    const passwords = { currentPassword: validPassword, newPassword: 'another horse battery' };
    const changed = await site.post('/account/password', passwords, { cookie: jar.cookie });
    expect(changed.status).toBe(200);
    expect(offerOf(changed)).toBeUndefined();
    expect(await sessionStatus(site, changed.cookie())).toBe(200);
    site.clock.advance(ttlMs);
    expect(await sessionStatus(site, changed.cookie())).toBe(401);
    const refreshed = await refresh(site, jar);
    expect(refreshed.json).toMatchObject({ session_identifier: jar.id });
    expect(await sessionStatus(site, refreshed.cookie())).toBe(200);
  });

  it('is listed as bound among the devices', async () => {
    const site = await newSite({ pro: true, service: { providers: { sessions: true } } });
    const { email, response } = await signIn(site);
    const { cookie } = await bind(site, response);
    await site.post('/password/login', { email, password: validPassword });
    const { devices } = (await site.get('/devices/all', { cookie })).json as {
      devices: { bound: boolean; current: boolean }[];
    };
    expect(devices.filter(({ bound }) => bound)).toMatchObject([{ current: true }]);
  });
});

describe('a request of a bound session', () => {
  async function siteWithGuards(options: SiteOptions = {}): Promise<Site> {
    return newSite({
      ...options,
      before(app, { service }) {
        app.get('/app/any', requireSession(service), (req, res) => void res.json(req.svcAuth?.bound));
        app.get('/app/optional', optionalSession(service), (req, res) => void res.json(req.svcAuth?.bound));
        app.get('/app/stateless', requireSession(service, { stateless: true }), (req, res) => {
          res.json(req.svcAuth?.bound);
        });
        for (const stateless of [false, true])
          app.get(
            `/app/bound-${stateless}`,
            requireSession(service, { bound: true, stateless }),
            (req, res) => {
              res.json(req.svcAuth?.bound);
            },
          );
        app.post('/app/sign-in/:id', (req, res, next) => {
          startSession(service, req, res, req.params.id).then(() => res.json({}), next);
        });
      },
    });
  }
  const get = (site: Site, path: string, cookie: string) => site.get(path, { cookie, skipChecks: true });

  it('is known to the application', async () => {
    const site = await siteWithGuards();
    const { cookie, response } = await signIn(site);
    for (const path of ['/app/any', '/app/optional'])
      expect((await get(site, path, cookie)).json).toBe(false);
    const jar = await bind(site, response);
    for (const path of ['/app/any', '/app/optional', '/app/bound-false', '/app/bound-true'])
      expect((await get(site, path, jar.cookie)).json).toBe(true);
  });

  it('passes a guard that other sessions do not pass', async () => {
    const site = await siteWithGuards();
    const { cookie, response } = await signIn(site);
    for (const path of ['/app/bound-false', '/app/bound-true']) {
      const refused = await get(site, path, cookie);
      expect(refused).toMatchObject({ status: 403, json: { error: 'bound_session_required' } });
    }
    await bind(site, response);
    // Within moments of the registration, the earlier cookie is accepted, but it is not a proof.
    expect((await get(site, '/app/bound-false', cookie)).status).toBe(403);
  });

  it('is taken for one of an ordinary session where no database is read, until the token from before the binding expires', async () => {
    // The standalone function has no clock but that of the machine.
    const site = await siteWithGuards({ service: { clock: testClock(Date.now()) } });
    const { service } = site;
    const { cookie, response } = await signIn(site);
    const token = tokenOf(response);
    const jar = await bind(site, response);
    site.clock.advance(graceMs);
    expect((await get(site, '/app/any', cookie)).status).toBe(401);
    await expect(service.getSessionUser(token)).rejects.toMatchObject({ code: 'token_invalid' });
    expect((await get(site, '/app/stateless', cookie)).json).toBe(false);
    expect((await get(site, '/app/bound-true', cookie)).status).toBe(403);
    for (const verify of [
      (given: string) => service.verifyToken(given),
      (given: string) => verifyToken(given, testSecret),
    ]) {
      const { sid } = verify(token);
      expect(verify(token)).not.toHaveProperty('bound');
      expect(verify(tokenOf(jar.response))).toMatchObject({ sid, bound: true });
    }
    site.clock.advance(7 * day);
    expect(await errorOf(() => service.verifyToken(token))).toMatchObject({ code: 'token_invalid' });
    expect((await get(site, '/app/stateless', cookie)).status).toBe(401);
  });

  it('can come from a session that the application has started', async () => {
    const site = await siteWithGuards();
    const { userId } = await signIn(site);
    const response = await site.send('POST', `/app/sign-in/${userId}`, undefined, { skipChecks: true });
    const jar = await bind(site, response);
    expect((await get(site, '/app/bound-false', jar.cookie)).json).toBe(true);
  });
});

describe('a client that does not bind sessions', () => {
  it('keeps an ordinary session, which is renewed and not offered to a browser again: a copy of the cookie could bind it', async () => {
    const site = await newSite();
    const { cookie } = await signIn(site);
    site.clock.advance(day);
    const renewed = await site.get('/session', { cookie });
    expect(offerOf(renewed)).toBeUndefined();
    expect(await sessionStatus(site, renewed.cookie())).toBe(200);
  });

  it('gets no offer if it has no cookies', async () => {
    const site = await newSite({ service: { session: { bearer: true } } });
    const email = site.uniqueEmail();
    const headers = { 'svc-session': 'bearer' };
    const response = await site.post('/password/signup', { email, password: validPassword }, { headers });
    expect(response.json).toHaveProperty('bearer');
    expect(offerOf(response)).toBeUndefined();
  });

  it('gets no offer without the option, and the endpoints do not exist', async () => {
    const site = await newSite({ service: { session: { bound: false } } });
    const { response } = await signIn(site);
    expect(offerOf(response)).toBeUndefined();
    expect((await sendRefresh(site, response.json.user.id)).status).toBe(404);
  });

  it('gets no offer from a sign-out', async () => {
    const site = await newSite();
    const { cookie } = await signIn(site);
    site.clock.advance(day);
    expect(offerOf(await site.post('/logout', {}, { cookie }))).toBeUndefined();
  });
});

// Larger differences are corrected by the clock of the database (tests/pro/clock-skew.test.ts).
describe('two processes whose clocks differ', () => {
  it.each([4_000, -4_000])('by %d ms refresh and accept the same session', async (aheadMs) => {
    const adapter = memoryAdapter();
    const clock = testClock();
    const skewed = { ...clock, now: () => clock.now() + aheadMs };
    const [right, wrong] = [
      await newSite({ service: { clock } }, adapter),
      await newSite({ service: { clock: skewed } }, adapter),
    ];
    for (const [first, second] of [
      [right, wrong],
      [wrong, right],
    ] as const) {
      const jar = await bind(second, (await signIn(first)).response);
      for (const site of [first, second]) expect(await sessionStatus(site, jar.cookie)).toBe(200);
      clock.advance(ttlMs + Math.abs(aheadMs));
      const challenge = challengeOf(await sendRefresh(first, jar.id));
      const refreshed = await sendRefresh(second, jar.id, await jar.key.prove(challenge));
      for (const site of [first, second]) expect(await sessionStatus(site, refreshed.cookie())).toBe(200);
    }
  });
});
