// What a resource accepts, and what it says to a client that it refuses.
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { once } from 'node:events';
import express from 'express';
import jsonwebtoken from 'jsonwebtoken';
import { createOAuthServer } from '../../src/oauth-server.js';
import { openOAuthSite } from '../support/oauth-site.js';
import { makeService } from '../support/make-service.js';
import { clientSite } from './client-site.js';
import { allow, askForToken, call, callback, signedIn } from './protocol.js';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange';

describe('A resource', () => {
  const site = clientSite();
  beforeAll(async () => {
    site.app.get(
      '/write',
      site.oauth.requireAccessToken({ scopes: ['notes:read', 'notes:write'] }),
      (_req, res) => {
        res.json({});
      },
    );
  });

  const challenge = (response: Response) => response.headers.get('www-authenticate');
  const metadata = () => `resource_metadata="${site.issuer}/.well-known/oauth-protected-resource/mcp"`;

  it('says where to sign in to a request without a token (RFC 9728, 5.1)', async () => {
    const response = await call(site);
    expect(response.status).toBe(401);
    expect(challenge(response)).toBe(
      `Bearer scope="notes:read notes:write", ${metadata()}, DPoP algs="ES256 Ed25519 EdDSA PS256 RS256"`,
    );
  });

  it('refuses an unknown token, a malformed header, and a token in the query', async () => {
    const unknown = await call(site, 'x'.repeat(43));
    expect([unknown.status, challenge(unknown)]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ]);
    const malformed = await fetch(site.resource, { headers: { authorization: 'Bearer a b' } });
    expect([malformed.status, challenge(malformed)]).toEqual([
      400,
      expect.stringContaining('error="invalid_request"'),
    ]);
    const { access_token: token } = await signedIn(site, 'ada@example.com', site.clientId);
    expect((await fetch(`${site.resource}?access_token=${token}`)).status).toBe(401);
    expect((await call(site, token)).status).toBe(200);
  });

  it('names every scope that a token needs when some are missing', async () => {
    const { access_token: token } = await signedIn(site, 'ada@example.com', site.clientId);
    const response = await fetch(`${site.issuer}/write`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(403);
    expect(challenge(response)).toContain('error="insufficient_scope"');
    expect(challenge(response)).toContain('scope="notes:read notes:write"');
  });

  it('refuses a token of another resource', async () => {
    const other = 'https://other.test/api';
    const two = await openOAuthSite({ resources: { [other]: { scopes: { 'notes:read': 'Read notes' } } } });
    const { client } = await two.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    const own = await signedIn(two, 'ada@example.com', client.id);
    expect((await call(two, own.access_token)).status).toBe(200);
    const redeemable = await allow(two, await two.browser('ada@example.com'), client.id, { resource: other });
    const foreign = await askForToken(two, { ...redeemable, resource: other });
    expect(foreign.status).toBe(200);
    const response = await call(two, foreign.access_token);
    expect([response.status, challenge(response)]).toEqual([401, expect.stringContaining('invalid_token')]);
    await two.close();
  });

  it('describes itself and the server (RFC 9728, RFC 8414)', async () => {
    const json = async (path: string) => (await fetch(site.issuer + path)).json();
    expect(await json('/.well-known/oauth-protected-resource/mcp')).toEqual({
      resource: site.resource,
      authorization_servers: [site.issuer],
      scopes_supported: ['notes:read', 'notes:write'],
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: ['ES256', 'Ed25519', 'EdDSA', 'PS256', 'RS256'],
    });
    const server = await json('/.well-known/oauth-authorization-server');
    expect(server).toMatchObject({
      issuer: site.issuer,
      authorization_endpoint: `${site.issuer}/oauth/authorize`,
      response_types_supported: ['code'],
      grant_types_supported: [
        'authorization_code',
        'refresh_token',
        deviceGrant,
        'client_credentials',
        tokenExchange,
      ],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      id_token_signing_alg_values_supported: ['ES256'],
    });
    expect(server).not.toHaveProperty('registration_endpoint');
    const { keys } = (await json('/oauth/jwks')) as { keys: object[] };
    expect(keys).toEqual([expect.objectContaining({ alg: 'ES256', crv: 'P-256', use: 'sig' })]);
    expect(keys[0]).not.toHaveProperty('d');
  });

  it('has no registration by default', async () => {
    const response = await fetch(`${site.issuer}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [callback] }),
    });
    expect(response.status).toBe(404);
  });

  it.each([
    ['one resource', {}],
    ['two resources', { 'https://other.test/api': { scopes: { files: 'Files' } } }],
  ])('with %s, gives user information and a valid ID token for openid', async (_count, resources) => {
    const server = await openOAuthSite({ resources });
    const { client } = await server.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    const params = { scope: 'openid email', resource: undefined };
    const { resource: _, ...redeemable } = await allow(
      server,
      await server.browser('ada@example.com'),
      client.id,
      params,
    );
    const { access_token: token, id_token: idToken = '' } = await askForToken(server, redeemable);
    const { keys } = (await (await fetch(`${server.issuer}/oauth/jwks`)).json()) as { keys: JsonWebKey[] };
    const key = createPublicKey({ format: 'jwk', key: keys[0]! });
    const claims = jsonwebtoken.verify(idToken, key, { algorithms: ['ES256'] });
    expect(claims).toMatchObject({ iss: server.issuer, aud: client.id });
    const response = await fetch(`${server.issuer}/oauth/userinfo`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await response.json()).toEqual({
      sub: (claims as { sub: string }).sub,
      email: 'ada@example.com',
      email_verified: true,
    });
    expect((await call(server, token)).status).toBe(401);
    await server.close();
  });

  it('passes every other request on to the application', async () => {
    site.app.get('/oauth', (_req, res) => void res.send('ours'));
    expect(await (await fetch(`${site.issuer}/oauth`)).text()).toBe('ours');
  });
});

describe('createOAuthServer()', () => {
  const resources = { 'https://acme.test/mcp': { scopes: { read: 'Read' } } };

  it.each([
    [{ issuer: 'https://acme.test/', resources }, 'issuer'],
    [{ issuer: 'http://acme.test', resources }, 'issuer'],
    [{ issuer: 'https://acme.test', resources: {} }, 'resources'],
    [{ issuer: 'https://acme.test', resources: { 'http://acme.test/mcp': { scopes: {} } } }, 'resources'],
    [{ issuer: 'https://acme.test', resources: { 'https://a.test': { scopes: { 'a b': 'x' } } } }, 'scopes'],
    [
      {
        issuer: 'https://acme.test',
        resources: { 'https://a.test': { scopes: { a: 'x' }, defaultScopes: ['b'] } },
      },
      'defaultScopes',
    ],
    [{ issuer: 'https://acme.test', resources, clients: [] }, 'clients'],
    [{ issuer: 'https://acme.test', resources, accessTtlMs: 1 }, 'accessTtlMs'],
  ])('refuses %j by the name of the option', async (options, name) => {
    const { service } = await makeService();
    expect(() => createOAuthServer(service, options as never)).toThrow(name);
  });

  it('is called once for a service', async () => {
    const { service } = await makeService();
    const options = { issuer: 'https://acme.test', resources };
    const { requireAccessToken } = createOAuthServer(service, options);
    expect(() => createOAuthServer(service, options)).toThrow('has been called');
    expect(() => requireAccessToken({ resource: 'https://other.test' })).toThrow('https://acme.test/mcp');
    expect(() => requireAccessToken({ scopes: ['write'] })).toThrow('no scope write');
    expect(() => requireAccessToken({ scope: 'read' } as never)).toThrow('scope');
  });

  it('says that it needs the pages', async () => {
    const { service, log } = await makeService();
    const app = express();
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const issuer = `http://127.0.0.1:${port}`;
    const oauth = createOAuthServer(service, { issuer, resources });
    app.use(oauth.router);
    const { client } = await oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    const query = new URLSearchParams({
      ...{
        response_type: 'code',
        client_id: client.id,
        redirect_uri: callback,
        resource: 'https://acme.test/mcp',
      },
      ...{ code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' },
    });
    const response = await fetch(`${issuer}/oauth/authorize?${query.toString()}`, { redirect: 'manual' });
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('server_error')]);
    expect(JSON.stringify(log)).toContain('createPages');
    await new Promise((resolve) => server.close(resolve));
    await service.close();
  });
});

