// Why a request to an identity provider failed is in the log, in one line and without secrets
// (docs/operations.md).
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { github } from 'svc-auth';
import { license } from '../support/make-pro-service.js';
import { makeService, type TestService } from '../support/make-service.js';
import { startOidcServer, type OidcServer } from '../support/oidc-server.js';
import { startOpenIdStub, type OpenIdStub } from '../support/openid-stub.js';
import { errorOf } from '../support/outcomes.js';
import { cert, key } from '../support/own-certificate.js';

const redirectUri = 'https://app.test/api/auth/oauth/acme/callback';
let oidc: OidcServer;
let stub: OpenIdStub;

beforeAll(async () => {
  oidc = await startOidcServer(redirectUri);
  stub = await startOpenIdStub(redirectUri);
});
beforeEach(() => stub.reset());
afterAll(() => Promise.all([oidc.stop(), stub.close()]));

type Options = typeof stub.client & { mapProfile?: () => never };

const make = (acme: Options) => makeService({ ...license, providers: { oauth: { acme } } });

const warnings = ({ log }: TestService) => log.filter(({ level }) => level === 'warn');

/** Returns the fields of the only warning, after a sign-in that fails. */
async function loggedBy(test: TestService, call: () => Promise<unknown>): Promise<Record<string, unknown>> {
  expect(await errorOf(call)).toMatchObject({ code: 'oauth_error', reason: 'provider_error' });
  expect(warnings(test)).toHaveLength(1);
  const { fields } = warnings(test)[0]!;
  expect(fields).toMatchObject({ event: 'provider_failed', provider: 'acme' });
  return fields;
}

/** Signs in at the real provider, with the flow of a browser. */
async function query(test: TestService) {
  oidc.accounts.set('ada', { email: 'ada@example.com', email_verified: true });
  const { url, transaction } = await test.service.oauth('acme').startRedirect();
  return { transaction, query: (await oidc.signIn(url, 'ada')).searchParams };
}

const handleCallback = (test: TestService) => () =>
  test.service.oauth('acme').handleCallback({ code: 'the-code' });

const now = () => Math.floor(Date.now() / 1000);

