// How often one address may fail at the endpoints that clients call.
import { openOAuthSite, type OAuthSite } from '../support/oauth-site.js';
import { callback, refresh, signedIn } from './protocol.js';

describe('A failed request of a client', () => {
  let site: OAuthSite;
  let clientId: string;
  let secret: string;
  beforeAll(async () => {
    site = await openOAuthSite({ registration: true });
    const input = { name: 'Server', redirectUris: [callback], confidential: true };
    const created = await site.oauth.clients.create(input);
    clientId = created.client.id;
    secret = created.secret!;
  });
  afterAll(() => site.close());
  beforeEach(() => site.test.clock.advance(3_600_001));

  const post = async (path: string, params: Record<string, string>, headers: Record<string, string> = {}) => {
    const response = await fetch(`${site.issuer}/oauth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(params).toString(),
    });
    const text = await response.text();
    return { response, body: (text === '' ? {} : JSON.parse(text)) as { error?: string } };
  };
  const wrong = () => ({
    client_id: clientId,
    client_secret: 'wrong',
    token: 'x',
    grant_type: 'refresh_token',
  });

  it.each([
    ['token', () => post('token', wrong()), 'invalid_client'],
    ['introspect', () => post('introspect', wrong(), { accept: 'text/html' }), 'invalid_client'],
    ['revoke', () => post('revoke', wrong()), 'invalid_client'],
    ['userinfo', () => post('userinfo', {}, { authorization: 'Bearer wrong' }), 'invalid_token'],
    [
      'token with an unknown code',
      () =>
        post('token', {
          ...{ client_id: clientId, client_secret: secret, grant_type: 'authorization_code', code: 'x' },
          ...{ redirect_uri: callback, code_verifier: 'x'.repeat(43) },
        }),
      'invalid_grant',
    ],
  ])('is answered with 429 after three hundred at /oauth/%s', async (_name, fail, error) => {
    for (let count = 0; count < 300; count += 20) {
      const answers = await Promise.all(Array.from({ length: 20 }, fail));
      expect(new Set(answers.map(({ body }) => body.error))).toEqual(new Set([error]));
    }
    const { response, body } = await fail();
    expect([response.status, body.error]).toEqual([429, 'temporarily_unavailable']);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.headers.get('content-type')).toContain('application/json');
    // What is right still works.
    const { client } = await site.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    const tokens = await signedIn(site, 'ada@example.com', client.id);
    expect((await refresh(site, client.id, tokens.refresh_token)).status).toBe(200);
    site.test.clock.advance(15 * 60_000);
    expect((await fail()).body.error).toBe(error);
  });

  it('counts no requests that wait or that are malformed', async () => {
    for (let count = 0; count < 301; count++) {
      const { response } = await post('token', {
        client_id: clientId,
        client_secret: secret,
        grant_type: 'x',
      });
      if (response.status !== 400) throw new Error(`Status ${response.status}`);
    }
    expect((await post('token', wrong())).response.status).toBe(401);
  });

  it('is answered in the format of the protocol when too many clients register', async () => {
    const register = () =>
      fetch(`${site.issuer}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [callback] }),
      });
    for (let count = 0; count < 20; count++) expect((await register()).status).toBe(201);
    const response = await register();
    expect([response.status, await response.json()]).toEqual([
      429,
      expect.objectContaining({ error: 'temporarily_unavailable' }),
    ]);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
