// What the OAuth server refuses with 401, 403 or 429 is in the log and in the audit log, with its user and its client.
import { openOAuthSite, type OAuthSite } from '../support/oauth-site.js';
import { call, callback, signedIn } from './protocol.js';

describe('a refusal of the OAuth server', () => {
  let site: OAuthSite;
  let clientId: string;
  beforeAll(async () => {
    site = await openOAuthSite({}, undefined, { audit: true });
    const { client } = await site.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    clientId = client.id;
    const scopes = ['notes:read', 'notes:write'];
    site.app.get('/notes/:id', site.oauth.requireAccessToken({ scopes }), (_req, res) => void res.json({}));
  });
  afterAll(() => site.close());

  const token = (params: Record<string, string>) =>
    fetch(`${site.issuer}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: 'secret',
        ...params,
      }).toString(),
    });
  const records = async () => {
    const { records: all } = await site.test.service.audit.list({ action: 'request.refused' });
    return all;
  };
  const logged = () => site.test.log.filter(({ fields }) => fields['event'] === 'refused').at(-1)?.fields;

  it('leaves a record of the guard with the user and the client of a token that lacks a scope', async () => {
    const { access_token: secret } = await signedIn(site, 'ada@example.com', clientId);
    const headers = { authorization: `Bearer ${secret}` };
    const { id: userId } = (await site.test.service.users.list({ search: 'ada@example.com' })).users[0]!;
    expect((await fetch(`${site.issuer}/notes/one?secret=1`, { headers })).status).toBe(403);
    const [record] = await records();
    expect(record).toMatchObject({
      reason: 'scope_missing',
      userId,
      clientId,
      details: { route: 'GET /notes/:id' },
    });
    expect(JSON.stringify(record)).not.toContain(secret);
    expect(logged()).toMatchObject({ reason: 'scope_missing' });
  });

  it('leaves a record of the guard without a user for a forged token', async () => {
    await call(site, 'x'.repeat(43));
    expect((await records())[0]).toMatchObject({
      reason: 'access_token_invalid',
      userId: null,
      clientId: null,
    });
  });

  it('leaves a record and a line of the log for a client that is not authenticated', async () => {
    expect((await token({ client_id: 'unknown' })).status).toBe(401);
    expect((await records())[0]).toMatchObject({ reason: 'client_invalid', clientId: null });
    expect(logged()).toMatchObject({
      code: 'invalid_client',
      reason: 'client_invalid',
      path: '/oauth/token',
    });
    const confidential = { name: 'Job', confidential: true, scopes: ['notes:read'] };
    const { client } = await site.oauth.clients.create({ ...confidential, grants: ['client_credentials'] });
    expect((await token({ client_id: client.id, client_secret: 'wrong' })).status).toBe(401);
    const [record] = await records();
    expect(record).toMatchObject({ reason: 'client_invalid', clientId: client.id, userId: null });
    expect(JSON.stringify(record)).not.toContain('wrong');
  });

  it('leaves a record of a token that the endpoint for user information refuses', async () => {
    await fetch(`${site.issuer}/oauth/userinfo`, { headers: { authorization: 'Bearer wrong' } });
    expect((await records())[0]).toMatchObject({ reason: 'access_token_invalid' });
  });

  it('counts requests without a token', async () => {
    for (let count = 0; count < 3; count += 1) await call(site);
    expect((await records()).filter(({ reason }) => reason === 'access_token_missing')).toEqual([]);
    site.test.clock.advance(60_000);
    await call(site, 'x'.repeat(43));
    const counts = (await records()).filter(({ reason }) => reason === 'access_token_missing');
    expect(counts.map(({ details }) => details)).toEqual([{ route: 'GET /mcp', count: 3 }]);
  });
});
