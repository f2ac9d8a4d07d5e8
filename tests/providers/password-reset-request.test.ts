// The request of a password reset (specification 3.3, 4.3, 5.4; docs/security-requirements.md T4,
// T6, A-37, A-38).
import { englishMailTexts } from 'svc-auth';
import { outbox } from 'svc-auth/testing';
import { describeAdapters, recordCalls } from '../support/describe-adapters.js';
import { outcomeOf } from '../support/outcomes.js';
import { gate, login, passwordAccounts, resetToken } from '../support/password-accounts.js';
import { plainBrand } from '../support/every-mail.js';

const minute = 60_000;

describeAdapters('The request of a password reset', ({ make, uniqueEmail, adapter }) => {
  const { signUpUser, passwordlessUser } = passwordAccounts(uniqueEmail);

  describe('requestReset', () => {
    it('mails a link that is valid for 30 minutes to the stored address', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      expect(await test.service.emailPassword.requestReset({ email: ` ${email.toUpperCase()}` })).toEqual({
        sent: true,
      });
      await test.service.close();
      expect(test.mail.messages).toHaveLength(1);
      const [mail] = test.mail.messages;
      expect(mail).toMatchObject({ to: email, kind: 'password_reset' });
      expect(mail?.text).toContain('30 minutes');
      expect(test.mail.lastLink(email)).toMatch(/^https:\/\/app\.test\/reset\?token=[\w-]+\.[\w-]+$/);
    });

    //
    it('resolves { sent: true } for known, unknown and malformed addresses, and mails to accounts only', async () => {
      const test = await make();
      const [account, withoutPassword] = [await signUpUser(test), await passwordlessUser(test)];
      test.mail.clear();
      const { service } = test;
      for (const email of [
        account.email,
        withoutPassword.email,
        uniqueEmail(),
        'not an address',
        '',
        'x'.repeat(100_000),
      ]) {
        expect(await service.emailPassword.requestReset({ email })).toEqual({ sent: true });
      }
      await service.close();
      expect(test.mail.messages.map(({ to }) => to).sort()).toEqual(
        [account.email, withoutPassword.email].sort(),
      );
    });

    it('queries the database four at a time during a flood, and serves another client first', async () => {
      const real = adapter();
      const [running, order] = [{ now: 0, most: 0 }, [] as string[]];
      const watched = {
        ...real,
        users: {
          ...real.users,
          async findByEmail(email: string) {
            running.most = Math.max(running.most, (running.now += 1));
            order.push(email);
            // A storage within the process responds before the next request is read, so there is
            // never a queue.
            await new Promise((resolve) => setTimeout(resolve, 1));
            return real.users.findByEmail(email).finally(() => (running.now -= 1));
          },
        },
      };
      const test = await make({ adapter: watched });
      const { email } = await signUpUser(test);
      order.length = 0;
      const request = (address: string, ip: string) =>
        test.service.emailPassword.requestReset({ email: address }, { ip });
      const flood = Array.from({ length: 80 }, () => request(uniqueEmail(), '203.0.113.7'));
      const responses = await Promise.all([...flood, request(email, '198.51.100.7')]);
      expect(responses).toEqual(Array(81).fill({ sent: true }));
      await test.service.close();
      expect(running.most).toBeLessThanOrEqual(4);
      expect(order).toHaveLength(81);
      // After the first four, and those that overtake it between its limits and this query.
      expect(order.indexOf(email)).toBeLessThan(20);
      expect(test.mail.messages.map(({ to }) => to)).toEqual([email]);
    });

    // T6, A-37
    it('resolves before anything is queried, counted or sent', async () => {
      const calls: string[] = [];
      const test = await make({ adapter: recordCalls(adapter(), calls) });
      const { email } = await signUpUser(test);
      calls.length = 0;
      for (const address of [email, uniqueEmail()]) {
        await test.service.emailPassword.requestReset({ email: address });
        expect(calls).toEqual([]);
        expect(test.mail.messages).toEqual([]);
        await test.service.close();
        calls.length = 0;
        test.mail.clear();
      }
    });

    // T6, A-37
    it('does not wait for a sender that hangs', async () => {
      const { opened, open } = gate();
      const sender = { send: () => opened };
      const test = await make({ providers: { emailPassword: { sender } } });
      const { email } = await signUpUser(test);
      expect(await test.service.emailPassword.requestReset({ email })).toEqual({ sent: true });
      open();
      await test.service.close();
    });

    // T6
    it('hides a sender that fails, logs it without the address, and does not count the message', async () => {
      let failing = true;
      const mail = outbox();
      const sender = {
        async send(message: Parameters<typeof mail.send>[0]) {
          if (failing) throw new Error(`550 ${message.to} refused`);
          await mail.send(message);
        },
      };
      const test = await make({ providers: { emailPassword: { sender } } });
      const { email } = await signUpUser(test);
      const request = async () => {
        const response = await test.service.emailPassword.requestReset({ email });
        await test.service.close();
        return response;
      };
      for (let i = 0; i < 20; i += 1) expect(await request()).toEqual({ sent: true });
      const failures = test.log.filter(({ fields }) => fields['event'] === 'mail_failed');
      expect(failures.length).toBeGreaterThanOrEqual(20);
      expect(JSON.stringify(failures)).not.toContain(email);
      failing = false;
      await request();
      expect(mail.messages).toHaveLength(1);
    });

    // T6
    it('resolves { sent: true } over the limit, and mails nothing more', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      for (let i = 0; i < 8; i += 1) {
        expect(await test.service.emailPassword.requestReset({ email })).toEqual({ sent: true });
      }
      await test.service.close();
      expect(test.mail.messages).toHaveLength(5);
      expect(test.log.filter(({ level }) => level === 'error')).toEqual([]);
      test.clock.advance(15 * minute);
      await test.service.emailPassword.requestReset({ email });
      await test.service.close();
      expect(test.mail.messages).toHaveLength(6);
    });

    //
    it('changes nothing: the password and the sessions remain valid', async () => {
      const test = await make();
      const { email, user } = await signUpUser(test);
      const { token } = test.service.createSessionToken(user.id);
      await resetToken(test, email);
      expect(await login(test, email)).toBe('ok');
      expect(await test.service.getSessionUser(token)).toEqual(user);
    });

    it.each([undefined, null, 1, ['ada@example.com'], {}])(
      'rejects the address %p with invalid_request',
      async (email) => {
        const { service } = await make();
        const call = () => service.emailPassword.requestReset({ email: email as string });
        expect(await outcomeOf(call)).toBe('invalid_request');
      },
    );

    it('uses an allowed redirectTo instead of resetUrl', async () => {
      const test = await make({ trustedOrigins: ['https://other.test'] });
      const { email } = await signUpUser(test);
      await test.service.emailPassword.requestReset({ email, redirectTo: 'https://other.test/new?a=1' });
      await test.service.close();
      expect(test.mail.lastLink(email)).toMatch(/^https:\/\/other\.test\/new\?a=1&token=/);
    });

    // T4
    it('rejects another redirectTo with invalid_request, with or without an account, and mails nothing', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      for (const address of [email, uniqueEmail(), 'malformed']) {
        for (const redirectTo of ['https://evil.test/', 'https://app.test.evil.test/', '//evil.test', '']) {
          const call = () => test.service.emailPassword.requestReset({ email: address, redirectTo });
          expect(await outcomeOf(call)).toBe('invalid_request');
        }
      }
      await test.service.close();
      expect(test.mail.messages).toEqual([]);
    });

    it('rejects with provider_not_configured without resetUrl, with or without an account', async () => {
      const test = await make({ providers: { emailPassword: { resetUrl: undefined } } });
      const { email } = await signUpUser(test);
      for (const address of [email, uniqueEmail()]) {
        const call = () => test.service.emailPassword.requestReset({ email: address });
        expect(await outcomeOf(call)).toBe('provider_not_configured');
      }
    });

    it('passes the link, the minutes and the name of the app to resetTemplate', async () => {
      const templateValues: unknown[] = [];
      const resetTemplate = (values: object) => {
        templateValues.push(values);
        return { subject: 'S', html: '<b>H</b>', text: 'T' };
      };
      const test = await make({
        providers: { emailPassword: { resetTemplate, from: 'Acme <a@acme.test>' } },
      });
      const { email } = await signUpUser(test);
      await test.service.emailPassword.requestReset({ email });
      await test.service.close();
      const url = expect.stringMatching(/^https:\/\/app\.test\/reset\?token=/);
      // The mail may be rendered again, in another language, so that the time does not depend on the account.
      expect(templateValues[0]).toEqual({
        url,
        expiresInMinutes: 30,
        appName: 'Acme',
        language: 'en',
        texts: englishMailTexts,
        brand: plainBrand('Acme'),
      });
      expect(test.mail.messages).toEqual([
        {
          to: email,
          from: 'Acme <a@acme.test>',
          kind: 'password_reset',
          subject: 'S',
          html: '<b>H</b>',
          text: 'T',
          headers: { 'Auto-Submitted': 'auto-generated' },
        },
      ]);
    });
  });
});
