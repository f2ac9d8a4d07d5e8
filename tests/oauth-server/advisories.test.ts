// The published advisories about the OAuth servers of better-auth, each by its id, tried here.
import { clientSite } from './client-site.js';
import { allow, askForToken, authorizeUrl, call, callback, refresh, signedIn } from './protocol.js';

const other = 'https://files.test/';
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

describe('An OAuth server is not affected by', () => {
  const resources = { [other]: { scopes: { 'files:read': 'Read your files' } } };
  const site = clientSite({ registration: true, resources });

  const register = (metadata: object, headers: Record<string, string> = {}) =>
    fetch(`${site.issuer}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ client_name: 'A client', ...metadata }),
    });

  it('GHSA-xr8f-h2gw-9xh6: a client that registers itself gets nothing that only an administrator may give', async () => {
    const registered = await register({
      redirect_uris: [callback],
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'client_credentials'],
      skip_consent: true,
    });
    const client = (await registered.json()) as { client_id: string; client_secret: string };
    expect(client).toMatchObject({ grant_types: ['authorization_code'] });
    const authorization = `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}`;
    const own = { grant_type: 'client_credentials', resource: site.resource };
    expect((await askForToken(site, own, { authorization })).status).toBe(400);
    const browser = await site.browser('grace@example.com');
    const { html } = await browser.open(authorizeUrl(site, client.client_id).url);
    expect(html).toContain('/consent/allow');
  });

  it('GHSA-7w99-5wm4-3g79: of parallel redemptions of a code, two never succeed', async () => {
    const redeemable = await allow(site, await site.browser('ada@example.com'), site.clientId);
    const answers = await Promise.all(Array.from({ length: 20 }, () => askForToken(site, redeemable)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });

  it('GHSA-392p-2q2v-4372: parallel refreshes make one successor, not a branch for each', async () => {
    const first = await signedIn(site, 'ada@example.com', site.clientId);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => refresh(site, site.clientId, first.refresh_token)),
    );
    expect(new Set(answers.map((each) => each.refresh_token)).size).toBe(1);
  });

  it('GHSA-p2fr-6hmx-4528: a grant gives no token for a resource that was not asked for', async () => {
    const redeemable = await allow(site, await site.browser('ada@example.com'), site.clientId);
    const stolen = await askForToken(site, { ...redeemable, resource: other });
    expect(stolen).toMatchObject({ status: 400, error: 'invalid_target' });
    const first = await signedIn(site, 'ada@example.com', site.clientId);
    const grown = await refresh(site, site.clientId, first.refresh_token, { resource: other });
    expect(grown).toMatchObject({ status: 400, error: 'invalid_target' });
  });

  it('GHSA-cq3f-vc6p-68fh: a device code is decided by the account that has entered it', async () => {
    const { client } = await site.oauth.clients.create({ name: 'TV', grants: ['device_code'] });
    const response = await fetch(`${site.issuer}/oauth/device`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: client.id, resource: site.resource }).toString(),
    });
    const started = (await response.json()) as { device_code: string; user_code: string };
    const owner = await site.browser('ada@example.com');
    const stranger = await site.browser('mallory@example.com');
    const enter = async (browser: typeof owner) => {
      const { html } = await browser.open('/device');
      return browser.submit(html, '/device/enter', { code: started.user_code });
    };
    const page = await enter(owner);
    expect((await enter(stranger)).html).not.toContain('/device/allow');
    expect((await owner.submit(page.html, '/device/allow')).html).toContain('Device connected');
    site.test.clock.advance(5_000);
    const tokens = await askForToken(site, {
      grant_type: deviceGrant,
      client_id: client.id,
      device_code: started.device_code,
    });
    expect(await (await call(site, tokens.access_token)).json()).toMatchObject({ email: 'ada@example.com' });
  });

  it('GHSA-pw9m-5jxm-xr6h: a refresh token is of no use without its client, and is not one of a session', async () => {
    const { client, secret } = await site.oauth.clients.create({
      name: 'Partner',
      redirectUris: [callback],
      confidential: true,
    });
    const authorization = `Basic ${Buffer.from(`${client.id}:${encodeURIComponent(secret!)}`).toString('base64')}`;
    const { client_id: _id, ...redeemable } = await allow(
      site,
      await site.browser('ada@example.com'),
      client.id,
    );
    const tokens = await askForToken(site, redeemable, { authorization });
    expect(tokens.status).toBe(200);
    const body = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    for (const stolen of [body, { ...body, client_id: client.id }, { ...body, client_id: site.clientId }])
      expect((await askForToken(site, stolen)).status).toBeGreaterThanOrEqual(400);
    expect((await askForToken(site, body, { authorization })).status).toBe(200);
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'JavaScript:alert(1)//https://notes.test',
  ])(
    'GHSA-86j7-9j95-vpqj: the redirect address %s, which would be a script of this site',
    async (address) => {
      expect((await register({ redirect_uris: [address] })).status).toBe(400);
      const browser = await site.browser('ada@example.com');
      const { url } = authorizeUrl(site, site.clientId, { redirect_uri: address });
      expect((await browser.send(url)).headers.get('location')).toBeNull();
    },
  );

  it('GHSA-9h47-pqcx-hjr4: PKCE is required, by S256, and no token is unsigned', async () => {
    const response = await fetch(`${site.issuer}/.well-known/openid-configuration`);
    expect(await response.json()).toMatchObject({
      code_challenge_methods_supported: ['S256'],
      id_token_signing_alg_values_supported: expect.not.arrayContaining(['none']),
      response_types_supported: ['code'],
    });
    const browser = await site.browser('ada@example.com');
    for (const params of [{ code_challenge: undefined }, { code_challenge_method: 'plain' }]) {
      const { url } = await browser.open(authorizeUrl(site, site.clientId, params).url);
      expect(url.searchParams.get('error')).toBe('invalid_request');
    }
  });
});
