// The license: checked offline at `init()`, and never a reason not to start.
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { communityLicense, memoryAdapter, type Service, type StorageAdapter } from 'svc-auth';
import { outbox, smsOutbox, testClock, testLicense } from 'svc-auth/testing';
import { serviceConfig } from '../../src/config/schema.js';
import { generateLicenseKeys, signLicense, type License } from '../../src/crypto/license-token.js';
import { everyProvider } from '../support/every-provider.js';
import { watchedService } from '../support/leak-hooks.js';
import { day, proProviders } from '../support/make-pro-service.js';
import { makeService, testSecret, type Overrides, type TestService } from '../support/make-service.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';

const accessors = {
  refresh: (service: Service) => service.refresh,
  sessionsProvider: (service: Service) => service.sessionsProvider,
  apiKeys: (service: Service) => service.apiKeys,
  orgs: (service: Service) => service.orgs,
  account: (service: Service) => service.account,
};

const good: License = {
  product: 'svc-auth',
  tier: 'pro',
  holder: 'Acme',
  issuedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2099-01-01T00:00:00.000Z',
};

/** A license with any content, signed as a vendor would sign it. */
function signed(license: unknown): { licenseKey: string; licensePublicKey: string } {
  const { privateKey, publicKey } = generateLicenseKeys();
  return { licenseKey: signLicense(license as License, privateKey), licensePublicKey: publicKey };
}

const outcomesOf = ({ service }: TestService) =>
  Promise.all(Object.values(accessors).map((accessor) => outcomeOf(() => accessor(service))));
const all = (outcome: string) => Object.keys(accessors).map(() => outcome);
const licenseEvents = ({ log }: TestService) =>
  log.filter(({ fields }) => String(fields['event']).startsWith('license_'));
const pro = (overrides: Overrides = {}) => makeService({ providers: proProviders, ...overrides });

