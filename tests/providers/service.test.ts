// The service that contains the providers (specification 2.3, 4.2).
import { createService, memoryAdapter, Service } from 'svc-auth';
import { outbox, smsOutbox, testLicense } from 'svc-auth/testing';
import { providerTable } from '../../src/providers/table.js';
import { everyProvider } from '../support/every-provider.js';
import { makeService, testSecret } from '../support/make-service.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';

const namesIn = (tier: 'free' | 'pro') =>
  (Object.keys(providerTable) as (keyof typeof providerTable)[]).filter(
    (name) => providerTable[name].tier === tier,
  );

function accessorOf(service: Service, name: keyof typeof providerTable): unknown {
  if (name === 'oauth') return service.oauth('acme');
  return service[name === 'sessions' ? 'sessionsProvider' : name];
}

const email = 'ada@example.com';

describe('createService', () => {
  it('returns an instance of Service', () => {
    const config = { adapter: memoryAdapter(), session: { secret: testSecret } };
    expect(createService(config)).toBeInstanceOf(Service);
    expect(new Service(config).createSessionToken('x').token).toMatch(/^eyJ/);
  });
});

describe('a provider accessor', () => {
  it.each(namesIn('free').filter((name) => 'options' in providerTable[name]))(
    '%s throws provider_not_configured with the option to set if it is not enabled',
    async (name) => {
      const { service } = await makeService({
        providers: { emailCode: undefined, magicLink: undefined, emailPassword: undefined },
      });
      const error = await errorOf(() => accessorOf(service, name));
      expect(error).toMatchObject({ code: 'provider_not_configured' });
      expect(error.message).toContain(`providers.${name}`);
    },
  );

  it.each(namesIn('pro'))('%s throws license_required without a license, configured or not', async (name) => {
    const { service } = await makeService();
    const configured = await makeService({
      providers: everyProvider({ mail: outbox(), sms: smsOutbox() }),
    });
    expect(await outcomeOf(() => accessorOf(service, name))).toBe('license_required');
    expect(await outcomeOf(() => accessorOf(configured.service, name))).toBe('license_required');
  });

  it.each(Object.keys(providerTable) as (keyof typeof providerTable)[])(
    '%s returns the provider if it is configured and licensed',
    async (name) => {
      const providers = everyProvider({ mail: outbox(), sms: smsOutbox() });
      const { service } = await makeService({ ...testLicense(), providers });
      expect(await outcomeOf(() => accessorOf(service, name))).toBe('ok');
    },
  );

  it('oauth(name) and on(event) throw license_required without a license', async () => {
    const { service } = await makeService();
    expect(await outcomeOf(() => service.oauth('github'))).toBe('license_required');
    expect(await outcomeOf(() => service.on('user.created', () => undefined))).toBe('license_required');
  });

  it('oauthProviders is [] if no provider is configured', async () => {
    expect((await makeService()).service.oauthProviders).toEqual([]);
  });

  it('licensed is false without a license, with an invalid one, and before init()', async () => {
    const { service } = await makeService();
    expect(service.licensed).toBe(false);
    const forged = await makeService({ licenseKey: 'eyJ0aWVyIjoicHJvIn0.AAAA' });
    expect(forged.service.licensed).toBe(false);
    expect(await outcomeOf(() => forged.service.totp)).toBe('license_required');
    // The free tier remains usable.
    expect(await outcomeOf(() => forged.service.emailCode.sendCode({ email }))).toBe('ok');
    expect((await makeService({ init: false })).service.licensed).toBe(false);
  });
});

describe('init()', () => {
  it('initializes the adapter, and can be called again', async () => {
    let opened = 0;
    const adapter = { ...memoryAdapter(), init: async () => void (opened += 1) };
    const { service } = await makeService({ adapter });
    expect(opened).toBe(1);
    await service.init();
    expect(await outcomeOf(() => service.emailCode.sendCode({ email }))).toBe('ok');
  });

  it('rejects if the adapter fails to initialize', async () => {
    const adapter = { ...memoryAdapter(), init: () => Promise.reject(new Error('no database')) };
    await expect(makeService({ adapter })).rejects.toThrow('no database');
  });

  //
  it('hashes the decoy password, so that the first login of an unknown user takes as long as any other', async () => {
    const hashed: string[] = [];
    const hasher = { hash: async (plain: string) => `hash ${hashed.push(plain)}`, verify: async () => false };
    const { service } = await makeService({ providers: { emailPassword: { hasher } } });
    expect(hashed).toHaveLength(1);
    await outcomeOf(() => service.emailPassword.login({ email, password: 'password-1' }));
    expect(hashed).toHaveLength(1);
  });
});

