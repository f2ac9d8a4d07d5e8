// The second factor from code (specification 4.3 `totp`; docs/security-requirements.md ). Over HTTP
// it is tests/http/suites/second-factor.ts, from several processes tests/pro/processes.test.ts.
import type { ServiceUser } from 'svc-auth';
import { testClock } from 'svc-auth/testing';
import { codeAt, wrongCodeAt } from '../support/authenticator-app.js';
import { encryptionKey } from '../support/every-provider.js';
import { describeAdapters } from '../support/describe-adapters.js';
import type { Overrides } from '../support/make-service.js';
import { minute, nobody, oddIds, pro, type ProService } from '../support/make-pro-service.js';
import { errorOf, inTurn, outcomeOf, race } from '../support/outcomes.js';

const second = 1000;
const step = 30 * second;
const laterKey = 'the encryption key after a rotation, 32 bytes or more';
const recoveryCode = /^[A-Z2-7]{6}(-[A-Z2-7]{6}){3}$/;

/** What a code may be besides six digits; a call with it is answered, not broken. */
const oddCodes: unknown[] = [
  undefined,
  null,
  42,
  123456,
  true,
  {},
  [],
  ['123456'],
  '',
  '   ',
  '1'.repeat(65),
];
const wrongTexts = [
  'x',
  '12345',
  '1234567',
  '٢٨٧٠٨٢',
  'nul\0',
  '\ud800',
  "' or 1=1 --",
  '__proto__',
  '-123456',
];

interface Enrolled {
  test: ProService;
  user: ServiceUser;
  secret: string;
  recoveryCodes: string[];
}