describe('A license', () => {
  it('unlocks the Pro tier at init(), and not before', async () => {
    const test = await pro({ ...testLicense(), init: false });
    expect(test.service.licensed).toBe(false);
    expect(await outcomesOf(test)).toEqual(all('license_required'));
    expect(await outcomeOf(() => test.service.on('*', () => undefined))).toBe('license_required');
    await test.service.init();
    expect(test.service.licensed).toBe(true);
    expect(await outcomesOf(test)).toEqual(all('ok'));
    expect(await outcomeOf(() => test.service.on('*', () => undefined))).toBe('ok');
    expect(licenseEvents(test)).toEqual([]);
  });

  it.each([
    ['the community license', () => ({ licenseKey: communityLicense })],
    ['a license without an expiry', () => signed({ ...good, expiresAt: undefined })],
  ])('unlocks the Pro tier forever and logs nothing with %s', async (_name, of) => {
    const clock = testClock();
    const test = await pro({ ...of(), clock });
    for (const days of [0, 29, 400 * 365]) {
      clock.advance(days * day);
      expect([test.service.licensed, ...(await outcomesOf(test))]).toEqual([true, ...all('ok')]);
    }
    expect(licenseEvents(test)).toEqual([]);
  });

  it('issues base64url(JSON).base64url(Ed25519 signature of that string), with five fields and ISO dates', () => {
    const { licenseKey, licensePublicKey, ...others } = testLicense({
      issuedAt: new Date('2026-01-02T03:04:05.678Z'),
      expiresAt: new Date('2027-01-02T03:04:05.678Z'),
    });
    expect(others).toEqual({});
    expect(licenseKey).toMatch(/^[\w-]+\.[\w-]{86}$/);
    const [body = '', signature = ''] = licenseKey.split('.');
    expect(JSON.parse(Buffer.from(body, 'base64url').toString())).toEqual({
      product: 'svc-auth',
      tier: 'pro',
      holder: expect.any(String),
      issuedAt: '2026-01-02T03:04:05.678Z',
      expiresAt: '2027-01-02T03:04:05.678Z',
    });
    const key = createPublicKey(licensePublicKey);
    expect(key.asymmetricKeyType).toBe('ed25519');
    expect(verify(null, Buffer.from(body), key, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('accepts a license in white space, as in files and variables', async () => {
    const { licenseKey, licensePublicKey } = testLicense();
    const { service } = await pro({ licenseKey: ` ${licenseKey}\n`, licensePublicKey });
    expect(service.licensed).toBe(true);
  });

  const tampered = (change: (body: string, signature: string) => string) => {
    const { licenseKey, licensePublicKey } = signed(good);
    const [body = '', signature = ''] = licenseKey.split('.');
    return { licenseKey: change(body, signature), licensePublicKey };
  };
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  const wrong: Record<string, () => { licenseKey: string; licensePublicKey?: string }> = {
    'signed with another key': () => ({
      ...testLicense(),
      licensePublicKey: generateLicenseKeys().publicKey,
    }),
    "of another vendor, with the vendor's key": () => ({ licenseKey: testLicense().licenseKey }),
    'with another body under its signature': () =>
      tampered((_body, signature) => `${encoded({ ...good, expiresAt: '2199-01-01' })}.${signature}`),
    'with a changed signature': () =>
      tampered((body, signature) => `${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`),
    'with its signature in another spelling': () => tampered((body, signature) => `${body}.${signature}=`),
    'without its signature': () => tampered((body) => body),
    'with an empty signature': () => tampered((body) => `${body}.`),
    'with a third part': () => tampered((body, signature) => `${body}.${signature}.${signature}`),
    'that is empty': () => ({ ...testLicense(), licenseKey: '' }),
    'that is garbage': () => ({ ...testLicense(), licenseKey: 'not a license' }),
    'of 10 KB': () => signed({ ...good, holder: 'x'.repeat(10_000) }),
    'for another product': () => signed({ ...good, product: 'svc-other' }),
    'for another tier': () => signed({ ...good, tier: 'enterprise' }),
    'without a holder': () => signed({ ...good, holder: undefined }),
    'with malformed dates': () => signed({ ...good, expiresAt: 'never' }),
    'with an expiry that is null': () => signed({ ...good, expiresAt: null }),
    'without an expiry, with another body under its signature': () =>
      tampered((_body, signature) => `${encoded({ ...good, expiresAt: undefined })}.${signature}`),
    'that is null': () => signed(null),
    'that is a string': () => signed('pro'),
    'checked against a malformed key': () => ({ ...testLicense(), licensePublicKey: 'no PEM' }),
    'checked against an RSA key': () => ({
      ...testLicense(),
      licensePublicKey: generateKeyPairSync('rsa', { modulusLength: 2048 })
        .publicKey.export({ type: 'spki', format: 'pem' })
        .toString(),
    }),
    'that has expired': () => testLicense({ expiresAt: new Date(Date.now() - 1) }),
  };

  it.each(Object.entries(wrong))(
    'logs a warning, locks Pro and keeps the free tier usable for a license %s',
    async (_name, of) => {
      const options = of();
      const test = await pro({ ...options, clock: testClock() });
      expect(test.service.licensed).toBe(false);
      expect(await outcomesOf(test)).toEqual(all('license_required'));
      expect(licenseEvents(test)).toEqual([expect.objectContaining({ level: 'warn' })]);
      // The log must not contain the license or parts of it.
      if (options.licenseKey !== '')
        expect(JSON.stringify(test.log)).not.toContain(options.licenseKey.slice(0, 40));
      const email = 'ada@example.com';
      await test.service.emailCode.sendCode({ email });
      const { user } = await test.service.emailCode.verify({ email, code: test.mail.lastCode(email)! });
      expect(user.email).toBe(email);
    },
  );

  it('locks Pro and keeps the free tier usable without a license', async () => {
    const test = await pro();
    expect(test.service.licensed).toBe(false);
    expect(await outcomesOf(test)).toEqual(all('license_required'));
    expect(await outcomeOf(() => test.service.emailCode.sendCode({ email: 'ada@example.com' }))).toBe('ok');
  });

  it('locks Pro at the moment it expires while the service runs', async () => {
    const clock = testClock();
    const test = await pro({ ...testLicense({ expiresAt: new Date(clock.now() + day) }), clock });
    const provider = test.service.refresh;
    expect(provider).toBeDefined();
    clock.advance(day - 1);
    expect([test.service.licensed, ...(await outcomesOf(test))]).toEqual([true, ...all('ok')]);
    clock.advance(1);
    expect([test.service.licensed, ...(await outcomesOf(test))]).toEqual([false, ...all('license_required')]);
  });

  it('warns daily from 30 days before the license expires, and once when it expires', async () => {
    const clock = testClock();
    const test = await pro({ ...testLicense({ expiresAt: new Date(clock.now() + 31 * day) }), clock });
    const warnings = () => licenseEvents(test).map(({ level, fields }) => [level, fields['event']]);
    const check = () => [test.service.licensed, test.service.licensed];
    expect([check(), warnings()]).toEqual([[true, true], []]);
    clock.advance(day - 1);
    expect([check(), warnings()]).toEqual([[true, true], []]);
    clock.advance(1);
    const expiring = ['warn', 'license_expiring'];
    expect([check(), warnings()]).toEqual([[true, true], [expiring]]);
    clock.advance(day - 1);
    expect([check(), warnings()]).toEqual([[true, true], [expiring]]);
    for (let days = 1; days < 30; days += 1) {
      clock.advance(days === 1 ? 1 : day);
      expect([check(), warnings()]).toEqual([[true, true], Array(days + 1).fill(expiring)]);
    }
    clock.advance(day);
    for (let i = 0; i < 2; i += 1) {
      expect([check(), warnings().slice(30)]).toEqual([[false, false], [['warn', 'license_expired']]]);
    }
    await test.service.init();
    expect(warnings()).toHaveLength(31);
  });

  it('requires a license for every provider outside the free tier, and lists those in the warning', async () => {
    const providers = everyProvider({ mail: outbox(), sms: smsOutbox() });
    const configured = Object.keys(serviceConfig().shape.providers.unwrap().shape);
    expect(Object.keys(providers).sort()).toEqual(configured.sort());
    const test = await makeService({ providers });
    const accessorOf = (name: string) =>
      name === 'oauth'
        ? test.service.oauth('acme')
        : (test.service as unknown as Record<string, unknown>)[
            name === 'sessions' ? 'sessionsProvider' : name
          ];
    const needing: string[] = [];
    for (const name of Object.keys(providers)) {
      if ((await outcomeOf(() => accessorOf(name))) === 'license_required') needing.push(name);
    }
    const [warning] = licenseEvents(test);
    expect([...((warning?.fields['providers'] ?? []) as string[])].sort()).toEqual(needing.sort());
  });

  it.each([
    [31 * day, null],
    [30 * day + 1, null],
    [30 * day, 30],
    [30 * day - 1, 29],
    [12.5 * day, 12],
    [1000, 0],
  ])(
    'reports a license with %i ms left at init() with %p full days before its expiry',
    async (lifetime, remainingDays) => {
      const clock = testClock();
      const expiresAt = new Date(clock.now() + lifetime);
      const test = await pro({ ...testLicense({ expiresAt }), clock });
      expect(test.service.licensed).toBe(true);
      const warning = { event: 'license_expiring', expiresAt: expiresAt.toISOString(), remainingDays };
      expect(licenseEvents(test)).toEqual(
        remainingDays === null ? [] : [expect.objectContaining({ level: 'warn', fields: warning })],
      );
    },
  );

  it('contains no private key in the repository', () => {
    const root = path.resolve(import.meta.dirname, '../..');
    const filesWithKeys = ['src', 'testing', 'docs', 'example-app', 'bench']
      .flatMap((folder) => filesOf(path.join(root, folder)))
      .filter((file) => readFileSync(file, 'utf8').includes('PRIVATE KEY-----'));
    expect(filesWithKeys).toEqual([]);
  });
});

describe('an accessor of the Pro tier', () => {
  it('throws license_required without a license, configured or not', async () => {
    const configured = await pro();
    const bare = await makeService();
    for (const test of [configured, bare]) expect(await outcomesOf(test)).toEqual(all('license_required'));
  });

  it('throws provider_not_configured with the missing option if it is licensed but not configured', async () => {
    const test = await makeService({ ...testLicense() });
    expect(await outcomesOf(test)).toEqual(all('provider_not_configured'));
    const options = { ...accessors, sessions: accessors.sessionsProvider } as Partial<typeof accessors>;
    delete options.sessionsProvider;
    for (const [option, accessor] of Object.entries(options)) {
      const error = await errorOf(() => accessor(test.service));
      expect(error.message).toContain(`providers.${option} `);
    }
  });

  it('returns the same provider each time if it is licensed and configured', async () => {
    const { service } = await pro({ ...testLicense() });
    for (const accessor of Object.values(accessors)) expect(accessor(service)).toBe(accessor(service));
  });
});

describe('a Pro provider', () => {
  const construct = (adapter: StorageAdapter, providers: object) =>
    watchedService({ adapter, session: { secret: testSecret }, providers });

  it.each([
    ['sessions', 'guests'],
    ['refresh', 'refreshFamilies'],
    ['apiKeys', 'apiKeys'],
    ['orgs', 'orgs'],
    ['account', 'accounts'],
  ])('throws adapter_capability for %s on an adapter without %s', async (provider, repository) => {
    const adapter = { ...memoryAdapter(), [repository]: undefined };
    const error = await errorOf(() => construct(adapter, { [provider]: true }));
    expect([error['code'], error.message]).toEqual([
      'adapter_capability',
      expect.stringContaining(`(${repository})`),
    ]);
  });

  it('requires nothing of the adapter if it is not configured', async () => {
    const pro = ['guests', 'refreshFamilies', 'apiKeys', 'orgs', 'accounts'];
    const free = Object.entries(memoryAdapter()).filter(([name]) => !pro.includes(name));
    const adapter = Object.fromEntries(free) as unknown as StorageAdapter;
    const test = await makeService({ adapter, ...testLicense() });
    expect(await outcomeOf(() => test.service.emailCode.sendCode({ email: 'ada@example.com' }))).toBe('ok');
    expect(await outcomeOf(() => test.service.refresh)).toBe('provider_not_configured');
  });

  it.each([
    ['providers.refresh.graceMs', { refresh: { graceMs: -1 } }],
    ['providers.refresh.graceMs', { refresh: { graceMs: 60_001 } }],
    ['providers.refresh.accessTtlMs', { refresh: { accessTtlMs: 999 } }],
    ['providers.refresh.ttlMs', { refresh: { ttlMs: '30 days' } }],
    ['providers.refresh.grace', { refresh: { grace: 1 } }],
    ['providers.sessions.canImpersonate', { sessions: { canImpersonate: true } }],
    ['providers.sessions', { sessions: 'yes' }],
    ['providers.apiKeys', { apiKeys: false }],
    ['providers.orgs.inviteUrl', { orgs: { inviteUrl: 'http://acme.test/invite' } }],
    ['providers.orgs.sender', { orgs: { sender: {} } }],
    ['providers.orgs.template', { orgs: { template: 'hello' } }],
    ['providers.account.soft', { account: { soft: true } }],
  ])('throws config_invalid for a fault at %s and names it: %j', async (path, providers) => {
    const error = await errorOf(() => construct(memoryAdapter(), providers));
    expect(error).toMatchObject({ code: 'config_invalid', faults: [expect.objectContaining({ path })] });
  });
});

function filesOf(folder: string): string[] {
  try {
    return (
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath, entry.name))
        // The benchmark installs other libraries.
        .filter((file) => !file.includes('node_modules'))
    );
  } catch {
    return [];
  }
}

describe('an accessor of another Pro provider', () => {
  const later = [
    (service: Service) => service.oauth('github'),
    (service: Service) => service.phoneOtp,
    (service: Service) => service.totp,
    (service: Service) => service.webauthn,
  ];
  const outcomes = ({ service }: TestService) =>
    Promise.all(later.map((accessor) => outcomeOf(() => accessor(service))));

  it('throws license_required without a license, and provider_not_configured with one', async () => {
    expect(await outcomes(await makeService())).toEqual(later.map(() => 'license_required'));
    expect(await outcomes(await makeService(testLicense()))).toEqual(
      later.map(() => 'provider_not_configured'),
    );
  });
});

describe('a missing license', () => {
  it('warns about a missing license only if Pro providers are configured', async () => {
    const events = ({ log }: TestService) => log.map(({ fields }) => fields['event']);
    expect(events(await makeService({ providers: { orgs: true } }))).toContain('license_absent');
    expect(events(await makeService())).not.toContain('license_absent');
  });
});

describe('an adapter without the repository of a provider', () => {
  it.each(['guests', 'refreshFamilies', 'apiKeys', 'orgs', 'accounts'] as const)(
    'throws adapter_capability when the service is created: %s',
    async (name) => {
      const adapter: StorageAdapter = { ...memoryAdapter(), [name]: undefined };
      const providers = { sessions: true, refresh: true, apiKeys: true, orgs: true, account: true } as const;
      const make = () => watchedService({ adapter, session: { secret: testSecret }, providers });
      expect(await outcomeOf(make)).toBe('adapter_capability');
    },
  );
});