describe('close()', () => {
  //
  it('waits for pending mails, then closes each sender once, then the adapter', async () => {
    const order: string[] = [];
    const adapter = { ...memoryAdapter(), close: async () => void order.push('adapter') };
    const mail = outbox();
    const sender = {
      async send(message: Parameters<typeof mail.send>[0]) {
        // Slower than a close() that does not wait.
        for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
        order.push(`sent ${message.kind}`);
        await mail.send(message);
      },
      close: async () => void order.push('sender'),
    };
    const { service } = await makeService({
      adapter,
      providers: { emailCode: { sender }, magicLink: { sender }, emailPassword: { sender } },
    });
    await service.emailPassword.signup({ email, password: 'password-1' });
    await service.emailPassword.requestReset({ email });
    await service.close();
    expect(order).toEqual(['sent password_reset', 'sender', 'adapter']);
  });

  it('closes a service without senders and mails', async () => {
    const { service } = await makeService({
      providers: { emailCode: undefined, magicLink: undefined, emailPassword: undefined },
    });
    await service.close();
  });
});

describe('two services in one process', () => {
  it('shares no users, limits or secrets between two services', async () => {
    const first = await makeService();
    const second = await makeService({
      session: { secret: 'the secret of another service, 32 bytes or more' },
    });
    await first.service.emailPassword.signup({ email, password: 'password-1' });
    for (let i = 0; i < 5; i += 1) await first.service.emailCode.sendCode({ email });
    expect(await outcomeOf(() => first.service.emailCode.sendCode({ email }))).toBe('rate_limit_exceeded');
    expect(await outcomeOf(() => second.service.emailCode.sendCode({ email }))).toBe('ok');
    expect(
      await outcomeOf(() => second.service.emailPassword.signup({ email, password: 'password-1' })),
    ).toBe('ok');
    const { token } = first.service.createSessionToken('x');
    expect(await outcomeOf(() => second.service.verifyToken(token))).toBe('token_invalid');
  });
});

describe('a shared rate limit store', () => {
  it('replaces that of the adapter', async () => {
    const counts = new Map<string, { count: number; resetAt: number }>();
    const store = {
      async hit(key: string, windowMs: number, now: number) {
        const existing = counts.get(key);
        const counter = existing && existing.resetAt > now ? existing : { count: 0, resetAt: now + windowMs };
        counter.count += 1;
        counts.set(key, counter);
        return { ...counter };
      },
    };
    const adapter = memoryAdapter();
    const hits: unknown[] = [];
    const rateLimits = { ...adapter.rateLimits, hit: async (...args: unknown[]) => (hits.push(args), []) };
    const { service } = await makeService({
      adapter: { ...adapter, rateLimits },
      rateLimit: { store, maxPerWindow: 2 },
    });
    const outcomes = [];
    for (let i = 0; i < 3; i += 1)
      outcomes.push(await outcomeOf(() => service.emailCode.sendCode({ email })));
    expect(outcomes).toEqual(['ok', 'ok', 'rate_limit_exceeded']);
    expect(hits).toEqual([]);
    expect([...counts.keys()].join()).not.toContain('ada');
  });

  it('that can neither refund nor reset counters does not refuse the right code, which is consumed', async () => {
    const broken = () => Promise.reject(new Error('redis://:password@host is gone'));
    const hit = async (_key: string, windowMs: number, now: number) => ({
      count: 1,
      resetAt: now + windowMs,
    });
    const { service, mail, log } = await makeService({
      rateLimit: { store: { hit, refund: broken, reset: broken } },
    });
    await service.emailCode.sendCode({ email });
    const code = mail.lastCode(email) ?? '';
    expect(await service.emailCode.verify({ email, code })).toMatchObject({ created: true });
    expect(log.map(({ level, message }) => `${level} ${message}`)).toContain(
      'warn the limits of an attempt could not be corrected',
    );
    expect(JSON.stringify(log)).not.toContain('password@');
  });
});
