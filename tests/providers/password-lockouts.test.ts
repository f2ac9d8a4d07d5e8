// What ends the lockout of a client that mistyped a password (docs/decisions/limits.md; docs/security-requirements.md ).
import type { RateLimitStore } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { license } from '../support/make-pro-service.js';
import type { TestService } from '../support/make-service.js';
import { outcomeOf, runInSequence } from '../support/outcomes.js';

const minute = 60_000;
const day = 24 * 60 * minute;

/** A store that counts, refunds and resets, one counter after the other. */
function simpleStore(): RateLimitStore {
  const counters = new Map<string, { count: number; resetAt: number }>();
  return {
    async hit(key, windowMs, now) {
      const stored = counters.get(key);
      const counter = stored && stored.resetAt > now ? stored : { count: 0, resetAt: now + windowMs };
      counter.count += 1;
      counters.set(key, counter);
      return { ...counter };
    },
    async refund(key) {
      const counter = counters.get(key);
      if (counter) counter.count -= 1;
    },
    async reset(key) {
      counters.delete(key);
    },
  };
}

describeAdapters('Lockouts after wrong passwords', ({ make, uniqueEmail }) => {
  const password = 'correct horse';
  /** An address of a client that only one test uses. */
  const client = () => `2001:db8::${uniqueEmail().replace(/\D/g, '')}`;
  const uniqueName = () => `Name-${uniqueEmail().replace(/\D/g, '')}-x`;
  type Who = { email: string } | { username: string };
  const login = ({ service }: TestService, who: Who, attempt: string, ip: string) =>
    service.emailPassword.login({ ...who, password: attempt }, { ip });
  const logIn = (...of: Parameters<typeof login>) => outcomeOf(() => login(...of));
  const mistype = (test: TestService, who: Who, count: number, ip: string) =>
    runInSequence(count, () => login(test, who, 'wrong', ip));

  //
  it.each([
    ['by address, with counters in the database', 'email', {}],
    ['by user name, with counters in the database', 'username', {}],
    ['by address, with a store without hitAll', 'email', { rateLimit: { store: simpleStore() } }],
  ])(
    'users.setPassword ends the lockout of the client that mistyped the password: %s',
    async (_, by, options) => {
      const test = await make({ ...license, usernames: { enabled: true }, ...options });
      const who = by === 'email' ? { email: uniqueEmail() } : { username: uniqueName() };
      const { id } = await test.service.users.create({ ...who, password });
      const ip = client();
      await mistype(test, who, 10, ip);
      expect(await logIn(test, who, password, ip)).toBe('rate_limit_exceeded');
      await test.service.users.setPassword(id, 'another horse');
      expect(await logIn(test, who, 'another horse', ip)).toBe('ok');
    },
  );

  //
  it('users.setPassword in another process ends the lockout within a second', async () => {
    const [test, other] = [await make(license), await make(license)];
    const who = { email: uniqueEmail() };
    const { id } = await test.service.users.create({ ...who, password });
    const ip = client();
    await mistype(test, who, 10, ip);
    expect(await logIn(test, who, password, ip)).toBe('rate_limit_exceeded');
    await other.service.users.setPassword(id, 'another horse');
    test.clock.advance(1_000);
    expect(await logIn(test, who, 'another horse', ip)).toBe('ok');
  });

  //
  it('a client has ten tries again after users.setPassword, and no more', async () => {
    const test = await make(license);
    const who = { email: uniqueEmail() };
    const { id } = await test.service.users.create({ ...who, password });
    const ip = client();
    await mistype(test, who, 10, ip);
    await test.service.users.setPassword(id, 'another horse');
    const tries = await mistype(test, who, 12, ip);
    expect(tries).toEqual([
      ...Array(10).fill('invalid_credentials'),
      'rate_limit_exceeded',
      'rate_limit_exceeded',
    ]);
  });

  //
  it('a client has at most ten tries more when the day of the address ends during its lockout', async () => {
    const test = await make(license);
    const who = { email: uniqueEmail() };
    await test.service.users.create({ ...who, password });
    await mistype(test, who, 1, client());
    test.clock.advance(day - minute);
    const ip = client();
    expect(await mistype(test, who, 11, ip)).toContain('rate_limit_exceeded');
    test.clock.advance(minute);
    expect((await mistype(test, who, 12, ip)).filter((each) => each === 'invalid_credentials')).toHaveLength(
      10,
    );
  });
});
