// Sign-in with generic OAuth providers, on every storage (docs/security-requirements.md T5, T13, A-71 to A-79, C-23 to C-25): against a real OpenID
// provider, and against one that lies.
import type { OAuthUrlOptions, ServiceConfig } from 'svc-auth';
import { mockIdentityProvider, type MockIdentityProvider, type MockLies } from 'svc-auth/testing';
import { describeAdapters } from '../support/describe-adapters.js';
import { license, minute, oddIds, pro, type ProService } from '../support/make-pro-service.js';
import { makeService, type Overrides, type TestService } from '../support/make-service.js';
import { startOidcServer, type OidcServer } from '../support/oidc-server.js';
import { effortOf, errorOf, inTurn, outcomeOf, race } from '../support/outcomes.js';

type OAuthConfig = NonNullable<NonNullable<ServiceConfig['providers']>['oauth']>;

const redirectUri = 'http://localhost:3000/api/auth/oauth/acme/callback';
const password = 'correct horse battery';
let oidc: OidcServer;
let idp: MockIdentityProvider;
let people = 0;

beforeAll(async () => {
  oidc = await startOidcServer(redirectUri);
  idp = await mockIdentityProvider({ redirectUri });
});
beforeEach(() => idp.lie({}));
afterAll(() => Promise.all([oidc.stop(), idp.close()]));

/** Somebody at the mock provider. */
function account(claims: object = {}): string {
  const subject = `subject-${(people += 1)}`;
  idp.accounts.set(subject, { ...claims });
  return subject;
}

/** By discovery as `acme`, by explicit endpoints as `plain`; both trusted with addresses as `trusted` and `trusted-plain`. */
function configured(): OAuthConfig {
  const acme = { ...idp.client, issuer: idp.issuer };
  const plain = { ...idp.client, ...idp.endpoints };
  const linking = 'verified-email' as const;
  return { acme, plain, trusted: { ...acme, linking }, 'trusted-plain': { ...plain, linking } };
}

const withOAuth = (oauth: OAuthConfig = configured(), overrides: Overrides = {}): Overrides => ({
  ...license,
  ...overrides,
  providers: { ...overrides.providers, oauth },
});

/** The whole way of an application with routes of its own. */
async function codeFor({ service }: TestService, name: string, subject: string) {
  const { url, codeVerifier, state } = await service.oauth(name).getAuthUrl();
  const callback = await idp.signIn(url, subject);
  expect(callback.searchParams.get('state')).toBe(state);
  return { code: callback.searchParams.get('code')!, codeVerifier };
}

async function signIn(test: TestService, name: string, subject: string, context = {}) {
  return test.service.oauth(name).handleCallback(await codeFor(test, name, subject), context);
}

/** The whole way of a browser. */
async function goThrough({ service }: TestService, name: string, subject: string, appState?: string) {
  const started = await service.oauth(name).startRedirect(appState);
  return { ...started, query: (await idp.signIn(started.url, subject)).searchParams };
}

