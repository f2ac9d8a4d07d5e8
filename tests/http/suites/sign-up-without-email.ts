/** Sign-up with a user name and no address: `usernames.signUpWithoutEmail`. */
import { validPassword, type Site, type SiteOptions } from '../../support/http-site.js';
import { isSignedIn } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';
import { expectError } from './expect.js';

let count = 0;
/** Returns a user name that no user has. */
const uniqueName = () => `Alone.${Date.now().toString(36)}${(count += 1)}`;

export function signUpWithoutEmail(open: OpenSite): void {
  const openSite = (service: SiteOptions['service'] = {}) =>
    open({ service: { ...service, usernames: { enabled: true, signUpWithoutEmail: true } } });
  const signUp = (site: Site, input: object = {}) =>
    site.post('/password/signup', { password: validPassword, ...input });

  describe('a sign-up without an address', () => {
    it('creates an account that signs in by its user name, mails nothing, and can be created once', async () => {
      const site = await openSite({ providers: { emailPassword: { verifyEmail: 'send' } } });
      const username = uniqueName();
      const response = await signUp(site, { username });
      expect([response.status, response.json.user.email]).toEqual([200, null]);
      expect(await isSignedIn(site, response.cookie())).toBe(true);
      const login = await site.post('/password/login', { username, password: validPassword });
      expect(login.json).toEqual({ user: response.json.user });
      const again = await signUp(site, { username: username.toUpperCase() });
      expectError(again, 400, 'invalid_request');
      expect(again.json).toMatchObject({ field: 'username', reason: 'username_taken' });
      await site.settle();
      expect(site.mail.messages).toEqual([]);
    });

    it('is refused without a user name, and with an address that is empty or malformed', async () => {
      const site = await openSite();
      for (const input of [{}, { email: '', username: uniqueName() }, { email: 'x', username: uniqueName() }])
        expectError(await signUp(site, input), 400, 'invalid_request');
      expectError(await signUp(site, { email: null, username: uniqueName() }), 400, 'invalid_request');
    });

    it('is refused unless the service allows it', async () => {
      const site = await open({ service: { usernames: { enabled: true } } });
      expectError(await signUp(site, { username: uniqueName() }), 400, 'invalid_request');
      const without = await open();
      expectError(await signUp(without, { username: uniqueName() }), 501, 'provider_not_configured');
    });

    it('obeys the sign-up policy and the limits of sign-ups', async () => {
      const closed = await openSite({ signUp: { enabled: false } });
      expectError(await signUp(closed, { username: uniqueName() }), 403, 'sign_up_disabled');
      const asked: unknown[] = [];
      const allow = (candidate: { email: string | null }) => {
        asked.push(candidate.email);
        return false;
      };
      const site = await openSite({ signUp: { allow }, rateLimit: { signUp: { perIp: { max: 2 } } } });
      for (const code of ['sign_up_disabled', 'sign_up_disabled', 'rate_limit_exceeded'])
        expect((await signUp(site, { username: uniqueName() })).json.error).toBe(code);
      expect(asked).toEqual([null, null]);
    });

    it('starts at once although sign-ups are private, because it reveals no address', async () => {
      const site = await openSite({ signUp: { revealExisting: false } });
      const response = await signUp(site, { username: uniqueName() });
      expect([response.status, response.json.user.email]).toEqual([200, null]);
      const byCode = await signUp(site, { username: uniqueName(), email: site.uniqueEmail() });
      expect(byCode.json.user).toBeUndefined();
    });

    it('never belongs to the session of a guest or of another user without an address', async () => {
      const site = await openSite();
      const first = await signUp(site, { username: uniqueName() });
      const second = await site.post(
        '/password/signup',
        { password: validPassword, username: uniqueName() },
        { cookie: first.cookie() },
      );
      expect(second.status).toBe(200);
      expect(second.json.user.id).not.toBe(first.json.user.id);
    });

    it('leaves the user a way in: the user name cannot be removed', async () => {
      const site = await openSite();
      const response = await signUp(site, { username: uniqueName() });
      const removal = await site.send('PUT', '/username', { username: null }, { cookie: response.cookie() });
      expect(removal.json).toMatchObject({ error: 'invalid_request', reason: 'last_sign_in_method' });
    });
  });
}
