/** The sessions of a browser while an administrator impersonates a user (SECURITY A-103). */
import { validPassword as password } from '../../support/http-site.js';
import { license } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';

export function impersonation(open: OpenSite): void {
  async function impersonating() {
    const site = await open({
      pro: true,
      service: { ...license, providers: { sessions: { canImpersonate: () => true } } },
    });
    const [admin, user, other] = [await site.signUp(), await site.signUp(), await site.signUp()];
    const sessionToken = admin.cookie.split('=')[1] ?? '';
    const { token } = await site.service.sessionsProvider.impersonate(admin.user.id, user.user.id, {
      sessionToken,
    });
    const statusOf = async (cookie: string) => (await site.get('/session', { cookie })).status;
    const cookie = `svc_session=${token}`;
    expect([await statusOf(cookie), await statusOf(admin.cookie)]).toEqual([200, 200]);
    return { site, admin, user, other, cookie, statusOf };
  }

  describe('a browser in which an administrator impersonates a user', () => {
    //
    it('a sign-out also ends the session of the administrator', async () => {
      const { site, admin, user, cookie, statusOf } = await impersonating();
      await site.post('/logout', undefined, { cookie });
      expect([await statusOf(cookie), await statusOf(admin.cookie)]).toEqual([401, 401]);
      expect(await statusOf(user.cookie)).toBe(200);
    });

    //
    it('a sign-out ends it although the impersonation has expired', async () => {
      const { site, admin, cookie, statusOf } = await impersonating();
      site.clock.advance(16 * 60_000);
      await site.post('/logout', undefined, { cookie });
      expect(await statusOf(admin.cookie)).toBe(401);
    });

    //
    it.each(['password', 'code', 'sign-up'])(
      'a sign-in as another user ends the session of the administrator: %s',
      async (method) => {
        const { site, admin, other, cookie, statusOf } = await impersonating();
        if (method === 'password')
          await site.post('/password/login', { email: other.email, password }, { cookie });
        else if (method === 'sign-up')
          await site.post('/password/signup', { email: site.uniqueEmail(), password }, { cookie });
        else await site.signInByCode(other.email, { cookie });
        expect([await statusOf(cookie), await statusOf(admin.cookie)]).toEqual([401, 401]);
      },
    );
  });
}
