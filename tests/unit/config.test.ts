// Configuration (specification 2.3, 2.4; docs/security-requirements.md, C-4, C-7).
import { jest } from '@jest/globals';
import { bcryptHasher, ConfigError, createService, memoryAdapter, Service } from 'svc-auth';
import { outbox } from 'svc-auth/testing';
import { parseConfig, warnAbout } from '../../src/config/parse-config.js';
import { silentLogger } from '../../src/kit/logger.js';
import { errorOf } from '../support/outcomes.js';

const secret = 'the secret that signs, of 32 bytes or more';
const sender = outbox();
const adapter = memoryAdapter();
const good = { adapter, session: { secret } };
const providers = {
  emailCode: { sender },
  magicLink: { sender, baseUrl: 'https://app.test/verify' },
  emailPassword: { sender },
};

const google = { clientId: 'a', clientSecret: 'b', redirectUri: 'https://app.test/cb' };

/** Path and message of every fault; none for a configuration that holds. */
function faults(config: unknown, isProduction = false): string[] {
  try {
    parseConfig(config, isProduction);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map(({ path, message }) => `${path}: ${message}`);
  }
}
const paths = (config: unknown, isProduction = false) =>
  faults(config, isProduction)
    .map((fault) => fault.split(':')[0])
    .sort();
/** The options that a configuration is warned about at construction, and what is said. */
function warningsOf(config: object): { options: unknown[]; messages: string[] } {
  const options: unknown[] = [];
  const messages: string[] = [];
  const logger = {
    ...silentLogger,
    warn(fields: object, message: string) {
      options.push((fields as { option: string }).option);
      messages.push(message);
    },
  };
  warnAbout(parseConfig({ ...good, logger, ...config }, false), logger);
  return { options, messages };
}
const session = (options: object) => ({ ...good, session: { secret, ...options } });
const cookie = (options: object) => session({ cookie: options });

describe('The defaults', () => {
  it('are those of the documentation', () => {
    const config = parseConfig({ ...good, providers });
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
      cookie: { name: 'svc_session', secure: 'auto', sameSite: 'lax', path: '/' },
    });
    expect(config.trustedOrigins).toEqual([]);
    expect(config.providers.magicLink?.ttlMs).toBe(900_000);
    expect(config.providers.emailPassword?.minLength).toBe(8);
    const before = Date.now();
    expect(config.clock()).toBeGreaterThanOrEqual(before);
  });

  it('A-76 of the identity provider are Google and the scopes openid, email and profile', () => {
    expect(parseConfig({ ...good, providers: { google } }).providers.google).toEqual({
      ...google,
      scopes: ['openid', 'email', 'profile'],
      issuer: 'https://accounts.google.com',
    });
  });

  it('A-06 hash passwords with bcrypt at cost 10', async () => {
    const hasher = parseConfig({ ...good, providers }).providers.emailPassword!.hasher;
    expect(await hasher.hash('password1')).toMatch(/^\$2[aby]\$10\$/);
  });
});

describe('A configuration that is wrong', () => {
  it('is one ConfigError that lists every fault with its path', async () => {
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
    // People read the message, so each path stands in it.
    for (const path of expected) expect(error.message).toContain(`- ${path}: `);
  });

  it('is as wrong for `new Service` as for `createService`', async () => {
    expect(await errorOf(() => new Service({} as never))).toMatchObject({ code: 'config_invalid' });
  });

  it.each([undefined, null, 'text', 1, []])('is a ConfigError as %p', (config) => {
    expect(faults(config)).toHaveLength(1);
  });

  it('never repeats a secret', async () => {
    const error = await errorOf(() =>
      createService({
        adapter,
        session: { secret: 'short-secret-value', previousSecrets: [''], sekret: 'misspelt-secret-value' },
        encryptionKey: 'short-encryption-value',
        providers: { google: { clientId: 1, clientSecret: 'client-secret-value', redirectUri: 'x' } },
      } as never),
    );
    expect(error.message).not.toMatch(/-value/);
  });

  it('lists a weak production secret among the other faults', () => {
    expect(paths({ ...good, session: { secret: 'short' }, colour: 'red' }, true)).toEqual([
      'colour',
      'session.secret',
    ]);
  });

  it('lists an encryption key that is the session secret among the other faults', () => {
    expect(paths({ ...good, encryptionKey: secret, colour: 'red' })).toEqual(['colour', 'encryptionKey']);
  });
});

