// `requireBearerAuth` of the official package protects a route with the verifier of the OAuth server.
import { requireBearerAuth } from '@modelcontextprotocol/express';
import { openOAuthSite, type OAuthSite } from '../support/oauth-site.js';
import { callback, signedIn } from './protocol.js';

describe('requireBearerAuth with oauth.verifier', () => {
  let site: OAuthSite;
  let token: string;
  beforeAll(async () => {
    site = await openOAuthSite();
    const { verifier } = site.oauth;
    const resourceMetadataUrl = `${site.issuer}/.well-known/oauth-protected-resource/mcp`;
    const guard = (...requiredScopes: string[]) =>
      requireBearerAuth({
        ...{ verifier, requiredScopes, resourceMetadataUrl },
        expectedResource: new URL(site.resource),
      });
    site.app.get('/own', guard('notes:read'), (req, res) => {
      res.json({ clientId: req.auth?.clientId, scopes: req.auth?.scopes });
    });
    site.app.get('/own/write', guard('notes:write'), (_req, res) => void res.json({}));
    const { client } = await site.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    token = (await signedIn(site, 'ada@example.com', client.id)).access_token;
  });
  afterAll(() => site.close());

  const ask = (path: string, value: string) =>
    fetch(site.issuer + path, { headers: { authorization: `Bearer ${value}` } });

  it('accepts a token with the scopes, and sets req.auth', async () => {
    const response = await ask('/own', token);
    expect([response.status, await response.json()]).toEqual([
      200,
      { clientId: expect.any(String), scopes: ['notes:read'] },
    ]);
  });

  it('answers 401 with the address of the metadata for an unknown token', async () => {
    const response = await ask('/own', 'x'.repeat(43));
    expect([response.status, await response.json()]).toEqual([
      401,
      { error: 'invalid_token', error_description: expect.any(String) },
    ]);
    expect(response.headers.get('www-authenticate')).toContain('/.well-known/oauth-protected-resource/mcp');
  });

  it('answers 403 for a token without a scope', async () => {
    expect((await ask('/own/write', token)).status).toBe(403);
  });

  it('answers 401 after the user has signed out everywhere', async () => {
    const { client } = await site.oauth.clients.create({ name: 'Other', redirectUris: [callback] });
    const { access_token: other } = await signedIn(site, 'eve@example.com', client.id);
    const user = await site.test.adapter.users.findByEmail('eve@example.com');
    await site.test.service.users.signOut(user!.id);
    expect((await ask('/own', other)).status).toBe(401);
  });
});
