// A grant of the OAuth server with a copied cookie of a bound session: none can begin, and none can be completed, after its lifetime.
import { bind, refresh, type BoundJar } from '../support/bound-browser.js';
import { ttlMs } from '../support/bound-site.js';
import { httpClient, type HttpClient } from '../support/http-client.js';
import { validPassword, type Site } from '../support/http-site.js';
import { Browser, openOAuthSite, type OAuthSite } from '../support/oauth-site.js';
import { allow, askForToken, authorizeUrl, callback } from './protocol.js';

describe('a client with a copied cookie of a bound session', () => {
  let site: OAuthSite;
  let http: HttpClient;
  let clientId: string;
  let people = 0;

  beforeAll(async () => {
    const session = { bound: { ttlMs }, cookie: { secure: true } };
    site = await openOAuthSite({}, undefined, { session, rateLimit: { maxPerWindow: 100 } });
    http = httpClient(Number(new URL(site.issuer).port));
    clientId = (await site.oauth.clients.create({ name: 'Notes', redirectUris: [callback] })).client.id;
  });
  afterAll(async () => {
    http.close();
    await site.close();
  });

  /** What binds a session sends its requests by this. */
  const sender = () =>
    ({
      send: (method, path, body, { headers, cookie } = {}) =>
        http.send({ method, path, body, headers: { ...headers, ...(cookie && { cookie }) } }),
    }) as Site;

  async function boundOwner(): Promise<BoundJar> {
    const body = { email: `owner-${(people += 1)}@example.com`, password: validPassword };
    const signedUp = await http.send({ method: 'POST', path: '/api/auth/password/signup', body });
    return bind(sender(), signedUp);
  }

  it('gets a grant while the cookie lasts', async () => {
    const jar = await boundOwner();
    const redeemable = await allow(site, new Browser(site.issuer, jar.cookie), clientId);
    expect((await askForToken(site, redeemable)).status).toBe(200);
  });

  it('must sign in afterwards, while the owner, whose browser proves the key, need not', async () => {
    const jar = await boundOwner();
    site.test.clock.advance(ttlMs);
    const copy = new Browser(site.issuer, jar.cookie);
    const { html, url } = await copy.open(authorizeUrl(site, clientId).url);
    expect(url.searchParams.get('code')).toBeNull();
    expect(html).toContain('name="email"');
    expect(html).not.toContain('/consent/allow');
    const renewed = (await refresh(sender(), jar)).cookie();
    const redeemable = await allow(site, new Browser(site.issuer, renewed), clientId);
    expect((await askForToken(site, redeemable)).status).toBe(200);
  });

  it('cannot allow afterwards what it was asked for before', async () => {
    const jar = await boundOwner();
    const copy = new Browser(site.issuer, jar.cookie);
    const page = await copy.open(authorizeUrl(site, clientId).url);
    expect(page.html).toContain('/consent/allow');
    site.test.clock.advance(ttlMs);
    const end = await copy.submit(page.html, '/consent/allow');
    expect(end.url.searchParams.get('code')).toBeNull();
    expect(end.url.pathname).not.toBe('/callback');
  });
});
