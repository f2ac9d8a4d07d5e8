/** When a session that goes on after a change counts as signed in, and what a revocation between check and act leaves. */
import { goodPassword, type RequestOptions, type Site } from '../../support/http-site.js';
import { day, minute, proProviders } from '../../support/make-pro-service.js';
import { onceInStorage } from '../../support/held.js';
import type { OpenSite } from '../matrix.js';
import { expectError } from './expect.js';

const newPassword = 'battery staple';

export function signInAge(open: OpenSite): void {
  const openPro = (options: Parameters<OpenSite>[0] = {}) =>
    open({ pro: true, service: { providers: proProviders }, ...options });
  const isFresh = async (site: Site, cookie: string) =>
    (await site.get('/account/export', { cookie })).status === 200;
  const changePassword = (site: Site, body: object, options: RequestOptions) =>
    site.post('/account/password', { newPassword, ...body }, options);
  const bearerOf = async (site: Site, cookie: string) => {
    const { accessToken } = (await site.post('/token/issue', {}, { cookie })).json;
    return { headers: { Authorization: `Bearer ${accessToken}` } };
  };

  describe('the session that goes on after a change', () => {
    it('is no fresher than the one before where the change proved nothing', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      site.clock.advance(10 * minute);
      const answer = await changePassword(site, {}, { cookie });
      expect([answer.status, await isFresh(site, answer.cookie())]).toEqual([200, true]);
      site.clock.advance(1);
      expect(await isFresh(site, answer.cookie())).toBe(false);
    });

    it('is as fresh as a sign-in where the present password was right', async () => {
      const site = await openPro();
      const { cookie } = await site.signUp();
      site.clock.advance(10 * minute);
      const changed = (await changePassword(site, { currentPassword: goodPassword }, { cookie })).cookie();
      site.clock.advance(10 * minute);
      expect(await isFresh(site, changed)).toBe(true);
    });

    it('ends no later than thirty days from the sign-in where a guest chose a password', async () => {
      const site = await openPro();
      const guest = (await site.post('/guest')).cookie();
      site.clock.advance(6 * day);
      const body = { email: site.address(), password: goodPassword };
      const upgraded = await site.post('/guest/upgrade', body, { cookie: guest });
      expect([upgraded.status, await isFresh(site, upgraded.cookie())]).toEqual([200, false]);
      const { user } = upgraded.json;
      const [session] = await site.adapter.sessions.listLive(user.id, new Date(site.clock.now()));
      expect(session?.createdAt.getTime()).toBe(site.clock.now() - 6 * day);
    });

    it('is none for an access token: the answer has no cookie', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      const bearer = await bearerOf(site, cookie);
      const first = await changePassword(site, {}, bearer);
      expect([first.status, first.cookies]).toEqual([200, []]);
      expect((await site.get('/session', bearer)).status).toBe(200);
      const body = { currentPassword: newPassword, newPassword: goodPassword };
      const second = await changePassword(site, body, bearer);
      expect([second.status, second.cookies]).toEqual([200, []]);
      expectError(await site.get('/session', bearer), 401, 'token_invalid');
    });
  });

  describe('whoever signs a user out everywhere while a request is under way', () => {
    it.each([
      ['/token/issue', {}],
      ['/api-keys', { name: 'mine' }],
    ])('leaves nothing behind that POST %s makes: 401 token_invalid', async (route, body) => {
      // The user is read again after the session was checked.
      const hook = onceInStorage('before', 'users.findById');
      const site = await openPro({ wrapAdapter: hook.wrapAdapter });
      const { cookie, user } = await site.signInByCode();
      hook.run = () => site.service.sessionsProvider.revokeAll(user.id);
      expectError(await site.post(route, body, { cookie }), 401, 'token_invalid');
      expect(hook.run).toBeUndefined();
      expect(await site.adapter.refreshFamilies?.listForUser(user.id)).toEqual([]);
      expect(await site.service.apiKeys.list({ userId: user.id })).toEqual([]);
    });
  });
}
