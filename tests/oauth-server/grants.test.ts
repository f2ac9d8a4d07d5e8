// How many grants a user has, what is left of them, and what a client learns of them.
import { grantsBeyondLimits } from '../../src/oauth-server/grant-limits.js';
import type { OAuthGrant } from '../../src/domain/oauth-server.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { openOAuthSite, type OAuthSite } from '../support/oauth-site.js';
import { grantsOf } from './client-site.js';
import { allow, askForToken, authorizeUrl, call, callback, refresh, signedIn } from './protocol.js';

describeAdapters('A grant', ({ adapter }) => {
  let site: OAuthSite;
  let clientId: string;
  let secret: string;
  beforeAll(async () => {
    site = await openOAuthSite({}, adapter());
    const input = { name: 'Server', redirectUris: [callback], confidential: true };
    const created = await site.oauth.clients.create(input);
    clientId = created.client.id;
    secret = created.secret!;
  });
  afterAll(() => site.close());

  const introspect = async (token: string) => {
    const response = await fetch(`${site.issuer}/oauth/introspect`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: clientId, client_secret: secret, token }).toString(),
    });
    return ((await response.json()) as { active: boolean }).active;
  };

  it('has one refresh token that is active', async () => {
    const redeemable = await allow(site, await site.browser('ada@example.com'), clientId);
    const first = await askForToken(site, { ...redeemable, client_secret: secret });
    expect([await introspect(first.refresh_token), await introspect(first.access_token)]).toEqual([
      true,
      true,
    ]);
    const again = () => refresh(site, clientId, first.refresh_token, { client_secret: secret });
    const second = await again();
    expect([await introspect(first.refresh_token), await introspect(second.refresh_token)]).toEqual([
      false,
      true,
    ]);
    // A lost answer can still be asked for again.
    expect((await again()).refresh_token).toBe(second.refresh_token);
  });

  it('does not show when its refresh token was exchanged, if its client proves nothing', async () => {
    const { client } = await site.oauth.clients.create({ name: 'CLI', redirectUris: [callback] });
    const first = await signedIn(site, 'eve@example.com', client.id);
    const ask = async (token: string) => {
      const body = new URLSearchParams({ client_id: client.id, token });
      const response = await fetch(`${site.issuer}/oauth/introspect`, { method: 'POST', body });
      return await response.json();
    };
    // A thief who learns of the exchange at once would get the same successor, unnoticed.
    const before = await ask(first.refresh_token);
    const second = await refresh(site, client.id, first.refresh_token);
    const answers = [before, await ask(first.refresh_token), await ask(second.refresh_token)];
    expect(answers).toEqual(Array(3).fill({ active: false }));
    expect(await ask(second.access_token)).toMatchObject({ active: true, scope: 'notes:read' });
  });

  it('is one of twenty at most that a client has of a user, without the least recently used', async () => {
    const { client } = await site.oauth.clients.create({ name: 'CLI', redirectUris: [callback] });
    const signIn = () => signedIn(site, 'bob@example.com', client.id, { prompt: 'consent' });
    const first = await signIn();
    const second = await signIn();
    for (let count = 0; count < 18; count++) {
      site.test.clock.advance(1_000);
      await signIn();
    }
    site.test.clock.advance(1_000);
    expect((await refresh(site, client.id, first.refresh_token)).status).toBe(200);
    await Promise.all([signIn(), signIn()]);
    expect(await grantsOf(site, 'bob@example.com')).toHaveLength(20);
    expect((await call(site, first.access_token)).status).toBe(200);
    expect((await call(site, second.access_token)).status).toBe(401);
  });

  it('does not end for authorizations whose codes are not redeemed, which any site can cause', async () => {
    const { client } = await site.oauth.clients.create({ name: 'CLI', redirectUris: [callback] });
    const browser = await site.browser('mallory@example.com');
    const tokens = await askForToken(site, await allow(site, browser, client.id));
    for (let count = 0; count < 25; count++) {
      site.test.clock.advance(10);
      const { url } = await browser.open(authorizeUrl(site, client.id).url);
      expect(url.searchParams.has('code')).toBe(true);
    }
    expect((await call(site, tokens.access_token)).status).toBe(200);
    site.test.clock.advance(10);
    expect((await askForToken(site, await allow(site, browser, client.id))).status).toBe(200);
  });
});

describeAdapters('A grant that its user has decided', ({ adapter, uniqueEmail }) => {
  let site: OAuthSite;
  beforeAll(async () => {
    site = await openOAuthSite({}, adapter());
  });
  afterAll(() => site.close());

  it('does not end for sign-ins that ask nothing, nor is it forgotten, and they are limited too', async () => {
    const { client } = await site.oauth.clients.create({ name: 'CLI', redirectUris: [callback] });
    const email = uniqueEmail();
    const browser = await site.browser(email);
    const scope = 'openid notes:read notes:write';
    const first = await askForToken(site, await allow(site, browser, client.id, { scope }));
    const signIn = async (prompt?: 'none') => {
      site.test.clock.advance(60_000);
      const { url, verifier } = authorizeUrl(site, client.id, { scope: 'openid', prompt });
      const code = (await browser.open(url)).url.searchParams.get('code')!;
      const redeemable = { client_id: client.id, redirect_uri: callback, code, code_verifier: verifier };
      return askForToken(site, { grant_type: 'authorization_code', ...redeemable });
    };
    for (let count = 0; count < 21; count++) {
      const prompt = count % 2 === 0 ? 'none' : undefined;
      expect((await signIn(prompt)).status).toBe(200);
    }
    expect((await refresh(site, client.id, first.refresh_token)).status).toBe(200);
    const larger = await browser.open(authorizeUrl(site, client.id, { scope, prompt: 'none' }).url);
    expect(larger.url.searchParams.has('code')).toBe(true);
    expect(await grantsOf(site, email)).toHaveLength(21);
  });
});

describe('grantsBeyondLimits()', () => {
  const grant = (id: number, clientId: string, usedAt: number | null): OAuthGrant => ({
    ...{ id: String(id), userId: 'u', clientId, epoch: 0, scopes: {}, renewal: null, counter: 0 },
    ...{ rotatedAt: new Date(0), createdAt: new Date(id), expiresAt: new Date(9e12) },
    lastUsedAt: usedAt === null ? null : new Date(usedAt),
  });

  it('are those beyond a hundred of a user, of whatever client', () => {
    const grants = Array.from({ length: 105 }, (_, id) => grant(id, `client-${id}`, id === 0 ? 1e6 : null));
    expect(
      grantsBeyondLimits(grants)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['1', '2', '3', '4', '5']);
    expect(grantsBeyondLimits(grants.slice(0, 100))).toEqual([]);
  });
});
