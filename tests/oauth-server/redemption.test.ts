// A mistake of a client at the token endpoint does not use its code up, and no address that was removed gets tokens.
import type { OAuthSite } from '../support/oauth-site.js';
import { clientSite } from './client-site.js';
import { allow, askForToken, authorizeUrl, callback } from './protocol.js';

const files = 'https://files.test/';
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

describe('A code', () => {
  const site = clientSite({ resources: { [files]: { scopes: { 'files:read': 'Read your files' } } } });

  it.each([
    ['another resource of the server', files],
    ['an unknown resource', 'https://other.test/mcp'],
    ['a resource that is not a URL', 'mcp'],
  ])('is not used up by a request for %s', async (_name, resource) => {
    const redeemable = await allow(site, await site.browser('ada@example.com'), site.clientId);
    const wrong = await askForToken(site, { ...redeemable, resource });
    expect(wrong).toMatchObject({ status: 400, error: 'invalid_target' });
    expect((await askForToken(site, redeemable)).status).toBe(200);
  });

  it('for several resources is not used up by a request that names none, or two', async () => {
    const browser = await site.browser('ada@example.com');
    const { url, verifier } = twoResources(site, site.clientId);
    const page = await browser.open(url);
    const end = page.html === '' ? page : await browser.submit(page.html, '/consent/allow');
    const own = { grant_type: 'authorization_code', client_id: site.clientId, redirect_uri: callback };
    const redeemable = { ...own, code: end.url.searchParams.get('code')!, code_verifier: verifier };
    expect(await askForToken(site, redeemable)).toMatchObject({ status: 400, error: 'invalid_target' });
    const both = new URLSearchParams(redeemable);
    for (const each of [site.resource, files]) both.append('resource', each);
    const response = await fetch(`${site.issuer}/oauth/token`, { method: 'POST', body: both });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_target' }),
    ]);
    const right = await askForToken(site, { ...redeemable, resource: files });
    expect(right).toMatchObject({ status: 200, scope: 'files:read' });
  });

  it('of a device is not used up by a request for another resource', async () => {
    const { client } = await site.oauth.clients.create({ name: 'TV', grants: ['device_code'] });
    const body = new URLSearchParams({ client_id: client.id, resource: site.resource, scope: 'notes:read' });
    const begun = await fetch(`${site.issuer}/oauth/device`, { method: 'POST', body });
    const started = (await begun.json()) as { device_code: string; user_code: string };
    const browser = await site.browser('ada@example.com');
    const entry = await browser.open('/device');
    const page = await browser.submit(entry.html, '/device/enter', { code: started.user_code });
    await browser.submit(page.html, '/device/allow');
    const ask = (more: Record<string, string> = {}) => {
      site.test.clock.advance(5_000);
      const own = { grant_type: deviceGrant, client_id: client.id, device_code: started.device_code };
      return askForToken(site, { ...own, ...more });
    };
    expect(await ask({ resource: files })).toMatchObject({ status: 400, error: 'invalid_target' });
    expect((await ask()).status).toBe(200);
  });

  it('that was sent to an address which was removed in the meantime is refused', async () => {
    const old = 'https://old.notes.test/callback';
    const { client } = await site.oauth.clients.create({ name: 'Partner', redirectUris: [callback, old] });
    const params = { redirect_uri: old, prompt: 'consent' };
    const redeemable = await allow(site, await site.browser('ada@example.com'), client.id, params);
    await site.oauth.clients.update(client.id, { redirectUris: [callback] });
    expect(await askForToken(site, redeemable)).toMatchObject({ status: 400, error: 'invalid_grant' });
    const other = await allow(site, await site.browser('ada@example.com'), client.id, { prompt: 'consent' });
    expect((await askForToken(site, other)).status).toBe(200);
  });
});

/** An authorization request for both resources. */
function twoResources(site: OAuthSite, clientId: string) {
  const { url, verifier } = authorizeUrl(site, clientId, { scope: 'notes:read files:read' });
  const both = new URL(url);
  both.searchParams.append('resource', files);
  return { url: both.href, verifier };
}
