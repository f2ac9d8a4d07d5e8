/** Common passwords, and passwords made of the names of the account: docs/providers/email-password.md. */
import type { OpenSite } from '../matrix.js';
import { proProviders } from '../../support/make-pro-service.js';
import { validPassword, type Site } from '../../support/http-site.js';
import { passwordSetters } from '../../attack/requirements/password-setters.js';

export function passwordRules(open: OpenSite): void {
  const openSite = () =>
    open({ pro: true, service: { usernames: { enabled: true }, providers: { ...proProviders } } });
  const refusal = (reason: string) => ({
    status: 400,
    json: {
      error: 'weak_password',
      message: 'This password is not accepted. Choose a different one.',
      reason,
    },
    cookies: [],
  });

  describe('common passwords', () => {
    //
    it.each(passwordSetters)('are refused with a reason: %s', async (_name, make) => {
      const { email, set } = await make(await openSite());
      const localPart = email.slice(0, email.indexOf('@'));
      for (const [password, reason] of [
        ['password1', 'common'],
        ['PASSWORD123', 'common'],
        [`${localPart.toUpperCase()}!!`, 'containsEmail'],
        ['acme2026!', 'containsName'],
      ] as const) {
        const { status, json, cookies } = await set(password);
        expect({ status, json, cookies }).toEqual(refusal(reason));
      }
      expect((await set('a fine password')).status).toBe(200);
    });

    it('are refused when an administrator sets one or creates a user', async () => {
      const site = await open({ pro: true, admin: { authorize: () => true } });
      const { cookie, user } = await site.signUp();
      const email = site.uniqueEmail();
      for (const [path, body] of [
        ['/admin/users', { email, password: 'password1' }],
        [`/admin/users/${user.id}/password`, { password: 'password1' }],
      ] as const) {
        const { status, json } = await site.post(path, body, { cookie });
        expect([path, status, json.reason]).toEqual([path, 400, 'common']);
      }
      expect(
        (await site.get(`/admin/users?search=${encodeURIComponent(email)}`, { cookie })).json.users,
      ).toEqual([]);
    });

    it('are refused the same way for an address with and without an account', async () => {
      const site = await openSite();
      const { email } = await site.signUp();
      const responses = [];
      for (const address of [email, site.uniqueEmail()]) {
        const { status, text } = await site.post('/password/signup', {
          email: address,
          password: 'password1',
        });
        responses.push([status, text]);
      }
      expect(responses[0]).toEqual(responses[1]);
    });

    it('do not affect a login with a password that was set before', async () => {
      const site = await openSite();
      const { email } = await site.signUp();
      const login = (password: string) => site.post('/password/login', { email, password });
      expect((await login('password1')).status).toBe(401);
      expect((await login(validPassword)).status).toBe(200);
    });

    it('are compared with the user name of a sign-up', async () => {
      const site: Site = await openSite();
      const username = `Ada.${Date.now().toString(36)}`;
      const body = { email: site.uniqueEmail(), username, password: `${username.toUpperCase()}!` };
      const { status, json } = await site.post('/password/signup', body);
      expect([status, json.reason]).toEqual([400, 'containsName']);
    });
  });
}
