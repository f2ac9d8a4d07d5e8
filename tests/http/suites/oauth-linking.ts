/** POST /oauth/:name/link and /identities, against a provider that implements OpenID Connect. */
import { randomUUID } from 'node:crypto';
import { softwareAuthenticator } from 'svc-auth/testing';
import type { HttpResponse } from '../../support/http-client.js';
import { unknownId } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectRedirect, expectSignedIn, isoDate, uuidV7 } from './expect.js';
import { oauthScenes } from './oauth-scenes.js';

export function oauthLinking(open: OpenSite): void {
  const {
    provider,
    useProvider,
    openWithOAuth,
    person,
    callback,
    link,
    identitiesOf,
    unlink,
    signIn,
    linkAs,
  } = oauthScenes(open);

  /** Expects a redirect that neither starts nor ends a session. */
  function expectLinked(response: HttpResponse, target = '/') {
    expect([response.status, response.location, response.text]).toEqual([302, target, '']);
    expect(response.cookies.map(({ name, value }) => [name, value !== ''])).toEqual([['svc_oauth', false]]);
  }

  describe('linking an OAuth identity', () => {
    useProvider();

    it('POST /oauth/:name/link links an account of the provider to the signed-in user, who can then sign in with it', async () => {
      const site = await openWithOAuth();
      const me = await site.signInByCode();
      const { subject } = person(site);
      const started = await link(site, me.cookie, { state: 'settings' });
      expect(started.status).toBe(200);
      expect(Object.keys(started.json)).toEqual(['url']);
      expect(started.cookies).toMatchObject([
        { name: 'svc_oauth', attributes: { httponly: true, samesite: 'Lax' } },
      ]);
      const { search } = await provider().signIn(started.json.url, subject);
      const response = await callback(site, search, `${me.cookie}; ${started.cookie('svc_oauth')}`);
      expectLinked(response, '/?state=settings');
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

    it('a sign-in and two links that one browser has started all succeed, in any order', async () => {
      const site = await openWithOAuth();
      const me = await site.signInByCode();
      const begin = async (started: HttpResponse) => {
        const { search } = await provider().signIn(
          started.location ?? started.json.url,
          person(site).subject,
        );
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

    it('GET /oauth/:name/callback links only with a valid session of the user who started the link', async () => {
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
      const { search } = await provider().signIn(started.json.url, subject);
      await site.post('/logout', {}, { cookie: me.cookie });
      const late = await callback(site, search, `${me.cookie}; ${started.cookie('svc_oauth')}`);
      expectRedirect(late, '/?error=token_invalid');
      expect(await site.adapter.identities.findUser('acme', subject)).toBeNull();
    });

    it('the callback of a sign-in links nothing, and the callback of a link signs no one in', async () => {
      const site = await openWithOAuth();
      const me = await site.signInByCode();
      const stranger = person(site);
      // A sign-in with the attacker's account in a victim's browser does not change the victim's
      // account.
      const signedIn = await signIn(site, stranger.subject, me.cookie);
      expectSignedIn(signedIn);
      expect((await site.get('/session', { cookie: signedIn.cookie() })).json.user.id).not.toBe(me.user.id);
      const mine = await site.signInByCode(me.email);
      expect(await identitiesOf(site, mine)).toEqual([]);
      const { subject } = person(site);
      const response = await linkAs(site, mine, subject, 'theme=dark');
      expect(response.cookies.filter(({ value }) => value !== '')).toEqual([]);
    });

    it('linking returns identity_linked if another user has the identity, and one of two concurrent links succeeds', async () => {
      const site = await openWithOAuth();
      const [first, second] = [await site.signInByCode(), await site.signInByCode()];
      const { subject } = person(site);
      const responses = await Promise.all([linkAs(site, first, subject), linkAs(site, second, subject)]);
      expect(responses.map(({ location }) => location).sort()).toEqual([
        '/',
        '/?error=oauth_error&reason=identity_linked',
      ]);
      const both = [...(await identitiesOf(site, first)), ...(await identitiesOf(site, second))];
      expect(both).toHaveLength(1);
    });

    it('POST /oauth/:name/link returns 403 to a guest, and 400 for a body of wrong types and an overlong state', async () => {
      const site = await openWithOAuth();
      const guest = (await site.post('/guest')).cookie();
      expectError(await link(site, guest), 403, 'not_authorized');
      const { cookie } = await site.signInByCode();
      for (const state of [1, ['a'], 'x'.repeat(513)]) {
        expectError(await link(site, cookie, { state }), 400, 'invalid_request');
      }
    });

    it('POST /oauth/:name/link returns 501 for a provider that is not configured, with and without a session', async () => {
      const site = await openWithOAuth();
      const { cookie } = await site.signInByCode();
      for (const by of [cookie, 'theme=dark']) {
        const unknown = await site.post('/oauth/unknown/link', {}, { cookie: by });
        expectError(unknown, 501, 'provider_not_configured');
      }
    });

    it('POST /oauth/:name/link returns 400 for a state with a lone surrogate, and links nothing', async () => {
      const site = await openWithOAuth();
      const { cookie } = await site.signInByCode();
      for (const state of ['\ud800', 'a\udc00b']) {
        const response = await link(site, cookie, { state });
        expectError(response, 400, 'invalid_request');
        expect(response.json.field).toBe('state');
      }
    });

    it('POST /oauth/:name/link refuses a page of another site, and has no GET', async () => {
      const site = await openWithOAuth();
      const { cookie } = await site.signInByCode();
      const headers = { 'Sec-Fetch-Site': 'cross-site' };
      expectError(await link(site, cookie, {}, { headers }), 403, 'not_authorized');
      expect((await site.get('/oauth/acme/link', { cookie })).status).toBe(404);
    });
  });

  describe('identities of a user', () => {
    useProvider();

    it('DELETE /identities/:id unlinks an identity, which then no longer signs in to the account', async () => {
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

    it('DELETE /identities/:id succeeds without effect for an identity of another user', async () => {
      const site = await openWithOAuth();
      const [me, other] = [await site.signInByCode(), await site.signInByCode()];
      const { subject } = person(site);
      await linkAs(site, other, subject);
      const [identity] = await identitiesOf(site, other);
      for (const id of [identity.id, unknownId]) {
        expect((await unlink(site, me.cookie, id)).json).toEqual({ ok: true });
      }
      expect(await identitiesOf(site, other)).toEqual([identity]);
    });

    it('DELETE /identities/:id refuses to remove the last sign-in method of a user without address and passkey', async () => {
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
      // An identity of a provider that is no longer configured is not a sign-in method.
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

    it('an address counts as a sign-in method only if a provider sends mail', async () => {
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

    it('two concurrent requests for the last two identities leave one of them', async () => {
      const site = await openWithOAuth();
      const { subject } = person(site, { email_verified: false });
      const cookie = (await signIn(site, subject)).cookie();
      const { user } = (await site.get('/session', { cookie })).json;
      const me = { cookie, user, email: '', password: '' };
      await linkAs(site, me, person(site).subject);
      const both: { id: string }[] = await identitiesOf(site, me);
      expect(both).toHaveLength(2);
      const responses = await Promise.all(both.map(({ id }) => unlink(site, cookie, id)));
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
      expect(await identitiesOf(site, me)).toHaveLength(1);
    });
  });
}
