// Providers that deviate from the standards in known ways, and identifiers that are not identifiers.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MapProfile } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { proFixtures } from '../support/make-pro-service.js';
import { makeService, type LogEntry, type TestService } from '../support/make-service.js';
import { faultsOf, validConfig } from '../support/config-faults.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';
import {
  account,
  codeFor,
  idp,
  signIn,
  startProviders,
  withOAuth,
  type OAuthConfig,
} from './oauth-providers.js';

startProviders();

const plain = () => ({ ...idp.client, ...idp.endpoints });
const acme = () => ({ ...idp.client, issuer: idp.issuer });

/** As applications write it, and as our own documents once did. */
const byMemberNumber: MapProfile = (raw) => ({ id: String(raw['member_number']) });
const byNumber: MapProfile = (raw) => ({ id: raw['member_number'] as number });

describeAdapters('Identifiers of identity providers', (on) => {
  const { makePro } = proFixtures(on);
  const open = (oauth: OAuthConfig) => makePro(withOAuth(oauth));

  //
  it.each([
    ['missing', undefined],
    ['null', null],
    ['an object', { number: 7 }],
    ['a list', [{}]],
    ['true', true],
    ['an empty string', ''],
    ['a blank', ' '],
  ])(
    'a member number that is %s signs no one in, however mapProfile converts it',
    async (_name, member_number) => {
      for (const mapProfile of [byMemberNumber, byNumber]) {
        const test = await open({ plain: { ...plain(), mapProfile } });
        idp.override({ userInfo: { member_number } });
        expect(await outcomeOf(() => signIn(test, 'plain', account()))).toBe('oauth_error');
      }
    },
  );

  //
  it('two people whose numbers above 2^53 differ in the last digit are two users', async () => {
    for (const mapProfile of [byMemberNumber, byNumber]) {
      const test = await open({ plain: { ...plain(), mapProfile } });
      const ids = [];
      for (const number of ['9007199254740992', '9007199254740993']) {
        const body = `{"sub":"x","note":"a \\"quoted\\" 90071992547409931","fraction":1.9007199254740993,"member_number":${number}}`;
        idp.override({ faults: { userinfo: { body } } });
        const { user, profile } = await signIn(test, 'plain', account());
        expect(profile.raw).toMatchObject({
          note: 'a "quoted" 90071992547409931',
          fraction: Number('1.9007199254740993'),
        });
        expect(profile.id).toBe(number);
        ids.push(user.id);
      }
      expect(new Set(ids).size).toBe(2);
    }
  });

  it('a whole number is an identifier, as the subject and from mapProfile', async () => {
    const test = await open({ plain: plain(), mapped: { ...plain(), mapProfile: byNumber } });
    idp.override({ userInfo: { sub: 1234567, member_number: 42 } });
    expect((await signIn(test, 'plain', account())).profile.id).toBe('1234567');
    expect((await signIn(test, 'mapped', account())).profile.id).toBe('42');
  });

  //
  it.each(['undefined', 'null', 'NaN', '[object Object]', ' '])(
    'upgrade() refuses the account id %j',
    async (providerAccountId) => {
      const { service } = await open({});
      const { user } = await service.sessionsProvider.createGuest();
      const upgrade = () =>
        service.sessionsProvider.upgrade({ userId: user.id, provider: 'acme', providerAccountId });
      expect(await outcomeOf(upgrade)).toBe('invalid_request');
    },
  );

  //
  it.each(['undefined', 'null', 'nan', 'true'])('users.create() refuses the role %j', async (role) => {
    const { service } = await open({});
    expect(await outcomeOf(() => service.users.create({ roles: [role] }))).toBe('invalid_request');
  });
});

