/** A page that shows one user while the browser is signed in as another. */
import type { Express } from 'express';
import { optionalSession, requireSession } from 'svc-auth';
import { AuthClientError, createClient } from 'svc-auth/client';
import { everyRoute } from '../../support/every-route.js';
import { basePath, validPassword, type Site } from '../../support/http-site.js';
import { proProviders } from '../../support/make-pro-service.js';
import type { TestService } from '../../support/make-service.js';
import type { OpenSite } from '../matrix.js';
import { expectError } from './expect.js';

function pages(app: Express, { service }: TestService): void {
  for (const method of ['get', 'post', 'delete'] as const) {
    app[method]('/app/me', requireSession(service), (req, res) => void res.json({ id: req.user?.id }));
    app[method]('/app/maybe', optionalSession(service), (req, res) => {
      res.json({ id: req.user?.id ?? null });
    });
    app[method]('/app/stateless', requireSession(service, { stateless: true }), (req, res) => {
      res.json({ id: req.svcAuth?.claims.sub });
    });
  }
}

/** Two tabs are two clients with one cookie jar. */
function browser(site: Site) {
  const jar = new Map<string, string>();
  const sentHeaders: Record<string, string>[] = [];
  return {
    sent: sentHeaders,
    tab: () =>
      createClient({
        baseUrl: site.origin + basePath,
        async fetch(url, init) {
          sentHeaders.push(init.headers);
          const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
          const response = await fetch(url, { ...init, headers: { ...init.headers, cookie } });
          for (const line of response.headers.getSetCookie()) {
            const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
            jar.set(name, value);
          }
          return response;
        },
      }),
  };
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'success',
    (error: unknown) => (error instanceof AuthClientError ? `${error.status} ${error.code}` : error),
  );

