// Clients that others wrote sign in: authorization code, refresh, client credentials, and DPoP.
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { clientSite } from './client-site.js';
import { callback } from './protocol.js';

describe('Independent clients', () => {
  const site = clientSite();
  let job: { id: string; secret: string };
  beforeAll(async () => {
    const create = { name: 'Job', confidential: true, scopes: ['notes:read'] };
    const { client, secret } = await site.oauth.clients.create({ ...create, grants: ['client_credentials'] });
    job = { id: client.id, secret: secret! };
    const guard = site.oauth.requireAccessToken({ allowClients: true });
    site.app.get('/any', guard, (req, res) => {
      const { auth } = req as unknown as { auth: { clientId: string; scopes: string[] } };
      res.json({ clientId: auth.clientId, scopes: auth.scopes });
    });
  });

  /** The user allows everything. Returns where the browser arrives. */
  async function allowed(url: URL): Promise<URL> {
    const browser = await site.browser(`ada-${Math.random()}@example.com`);
    const page = await browser.open(url.href);
    return page.html === '' ? page.url : (await browser.submit(page.html, '/consent/allow')).url;
  }

  describe.each([
    ['without a key', false],
    ['with a key (DPoP)', true],
  ])('%s', (_name, isBound) => {
    const type = isBound ? 'dpop' : 'bearer';

    it('oauth4webapi signs its user in, calls, refreshes and calls again', async () => {
      const insecure = { [oauth.allowInsecureRequests]: true };
      const issuer = new URL(site.issuer);
      const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
      const server = await oauth.processDiscoveryResponse(issuer, found);
      const client: oauth.Client = { client_id: site.clientId };
      const proof = isBound ? { DPoP: oauth.DPoP(client, await oauth.generateKeyPair('ES256')) } : {};
      const verifier = oauth.generateRandomCodeVerifier();
      const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
      const url = new URL(server.authorization_endpoint!);
      url.search = new URLSearchParams({
        ...{ client_id: site.clientId, redirect_uri: callback, response_type: 'code', state, nonce },
        ...{ scope: 'openid notes:read', resource: site.resource, code_challenge_method: 'S256' },
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      }).toString();
      const params = oauth.validateAuthResponse(server, client, await allowed(url), state);
      const redeemed = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.None(),
        params,
        callback,
        verifier,
        { ...proof, ...insecure, additionalParameters: { resource: site.resource } },
      );
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, redeemed, {
        expectedNonce: nonce,
        requireIdToken: true,
      });
      expect(tokens.token_type).toBe(type);
      const open = async (token: string) => {
        const options = { ...proof, ...insecure };
        const sent = await oauth.protectedResourceRequest(
          token,
          'GET',
          new URL(site.resource),
          undefined,
          undefined,
          options,
        );
        return (await sent.json()) as object;
      };
      expect(await open(tokens.access_token)).toMatchObject({
        clientId: site.clientId,
        scopes: ['notes:read'],
      });
      const sent = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token!, {
        ...proof,
        ...insecure,
        additionalParameters: { resource: site.resource },
      });
      const next = await oauth.processRefreshTokenResponse(server, client, sent);
      expect(next.refresh_token).not.toBe(tokens.refresh_token);
      expect(await open(next.access_token)).toMatchObject({ clientId: site.clientId });
    });

    it('oauth4webapi gets a token of the client itself', async () => {
      const insecure = { [oauth.allowInsecureRequests]: true };
      const issuer = new URL(site.issuer);
      const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
      const server = await oauth.processDiscoveryResponse(issuer, found);
      const client: oauth.Client = { client_id: job.id };
      const proof = isBound ? { DPoP: oauth.DPoP(client, await oauth.generateKeyPair('EdDSA')) } : {};
      const sent = await oauth.clientCredentialsGrantRequest(
        server,
        client,
        oauth.ClientSecretBasic(job.secret),
        { scope: 'notes:read' },
        { ...proof, ...insecure },
      );
      const tokens = await oauth.processClientCredentialsResponse(server, client, sent);
      expect(tokens).toMatchObject({ token_type: type, scope: 'notes:read' });
      const opened = await oauth.protectedResourceRequest(
        tokens.access_token,
        'GET',
        new URL(`${site.issuer}/any`),
        undefined,
        undefined,
        { ...proof, ...insecure },
      );
      expect(await opened.json()).toEqual({ clientId: job.id, scopes: ['notes:read'] });
    });

    it('openid-client signs its user in, calls, refreshes and calls again', async () => {
      const config = await openid.discovery(new URL(site.issuer), site.clientId, undefined, openid.None(), {
        execute: [openid.allowInsecureRequests],
      });
      const keys = await openid.randomDPoPKeyPair('ES256');
      const proof = isBound ? { DPoP: openid.getDPoPHandle(config, keys) } : {};
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
      const url = openid.buildAuthorizationUrl(config, {
        ...{ redirect_uri: callback, scope: 'openid notes:read', resource: site.resource },
        ...{ state: expectedState, nonce: expectedNonce, code_challenge_method: 'S256' },
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      });
      const checks = { pkceCodeVerifier, expectedState, expectedNonce };
      const resource = { resource: site.resource };
      const answer = await allowed(url);
      const tokens = await openid.authorizationCodeGrant(config, answer, checks, resource, proof);
      expect([tokens.token_type, tokens.claims()?.iss]).toEqual([type, site.issuer]);
      const open = async (token: string) => {
        const address = new URL(site.resource);
        const sent = await openid.fetchProtectedResource(
          config,
          token,
          address,
          'GET',
          undefined,
          undefined,
          proof,
        );
        return (await sent.json()) as object;
      };
      expect(await open(tokens.access_token)).toMatchObject({
        clientId: site.clientId,
        scopes: ['notes:read'],
      });
      const next = await openid.refreshTokenGrant(config, tokens.refresh_token!, resource, proof);
      expect(next.refresh_token).not.toBe(tokens.refresh_token);
      expect(await open(next.access_token)).toMatchObject({ clientId: site.clientId });
    });

    it('openid-client gets a token of the client itself', async () => {
      const config = await openid.discovery(
        new URL(site.issuer),
        job.id,
        undefined,
        openid.ClientSecretBasic(job.secret),
        { execute: [openid.allowInsecureRequests] },
      );
      const keys = await openid.randomDPoPKeyPair('ES256');
      const proof = isBound ? { DPoP: openid.getDPoPHandle(config, keys) } : {};
      const tokens = await openid.clientCredentialsGrant(config, { resource: site.resource }, proof);
      expect(tokens).toMatchObject({ token_type: type, scope: 'notes:read' });
      const sent = await openid.fetchProtectedResource(
        config,
        tokens.access_token,
        new URL(`${site.issuer}/any`),
        'GET',
        undefined,
        undefined,
        proof,
      );
      expect(await sent.json()).toEqual({ clientId: job.id, scopes: ['notes:read'] });
    });
  });
});
