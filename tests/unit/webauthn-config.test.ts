// The configuration of passkeys (docs/security-requirements.md C-22).
import { ConfigError, createService, memoryAdapter } from 'svc-auth';
import { testSecret } from '../support/make-service.js';
import { errorOf } from '../support/outcomes.js';
import { origins, rpId } from '../support/passkeys.js';

describe('the configuration of passkeys', () => {
  const good = { rpId, origins };
  const paths = async (webauthn: object) => {
    const config = { adapter: memoryAdapter(), session: { secret: testSecret }, providers: { webauthn } };
    const error = await errorOf(() => createService(config as never));
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map(({ path }) => path);
  };
  const at = 'providers.webauthn';

  it.each([
    [
      'an origin of another domain',
      { ...good, origins: ['https://acme.test', 'https://other.test'] },
      `${at}.origins.1`,
    ],
    [
      'an origin that ends like the domain',
      { ...good, origins: ['https://notacme.test'] },
      `${at}.origins.0`,
    ],
    [
      'an origin above the domain',
      { ...good, rpId: 'login.acme.test', origins: ['https://acme.test'] },
      `${at}.origins.0`,
    ],
    ['plain http', { ...good, origins: ['http://acme.test'] }, `${at}.origins.0`],
    ['a URL that is not an origin', { ...good, origins: ['https://acme.test/login'] }, `${at}.origins.0`],
    ['an origin with a trailing slash', { ...good, origins: ['https://acme.test/'] }, `${at}.origins.0`],
    ['a password in the origin', { ...good, origins: ['https://a:b@acme.test'] }, `${at}.origins.0`],
    ['an invalid origin', { ...good, origins: ['*'] }, `${at}.origins.0`],
    ['an invalid certificate', { ...good, origins: ['android:apk-key-hash:x'] }, `${at}.origins.0`],
    ['no origins', { ...good, origins: [] }, `${at}.origins`],
    ['a string for the origins', { ...good, origins: 'https://acme.test' }, `${at}.origins`],
    [
      'the origin of an app as a related one',
      { ...good, relatedOrigins: [`android:apk-key-hash:${'a'.repeat(43)}`] },
      `${at}.relatedOrigins.0`,
    ],
    [
      'a related origin with a path',
      { ...good, relatedOrigins: ['https://acme.example/'] },
      `${at}.relatedOrigins.0`,
    ],
    ['no domain', { origins }, `${at}.rpId`],
    ['an empty domain', { ...good, rpId: ' ' }, `${at}.rpId`],
    ['an origin for the domain', { ...good, rpId: 'https://acme.test' }, `${at}.rpId`],
    ['a port in the domain', { ...good, rpId: 'acme.test:443' }, `${at}.rpId`],
    ['a domain in capitals', { ...good, rpId: 'Acme.test' }, `${at}.rpId`],
    ['an IP address', { rpId: '127.0.0.1', origins: ['http://127.0.0.1:3000'] }, `${at}.rpId`],
    ['an unknown verification', { ...good, userVerification: 'always' }, `${at}.userVerification`],
    ['a timeout of 0', { ...good, timeoutMs: 0 }, `${at}.timeoutMs`],
    ['an empty name', { ...good, rpName: ' ' }, `${at}.rpName`],
    ['an unknown option', { ...good, attestation: 'direct' }, `${at}.attestation`],
  ])(
    'a passkey configuration with %s causes a ConfigError with the path of the option',
    async (_name, webauthn, path) => {
      expect(await paths(webauthn)).toContain(path);
    },
  );

  it.each([
    [
      'localhost over http, at any port',
      { rpId: 'localhost', origins: ['http://localhost:3000', 'http://app.localhost'] },
    ],
    ['the domain, its subdomains, and other ports', good],
    ['a related origin', { ...good, relatedOrigins: ['https://acme.example'] }],
    ['an Android app', { rpId, origins: [`android:apk-key-hash:${'a'.repeat(43)}`] }],
    ['a domain in its ASCII form', { rpId: 'xn--bcher-kva.test', origins: ['https://xn--bcher-kva.test'] }],
  ])('the passkey configuration accepts %s', async (_name, webauthn) => {
    const config = { adapter: memoryAdapter(), session: { secret: testSecret }, providers: { webauthn } };
    expect(() => createService(config as never)).not.toThrow();
  });
});
