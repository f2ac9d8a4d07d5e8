// Configuration (specification 2.3, 2.4; docs/security-requirements.md A-24, C-4, C-7).
import type { ConfigError } from 'svc-auth';
import { bcryptHasher, createService, Service } from 'svc-auth';
import { parseConfig } from '../../src/config/parse-config.js';
import {
  adapter,
  faultsOf,
  pathsOf,
  secret,
  sender,
  validConfig,
  warningsOf,
  withSession,
} from '../support/config-faults.js';
import { errorOf } from '../support/outcomes.js';

const providers = {
  emailCode: { sender },
  magicLink: { sender, baseUrl: 'https://app.test/verify' },
  emailPassword: { sender },
};

const google = { clientId: 'a', clientSecret: 'b', redirectUri: 'https://app.test/cb' };
const cookie = (options: object) => withSession({ cookie: options });

describe('configuration defaults', () => {
  it('the defaults are those of the documentation', () => {
    const config = parseConfig({ ...validConfig, providers });
    expect(config.code).toEqual({ length: 6, ttlMs: 600_000, maxAttempts: 5 });
    expect(config.rateLimit).toEqual({
      maxPerWindow: 5,
      windowMs: 900_000,
      login: {
        perAddressAndIp: { max: 10, windowMs: 900_000 },
        perAddress: { max: 100, windowMs: 86_400_000 },
        perIp: { max: 200, windowMs: 900_000 },
      },
      signUp: {
        perIp: { max: 200, windowMs: 900_000 },
        perNetwork: { max: 1_000, windowMs: 900_000 },
      },
    });
    expect(config.session).toEqual({
      secret,
      previousSecrets: [],
      ttlMs: 604_800_000,
      renewAfterMs: 86_400_000,
      maxAgeMs: 2_592_000_000,
      acceptSessionsFrom: [],
      bearer: false,
      bound: false,
      cookie: { name: 'svc_session', secure: 'auto', sameSite: 'lax', path: '/' },
    });
    expect(config.trustedOrigins).toEqual([]);
    expect(config.providers.magicLink?.ttlMs).toBe(900_000);
    expect(config.providers.emailPassword?.minLength).toBe(8);
    const before = Date.now();
    expect(config.clock()).toBeGreaterThanOrEqual(before);
  });

  it('everyone may sign up, become a guest and create organizations by default', () => {
    const config = parseConfig({ ...validConfig, providers: { sessions: true, orgs: true } });
    expect(config.signUp).toEqual({
      enabled: true,
      revealExisting: true,
      disposable: { refuse: false, except: [] },
      refusedTemplate: expect.any(Function),
    });
    expect(config.providers.sessions).toMatchObject({ guests: true });
    expect(config.providers.orgs).toMatchObject({ create: true });
  });

  //
  it('the identity provider defaults to Google with the scopes openid, email and profile', () => {
    expect(parseConfig({ ...validConfig, providers: { google } }).providers.google).toEqual({
      ...google,
      scopes: ['openid', 'email', 'profile'],
      issuer: 'https://accounts.google.com',
      pkce: true,
      nonce: true,
      allowHttp: false,
    });
  });

  //
  it('passwords are hashed with bcrypt at cost 10 by default', async () => {
    const hasher = parseConfig({ ...validConfig, providers }).providers.emailPassword!.hasher;
    expect(await hasher.hash('password1')).toMatch(/^\$2[aby]\$10\$/);
  });
});

describe('the sign-up policy in the configuration', () => {
  const schemas = [true, 'company', {}, { safeParse: true }, { '~standard': {} }, () => true];

  it.each<[options: object, path: string]>([
    [{ signUp: true }, 'signUp'],
    [{ signUp: { enabled: 'no' } }, 'signUp.enabled'],
    [{ signUp: { allow: true } }, 'signUp.allow'],
    [{ signUp: { refusedTemplate: 'no' } }, 'signUp.refusedTemplate'],
    ...schemas.map((fields): [object, string] => [{ signUp: { fields } }, 'signUp.fields']),
    [
      { providers: { google: { ...google, profileToMetadata: 'name' } } },
      'providers.google.profileToMetadata',
    ],
    [{ providers: { sessions: { guests: 'no' } } }, 'providers.sessions.guests'],
    [{ providers: { orgs: { create: 'admin' } } }, 'providers.orgs.create'],
    [{ providers: { orgs: { create: [] } } }, 'providers.orgs.create'],
    [{ providers: { orgs: { create: ['No Role'] } } }, 'providers.orgs.create'],
  ])('%j has a fault at %s', (options, path) => {
    expect(pathsOf({ ...validConfig, ...options })).toEqual([expect.stringContaining(path)]);
  });

  it('a misspelled option is an error that suggests the right one', () => {
    const [fault] = faultsOf({ ...validConfig, signUp: { enable: false } });
    expect(fault).toMatch(/signUp.*enabled/);
  });
});

