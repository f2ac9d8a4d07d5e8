/** POST /account/password: its response, and which sessions it ends. */
import { validPassword, type Site } from '../../support/http-site.js';
import { isSignedIn } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectTooMany, userLike } from './expect.js';

const newPassword = 'battery staple';

export function accountPassword(open: OpenSite): void {
  const openPro = () => open({ pro: true, service: { providers: { sessions: true } } });
  const change = (site: Site, cookie: string, body: object = {}) =>
    site.post('/account/password', { currentPassword: validPassword, newPassword, ...body }, { cookie });

  describe('POST /account/password', () => {
    //
    it('POST /account/password changes the password, ends every other session and gives this browser a new session', async () => {
      const site = await openPro();
      const { email, cookie } = await site.signUp();
      const elsewhere = (await site.post('/password/login', { email, password: validPassword })).cookie();
      const response = await change(site, cookie);
      expect([response.status, response.json]).toEqual([
        200,
        { user: userLike({ email, emailVerified: false }) },
      ]);
      expect(response.cookies).toMatchObject([
        {
          name: 'svc_session',
          attributes: { httponly: true, samesite: 'Lax', path: '/', 'max-age': '604800' },
        },
        { name: 'svc_device' },
      ]);
      expect(await isSignedIn(site, response.cookie())).toBe(true);
      expect([await isSignedIn(site, cookie), await isSignedIn(site, elsewhere)]).toEqual([false, false]);
      expectError(
        await site.post('/password/login', { email, password: validPassword }),
        401,
        'invalid_credentials',
      );
      expect((await site.post('/password/login', { email, password: newPassword })).status).toBe(200);
    });

    //
    it('POST /account/password invalidates a pending password reset', async () => {
      const site = await openPro();
      const { email, cookie, user } = await site.signUp();
      await site.adapter.users.markEmailVerified(user.id, new Date(site.clock.now()));
      await site.post('/password/request-reset', { email });
      await site.settle();
      const token = site.mailedToken(email);
      expect((await change(site, cookie)).status).toBe(200);
      const reset = await site.post('/password/reset', { token, newPassword: 'of a thief' });
      expectError(reset, 401, 'token_invalid');
    });

    it('POST /account/password rejects a wrong current password and counts it as a failed login for the address', async () => {
      const site = await openPro();
      const { email, cookie } = await site.signUp();
      for (let i = 0; i < 10; i += 1) {
        const response = await change(site, cookie, { currentPassword: 'wrong' });
        expectError(response, 401, 'invalid_credentials');
        expect(response.json.field).toBe('currentPassword');
      }
      expectTooMany(await change(site, cookie), 15 * 60_000);
      expectTooMany(await site.post('/password/login', { email, password: validPassword }), 15 * 60_000);
      expect(await isSignedIn(site, cookie)).toBe(true);
    });

    it('POST /account/password rejects a weak new password and a missing current password', async () => {
      const site = await openPro();
      const { cookie } = await site.signUp();
      expectError(await change(site, cookie, { newPassword: 'short' }), 400, 'weak_password');
      const missing = await change(site, cookie, { currentPassword: undefined });
      expectError(missing, 401, 'invalid_credentials');
      expect(missing.json.field).toBe('currentPassword');
      expect(await isSignedIn(site, cookie)).toBe(true);
    });

    it('POST /account/password sets a first password without a current one and leaves other devices signed in', async () => {
      const site = await openPro();
      const { email, cookie } = await site.signInByCode();
      const { cookie: elsewhere } = await site.signInByCode(email);
      const response = await change(site, cookie, { currentPassword: undefined });
      expect([response.status, response.json]).toEqual([
        200,
        { user: userLike({ email, emailVerified: true }) },
      ]);
      expect(await isSignedIn(site, response.cookie())).toBe(true);
      expect([await isSignedIn(site, cookie), await isSignedIn(site, elsewhere)]).toEqual([false, true]);
      expect((await site.post('/password/login', { email, password: newPassword })).status).toBe(200);
    });

    it('POST /account/password accepts a bearer token and reads only the two passwords from the body', async () => {
      const site = await openPro();
      const [user, otherUser] = [await site.signUp(), await site.signUp()];
      const token = user.cookie.slice('svc_session='.length);
      const body = {
        currentPassword: validPassword,
        newPassword,
        userId: otherUser.user.id,
        email: otherUser.email,
      };
      const response = await site.post('/account/password', body, {
        headers: { Authorization: `Bearer ${token}` },
      });
      expect(response.json.user.id).toBe(user.user.id);
      expect(await isSignedIn(site, response.cookie())).toBe(true);
      expect(await isSignedIn(site, otherUser.cookie)).toBe(true);
    });

    it('POST /account/password changes the password once if several identical requests arrive concurrently', async () => {
      const site = await openPro();
      const { email, cookie } = await site.signUp();
      const responses = await Promise.all([1, 2, 3].map(() => change(site, cookie)));
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const { status } of responses) expect([200, 401]).toContain(status);
      expect((await site.post('/password/login', { email, password: newPassword })).status).toBe(200);
    });
  });
}
