/** `session.bound` with what stands around it: what a copied cookie can still get, caches of sessions, and the faster server. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type Request } from 'express';
import { createAuthRouter, requireSession } from 'svc-auth';
import { createPages } from 'svc-auth/pages';
import { expressServer } from 'svc-auth/server';
import { testClock } from 'svc-auth/testing';
import { newKey, proofsOf } from '../oauth-server/proofs.js';
import { bind, refresh } from '../support/bound-browser.js';
import { boundSites, sessionStatus, signIn, ttlMs } from '../support/bound-site.js';
import { encryptionKey } from '../support/every-provider.js';
import { openSite, validPassword, type Site } from '../support/http-site.js';
import { license } from '../support/make-pro-service.js';

const { newSite, closeSites } = boundSites();
afterEach(closeSites);

describe('a copied cookie of a bound session', () => {
  async function scene() {
    const site = await newSite({
      pro: true,
      service: {
        ...license,
        encryptionKey,
        providers: { refresh: true, sessions: { canImpersonate: () => true } },
      },
      before(app, { service }) {
        app.post(
          '/app/impersonate/:id',
          requireSession(service),
          (req: Request<{ id: string }>, res, next) => {
            service.sessionsProvider
              .impersonate(req.user!.id, req.params.id)
              .then(({ token }) => res.json({ token }), next);
          },
        );
      },
    });
    const target = await signIn(site);
    const owner = await signIn(site);
    return { site, target, jar: await bind(site, owner.response) };
  }

  it('gets tokens and impersonations while it lasts, and none afterwards', async () => {
    const { site, target, jar } = await scene();
    const attempt = async () => {
      const options = { cookie: jar.cookie, skipChecks: true };
      const tokens = await site.post('/token/issue', {}, options);
      const acting = await site.send('POST', `/app/impersonate/${target.userId}`, {}, options);
      return [tokens.status, acting.status];
    };
    expect(await attempt()).toEqual([200, 200]);
    site.clock.advance(ttlMs);
    expect(await attempt()).toEqual([401, 401]);
    expect((await refresh(site, jar)).status).toBe(200);
  });
});

describe('a browser that has lost its key', () => {
  it('reads on the page that its session has ended, and continues after one sign-in', async () => {
    const site = await newSite({ after: (app, { service }) => void app.use(createPages(service)) });
    const { email, response } = await signIn(site);
    const jar = await bind(site, response);
    const marker = jar.response.cookie('__Host-svc_bound');
    site.clock.advance(ttlMs);
    const visit = async (cookie: string) => {
      const page = await fetch(`${site.origin}/account/profile`, { redirect: 'manual', headers: { cookie } });
      return page.headers.get('location');
    };
    // The browser has removed the cookie of the session, and cannot replace it.
    expect(await visit(marker)).toMatch(/^\/sign-in\?.*notice=session_ended/);
    expect(await visit('other=1')).not.toContain('session_ended');
    const body = { email, password: validPassword };
    const again = await site.post('/password/login', body, { cookie: marker });
    expect(await sessionStatus(site, again.cookie())).toBe(200);
    // With another key.
    expect((await bind(site, again)).response.status).toBe(200);
  });
});

describe('`POST /token/issue` of a session with DPoP', () => {
  it('is refused, with a proof too: it would give tokens that need none', async () => {
    const site = await openSite(express, undefined, {
      pro: true,
      service: { ...license, session: { bearer: true }, providers: { refresh: true } },
    });
    const proofFor = proofsOf(() => ({ test: site }));
    const key = newKey();
    const urlOf = (path: string) => `${site.origin}/api/auth${path}`;
    const asking = { 'svc-session': 'bearer', dpop: proofFor(key, 'POST', urlOf('/password/signup')) };
    const body = { email: site.uniqueEmail(), password: validPassword };
    const { json } = await site.post('/password/signup', body, { headers: asking });
    const { accessToken } = json.bearer as { accessToken: string };
    const headers = { authorization: `DPoP ${accessToken}` };
    expect((await site.post('/token/issue', {}, { headers })).status).toBe(401);
    const dpop = proofFor(key, 'POST', urlOf('/token/issue'), accessToken);
    const issued = await site.post('/token/issue', {}, { headers: { ...headers, dpop } });
    expect(issued).toMatchObject({
      status: 403,
      json: { error: 'not_authorized', diagnosis: 'access_token' },
    });
    await site.close();
  });
});

describe('a bound session', () => {
  it('ends its old cookie in every process with `session.cache`, and continues with a proof', async () => {
    const clock = testClock();
    const site: Site = await newSite({ service: { clock, session: { cache: {} } } });
    const { cookie, response } = await signIn(site);
    // Cached before it is bound.
    expect(await sessionStatus(site, cookie)).toBe(200);
    const jar = await bind(site, response);
    clock.advance(10_000);
    expect(await sessionStatus(site, cookie)).toBe(401);
    expect(await sessionStatus(site, jar.cookie)).toBe(200);
    clock.advance(ttlMs);
    expect(await sessionStatus(site, jar.cookie)).toBe(401);
    expect(await sessionStatus(site, (await refresh(site, jar)).cookie())).toBe(200);
  });

  it('has the same responses with `expressServer`', async () => {
    const site = await newSite();
    const { response } = await signIn(site);
    const jar = await bind(site, response);
    const app = express();
    app.use('/api/auth', createAuthRouter(site.service));
    const server = expressServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const send = (headers: Record<string, string>) =>
      fetch(`${origin}/api/auth/session/bound/refresh`, { method: 'POST', headers });
    const asked = await send({ 'sec-secure-session-id': jar.id });
    const [, challenge = ''] = /^"([^"]+)"/.exec(asked.headers.get('secure-session-challenge') ?? '') ?? [];
    const proof = await jar.key.prove(challenge);
    const refreshed = await send({
      'sec-secure-session-id': jar.id,
      'secure-session-response': proof,
      cookie: jar.response.cookie('__Host-svc_bound'),
    });
    expect([asked.status, refreshed.status]).toEqual([403, 200]);
    expect(refreshed.headers.getSetCookie().join()).toContain('svc_session=');
    server.close();
  });
});
