/** /oauth/:name/start, /callback and /link, and /identities, against a provider that speaks OpenID. */
import { randomUUID } from 'node:crypto';
import { codeAt } from '../../support/authenticator-app.js';
import { encryptionKey } from '../../support/every-provider.js';
import { mockIdentityProvider, softwareAuthenticator, type MockIdentityProvider } from 'svc-auth/testing';
import type { Account, RequestOptions, Site, SiteOptions } from '../../support/http-site.js';
import { base } from '../../support/http-site.js';
import { minute, nobody, proProviders } from '../../support/make-pro-service.js';
import type { Answer } from '../../support/http-client.js';
import type { OpenSite, Suite } from '../matrix.js';
import { expectError, expectRedirect, isoDate, userLike, uuidV7 } from './expect.js';

const redirectUri = `https://app.test${base}/oauth/acme/callback`;

// Over all sites of a database.
let people = 0;

export function oauth(open: OpenSite, express: Parameters<Suite>[1]): void {
  let idp: MockIdentityProvider;

  const openWithOAuth = ({ service = {}, ...options }: SiteOptions = {}) => {
    const acme = { issuer: idp.issuer, ...idp.client };
    const other = { ...acme, redirectUri: redirectUri.replace('acme', 'other') };
    const sessions = { canImpersonate: () => true };
    const providers = { ...proProviders, sessions, oauth: { acme, other }, ...service.providers };
    return open({ pro: true, ...options, service: { ...service, providers } });
  };

  /** A person known to the provider. */
  function person(site: Site, account: { email?: string; email_verified?: boolean } = {}) {
    const subject = `oauth-subject-${(people += 1)}`;
    const { email = site.address() } = account;
    idp.accounts.set(subject, { email, email_verified: true, ...account });
    return { subject, email };
  }

  const start = (site: Site, query = '') => site.get(`/oauth/acme/start${query}`);
  const callback = (site: Site, search: string, cookie?: string) =>
    site.get(`/oauth/acme/callback${search}`, { cookie });
  const link = (site: Site, cookie: string, body: object = {}, options: RequestOptions = {}) =>
    site.post('/oauth/acme/link', body, { cookie, ...options });
  const identitiesOf = async (site: Site, { cookie }: Account) =>
    (await site.get('/identities', { cookie })).json.identities;
  const unlink = (site: Site, cookie: string, id: string) =>
    site.send('DELETE', `/identities/${id}`, undefined, { cookie });

  async function signIn(site: Site, subject: string, cookie = 'theme=dark'): Promise<Answer> {
    const started = await start(site);
    const { search } = await idp.signIn(started.location!, subject);
    return callback(site, search, `${cookie}; ${started.cookie('svc_oauth')}`);
  }

  /** From the start of a link to the callback, which `by` brings. */
  async function linkAs(site: Site, { cookie }: Account, subject: string, by = cookie): Promise<Answer> {
    const started = await link(site, cookie);
    const { search } = await idp.signIn(started.json.url, subject);
    return callback(site, search, `${by}; ${started.cookie('svc_oauth')}`);
  }

  function expectSignedIn(answer: Answer, target = '/') {
    expect([answer.status, answer.location, answer.text]).toEqual([302, target, '']);
    expect(answer.cookies.map(({ name, value }) => [name, value !== ''])).toEqual([
      ['svc_oauth', false],
      ['svc_session', true],
      ['svc_device', true],
    ]);
  }

  /** No session is given or taken. */
  function expectLinked(answer: Answer, target = '/') {
    expect([answer.status, answer.location, answer.text]).toEqual([302, target, '']);
    expect(answer.cookies.map(({ name, value }) => [name, value !== ''])).toEqual([['svc_oauth', false]]);
  }

  describe('OAuth', () => {
    beforeAll(async () => {
      idp = await mockIdentityProvider({ redirectUri });
    });

    afterAll(() => idp.close());

    it('start is 302 to the provider, and binds the sign-in to the browser, for the routes alone', async () => {
      const site = await openWithOAuth({ trustProxy: true });
      const answer = await site.get('/oauth/acme/start', { headers: { 'X-Forwarded-Proto': 'https' } });
      expect([answer.status, answer.text]).toEqual([302, '']);
      const url = new URL(answer.location!);
      expect(url.origin).toBe(new URL(idp.issuer).origin);
      expect(Object.fromEntries(url.searchParams)).toMatchObject({
        redirect_uri: redirectUri,
        code_challenge_method: 'S256',
        nonce: expect.any(String) as string,
        state: expect.any(String) as string,
      });
      expect(answer.cookies).toMatchObject([
        {
          name: 'svc_oauth',
          attributes: {
            httponly: true,
            secure: true,
            samesite: 'Lax',
            'max-age': '600',
            path: base,
          },
        },
      ]);
    });

    it('the callback signs in and goes to the success target of the Pro router, with the state of the start', async () => {
      const site = await openWithOAuth({ pro: { successRedirect: '/in' } });
      const { subject, email } = person(site);
      const started = await start(site, '?state=basket%207');
      const { search } = await idp.signIn(started.location!, subject);
      const answer = await callback(site, search, started.cookie('svc_oauth'));
      expectSignedIn(answer, '/in?state=basket%207');
      const { user } = (await site.get('/session', { cookie: answer.cookie() })).json;
      expect(user).toEqual(userLike({ email, emailVerified: true }));
      const again = await signIn(site, subject);
      expect((await site.get('/session', { cookie: again.cookie() })).json.user.id).toBe(user.id);
    });

    it('an answer counts once, in its browser, for its provider, for ten minutes', async () => {
      const site = await openWithOAuth();
      const { subject } = person(site);
      const started = await start(site);
      const cookie = started.cookie('svc_oauth');
      const { search } = await idp.signIn(started.location!, subject);
      for (const answer of [
        await callback(site, search),
        await callback(site, search, (await start(site)).cookie('svc_oauth')),
        await site.get(`/oauth/other/callback${search}`, { cookie }),
      ]) {
        expectRedirect(answer, '/?error=oauth_error&reason=expired');
      }
      const answers = await Promise.all([1, 2, 3].map(() => callback(site, search, cookie)));
      expect(answers.map(({ location }) => location).sort()).toEqual([
        '/',
        '/?error=oauth_error&reason=expired',
        '/?error=oauth_error&reason=expired',
      ]);
      const late = await start(site);
      const answered = await idp.signIn(late.location!, subject);
      site.clock.advance(10 * minute);
      expectRedirect(
        await callback(site, answered.search, late.cookie('svc_oauth')),
        '/?error=oauth_error&reason=expired',
      );
    });

    it('a failure goes to the failure target, also of a name that is not configured, while its start is 501', async () => {
      const site = await openWithOAuth({ pro: { failureRedirect: ({ code }) => `/failed/${code}` } });
      const started = await start(site);
      const { search } = await idp.signIn(started.location!, '');
      expectRedirect(await callback(site, search, started.cookie('svc_oauth')), '/failed/oauth_error');
      for (const name of ['unknown', 'google', '__proto__', 'constructor', 'ACME']) {
        expectError(await site.get(`/oauth/${name}/start`), 501, 'provider_not_configured');
        expectRedirect(await site.get(`/oauth/${name}/callback?code=x`), '/failed/provider_not_configured');
      }
      const unlicensed = await openWithOAuth({ service: { licenseKey: undefined } });
      expectError(await start(unlicensed), 501, 'license_required');
      expectRedirect(await callback(unlicensed, '?code=x'), '/?error=license_required');
    });

    it('an address that has an account is not signed in to, where linking is explicit', async () => {
      const site = await openWithOAuth();
      const { email } = await site.signInByCode();
      expectRedirect(
        await signIn(site, person(site, { email }).subject),
        '/?error=oauth_error&reason=email_exists',
      );
    });

    it('an address that the provider has not verified never reveals whether it has an account', async () => {
      const site = await openWithOAuth();
      const { email } = await site.signInByCode();
      for (const address of [email, site.address()]) {
        const { subject } = person(site, { email: address, email_verified: false });
        expectSignedIn(await signIn(site, subject));
      }
    });

    it('the reason of a failure reaches the redirect, unless failureRedirect is a string', async () => {
      const site = await openWithOAuth();
      const declined = await start(site);
      const { search } = await idp.signIn(declined.location!, '');
      const refused = (reason: string) => `/?error=oauth_error&reason=${reason}`;
      expectRedirect(await callback(site, search, declined.cookie('svc_oauth')), refused('access_denied'));
      expectRedirect(await callback(site, search), refused('expired'));
      idp.lie({ faults: { token: 'error' } });
      expectRedirect(await signIn(site, person(site).subject), refused('provider_error'));
      idp.lie({});
      const fixed = await openWithOAuth({ pro: { failureRedirect: '/sign-in' } });
      expectRedirect(await callback(fixed, '?code=x'), '/sign-in');
      const own = await openWithOAuth({ pro: { failureRedirect: ({ reason }) => `/failed/${reason}` } });
      expectRedirect(await callback(own, '?code=x'), '/failed/expired');
    });

    it('a state that is given twice or is too long is 400, and a redirect target that is none a ConfigError', async () => {
      const site = await openWithOAuth();
      for (const query of ['?state=a&state=b', `?state=${'x'.repeat(513)}`]) {
        expectError(await start(site, query), 400, 'invalid_request');
      }
      await expect(openWithOAuth({ pro: { successRedirect: '//evil.test' } })).rejects.toMatchObject({
        code: 'config_invalid',
      });
    });

    it('HEAD consumes nothing', async () => {
      const site = await openWithOAuth();
      const { subject } = person(site);
      const started = await start(site);
      const { search } = await idp.signIn(started.location!, subject);
      const cookie = started.cookie('svc_oauth');
      for (const path of ['/oauth/acme/start', `/oauth/acme/callback${search}`]) {
        const head = await site.send('HEAD', path, undefined, { cookie });
        expect([head.status, head.text, head.cookies]).toEqual([200, '', []]);
      }
      expectSignedIn(await callback(site, search, cookie));
    });

    it('an account with a second factor waits for it', async () => {
      const site = await openWithOAuth({ service: { encryptionKey, providers: { totp: true } } });
      const { subject } = person(site);
      const cookie = (await signIn(site, subject)).cookie();
      const { user } = (await site.get('/session', { cookie })).json;
      const { secret } = await site.service.totp.beginEnrollment(user.id);
      await site.service.totp.confirmEnrollment(user.id, codeAt(secret, site.clock.now()));
      site.clock.advance(minute);
      const answer = await signIn(site, subject);
      expect([answer.status, answer.location]).toEqual([302, '/?error=mfa_required']);
      const given = answer.cookies.filter(({ value }) => value !== '').map(({ name }) => name);
      expect(given).toEqual(['svc_mfa']);
      const code = codeAt(secret, site.clock.now());
      const finished = await site.post('/mfa/verify', { code }, { cookie: answer.cookie('svc_mfa') });
      expect(finished.json.user.id).toBe(user.id);
    });
  });

  describe('the form of an OAuth provider', () => {
    beforeAll(async () => {
      idp = await mockIdentityProvider({ redirectUri });
    });

    afterAll(() => idp.close());

    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    // As the provider's page makes a browser send it: from another site, without Lax cookies.
    const headers = { ...type, 'Sec-Fetch-Site': 'cross-site', Origin: 'https://appleid.apple.com' };

    it('is answered with 303 to a GET of the same address, which signs in', async () => {
      const site = await openWithOAuth();
      const { subject } = person(site);
      const started = await start(site);
      const { searchParams } = await idp.signIn(started.location!, subject);
      const form = new URLSearchParams(searchParams);
      form.set('user', '{"name":{"firstName":"Ada"},"email":"ada@apple.test"}');
      form.set('id_token', 'a.b.c');
      for (let i = 0; i < 2; i += 1) {
        const answer = await site.send('POST', '/oauth/acme/callback', form.toString(), { headers });
        expect([answer.status, answer.text, answer.cookies]).toEqual([303, '', []]);
        // Names and tokens belong into no address.
        expect(answer.location).toBe(`${redirectUri}?${searchParams.toString()}`);
      }
      const { search } = new URL(`${redirectUri}?${searchParams.toString()}`);
      expectSignedIn(await callback(site, search, started.cookie('svc_oauth')));
    });

    it.each(['none', 'urlencoded', 'extended', 'text', 'json'])(
      'is read whatever parser the application has: %s',
      async (parser) => {
        const site = await openWithOAuth({
          before(app) {
            if (parser === 'urlencoded') app.use(express.urlencoded({ extended: false }));
            if (parser === 'extended') app.use(express.urlencoded({ extended: true }));
            if (parser === 'text') app.use(express.text({ type: '*/*' }));
            if (parser === 'json') app.use(express.json());
          },
        });
        const body = 'code=a%20b&state=c&state=d&error=&other=x';
        const answer = await site.send('POST', '/oauth/acme/callback', body, { headers });
        expect([answer.status, answer.location]).toEqual([
          303,
          `${redirectUri}?code=a+b&state=c&state=d&error=`,
        ]);
      },
    );

    it('that is none, is too large, or is for nobody, goes to the failure target', async () => {
      const site = await openWithOAuth();
      const post = (path: string, body: string, sent: Record<string, string>) =>
        site.send('POST', path, body, { headers: sent });
      for (const answer of [
        await post('/oauth/acme/callback', '{"code":"x"}', { 'Content-Type': 'application/json' }),
        await post('/oauth/acme/callback', `code=${'x'.repeat(20_000)}`, headers),
        // In an address three times as long, and longer than a server takes.
        await post('/oauth/acme/callback', `code=${'ü'.repeat(4_000)}`, headers),
      ]) {
        expect([answer.status, answer.location]).toEqual([303, '/?error=invalid_request']);
      }
      const unknown = await post('/oauth/unknown/callback', 'code=x', headers);
      expect([unknown.status, unknown.location]).toEqual([303, '/?error=provider_not_configured']);
    });
  });

  describe('linking', () => {
    beforeAll(async () => {
      idp = await mockIdentityProvider({ redirectUri });
    });

    afterAll(() => idp.close());

    it('whoever is signed in links their account at the provider, and signs in with it from then on', async () => {
      const site = await openWithOAuth();
      const me = await site.signInByCode();
      const { subject } = person(site);
      const started = await link(site, me.cookie, { state: 'settings' });
      expect(started.status).toBe(200);
      expect(Object.keys(started.json)).toEqual(['url']);
      expect(started.cookies).toMatchObject([
        { name: 'svc_oauth', attributes: { httponly: true, samesite: 'Lax' } },
      ]);
      const { search } = await idp.signIn(started.json.url, subject);
      const answer = await callback(site, search, `${me.cookie}; ${started.cookie('svc_oauth')}`);
      expectLinked(answer, '/?state=settings');
      expect(await identitiesOf(site, me)).toEqual([
        {
          id: expect.stringMatching(uuidV7) as string,
          userId: me.user.id,
          provider: 'acme',
          providerAccountId: subject,
          createdAt: expect.stringMatching(isoDate) as string,
        },
      ]);
      // Neither the session nor the address has changed, and linking again changes nothing.
      expect((await site.get('/session', { cookie: me.cookie })).json.user).toEqual(me.user);
      expectLinked(await linkAs(site, me, subject));
      const signedIn = await signIn(site, subject);
      expect((await site.get('/session', { cookie: signedIn.cookie() })).json.user.id).toBe(me.user.id);
    });

    it('a sign-in and two links that one browser has begun all succeed, in any order', async () => {
      const site = await openWithOAuth();
      const me = await site.signInByCode();
      const begin = async (started: Answer) => {
        const { search } = await idp.signIn(started.location ?? started.json.url, person(site).subject);
        return { search, jar: started.cookie('svc_oauth') };
      };
      const first = await begin(await link(site, me.cookie));
      const second = await begin(await link(site, `${me.cookie}; ${first.jar}`));
      const { search, jar } = await begin(await site.get('/oauth/acme/start', { cookie: second.jar }));
      for (const linked of [second, first]) {
        expect((await callback(site, linked.search, `${me.cookie}; ${jar}`)).location).toBe('/');
      }
      expect(await identitiesOf(site, me)).toHaveLength(2);
      const signedIn = await callback(site, search, jar);
      expect((await site.get('/session', { cookie: signedIn.cookie() })).json.user.id).not.toBe(me.user.id);
    });

    it('the callback links only with a live session of the user who began', async () => {
      const site = await openWithOAuth();
      const [me, other, admin] = [
        await site.signInByCode(),
        await site.signInByCode(),
        await site.signInByCode(),
      ];
      const { token } = await site.service.sessionsProvider.impersonate(admin.user.id, me.user.id);
      for (const by of ['theme=dark', 'svc_session=x', other.cookie, `svc_session=${token}`]) {
        const { subject } = person(site);
        expectRedirect(await linkAs(site, me, subject, by), '/?error=token_invalid');
        expect(await site.adapter.identities.findUser('acme', subject)).toBeNull();
      }
      const started = await link(site, me.cookie);
      const { subject } = person(site);
      const { search } = await idp.signIn(started.json.url, subject);
      await site.post('/logout', {}, { cookie: me.cookie });
      const late = await callback(site, search, `${me.cookie}; ${started.cookie('svc_oauth')}`);
      expectRedirect(late, '/?error=token_invalid');
      expect(await site.adapter.identities.findUser('acme', subject)).toBeNull();
    });

    it('an answer to a sign-in links nobody, and one to a link signs nobody in', async () => {
      const site = await openWithOAuth();
      const me = await site.signInByCode();
      const stranger = person(site);
      // Whoever has a victim's browser sign in with the attacker's account leaves the victim's own account alone.
      const signedIn = await signIn(site, stranger.subject, me.cookie);
      expectSignedIn(signedIn);
      expect((await site.get('/session', { cookie: signedIn.cookie() })).json.user.id).not.toBe(me.user.id);
      const mine = await site.signInByCode(me.email);
      expect(await identitiesOf(site, mine)).toEqual([]);
      const { subject } = person(site);
      const answer = await linkAs(site, mine, subject, 'theme=dark');
      expect(answer.cookies.filter(({ value }) => value !== '')).toEqual([]);
    });

    it('an account at the provider that somebody else has is oauth_error, and of two who link it at once one has it', async () => {
      const site = await openWithOAuth();
      const [one, two] = [await site.signInByCode(), await site.signInByCode()];
      const { subject } = person(site);
      const answers = await Promise.all([linkAs(site, one, subject), linkAs(site, two, subject)]);
      expect(answers.map(({ location }) => location).sort()).toEqual([
        '/',
        '/?error=oauth_error&reason=identity_linked',
      ]);
      const both = [...(await identitiesOf(site, one)), ...(await identitiesOf(site, two))];
      expect(both).toHaveLength(1);
    });

    it('a guest links nothing, and a body of wrong types or a long state is 400', async () => {
      const site = await openWithOAuth();
      const guest = (await site.post('/guest')).cookie();
      expectError(await link(site, guest), 403, 'not_authorized');
      const { cookie } = await site.signInByCode();
      for (const state of [1, ['a'], 'x'.repeat(513)]) {
        expectError(await link(site, cookie, { state }), 400, 'invalid_request');
      }
    });

    it('a link at a provider that is not configured is 501, whoever asks', async () => {
      const site = await openWithOAuth();
      const { cookie } = await site.signInByCode();
      for (const by of [cookie, 'theme=dark']) {
        const unknown = await site.post('/oauth/unknown/link', {}, { cookie: by });
        expectError(unknown, 501, 'provider_not_configured');
      }
    });

    it('refuses a link whose state has a lone surrogate with 400 before the browser leaves, and links nothing', async () => {
      const site = await openWithOAuth();
      const { cookie } = await site.signInByCode();
      for (const state of ['\ud800', 'a\udc00b']) {
        const answer = await link(site, cookie, { state });
        expectError(answer, 400, 'invalid_request');
        expect(answer.json.field).toBe('state');
      }
    });

    it('a page of another site begins no link, and a GET is no route', async () => {
      const site = await openWithOAuth();
      const { cookie } = await site.signInByCode();
      const headers = { 'Sec-Fetch-Site': 'cross-site' };
      expectError(await link(site, cookie, {}, { headers }), 403, 'not_authorized');
      expect((await site.get('/oauth/acme/link', { cookie })).status).toBe(404);
    });
  });

  describe('identities', () => {
    beforeAll(async () => {
      idp = await mockIdentityProvider({ redirectUri });
    });

    afterAll(() => idp.close());

    it('one is unlinked by its user, and no longer signs in', async () => {
      const site = await openWithOAuth();
      const me = await site.signInByCode();
      const { subject } = person(site);
      await linkAs(site, me, subject);
      const [identity] = await identitiesOf(site, me);
      const events: unknown[] = [];
      site.service.on('identity.unlinked', (payload) => events.push(payload));
      for (let i = 0; i < 2; i += 1) {
        expect((await unlink(site, me.cookie, identity.id)).json).toEqual({ ok: true });
      }
      await site.settle();
      expect(events).toEqual([{ userId: me.user.id, provider: 'acme' }]);
      expect(await identitiesOf(site, me)).toEqual([]);
      const newcomer = await signIn(site, subject);
      expect((await site.get('/session', { cookie: newcomer.cookie() })).json.user.id).not.toBe(me.user.id);
    });

    it('of somebody else is no error and stays', async () => {
      const site = await openWithOAuth();
      const [me, other] = [await site.signInByCode(), await site.signInByCode()];
      const { subject } = person(site);
      await linkAs(site, other, subject);
      const [identity] = await identitiesOf(site, other);
      for (const id of [identity.id, nobody]) {
        expect((await unlink(site, me.cookie, id)).json).toEqual({ ok: true });
      }
      expect(await identitiesOf(site, other)).toEqual([identity]);
    });

    it('the last way in stays: no address, no passkey, no other account that counts', async () => {
      const webauthn = { rpId: 'app.test', origins: ['https://app.test'] };
      const site = await openWithOAuth({ service: { providers: { webauthn } } });
      const { subject } = person(site, { email_verified: false });
      const cookie = (await signIn(site, subject)).cookie();
      const { user } = (await site.get('/session', { cookie })).json;
      const me = { cookie, user, email: '', password: '' };
      const [identity] = await identitiesOf(site, me);
      const refused = await unlink(site, cookie, identity.id);
      expectError(refused, 400, 'invalid_request');
      expect(refused.json.reason).toBe('last_sign_in_method');
      // One whose provider is configured no longer is no way in.
      const { epoch } = (await site.adapter.users.findById(user.id))!;
      const retired = { id: randomUUID(), userId: user.id, provider: 'retired', providerAccountId: subject };
      await site.adapter.identities.link({ ...retired, createdAt: new Date() }, epoch);
      expectError(await unlink(site, cookie, identity.id), 400, 'invalid_request');
      const { options, challenge } = await site.service.webauthn.startRegistration(user.id);
      const response = softwareAuthenticator({ origin: 'https://app.test' }).create(options);
      await site.service.webauthn.finishRegistration({
        userId: user.id,
        response,
        expectedChallenge: challenge,
      });
      expect((await unlink(site, cookie, identity.id)).json).toEqual({ ok: true });
    });

    it('an address is a way in only where something is mailed', async () => {
      const site = await openWithOAuth();
      const { subject } = person(site);
      const cookie = (await signIn(site, subject)).cookie();
      const { user } = (await site.get('/session', { cookie })).json;
      const me = { cookie, user, email: '', password: '' };
      const [identity] = await identitiesOf(site, me);
      const silent = await openWithOAuth({
        service: { providers: { emailCode: undefined, magicLink: undefined, emailPassword: undefined } },
      });
      await expect(silent.service.identities.unlink(user.id, identity.id)).rejects.toMatchObject({
        code: 'invalid_request',
      });
      expect((await unlink(site, cookie, identity.id)).json).toEqual({ ok: true });
    });

    it('of two that are unlinked at once, one stays where it is the last', async () => {
      const site = await openWithOAuth();
      const { subject } = person(site, { email_verified: false });
      const cookie = (await signIn(site, subject)).cookie();
      const { user } = (await site.get('/session', { cookie })).json;
      const me = { cookie, user, email: '', password: '' };
      await linkAs(site, me, person(site).subject);
      const both: { id: string }[] = await identitiesOf(site, me);
      expect(both).toHaveLength(2);
      const answers = await Promise.all(both.map(({ id }) => unlink(site, cookie, id)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      expect(await identitiesOf(site, me)).toHaveLength(1);
    });
  });
}
