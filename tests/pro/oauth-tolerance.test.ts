// Providers that deviate from OAuth 2.0 and OpenID Connect (docs/providers/oauth.md, "Providers that deviate").
import type { ServiceConfig } from 'svc-auth';
import { license } from '../support/make-pro-service.js';
import { makeService } from '../support/make-service.js';
import { hs256, rs256, startOpenIdStub, unsigned, type OpenIdStub } from '../support/openid-stub.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';

const redirectUri = 'https://app.test/api/auth/oauth/acme/callback';
type Provider = NonNullable<NonNullable<ServiceConfig['providers']>['oauth']>[string];
let stub: OpenIdStub;

beforeAll(async () => {
  stub = await startOpenIdStub(redirectUri);
});
beforeEach(() => stub.reset());
afterAll(() => stub.close());

/** The same provider, by its issuer and by its endpoints. */
const kinds = {
  'an issuer': (): Provider => stub.client,
  'explicit endpoints': (): Provider => {
    const { issuer, ...client } = stub.client;
    return {
      ...client,
      authorizationEndpoint: `${issuer}/auth`,
      tokenEndpoint: `${issuer}/token`,
      userInfoEndpoint: `${issuer}/userinfo`,
    };
  },
};

const make = (acme: Provider) => makeService({ ...license, providers: { oauth: { acme } } });

async function signIn(acme: Provider) {
  const { service } = await make(acme);
  return service.oauth('acme').handleCallback({ code: 'code' });
}

interface Reply {
  status?: number;
  type?: string;
  body: string;
}

/** Responds to one path; the token response of the stub is the argument. */
function reply(path: string, make: (answer: Record<string, unknown>) => Reply): void {
  const iat = Math.floor(Date.now() / 1000);
  stub.respond = (requested, _request, response) => {
    if (requested !== path) return false;
    const claims = { iss: stub.issuer, aud: 'acme', sub: 'person', iat, exp: iat + 600, ...stub.claims };
    const answer = {
      access_token: 'access',
      token_type: 'Bearer',
      expires_in: 600,
      id_token: stub.sign(claims),
    };
    const { status = 200, type = 'application/json', body } = make(answer);
    response.writeHead(status, { 'content-type': type }).end(body);
    return true;
  };
}

const json = (answer: object, rest: Omit<Reply, 'body'> = {}): Reply => ({
  ...rest,
  body: JSON.stringify(answer),
});

describe.each(Object.entries(kinds))('A token response of a provider with %s', (kind, provider) => {
  const deviations: [string, (answer: Record<string, unknown>) => Reply, object][] = [
    ['has the scope as a list', (answer) => json({ ...answer, scope: ['a', 'b'] }), { scope: 'a b' }],
    ['separates scopes by commas', (answer) => json({ ...answer, scope: 'a,b' }), { scope: 'a b' }],
    ['has no token_type', (answer) => json({ ...answer, token_type: undefined }), {}],
    ['has another case in token_type', (answer) => json({ ...answer, token_type: 'BEARER' }), {}],
    ['has null members', (answer) => json({ ...answer, refresh_token: null, scope: null, x: null }), {}],
    ['has an empty refresh token', (answer) => json({ ...answer, refresh_token: '' }), {}],
    ['has expires_in as a string', (answer) => json({ ...answer, expires_in: '600' }), {}],
    ['has null as expires_in', (answer) => json({ ...answer, expires_in: null }), {}],
    ['has words as expires_in', (answer) => json({ ...answer, expires_in: 'never' }), {}],
    ['is text/plain', (answer) => json(answer, { type: 'text/plain' }), {}],
    ['is text/javascript', (answer) => json(answer, { type: 'text/javascript; charset=utf-8' }), {}],
    ['has status 201', (answer) => json(answer, { status: 201 }), {}],
    ['is wrapped in data', (answer) => json({ message: 'success', data: answer }), {}],
    [
      'is form-encoded',
      (answer) => ({
        type: 'application/x-www-form-urlencoded',
        body: new URLSearchParams(answer as Record<string, string>).toString(),
      }),
      {},
    ],
  ];

  it.each(deviations)('is accepted if it %s', async (_what, respond, tokens) => {
    reply('/token', respond);
    const result = await signIn(provider());
    expect(result.profile.id).toBe('person');
    expect(result.tokens).toMatchObject({ accessToken: 'access', ...tokens });
    expect(result.tokens.refreshToken).toBeUndefined();
    expect(result.tokens.idToken !== undefined).toBe(kind === 'an issuer');
  });

  it.each([
    ['is an error with status 200', () => json({ error: 'bad_verification_code' })],
    ['is a form with an error', () => ({ type: 'text/plain', body: 'error=bad_verification_code' })],
    ['has a token of another type', (answer: object) => json({ ...answer, token_type: 'mac' })],
    ['has a list of access tokens', (answer: object) => json({ ...answer, access_token: ['access'] })],
    ['is a list', () => ({ body: '[{"access_token":"access"}]' })],
    ['is HTML that contains a form', () => ({ type: 'text/html', body: '<p>&access_token=access' })],
  ])('is refused if it %s', async (_what, respond) => {
    reply('/token', respond);
    expect(await outcomeOf(() => signIn(provider()))).toBe('oauth_error');
  });
});

