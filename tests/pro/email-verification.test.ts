// Verification of an account's address (docs/decisions/email-change.md).
// (docs/decisions/email-change.md).
import { describeAdapters } from '../support/describe-adapters.js';
import { minute, invalidIds, proFixtures, type ProService } from '../support/make-pro-service.js';
import { addressFixtures } from '../support/address-mails.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';
import { differentCode } from '../support/site-actions.js';
import { withoutFastPaths } from '../support/without-fast-paths.js';

const password = 'correct horse battery';

describeAdapters('Verification of addresses', ({ make, uniqueEmail, adapter }) => {
  const { makePro, verifiedUser, unverifiedUser } = proFixtures({ make, uniqueEmail });

  const { makeWithSender, mailsTo } = addressFixtures({ makePro });

  describe('the verification of an address', () => {
    const send = ({ service }: ProService, id: string) => service.account.sendVerification(id);
    const verify = ({ service }: ProService, userId: string, code: unknown) =>
      service.account.verifyEmail({ userId, code: code as string });

    it('marks the address verified without reclaiming the account', async () => {
      const test = await makeWithSender();
      const { id, email } = await unverifiedUser(test);
      const { service, mail } = test;
      const { token } = await service.sessionsProvider.create({ userId: id });
      await test.takeEvents();
      expect(await send(test, id)).toEqual({ expiresAt: new Date(test.clock.now() + 10 * minute) });
      expect(mailsTo(test, email!)).toMatchObject([
        { kind: 'email_code', subject: /is your verification code/ },
      ]);
      const { user } = await verify(test, id, mail.lastCode(email!));
      expect(user).toMatchObject({ id, email, emailVerified: true });
      expect(await service.getSessionUser(token)).toEqual(user);
      expect(await outcomeOf(() => service.emailPassword.login({ email: email!, password }))).toBe('ok');
      expect(await test.takeEvents()).toEqual([
        { name: 'code.sent', payload: { purpose: 'email_verification' } },
        { name: 'email.verified', payload: { userId: id } },
      ]);
    });

    it('sends nothing for a verified address', async () => {
      const test = await makeWithSender();
      const { id } = await verifiedUser(test);
      test.mail.clear();
      expect(await send(test, id)).toEqual({ expiresAt: null });
      expect(test.mail.messages).toEqual([]);
      expect((await verify(test, id, '000000')).user).toMatchObject({ id, emailVerified: true });
    });

    it('accepts the code for one user only, and not for a sign-in', async () => {
      const test = await makeWithSender();
      const { id, email } = await unverifiedUser(test);
      const other = await unverifiedUser(test);
      await send(test, id);
      const code = test.mail.lastCode(email!)!;
      const { service } = test;
      expect(await outcomeOf(() => service.emailCode.verify({ email: email!, code }))).toBe('code_not_found');
      expect(await outcomeOf(() => verify(test, other.id, code))).toBe('code_not_found');
      await send(test, other.id);
      expect(await outcomeOf(() => verify(test, other.id, code))).toBe('code_invalid');
      expect(await outcomeOf(() => verify(test, id, code))).toBe('ok');
    });

    it('rejects a code that was sent for a sign-in', async () => {
      const test = await makeWithSender();
      const { id, email } = await unverifiedUser(test);
      await test.service.emailCode.sendCode({ email: email! });
      expect(await outcomeOf(() => verify(test, id, test.mail.lastCode(email!)))).toBe('code_not_found');
    });

    it('limits attempts and messages, and lets codes expire', async () => {
      const test = await makeWithSender();
      const { id, email } = await unverifiedUser(test);
      await send(test, id);
      const code = test.mail.lastCode(email!)!;
      for (let i = 0; i < 5; i += 1) {
        expect(await outcomeOf(() => verify(test, id, differentCode(code)))).toBe('code_invalid');
      }
      expect(await outcomeOf(() => verify(test, id, code))).toBe('max_attempts_exceeded');
      for (let i = 1; i < 5; i += 1) await send(test, id);
      expect(await outcomeOf(() => send(test, id))).toBe('rate_limit_exceeded');
      test.clock.advance(10 * minute);
      expect(await outcomeOf(() => verify(test, id, test.mail.lastCode(email!)))).toBe('code_expired');
    });

    it('counts no message that could not be sent, and leaves no code', async () => {
      const failing = { send: () => Promise.reject(new Error('no route to host')) };
      const test = await makeWithSender({ providers: { account: { sender: failing } } });
      const { id } = await unverifiedUser(test);
      for (let i = 0; i < 9; i += 1) {
        expect(await outcomeOf(() => send(test, id))).toBe('email_send_failed');
      }
      expect(await outcomeOf(() => verify(test, id, '123456'))).toBe('code_not_found');
    });

    it('does not verify an address that an administrator sets in the meantime', async () => {
      const { oneTimeCodes, ...storage } = withoutFastPaths(adapter());
      const other = uniqueEmail();
      const attempt: typeof oneTimeCodes.attempt = async (guess) => {
        const outcome = await oneTimeCodes.attempt(guess);
        await test.service.users.update(guess.subject, { email: other });
        return outcome;
      };
      const test = await makeWithSender({
        adapter: { ...storage, oneTimeCodes: { ...oneTimeCodes, attempt } },
      });
      const { id, email } = await unverifiedUser(test);
      await send(test, id);
      const code = test.mail.lastCode(email!)!;
      expect(await outcomeOf(() => verify(test, id, code))).toBe('code_not_found');
      expect(await storage.users.findById(id)).toMatchObject({ email: other, emailVerified: false });
    });

    it('deletes the code when the owner of the mailbox reclaims the account', async () => {
      const test = await makeWithSender();
      const { id, email } = await unverifiedUser(test);
      await send(test, id);
      await test.service.emailCode.sendCode({ email: email! });
      const code = test.mail.lastCode(email!)!;
      await test.service.emailCode.verify({ email: email!, code });
      const guess = { purpose: 'email_verification', subject: id, codeHashes: [], maxAttempts: 5 } as const;
      const outcome = await test.adapter.oneTimeCodes.attempt({ ...guess, now: new Date(0) });
      expect(outcome.status).toBe('missing');
    });

    it('rejects users without an address, unknown users and malformed codes', async () => {
      const test = await makeWithSender();
      const { user: guest } = await test.service.sessionsProvider.createGuest();
      const { id } = await unverifiedUser(test);
      expect(await errorOf(() => send(test, guest.id))).toMatchObject({
        code: 'invalid_request',
        reason: 'email_missing',
      });
      expect(await outcomeOf(() => verify(test, guest.id, '123456'))).toBe('invalid_request');
      for (const odd of invalidIds) {
        expect(await outcomeOf(() => send(test, odd as string))).toBe('user_not_found');
        expect(await outcomeOf(() => verify(test, odd as string, '123456'))).toBe('user_not_found');
      }
      for (const code of [undefined, '', 42, {}, 'x'.repeat(65)]) {
        expect(await outcomeOf(() => verify(test, id, code))).toBe('invalid_request');
      }
    });

    it('rejects with provider_not_configured without a sender', async () => {
      const test = await makePro();
      const { id } = await unverifiedUser(test);
      expect(await outcomeOf(() => send(test, id))).toBe('provider_not_configured');
      const change = { userId: id, email: uniqueEmail() };
      expect(await outcomeOf(() => test.service.account.requestEmailChange(change))).toBe(
        'provider_not_configured',
      );
    });
  });
});