describeAdapters('oauth', (on) => {
  const { person, adapter } = on;
  const { makePro, verifiedUser, unverifiedUser } = pro(on);
  const make = (overrides?: Overrides) => makePro(withOAuth(undefined, overrides));
  const identitiesOf = (userId: string) => adapter().identities.listForUser(userId);
  const providersOf = async (userId: string) =>
    (await identitiesOf(userId)).map(({ provider }) => provider).sort();

  describe('a sign-in', () => {
    it('at a real OpenID provider creates the user of a verified address, and finds them the next time', async () => {
      const test = await makePro(withOAuth({ acme: { ...oidc.client } }));
      const email = person();
      const subject = `real-${email}`;
      oidc.accounts.set(subject, {
        email,
        email_verified: true,
        name: 'Ada',
        picture: 'https://cdn.test/a.png',
      });
      const again = async () => {
        const { url, codeVerifier } = await test.service.oauth('acme').getAuthUrl();
        const code = (await oidc.signIn(url, subject)).searchParams.get('code')!;
        return test.service.oauth('acme').handleCallback({ code, codeVerifier });
      };
      const first = await again();
      expect(first).toMatchObject({
        created: true,
        user: { email, emailVerified: true, metadata: {} },
        profile: { id: subject, email, emailVerified: true, name: 'Ada', picture: 'https://cdn.test/a.png' },
        tokens: {
          accessToken: expect.any(String),
          idToken: expect.stringMatching(/^ey/),
          expiresAt: expect.any(Date),
        },
      });
      expect(await again()).toMatchObject({ created: false, user: first.user });
      expect(await identitiesOf(first.user.id)).toEqual([
        expect.objectContaining({ provider: 'acme', providerAccountId: subject, userId: first.user.id }),
      ]);
      expect(await test.heard()).toEqual(
        expect.arrayContaining([
          { name: 'user.created', payload: { userId: first.user.id, method: 'acme' } },
        ]),
      );
    });

    it('at the same provider by explicit endpoints tolerates its ID token', async () => {
      const { issuer, ...client } = oidc.client;
      const explicit = {
        ...client,
        authorizationEndpoint: `${issuer}/auth`,
        tokenEndpoint: `${issuer}/token`,
        userInfoEndpoint: `${issuer}/me`,
        scopes: ['openid', 'email'],
      };
      const test = await makePro(withOAuth({ acme: explicit }));
      const email = person();
      oidc.accounts.set(email, { email, email_verified: true });
      const { url, transaction } = await test.service.oauth('acme').startRedirect();
      const { searchParams } = await oidc.signIn(url, email);
      expect(await test.service.oauth('acme').finishRedirect(searchParams, transaction)).toMatchObject({
        created: true,
        user: { email, emailVerified: true },
      });
    });

    it.each(['acme', 'plain'])('answers user, created, profile and tokens: %s', async (name) => {
      const test = await make();
      const email = person();
      const subject = account({ email, email_verified: true, name: 'Ada', picture: 'p', level: 3 });
      const result = await signIn(test, name, subject);
      expect(Object.keys(result).sort()).toEqual(['created', 'profile', 'tokens', 'user']);
      expect(Object.keys(result.profile).sort()).toEqual(
        'email emailVerified id name picture raw'.split(' '),
      );
      expect(result.profile.raw).toMatchObject({ sub: subject, level: 3 });
      expect(result.tokens.expiresAt).toEqual(new Date(test.clock.now() + 600_000));
      expect(result.tokens).toEqual({
        accessToken: expect.stringMatching(/^[\w-]{43}$/),
        expiresAt: expect.any(Date),
        scope: name === 'acme' ? 'openid email profile' : '',
        ...(name === 'acme' && { idToken: expect.any(String) }),
      });
      expect(await signIn(test, name, subject)).toMatchObject({ created: false, user: result.user });
    });

    it.each(['acme', 'plain'])(
      'A-79 by redirect starts a session and hands no token out: %s',
      async (name) => {
        const test = await make();
        const subject = account({ email: person(), email_verified: true });
        const { query, transaction } = await goThrough(test, name, subject, '/pricing?a=<b>');
        const result = await test.service
          .oauth(name)
          .finishRedirect(query, transaction, { startSession: true, userAgent: 'x' });
        expect(Object.keys(result).sort()).toEqual(['appState', 'created', 'profile', 'session', 'user']);
        expect(result.appState).toBe('/pricing?a=<b>');
        expect(await test.service.getSessionUser(result.session!.token)).toEqual(result.user);
      },
    );

    it('A-75 finds the account by provider and subject, and never by the provider’s neighbour', async () => {
      const test = await make();
      const subject = account({ email: null });
      const [acme, plain] = [await signIn(test, 'acme', subject), await signIn(test, 'plain', subject)];
      expect(acme.user.id).not.toBe(plain.user.id);
      idp.accounts.set(subject, { email: person(), email_verified: true });
      expect(await signIn(test, 'acme', subject)).toMatchObject({
        created: false,
        user: { id: acme.user.id, email: null },
      });
    });

    it('is made once by many at once', async () => {
      const test = await make();
      const subject = account({ email: person(), email_verified: true });
      const codes = await Promise.all(Array.from({ length: 8 }, () => codeFor(test, 'acme', subject)));
      const results = await Promise.all(codes.map((code) => test.service.oauth('acme').handleCallback(code)));
      expect(new Set(results.map(({ user }) => user.id)).size).toBe(1);
      expect(results.filter(({ created }) => created)).toHaveLength(1);
    });
  });

  describe('an address that the provider has verified', () => {
    it.each(['acme', 'plain'])(
      'C-25 with an account here is oauth_error where linking is explicit: %s',
      async (name) => {
        const test = await make();
        for (const owner of [await verifiedUser(test), await unverifiedUser(test)]) {
          const subject = account({ email: owner.email!.toUpperCase(), email_verified: true });
          const before = await adapter().users.findById(owner.id);
          const error = await errorOf(() => signIn(test, name, subject));
          expect(error).toMatchObject({ code: 'oauth_error', reason: 'email_exists' });
          expect(error.message).toMatch(/sign in .* link/i);
          expect(await adapter().users.findById(owner.id)).toEqual(before);
          expect(await identitiesOf(owner.id)).toEqual([]);
          expect(await adapter().identities.findUser(name, subject)).toBeNull();
        }
      },
    );

    it('C-25 T13 is refused under explicit linking even in the session of that account', async () => {
      const test = await make();
      const owner = await verifiedUser(test);
      const { token } = test.service.createSessionToken(owner.id);
      const subject = account({ email: owner.email, email_verified: true });
      expect(await outcomeOf(() => signIn(test, 'acme', subject, { sessionToken: token }))).toBe(
        'oauth_error',
      );
    });

    it.each(['trusted', 'trusted-plain'])(
      'C-25 links to its verified account where the provider is trusted: %s',
      async (name) => {
        const test = await make();
        const owner = await verifiedUser(test);
        const { token } = test.service.createSessionToken(owner.id);
        test.clock.advance(1);
        const subject = account({ email: owner.email, email_verified: true });
        await test.heard();
        expect(await signIn(test, name, subject)).toMatchObject({ created: false, user: { id: owner.id } });
        expect(await test.heard()).toEqual([
          { name: 'identity.linked', payload: { userId: owner.id, provider: name } },
        ]);
        expect(await outcomeOf(() => test.service.getSessionUser(token))).toBe('ok');
      },
    );

    it('T2 T13 C-25 claims its unverified account where the provider is trusted', async () => {
      const test = await make();
      const planted = await unverifiedUser(test);
      const { token } = test.service.createSessionToken(planted.id);
      test.clock.advance(1);
      const subject = account({ email: planted.email, email_verified: true });
      expect(await signIn(test, 'trusted', subject)).toMatchObject({
        created: false,
        user: { id: planted.id, emailVerified: true },
      });
      expect(await outcomeOf(() => test.service.getSessionUser(token))).toBe('token_invalid');
      const login = () => test.service.emailPassword.login({ email: planted.email!, password });
      expect(await outcomeOf(login)).toBe('invalid_credentials');
    });

    it('lets sessionsProvider.upgrade believe a trusted provider only', async () => {
      const test = await make();
      const upgraded = async (provider: string) => {
        const { user } = await test.service.sessionsProvider.createGuest();
        const identity = { provider, providerAccountId: person(), email: person(), emailVerified: true };
        return (await test.service.sessionsProvider.upgrade({ userId: user.id, ...identity })).user
          .emailVerified;
      };
      expect(await upgraded('trusted')).toBe(true);
      expect(await upgraded('acme')).toBe(false);
    });
  });

  it.each(['acme', 'plain', 'trusted', 'trusted-plain'])(
    'T13 C-25 an address that is not verified touches no account and reserves none: %s',
    async (name) => {
      const test = await make();
      const [verified, unverified, free] = [
        (await verifiedUser(test)).email!,
        (await unverifiedUser(test)).email!,
        person(),
      ];
      for (const email of [verified, unverified, free]) {
        for (const email_verified of [false, undefined, 'true', 1]) {
          const owner = await adapter().users.findByEmail(email);
          const subject = account({ email, email_verified });
          const { user, created, profile } = await signIn(test, name, subject);
          expect({ created, email: user.email, verified: user.emailVerified }).toEqual({
            created: true,
            email: null,
            verified: false,
          });
          expect(profile).toMatchObject({ email, emailVerified: false });
          expect(await adapter().users.findByEmail(email)).toEqual(owner);
        }
      }
    },
  );

  describe('linkIdentity', () => {
    it.each(['acme', 'plain'])(
      'links to the user who asked, whatever the address, and changes none: %s',
      async (name) => {
        const test = await make();
        const owner = await verifiedUser(test);
        const subject = account({ email: person(), email_verified: true });
        await test.heard();
        const linked = await test.service
          .oauth(name)
          .linkIdentity(owner.id, await codeFor(test, name, subject));
        expect(linked).toMatchObject({
          identity: {
            userId: owner.id,
            provider: name,
            providerAccountId: subject,
            createdAt: expect.any(Date),
          },
          profile: { id: subject },
        });
        expect(Object.keys(linked).sort()).toEqual(['identity', 'profile']);
        expect(await test.heard()).toEqual([
          { name: 'identity.linked', payload: { userId: owner.id, provider: name } },
        ]);
        expect(await adapter().users.findById(owner.id)).toMatchObject({ email: owner.email });
        expect(await signIn(test, name, subject)).toMatchObject({ created: false, user: { id: owner.id } });
      },
    );

    it('again changes nothing and tells nothing', async () => {
      const test = await make();
      const owner = await verifiedUser(test);
      const subject = account();
      const link = async () =>
        test.service.oauth('acme').linkIdentity(owner.id, await codeFor(test, 'acme', subject));
      const { identity } = await link();
      await test.heard();
      expect((await link()).identity).toEqual(identity);
      expect(await test.heard()).toEqual([]);
      expect(await identitiesOf(owner.id)).toEqual([identity]);
    });

    it('of what somebody else has is oauth_error', async () => {
      const test = await make();
      const subject = account();
      const { user: first } = await signIn(test, 'acme', subject);
      const second = await verifiedUser(test);
      const code = await codeFor(test, 'acme', subject);
      const refused = await errorOf(() => test.service.oauth('acme').linkIdentity(second.id, code));
      expect(refused).toMatchObject({ code: 'oauth_error', reason: 'identity_linked' });
      expect(await identitiesOf(second.id)).toEqual([]);
      expect(await providersOf(first.id)).toEqual(['acme']);
    });

    it('by two users at once has one winner', async () => {
      const test = await make();
      const users = [await verifiedUser(test), await verifiedUser(test)];
      const subject = account();
      const codes = [await codeFor(test, 'acme', subject), await codeFor(test, 'acme', subject)];
      const tally = await race(2, (i) => test.service.oauth('acme').linkIdentity(users[i]!.id, codes[i]!));
      expect(tally).toEqual({ ok: 1, oauth_error: 1 });
    });

    it('for an id that names nobody is user_not_found, and uses up no code', async () => {
      const test = await make();
      const code = await codeFor(test, 'acme', account());
      const outcomes = await inTurn(oddIds.length, (i) =>
        test.service.oauth('acme').linkIdentity(oddIds[i] as string, code),
      );
      expect(new Set(outcomes)).toEqual(new Set(['user_not_found']));
      expect(await outcomeOf(() => test.service.oauth('acme').handleCallback(code))).toBe('ok');
    });

    it('for a guest is not_authorized: their account would be purged', async () => {
      const test = await make();
      const { user } = await test.service.sessionsProvider.createGuest();
      const code = await codeFor(test, 'acme', account());
      const link = () => test.service.oauth('acme').linkIdentity(user.id, code);
      expect(await outcomeOf(link)).toBe('not_authorized');
    });

    it('goes with a claim: who planted the link does not keep it', async () => {
      const test = await make();
      const planted = await unverifiedUser(test);
      const subject = account();
      await test.service.oauth('acme').linkIdentity(planted.id, await codeFor(test, 'acme', subject));
      await verifiedUser(test, planted.email!);
      expect(await identitiesOf(planted.id)).toEqual([]);
    });
  });

  describe('a replay', () => {
    it.each(['acme', 'plain'])('A-71 of an answer has one winner: %s', async (name) => {
      const test = await make();
      const { query, transaction } = await goThrough(test, name, account());
      const finish = () => test.service.oauth(name).finishRedirect(query, transaction);
      expect(await race(10, finish)).toEqual({ ok: 1, oauth_error: 9 });
      expect(await inTurn(2, finish)).toEqual(['oauth_error', 'oauth_error']);
    });

    it('A-71 of an answer is known for as long as its transaction lasts: nobody asks the provider again', async () => {
      const test = await make();
      const { query, transaction } = await goThrough(test, 'acme', account());
      const finish = () => test.service.oauth('acme').finishRedirect(query, transaction);
      await finish();
      test.clock.advance(10 * minute - 1);
      idp.requests.length = 0;
      await expect(finish()).rejects.toMatchObject({ code: 'oauth_error' });
      expect(idp.requests).toEqual([]);
    });

    it('of a code is oauth_error', async () => {
      const test = await make();
      const code = await codeFor(test, 'acme', account());
      const finish = () => test.service.oauth('acme').handleCallback(code);
      expect(await inTurn(2, finish)).toEqual(['ok', 'oauth_error']);
    });
  });

  describe('a provider that lies', () => {
    const lies: [string, string[], MockLies][] = [
      ['another audience', ['acme'], { audience: 'another-client' }],
      ['several audiences without azp', ['acme'], { audience: ['mock-client', 'another-client'] }],
      ['the azp of another client', ['acme'], { audience: ['mock-client', 'x'], claims: { azp: 'x' } }],
      ['another issuer', ['acme'], { issuer: 'https://accounts.evil.test' }],
      ['a nonce that nobody asked for', ['acme'], { nonce: 'another' }],
      ['an ID token that has ended', ['acme'], { expired: true }],
      ['an ID token without a signature', ['acme'], { signature: 'none' }],
      ['an ID token by an unknown key', ['acme'], { signature: 'unknown-key' }],
      ['an ID token without a subject', ['acme'], { claims: { sub: undefined } }],
      ['a subject too long to keep', ['acme'], { claims: { sub: 'x'.repeat(256) } }],
      ['no ID token', ['acme'], { tokens: { id_token: undefined } }],
      [
        'the userinfo of somebody else',
        ['acme'],
        { claims: { email: undefined }, userInfo: { sub: 'victim' } },
      ],
      ['userinfo without a subject', ['plain'], { userInfo: { sub: undefined } }],
      ['a subject that is no text', ['plain'], { userInfo: { sub: { $ne: 1 } } }],
      ['userinfo that is a list', ['plain'], { faults: { userinfo: { body: '[]' } } }],
      ['userinfo that redirects', ['plain'], { faults: { userinfo: 'redirect' } }],
      ['userinfo that refuses', ['plain'], { faults: { userinfo: 'error' } }],
      ['too large userinfo', ['plain'], { faults: { userinfo: 'oversize' } }],
      ['no access token', ['acme', 'plain'], { tokens: { access_token: undefined } }],
      ['an access token that is no text', ['acme', 'plain'], { tokens: { access_token: { x: 1 } } }],
      ['an access token of another kind', ['acme', 'plain'], { tokens: { token_type: 'mac' } }],
      ['a token endpoint that refuses', ['acme', 'plain'], { faults: { token: 'error' } }],
      [
        'a token endpoint that refuses with status 200',
        ['acme', 'plain'],
        { faults: { token: 'error-200' } },
      ],
      ['a token endpoint that redirects', ['acme', 'plain'], { faults: { token: 'redirect' } }],
      ['a token endpoint without end', ['acme', 'plain'], { faults: { token: 'oversize' } }],
      [
        'a token endpoint that sends HTML',
        ['acme', 'plain'],
        { faults: { token: { contentType: 'text/html', body: '<p>' } } },
      ],
      ['a token endpoint that sends null', ['acme', 'plain'], { faults: { token: { body: 'null' } } }],
    ];
    const cases = lies.flatMap(([what, names, lie]) => names.map((name) => [what, name, lie] as const));

    it.each(cases)(
      'A-74 A-78 with %s is oauth_error at once and leaves no trace: %s',
      async (_what, name, lie) => {
        const test = await make();
        const email = person();
        const subject = account(
          name === 'plain' || lie.userInfo ? { email, email_verified: true } : { email },
        );
        // Discovery and the loading of the client are not what is measured.
        const byCode = await codeFor(test, name, subject);
        const byRedirect = await goThrough(test, name, subject);
        await test.heard();
        idp.lie(lie);
        const { query, transaction } = byRedirect;
        const calls = [
          () => test.service.oauth(name).handleCallback(byCode),
          () => test.service.oauth(name).finishRedirect(query, transaction),
        ];
        const took: number[] = [];
        for (const call of calls) {
          took.push(
            await effortOf(async () => {
              expect(await errorOf(call)).toMatchObject({ code: 'oauth_error', reason: 'provider_error' });
            }),
          );
        }
        // The lighter of the two, the provider's own work included; reading a megabyte takes some.
        expect(Math.min(...took)).toBeLessThan(JSON.stringify(lie).includes('oversize') ? 250 : 50);
        expect(await adapter().users.findByEmail(email)).toBeNull();
        for (const each of [subject, 'victim', 'x'.repeat(256)])
          expect(await adapter().identities.findUser(name, each)).toBeNull();
        expect(await test.heard()).toEqual([]);
        idp.lie({});
        expect(await outcomeOf(() => signIn(test, name, subject))).toBe('ok');
      },
    );

    it('T13 about the verification of an address gets an account without one', async () => {
      const test = await make();
      const owner = await verifiedUser(test);
      const subject = account({ email: owner.email, email_verified: true });
      idp.lie({ emailVerified: 'true' });
      expect(await signIn(test, 'trusted', subject)).toMatchObject({ created: true, user: { email: null } });
    });
  });
});

