// TOTP codes, recovery codes and their limits (specification 4.3 `totp`;
// docs/security-requirements.md ). From several processes they are tested in
// tests/pro/processes.long.test.ts.
import { testClock } from 'svc-auth/testing';
import { codeAt } from '../support/authenticator-app.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { minute } from '../support/make-pro-service.js';
import { runInSequence, outcomeOf } from '../support/outcomes.js';
import { oddCodes, recoveryCode, step, totpUsers, type EnrolledUser } from './totp-users.js';

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

describeAdapters('Codes of the second factor', (on) => {
  const { adapter, sql } = on;
  const { verifiedUser, userWithoutAddress, makeTotp, enroll, enrolledUser } = totpUsers(on);
  const { verify, recover, rightCode, wrongCode } = totpUsers(on);

  describe('verify', () => {
    //
    it('accepts a code from one time step before to one after its own, to the millisecond', async () => {
      for (const [offset, expected] of [
        [-step - 1, false],
        [-step, true],
        [step - 1, true],
        [2 * step - 1, true],
        [2 * step, false],
      ] as const) {
        const enrolled = await enrolledUser();
        const { test } = enrolled;
        test.clock.set(Math.ceil(test.clock.now() / step) * step + 10 * step);
        const code = rightCode(enrolled);
        test.clock.advance(offset);
        expect([offset, await verify(enrolled, code)]).toEqual([offset, expected]);
      }
    });

    //
    it('accepts a code only once', async () => {
      const enrolled = await enrolledUser();
      const code = rightCode(enrolled);
      expect(await verify(enrolled, code)).toBe(true);
      for (let i = 0; i < 3; i += 1) expect(await verify(enrolled, code)).toBe(false);
    });

    //
    it('accepts a code once in 50 concurrent calls', async () => {
      const enrolled = await enrolledUser();
      const code = rightCode(enrolled);
      const results = await Promise.allSettled(Array.from({ length: 50 }, () => verify(enrolled, code)));
      const values = results.map((each) => (each.status === 'fulfilled' ? each.value : 'refused'));
      expect(values.filter((value) => value === true)).toHaveLength(1);
      // Repeated codes count as failures: five are evaluated, the rest refused.
      expect(values.filter((value) => value === false)).toHaveLength(5);
    });

    //
    it('refuses a code of a time step before the last accepted one', async () => {
      const enrolled = await enrolledUser();
      enrolled.test.clock.advance(5 * step);
      const [before, now, after] = [-step, 0, step].map((offset) => rightCode(enrolled, offset));
      expect(await verify(enrolled, now)).toBe(true);
      expect(await verify(enrolled, before)).toBe(false);
      expect(await verify(enrolled, now)).toBe(false);
      expect(await verify(enrolled, after)).toBe(true);
      enrolled.test.clock.advance(step);
      expect(await verify(enrolled, after)).toBe(false);
    });

    //
    it('refuses a used time step when the clock goes back', async () => {
      const enrolled = await enrolledUser();
      enrolled.test.clock.advance(minute);
      const code = rightCode(enrolled);
      expect(await verify(enrolled, code)).toBe(true);
      enrolled.test.clock.advance(-minute);
      expect(await verify(enrolled, rightCode(enrolled))).toBe(false);
    });

    it('accepts codes at the first time steps of the clock', async () => {
      const clock = testClock(0);
      const test = await makeTotp({ clock });
      const { service } = test;
      const user = await userWithoutAddress(test);
      const { secret } = await service.totp.beginEnrollment(user.id);
      // Step 0 is never later than the last accepted step. A real clock never shows it.
      clock.advance(step);
      await service.totp.confirmEnrollment(user.id, codeAt(secret, clock.now()));
      expect(await service.totp.verify(user.id, codeAt(secret, 0))).toBe(false);
      expect(await service.totp.verify(user.id, codeAt(secret, 2 * step))).toBe(true);
    });

    //
    it('evaluates five wrong codes in 15 minutes, recovery codes included, then refuses even the right one', async () => {
      const enrolled = await enrolledUser();
      for (let i = 0; i < 3; i += 1) expect(await verify(enrolled, wrongCode(enrolled))).toBe(false);
      for (let i = 0; i < 2; i += 1)
        expect(await recover(enrolled, 'AAAAAA-BBBBBB-CCCCCC-DDDDDD')).toBe(false);
      const locked = async () => [
        await outcomeOf(() => verify(enrolled, rightCode(enrolled))),
        await outcomeOf(() => recover(enrolled, enrolled.recoveryCodes[0])),
      ];
      expect(await locked()).toEqual(['max_attempts_exceeded', 'max_attempts_exceeded']);
      enrolled.test.clock.advance(15 * minute - 1);
      expect(await locked()).toEqual(['max_attempts_exceeded', 'max_attempts_exceeded']);
      enrolled.test.clock.advance(1);
      expect(await verify(enrolled, rightCode(enrolled))).toBe(true);
      expect(await recover(enrolled, enrolled.recoveryCodes[0])).toBe(true);
    });

    //
    it('evaluates at most 50 wrong codes in a day', async () => {
      const enrolled = await enrolledUser();
      for (let round = 0; round < 10; round += 1) {
        expect(await runInSequence(5, () => verify(enrolled, wrongCode(enrolled)))).toEqual(
          Array(5).fill('ok'),
        );
        enrolled.test.clock.advance(15 * minute);
      }
      expect(await outcomeOf(() => verify(enrolled, rightCode(enrolled)))).toBe('max_attempts_exceeded');
      enrolled.test.clock.advance(24 * 60 * minute - 150 * minute);
      expect(await verify(enrolled, rightCode(enrolled))).toBe(true);
    });

    it.each(['another app is confirmed', 'it is disabled and enrolled again'])(
      'resets the lock of 50 wrong codes when %s',
      async (how) => {
        const enrolled = await enrolledUser();
        const { test, user } = enrolled;
        for (let round = 0; round < 10; round += 1) {
          await runInSequence(5, () => verify(enrolled, wrongCode(enrolled)));
          test.clock.advance(15 * minute);
        }
        expect(await outcomeOf(() => verify(enrolled, rightCode(enrolled)))).toBe('max_attempts_exceeded');
        if (how.startsWith('it is disabled')) await test.service.totp.disable(user.id);
        const enrolledAgain = await enroll(test, user);
        expect(await verify(enrolledAgain, rightCode(enrolledAgain))).toBe(true);
        expect(await recover(enrolledAgain, enrolledAgain.recoveryCodes[0])).toBe(true);
        // The limit is reset, not removed.
        await runInSequence(5, () => verify(enrolledAgain, wrongCode(enrolledAgain)));
        expect(await outcomeOf(() => verify(enrolledAgain, rightCode(enrolledAgain)))).toBe(
          'max_attempts_exceeded',
        );
      },
    );

    it('completes an enrollment, and its removal, if the counters cannot be reset', async () => {
      const real = adapter();
      const correct: typeof real.rateLimits.correct = async (correction, now) => {
        if (correction.reset.length > 0) throw new Error('counters are gone');
        return real.rateLimits.correct(correction, now);
      };
      const test = await makeTotp({
        adapter: { ...real, rateLimits: { ...real.rateLimits, correct } },
      });
      const enrolled = await enroll(test, await verifiedUser(test));
      expect(enrolled.recoveryCodes).toHaveLength(10);
      await test.service.totp.disable(enrolled.user.id);
      expect(await test.service.totp.isEnabled(enrolled.user.id)).toBe(false);
      const warnings = test.log.filter(({ level }) => level === 'warn');
      expect(JSON.stringify(warnings)).toContain('wrong codes of a user could not be forgotten');
    });

    it('neither counts a right code nor resets the wrong ones because of it', async () => {
      const enrolled = await enrolledUser();
      for (let i = 0; i < 4; i += 1) await verify(enrolled, wrongCode(enrolled));
      for (let i = 0; i < 3; i += 1) {
        expect(await verify(enrolled, rightCode(enrolled))).toBe(true);
        enrolled.test.clock.advance(step);
      }
      expect(await verify(enrolled, wrongCode(enrolled))).toBe(false);
      expect(await outcomeOf(() => verify(enrolled, rightCode(enrolled)))).toBe('max_attempts_exceeded');
    });

    it('locks out only the user whose codes were wrong', async () => {
      const enrolled = await enrolledUser();
      const other = await enroll(enrolled.test, await verifiedUser(enrolled.test));
      await runInSequence(6, () => verify(enrolled, wrongCode(enrolled)));
      expect(await verify(other, rightCode(other))).toBe(true);
    });

    it('returns false for a user without a second factor, and counts nothing', async () => {
      const test = await makeTotp();
      const user = await verifiedUser(test);
      const none: EnrolledUser = { test, user, secret: '', recoveryCodes: [] };
      for (let i = 0; i < 7; i += 1) {
        expect([await verify(none, '123456'), await recover(none, 'A'.repeat(24))]).toEqual([false, false]);
      }
    });

    it('refuses the code and the recovery codes of another user', async () => {
      const enrolled = await enrolledUser();
      const other = await enroll(enrolled.test, await verifiedUser(enrolled.test));
      expect(await verify(other, rightCode(enrolled))).toBe(false);
      expect(await recover(other, enrolled.recoveryCodes[0])).toBe(false);
      expect(await recover(enrolled, enrolled.recoveryCodes[0])).toBe(true);
    });

    it('rejects a malformed code with invalid_request, and returns false for any other string', async () => {
      const enrolled = await enrolledUser();
      const { totp } = enrolled.test.service;
      for (const odd of oddCodes) {
        const code = odd as string;
        for (const call of [
          () => totp.verify(enrolled.user.id, code),
          () => totp.verifyRecoveryCode(enrolled.user.id, code),
          () => totp.confirmEnrollment(enrolled.user.id, code),
        ]) {
          expect([odd, await outcomeOf(call)]).toEqual([odd, 'invalid_request']);
        }
      }
      for (const text of wrongTexts) {
        expect([text, await verify(enrolled, text), await recover(enrolled, text)]).toEqual([
          text,
          false,
          false,
        ]);
        enrolled.test.clock.advance(15 * minute);
      }
      expect(await verify(enrolled, rightCode(enrolled))).toBe(true);
    });

    it('counts no attempt if the storage fails', async () => {
      const clock = testClock(Math.ceil(Date.now() / step) * step);
      const enrolled = await enrolledUser({ clock });
      const real = adapter();
      const down = { ...real.totp!, listApps: () => Promise.reject(new Error('down')) };
      const broken = await makeTotp({ clock, adapter: { ...real, totp: down } });
      const failing = { ...enrolled, test: broken };
      for (let i = 0; i < 7; i += 1) {
        expect(await outcomeOf(() => verify(failing, rightCode(enrolled)))).toMatch(/down/);
      }
      expect(await verify(enrolled, rightCode(enrolled))).toBe(true);
    });
  });

  describe('recovery codes', () => {
    //
    it('accepts each recovery code once, without the app', async () => {
      const enrolled = await enrolledUser();
      for (const code of enrolled.recoveryCodes) expect(await recover(enrolled, code)).toBe(true);
      for (const code of enrolled.recoveryCodes.slice(0, 5))
        expect(await recover(enrolled, code)).toBe(false);
    });

    //
    it('accepts a recovery code once in 50 concurrent calls', async () => {
      const enrolled = await enrolledUser();
      const [code] = enrolled.recoveryCodes;
      const results = await Promise.allSettled(Array.from({ length: 50 }, () => recover(enrolled, code)));
      const values = results.map((each) => (each.status === 'fulfilled' ? each.value : 'refused'));
      expect(values.filter((value) => value === true)).toHaveLength(1);
      expect(
        (await enrolled.test.takeEventNames()).filter((name) => name === 'totp.recovery_code_used'),
      ).toHaveLength(1);
    });

    it('accepts recovery codes in lower case, with spaces, or without hyphens', async () => {
      const enrolled = await enrolledUser();
      const [first, second, third, fourth] = enrolled.recoveryCodes as [string, string, string, string];
      expect(await recover(enrolled, first.toLowerCase())).toBe(true);
      expect(await recover(enrolled, ` ${second.replaceAll('-', ' ')}\n`)).toBe(true);
      expect(await recover(enrolled, third.replaceAll('-', ''))).toBe(true);
      expect(await recover(enrolled, fourth.slice(0, -1))).toBe(false);
      expect(await recover(enrolled, fourth)).toBe(true);
    });

    it('accepts neither a recovery code as a TOTP code nor the reverse', async () => {
      const enrolled = await enrolledUser();
      expect(await verify(enrolled, enrolled.recoveryCodes[0])).toBe(false);
      expect(await recover(enrolled, rightCode(enrolled))).toBe(false);
    });

    //
    it('stores recovery codes as MACs, and secrets encrypted', async () => {
      const { recoveryCodes, secret } = await enrolledUser();
      const rows = sql ? await sql('select * from svc_recovery_codes') : [];
      const enrollments = sql ? await sql('select * from svc_totp') : [];
      const storedRows = JSON.stringify([rows, enrollments]);
      for (const text of [secret, ...recoveryCodes, ...recoveryCodes.flatMap((each) => each.split('-'))]) {
        expect(storedRows).not.toContain(text);
      }
      for (const { code_hash } of rows) expect(code_hash).toMatch(/^[\w-]{43}$/);
    });

    //
    it('replaces all recovery codes when they are regenerated, and keeps the app', async () => {
      const enrolled = await enrolledUser();
      const { test, user } = enrolled;
      const codes = await test.service.totp.regenerateRecoveryCodes(user.id);
      expect(codes).toHaveLength(10);
      for (const code of codes) expect(code).toMatch(recoveryCode);
      expect(codes.filter((code) => enrolled.recoveryCodes.includes(code))).toEqual([]);
      expect(await test.takeEventNames()).toEqual(['totp.recovery_codes_replaced']);
      expect(await recover(enrolled, enrolled.recoveryCodes[0])).toBe(false);
      expect(await recover(enrolled, codes[0])).toBe(true);
      expect(await verify(enrolled, rightCode(enrolled))).toBe(true);
    });

    it('rejects new recovery codes with code_not_found if the user has no second factor', async () => {
      const test = await makeTotp();
      const { id } = await verifiedUser(test);
      const regenerate = () => outcomeOf(() => test.service.totp.regenerateRecoveryCodes(id));
      expect(await regenerate()).toBe('code_not_found');
      await test.service.totp.beginEnrollment(id);
      expect(await regenerate()).toBe('code_not_found');
    });
  });
});
