// Tokens of clients themselves (RFC 6749, 4.4).
import { describeAdapters } from '../support/describe-adapters.js';
import { openOAuthSite, type OAuthSite } from '../support/oauth-site.js';
import { askForToken, call, callback, signedIn } from './protocol.js';

const other = 'https://other.test/api';
const basic = (id: string, secret: string | null) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

describeAdapters('Tokens of clients', ({ adapter }) => {
  let site: OAuthSite;
  beforeAll(async () => {
    site = await openOAuthSite(
      { resources: { [other]: { scopes: { 'files:read': 'Read files', 'files:write': 'Change files' } } } },
      adapter(),
    );
    const scopes = ['notes:read'];
    const { resource } = site;
    site.app.get(
      '/for-clients',
      site.oauth.requireAccessToken({ resource, scopes, allowClients: true }),
      (req, res) => {
        res.json((req as unknown as { auth: object }).auth);
      },
    );
  });
  afterAll(() => site.close());

  const register = async (scopes: readonly string[] = ['notes:read', 'files:read']) => {
    const { client, secret } = await site.oauth.clients.create({
      ...{ name: 'Nightly job', confidential: true, grants: ['client_credentials'], scopes },
    });
    return { id: client.id, secret, headers: basic(client.id, secret) };
  };
  const ask = (headers: Record<string, string>, params: Record<string, string> = {}) =>
    askForToken(site, { grant_type: 'client_credentials', resource: site.resource, ...params }, headers);
  const open = (token: string) =>
    fetch(`${site.issuer}/for-clients`, { headers: { authorization: `Bearer ${token}` } });

  it('have no user and no grant, and open a guard that allows clients', async () => {
    const { id, headers } = await register();
    const answer = await ask(headers);
    expect(answer).toMatchObject({
      status: 200,
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'notes:read',
    });
    expect(answer).not.toHaveProperty('refresh_token');
    const response = await open(answer.access_token);
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({ clientId: id, scopes: ['notes:read'], extra: { user: null, grantId: null } }),
    ]);
  });

  it('are refused by an ordinary guard, and by the verifier', async () => {
    const { access_token: token } = await ask((await register()).headers);
    const response = await call(site, token);
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
    await expect(site.oauth.verifier.verifyAccessToken(token)).rejects.toThrow('no user');
  });

  it('end when their client is removed', async () => {
    const { id, headers } = await register();
    const { access_token: token } = await ask(headers);
    await site.oauth.clients.remove(id);
    expect((await open(token)).status).toBe(401);
    expect(await ask(headers)).toMatchObject({ status: 401, error: 'invalid_client' });
  });

  it('end with their time, and when their client revokes them', async () => {
    const { headers } = await register();
    const [first, second] = [await ask(headers), await ask(headers)];
    await fetch(`${site.issuer}/oauth/revoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ token: first.access_token }).toString(),
    });
    expect((await open(first.access_token)).status).toBe(401);
    expect((await open(second.access_token)).status).toBe(200);
    site.test.clock.advance(60 * 60_000);
    expect((await open(second.access_token)).status).toBe(401);
  });

  it('have no scope that their client may not ask for', async () => {
    const { headers } = await register();
    for (const scope of ['notes:write', 'notes:read notes:write', 'notes:delete', 'files:read', 'openid'])
      expect(await ask(headers, { scope })).toMatchObject({ status: 400, error: 'invalid_scope' });
    expect(await ask(headers, { resource: other })).toMatchObject({ scope: 'files:read' });
    expect(await ask((await register(['notes:write'])).headers, { resource: other })).toMatchObject({
      error: 'invalid_scope',
    });
  });

  it('are for one resource of this server', async () => {
    const { headers } = await register();
    const { access_token: foreign } = await ask(headers, { resource: other });
    expect((await open(foreign)).status).toBe(401);
    for (const resource of ['https://evil.test', '']) {
      const { error } = await ask(headers, { resource });
      expect(error).toBe('invalid_target');
    }
    const body = new URLSearchParams([
      ['grant_type', 'client_credentials'],
      ['resource', other],
      ['resource', site.resource],
    ]).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const init = { method: 'POST', headers: { ...type, ...headers }, body };
    const response = await fetch(`${site.issuer}/oauth/token`, init);
    expect(await response.json()).toMatchObject({ error: 'invalid_target' });
  });

  it('need the secret of a client with this grant', async () => {
    const { id } = await register();
    expect(await ask(basic(id, 'wrong'))).toMatchObject({ status: 401, error: 'invalid_client' });
    expect(await ask({}, { client_id: id })).toMatchObject({ status: 401, error: 'invalid_client' });
    const create = { name: 'Web', redirectUris: [callback], confidential: true };
    const web = await site.oauth.clients.create(create);
    expect((await ask(basic(web.client.id, web.secret))).status).toBe(400);
    const open = await site.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    expect((await ask({}, { client_id: open.client.id })).status).toBe(400);
  });

  it('are not of a user, whose tokens stay what they are', async () => {
    const { client } = await site.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    const { access_token: token } = await signedIn(site, 'ada@example.com', client.id);
    const auth = (await (await open(token)).json()) as { extra: { user: { email: string } } };
    expect(auth.extra.user.email).toBe('ada@example.com');
  });
});

describe('clients.create()', () => {
  let site: OAuthSite;
  beforeAll(async () => {
    site = await openOAuthSite();
  });
  afterAll(() => site.close());

  it.each([
    [{ grants: ['client_credentials'], scopes: ['notes:read'] }, 'confidential'],
    [{ grants: ['client_credentials'], confidential: true }, 'scopes'],
    [{ grants: ['client_credentials'], confidential: true, scopes: [] }, 'scopes'],
    [{ grants: ['token_exchange'], scopes: ['notes:read'] }, 'confidential'],
    [{ redirectUris: [callback], scopes: ['notes:read', 'notes:delete'] }, 'notes:delete'],
    [{ grants: ['authorization_code'] }, 'redirectUris'],
    [{ grants: ['password'], redirectUris: [callback] }, 'grants'],
    [{ grants: [], redirectUris: [callback] }, 'grants'],
  ])('refuses %j by the name of what is wrong', async (client, name) => {
    await expect(site.oauth.clients.create({ name: 'Bad', ...client } as never)).rejects.toThrow(name);
  });

  it('limits what a client can ask users for', async () => {
    const create = { name: 'Reader', redirectUris: [callback], scopes: ['notes:read'] };
    const { client } = await site.oauth.clients.create(create);
    const tokens = await signedIn(site, 'ada@example.com', client.id, { scope: undefined });
    expect(tokens.scope).toBe('notes:read');
    const more = signedIn(site, 'ada@example.com', client.id, { scope: 'notes:read notes:write' });
    await expect(more).rejects.toThrow('invalid_scope');
  });
});
