// Tokens that are bound to a key of their client (DPoP, RFC 9449), and what a thief of a token must not get.
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { memoryAdapter } from 'svc-auth';
import { describeAdapters, recordCalls } from '../support/describe-adapters.js';
import { openOAuthSite } from '../support/oauth-site.js';
import { clientSite } from './client-site.js';
import { allow, askForToken, call, callback, signedIn, type TokenAnswer } from './protocol.js';
import { newKey, proofsOf, secondsAt, type ClientKey, type ProofParts } from './proofs.js';

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessToken = 'urn:ietf:params:oauth:token-type:access_token';

describeAdapters('Tokens bound to a key', ({ adapter }) => {
  const site = clientSite({}, adapter);
  const proofOf = proofsOf(() => site);
  let key: ClientKey;
  beforeAll(async () => {
    key = newKey();
    site.app.post('/mcp', site.oauth.requireAccessToken(), (_req, res) => void res.json({}));
    site.app.get('/write', site.oauth.requireAccessToken({ scopes: ['notes:write'] }), (_req, res) => {
      res.json({});
    });
    // A guard of the router, and a stricter one of the route, whose body takes longer than a proof lasts.
    site.app.get(
      '/twice',
      site.oauth.requireAccessToken(),
      (_req, _res, next) => {
        site.test.clock.advance(10 * 60_000);
        next();
      },
      site.oauth.requireAccessToken({ scopes: ['notes:read'] }),
      (_req, res) => void res.json({}),
    );
  });

  const tokenUrl = () => `${site.issuer}/oauth/token`;
  const withProof = (of: ClientKey, parts?: ProofParts) => ({
    dpop: proofOf(of, 'POST', tokenUrl(), undefined, parts),
  });
  const bound = async (of = key, email = `ada-${Math.random()}@example.com`) => {
    const redeemable = await allow(site, await site.browser(email), site.clientId);
    return (await askForToken(site, redeemable, withProof(of))) as TokenAnswer & { token_type: string };
  };
  const renew = (token: string, headers: Record<string, string> = {}) =>
    askForToken(
      site,
      { grant_type: 'refresh_token', client_id: site.clientId, refresh_token: token },
      headers,
    );
  const send = (token: string, proof?: string, init: RequestInit = {}, url = site.resource) => {
    const headers = { authorization: `DPoP ${token}`, ...(proof !== undefined && { dpop: proof }) };
    return fetch(url, { ...init, headers });
  };
  const right = (token: string, of = key, parts?: ProofParts) =>
    send(token, proofOf(of, 'GET', site.resource, token, parts));
  const refusal = async (sent: Promise<Response>) => {
    const response = await sent;
    const challenge = response.headers.get('www-authenticate');
    return [response.status, /error="([^"]+)"/.exec(challenge ?? '')?.[1], challenge] as const;
  };
  async function agent() {
    const create = { name: 'Agent', confidential: true, scopes: ['notes:read'] };
    const grants = ['client_credentials', 'token_exchange'] as const;
    const { client, secret } = await site.oauth.clients.create({ ...create, grants });
    return { id: client.id, headers: { authorization: `Basic ${btoa(`${client.id}:${secret}`)}` } };
  }

  it.each(['ES256', 'EdDSA', 'Ed25519'] as const)('are accepted with a proof of %s', async (alg) => {
    const own = newKey(alg);
    const tokens = await bound(own);
    expect(tokens).toMatchObject({ status: 200, token_type: 'DPoP' });
    expect((await right(tokens.access_token, own)).status).toBe(200);
  });

  it('are refused as Bearer, with another key, without a proof, and by the verifier', async () => {
    const { access_token: token } = await bound();
    const [status, error, challenge] = await refusal(call(site, token));
    expect([status, error]).toEqual([401, 'invalid_token']);
    expect(challenge).toContain('DPoP algs="ES256 Ed25519 EdDSA PS256 RS256"');
    expect((await refusal(right(token, newKey()))).slice(0, 2)).toEqual([401, 'invalid_token']);
    const withoutProof = await refusal(send(token));
    expect(withoutProof.slice(0, 2)).toEqual([401, 'invalid_dpop_proof']);
    expect(withoutProof[2]).toMatch(/^DPoP error="invalid_dpop_proof".*resource_metadata=".*algs="ES256/);
    await expect(site.oauth.verifier.verifyAccessToken(token)).rejects.toThrow('bound');
  });

  it('that are not bound are refused as DPoP: a thief could add any key', async () => {
    const { access_token: token } = await signedIn(site, 'bob@example.com', site.clientId);
    expect((await refusal(right(token))).slice(0, 2)).toEqual([401, 'invalid_token']);
    expect((await call(site, token)).status).toBe(200);
  });

  it('need a proof of this request, by the address of the resource and not by the host', async () => {
    const { access_token: token } = await bound();
    const seconds = () => secondsAt(site);
    const privateJwk = key.privateKey.export({ format: 'jwk' });
    const other = newKey();
    const parts: [string, ProofParts][] = [
      ['another method', { payload: { htm: 'POST' } }],
      ['another address', { payload: { htu: `${site.issuer}/write` } }],
      ['another host', { payload: { htu: 'https://evil.test/mcp' } }],
      ['no address', { payload: { htu: undefined } }],
      ['another token', { payload: { ath: 'x' } }],
      ['no token', { payload: { ath: undefined } }],
      ['the past', { payload: { iat: seconds() - 62 } }],
      ['the future', { payload: { iat: seconds() + 62 } }],
      ['no time', { payload: { iat: undefined } }],
      ['a time in words', { payload: { iat: String(seconds()) } }],
      ['no id', { payload: { jti: undefined } }],
      ['a long id', { payload: { jti: 'x'.repeat(256) } }],
      ['another type', { header: { typ: 'JWT' } }],
      ['no type', { header: { typ: undefined } }],
      ['no key', { header: { jwk: undefined } }],
      ['a private key', { header: { jwk: privateJwk } }],
      ['a shared secret', { header: { alg: 'HS256', jwk: { kty: 'oct', k: 'AAAA' } } }],
      ['no signature', { header: { alg: 'none' } }],
      ['the key of another', { header: { jwk: other.jwk } }],
      ['an algorithm of other keys', { header: { alg: 'EdDSA' } }],
      ['an extension', { header: { crit: ['exp'] } }],
    ];
    for (const [what, each] of parts)
      expect([what, ...(await refusal(right(token, key, each))).slice(0, 2)]).toEqual([
        what,
        401,
        'invalid_dpop_proof',
      ]);
    const proof = proofOf(key, 'GET', site.resource, token);
    for (const header of ['', 'x', `${proof}, ${proof}`, `${proof}x`, proof.replace(/\.[^.]+$/, '.')])
      expect((await refusal(send(token, header))).slice(0, 2)).toEqual([401, 'invalid_dpop_proof']);
    expect((await right(token)).status).toBe(200);
    const query = proofOf(key, 'GET', `${site.resource}#x`, token);
    expect((await send(token, query, {}, `${site.resource}?page=2`)).status).toBe(200);
  });

  it('do not follow the host that a request names', async () => {
    const { access_token: token } = await bound();
    const ask = (htu: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const { hostname, port, pathname } = new URL(site.resource);
        const proof = proofOf(key, 'GET', htu, token);
        const headers = { host: 'evil.test', authorization: `DPoP ${token}`, dpop: proof };
        const sent = request({ host: hostname, port, path: pathname, headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sent.on('error', reject);
        sent.end();
      });
    expect(await ask('http://evil.test/mcp')).toBe(401);
    expect(await ask(site.resource)).toBe(200);
  });

  it('accept a proof once, of twenty that are sent at the same time', async () => {
    const { access_token: token } = await bound();
    const proof = proofOf(key, 'GET', site.resource, token);
    const sent = await Promise.all(Array.from({ length: 20 }, () => send(token, proof)));
    const statuses = sent.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(19).fill(401)]);
    site.test.clock.advance(30_000);
    await site.test.service.purgeExpired();
    expect((await refusal(send(token, proof))).slice(0, 2)).toEqual([401, 'invalid_dpop_proof']);
    site.test.clock.advance(-30_000);
  });

  it('need one proof for a request that two guards check', async () => {
    const { access_token: token } = await bound();
    const url = `${site.issuer}/twice`;
    const proof = proofOf(key, 'GET', url, token);
    expect((await send(token, proof, {}, url)).status).toBe(200);
    site.test.clock.advance(-10 * 60_000);
    expect((await refusal(send(token, proof, {}, url))).slice(0, 2)).toEqual([401, 'invalid_dpop_proof']);
  });

  it('do not use up a proof of a request that is refused', async () => {
    const { access_token: token } = await bound();
    const proof = proofOf(key, 'GET', `${site.issuer}/write`, token);
    for (let time = 0; time < 2; time++) {
      const [status, error] = await refusal(send(token, proof, {}, `${site.issuer}/write`));
      expect([status, error]).toEqual([403, 'insufficient_scope']);
    }
  });

  it('refresh tokens of public clients stay bound to the key, over every exchange', async () => {
    let { refresh_token: token } = await bound();
    for (let time = 0; time < 3; time++) {
      expect(await renew(token)).toMatchObject({ status: 400, error: 'invalid_grant' });
      expect(await renew(token, withProof(newKey()))).toMatchObject({ error: 'invalid_grant' });
      const next = await renew(token, withProof(key));
      expect(next.status).toBe(200);
      expect((await right(next.access_token)).status).toBe(200);
      expect((await call(site, next.access_token)).status).toBe(401);
      token = next.refresh_token;
    }
  });

  it('a proof at the token endpoint counts once, for each of its grants', async () => {
    const { refresh_token: renewal } = await bound();
    const once = withProof(key);
    expect((await renew(renewal, once)).status).toBe(200);
    expect((await renew(renewal, once)).status).toBe(400);
    const { headers } = await agent();
    const ask = { grant_type: 'client_credentials', scope: 'notes:read' };
    const proof = withProof(key);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => askForToken(site, ask, { ...headers, ...proof })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.find(({ status }) => status !== 200)).toMatchObject({ error: 'invalid_dpop_proof' });
    for (const parts of [{ payload: { htu: site.resource } }, { payload: { htm: 'GET' } }])
      expect(await askForToken(site, ask, { ...headers, ...withProof(key, parts) })).toMatchObject({
        ...{ status: 400, error: 'invalid_dpop_proof' },
      });
    const own = answers.find(({ status }) => status === 200)!;
    expect(own).toMatchObject({ token_type: 'DPoP' });
  });

  it('a code that was asked for with a key is redeemed with this key alone', async () => {
    const { crv, kty, x, y } = key.jwk as Record<string, string>;
    const dpop_jkt = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
    const browser = await site.browser('dpop-key@example.com');
    const redeemable = await allow(site, browser, site.clientId, { dpop_jkt });
    // A request with another key does not use the code up.
    for (const [headers, status] of [
      [{}, 400],
      [withProof(newKey()), 400],
      [withProof(key), 200],
    ] as const)
      expect((await askForToken(site, redeemable, headers)).status).toBe(status);
  });

  it('are exchanged by an agent with a key alone, which is another one', async () => {
    const { access_token: token } = await bound();
    const { headers } = await agent();
    const ask = (more: Record<string, string>) =>
      askForToken(
        site,
        { grant_type: exchangeGrant, subject_token: token, subject_token_type: accessToken },
        { ...headers, ...more },
      );
    expect(await ask({})).toMatchObject({ status: 400, error: 'invalid_dpop_proof' });
    const own = newKey();
    const answer = await ask(withProof(own));
    expect(answer).toMatchObject({ status: 200, token_type: 'DPoP' });
    expect((await right(answer.access_token, own)).status).toBe(200);
    expect((await right(answer.access_token, key)).status).toBe(401);
    expect((await call(site, answer.access_token)).status).toBe(401);
  });

  it('say their key in their introspection, also as JWTs', async () => {
    const api = 'https://api.test/v1';
    const jwt = await openOAuthSite({
      resources: { [api]: { scopes: { 'files:read': 'Read files' }, accessTokens: 'jwt' } },
    });
    const proofOf = proofsOf(() => jwt);
    const { client } = await jwt.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    jwt.app.get('/v1', jwt.oauth.requireAccessToken({ resource: api }), (_req, res) => void res.json({}));
    const params = { scope: 'files:read', resource: api };
    const redeemable = await allow(jwt, await jwt.browser('ada@example.com'), client.id, params);
    const headers = { dpop: proofOf(key, 'POST', `${jwt.issuer}/oauth/token`) };
    const { access_token: token } = await askForToken(jwt, { ...redeemable, resource: api }, headers);
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as object;
    expect(claims).toMatchObject({ cnf: { jkt: expect.any(String) } });
    const response = await fetch(`${jwt.issuer}/oauth/introspect`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: client.id, token }).toString(),
    });
    const { cnf } = claims as { cnf: object };
    expect(await response.json()).toMatchObject({ active: true, token_type: 'DPoP', cnf });
    const open = (proof: string) => send(token, proof, {}, `${jwt.issuer}/v1`);
    expect((await open(proofOf(key, 'GET', `${api}`, token))).status).toBe(200);
    expect((await open(proofOf(key, 'GET', `${jwt.issuer}/v1`, token))).status).toBe(401);
    const bearer = { headers: { authorization: `Bearer ${token}` } };
    expect((await fetch(`${jwt.issuer}/v1`, bearer)).status).toBe(401);
    await jwt.close();
  });

  it('are announced', async () => {
    const json = async (path: string) => (await fetch(site.issuer + path)).json() as Promise<object>;
    const algorithms = { dpop_signing_alg_values_supported: ['ES256', 'Ed25519', 'EdDSA', 'PS256', 'RS256'] };
    expect(await json('/.well-known/oauth-authorization-server')).toMatchObject(algorithms);
    const resource = await json('/.well-known/oauth-protected-resource/mcp');
    expect(resource).toMatchObject(algorithms);
    expect(resource).not.toHaveProperty('dpop_bound_access_tokens_required');
  });
});