describe('The accessors', () => {
  const acme = { clientId: 'a', clientSecret: 'b', redirectUri, issuer: 'https://acme.test' };

  it('need a licence, but for the list of names', async () => {
    const { service } = await makeService({ providers: { oauth: { acme, zeta: acme, beta: acme } } });
    expect(service.oauthProviders).toEqual(['acme', 'zeta', 'beta']);
    for (const name of ['acme', 'none'])
      expect(await outcomeOf(() => service.oauth(name))).toBe('license_required');
    expect((await makeService()).service.oauthProviders).toEqual([]);
  });

  it('know what is configured and nothing else', async () => {
    const { service } = await makeService(withOAuth({ acme }));
    expect(service.oauth('acme').name).toBe('acme');
    expect(service.oauth('acme').redirectUri).toBe(redirectUri);
    for (const name of [
      'none',
      'ACME',
      'acme ',
      '',
      '__proto__',
      'constructor',
      'toString',
      'google',
      0,
      null,
    ]) {
      const error = await errorOf(() => service.oauth(name as string));
      expect(error.code).toBe('provider_not_configured');
    }
    expect((await errorOf(() => service.oauth('none'))).message).toContain('providers.oauth.none');
    expect((await errorOf(() => service.oauth('<b>\n'))).message).not.toContain('<b>');
  });

  it('hand out a list that nobody can change for others', async () => {
    const { service } = await makeService(withOAuth({ acme }));
    service.oauthProviders.push('evil');
    expect(service.oauthProviders).toEqual(['acme']);
  });
});

