/** `remember: false`: the browser forgets the session when it closes, whichever way its user signs in. */
import { signInContext, signInResponse } from 'svc-auth';
import { smsOutbox, softwareAuthenticator } from 'svc-auth/testing';
import { codeAt } from '../../support/authenticator-app.js';
import { encryptionKey } from '../../support/every-provider.js';
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword, type Site, type SiteOptions } from '../../support/http-site.js';
import type { OpenSite } from '../matrix.js';
import { expectError } from './expect.js';
import { oauthScenes } from './oauth-scenes.js';

const hour = 60 * 60_000;
const step = 30_000;
const remember = false;

// Shared by all sites of a database.
let numbers = 0;

/** Whether the browser keeps the session cookie of a response when it closes. */
function keepsSession({ cookies }: HttpResponse): boolean {
  const session = cookies.find(({ name, value }) => name === 'svc_session' && value !== '');
  if (!session) throw new Error('the response sets no session cookie');
  const { attributes } = session;
  expect(attributes).toMatchObject({ httponly: true, samesite: 'Lax', path: '/' });
  expect('max-age' in attributes).toBe('expires' in attributes);
  return 'max-age' in attributes;
}

export function remembering(open: OpenSite): void {
  const { openWithOAuth, person, provider, useProvider } = oauthScenes(open);
  const sms = smsOutbox();

  const openPro = ({ service = {}, ...options }: SiteOptions = {}) =>
    openWithOAuth({
      ...options,
      service: {
        encryptionKey,
        ...service,
        providers: {
          phoneOtp: { sender: sms },
          totp: true,
          webauthn: { rpId: 'app.test', origins: ['https://app.test'] },
          ...service.providers,
        },
      },
    });

  const byCode = async (site: Site, email: string, choice: object = {}) => {
    await site.post('/email-code/send', { email });
    return site.post('/email-code/verify', { email, code: site.mail.lastCode(email), ...choice });
  };

  describe('remember: false', () => {
    useProvider();

    it('every sign-in method sets a cookie without an expiry if the request says remember: false', async () => {
      const site = await openPro();
      const email = site.uniqueEmail();
      const signup = await site.post('/password/signup', { email, password: validPassword, remember });
      const login = await site.post('/password/login', { email, password: validPassword, remember });
      const code = await byCode(site, site.uniqueEmail(), { remember });
      await site.post('/magic-link/send', { email, remember });
      const { search } = new URL(site.mail.lastLink(email)!);
      const link = await site.get(`/magic-link/verify${search}`);
      const phone = `+4915198${String((numbers += 1)).padStart(6, '0')}`;
      await site.post('/phone/send', { phone });
      const text = await site.post('/phone/verify', { phone, code: sms.lastCode(phone), remember });
      for (const response of [signup, login, code, link, text]) expect(keepsSession(response)).toBe(false);
    });

    it('a passkey starts a session that the browser forgets', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      const authenticator = softwareAuthenticator();
      const start = await site.post('/passkeys/register/start', undefined, { cookie });
      const created = authenticator.create(start.json.options);
      const both = `${cookie}; ${start.cookie('svc_webauthn')}`;
      await site.post('/passkeys/register/finish', { response: created }, { cookie: both });
      const begun = await site.post('/passkeys/authenticate/start');
      const response = authenticator.get(begun.json.options);
      const challenge = { cookie: begun.cookie('svc_webauthn') };
      const signedIn = await site.post('/passkeys/authenticate/finish', { response, remember }, challenge);
      expect(keepsSession(signedIn)).toBe(false);
    });

    it('a sign-in at an identity provider carries the choice through the redirects', async () => {
      const site = await openPro();
      const { subject } = person(site);
      for (const [query, isKept] of [
        ['?remember=false', false],
        ['?remember=true', true],
        ['', true],
      ] as const) {
        const started = await site.get(`/oauth/acme/start${query}`);
        const { search } = await provider().signIn(started.location!, subject);
        const cookie = started.cookie('svc_oauth');
        const response = await site.get(`/oauth/acme/callback${search}`, { cookie });
        expect(keepsSession(response)).toBe(isKept);
      }
    });

    it('the second step of a sign-in keeps the choice of the first, and can make it', async () => {
      const site = await openPro();
      const { email, cookie } = await site.signInByCode();
      const { secret } = (await site.post('/totp/enroll', undefined, { cookie })).json;
      const code = () => codeAt(secret, site.clock.now());
      await site.post('/totp/confirm', { code: code() }, { cookie });
      const signIn = async (first: object, second: object) => {
        site.clock.advance(step);
        const pending = await byCode(site, email, first);
        expect([pending.status, pending.json.error]).toEqual([403, 'mfa_required']);
        const mfa = pending.cookie('svc_mfa');
        return site.post('/mfa/verify', { code: code(), ...second }, { cookie: mfa });
      };
      expect(keepsSession(await signIn({ remember }, {}))).toBe(false);
      expect(keepsSession(await signIn({ remember }, { remember: true }))).toBe(false);
      expect(keepsSession(await signIn({}, { remember }))).toBe(false);
      expect(keepsSession(await signIn({}, {}))).toBe(true);
    });

    it('the upgrade of a guest and a change of password keep the choice, or make it', async () => {
      const site = await openPro({ service: { providers: { account: true } } });
      const upgrade = async (guestCookie: string, choice: object) => {
        const email = site.uniqueEmail();
        const body = { email, password: validPassword, ...choice };
        return site.post('/guest/upgrade', body, { cookie: guestCookie });
      };
      const guest = async (choice?: boolean) => {
        const { token } = await site.service.sessionsProvider.createGuest({}, { remember: choice });
        return `svc_session=${token}`;
      };
      const upgraded = await upgrade(await guest(false), {});
      expect(keepsSession(upgraded)).toBe(false);
      expect(keepsSession(await upgrade(await guest(), { remember }))).toBe(false);
      expect(keepsSession(await upgrade(await guest(), {}))).toBe(true);
      const changed = await site.post(
        '/account/password',
        { currentPassword: validPassword, newPassword: 'another correct horse' },
        { cookie: upgraded.cookie() },
      );
      expect(keepsSession(changed)).toBe(false);
    });

    it('every renewal of the cookie leaves it without an expiry', async () => {
      const site = await openPro();
      let cookie = (await byCode(site, site.uniqueEmail(), { remember })).cookie();
      for (let day = 0; day < 3; day += 1) {
        site.clock.advance(25 * hour);
        const response = await site.get('/session', { cookie });
        expect(keepsSession(response)).toBe(false);
        cookie = response.cookie();
      }
    });

    it('unrememberedTtlMs ends an idle session sooner, and keeps a session in use', async () => {
      const site = await openPro({ service: { session: { unrememberedTtlMs: 2 * hour } } });
      const email = site.uniqueEmail();
      const idle = (await byCode(site, email, { remember })).cookie();
      let used = (await byCode(site, email, { remember })).cookie();
      const kept = (await byCode(site, email)).cookie();
      for (let minutes = 0; minutes < 150; minutes += 50) {
        site.clock.advance(50 * 60_000);
        const response = await site.get('/session', { cookie: used });
        expect(response.status).toBe(200);
        if (response.cookies.length > 0) used = response.cookie();
      }
      expectError(await site.get('/session', { cookie: idle }), 401, 'token_invalid');
      expect((await site.get('/session', { cookie: used })).status).toBe(200);
      expect((await site.get('/session', { cookie: kept })).status).toBe(200);
    });

    it('the browser keeps nothing that says who has signed in', async () => {
      const site = await openPro();
      const response = await byCode(site, site.uniqueEmail(), { remember });
      expect(response.cookies.map(({ name }) => name)).toEqual(['svc_session']);
    });

    it('remember must be true or false', async () => {
      const site = await openPro();
      const { email } = await site.signUp();
      for (const wrong of ['false', 0, {}, []]) {
        const body = { email, password: validPassword, remember: wrong };
        expectError(await site.post('/password/login', body), 400, 'invalid_request');
      }
      const login = await site.post('/password/login', { email, password: validPassword, remember: true });
      expect(keepsSession(login)).toBe(true);
    });

    it('signInResponse of an application sets the cookie that the context asks for', async () => {
      const site = await open({
        before: (app, { service }) =>
          app.post('/app/sign-in', (req, res, next) => {
            const { email, code } = req.query as Record<string, string>;
            const context = { ...signInContext(service, req), remember };
            service.emailCode
              .verify({ email: email!, code: code! }, context)
              .then((result) => signInResponse(service, req, res, result))
              .catch(next);
          }),
      });
      const email = site.uniqueEmail();
      await site.post('/email-code/send', { email });
      const query = new URLSearchParams({ email, code: site.mail.lastCode(email)! });
      const response = await site.send('POST', `/app/sign-in?${query.toString()}`, undefined, {
        skipChecks: true,
      });
      expect(keepsSession(response)).toBe(false);
    });
  });
}