describe('An unknown key', () => {
  it.each([
    [{ ...good, sesion: {} }, 'sesion', 'session'],
    [{ ...good, appname: 'x' }, 'appname', 'appName'],
    [{ ...good, providers: { emailcode: {} } }, 'providers.emailcode', 'emailCode'],
    [{ ...good, providers: { magiclink: {} } }, 'providers.magiclink', 'magicLink'],
    [
      { ...good, providers: { magicLink: { ...providers.magicLink, baseURL: 'x' } } },
      'providers.magicLink.baseURL',
      'baseUrl',
    ],
    [{ ...good, rateLimit: { maxPerWindows: 1 } }, 'rateLimit.maxPerWindows', 'maxPerWindow'],
    [{ ...good, rateLimit: { login: { perIP: {} } } }, 'rateLimit.login.perIP', 'perIp'],
    [
      { ...good, rateLimit: { login: { perIp: { windowMS: 1 } } } },
      'rateLimit.login.perIp.windowMS',
      'windowMs',
    ],
    [{ ...good, code: { maxAttempt: 3 } }, 'code.maxAttempt', 'maxAttempts'],
    [session({ ttlMS: 1000 }), 'session.ttlMS', 'ttlMs'],
    [cookie({ samesite: 'lax' }), 'session.cookie.samesite', 'sameSite'],
  ])('that is misspelt is refused with the right one: %j', (config, path, suggestion) => {
    expect(faults(config)).toEqual([`${path}: is not an option; did you mean ${suggestion}?`]);
  });

  it('that resembles none is refused with all there are', () => {
    expect(faults({ ...good, code: { zzzzzzzz: 1 } })).toEqual([
      'code.zzzzzzzz: is not an option; known are length, ttlMs, maxAttempts',
    ]);
  });
});

