// What is left to a thief of a token that is bound to a key: old proofs, weak keys, and endpoints that do not ask for one.
import { createHash, generateKeyPairSync } from 'node:crypto';
import { request } from 'node:http';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { describeAdapters } from '../support/describe-adapters.js';
import { openOAuthSite, type OAuthSite } from '../support/oauth-site.js';
import { allow, askForToken, callback, refresh, signedIn } from './protocol.js';
import { newKey, proofsOf, secondsAt, type ClientKey, type ProofParts } from './proofs.js';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
/** With a second one, a sign-in without a resource is for the user information. */
const resources = { 'https://files.test/': { scopes: { 'files:read': 'Read your files' } } };

describeAdapters('Proofs of a key', ({ adapter, uniqueEmail }) => {
  let site: OAuthSite;
  const proofOf = proofsOf(() => site);
  let clientId: string;
  beforeAll(async () => {
    site = await openOAuthSite({ resources }, adapter());
    const grants = ['authorization_code', 'device_code'] as const;
    const create = { name: 'Notes', redirectUris: [callback], grants };
    clientId = (await site.oauth.clients.create(create)).client.id;
  });
  afterAll(() => site.close());

  const tokenProof = (key: ClientKey, parts?: ProofParts) => ({
    dpop: proofOf(key, 'POST', `${site.issuer}/oauth/token`, undefined, parts),
  });
  const bound = async (key: ClientKey, scope = 'notes:read') => {
    const redeemable = await allow(site, await site.browser(uniqueEmail()), clientId, { scope });
    return askForToken(site, redeemable, tokenProof(key));
  };
  const send = (token: string, key: ClientKey, parts?: ProofParts) => {
    const dpop = proofOf(key, 'GET', site.resource, token, parts);
    return fetch(site.resource, { headers: { authorization: `DPoP ${token}`, dpop } });
  };

  it.each(['RS256', 'PS256'] as const)('can be signed with %s', async (alg) => {
    const key = newKey(alg);
    const tokens = await bound(key);
    expect(tokens).toMatchObject({ status: 200, token_type: 'DPoP' });
    expect((await send(tokens.access_token, key)).status).toBe(200);
    expect((await send(tokens.access_token, newKey(alg))).status).toBe(401);
    const next = await refresh(site, clientId, tokens.refresh_token, {}, tokenProof(key));
    expect((await send(next.access_token, key)).status).toBe(200);
  });

  it('are not signed with an RSA key that is short, or with the algorithm of another key', async () => {
    const rsa = newKey('RS256');
    const { access_token: token } = await bound(rsa);
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const short = { alg: 'RS256', privateKey, jwk: publicKey.export({ format: 'jwk' }) };
    const largeExponent = { ...rsa.jwk, e: Buffer.alloc(200, 255).toString('base64url') };
    const attempts: [ClientKey, ProofParts][] = [
      [rsa, { header: { jwk: largeExponent } }],
      [short, {}],
      [rsa, { header: { alg: 'PS256' } }],
      [rsa, { header: { alg: 'ES256' } }],
      [rsa, { header: { alg: 'RS1' } }],
      [newKey(), { header: { alg: 'RS256' } }],
      [rsa, { header: { jwk: rsa.privateKey.export({ format: 'jwk' }) } }],
    ];
    for (const [key, parts] of attempts) {
      const refused = await send(token, key, parts);
      expect([refused.status, await refused.json()]).toMatchObject([401, { error: 'invalid_dpop_proof' }]);
    }
    expect(await askForToken(site, { grant_type: 'refresh_token' }, tokenProof(short))).toMatchObject({
      status: 400,
    });
  });

  it('are for the address of the token endpoint, whatever host a request names', async () => {
    const key = newKey();
    const { refresh_token: token } = await bound(key);
    const ask = { grant_type: 'refresh_token', client_id: clientId, refresh_token: token };
    const send = (htu: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const { hostname, port } = new URL(site.issuer);
        const headers = {
          ...{ host: 'evil.test', 'x-forwarded-host': 'evil.test', dpop: proofOf(key, 'POST', htu) },
          'content-type': 'application/x-www-form-urlencoded',
        };
        const options = { host: hostname, port, path: '/oauth/token', method: 'POST', headers };
        const sent = request(options, (response) => resolve(response.resume().statusCode));
        sent.on('error', reject);
        sent.end(new URLSearchParams(ask).toString());
      });
    for (const htu of ['http://evil.test/oauth/token', site.resource, `${site.issuer}/oauth/introspect`])
      expect(await send(htu)).toBe(400);
    expect(await send(`${site.issuer}/oauth/token`)).toBe(200);
  });

  it('of a client with a fast clock are remembered for as long as they are accepted', async () => {
    const key = newKey();
    const { refresh_token: token } = await bound(key);
    // The engine accepts five minutes in both directions, by the clock of this computer.
    const proof = tokenProof(key, { payload: { iat: secondsAt(site) + 290 } });
    expect((await refresh(site, clientId, token, {}, proof)).status).toBe(200);
    const { refresh_token: other } = await bound(key);
    site.test.clock.advance(301_000);
    await site.test.service.purgeExpired();
    const repeated = await refresh(site, clientId, other, {}, proof);
    site.test.clock.advance(-301_000);
    expect(repeated).toMatchObject({ status: 400, error: 'invalid_grant' });
  });

  it('bind the refresh token of a device', async () => {
    const key = newKey();
    const response = await fetch(`${site.issuer}/oauth/device`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        ...{ client_id: clientId, resource: site.resource, scope: 'notes:read' },
      }).toString(),
    });
    const started = (await response.json()) as { device_code: string; user_code: string };
    const browser = await site.browser(uniqueEmail());
    const page = await browser.open('/device');
    const entered = await browser.submit(page.html, '/device/enter', { code: started.user_code });
    await browser.submit(entered.html, '/device/allow');
    const poll = { grant_type: deviceGrant, client_id: clientId, device_code: started.device_code };
    const tokens = await askForToken(site, poll, tokenProof(key));
    expect(tokens).toMatchObject({ status: 200, token_type: 'DPoP' });
    expect(await refresh(site, clientId, tokens.refresh_token)).toMatchObject({ error: 'invalid_grant' });
    const stolen = await refresh(site, clientId, tokens.refresh_token, {}, tokenProof(newKey()));
    expect(stolen).toMatchObject({ error: 'invalid_grant' });
    const next = await refresh(site, clientId, tokens.refresh_token, {}, tokenProof(key));
    expect((await send(next.access_token, key)).status).toBe(200);
  });

  it('are needed for the user information too, with the key of the token', async () => {
    const key = newKey();
    const redeemable = await allow(site, await site.browser(uniqueEmail()), clientId, {
      ...{ scope: 'openid email', resource: undefined },
    });
    const { resource: _resource, ...ask } = redeemable;
    const { access_token: token } = await askForToken(site, ask, tokenProof(key));
    const url = `${site.issuer}/oauth/userinfo`;
    const open = async (scheme: string, of?: ClientKey) => {
      const proof = of && { dpop: proofOf(of, 'GET', url, token) };
      return (await fetch(url, { headers: { authorization: `${scheme} ${token}`, ...proof } })).status;
    };
    expect(await open('Bearer')).toBeGreaterThanOrEqual(400);
    expect(await open('DPoP', newKey())).toBeGreaterThanOrEqual(400);
    expect(await open('DPoP', key)).toBe(200);
  });

  it('show the key of an opaque token in its introspection', async () => {
    const key = newKey();
    const { access_token: token } = await bound(key);
    const response = await fetch(`${site.issuer}/oauth/introspect`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: clientId, token }).toString(),
    });
    const { crv, kty, x, y } = key.jwk as Record<string, string>;
    const jkt = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
    expect(await response.json()).toMatchObject({ active: true, token_type: 'DPoP', cnf: { jkt } });
  });

  it.each(['RS256', 'PS256'])('of independent clients are accepted with %s', async (alg) => {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const server = { issuer: site.issuer, token_endpoint: `${site.issuer}/oauth/token` };
    const client: oauth.Client = { client_id: clientId };
    const first = await signedIn(site, uniqueEmail(), clientId);
    const proof = { DPoP: oauth.DPoP(client, await oauth.generateKeyPair(alg)), ...insecure };
    const more = { ...proof, additionalParameters: { resource: site.resource } };
    const sent = await oauth.refreshTokenGrantRequest(
      server,
      client,
      oauth.None(),
      first.refresh_token,
      more,
    );
    const tokens = await oauth.processRefreshTokenResponse(server, client, sent);
    const opened = await oauth.protectedResourceRequest(
      tokens.access_token,
      'GET',
      new URL(site.resource),
      undefined,
      undefined,
      proof,
    );
    expect([tokens.token_type, opened.status]).toEqual(['dpop', 200]);
    const config = await openid.discovery(new URL(site.issuer), clientId, undefined, openid.None(), {
      execute: [openid.allowInsecureRequests],
    });
    const handle = { DPoP: openid.getDPoPHandle(config, await openid.randomDPoPKeyPair(alg)) };
    const second = await signedIn(site, uniqueEmail(), clientId);
    const next = await openid.refreshTokenGrant(
      config,
      second.refresh_token,
      { resource: site.resource },
      handle,
    );
    const answer = await openid.fetchProtectedResource(
      ...([config, next.access_token, new URL(site.resource), 'GET', undefined, undefined, handle] as const),
    );
    expect([next.token_type, answer.status]).toEqual(['dpop', 200]);
  });
});

describeAdapters('A server that began to require keys', ({ adapter, uniqueEmail }) => {
  it('gives no user information for a token from before', async () => {
    const shared = adapter();
    let token = '';
    const statuses: number[] = [];
    for (const dpop of ['accepted', 'required'] as const) {
      const site = await openOAuthSite({ dpop, resources }, shared);
      if (token === '') {
        const { client } = await site.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
        const browser = await site.browser(uniqueEmail());
        const { resource: _resource, ...ask } = await allow(site, browser, client.id, {
          ...{ scope: 'openid email', resource: undefined },
        });
        token = (await askForToken(site, ask)).access_token;
      }
      const headers = { authorization: `Bearer ${token}` };
      statuses.push((await fetch(`${site.issuer}/oauth/userinfo`, { headers })).status);
      await site.close();
    }
    expect(statuses).toEqual([200, 401]);
  });
});
