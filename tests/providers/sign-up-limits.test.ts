// Limits on sign-ups with a password, per client and per network (docs/decisions/limits.md).
import { license } from '../support/make-pro-service.js';
import { describeAdapters } from '../support/describe-adapters.js';
import type { TestService } from '../support/make-service.js';
import { countingHasher, password } from '../support/password-accounts.js';
import { errorOf, inTurn, outcomeOf } from '../support/outcomes.js';

const minute = 60_000;

describeAdapters('sign-ups with a password', ({ make, person }) => {
  let networks = 0;
  /** A network that no other test uses, as the start of an IPv4 address and of an IPv6 address. */
  const network = () => {
    networks += 1;
    return { ipv4: `10.${networks}.0`, ipv6: `2001:db8:${networks.toString(16)}` };
  };
  const signUp = (test: TestService, ip: string | undefined, email = person()) =>
    test.service.emailPassword.signup({ email, password }, { ip });
  const rule = (max: number) => ({ max, windowMs: 15 * minute });
  const limited = (perIp: number, perNetwork: number) =>
    make({ rateLimit: { signUp: { perIp: rule(perIp), perNetwork: rule(perNetwork) } } });

  it('are limited per client, and allowed again after the window', async () => {
    const test = await limited(3, 100);
    const { ipv4 } = network();
    expect(await inTurn(4, () => signUp(test, `${ipv4}.1`))).toEqual([
      'ok',
      'ok',
      'ok',
      'rate_limit_exceeded',
    ]);
    expect(await errorOf(() => signUp(test, `${ipv4}.1`))).toMatchObject({ retryAfterMs: 15 * minute });
    expect(await outcomeOf(() => signUp(test, `${ipv4}.2`))).toBe('ok');
    test.clock.advance(15 * minute);
    expect(await outcomeOf(() => signUp(test, `${ipv4}.1`))).toBe('ok');
  });

  it('are limited per /24 of IPv4 and per /48 of IPv6', async () => {
    const test = await limited(100, 3);
    const { ipv4, ipv6 } = network();
    const four = ['ok', 'ok', 'ok', 'rate_limit_exceeded'];
    expect(await inTurn(4, (at) => signUp(test, `${ipv4}.${at + 1}`))).toEqual(four);
    expect(await inTurn(4, (at) => signUp(test, `${ipv6}:${at + 1}::/64`))).toEqual(four);
    const other = network();
    expect(await outcomeOf(() => signUp(test, `${other.ipv4}.1`))).toBe('ok');
    expect(await outcomeOf(() => signUp(test, `${other.ipv6}:1::/64`))).toBe('ok');
  });

  it('of one client are 200 in 15 minutes by default, of which none more is hashed', async () => {
    const { hasher, hashed } = countingHasher();
    const test = await make({ providers: { emailPassword: { hasher } } });
    const { ipv4 } = network();
    hashed.length = 0;
    for (let i = 0; i < 4; i += 1)
      await Promise.all(Array.from({ length: 50 }, () => outcomeOf(() => signUp(test, `${ipv4}.1`))));
    expect(await outcomeOf(() => signUp(test, `${ipv4}.1`))).toBe('rate_limit_exceeded');
    expect(hashed).toHaveLength(200);
  });

  it('count when the account exists, and do not count when the password is refused', async () => {
    const test = await limited(3, 100);
    const { ipv4 } = network();
    const email = person();
    expect(await outcomeOf(() => signUp(test, undefined, email))).toBe('ok');
    const weak = () =>
      test.service.emailPassword.signup({ email: person(), password: 'weak' }, { ip: `${ipv4}.1` });
    expect(await inTurn(5, weak)).toEqual(Array(5).fill('weak_password'));
    expect(await inTurn(4, () => signUp(test, `${ipv4}.1`, email))).toEqual([
      ...Array<string>(3).fill('email_exists'),
      'rate_limit_exceeded',
    ]);
  });

  it('count before the application is asked about the password, also one that it refuses', async () => {
    let asked = 0;
    const checkPassword = () => {
      asked += 1;
      return false;
    };
    const test = await make({
      rateLimit: { signUp: { perIp: rule(3), perNetwork: rule(100) } },
      providers: { emailPassword: { checkPassword } },
    });
    const { ipv4 } = network();
    expect(await inTurn(5, () => signUp(test, `${ipv4}.1`))).toEqual([
      ...Array<string>(3).fill('weak_password'),
      ...Array<string>(2).fill('rate_limit_exceeded'),
    ]);
    expect(asked).toBe(3);
  });

  it('count with the guests who choose a password, also for an address that is taken', async () => {
    const test = await make({
      ...license,
      providers: { sessions: true },
      rateLimit: { signUp: { perIp: rule(3), perNetwork: rule(100) } },
    });
    const { sessionsProvider, emailPassword } = test.service;
    const { ipv4 } = network();
    const email = person();
    await signUp(test, undefined, email);
    const { id: userId } = (await sessionsProvider.createGuest()).user;
    const upgrade = () => emailPassword.upgradeGuest({ userId, email, password }, { ip: `${ipv4}.1` });
    expect(await inTurn(4, upgrade)).toEqual([
      ...Array<string>(3).fill('email_exists'),
      'rate_limit_exceeded',
    ]);
    expect(await outcomeOf(() => signUp(test, `${ipv4}.1`))).toBe('rate_limit_exceeded');
  });

  it('are exact when 20 arrive at once', async () => {
    const test = await limited(5, 100);
    const { ipv4 } = network();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => outcomeOf(() => signUp(test, `${ipv4}.1`))),
    );
    expect(outcomes.filter((each) => each === 'ok').length).toBeLessThanOrEqual(5);
    expect(outcomes.filter((each) => each !== 'ok')).toEqual(
      expect.arrayContaining(Array(15).fill('rate_limit_exceeded')),
    );
  });

  it('are not limited without a client, nor with rateLimit.signUp false', async () => {
    const test = await limited(1, 1);
    expect(await inTurn(3, () => signUp(test, undefined))).toEqual(['ok', 'ok', 'ok']);
    const off = await make({ rateLimit: { signUp: false } });
    const { ipv4 } = network();
    for (let i = 0; i < 5; i += 1) {
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, () => outcomeOf(() => signUp(off, `${ipv4}.1`))),
      );
      expect(outcomes).toEqual(Array(50).fill('ok'));
    }
  });
});
