/** GET and DELETE /account, GET /account/export. */
import { validPassword } from '../../support/http-site.js';
import { isSignedIn } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';
import { expectError, userLike } from './expect.js';

export function accountRecord(open: OpenSite): void {
  const openPro = () =>
    open({ pro: true, service: { providers: { account: true, sessions: true, orgs: true, refresh: true } } });

  describe('/account', () => {
    it('GET /account returns the user, whether they have a password and whether they are a guest', async () => {
      const site = await openPro();
      const [a, b] = [await site.signUp(), await site.signInByCode()];
      const { token } = await site.service.sessionsProvider.createGuest();
      const accountOf = async (cookie: string) => (await site.get('/account', { cookie })).json as unknown;
      expect(await accountOf(a.cookie)).toEqual({
        user: userLike({ email: a.email, emailVerified: false }),
        hasPassword: true,
        isGuest: false,
        language: null,
        languages: expect.arrayContaining(['en', 'de']),
      });
      expect(await accountOf(b.cookie)).toMatchObject({ user: b.user, hasPassword: false, isGuest: false });
      expect(await accountOf(`svc_session=${token}`)).toMatchObject({ hasPassword: false, isGuest: true });
    });

    it('GET /account/export returns only the user’s own data, as a file', async () => {
      const site = await openPro();
      const { cookie, user, email } = await site.signUp();
      const other = await site.signUp();
      site.service.account.registerUserData('orders', { exportData: (userId) => [{ userId, item: 'lamp' }] });
      const response = await site.get(`/account/export?userId=${other.user.id}`, { cookie });
      expect(response.status).toBe(200);
      expect(response.headers['content-disposition']).toBe('attachment; filename="account.json"');
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(response.json).toMatchObject({
        version: 1,
        user: { id: user.id, email },
        hasPassword: true,
        sessions: [{ userId: user.id }],
        contributions: { orders: [{ userId: user.id, item: 'lamp' }] },
      });
      expect(response.text).not.toContain(other.user.id);
      expect(response.text).not.toMatch(/epoch|secret|"token"|Hash"/);
    });

    it('GET /account/export sends no Content-Disposition header with an error', async () => {
      const site = await openPro();
      expect((await site.get('/account/export')).headers).not.toHaveProperty('content-disposition');
      const { cookie } = await site.signUp();
      site.service.account.registerUserData('broken', {
        exportData: () => Promise.reject(new Error('disk full')),
      });
      const response = await site.get('/account/export', { cookie });
      expectError(response, 500, 'internal_error');
      expect(response.headers).not.toHaveProperty('content-disposition');
    });

    it('DELETE /account deletes the user with all their data and clears the cookie', async () => {
      const site = await openPro();
      const { cookie, email, user } = await site.signUp();
      const elsewhere = (await site.post('/password/login', { email, password: validPassword })).cookie();
      const other = await site.signUp();
      const { refreshToken } = await site.service.refresh.issue({ userId: user.id });
      const response = await site.send('DELETE', '/account', undefined, { cookie });
      expect([response.status, response.json]).toEqual([200, { ok: true }]);
      expect(response.cookies).toMatchObject([
        { name: 'svc_session', value: '', attributes: { httponly: true, samesite: 'Lax', path: '/' } },
      ]);
      expect([await isSignedIn(site, cookie), await isSignedIn(site, elsewhere)]).toEqual([false, false]);
      await expect(site.service.refresh.refresh(refreshToken)).rejects.toMatchObject({
        code: 'refresh_token_invalid',
      });
      expect(await site.adapter.users.findByEmail(email)).toBeNull();
      expect(await isSignedIn(site, other.cookie)).toBe(true);
      expectError(await site.send('DELETE', '/account', undefined, { cookie }), 401, 'token_invalid');
    });

    it('DELETE /account clears the cookie of a guest whose session is due for renewal, and does not also renew it', async () => {
      const site = await openPro();
      const cookie = (await site.post('/guest')).cookie();
      site.clock.advance(2 * 24 * 60 * 60_000);
      const response = await site.send('DELETE', '/account', undefined, { cookie });
      expect([response.status, response.cookies.map(({ value }) => value)]).toEqual([200, ['']]);
    });

    it('DELETE /account returns 403 not_authorized to an impersonator of a guest', async () => {
      const providers = { account: true, sessions: { canImpersonate: () => true } } as const;
      const site = await open({ pro: true, service: { providers } });
      const { user: admin } = await site.signUp();
      const { user: guest } = await site.service.sessionsProvider.createGuest();
      const { token } = await site.service.sessionsProvider.impersonate(admin.id, guest.id);
      const response = await site.send('DELETE', '/account', undefined, { cookie: `svc_session=${token}` });
      expectError(response, 403, 'not_authorized');
      expect(await site.adapter.users.findById(guest.id)).not.toBeNull();
    });

    it('DELETE /account returns 400 org_error to the last owner of an organization, and deletes nothing', async () => {
      const site = await openPro();
      const { cookie, user } = await site.signInByCode();
      const { org } = await site.service.orgs.create({ name: 'Acme', ownerUserId: user.id });
      const response = await site.send('DELETE', '/account', undefined, { cookie });
      expectError(response, 400, 'org_error');
      expect(response.cookies).toEqual([]);
      expect(await isSignedIn(site, cookie)).toBe(true);
      await site.service.orgs.delete(org.id);
      expect((await site.send('DELETE', '/account', undefined, { cookie })).status).toBe(200);
    });

    it('DELETE /account returns 500 internal_error and deletes nothing if a user data handler fails', async () => {
      const site = await openPro();
      const { cookie } = await site.signUp();
      site.service.account.registerUserData('broken', { deleteData: () => Promise.reject(new Error('no')) });
      expectError(await site.send('DELETE', '/account', undefined, { cookie }), 500, 'internal_error');
      expect(await isSignedIn(site, cookie)).toBe(true);
    });
  });
}
