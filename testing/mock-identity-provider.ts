/**
 * An identity provider for tests: a small real server on loopback with OpenID discovery, PKCE and
 * signed ID tokens. A test signs its accounts in, and can override responses. It has no pages:
 * `signIn` completes the sign-in in one step.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomToken } from '../src/crypto/random.js';
import { answerFault, sendJson, type MockFault } from './mock-identity-provider/faults.js';
import { makeIdTokens } from './mock-identity-provider/id-tokens.js';
import { Grants, type MockClient } from './mock-identity-provider/grants.js';

export type { MockFault };

/** The claims of an account by their names. The userinfo endpoint returns additional claims too. */
export interface MockAccount {
  email?: unknown;
  email_verified?: unknown;
  name?: unknown;
  picture?: unknown;
  [claim: string]: unknown;
}

/**
 * Values that replace the correct ones in the next responses. Everything else about the responses
 * stays valid.
 */
export interface ResponseOverrides {
  /** In the ID token: `aud`, `iss`, `nonce`. */
  audience?: string | string[];
  issuer?: string;
  nonce?: string;
  /** The ID token expired an hour ago. */
  expired?: boolean;
  /** The ID token has no signature (`alg: none`), or one by a key that is not published. */
  signature?: 'none' | 'unknown-key';
  /** In the ID token and in userinfo: `email_verified`, regardless of the account. */
  emailVerified?: unknown;
  /** Further claims of the ID token; undefined removes one. */
  claims?: Record<string, unknown>;
  /** Further fields of the token response; undefined removes one. */
  tokens?: Record<string, unknown>;
  /** Further fields of the userinfo response, such as `{ sub: 'another-user' }`. */
  userInfo?: Record<string, unknown>;
  /** Endpoints that fail, and how. */
  faults?: Partial<Record<MockEndpoint, MockFault>>;
}

export type MockEndpoint = 'discovery' | 'jwks' | 'token' | 'userinfo';

export interface MockRequest {
  method: string;
  path: string;
  /** The fields of a form, or of the query. */
  fields: Record<string, string>;
  headers: IncomingMessage['headers'];
}

export interface MockIdentityProvider {
  issuer: string;
  /** For a configuration with explicit endpoints. */
  endpoints: { authorizationEndpoint: string; tokenEndpoint: string; userInfoEndpoint: string };
  /** The registered client: spread it into a provider's configuration. */
  client: { clientId: string; clientSecret: string; redirectUri: string };
  /** Accounts by their subject. Tests can add accounts. */
  accounts: Map<string, MockAccount>;
  /** Every request so far, oldest first. */
  requests: MockRequest[];
  /**
   * Signs an account in at an authorization URL, as a browser would, and returns the callback URL.
   * The subject `''` cancels the sign-in. With `response_mode=form_post`, the query contains the
   * fields of the form.
   */
  signIn(authorizationUrl: string | URL, subject: string): Promise<URL>;
  /** Overrides all further responses. `override({})` restores the correct ones. */
  override(overrides: ResponseOverrides): void;
  close(): Promise<void>;
}

export interface MockIdentityProviderOptions extends Partial<MockClient> {
  accounts?: Record<string, MockAccount>;
}

export async function mockIdentityProvider(
  options: MockIdentityProviderOptions = {},
): Promise<MockIdentityProvider> {
  const { accounts = {}, clientId = 'mock-client', clientSecret = randomToken(), acceptsSecret } = options;
  const { redirectUri = 'http://localhost:3000/callback' } = options;
  const client = { clientId, clientSecret, redirectUri };
  const server = createServer((request, response) => {
    // An open connection would delay `close`.
    response.shouldKeepAlive = false;
    handle(request, response).catch((error: unknown) => sendJson(response, 500, { error: String(error) }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const accountsBySubject = new Map(Object.entries(accounts));
  const requests: MockRequest[] = [];
  const idTokens = makeIdTokens(issuer, clientId);
  const grants = new Grants({ ...client, ...(acceptsSecret && { acceptsSecret }) }, issuer);
  let overrides: ResponseOverrides = {};

  /** Returns the claims of an account. */
  const claimsOf = (subject: string) => ({
    sub: subject,
    ...accountsBySubject.get(subject),
    ...('emailVerified' in overrides && { email_verified: overrides.emailVerified }),
  });

  const handlers: Record<string, (request: MockRequest, response: ServerResponse) => unknown> = {
    discovery: (_request, response) =>
      sendJson(response, 200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
      }),
    jwks: (_request, response) => sendJson(response, 200, idTokens.published),
    authorize({ fields }, response) {
      const location = grants.authorize(fields);
      if (!location) return sendJson(response, 400, { error: 'invalid_request' });
      return response.writeHead(302, { location }).end();
    },
    token({ fields, headers }, response) {
      const grant = grants.redeem(fields, headers.authorization);
      if ('error' in grant) return sendJson(response, 400, grant);
      const { subject, nonce, scope, accessToken } = grant;
      const idToken = idTokens.sign(claimsOf(subject), nonce, overrides);
      const isOpenId = scope.split(' ').includes('openid');
      const tokens = { access_token: accessToken, token_type: 'Bearer', expires_in: 600, scope };
      return sendJson(response, 200, {
        ...tokens,
        ...(isOpenId && { id_token: idToken }),
        ...overrides.tokens,
      });
    },
    userinfo({ path, headers }, response) {
      const subject = grants.subjectOf(headers.authorization);
      if (subject === undefined) return sendJson(response, 401, { error: 'invalid_token' });
      const claims: Record<string, unknown> = { ...claimsOf(subject), ...overrides.userInfo };
      // Some providers return parts of a profile at separate URLs: `/userinfo/emails` returns the
      // account's `emails`.
      const part = path.split('/')[2];
      return sendJson(response, 200, part === undefined ? claims : claims[part]);
    },
  };

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '', issuer);
    const body: Buffer[] = [];
    for await (const chunk of incoming) body.push(chunk as Buffer);
    const form = body.length > 0 ? new URLSearchParams(Buffer.concat(body).toString()) : url.searchParams;
    const { method = '', headers } = incoming;
    const request = { method, path: url.pathname, fields: Object.fromEntries(form), headers };
    requests.push(request);
    const name = url.pathname === '/.well-known/openid-configuration' ? 'discovery' : pathName(url);
    const fault = overrides.faults?.[name as MockEndpoint];
    if (fault !== undefined) return answerFault(fault, response, issuer);
    const answer = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
    if (answer) answer(request, response);
    else sendJson(response, 404, { error: 'not_found' });
  }

  return {
    issuer,
    endpoints: {
      authorizationEndpoint: `${issuer}/authorize`,
      tokenEndpoint: `${issuer}/token`,
      userInfoEndpoint: `${issuer}/userinfo`,
    },
    client,
    accounts: accountsBySubject,
    requests,
    async signIn(authorizationUrl, subject) {
      if (subject !== '' && !accountsBySubject.has(subject)) throw new Error(`Unknown account: ${subject}.`);
      const url = new URL(authorizationUrl);
      url.searchParams.set('mock_subject', subject);
      const response = await fetch(url, { redirect: 'manual' });
      const location = response.headers.get('location');
      if (location === null)
        throw new Error(`The provider responded with ${response.status}: ${await response.text()}`);
      return new URL(location);
    },
    override(next) {
      idTokens.prepare(next);
      overrides = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const pathName = (url: URL) => url.pathname.split('/')[1] ?? '';
