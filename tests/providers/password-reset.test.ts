// The password reset (specification 3.3, 4.3, 5.4, 5.6; docs/security-requirements.md T3, T4, T6, A-37 to A-45, C-5, C-35).
import type { PasswordHasher } from 'svc-auth';
import { outbox } from 'svc-auth/testing';
import { describeAdapters, noting } from '../support/describe-adapters.js';
import { cheapHasher, testSecret } from '../support/make-service.js';
import { inTurn, outcomeOf, race } from '../support/outcomes.js';
import {
  countingHasher,
  gate,
  login,
  otherPassword as other,
  password,
  passwordAccounts,
  resetToken,
  setPassword,
} from '../support/password-accounts.js';

const minute = 60_000;

describeAdapters('emailPassword', ({ make, person, adapter }) => {
  const { signedUp, passwordless } = passwordAccounts(person);

  describe('requestReset', () => {
    it('mails a link that is good for 30 minutes, to the stored address', async () => {
      const test = await make();
      const { email } = await signedUp(test);
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

    it('A-37 resolves { sent: true } for known, passwordless, unknown and malformed addresses; mails go to accounts', async () => {
      const test = await make();
      const [known, bare] = [await signedUp(test), await passwordless(test)];
      test.mail.clear();
      const { service } = test;
      for (const email of [known.email, bare.email, person(), 'not an address', '', 'x'.repeat(100_000)]) {
        expect(await service.emailPassword.requestReset({ email })).toEqual({ sent: true });
      }
      await service.close();
      expect(test.mail.messages.map(({ to }) => to).sort()).toEqual([known.email, bare.email].sort());
    });

    it('asks the database four at a time during a flood, and mails another client first', async () => {
      const real = adapter();
      const [running, order] = [{ now: 0, most: 0 }, [] as string[]];
      const watched = {
        ...real,
        users: {
          ...real.users,
          async findByEmail(email: string) {
            running.most = Math.max(running.most, (running.now += 1));
            order.push(email);
            // Storages within the process answer before the next request is looked at: there is no queue then.
            await new Promise((resolve) => setTimeout(resolve, 1));
            return real.users.findByEmail(email).finally(() => (running.now -= 1));
          },
        },
      };
      const test = await make({ adapter: watched });
      const { email } = await signedUp(test);
      order.length = 0;
      const ask = (address: string, ip: string) =>
        test.service.emailPassword.requestReset({ email: address }, { ip });
      const flood = Array.from({ length: 80 }, () => ask(person(), '203.0.113.7'));
      const answers = await Promise.all([...flood, ask(email, '198.51.100.7')]);
      expect(answers).toEqual(Array(81).fill({ sent: true }));
      await test.service.close();
      expect(running.most).toBeLessThanOrEqual(4);
      expect(order).toHaveLength(81);
      // After the four that began first, and those that overtake it between its limits and this look-up.
      expect(order.indexOf(email)).toBeLessThan(20);
      expect(test.mail.messages.map(({ to }) => to)).toEqual([email]);
    });

    it('T6 A-37 has answered before anything is looked up, charged or sent', async () => {
      const calls: string[] = [];
      const test = await make({ adapter: noting(adapter(), calls) });
      const { email } = await signedUp(test);
      calls.length = 0;
      for (const address of [email, person()]) {
        await test.service.emailPassword.requestReset({ email: address });
        expect(calls).toEqual([]);
        expect(test.mail.messages).toEqual([]);
        await test.service.close();
        calls.length = 0;
        test.mail.clear();
      }
    });

    it('T6 A-37 does not wait for a sender that hangs', async () => {
      const { opened, open } = gate();
      const sender = { send: () => opened };
      const test = await make({ providers: { emailPassword: { sender } } });
      const { email } = await signedUp(test);
      expect(await test.service.emailPassword.requestReset({ email })).toEqual({ sent: true });
      open();
      await test.service.close();
    });

    it('T6 does not show a sender that fails, logs it without the address, and is not charged', async () => {
      let failing = true;
      const mail = outbox();
      const sender = {
        async send(message: Parameters<typeof mail.send>[0]) {
          if (failing) throw new Error(`550 ${message.to} refused`);
          await mail.send(message);
        },
      };
      const test = await make({ providers: { emailPassword: { sender } } });
      const { email } = await signedUp(test);
      const request = async () => {
        const answer = await test.service.emailPassword.requestReset({ email });
        await test.service.close();
        return answer;
      };
      for (let i = 0; i < 20; i += 1) expect(await request()).toEqual({ sent: true });
      const logged = test.log.filter(({ level }) => level === 'error');
      expect(logged.length).toBeGreaterThanOrEqual(20);
      expect(JSON.stringify(logged)).not.toContain(email);
      failing = false;
      await request();
      expect(mail.messages).toHaveLength(1);
    });

    it('T6 over the limit still resolves { sent: true }, and mails nothing more', async () => {
      const test = await make();
      const { email } = await signedUp(test);
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

    it('A-38 changes nothing: the password and the sessions stay good', async () => {
      const test = await make();
      const { email, user } = await signedUp(test);
      const { token } = test.service.createSessionToken(user.id);
      await resetToken(test, email);
      expect(await login(test, email)).toBe('ok');
      expect(await test.service.getSessionUser(token)).toEqual(user);
    });

    it.each([undefined, null, 1, ['ada@example.com'], {}])(
      'answers invalid_request for the address %p',
      async (email) => {
        const { service } = await make();
        const call = () => service.emailPassword.requestReset({ email: email as string });
        expect(await outcomeOf(call)).toBe('invalid_request');
      },
    );

    it('lets an allowed redirectTo override resetUrl', async () => {
      const test = await make({ trustedOrigins: ['https://other.test'] });
      const { email } = await signedUp(test);
      await test.service.emailPassword.requestReset({ email, redirectTo: 'https://other.test/new?a=1' });
      await test.service.close();
      expect(test.mail.lastLink(email)).toMatch(/^https:\/\/other\.test\/new\?a=1&token=/);
    });

    it('T4 rejects another redirectTo with invalid_request, account or not, and mails nothing', async () => {
      const test = await make();
      const { email } = await signedUp(test);
      for (const address of [email, person(), 'malformed']) {
        for (const redirectTo of ['https://evil.test/', 'https://app.test.evil.test/', '//evil.test', '']) {
          const call = () => test.service.emailPassword.requestReset({ email: address, redirectTo });
          expect(await outcomeOf(call)).toBe('invalid_request');
        }
      }
      await test.service.close();
      expect(test.mail.messages).toEqual([]);
    });

    it('without resetUrl answers provider_not_configured, account or not', async () => {
      const test = await make({ providers: { emailPassword: { resetUrl: undefined } } });
      const { email } = await signedUp(test);
      for (const address of [email, person()]) {
        const call = () => test.service.emailPassword.requestReset({ email: address });
        expect(await outcomeOf(call)).toBe('provider_not_configured');
      }
    });

    it('gives resetTemplate the link, the minutes and the name of the app', async () => {
      const seen: unknown[] = [];
      const resetTemplate = (values: object) => {
        seen.push(values);
        return { subject: 'S', html: '<b>H</b>', text: 'T' };
      };
      const test = await make({
        providers: { emailPassword: { resetTemplate, from: 'Acme <a@acme.test>' } },
      });
      const { email } = await signedUp(test);
      await test.service.emailPassword.requestReset({ email });
      await test.service.close();
      const url = expect.stringMatching(/^https:\/\/app\.test\/reset\?token=/);
      expect(seen).toEqual([{ url, expiresInMinutes: 30, appName: 'Acme' }]);
      expect(test.mail.messages).toEqual([
        {
          to: email,
          from: 'Acme <a@acme.test>',
          kind: 'password_reset',
          subject: 'S',
          html: '<b>H</b>',
          text: 'T',
        },
      ]);
    });
  });

  describe('setPassword', () => {
    it('A-43 A-44 sets the password, marks the address verified, and signs nobody in', async () => {
      const test = await make();
      const { email, user } = await signedUp(test);
      const token = await resetToken(test, email);
      test.clock.advance(minute);
      const result = await test.service.emailPassword.setPassword({ token, newPassword: other });
      // A user, and no session.
      expect(result).toEqual({
        user: { ...user, emailVerified: true, updatedAt: new Date(test.clock.now()) },
      });
      expect(await login(test, email)).toBe('invalid_credentials');
      expect(await login(test, email, other)).toBe('ok');
    });

    it('gives a passwordless account its first password', async () => {
      const test = await make();
      const { email, user } = await passwordless(test);
      expect(await setPassword(test, await resetToken(test, email))).toBe('ok');
      expect((await test.service.emailPassword.login({ email, password: other })).user.id).toBe(user.id);
    });

    it('A-22 takes a token once', async () => {
      const test = await make();
      const { email } = await signedUp(test);
      const token = await resetToken(test, email);
      expect(
        await inTurn(3, () => test.service.emailPassword.setPassword({ token, newPassword: other })),
      ).toEqual(['ok', 'token_invalid', 'token_invalid']);
    });

    it('A-25 takes a token until its last millisecond, then it is token_invalid', async () => {
      const test = await make();
      const [early, late] = [await signedUp(test), await signedUp(test)];
      const [good, bad] = [await resetToken(test, early.email), await resetToken(test, late.email)];
      test.clock.advance(30 * minute - 1);
      expect(await setPassword(test, good)).toBe('ok');
      test.clock.advance(1);
      expect(await setPassword(test, bad)).toBe('token_invalid');
      expect(await login(test, late.email)).toBe('ok');
    });

    it.each([
      ['7 characters', '1234567', 'weak_password'],
      ['nothing', '', 'weak_password'],
      ['U+0000', 'password\0', 'invalid_request'],
      ['1025 bytes', 'x'.repeat(1025), 'invalid_request'],
      ['a number', 12345678, 'invalid_request'],
    ])(
      'A-45 refuses a new password of %s without using up the token',
      async (_name, newPassword, outcome) => {
        const test = await make();
        const { email } = await signedUp(test);
        const token = await resetToken(test, email);
        expect(await setPassword(test, token, newPassword)).toBe(outcome);
        expect(await login(test, email)).toBe('ok');
        expect(await setPassword(test, token)).toBe('ok');
      },
    );

    it('A-05 A-45 asks checkPassword, without using up the token', async () => {
      const asked: unknown[] = [];
      const checkPassword = (candidate: string, context: { email: string | null }) => {
        asked.push(context.email);
        return candidate !== 'breached password';
      };
      const test = await make({ providers: { emailPassword: { checkPassword } } });
      const { email } = await signedUp(test);
      const token = await resetToken(test, email);
      asked.length = 0;
      expect(await setPassword(test, token, 'breached password')).toBe('weak_password');
      expect(asked).toEqual([email]);
      expect(await setPassword(test, token)).toBe('ok');
    });

    it('A-30 looks nothing up and hashes nothing for a token that is malformed, forged or expired', async () => {
      const calls: string[] = [];
      const { hasher, hashed } = countingHasher();
      const test = await make({
        adapter: noting(adapter(), calls),
        providers: { emailPassword: { hasher } },
      });
      const { email } = await signedUp(test);
      const expired = await resetToken(test, email);
      test.clock.advance(30 * minute);
      calls.length = hashed.length = 0;
      for (const token of ['', 'x', 'x.y', `${expired}x`, expired.slice(0, -2), expired]) {
        expect(await setPassword(test, token)).toBe('token_invalid');
      }
      expect([...calls, ...hashed]).toEqual([]);
    });

    it.each([null, 1, 'true', {}])('answers invalid_request for revokeCredentials %p', async (flag) => {
      const test = await make();
      const { email } = await signedUp(test);
      const token = await resetToken(test, email);
      const input = { token, newPassword: other, revokeCredentials: flag as boolean };
      expect(await outcomeOf(() => test.service.emailPassword.setPassword(input))).toBe('invalid_request');
      expect(await setPassword(test, token)).toBe('ok');
    });

    it('C-17 takes no token of a verified account whose first password was set after it was mailed', async () => {
      const test = await make();
      const { email, user } = await passwordless(test);
      const token = await resetToken(test, email);
      const session = test.service.createSessionToken(user.id);
      const context = { sessionToken: session.token };
      await test.service.emailPassword.changePassword({ userId: user.id, newPassword: password }, context);
      expect(await setPassword(test, token)).toBe('token_invalid');
      expect(await login(test, email)).toBe('ok');
    });

    it('C-17 takes no token of a verified account whose sessions were all ended after it was mailed', async () => {
      const test = await make();
      const { email, user } = await passwordless(test);
      const token = await resetToken(test, email);
      await adapter().sessions.revokeAll(user.id, new Date(test.clock.now()));
      expect(await setPassword(test, token)).toBe('token_invalid');
    });

    it.each([undefined, null, 1, ['x'], {}])('answers invalid_request for the token %p', async (token) => {
      expect(await setPassword(await make(), token)).toBe('invalid_request');
    });

    it('T3 A-40 revokes every session of the user, and of nobody else', async () => {
      const test = await make();
      const { email, user } = await signedUp(test);
      const stranger = await signedUp(test);
      const start = async (address: string) => {
        const context = { startSession: true };
        return (await test.service.emailPassword.login({ email: address, password }, context)).session!.token;
      };
      const tokens = [await start(email), await start(email), test.service.createSessionToken(user.id).token];
      const foreign = await start(stranger.email);
      const token = await resetToken(test, email);
      for (const each of tokens) expect(await outcomeOf(() => test.service.getSessionUser(each))).toBe('ok');
      expect(await setPassword(test, token)).toBe('ok');
      for (const each of tokens)
        expect(await outcomeOf(() => test.service.getSessionUser(each))).toBe('token_invalid');
      expect(await outcomeOf(() => test.service.getSessionUser(foreign))).toBe('ok');
      // Signature and time alone do not know of it, as is documented.
      expect(test.service.verifyToken(tokens[0]!).sub).toBe(user.id);
    });

    it('A-41 voids all codes, links and reset tokens of the user', async () => {
      const test = await make();
      const { email } = await signedUp(test);
      await test.service.emailCode.sendCode({ email });
      const code = test.mail.lastCode(email)!;
      const link = new URL((await test.service.magicLink.sendLink({ email })).url).searchParams.get('token')!;
      const [first, second] = [await resetToken(test, email), await resetToken(test, email)];
      expect(await setPassword(test, second)).toBe('ok');
      expect(await setPassword(test, first, 'another password')).toBe('token_invalid');
      expect(await outcomeOf(() => test.service.magicLink.verify(link))).toBe('token_invalid');
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code }))).toBe('code_not_found');
    });

    it('A-41 leaves the codes, links and resets of others alone', async () => {
      const test = await make();
      const [one, two] = [await signedUp(test), await signedUp(test)];
      const foreign = await resetToken(test, two.email);
      await test.service.emailCode.sendCode({ email: two.email });
      expect(await setPassword(test, await resetToken(test, one.email))).toBe('ok');
      const code = test.mail.lastCode(two.email)!;
      expect(await outcomeOf(() => test.service.emailCode.verify({ email: two.email, code }))).toBe('ok');
      // The code was the first proof of that mailbox: what was pending before it is gone.
      expect(await setPassword(test, foreign)).toBe('token_invalid');
    });

    it('A-39 has one winner of 50 at once, whose password it is', async () => {
      const test = await make();
      const { email } = await signedUp(test);
      const token = await resetToken(test, email);
      const winners: number[] = [];
      const tally = await race(50, async (i) => {
        await test.service.emailPassword.setPassword({ token, newPassword: `password-${i}` });
        winners.push(i);
      });
      expect(tally).toEqual({ ok: 1, token_invalid: 49 });
      expect(await login(test, email, `password-${winners[0]}`)).toBe('ok');
    });

    it('A-69 takes a token that was mailed before the secret was changed', async () => {
      const before = await make();
      const { email } = await signedUp(before);
      const token = await resetToken(before, email);
      const secret = 'the secret after the rotation, 32 bytes or more';
      expect(await setPassword(await make({ session: { secret } }), token)).toBe('token_invalid');
      expect(
        await setPassword(await make({ session: { secret, previousSecrets: [testSecret] } }), token),
      ).toBe('ok');
    });

    it('C-5 does not let a slow login with the old password outlive it', async () => {
      const { opened, open } = gate();
      const cheap = cheapHasher();
      let waiting: () => void = () => undefined;
      const verifying = new Promise<void>((resolve) => (waiting = resolve));
      const hasher: PasswordHasher = {
        hash: (plain) => cheap.hash(plain),
        async verify(plain, hash) {
          waiting();
          await opened;
          return cheap.verify(plain, hash);
        },
      };
      const test = await make({ providers: { emailPassword: { hasher } } });
      const { email, user } = await signedUp(test);
      const token = await resetToken(test, email);
      const slow = outcomeOf(async () => {
        const { session } = await test.service.emailPassword.login(
          { email, password },
          { startSession: true },
        );
        await test.service.getSessionUser(session!.token);
      });
      await verifying;
      expect(await setPassword(test, token)).toBe('ok');
      open();
      expect(await slow).toBe('token_invalid');
      // Not even a row of it is left.
      expect(await adapter().sessions.listLive(user.id, new Date(test.clock.now()))).toEqual([]);
    });

    it('A-19 mails a notice without a secret where notifyTemplate is set', async () => {
      const notifyTemplate = ({ appName }: { appName: string }) => ({
        subject: `Your ${appName} password was changed`,
        html: '<p>It was changed.</p>',
        text: 'It was changed.',
      });
      const test = await make({ providers: { emailPassword: { notifyTemplate } } });
      const { email } = await signedUp(test);
      const token = await resetToken(test, email);
      test.mail.clear();
      await setPassword(test, 'not a token');
      expect(await setPassword(test, token)).toBe('ok');
      await test.service.close();
      expect(test.mail.messages).toEqual([
        {
          to: email,
          kind: 'notice',
          subject: 'Your Acme password was changed',
          html: '<p>It was changed.</p>',
          text: 'It was changed.',
        },
      ]);
    });
  });
});
