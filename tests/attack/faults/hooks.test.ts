/** Functions that the application passes to the library: the outcome of a request when one throws, hangs or returns nonsense. */
import { clientAuthentication } from '../../../src/providers/oauth/client-secret.js';
import type { Exchanged } from '../../../src/providers/oauth/connection.js';
import { mappedProfile, metadataOf } from '../../../src/providers/oauth/profile.js';
import { ProviderRequests } from '../../../src/providers/oauth/provider-requests.js';
import { askUserInfo } from '../../../src/providers/oauth/user-info.js';
import { silentLogger } from '../../../src/core/support/logger.js';
import { watchedService } from '../../support/leak-hooks.js';
import { gate } from '../../support/password-accounts.js';
import { proFixtures, settleService, type ProService } from '../../support/make-pro-service.js';
import { cheapHasher, makeService, type Overrides } from '../../support/make-service.js';
import { malformedErrors, throwMalformed } from '../../support/malformed-errors.js';
import { errorOf, outcomeOf } from '../../support/outcomes.js';

const halfAMinute = 30_000;
const password = 'correct horse';
let people = 0;
const uniqueEmail = () => `person-${(people += 1)}@example.com`;
const { makePro, verifiedUser } = proFixtures({ make: makeService, uniqueEmail });
const never = () => new Promise<never>(() => undefined);

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
afterEach(() => void jest.useRealTimers());

/** Returns the outcome of a call that is delayed for exactly `ms`. */
async function outcomeAfter(ms: number, call: () => Promise<unknown>): Promise<string> {
  let early = true;
  const outcome = outcomeOf(call).then((word) => (early ? `too early: ${word}` : word));
  await jest.advanceTimersByTimeAsync(ms - 1);
  early = false;
  await jest.advanceTimersByTimeAsync(1);
  return outcome;
}

const passwordWith = (emailPassword: NonNullable<Overrides['providers']>['emailPassword']) =>
  makeService({ providers: { emailPassword } });

