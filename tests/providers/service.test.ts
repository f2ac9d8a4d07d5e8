// The instance around the providers (specification 2.3, 4.2).
import { createService, memoryAdapter, Service } from 'svc-auth';
import { outbox, smsOutbox } from 'svc-auth/testing';
import { makeService, testSecret, type Overrides } from '../support/make-service.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';

const pro = {
  phoneOtp: { phoneOtp: { sender: smsOutbox() } },
  totp: { totp: true },
  webauthn: { webauthn: { rpId: 'app.test', origins: ['https://app.test'] } },
  refresh: { refresh: true },
  sessionsProvider: { sessions: true },
  apiKeys: { apiKeys: true },
  orgs: { orgs: true },
  account: { account: true },
} satisfies Record<string, Overrides['providers']>;
const proNames = Object.keys(pro) as (keyof typeof pro)[];
const free = ['emailCode', 'magicLink', 'emailPassword', 'google'] as const;
const email = 'ada@example.com';

describe('createService', () => {
  it('is the same as new Service', () => {
    const config = { adapter: memoryAdapter(), session: { secret: testSecret } };
    expect(createService(config)).toBeInstanceOf(Service);
    expect(new Service(config).createSessionToken('x').token).toMatch(/^eyJ/);
  });
});

describe('An accessor', () => {
  it.each(free)(
    '%s throws provider_not_configured where it was not enabled, and says how to',
    async (name) => {
      const { service } = await makeService({
        providers: { emailCode: undefined, magicLink: undefined, emailPassword: undefined },
      });
      const error = await errorOf(() => service[name]);
      expect(error).toMatchObject({ code: 'provider_not_configured' });
      expect(error.message).toContain(`providers.${name}`);
    },
  );

  it.each(proNames)('%s throws license_required without a licence, configured or not', async (name) => {
    const { service } = await makeService();
    const configured = await makeService({ providers: pro[name] });
    expect(await outcomeOf(() => service[name])).toBe('license_required');
    expect(await outcomeOf(() => configured.service[name])).toBe('license_required');
  });

  it('oauth(name) and on(event) throw license_required without a licence', async () => {
    const { service } = await makeService();
    expect(await outcomeOf(() => service.oauth('github'))).toBe('license_required');
    expect(await outcomeOf(() => service.on('user.created', () => undefined))).toBe('license_required');
  });

  it('oauthProviders is [] where there are none', async () => {
    expect((await makeService()).service.oauthProviders).toEqual([]);
  });

  it('licensed is false without a licence, with a bad one, and before init()', async () => {
    const { service } = await makeService();
    expect(service.licensed).toBe(false);
    const forged = await makeService({ licenseKey: 'eyJ0aWVyIjoicHJvIn0.AAAA' });
    expect(forged.service.licensed).toBe(false);
    expect(await outcomeOf(() => forged.service.totp)).toBe('license_required');
    // The free tier works on.
    expect(await outcomeOf(() => forged.service.emailCode.sendCode({ email }))).toBe('ok');
    expect((await makeService({ init: false })).service.licensed).toBe(false);
  });
});

describe('init()', () => {
  it('opens the adapter, and may be called again', async () => {
    let opened = 0;
    const adapter = { ...memoryAdapter(), init: async () => void (opened += 1) };
    const { service } = await makeService({ adapter });
    expect(opened).toBe(1);
    await service.init();
    expect(await outcomeOf(() => service.emailCode.sendCode({ email }))).toBe('ok');
  });

  it('fails where the adapter fails', async () => {
    const adapter = { ...memoryAdapter(), init: () => Promise.reject(new Error('no database')) };
    await expect(makeService({ adapter })).rejects.toThrow('no database');
  });

  it('A-13 makes the decoy, so that the first login of a stranger is as slow as any other', async () => {
    const hashed: string[] = [];
    const hasher = { hash: async (plain: string) => `hash ${hashed.push(plain)}`, verify: async () => false };
    const { service } = await makeService({ providers: { emailPassword: { hasher } } });
    expect(hashed).toHaveLength(1);
    await outcomeOf(() => service.emailPassword.login({ email, password: 'password-1' }));
    expect(hashed).toHaveLength(1);
  });
});

describe('close()', () => {
  it('A-37 waits for mails on their way, then closes every sender once, then the adapter', async () => {
    const order: string[] = [];
    const adapter = { ...memoryAdapter(), close: async () => void order.push('adapter') };
    const mail = outbox();
    const sender = {
      async send(message: Parameters<typeof mail.send>[0]) {
        // Slower than whoever does not wait.
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

  it('closes without senders and without mails', async () => {
    const { service } = await makeService({
      providers: { emailCode: undefined, magicLink: undefined, emailPassword: undefined },
    });
    await service.close();
  });
});

describe('Two services in one process', () => {
  it('share nothing: neither users nor limits nor secrets', async () => {
    const one = await makeService();
    const two = await makeService({ session: { secret: 'the secret of another service, 32 bytes or more' } });
    await one.service.emailPassword.signup({ email, password: 'password-1' });
    for (let i = 0; i < 5; i += 1) await one.service.emailCode.sendCode({ email });
    expect(await outcomeOf(() => one.service.emailCode.sendCode({ email }))).toBe('rate_limit_exceeded');
    expect(await outcomeOf(() => two.service.emailCode.sendCode({ email }))).toBe('ok');
    expect(await outcomeOf(() => two.service.emailPassword.signup({ email, password: 'password-1' }))).toBe(
      'ok',
    );
    const { token } = one.service.createSessionToken('x');
    expect(await outcomeOf(() => two.service.verifyToken(token))).toBe('token_invalid');
  });
});

describe('A shared store of counters', () => {
  it('takes the place of the adapter’s', async () => {
    const counts = new Map<string, { count: number; resetAt: number }>();
    const store = {
      async hit(key: string, windowMs: number, now: number) {
        const known = counts.get(key);
        const counter = known && known.resetAt > now ? known : { count: 0, resetAt: now + windowMs };
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
});