describe('A userinfo response', () => {
  it('may have a number as sub', async () => {
    stub.claims = { sub: '42' };
    reply('/userinfo', () => ({ body: '{"sub":42,"email":"ada@example.com","email_verified":true}' }));
    expect((await signIn(stub.client)).user.email).toBe('ada@example.com');
  });

  it('may be signed', async () => {
    const claims = { sub: 'person', email: 'ada@example.com', email_verified: true };
    const signed = { iss: stub.issuer, aud: 'acme', ...claims };
    reply('/userinfo', () => ({ type: 'application/jwt', body: rs256(stub.key, signed) }));
    expect((await signIn(stub.client)).user.email).toBe('ada@example.com');
  });

  it.each([
    ['signed with another key', (claims: object) => rs256(stub.otherKey, claims)],
    ['not signed', (claims: object) => unsigned(claims)],
    ['for another client', (claims: object) => rs256(stub.key, { ...claims, aud: 'other' })],
  ])('is refused if it is %s', async (_what, sign) => {
    const claims = {
      iss: stub.issuer,
      aud: 'acme',
      sub: 'person',
      email: 'ada@example.com',
      email_verified: true,
    };
    reply('/userinfo', () => ({ type: 'application/jwt', body: sign(claims) }));
    expect(await outcomeOf(() => signIn(stub.client))).toBe('oauth_error');
  });
});

describe('A discovery document', () => {
  it('may have null members', async () => {
    const { issuer } = stub;
    const document = {
      ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
      ...{ jwks_uri: `${issuer}/jwks`, userinfo_endpoint: null, id_token_signing_alg_values_supported: null },
    };
    reply('/.well-known/openid-configuration', () => json(document));
    expect((await signIn(stub.client)).profile.id).toBe('person');
  });

  it('may have an empty userinfo_endpoint', async () => {
    const { issuer } = stub;
    const document = {
      ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
      ...{ jwks_uri: `${issuer}/jwks`, userinfo_endpoint: '' },
    };
    reply('/.well-known/openid-configuration', () => json(document));
    expect((await signIn(stub.client)).profile.id).toBe('person');
  });
});