describe('invalid configurations', () => {
  it('an invalid configuration causes one ConfigError that lists every fault with its path', async () => {
    const error = await errorOf(() =>
      createService({
        session: { secret: '', ttlMs: 'week', cookie: { sameSite: 'loose' } },
        code: { length: 3 },
        rateLimit: { login: { perIp: { max: 0 } } },
        trustedOrigins: ['https://app.test/path'],
        providers: { magicLink: { sender: {} }, emailPassword: { minLenght: 10 } },
        colour: 'red',
      } as never),
    );
    expect(error).toMatchObject({ code: 'config_invalid', name: 'ConfigError' });
    const expected = [
      'adapter',
      'session.secret',
      'session.ttlMs',
      'session.cookie.sameSite',
      'code.length',
      'rateLimit.login.perIp.max',
      'trustedOrigins.0',
      'providers.magicLink.sender',
      'providers.magicLink.baseUrl',
      'providers.emailPassword.sender',
      'providers.emailPassword.minLenght',
      'colour',
    ];
    expect((error as unknown as ConfigError).faults.map(({ path }) => path).sort()).toEqual(expected.sort());
    // The message is for people, so it contains every path.
    for (const path of expected) expect(error.message).toContain(`- ${path}: `);
  });

  it('new Service() throws the same ConfigError as createService()', async () => {
    expect(await errorOf(() => new Service({} as never))).toMatchObject({ code: 'config_invalid' });
  });

  it.each([undefined, null, 'text', 1, []])('the configuration %p causes a ConfigError', (config) => {
    expect(faultsOf(config)).toHaveLength(1);
  });

  it('a ConfigError never contains a secret', async () => {
    const error = await errorOf(() =>
      createService({
        adapter,
        session: { secret: 'short-secret-value', previousSecrets: [''], sekret: 'misspelled-secret-value' },
        encryptionKey: 'short-encryption-value',
        providers: { google: { clientId: 1, clientSecret: 'client-secret-value', redirectUri: 'x' } },
      } as never),
    );
    expect(error.message).not.toMatch(/-value/);
  });

  it('a weak production secret is listed among the other faults', () => {
    expect(pathsOf({ ...validConfig, session: { secret: 'short' }, colour: 'red' }, true)).toEqual([
      'colour',
      'session.secret',
    ]);
  });

  it('an encryption key equal to the session secret is listed among the other faults', () => {
    expect(pathsOf({ ...validConfig, encryptionKey: secret, colour: 'red' })).toEqual([
      'colour',
      'encryptionKey',
    ]);
  });
});

describe('unknown options', () => {
  it.each([
    [{ ...validConfig, sesion: {} }, 'sesion', 'session'],
    [{ ...validConfig, appname: 'x' }, 'appname', 'appName'],
    [{ ...validConfig, providers: { emailcode: {} } }, 'providers.emailcode', 'emailCode'],
    [{ ...validConfig, providers: { magiclink: {} } }, 'providers.magiclink', 'magicLink'],
    [
      { ...validConfig, providers: { magicLink: { ...providers.magicLink, baseURL: 'x' } } },
      'providers.magicLink.baseURL',
      'baseUrl',
    ],
    [{ ...validConfig, rateLimit: { maxPerWindows: 1 } }, 'rateLimit.maxPerWindows', 'maxPerWindow'],
    [{ ...validConfig, rateLimit: { login: { perIP: {} } } }, 'rateLimit.login.perIP', 'perIp'],
    [
      { ...validConfig, rateLimit: { login: { perIp: { windowMS: 1 } } } },
      'rateLimit.login.perIp.windowMS',
      'windowMs',
    ],
    [{ ...validConfig, code: { maxAttempt: 3 } }, 'code.maxAttempt', 'maxAttempts'],
    [withSession({ ttlMS: 1000 }), 'session.ttlMS', 'ttlMs'],
    [cookie({ samesite: 'lax' }), 'session.cookie.samesite', 'sameSite'],
  ])('a misspelled option is refused with a suggestion: %j', (config, path, suggestion) => {
    expect(faultsOf(config)).toEqual([`${path}: is not an option; did you mean ${suggestion}?`]);
  });

  it('an option that resembles none is refused with the list of known options', () => {
    expect(faultsOf({ ...validConfig, code: { zzzzzzzz: 1 } })).toEqual([
      'code.zzzzzzzz: is not an option; the options are length, ttlMs, maxAttempts',
    ]);
  });
});

