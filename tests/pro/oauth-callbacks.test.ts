// Callbacks of generic OAuth providers, and the mapping of profiles (docs/security-requirements.md
// T13, A-72, A-74, A-78, A-83).
import type { ResponseOverrides } from 'svc-auth/testing';
import { makeService } from '../support/make-service.js';
import { errorOf, runInSequence, outcomeOf, race } from '../support/outcomes.js';
import { account, codeFor, configured, idp, signIn, startProviders, withOAuth } from './oauth-providers.js';

startProviders();

describe('handleCallback', () => {
  const odd: unknown[] = [undefined, null, '', 1, ['x'], {}, new Date(0)];

  //
  it.each(odd)('rejects the code %p with oauth_error', async (code) => {
    const { service } = await makeService(withOAuth());
    const calls = [
      () => service.oauth('acme').handleCallback({ code: code as string }),
      () => service.oauth('acme').handleCallback({ code: 'x', codeVerifier: (code ?? 1) as string }),
    ];
    expect(await runInSequence(calls.length, (i) => calls[i]!())).toEqual(calls.map(() => 'oauth_error'));
  });

  //
  it('rejects a code without its verifier, or with another', async () => {
    const test = await makeService(withOAuth());
    for (const codeVerifier of [undefined, 'x'.repeat(43)]) {
      const { code } = await codeFor(test, 'acme', account());
      expect(
        await outcomeOf(() =>
          test.service.oauth('acme').handleCallback({ code, codeVerifier: codeVerifier! }),
        ),
      ).toBe('oauth_error');
    }
  });

  it('sends the client secret as the provider announces: in the header, unless it accepts the body', async () => {
    const sent = () => idp.requests.findLast(({ path }) => path === '/token')!;
    const document = {
      issuer: idp.issuer,
      authorization_endpoint: `${idp.issuer}/authorize`,
      token_endpoint: `${idp.issuer}/token`,
      jwks_uri: `${idp.issuer}/jwks`,
    };
    for (const [methods, isBasic] of [
      [undefined, true],
      [['client_secret_basic'], true],
      [['client_secret_post', 'client_secret_basic'], false],
      [['client_secret_post'], false],
    ] as const) {
      const body = JSON.stringify({ ...document, token_endpoint_auth_methods_supported: methods });
      idp.override({ faults: { discovery: { body } } });
      await signIn(await makeService(withOAuth()), 'acme', account());
      expect('client_secret' in sent().fields).toBe(!isBasic);
      expect(sent().headers.authorization?.startsWith('Basic ') ?? false).toBe(isBasic);
    }
  });

  it('accepts a client secret from a function', async () => {
    const acme = { ...idp.client, issuer: idp.issuer };
    const secret = async (clientId: string) => (clientId === acme.clientId ? idp.client.clientSecret : '');
    const test = await makeService(withOAuth({ acme: { ...acme, clientSecret: secret } }));
    expect(await outcomeOf(() => signIn(test, 'acme', account()))).toBe('ok');
    for (const broken of [() => '', () => 1, () => Promise.reject(new Error('no key'))]) {
      const wrong = await makeService(withOAuth({ acme: { ...acme, clientSecret: broken as () => string } }));
      expect(await outcomeOf(() => signIn(wrong, 'acme', account()))).toBe('oauth_error');
    }
  });

  it('reads token responses that deviate from RFC 6749', async () => {
    const test = await makeService(withOAuth());
    const responses: [ResponseOverrides['tokens'], string | undefined][] = [
      [{ token_type: 'bearer', scope: 'user:email,read:user' }, 'user:email read:user'],
      [{ token_type: undefined, scope: ['a', 'b'] }, 'a b'],
      [{ expires_in: '600', refresh_token: null, id_token: null, scope: null }, undefined],
    ];
    for (const [tokens, scope] of responses) {
      idp.override({ tokens: tokens! });
      const result = await signIn(test, 'plain', account());
      expect(result.tokens.scope).toBe(scope);
      expect(result.tokens.expiresAt).toEqual(new Date(test.clock.now() + 600_000));
    }
  });

  //
  it('returns no ID token that it could not verify', async () => {
    const test = await makeService(withOAuth());
    idp.override({ tokens: { id_token: 'not.checked.at-all' } });
    const { tokens } = await signIn(test, 'plain', account());
    expect(tokens).not.toHaveProperty('idToken');
  });

  it.each([['1e30'], [1e300]])('ignores expires_in %p', async (expires_in) => {
    const test = await makeService(withOAuth());
    idp.override({ tokens: { expires_in } });
    expect((await signIn(test, 'plain', account())).tokens).not.toHaveProperty('expiresAt');
  });

  //
  it('waits 10 seconds for a provider that does not respond', async () => {
    const test = await makeService(withOAuth());
    const codes = [await codeFor(test, 'acme', account()), await codeFor(test, 'plain', account())];
    idp.override({ faults: { token: 'hang' } });
    const before = performance.now();
    const tally = await race(2, (i) => test.service.oauth(['acme', 'plain'][i]!).handleCallback(codes[i]!));
    expect(tally).toEqual({ oauth_error: 2 });
    const seconds = (performance.now() - before) / 1000;
    // That it ends shows the limit: the provider would never respond.
    expect(seconds).toBeGreaterThan(9);
  });

  //
  it('calls no http endpoint of another host, even if discovery on loopback names one', async () => {
    const document = {
      issuer: idp.issuer,
      authorization_endpoint: `${idp.issuer}/authorize`,
      token_endpoint: 'http://elsewhere.test/token',
      jwks_uri: `${idp.issuer}/jwks`,
    };
    idp.override({ faults: { discovery: { body: JSON.stringify(document) } } });
    const test = await makeService(withOAuth());
    const error = await errorOf(() => signIn(test, 'acme', account()));
    expect(error).toMatchObject({ code: 'oauth_error' });
    expect(String((error.cause as Error).message) + String((error.cause as Error).cause)).toMatch(/https/);
  });

  //
  it.each(['missing', 'redirect', 'oversize', 'error'] as const)(
    'rejects with oauth_error while discovery fails (%s), and recovers afterwards',
    async (discovery) => {
      const test = await makeService(withOAuth());
      idp.override({ faults: { discovery } });
      const { oauth } = { oauth: test.service.oauth('acme') };
      const calls = [
        () => oauth.getAuthUrl(),
        () => oauth.startRedirect(),
        () => oauth.handleCallback({ code: 'x' }),
      ];
      expect(await runInSequence(calls.length, (i) => calls[i]!())).toEqual(calls.map(() => 'oauth_error'));
      idp.override({});
      expect(await outcomeOf(() => signIn(test, 'acme', account()))).toBe('ok');
    },
  );
});

