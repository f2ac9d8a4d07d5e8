// Faults of an identity provider that must be detected (docs/security-requirements.md T13, A-73,
// C-24).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPublicKey } from 'node:crypto';
import { makeService } from '../support/make-service.js';
import { hs256, rs256, startOpenIdStub, unsigned, type OpenIdStub } from '../support/openid-stub.js';
import { outcomeOf } from '../support/outcomes.js';

const redirectUri = 'https://app.test/api/auth/google/callback';
const now = () => Math.floor(Date.now() / 1000);
let stub: OpenIdStub;

beforeAll(async () => {
  stub = await startOpenIdStub(redirectUri);
});
beforeEach(() => stub.reset());
afterAll(() => stub.close());

/** Signs in with a token response that `prepare` sets up, which receives the expected nonce. */
async function signIn(prepare: (nonce: string) => void = () => undefined) {
  const test = await makeService({ providers: { google: stub.client } });
  const { url, transaction } = await test.service.google.startRedirect();
  const { state, nonce } = Object.fromEntries(new URL(url).searchParams);
  stub.claims = { nonce };
  prepare(nonce!);
  const query = new URLSearchParams({ code: 'code', state: state! });
  return test.service.google.finishRedirect(query, transaction);
}
const outcome = (prepare?: (nonce: string) => void) => outcomeOf(() => signIn(prepare));
const claim = (claims: object) => outcome(() => void Object.assign(stub.claims, claims));

describe('An ID token', () => {
  it('signs in if it is valid', async () => {
    const { created, profile } = await signIn();
    expect({ created, id: profile.id }).toEqual({ created: true, id: 'person' });
  });

  it('requests the ID token with the code, the verifier, and the secret in the header', async () => {
    let body = '';
    let authorization: string | undefined;
    stub.respond = (path, request) => {
      if (path === '/token') {
        authorization = request.headers.authorization;
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      }
      return false;
    };
    await signIn();
    expect(Object.fromEntries(new URLSearchParams(body))).toMatchObject({
      grant_type: 'authorization_code',
      code: 'code',
      redirect_uri: redirectUri,
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    });
    // The discovery document announces no method (OpenID Connect Discovery, 3).
    const credentials = Buffer.from('acme:the%20secret%20of%20the%20client').toString('base64');
    expect(authorization).toBe(`Basic ${credentials}`);
  });

  //
  it.each([
    ['signed with another key', () => (stub.sign = (claims) => rs256(stub.otherKey, claims))],
    [
      'signed with a key that only its header names',
      () => (stub.sign = (claims) => rs256(stub.otherKey, claims, { kid: 'other' })),
    ],
    [
      'signed with a key that its header contains',
      () => {
        const jwk = createPublicKey(stub.otherKey).export({ format: 'jwk' });
        stub.sign = (claims) => rs256(stub.otherKey, claims, { jwk });
      },
    ],
    ['unsigned', () => (stub.sign = unsigned)],
    [
      'stripped of its signature',
      () => (stub.sign = (claims) => rs256(stub.key, claims).replace(/[^.]+$/, '')),
    ],
    [
      'signed with the secret of the client',
      () => (stub.sign = (claims) => hs256('the secret of the client', claims)),
    ],
    [
      'signed with the public key as a secret',
      () => {
        const pem = createPublicKey(stub.key).export({ type: 'spki', format: 'pem' });
        stub.sign = (claims) => hs256(pem, claims);
      },
    ],
    [
      'marked with an unknown crit',
      () => (stub.sign = (claims) => rs256(stub.key, claims, { crit: ['x'], x: 1 })),
    ],
    ['malformed', () => (stub.sign = () => 'not.a.token')],
    ['missing', () => (stub.sign = () => '')],
  ])('is oauth_error if it is %s', async (_name, prepare) => {
    expect(await outcome(() => void prepare())).toBe('oauth_error');
  });

  //
  it.each([
    ['another issuer', { iss: 'https://accounts.evil.test' }],
    ['no issuer', { iss: undefined }],
    ['the audience of another client', { aud: 'other' }],
    ['several audiences and no azp', { aud: ['acme', 'other'] }],
    ['several audiences and the azp of another', { aud: ['acme', 'other'], azp: 'other' }],
    ['no audience', { aud: undefined }],
    ['an expiry in the past', { iat: now() - 7200, exp: now() - 3600 }],
    ['no expiry', { exp: undefined }],
    ['no time of issue', { iat: undefined }],
    ['another nonce', { nonce: 'other' }],
    ['no nonce', { nonce: undefined }],
    ['no subject', { sub: undefined }],
    ['a subject that is not a string', { sub: 1 }],
    ['an empty subject', { sub: '' }],
  ])('is oauth_error with %s', async (_name, claims) => {
    expect(await claim(claims)).toBe('oauth_error');
  });

  // T13, A-74
  it.each(['true', 'TRUE', 1, {}, ['true'], null])(
    'proves no address with email_verified %j',
    async (email_verified) => {
      const { user, profile } = await signIn(() =>
        Object.assign(stub.claims, { email: 'ada@example.com', email_verified }),
      );
      expect(profile.emailVerified).toBe(false);
      expect(user.email).toBeNull();
    },
  );

  // T13
  it('proves no address that is not a string', async () => {
    const { user, profile } = await signIn(() =>
      Object.assign(stub.claims, {
        email: ['ada@example.com'],
        email_verified: true,
        name: { $: 1 },
        picture: 1,
      }),
    );
    expect(user.email).toBeNull();
    expect(profile).toMatchObject({ email: null, name: null, picture: null });
  });
});