describe('getAuthUrl', () => {
  const make = (oauth?: OAuthConfig) => makeService(withOAuth(oauth));
  const parametersOf = (url: string) => Object.fromEntries(new URL(url).searchParams);

  it('A-72 A-76 leads to the provider with state, S256 challenge and minimal scopes', async () => {
    const { service } = await make();
    const { url, codeVerifier, state, ...rest } = await service.oauth('acme').getAuthUrl();
    expect(rest).toEqual({});
    expect(codeVerifier).toMatch(/^[\w-]{43}$/);
    expect(state).toMatch(/^[\w-]{43}$/);
    expect(url).not.toContain(codeVerifier);
    expect(new URL(url).origin).toBe(idp.issuer);
    expect(parametersOf(url)).toEqual({
      client_id: idp.client.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid email profile',
      state,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    const second = await service.oauth('acme').getAuthUrl();
    expect([second.state, second.codeVerifier]).not.toEqual([state, codeVerifier]);
  });

  it('A-76 asks for no scope where endpoints are explicit and none is configured', async () => {
    const { service } = await make();
    expect(parametersOf((await service.oauth('plain').getAuthUrl()).url)).not.toHaveProperty('scope');
  });

  it('asks nobody where endpoints are explicit', async () => {
    const { service } = await make();
    idp.requests.length = 0;
    await service.oauth('plain').getAuthUrl();
    expect(idp.requests).toEqual([]);
  });

  it('takes state, scopes and params, over those of the configuration', async () => {
    const acme = { ...idp.client, issuer: idp.issuer, scopes: ['openid'] };
    const { service } = await make({ acme: { ...acme, authorizationParams: { prompt: 'login', ui: 'de' } } });
    const { url, state } = await service
      .oauth('acme')
      .getAuthUrl({ state: 'a&b=c', scopes: ['openid', 'calendar'], params: { prompt: 'consent', hd: 'x' } });
    expect(state).toBe('a&b=c');
    expect(parametersOf(url)).toMatchObject({
      state: 'a&b=c',
      scope: 'openid calendar',
      prompt: 'consent',
      ui: 'de',
      hd: 'x',
    });
  });

  it.each(
    'client_id redirect_uri response_type response_mode state code_challenge code_challenge_method nonce request request_uri scope'.split(
      ' ',
    ),
  )('A-72 lets params not set %s', async (name) => {
    const { service } = await make();
    expect(await outcomeOf(() => service.oauth('acme').getAuthUrl({ params: { [name]: 'x' } }))).toBe(
      'invalid_request',
    );
  });

  it.each([
    { state: 1 },
    { state: '' },
    { state: null },
    { scopes: 'openid' },
    { scopes: [1] },
    { scopes: ['a b'] },
    { params: 'x' },
    { params: ['x'] },
    { params: null },
    { params: { x: 1 } },
  ])('A-80 refuses %j', async (options) => {
    const { service } = await make();
    expect(await outcomeOf(() => service.oauth('acme').getAuthUrl(options as never))).toBe('invalid_request');
  });
});

describe('handleCallback', () => {
  const odd: unknown[] = [undefined, null, '', 1, ['x'], {}, new Date(0)];

  it.each(odd)('A-83 takes no code of %p', async (code) => {
    const { service } = await makeService(withOAuth());
    const calls = [
      () => service.oauth('acme').handleCallback({ code: code as string }),
      () => service.oauth('acme').handleCallback({ code: 'x', codeVerifier: (code ?? 1) as string }),
    ];
    expect(await inTurn(calls.length, (i) => calls[i]!())).toEqual(calls.map(() => 'oauth_error'));
  });

  it('A-72 takes no code without its verifier, nor with another', async () => {
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

  it('sends the secret in the body, and in the header where the provider takes it there alone', async () => {
    const test = await makeService(withOAuth());
    await signIn(test, 'acme', account());
    const sent = () => idp.requests.findLast(({ path }) => path === '/token')!;
    expect(sent().fields).toMatchObject({ client_secret: idp.client.clientSecret });
    const document = {
      issuer: idp.issuer,
      authorization_endpoint: `${idp.issuer}/authorize`,
      token_endpoint: `${idp.issuer}/token`,
      jwks_uri: `${idp.issuer}/jwks`,
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    };
    idp.lie({ faults: { discovery: { body: JSON.stringify(document) } } });
    const strict = await makeService(withOAuth());
    await signIn(strict, 'acme', account());
    expect(sent().fields).not.toHaveProperty('client_secret');
    expect(sent().headers.authorization).toMatch(/^Basic /);
  });

  it('takes a secret that a function makes', async () => {
    const acme = { ...idp.client, issuer: idp.issuer };
    const secret = async (clientId: string) => (clientId === acme.clientId ? idp.client.clientSecret : '');
    const test = await makeService(withOAuth({ acme: { ...acme, clientSecret: secret } }));
    expect(await outcomeOf(() => signIn(test, 'acme', account()))).toBe('ok');
    for (const broken of [() => '', () => 1, () => Promise.reject(new Error('no key'))]) {
      const wrong = await makeService(withOAuth({ acme: { ...acme, clientSecret: broken as () => string } }));
      expect(await outcomeOf(() => signIn(wrong, 'acme', account()))).toBe('oauth_error');
    }
  });

  it('reads the answers of providers that keep to RFC 6749 by half', async () => {
    const test = await makeService(withOAuth());
    const answers: [MockLies['tokens'], string | undefined][] = [
      [{ token_type: 'bearer', scope: 'user:email,read:user' }, 'user:email read:user'],
      [{ token_type: undefined, scope: ['a', 'b'] }, 'a b'],
      [{ expires_in: '600', refresh_token: null, id_token: null, scope: null }, undefined],
    ];
    for (const [tokens, scope] of answers) {
      idp.lie({ tokens: tokens! });
      const result = await signIn(test, 'plain', account());
      expect(result.tokens.scope).toBe(scope);
      expect(result.tokens.expiresAt).toEqual(new Date(test.clock.now() + 600_000));
    }
  });

  it('A-74 hands on no ID token that it could not check', async () => {
    const test = await makeService(withOAuth());
    idp.lie({ tokens: { id_token: 'not.checked.at-all' } });
    const { tokens } = await signIn(test, 'plain', account());
    expect(tokens).not.toHaveProperty('idToken');
  });

  it.each([['1e30'], [1e300]])('takes an end of %p for none', async (expires_in) => {
    const test = await makeService(withOAuth());
    idp.lie({ tokens: { expires_in } });
    expect((await signIn(test, 'plain', account())).tokens).not.toHaveProperty('expiresAt');
  });

  it('A-78 waits 10 seconds for a provider that hangs, and no longer', async () => {
    const test = await makeService(withOAuth());
    const codes = [await codeFor(test, 'acme', account()), await codeFor(test, 'plain', account())];
    idp.lie({ faults: { token: 'hang' } });
    const before = performance.now();
    const tally = await race(2, (i) => test.service.oauth(['acme', 'plain'][i]!).handleCallback(codes[i]!));
    expect(tally).toEqual({ oauth_error: 2 });
    const seconds = (performance.now() - before) / 1000;
    expect(seconds).toBeGreaterThan(9);
    // Not what the provider would take, which is for ever.
    expect(seconds).toBeLessThan(20);
  }, 20_000);

  it('A-78 asks no http endpoint elsewhere, whatever discovery on loopback says', async () => {
    const document = {
      issuer: idp.issuer,
      authorization_endpoint: `${idp.issuer}/authorize`,
      token_endpoint: 'http://elsewhere.test/token',
      jwks_uri: `${idp.issuer}/jwks`,
    };
    idp.lie({ faults: { discovery: { body: JSON.stringify(document) } } });
    const test = await makeService(withOAuth());
    const error = await errorOf(() => signIn(test, 'acme', account()));
    expect(error).toMatchObject({ code: 'oauth_error' });
    expect(String((error.cause as Error).message) + String((error.cause as Error).cause)).toMatch(/https/);
  });

  it.each(['missing', 'redirect', 'oversize', 'error'] as const)(
    'A-78 without discovery (%s) is oauth_error, and works when it is back',
    async (discovery) => {
      const test = await makeService(withOAuth());
      idp.lie({ faults: { discovery } });
      const { oauth } = { oauth: test.service.oauth('acme') };
      const calls = [
        () => oauth.getAuthUrl(),
        () => oauth.startRedirect(),
        () => oauth.handleCallback({ code: 'x' }),
      ];
      expect(await inTurn(calls.length, (i) => calls[i]!())).toEqual(calls.map(() => 'oauth_error'));
      idp.lie({});
      expect(await outcomeOf(() => signIn(test, 'acme', account()))).toBe('ok');
    },
  );
});

describe('finishRedirect', () => {
  it('A-73 refuses the transaction and the answer of another provider', async () => {
    const other = await mockIdentityProvider({ redirectUri });
    try {
      other.accounts.set('person', {});
      const google = { ...idp.client, issuer: idp.issuer };
      const test = await makeService(
        withOAuth(
          { ...configured(), other: { ...other.client, issuer: other.issuer } },
          { providers: { google } },
        ),
      );
      const { service } = test;
      const started = await goThrough(test, 'acme', account());
      const finish = (name: string) => service.oauth(name).finishRedirect(started.query, started.transaction);
      for (const name of ['other', 'plain', 'trusted'])
        expect(await outcomeOf(() => finish(name))).toBe('oauth_error');
      expect(await outcomeOf(() => service.google.finishRedirect(started.query, started.transaction))).toBe(
        'oauth_error',
      );
      const fromGoogle = await service.google.startRedirect();
      const query = (await idp.signIn(fromGoogle.url, account())).searchParams;
      expect(await outcomeOf(() => service.oauth('acme').finishRedirect(query, fromGoogle.transaction))).toBe(
        'oauth_error',
      );
      // None of these used the transaction up.
      expect(await outcomeOf(() => finish('acme'))).toBe('ok');

      // The attacker's provider gives the victim's browser a code of the honest one's.
      const honest = await goThrough(test, 'acme', account());
      const atAttacker = await service.oauth('other').startRedirect();
      const mixed = new URLSearchParams(honest.query);
      mixed.set('state', new URL(atAttacker.url).searchParams.get('state')!);
      other.requests.length = 0;
      expect(
        await outcomeOf(() => service.oauth('other').finishRedirect(mixed, atAttacker.transaction)),
      ).toBe('oauth_error');
      // RFC 9207: its code did not even reach the attacker.
      expect(other.requests.filter(({ path }) => path === '/token')).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it.each(['https://accounts.evil.test', 'x', ''])(
    'A-73 refuses the answer of the issuer %j where endpoints are explicit, before its code goes anywhere',
    async (iss) => {
      const test = await makeService(withOAuth());
      const { query, transaction } = await goThrough(test, 'plain', account());
      query.set('iss', iss);
      idp.requests.length = 0;
      expect(await outcomeOf(() => test.service.oauth('plain').finishRedirect(query, transaction))).toBe(
        'oauth_error',
      );
      expect(idp.requests).toEqual([]);
    },
  );

  it('T5 A-71 is bound to the browser, the transaction and ten minutes', async () => {
    const test = await makeService(withOAuth());
    const oauth = test.service.oauth('acme');
    const { query, transaction } = await goThrough(test, 'acme', account());
    const victim = await goThrough(test, 'acme', account());
    const wrong = new URLSearchParams(query);
    wrong.set('state', 'x'.repeat(43));
    const twice = new URLSearchParams([...query, ['state', query.get('state')!]]);
    const calls = [
      () => oauth.finishRedirect(query, undefined),
      () => oauth.finishRedirect(query, `${transaction}x`),
      () => oauth.finishRedirect(query, victim.transaction),
      () => oauth.finishRedirect(wrong, transaction),
      () => oauth.finishRedirect(twice, transaction),
      () => oauth.finishRedirect(new URLSearchParams({ state: query.get('state')! }), transaction),
    ];
    expect(await inTurn(calls.length, (i) => calls[i]!())).toEqual(calls.map(() => 'oauth_error'));
    const late = await goThrough(test, 'acme', account());
    test.clock.advance(10 * minute);
    expect(await errorOf(() => oauth.finishRedirect(late.query, late.transaction))).toMatchObject({
      code: 'oauth_error',
      reason: 'expired',
    });
  });

  it.each(['acme', 'plain'])(
    'the person who goes back at the provider ends in oauth_error: %s',
    async (name) => {
      const test = await makeService(withOAuth());
      const { query, transaction } = await goThrough(test, name, '');
      expect(query.get('error')).toBe('access_denied');
      const refused = await errorOf(() => test.service.oauth(name).finishRedirect(query, transaction));
      expect(refused).toMatchObject({ code: 'oauth_error', reason: 'access_denied' });
    },
  );

  it.each([
    ['user_cancelled_authorize', 'access_denied'],
    ['user_cancelled_login', 'access_denied'],
    ['server_error', 'provider_error'],
    ['temporarily_unavailable', 'provider_error'],
  ])('an answer with the error %s has the reason %s', async (code, reason) => {
    const test = await makeService(withOAuth());
    const { query, transaction } = await goThrough(test, 'plain', '');
    query.set('error', code);
    const refused = await errorOf(() => test.service.oauth('plain').finishRedirect(query, transaction));
    expect(refused).toMatchObject({ code: 'oauth_error', reason });
  });

  it('a token endpoint that says access_denied has the reason provider_error: the person did not cancel', async () => {
    const test = await makeService(withOAuth());
    const { query, transaction } = await goThrough(test, 'acme', account());
    idp.lie({ faults: { token: { status: 400, body: '{"error":"access_denied"}' } } });
    const refused = await errorOf(() => test.service.oauth('acme').finishRedirect(query, transaction));
    idp.lie({});
    expect(refused).toMatchObject({ code: 'oauth_error', reason: 'provider_error' });
  });

  it.each([['x'.repeat(513)], [1], [null], [{}]])('C-23 takes no state of %j', async (state) => {
    const { service } = await makeService(withOAuth());
    expect(await outcomeOf(() => service.oauth('acme').startRedirect(state as string))).toBe(
      'invalid_request',
    );
  });

  it.each([{ state: '\ud800' }, { params: { hint: '\udc00' } }, { params: { '\ud800': 'x' } }])(
    'getAuthUrl refuses %j, which a URL cannot contain unchanged',
    async (options) => {
      const { service } = await makeService(withOAuth());
      expect(await outcomeOf(() => service.oauth('acme').getAuthUrl(options as OAuthUrlOptions))).toBe(
        'invalid_request',
      );
    },
  );

  it('A-71 A-74 binds a nonce where there is an ID token to hold it', async () => {
    const { service } = await makeService(withOAuth());
    const parameters = async (name: string) =>
      new URL((await service.oauth(name).startRedirect()).url).searchParams;
    expect((await parameters('acme')).get('nonce')).toMatch(/^[\w-]{43}$/);
    expect((await parameters('plain')).has('nonce')).toBe(false);
    expect((await parameters('plain')).get('code_challenge_method')).toBe('S256');
  });
});

describe('mapProfile', () => {
  const withMapping = (mapProfile: unknown, name: 'acme' | 'plain' = 'acme') =>
    withOAuth({ acme: { ...configured()[name]!, mapProfile: mapProfile as never } });

  it.each(['acme', 'plain'] as const)('makes the profile of what the provider says: %s', async (name) => {
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
    ['returns a text', () => 'x'],
    ['returns no id', () => ({ email: 'a@example.com' })],
    ['returns an id that is a number', () => ({ id: 1 })],
    ['returns an empty id', () => ({ id: '' })],
    ['returns an id that no key can be', () => ({ id: 'ä\0' })],
    ['returns an address that is no text', () => ({ id: 'x', email: ['a@example.com'] })],
    ['returns a name that is no text', () => ({ id: 'x', name: {} })],
  ];
  it.each(nonsense)('that %s is oauth_error', async (_what, mapProfile) => {
    const test = await makeService(withMapping(mapProfile));
    expect(await outcomeOf(() => signIn(test, 'acme', account()))).toBe('oauth_error');
    expect(await test.adapter.identities.findUser('acme', 'x')).toBeNull();
  });

  it('T13 verifies an address only by true', async () => {
    const test = await makeService(
      withMapping(() => ({ id: 'x', email: 'a@example.com', emailVerified: 'yes' })),
    );
    expect(await signIn(test, 'acme', account())).toMatchObject({
      user: { email: null },
      profile: { emailVerified: false },
    });
  });
});

describe('Secrets', () => {
  it('A-79 A-92 A-93 of the provider are in no log, error, transaction or store', async () => {
    const { makePro } = pro({ make: makeService, person: () => 'secrets@example.com' });
    const test: ProService = await makePro(withOAuth());
    const told: string[] = [];
    const secrets: string[] = [idp.client.clientSecret];
    const subject = account({ email: 'secrets@example.com', email_verified: true });
    const print = (value: unknown): string =>
      value instanceof Error
        ? `${value.stack} ${JSON.stringify({ ...value })} ${print(value.cause)}`
        : (JSON.stringify(value) ?? '');
    for (const name of ['acme', 'plain']) {
      const { tokens } = await signIn(test, name, name === 'acme' ? subject : account());
      secrets.push(...[tokens.accessToken, tokens.idToken].filter((each) => each !== undefined));
      const wrong: MockLies[] = [
        { tokens: { token_type: 'mac', access_token: 'secret-access', refresh_token: 'secret-refresh' } },
        { tokens: { scope: 1, access_token: 'secret-access' } },
        { audience: 'x' },
        { faults: { token: { body: 'secret-access=1' } } },
        {
          faults: {
            token: { status: 400, body: '{"error":"invalid_grant","error_description":"secret-access"}' },
          },
        },
        { faults: { userinfo: { status: 401, body: 'secret-access' } }, claims: { email: undefined } },
        { claims: { sub: 1 } },
      ];
      for (const lie of wrong) {
        idp.lie({});
        const { query, transaction, url } = await goThrough(test, name, account());
        told.push(transaction, Buffer.from(transaction.split('.')[0]!, 'base64url').toString(), url);
        secrets.push(query.get('code')!);
        idp.lie(lie);
        const finish = () => test.service.oauth(name).finishRedirect(query, transaction);
        // Without ID tokens some of these are no lies.
        told.push(print(await finish().catch((error: unknown) => error)));
      }
    }
    told.push(JSON.stringify(test.log), JSON.stringify(await test.heard()));
    const all = told.join('\n');
    for (const secret of [...secrets, 'secret-access', 'secret-refresh']) expect(all).not.toContain(secret);
    expect(all).toContain('invalid_grant');
  });
});
