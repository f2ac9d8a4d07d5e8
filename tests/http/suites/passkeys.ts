/** /passkeys and /mfa/passkey: names, sign-up with a passkey alone, suggestions of a form, and the second step. */
import { softwareAuthenticator } from 'svc-auth/testing';
import type { HttpResponse } from '../../support/http-client.js';
import type { Site } from '../../support/http-site.js';
import { addPasskey, enrollTotp, isSignedIn, signInByPasskey } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';
import { expectError } from './expect.js';

const page = { origin: 'https://app.test' };

export function passkeys(open: OpenSite): void {
  const openWith = async (webauthn: object = {}, options: { accounts?: boolean } = {}) => {
    const opened: { site?: Site } = {};
    const sender = { send: async (message: never) => opened.site!.mail.send(message) };
    const signUp = options.accounts ? { signUp: { address: 'verified', sender } } : {};
    const site = await open({
      pro: true,
      service: {
        encryptionKey: 'an encryption key of the tests, 32 bytes or more',
        usernames: { enabled: true },
        providers: {
          sessions: { canImpersonate: () => true },
          totp: { trustedBrowsers: { days: 30 } },
          account: { sender },
          webauthn: { rpId: 'app.test', origins: [page.origin], ...signUp, ...webauthn } as never,
        },
      },
    });
    opened.site = site;
    return site;
  };

  const challengeCookie = (response: HttpResponse, ...more: string[]) =>
    [...more, response.cookie('svc_webauthn')].join('; ');

  const rename = (site: Site, id: string, name: unknown, cookie?: string) =>
    site.send('PATCH', `/passkeys/${id}`, { name }, { ...(cookie && { cookie }) });

  /** The response to the start of a sign-up, as the browser posts it. */
  async function signUp(site: Site, body: object = {}, cookie?: string) {
    const start = await site.post('/passkeys/signup/start', body);
    expect(start.status).toBe(200);
    const authenticator = softwareAuthenticator(page);
    const response = authenticator.create(start.json.options);
    const finish = (sent: object = {}) =>
      site.post(
        '/passkeys/signup/finish',
        { response, ...sent },
        { cookie: cookie ?? challengeCookie(start) },
      );
    return { authenticator, finish };
  }

  /** The first step of a user with an authenticator app and a passkey. */
  async function firstStep(site: Site) {
    const { email, cookie } = await site.signInByCode();
    const authenticator = await addPasskey(site, cookie);
    await enrollTotp(site, cookie);
    const again = async (headers: string[] = []) => {
      await site.post('/email-code/send', { email });
      const body = { email, code: site.mail.lastCode(email) };
      return site.post('/email-code/verify', body, { cookie: headers.join('; ') });
    };
    return { email, authenticator, again };
  }

  describe('passkeys', () => {
    it('PATCH /passkeys/:id sets and removes the name of a passkey, and GET /passkeys lists it with its last use', async () => {
      const site = await openWith();
      const { cookie } = await site.signInByCode();
      const authenticator = await addPasskey(site, cookie);
      const [{ id }] = authenticator.credentials as unknown as [{ id: string }];
      const renamed = await rename(site, id, 'Work laptop', cookie);
      expect([renamed.status, renamed.json.passkey.name]).toEqual([200, 'Work laptop']);
      const signedIn = await signInByPasskey(site, authenticator);
      const listed = await site.get('/passkeys', { cookie: signedIn.cookie() });
      const [passkey] = listed.json.passkeys as [Record<string, unknown>];
      expect(passkey).toMatchObject({ name: 'Work laptop', backedUp: false });
      expect(passkey['lastUsedFrom']).toMatchObject({ ip: expect.any(String) });
      expect(passkey['lastUsedAt']).toEqual(expect.any(String));
      const reset = await rename(site, id, null, signedIn.cookie());
      expect(reset.json.passkey.name).toBe('Passkey');
    });

    it('PATCH /passkeys/:id refuses the passkey of another user, an impersonation and a malformed name', async () => {
      const site = await openWith();
      const [me, other] = [await site.signInByCode(), await site.signInByCode()];
      const [{ id }] = (await addPasskey(site, me.cookie)).credentials as unknown as [{ id: string }];
      expectError(await rename(site, id, 'Mine'), 401, 'token_invalid');
      expectError(await rename(site, id, 'Mine', other.cookie), 400, 'invalid_request');
      for (const name of ['', 7, undefined, 'two\nlines', 'x'.repeat(101)])
        expectError(await rename(site, id, name, me.cookie), 400, 'invalid_request');
      const { token } = await site.service.sessionsProvider.impersonate(other.user.id, me.user.id);
      expectError(await rename(site, id, 'Theirs', `svc_session=${token}`), 403, 'not_authorized');
    });

    it('POST /passkeys/register/finish takes a name', async () => {
      const site = await openWith();
      const { cookie } = await site.signInByCode();
      const start = await site.post('/passkeys/register/start', undefined, { cookie });
      const response = softwareAuthenticator(page).create(start.json.options);
      const both = { cookie: challengeCookie(start, cookie) };
      const finished = await site.post('/passkeys/register/finish', { response, name: 'Phone' }, both);
      expect([finished.status, finished.json.passkey.name]).toEqual([200, 'Phone']);
    });

    it('POST /passkeys/authenticate/autofill returns options for any user, which sign in', async () => {
      const site = await openWith();
      const { user, cookie } = await site.signInByCode();
      const authenticator = await addPasskey(site, cookie);
      const start = await site.post('/passkeys/authenticate/autofill');
      expect(start.json.options.allowCredentials ?? []).toEqual([]);
      const response = authenticator.get(start.json.options);
      const sent = { cookie: challengeCookie(start) };
      const finished = await site.post('/passkeys/authenticate/finish', { response }, sent);
      expect([finished.status, finished.json.user.id]).toEqual([200, user.id]);
    });
  });

  describe('sign-up with a passkey', () => {
    it('POST /passkeys/signup/finish creates an account without an address, once, in the browser that began', async () => {
      const site = await openWith({ signUp: true });
      const { authenticator, finish } = await signUp(site, {});
      const elsewhere = await signUp(site, {}, 'theme=dark');
      expectError(await elsewhere.finish(), 401, 'token_invalid');
      const response = await finish({ name: 'Phone' });
      expect([response.status, response.json.created, response.json.user.email]).toEqual([200, true, null]);
      expect(await isSignedIn(site, response.cookie())).toBe(true);
      expectError(await finish(), 401, 'token_invalid');
      const listed = await site.get('/passkeys', { cookie: response.cookie() });
      expect(listed.json.passkeys).toMatchObject([{ name: 'Phone' }]);
      expect((await signInByPasskey(site, authenticator)).json.user.id).toBe(response.json.user.id);
    });

    it('POST /passkeys/signup/start takes a user name, and refuses one that is taken', async () => {
      const site = await openWith({ signUp: true });
      const username = `grace${String(site.clock.now())}`;
      const { finish } = await signUp(site, { username });
      const { cookie } = { cookie: (await finish()).cookie() };
      expect((await site.get('/username', { cookie })).json).toEqual({ username });
      const again = await site.post('/passkeys/signup/start', { username: username.toUpperCase() });
      expectError(again, 400, 'invalid_request');
      expect(again.json.reason).toBe('username_taken');
    });

    it('the routes mail a code first if accounts need an address, and answer the same for every address', async () => {
      const site = await openWith({}, { accounts: true });
      const owner = await site.signInByCode();
      const email = `new-${String(site.clock.now())}@example.com`;
      site.mail.clear();
      const [known, unknown] = [
        await site.post('/passkeys/signup/send', { email: owner.email }),
        await site.post('/passkeys/signup/send', { email }),
      ];
      expect([known.status, known.json]).toEqual([unknown.status, unknown.json]);
      expect(site.mail.messages.map(({ kind }) => kind)).toEqual(['notice', 'email_code']);
      for (const address of [owner.email, email]) {
        const guess = { email: address, code: '000000' };
        expectError(await site.post('/passkeys/signup/start', guess), 401, 'code_invalid');
      }
      const { finish } = await signUp(site, { email, code: site.mail.lastCode(email) });
      const response = await finish();
      expect(response.json.user).toMatchObject({ email, emailVerified: true });
    });

    it('POST /passkeys/signup/finish does not hand over an account that got the address in the meantime', async () => {
      const site = await openWith({}, { accounts: true });
      const email = `race-${String(site.clock.now())}@example.com`;
      await site.post('/passkeys/signup/send', { email });
      const { finish } = await signUp(site, { email, code: site.mail.lastCode(email) });
      await site.post('/email-code/send', { email });
      await site.post('/email-code/verify', { email, code: site.mail.lastCode(email) });
      const response = await finish();
      expectError(response, 409, 'email_exists');
      expect(response.cookies.filter(({ name, value }) => name === 'svc_session' && value)).toEqual([]);
    });

    it('an address that is proven later is set by POST /account/email/confirm', async () => {
      const opened: { site?: Site } = {};
      const sender = { send: async (message: never) => opened.site!.mail.send(message) };
      const site = await openWith({ signUp: { address: 'later', sender } });
      opened.site = site;
      const email = `later-${String(site.clock.now())}@example.com`;
      const { finish } = await signUp(site, { email });
      const response = await finish();
      expect(response.json.user.email).toBeNull();
      // The mail is sent after the response.
      for (let i = 0; i < 3_000 && !site.mail.lastCode(email); i += 1)
        await new Promise((resolve) => setTimeout(resolve, 20));
      const body = { email, code: site.mail.lastCode(email) };
      const confirmed = await site.post('/account/email/confirm', body, { cookie: response.cookie() });
      expect(confirmed.json.user).toMatchObject({ id: response.json.user.id, email, emailVerified: true });
    });

    it('the routes return 501 unless sign-up with a passkey is configured', async () => {
      const site = await openWith();
      for (const step of ['send', 'start', 'finish'])
        expectError(await site.post(`/passkeys/signup/${step}`, {}), 501, 'provider_not_configured');
    });
  });

  describe('a passkey as the second step', () => {
    it('POST /mfa/passkey/finish completes a sign-in, and can trust the browser', async () => {
      const site = await openWith({ secondFactor: true });
      const { authenticator, again } = await firstStep(site);
      const first = await again();
      expect([first.status, first.json.error]).toEqual([403, 'mfa_required']);
      expect(first.json.methods).toEqual(['totp', 'passkey', 'recovery']);
      const pending = first.cookie('svc_mfa');
      const start = await site.post('/mfa/passkey/start', undefined, { cookie: pending });
      const response = authenticator.get(start.json.options, { userVerified: false });
      const sent = { cookie: challengeCookie(start, pending) };
      const finished = await site.post('/mfa/passkey/finish', { response, trustBrowser: true }, sent);
      expect(finished.status).toBe(200);
      expect(await isSignedIn(site, finished.cookie())).toBe(true);
      expectError(await site.post('/mfa/passkey/finish', { response }, sent), 401, 'token_invalid');
      const trust = finished.cookies.find(({ name, value }) => /svc_trust$/.test(name) && value);
      expect((await again([`${trust!.name}=${trust!.value}`])).status).toBe(200);
    });

    it('POST /mfa/passkey/finish refuses the passkey of another user, and a browser without svc_mfa', async () => {
      const site = await openWith({ secondFactor: true });
      const [me, attacker] = [await firstStep(site), await firstStep(site)];
      const pending = (await me.again()).cookie('svc_mfa');
      const start = await site.post('/mfa/passkey/start', undefined, { cookie: pending });
      const foreign = attacker.authenticator.get({ ...start.json.options, allowCredentials: [] });
      const sent = { cookie: challengeCookie(start, pending) };
      expectError(await site.post('/mfa/passkey/finish', { response: foreign }, sent), 401, 'token_invalid');
      expectError(await site.post('/mfa/passkey/start', undefined), 401, 'token_invalid');
      const fresh = await site.post('/mfa/passkey/start', undefined, { cookie: pending });
      const response = me.authenticator.get(fresh.json.options);
      const without = { cookie: challengeCookie(fresh) };
      expectError(await site.post('/mfa/passkey/finish', { response }, without), 401, 'token_invalid');
      // A pending sign-in of the attacker does not complete with the victim's touch.
      const theirs = (await attacker.again()).cookie('svc_mfa');
      const crossed = { cookie: challengeCookie(fresh, theirs) };
      expectError(await site.post('/mfa/passkey/finish', { response }, crossed), 401, 'token_invalid');
    });

    it('POST /mfa/passkey/start returns 403 if the application does not offer it', async () => {
      const site = await openWith();
      const { again } = await firstStep(site);
      const cookie = (await again()).cookie('svc_mfa');
      const response = await site.post('/mfa/passkey/start', undefined, { cookie });
      expectError(response, 403, 'not_authorized');
      expect(response.json.reason).toBe('second_factor_unavailable');
    });

    it('the second step works without a license, so that no one is locked out', async () => {
      const site = await openWith({ secondFactor: true, signUp: true });
      const { authenticator, again } = await firstStep(site);
      const pending = (await again()).cookie('svc_mfa');
      Object.defineProperty(site.service, 'licensed', { get: () => false });
      const start = await site.post('/mfa/passkey/start', undefined, { cookie: pending });
      const response = authenticator.get(start.json.options);
      const sent = { cookie: challengeCookie(start, pending) };
      expect((await site.post('/mfa/passkey/finish', { response }, sent)).status).toBe(200);
      expect((await site.post('/passkeys/authenticate/autofill')).status).toBe(200);
      expectError(await site.post('/passkeys/signup/start', {}), 501, 'license_required');
    });
  });
}