describe('Clients', () => {
  it('are registered with exact addresses, listed without their secrets, and removed', async () => {
    const site = await openOAuthSite();
    const { clients } = site.oauth;
    const { client, secret } = await clients.create({
      name: 'Server',
      redirectUris: [callback],
      confidential: true,
    });
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(await clients.list()).toEqual([client]);
    expect(JSON.stringify(await clients.list())).not.toContain(secret);
    expect(JSON.stringify(await clients.list())).not.toContain('digest');
    for (const redirectUris of [
      ['http://notes.test/callback'],
      ['https://notes.test/#x'],
      ['javascript:alert(1)'],
      ['notes'],
    ])
      await expect(clients.create({ name: 'Bad', redirectUris })).rejects.toMatchObject({
        code: 'invalid_request',
      });
    await expect(clients.create({ name: 'Bad', redirectUris: [callback], more: 1 } as never)).rejects.toThrow(
      'more',
    );
    expect(await clients.remove(client.id)).toBe(true);
    expect(await clients.remove(client.id)).toBe(false);
    await site.close();
  });

  it('that register themselves say what is wrong, and how often they may', async () => {
    const site = await openOAuthSite({ registration: true });
    const register = (body: unknown) =>
      fetch(`${site.issuer}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const right = await register({
      redirect_uris: ['http://localhost:8976/cb'],
      client_name: 'CLI',
      scope: 'x',
    });
    expect([right.status, await right.json()]).toEqual([
      201,
      expect.objectContaining({
        client_id: expect.any(String),
        application_type: 'native',
        client_name: 'CLI',
      }),
    ]);
    for (const [body, error] of [
      [{}, 'invalid_redirect_uri'],
      [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
      [{ redirect_uris: ['http://evil.test/cb'] }, 'invalid_redirect_uri'],
      [
        { redirect_uris: [callback], token_endpoint_auth_method: 'tls_client_auth' },
        'invalid_client_metadata',
      ],
      [{ redirect_uris: [callback], client_uri: 'javascript:alert(1)' }, 'invalid_client_metadata'],
    ] as const) {
      const response = await register(body);
      expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ error })]);
    }
    const plain = await register({ redirect_uris: ['http://evil.test/cb'], application_type: 'web' });
    expect([plain.status, await plain.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_redirect_uri' }),
    ]);
    const malformed = await fetch(`${site.issuer}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"redirect_uris":',
    });
    expect([malformed.status, await malformed.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_client_metadata' }),
    ]);
    let last = 201;
    for (let count = 0; count < 20 && last !== 429; count++)
      last = (await register({ redirect_uris: [callback] })).status;
    expect(last).toBe(429);
    await site.close();
  });
});