describe('The session secret', () => {
  it.each([undefined, null, '', '   ', '\n', 1, {}, Buffer.alloc(32)])('A-67 throws always as %p', (bad) => {
    for (const isProduction of [true, false]) {
      expect(paths({ adapter, session: { secret: bad } }, isProduction)).toEqual(['session.secret']);
    }
  });

  it.each([
    ['31 bytes', 'abcdefghijklmnopqrstuvwxyz12345'],
    ['32 bytes that repeat', 'a'.repeat(32)],
    ['one character', 'x'],
    ['seven different characters', 'abcdefg'.repeat(10)],
  ])('A-67 of %s throws in production and warns once elsewhere', (_name, weak) => {
    expect(paths({ adapter, session: { secret: weak } }, true)).toEqual(['session.secret']);
    const { messages } = warningsOf({ session: { secret: weak } });
    expect(messages).toEqual([expect.stringContaining('session.secret')]);
    expect(messages.join()).not.toContain(weak.length > 1 ? weak : 'xx');
  });

  it.each([
    ['32 bytes', 'abcdefghijklmnopqrstuvwxyz123456'],
    ['32 bytes in fewer characters', 'äöüßéèêàçñ€ø'.padEnd(16, 'ÄÖÜ')],
  ])('A-67 of %s is good everywhere, without a warning', (_name, strong) => {
    expect(faults({ adapter, session: { secret: strong } }, true)).toEqual([]);
    expect(warningsOf({ session: { secret: strong } }).options).toEqual([]);
  });

  it('A-67 is judged by NODE_ENV', async () => {
    const weak = { adapter, session: { secret: 'short' }, logger: silentLogger };
    const environment = process.env['NODE_ENV'];
    try {
      process.env['NODE_ENV'] = 'production';
      expect(await errorOf(() => createService(weak))).toMatchObject({ code: 'config_invalid' });
      process.env['NODE_ENV'] = 'development';
      expect(createService(weak)).toBeInstanceOf(Service);
      delete process.env['NODE_ENV'];
      expect(createService(weak)).toBeInstanceOf(Service);
    } finally {
      process.env['NODE_ENV'] = environment;
    }
  });

  it('A-67 warns through the configured logger at construction', () => {
    const warnings: string[] = [];
    const logger = {
      ...silentLogger,
      warn: (_fields: object, message: string) => void warnings.push(message),
    };
    createService({ adapter, session: { secret: 'short' }, logger });
    expect(warnings).toHaveLength(1);
  });

  it('A-67 without a logger prints warnings to the console', () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    try {
      createService({ adapter, session: { secret: 'short-secret-value' } });
      expect(warn.mock.calls).toEqual([
        [expect.stringMatching(/^svc-auth: session\.secret /), '{"option":"session.secret"}'],
      ]);
      expect(JSON.stringify(warn.mock.calls)).not.toContain('short-secret-value');
    } finally {
      warn.mockRestore();
    }
  });

  it('warns of text messages to every country unless allowCountry names those that are served', () => {
    const phoneOtp = { sender: { send: async () => undefined } };
    const option = 'providers.phoneOtp.allowCountry';
    expect(warningsOf({ providers: { phoneOtp } }).options).toEqual([option]);
    const limited = { ...phoneOtp, allowCountry: (iso2: string) => iso2 === 'DE' };
    expect(warningsOf({ providers: { phoneOtp: limited } }).options).toEqual([]);
  });

  it.each([[['']], [['   ']], [[secret, '']], [[1]], [[null]], ['a text']])(
    'A-69 takes no previous secrets of %j: an empty key would verify anything',
    (previousSecrets) => {
      expect(paths(session({ previousSecrets }))[0]).toMatch(/^session\.previousSecrets/);
    },
  );
});

describe('The encryption key', () => {
  it('has 32 bytes or more and is not the session secret', () => {
    expect(faults({ ...good, encryptionKey: 'another key, of 32 bytes or more' })).toEqual([]);
    expect(paths({ ...good, encryptionKey: 'short' })).toEqual(['encryptionKey']);
    expect(paths({ ...good, encryptionKey: '' })).toEqual(['encryptionKey']);
    expect(paths({ ...good, encryptionKey: secret })).toEqual(['encryptionKey']);
  });

  it('is no session secret at all: neither it nor an earlier one is the secret or an earlier one of those', () => {
    const [other, earlier] = ['another key, of 32 bytes or more', 'an earlier secret, of 32 bytes or more'];
    const session = { secret, previousSecrets: [earlier] };
    const named = (options: object) => paths({ adapter, session, ...options });
    expect(named({ encryptionKey: other, previousEncryptionKeys: [`${other}, once`] })).toEqual([]);
    expect(named({ encryptionKey: earlier })).toEqual(['encryptionKey']);
    expect(named({ encryptionKey: other, previousEncryptionKeys: [`${other}, once`, secret] })).toEqual([
      'previousEncryptionKeys.1',
    ]);
    expect(named({ encryptionKey: secret, previousEncryptionKeys: [earlier] })).toEqual([
      'encryptionKey',
      'previousEncryptionKeys.0',
    ]);
  });

  it.each([
    ['one character', 'a'.repeat(32)],
    ['seven different characters', 'abcdefg'.repeat(10)],
  ])('of %s throws in production and warns once elsewhere, as the session secret does', (_name, weak) => {
    expect(paths({ ...good, encryptionKey: weak }, true)).toEqual(['encryptionKey']);
    expect(paths({ ...good, encryptionKey: weak })).toEqual([]);
    const { messages, options } = warningsOf({ encryptionKey: weak });
    expect(options).toEqual(['encryptionKey']);
    expect(messages.join()).not.toContain(weak);
  });
});

