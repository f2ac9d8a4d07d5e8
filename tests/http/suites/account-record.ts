/** GET and DELETE /account, GET /account/export. */
import { goodPassword } from '../../support/http-site.js';
import { isIn } from '../../support/people.js';
import type { OpenSite } from '../matrix.js';
import { expectError, userLike } from './expect.js';

export function accountRecord(open: OpenSite): void {
  const openPro = () =>
    open({ pro: true, service: { providers: { account: true, sessions: true, orgs: true, refresh: true } } });

  describe('/account', () => {
    it('GET says who you are, whether you have a password, and whether you are a guest', async () => {
      const site = await openPro();
      const [a, b] = [await site.signUp(), await site.signInByCode()];
      const { token } = await site.service.sessionsProvider.createGuest();
      const seen = async (cookie: string) => (await site.get('/account', { cookie })).json as unknown;
      expect(await seen(a.cookie)).toEqual({
        user: userLike({ email: a.email, emailVerified: false }),
        hasPassword: true,
        isGuest: false,
      });
      expect(await seen(b.cookie)).toMatchObject({ user: b.user, hasPassword: false, isGuest: false });
      expect(await seen(`svc_session=${token}`)).toMatchObject({ hasPassword: false, isGuest: true });
    });

    it('GET /account/export gives oneself as a file, and nobody else', async () => {
      const site = await openPro();
      const { cookie, user, email } = await site.signUp();
      const other = await site.signUp();
      site.service.account.contribute('orders', { exportData: (userId) => [{ userId, item: 'lamp' }] });
      const answer = await site.get(`/account/export?userId=${other.user.id}`, { cookie });
      expect(answer.status).toBe(200);
      expect(answer.headers['content-disposition']).toBe('attachment; filename="account.json"');
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.json).toMatchObject({
        version: 1,
        user: { id: user.id, email },
        hasPassword: true,
        sessions: [{ userId: user.id }],
        contributions: { orders: [{ userId: user.id, item: 'lamp' }] },
      });
      expect(answer.text).not.toContain(other.user.id);
      expect(answer.text).not.toMatch(/epoch|secret|"token"|Hash"/);
    });

    it('a refused export is no file', async () => {
      const site = await openPro();
      expect((await site.get('/account/export')).headers).not.toHaveProperty('content-disposition');
      const { cookie } = await site.signUp();
      site.service.account.contribute('broken', { exportData: () => Promise.reject(new Error('disk full')) });
      const answer = await site.get('/account/export', { cookie });
      expectError(answer, 500, 'internal_error');
      expect(answer.headers).not.toHaveProperty('content-disposition');
    });

    it('DELETE deletes oneself with everything, and clears the cookie', async () => {
      const site = await openPro();
      const { cookie, email, user } = await site.signUp();
      const elsewhere = (await site.post('/password/login', { email, password: goodPassword })).cookie();
      const other = await site.signUp();
      const { refreshToken } = await site.service.refresh.issue({ userId: user.id });
      const answer = await site.send('DELETE', '/account', undefined, { cookie });
      expect([answer.status, answer.json]).toEqual([200, { ok: true }]);
      expect(answer.cookies).toMatchObject([
        { name: 'svc_session', value: '', attributes: { httponly: true, samesite: 'Lax', path: '/' } },
      ]);
      expect([await isIn(site, cookie), await isIn(site, elsewhere)]).toEqual([false, false]);
      await expect(site.service.refresh.refresh(refreshToken)).rejects.toMatchObject({
        code: 'refresh_token_invalid',
      });
      expect(await site.adapter.users.findByEmail(email)).toBeNull();
      expect(await isIn(site, other.cookie)).toBe(true);
      expectError(await site.send('DELETE', '/account', undefined, { cookie }), 401, 'token_invalid');
    });

    it('DELETE by a guest of some days ago clears the cookie, and does not renew it in the same answer', async () => {
      const site = await openPro();
      const cookie = (await site.post('/guest')).cookie();
      site.clock.advance(2 * 24 * 60 * 60_000);
      const answer = await site.send('DELETE', '/account', undefined, { cookie });
      expect([answer.status, answer.cookies.map(({ value }) => value)]).toEqual([200, ['']]);
    });

    it('DELETE of a guest by who acts in their place is 403 not_authorized', async () => {
      const providers = { account: true, sessions: { canImpersonate: () => true } } as const;
      const site = await open({ pro: true, service: { providers } });
      const { user: admin } = await site.signUp();
      const { user: guest } = await site.service.sessionsProvider.createGuest();
      const { token } = await site.service.sessionsProvider.impersonate(admin.id, guest.id);
      const answer = await site.send('DELETE', '/account', undefined, { cookie: `svc_session=${token}` });
      expectError(answer, 403, 'not_authorized');
      expect(await site.adapter.users.findById(guest.id)).not.toBeNull();
    });

    it('DELETE by the last owner of an organisation is 400 org_error, and nothing is deleted', async () => {
      const site = await openPro();
      const { cookie, user } = await site.signInByCode();
      const { org } = await site.service.orgs.create({ name: 'Acme', ownerUserId: user.id });
      const answer = await site.send('DELETE', '/account', undefined, { cookie });
      expectError(answer, 400, 'org_error');
      expect(answer.cookies).toEqual([]);
      expect(await isIn(site, cookie)).toBe(true);
      await site.service.orgs.delete(org.id);
      expect((await site.send('DELETE', '/account', undefined, { cookie })).status).toBe(200);
    });

    it('a contributor that fails is 500, and nothing is deleted', async () => {
      const site = await openPro();
      const { cookie } = await site.signUp();
      site.service.account.contribute('broken', { deleteData: () => Promise.reject(new Error('no')) });
      expectError(await site.send('DELETE', '/account', undefined, { cookie }), 500, 'internal_error');
      expect(await isIn(site, cookie)).toBe(true);
    });
  });
}
