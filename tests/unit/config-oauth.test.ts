// The configuration of OAuth providers (docs/security-requirements.md A-82, C-25).
import { parseConfig } from '../../src/config/parse-config.js';
import { faultsOf, pathsOf, validConfig, warningsOf } from '../support/config-faults.js';

describe('generic OAuth providers', () => {
  const client = { clientId: 'a', clientSecret: 'b', redirectUri: 'https://app.test/cb' };
  const byIssuer = { ...client, issuer: 'https://idp.test' };
  const byEndpoints = {
    ...client,
    authorizationEndpoint: 'https://idp.test/authorize',
    tokenEndpoint: 'https://idp.test/token',
    userInfoEndpoint: 'https://idp.test/me',
  };
  const oauth = (entries: object) => ({ ...validConfig, providers: { oauth: entries } });
  const oauthFaults = (acme: object) =>
    faultsOf(oauth({ acme })).map((fault) => fault.replace('providers.oauth.acme.', ''));

  it.each([
    ['an issuer', byIssuer],
    ['explicit endpoints', byEndpoints],
    ['a secret that is created for each request', { ...byIssuer, clientSecret: () => 'x' }],
    [
      'everything with an issuer',
      {
        ...byIssuer,
        scopes: [],
        mapProfile: () => ({ id: 'x' }),
        linking: 'verified-email',
        authorizationParams: { prompt: 'login', response_mode: 'form_post' },
      },
    ],
    ['everything with endpoints', { ...byEndpoints, fetchUserInfo: () => ({}), linking: 'explicit' }],
    ['a provider on loopback', { ...byIssuer, issuer: 'http://localhost:4000' }],
  ])('an OAuth provider accepts %s', (_what, acme) => {
    expect(oauthFaults(acme)).toEqual([]);
  });

  // C-25
  it('OAuth providers link explicitly by default', () => {
    expect(parseConfig(oauth({ acme: byIssuer })).providers.oauth).toEqual({
      acme: { ...byIssuer, allowHttp: false, linking: 'explicit', nonce: true, pkce: true },
    });
  });

  it.each(['a', '0', 'my-idp_2', 'a'.repeat(32)])('an OAuth provider accepts the name %s', (name) => {
    expect(faultsOf(oauth({ [name]: byIssuer }))).toEqual([]);
  });

  it.each(['', 'A', '-a', '_a', 'a b', 'a/b', 'a.b', 'ä', 'a'.repeat(33), 'constructor '])(
    'an OAuth provider does not accept the name %j',
    (name) => {
      expect(faultsOf(oauth({ [name]: byIssuer }))).toEqual([
        `providers.oauth.${name}: must be a name of 1 to 32 lower-case letters, digits, _ and -, beginning with a letter or digit`,
      ]);
    },
  );

  it.each([
    ...['google', 'idp', 'phone', 'guest', 'guest_upgrade', 'passkey', 'passkey_signup', 'phone_code'],
    ...['email_code', 'magic_link', 'password_signup', 'password_login', 'password_change', 'password_reset'],
    ...['totp', 'email', 'recovery_code', 'trusted_browser'],
  ])('an OAuth provider does not accept the reserved name %s', (name) => {
    expect(faultsOf(oauth({ [name]: byIssuer }))).toEqual([
      `providers.oauth.${name}: must not be a reserved name`,
    ]);
  });

  //
  it('an OAuth provider named __proto__ does not set a prototype', () => {
    const parsed = parseConfig(oauth(JSON.parse(`{"__proto__":${JSON.stringify(byIssuer)}}`) as object));
    expect(Object.keys(parsed.providers.oauth!)).toEqual([]);
    expect('clientId' in parsed.providers.oauth!).toBe(false);
  });

  it.each([
    [client, ['issuer: is missing; or give authorizationEndpoint, tokenEndpoint, userInfoEndpoint']],
    [{ ...byEndpoints, ...byIssuer }, ['issuer: must not be combined with explicit endpoints']],
    [
      { ...byIssuer, tokenEndpoint: byEndpoints.tokenEndpoint },
      ['issuer: must not be combined with explicit endpoints'],
    ],
    [
      { ...client, tokenEndpoint: byEndpoints.tokenEndpoint },
      [
        'authorizationEndpoint: is missing; the three endpoints go together',
        'userInfoEndpoint: is missing; the three endpoints go together',
      ],
    ],
    [
      { ...byIssuer, fetchUserInfo: () => ({}) },
      ['fetchUserInfo: goes with explicit endpoints, not with issuer'],
    ],
    [
      { ...byIssuer, clientSecret: '' },
      ['clientSecret: must be a string that is not empty, or a function that returns one'],
    ],
    [
      { ...byIssuer, redirectUri: 'https://app.test/cb?from=idp' },
      ['redirectUri: must have no query and no fragment'],
    ],
    [{ ...byIssuer, mapProfile: 'x' }, ['mapProfile: must be a function']],
    [{ ...byIssuer, scopes: ['a b'] }, ['scopes.0: must be a scope']],
    [{ ...byIssuer, scope: ['a'] }, ['scope: is not an option; did you mean scopes?']],
    [
      { ...byIssuer, redirectUri: 'app.test' },
      ['redirectUri: must be an absolute http(s) URL without credentials'],
    ],
    ...['issuer', 'authorizationEndpoint'].map(
      (name) =>
        [
          { ...(name === 'issuer' ? byIssuer : byEndpoints), [name]: 'http://idp.test' },
          [
            `${name}: must be an absolute https URL (http only on localhost); in a private network, \`allowHttp: true\` allows http`,
          ],
        ] as [object, string[]],
    ),
    [
      { ...byIssuer, authorizationParams: { client_id: 'x', state: 'y', prompt: 'z' } },
      [
        'authorizationParams.client_id: is a parameter that the protocol sets itself',
        'authorizationParams.state: is a parameter that the protocol sets itself',
      ],
    ],
  ] as [object, string[]][])(
    'an invalid OAuth provider is refused with the path of each fault: %j',
    (acme, expected) => {
      expect(oauthFaults(acme).sort()).toEqual(expected.sort());
    },
  );

  it('all faults of OAuth providers are listed together', () => {
    const wrong = { clientSecret: 1, redirectUri: 'x', linking: 'maybe', tokenEndpoint: 'ftp://x' };
    expect(pathsOf(oauth({ acme: wrong, Bad: {} }))).toEqual(
      [
        ...['authorizationEndpoint', 'clientId', 'clientSecret', 'linking', 'redirectUri'],
        ...['tokenEndpoint', 'userInfoEndpoint'],
      ]
        .map((name) => `providers.oauth.acme.${name}`)
        .concat('providers.oauth.Bad', 'providers.oauth.Bad.issuer')
        .sort(),
    );
  });

  it.each([true, 'x', [], { acme: true }])(
    'oauth is a record of options and does not accept %j',
    (entries) => {
      expect(faultsOf(oauth(entries as object))).toHaveLength(1);
    },
  );

  it('an OAuth provider on plain http causes a warning', () => {
    const { options, messages } = warningsOf({
      providers: { oauth: { acme: { ...byIssuer, redirectUri: 'http://app.test/cb' }, other: byIssuer } },
    });
    expect(options).toEqual(['providers.oauth.acme.redirectUri']);
    expect(messages[0]).toContain('plain http');
  });
});
