/** A page that shows one user while the browser is signed in as another. */
import type { Express } from 'express';
import { optionalSession, requireSession } from 'svc-auth';
import { AuthClientError, createClient } from 'svc-auth/client';
import { everyRoute } from '../../support/every-route.js';
import { base, goodPassword, type Site } from '../../support/http-site.js';
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
  const sent: Record<string, string>[] = [];
  return {
    sent,
    tab: () =>
      createClient({
        baseUrl: site.origin + base,
        async fetch(url, init) {
          sent.push(init.headers);
          const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
          const answer = await fetch(url, { ...init, headers: { ...init.headers, cookie } });
          for (const line of answer.headers.getSetCookie()) {
            const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
            jar.set(name, value);
          }
          return answer;
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
    it('does not delete the account that the other tab signed in to', async () => {
      const site = await openPro();
      const [ada, bob] = [site.address(), site.address()];
      const { tab } = browser(site);
      const [first, second] = [tab(), tab()];
      const { user } = await first.password.signup({ email: ada, password: goodPassword });
      await second.password.signup({ email: bob, password: goodPassword });
      expect(await codeOf(first.account.remove())).toBe('409 session_changed');
      expect(await codeOf(first.devices.revokeOthers())).toBe('409 session_changed');
      expect((await second.session()).user?.email).toBe(bob);
      // Reading is not refused; it shows the page whose session it is, and the page can act again.
      expect((await first.session()).user?.email).toBe(bob);
      expect(await codeOf(first.account.remove())).toBe('success');
      await second.password.login({ email: ada, password: goodPassword });
      expect((await second.session()).user?.id).toBe(user.id);
    });

    it('acts for the user who is signed in after a reload, which makes a new client', async () => {
      const site = await openPro();
      const { tab } = browser(site);
      await tab().password.signup({ email: site.address(), password: goodPassword });
      const reloaded = tab();
      expect(await codeOf(reloaded.devices.revokeOthers())).toBe('success');
      await reloaded.session();
      expect(await codeOf(reloaded.devices.revokeOthers())).toBe('success');
    });

    it('can sign in, and signs out once it shows the user who is signed in', async () => {
      const site = await openPro();
      const { tab } = browser(site);
      const [first, second] = [tab(), tab()];
      const ada = { email: site.address(), password: goodPassword };
      await first.password.signup(ada);
      await second.password.signup({ email: site.address(), password: goodPassword });
      expect(await codeOf(first.guest.create())).toBe('success');
      expect((await first.password.login(ada)).user.email).toBe(ada.email);
      expect(await codeOf(first.devices.revokeOthers())).toBe('success');
      expect(await codeOf(second.devices.revokeOthers())).toBe('409 session_changed');
      expect(await codeOf(second.logout())).toBe('409 session_changed');
      await second.session();
      expect(await codeOf(second.logout())).toBe('success');
      expect(await second.session()).toEqual({ user: null });
    });

    it('gets 409 session_changed from every route that changes something for a signed-in user, before its body is read', async () => {
      const site = await openPro();
      const [shown, signedIn] = [await site.signUp(), await site.signUp()];
      const options = { cookie: signedIn.cookie, headers: { 'svc-user': shown.user.id as string } };
      const changing = everyRoute.filter(({ method, access }) => method !== 'GET' && access !== 'open');
      expect(changing.length).toBeGreaterThan(20);
      for (const { name, method, path } of changing) {
        const answer = await site.send(method, path, 'not JSON', options);
        // A method that is not configured is missing for every caller.
        if (answer.status === 501) continue;
        expect([name, answer.status, answer.json.error]).toEqual([name, 409, 'session_changed']);
      }
      for (const { cookie } of [shown, signedIn]) {
        expect((await site.get('/session', { cookie })).status).toBe(200);
      }
      // The same requests are not refused without the header, and with the id of the user who is signed in.
      const own = { 'svc-user': signedIn.user.id as string };
      for (const headers of [undefined, own]) {
        const answer = await site.post('/devices/revoke-others', undefined, {
          cookie: signedIn.cookie,
          headers,
        });
        expect(answer.status).toBe(200);
      }
    });

    it('gets 409 session_changed from POST /logout, which ends no session then', async () => {
      const site = await openPro();
      const [shown, signedIn] = [await site.signUp(), await site.signUp()];
      const options = { cookie: signedIn.cookie, headers: { 'svc-user': shown.user.id as string } };
      const refused = await site.post('/logout', undefined, options);
      expectError(refused, 409, 'session_changed');
      expect(refused.cookies).toEqual([]);
      expect((await site.get('/session', { cookie: signedIn.cookie })).status).toBe(200);
    });

    it('is refused by the guards of other routes unless the request is a GET', async () => {
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
        // It refuses no request, so it leaves the user out.
        expect((await site.send(method, '/app/maybe', undefined, options)).json).toEqual({ id: null });
      }
      for (const user of ['', ' ', id.toUpperCase(), `${id},${id}`]) {
        const answer = await site.send('POST', '/app/me', undefined, {
          ...options,
          headers: { 'svc-user': user },
        });
        expectError(answer, 409, 'session_changed');
      }
    });

    it('sends its user with requests that change something, and not with a GET', async () => {
      const site = await openPro();
      const { tab, sent } = browser(site);
      const client = tab();
      const { user } = await client.password.signup({ email: site.address(), password: goodPassword });
      await client.session();
      await client.devices.revokeOthers();
      expect(sent.map((headers) => headers['svc-user'])).toEqual([undefined, undefined, user.id]);
    });
  });
}
