/** Functions of the application that the library asks: what becomes of a request when one throws, hangs or answers nonsense. */
import { jest } from '@jest/globals';
import { clientAuthentication } from '../../../src/providers/oauth/client-secret.js';
import type { Exchanged } from '../../../src/providers/oauth/connection.js';
import { mappedProfile } from '../../../src/providers/oauth/profile.js';
import { askUserInfo } from '../../../src/providers/oauth/user-info.js';
import { watchedService } from '../../support/leak-hooks.js';
import { gate } from '../../support/password-accounts.js';
import { pro, settled, type ProService } from '../../support/make-pro-service.js';
import { cheapHasher, makeService, type Overrides } from '../../support/make-service.js';
import { oddThrows, throwOdd } from '../../support/odd-throws.js';
import { errorOf, outcomeOf } from '../../support/outcomes.js';

const halfAMinute = 30_000;
const password = 'correct horse';
let people = 0;
const person = () => `person-${(people += 1)}@example.com`;
const { makePro, verifiedUser } = pro({ make: makeService, person });
const never = () => new Promise<never>(() => undefined);

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
afterEach(() => void jest.useRealTimers());

/** The outcome of a call that something holds up for `ms`, and no shorter. */
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
  it('that hangs is internal_error after half a minute, sets no password, and leaves the reset link good', async () => {
    let behave: () => Promise<boolean> = async () => true;
    const test = await passwordWith({ checkPassword: () => behave() });
    const email = person();
    await test.service.emailPassword.signup({ email, password });
    await test.service.emailPassword.requestReset({ email });
    await test.service.close();
    const token = new URL(test.mail.lastLink(email)!).searchParams.get('token')!;
    behave = never;
    const reset = () => test.service.emailPassword.setPassword({ token, newPassword: 'battery staple' });
    expect(await outcomeAfter(halfAMinute, reset)).toBe('internal_error');
    expect(
      await outcomeAfter(halfAMinute, () => test.service.emailPassword.signup({ email: person(), password })),
    ).toBe('internal_error');
    expect(await outcomeOf(() => test.service.emailPassword.login({ email, password }))).toBe('ok');
    behave = async () => true;
    expect(await outcomeOf(reset)).toBe('ok');
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each(Object.entries(oddThrows))('that throws %s sets no password', async (_odd, make) => {
    const test = await passwordWith({ checkPassword: () => throwOdd(make) });
    const email = person();
    // Not by `expect`: some of what can be thrown breaks it, too.
    const outcome = await test.service.emailPassword.signup({ email, password }).then(
      () => 'an account',
      () => 'nothing',
    );
    expect(outcome).toBe('nothing');
    expect(await test.adapter.users.findByEmail(email)).toBeNull();
  });
});

