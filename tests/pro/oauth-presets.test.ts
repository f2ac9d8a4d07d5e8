// The presets of well-known providers, each against the mock provider
// (docs/security-requirements.md, C-25, T13).
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { apple, discord, github, gitlab, microsoft, type ServiceConfig } from 'svc-auth';
import { mockIdentityProvider, type MockIdentityProvider, type ResponseOverrides } from 'svc-auth/testing';
import { license } from '../support/make-pro-service.js';
import { makeService, type TestService } from '../support/make-service.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';

type OAuthOptions = NonNullable<NonNullable<ServiceConfig['providers']>['oauth']>[string];

const redirectUri = 'https://app.test/api/auth/oauth/x/callback';
let idp: MockIdentityProvider;
let people = 0;

beforeAll(async () => {
  // Apple's secrets are created for each request; the tests check them.
  idp = await mockIdentityProvider({ redirectUri, acceptsSecret: () => true });
});
beforeEach(() => {
  idp.override({});
  idp.requests.length = 0;
});
afterAll(() => idp.close());

const make = (options: OAuthOptions) => makeService({ ...license, providers: { oauth: { x: options } } });

async function signIn(test: TestService, claims: object) {
  const subject = `subject-${(people += 1)}`;
  idp.accounts.set(subject, { ...claims });
  const { url, codeVerifier } = await test.service.oauth('x').getAuthUrl();
  const code = (await idp.signIn(url, subject)).searchParams.get('code')!;
  return { subject, ...(await test.service.oauth('x').handleCallback({ code, codeVerifier })) };
}

describe('github', () => {
  const withGithub = () => make({ ...github(), ...idp.client, ...idp.endpoints });
  const ada = (emails: unknown) => ({
    id: 583231,
    login: 'ada',
    name: 'Ada',
    avatar_url: 'https://a.test/1',
    emails,
  });

  it('uses the endpoints of GitHub, or of your own server', () => {
    expect(github()).toMatchObject({
      authorizationEndpoint: 'https://github.com/login/oauth/authorize',
      tokenEndpoint: 'https://github.com/login/oauth/access_token',
      userInfoEndpoint: 'https://api.github.com/user',
      scopes: ['user:email'],
    });
    expect(github({ url: 'https://git.acme.test/' })).toMatchObject({
      authorizationEndpoint: 'https://git.acme.test/login/oauth/authorize',
      userInfoEndpoint: 'https://git.acme.test/api/v3/user',
    });
  });

  it('uses the primary address from /user/emails with its verification, and the number as the id', async () => {
    const test = await withGithub();
    const emails = [
      { email: 'other@example.com', primary: false, verified: true },
      { email: 'ada@example.com', primary: true, verified: true },
    ];
    idp.override({ tokens: { token_type: 'bearer', scope: 'user:email', expires_in: undefined } });
    const { user, profile, tokens } = await signIn(test, {
      ...ada(emails),
      email: 'public@example.com',
      email_verified: true,
    });
    expect(profile).toMatchObject({
      id: '583231',
      email: 'ada@example.com',
      emailVerified: true,
      name: 'Ada',
      picture: 'https://a.test/1',
    });
    expect(user).toMatchObject({ email: 'ada@example.com', emailVerified: true });
    expect(tokens).toEqual({ accessToken: expect.any(String), scope: 'user:email' });
    const userInfoRequests = idp.requests.filter(({ path }) => path.startsWith('/userinfo'));
    expect(userInfoRequests.map(({ path }) => path).sort()).toEqual(['/userinfo', '/userinfo/emails']);
    for (const { headers } of userInfoRequests) {
      expect(headers).toMatchObject({ accept: 'application/vnd.github+json', 'user-agent': 'svc-auth' });
    }
  });

  // T13
  it.each([
    ['not verified', [{ email: 'eve@example.com', primary: true, verified: false }]],
    ['verified with a string', [{ email: 'eve@example.com', primary: true, verified: 'true' }]],
    ['not primary', [{ email: 'eve@example.com', primary: false, verified: true }]],
    ['missing', []],
    ['not in a list', { email: 'eve@example.com', primary: true, verified: true }],
  ])('ignores an address that is %s', async (_what, emails) => {
    const { user } = await signIn(await withGithub(), { ...ada(emails), email: 'eve@example.com' });
    expect(user).toMatchObject({ email: null, emailVerified: false });
  });

  it.each([{ id: undefined }, { id: '' }, { id: 1.5 }, { id: {} }, { id: null }])(
    'rejects an account with %j',
    async (id) => {
      const test = await withGithub();
      expect(await outcomeOf(() => signIn(test, { ...ada([]), ...id }))).toBe('oauth_error');
    },
  );

  it('rejects with oauth_error if the token cannot read addresses', async () => {
    const test = await withGithub();
    idp.override({ faults: { userinfo: { status: 404, body: '{}' } } });
    expect(await outcomeOf(() => signIn(test, ada([])))).toBe('oauth_error');
  });

  it('rejects with oauth_error if the exchange fails with status 200', async () => {
    const test = await withGithub();
    idp.override({ faults: { token: { body: '{"error":"bad_verification_code"}' } } });
    expect(await errorOf(() => signIn(test, ada([])))).toMatchObject({ code: 'oauth_error' });
  });
});