describeAdapters('A server that requires keys', ({ adapter }) => {
  const site = clientSite({ dpop: 'required' }, adapter);
  const proofOf = proofsOf(() => site);

  it('issues no token without one', async () => {
    const redeemable = await allow(site, await site.browser('ada@example.com'), site.clientId);
    expect((await askForToken(site, redeemable)).status).toBe(400);
    const create = { name: 'Job', confidential: true, scopes: ['notes:read'] };
    const { client, secret } = await site.oauth.clients.create({ ...create, grants: ['client_credentials'] });
    const headers = { authorization: `Basic ${btoa(`${client.id}:${secret}`)}` };
    expect(await askForToken(site, { grant_type: 'client_credentials' }, headers)).toMatchObject({
      ...{ status: 400, error: 'invalid_dpop_proof' },
    });
  });

  it('accepts tokens with a proof alone, and says so', async () => {
    const key = newKey();
    const redeemable = await allow(site, await site.browser('ada@example.com'), site.clientId);
    const headers = { dpop: proofOf(key, 'POST', `${site.issuer}/oauth/token`) };
    const { access_token: token } = await askForToken(site, redeemable, headers);
    const proof = proofOf(key, 'GET', site.resource, token);
    const sent = await fetch(site.resource, { headers: { authorization: `DPoP ${token}`, dpop: proof } });
    expect(sent.status).toBe(200);
    const refused = await call(site);
    expect(refused.headers.get('www-authenticate')).toMatch(/^DPoP scope="notes:read notes:write"/);
    expect(
      await (await fetch(`${site.issuer}/.well-known/oauth-protected-resource/mcp`)).json(),
    ).toMatchObject({ dpop_bound_access_tokens_required: true });
  });

  it('refuses tokens from the time before it', async () => {
    const api = 'https://api.test/v1';
    const statuses: number[] = [];
    let token = '';
    for (const dpop of ['accepted', 'required'] as const) {
      const resources = { [api]: { scopes: { 'files:read': 'Read files' } } };
      const each = await openOAuthSite({ dpop, resources }, adapter());
      if (token === '') {
        const { client } = await each.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
        const params = { scope: 'files:read', resource: api };
        const redeemable = await allow(each, await each.browser('old@example.com'), client.id, params);
        token = (await askForToken(each, { ...redeemable, resource: api })).access_token;
      }
      const guard = each.oauth.requireAccessToken({ resource: api });
      each.app.get('/v1', guard, (_req, res) => void res.json({}));
      const headers = { authorization: `Bearer ${token}` };
      statuses.push((await fetch(`${each.issuer}/v1`, { headers })).status);
      await each.close();
    }
    expect(statuses).toEqual([200, 401]);
  });
});