describe('The userinfo response', () => {
  const userInfo = (body: object) => () => {
    stub.respond = (path, _request, response) => {
      if (path !== '/userinfo') return false;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      return true;
    };
  };

  it('adds an address that is missing in the ID token', async () => {
    const { user } = await signIn(
      userInfo({ sub: 'person', email: 'ada@example.com', email_verified: true }),
    );
    expect(user).toMatchObject({ email: 'ada@example.com', emailVerified: true });
  });

  //
  it('rejects the userinfo of another subject with oauth_error', async () => {
    const prepare = userInfo({ sub: 'another subject', email: 'victim@example.com', email_verified: true });
    expect(await outcome(prepare)).toBe('oauth_error');
  });

  // T13
  it('does not verify the address of the ID token by userinfo', async () => {
    const { user } = await signIn(() => {
      Object.assign(stub.claims, { email: 'victim@example.com', email_verified: false });
      userInfo({ sub: 'person', email: 'victim@example.com', email_verified: true })();
    });
    expect(user.email).toBeNull();
  });

  // T13
  it('does not verify a different address of userinfo by the ID token', async () => {
    const { user } = await signIn(() => {
      Object.assign(stub.claims, { email_verified: true });
      userInfo({ sub: 'person', email: 'victim@example.com' })();
    });
    expect(user.email).toBeNull();
  });
});

describe('A request to the provider', () => {
  const paths = ['/.well-known/openid-configuration', '/token', '/jwks'];

  //
  it.each(paths)('follows no redirect: %s', async (redirected) => {
    const requests: string[] = [];
    const elsewhere = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.end('{}');
    });
    await new Promise<void>((resolve) => void elsewhere.listen(0, '127.0.0.1', resolve));
    const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/stolen`;
    try {
      stub.respond = (path, _request, response) => {
        if (path !== redirected) return false;
        response.writeHead(307, { location }).end();
        return true;
      };
      expect(await outcome()).toBe('oauth_error');
      expect(requests).toEqual([]);
    } finally {
      elsewhere.closeAllConnections();
      await new Promise((resolve) => elsewhere.close(resolve));
    }
  });

  //
  it.each(paths)('reads at most 1 MB: %s', async (flooding) => {
    let written = 0;
    stub.respond = (path, _request, response) => {
      if (path !== flooding) return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = `{"x":"${'x'.repeat(64 * 1024)}`;
      const flood = () => {
        while (!response.destroyed && written < 1000 * chunk.length) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', flood);
        }
        response.end();
      };
      flood();
      return true;
    };
    expect(await outcome()).toBe('oauth_error');
    // The provider offered 64 MB, some of which remain in system buffers.
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });

  it.each([
    ['HTML', 'text/html', '<h1>Service unavailable</h1>', 200],
    ['malformed JSON', 'application/json', '{', 200],
    ['a list', 'application/json', '[]', 200],
    ['an error', 'application/json', '{"error":"invalid_grant","error_description":"secret-detail"}', 400],
    ['a failure', 'text/plain', 'boom', 500],
  ])('rejects with oauth_error when the response is %s, and recovers', async (_name, type, body, status) => {
    for (const broken of ['/.well-known/openid-configuration', '/token']) {
      stub.reset();
      stub.respond = (path, _request, response) => {
        if (path !== broken) return false;
        response.writeHead(status, { 'content-type': type }).end(body);
        return true;
      };
      expect(await outcome()).toBe('oauth_error');
    }
    stub.reset();
    expect(await outcome()).toBe('ok');
  });

  //
  it('rejects the discovery document of another issuer', async () => {
    stub.respond = (path, _request, response) => {
      if (path !== '/.well-known/openid-configuration') return false;
      const document = {
        issuer: 'https://accounts.evil.test',
        authorization_endpoint: 'https://accounts.evil.test/auth',
        token_endpoint: 'https://accounts.evil.test/token',
        jwks_uri: 'https://accounts.evil.test/jwks',
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
      return true;
    };
    expect(await outcome()).toBe('oauth_error');
  });
});
