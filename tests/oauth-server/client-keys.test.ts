// Clients that prove their identity with a signature (RFC 7523, private_key_jwt).
import { generateKeyPairSync } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import * as independent from 'oauth4webapi';
import { describeAdapters } from '../support/describe-adapters.js';
import { openOAuthSite, type OAuthSite } from '../support/oauth-site.js';
import { askForToken } from './protocol.js';

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

async function keyPair(alg = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, publicJwk: await exportJWK(publicKey), privateJwk: await exportJWK(privateKey) };
}

describeAdapters('Clients with a key', ({ adapter }) => {
  let site: OAuthSite;
  beforeAll(async () => {
    site = await openOAuthSite({}, adapter());
  });
  afterAll(() => site.close());

  const register = (...keys: JWK[]) =>
    site.oauth.clients.create({
      ...{ name: 'Nightly job', grants: ['client_credentials'], scopes: ['notes:read'], jwks: { keys } },
    });
  const sign = (key: CryptoKey, id: string, claims = {}, alg = 'ES256') =>
    new SignJWT({
      ...{ iss: id, sub: id, aud: site.issuer, jti: `${Math.random()}` },
      exp: Math.floor(site.test.clock.now() / 1000) + 60,
      ...claims,
    })
      .setProtectedHeader({ alg })
      .sign(key);
  const ask = (assertion: string, params: Record<string, string> = {}) =>
    askForToken(site, {
      ...{ grant_type: 'client_credentials', resource: site.resource },
      ...{ client_assertion_type: assertionType, client_assertion: assertion, ...params },
    });

  it.each(['ES256', 'RS256', 'PS256', 'EdDSA'])('get tokens with a signature by %s', async (alg) => {
    const { privateKey, publicJwk } = await keyPair(alg);
    const { client, secret } = await register({ ...publicJwk, kid: 'first' });
    expect(secret).toBeNull();
    expect(client.secrets).toEqual([]);
    const answer = await ask(await sign(privateKey, client.id, {}, alg));
    expect(answer).toMatchObject({ status: 200, scope: 'notes:read' });
  });

  it('are understood by an independent client', async () => {
    const { privateKey, publicJwk } = await keyPair();
    const { client } = await register(publicJwk);
    const insecure = { [independent.allowInsecureRequests]: true };
    const issuer = new URL(site.issuer);
    const discovered = await independent.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const server = await independent.processDiscoveryResponse(issuer, discovered);
    const own = { client_id: client.id };
    const response = await independent.clientCredentialsGrantRequest(
      ...([server, own, independent.PrivateKeyJwt(privateKey)] as const),
      { scope: 'notes:read', resource: site.resource },
      insecure,
    );
    const answer = await independent.processClientCredentialsResponse(server, own, response);
    expect(answer).toMatchObject({ token_type: 'bearer', scope: 'notes:read' });
  });

  it('use a signature once, also in parallel', async () => {
    const { privateKey, publicJwk } = await keyPair();
    const { client } = await register(publicJwk);
    const assertion = await sign(privateKey, client.id);
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(assertion)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await ask(assertion)).toMatchObject({ status: 401, error: 'invalid_client' });
  });

  it('are refused with the key, the name or the audience of another', async () => {
    const [own, other] = [await keyPair(), await keyPair()];
    const { client } = await register(own.publicJwk);
    const victim = await register(other.publicJwk);
    const now = Math.floor(site.test.clock.now() / 1000);
    for (const claims of [
      { iss: victim.client.id, sub: victim.client.id },
      { iss: victim.client.id },
      { aud: 'https://evil.test' },
      { aud: undefined },
      { jti: undefined },
      { exp: undefined },
      { exp: now - 60 },
      { exp: now + 24 * 60 * 60 },
    ])
      expect(await ask(await sign(own.privateKey, client.id, claims))).toMatchObject({
        status: 401,
        error: 'invalid_client',
      });
    expect((await ask(await sign(other.privateKey, client.id))).status).toBe(401);
    expect((await ask(await sign(own.privateKey, client.id))).status).toBe(200);
  });

  it('are refused without a signature, with a shared one, and with a secret', async () => {
    const { publicJwk } = await keyPair();
    const { client } = await register(publicJwk);
    const unsigned = [
      { alg: 'none' },
      { iss: client.id, sub: client.id, aud: site.issuer, jti: 'x', exp: 9_999_999_999 },
    ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
    expect((await ask(`${unsigned.join('.')}.`)).status).toBe(401);
    const shared = new TextEncoder().encode(JSON.stringify(publicJwk));
    expect((await ask(await sign(shared as never, client.id, {}, 'HS256'))).status).toBe(401);
    const named = { grant_type: 'client_credentials', resource: site.resource, client_id: client.id };
    expect((await askForToken(site, named)).status).toBe(401);
    expect((await askForToken(site, { ...named, client_secret: 'x' })).status).toBe(401);
    await expect(site.oauth.clients.addSecret(client.id)).rejects.toThrow('uses no secret');
  });

  it('store only what verifies a signature', async () => {
    const { publicJwk } = await keyPair();
    const { client } = await register({ ...publicJwk, kid: 'first', x5u: 'https://evil.test' });
    const stored = await site.test.adapter.oauthServer!.findClient(client.id, new Date());
    expect(stored!.metadata['jwks']).toEqual({ keys: [{ ...publicJwk, kid: 'first', use: 'sig' }] });
  });

  it('are not registered with a private key, or one that is of no use', async () => {
    const { privateJwk, publicJwk } = await keyPair();
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' });
    for (const [keys, reason] of [
      [[privateJwk], 'remove d'],
      [[publicJwk, privateJwk], 'jwks.keys.1'],
      [[{ kty: 'oct', k: 'c2VjcmV0' }], 'remove k'],
      [[{ kty: 'oct' }], 'kty'],
      [[weak], '2048'],
      [[p384], 'P-256'],
      [[{ ...publicJwk, x: 'AA' }], 'valid key'],
      [[{ ...publicJwk, use: 'enc' }], 'use'],
      [[{ ...publicJwk, alg: 'HS256' }], 'alg'],
      [[{ ...publicJwk, kid: 5 }], 'kid'],
      [
        [
          { ...publicJwk, kid: 'a' },
          { ...publicJwk, kid: 'a' },
        ],
        'different',
      ],
      [[], '1 to 10'],
      [Array(11).fill(publicJwk), '1 to 10'],
    ] as const)
      await expect(register(...(keys as readonly JWK[]))).rejects.toThrow(reason);
    const open = { name: 'Open', redirectUris: ['https://a.test/'], confidential: false };
    await expect(site.oauth.clients.create({ ...open, jwks: { keys: [publicJwk] } })).rejects.toThrow('jwks');
  });
});