describe('The cookie', () => {
  it.each([
    ['its defaults', {}],
    ['another name', { name: 'sid' }],
    ['a __Host- name', { name: '__Host-svc_session', secure: true }],
    ['a __Secure- name and a path', { name: '__Secure-sid', secure: true, path: '/app', domain: 'app.test' }],
    ['sameSite none over https', { sameSite: 'none', secure: true }],
    ['a domain', { domain: '.app.test' }],
  ])('A-55 may have %s', (_name, options) => {
    expect(faults(cookie(options))).toEqual([]);
  });

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
    ['a name that ends it', { name: 'a=b;c' }, ['session.cookie.name']],
    ['the name of another cookie', { name: 'svc_mfa' }, ['session.cookie.name']],
    ['no name', { name: '' }, ['session.cookie.name']],
    ['a path with an attribute in it', { path: '/; Domain=evil.test' }, ['session.cookie.path']],
    ['a relative path', { path: 'app' }, ['session.cookie.path']],
    ['a domain with an attribute in it', { domain: 'app.test; Secure' }, ['session.cookie.domain']],
    ['secure as a text', { secure: 'true' }, ['session.cookie.secure']],
    ['httpOnly, which is no choice', { httpOnly: false }, ['session.cookie.httpOnly']],
  ])('A-55 may not have %s', (_name, options, expected) => {
    expect(paths(cookie(options))).toEqual(expected);
  });
});

describe('The numbers', () => {
  it.each([3, 0, -6, 13, 6.5, NaN, '6', null])('A-24 a code has no length of %p', (length) => {
    expect(paths({ ...good, code: { length } })).toEqual(['code.length']);
  });

  it.each([
    [4, 1],
    [5, 1],
    [6, 0],
    [12, 0],
  ])('A-24 a code of %i digits is warned about %i times', (length, times) => {
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
  ])('and texts that make no sense are refused: %s', (path, options) => {
    expect([...new Set(paths({ ...good, ...options }))]).toEqual([path]);
  });
});

