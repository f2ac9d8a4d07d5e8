// A sign-out of this browser alone, after which the account has the same epoch, while a request is decided: it gives nothing any more.
import { loginAs } from '../../testing/index.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { Browser } from '../support/oauth-site.js';
import { beforeNextGrant, clientSite, grantsOf } from './client-site.js';
import { allow, askForToken, authorizeUrl } from './protocol.js';

describeAdapters('A sign-out of the browser while a request is decided', ({ adapter, uniqueEmail }) => {
  const site = clientSite({}, adapter);
  /** The users of the events `oauth.access_granted`. */
  const given: string[] = [];
  beforeAll(() => {
    site.test.service.on('oauth.access_granted', ({ userId }) => void given.push(userId));
  });
  afterEach(() => jest.restoreAllMocks());

  async function signedInBrowser() {
    const email = uniqueEmail();
    const { cookie, user } = await loginAs(site.app, email, { service: site.test.service });
    /** Ends the session by another tab, before this one has a new cookie. */
    const signOut = async () => {
      const otherTab = new Browser(site.issuer, cookie);
      const headers = { origin: site.issuer };
      expect((await otherTab.send('/api/auth/logout', { method: 'POST', headers })).status).toBe(200);
    };
    /** What the user has given so far: the grants, and the events. */
    const counts = async () => [
      (await grantsOf(site, email)).length,
      given.filter((each) => each === user.id).length,
    ];
    return { browser: new Browser(site.issuer, cookie), counts, email, signOut };
  }

  it('gets login_required for a request with prompt=none', async () => {
    const { browser, counts, signOut } = await signedInBrowser();
    await allow(site, browser, site.clientId);
    beforeNextGrant(site, signOut);
    const { url } = await browser.open(authorizeUrl(site, site.clientId, { prompt: 'none' }).url);
    expect([url.searchParams.get('code'), url.searchParams.get('error')]).toEqual([null, 'login_required']);
    expect(await counts()).toEqual([1, 1]);
  });

  it('leads to the sign-in if the user has given all of it before', async () => {
    const { browser, counts, signOut } = await signedInBrowser();
    await allow(site, browser, site.clientId);
    beforeNextGrant(site, signOut);
    expect((await browser.open(authorizeUrl(site, site.clientId).url)).url.pathname).toBe('/sign-in');
    expect(await counts()).toEqual([1, 1]);
  });

  it('leads to the sign-in after "Allow", and the request can be decided again', async () => {
    const { browser, counts, email, signOut } = await signedInBrowser();
    const page = await browser.open(authorizeUrl(site, site.clientId).url);
    beforeNextGrant(site, signOut);
    expect((await browser.submit(page.html, '/consent/allow')).url.pathname).toBe('/sign-in');
    expect(await counts()).toEqual([0, 0]);
    const { cookie } = await loginAs(site.app, email, { service: site.test.service });
    browser.setCookie(`${cookie}; Path=/`);
    const again = await browser.open(page.url.href);
    const end = await browser.submit(again.html, '/consent/allow');
    expect(end.url.searchParams.has('code')).toBe(true);
    expect(await counts()).toEqual([1, 1]);
  });

  it('refuses the request of a device', async () => {
    const { client } = await site.oauth.clients.create({ name: 'TV', grants: ['device_code'] });
    const response = await fetch(`${site.issuer}/oauth/device`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: client.id, resource: site.resource, scope: 'notes:read' }),
    });
    const started = (await response.json()) as { device_code: string; user_code: string };
    const { browser, counts, signOut } = await signedInBrowser();
    const entry = await browser.open('/device');
    const page = await browser.submit(entry.html, '/device/enter', { code: started.user_code });
    beforeNextGrant(site, signOut);
    const end = await browser.submit(page.html, '/device/allow');
    expect(end.html).not.toContain('Device connected');
    expect(await counts()).toEqual([0, 0]);
    const tokens = await askForToken(site, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      ...{ client_id: client.id, device_code: started.device_code },
    });
    expect(tokens.error).toBe('access_denied');
  });
});
