// Limits on sign-ups with a password, per client and per network (docs/decisions/limits.md).
import { license } from '../support/make-pro-service.js';
import { describeAdapters } from '../support/describe-adapters.js';
import type { TestService } from '../support/make-service.js';
import { countingHasher, password } from '../support/password-accounts.js';
import { errorOf, runInSequence, outcomeOf } from '../support/outcomes.js';

const minute = 60_000;

describeAdapters('sign-ups with a password', ({ make, uniqueEmail }) => {
  let networks = 0;
  /** A network that no other test uses, as prefixes of an IPv4 and of an IPv6 address. */
  const network = () => {
    networks += 1;
    return { ipv4: `10.${networks}.0`, ipv6: `2001:db8:${networks.toString(16)}` };
  };
  const signUp = (test: TestService, ip: string | undefined, email = uniqueEmail()) =>
    test.service.emailPassword.signup({ email, password }, { ip });
  const rule = (max: number) => ({ max, windowMs: 15 * minute });
  const limited = (perIp: number, perNetwork: number) =>
    make({ rateLimit: { signUp: { perIp: rule(perIp), perNetwork: rule(perNetwork) } } });

  it('limits sign-ups per client, and allows them again after the window', async () => {
    const test = await limited(3, 100);
    const { ipv4 } = network();
    expect(await runInSequence(4, () => signUp(test, `${ipv4}.1`))).toEqual([
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

  it('limits sign-ups per /24 of IPv4 and per /48 of IPv6', async () => {
    const test = await limited(100, 3);
    const { ipv4, ipv6 } = network();
    const four = ['ok', 'ok', 'ok', 'rate_limit_exceeded'];
    expect(await runInSequence(4, (at) => signUp(test, `${ipv4}.${at + 1}`))).toEqual(four);
    expect(await runInSequence(4, (at) => signUp(test, `${ipv6}:${at + 1}::/64`))).toEqual(four);
    const other = network();
    expect(await outcomeOf(() => signUp(test, `${other.ipv4}.1`))).toBe('ok');
    expect(await outcomeOf(() => signUp(test, `${other.ipv6}:1::/64`))).toBe('ok');
  });

  it('allows 200 sign-ups in 15 minutes per client by default, and hashes no password beyond that', async () => {
    const { hasher, hashed } = countingHasher();
    const test = await make({ providers: { emailPassword: { hasher } } });
    const { ipv4 } = network();
    hashed.length = 0;
    for (let i = 0; i < 4; i += 1)
      await Promise.all(Array.from({ length: 50 }, () => outcomeOf(() => signUp(test, `${ipv4}.1`))));
    expect(await outcomeOf(() => signUp(test, `${ipv4}.1`))).toBe('rate_limit_exceeded');
    expect(hashed).toHaveLength(200);
  });

  it('counts sign-ups to existing accounts, but not those with a weak password', async () => {
    const test = await limited(3, 100);
    const { ipv4 } = network();
    const email = uniqueEmail();
    expect(await outcomeOf(() => signUp(test, undefined, email))).toBe('ok');
    const weak = () =>
      test.service.emailPassword.signup({ email: uniqueEmail(), password: 'weak' }, { ip: `${ipv4}.1` });
    expect(await runInSequence(5, weak)).toEqual(Array(5).fill('weak_password'));
    expect(await runInSequence(4, () => signUp(test, `${ipv4}.1`, email))).toEqual([
      ...Array<string>(3).fill('email_exists'),
      'rate_limit_exceeded',
    ]);
  });

  it('counts sign-ups before it calls checkPassword, including those that checkPassword rejects', async () => {
    let calls = 0;
    const checkPassword = () => {
      calls += 1;
      return false;
    };
    const test = await make({
      rateLimit: { signUp: { perIp: rule(3), perNetwork: rule(100) } },
      providers: { emailPassword: { checkPassword } },
    });
    const { ipv4 } = network();
    expect(await runInSequence(5, () => signUp(test, `${ipv4}.1`))).toEqual([
      ...Array<string>(3).fill('weak_password'),
      ...Array<string>(2).fill('rate_limit_exceeded'),
    ]);
    expect(calls).toBe(3);
  });

  it('counts guests who choose a password, also for an address that is taken', async () => {
    const test = await make({
      ...license,
      providers: { sessions: true },
      rateLimit: { signUp: { perIp: rule(3), perNetwork: rule(100) } },
    });
    const { sessionsProvider, emailPassword } = test.service;
    const { ipv4 } = network();
    const email = uniqueEmail();
    await signUp(test, undefined, email);
    const { id: userId } = (await sessionsProvider.createGuest()).user;
    const upgrade = () => emailPassword.upgradeGuest({ userId, email, password }, { ip: `${ipv4}.1` });
    expect(await runInSequence(4, upgrade)).toEqual([
      ...Array<string>(3).fill('email_exists'),
      'rate_limit_exceeded',
    ]);
    expect(await outcomeOf(() => signUp(test, `${ipv4}.1`))).toBe('rate_limit_exceeded');
  });

  it('enforces the limit exactly for 20 concurrent sign-ups', async () => {
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

  it('does not limit sign-ups without a client, or with rateLimit.signUp false', async () => {
    const test = await limited(1, 1);
    expect(await runInSequence(3, () => signUp(test, undefined))).toEqual(['ok', 'ok', 'ok']);
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