describe('gitlab', () => {
  it.each([
    [undefined, 'https://gitlab.com'],
    ['https://git.acme.test', 'https://git.acme.test'],
    ['https://acme.test/gitlab/', 'https://acme.test/gitlab'],
  ])('maps the url %s to the issuer %s', (url, issuer) => {
    expect(gitlab(url === undefined ? {} : { url }).issuer).toBe(issuer);
  });

  it('signs in by discovery', async () => {
    const test = await make({ ...gitlab({ url: `${idp.issuer}/` }), ...idp.client });
    const { user, subject, profile } = await signIn(test, { email: 'lab@example.com', email_verified: true });
    expect(user).toMatchObject({ email: 'lab@example.com', emailVerified: true });
    expect(profile.id).toBe(subject);
  });
});

describe('microsoft', () => {
  const withMicrosoft = () => make({ ...microsoft(), ...idp.client, issuer: idp.issuer });

  it('uses the issuer of all tenants, or of one', () => {
    expect(microsoft().issuer).toBe('https://login.microsoftonline.com/common/v2.0');
    expect(microsoft({ tenant: 'organizations' }).issuer).toBe(
      'https://login.microsoftonline.com/organizations/v2.0',
    );
    expect(microsoft({ tenant: '../x' }).issuer).toBe('https://login.microsoftonline.com/..%2Fx/v2.0');
  });

  // T13
  it.each([undefined, false, 0, '0', '', 'false', 'yes', {}, [true], null])(
    'does not trust an address with xms_edov %j, even with email_verified',
    async (xms_edov) => {
      const claims = { email: 'ceo@example.com', email_verified: true, xms_edov };
      const { user, profile } = await signIn(await withMicrosoft(), claims);
      expect(user.email).toBeNull();
      expect(profile).toMatchObject({ email: 'ceo@example.com', emailVerified: false });
    },
  );

  it.each([true, 1, '1', 'true'])('trusts an address with xms_edov %j', async (xms_edov) => {
    const test = await withMicrosoft();
    const claims = { email: 'edov@example.com', xms_edov, name: 'Ada', picture: 'https://graph.test/photo' };
    const { user, profile } = await signIn(test, claims);
    expect(user).toMatchObject({ email: 'edov@example.com', emailVerified: true });
    expect(profile).toMatchObject({ name: 'Ada', picture: null });
  });

  // T13
  it.each(['mapped', 'standard'])(
    'trusts the verification of an address only from the response that contains it: %s',
    async (profile) => {
      const { mapProfile } = microsoft();
      const mapped = profile === 'mapped' && { mapProfile };
      const test = await make({ ...idp.client, issuer: idp.issuer, linking: 'verified-email', ...mapped });
      const email = `victim-${(people += 1)}@example.com`;
      await test.service.emailCode.sendCode({ email });
      const code = test.mail.lastCode(email)!;
      const { user: victim } = await test.service.emailCode.verify({ email, code });
      for (const claims of [{ email_verified: false, xms_edov: false }, {}]) {
        const withoutAddress = { email: undefined, email_verified: true, xms_edov: true };
        const none = { email_verified: undefined, xms_edov: undefined };
        idp.override({ claims: withoutAddress, userInfo: { email, ...none, ...claims } });
        const { user, profile: returnedProfile } = await signIn(test, {});
        expect(returnedProfile).toMatchObject({ email, emailVerified: false });
        expect(returnedProfile.raw).not.toMatchObject({ email_verified: true });
        expect(returnedProfile.raw).not.toMatchObject({ xms_edov: true });
        expect(user.id).not.toBe(victim.id);
      }
    },
  );

  describe('for all tenants', () => {
    const login = 'https://login.microsoftonline.com';
    const ours = globalThis.fetch;
    // Its issuer is a template, which openid-client accepts of this host only, so the host leads to
    // the mock.
    beforeAll(() => {
      globalThis.fetch = async (input, init) => {
        const url = input instanceof Request ? input.url : input.toString();
        if (!url.startsWith(login)) return ours(input, init);
        const path = url.slice(login.length).replace('/common/v2.0', '');
        const response = await ours(`${idp.issuer}${path}`, init);
        const text = (await response.text())
          .replace(`"issuer":"${idp.issuer}"`, `"issuer":"${login}/{tenantid}/v2.0"`)
          .replaceAll(`"${idp.issuer}/`, `"${login}/`);
        return new Response(text, {
          status: response.status,
          headers: { 'content-type': 'application/json' },
        });
      };
    });
    afterAll(() => void (globalThis.fetch = ours));

    async function signInOf(override: ResponseOverrides) {
      const test = await make({ ...microsoft(), ...idp.client });
      const { url, codeVerifier } = await test.service.oauth('x').getAuthUrl();
      expect(url).toMatch(`${login}/authorize`);
      idp.accounts.set('tenant-user', { email: 'tenant@example.com' });
      const callback = await idp.signIn(url.replace(login, idp.issuer), 'tenant-user');
      idp.override(override);
      return test.service
        .oauth('x')
        .handleCallback({ code: callback.searchParams.get('code')!, codeVerifier });
    }

    //
    it('accepts the issuer of the tenant that the token names', async () => {
      const { user } = await signInOf({ issuer: `${login}/tenant-1/v2.0`, claims: { tid: 'tenant-1' } });
      expect(user.email).toBeNull();
    });

    //
    it.each([
      { issuer: `${login}/tenant-1/v2.0`, claims: { tid: 'tenant-2' } },
      { issuer: `${login}/tenant-1/v2.0` },
      { issuer: `${login}/{tenantid}/v2.0`, claims: { tid: 'tenant-1' } },
      { issuer: 'https://accounts.evil.test', claims: { tid: 'tenant-1' } },
    ])('rejects any other issuer: %j', async (override) => {
      expect(await outcomeOf(() => signInOf(override))).toBe('oauth_error');
    });
  });
});

