// Sign-in with the second factor (specification 4.3 `totp`; docs/security-requirements.md A-16,
// Over HTTP it is tested in tests/http/suites/second-factor.ts, from several
// processes in tests/pro/processes.long.test.ts.
import { codeAt } from '../support/authenticator-app.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { minute, invalidIds } from '../support/make-pro-service.js';
import { errorOf, outcomeOf, race } from '../support/outcomes.js';
import { withoutFastPaths } from '../support/without-fast-paths.js';
import { oddCodes, second, step, totpUsers, type EnrolledUser } from './totp-users.js';

describeAdapters('Sign-in with the second factor', (on) => {
  const { adapter, uniqueEmail } = on;
  const { verifiedUser, unverifiedUser, makeTotp, enroll, enrolledUser } = totpUsers(on);
  const { verify, recover, rightCode, wrongCode, pendingSignIn } = totpUsers(on);

  describe('sessions when the second factor changes', () => {
    //
    it.each([
      [
        'enabling the second factor',
        false,
        ({ test, user, secret }: EnrolledUser) =>
          test.service.totp.confirmEnrollment(user.id, codeAt(secret, test.clock.now())),
      ],
      [
        'regenerating recovery codes',
        true,
        ({ test, user }: EnrolledUser) => test.service.totp.regenerateRecoveryCodes(user.id),
      ],
      [
        'disabling the second factor',
        true,
        ({ test, user }: EnrolledUser) => test.service.totp.disable(user.id),
      ],
    ] as const)(
      'revokes every session, token and refresh family of that user alone: %s',
      async (_name, isEnabled, change) => {
        const test = await makeTotp();
        const user = await verifiedUser(test);
        const other = await verifiedUser(test);
        const { secret } = await test.service.totp.beginEnrollment(user.id);
        let enrolled: EnrolledUser = { test, user, secret, recoveryCodes: [] };
        if (isEnabled) enrolled = await enroll(test, user);
        const { service } = test;
        const session = await service.sessionsProvider.create({ userId: user.id });
        const stateless = service.createSessionToken(user.id);
        const pair = await service.refresh.issue({ userId: user.id });
        const foreign = await service.sessionsProvider.create({ userId: other.id });
        test.clock.advance(second);
        await change(enrolled);
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

    //
    it('starts no session for a sign-in that began before the second factor was enabled', async () => {
      const test = await makeTotp();
      const email = uniqueEmail();
      const user = await verifiedUser(test, email);
      const { secret } = await test.service.totp.beginEnrollment(user.id);
      await test.service.emailCode.sendCode({ email });
      const code = test.mail.lastCode(email)!;
      // The second factor is enabled after the user is read and before the session is created.
      const real = adapter();
      const slow = await makeTotp({
        clock: test.clock,
        adapter: {
          ...withoutFastPaths(real),
          oneTimeCodes: {
            ...real.oneTimeCodes,
            attempt: async (...input) => {
              await test.service.totp.confirmEnrollment(user.id, codeAt(secret, test.clock.now()));
              return real.oneTimeCodes.attempt(...input);
            },
          },
        },
      });
      const { session, pending } = await slow.service.emailCode.verify(
        { email, code },
        { startSession: true },
      );
      expect(session).toBeUndefined();
      // The pending sign-in is from before the change, too: the user must start again, with both
      // factors.
      const input = { token: pending!.token, code: codeAt(secret, test.clock.now() + step) };
      expect(await outcomeOf(() => test.service.totp.finishSignIn(input))).toBe('token_invalid');
      expect(await test.service.sessionsProvider.listDevices(user.id)).toEqual([]);
    });

    //
    it('rejects a pending sign-in with token_invalid after the recovery codes are regenerated', async () => {
      const enrolled = await enrolledUser();
      const { test, user } = enrolled;
      const { pending } = await pendingSignIn(enrolled);
      const codes = await test.service.totp.regenerateRecoveryCodes(user.id);
      const finish = () => test.service.totp.finishSignIn({ token: pending!.token, recoveryCode: codes[0] });
      expect(await outcomeOf(finish)).toBe('token_invalid');
      expect(await recover(enrolled, codes[0])).toBe(true);
    });

    //
    it('returns the user without a second factor if startSession is not set', async () => {
      const { test, user } = await enrolledUser();
      const email = user.email!;
      await test.service.emailCode.sendCode({ email });
      const result = await test.service.emailCode.verify({ email, code: test.mail.lastCode(email)! });
      expect(result).toEqual({
        user: expect.objectContaining({ id: user.id }),
        created: false,
        method: 'email_code',
      });
    });
  });

  describe('finishSignIn', () => {
    const finish = ({ test }: EnrolledUser, input: object, context: object = { startSession: true }) =>
      test.service.totp.finishSignIn(input as { token: string }, context);

    it('starts the session that the first factor alone did not, once', async () => {
      const enrolled = await enrolledUser();
      const { test, user } = enrolled;
      const { pending, session } = await pendingSignIn(enrolled);
      expect(session).toBeUndefined();
      expect(pending).toEqual({
        token: expect.any(String),
        expiresAt: new Date(test.clock.now() + 5 * minute),
        methods: ['totp', 'recovery'],
        preferred: 'totp',
      });
      expect(await test.takeEventNames()).toEqual(['code.sent']);
      const result = await finish(enrolled, { token: pending!.token, code: rightCode(enrolled) });
      expect(Object.keys(result).sort()).toEqual(['created', 'method', 'session', 'user']);
      expect(result.method).toBe('email_code+totp');
      expect(await test.service.getSessionUser(result.session!.token)).toEqual(result.user);
      expect(await test.takeEventNames()).toEqual(['session.created']);
      test.clock.advance(step);
      const again = { token: pending!.token, code: rightCode(enrolled) };
      expect(await outcomeOf(() => finish(enrolled, again))).toBe('token_invalid');
      expect(await test.service.sessionsProvider.listDevices(user.id)).toHaveLength(1);
    });

    it('accepts a recovery code instead of a TOTP code', async () => {
      const enrolled = await enrolledUser();
      const { pending } = await pendingSignIn(enrolled);
      const input = { token: pending!.token, recoveryCode: enrolled.recoveryCodes[3]!.toLowerCase() };
      expect((await finish(enrolled, input)).session).toBeDefined();
      expect(await recover(enrolled, enrolled.recoveryCodes[3])).toBe(false);
    });

    it('starts one session for 20 concurrent calls with one pending token', async () => {
      const enrolled = await enrolledUser();
      const { pending } = await pendingSignIn(enrolled);
      const tally = await race(20, (i) =>
        finish(enrolled, { token: pending!.token, recoveryCode: enrolled.recoveryCodes[i % 10] }),
      );
      expect(tally['ok']).toBe(1);
      expect(await enrolled.test.service.sessionsProvider.listDevices(enrolled.user.id)).toHaveLength(1);
    });

    it('returns the user without a session without startSession', async () => {
      const enrolled = await enrolledUser();
      const { pending } = await pendingSignIn(enrolled);
      const result = await finish(enrolled, { token: pending!.token, code: rightCode(enrolled) }, {});
      expect(result).toEqual({
        user: expect.objectContaining({ id: enrolled.user.id }),
        created: false,
        method: 'email_code+totp',
      });
    });

    it('counts wrong codes together with verify, down to max_attempts_exceeded', async () => {
      const enrolled = await enrolledUser();
      const { pending } = await pendingSignIn(enrolled);
      const { token } = pending!;
      await verify(enrolled, wrongCode(enrolled));
      for (const attemptsRemaining of [3, 2, 1, 0]) {
        const error = await errorOf(() => finish(enrolled, { token, code: wrongCode(enrolled) }));
        expect(error).toMatchObject({ code: 'code_invalid', attemptsRemaining });
      }
      const right = () => finish(enrolled, { token, code: rightCode(enrolled) });
      expect(await outcomeOf(right)).toBe('max_attempts_exceeded');
      // Another first factor does not reset the count.
      const next = await pendingSignIn(enrolled);
      const later = { token: next.pending!.token, recoveryCode: enrolled.recoveryCodes[0] };
      expect(await outcomeOf(() => finish(enrolled, later))).toBe('max_attempts_exceeded');
      const failures = enrolled.test.log.filter(({ fields }) => fields['event'] === 'sign_in_failed');
      expect(failures.map(({ fields }) => fields['reason'])).toEqual([
        ...Array<string>(4).fill('code_invalid'),
        'max_attempts_exceeded',
        'max_attempts_exceeded',
      ]);
    });

    it('keeps the pending token valid after a wrong code', async () => {
      const enrolled = await enrolledUser();
      const { pending } = await pendingSignIn(enrolled);
      const { token } = pending!;
      expect(await outcomeOf(() => finish(enrolled, { token, code: wrongCode(enrolled) }))).toBe(
        'code_invalid',
      );
      expect(await outcomeOf(() => finish(enrolled, { token, code: rightCode(enrolled) }))).toBe('ok');
    });

    it('rejects a pending token with token_invalid after five minutes, to the millisecond', async () => {
      const enrolled = await enrolledUser();
      const [early, late] = [await pendingSignIn(enrolled), await pendingSignIn(enrolled)];
      enrolled.test.clock.advance(5 * minute - 1);
      const of = ({ pending }: typeof early) => ({ token: pending!.token, code: rightCode(enrolled) });
      expect(await outcomeOf(() => finish(enrolled, of(early)))).toBe('ok');
      enrolled.test.clock.advance(1);
      const expired = { token: late.pending!.token, recoveryCode: enrolled.recoveryCodes[0] };
      expect(await outcomeOf(() => finish(enrolled, expired))).toBe('token_invalid');
      expect(await recover(enrolled, enrolled.recoveryCodes[0])).toBe(true);
    });

    it('rejects a pending token with token_invalid after all sessions of its user are revoked', async () => {
      const enrolled = await enrolledUser();
      const { pending } = await pendingSignIn(enrolled);
      await enrolled.test.service.sessionsProvider.revokeAll(enrolled.user.id);
      const input = { token: pending!.token, code: rightCode(enrolled) };
      expect(await outcomeOf(() => finish(enrolled, input))).toBe('token_invalid');
    });

    it('rejects tokens of another kind, tampered tokens and malformed ones with token_invalid', async () => {
      const enrolled = await enrolledUser();
      const { test, user } = enrolled;
      const { pending } = await pendingSignIn(enrolled);
      const session = await test.service.sessionsProvider.create({ userId: user.id });
      await test.service.magicLink.sendLink({ email: user.email! });
      await test.service.emailPassword.requestReset({ email: user.email! });
      await test.takeEvents();
      const mailed = test.mail.messages.slice(-2).map(({ text }) => /token=([\w.-]+)/.exec(text)![1]);
      const tampered = [0, 20, -3].map((at) => {
        const token = pending!.token;
        const index = at < 0 ? token.length + at : at;
        return token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A') + token.slice(index + 1);
      });
      const others = [session.token, ...mailed, ...tampered, `${pending!.token}=`, ...invalidIds];
      for (const token of others) {
        const outcome = await outcomeOf(() => finish(enrolled, { token, code: rightCode(enrolled) }));
        expect([token, outcome]).toEqual([token, 'token_invalid']);
      }
      // A pending token authenticates nothing itself.
      expect(await outcomeOf(() => test.service.getSessionUser(pending!.token))).toBe('token_invalid');
      expect(await outcomeOf(() => test.service.magicLink.verify(pending!.token))).toBe('token_invalid');
      expect(
        await outcomeOf(() => finish(enrolled, { token: pending!.token, code: rightCode(enrolled) })),
      ).toBe('ok');
    });

    it('rejects a missing or malformed code with invalid_request, and counts no attempt', async () => {
      const enrolled = await enrolledUser();
      const { pending } = await pendingSignIn(enrolled);
      const { token } = pending!;
      for (const code of oddCodes) {
        expect(await outcomeOf(() => finish(enrolled, { token, code }))).toBe('invalid_request');
        if (code === undefined) continue;
        expect(await outcomeOf(() => finish(enrolled, { token, recoveryCode: code }))).toBe(
          'invalid_request',
        );
      }
      expect(await outcomeOf(() => finish(enrolled, { token, code: rightCode(enrolled) }))).toBe('ok');
    });
  });

  describe('the second factor of an account', () => {
    const password = 'correct horse battery staple';

    async function reset({ test }: EnrolledUser, email: string): Promise<void> {
      await test.service.emailPassword.requestReset({ email });
      await test.takeEvents();
      const token = new URL(test.mail.lastLink(email)!).searchParams.get('token')!;
      await test.service.emailPassword.setPassword({ token, newPassword: password });
    }

    it('the second factor is removed when the owner of the mailbox reclaims an unverified account', async () => {
      const test = await makeTotp();
      const enrolled = await enroll(test, await unverifiedUser(test));
      const { created, session, pending, user } = await pendingSignIn(enrolled);
      expect([created, session !== undefined, pending]).toEqual([false, true, undefined]);
      expect(user.id).toBe(enrolled.user.id);
      expect(await test.service.totp.isEnabled(user.id)).toBe(false);
      expect(await adapter().totp!.find(user.id)).toBeNull();
      expect(await recover(enrolled, enrolled.recoveryCodes[0])).toBe(false);
    });

    it('the second factor is removed when a password reset reclaims an unverified account', async () => {
      const test = await makeTotp();
      const enrolled = await enroll(test, await unverifiedUser(test));
      await reset(enrolled, enrolled.user.email!);
      expect(await test.service.totp.isEnabled(enrolled.user.id)).toBe(false);
      expect(await adapter().totp!.countRecoveryCodes(enrolled.user.id)).toBe(0);
    });

    //
    it('the second factor remains after a password reset: the next login asks for it', async () => {
      const enrolled = await enrolledUser();
      const email = enrolled.user.email!;
      const { pending } = await pendingSignIn(enrolled);
      await reset(enrolled, email);
      const stale = { token: pending!.token, code: rightCode(enrolled) };
      expect(await outcomeOf(() => enrolled.test.service.totp.finishSignIn(stale))).toBe('token_invalid');
      const login = await enrolled.test.service.emailPassword.login(
        { email, password },
        { startSession: true },
      );
      expect([login.session, login.pending?.token]).toEqual([undefined, expect.any(String)]);
      const input = { token: login.pending!.token, code: rightCode(enrolled) };
      expect(
        (await enrolled.test.service.totp.finishSignIn(input, { startSession: true })).session,
      ).toBeDefined();
    });

    //
    it('cancels a pending enrollment at a password reset', async () => {
      const test = await makeTotp();
      const user = await verifiedUser(test);
      const { secret } = await test.service.totp.beginEnrollment(user.id);
      await reset({ test, user, secret, recoveryCodes: [] }, user.email!);
      const confirm = () => test.service.totp.confirmEnrollment(user.id, codeAt(secret, test.clock.now()));
      expect(await outcomeOf(confirm)).toBe('code_not_found');
      expect(await test.service.totp.isEnabled(user.id)).toBe(false);
    });

    it('exports when it was enabled and the number of recovery codes left, and nothing else', async () => {
      const enrolled = await enrolledUser();
      const { test, user } = enrolled;
      await recover(enrolled, enrolled.recoveryCodes[0]);
      const { totp } = await test.service.account.exportData(user.id);
      const enabledAt = new Date(test.clock.now() - step);
      const apps = [{ name: null, createdAt: enabledAt, lastUsedAt: null }];
      const unset = { email: false, preferred: null };
      expect(totp).toEqual({ enabledAt, recoveryCodesLeft: 9, apps, ...unset });
      await test.service.totp.disable(user.id);
      const after = await test.service.account.exportData(user.id);
      expect(after.totp).toEqual({ enabledAt: null, recoveryCodesLeft: 0, apps: [], ...unset });
    });

    it('the second factor is deleted with the user, and with it every pending sign-in', async () => {
      const enrolled = await enrolledUser();
      const { test, user } = enrolled;
      const { pending } = await pendingSignIn(enrolled);
      await test.service.account.deleteUser(user.id);
      expect(await adapter().totp!.find(user.id)).toBeNull();
      expect(await adapter().totp!.countRecoveryCodes(user.id)).toBe(0);
      const input = { token: pending!.token, code: rightCode(enrolled) };
      expect(await outcomeOf(() => test.service.totp.finishSignIn(input))).toBe('token_invalid');
    });
  });
});
