/** User names that users choose (docs/users.md). */
import { validPassword, type Site } from '../../support/http-site.js';
import type { OpenSite } from '../matrix.js';
import { expectError } from './expect.js';

const minute = 60_000;
let count = 0;
/** Returns a user name that no user has. */
const uniqueName = () => `Ada.${Date.now().toString(36)}${(count += 1)}`;

export function usernames(open: OpenSite): void {
  const openSite = (options: object = {}) => open({ service: { usernames: { enabled: true, ...options } } });
  const logIn = (site: Site, username: unknown, password = validPassword) =>
    site.post('/password/login', { username, password });
  const change = (site: Site, cookie: string, username: unknown) =>
    site.send('PUT', '/username', { username }, { cookie });

  async function signUpAs(site: Site, username: string) {
    const email = site.uniqueEmail();
    const response = await site.post('/password/signup', { email, password: validPassword, username });
    const cookie = () => response.cookie();
    return { email, response, cookie, user: response.json.user };
  }

  describe('user names', () => {
    it('a sign-up sets one, and signs in by it and by the address, without regard to case', async () => {
      const site = await openSite();
      const name = uniqueName();
      const { email, response, cookie, user } = await signUpAs(site, name);
      expect(response.status).toBe(200);
      expect((await site.get('/username', { cookie: cookie() })).json).toEqual({ username: name });
      for (const form of [name, name.toLowerCase(), name.toUpperCase()]) {
        expect((await logIn(site, form)).json).toEqual({ user });
      }
      const byAddress = await site.post('/password/login', { email, password: validPassword });
      expect(byAddress.json).toEqual({ user });
    });

    it('an unknown user name, a wrong password and a user without a password cause the same error', async () => {
      const site = await openSite();
      const name = uniqueName();
      await signUpAs(site, name);
      const passwordless = await site.signInByCode();
      const other = uniqueName();
      expect((await change(site, passwordless.cookie, other)).status).toBe(200);
      const bodies = [];
      for (const [username, password] of [
        [uniqueName(), validPassword],
        [name, 'wrong password'],
        [other, validPassword],
        ['', validPassword],
        ['nul\0', validPassword],
      ] as const) {
        const response = await logIn(site, username, password);
        expectError(response, 401, 'invalid_credentials');
        bodies.push(response.json);
      }
      expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    });

    it('a taken user name is refused in any case, by a sign-up and by a change, and nothing is stored', async () => {
      const site = await openSite();
      const name = uniqueName();
      const first = await signUpAs(site, name);
      const second = await signUpAs(site, name.toUpperCase());
      const taken = { field: 'username', reason: 'username_taken' };
      expectError(second.response, 400, 'invalid_request');
      expect(second.response.json).toMatchObject(taken);
      expect(await site.adapter.users.findByEmail(second.email)).toBeNull();
      const third = await site.signUp();
      const refused = await change(site, third.cookie, name.toLowerCase());
      expectError(refused, 400, 'invalid_request');
      expect(refused.json).toMatchObject(taken);
      // The own name may change its case.
      expect((await change(site, first.cookie(), name.toUpperCase())).json).toEqual({
        username: name.toUpperCase(),
      });
    });

    it('of many sign-ups with one user name at once, one succeeds', async () => {
      const site = await openSite();
      const name = uniqueName();
      const responses = await Promise.all(Array.from({ length: 8 }, () => signUpAs(site, name)));
      const statuses = responses.map(({ response }) => response.status).sort();
      expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 400)]);
    });

    it('malformed, reserved and confusable names are refused', async () => {
      const site = await openSite({ pattern: /^[A-Za-z.0-9]{4,20}$/g, reserved: ['Acme'] });
      const { cookie } = await site.signUp();
      for (const [username, reason] of [
        ['admin', 'username_reserved'],
        ['aCmE', 'username_reserved'],
        ['Acrne', 'username_reserved'],
        ['r00t', 'username_reserved'],
        ['a b c d', 'username_invalid'],
        ['ada', 'username_invalid'],
        // A Cyrillic letter among Latin ones.
        ['\u0430dam', 'username_invalid'],
        ['ada@example.test', 'username_invalid'],
      ]) {
        // Twice: a global pattern has a state.
        for (const _ of [1, 2]) {
          const response = await change(site, cookie, username);
          expectError(response, 400, 'invalid_request');
          expect([username, response.json.reason]).toEqual([username, reason]);
        }
      }
      for (const username of [undefined, 42, {}, ['ada']])
        expectError(await change(site, cookie, username), 400, 'invalid_request');
      expect((await site.get('/username', { cookie })).json).toEqual({ username: null });
    });

    it('users change and remove them, three times in thirty days', async () => {
      const site = await openSite();
      const { cookie } = await site.signUp();
      const names = [uniqueName(), null, uniqueName()];
      for (const username of names) expect((await change(site, cookie, username)).json).toEqual({ username });
      const response = await change(site, cookie, uniqueName());
      expectError(response, 429, 'rate_limit_exceeded');
      expect((await site.get('/username', { cookie })).json).toEqual({ username: names[2] });
      // The old name is free.
      const other = await site.signUp();
      expect((await change(site, other.cookie, names[0])).status).toBe(200);
    });

    it('the owner of a mailbox who reclaims an account changes the user name, whatever the stranger has changed', async () => {
      const site = await openSite();
      const { email, cookie } = await signUpAs(site, uniqueName());
      for (const status of [200, 200, 200, 429]) {
        expect((await change(site, cookie(), uniqueName())).status).toBe(status);
      }
      await site.post('/email-code/send', { email });
      const code = site.mail.lastCode(email);
      const owner = (await site.post('/email-code/verify', { email, code })).cookie();
      expect((await change(site, cookie(), uniqueName())).status).toBe(401);
      expect((await change(site, owner, null)).json).toEqual({ username: null });
      for (const status of [200, 200, 429]) {
        expect((await change(site, owner, uniqueName())).status).toBe(status);
      }
    });

    it('failed logins by user name are limited, and do not lock the address', async () => {
      const site = await openSite();
      const name = uniqueName();
      const { email } = await signUpAs(site, name);
      for (let attempt = 0; attempt < 10; attempt += 1) await logIn(site, name, 'wrong password');
      expectError(await logIn(site, name.toUpperCase()), 429, 'rate_limit_exceeded');
      expect((await site.post('/password/login', { email, password: validPassword })).status).toBe(200);
      site.clock.advance(15 * minute);
      expect((await logIn(site, name)).status).toBe(200);
    });

    it('a login by user name is not logged with the name, which may be a password', async () => {
      const site = await openSite();
      await logIn(site, 'my-secret-password');
      expect(JSON.stringify(site.log)).not.toContain('secret-password');
    });

    it('a blocked user gets user_blocked only with the right password', async () => {
      const site = await openSite();
      const name = uniqueName();
      const { user } = await signUpAs(site, name);
      await site.service.users.block(user.id);
      expectError(await logIn(site, name, 'wrong password'), 401, 'invalid_credentials');
      expectError(await logIn(site, name), 403, 'user_blocked');
    });

    it('the name of an account without an address cannot be removed', async () => {
      const site = await openSite();
      const name = uniqueName();
      await site.service.users.create({ username: name, password: validPassword });
      const cookie = (await logIn(site, name)).cookie();
      const response = await change(site, cookie, null);
      expectError(response, 400, 'invalid_request');
      expect(response.json.reason).toBe('last_sign_in_method');
      expect((await change(site, cookie, uniqueName())).status).toBe(200);
    });

    it('both an address and a user name, or neither, are refused', async () => {
      const site = await openSite();
      const { email } = await site.signUp();
      const body = { email, username: uniqueName(), password: validPassword };
      expectError(await site.post('/password/login', body), 400, 'invalid_request');
      expectError(await site.post('/password/login', { password: validPassword }), 400, 'invalid_request');
    });

    it('without the option, the routes and the fields respond with provider_not_configured', async () => {
      const site = await open();
      const { cookie } = await site.signUp();
      expectError(await site.get('/username', { cookie }), 501, 'provider_not_configured');
      expectError(await change(site, cookie, uniqueName()), 501, 'provider_not_configured');
      expectError(await logIn(site, uniqueName()), 501, 'provider_not_configured');
      const { response } = await signUpAs(site, uniqueName());
      expectError(response, 501, 'provider_not_configured');
    });

    it('a user who adds a first password by a sign-up sets the user name separately', async () => {
      const site = await openSite();
      const { email, cookie } = await site.signInByCode();
      const body = { email, password: validPassword, username: uniqueName() };
      const response = await site.post('/password/signup', body, { cookie });
      expectError(response, 400, 'invalid_request');
      expect(response.json.reason).toBe('account_exists');
      expect((await site.adapter.users.findByEmail(email))?.passwordHash).toBeNull();
    });
  });
}