describe('the cookie options', () => {
  //
  it.each([
    ['its defaults', {}],
    ['another name', { name: 'sid' }],
    ['a __Host- name', { name: '__Host-svc_session', secure: true }],
    ['a __Secure- name and a path', { name: '__Secure-sid', secure: true, path: '/app', domain: 'app.test' }],
    ['sameSite none over https', { sameSite: 'none', secure: true }],
    ['a domain', { domain: '.app.test' }],
  ])('the session cookie accepts %s', (_name, options) => {
    expect(faultsOf(cookie(options))).toEqual([]);
  });

  //
  it.each([
    ['a __Host- name without secure', { name: '__Host-sid' }, ['session.cookie.secure']],
    ['a __Host- name and secure false', { name: '__Host-sid', secure: false }, ['session.cookie.secure']],
    ['a __host- name in lower case', { name: '__host-sid' }, ['session.cookie.secure']],
    [
      'a __Host- name with a path',
      { name: '__Host-sid', secure: true, path: '/app' },
      ['session.cookie.path'],
    ],
    [
      'a __Host- name with a domain',
      { name: '__Host-sid', secure: true, domain: 'app.test' },
      ['session.cookie.domain'],
    ],
    ['a __Secure- name without secure', { name: '__Secure-sid' }, ['session.cookie.secure']],
    ['sameSite none without secure', { sameSite: 'none', secure: false }, ['session.cookie.secure']],
    ['a name with a space', { name: 'my session' }, ['session.cookie.name']],
    ['a name with an attribute in it', { name: 'a=b;c' }, ['session.cookie.name']],
    ['the name of another cookie', { name: 'svc_mfa' }, ['session.cookie.name']],
    ['no name', { name: '' }, ['session.cookie.name']],
    ['a path with an attribute in it', { path: '/; Domain=evil.test' }, ['session.cookie.path']],
    ['a relative path', { path: 'app' }, ['session.cookie.path']],
    ['a domain with an attribute in it', { domain: 'app.test; Secure' }, ['session.cookie.domain']],
    ['secure as a string', { secure: 'true' }, ['session.cookie.secure']],
    ['httpOnly, which is not an option', { httpOnly: false }, ['session.cookie.httpOnly']],
  ])('the session cookie does not accept %s', (_name, options, expected) => {
    expect(pathsOf(cookie(options))).toEqual(expected);
  });
});

