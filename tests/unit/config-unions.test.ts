// Options that accept several kinds of values: a fault inside an object has its own path, and the error for a value of another kind lists
// every kind that is accepted.
import { parseConfig } from '../../src/config/parse-config.js';
import { faultsOf, pathsOf, sender, validConfig, withSession } from '../support/config-faults.js';

const client = { clientId: 'a', clientSecret: 'b', redirectUri: 'https://app.test/cb' };
const providers = (options: object) => ({ ...validConfig, providers: options });
const password = (options: object) => providers({ emailPassword: { sender, ...options } });
const passkeys = (options: object) =>
  providers({ webauthn: { rpId: 'acme.test', origins: ['https://acme.test'], ...options } });

const origin =
  'must be an https origin such as https://acme.test (http only on localhost), or that of an Android app, android:apk-key-hash:…';

describe('A value of a kind that an option does not accept', () => {
  it.each([
    ['session.bearer', withSession({ bearer: 5 }), 'must be false, true or an object'],
    ['session.cookie.secure', withSession({ cookie: { secure: 'yes' } }), 'must be a boolean or "auto"'],
    ['rateLimit.login', { ...validConfig, rateLimit: { login: true } }, 'must be false or an object'],
    ['rateLimit.signUp', { ...validConfig, rateLimit: { signUp: 'off' } }, 'must be false or an object'],
    [
      'signUp.challenge.provider',
      { ...validConfig, signUp: { challenge: { provider: 'captcha' } } },
      'must be "proof-of-work" or an object with the methods create and verify',
    ],
    [
      'providers.emailPassword.commonPasswords',
      password({ commonPasswords: 'yes' }),
      'must be a boolean or an object',
    ],
    [
      'providers.emailPassword.breachedPasswords',
      password({ breachedPasswords: 1 }),
      'must be false, true or an object',
    ],
    [
      'providers.google.profileToMetadata',
      providers({ google: { ...client, profileToMetadata: 'name' } }),
      'must be a boolean or a function',
    ],
    ['providers.sessions', providers({ sessions: false }), 'must be true or an object'],
    ['providers.webauthn.origins.0', passkeys({ origins: ['https://acme.test/path'] }), origin],
    ['providers.webauthn.origins.0', passkeys({ origins: ['android:apk-key-hash:short'] }), origin],
    ['providers.webauthn.origins.0', passkeys({ origins: ['not a url'] }), origin],
  ])('is one fault at %s', (path, config, message) => {
    expect(faultsOf(config)).toEqual([`${path}: ${message}`]);
  });
});

it('passkeys accept the origins of pages and of Android apps', () => {
  const origins = ['https://acme.test', `android:apk-key-hash:${'A'.repeat(43)}`];
  expect(parseConfig(passkeys({ origins })).providers.webauthn?.origins).toEqual(origins);
});

describe('A fault inside an object that an option accepts', () => {
  it.each([
    [withSession({ bearer: { graceMs: -1 } }), 'session.bearer.graceMs'],
    [{ ...validConfig, rateLimit: { login: { perIp: { max: 0 } } } }, 'rateLimit.login.perIp.max'],
    [{ ...validConfig, rateLimit: { signUp: { perIp: { max: 0 } } } }, 'rateLimit.signUp.perIp.max'],
    [password({ commonPasswords: { file: '' } }), 'providers.emailPassword.commonPasswords.file'],
    [
      password({ breachedPasswords: { timeoutMs: 0 } }),
      'providers.emailPassword.breachedPasswords.timeoutMs',
    ],
    [passkeys({ signUp: { address: 'verified' } }), 'providers.webauthn.signUp.sender'],
    [providers({ sessions: { canImpersonate: 5 } }), 'providers.sessions.canImpersonate'],
    [providers({ orgs: { inviteUrl: 'x' } }), 'providers.orgs.inviteUrl'],
    [providers({ refresh: { graceMs: -1 } }), 'providers.refresh.graceMs'],
    [providers({ apiKeys: { scopes: 5 } }), 'providers.apiKeys.scopes'],
    [providers({ account: { sender: 5 } }), 'providers.account.sender'],
    [providers({ totp: { trustedBrowsers: { days: 0 } } }), 'providers.totp.trustedBrowsers.days'],
  ])('is at its path (%#)', (config, path) => {
    expect(pathsOf(config)).toEqual([path]);
  });

  it.each([
    [withSession({ bearer: { accessTtl: 5 } }), 'session.bearer.accessTtl', 'accessTtlMs'],
    [{ ...validConfig, rateLimit: { login: { perIps: {} } } }, 'rateLimit.login.perIps', 'perIp'],
    [passkeys({ signUp: { adress: 'none' } }), 'providers.webauthn.signUp.adress', 'address'],
    [providers({ sessions: { canImpersonat: 5 } }), 'providers.sessions.canImpersonat', 'canImpersonate'],
    [providers({ totp: { trustedBrowsers: { day: 5 } } }), 'providers.totp.trustedBrowsers.day', 'days'],
  ])('names the closest option for a misspelled one (%#)', (config, path, name) => {
    expect(faultsOf(config)).toContain(`${path}: is not an option; did you mean ${name}?`);
  });
});
