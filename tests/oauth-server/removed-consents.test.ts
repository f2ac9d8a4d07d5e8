// What a user or an administrator removes does not come back by a request that relies on it, whichever of them is first.
import { describeAdapters } from '../support/describe-adapters.js';
import { openOAuthSite, type Browser, type OAuthSite } from '../support/oauth-site.js';
import { beforeNextGrant } from './client-site.js';
import { allow, askForToken, authorizeUrl, call, callback } from './protocol.js';

describeAdapters('An access that is removed while a request relies on it', ({ adapter, uniqueEmail }) => {
  let site: OAuthSite;
  beforeAll(async () => {
    site = await openOAuthSite({}, adapter());
  });
  afterAll(() => site.close());
  // The limits of one test are not those of another.
  beforeEach(() => site.test.clock.advance(16 * 60_000));
  afterEach(() => jest.restoreAllMocks());

  async function consenting() {
    const { client } = await site.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    const email = uniqueEmail();
    const browser = await site.browser(email);
    await askForToken(site, await allow(site, browser, client.id));
    const user = (await site.test.service.users.find({ email }))!;
    return { browser, clientId: client.id, userId: user.id };
  }

  const ways = { silently: { prompt: 'none' }, 'on the page': {} };
  type Way = keyof typeof ways;

  /** Sends a request that asks nothing. Returns its answer, with its code if it got one, and the page if that asks. */
  async function ask(browser: Browser, clientId: string, way: Way) {
    const { url, verifier } = authorizeUrl(site, clientId, ways[way]);
    const { html, url: end } = await browser.open(url);
    return { verifier, html, answer: end.searchParams };
  }

  async function works({ answer, verifier }: Awaited<ReturnType<typeof ask>>, clientId: string) {
    const code = answer.get('code');
    if (code === null) return false;
    const tokens = await askForToken(site, {
      ...{ grant_type: 'authorization_code', client_id: clientId, redirect_uri: callback },
      ...{ resource: site.resource, code, code_verifier: verifier },
    });
    return tokens.status === 200 && (await call(site, tokens.access_token)).status === 200;
  }

  const grants = (userId: string) =>
    site.test.adapter.oauthServer!.listGrants(userId, new Date(site.test.clock.now()));

  it('is not given again without a page: its client gets consent_required', async () => {
    const { browser, clientId, userId } = await consenting();
    beforeNextGrant(site, () => site.oauth.connectedApps.remove(userId, clientId));
    const { answer } = await ask(browser, clientId, 'silently');
    expect([answer.get('code'), answer.get('error')]).toEqual([null, 'consent_required']);
    expect(await grants(userId)).toEqual([]);
  });

  it('is asked for on the page, and can be given there', async () => {
    const { browser, clientId, userId } = await consenting();
    beforeNextGrant(site, () => site.oauth.connectedApps.remove(userId, clientId));
    const { answer, html } = await ask(browser, clientId, 'on the page');
    expect(answer.get('code')).toBeNull();
    expect(await grants(userId)).toEqual([]);
    const end = await browser.submit(html, '/consent/allow');
    expect(end.url.searchParams.has('code')).toBe(true);
  });

  it('is not given again when its client is removed', async () => {
    for (const way of Object.keys(ways) as Way[]) {
      const { browser, clientId, userId } = await consenting();
      beforeNextGrant(site, () => site.oauth.clients.remove(clientId));
      expect((await ask(browser, clientId, way)).answer.get('code')).toBeNull();
      expect(await grants(userId)).toEqual([]);
    }
  });

  it('is answered with login_required if the session has ended instead', async () => {
    const { browser, clientId, userId } = await consenting();
    beforeNextGrant(site, () => site.test.service.sessionsProvider.revokeAll(userId));
    expect((await ask(browser, clientId, 'silently')).answer.get('error')).toBe('login_required');
  });

  it.each(Object.keys(ways) as Way[])('leaves no token that works, asked %s', async (way) => {
    for (let round = 0; round < 8; round++) {
      const { browser, clientId, userId } = await consenting();
      const other = await site.browser((await site.test.service.users.get(userId)).email!);
      const headers = { origin: site.issuer };
      const [asked, removed] = await Promise.all([
        ask(browser, clientId, way),
        other.send(`/api/auth/connected-apps/${clientId}`, { method: 'DELETE', headers }),
      ]);
      expect(removed.status).toBeLessThan(300);
      expect(await works(asked, clientId)).toBe(false);
      expect(await grants(userId)).toEqual([]);
    }
  });
});
