/** POST /google/link, and what a link holds against what happens while the browser is at the provider. */
import { mockIdentityProvider, type MockIdentityProvider } from 'svc-auth/testing';
import { base, type Account, type Site, type SiteOptions } from '../../support/http-site.js';
import { proProviders } from '../../support/make-pro-service.js';
import { onceInStorage } from '../../support/held.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectRedirect } from './expect.js';

// Over all sites of a database.
let people = 0;

export function linking(open: OpenSite): void {
  let idp: MockIdentityProvider;

  const openWithGoogle = (options: SiteOptions = {}) => {
    const google = { ...idp.client, issuer: idp.issuer };
    return open({ pro: true, ...options, service: { providers: { ...proProviders, google } } });
  };

  function person(site: Site) {
    const subject = `link-subject-${(people += 1)}`;
    idp.accounts.set(subject, { email: site.address(), email_verified: true });
    return subject;
  }

  const link = (site: Site, cookie: string) => site.post('/google/link', { state: 'settings' }, { cookie });

  /** From the start of a link to the callback, with `meanwhile` while the browser is away. */
  async function linkAs(
    site: Site,
    { cookie }: Account,
    subject: string,
    meanwhile: () => Promise<unknown> = async () => undefined,
  ) {
    const started = await link(site, cookie);
    const { search } = await idp.signIn(started.json.url, subject);
    await meanwhile();
    return site.get(`/google/callback${search}`, { cookie: `${cookie}; ${started.cookie('svc_oauth')}` });
  }

  const identitiesOf = (site: Site, { user }: Account) => site.service.identities.list(user.id);

  describe('linking', () => {
    beforeAll(async () => {
      idp = await mockIdentityProvider({ redirectUri: `https://app.test${base}/google/callback` });
    });

    afterAll(() => idp.close());

    it('who is signed in links the built-in provider as well, and signs in with it from then on', async () => {
      const site = await openWithGoogle();
      const me = await site.signInByCode();
      const subject = person(site);
      const answer = await linkAs(site, me, subject);
      // No session is given or taken.
      expect(answer.cookies.map(({ name, value }) => [name, value])).toEqual([['svc_oauth', '']]);
      expectRedirect(answer, '/?state=settings');
      expect(await identitiesOf(site, me)).toMatchObject([
        { provider: 'google', providerAccountId: subject },
      ]);
      expect((await site.get('/session', { cookie: me.cookie })).json.user).toEqual(me.user);
      const started = await site.get('/google/start');
      const { search } = await idp.signIn(started.location!, subject);
      const signedIn = await site.get(`/google/callback${search}`, { cookie: started.cookie('svc_oauth') });
      expect((await site.get('/session', { cookie: signedIn.cookie() })).json.user.id).toBe(me.user.id);
    });

    it('needs a sign-in that is fresh and one’s own, and no guest', async () => {
      const site = await openWithGoogle();
      const { cookie } = await site.signInByCode();
      expectError(await site.post('/google/link', {}), 401, 'token_invalid');
      const guest = (await site.post('/guest')).cookie();
      expectError(await link(site, guest), 403, 'not_authorized');
      site.clock.advance(10 * 60_000 + 1);
      expectError(await link(site, cookie), 403, 'reauth_required');
    });

    it('without the provider it is 501, whoever asks', async () => {
      const site = await open({ pro: true, service: { providers: proProviders } });
      expectError(await link(site, 'theme=dark'), 501, 'provider_not_configured');
    });

    it.each([
      ['signs out', (site: Site, { cookie }: Account) => site.post('/logout', {}, { cookie })],
      [
        'is signed out everywhere',
        (site: Site, { user }: Account) => site.service.sessionsProvider.revokeAll(user.id),
      ],
    ])('who %s while the browser is away links nothing', async (_what, meanwhile) => {
      const site = await openWithGoogle();
      const me = await site.signInByCode();
      const subject = person(site);
      expectRedirect(await linkAs(site, me, subject, () => meanwhile(site, me)), '/?error=token_invalid');
      expect(await site.adapter.identities.findUser('google', subject)).toBeNull();
    });

    it('what signs the user out everywhere right after their session was looked at wins', async () => {
      const hook = onceInStorage('after', 'sessions.findWithUser');
      const site = await openWithGoogle({ wrapAdapter: hook.wrapAdapter });
      const me = await site.signInByCode();
      const subject = person(site);
      const revoke = () => site.service.sessionsProvider.revokeAll(me.user.id);
      const answer = await linkAs(site, me, subject, async () => void (hook.run = revoke));
      expect(hook.run).toBeUndefined();
      expectRedirect(answer, '/?error=token_invalid');
      expect(await site.adapter.identities.findUser('google', subject)).toBeNull();
    });
  });
}