describe('The log line of a failed request to a provider', () => {
  it('names the token endpoint and invalid_client for a wrong client secret', async () => {
    const test = await make({ ...oidc.client, clientSecret: 'not the secret' });
    const returned = await query(test);
    const finish = () => test.service.oauth('acme').finishRedirect(returned.query, returned.transaction);
    expect(await loggedBy(test, finish)).toMatchObject({
      endpoint: 'token',
      request: `${oidc.issuer}/token`,
      status: 401,
      error: 'invalid_client',
      errorDescription: 'client authentication failed',
      expected: 'status 200',
      actual: 'status 401',
    });
    expect(JSON.stringify(test.log)).not.toContain('not the secret');
  });

  it('names the token endpoint and invalid_grant for a code that was used', async () => {
    const test = await make(oidc.client);
    const { url, codeVerifier } = await test.service.oauth('acme').getAuthUrl();
    oidc.accounts.set('ada', {});
    const code = (await oidc.signIn(url, 'ada')).searchParams.get('code')!;
    await test.service.oauth('acme').handleCallback({ code, codeVerifier });
    const again = () => test.service.oauth('acme').handleCallback({ code, codeVerifier });
    expect(await loggedBy(test, again)).toMatchObject({
      endpoint: 'token',
      status: 400,
      error: 'invalid_grant',
      errorDescription: 'grant request is invalid',
    });
    expect(JSON.stringify(test.log)).not.toContain(code);
    expect(JSON.stringify(test.log)).not.toContain(codeVerifier);
  });

  it('names both audiences for an ID token of another client', async () => {
    const test = await make(stub.client);
    stub.claims = { aud: 'another-client' };
    expect(await loggedBy(test, handleCallback(test))).toMatchObject({
      endpoint: 'token',
      claim: 'aud',
      expected: '"acme"',
      actual: '"another-client"',
    });
  });

  it('names both times for an ID token that has expired', async () => {
    const test = await make(stub.client);
    const exp = now() - 3600;
    stub.claims = { iat: exp - 600, exp };
    expect(await loggedBy(test, handleCallback(test))).toMatchObject({
      claim: 'exp',
      expected: expect.stringMatching(/^"after \d+"$/),
      actual: String(exp),
    });
  });

  it.each([
    ['/.well-known/openid-configuration', 'discovery'],
    ['/token', 'token'],
    ['/jwks', 'jwks'],
  ])('names the content type for HTML from %s', async (broken, endpoint) => {
    const test = await make(stub.client);
    stub.respond = (path, _request, response) => {
      if (path !== broken) return false;
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Welcome</h1>');
      return true;
    };
    expect(await loggedBy(test, handleCallback(test))).toMatchObject({
      endpoint,
      request: stub.issuer + broken,
      status: 200,
      expected: 'JSON',
      actual: 'text/html; charset=utf-8',
    });
    expect(JSON.stringify(test.log)).not.toContain('Welcome');
  });

  it('has the code of TLS for an untrusted certificate', async () => {
    const server = await startTlsServer();
    try {
      const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const test = await make({ ...stub.client, issuer });
      expect(await loggedBy(test, handleCallback(test))).toMatchObject({
        endpoint: 'discovery',
        request: `${issuer}/.well-known/openid-configuration`,
        expected: 'a response',
        actual: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      });
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('has the code of the system for an unknown host', async () => {
    const test = await make({ ...stub.client, issuer: 'https://no-such-host.invalid' });
    expect(await loggedBy(test, handleCallback(test))).toMatchObject({
      endpoint: 'discovery',
      expected: 'a response',
      actual: expect.stringMatching(/^(?:ENOTFOUND|EAI_AGAIN)$/),
    });
  });

  it('names both issuers of a discovery document of another provider', async () => {
    const test = await make({ ...stub.client, issuer: `${stub.issuer}/tenant` });
    stub.respond = (_path, _request, response) => {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ issuer: stub.issuer }));
      return true;
    };
    expect(await loggedBy(test, handleCallback(test))).toMatchObject({
      expected: JSON.stringify(`${stub.issuer}/tenant`),
      actual: JSON.stringify(stub.issuer),
    });
  });

  it('has the cause if mapProfile fails, and masks addresses in it', async () => {
    const mapProfile = () => {
      throw new Error('no plan for ada@example.com');
    };
    const test = await make({ ...stub.client, mapProfile });
    expect(await loggedBy(test, handleCallback(test))).toMatchObject({
      endpoint: 'profile',
      err: { message: 'no plan for a***@example.com' },
    });
  });

  it.each([
    ['Twitch', 403, { status: 403, message: 'invalid client secret' }, '403', 'invalid client secret'],
    [
      'Notion',
      401,
      { object: 'error', status: 401, code: 'unauthorized', message: 'No access.' },
      'unauthorized',
      'No access.',
    ],
    [
      'X',
      401,
      { title: 'Unauthorized', type: 'about:blank', status: 401, detail: 'Wrong key' },
      'Unauthorized',
      'Wrong key',
    ],
    ['X, the older API', 400, { errors: [{ code: 215, message: 'Bad data.' }] }, '215', 'Bad data.'],
    ['Reddit', 401, { message: 'Unauthorized', error: 401 }, '401', 'Unauthorized'],
    ['Zoom', 401, { reason: 'Invalid secret', error: 'invalid_client' }, 'invalid_client', 'Invalid secret'],
    [
      'Facebook',
      200,
      { error: { type: 'OAuthException', code: 100, message: 'Code was used' } },
      'OAuthException',
      'Code was used',
    ],
    ['WeChat', 200, { errcode: 40029, errmsg: 'invalid code' }, '40029', 'invalid code'],
    [
      'LinkedIn',
      401,
      { serviceErrorCode: 65600, code: 'INVALID_CLIENT', message: 'Wrong secret' },
      'INVALID_CLIENT',
      'Wrong secret',
    ],
  ])('has the error as %s reports it', async (_provider, status, body, error, errorDescription) => {
    const test = await make(stub.client);
    stub.respond = (path, _request, response) => {
      if (path !== '/token') return false;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      return true;
    };
    expect(await loggedBy(test, handleCallback(test))).toMatchObject({
      endpoint: 'token',
      error,
      errorDescription,
    });
  });

  it('has the error of the challenge of RFC 6750', async () => {
    const { issuer, ...client } = stub.client;
    const endpoints = {
      authorizationEndpoint: `${issuer}/auth`,
      tokenEndpoint: `${issuer}/token`,
      userInfoEndpoint: `${issuer}/userinfo`,
    };
    const test = await makeService({
      ...license,
      providers: { oauth: { acme: { ...client, ...endpoints } } },
    });
    stub.respond = (path, _request, response) => {
      if (path !== '/userinfo') return false;
      const challenge = 'Bearer error="invalid_token", error_description="The token has expired"';
      response.writeHead(401, { 'www-authenticate': challenge }).end();
      return true;
    };
    expect(await loggedBy(test, handleCallback(test))).toMatchObject({
      endpoint: 'userinfo',
      error: 'invalid_token',
      errorDescription: 'The token has expired',
    });
  });

  it('has nothing personal of a profile that is not mapped', async () => {
    const test = await make(stub.client);
    stub.respond = (path, _request, response) => {
      if (path !== '/userinfo') return false;
      const profile = { sub: 'another', title: 'Countess', message: 'Hello there', status: 'Married' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(profile));
      return true;
    };
    const { error, errorDescription } = await loggedBy(test, handleCallback(test));
    expect({ error, errorDescription }).toEqual({ error: undefined, errorDescription: undefined });
  });

  it('has the error that the browser brings from Facebook', async () => {
    const test = await make(stub.client);
    const { state, transaction } = await test.service.oauth('acme').startRedirect();
    const answer = new URLSearchParams({ state, error_code: '1349126', error_message: 'App Not Setup' });
    const finish = () => test.service.oauth('acme').finishRedirect(answer, transaction);
    expect(await loggedBy(test, finish)).toMatchObject({
      endpoint: 'authorization',
      errorDescription: 'App Not Setup',
    });
  });

  it('bounds the description, and removes secrets and control characters', async () => {
    const test = await make(stub.client);
    const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJwZXJzb24ifQ.c2lnbmF0dXJl';
    const description = `the-code of ${stub.client.clientSecret}\r\nfake line\u001b[31m ${token}\u202e${' long'.repeat(200)}`;
    stub.respond = (path, _request, response) => {
      if (path !== '/token') return false;
      response
        .writeHead(400, { 'content-type': 'text/plain' })
        .end(JSON.stringify({ error: 'invalid_grant', error_description: description }));
      return true;
    };
    const { errorDescription } = await loggedBy(test, handleCallback(test));
    expect(errorDescription).toMatch(/^\[secret\] of \[masked\] line \[masked\] \[masked\] {2}long long /);
    expect((errorDescription as string).length).toBeLessThanOrEqual(300);
  });

  it('has the description of an error that the browser brings, and none if the user canceled', async () => {
    const test = await make(stub.client);
    for (const error of ['access_denied', 'server_error']) {
      const { state, transaction } = await test.service.oauth('acme').startRedirect();
      const answer = new URLSearchParams({ state, error, error_description: 'Please wait.' });
      expect(
        await errorOf(() => test.service.oauth('acme').finishRedirect(answer, transaction)),
      ).toMatchObject({
        code: 'oauth_error',
      });
    }
    expect(warnings(test).map(({ fields }) => fields)).toEqual([
      expect.objectContaining({
        endpoint: 'authorization',
        error: 'server_error',
        errorDescription: 'Please wait.',
      }),
    ]);
  });

  it('does not contain an access token that came inside of data, and that the provider repeats', async () => {
    const token = '0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f';
    const { issuer: _issuer, ...client } = stub.client;
    const [authorizationEndpoint, tokenEndpoint, userInfoEndpoint] = ['auth', 'token', 'user'].map(
      (path) => `${stub.issuer}/${path}`,
    );
    const acme = { ...client, authorizationEndpoint, tokenEndpoint, userInfoEndpoint };
    const test = await makeService({ ...license, providers: { oauth: { acme } } });
    stub.respond = (path, _request, response) => {
      const isToken = path === '/token';
      const refusal = { error: 'invalid_token', error_description: `Invalid access token: ${token}` };
      response
        .writeHead(isToken ? 200 : 401, { 'content-type': 'application/json' })
        .end(JSON.stringify(isToken ? { data: { access_token: token } } : refusal));
      return true;
    };
    expect(await loggedBy(test, handleCallback(test))).toMatchObject({ error: 'invalid_token' });
    expect(JSON.stringify(test.log)).not.toContain(token);
  });

  it('is written by google, too', async () => {
    const test = await makeService({ providers: { google: stub.client } });
    stub.claims = { aud: 'another-client' };
    await errorOf(() => test.service.google.handleCallback('the-code'));
    expect(warnings(test)).toMatchObject([{ fields: { provider: 'google', actual: '"another-client"' } }]);
  });
});