export function staleTabs(open: OpenSite): void {
  const openPro = () => open({ pro: true, service: { providers: proProviders }, before: pages });

  describe('a stale tab', () => {
    it('a stale tab does not delete the account that another tab signed in to', async () => {
      const site = await openPro();
      const [ada, bob] = [site.uniqueEmail(), site.uniqueEmail()];
      const { tab } = browser(site);
      const [first, second] = [tab(), tab()];
      const { user } = await first.password.signup({ email: ada, password: validPassword });
      await second.password.signup({ email: bob, password: validPassword });
      expect(await codeOf(first.account.remove())).toBe('409 session_changed');
      expect(await codeOf(first.devices.revokeOthers())).toBe('409 session_changed');
      expect((await second.session()).user?.email).toBe(bob);
      // A read is not refused; it returns the user of the session, and the page can make changes
      // again.
      expect((await first.session()).user?.email).toBe(bob);
      expect(await codeOf(first.account.remove())).toBe('success');
      await second.password.login({ email: ada, password: validPassword });
      expect((await second.session()).user?.id).toBe(user!.id);
    });

    it('a tab acts for the signed-in user after a reload, which creates a new client', async () => {
      const site = await openPro();
      const { tab } = browser(site);
      await tab().password.signup({ email: site.uniqueEmail(), password: validPassword });
      const reloaded = tab();
      expect(await codeOf(reloaded.devices.revokeOthers())).toBe('success');
      await reloaded.session();
      expect(await codeOf(reloaded.devices.revokeOthers())).toBe('success');
    });

    it('a stale tab can sign in, and can sign out once it shows the signed-in user', async () => {
      const site = await openPro();
      const { tab } = browser(site);
      const [first, second] = [tab(), tab()];
      const ada = { email: site.uniqueEmail(), password: validPassword };
      await first.password.signup(ada);
      await second.password.signup({ email: site.uniqueEmail(), password: validPassword });
      expect(await codeOf(first.guest.create())).toBe('success');
      expect((await first.password.login(ada)).user.email).toBe(ada.email);
      expect(await codeOf(first.devices.revokeOthers())).toBe('success');
      expect(await codeOf(second.devices.revokeOthers())).toBe('409 session_changed');
      expect(await codeOf(second.logout())).toBe('409 session_changed');
      await second.session();
      expect(await codeOf(second.logout())).toBe('success');
      expect(await second.session()).toEqual({ user: null });
    });

    it('every route that changes something for a signed-in user returns 409 session_changed to a stale tab, before it reads the body', async () => {
      const site = await openPro();
      const [shown, signedIn] = [await site.signUp(), await site.signUp()];
      const options = { cookie: signedIn.cookie, headers: { 'svc-user': shown.user.id as string } };
      const changing = everyRoute.filter(({ method, access }) => method !== 'GET' && access !== 'open');
      expect(changing.length).toBeGreaterThan(20);
      for (const { name, method, path } of changing) {
        const response = await site.send(method, path, 'not JSON', options);
        // A method that is not configured is missing for every caller.
        if (response.status === 501) continue;
        expect([name, response.status, response.json.error]).toEqual([name, 409, 'session_changed']);
      }
      for (const { cookie } of [shown, signedIn]) {
        expect((await site.get('/session', { cookie })).status).toBe(200);
      }
      // The same requests succeed without the header and with the id of the signed-in user.
      const own = { 'svc-user': signedIn.user.id as string };
      for (const headers of [undefined, own]) {
        const response = await site.post('/devices/revoke-others', undefined, {
          cookie: signedIn.cookie,
          headers,
        });
        expect(response.status).toBe(200);
      }
    });

    it('POST /logout returns 409 session_changed to a stale tab and ends no session', async () => {
      const site = await openPro();
      const [shown, signedIn] = [await site.signUp(), await site.signUp()];
      const options = { cookie: signedIn.cookie, headers: { 'svc-user': shown.user.id as string } };
      const refused = await site.post('/logout', undefined, options);
      expectError(refused, 409, 'session_changed');
      expect(refused.cookies).toEqual([]);
      expect((await site.get('/session', { cookie: signedIn.cookie })).status).toBe(200);
    });

    it('POST /password/signup returns 409 session_changed to a stale tab, creates no account and ends no session', async () => {
      const site = await openPro();
      const [shown, signedIn] = [await site.signUp(), await site.signUp()];
      const headers = { 'svc-user': shown.user.id as string };
      const options = { cookie: signedIn.cookie, headers };
      const email = site.uniqueEmail();
      // Before the body is read, as on every route that acts for the signed-in user.
      for (const body of ['not JSON', { email, password: validPassword }]) {
        const refused = await site.send('POST', '/password/signup', body, options);
        expectError(refused, 409, 'session_changed');
        expect(refused.cookies).toEqual([]);
      }
      expect(await site.adapter.users.findByEmail(email)).toBeNull();
      expect((await site.get('/session', { cookie: signedIn.cookie })).status).toBe(200);
    });

    it('a stale tab can sign up if the browser has no session, or a session of the user whom the page shows', async () => {
      const site = await openPro();
      const [shown, ended] = [await site.signUp(), await site.signUp()];
      await site.post('/logout', undefined, { cookie: ended.cookie });
      const headers = { 'svc-user': shown.user.id as string };
      for (const cookie of [undefined, 'svc_session=malformed', ended.cookie, shown.cookie]) {
        const body = { email: site.uniqueEmail(), password: validPassword };
        expect((await site.post('/password/signup', body, { cookie, headers })).status).toBe(200);
      }
    });

    it('the guards of other routes return 409 session_changed to a stale tab unless the request is a GET', async () => {
      const site = await openPro();
      const [shown, signedIn] = [await site.signUp(), await site.signUp()];
      const options = { cookie: signedIn.cookie, headers: { 'svc-user': shown.user.id as string } };
      const id = signedIn.user.id as string;
      for (const page of ['/app/me', '/app/maybe', '/app/stateless']) {
        expect((await site.send('GET', page, undefined, options)).json).toEqual({ id });
      }
      for (const method of ['POST', 'DELETE']) {
        for (const page of ['/app/me', '/app/stateless']) {
          expectError(await site.send(method, page, undefined, options), 409, 'session_changed');
        }
        // This guard refuses no request, so it omits the user.
        expect((await site.send(method, '/app/maybe', undefined, options)).json).toEqual({ id: null });
      }
      for (const user of ['', ' ', id.toUpperCase(), `${id},${id}`]) {
        const response = await site.send('POST', '/app/me', undefined, {
          ...options,
          headers: { 'svc-user': user },
        });
        expectError(response, 409, 'session_changed');
      }
    });

    //
    it('POST /logout compares the user with the session that is valid, not with a cookie of one that has ended', async () => {
      const site = await openPro();
      const [gone, shown] = [await site.signUp(), await site.signUp()];
      await site.post('/logout', undefined, { cookie: gone.cookie });
      const cookie = `${gone.cookie}; ${shown.cookie}`;
      const asUser = ({ user }: typeof shown) => ({ cookie, headers: { 'svc-user': user.id as string } });
      expectError(await site.post('/logout', undefined, asUser(gone)), 409, 'session_changed');
      expect((await site.get('/session', { cookie: shown.cookie })).status).toBe(200);
      expect((await site.post('/logout', undefined, asUser(shown))).status).toBe(200);
      expect((await site.get('/session', { cookie: shown.cookie })).status).toBe(401);
    });

    it('the client sends its user with requests that change something, and not with a GET', async () => {
      const site = await openPro();
      const { tab, sent } = browser(site);
      const client = tab();
      const { user } = await client.password.signup({ email: site.uniqueEmail(), password: validPassword });
      await client.session();
      await client.devices.revokeOthers();
      expect(sent.map((headers) => headers['svc-user'])).toEqual([undefined, undefined, user!.id]);
    });
  });
}
