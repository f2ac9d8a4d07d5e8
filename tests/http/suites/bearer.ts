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

  describe('a request with a bearer token and a cookie', () => {
    it('is authenticated by the bearer token, behind every guard and on every route for signed-in users', async () => {
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

    it('does as an impersonation what an impersonation may do, whatever the cookie may do', async () => {
      const site = await openPages();
      const [admin, member] = [await site.signUp(), await site.signInByCode()];
      const { token } = await site.service.sessionsProvider.impersonate(admin.user.id, member.user.id);
      const options = { cookie: admin.cookie, headers: bearer(token) };
      expectError(await site.send('DELETE', '/account', undefined, options), 403, 'not_authorized');
      for (const { cookie } of [admin, member]) {
        expect((await site.get('/session', { cookie })).status).toBe(200);
      }
    });

    it('returns 401 if the bearer token is invalid, even if the cookie is valid', async () => {
      const site = await openPages();
      const { cookie } = await site.signUp();
      const ended = `Bearer ${await endedToken(site)}`;
      for (const Authorization of [ended, 'Bearer nonsense', 'Bearer', 'bearer ', 'Bearer a b']) {
        const options = { cookie, headers: { Authorization } };
        // A guard that asks no store does not see that a session has ended.
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

    it('is authenticated by the cookie if the Authorization header has another scheme', async () => {
      const site = await openPages();
      const { cookie, user } = await site.signUp();
      for (const Authorization of ['Basic YTpi', 'Digest x', 'Bearerx y']) {
        const options = { cookie, headers: { Authorization } };
        expect((await site.get('/session', options)).json.user.id).toBe(user.id);
      }
    });

    it('renews no cookie: the cookie is not looked at', async () => {
      const site = await openPages();
      const [one, two] = [await site.signUp(), await site.signUp()];
      site.clock.advance(2 * 24 * 60 * 60 * 1000);
      const options = { cookie: one.cookie, headers: bearer(tokenOf(two.cookie)) };
      expect((await site.get('/session', options)).cookies).toEqual([]);
    });

    it('ends both sessions by POST /logout: a user who signs out stays signed in nowhere', async () => {
      const site = await openPages();
      const [one, two] = [await site.signUp(), await site.signUp()];
      const headers = bearer(tokenOf(two.cookie));
      const answer = await site.post('/logout', undefined, { cookie: one.cookie, headers });
      expect(answer.cookies).toMatchObject([{ name: 'svc_session', value: '' }]);
      for (const { cookie } of [one, two]) {
        expectError(await site.get('/session', { cookie }), 401, 'token_invalid');
      }
    });

    it('is refused if a page of another site made it, like any other', async () => {
      const site = await openPages();
      const { cookie } = await site.signUp();
      const headers = { ...bearer(tokenOf(cookie)), Origin: 'https://evil.test' };
      expectError(await site.post('/devices/revoke-others', undefined, { headers }), 403, 'not_authorized');
    });
  });
}
