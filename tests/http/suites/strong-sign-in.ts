/** /totp, /mfa/verify, /passkeys and /devices: what they answer, what ends, what stays. */
import { softwareAuthenticator, type SoftwareAuthenticator } from 'svc-auth/testing';
import { codeAt } from '../../support/authenticator-app.js';
import { heldAdapter, HoldPoint } from '../../support/held.js';
import { isIn } from '../../support/people.js';
import type { Answer } from '../../support/http-client.js';
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
  /** The `Cookie` header of one of the cookies that an answer sets. */
  const cookieOf = (answer: Answer, name: string) => {
    const cookie = answer.cookies.find((each) => each.name === name);
    if (!cookie?.value) throw new Error(`${name} was not set`);
    return `${name}=${cookie.value}`;
  };

  /** An account with a second factor, and its next code. */
  async function enrolled(site: Site) {
    const { email, cookie } = await site.signInByCode();
    const { secret } = (await site.post('/totp/enroll', undefined, { cookie })).json;
    const code = () => codeAt(secret, site.clock.now());
    const confirmed = await site.post('/totp/confirm', { code: code() }, { cookie });
    expect(confirmed.status).toBe(200);
    site.clock.advance(step);
    return { email, first: cookie, cookie: confirmed.cookie(), code, confirmed };
  }

  async function waiting(site: Site, email: string): Promise<Answer> {
    await site.post('/email-code/send', { email });
    return site.post('/email-code/verify', { email, code: site.mail.lastCode(email) });
  }

  async function registered(site: Site, cookie: string, authenticator: SoftwareAuthenticator) {
    const start = await site.post('/passkeys/register/start', undefined, { cookie });
    const response = authenticator.create(start.json.options);
    const both = `${cookie}; ${cookieOf(start, 'svc_webauthn')}`;
    return site.post('/passkeys/register/finish', { response }, { cookie: both });
  }

  describe('a second factor', () => {
    it('A-51 is enabled by its first code: this browser goes on with a new session, every other one ends', async () => {
      const site = await openPro();
      const { email, user, cookie } = await site.signInByCode();
      const elsewhere = (await waiting(site, email)).cookie();
      expect((await site.get('/totp', { cookie })).json).toEqual({ enabled: false, recoveryCodesLeft: 0 });
      const { secret, uri } = (await site.post('/totp/enroll', undefined, { cookie })).json;
      expect(uri).toContain(`secret=${secret}`);
      expectError(await site.post('/totp/confirm', { code: '000000' }, { cookie }), 401, 'code_invalid');
      const answer = await site.post('/totp/confirm', { code: codeAt(secret, site.clock.now()) }, { cookie });
      expect(answer.json.recoveryCodes).toHaveLength(10);
      expect([await isIn(site, cookie), await isIn(site, elsewhere)]).toEqual([false, false]);
      const session = await site.get('/session', { cookie: answer.cookie() });
      expect(session.json.user.id).toBe(user.id);
      const state = await site.get('/totp', { cookie: answer.cookie() });
      expect(state.json).toEqual({ enabled: true, recoveryCodesLeft: 10 });
    });

    it('A-51 gives no new session to a browser that is signed out everywhere while it is enabled', async () => {
      let point = new HoldPoint();
      const site = await openPro({
        wrapAdapter: (adapter) => {
          const held = heldAdapter(adapter, 'totp.confirm', 'after');
          point = held.point;
          return held.adapter;
        },
      });
      const { user, cookie } = await site.signInByCode();
      const { secret } = (await site.post('/totp/enroll', undefined, { cookie })).json;
      const hold = point.holdNext();
      const confirming = site.post('/totp/confirm', { code: codeAt(secret, site.clock.now()) }, { cookie });
      await hold.reached;
      await site.service.sessionsProvider.revokeAll(user.id);
      hold.release();
      expectError(await confirming, 401, 'token_invalid');
      expect(await site.service.sessionsProvider.listDevices(user.id)).toEqual([]);
    });

    it('A-16 is asked for at /mfa/verify, which signs in by a code or by a recovery code', async () => {
      const site = await openPro();
      const { email, code, confirmed } = await enrolled(site);
      for (const body of [{ code: code() }, { recoveryCode: confirmed.json.recoveryCodes[0] }]) {
        const first = await waiting(site, email);
        expect([first.status, first.json.error]).toEqual([403, 'mfa_required']);
        const cookie = cookieOf(first, 'svc_mfa');
        expectError(await site.post('/mfa/verify', { code: '000000' }, { cookie }), 401, 'code_invalid');
        const answer = await site.post('/mfa/verify', body, { cookie });
        expect([answer.status, answer.json.user.email]).toEqual([200, email]);
        expect(await isIn(site, answer.cookie())).toBe(true);
        expect(answer.cookies.find(({ name }) => name === 'svc_mfa')?.value).toBe('');
        site.clock.advance(step);
        expectError(await site.post('/mfa/verify', { code: code() }, { cookie }), 401, 'token_invalid');
        site.clock.advance(step);
      }
    });

    it('needs the first one: /mfa/verify without svc_mfa is 401 token_invalid', async () => {
      const site = await openPro();
      const { code, cookie } = await enrolled(site);
      for (const options of [{}, { cookie }, { cookie: `svc_mfa=${cookie.split('=')[1]}` }])
        expectError(await site.post('/mfa/verify', { code: code() }, options), 401, 'token_invalid');
    });

    it('is finished without a licence as well: nobody is locked out of what they protected', async () => {
      const site = await openPro();
      const { email, code } = await enrolled(site);
      const cookie = cookieOf(await waiting(site, email), 'svc_mfa');
      Object.defineProperty(site.service, 'licensed', { get: () => false });
      const answer = await site.post('/mfa/verify', { code: code() }, { cookie });
      expect(answer.status).toBe(200);
      expectError(await site.get('/totp', { cookie: answer.cookie() }), 501, 'license_required');
    });

    it('changes no further than the sign-in is fresh: its changes do not renew that', async () => {
      const site = await openPro();
      const { cookie } = await enrolled(site);
      site.clock.advance(9 * minute);
      const replaced = await site.post('/totp/recovery-codes', undefined, { cookie });
      expect(replaced.json.recoveryCodes).toHaveLength(10);
      expect([await isIn(site, cookie), await isIn(site, replaced.cookie())]).toEqual([false, true]);
      site.clock.advance(minute);
      const late = { cookie: replaced.cookie() };
      expectError(await site.post('/totp/recovery-codes', undefined, late), 403, 'reauth_required');
      expectError(await site.post('/totp/disable', undefined, late), 403, 'reauth_required');
    });

    it('is disabled, and signs in with one factor again; disabling nothing ends nothing', async () => {
      const site = await openPro();
      const { email, cookie } = await enrolled(site);
      const answer = await site.post('/totp/disable', undefined, { cookie });
      expect([await isIn(site, cookie), await isIn(site, answer.cookie())]).toEqual([false, true]);
      const again = await site.post('/totp/disable', undefined, { cookie: answer.cookie() });
      expect([again.status, again.cookies]).toEqual([200, []]);
      expect(await isIn(site, answer.cookie())).toBe(true);
      expect((await waiting(site, email)).status).toBe(200);
    });
  });

  describe('a passkey', () => {
    it('A-97 is registered, listed, signs in and is removed', async () => {
      const site = await openPro();
      const { user, cookie } = await site.signInByCode();
      const authenticator = softwareAuthenticator();
      const { passkey } = (await registered(site, cookie, authenticator)).json;
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
      const answer = await signIn();
      expect([answer.status, answer.json.user.id]).toEqual([200, user.id]);
      expect(await isIn(site, answer.cookie())).toBe(true);
      expect((await site.send('DELETE', `/passkeys/${passkey.id}`, undefined, { cookie })).status).toBe(200);
      expectError(await signIn(), 401, 'token_invalid');
    });

    it('T9 needs the challenge of this browser, once', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      const authenticator = softwareAuthenticator();
      await registered(site, cookie, authenticator);
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

    it('keeps nothing in its cookie but challenges, whatever was there', async () => {
      const site = await openPro();
      const one = await site.post('/passkeys/authenticate/start');
      // As another host of the domain could have set it, in latin1: six times as long if it were set anew.
      const odd = ['ü'.repeat(4_000), `.x..${cookieOf(one, 'svc_webauthn').replace(/.*=/, '')}.__proto__.`];
      for (const value of odd) {
        const cookie = `svc_webauthn=${value}`;
        const { cookies } = await site.post('/passkeys/authenticate/start', undefined, { cookie });
        expect(cookies.map((each) => each.value)).toEqual([
          expect.stringMatching(value === odd[0] ? /^[\w-]{43}$/ : /^[\w-]{43}\.[\w-]{43}$/),
        ]);
      }
    });

    it('may be asked for in several tabs at once: each answer finds its own challenge', async () => {
      const site = await openPro();
      const { user, cookie } = await site.signInByCode();
      const authenticator = softwareAuthenticator();
      await registered(site, cookie, authenticator);
      let tabs = '';
      const starts: Answer[] = [];
      for (let tab = 0; tab < 6; tab += 1) {
        starts.push(await site.post('/passkeys/authenticate/start', undefined, { cookie: tabs }));
        tabs = cookieOf(starts[tab]!, 'svc_webauthn');
      }
      const outcomes: unknown[] = [];
      for (const start of starts) {
        const response = authenticator.get(start.json.options);
        const answer = await site.post('/passkeys/authenticate/finish', { response }, { cookie: tabs });
        outcomes.push(answer.status === 200 ? answer.json.user.id : answer.json.error);
      }
      const [old, young] = ['token_invalid', user.id];
      expect(outcomes).toEqual([old, old, young, young, young, young]);
    });

    it('signs in without a license, and so does a refresh token, but neither is created', async () => {
      const site = await openPro();
      const { user, cookie } = await site.signInByCode();
      const authenticator = softwareAuthenticator();
      await registered(site, cookie, authenticator);
      const { refreshToken } = (await site.post('/token/issue', {}, { cookie })).json;
      const { clock, adapter } = site;
      const later = await openPro({ service: { clock, adapter, licenseKey: undefined } });
      const start = await later.post('/passkeys/authenticate/start');
      const answer = await later.post(
        '/passkeys/authenticate/finish',
        { response: authenticator.get(start.json.options) },
        { cookie: cookieOf(start, 'svc_webauthn') },
      );
      expect([answer.status, answer.json.user?.id]).toEqual([200, user.id]);
      expect((await later.post('/token/refresh', { refreshToken })).status).toBe(200);
      for (const route of ['/passkeys/register/start', '/token/issue']) {
        expectError(await later.post(route, {}, { cookie: answer.cookie() }), 501, 'license_required');
      }
    });

    it('that is the last way in is not removed, as no identity is', async () => {
      const site = await openPro();
      const { sessionsProvider } = site.service;
      const { id: userId } = (await sessionsProvider.createGuest()).user;
      // By a provider that is not configured, so nobody signs in with it.
      await sessionsProvider.upgrade({ userId, provider: 'gone', providerAccountId: userId });
      const cookie = `svc_session=${(await sessionsProvider.create({ userId })).token}`;
      const add = async () => (await registered(site, cookie, softwareAuthenticator())).json.passkey.id;
      const ids: string[] = [await add(), await add()];
      const remove = (id: string) => site.send('DELETE', `/passkeys/${id}`, undefined, { cookie });
      const answers = await Promise.all(ids.map(remove));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      const refused = answers.find(({ status }) => status === 400)!;
      expectError(refused, 400, 'invalid_request');
      expect(refused.json.reason).toBe('last_sign_in_method');
      expect((await site.get('/passkeys', { cookie })).json.passkeys).toHaveLength(1);
    });

    it('of somebody else is not removed', async () => {
      const site = await openPro();
      const [mine, theirs] = [await site.signInByCode(), await site.signInByCode()];
      const { passkey } = (await registered(site, theirs.cookie, softwareAuthenticator())).json;
      const answer = await site.send('DELETE', `/passkeys/${passkey.id}`, undefined, { cookie: mine.cookie });
      expectError(answer, 400, 'invalid_request');
      expect((await site.get('/passkeys', { cookie: theirs.cookie })).json.passkeys).toHaveLength(1);
    });
  });

  describe('devices', () => {
    it('A-52 are listed with the present one marked, and signed out one by one or all but this', async () => {
      const site = await openPro();
      const { email, cookie } = await site.signInByCode();
      site.clock.advance(1);
      const second = (await waiting(site, email)).cookie();
      site.clock.advance(1);
      const third = (await waiting(site, email)).cookie();
      const { devices } = (await site.get('/devices', { cookie })).json;
      expect(devices).toMatchObject([{ current: false }, { current: false }, { current: true }]);
      await site.send('DELETE', `/devices/${devices[0].id}`, undefined, { cookie });
      expect([await isIn(site, third), await isIn(site, second), await isIn(site, cookie)]).toEqual([
        false,
        true,
        true,
      ]);
      await site.post('/devices/revoke-others', undefined, { cookie });
      expect([await isIn(site, second), await isIn(site, cookie)]).toEqual([false, true]);
    });

    it('of somebody else stay as they are', async () => {
      const site = await openPro();
      const [mine, theirs] = [await site.signInByCode(), await site.signInByCode()];
      const [device] = (await site.get('/devices', { cookie: theirs.cookie })).json.devices;
      const answer = await site.send('DELETE', `/devices/${device.id}`, undefined, { cookie: mine.cookie });
      expect(answer.status).toBe(200);
      expect(await isIn(site, theirs.cookie)).toBe(true);
    });
  });
}
