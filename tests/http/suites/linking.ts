/** POST /google/link, and what can happen while the browser is at the provider. */
import { mockIdentityProvider, type MockIdentityProvider } from 'svc-auth/testing';
import { basePath, type Account, type Site, type SiteOptions } from '../../support/http-site.js';
import { proProviders } from '../../support/make-pro-service.js';
import { storageHook } from '../../support/pause-points.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectRedirect } from './expect.js';

// Shared by all sites of a database.
let accountCount = 0;

export function linking(open: OpenSite): void {
  let idp: MockIdentityProvider;

  const openWithGoogle = (options: SiteOptions = {}) => {
    const google = { ...idp.client, issuer: idp.issuer };
    return open({ pro: true, ...options, service: { providers: { ...proProviders, google } } });
  };

  function person(site: Site) {
    const subject = `link-subject-${(accountCount += 1)}`;
    idp.accounts.set(subject, { email: site.uniqueEmail(), email_verified: true });
    return subject;
  }

  const link = (site: Site, cookie: string) => site.post('/google/link', { state: 'settings' }, { cookie });

  /**
   * Runs a link from the start to the callback, with `meanwhile` while the browser is at the
   * provider.
   */
  async function linkAs(
    site: Site,
    { cookie }: Account,
    subject: string,
    whileAway: () => Promise<unknown> = async () => undefined,
  ) {
    const started = await link(site, cookie);
    const { search } = await idp.signIn(started.json.url, subject);
    await whileAway();
    return site.get(`/google/callback${search}`, { cookie: `${cookie}; ${started.cookie('svc_oauth')}` });
  }

  const identitiesOf = (site: Site, { user }: Account) => site.service.identities.list(user.id);

  describe('linking an identity', () => {
    beforeAll(async () => {
      idp = await mockIdentityProvider({ redirectUri: `https://app.test${basePath}/google/callback` });
    });

    afterAll(() => idp.close());

    it('POST /google/link links the built-in provider to the signed-in user, who can then sign in with it', async () => {
      const site = await openWithGoogle();
      const me = await site.signInByCode();
      const subject = person(site);
      const response = await linkAs(site, me, subject);
      // No session is started or ended.
      expect(response.cookies.map(({ name, value }) => [name, value])).toEqual([['svc_oauth', '']]);
      expectRedirect(response, '/?state=settings');
      expect(await identitiesOf(site, me)).toMatchObject([
        { provider: 'google', providerAccountId: subject },
      ]);
      expect((await site.get('/session', { cookie: me.cookie })).json.user).toEqual(me.user);
      const started = await site.get('/google/start');
      const { search } = await idp.signIn(started.location!, subject);
      const signedIn = await site.get(`/google/callback${search}`, { cookie: started.cookie('svc_oauth') });
      expect((await site.get('/session', { cookie: signedIn.cookie() })).json.user.id).toBe(me.user.id);
    });

    it('POST /google/link requires a recent sign-in, and refuses a guest', async () => {
      const site = await openWithGoogle();
      const { cookie } = await site.signInByCode();
      expectError(await site.post('/google/link', {}), 401, 'token_invalid');
      const guest = (await site.post('/guest')).cookie();
      expectError(await link(site, guest), 403, 'not_authorized');
      site.clock.advance(10 * 60_000 + 1);
      expectError(await link(site, cookie), 403, 'reauth_required');
    });

    it('POST /google/link returns 501 if the provider is not configured', async () => {
      const site = await open({ pro: true, service: { providers: proProviders } });
      expectError(await link(site, 'theme=dark'), 501, 'provider_not_configured');
    });

    it.each([
      ['signs out', (site: Site, { cookie }: Account) => site.post('/logout', {}, { cookie })],
      [
        'is signed out everywhere',
        (site: Site, { user }: Account) => site.service.sessionsProvider.revokeAll(user.id),
      ],
    ])(
      'GET /google/callback links nothing if the user %s while the browser is at the provider',
      async (_what, whileAway) => {
        const site = await openWithGoogle();
        const me = await site.signInByCode();
        const subject = person(site);
        expectRedirect(await linkAs(site, me, subject, () => whileAway(site, me)), '/?error=token_invalid');
        expect(await site.adapter.identities.findUser('google', subject)).toBeNull();
      },
    );

    it('GET /google/callback links nothing if a sign-out everywhere happens right after the check of the session', async () => {
      const hook = storageHook('after', 'sessions.findWithUser');
      const site = await openWithGoogle({ wrapAdapter: hook.wrapAdapter });
      const me = await site.signInByCode();
      const subject = person(site);
      const revoke = () => site.service.sessionsProvider.revokeAll(me.user.id);
      const response = await linkAs(site, me, subject, async () => void (hook.run = revoke));
      expect(hook.run).toBeUndefined();
      expectRedirect(response, '/?error=token_invalid');
      expect(await site.adapter.identities.findUser('google', subject)).toBeNull();
    });
  });
}