describe('numbers and strings of the configuration', () => {
  //
  it.each([3, 0, -6, 13, 6.5, NaN, '6', null])('a code length of %p is refused', (length) => {
    expect(pathsOf({ ...validConfig, code: { length } })).toEqual(['code.length']);
  });

  //
  it.each([
    [4, 1],
    [5, 1],
    [6, 0],
    [12, 0],
  ])('a code length of %i digits causes %i warnings', (length, times) => {
    expect(warningsOf({ code: { length } }).options).toHaveLength(times);
  });

  it.each([
    ['code.ttlMs', { code: { ttlMs: 0 } }],
    ['code.ttlMs', { code: { ttlMs: '600000' } }],
    ['code.ttlMs', { code: { ttlMs: Infinity } }],
    ['code.ttlMs', { code: { ttlMs: 1.5 } }],
    ['code.maxAttempts', { code: { maxAttempts: 0 } }],
    ['code.maxAttempts', { code: { maxAttempts: Infinity } }],
    ['rateLimit.maxPerWindow', { rateLimit: { maxPerWindow: 0 } }],
    ['rateLimit.windowMs', { rateLimit: { windowMs: -1 } }],
    ['rateLimit.login', { rateLimit: { login: true } }],
    ['rateLimit.login.perAddress.max', { rateLimit: { login: { perAddress: { max: '5' } } } }],
    ['rateLimit.store', { rateLimit: { store: {} } }],
    ['session.ttlMs', { session: { secret, ttlMs: 0 } }],
    ['session.maxAgeMs', { session: { secret, maxAgeMs: -1 } }],
    ['session.renewAfterMs', { session: { secret, renewAfterMs: -1 } }],
    ['session.maxPerUser', { session: { secret, maxPerUser: 0 } }],
    ['session.unrememberedTtlMs', { session: { secret, unrememberedTtlMs: 999 } }],
    ['clock', { clock: 5 }],
    ['logger', { logger: { info: () => undefined } }],
    ['appName', { appName: 'Acme\r\nBcc: x@evil.test' }],
    ['appName', { appName: '  ' }],
    ['providers.emailPassword.minLength', { providers: { emailPassword: { sender, minLength: 0 } } }],
    [
      'providers.emailPassword.hasher',
      { providers: { emailPassword: { sender, hasher: { hash: () => '' } } } },
    ],
    [
      'providers.emailPassword.resetUrl',
      { providers: { emailPassword: { sender, resetUrl: 'https://user:word@app.test/reset' } } },
    ],
    [
      'providers.emailPassword.resetUrl',
      { providers: { emailPassword: { sender, resetUrl: 'javascript:alert(1)' } } },
    ],
    [
      'providers.emailCode.from',
      { providers: { emailCode: { sender, from: 'x@acme.test\r\nBcc: y@evil.test' } } },
    ],
    ['providers.emailCode.template', { providers: { emailCode: { sender, template: 'hello' } } }],
    ['providers.magicLink.baseUrl', { providers: { magicLink: { sender, baseUrl: '/verify' } } }],
    ['providers.magicLink.baseUrl', { providers: { magicLink: { sender, baseUrl: '//app.test/verify' } } }],
    [
      'providers.google.clientSecret',
      { providers: { google: { clientId: 'a', redirectUri: 'https://app.test/cb' } } },
    ],
    ['providers.google.issuer', { providers: { google: { ...google, issuer: 'http://accounts.test' } } }],
    ['providers.google.issuer', { providers: { google: { ...google, issuer: 'http://127.evil.test' } } }],
    [
      'providers.google.issuer',
      { providers: { google: { ...google, issuer: 'http://localhost.evil.test' } } },
    ],
    ['trustedOrigins.0', { trustedOrigins: ['https://app.test/'] }],
    ['trustedOrigins.0', { trustedOrigins: ['*'] }],
    ['trustedOrigins.0', { trustedOrigins: ['null'] }],
    ['trustedOrigins.0', { trustedOrigins: ['ftp://app.test'] }],
    ['trustedOrigins.0', { trustedOrigins: ['app.test'] }],
  ])('an invalid value is refused: %s', (path, options) => {
    expect([...new Set(pathsOf({ ...validConfig, ...options }))]).toEqual([path]);
  });
});

describe('plain http', () => {
  const warnedOptions = (options: object) => warningsOf(options).options;
  const all = (origin: string) => ({
    providers: {
      magicLink: { sender, baseUrl: `${origin}/verify` },
      emailPassword: { sender, resetUrl: `${origin}/reset` },
      google: { ...google, redirectUri: `${origin}/cb` },
    },
  });

  it.each(['https://app.test', 'http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
    'https and plain http on this machine cause no warning: %s',
    (origin) => {
      expect(warnedOptions(all(origin))).toEqual([]);
    },
  );

  it.each(['http://intranet', 'http://app.test', 'http://127.evil.test', 'http://localhost.evil.test'])(
    'plain http that carries tokens elsewhere causes one warning per option: %s',
    (origin) => {
      expect(warnedOptions(all(origin))).toEqual([
        'providers.magicLink.baseUrl',
        'providers.emailPassword.resetUrl',
        'providers.google.redirectUri',
      ]);
    },
  );
});

describe('valid configurations', () => {
  it.each([
    ['only an adapter and a secret', {}],
    ['every free provider', { providers }],
    ['login limits switched off', { rateLimit: { login: false } }],
    ['sessions that are never renewed', { session: { secret, renewAfterMs: 0 } }],
    ['trusted origins', { trustedOrigins: ['https://app.test', 'http://localhost:5173'] }],
    ['a custom hasher', { providers: { emailPassword: { sender, hasher: bcryptHasher({ cost: 12 }) } } }],
    [
      'an issuer on loopback',
      {
        providers: {
          google: {
            clientId: 'a',
            clientSecret: 'b',
            redirectUri: 'http://localhost:3000/cb',
            issuer: 'http://127.0.0.1:4000',
          },
        },
      },
    ],
    ['Pro providers, which require a license', { providers: { totp: true, orgs: {}, oauth: {} } }],
  ])('a configuration is valid with %s', (_name, options) => {
    expect(faultsOf({ ...validConfig, ...options })).toEqual([]);
  });
});
