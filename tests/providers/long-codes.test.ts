// Codes of ten letters, for an address at which strangers have used up the guesses of a day (docs/decisions/limits.md;
// docs/security-requirements.md ).
import { describeAdapters } from '../support/describe-adapters.js';
import type { TestService } from '../support/make-service.js';
import { errorOf, outcomeOf, runInSequence } from '../support/outcomes.js';

const minute = 60_000;
const tenLetters = /^[BCDFGHJKLMNPQRSTVWXZ]{10}$/;
const stranger = { ip: '203.0.113.7' };
const owner = { ip: '198.51.100.4' };
const password = 'correct horse battery';

/** Returns a wrong code of the same kind. */
const wrong = (code: string) =>
  code.replace(/.$/, (last) =>
    /\d/.test(last) ? String((Number(last) + 1) % 10) : last === 'B' ? 'C' : 'B',
  );

describeAdapters('Codes of ten letters', ({ make, uniqueEmail }) => {
  const send = ({ service }: TestService, email: string, context = owner) =>
    service.emailCode.sendCode({ email }, context);
  const verify = ({ service }: TestService, email: string, code: string, context = owner) =>
    service.emailCode.verify({ email, code }, context);
  const lastCode = ({ mail }: TestService, email: string) => mail.lastCode(email) ?? '';

  /** One client with 65 requests in two hours: 50 of them are wrong codes. */
  async function attack(test: TestService, email: string): Promise<void> {
    const outcomes: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      for (let mails = 0; mails < 3; mails += 1) {
        await outcomeOf(() => send(test, email, stranger));
        const code = wrong(lastCode(test, email));
        if (mails < 2) outcomes.push(...(await runInSequence(5, () => verify(test, email, code, stranger))));
      }
      test.clock.advance(24 * minute);
    }
    expect(outcomes).toEqual(Array(50).fill('code_invalid'));
  }

  /** An address with an account, as at which the attack was made. */
  async function attacked(test: TestService): Promise<string> {
    const email = uniqueEmail();
    await send(test, email);
    await verify(test, email, lastCode(test, email));
    await attack(test, email);
    return email;
  }

  //
  it('signs the owner in from an unknown browser after 65 requests by a stranger in two hours, 50 of them wrong codes', async () => {
    const test = await make();
    const email = await attacked(test);
    expect(await send(test, email)).toMatchObject({ codeFormat: 'letters' });
    const code = lastCode(test, email);
    expect(code).toMatch(tenLetters);
    expect(await verify(test, email, code)).toMatchObject({ created: false, user: { email } });
    // The proof has reset the limits.
    test.clock.advance(15 * minute);
    expect(await send(test, email)).toEqual({ expiresAt: expect.any(Date) as Date });
    expect(lastCode(test, email)).toMatch(/^\d{6}$/);
  });

  it('accepts the letters in lower case, with spaces and hyphens', async () => {
    const test = await make();
    const email = await attacked(test);
    await send(test, email);
    const code = lastCode(test, email).toLowerCase();
    const typed = ` ${code.slice(0, 3)} ${code.slice(3, 6)}-${code.slice(6)}\u00a0`;
    expect(await outcomeOf(() => verify(test, email, typed))).toBe('ok');
  });

  //
  it('mails and accepts the same kind of code for an address without an account', async () => {
    const test = await make({ signUp: { enabled: false } });
    const known = uniqueEmail();
    await test.service.users.create({ email: known, emailVerified: true });
    const unknown = uniqueEmail();
    const outcomes = [];
    for (const email of [known, unknown]) {
      for (let round = 0; round < 5; round += 1) {
        for (let mails = 0; mails < 2; mails += 1) {
          await send(test, email, stranger);
          await runInSequence(5, () => verify(test, email, '000000', stranger));
        }
        test.clock.advance(24 * minute);
      }
      const sent = await send(test, email);
      outcomes.push([
        Object.keys(sent),
        await outcomeOf(() => verify(test, email, '000000')),
        await runInSequence(6, () => verify(test, email, 'bcdfghjklm')),
      ]);
    }
    expect(outcomes[0]).toEqual([
      ['expiresAt', 'codeFormat'],
      'rate_limit_exceeded',
      [...Array(5).fill('code_invalid'), 'max_attempts_exceeded'],
    ]);
    expect(outcomes[1]).toEqual(outcomes[0]);
  });

  //
  it('evaluates five guesses of a client at a long code, and five more at the next one that it requests', async () => {
    const test = await make();
    const email = await attacked(test);
    for (let mails = 0; mails < 2; mails += 1) {
      await send(test, email);
      const code = lastCode(test, email);
      for (let left = 4; left >= 0; left -= 1) {
        const error = await errorOf(() => verify(test, email, wrong(code)));
        expect(error).toMatchObject({ code: 'code_invalid', attemptsRemaining: left });
      }
      expect(await outcomeOf(() => verify(test, email, code))).toBe('max_attempts_exceeded');
    }
  });

  //
  it('signs the owner in although other clients guess at the same code', async () => {
    const test = await make();
    const email = await attacked(test);
    await send(test, email);
    const code = lastCode(test, email);
    for (let client = 1; client <= 20; client += 1) {
      const guess = () => verify(test, email, wrong(code), { ip: `203.0.113.${client}` });
      expect(await runInSequence(6, guess)).toEqual([
        ...Array(5).fill('code_invalid'),
        'max_attempts_exceeded',
      ]);
    }
    expect(await outcomeOf(() => verify(test, email, code))).toBe('ok');
  });

  //
  it('evaluates 500 guesses at one long code, from any number of clients', async () => {
    const test = await make();
    const email = await attacked(test);
    await send(test, email);
    const code = lastCode(test, email);
    const outcomes = [];
    for (let client = 0; client < 101; client += 1) {
      const context = { ip: `2001:db8:${client}::1` };
      outcomes.push(...(await runInSequence(5, () => verify(test, email, wrong(code), context))));
    }
    expect(outcomes.filter((each) => each === 'code_invalid')).toHaveLength(500);
    expect(await outcomeOf(() => verify(test, email, code))).toBe('max_attempts_exceeded');
  });

  //
  it('guesses of letters use up neither a code of digits nor its tries', async () => {
    const test = await make();
    const email = uniqueEmail();
    await send(test, email);
    const code = lastCode(test, email);
    const guess = () => verify(test, email, 'BCDFGHJKLM', stranger);
    expect(await runInSequence(20, guess)).toEqual(Array(20).fill('code_not_found'));
    expect(await outcomeOf(() => verify(test, email, code))).toBe('ok');
  });

  //
  it.each(['the code of a link', 'a private sign-up', 'a reset'])(
    'works with %s after strangers have used up the guesses of a day',
    async (kind) => {
      const mailed = { magicLink: { withCode: true }, emailPassword: { reset: 'code' as const } };
      const test = await make({ providers: mailed, signUp: { revealExisting: false } });
      const { service, mail, clock } = test;
      const email = uniqueEmail();
      await send(test, email);
      await verify(test, email, lastCode(test, email));
      const reset = async (context = owner) => {
        const before = mail.messages.length;
        await service.emailPassword.requestReset({ email }, context);
        while (mail.messages.length === before) await new Promise((resolve) => setImmediate(resolve));
      };
      const finish = (code: string, context = owner) =>
        service.emailPassword.setPassword({ email, code, newPassword: password }, context);
      if (kind === 'a reset') {
        for (let round = 0; round < 10; round += 1) {
          await reset(stranger);
          const guess = wrong(lastCode(test, email));
          await runInSequence(5, () => finish(guess, stranger));
          clock.advance(15 * minute);
        }
        await reset();
        expect(lastCode(test, email)).toMatch(tenLetters);
        expect(await outcomeOf(() => finish(lastCode(test, email)))).toBe('ok');
        return;
      }
      await attack(test, email);
      if (kind === 'the code of a link') {
        expect(await service.magicLink.sendLink({ email }, owner)).toMatchObject({ codeFormat: 'letters' });
        const code = lastCode(test, email);
        expect(await outcomeOf(() => service.magicLink.verifyCode({ email, code }, owner))).toBe('ok');
      } else {
        const started = await service.emailPassword.startSignUp({ email, password }, owner);
        expect(started).toMatchObject({ codeFormat: 'letters' });
        const token = 'token' in started ? started.token : '';
        const code = lastCode(test, email);
        expect(await outcomeOf(() => service.emailPassword.finishSignUp({ token, code }, owner))).toBe('ok');
      }
    },
  );
});