describe('A provider that deviates', () => {
  const open = (options: object = {}) =>
    makeService(withOAuth({ acme: { ...acme(), ...options }, plain: { ...plain(), ...options } }));

  describe.each(['acme', 'plain'])('configured as %s', (name) => {
    it.each([
      ['scope as a list', { scope: ['user:read', 'user:email'] }, 'user:read user:email'],
      ['scope with commas', { scope: 'user:read,user:email' }, 'user:read user:email'],
      ['members that are null', { refresh_token: null, scope: null }, undefined],
      ['no token_type', { token_type: undefined }, undefined],
      ['token_type with capitals', { token_type: 'BEARER' }, undefined],
      ['expires_in as a string', { expires_in: '3600' }, undefined],
    ])('a token response with %s signs in', async (_what, tokens, scope) => {
      const test = await open();
      idp.override({ tokens: { scope: undefined, ...tokens } });
      const result = await signIn(test, name, account());
      expect(result.tokens.scope).toBe(scope);
    });

    it('the client secret goes into the header or the body, as tokenEndpointAuthMethod says', async () => {
      for (const tokenEndpointAuthMethod of ['client_secret_basic', 'client_secret_post'] as const) {
        const test = await open({ tokenEndpointAuthMethod });
        await signIn(test, name, account());
        const request = idp.requests.findLast(({ path }) => path.includes('token'));
        const isBasic = tokenEndpointAuthMethod === 'client_secret_basic';
        expect(request?.headers.authorization?.startsWith('Basic ') ?? false).toBe(isBasic);
        expect('client_secret' in (request?.fields ?? {})).toBe(!isBasic);
      }
    });

    it('without pkce, no request has a challenge or a verifier', async () => {
      const test = await open({ pkce: false });
      const { url } = await test.service.oauth(name).startRedirect();
      expect(new URL(url).searchParams.has('code_challenge')).toBe(false);
      await signIn(test, name, account());
      const request = idp.requests.findLast(({ path }) => path.includes('token'));
      expect(request?.fields).not.toHaveProperty('code_verifier');
    });
  });

  it('without nonce, an ID token without one signs in, and with it one is refused', async () => {
    const through = async (nonce: boolean) => {
      const test = await open({ nonce });
      const { url, transaction } = await test.service.oauth('acme').startRedirect();
      expect(new URL(url).searchParams.has('nonce')).toBe(nonce);
      idp.override({ claims: { nonce: undefined } });
      const { searchParams } = await idp.signIn(url, account());
      return outcomeOf(() => test.service.oauth('acme').finishRedirect(searchParams, transaction));
    };
    expect(await through(false)).toBe('ok');
    expect(await through(true)).toBe('oauth_error');
  });

  it('a token response that is a form signs in', async () => {
    const test = await open();
    const { code, codeVerifier } = await codeFor(test, 'plain', account());
    idp.override({
      faults: {
        token: { body: 'access_token=abc&scope=user%2Cemail&token_type=bearer', contentType: 'text/plain' },
        userinfo: { body: '{"sub":"of-a-form"}' },
      },
    });
    const result = await test.service.oauth('plain').handleCallback({ code, codeVerifier });
    expect(result.tokens).toMatchObject({ accessToken: 'abc', scope: 'user email' });
  });
});

