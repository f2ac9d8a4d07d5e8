/** /totp, /mfa/verify, /passkeys and /devices: their responses, and which sessions they end. */
import { softwareAuthenticator, type SoftwareAuthenticator } from 'svc-auth/testing';
import { codeAt } from '../../support/authenticator-app.js';
import { pausableAdapter, PausePoint } from '../../support/pause-points.js';
import { isSignedIn } from '../../support/site-actions.js';
import type { HttpResponse } from '../../support/http-client.js';
import type { Site, SiteOptions } from '../../support/http-site.js';
import { minute } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';
import { expectError } from './expect.js';

const step = 30_000;

export function strongSignIn(open: OpenSite): void {
  const openPro = (options: SiteOptions = {}) =>
    open({
      ...options,
      pro: true,
      service: {
        encryptionKey: 'an encryption key of the tests, 32 bytes or more',
        ...options.service,
        providers: {
          refresh: true,
          sessions: { canImpersonate: () => true },
          totp: true,
          webauthn: { rpId: 'app.test', origins: ['https://app.test'] },
        },
      },
    });
  /** Returns the `Cookie` header for one of the cookies that a response sets. */
  const cookieOf = (response: HttpResponse, name: string) => {
    const cookie = response.cookies.find((each) => each.name === name);
    if (!cookie?.value) throw new Error(`${name} was not set`);
    return `${name}=${cookie.value}`;
  };

  /** Creates an account with a second factor. */
  async function enrollUser(site: Site) {
    const { email, cookie } = await site.signInByCode();
    const { secret } = (await site.post('/totp/enroll', undefined, { cookie })).json;
    const code = () => codeAt(secret, site.clock.now());
    const confirmed = await site.post('/totp/confirm', { code: code() }, { cookie });
    expect(confirmed.status).toBe(200);
    site.clock.advance(step);
    return { email, first: cookie, cookie: confirmed.cookie(), code, confirmed };
  }

  async function startSignIn(site: Site, email: string): Promise<HttpResponse> {
    await site.post('/email-code/send', { email });
    return site.post('/email-code/verify', { email, code: site.mail.lastCode(email) });
  }

  async function registerPasskey(site: Site, cookie: string, authenticator: SoftwareAuthenticator) {
    const start = await site.post('/passkeys/register/start', undefined, { cookie });
    const response = authenticator.create(start.json.options);
    const both = `${cookie}; ${cookieOf(start, 'svc_webauthn')}`;
    return site.post('/passkeys/register/finish', { response }, { cookie: both });
  }

  describe('second factors', () => {
    //
    it('POST /totp/confirm enables the second factor, gives this browser a new session and ends every other session', async () => {
      const site = await openPro();
      const { email, user, cookie } = await site.signInByCode();
      const elsewhere = (await startSignIn(site, email)).cookie();
      expect((await site.get('/totp', { cookie })).json).toEqual({ enabled: false, recoveryCodesLeft: 0 });
      const { secret, uri } = (await site.post('/totp/enroll', undefined, { cookie })).json;
      expect(uri).toContain(`secret=${secret}`);
      expectError(await site.post('/totp/confirm', { code: '000000' }, { cookie }), 401, 'code_invalid');
      const response = await site.post(
        '/totp/confirm',
        { code: codeAt(secret, site.clock.now()) },
        { cookie },
      );
      expect(response.json.recoveryCodes).toHaveLength(10);
      expect([await isSignedIn(site, cookie), await isSignedIn(site, elsewhere)]).toEqual([false, false]);
      const session = await site.get('/session', { cookie: response.cookie() });
      expect(session.json.user.id).toBe(user.id);
      const state = await site.get('/totp', { cookie: response.cookie() });
      expect(state.json).toEqual({ enabled: true, recoveryCodesLeft: 10 });
    });

    //
    it('POST /totp/confirm starts no session if the user is signed out everywhere in the meantime', async () => {
      let point = new PausePoint();
      const site = await openPro({
        wrapAdapter: (adapter) => {
          const held = pausableAdapter(adapter, 'totp.confirm', 'after');
          point = held.point;
          return held.adapter;
        },
      });
      const { user, cookie } = await site.signInByCode();
      const { secret } = (await site.post('/totp/enroll', undefined, { cookie })).json;
      const hold = point.pauseNext();
      const confirming = site.post('/totp/confirm', { code: codeAt(secret, site.clock.now()) }, { cookie });
      await hold.reached;
      await site.service.sessionsProvider.revokeAll(user.id);
      hold.release();
      expectError(await confirming, 401, 'token_invalid');
      expect(await site.service.sessionsProvider.listDevices(user.id)).toEqual([]);
    });

    //
    it('POST /mfa/verify signs in with a code or a recovery code after the first factor', async () => {
      const site = await openPro();
      const { email, code, confirmed } = await enrollUser(site);
      for (const body of [{ code: code() }, { recoveryCode: confirmed.json.recoveryCodes[0] }]) {
        const first = await startSignIn(site, email);
        expect([first.status, first.json.error]).toEqual([403, 'mfa_required']);
        const cookie = cookieOf(first, 'svc_mfa');
        expectError(await site.post('/mfa/verify', { code: '000000' }, { cookie }), 401, 'code_invalid');
        const response = await site.post('/mfa/verify', body, { cookie });
        expect([response.status, response.json.user.email]).toEqual([200, email]);
        expect(await isSignedIn(site, response.cookie())).toBe(true);
        expect(response.cookies.find(({ name }) => name === 'svc_mfa')?.value).toBe('');
        site.clock.advance(step);
        expectError(await site.post('/mfa/verify', { code: code() }, { cookie }), 401, 'token_invalid');
        site.clock.advance(step);
      }
    });

    it('POST /mfa/verify returns 401 token_invalid without svc_mfa', async () => {
      const site = await openPro();
      const { code, cookie } = await enrollUser(site);
      for (const options of [{}, { cookie }, { cookie: `svc_mfa=${cookie.split('=')[1]}` }])
        expectError(await site.post('/mfa/verify', { code: code() }, options), 401, 'token_invalid');
    });

    it('POST /mfa/verify works without a license, so that no one is locked out', async () => {
      const site = await openPro();
      const { email, code } = await enrollUser(site);
      const cookie = cookieOf(await startSignIn(site, email), 'svc_mfa');
      Object.defineProperty(site.service, 'licensed', { get: () => false });
      const response = await site.post('/mfa/verify', { code: code() }, { cookie });
      expect(response.status).toBe(200);
      expectError(await site.get('/totp', { cookie: response.cookie() }), 501, 'license_required');
    });

    it('changes of the second factor do not make the sign-in more recent', async () => {
      const site = await openPro();
      const { cookie } = await enrollUser(site);
      site.clock.advance(9 * minute);
      const replaced = await site.post('/totp/recovery-codes', undefined, { cookie });
      expect(replaced.json.recoveryCodes).toHaveLength(10);
      expect([await isSignedIn(site, cookie), await isSignedIn(site, replaced.cookie())]).toEqual([
        false,
        true,
      ]);
      site.clock.advance(minute);
      const late = { cookie: replaced.cookie() };
      expectError(await site.post('/totp/recovery-codes', undefined, late), 403, 'reauth_required');
      expectError(await site.post('/totp/disable', undefined, late), 403, 'reauth_required');
    });

    it('POST /totp/disable ends the requirement and the old session; disabling again ends no session', async () => {
      const site = await openPro();
      const { email, cookie } = await enrollUser(site);
      const response = await site.post('/totp/disable', undefined, { cookie });
      expect([await isSignedIn(site, cookie), await isSignedIn(site, response.cookie())]).toEqual([
        false,
        true,
      ]);
      const again = await site.post('/totp/disable', undefined, { cookie: response.cookie() });
      expect([again.status, again.cookies]).toEqual([200, []]);
      expect(await isSignedIn(site, response.cookie())).toBe(true);
      expect((await startSignIn(site, email)).status).toBe(200);
    });
  });

  describe('passkeys', () => {
    //
    it('a passkey can be registered, listed, used to sign in and removed', async () => {
      const site = await openPro();
      const { user, cookie } = await site.signInByCode();
      const authenticator = softwareAuthenticator();
      const { passkey } = (await registerPasskey(site, cookie, authenticator)).json;
      expect(passkey).not.toHaveProperty('publicKey');
      expect((await site.get('/passkeys', { cookie })).json).toEqual({
        passkeys: [passkey],
        nextCursor: null,
      });

      const signIn = async () => {
        const start = await site.post('/passkeys/authenticate/start');
        const response = authenticator.get(start.json.options);
        return site.post(
          '/passkeys/authenticate/finish',
          { response },
          { cookie: cookieOf(start, 'svc_webauthn') },
        );
      };
      const signedIn = await signIn();
      expect([signedIn.status, signedIn.json.user.id]).toEqual([200, user.id]);
      expect(await isSignedIn(site, signedIn.cookie())).toBe(true);
      expect((await site.send('DELETE', `/passkeys/${passkey.id}`, undefined, { cookie })).status).toBe(200);
      expectError(await signIn(), 401, 'token_invalid');
    });

    // T9
    it('POST /passkeys/authenticate/finish requires the challenge of the same browser, once', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      const authenticator = softwareAuthenticator();
      await registerPasskey(site, cookie, authenticator);
      const start = await site.post('/passkeys/authenticate/start');
      const response = authenticator.get(start.json.options);
      const finish = (challenge?: string) =>
        site.post('/passkeys/authenticate/finish', { response }, { cookie: challenge });
      expectError(await finish(), 401, 'token_invalid');
      expectError(await finish('svc_webauthn=of-somebody-else'), 401, 'token_invalid');
      const own = cookieOf(start, 'svc_webauthn');
      expect((await finish(own)).status).toBe(200);
      expectError(await finish(own), 401, 'token_invalid');
    });

    it('the svc_webauthn cookie contains only challenges, whatever its earlier value', async () => {
      const site = await openPro();
      const start = await site.post('/passkeys/authenticate/start');
      // As another host of the domain could have set it, in latin1: encoded again, it would be six
      // times as long.
      const foreignValues = [
        'ü'.repeat(4_000),
        `.x..${cookieOf(start, 'svc_webauthn').replace(/.*=/, '')}.__proto__.`,
      ];
      for (const value of foreignValues) {
        const cookie = `svc_webauthn=${value}`;
        const { cookies } = await site.post('/passkeys/authenticate/start', undefined, { cookie });
        expect(cookies.map((cookie) => cookie.value)).toEqual([
          expect.stringMatching(value === foreignValues[0] ? /^[\w-]{43}$/ : /^[\w-]{43}\.[\w-]{43}$/),
        ]);
      }
    });

    it('sign-ins with passkeys can run in several tabs: each response is matched with its own challenge', async () => {
      const site = await openPro();
      const { user, cookie } = await site.signInByCode();
      const authenticator = softwareAuthenticator();
      await registerPasskey(site, cookie, authenticator);
      let tabs = '';
      const starts: HttpResponse[] = [];
      for (let tab = 0; tab < 6; tab += 1) {
        starts.push(await site.post('/passkeys/authenticate/start', undefined, { cookie: tabs }));
        tabs = cookieOf(starts[tab]!, 'svc_webauthn');
      }
      const outcomes: unknown[] = [];
      for (const start of starts) {
        const response = authenticator.get(start.json.options);
        const signedIn = await site.post('/passkeys/authenticate/finish', { response }, { cookie: tabs });
        outcomes.push(signedIn.status === 200 ? signedIn.json.user.id : signedIn.json.error);
      }
      const [rejected, accepted] = ['token_invalid', user.id];
      expect(outcomes).toEqual([rejected, rejected, accepted, accepted, accepted, accepted]);
    });

    it('sign-in with a passkey and refresh of a token work without a license, but creating either does not', async () => {
      const site = await openPro();
      const { user, cookie } = await site.signInByCode();
      const authenticator = softwareAuthenticator();
      await registerPasskey(site, cookie, authenticator);
      const { refreshToken } = (await site.post('/token/issue', {}, { cookie })).json;
      const { clock, adapter } = site;
      const later = await openPro({ service: { clock, adapter, licenseKey: undefined } });
      const start = await later.post('/passkeys/authenticate/start');
      const signedIn = await later.post(
        '/passkeys/authenticate/finish',
        { response: authenticator.get(start.json.options) },
        { cookie: cookieOf(start, 'svc_webauthn') },
      );
      expect([signedIn.status, signedIn.json.user?.id]).toEqual([200, user.id]);
      expect((await later.post('/token/refresh', { refreshToken })).status).toBe(200);
      for (const route of ['/passkeys/register/start', '/token/issue']) {
        expectError(await later.post(route, {}, { cookie: signedIn.cookie() }), 501, 'license_required');
      }
    });

    it('DELETE /passkeys/:id refuses to remove the last sign-in method, as DELETE /identities/:id does', async () => {
      const site = await openPro();
      const { sessionsProvider } = site.service;
      const { id: userId } = (await sessionsProvider.createGuest()).user;
      // With a provider that is not configured, so that it cannot be used to sign in.
      await sessionsProvider.upgrade({ userId, provider: 'gone', providerAccountId: userId });
      const cookie = `svc_session=${(await sessionsProvider.create({ userId })).token}`;
      const add = async () => (await registerPasskey(site, cookie, softwareAuthenticator())).json.passkey.id;
      const ids: string[] = [await add(), await add()];
      const remove = (id: string) => site.send('DELETE', `/passkeys/${id}`, undefined, { cookie });
      const responses = await Promise.all(ids.map(remove));
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
      const refused = responses.find(({ status }) => status === 400)!;
      expectError(refused, 400, 'invalid_request');
      expect(refused.json.reason).toBe('last_sign_in_method');
      expect((await site.get('/passkeys', { cookie })).json.passkeys).toHaveLength(1);
    });

    it('DELETE /passkeys/:id does not remove a passkey of another user', async () => {
      const site = await openPro();
      const [mine, theirs] = [await site.signInByCode(), await site.signInByCode()];
      const { passkey } = (await registerPasskey(site, theirs.cookie, softwareAuthenticator())).json;
      const response = await site.send('DELETE', `/passkeys/${passkey.id}`, undefined, {
        cookie: mine.cookie,
      });
      expectError(response, 400, 'invalid_request');
      expect((await site.get('/passkeys', { cookie: theirs.cookie })).json.passkeys).toHaveLength(1);
    });
  });

  describe('devices', () => {
    //
    it('GET /devices marks the current device, and devices can be signed out one by one or all except the current one', async () => {
      const site = await openPro();
      const { email, cookie } = await site.signInByCode();
      site.clock.advance(1);
      const second = (await startSignIn(site, email)).cookie();
      site.clock.advance(1);
      const third = (await startSignIn(site, email)).cookie();
      const { devices } = (await site.get('/devices', { cookie })).json;
      expect(devices).toMatchObject([{ current: false }, { current: false }, { current: true }]);
      await site.send('DELETE', `/devices/${devices[0].id}`, undefined, { cookie });
      expect([
        await isSignedIn(site, third),
        await isSignedIn(site, second),
        await isSignedIn(site, cookie),
      ]).toEqual([false, true, true]);
      await site.post('/devices/revoke-others', undefined, { cookie });
      expect([await isSignedIn(site, second), await isSignedIn(site, cookie)]).toEqual([false, true]);
    });

    it('DELETE /devices/:id does not sign out a device of another user', async () => {
      const site = await openPro();
      const [mine, theirs] = [await site.signInByCode(), await site.signInByCode()];
      const [device] = (await site.get('/devices', { cookie: theirs.cookie })).json.devices;
      const response = await site.send('DELETE', `/devices/${device.id}`, undefined, { cookie: mine.cookie });
      expect(response.status).toBe(200);
      expect(await isSignedIn(site, theirs.cookie)).toBe(true);
    });
  });
}
