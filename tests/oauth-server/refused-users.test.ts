// Users who may not give a client access, or no longer.
import { describeAdapters } from '../support/describe-adapters.js';
import { openOAuthSite, type OAuthSite } from '../support/oauth-site.js';
import { allow, askForToken, authorizeUrl, call, callback, refresh } from './protocol.js';

describeAdapters('A blocked user', ({ adapter, uniqueEmail }) => {
  let site: OAuthSite;
  let clientId: string;
  beforeAll(async () => {
    site = await openOAuthSite({}, adapter());
    const { client } = await site.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    clientId = client.id;
  });
  afterAll(() => site.close());

  const block = async (email: string) => {
    const { service } = site.test;
    const { id } = (await service.users.find({ email }))!;
    await service.users.block(id);
    return id;
  };

  it('gives a client nothing with a page that was open before', async () => {
    const email = uniqueEmail();
    const browser = await site.browser(email);
    const page = await browser.open(authorizeUrl(site, clientId).url);
    const id = await block(email);
    const end = await browser.submit(page.html, '/consent/allow');
    expect(end.url.searchParams.get('code')).toBeNull();
    const now = new Date(site.test.clock.now());
    expect(await site.test.adapter.oauthServer!.listGrants(id, now)).toEqual([]);
  });

  it('gives a client no token for a code, an access or a refresh token from before, nor after the block', async () => {
    const email = uniqueEmail();
    const browser = await site.browser(email);
    const tokens = await askForToken(site, await allow(site, browser, clientId));
    const redeemable = await allow(site, browser, clientId);
    const id = await block(email);
    const refused = async () => [
      (await askForToken(site, redeemable)).error,
      (await refresh(site, clientId, tokens.refresh_token)).error,
      (await call(site, tokens.access_token)).status,
    ];
    expect(await refused()).toEqual(['invalid_grant', 'invalid_grant', 401]);
    await site.test.service.users.unblock(id);
    expect(await refused()).toEqual(['invalid_grant', 'invalid_grant', 401]);
  });
});
