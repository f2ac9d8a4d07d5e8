/** POST /guest/upgrade/send and /guest/upgrade. */
import { goodPassword, type Site } from '../../support/http-site.js';
import { isIn } from '../../support/people.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectTooMany, isoDate, userLike } from './expect.js';

export function guestUpgrades(open: OpenSite): void {
  const openPro = () => open({ pro: true, service: { providers: { account: true, sessions: true } } });

  async function guestAt(site: Site) {
    const { user, token } = await site.service.sessionsProvider.createGuest();
    return { user, cookie: `svc_session=${token}` };
  }

  describe('POST /guest/upgrade', () => {
    it('by a code makes the guest a user with the same id and a verified address, in a new session', async () => {
      const site = await openPro();
      const { user, cookie } = await guestAt(site);
      const email = site.address();
      // Whoever was here yesterday need not sign in again: a guest has nothing to sign in with.
      site.clock.advance(30 * 60 * 60_000);
      const sent = await site.post('/guest/upgrade/send', { email }, { cookie });
      expect([sent.status, sent.json]).toEqual([
        200,
        { expiresAt: expect.stringMatching(isoDate) as string },
      ]);
      const body = { email, code: site.mail.lastCode(email) };
      const answer = await site.post('/guest/upgrade', body, { cookie });
      expect([answer.status, answer.json]).toEqual([200, { user: userLike({ email, emailVerified: true }) }]);
      expect(answer.json.user.id).toBe(user.id);
      expect(answer.cookies.map(({ name }) => name)).toEqual(['svc_session', 'svc_device']);
      expect([await isIn(site, cookie), await isIn(site, answer.cookie())]).toEqual([false, true]);
      expect((await site.get('/account', { cookie: answer.cookie() })).json.isGuest).toBe(false);
      expect((await site.signInByCode(email)).user.id).toBe(user.id);
    });

    it('by a password leaves the address unverified, as a signup does', async () => {
      const site = await openPro();
      const { user, cookie } = await guestAt(site);
      const email = site.address();
      const answer = await site.post('/guest/upgrade', { email, password: goodPassword }, { cookie });
      expect([answer.status, answer.json]).toEqual([
        200,
        { user: userLike({ email, emailVerified: false }) },
      ]);
      expect(answer.json.user.id).toBe(user.id);
      expect([await isIn(site, cookie), await isIn(site, answer.cookie())]).toEqual([false, true]);
      const login = await site.post('/password/login', { email, password: goodPassword });
      expect(login.json.user.id).toBe(user.id);
    });

    it('C-29: never merges: an address that has an account is 409 email_exists, and the guest stays one', async () => {
      const site = await openPro();
      const { cookie } = await guestAt(site);
      const { email } = await site.signUp();
      const sent = await site.post('/guest/upgrade/send', { email }, { cookie });
      expect(sent.status).toBe(200);
      const code = site.mail.lastCode(email);
      expectError(await site.post('/guest/upgrade', { email, code: '000' }, { cookie }), 401, 'code_invalid');
      expectError(await site.post('/guest/upgrade', { email, code }, { cookie }), 409, 'email_exists');
      const password = { email, password: goodPassword };
      expectError(await site.post('/guest/upgrade', password, { cookie }), 409, 'email_exists');
      expect((await site.get('/account', { cookie })).json.isGuest).toBe(true);
    });

    it('refuses a weak password, a code of a sign-in, and too many sends', async () => {
      const site = await openPro();
      const { cookie } = await guestAt(site);
      const email = site.address();
      const weak = { email, password: 'short' };
      expectError(await site.post('/guest/upgrade', weak, { cookie }), 400, 'weak_password');
      await site.post('/email-code/send', { email });
      const body = { email, code: site.mail.lastCode(email) };
      expectError(await site.post('/guest/upgrade', body, { cookie }), 401, 'code_not_found');
      for (let i = 0; i < 5; i += 1)
        await site.post('/guest/upgrade/send', { email: site.address() }, { cookie });
      const next = await site.post('/guest/upgrade/send', { email: site.address() }, { cookie });
      expectTooMany(next, 15 * 60_000);
    });
  });
}
