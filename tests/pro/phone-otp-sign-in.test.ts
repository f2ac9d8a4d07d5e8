// Sign-in by text message (specification 4.3 `phoneOtp`; docs/decisions/phone-numbers.md; C-44).
import type { ServiceUser } from 'svc-auth';
import { codeAt } from '../support/authenticator-app.js';
import { describeAdapters } from '../support/describe-adapters.js';
import type { TestService } from '../support/make-service.js';
import { minute, settleService } from '../support/make-pro-service.js';
import { errorOf, runInSequence, outcomeOf, race } from '../support/outcomes.js';
import { withoutFastPaths } from '../support/without-fast-paths.js';
import { newNumber, phoneOtp, type PhoneService } from './phone-otp-service.js';

const wrong = (code: string) => (code === '000000' ? '111111' : '000000');

describeAdapters('Sign-in by text message', (on) => {
  const { adapter, uniqueEmail, sql } = on;
  const { verifiedUser, makePhone, send, verify, signIn } = phoneOtp(on);

  describe('verify', () => {
    it('creates a user with the number and without an address, whom the next code finds', async () => {
      const test = await makePhone();
      const { phone, user, created, session } = await signIn(test);
      expect([created, session]).toEqual([true, undefined]);
      expect(user).toEqual({
        id: user.id,
        email: null,
        emailVerified: false,
        metadata: {},
        createdAt: new Date(test.clock.now()),
        updatedAt: new Date(test.clock.now()),
      });
      expect(await test.takeEvents()).toEqual([
        { name: 'code.sent', payload: { purpose: 'phone_code' } },
        { name: 'user.created', payload: { userId: user.id, method: 'phone_code' } },
      ]);
      const again = await signIn(test, phone);
      expect([again.user.id, again.created]).toEqual([user.id, false]);
    });

    it('starts a session with startSession', async () => {
      const test = await makePhone();
      const phone = newNumber();
      await send(test, phone);
      const context = { startSession: true, ip: '192.0.2.7', userAgent: 'Test/1' };
      const { user, session } = await verify(test, phone, test.texts.lastCode(phone), context);
      expect(await test.service.getSessionUser(session!.token)).toEqual(user);
      expect(session!.session.device).toEqual({ ip: '192.0.2.7', userAgent: 'Test/1' });
    });

    it('stores metadata for a user whom the code creates, and for no existing one', async () => {
      const test = await makePhone();
      const phone = newNumber();
      const use = async (metadata: object) => {
        await send(test, phone, { metadata });
        return (await verify(test, phone, test.texts.lastCode(phone))).user.metadata;
      };
      expect(await use({ invitedBy: 'grace' })).toEqual({ invitedBy: 'grace' });
      expect(await use({ role: 'admin' })).toEqual({ invitedBy: 'grace' });
    });

    //
    it('accepts a code for five minutes, to the millisecond', async () => {
      const test = await makePhone();
      const [early, late] = [newNumber(), newNumber()];
      await send(test, early);
      await send(test, late);
      test.clock.advance(5 * minute - 1);
      expect(await outcomeOf(() => verify(test, early, test.texts.lastCode(early)))).toBe('ok');
      test.clock.advance(1);
      expect(await outcomeOf(() => verify(test, late, test.texts.lastCode(late)))).toBe('code_expired');
    });

    it('uses its own ttlMs instead of code.ttlMs', async () => {
      const test = await makePhone({ ttlMs: 60 * minute }, { code: { ttlMs: minute } });
      const phone = newNumber();
      await send(test, phone);
      test.clock.advance(60 * minute - 1);
      expect(await outcomeOf(() => verify(test, phone, test.texts.lastCode(phone)))).toBe('ok');
    });

    //
    it('accepts a code once in 50 concurrent calls, and creates one user', async () => {
      const test = await makePhone();
      const phone = newNumber();
      await send(test, phone);
      const code = test.texts.lastCode(phone);
      const users = new Set<string>();
      const tally = await race(50, async () => users.add((await verify(test, phone, code)).user.id));
      expect(tally).toEqual({ ok: 1, code_not_found: 49 });
      expect(users.size).toBe(1);
      expect(await outcomeOf(() => verify(test, phone, code))).toBe('code_not_found');
      expect((await test.takeEventNames()).filter((name) => name === 'user.created')).toHaveLength(1);
    });

    it('evaluates five wrong codes per code and ten in 15 minutes, then refuses even the right one', async () => {
      const test = await makePhone();
      const phone = newNumber();
      for (const round of [1, 2]) {
        await send(test, phone);
        const code = test.texts.lastCode(phone)!;
        for (const attemptsRemaining of [4, 3, 2, 1, 0]) {
          const error = await errorOf(() => verify(test, phone, wrong(code)));
          expect([round, error]).toMatchObject([round, { code: 'code_invalid', attemptsRemaining }]);
        }
        const outcome = await outcomeOf(() => verify(test, phone, code));
        expect(outcome).toBe(round === 1 ? 'max_attempts_exceeded' : 'rate_limit_exceeded');
      }
      await send(test, phone);
      expect(await outcomeOf(() => verify(test, phone, test.texts.lastCode(phone)))).toBe(
        'rate_limit_exceeded',
      );
      test.clock.advance(15 * minute);
      await send(test, phone);
      expect(await outcomeOf(() => verify(test, phone, test.texts.lastCode(phone)))).toBe('ok');
    });

    it('accepts the number in any notation and the code with spaces', async () => {
      const test = await makePhone();
      const phone = newNumber();
      await send(test, phone);
      const code = test.texts.lastCode(phone)!.replace(/^.../, '$& ');
      expect(await outcomeOf(() => verify(test, phone.replace('555', ' 555-'), code))).toBe('ok');
    });

    it.each([undefined, null, 123456, {}, ['123456'], '', ' '.repeat(6), '1'.repeat(65)])(
      'rejects the code %p with invalid_request and counts no attempt',
      async (code) => {
        const test = await makePhone();
        const phone = newNumber();
        await send(test, phone);
        expect(await runInSequence(6, () => verify(test, phone, code))).toEqual(
          Array(6).fill('invalid_request'),
        );
        expect(await outcomeOf(() => verify(test, phone, test.texts.lastCode(phone)))).toBe('ok');
      },
    );

    it('rejects codes of another number and of an email address', async () => {
      const test = await makePhone();
      const [phone, otherPhone, email] = [newNumber(), newNumber(), uniqueEmail()];
      await send(test, phone);
      expect(await outcomeOf(() => verify(test, otherPhone, test.texts.lastCode(phone)))).toBe(
        'code_not_found',
      );
      await test.service.emailCode.sendCode({ email });
      const mailed = test.mail.lastCode(email);
      expect(await outcomeOf(() => verify(test, otherPhone, mailed))).toBe('code_not_found');
      expect(await outcomeOf(() => verify(test, email, mailed))).toBe('invalid_request');
      const asEmail = { email: phone, code: test.texts.lastCode(phone)! };
      expect(await outcomeOf(() => test.service.emailCode.verify(asEmail))).toBe('invalid_request');
      expect(await outcomeOf(() => verify(test, phone, test.texts.lastCode(phone)))).toBe('ok');
    });

    it('never sends a password reset to a phone number', async () => {
      const test = await makePhone();
      const { phone } = await signIn(test);
      expect(await test.service.emailPassword.requestReset({ email: phone })).toEqual({ sent: true });
      await settleService(test);
      expect(test.mail.messages).toEqual([]);
      expect(test.texts.messages).toHaveLength(1);
    });

    //
    it('requires the second factor', async () => {
      const test = await makePhone(
        {},
        { encryptionKey: 'an encryption key, 32 bytes or more!', providers: { totp: true } },
      );
      const { phone, user } = await signIn(test);
      await enable(test, user);
      await send(test, phone);
      const result = await verify(test, phone, test.texts.lastCode(phone), { startSession: true });
      expect([result.session, result.pending?.token]).toEqual([undefined, expect.any(String)]);
    });

    it('starts no session if all sessions are revoked during the sign-in', async () => {
      const test = await makePhone();
      const { phone, user } = await signIn(test);
      const real = adapter();
      const slow = await makePhone(
        {},
        {
          clock: test.clock,
          adapter: {
            ...withoutFastPaths(real),
            oneTimeCodes: {
              ...real.oneTimeCodes,
              attempt: async (...input) => {
                await test.service.sessionsProvider.revokeAll(user.id);
                return real.oneTimeCodes.attempt(...input);
              },
            },
          },
        },
      );
      await send(slow, phone);
      const signInAgain = () => verify(slow, phone, slow.texts.lastCode(phone), { startSession: true });
      expect(await outcomeOf(signInAgain)).toBe('token_invalid');
    });

    //
    it('logs a failure with a masked number, and a success without it', async () => {
      const test = await makePhone();
      const { phone } = await signIn(test);
      await send(test, phone);
      await outcomeOf(() => verify(test, phone, wrong(test.texts.lastCode(phone)!)));
      const failures = test.log.filter(({ fields }) => fields['event'] === 'sign_in_failed');
      const masked = `+12*******${phone.slice(-2)}`;
      expect(failures.map(({ fields }) => [fields['method'], fields['reason'], fields['address']])).toEqual([
        ['phone_code', 'code_invalid', masked],
      ]);
      expect(JSON.stringify(test.log)).not.toContain(phone.slice(3));
    });
  });

  describe('a guest', () => {
    it('upgrades a guest by a number in any notation, with which the guest signs in afterwards', async () => {
      const test = await makePhone();
      const { sessionsProvider } = test.service;
      const { user: guest } = await sessionsProvider.createGuest();
      const phone = newNumber();
      const upgrade = (userId: string, providerAccountId: string) =>
        sessionsProvider.upgrade({ userId, provider: 'phone', providerAccountId });
      await upgrade(guest.id, phone.replace('555', ' (555) '));
      const { user, created } = await signIn(test, phone);
      expect([user.id, created]).toEqual([guest.id, false]);
      // No other guest can use the number, in any notation.
      const other = await sessionsProvider.createGuest();
      for (const spelling of [phone, phone.replace('555', '-555-')]) {
        expect(await outcomeOf(() => upgrade(other.user.id, spelling))).toBe('not_authorized');
      }
      for (const none of ['2125550100', 'phone', '+19005551234']) {
        expect(await outcomeOf(() => upgrade(other.user.id, none))).toBe('invalid_request');
      }
    });
  });

  describe('the phone number of an account', () => {
    /** A guest upgraded with a number and an unverified address. */
    async function withBoth(test: PhoneService) {
      const { sessionsProvider } = test.service;
      const { user: guest } = await sessionsProvider.createGuest();
      const [phone, email] = [newNumber(), uniqueEmail()];
      const upgrade = { userId: guest.id, provider: 'phone', providerAccountId: phone, email };
      const { user } = await sessionsProvider.upgrade(upgrade);
      return { user, phone, email };
    }

    it('removes the number with its pending code when the owner of the mailbox reclaims the account', async () => {
      const test = await makePhone();
      const { user, phone, email } = await withBoth(test);
      await send(test, phone);
      const claimed = await verifiedUser(test, email);
      expect(claimed.id).toBe(user.id);
      expect(await adapter().identities.listForUser(user.id)).toEqual([]);
      expect(await outcomeOf(() => verify(test, phone, test.texts.lastCode(phone)))).toBe('code_not_found');
      // The owner of the number gets a separate account.
      expect(await signIn(test, phone)).toMatchObject({ created: true });
    });

    //
    it('keeps the number after a password reset, and revokes its pending code', async () => {
      const test = await makePhone();
      const { user, phone, email } = await withBoth(test);
      // Verified in a session of the account itself, which reclaims nothing, so the number remains.
      const { token: sessionToken } = await test.service.sessionsProvider.create({ userId: user.id });
      await test.service.emailCode.sendCode({ email });
      await test.service.emailCode.verify({ email, code: test.mail.lastCode(email)! }, { sessionToken });
      await send(test, phone);
      const code = test.texts.lastCode(phone);
      await test.service.emailPassword.requestReset({ email });
      await settleService(test);
      const token = new URL(test.mail.lastLink(email)!).searchParams.get('token')!;
      await test.service.emailPassword.setPassword({ token, newPassword: 'correct horse battery' });
      expect(await outcomeOf(() => verify(test, phone, code))).toBe('code_not_found');
      expect((await signIn(test, phone)).user.id).toBe(user.id);
    });

    it('exports the number, and deletes it with its pending code and the account', async () => {
      const test = await makePhone();
      const { phone, user } = await signIn(test);
      const { identities } = await test.service.account.exportData(user.id);
      expect(identities).toMatchObject([{ provider: 'phone', providerAccountId: phone }]);
      await send(test, phone, { metadata: { left: 'behind' } });
      await test.service.account.deleteUser(user.id);
      expect(await outcomeOf(() => verify(test, phone, test.texts.lastCode(phone)))).toBe('code_not_found');
      if (!sql) return;
      for (const table of ['svc_users', 'svc_identities', 'svc_one_time_codes', 'svc_rate_limits']) {
        const rows = JSON.stringify(await sql(`select * from ${table}`));
        expect([table, rows.includes(phone), rows.includes(user.id)]).toEqual([table, false, false]);
      }
    });
  });
});

async function enable({ service, clock }: TestService, { id }: ServiceUser): Promise<void> {
  const { secret } = await service.totp.beginEnrollment(id);
  await service.totp.confirmEnrollment(id, codeAt(secret, clock.now()));
}
