// A right password when strangers have used up the wrong ones of a day: one more step, a mailed code, instead of a day
// (docs/decisions/limits.md; docs/security-requirements.md ).
import { describeAdapters } from '../support/describe-adapters.js';
import { license } from '../support/make-pro-service.js';
import type { TestService } from '../support/make-service.js';
import { errorOf, outcomeOf, runInSequence } from '../support/outcomes.js';

const password = 'correct horse battery';
const owner = { ip: '198.51.100.4' };

describeAdapters('A login after the wrong passwords of a day', ({ make, uniqueEmail }) => {
  type Who = { email: string } | { username: string };
  const login = ({ service }: TestService, who: Who, attempt: string, code?: string) =>
    service.emailPassword.login({ ...who, password: attempt, ...(code !== undefined && { code }) }, owner);

  /** Ten clients with ten wrong passwords each. */
  async function attack({ service }: TestService, who: Who): Promise<void> {
    for (let client = 1; client <= 10; client += 1) {
      const ip = `203.0.113.${client}`;
      const guess = () => service.emailPassword.login({ ...who, password: 'wrong' }, { ip });
      expect(await runInSequence(10, guess)).toEqual(Array(10).fill('invalid_credentials'));
    }
  }

  async function attacked(by: 'email' | 'username' = 'email') {
    const test = await make({ ...license, usernames: { enabled: true } });
    const email = uniqueEmail();
    const who = by === 'email' ? { email } : { username: `name-${email.replace(/\D/g, '')}-x` };
    await test.service.users.create({ email, ...who, password });
    await attack(test, who);
    return { test, email, who };
  }

  /** The error of the login, and the code that was mailed after it. */
  async function refused(test: TestService, who: Who, attempt: string, email: string) {
    const error = await errorOf(() => login(test, who, attempt));
    // Waits for the mail in the background.
    await test.service.close();
    return { error, code: test.mail.lastCode(email) };
  }

  //
  it.each(['email', 'username'] as const)(
    'signs the owner in with the right password and the mailed code: by %s',
    async (by) => {
      const { test, email, who } = await attacked(by);
      const { error, code } = await refused(test, who, password, email);
      expect(error).toMatchObject({ code: 'rate_limit_exceeded', reason: 'code_required' });
      expect(await login(test, who, password, code)).toMatchObject({ user: { email } });
      // The proof has reset the limits.
      expect(await outcomeOf(() => login(test, who, password))).toBe('ok');
    },
  );

  //
  it('says the same about a wrong password, and about an address without an account, to which nothing is mailed', async () => {
    const { test, email, who } = await attacked();
    const right = await refused(test, who, password, email);
    const wrong = await refused(test, who, 'wrong', email);
    const nobody = { email: uniqueEmail() };
    await attack(test, nobody);
    const unknown = await refused(test, nobody, password, nobody.email);
    expect([wrong.error, unknown.error]).toEqual([right.error, right.error]);
    expect(unknown.code).toBeUndefined();
    expect(await outcomeOf(() => login(test, nobody, password, '000000'))).toBe('code_invalid');
    expect(await outcomeOf(() => login(test, who, password, '000000'))).toBe('code_invalid');
  });

  it('evaluates no password with a wrong code, and a right code is worth nothing without the password', async () => {
    const { test, email, who } = await attacked();
    const { code = '' } = await refused(test, who, password, email);
    const wrongCode = code.replace(/.$/, (last) => String((Number(last) + 1) % 10));
    expect(await outcomeOf(() => login(test, who, password, wrongCode))).toBe('code_invalid');
    expect(await outcomeOf(() => test.service.emailCode.verify({ email, code }, owner))).toBe(
      'code_not_found',
    );
    expect(await outcomeOf(() => login(test, who, 'wrong', code))).toBe('invalid_credentials');
    expect(await outcomeOf(() => login(test, who, password, code))).toBe('code_not_found');
  });

  it('mails nothing to a client that has only used up its own passwords', async () => {
    const test = await make();
    const email = uniqueEmail();
    await test.service.emailPassword.signup({ email, password });
    await runInSequence(10, () => login(test, { email }, 'wrong'));
    const { error, code } = await refused(test, { email }, password, email);
    expect(error).toMatchObject({ code: 'rate_limit_exceeded' });
    expect(error['reason']).toBeUndefined();
    expect(code).toBeUndefined();
  });
});