describeAdapters('The second factor', ({ make, person, adapter, sql }) => {
  const { makePro, verifiedUser, unverifiedUser, userWithoutAddress } = pro({ make, person });
  const makeTotp = ({ providers, ...overrides }: Overrides = {}) =>
    makePro({ encryptionKey, ...overrides, providers: { totp: true, ...providers } });

  /** The user's app is enrolled, and the step of that is over. */
  async function enroll(test: ProService, user: ServiceUser): Promise<Enrolled> {
    const { secret } = await test.service.totp.beginEnrollment(user.id);
    const code = codeAt(secret, test.clock.now());
    const { recoveryCodes } = await test.service.totp.confirmEnrollment(user.id, code);
    test.clock.advance(step);
    await test.heard();
    return { test, user, secret, recoveryCodes };
  }
  async function enrolled(overrides: Overrides = {}): Promise<Enrolled> {
    const test = await makeTotp(overrides);
    return enroll(test, await verifiedUser(test));
  }

  const verify = ({ test, user }: Enrolled, code: unknown) =>
    test.service.totp.verify(user.id, code as string);
  const recover = ({ test, user }: Enrolled, code: unknown) =>
    test.service.totp.verifyRecoveryCode(user.id, code as string);
  const rightCode = ({ test, secret }: Enrolled, offset = 0) => codeAt(secret, test.clock.now() + offset);
  const wrongCode = ({ test, secret }: Enrolled) => wrongCodeAt(secret, test.clock.now());

  /** The first factor: what waits for the second. */
  async function pendingSignIn({ test, user }: Enrolled) {
    const email = user.email!;
    await test.service.emailCode.sendCode({ email });
    const code = test.mail.lastCode(email)!;
    return test.service.emailCode.verify({ email, code }, { startSession: true });
  }

  describe('beginEnrollment', () => {
    it('gives a secret of 160 bits and its address, and changes nothing yet', async () => {
      const test = await makeTotp();
      const user = await verifiedUser(test);
      const { token } = await test.service.sessionsProvider.create({ userId: user.id });
      await test.heard();
      const { secret, uri, ...others } = await test.service.totp.beginEnrollment(user.id);
      expect(others).toEqual({});
      expect(secret).toMatch(/^[A-Z2-7]{32}$/);
      expect(uri).toBe(
        `otpauth://totp/Acme:${encodeURIComponent(user.email!)}?issuer=Acme&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
      );
      expect(await test.service.totp.isEnabled(user.id)).toBe(false);
      expect(await test.service.getSessionUser(token)).toEqual(user);
      expect(await test.heard()).toEqual([]);
    });

    it('labels a user without an address by the id', async () => {
      const test = await makeTotp();
      const user = await userWithoutAddress(test);
      const { uri } = await test.service.totp.beginEnrollment(user.id);
      expect(new URL(uri).pathname).toBe(`/Acme:${user.id}`);
    });

    it('refuses a guest, whose session anybody at a shared screen may hold', async () => {
      const test = await makeTotp();
      const { totp, sessionsProvider } = test.service;
      const { user } = await sessionsProvider.createGuest();
      expect(await outcomeOf(() => totp.beginEnrollment(user.id))).toBe('not_authorized');
      expect(await outcomeOf(() => totp.confirmEnrollment(user.id, '123456'))).toBe('not_authorized');
      expect(await adapter().totp!.find(user.id)).toBeNull();
      await sessionsProvider.upgrade({ userId: user.id, provider: 'idp', providerAccountId: user.id });
      expect(await outcomeOf(() => totp.beginEnrollment(user.id))).toBe('ok');
    });

    it('A-95 an unconfirmed secret neither gates nor passes', async () => {
      const test = await makeTotp();
      const user = await verifiedUser(test);
      const { secret } = await test.service.totp.beginEnrollment(user.id);
      const begun: Enrolled = { test, user, secret, recoveryCodes: [] };
      expect(await verify(begun, rightCode(begun))).toBe(false);
      expect(await pendingSignIn(begun)).toMatchObject({ session: {} });
    });

    it('once more replaces what was begun: only the newest secret can be confirmed', async () => {
      const test = await makeTotp();
      const { id } = await verifiedUser(test);
      const first = await test.service.totp.beginEnrollment(id);
      const newest = await test.service.totp.beginEnrollment(id);
      expect(newest.secret).not.toBe(first.secret);
      const confirm = (secret: string) =>
        outcomeOf(() => test.service.totp.confirmEnrollment(id, codeAt(secret, test.clock.now())));
      expect(await confirm(first.secret)).toBe('code_invalid');
      expect(await confirm(newest.secret)).toBe('ok');
    });

    it('for a user who is deleted meanwhile is user_not_found', async () => {
      const real = adapter();
      const test = await makeTotp({
        adapter: { ...real, totp: { ...real.totp!, savePending: async () => 'no_user' } },
      });
      const { id } = await verifiedUser(test);
      expect(await outcomeOf(() => test.service.totp.beginEnrollment(id))).toBe('user_not_found');
    });
  });

  describe('confirmEnrollment', () => {
    it('A-96 takes the secret into use and gives ten recovery codes of 24 base32 characters', async () => {
      const test = await makeTotp();
      const user = await verifiedUser(test);
      await test.heard();
      const { secret } = await test.service.totp.beginEnrollment(user.id);
      const code = codeAt(secret, test.clock.now());
      const answer = await test.service.totp.confirmEnrollment(user.id, code);
      expect(Object.keys(answer)).toEqual(['recoveryCodes']);
      expect(answer.recoveryCodes).toHaveLength(10);
      expect(new Set(answer.recoveryCodes).size).toBe(10);
      for (const each of answer.recoveryCodes) expect(each).toMatch(recoveryCode);
      expect(await test.service.totp.isEnabled(user.id)).toBe(true);
      expect(await test.heard()).toEqual([{ name: 'totp.enabled', payload: { userId: user.id } }]);
    });

    it('A-95 spends the step that confirmed, and every earlier one', async () => {
      const test = await makeTotp();
      const user = await verifiedUser(test);
      const { secret } = await test.service.totp.beginEnrollment(user.id);
      const begun: Enrolled = { test, user, secret, recoveryCodes: [] };
      await test.service.totp.confirmEnrollment(user.id, rightCode(begun));
      expect(await verify(begun, rightCode(begun))).toBe(false);
      expect(await verify(begun, rightCode(begun, -step))).toBe(false);
      expect(await verify(begun, rightCode(begun, step))).toBe(true);
    });

    it('without an enrolment that was begun is code_not_found; so is a second confirmation', async () => {
      const test = await makeTotp();
      const { id } = await verifiedUser(test);
      const confirm = (code: string) => outcomeOf(() => test.service.totp.confirmEnrollment(id, code));
      expect(await confirm('123456')).toBe('code_not_found');
      const { secret } = await test.service.totp.beginEnrollment(id);
      expect(await confirm(codeAt(secret, test.clock.now()))).toBe('ok');
      expect(await confirm(codeAt(secret, test.clock.now() + step))).toBe('code_not_found');
    });

    it('counts wrong codes: code_invalid with 4 to 0 attempts left, then max_attempts_exceeded, whatever is begun anew', async () => {
      const test = await makeTotp();
      const { id } = await verifiedUser(test);
      let { secret } = await test.service.totp.beginEnrollment(id);
      for (const attemptsRemaining of [4, 3, 2, 1, 0]) {
        const wrong = wrongCodeAt(secret, test.clock.now());
        expect(await errorOf(() => test.service.totp.confirmEnrollment(id, wrong))).toMatchObject({
          code: 'code_invalid',
          attemptsRemaining,
        });
      }
      const right = () => test.service.totp.confirmEnrollment(id, codeAt(secret, test.clock.now()));
      expect(await outcomeOf(right)).toBe('max_attempts_exceeded');
      ({ secret } = await test.service.totp.beginEnrollment(id));
      expect(await outcomeOf(right)).toBe('max_attempts_exceeded');
      test.clock.advance(15 * minute);
      expect(await outcomeOf(right)).toBe('ok');
    });

    it('of 20 at once with the right code enables once', async () => {
      const test = await makeTotp();
      const user = await verifiedUser(test);
      await test.heard();
      const { secret } = await test.service.totp.beginEnrollment(user.id);
      const code = codeAt(secret, test.clock.now());
      const tally = await race(20, () => test.service.totp.confirmEnrollment(user.id, code));
      expect(tally).toEqual({ ok: 1, code_not_found: 19 });
      expect(await test.heardNames()).toEqual(['totp.enabled']);
    });

    it('takes a code with a space in it, as apps show it', async () => {
      const test = await makeTotp();
      const { id } = await verifiedUser(test);
      const { secret } = await test.service.totp.beginEnrollment(id);
      const spaced = codeAt(secret, test.clock.now()).replace(/^.../, '$& ');
      expect(await outcomeOf(() => test.service.totp.confirmEnrollment(id, ` ${spaced} `))).toBe('ok');
    });

    it('replaces an app that is enrolled only when the new one is confirmed, and its recovery codes with it', async () => {
      const old = await enrolled();
      const { test, user } = old;
      const { secret } = await test.service.totp.beginEnrollment(user.id);
      const fresh = { ...old, secret };
      expect(await verify(old, rightCode(old))).toBe(true);
      expect(await verify(fresh, rightCode(fresh))).toBe(false);
      expect(await recover(old, old.recoveryCodes[0])).toBe(true);
      test.clock.advance(step);
      const wrong = wrongCode(fresh);
      expect(await outcomeOf(() => test.service.totp.confirmEnrollment(user.id, wrong))).toBe('code_invalid');
      expect(await verify(old, rightCode(old))).toBe(true);
      const { recoveryCodes } = await test.service.totp.confirmEnrollment(user.id, rightCode(fresh));
      test.clock.advance(step);
      expect(await verify(old, rightCode(old))).toBe(false);
      expect(await recover(old, old.recoveryCodes[1])).toBe(false);
      expect(await verify(fresh, rightCode(fresh))).toBe(true);
      expect(await recover(fresh, recoveryCodes[1])).toBe(true);
    });
  });

  describe('verify', () => {
    it('A-95 accepts the code of a step from the step before it to the step after it, to the millisecond', async () => {
      for (const [offset, expected] of [
        [-step - 1, false],
        [-step, true],
        [step - 1, true],
        [2 * step - 1, true],
        [2 * step, false],
      ] as const) {
        const one = await enrolled();
        const { test } = one;
        test.clock.set(Math.ceil(test.clock.now() / step) * step + 10 * step);
        const code = rightCode(one);
        test.clock.advance(offset);
        expect([offset, await verify(one, code)]).toEqual([offset, expected]);
      }
    });

    it('A-95 accepts a code once', async () => {
      const one = await enrolled();
      const code = rightCode(one);
      expect(await verify(one, code)).toBe(true);
      for (let i = 0; i < 3; i += 1) expect(await verify(one, code)).toBe(false);
    });

    it('A-95 of 50 calls with one code accepts one', async () => {
      const one = await enrolled();
      const code = rightCode(one);
      const answers = await Promise.allSettled(Array.from({ length: 50 }, () => verify(one, code)));
      const values = answers.map((each) => (each.status === 'fulfilled' ? each.value : 'refused'));
      expect(values.filter((value) => value === true)).toHaveLength(1);
      // The copies are failures like any other: five are looked at, and no more.
      expect(values.filter((value) => value === false)).toHaveLength(5);
    });

    it('A-95 refuses the code of an earlier step than the last accepted one', async () => {
      const one = await enrolled();
      one.test.clock.advance(5 * step);
      const [before, now, after] = [-step, 0, step].map((offset) => rightCode(one, offset));
      expect(await verify(one, now)).toBe(true);
      expect(await verify(one, before)).toBe(false);
      expect(await verify(one, now)).toBe(false);
      expect(await verify(one, after)).toBe(true);
      one.test.clock.advance(step);
      expect(await verify(one, after)).toBe(false);
    });

    it('A-95 does not trust a clock that goes back', async () => {
      const one = await enrolled();
      one.test.clock.advance(minute);
      const code = rightCode(one);
      expect(await verify(one, code)).toBe(true);
      one.test.clock.advance(-minute);
      expect(await verify(one, rightCode(one))).toBe(false);
    });

    it('works where the clock begins', async () => {
      const clock = testClock(0);
      const test = await makeTotp({ clock });
      const { service } = test;
      const user = await userWithoutAddress(test);
      const { secret } = await service.totp.beginEnrollment(user.id);
      // Step 0 is never before the last one: nothing that a real clock shows.
      clock.advance(step);
      await service.totp.confirmEnrollment(user.id, codeAt(secret, clock.now()));
      expect(await service.totp.verify(user.id, codeAt(secret, 0))).toBe(false);
      expect(await service.totp.verify(user.id, codeAt(secret, 2 * step))).toBe(true);
    });

    it('A-95 evaluates five wrong codes in 15 minutes, recovery codes included, then not even the right one', async () => {
      const one = await enrolled();
      for (let i = 0; i < 3; i += 1) expect(await verify(one, wrongCode(one))).toBe(false);
      for (let i = 0; i < 2; i += 1) expect(await recover(one, 'AAAAAA-BBBBBB-CCCCCC-DDDDDD')).toBe(false);
      const locked = async () => [
        await outcomeOf(() => verify(one, rightCode(one))),
        await outcomeOf(() => recover(one, one.recoveryCodes[0])),
      ];
      expect(await locked()).toEqual(['max_attempts_exceeded', 'max_attempts_exceeded']);
      one.test.clock.advance(15 * minute - 1);
      expect(await locked()).toEqual(['max_attempts_exceeded', 'max_attempts_exceeded']);
      one.test.clock.advance(1);
      expect(await verify(one, rightCode(one))).toBe(true);
      expect(await recover(one, one.recoveryCodes[0])).toBe(true);
    });

    it('A-95 evaluates 50 wrong codes a day', async () => {
      const one = await enrolled();
      for (let round = 0; round < 10; round += 1) {
        expect(await inTurn(5, () => verify(one, wrongCode(one)))).toEqual(Array(5).fill('ok'));
        one.test.clock.advance(15 * minute);
      }
      expect(await outcomeOf(() => verify(one, rightCode(one)))).toBe('max_attempts_exceeded');
      one.test.clock.advance(24 * 60 * minute - 150 * minute);
      expect(await verify(one, rightCode(one))).toBe(true);
    });

    it.each(['another app is confirmed', 'it is disabled and enrolled anew'])(
      'the lock of 50 wrong codes ends when %s: they were about a secret that is gone',
      async (how) => {
        const one = await enrolled();
        const { test, user } = one;
        for (let round = 0; round < 10; round += 1) {
          await inTurn(5, () => verify(one, wrongCode(one)));
          test.clock.advance(15 * minute);
        }
        expect(await outcomeOf(() => verify(one, rightCode(one)))).toBe('max_attempts_exceeded');
        if (how.startsWith('it is disabled')) await test.service.totp.disable(user.id);
        const anew = await enroll(test, user);
        expect(await verify(anew, rightCode(anew))).toBe(true);
        expect(await recover(anew, anew.recoveryCodes[0])).toBe(true);
        // Forgiven is not unlimited.
        await inTurn(5, () => verify(anew, wrongCode(anew)));
        expect(await outcomeOf(() => verify(anew, rightCode(anew)))).toBe('max_attempts_exceeded');
      },
    );

    it('an enrolment that is confirmed stays so, and gives its recovery codes, where counters cannot be forgotten', async () => {
      const real = adapter();
      const reset = () => Promise.reject(new Error('counters are gone'));
      const test = await makeTotp({
        adapter: { ...real, rateLimits: { ...real.rateLimits, reset } },
      });
      const one = await enroll(test, await verifiedUser(test));
      expect(one.recoveryCodes).toHaveLength(10);
      await test.service.totp.disable(one.user.id);
      expect(await test.service.totp.isEnabled(one.user.id)).toBe(false);
      const warnings = test.log.filter(({ level }) => level === 'warn');
      expect(JSON.stringify(warnings)).toContain('wrong codes of a user could not be forgotten');
    });

    it('a right code is not charged and does not forgive the wrong ones', async () => {
      const one = await enrolled();
      for (let i = 0; i < 4; i += 1) await verify(one, wrongCode(one));
      for (let i = 0; i < 3; i += 1) {
        expect(await verify(one, rightCode(one))).toBe(true);
        one.test.clock.advance(step);
      }
      expect(await verify(one, wrongCode(one))).toBe(false);
      expect(await outcomeOf(() => verify(one, rightCode(one)))).toBe('max_attempts_exceeded');
    });

    it('the lock-out is the user’s own', async () => {
      const one = await enrolled();
      const other = await enroll(one.test, await verifiedUser(one.test));
      await inTurn(6, () => verify(one, wrongCode(one)));
      expect(await verify(other, rightCode(other))).toBe(true);
    });

    it('is false where nothing is enrolled, as often as it is asked', async () => {
      const test = await makeTotp();
      const user = await verifiedUser(test);
      const none: Enrolled = { test, user, secret: '', recoveryCodes: [] };
      for (let i = 0; i < 7; i += 1) {
        expect([await verify(none, '123456'), await recover(none, 'A'.repeat(24))]).toEqual([false, false]);
      }
    });

    it('a code of one user is worth nothing for another', async () => {
      const one = await enrolled();
      const other = await enroll(one.test, await verifiedUser(one.test));
      expect(await verify(other, rightCode(one))).toBe(false);
      expect(await recover(other, one.recoveryCodes[0])).toBe(false);
      expect(await recover(one, one.recoveryCodes[0])).toBe(true);
    });

    it('what is no code is invalid_request, a wrong text false; neither breaks anything', async () => {
      const one = await enrolled();
      const { totp } = one.test.service;
      for (const odd of oddCodes) {
        const code = odd as string;
        for (const call of [
          () => totp.verify(one.user.id, code),
          () => totp.verifyRecoveryCode(one.user.id, code),
          () => totp.confirmEnrollment(one.user.id, code),
        ]) {
          expect([odd, await outcomeOf(call)]).toEqual([odd, 'invalid_request']);
        }
      }
      for (const text of wrongTexts) {
        expect([text, await verify(one, text), await recover(one, text)]).toEqual([text, false, false]);
        one.test.clock.advance(15 * minute);
      }
      expect(await verify(one, rightCode(one))).toBe(true);
    });

    it('a storage that fails costs no try', async () => {
      const clock = testClock(Math.ceil(Date.now() / step) * step);
      const one = await enrolled({ clock });
      const real = adapter();
      const down = { ...real.totp!, find: () => Promise.reject(new Error('down')) };
      const broken = await makeTotp({ clock, adapter: { ...real, totp: down } });
      const failing = { ...one, test: broken };
      for (let i = 0; i < 7; i += 1) {
        expect(await outcomeOf(() => verify(failing, rightCode(one)))).toMatch(/down/);
      }
      expect(await verify(one, rightCode(one))).toBe(true);
    });
  });

  describe('recovery codes', () => {
    it('A-96 work once each, without the app', async () => {
      const one = await enrolled();
      for (const code of one.recoveryCodes) expect(await recover(one, code)).toBe(true);
      for (const code of one.recoveryCodes.slice(0, 5)) expect(await recover(one, code)).toBe(false);
    });

    it('A-96 of 50 calls with one code accept one', async () => {
      const one = await enrolled();
      const [code] = one.recoveryCodes;
      const answers = await Promise.allSettled(Array.from({ length: 50 }, () => recover(one, code)));
      const values = answers.map((each) => (each.status === 'fulfilled' ? each.value : 'refused'));
      expect(values.filter((value) => value === true)).toHaveLength(1);
      expect((await one.test.heardNames()).filter((name) => name === 'totp.recovery_code_used')).toHaveLength(
        1,
      );
    });

    it('may be typed in lower case, with spaces, or without hyphens', async () => {
      const one = await enrolled();
      const [first, second, third, fourth] = one.recoveryCodes as [string, string, string, string];
      expect(await recover(one, first.toLowerCase())).toBe(true);
      expect(await recover(one, ` ${second.replaceAll('-', ' ')}\n`)).toBe(true);
      expect(await recover(one, third.replaceAll('-', ''))).toBe(true);
      expect(await recover(one, fourth.slice(0, -1))).toBe(false);
      expect(await recover(one, fourth)).toBe(true);
    });

    it('are no codes of the app, and the other way round', async () => {
      const one = await enrolled();
      expect(await verify(one, one.recoveryCodes[0])).toBe(false);
      expect(await recover(one, rightCode(one))).toBe(false);
    });

    it('A-96 are in the storage as MACs', async () => {
      const { recoveryCodes, secret } = await enrolled();
      const rows = sql ? await sql('select * from svc_recovery_codes') : [];
      const enrollments = sql ? await sql('select * from svc_totp') : [];
      const stored = JSON.stringify([rows, enrollments]);
      for (const text of [secret, ...recoveryCodes, ...recoveryCodes.flatMap((each) => each.split('-'))]) {
        expect(stored).not.toContain(text);
      }
      for (const { code_hash } of rows) expect(code_hash).toMatch(/^[\w-]{43}$/);
    });

    it('A-96 regenerated replace all others, and the app stays', async () => {
      const one = await enrolled();
      const { test, user } = one;
      const codes = await test.service.totp.regenerateRecoveryCodes(user.id);
      expect(codes).toHaveLength(10);
      for (const code of codes) expect(code).toMatch(recoveryCode);
      expect(codes.filter((code) => one.recoveryCodes.includes(code))).toEqual([]);
      expect(await test.heardNames()).toEqual(['totp.recovery_codes_replaced']);
      expect(await recover(one, one.recoveryCodes[0])).toBe(false);
      expect(await recover(one, codes[0])).toBe(true);
      expect(await verify(one, rightCode(one))).toBe(true);
    });

    it('without a second factor cannot be regenerated: code_not_found', async () => {
      const test = await makeTotp();
      const { id } = await verifiedUser(test);
      const regenerate = () => outcomeOf(() => test.service.totp.regenerateRecoveryCodes(id));
      expect(await regenerate()).toBe('code_not_found');
      await test.service.totp.beginEnrollment(id);
      expect(await regenerate()).toBe('code_not_found');
    });
  });

  describe('disable', () => {
    it('removes secret, recovery codes and what was begun; a sign-in needs no second factor any more', async () => {
      const one = await enrolled();
      const { test, user } = one;
      const { totp } = test.service;
      await totp.beginEnrollment(user.id);
      await totp.disable(user.id);
      expect(await test.heard()).toEqual([{ name: 'totp.disabled', payload: { userId: user.id } }]);
      expect(await totp.isEnabled(user.id)).toBe(false);
      expect(await adapter().totp!.find(user.id)).toBeNull();
      expect(await adapter().totp!.countRecoveryCodes(user.id)).toBe(0);
      expect([await verify(one, rightCode(one)), await recover(one, one.recoveryCodes[0])]).toEqual([
        false,
        false,
      ]);
      expect(await outcomeOf(() => totp.confirmEnrollment(user.id, '123456'))).toBe('code_not_found');
      expect(await pendingSignIn(one)).toMatchObject({ session: {} });
    });

    it('where nothing is enrolled does nothing: no session ends, no event', async () => {
      const test = await makeTotp();
      const { id } = await verifiedUser(test);
      const { token } = await test.service.sessionsProvider.create({ userId: id });
      await test.service.totp.beginEnrollment(id);
      await test.heard();
      await test.service.totp.disable(id);
      expect(await outcomeOf(() => test.service.getSessionUser(token))).toBe('ok');
      expect(await test.heard()).toEqual([]);
      expect(await adapter().totp!.find(id)).toBeNull();
    });
  });

  describe('every method', () => {
    const methods = (test: ProService, userId: string): Record<string, () => Promise<unknown>> => {
      const { totp } = test.service;
      return {
        beginEnrollment: () => totp.beginEnrollment(userId),
        confirmEnrollment: () => totp.confirmEnrollment(userId, '123456'),
        verify: () => totp.verify(userId, '123456'),
        verifyRecoveryCode: () => totp.verifyRecoveryCode(userId, '123456'),
        isEnabled: () => totp.isEnabled(userId),
        regenerateRecoveryCodes: () => totp.regenerateRecoveryCodes(userId),
        disable: () => totp.disable(userId),
      };
    };

    it('rejects with encryption_required where there is no encryptionKey, and the gate stays shut', async () => {
      const clock = testClock(Math.ceil(Date.now() / step) * step);
      const one = await enrolled({ clock });
      const test = await makePro({ clock, providers: { totp: true } });
      for (const userId of [one.user.id, nobody]) {
        for (const [name, call] of Object.entries(methods(test, userId))) {
          expect([name, await outcomeOf(call)]).toEqual([name, 'encryption_required']);
        }
      }
      const { pending, session } = await pendingSignIn({ ...one, test });
      expect(session).toBeUndefined();
      const input = { token: pending!.token, code: rightCode(one) };
      expect(await outcomeOf(() => test.service.totp.finishSignIn(input))).toBe('encryption_required');
    });

    it('for who is no user is user_not_found', async () => {
      const test = await makeTotp();
      for (const userId of oddIds) {
        for (const [name, call] of Object.entries(methods(test, userId as string))) {
          expect([userId, name, await outcomeOf(call)]).toEqual([userId, name, 'user_not_found']);
        }
      }
    });
  });

  describe('keys', () => {
    const unreadable = ({ test }: Enrolled) =>
      test.log.filter(
        ({ level, fields }) => level === 'error' && fields['event'] === 'totp_secret_unreadable',
      );

    it('A-94 rotate: a secret moves to the new key as it is used, one never used fails closed once the old key is gone', async () => {
      const clock = testClock(Math.ceil(Date.now() / step) * step);
      const used = await enrolled({ clock });
      const unused = await enroll(used.test, await verifiedUser(used.test));
      const secretOf = async ({ user }: Enrolled) => (await adapter().totp!.find(user.id))!.secret!;
      const [usedBefore, unusedBefore] = [await secretOf(used), await secretOf(unused)];

      const both = await makeTotp({
        clock,
        encryptionKey: laterKey,
        previousEncryptionKeys: [encryptionKey],
      });
      expect(await verify({ ...used, test: both }, rightCode(used))).toBe(true);
      expect(await recover({ ...used, test: both }, used.recoveryCodes[0])).toBe(true);
      expect(await secretOf(used)).not.toBe(usedBefore);
      expect(await secretOf(unused)).toBe(unusedBefore);
      // What was accepted stays accepted, under whichever key it is kept.
      expect(await verify({ ...used, test: both }, rightCode(used))).toBe(false);

      clock.advance(15 * minute);
      const dropped = await makeTotp({ clock, encryptionKey: laterKey });
      expect(await verify({ ...used, test: dropped }, rightCode(used))).toBe(true);
      const closed = { ...unused, test: dropped };
      expect(await verify(closed, rightCode(unused))).toBe(false);
      expect(unreadable(closed)).toHaveLength(1);
      expect(unreadable(closed)[0]!.fields).toEqual({
        event: 'totp_secret_unreadable',
        userId: unused.user.id,
      });
      expect((await pendingSignIn(closed)).session).toBeUndefined();
      // Recovery codes are MACs: without the key of their time they are no codes.
      expect(await recover({ ...used, test: dropped }, used.recoveryCodes[1])).toBe(false);
      expect(await dropped.service.totp.isEnabled(unused.user.id)).toBe(true);
    });

    it('A-94 rotate for an enrolment that was begun, too', async () => {
      const clock = testClock(Math.ceil(Date.now() / step) * step);
      const test = await makeTotp({ clock });
      const { id } = await verifiedUser(test);
      const { secret } = await test.service.totp.beginEnrollment(id);
      const both = await makeTotp({
        clock,
        encryptionKey: laterKey,
        previousEncryptionKeys: [encryptionKey],
      });
      await both.service.totp.confirmEnrollment(id, codeAt(secret, clock.now()));
      expect(await both.service.totp.verify(id, codeAt(secret, clock.now() + step))).toBe(true);
    });

    it('service.reencrypt() moves every secret to the new key, after which the old one can be taken away', async () => {
      const { test, user, secret } = await enrolled();
      const { clock } = test;
      const lost = await enroll(test, await verifiedUser(test));
      const lostSecret = (await adapter().totp!.find(lost.user.id))!.secret!;
      await adapter().totp!.reencrypt(lost.user.id, lostSecret, 'v1.unknown.key');
      const both = await makeTotp({
        clock,
        encryptionKey: laterKey,
        previousEncryptionKeys: [encryptionKey],
      });
      expect(await both.service.reencrypt({ limit: 0 })).toEqual({ reencrypted: 0, unreadable: 0 });
      const counts = await both.service.reencrypt();
      expect(counts.reencrypted).toBeGreaterThanOrEqual(1);
      expect(counts.unreadable).toBeGreaterThanOrEqual(1);
      // What no key opens is counted again, and is not in the way of the others.
      expect(await both.service.reencrypt()).toEqual({ reencrypted: 0, unreadable: counts.unreadable });
      const later = await makeTotp({ clock, encryptionKey: laterKey });
      expect(await later.service.totp.verify(user.id, codeAt(secret, clock.now()))).toBe(true);
      await adapter().totp!.reencrypt(lost.user.id, 'v1.unknown.key', lostSecret);
    });

    it('service.reencrypt() needs an encryption key', async () => {
      const { service } = await makeTotp({ encryptionKey: undefined });
      await expect(service.reencrypt()).rejects.toMatchObject({ code: 'encryption_required' });
    });

    it('A-94 a secret in the row of another user does not open, nor one with a bit flipped or a tag cut', async () => {
      const one = await enrolled();
      const sealed = (await adapter().totp!.find(one.user.id))!.secret!;
      const cut = sealed.slice(0, sealed.lastIndexOf('.') + 12);
      const at = sealed.length - 10;
      const flipped = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      for (const planted of [sealed, flipped, cut, '', 'null', one.secret]) {
        const victim = await enroll(one.test, await verifiedUser(one.test));
        const { id } = victim.user;
        const before = unreadable(one).length;
        await adapter().totp!.reencrypt(id, (await adapter().totp!.find(id))!.secret!, planted);
        expect(await verify(victim, rightCode(one))).toBe(false);
        expect(await verify(victim, rightCode(victim))).toBe(false);
        expect(unreadable(one)).toHaveLength(before + 2);
        // What was planted in the clear must not be taken for ours.
        await adapter().totp!.reencrypt(id, planted, sealed);
      }
    });
  });

  describe('and sessions', () => {
    it.each([
      [
        'enabling',
        false,
        ({ test, user, secret }: Enrolled) =>
          test.service.totp.confirmEnrollment(user.id, codeAt(secret, test.clock.now())),
      ],
      [
        'regenerating',
        true,
        ({ test, user }: Enrolled) => test.service.totp.regenerateRecoveryCodes(user.id),
      ],
      ['disabling', true, ({ test, user }: Enrolled) => test.service.totp.disable(user.id)],
    ] as const)(
      'A-51 %s ends every session, token and refresh family of the user, and nobody else’s',
      async (_name, isEnabled, change) => {
        const test = await makeTotp();
        const user = await verifiedUser(test);
        const other = await verifiedUser(test);
        const { secret } = await test.service.totp.beginEnrollment(user.id);
        let one: Enrolled = { test, user, secret, recoveryCodes: [] };
        if (isEnabled) one = await enroll(test, user);
        const { service } = test;
        const session = await service.sessionsProvider.create({ userId: user.id });
        const stateless = service.createSessionToken(user.id);
        const pair = await service.refresh.issue({ userId: user.id });
        const foreign = await service.sessionsProvider.create({ userId: other.id });
        test.clock.advance(second);
        await change(one);
        for (const token of [session.token, stateless.token, pair.accessToken]) {
          expect(await outcomeOf(() => service.getSessionUser(token))).toBe('token_invalid');
        }
        expect(await outcomeOf(() => service.refresh.refresh(pair.refreshToken))).toBe(
          'refresh_token_invalid',
        );
        expect(await service.sessionsProvider.listDevices(user.id)).toEqual([]);
        expect(await outcomeOf(() => service.getSessionUser(foreign.token))).toBe('ok');
      },
    );

    it('A-16 a sign-in that began before the second factor was enabled gets no session', async () => {
      const test = await makeTotp();
      const email = person();
      const user = await verifiedUser(test, email);
      const { secret } = await test.service.totp.beginEnrollment(user.id);
      await test.service.emailCode.sendCode({ email });
      const code = test.mail.lastCode(email)!;
      // The factor is enabled between the look at the user and the session.
      const real = adapter();
      const slow = await makeTotp({
        clock: test.clock,
        adapter: {
          ...real,
          oneTimeCodes: {
            ...real.oneTimeCodes,
            consume: async (...input) => {
              await test.service.totp.confirmEnrollment(user.id, codeAt(secret, test.clock.now()));
              return real.oneTimeCodes.consume(...input);
            },
          },
        },
      });
      const { session, pending } = await slow.service.emailCode.verify(
        { email, code },
        { startSession: true },
      );
      expect(session).toBeUndefined();
      // What it got in place of a session is from before, too: the person begins again, with both factors.
      const input = { token: pending!.token, code: codeAt(secret, test.clock.now() + step) };
      expect(await outcomeOf(() => test.service.totp.finishSignIn(input))).toBe('token_invalid');
      expect(await test.service.sessionsProvider.listDevices(user.id)).toEqual([]);
    });

    it('A-16 a sign-in that waits when the factor is disabled, replaced or regenerated does not go on', async () => {
      const one = await enrolled();
      const { test, user } = one;
      const { pending } = await pendingSignIn(one);
      const codes = await test.service.totp.regenerateRecoveryCodes(user.id);
      const finish = () => test.service.totp.finishSignIn({ token: pending!.token, recoveryCode: codes[0] });
      expect(await outcomeOf(finish)).toBe('token_invalid');
      expect(await recover(one, codes[0])).toBe(true);
    });

    it('A-16 without startSession a method is the application’s own: it gets the user, and decides', async () => {
      const { test, user } = await enrolled();
      const email = user.email!;
      await test.service.emailCode.sendCode({ email });
      const result = await test.service.emailCode.verify({ email, code: test.mail.lastCode(email)! });
      expect(result).toEqual({ user: expect.objectContaining({ id: user.id }), created: false });
    });
  });

  describe('finishSignIn', () => {
    const finish = ({ test }: Enrolled, input: object, context: object = { startSession: true }) =>
      test.service.totp.finishSignIn(input as { token: string }, context);

    it('gives the session that the first factor alone did not, once', async () => {
      const one = await enrolled();
      const { test, user } = one;
      const { pending, session } = await pendingSignIn(one);
      expect(session).toBeUndefined();
      expect(pending).toEqual({
        token: expect.any(String),
        expiresAt: new Date(test.clock.now() + 5 * minute),
      });
      expect(await test.heardNames()).toEqual(['code.sent']);
      const result = await finish(one, { token: pending!.token, code: rightCode(one) });
      expect(Object.keys(result).sort()).toEqual(['created', 'session', 'user']);
      expect(await test.service.getSessionUser(result.session!.token)).toEqual(result.user);
      expect(await test.heardNames()).toEqual(['session.created']);
      test.clock.advance(step);
      const again = { token: pending!.token, code: rightCode(one) };
      expect(await outcomeOf(() => finish(one, again))).toBe('token_invalid');
      expect(await test.service.sessionsProvider.listDevices(user.id)).toHaveLength(1);
    });

    it('takes a recovery code in place of a code', async () => {
      const one = await enrolled();
      const { pending } = await pendingSignIn(one);
      const input = { token: pending!.token, recoveryCode: one.recoveryCodes[3]!.toLowerCase() };
      expect((await finish(one, input)).session).toBeDefined();
      expect(await recover(one, one.recoveryCodes[3])).toBe(false);
    });

    it('of 20 at once with one token gives one session', async () => {
      const one = await enrolled();
      const { pending } = await pendingSignIn(one);
      const tally = await race(20, (i) =>
        finish(one, { token: pending!.token, recoveryCode: one.recoveryCodes[i % 10] }),
      );
      expect(tally['ok']).toBe(1);
      expect(await one.test.service.sessionsProvider.listDevices(one.user.id)).toHaveLength(1);
    });

    it('without startSession returns the user alone', async () => {
      const one = await enrolled();
      const { pending } = await pendingSignIn(one);
      const result = await finish(one, { token: pending!.token, code: rightCode(one) }, {});
      expect(result).toEqual({ user: expect.objectContaining({ id: one.user.id }), created: false });
    });

    it('counts wrong codes with verify: code_invalid with attempts left, then max_attempts_exceeded; the token stays good', async () => {
      const one = await enrolled();
      const { pending } = await pendingSignIn(one);
      const { token } = pending!;
      await verify(one, wrongCode(one));
      for (const attemptsRemaining of [3, 2, 1, 0]) {
        const error = await errorOf(() => finish(one, { token, code: wrongCode(one) }));
        expect(error).toMatchObject({ code: 'code_invalid', attemptsRemaining });
      }
      const right = () => finish(one, { token, code: rightCode(one) });
      expect(await outcomeOf(right)).toBe('max_attempts_exceeded');
      // A new first factor does not help.
      const next = await pendingSignIn(one);
      const anew = { token: next.pending!.token, recoveryCode: one.recoveryCodes[0] };
      expect(await outcomeOf(() => finish(one, anew))).toBe('max_attempts_exceeded');
      const failures = one.test.log.filter(({ fields }) => fields['event'] === 'sign_in_failed');
      expect(failures.map(({ fields }) => fields['reason'])).toEqual([
        ...Array<string>(4).fill('code_invalid'),
        'max_attempts_exceeded',
        'max_attempts_exceeded',
      ]);
    });

    it('a wrong code does not use up the token', async () => {
      const one = await enrolled();
      const { pending } = await pendingSignIn(one);
      const { token } = pending!;
      expect(await outcomeOf(() => finish(one, { token, code: wrongCode(one) }))).toBe('code_invalid');
      expect(await outcomeOf(() => finish(one, { token, code: rightCode(one) }))).toBe('ok');
    });

    it('a token ends after five minutes, to the millisecond', async () => {
      const one = await enrolled();
      const [early, late] = [await pendingSignIn(one), await pendingSignIn(one)];
      one.test.clock.advance(5 * minute - 1);
      const of = ({ pending }: typeof early) => ({ token: pending!.token, code: rightCode(one) });
      expect(await outcomeOf(() => finish(one, of(early)))).toBe('ok');
      one.test.clock.advance(1);
      const expired = { token: late.pending!.token, recoveryCode: one.recoveryCodes[0] };
      expect(await outcomeOf(() => finish(one, expired))).toBe('token_invalid');
      expect(await recover(one, one.recoveryCodes[0])).toBe(true);
    });

    it('a token dies with every session of its user', async () => {
      const one = await enrolled();
      const { pending } = await pendingSignIn(one);
      await one.test.service.sessionsProvider.revokeAll(one.user.id);
      const input = { token: pending!.token, code: rightCode(one) };
      expect(await outcomeOf(() => finish(one, input))).toBe('token_invalid');
    });

    it('what is no token of a sign-in that waits is token_invalid: other kinds, tampered, odd', async () => {
      const one = await enrolled();
      const { test, user } = one;
      const { pending } = await pendingSignIn(one);
      const session = await test.service.sessionsProvider.create({ userId: user.id });
      await test.service.magicLink.sendLink({ email: user.email! });
      await test.service.emailPassword.requestReset({ email: user.email! });
      await test.heard();
      const mailed = test.mail.messages.slice(-2).map(({ text }) => /token=([\w.-]+)/.exec(text)![1]);
      const tampered = [0, 20, -3].map((at) => {
        const token = pending!.token;
        const index = at < 0 ? token.length + at : at;
        return token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A') + token.slice(index + 1);
      });
      const others = [session.token, ...mailed, ...tampered, `${pending!.token}=`, ...oddIds];
      for (const token of others) {
        const outcome = await outcomeOf(() => finish(one, { token, code: rightCode(one) }));
        expect([token, outcome]).toEqual([token, 'token_invalid']);
      }
      // And it is no session.
      expect(await outcomeOf(() => test.service.getSessionUser(pending!.token))).toBe('token_invalid');
      expect(await outcomeOf(() => test.service.magicLink.verify(pending!.token))).toBe('token_invalid');
      expect(await outcomeOf(() => finish(one, { token: pending!.token, code: rightCode(one) }))).toBe('ok');
    });

    it('without a code, or with what is none, is invalid_request and costs nothing', async () => {
      const one = await enrolled();
      const { pending } = await pendingSignIn(one);
      const { token } = pending!;
      for (const code of oddCodes) {
        expect(await outcomeOf(() => finish(one, { token, code }))).toBe('invalid_request');
        if (code === undefined) continue;
        expect(await outcomeOf(() => finish(one, { token, recoveryCode: code }))).toBe('invalid_request');
      }
      expect(await outcomeOf(() => finish(one, { token, code: rightCode(one) }))).toBe('ok');
    });
  });

  describe('and the account', () => {
    const password = 'correct horse battery staple';

    async function reset({ test }: Enrolled, email: string): Promise<void> {
      await test.service.emailPassword.requestReset({ email });
      await test.heard();
      const token = new URL(test.mail.lastLink(email)!).searchParams.get('token')!;
      await test.service.emailPassword.setPassword({ token, newPassword: password });
    }

    it('a claim removes the second factor of whoever signed up before', async () => {
      const test = await makeTotp();
      const one = await enroll(test, await unverifiedUser(test));
      const { created, session, pending, user } = await pendingSignIn(one);
      expect([created, session !== undefined, pending]).toEqual([false, true, undefined]);
      expect(user.id).toBe(one.user.id);
      expect(await test.service.totp.isEnabled(user.id)).toBe(false);
      expect(await adapter().totp!.find(user.id)).toBeNull();
      expect(await recover(one, one.recoveryCodes[0])).toBe(false);
    });

    it('a reset of an account that was never verified is a claim, and removes it as well', async () => {
      const test = await makeTotp();
      const one = await enroll(test, await unverifiedUser(test));
      await reset(one, one.user.email!);
      expect(await test.service.totp.isEnabled(one.user.id)).toBe(false);
      expect(await adapter().totp!.countRecoveryCodes(one.user.id)).toBe(0);
    });

    it('A-42 a password reset keeps the second factor: the next login meets the gate', async () => {
      const one = await enrolled();
      const email = one.user.email!;
      const { pending } = await pendingSignIn(one);
      await reset(one, email);
      const stale = { token: pending!.token, code: rightCode(one) };
      expect(await outcomeOf(() => one.test.service.totp.finishSignIn(stale))).toBe('token_invalid');
      const login = await one.test.service.emailPassword.login({ email, password }, { startSession: true });
      expect([login.session, login.pending?.token]).toEqual([undefined, expect.any(String)]);
      const input = { token: login.pending!.token, code: rightCode(one) };
      expect((await one.test.service.totp.finishSignIn(input, { startSession: true })).session).toBeDefined();
    });

    it('A-41 a password reset ends an enrolment that was begun', async () => {
      const test = await makeTotp();
      const user = await verifiedUser(test);
      const { secret } = await test.service.totp.beginEnrollment(user.id);
      await reset({ test, user, secret, recoveryCodes: [] }, user.email!);
      const confirm = () => test.service.totp.confirmEnrollment(user.id, codeAt(secret, test.clock.now()));
      expect(await outcomeOf(confirm)).toBe('code_not_found');
      expect(await test.service.totp.isEnabled(user.id)).toBe(false);
    });

    it('an export says when it was enabled and how many recovery codes are left, and no more', async () => {
      const one = await enrolled();
      const { test, user } = one;
      await recover(one, one.recoveryCodes[0]);
      const { totp } = await test.service.account.exportData(user.id);
      expect(totp).toEqual({ enabledAt: new Date(test.clock.now() - step), recoveryCodesLeft: 9 });
      await test.service.totp.disable(user.id);
      const after = await test.service.account.exportData(user.id);
      expect(after.totp).toEqual({ enabledAt: null, recoveryCodesLeft: 0 });
    });

    it('a deletion takes all of it along', async () => {
      const one = await enrolled();
      const { test, user } = one;
      const { pending } = await pendingSignIn(one);
      await test.service.account.deleteUser(user.id);
      expect(await adapter().totp!.find(user.id)).toBeNull();
      expect(await adapter().totp!.countRecoveryCodes(user.id)).toBe(0);
      const input = { token: pending!.token, code: rightCode(one) };
      expect(await outcomeOf(() => test.service.totp.finishSignIn(input))).toBe('token_invalid');
    });
  });

  it('a storage without second factors is adapter_capability at construction', async () => {
    const { totp: _, ...without } = adapter();
    expect(await outcomeOf(() => makeTotp({ adapter: without }))).toBe('adapter_capability');
  });
});
