/** Requests that carry a bearer token and a cookie: the bearer token decides. */
import type { Express } from 'express';
import { optionalSession, requireSession } from 'svc-auth';
import type { OpenSite } from '../matrix.js';
import type { Site } from '../../support/http-site.js';
import { proProviders } from '../../support/make-pro-service.js';
import type { TestService } from '../../support/make-service.js';
import { expectError } from './expect.js';

function pages(app: Express, { service }: TestService): void {
  app.get('/app/me', requireSession(service), (req, res) => void res.json({ id: req.user?.id }));
  app.get('/app/maybe', optionalSession(service), (req, res) => void res.json({ id: req.user?.id ?? null }));
  app.get('/app/stateless', requireSession(service, { stateless: true }), (req, res) => {
    res.json({ id: req.svcAuth?.claims.sub });
  });
}

const tokenOf = (cookie: string) => cookie.slice('svc_session='.length);
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

async function endedToken(site: Site): Promise<string> {
  const { cookie } = await site.signUp();
  await site.post('/logout', undefined, { cookie });
  return tokenOf(cookie);
}

export function bearerTokens(open: OpenSite): void {
  const openPages = () =>
    open({
      before: pages,
      pro: true,
      service: { providers: { ...proProviders, sessions: { canImpersonate: () => true } } },
    });

  describe('requests with a bearer token and a cookie', () => {
    it('a request with a bearer token and a cookie is authenticated by the token, in every guard and on every route', async () => {
      const site = await openPages();
      const [admin, member] = [await site.signUp(), await site.signInByCode()];
      const { token } = await site.service.sessionsProvider.impersonate(admin.user.id, member.user.id);
      for (const presented of [token, tokenOf(member.cookie)]) {
        const options = { cookie: admin.cookie, headers: bearer(presented) };
        for (const page of ['/app/me', '/app/maybe', '/app/stateless']) {
          expect((await site.send('GET', page, undefined, options)).json).toEqual({ id: member.user.id });
        }
        expect((await site.get('/session', options)).json.user.id).toBe(member.user.id);
        expect((await site.get('/account', options)).json.user.id).toBe(member.user.id);
      }
    });

    it('a request with a bearer token of an impersonation has its restrictions, even if the cookie has none', async () => {
      const site = await openPages();
      const [admin, member] = [await site.signUp(), await site.signInByCode()];
      const { token } = await site.service.sessionsProvider.impersonate(admin.user.id, member.user.id);
      const options = { cookie: admin.cookie, headers: bearer(token) };
      expectError(await site.send('DELETE', '/account', undefined, options), 403, 'not_authorized');
      for (const { cookie } of [admin, member]) {
        expect((await site.get('/session', { cookie })).status).toBe(200);
      }
    });

    it('a request with an invalid bearer token returns 401, even if the cookie is valid', async () => {
      const site = await openPages();
      const { cookie } = await site.signUp();
      const ended = `Bearer ${await endedToken(site)}`;
      for (const Authorization of [ended, 'Bearer nonsense', 'Bearer', 'bearer ', 'Bearer a b']) {
        const options = { cookie, headers: { Authorization } };
        // A stateless guard does not see that a session has ended.
        for (const page of ['/app/me', ...(Authorization === ended ? [] : ['/app/stateless'])]) {
          expectError(await site.send('GET', page, undefined, options), 401, 'token_invalid');
        }
        expect((await site.send('GET', '/app/maybe', undefined, options)).json).toEqual({ id: null });
        expectError(await site.get('/session', options), 401, 'token_invalid');
        expectError(await site.get('/devices', options), 401, 'token_invalid');
        expectError(await site.post('/devices/revoke-others', undefined, options), 401, 'token_invalid');
      }
      expect((await site.get('/session', { cookie })).status).toBe(200);
    });

    it('a request is authenticated by the cookie if the Authorization header has another scheme', async () => {
      const site = await openPages();
      const { cookie, user } = await site.signUp();
      for (const Authorization of ['Basic YTpi', 'Digest x', 'Bearerx y']) {
        const options = { cookie, headers: { Authorization } };
        expect((await site.get('/session', options)).json.user.id).toBe(user.id);
      }
    });

    it('a request with a bearer token renews no cookie, because the cookie is not read', async () => {
      const site = await openPages();
      const [first, second] = [await site.signUp(), await site.signUp()];
      site.clock.advance(2 * 24 * 60 * 60 * 1000);
      const options = { cookie: first.cookie, headers: bearer(tokenOf(second.cookie)) };
      expect((await site.get('/session', options)).cookies).toEqual([]);
    });

    it('POST /logout with a bearer token and a cookie ends both sessions', async () => {
      const site = await openPages();
      const [first, second] = [await site.signUp(), await site.signUp()];
      const headers = bearer(tokenOf(second.cookie));
      const response = await site.post('/logout', undefined, { cookie: first.cookie, headers });
      expect(response.cookies).toMatchObject([{ name: 'svc_session', value: '' }]);
      for (const { cookie } of [first, second]) {
        expectError(await site.get('/session', { cookie }), 401, 'token_invalid');
      }
    });

    it('a request with a bearer token from a page of another site is refused', async () => {
      const site = await openPages();
      const { cookie } = await site.signUp();
      const headers = { ...bearer(tokenOf(cookie)), Origin: 'https://evil.test' };
      expectError(await site.post('/devices/revoke-others', undefined, { headers }), 403, 'not_authorized');
    });
  });
}