describe('mapProfile', () => {
  const withMapping = (mapProfile: unknown, name: 'acme' | 'plain' = 'acme') =>
    withOAuth({ acme: { ...configured()[name]!, mapProfile: mapProfile as never } });

  it.each(['acme', 'plain'] as const)('returns the profile of the user: %s', async (name) => {
    const mapProfile = async (raw: Record<string, unknown>) => ({
      id: `team-${raw['team'] as string}-${raw['sub'] as string}`,
      email: raw['mail'] as string,
      emailVerified: true,
    });
    const test = await makeService(withMapping(mapProfile, name));
    const subject = account({ team: '7', mail: 'map@example.com' });
    const { user, profile } = await signIn(test, 'acme', subject);
    expect(user).toMatchObject({ email: 'map@example.com', emailVerified: true });
    expect(profile).toEqual({
      id: `team-7-${subject}`,
      email: 'map@example.com',
      emailVerified: true,
      name: null,
      picture: null,
      raw: expect.objectContaining({ sub: subject, team: '7' }),
    });
  });

  const nonsense: [string, unknown][] = [
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['rejects', () => Promise.reject(new Error('boom'))],
    ['returns nothing', () => undefined],
    ['returns null', () => null],
    ['returns a string', () => 'x'],
    ['returns no id', () => ({ email: 'a@example.com' })],
    ['returns an id that is a fraction', () => ({ id: 1.5 })],
    ['returns an empty id', () => ({ id: '' })],
    ['returns an id that cannot be a key', () => ({ id: 'ä\0' })],
    ['returns an address that is not a string', () => ({ id: 'x', email: ['a@example.com'] })],
    ['returns a name that is not a string', () => ({ id: 'x', name: {} })],
  ];
  it.each(nonsense)('rejects the sign-in with oauth_error if mapProfile %s', async (_what, mapProfile) => {
    const test = await makeService(withMapping(mapProfile));
    expect(await outcomeOf(() => signIn(test, 'acme', account()))).toBe('oauth_error');
    expect(await test.adapter.identities.findUser('acme', 'x')).toBeNull();
  });

  // T13
  it('verifies an address only if it returns true', async () => {
    const test = await makeService(
      withMapping(() => ({ id: 'x', email: 'a@example.com', emailVerified: 'yes' })),
    );
    expect(await signIn(test, 'acme', account())).toMatchObject({
      user: { email: null },
      profile: { emailVerified: false },
    });
  });
});
