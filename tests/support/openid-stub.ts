/**
 * An OpenID provider that responds as a real one never would: invalid tokens, redirects, floods. Discovery and keys are
 * valid, so that the fault under test is the only one.
 */
import { createSign, generateKeyPairSync, createHmac, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface OpenIdStub {
  issuer: string;
  client: { issuer: string; clientId: string; clientSecret: string; redirectUri: string };
  /** Claims of the next ID tokens, merged over valid ones; undefined removes a claim. */
  claims: Record<string, unknown>;
  /** Signs the next ID tokens. */
  sign: (claims: object) => string;
  /** Responds to a request instead of the stub. Returns false to leave the request to the stub. */
  respond: (path: string, request: IncomingMessage, response: ServerResponse) => boolean;
  requests: string[];
  /** A key other than the published one. */
  readonly otherKey: KeyObject;
  readonly key: KeyObject;
  reset(): void;
  close(): Promise<void>;
}

/** In base64url. A bigint becomes an integer with all its digits, as other languages write them. */
function encode(value: object): string {
  const mark = (_key: string, each: unknown) => (typeof each === 'bigint' ? `#${each}#` : each);
  const json = JSON.stringify(value, mark).replace(/"#(-?\d+)#"/g, '$1');
  return Buffer.from(json).toString('base64url');
}

export function rs256(key: KeyObject, claims: object, header: object = {}): string {
  const input = `${encode({ alg: 'RS256', kid: 'key', typ: 'JWT', ...header })}.${encode(claims)}`;
  return `${input}.${createSign('RSA-SHA256').update(input).sign(key).toString('base64url')}`;
}

export function hs256(secret: string | Buffer, claims: object): string {
  const input = `${encode({ alg: 'HS256', kid: 'key', typ: 'JWT' })}.${encode(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

export const unsigned = (claims: object) => `${encode({ alg: 'none' })}.${encode(claims)}.`;

export async function startOpenIdStub(redirectUri: string): Promise<OpenIdStub> {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { privateKey: otherKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', stub.issuer).pathname;
    // See oidc-server.ts.
    response.shouldKeepAlive = false;
    stub.requests.push(path);
    if (stub.respond(path, request, response)) return;
    const body = responses[path]?.();
    response
      .writeHead(body ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const stub: OpenIdStub = {
    issuer,
    client: { issuer, clientId: 'acme', clientSecret: 'the secret of the client', redirectUri },
    claims: {},
    sign: () => '',
    respond: () => false,
    requests: [],
    key: pair.privateKey,
    otherKey,
    reset() {
      stub.claims = {};
      stub.sign = (claims) => rs256(pair.privateKey, claims);
      stub.respond = () => false;
      stub.requests.length = 0;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  stub.reset();

  const responses: Record<string, () => object> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    }),
    '/jwks': () => ({
      keys: [{ ...pair.publicKey.export({ format: 'jwk' }), kid: 'key', alg: 'RS256', use: 'sig' }],
    }),
    '/token': () => {
      const iat = Math.floor(Date.now() / 1000);
      const validClaims = { iss: issuer, aud: 'acme', sub: 'person', iat, exp: iat + 600 };
      const id_token = stub.sign({ ...validClaims, ...stub.claims });
      return { access_token: 'access', token_type: 'Bearer', expires_in: 600, ...(id_token && { id_token }) };
    },
    '/userinfo': () => ({ sub: stub.claims['sub'] ?? 'person' }),
  };
  return stub;
}