describe('Plain http', () => {
  const warned = (options: object) => warningsOf(options).options;
  const all = (origin: string) => ({
    providers: {
      magicLink: { sender, baseUrl: `${origin}/verify` },
      emailPassword: { sender, resetUrl: `${origin}/reset` },
      google: { ...google, redirectUri: `${origin}/cb` },
    },
  });

  it.each(['https://app.test', 'http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
    'is no matter on this machine, nor is https: %s',
    (origin) => {
      expect(warned(all(origin))).toEqual([]);
    },
  );

  it.each(['http://intranet', 'http://app.test', 'http://127.evil.test', 'http://localhost.evil.test'])(
    'that carries tokens elsewhere is warned about, once per option: %s',
    (origin) => {
      expect(warned(all(origin))).toEqual([
        'providers.magicLink.baseUrl',
        'providers.emailPassword.resetUrl',
        'providers.google.redirectUri',
      ]);
    },
  );
});

describe('What is good', () => {
  it.each([
    ['nothing but an adapter and a secret', {}],
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
    ['Pro providers, for a licence to unlock', { providers: { totp: true, orgs: {}, oauth: {} } }],
  ])('is %s', (_name, options) => {
    expect(faults({ ...good, ...options })).toEqual([]);
  });
});

describe('Generic OAuth providers', () => {
  const client = { clientId: 'a', clientSecret: 'b', redirectUri: 'https://app.test/cb' };
  const byIssuer = { ...client, issuer: 'https://idp.test' };
  const byEndpoints = {
    ...client,
    authorizationEndpoint: 'https://idp.test/authorize',
    tokenEndpoint: 'https://idp.test/token',
    userInfoEndpoint: 'https://idp.test/me',
  };
  const oauth = (entries: object) => ({ ...good, providers: { oauth: entries } });
  const oauthFaults = (acme: object) =>
    faults(oauth({ acme })).map((fault) => fault.replace('providers.oauth.acme.', ''));

  it.each([
    ['an issuer', byIssuer],
    ['explicit endpoints', byEndpoints],
    ['a secret that is made anew', { ...byIssuer, clientSecret: () => 'x' }],
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
  ])('may have %s', (_what, acme) => {
    expect(oauthFaults(acme)).toEqual([]);
  });

  it('C-25 link by request alone, unless the configuration says otherwise', () => {
    expect(parseConfig(oauth({ acme: byIssuer })).providers.oauth).toEqual({
      acme: { ...byIssuer, linking: 'explicit' },
    });
  });

  it.each(['a', '0', 'my-idp_2', 'a'.repeat(32)])('may be named %s', (name) => {
    expect(faults(oauth({ [name]: byIssuer }))).toEqual([]);
  });

  it.each(['', 'A', '-a', '_a', 'a b', 'a/b', 'a.b', 'ä', 'a'.repeat(33), 'constructor '])(
    'may not be named %j',
    (name) => {
      expect(faults(oauth({ [name]: byIssuer }))).toEqual([
        `providers.oauth.${name}: must be a name of 1 to 32 lower-case letters, digits, _ and -, beginning with a letter or digit`,
      ]);
    },
  );

  it.each(['google', 'idp', 'phone', 'guest', 'passkey'])('may not be named %s, which is taken', (name) => {
    expect(faults(oauth({ [name]: byIssuer }))).toEqual([
      `providers.oauth.${name}: must not be the name of a method of our own`,
    ]);
  });

  it('A-82 have no prototype to be set', () => {
    const parsed = parseConfig(oauth(JSON.parse(`{"__proto__":${JSON.stringify(byIssuer)}}`) as object));
    expect(Object.keys(parsed.providers.oauth!)).toEqual([]);
    expect('clientId' in parsed.providers.oauth!).toBe(false);
  });

  it.each([
    [client, ['issuer: is missing; or give authorizationEndpoint, tokenEndpoint, userInfoEndpoint']],
    [{ ...byEndpoints, ...byIssuer }, ['issuer: must not stand beside explicit endpoints']],
    [
      { ...byIssuer, tokenEndpoint: byEndpoints.tokenEndpoint },
      ['issuer: must not stand beside explicit endpoints'],
    ],
    [
      { ...client, tokenEndpoint: byEndpoints.tokenEndpoint },
      [
        'authorizationEndpoint: is missing beside the other endpoints',
        'userInfoEndpoint: is missing beside the other endpoints',
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
          [`${name}: must be an absolute https URL (http only on localhost) without credentials`],
        ] as [object, string[]],
    ),
    [
      { ...byIssuer, authorizationParams: { client_id: 'x', state: 'y', prompt: 'z' } },
      [
        'authorizationParams.client_id: is a parameter that the protocol sets itself',
        'authorizationParams.state: is a parameter that the protocol sets itself',
      ],
    ],
  ] as [object, string[]][])('are refused with the fault at its place: %j', (acme, expected) => {
    expect(oauthFaults(acme).sort()).toEqual(expected.sort());
  });

  it('are refused with all faults at once', () => {
    const wrong = { clientSecret: 1, redirectUri: 'x', linking: 'maybe', tokenEndpoint: 'ftp://x' };
    expect(paths(oauth({ acme: wrong, Bad: {} }))).toEqual(
      [
        ...['authorizationEndpoint', 'clientId', 'clientSecret', 'linking', 'redirectUri'],
        ...['tokenEndpoint', 'userInfoEndpoint'],
      ]
        .map((name) => `providers.oauth.acme.${name}`)
        .concat('providers.oauth.Bad', 'providers.oauth.Bad.issuer')
        .sort(),
    );
  });

  it.each([true, 'x', [], { acme: true }])('are a record of options, not %j', (entries) => {
    expect(faults(oauth(entries as object))).toHaveLength(1);
  });

  it('on plain http are a warning', () => {
    const { options, messages } = warningsOf({
      providers: { oauth: { acme: { ...byIssuer, redirectUri: 'http://app.test/cb' }, other: byIssuer } },
    });
    expect(options).toEqual(['providers.oauth.acme.redirectUri']);
    expect(messages[0]).toContain('plain http');
  });
});