describe('apple', () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const key = { teamId: 'TEAM123456', keyId: 'KEY1234567', privateKey };
  const withApple = () => {
    const { clientId } = idp.client;
    return make({ ...apple(key), clientId, redirectUri, issuer: idp.issuer });
  };
  const parts = (token: string) =>
    token
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>);

  it('requests the response mode that its scopes require', async () => {
    expect(apple(key).issuer).toBe('https://appleid.apple.com');
    const { service } = await withApple();
    const { searchParams } = new URL((await service.oauth('x').getAuthUrl()).url);
    expect(searchParams.get('response_mode')).toBe('form_post');
    expect(searchParams.get('scope')).toBe('openid email name');
  });

  it('signs a client secret for each request with ES256, valid for five minutes', async () => {
    const before = Math.floor(Date.now() / 1000);
    await signIn(await withApple(), {});
    const { client_secret: secret = '' } = idp.requests.find(({ path }) => path === '/token')!.fields;
    const [header, claims] = parts(secret);
    expect(header).toEqual({ alg: 'ES256', kid: 'KEY1234567' });
    const { iat, exp, ...others } = claims!;
    expect(others).toEqual({ iss: 'TEAM123456', sub: idp.client.clientId, aud: 'https://appleid.apple.com' });
    expect(iat).toBeGreaterThanOrEqual(before);
    expect(iat).toBeLessThanOrEqual(Date.now() / 1000);
    expect((exp as number) - (iat as number)).toBe(300);
    const [input, signature] = [secret.slice(0, secret.lastIndexOf('.')), secret.split('.')[2]!];
    const publicKey = createPublicKey(pair.privateKey);
    const proof = Buffer.from(signature, 'base64url');
    expect(verify('sha256', Buffer.from(input), { key: publicKey, dsaEncoding: 'ieee-p1363' }, proof)).toBe(
      true,
    );
  });

  it.each([true, 'true'])('trusts an address with email_verified %j', async (email_verified) => {
    const email = `apple-${(people += 1)}@example.com`;
    const { user } = await signIn(await withApple(), { email, email_verified });
    expect(user).toMatchObject({ email, emailVerified: true });
  });

  // T13
  it.each([false, 'false', undefined, 1, 'yes'])(
    'does not trust an address with email_verified %j',
    async (email_verified) => {
      const { user } = await signIn(await withApple(), { email: 'eve@example.com', email_verified });
      expect(user.email).toBeNull();
    },
  );

  const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  it.each([
    ['a string without PEM', () => 'secret-key'],
    ['nothing', () => undefined as never],
    ['an RSA key', () => rsa().export({ type: 'pkcs8', format: 'pem' }).toString()],
  ])('rejects %s as its key without repeating it', async (_what, wrong) => {
    const error = await errorOf(() => apple({ ...key, privateKey: wrong() }));
    expect(error).toMatchObject({ code: 'config_invalid' });
    expect(error.message).not.toMatch(/secret-key|BEGIN/);
  });
});