describe('checkPassword', () => {
  it('returns internal_error after 30 seconds if checkPassword hangs, sets no password and keeps the reset link valid', async () => {
    let behave: () => Promise<boolean> = async () => true;
    const test = await passwordWith({ checkPassword: () => behave() });
    const email = uniqueEmail();
    await test.service.emailPassword.signup({ email, password });
    await test.service.emailPassword.requestReset({ email });
    await test.service.close();
    const token = new URL(test.mail.lastLink(email)!).searchParams.get('token')!;
    behave = never;
    const reset = () => test.service.emailPassword.setPassword({ token, newPassword: 'battery staple' });
    expect(await outcomeAfter(halfAMinute, reset)).toBe('internal_error');
    expect(
      await outcomeAfter(halfAMinute, () =>
        test.service.emailPassword.signup({ email: uniqueEmail(), password }),
      ),
    ).toBe('internal_error');
    expect(await outcomeOf(() => test.service.emailPassword.login({ email, password }))).toBe('ok');
    behave = async () => true;
    expect(await outcomeOf(reset)).toBe('ok');
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each(Object.entries(malformedErrors))(
    'sets no password if checkPassword throws %s',
    async (_odd, make) => {
      const test = await passwordWith({ checkPassword: () => throwMalformed(make) });
      const email = uniqueEmail();
      // Without `expect`, since some thrown values break it.
      const outcome = await test.service.emailPassword.signup({ email, password }).then(
        () => 'an account',
        () => 'nothing',
      );
      expect(outcome).toBe('nothing');
      expect(await test.adapter.users.findByEmail(email)).toBeNull();
    },
  );
});

describe('Password hasher', () => {
  it('occupies its place in the queue for at most five minutes if the hasher hangs', async () => {
    const pending = gate();
    let hangs = false;
    const cheap = cheapHasher();
    const hasher = {
      ...cheap,
      verify: (plain: string, hash: string) =>
        hangs ? pending.opened.then(() => true) : cheap.verify(plain, hash),
    };
    const test = await makeService({ rateLimit: { login: false }, providers: { emailPassword: { hasher } } });
    const email = uniqueEmail();
    await test.service.emailPassword.signup({ email, password });
    const login = (from: number) => () =>
      test.service.emailPassword.login({ email, password }, { ip: `192.0.2.${from}` });
    hangs = true;
    const hung = Promise.all(Array.from({ length: 64 }, (_, i) => outcomeOf(login(i))));
    await jest.advanceTimersByTimeAsync(1000);
    expect(await outcomeOf(login(100))).toBe('rate_limit_exceeded');
    await jest.advanceTimersByTimeAsync(5 * 60_000);
    // Eight logins were being verified; the others waited that long for their turn.
    const outcomes = await hung;
    expect(outcomes.filter((outcome) => outcome === 'internal_error')).toHaveLength(8);
    expect(outcomes.filter((outcome) => outcome === 'rate_limit_exceeded')).toHaveLength(56);
    hangs = false;
    expect(await outcomeOf(login(101))).toBe('ok');
    pending.open();
  });

  it.each([undefined, null, 'true', 1, {}, []])(
    'rejects the password if verify resolves with %p',
    async (result) => {
      const hasher = { ...cheapHasher(), verify: async () => result as boolean };
      const test = await passwordWith({ hasher });
      const email = uniqueEmail();
      await test.service.emailPassword.signup({ email, password });
      expect(await outcomeOf(() => test.service.emailPassword.login({ email, password }))).toBe(
        'invalid_credentials',
      );
    },
  );

  it.each([undefined, null, 7, {}, ''])(
    'allows no login without a password if hash resolves with %p',
    async (result) => {
      const cheap = cheapHasher();
      let first = true;
      // The decoy hash is computed at the start; the hash of the signup is nonsense.
      const hash = async (plain: string) =>
        first ? ((first = false), cheap.hash(plain)) : (result as string);
      const test = await passwordWith({ hasher: { ...cheap, hash } });
      const email = uniqueEmail();
      await outcomeOf(() => test.service.emailPassword.signup({ email, password }));
      for (const guess of [password, '', 'undefined', 'null']) {
        expect(await outcomeOf(() => test.service.emailPassword.login({ email, password: guess }))).toBe(
          'invalid_credentials',
        );
      }
    },
  );
});

describe('canImpersonate', () => {
  it('returns internal_error after 30 seconds if canImpersonate hangs, and issues no token', async () => {
    const test = await makePro({ providers: { sessions: { canImpersonate: never } } });
    const [admin, target] = [await verifiedUser(test), await verifiedUser(test)];
    await test.takeEvents();
    expect(
      await outcomeAfter(halfAMinute, () => test.service.sessionsProvider.impersonate(admin.id, target.id)),
    ).toBe('internal_error');
    expect(await test.takeEventNames()).toEqual([]);
  });
});

describe('mapProfile', () => {
  const exchanged = { claims: { sub: 'x' }, contact: {} } as unknown as Exchanged;

  const requests = new ProviderRequests('acme', silentLogger);
  const mapped = (mapProfile: () => never | Promise<never>) =>
    requests.observe([], () => mappedProfile(exchanged, mapProfile));

  it('returns oauth_error after 30 seconds if mapProfile hangs', async () => {
    expect(await outcomeAfter(halfAMinute, () => mapped(never))).toBe('oauth_error');
  });

  it.each(Object.entries(malformedErrors))(
    'returns oauth_error if mapProfile throws %s',
    async (_odd, make) => {
      expect(await outcomeOf(() => mapped(() => throwMalformed(make)))).toBe('oauth_error');
    },
  );
});

describe('signUp.allow', () => {
  const signup = (test: Awaited<ReturnType<typeof makeService>>, email = uniqueEmail()) =>
    test.service.emailPassword.signup({ email, password });

  it('refuses the account after five seconds if allow hangs', async () => {
    const test = await makeService({ signUp: { allow: never } });
    const email = uniqueEmail();
    expect(await outcomeAfter(5_000, () => signup(test, email))).toBe('sign_up_disabled');
    expect(await test.service.users.find({ email })).toBeNull();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('mails no code after five seconds if allow hangs', async () => {
    const test = await makeService({ signUp: { allow: never } });
    expect(await outcomeAfter(5_000, () => test.service.emailCode.sendCode({ email: uniqueEmail() }))).toBe(
      'ok',
    );
    expect(test.mail.messages.map(({ kind }) => kind)).toEqual(['sign_up_refused']);
  });

  it.each(Object.entries(malformedErrors))('refuses the account if allow throws %s', async (_odd, make) => {
    const test = await makeService({ signUp: { allow: () => throwMalformed(make) } });
    expect(await outcomeOf(() => signup(test))).toBe('sign_up_disabled');
  });

  it('refuses the account if reading the decision throws', async () => {
    const decision = Object.defineProperty({}, 'roles', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const answer of [decision, proxy]) {
      const test = await makeService({ signUp: { allow: async () => answer } });
      expect(await outcomeOf(() => signup(test))).toBe('sign_up_disabled');
    }
  });
});

describe('signUp.fields and profileToMetadata', () => {
  it('returns internal_error after five seconds if the schema of the fields hangs', async () => {
    const test = await makeService({ signUp: { fields: { '~standard': { validate: never } } } });
    const signup = () => test.service.emailPassword.signup({ email: uniqueEmail(), password });
    expect(await outcomeAfter(5_000, signup)).toBe('internal_error');
  });

  it('returns oauth_error after 30 seconds if profileToMetadata hangs', async () => {
    const profile = { id: 'x', email: null, emailVerified: false, name: null, picture: null, raw: {} };
    expect(await outcomeAfter(halfAMinute, () => metadataOf(profile, never))).toBe('internal_error');
  });
});

describe('clientSecret and fetchUserInfo', () => {
  it('gives up a hanging clientSecret or fetchUserInfo after 30 seconds', async () => {
    const client = await import('openid-client');
    const server = { issuer: 'https://idp.test' };
    const authenticate = clientAuthentication(client, never, null, () => undefined);
    const secret = async () => authenticate(server, { client_id: 'x' }, new URLSearchParams(), new Headers());
    expect(await outcomeAfter(halfAMinute, secret)).toBe('internal_error');
    const connected = { client, config: new client.Configuration(server, 'x') };
    const endpoint = { userInfoEndpoint: 'https://idp.test/me', fetchUserInfo: never };
    const profile = () =>
      askUserInfo(connected, endpoint, 'token', new ProviderRequests('acme', silentLogger));
    expect(await outcomeAfter(halfAMinute, profile)).toBe('internal_error');
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('Rate limit store', () => {
  it('returns internal_error after 30 seconds if the rate limit store hangs', async () => {
    const test = await makeService({ rateLimit: { store: { hit: never } } });
    const send = () => test.service.emailCode.sendCode({ email: uniqueEmail() });
    expect(await outcomeAfter(halfAMinute, send)).toBe('internal_error');
    expect(test.mail.messages).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('Event handler', () => {
  const signUp = (test: ProService) => outcomeOf(() => verifiedUser(test));

  it('delays neither the caller nor other handlers nor close() if a handler hangs', async () => {
    const test = await makePro();
    test.service.on('*', never);
    const userIds: string[] = [];
    test.service.on('user.created', ({ userId }) => userIds.push(userId));
    for (let i = 0; i < 20; i += 1) expect(await signUp(test)).toBe('ok');
    await settleService(test);
    expect(userIds).toHaveLength(20);
  });

  it.each(Object.entries(malformedErrors))(
    'ignores a handler that throws or rejects with %s',
    async (_odd, make) => {
      const test = await makePro();
      test.service.on('*', () => throwMalformed(make));
      test.service.on('*', () => Promise.reject(make() as Error));
      expect(await signUp(test)).toBe('ok');
      await settleService(test);
      const failures = test.log.filter(({ message }) => message === 'an event handler failed');
      expect(failures.length).toBeGreaterThanOrEqual(2);
    },
  );

  it('calls a handler once that unsubscribes and subscribes again while it is called', async () => {
    const test = await makePro();
    let calls = 0;
    const handler = () => {
      calls += 1;
      off();
      if (calls < 5) off = test.service.on('user.created', handler);
    };
    let off = test.service.on('user.created', handler);
    await signUp(test);
    await settleService(test);
    expect(calls).toBe(1);
  });
});

describe('Mail template', () => {
  it.each(Object.entries(malformedErrors))(
    'returns email_send_failed if the template throws %s, and leaves no code behind',
    async (_odd, make) => {
      const test = await makeService({ providers: { emailCode: { template: () => throwMalformed(make) } } });
      const email = uniqueEmail();
      expect(await outcomeOf(() => test.service.emailCode.sendCode({ email }))).toBe('email_send_failed');
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code: '123456' }))).toBe(
        'code_not_found',
      );
    },
  );

  it('rejects a template that returns a promise', async () => {
    for (const promise of [
      never,
      () => Promise.reject(new Error('late')),
      () => Promise.resolve({ subject: 'x', html: 'x', text: 'x' }),
    ]) {
      const test = await makeService({ providers: { emailCode: { template: promise as never } } });
      expect(await outcomeOf(() => test.service.emailCode.sendCode({ email: uniqueEmail() }))).toBe(
        'email_send_failed',
      );
    }
  });
});

describe('Throwing logger', () => {
  it('does not affect signup, login or close() if the logger throws', async () => {
    const broken = () => throwMalformed(() => new Error('disk full'));
    const { config } = await makeService();
    const { service } = watchedService({
      ...config,
      logger: { debug: broken, info: broken, warn: broken, error: broken },
    });
    await service.init();
    const email = uniqueEmail();
    expect(await outcomeOf(() => service.emailPassword.signup({ email, password }))).toBe('ok');
    expect(await outcomeOf(() => service.emailPassword.login({ email, password: 'wrong horse' }))).toBe(
      'invalid_credentials',
    );
    expect(
      await errorOf(() => service.emailPassword.login({ email, password: 'wrong horse' })),
    ).toMatchObject({ code: 'invalid_credentials' });
    await service.close();
  });
});
