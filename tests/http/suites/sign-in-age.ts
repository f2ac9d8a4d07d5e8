/**
 * Which sign-in time a session has after a change, and the effects of a revocation between the
 * check and the change.
 */
import { validPassword, type RequestOptions, type Site } from '../../support/http-site.js';
import { day, minute, proProviders } from '../../support/make-pro-service.js';
import { storageHook } from '../../support/pause-points.js';
import type { OpenSite } from '../matrix.js';
import { expectError } from './expect.js';

const newPassword = 'battery staple';

export function signInAge(open: OpenSite): void {
  const openPro = (options: Parameters<OpenSite>[0] = {}) =>
    open({ pro: true, service: { providers: proProviders }, ...options });
  const isRecent = async (site: Site, cookie: string) =>
    (await site.get('/account/export', { cookie })).status === 200;
  const changePassword = (site: Site, body: object, options: RequestOptions) =>
    site.post('/account/password', { newPassword, ...body }, options);
  const bearerOf = async (site: Site, cookie: string) => {
    const { accessToken } = (await site.post('/token/issue', {}, { cookie })).json;
    return { headers: { Authorization: `Bearer ${accessToken}` } };
  };

  describe('the session after a change of the account', () => {
    it('a change without proof does not make the session more recent', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      site.clock.advance(10 * minute);
      const response = await changePassword(site, {}, { cookie });
      expect([response.status, await isRecent(site, response.cookie())]).toEqual([200, true]);
      site.clock.advance(1);
      expect(await isRecent(site, response.cookie())).toBe(false);
    });

    it('a change with the right current password makes the session as recent as a new sign-in', async () => {
      const site = await openPro();
      const { cookie } = await site.signUp();
      site.clock.advance(10 * minute);
      const changed = (await changePassword(site, { currentPassword: validPassword }, { cookie })).cookie();
      site.clock.advance(10 * minute);
      expect(await isRecent(site, changed)).toBe(true);
    });

    it('the session of a guest who chose a password ends no later than thirty days after its start', async () => {
      const site = await openPro();
      const guest = (await site.post('/guest')).cookie();
      site.clock.advance(6 * day);
      const body = { email: site.uniqueEmail(), password: validPassword };
      const upgraded = await site.post('/guest/upgrade', body, { cookie: guest });
      expect([upgraded.status, await isRecent(site, upgraded.cookie())]).toEqual([200, false]);
      const { user } = upgraded.json;
      const [session] = await site.adapter.sessions.listLive(user.id, new Date(site.clock.now()));
      expect(session?.createdAt.getTime()).toBe(site.clock.now() - 6 * day);
    });

    it('a change with an access token sets no cookie', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      const bearer = await bearerOf(site, cookie);
      const first = await changePassword(site, {}, bearer);
      expect([first.status, first.cookies]).toEqual([200, []]);
      expect((await site.get('/session', bearer)).status).toBe(200);
      const body = { currentPassword: newPassword, newPassword: validPassword };
      const second = await changePassword(site, body, bearer);
      expect([second.status, second.cookies]).toEqual([200, []]);
      expectError(await site.get('/session', bearer), 401, 'token_invalid');
    });
  });

  describe('a sign-out everywhere during a request', () => {
    it.each([
      ['/token/issue', {}],
      ['/api-keys', { name: 'mine' }],
    ])(
      'POST %s returns 401 token_invalid and creates nothing if the user signs out everywhere in the meantime',
      async (route, body) => {
        // The user is read again after the check of the session.
        const hook = storageHook('before', 'users.findById');
        const site = await openPro({ wrapAdapter: hook.wrapAdapter });
        const { cookie, user } = await site.signInByCode();
        hook.run = () => site.service.sessionsProvider.revokeAll(user.id);
        expectError(await site.post(route, body, { cookie }), 401, 'token_invalid');
        expect(hook.run).toBeUndefined();
        expect(await site.adapter.refreshFamilies?.listForUser(user.id)).toEqual([]);
        expect(await site.service.apiKeys.list({ userId: user.id })).toEqual([]);
      },
    );
  });
}