describe('The log of a failed sign-in with a provider', () => {
  const failures = (log: LogEntry[]) => log.filter(({ fields }) => fields['event'] === 'provider_failed');
  const failure = async (test: TestService, run: () => Promise<unknown>) => {
    await errorOf(run);
    const [first, ...others] = failures(test.log);
    expect(others).toEqual([]);
    expect(first?.level).toBe('warn');
    const text = JSON.stringify(first);
    for (const secret of [idp.client.clientSecret, 'access_token', 'code_verifier'])
      expect(text).not.toContain(secret);
    return first?.fields;
  };
  const open = (options: object = {}) =>
    makeService(withOAuth({ acme: { ...acme(), ...options }, plain: plain() }));

  it('names a refused secret or a used code with the status and the error of the provider', async () => {
    for (const [error, status] of [
      ['invalid_client', 401],
      ['invalid_grant', 400],
    ] as const) {
      const test = await open();
      const { code, codeVerifier } = await codeFor(test, 'acme', account());
      const body = JSON.stringify({ error, error_description: `refused ${code}-${'x'.repeat(40)}\n` });
      idp.override({ faults: { token: { body, status } } });
      const fields = await failure(test, () =>
        test.service.oauth('acme').handleCallback({ code, codeVerifier }),
      );
      expect(fields).toMatchObject({ provider: 'acme', status, error, request: `${idp.issuer}/token` });
      expect(JSON.stringify(fields)).not.toContain(code);
      idp.override({});
    }
  });

  it.each([
    ['aud', { audience: 'another-client' }, '"another-client"'],
    ['iss', { issuer: 'https://accounts.evil.test' }, '"https://accounts.evil.test"'],
    ['exp', { expired: true }, expect.stringMatching(/^\d+$/) as string],
  ])(
    'names the claim %s of an ID token, what was expected and what came',
    async (claim, override, actual) => {
      const test = await open();
      idp.override(override);
      const fields = await failure(test, () => signIn(test, 'acme', account()));
      expect(fields).toMatchObject({ provider: 'acme', claim, actual });
    },
  );

  it('names an HTML response with its status and content type', async () => {
    const test = await open();
    const { code, codeVerifier } = await codeFor(test, 'acme', account());
    idp.override({
      faults: { token: { contentType: 'text/html', body: '<p>Down for maintenance</p>', status: 503 } },
    });
    const fields = await failure(test, () =>
      test.service.oauth('acme').handleCallback({ code, codeVerifier }),
    );
    expect(fields).toMatchObject({ status: 503, contentType: 'text/html', request: `${idp.issuer}/token` });
  });

  it('names the host of a provider that cannot be found or reached', async () => {
    const test = await makeService(
      withOAuth({ acme: { ...acme(), issuer: 'https://nowhere.invalid' }, plain: { ...plain() } }),
    );
    const fields = await failure(test, () => test.service.oauth('acme').startRedirect());
    expect(fields).toMatchObject({ request: expect.stringContaining('https://nowhere.invalid/') as string });
    expect(JSON.stringify(fields)).toMatch(/ENOTFOUND|EAI_AGAIN/);
  });

  it('names a certificate that is not trusted', async () => {
    const { server, issuer } = await serverWithOwnCertificate();
    const test = await makeService(withOAuth({ acme: { ...acme(), issuer }, plain: plain() }));
    const fields = await failure(test, () => test.service.oauth('acme').startRedirect());
    expect(JSON.stringify(fields)).toMatch(/SELF_SIGNED_CERT/);
    server.closeAllConnections();
    server.close();
  });

  it('reports an optional request that fails, and signs in without what it would have brought', async () => {
    const test = await open();
    idp.override({ claims: { email: undefined }, faults: { userinfo: 'error' } });
    const { profile } = await signIn(test, 'acme', account({ email: 'ada@example.com' }));
    expect(profile.email).toBeNull();
    expect(failures(test.log)).toHaveLength(1);
  });

  it('says nothing of a person who canceled', async () => {
    const test = await open();
    const { url, transaction } = await test.service.oauth('acme').startRedirect();
    const { searchParams } = await idp.signIn(url, '');
    await errorOf(() => test.service.oauth('acme').finishRedirect(searchParams, transaction));
    expect(failures(test.log)).toEqual([]);
  });
});

describe('Plain http', () => {
  const url = 'http://idp.internal:8080';

  it('is refused for another host, at every endpoint and for google, and the fault names allowHttp', async () => {
    const explicit = { authorizationEndpoint: url, tokenEndpoint: url, userInfoEndpoint: url };
    const faults = faultsOf({
      ...validConfig,
      providers: {
        oauth: { acme: { ...acme(), issuer: url }, plain: { ...idp.client, ...explicit } },
        google: { ...acme(), issuer: url },
      },
    });
    const paths = [
      'google.issuer',
      'oauth.acme.issuer',
      ...Object.keys(explicit).map((name) => `oauth.plain.${name}`),
    ];
    for (const path of paths)
      expect(faults).toContainEqual(expect.stringMatching(new RegExp(`providers.${path}.*allowHttp`)));
  });

  it('is accepted with allowHttp', async () => {
    await expect(
      makeService(withOAuth({ acme: { ...acme(), issuer: url, allowHttp: true } })),
    ).resolves.toBeDefined();
  });
});

/** A server whose certificate no one has signed. */
async function serverWithOwnCertificate(): Promise<{ server: Server; issuer: string }> {
  const { createServer: createSecureServer } = await import('node:https');
  const { key, cert } = await import('../support/own-certificate.js');
  const server = createSecureServer({ key, cert }, (_req, res) => res.end('{}'));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    server: server as unknown as Server,
    issuer: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
}
