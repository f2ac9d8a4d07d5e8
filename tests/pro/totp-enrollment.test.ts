// Enrollment and removal of the second factor (specification 4.3 `totp`;
// docs/security-requirements.md ).
import { testClock } from 'svc-auth/testing';
import { codeAt, wrongCodeAt } from '../support/authenticator-app.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { minute, unknownId, invalidIds, type ProService } from '../support/make-pro-service.js';
import { errorOf, outcomeOf, race } from '../support/outcomes.js';
import { recoveryCode, step, totpUsers, type EnrolledUser } from './totp-users.js';

describeAdapters('Enrollment of the second factor', (on) => {
  const { adapter } = on;
  const { makePro, verifiedUser, userWithoutAddress, makeTotp, enrolledUser } = totpUsers(on);
  const { verify, recover, rightCode, wrongCode, pendingSignIn } = totpUsers(on);

  describe('beginEnrollment', () => {
    it('returns a secret of 160 bits with its otpauth URI, and enables nothing yet', async () => {
      const test = await makeTotp();
      const user = await verifiedUser(test);
      const { token } = await test.service.sessionsProvider.create({ userId: user.id });
      await test.takeEvents();
      const { secret, uri, ...others } = await test.service.totp.beginEnrollment(user.id);
      expect(others).toEqual({});
      expect(secret).toMatch(/^[A-Z2-7]{32}$/);
      expect(uri).toBe(
        `otpauth://totp/Acme:${encodeURIComponent(user.email!)}?issuer=Acme&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
      );
      expect(await test.service.totp.isEnabled(user.id)).toBe(false);
      expect(await test.service.getSessionUser(token)).toEqual(user);
      expect(await test.takeEvents()).toEqual([]);
    });

    it('labels the secret with the user id if the user has no email address', async () => {
      const test = await makeTotp();
      const user = await userWithoutAddress(test);
      const { uri } = await test.service.totp.beginEnrollment(user.id);
      expect(new URL(uri).pathname).toBe(`/Acme:${user.id}`);
    });

    it('rejects an enrollment of a guest with not_authorized', async () => {
      const test = await makeTotp();
      const { totp, sessionsProvider } = test.service;
      const { user } = await sessionsProvider.createGuest();
      expect(await outcomeOf(() => totp.beginEnrollment(user.id))).toBe('not_authorized');
      expect(await outcomeOf(() => totp.confirmEnrollment(user.id, '123456'))).toBe('not_authorized');
      expect(await adapter().totp!.find(user.id)).toBeNull();
      await sessionsProvider.upgrade({ userId: user.id, provider: 'idp', providerAccountId: user.id });
      expect(await outcomeOf(() => totp.beginEnrollment(user.id))).toBe('ok');
    });

    //
    it('does not ask for, or accept, a code of an unconfirmed secret', async () => {
      const test = await makeTotp();
      const user = await verifiedUser(test);
      const { secret } = await test.service.totp.beginEnrollment(user.id);
      const pendingUser: EnrolledUser = { test, user, secret, recoveryCodes: [] };
      expect(await verify(pendingUser, rightCode(pendingUser))).toBe(false);
      expect(await pendingSignIn(pendingUser)).toMatchObject({ session: {} });
    });

    it('replaces the secret of an enrollment that is not confirmed when another begins', async () => {
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

    it('rejects with user_not_found if the user is deleted during the call', async () => {
      const real = adapter();
      const test = await makeTotp({
        adapter: { ...real, totp: { ...real.totp!, savePending: async () => 'no_user' } },
      });
      const { id } = await verifiedUser(test);
      expect(await outcomeOf(() => test.service.totp.beginEnrollment(id))).toBe('user_not_found');
    });
  });

  describe('confirmEnrollment', () => {
    //
    it('enables the second factor and returns ten recovery codes of 24 base32 characters', async () => {
      const test = await makeTotp();
      const user = await verifiedUser(test);
      await test.takeEvents();
      const { secret } = await test.service.totp.beginEnrollment(user.id);
      const code = codeAt(secret, test.clock.now());
      const confirmed = await test.service.totp.confirmEnrollment(user.id, code);
      expect(Object.keys(confirmed)).toEqual(['recoveryCodes']);
      expect(confirmed.recoveryCodes).toHaveLength(10);
      expect(new Set(confirmed.recoveryCodes).size).toBe(10);
      for (const each of confirmed.recoveryCodes) expect(each).toMatch(recoveryCode);
      expect(await test.service.totp.isEnabled(user.id)).toBe(true);
      expect(await test.takeEvents()).toEqual([{ name: 'totp.enabled', payload: { userId: user.id } }]);
    });

    //
    it('uses up the time step of the confirming code, and every earlier step', async () => {
      const test = await makeTotp();
      const user = await verifiedUser(test);
      const { secret } = await test.service.totp.beginEnrollment(user.id);
      const pendingUser: EnrolledUser = { test, user, secret, recoveryCodes: [] };
      await test.service.totp.confirmEnrollment(user.id, rightCode(pendingUser));
      expect(await verify(pendingUser, rightCode(pendingUser))).toBe(false);
      expect(await verify(pendingUser, rightCode(pendingUser, -step))).toBe(false);
      expect(await verify(pendingUser, rightCode(pendingUser, step))).toBe(true);
    });

    it('rejects with code_not_found if no enrollment is pending, also after it is confirmed', async () => {
      const test = await makeTotp();
      const { id } = await verifiedUser(test);
      const confirm = (code: string) => outcomeOf(() => test.service.totp.confirmEnrollment(id, code));
      expect(await confirm('123456')).toBe('code_not_found');
      const { secret } = await test.service.totp.beginEnrollment(id);
      expect(await confirm(codeAt(secret, test.clock.now()))).toBe('ok');
      expect(await confirm(codeAt(secret, test.clock.now() + step))).toBe('code_not_found');
    });

    it('counts wrong codes down to max_attempts_exceeded across new enrollments', async () => {
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

    it('enables the second factor once for 20 concurrent confirmations', async () => {
      const test = await makeTotp();
      const user = await verifiedUser(test);
      await test.takeEvents();
      const { secret } = await test.service.totp.beginEnrollment(user.id);
      const code = codeAt(secret, test.clock.now());
      const tally = await race(20, () => test.service.totp.confirmEnrollment(user.id, code));
      expect(tally).toEqual({ ok: 1, code_not_found: 19 });
      expect(await test.takeEventNames()).toEqual(['totp.enabled']);
    });

    it('accepts a code with spaces, as authenticator apps show it', async () => {
      const test = await makeTotp();
      const { id } = await verifiedUser(test);
      const { secret } = await test.service.totp.beginEnrollment(id);
      const spaced = codeAt(secret, test.clock.now()).replace(/^.../, '$& ');
      expect(await outcomeOf(() => test.service.totp.confirmEnrollment(id, ` ${spaced} `))).toBe('ok');
    });

    it('keeps the enrolled app and its recovery codes until another app is confirmed', async () => {
      const old = await enrolledUser();
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

  describe('disable', () => {
    it('removes the secret, the recovery codes and a pending enrollment, so that one factor signs in', async () => {
      const enrolled = await enrolledUser();
      const { test, user } = enrolled;
      const { totp } = test.service;
      await totp.beginEnrollment(user.id);
      await totp.disable(user.id);
      expect(await test.takeEvents()).toEqual([{ name: 'totp.disabled', payload: { userId: user.id } }]);
      expect(await totp.isEnabled(user.id)).toBe(false);
      expect(await adapter().totp!.find(user.id)).toBeNull();
      expect(await adapter().totp!.countRecoveryCodes(user.id)).toBe(0);
      expect([
        await verify(enrolled, rightCode(enrolled)),
        await recover(enrolled, enrolled.recoveryCodes[0]),
      ]).toEqual([false, false]);
      expect(await outcomeOf(() => totp.confirmEnrollment(user.id, '123456'))).toBe('code_not_found');
      expect(await pendingSignIn(enrolled)).toMatchObject({ session: {} });
    });

    it('changes nothing if no second factor is enabled: sessions remain and no event is emitted', async () => {
      const test = await makeTotp();
      const { id } = await verifiedUser(test);
      const { token } = await test.service.sessionsProvider.create({ userId: id });
      await test.service.totp.beginEnrollment(id);
      await test.takeEvents();
      await test.service.totp.disable(id);
      expect(await outcomeOf(() => test.service.getSessionUser(token))).toBe('ok');
      expect(await test.takeEvents()).toEqual([]);
      expect(await adapter().totp!.find(id)).toBeNull();
    });
  });

  describe('every TOTP method', () => {
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

    it('rejects with encryption_required without an encryptionKey, also at sign-in', async () => {
      const clock = testClock(Math.ceil(Date.now() / step) * step);
      const enrolled = await enrolledUser({ clock });
      const test = await makePro({ clock, providers: { totp: true } });
      for (const userId of [enrolled.user.id, unknownId]) {
        for (const [name, call] of Object.entries(methods(test, userId))) {
          expect([name, await outcomeOf(call)]).toEqual([name, 'encryption_required']);
        }
      }
      const { pending, session } = await pendingSignIn({ ...enrolled, test });
      expect(session).toBeUndefined();
      const input = { token: pending!.token, code: rightCode(enrolled) };
      expect(await outcomeOf(() => test.service.totp.finishSignIn(input))).toBe('encryption_required');
    });

    it('rejects an unknown or malformed user id with user_not_found', async () => {
      const test = await makeTotp();
      for (const userId of invalidIds) {
        for (const [name, call] of Object.entries(methods(test, userId as string))) {
          expect([userId, name, await outcomeOf(call)]).toEqual([userId, name, 'user_not_found']);
        }
      }
    });
  });

  it('rejects a storage without second factors with adapter_capability when the service is created', async () => {
    const { totp: _, ...without } = adapter();
    expect(await outcomeOf(() => makeTotp({ adapter: without }))).toBe('adapter_capability');
  });
});