describe('An optional request', () => {
  const fail = (failing: string, status: number, body: string) => {
    stub.respond = (path, _request, response) => {
      if (path !== failing) return false;
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      return true;
    };
  };

  it.each([
    [500, '{}'],
    [403, '{"error":"insufficient_scope"}'],
    // Slack reports errors with status 200.
    [200, '{"ok":false,"error":"invalid_auth"}'],
    [200, '<h1>Down for maintenance</h1>'],
    [204, ''],
  ])('to userinfo does not refuse the sign-in if it responds %i %s', async (status, body) => {
    const test = await make(stub.client);
    fail('/userinfo', status, body);
    expect(await handleCallback(test)()).toMatchObject({
      created: true,
      profile: { id: 'person', email: null },
    });
    expect(warnings(test)).toMatchObject([
      {
        fields: {
          event: 'provider_failed',
          endpoint: 'userinfo',
          request: `${stub.issuer}/userinfo`,
          status,
        },
      },
    ]);
  });

  it('for the addresses of a GitHub user does not refuse the sign-in', async () => {
    const options = {
      ...github(),
      ...stub.client,
      authorizationEndpoint: `${stub.issuer}/auth`,
      tokenEndpoint: `${stub.issuer}/token`,
      userInfoEndpoint: `${stub.issuer}/user`,
    };
    const { issuer: _issuer, ...acme } = options;
    const test = await makeService({ ...license, providers: { oauth: { acme } } });
    stub.respond = (path, _request, response) => {
      if (!path.startsWith('/user')) return false;
      const isUser = path === '/user';
      response
        .writeHead(isUser ? 200 : 403, { 'content-type': 'application/json' })
        .end(isUser ? '{"id":583231,"login":"ada"}' : '{"message":"Resource not accessible by integration"}');
      return true;
    };
    expect(await handleCallback(test)()).toMatchObject({ profile: { id: '583231', email: null } });
    expect(warnings(test)).toMatchObject([
      { fields: { endpoint: 'userinfo', request: `${stub.issuer}/user/emails`, actual: 'status 403' } },
    ]);
  });

  it('still refuses the userinfo of another subject', async () => {
    const test = await make(stub.client);
    fail('/userinfo', 200, '{"sub":"another"}');
    expect(await loggedBy(test, handleCallback(test))).toMatchObject({
      endpoint: 'userinfo',
      err: { message: 'unexpected JSON attribute value encountered' },
    });
  });
});

async function startTlsServer(): Promise<Server> {
  const server = createTlsServer({ key, cert }, (_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return server;
}