describe('A hasher', () => {
  it('that hangs keeps its place in the line for five minutes, and not for ever', async () => {
    const held = gate();
    let hangs = false;
    const cheap = cheapHasher();
    const hasher = {
      ...cheap,
      verify: (plain: string, hash: string) =>
        hangs ? held.opened.then(() => true) : cheap.verify(plain, hash),
    };
    const test = await makeService({ rateLimit: { login: false }, providers: { emailPassword: { hasher } } });
    const email = person();
    await test.service.emailPassword.signup({ email, password });
    const login = (from: number) => () =>
      test.service.emailPassword.login({ email, password }, { ip: `192.0.2.${from}` });
    hangs = true;
    const hung = Promise.all(Array.from({ length: 64 }, (_, i) => outcomeOf(login(i))));
    await jest.advanceTimersByTimeAsync(1000);
    expect(await outcomeOf(login(100))).toBe('rate_limit_exceeded');
    await jest.advanceTimersByTimeAsync(5 * 60_000);
    // Eight of them were at it; the others waited for their turn as long.
    const words = await hung;
    expect(words.filter((word) => word === 'internal_error')).toHaveLength(8);
    expect(words.filter((word) => word === 'rate_limit_exceeded')).toHaveLength(56);
    hangs = false;
    expect(await outcomeOf(login(101))).toBe('ok');
    held.open();
  });

  it.each([undefined, null, 'true', 1, {}, []])('whose verify answers %p matches nothing', async (answer) => {
    const hasher = { ...cheapHasher(), verify: async () => answer as boolean };
    const test = await passwordWith({ hasher });
    const email = person();
    await test.service.emailPassword.signup({ email, password });
    expect(await outcomeOf(() => test.service.emailPassword.login({ email, password }))).toBe(
      'invalid_credentials',
    );
  });

  it.each([undefined, null, 7, {}, ''])(
    'whose hash answers %p opens no account without a password',
    async (answer) => {
      const cheap = cheapHasher();
      let first = true;
      // The decoy is made at the start; what a signup hashes is nonsense.
      const hash = async (plain: string) =>
        first ? ((first = false), cheap.hash(plain)) : (answer as string);
      const test = await passwordWith({ hasher: { ...cheap, hash } });
      const email = person();
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
  it('that hangs is internal_error after half a minute, and gives no token', async () => {
    const test = await makePro({ providers: { sessions: { canImpersonate: never } } });
    const [admin, target] = [await verifiedUser(test), await verifiedUser(test)];
    await test.heard();
    expect(
      await outcomeAfter(halfAMinute, () => test.service.sessionsProvider.impersonate(admin.id, target.id)),
    ).toBe('internal_error');
    expect(await test.heardNames()).toEqual([]);
  });
});

describe('mapProfile', () => {
  const exchanged = { claims: { sub: 'x' }, contact: {} } as unknown as Exchanged;

  it('that hangs is oauth_error after half a minute', async () => {
    expect(await outcomeAfter(halfAMinute, () => mappedProfile(exchanged, never))).toBe('oauth_error');
  });

  it.each(Object.entries(oddThrows))('that throws %s is oauth_error', async (_odd, make) => {
    expect(await outcomeOf(() => mappedProfile(exchanged, () => throwOdd(make)))).toBe('oauth_error');
  });
});

describe('clientSecret and fetchUserInfo', () => {
  it('that hang are given up after half a minute', async () => {
    const client = await import('openid-client');
    const server = { issuer: 'https://idp.test' };
    const authenticate = clientAuthentication(client, never);
    const secret = async () => authenticate(server, { client_id: 'x' }, new URLSearchParams(), new Headers());
    expect(await outcomeAfter(halfAMinute, secret)).toBe('internal_error');
    const connected = { client, config: new client.Configuration(server, 'x') };
    const endpoint = { userInfoEndpoint: 'https://idp.test/me', fetchUserInfo: never };
    const profile = () => askUserInfo(connected, endpoint, 'token');
    expect(await outcomeAfter(halfAMinute, profile)).toBe('internal_error');
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('A store of counters', () => {
  it('that hangs is internal_error after half a minute', async () => {
    const test = await makeService({ rateLimit: { store: { hit: never } } });
    const send = () => test.service.emailCode.sendCode({ email: person() });
    expect(await outcomeAfter(halfAMinute, send)).toBe('internal_error');
    expect(test.mail.messages).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('A handler of events', () => {
  const signUp = (test: ProService) => outcomeOf(() => verifiedUser(test));

  it('that hangs holds up neither the caller nor other handlers nor close()', async () => {
    const test = await makePro();
    test.service.on('*', never);
    const heard: string[] = [];
    test.service.on('user.created', ({ userId }) => heard.push(userId));
    for (let i = 0; i < 20; i += 1) expect(await signUp(test)).toBe('ok');
    await settled(test);
    expect(heard).toHaveLength(20);
  });

  it.each(Object.entries(oddThrows))('that throws or rejects with %s changes nothing', async (_odd, make) => {
    const test = await makePro();
    test.service.on('*', () => throwOdd(make));
    test.service.on('*', () => Promise.reject(make() as Error));
    expect(await signUp(test)).toBe('ok');
    await settled(test);
    const failures = test.log.filter(({ message }) => message === 'an event handler failed');
    expect(failures.length).toBeGreaterThanOrEqual(2);
  });

  it('that unsubscribes itself, or subscribes anew, while it is called, ends', async () => {
    const test = await makePro();
    let calls = 0;
    const handler = () => {
      calls += 1;
      off();
      if (calls < 5) off = test.service.on('user.created', handler);
    };
    let off = test.service.on('user.created', handler);
    await signUp(test);
    await settled(test);
    expect(calls).toBe(1);
  });
});

describe('A template', () => {
  it.each(Object.entries(oddThrows))(
    'that throws %s is email_send_failed, and leaves no code behind',
    async (_odd, make) => {
      const test = await makeService({ providers: { emailCode: { template: () => throwOdd(make) } } });
      const email = person();
      expect(await outcomeOf(() => test.service.emailCode.sendCode({ email }))).toBe('email_send_failed');
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code: '123456' }))).toBe(
        'code_not_found',
      );
    },
  );

  it('that returns a promise is refused, whatever becomes of the promise', async () => {
    for (const promise of [
      never,
      () => Promise.reject(new Error('late')),
      () => Promise.resolve({ subject: 'x', html: 'x', text: 'x' }),
    ]) {
      const test = await makeService({ providers: { emailCode: { template: promise as never } } });
      expect(await outcomeOf(() => test.service.emailCode.sendCode({ email: person() }))).toBe(
        'email_send_failed',
      );
    }
  });
});

describe('A logger that throws', () => {
  it('breaks nothing', async () => {
    const broken = () => throwOdd(() => new Error('disk full'));
    const { config } = await makeService();
    const { service } = watchedService({
      ...config,
      logger: { debug: broken, info: broken, warn: broken, error: broken },
    });
    await service.init();
    const email = person();
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
