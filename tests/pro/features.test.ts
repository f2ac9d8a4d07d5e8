// `service.features`: what is configured and licensed, as the accessors have it, and without secrets.
import type { Service, ServiceFeatures } from 'svc-auth';
import { outbox, smsOutbox, testLicense } from 'svc-auth/testing';
import { everyProvider, encryptionKey } from '../support/every-provider.js';
import { day } from '../support/make-pro-service.js';
import { makeService } from '../support/make-service.js';
import { outcomeOf } from '../support/outcomes.js';

const accessors = [
  'emailCode',
  'magicLink',
  'emailPassword',
  'google',
  'sessionsProvider',
  'refresh',
  'apiKeys',
  'orgs',
  'account',
  'phoneOtp',
  'totp',
  'webauthn',
] as const satisfies readonly (keyof ServiceFeatures & keyof Service)[];

const every = () => everyProvider({ mail: outbox(), sms: smsOutbox() }, { links: { withCode: true } });
const makeEvery = () =>
  makeService({
    providers: every(),
    encryptionKey,
    usernames: { enabled: true },
    ...testLicense({ expiresAt: new Date('2199-12-31') }),
  });

describe('service.features', () => {
  it.each(['everything', 'nothing of the Pro tier', 'a code by email only'])(
    'says which accessors throw with %s',
    async (configured) => {
      const { service } = await (configured === 'everything'
        ? makeEvery()
        : makeService({
            encryptionKey,
            providers: configured === 'a code by email only' ? { emailCode: { sender: outbox() } } : every(),
          }));
      for (const name of accessors) {
        const outcome = await outcomeOf(() => service[name]);
        expect([name, outcome === 'ok']).toEqual([name, service.features[name]]);
      }
      const enabled = await outcomeOf(() => service.usernames.assertEnabled());
      expect(service.features.usernames).toBe(enabled === 'ok');
    },
  );

  it('describes a configuration in full', async () => {
    const { service } = await makeEvery();
    expect(service.features).toEqual({
      licensed: true,
      ...Object.fromEntries(accessors.map((name) => [name, true])),
      oauth: ['acme'],
      usernames: true,
      profileChanges: true,
      existing: { refresh: true, totp: true, webauthn: true },
      codeLength: 6,
      magicLinkCode: true,
      magicLinkTtlMs: 15 * 60_000,
      password: { minLength: 8, reset: 'both' },
      signUpVerification: false,
      signUpWithoutEmail: false,
      signUpEnabled: true,
      privateSignUp: false,
      passkeySignUp: 'verified',
      addressCodes: true,
      secondStep: { email: true, passkey: true, trustedBrowsers: true },
      maxSessions: null,
      oauthServer: false,
      audit: false,
      statistics: false,
    });
  });

  it('has what accounts need to sign in after the license has expired, and nothing else of the Pro tier', async () => {
    const { service, clock } = await makeService({
      providers: every(),
      encryptionKey,
      ...testLicense({ expiresAt: new Date('2099-01-01') }),
    });
    const before = service.features;
    expect(before).toMatchObject({ licensed: true, webauthn: true, oauth: ['acme'] });
    clock.advance(100 * 366 * day);
    expect(service.features).toMatchObject({
      licensed: false,
      webauthn: false,
      totp: false,
      oauth: [],
      passkeySignUp: null,
      addressCodes: false,
      emailCode: true,
      existing: { refresh: true, totp: true, webauthn: true },
    });
    expect(before.licensed).toBe(true);
  });

  it('contains no secret, no address and no function, and cannot be changed', async () => {
    const { service } = await makeEvery();
    const { features } = service;
    expect(service.features).toBe(features);
    expect(JSON.parse(JSON.stringify(features))).toEqual(features);
    expect(JSON.stringify(features)).not.toMatch(/secret|https?:|app\.test|encryption/);
    const parts = [features, ...Object.values(features).filter((part) => typeof part === 'object' && part)];
    expect(parts.every((part) => Object.isFrozen(part))).toBe(true);
  });
});