describe('discord', () => {
  const withDiscord = () => make({ ...discord(), ...idp.client, ...idp.endpoints });

  it('uses the endpoints of Discord', () => {
    expect(discord()).toMatchObject({
      authorizationEndpoint: 'https://discord.com/oauth2/authorize',
      tokenEndpoint: 'https://discord.com/api/oauth2/token',
      userInfoEndpoint: 'https://discord.com/api/v10/users/@me',
      scopes: ['identify', 'email'],
    });
  });

  it('maps the fields of Discord to the profile', async () => {
    const claims = {
      id: '80351110224678912',
      username: 'ada',
      global_name: 'Ada',
      avatar: 'a_8342729096ea3675442027381ff50dfe',
    };
    const { profile, user } = await signIn(await withDiscord(), {
      ...claims,
      email: 'disc@example.com',
      verified: true,
    });
    expect(profile).toMatchObject({
      id: '80351110224678912',
      email: 'disc@example.com',
      emailVerified: true,
      name: 'Ada',
      picture: 'https://cdn.discordapp.com/avatars/80351110224678912/a_8342729096ea3675442027381ff50dfe.png',
    });
    expect(user.email).toBe('disc@example.com');
  });

  // T13
  it.each([false, 'true', 1, undefined])('does not trust an address with verified %j', async (verified) => {
    const claims = {
      id: `9${(people += 1)}`,
      username: 'eve',
      avatar: '../../evil',
      email: 'e@example.com',
      email_verified: true,
    };
    const { profile, user } = await signIn(await withDiscord(), { ...claims, verified });
    expect(user.email).toBeNull();
    expect(profile).toMatchObject({ name: 'eve', picture: null });
  });
});
