/** `signUp.revealExisting: false`: sign-ups over HTTP that do not reveal which addresses have an account. */
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword, type Site, type SiteOptions } from '../../support/http-site.js';
import { proProviders } from '../../support/make-pro-service.js';
import { encryptionKey } from '../../support/every-provider.js';
import { differentCode, enrollTotp } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';
import { expectError, userLike } from './expect.js';

const path = '/password/signup';

/** Everything of a response that a stranger sees, without what differs between any two requests. */
function visible({ status, json, cookies, headers }: HttpResponse) {
  const set = cookies.map(({ name, attributes, value }) => {
    // Express computes it from the clock of the machine.
    const { expires: _expires, ...others } = attributes;
    return [name, others, value.split('.').length];
  });
  const { date: _date, 'set-cookie': _set, ...others } = headers;
  return { status, fields: Object.keys(json as object), set, others };
}

export function privateSignUp(open: OpenSite): void {
  const openPrivate = ({ service = {}, ...options }: SiteOptions = {}) =>
    open({ ...options, service: { ...service, signUp: { revealExisting: false, ...service.signUp } } });
  const signUp = (site: Site, email: string, more: object = {}) =>
    site.post(path, { email, password: validPassword, ...more });
  const finish = (site: Site, started: HttpResponse, code: string | undefined) =>
    site.post(`${path}/verify`, { code }, { cookie: started.cookie('svc_sign_up') });
  const login = (site: Site, email: string, password = validPassword) =>
    site.post('/password/login', { email, password });

  describe('private sign-up', () => {
    it('POST /password/signup returns the same for unknown, unverified, verified and passwordless addresses', async () => {
      const unverified = await (await open()).signUp();
      const site = await openPrivate();
      const verified = site.uniqueEmail();
      const started = await signUp(site, verified);
      expect((await finish(site, started, site.mail.lastCode(verified))).status).toBe(200);
      const passwordless = await site.signInByCode();
      const addresses = [site.uniqueEmail(), unverified.email, verified, passwordless.email];
      const responses: ReturnType<typeof visible>[] = [];
      for (const email of addresses) responses.push(visible(await signUp(site, email)));
      expect(responses[0]).toMatchObject({ status: 200, fields: ['expiresAt'] });
      expect(responses).toEqual(responses.map(() => responses[0]));
    });

    it('POST /password/signup/resend mails another code, for known addresses too, and the first one is wrong', async () => {
      const site = await openPrivate();
      const { email: known } = await site.signInByCode();
      for (const email of [site.uniqueEmail(), known]) {
        const started = await signUp(site, email);
        const first = site.mail.lastCode(email);
        const cookie = started.cookie('svc_sign_up');
        const resent = await site.post(`${path}/resend`, undefined, { cookie });
        expect([resent.status, Object.keys(resent.json as object)]).toEqual([200, ['expiresAt']]);
        const second = site.mail.lastCode(email);
        expect(second).not.toBe(first);
        expectError(await finish(site, started, first), 401, 'code_invalid');
        expect((await finish(site, started, second)).status).toBe(200);
        expectError(await site.post(`${path}/resend`, undefined, { cookie }), 401, 'code_not_found');
      }
    });

    it('POST /password/signup/resend counts as a mail of the address, and refuses a forged token', async () => {
      const site = await openPrivate({ service: { rateLimit: { maxPerWindow: 2 } } });
      const started = await signUp(site, site.uniqueEmail());
      const cookie = started.cookie('svc_sign_up');
      expect((await site.post(`${path}/resend`, undefined, { cookie })).status).toBe(200);
      expectError(await site.post(`${path}/resend`, undefined, { cookie }), 429, 'rate_limit_exceeded');
      expectError(await site.post(`${path}/resend`), 401, 'token_invalid');
      const forged = cookie.slice(0, -3) + 'abc';
      expectError(await site.post(`${path}/resend`, undefined, { cookie: forged }), 401, 'token_invalid');
    });

    it('POST /password/signup creates no account and no session before the code', async () => {
      const site = await openPrivate();
      const email = site.uniqueEmail();
      const started = await signUp(site, email);
      expect(started.cookies.map(({ name }) => name)).toEqual(['svc_sign_up']);
      expect(await site.service.users.find({ email })).toBeNull();
      // Otherwise a login with the chosen password would reveal that the address was unknown.
      expectError(await login(site, email), 401, 'invalid_credentials');
    });

    it('POST /password/signup/verify creates the account with its password, fields and user name, and signs in', async () => {
      const site = await openPrivate({ service: { usernames: { enabled: true } } });
      const email = site.uniqueEmail();
      const username = `ada${email.replace(/\W/g, '').slice(0, 20)}`;
      const started = await signUp(site, email, { username });
      const response = await finish(site, started, site.mail.lastCode(email));
      expect(response.status).toBe(200);
      expect(response.json).toEqual({ user: userLike({ email, emailVerified: true }), created: true });
      const cookie = response.cookie();
      expect((await site.get('/username', { cookie })).json).toEqual({ username });
      expect((await login(site, email)).status).toBe(200);
      // The cookie of the sign-up is cleared, and the code is used up.
      expect(response.cookies.find(({ name }) => name === 'svc_sign_up')?.value).toBe('');
      expectError(await finish(site, started, '123456'), 401, 'code_not_found');
    });

    it('POST /password/signup mails the owner of a known address a code that signs in and keeps the password', async () => {
      const site = await openPrivate();
      const owner = await site.signInByCode();
      const started = await signUp(site, owner.email, { password: 'another password' });
      const mail = site.mail.messages.at(-1)!;
      expect(mail).toMatchObject({ to: owner.email, subject: 'You already have an account on Acme' });
      const response = await finish(site, started, site.mail.lastCode(owner.email));
      expect(response.json).toMatchObject({ user: { id: owner.user.id }, created: false });
      expectError(await login(site, owner.email, 'another password'), 401, 'invalid_credentials');
    });

    it('POST /password/signup/verify refuses the code of another browser, which would confirm the password of a stranger', async () => {
      const site = await openPrivate();
      const email = site.uniqueEmail();
      const victim = await signUp(site, email);
      const codeOfVictim = site.mail.lastCode(email);
      // The stranger signs up with the same address, last, and waits for the owner of the mailbox to enter the newest code.
      const stranger = await signUp(site, email, { password: 'password of the stranger' });
      const codeOfStranger = site.mail.lastCode(email)!;
      if (codeOfStranger !== codeOfVictim)
        expectError(await finish(site, victim, codeOfStranger), 401, 'code_invalid');
      // The code of the victim is still valid, and creates the account with the password of the victim.
      expect((await finish(site, victim, codeOfVictim)).json).toMatchObject({ created: true });
      expectError(await login(site, email, 'password of the stranger'), 401, 'invalid_credentials');
      expect((await login(site, email)).status).toBe(200);
      expectError(await finish(site, stranger, differentCode(codeOfStranger)), 401, 'code_invalid');
    });

    it('POST /password/signup/verify reclaims an unverified account, and sets the password of this browser', async () => {
      const squatted = await (await open()).signUp();
      const site = await openPrivate();
      const started = await signUp(site, squatted.email, { password: 'password of the owner' });
      const response = await finish(site, started, site.mail.lastCode(squatted.email));
      expect(response.json).toMatchObject({ user: { id: squatted.user.id, emailVerified: true } });
      expectError(await site.get('/session', { cookie: squatted.cookie }), 401, 'token_invalid');
      expectError(await login(site, squatted.email), 401, 'invalid_credentials');
      expect((await login(site, squatted.email, 'password of the owner')).status).toBe(200);
    });

    it('POST /password/signup/verify returns 401 without the cookie, with a forged one, and after wrong codes', async () => {
      const site = await openPrivate();
      const email = site.uniqueEmail();
      const started = await signUp(site, email);
      const code = site.mail.lastCode(email)!;
      expectError(await site.post(`${path}/verify`, { code }), 401, 'token_invalid');
      const forged = `svc_sign_up=${started.cookie('svc_sign_up').slice('svc_sign_up='.length, -3)}abc`;
      expectError(await site.post(`${path}/verify`, { code }, { cookie: forged }), 401, 'token_invalid');
      for (let i = 0; i < 5; i += 1)
        expectError(await finish(site, started, differentCode(code)), 401, 'code_invalid');
      expectError(await finish(site, started, code), 401, 'max_attempts_exceeded');
    });

    it('POST /password/signup/verify returns 401 code_expired to a late client, for known and unknown addresses', async () => {
      const site = await openPrivate();
      const known = await site.signInByCode();
      for (const email of [site.uniqueEmail(), known.email]) {
        const started = await signUp(site, email);
        const code = site.mail.lastCode(email);
        site.clock.advance(11 * 60_000);
        expectError(await finish(site, started, code), 401, 'code_expired');
      }
    });

    it('POST /password/signup/verify refuses a code from before all sessions of the account were ended', async () => {
      const site = await openPrivate();
      const owner = await site.signInByCode();
      const started = await signUp(site, owner.email);
      await site.service.users.signOut(owner.user.id as string);
      expectError(await finish(site, started, site.mail.lastCode(owner.email)), 401, 'code_not_found');
    });

    it('POST /password/signup/verify requires the second factor of an account that has one', async () => {
      const site = await openPrivate({
        pro: true,
        service: { encryptionKey, providers: { ...proProviders, totp: true } },
      });
      const { email, cookie } = await site.signInByCode();
      await enrollTotp(site, cookie);
      const started = await signUp(site, email);
      const response = await finish(site, started, site.mail.lastCode(email));
      expect([response.status, response.json.error]).toEqual([403, 'mfa_required']);
      const set = response.cookies.filter(({ value }) => value !== '').map(({ name }) => name);
      expect(set).toEqual(['svc_mfa']);
    });

    it('POST /password/signup counts mails to known and unknown addresses in the same way', async () => {
      const site = await openPrivate({ service: { rateLimit: { maxPerWindow: 2 } } });
      const known = await site.signInByCode();
      for (const email of [site.uniqueEmail(), known.email]) {
        site.mail.clear();
        const statuses = [];
        for (let i = 0; i < 4; i += 1) statuses.push((await signUp(site, email)).status);
        expect(statuses).toEqual([200, 200, 429, 429]);
        expect(site.mail.messages).toHaveLength(2);
      }
    });

    it('POST /password/signup refuses a taken user name, whether or not the address has an account', async () => {
      const site = await openPrivate({ service: { usernames: { enabled: true } } });
      const taken = await site.signInByCode();
      const username = `taken${taken.email.replace(/\W/g, '').slice(0, 20)}`;
      await site.service.users.update(taken.user.id as string, { username });
      for (const email of [site.uniqueEmail(), taken.email]) {
        const response = await signUp(site, email, { username });
        expectError(response, 400, 'invalid_request');
        expect(response.json).toMatchObject({ field: 'username', reason: 'username_taken' });
      }
      // A sign-up that no one has confirmed reserves no user name: a second one would reveal that the first address was unknown.
      const free = `${username}x`;
      for (const email of [site.uniqueEmail(), taken.email, site.uniqueEmail()])
        expect((await signUp(site, email, { username: free })).status).toBe(200);
    });

    it('POST /password/signup returns 403 to a refused address, whether or not it has an account', async () => {
      const site = await openPrivate({ service: { signUp: { allow: () => false } } });
      const known = site.uniqueEmail();
      await site.service.users.create({ email: known, password: validPassword });
      for (const email of [site.uniqueEmail(), known])
        expectError(await signUp(site, email), 403, 'sign_up_disabled');
    });

    it('POST /password/signup sends the built-in mail if a template fails, for known and unknown addresses', async () => {
      const failing = () => {
        throw new Error('the template is broken');
      };
      for (const template of ['verificationTemplate', 'existingAccountTemplate']) {
        const site = await openPrivate({
          service: { providers: { emailPassword: { [template]: failing } } },
        });
        const known = await site.signInByCode();
        for (const email of [site.uniqueEmail(), known.email]) {
          const started = await signUp(site, email);
          expect((await finish(site, started, site.mail.lastCode(email))).status).toBe(200);
        }
      }
    });

    it('POST /password/signup still gives a signed-in user a first password', async () => {
      const site = await openPrivate();
      const { email, cookie } = await site.signInByCode();
      const response = await site.post(path, { email, password: validPassword }, { cookie });
      expect(response.json).toEqual({ user: userLike({ email, emailVerified: true }) });
      expect((await login(site, email)).status).toBe(200);
    });

    it('POST /guest/upgrade with a password returns the same 400 for known and unknown addresses', async () => {
      const site = await openPrivate({ pro: true, service: { providers: proProviders } });
      const known = await site.signInByCode();
      const cookie = (await site.post('/guest')).cookie();
      for (const email of [site.uniqueEmail(), known.email]) {
        const response = await site.post('/guest/upgrade', { email, password: validPassword }, { cookie });
        expectError(response, 400, 'invalid_request');
        expect(response.json.reason).toBe('email_unproven');
      }
    });

    it('POST /password/signup/verify still completes a sign-up after the option is changed', async () => {
      const site = await openPrivate();
      const changed = await open({ service: { clock: site.clock } });
      const email = site.uniqueEmail();
      const started = await signUp(site, email);
      expect((await finish(changed, started, site.mail.lastCode(email))).json).toMatchObject({
        created: true,
      });
      expectError(await changed.post(`${path}/verify`, { code: '123456' }), 401, 'token_invalid');
    });
  });
}
