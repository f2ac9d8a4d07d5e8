// Access tokens that are JWTs (RFC 9068): what they say, when they end, and what is not one.
import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  sign,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import { describeAdapters } from '../support/describe-adapters.js';
import { openOAuthSite } from '../support/oauth-site.js';
import { clientSite } from './client-site.js';
import { allow, askForToken, callback, refresh, type TokenAnswer } from './protocol.js';

const api = 'https://api.test/v1';
const other = 'https://other.test/v1';

type Claims = Record<string, unknown>;

describeAdapters('JWT access tokens', ({ adapter }) => {
  const scopes = { 'files:read': 'Read files', 'files:write': 'Change files' };
  const site = clientSite(
    { resources: { [api]: { scopes, accessTokens: 'jwt' }, [other]: { scopes, accessTokens: 'jwt' } } },
    adapter,
  );
  let keys: (JsonWebKey & { kid: string })[];
  beforeAll(async () => {
    const { requireAccessToken } = site.oauth;
    for (const [path, resource] of [
      ['/api', api],
      ['/opaque', site.resource],
    ] as const)
      site.app.get(path, requireAccessToken({ resource, allowClients: true }), (req, res) => {
        res.json((req as unknown as { auth: object }).auth);
      });
    ({ keys } = (await (await fetch(`${site.issuer}/oauth/jwks`)).json()) as { keys: typeof keys });
  });

  async function signedIn(email = `ada-${Math.random()}@example.com`, resource = api, more = {}) {
    const params = { scope: 'openid files:read', resource, ...more };
    const redeemable = await allow(site, await site.browser(email), site.clientId, params);
    return askForToken(site, { ...redeemable, resource });
  }
  const open = (token: string, path = '/api') =>
    fetch(site.issuer + path, { headers: { authorization: `Bearer ${token}` } });
  const status = async (token: string, path?: string) => (await open(token, path)).status;
  const post = (path: string, body: Record<string, string>, headers = {}) =>
    fetch(site.issuer + path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(body).toString(),
    });
  const decode = (token: string) => jsonwebtoken.decode(token, { complete: true })!;
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  function forge(header: object, payload: object, key?: KeyObject): string {
    const text = `${part(header)}.${part(payload)}`;
    const signature = key && sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature?.toString('base64url') ?? ''}`;
  }

  it('name the user, the client, the resource and the scopes, and other servers can verify them', async () => {
    const { access_token: token, scope } = await signedIn('ada@example.com');
    const key = createPublicKey({ format: 'jwk', key: keys[0]! });
    const user = (await site.test.service.users.find({ email: 'ada@example.com' }))!;
    const options = { algorithms: ['ES256' as const], issuer: site.issuer, audience: api };
    const payload = jsonwebtoken.verify(token, key, options) as Claims;
    expect(decode(token).header).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: keys[0]!.kid });
    expect(payload).toEqual({
      ...{ iss: site.issuer, aud: api, sub: user.id, client_id: site.clientId, scope: 'files:read' },
      ...{ jti: expect.any(String), iat: expect.any(Number), exp: expect.any(Number) },
    });
    expect(scope).toBe('files:read');
    const auth = await (await open(token)).json();
    expect(auth).toMatchObject({
      clientId: site.clientId,
      scopes: ['files:read'],
      extra: { user: { id: user.id } },
    });
    expect((auth as { expiresAt: number }).expiresAt).toBe(payload['exp']);
  });

  it('are only of the resource that asks for them', async () => {
    const opaque = await signedIn(undefined, site.resource, { scope: 'notes:read' });
    expect(opaque.access_token).not.toContain('.');
    expect(await status(opaque.access_token, '/opaque')).toBe(200);
    const { access_token: token } = await signedIn();
    expect(await status(token, '/opaque')).toBe(401);
    expect(await status((await signedIn(undefined, other)).access_token)).toBe(401);
  });

  it('are accepted with as many scopes as a request can name', async () => {
    const names = Array.from({ length: 160 }, (_, index) => `files:${'folder'.repeat(6)}:${index}`);
    const scopes = Object.fromEntries(names.map((name) => [name, `Read folder ${name}`]));
    const large = await openOAuthSite({ resources: { [api]: { scopes, accessTokens: 'jwt' } } });
    large.app.get(
      '/api',
      large.oauth.requireAccessToken({ resource: api }),
      (_req, res) => void res.json({}),
    );
    const { client } = await large.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    const browser = await large.browser('ada@example.com');
    const redeemable = await allow(large, browser, client.id, { scope: names.join(' '), resource: api });
    const { access_token: token } = await askForToken(large, { ...redeemable, resource: api });
    expect(token.length).toBeGreaterThan(8_000);
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${large.issuer}/api`, { headers })).status).toBe(200);
    await large.close();
  });

  it.each(['sign-out everywhere', 'block', 'deletion', 'removal of the client', 'revocation'] as const)(
    'end here at the next request: %s',
    async (end) => {
      const email = `eve-${Math.random()}@example.com`;
      const { client } = await site.oauth.clients.create({ name: 'Ended', redirectUris: [callback] });
      const params = { scope: 'files:read', resource: api };
      const redeemable = await allow(site, await site.browser(email), client.id, params);
      const { access_token: token } = await askForToken(site, { ...redeemable, resource: api });
      expect(await status(token)).toBe(200);
      const { service } = site.test;
      const user = (await service.users.find({ email }))!;
      await {
        'sign-out everywhere': () => service.users.signOut(user.id),
        block: () => service.users.block(user.id),
        deletion: () => service.account.deleteUser(user.id),
        'removal of the client': () => site.oauth.clients.remove(client.id),
        revocation: () => post('/oauth/revoke', { client_id: client.id, token }),
      }[end]();
      expect(await status(token)).toBe(401);
    },
  );

  it('end with their time, and with a code that comes back', async () => {
    const redeemable = await allow(site, await site.browser('bob@example.com'), site.clientId, {
      ...{ scope: 'files:read', resource: api },
    });
    const { access_token: token } = await askForToken(site, { ...redeemable, resource: api });
    expect(await status(token)).toBe(200);
    await askForToken(site, { ...redeemable, resource: api });
    expect(await status(token)).toBe(401);
    const { access_token: timed } = await signedIn();
    site.test.clock.advance(60 * 60_000);
    expect(await status(timed)).toBe(401);
  });

  it('are introspected and revoked by their client alone', async () => {
    const { access_token: token, refresh_token: renewal } = await signedIn();
    const { access_token: second } = await refresh(site, site.clientId, renewal, { resource: api });
    const stranger = (await site.oauth.clients.create({ name: 'Other', redirectUris: [callback] })).client.id;
    const inspect = async (id: string, value = token) =>
      (await post('/oauth/introspect', { client_id: id, token: value })).json();
    expect(await inspect(site.clientId)).toMatchObject({
      ...{ active: true, client_id: site.clientId, aud: api, scope: 'files:read', iss: site.issuer },
      ...decodeClaims(token),
    });
    expect(await inspect(stranger)).toEqual({ active: false });
    expect(await inspect(site.clientId, `${token.slice(0, -4)}AAAA`)).toEqual({ active: false });
    expect((await post('/oauth/revoke', { client_id: stranger, token })).status).toBe(200);
    expect(await status(token)).toBe(200);
    expect((await post('/oauth/revoke', { client_id: site.clientId, token })).status).toBe(200);
    expect([await status(token), await status(second)]).toEqual([401, 401]);
    expect(await inspect(site.clientId)).toEqual({ active: false });
    expect((await post('/oauth/introspect', { client_id: 'nobody', token })).status).toBe(401);
    expect((await refresh(site, site.clientId, renewal, { resource: api })).status).toBe(200);
  });
  const decodeClaims = (token: string) => {
    const { sub, exp, iat } = decode(token).payload as Claims;
    return { sub, exp, iat };
  };

  it('of clients themselves have the client as their subject', async () => {
    const create = { name: 'Job', confidential: true, scopes: ['files:read'] };
    const grants = ['client_credentials', 'token_exchange'] as const;
    const { client, secret } = await site.oauth.clients.create({ ...create, grants });
    const headers = { authorization: `Basic ${btoa(`${client.id}:${secret}`)}` };
    const ask = async (params: Record<string, string>) =>
      (await askForToken(site, { resource: api, ...params }, headers)).access_token;
    const own = await ask({ grant_type: 'client_credentials' });
    expect(decode(own).payload).toMatchObject({ sub: client.id, client_id: client.id, aud: api });
    expect(await status(own)).toBe(200);
    const exchanged = await ask({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: (await signedIn()).access_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    });
    expect(Object.keys(decode(exchanged).payload as Claims).sort()).toEqual(
      ['act', 'aud', 'client_id', 'exp', 'iat', 'iss', 'jti', 'scope', 'sub'].sort(),
    );
    expect(decode(exchanged).payload).toMatchObject({ act: { sub: client.id } });
    expect(await (await open(exchanged)).json()).toMatchObject({ extra: { act: { sub: client.id } } });
    await site.oauth.clients.remove(client.id);
    expect([await status(own), await status(exchanged)]).toEqual([401, 401]);
  });

  describe('are not', () => {
    let answer: TokenAnswer;
    let header: Claims;
    let payload: Claims;
    beforeAll(async () => {
      answer = await signedIn();
      ({ header, payload } = decode(answer.access_token) as unknown as { header: Claims; payload: Claims });
    });
    const refused = async (token: string) => expect(await status(token)).toBe(401);
    const attacker = generateKeyPairSync('ec', { namedCurve: 'P-256' });

    it('ID tokens', () => refused(answer.id_token!));

    it('their ids alone', async () => {
      const create = { name: 'Agent', confidential: true, scopes: ['files:read'] };
      const { client, secret } = await site.oauth.clients.create({ ...create, grants: ['token_exchange'] });
      const headers = { authorization: `Basic ${btoa(`${client.id}:${secret}`)}` };
      for (const subject_token of [`jwt:${String(payload['jti'])}`, String(payload['jti'])]) {
        expect([400, 401]).toContain(await status(subject_token));
        const exchanged = await askForToken(
          site,
          {
            grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
            subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
            ...{ resource: api, subject_token },
          },
          headers,
        );
        expect(exchanged).toMatchObject({ status: 400, error: 'invalid_grant' });
      }
    });

    it.each(['none', 'None', 'NONE'])('unsigned ones, with the algorithm %s', async (alg) => {
      await refused(forge({ ...header, alg }, payload));
      const [, , signature = ''] = answer.access_token.split('.');
      await refused(forge({ ...header, alg }, payload) + signature);
    });

    it('signed with the public key as a shared secret', async () => {
      const pem = createPublicKey({ format: 'jwk', key: keys[0]! }).export({ type: 'spki', format: 'pem' });
      for (const secret of [pem, JSON.stringify(keys[0]), keys[0]!.x!]) {
        const text = `${part({ ...header, alg: 'HS256' })}.${part(payload)}`;
        const signature = createHmac('sha256', secret).update(text).digest('base64url');
        await refused(`${text}.${signature}`);
      }
    });

    it('signed by a key that is not of this server', async () => {
      const jwk = attacker.publicKey.export({ format: 'jwk' });
      for (const extra of [{}, { kid: 'x' }, { jwk }, { jwk, kid: undefined }, { jku: 'https://evil.test' }])
        await refused(forge({ ...header, ...extra }, payload, attacker.privateKey));
    });

    it('changed ones, also in their type', async () => {
      const [head, body, signature] = answer.access_token.split('.') as [string, string, string];
      for (const change of [{ aud: other }, { scope: 'files:write' }, { exp: 9e9 }, { iss: 'https://evil' }])
        await refused(`${head}.${part({ ...payload, ...change })}.${signature}`);
      await refused(`${part({ ...header, typ: 'JWT' })}.${body}.${signature}`);
      await refused(`${part({ ...header, crit: ['exp'] })}.${body}.${signature}`);
      await refused(`${head}.${body}.`);
      await refused(`${head}.${body}.${'A'.repeat(86)}`);
      await refused(`${head}.${body}.${signature}.${signature}`);
    });

    it('refused by all of that: the token itself is accepted', async () => {
      expect(await status(answer.access_token)).toBe(200);
    });
  });
});
