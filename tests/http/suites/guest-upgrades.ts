/** POST /guest/upgrade/send and /guest/upgrade. */
import { validPassword, type Site } from '../../support/http-site.js';
import { isSignedIn } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectTooMany, isoDate, userLike } from './expect.js';

export function guestUpgrades(open: OpenSite): void {
  const openPro = () => open({ pro: true, service: { providers: { account: true, sessions: true } } });

  async function guestAt(site: Site) {
    const { user, token } = await site.service.sessionsProvider.createGuest();
    return { user, cookie: `svc_session=${token}` };
  }

  describe('POST /guest/upgrade', () => {
    it('POST /guest/upgrade with a code makes the guest a user with the same id and a verified address, in a new session', async () => {
      const site = await openPro();
      const { user, cookie } = await guestAt(site);
      const email = site.uniqueEmail();
      // No recent sign-in is required: a guest has no means to sign in.
      site.clock.advance(30 * 60 * 60_000);
      const sent = await site.post('/guest/upgrade/send', { email }, { cookie });
      expect([sent.status, sent.json]).toEqual([
        200,
        { expiresAt: expect.stringMatching(isoDate) as string },
      ]);
      const body = { email, code: site.mail.lastCode(email) };
      const response = await site.post('/guest/upgrade', body, { cookie });
      expect([response.status, response.json]).toEqual([
        200,
        { user: userLike({ email, emailVerified: true }) },
      ]);
      expect(response.json.user.id).toBe(user.id);
      expect(response.cookies.map(({ name }) => name)).toEqual(['svc_session', 'svc_device']);
      expect([await isSignedIn(site, cookie), await isSignedIn(site, response.cookie())]).toEqual([
        false,
        true,
      ]);
      expect((await site.get('/account', { cookie: response.cookie() })).json.isGuest).toBe(false);
      expect((await site.signInByCode(email)).user.id).toBe(user.id);
    });

    it('POST /guest/upgrade with a password leaves the address unverified, like a signup', async () => {
      const site = await openPro();
      const { user, cookie } = await guestAt(site);
      const email = site.uniqueEmail();
      const response = await site.post('/guest/upgrade', { email, password: validPassword }, { cookie });
      expect([response.status, response.json]).toEqual([
        200,
        { user: userLike({ email, emailVerified: false }) },
      ]);
      expect(response.json.user.id).toBe(user.id);
      expect([await isSignedIn(site, cookie), await isSignedIn(site, response.cookie())]).toEqual([
        false,
        true,
      ]);
      const login = await site.post('/password/login', { email, password: validPassword });
      expect(login.json.user.id).toBe(user.id);
    });

    // C-29
    it('POST /guest/upgrade returns 409 email_exists if the address has an account, and the user remains a guest', async () => {
      const site = await openPro();
      const { cookie } = await guestAt(site);
      const { email } = await site.signUp();
      const sent = await site.post('/guest/upgrade/send', { email }, { cookie });
      expect(sent.status).toBe(200);
      const code = site.mail.lastCode(email);
      expectError(await site.post('/guest/upgrade', { email, code: '000' }, { cookie }), 401, 'code_invalid');
      expectError(await site.post('/guest/upgrade', { email, code }, { cookie }), 409, 'email_exists');
      const password = { email, password: validPassword };
      expectError(await site.post('/guest/upgrade', password, { cookie }), 409, 'email_exists');
      expect((await site.get('/account', { cookie })).json.isGuest).toBe(true);
    });

    it('POST /guest/upgrade rejects a weak password, a sign-in code and too many sends', async () => {
      const site = await openPro();
      const { cookie } = await guestAt(site);
      const email = site.uniqueEmail();
      const weak = { email, password: 'short' };
      expectError(await site.post('/guest/upgrade', weak, { cookie }), 400, 'weak_password');
      await site.post('/email-code/send', { email });
      const body = { email, code: site.mail.lastCode(email) };
      expectError(await site.post('/guest/upgrade', body, { cookie }), 401, 'code_not_found');
      for (let i = 0; i < 5; i += 1)
        await site.post('/guest/upgrade/send', { email: site.uniqueEmail() }, { cookie });
      const next = await site.post('/guest/upgrade/send', { email: site.uniqueEmail() }, { cookie });
      expectTooMany(next, 15 * 60_000);
    });
  });
}