describe('The check of an access token', () => {
  it('asks the storage once, and for a proof once more', async () => {
    const calls: string[] = [];
    const adapter = recordCalls(memoryAdapter(), calls);
    const api = 'https://api.test/v1';
    const site = await openOAuthSite(
      { resources: { [api]: { scopes: { 'files:read': 'Read files' }, accessTokens: 'jwt' } } },
      adapter,
    );
    site.app.get('/v1', site.oauth.requireAccessToken({ resource: api }), (_req, res) => void res.json({}));
    const { client } = await site.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    const proofOf = proofsOf(() => site);
    const key = newKey();
    const verbsOf = async (url: string, headers: Record<string, string>) => {
      calls.length = 0;
      expect((await fetch(url, { headers })).status).toBe(200);
      return [...calls];
    };
    const plain = await signedIn(site, 'ada@example.com', client.id);
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    expect(await verbsOf(site.resource, bearer(plain.access_token))).toEqual(['oauthServer.findAccess']);
    const params = { scope: 'files:read', resource: api };
    const redeemable = await allow(site, await site.browser('ada@example.com'), client.id, params);
    const jwt = await askForToken(site, { ...redeemable, resource: api });
    expect(await verbsOf(`${site.issuer}/v1`, bearer(jwt.access_token))).toEqual(['oauthServer.findAccess']);
    const code = await allow(site, await site.browser('ada@example.com'), client.id);
    const bound = await askForToken(site, code, {
      dpop: proofOf(key, 'POST', `${site.issuer}/oauth/token`),
    });
    const proof = proofOf(key, 'GET', site.resource, bound.access_token);
    const headers = { authorization: `DPoP ${bound.access_token}`, dpop: proof };
    expect(await verbsOf(site.resource, headers)).toEqual([
      'oauthServer.findAccess',
      'oauthServer.insertToken',
    ]);
    await site.close();
  });
});