describe('The client', () => {
  /** Signs in and returns the header and the body of the token request. */
  async function tokenRequest(acme: Provider, methods?: string[] | null) {
    const sent = { authorization: '', body: '' };
    stub.respond = (path, request, response) => {
      if (path === '/token') {
        sent.authorization = request.headers.authorization ?? '';
        request.on('data', (chunk: Buffer) => (sent.body += chunk.toString()));
      }
      if (methods === undefined || !path.endsWith('openid-configuration')) return false;
      const { issuer } = stub;
      const document = {
        ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
        ...{ jwks_uri: `${issuer}/jwks`, ...(methods && { token_endpoint_auth_methods_supported: methods }) },
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
      return true;
    };
    await signIn(acme);
    const fields = Object.fromEntries(new URLSearchParams(sent.body));
    const credentials = Buffer.from(sent.authorization.replace(/^Basic /, ''), 'base64').toString();
    return { credentials, fields };
  }

  const basic = { credentials: 'acme:the%20secret%20of%20the%20client' };
  const post = { credentials: '', fields: { client_id: 'acme', client_secret: 'the secret of the client' } };

  it.each([
    ['no methods', null, basic],
    ['the header alone', ['client_secret_basic'], basic],
    ['the body alone', ['client_secret_post'], post],
    ['both', ['client_secret_basic', 'client_secret_post'], post],
  ])('authenticates as the discovery document with %s requires', async (_what, methods, expected) => {
    const sent = await tokenRequest(stub.client, methods);
    expect(sent).toMatchObject(expected);
    expect('client_secret' in sent.fields).toBe(expected === post);
  });

  it.each(Object.entries(kinds))('authenticates as it is configured with %s', async (_kind, provider) => {
    const method = (tokenEndpointAuthMethod: Provider['tokenEndpointAuthMethod']) =>
      tokenRequest({ ...provider(), tokenEndpointAuthMethod });
    expect(await method('client_secret_basic')).toMatchObject(basic);
    expect((await method('client_secret_basic')).fields).not.toHaveProperty('client_secret');
    expect(await method('client_secret_post')).toMatchObject(post);
  });

  it('authenticates google as it is configured', async () => {
    let authorization: string | undefined;
    stub.respond = (path, request) => {
      if (path === '/token') ({ authorization } = request.headers);
      return false;
    };
    const google = { ...stub.client, tokenEndpointAuthMethod: 'client_secret_basic' as const };
    const { service } = await makeService({ providers: { google } });
    await service.google.handleCallback('code');
    expect(authorization).toMatch(/^Basic /);
  });

  it.each(Object.entries(kinds))('sends tokenParams with %s', async (_kind, provider) => {
    const { fields } = await tokenRequest({ ...provider(), tokenParams: { client_key: 'key of TikTok' } });
    expect(fields).toMatchObject({ client_key: 'key of TikTok', grant_type: 'authorization_code' });
  });

  it.each(['client_secret', 'code', 'code_verifier'])('refuses tokenParams with %s', async (name) => {
    const config = {
      ...license,
      providers: { oauth: { acme: { ...stub.client, tokenParams: { [name]: 'x' } } } },
    };
    expect(await errorOf(() => makeService(config))).toMatchObject({
      code: 'config_invalid',
      faults: [{ path: `providers.oauth.acme.tokenParams.${name}` }],
    });
  });

  it('does not encode the hyphens and underscores of an id and a secret in the header', async () => {
    const client = { clientId: 'acme', clientSecret: 'secret_a-b_c.d~e' };
    const provider = { ...kinds['explicit endpoints'](), ...client };
    const { credentials } = await tokenRequest({
      ...provider,
      tokenEndpointAuthMethod: 'client_secret_basic',
    });
    expect(credentials).toBe('acme:secret_a-b_c.d~e');
  });

  it.each(Object.entries(kinds))(
    'sends no PKCE parameters if pkce is false, with %s',
    async (_kind, provider) => {
      const acme = { ...provider(), pkce: false };
      const { service } = await make(acme);
      const urls = [
        (await service.oauth('acme').getAuthUrl()).url,
        (await service.oauth('acme').startRedirect()).url,
      ];
      for (const url of urls)
        expect([...new URL(url).searchParams.keys()].join()).not.toContain('code_challenge');
      let body = '';
      stub.respond = (path, request) => {
        if (path === '/token') request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        return false;
      };
      await service.oauth('acme').handleCallback({ code: 'code', codeVerifier: 'x'.repeat(43) });
      expect(body).not.toContain('code_verifier');
    },
  );

  it('sends and expects no nonce if nonce is false', async () => {
    const finish = async (nonce: boolean) => {
      const { service } = await make({ ...stub.client, nonce });
      const { url, state, transaction } = await service.oauth('acme').startRedirect();
      expect(new URL(url).searchParams.has('nonce')).toBe(nonce);
      return outcomeOf(() =>
        service.oauth('acme').finishRedirect(new URLSearchParams({ code: 'code', state }), transaction),
      );
    };
    expect([await finish(false), await finish(true)]).toEqual(['ok', 'oauth_error']);
  });
});

describe('An ID token that is signed with HS256', () => {
  const secret = 'the secret of the client';
  const configured = (): Provider => ({ ...stub.client, idTokenSignedResponseAlg: 'HS256' });
  const outcome = (sign: OpenIdStub['sign'], claims = {}) => {
    stub.sign = sign;
    stub.claims = claims;
    return outcomeOf(() => signIn(configured()));
  };

  it('is accepted if it is configured and signed with the client secret', async () => {
    expect(await outcome((claims) => hs256(secret, claims))).toBe('ok');
  });

  it.each<[string, OpenIdStub['sign'], object]>([
    ['signed with another secret', (claims) => hs256('another secret', claims), {}],
    ['signed with the public key of the provider', (claims) => rs256(stub.key, claims), {}],
    ['not signed', unsigned, {}],
    ['without its signature', (claims) => hs256(secret, claims).replace(/[^.]+$/, ''), {}],
    ['for another client', (claims) => hs256(secret, claims), { aud: 'other' }],
    ['of another issuer', (claims) => hs256(secret, claims), { iss: 'https://evil.test' }],
    ['expired', (claims) => hs256(secret, claims), { iat: 1, exp: 2 }],
  ])('is refused if it is %s', async (_what, sign, claims) => {
    expect(await outcome(sign, claims)).toBe('oauth_error');
  });
});

describe('allowHttp', () => {
  const acme = (more: object): Provider => ({ ...stub.client, issuer: 'http://idp.internal:8080', ...more });

  it('is required for an http issuer of another host', async () => {
    const message = 'in a private network, `allowHttp: true` allows http';
    await expect(make(acme({}))).rejects.toThrow(message);
    await expect(make(acme({ allowHttp: false }))).rejects.toThrow(message);
    const google = { ...stub.client, issuer: 'http://idp.internal' };
    await expect(makeService({ providers: { google } })).rejects.toThrow(message);
  });

  it('allows it, with a warning at the start that names the option', async () => {
    const { log } = await make(acme({ allowHttp: true }));
    expect(log.filter(({ level }) => level === 'warn').map(({ fields }) => fields)).toEqual([
      { option: 'providers.oauth.acme.issuer' },
    ]);
  });

  it('lets requests to such a host leave', async () => {
    // A name that never resolves: the request is made, and fails at the name.
    const test = await make(acme({ issuer: 'http://idp.invalid:8080', allowHttp: true }));
    expect(await outcomeOf(() => test.service.oauth('acme').getAuthUrl())).toBe('oauth_error');
    const failed = test.log.find(({ fields }) => fields['event'] === 'provider_failed');
    expect(failed?.fields['actual']).toMatch(/^(?:ENOTFOUND|EAI_AGAIN)$/);
  });
});
