// Users who may not give a client access, or no longer.
import { loginAs } from '../../testing/index.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { Browser, openOAuthSite } from '../support/oauth-site.js';
import { clientSite, grantsOf } from './client-site.js';
import { allow, askForToken, authorizeUrl, call, callback, refresh } from './protocol.js';

describeAdapters('A blocked user', ({ adapter, uniqueEmail }) => {
  const site = clientSite({}, adapter);

  const block = async (email: string) => {
    const { service } = site.test;
    const { id } = (await service.users.find({ email }))!;
    await service.users.block(id);
    return id;
  };

  it('gives a client nothing with a page that was open before', async () => {
    const email = uniqueEmail();
    const browser = await site.browser(email);
    const page = await browser.open(authorizeUrl(site, site.clientId).url);
    await block(email);
    const end = await browser.submit(page.html, '/consent/allow');
    expect(end.url.searchParams.get('code')).toBeNull();
    expect(await grantsOf(site, email)).toEqual([]);
  });

  it('gives a client no token for a code, an access or a refresh token from before, nor after the block', async () => {
    const email = uniqueEmail();
    const browser = await site.browser(email);
    const tokens = await askForToken(site, await allow(site, browser, site.clientId));
    const redeemable = await allow(site, browser, site.clientId);
    const id = await block(email);
    const refused = async () => [
      (await askForToken(site, redeemable)).error,
      (await refresh(site, site.clientId, tokens.refresh_token)).error,
      (await call(site, tokens.access_token)).status,
    ];
    expect(await refused()).toEqual(['invalid_grant', 'invalid_grant', 401]);
    await site.test.service.users.unblock(id);
    expect(await refused()).toEqual(['invalid_grant', 'invalid_grant', 401]);
  });
});

describe('A user whose address is not verified', () => {
  it.each([
    ['changes of addresses', {}],
    ['sign-ups alone', { account: undefined }],
  ])(
    'gets the same answer with and without a page if codes are mailed for %s, also in the grace period',
    async (_name, providers) => {
      const emailPassword = { verifyEmail: 'require', verifyGraceMs: 60 * 60_000 } as const;
      const site = await openOAuthSite({}, undefined, { providers: { emailPassword, ...providers } });
      const { clock, adapter, service } = site.test;
      const { client } = await site.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
      const unverified = { email: 'ada@example.com', emailVerified: false };
      const { cookie, user } = await loginAs(site.app, unverified, { service });
      const browser = new Browser(site.issuer, cookie);
      const ask = async (prompt?: string) =>
        (await browser.open(authorizeUrl(site, client.id, { prompt }).url)).url;
      const answers = async () => [(await ask('none')).searchParams.get('error'), (await ask()).pathname];
      expect(await answers()).toEqual(['interaction_required', '/verify']);
      clock.advance(2 * 60 * 60_000);
      expect(await answers()).toEqual(['interaction_required', '/verify']);
      await adapter.users.markEmailVerified(user.id, new Date(clock.now()));
      expect(await answers()).toEqual(['consent_required', '/consent']);
      await site.close();
    },
  );

  it('is led to the verification, and gives nothing without the page, if verification is required', async () => {
    const emailPassword = { verifyEmail: 'require', verifyGraceMs: 60 * 60_000 } as const;
    const site = await openOAuthSite({}, undefined, { providers: { emailPassword } });
    try {
      const { app, issuer, oauth, test } = site;
      const { client } = await oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
      const user = { email: 'ada@example.com', emailVerified: false };
      const { cookie, user: created } = await loginAs(app, user, { service: test.service });
      const browser = new Browser(issuer, cookie);
      const authorization = await browser.send(authorizeUrl(site, client.id).url);
      const consent = new URL(authorization.headers.get('location')!);
      const shown = await browser.open(consent.href);
      expect(shown.url.pathname).toBe('/verify');
      const formToken = /name="form_token" value="([^"]+)"/.exec(shown.html)![1]!;
      const send = () =>
        browser.open('/consent/allow', {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded', origin: issuer },
          body: new URLSearchParams({
            ...{ request: consent.searchParams.get('request')!, user: created.id },
            form_token: formToken,
          }).toString(),
        });
      expect((await send()).url.pathname).toBe('/verify');
      expect(await grantsOf(site, user.email)).toEqual([]);
      // The same form gives access as soon as the address is verified.
      await test.adapter.users.markEmailVerified(created.id, new Date(test.clock.now()));
      expect((await send()).url.searchParams.has('code')).toBe(true);
      expect(await grantsOf(site, user.email)).toHaveLength(1);
    } finally {
      await site.close();
    }
  });
});
