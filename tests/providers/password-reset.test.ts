// The password reset by a mailed token (specification 3.3, 4.3, 5.4, 5.6;
// docs/security-requirements.md T3, A-22 to A-45, C-5, C-35).
import type { PasswordHasher } from 'svc-auth';
import { describeAdapters, recordCalls } from '../support/describe-adapters.js';
import { cheapHasher, testSecret } from '../support/make-service.js';
import { runInSequence, outcomeOf, race } from '../support/outcomes.js';
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

describeAdapters('The password reset', ({ make, uniqueEmail, adapter }) => {
  const { signUpUser, passwordlessUser } = passwordAccounts(uniqueEmail);

  describe('setPassword', () => {
    //
    it('sets the password, marks the address verified, and starts no session', async () => {
      const test = await make();
      const { email, user } = await signUpUser(test);
      const token = await resetToken(test, email);
      test.clock.advance(minute);
      const result = await test.service.emailPassword.setPassword({ token, newPassword: other });
      // The result contains a user and no session.
      expect(result).toEqual({
        user: { ...user, emailVerified: true, updatedAt: new Date(test.clock.now()) },
      });
      expect(await login(test, email)).toBe('invalid_credentials');
      expect(await login(test, email, other)).toBe('ok');
    });

    it('sets the first password of an account', async () => {
      const test = await make();
      const { email, user } = await passwordlessUser(test);
      expect(await setPassword(test, await resetToken(test, email))).toBe('ok');
      expect((await test.service.emailPassword.login({ email, password: other })).user.id).toBe(user.id);
    });

    //
    it('accepts a token once', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      const token = await resetToken(test, email);
      expect(
        await runInSequence(3, () => test.service.emailPassword.setPassword({ token, newPassword: other })),
      ).toEqual(['ok', 'token_invalid', 'token_invalid']);
    });

    //
    it('accepts a token until its last millisecond, then rejects it with token_invalid', async () => {
      const test = await make();
      const [early, late] = [await signUpUser(test), await signUpUser(test)];
      const [good, bad] = [await resetToken(test, early.email), await resetToken(test, late.email)];
      test.clock.advance(30 * minute - 1);
      expect(await setPassword(test, good)).toBe('ok');
      test.clock.advance(1);
      expect(await setPassword(test, bad)).toBe('token_invalid');
      expect(await login(test, late.email)).toBe('ok');
    });

    //
    it.each([
      ['7 characters', '1234567', 'weak_password'],
      ['nothing', '', 'weak_password'],
      ['U+0000', 'password\0', 'invalid_request'],
      ['1025 bytes', 'x'.repeat(1025), 'invalid_request'],
      ['a number', 12345678, 'invalid_request'],
    ])('rejects a new password of %s and keeps the token valid', async (_name, newPassword, outcome) => {
      const test = await make();
      const { email } = await signUpUser(test);
      const token = await resetToken(test, email);
      expect(await setPassword(test, token, newPassword)).toBe(outcome);
      expect(await login(test, email)).toBe('ok');
      expect(await setPassword(test, token)).toBe('ok');
    });

    //
    it('calls checkPassword and keeps the token valid', async () => {
      const addresses: unknown[] = [];
      const checkPassword = (candidate: string, context: { email: string | null }) => {
        addresses.push(context.email);
        return candidate !== 'breached password';
      };
      const test = await make({ providers: { emailPassword: { checkPassword } } });
      const { email } = await signUpUser(test);
      const token = await resetToken(test, email);
      addresses.length = 0;
      expect(await setPassword(test, token, 'breached password')).toBe('weak_password');
      expect(addresses).toEqual([email]);
      expect(await setPassword(test, token)).toBe('ok');
    });

    //
    it('queries and hashes nothing for a malformed, forged or expired token', async () => {
      const calls: string[] = [];
      const { hasher, hashed } = countingHasher();
      const test = await make({
        adapter: recordCalls(adapter(), calls),
        providers: { emailPassword: { hasher } },
      });
      const { email } = await signUpUser(test);
      const expired = await resetToken(test, email);
      test.clock.advance(30 * minute);
      calls.length = hashed.length = 0;
      for (const token of ['', 'x', 'x.y', `${expired}x`, expired.slice(0, -2), expired]) {
        expect(await setPassword(test, token)).toBe('token_invalid');
      }
      expect([...calls, ...hashed]).toEqual([]);
    });

    it.each([null, 1, 'true', {}])('rejects revokeCredentials %p with invalid_request', async (flag) => {
      const test = await make();
      const { email } = await signUpUser(test);
      const token = await resetToken(test, email);
      const input = { token, newPassword: other, revokeCredentials: flag as boolean };
      expect(await outcomeOf(() => test.service.emailPassword.setPassword(input))).toBe('invalid_request');
      expect(await setPassword(test, token)).toBe('ok');
    });

    // C-17
    it('rejects the token of a verified account whose first password was set after it was mailed', async () => {
      const test = await make();
      const { email, user } = await passwordlessUser(test);
      const token = await resetToken(test, email);
      const session = test.service.createSessionToken(user.id);
      const context = { sessionToken: session.token };
      await test.service.emailPassword.changePassword({ userId: user.id, newPassword: password }, context);
      expect(await setPassword(test, token)).toBe('token_invalid');
      expect(await login(test, email)).toBe('ok');
    });

    // C-17
    it('rejects the token of a verified account whose sessions were all revoked after it was mailed', async () => {
      const test = await make();
      const { email, user } = await passwordlessUser(test);
      const token = await resetToken(test, email);
      await adapter().sessions.revokeAll(user.id, new Date(test.clock.now()));
      expect(await setPassword(test, token)).toBe('token_invalid');
    });

    // C-17
    it('resets any unverified account that has the address of the token', async () => {
      const test = await make();
      const { service } = test;
      const { email, user } = await signUpUser(test);
      const token = await resetToken(test, email);
      let [userId, sessionToken] = [user.id, ''];
      for (let round = 0; round < 3; round += 1) {
        const deleted = await adapter().accounts!.deleteUser(userId, async () => undefined);
        expect(deleted).toEqual({ status: 'deleted' });
        // No account has the address, and the token is kept.
        expect(await setPassword(test, token)).toBe('token_invalid');
        const signUp = { email, password: 'of the attacker' };
        const signedIn = await service.emailPassword.signup(signUp, { startSession: true });
        [userId, sessionToken] = [signedIn.user.id, signedIn.session!.token];
      }
      const reset = await service.emailPassword.setPassword({ token, newPassword: other });
      expect(reset.user).toMatchObject({ id: userId, email, emailVerified: true });
      const entries = test.log.filter(({ fields }) => fields['userId'] === userId);
      expect(entries).toContainEqual(
        expect.objectContaining({ fields: expect.objectContaining({ event: 'user_claimed' }) }),
      );
      expect(await outcomeOf(() => service.getSessionUser(sessionToken))).toBe('token_invalid');
      expect(await login(test, email, 'of the attacker')).toBe('invalid_credentials');
      expect(await login(test, email, other)).toBe('ok');
      expect(await setPassword(test, token)).toBe('token_invalid');
    });

    // C-17
    it('rejects the token of an unverified account for a verified one that has the address now', async () => {
      const test = await make();
      const { email, user } = await signUpUser(test);
      const token = await resetToken(test, email);
      await adapter().accounts!.deleteUser(user.id, async () => undefined);
      const owner = await passwordlessUser(test, email);
      expect(await setPassword(test, token)).toBe('token_invalid');
      const session = test.service.createSessionToken(owner.user.id);
      const context = { sessionToken: session.token };
      await test.service.emailPassword.changePassword(
        { userId: owner.user.id, newPassword: password },
        context,
      );
      // Epoch and password state are those of the deleted account.
      expect(await setPassword(test, token)).toBe('token_invalid');
      expect(await login(test, email)).toBe('ok');
    });

    // C-17
    it('accepts the token of an account whose address was verified in its session since it was mailed', async () => {
      const test = await make();
      const { email, user } = await signUpUser(test);
      const token = await resetToken(test, email);
      await test.service.emailCode.sendCode({ email });
      const context = { sessionToken: test.service.createSessionToken(user.id).token };
      await test.service.emailCode.verify({ email, code: test.mail.lastCode(email)! }, context);
      const { user: reset } = await test.service.emailPassword.setPassword({ token, newPassword: other });
      expect(reset.id).toBe(user.id);
    });

    it.each([undefined, null, 1, ['x'], {}])('rejects the token %p with invalid_request', async (token) => {
      expect(await setPassword(await make(), token)).toBe('invalid_request');
    });

    // T3, A-40
    it('revokes every session of that user alone', async () => {
      const test = await make();
      const { email, user } = await signUpUser(test);
      const stranger = await signUpUser(test);
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
      // Verification by signature and time alone cannot detect the revocation, as documented.
      expect(test.service.verifyToken(tokens[0]!).sub).toBe(user.id);
    });

    //
    it('revokes all codes, links and reset tokens of the user', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      await test.service.emailCode.sendCode({ email });
      const code = test.mail.lastCode(email)!;
      const link = new URL((await test.service.magicLink.sendLink({ email })).url).searchParams.get('token')!;
      const [first, second] = [await resetToken(test, email), await resetToken(test, email)];
      expect(await setPassword(test, second)).toBe('ok');
      expect(await setPassword(test, first, 'another password')).toBe('token_invalid');
      expect(await outcomeOf(() => test.service.magicLink.verify(link))).toBe('token_invalid');
      expect(await outcomeOf(() => test.service.emailCode.verify({ email, code }))).toBe('code_not_found');
    });

    //
    it('keeps the codes and links of other users', async () => {
      const test = await make();
      const [user, stranger] = [await signUpUser(test), await signUpUser(test)];
      const foreign = await resetToken(test, stranger.email);
      await test.service.emailCode.sendCode({ email: stranger.email });
      expect(await setPassword(test, await resetToken(test, user.email))).toBe('ok');
      const code = test.mail.lastCode(stranger.email)!;
      expect(await outcomeOf(() => test.service.emailCode.verify({ email: stranger.email, code }))).toBe(
        'ok',
      );
      // The code was the first proof of that mailbox, which revokes what was pending.
      expect(await setPassword(test, foreign)).toBe('token_invalid');
    });

    //
    it('sets the password once in 50 concurrent calls', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      const token = await resetToken(test, email);
      const winners: number[] = [];
      const tally = await race(50, async (i) => {
        await test.service.emailPassword.setPassword({ token, newPassword: `password-${i}` });
        winners.push(i);
      });
      expect(tally).toEqual({ ok: 1, token_invalid: 49 });
      expect(await login(test, email, `password-${winners[0]}`)).toBe('ok');
    });

    //
    it('accepts a token of a previous secret', async () => {
      const before = await make();
      const { email } = await signUpUser(before);
      const token = await resetToken(before, email);
      const secret = 'the secret after the rotation, 32 bytes or more';
      expect(await setPassword(await make({ session: { secret } }), token)).toBe('token_invalid');
      expect(
        await setPassword(await make({ session: { secret, previousSecrets: [testSecret] } }), token),
      ).toBe('ok');
    });

    // C-5
    it('rejects a slow login with the old password that it overtook', async () => {
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
      const { email, user } = await signUpUser(test);
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
      // Not even a session row is left.
      expect(await adapter().sessions.listLive(user.id, new Date(test.clock.now()))).toEqual([]);
    });

    //
    it('mails a notice without a secret if notifyTemplate is set', async () => {
      const notifyTemplate = ({ appName }: { appName: string }) => ({
        subject: `Your ${appName} password was changed`,
        html: '<p>It was changed.</p>',
        text: 'It was changed.',
      });
      const test = await make({ providers: { emailPassword: { notifyTemplate } } });
      const { email } = await signUpUser(test);
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
          headers: { 'Auto-Submitted': 'auto-generated' },
        },
      ]);
    });
  });
});
