// The reasons of the guard for access tokens, and of the endpoints that clients call (docs/reasons.md).
import { reasons } from '../../src/errors/reasons.js';
import { clientSite } from './client-site.js';
import { allow, askForToken, call, signedIn } from './protocol.js';
import { newKey, proofsOf } from './proofs.js';

describe('The reason of a refusal', () => {
  const site = clientSite();
  const key = newKey();
  const proofOf = proofsOf(() => site);
  beforeAll(async () => {
    const scopes = ['notes:read', 'notes:write'];
    site.app.get('/write', site.oauth.requireAccessToken({ scopes }), (_req, res) => void res.json({}));
  });

  // Signed in once, and not in production, in which tests cannot sign in.
  const tokens = { ofUser: '', bound: '', ofClient: '' };
  const get = (path: string, headers: Record<string, string>) => fetch(site.issuer + path, { headers });
  const boundToken = async () => {
    const redeemable = await allow(site, await site.browser('bea@example.com'), site.clientId);
    const dpop = proofOf(key, 'POST', `${site.issuer}/oauth/token`);
    return (await askForToken(site, redeemable, { dpop })).access_token;
  };
  async function tokenOfClient() {
    const create = { name: 'Job', confidential: true, scopes: ['notes:read'] };
    const { client, secret } = await site.oauth.clients.create({ ...create, grants: ['client_credentials'] });
    const authorization = `Basic ${btoa(`${client.id}:${secret}`)}`;
    const params = { grant_type: 'client_credentials', resource: site.resource };
    return (await askForToken(site, params, { authorization })).access_token;
  }

  beforeAll(async () => {
    tokens.ofUser = (await signedIn(site, 'ada@example.com', site.clientId)).access_token;
    tokens.bound = await boundToken();
    tokens.ofClient = await tokenOfClient();
  });

  const produced: Readonly<Record<string, () => Promise<Response>>> = {
    access_token_missing: () => call(site),
    access_token_invalid: () => call(site, 'x'.repeat(43)),
    access_token_of_client: async () => call(site, tokens.ofClient),
    access_token_bound: async () => call(site, tokens.bound),
    async access_token_unbound() {
      const token = tokens.ofUser;
      const dpop = proofOf(key, 'GET', site.resource, token);
      return get('/mcp', { authorization: `DPoP ${token}`, dpop });
    },
    async dpop_proof_invalid() {
      const token = tokens.bound;
      return get('/mcp', { authorization: `DPoP ${token}`, dpop: 'nonsense' });
    },
    scope_missing: async () => get('/write', { authorization: `Bearer ${tokens.ofUser}` }),
  };

  it.each(Object.keys(produced))('is %s in the header, in the body and in the log', async (reason) => {
    const response = await produced[reason]!();
    expect([401, 403]).toContain(response.status);
    expect(response.headers.get('svc-auth-reason')).toBe(reason);
    expect(await response.json()).toMatchObject({ diagnosis: reason });
    expect(site.test.log.at(-1)?.fields).toMatchObject({ event: 'refused', reason });
  });

  const client = (params: Record<string, string>) =>
    fetch(`${site.issuer}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', ...params }).toString(),
    });

  it('is in the header of the endpoints that clients call', async () => {
    const response = await client({ client_id: 'unknown' });
    expect([response.status, response.headers.get('svc-auth-reason')]).toEqual([401, 'client_invalid']);
    const userinfo = await get('/oauth/userinfo', { authorization: 'Bearer wrong' });
    expect([userinfo.status, userinfo.headers.get('svc-auth-reason')]).toEqual([401, 'access_token_invalid']);
  });

  it('is the limit after too many failures', async () => {
    for (let i = 0; i < 300; i += 1) await client({ client_id: 'unknown' });
    const response = await client({ client_id: 'unknown' });
    expect([response.status, response.headers.get('svc-auth-reason')]).toEqual([
      429,
      'limit:oauth-failure:ip',
    ]);
  });

  it('is not in the responses of production', async () => {
    const environment = process.env['NODE_ENV'];
    process.env['NODE_ENV'] = 'production';
    try {
      for (const produce of [...Object.values(produced), () => client({ client_id: 'unknown' })]) {
        const response = await produce();
        expect(response.headers.get('svc-auth-reason')).toBeNull();
        expect(await response.json()).not.toHaveProperty('diagnosis');
      }
    } finally {
      process.env['NODE_ENV'] = environment;
    }
  });

  it('has a request for each reason of the table that only this server gives', () => {
    const own = Object.entries(reasons).filter(([, codes]) => codes.length === 0);
    const known = [...Object.keys(produced), 'client_invalid', 'access_token_malformed'];
    expect(own.map(([name]) => name).filter((name) => !known.includes(name))).toEqual([]);
  });
});
