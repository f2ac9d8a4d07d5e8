// Another password from within, and a first one (docs/providers/email-password.md; docs/security-requirements.md ).
import type { PasswordChangeInput } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { minute, oddIds, pro } from '../support/make-pro-service.js';
import type { TestService } from '../support/make-service.js';
import { errorOf, outcomeOf, race } from '../support/outcomes.js';
import {
  countingHasher,
  gate,
  login,
  otherPassword,
  password,
  passwordAccounts,
  resetToken,
  setPassword,
} from '../support/password-accounts.js';

describeAdapters('A change of the password', ({ make, person, sql }) => {
  const { makePro, verifiedUser } = pro({ make, person });
  const { signedUp, passwordless } = passwordAccounts(person);

  const change = (
    { service }: TestService,
    userId: string,
    fields: Partial<Record<keyof PasswordChangeInput, unknown>> = {},
    context: Parameters<typeof service.emailPassword.changePassword>[1] = {},
  ) => {
    const input = { userId, currentPassword: password, newPassword: otherPassword, ...fields };
    return service.emailPassword.changePassword(input as PasswordChangeInput, context);
  };

  it('sets the new password in place of the old one, and answers the user', async () => {
    const test = await makePro();
    const { email, user } = await signedUp(test);
    const changed = await change(test, user.id);
    expect(changed).toEqual({ user: { ...user, updatedAt: new Date(test.clock.now()) } });
    expect(await login(test, email)).toBe('invalid_credentials');
    expect(await login(test, email, otherPassword)).toBe('ok');
  });

  it('ends every session and token, and with startSession gives a new session', async () => {
    const test = await makePro();
    const { email, user } = await signedUp(test);
    const { service } = test;
    const context = { startSession: true, ip: '192.0.2.1', userAgent: 'Test/1' };
    const one = (await service.emailPassword.login({ email, password }, context)).session!;
    const two = (await service.emailPassword.login({ email, password }, context)).session!;
    const { token: bare } = service.createSessionToken(user.id);
    const { refreshToken } = await service.refresh.issue({ userId: user.id });
    await test.heard();
    const { session } = await change(test, user.id, {}, { ...context, sessionToken: one.token });
    for (const token of [one.token, two.token, bare]) {
      expect(await outcomeOf(() => service.getSessionUser(token))).toBe('token_invalid');
    }
    expect(await outcomeOf(() => service.refresh.refresh(refreshToken))).toBe('refresh_token_invalid');
    expect((await service.getSessionUser(session!.token)).id).toBe(user.id);
    expect(await service.sessionsProvider.listDevices(user.id)).toMatchObject([
      { id: session!.session.id, device: { ip: '192.0.2.1', userAgent: 'Test/1' } },
    ]);
    expect(await test.heard()).toEqual([
      { name: 'password.changed', payload: { userId: user.id } },
      { name: 'session.created', payload: { userId: user.id, sessionId: session!.session.id } },
    ]);
  });

  it('voids pending resets, links and codes of the user', async () => {
    const test = await makePro();
    const { email, user } = await signedUp(test);
    await test.adapter.users.markEmailVerified(user.id, new Date(test.clock.now()));
    const { service, mail } = test;
    const token = await resetToken(test, email);
    await service.magicLink.sendLink({ email });
    const link = new URL(mail.lastLink(email)!).searchParams.get('token')!;
    await service.emailCode.sendCode({ email });
    await change(test, user.id);
    expect(await setPassword(test, token)).toBe('token_invalid');
    expect(await outcomeOf(() => service.magicLink.verify(link))).toBe('token_invalid');
    const code = mail.lastCode(email)!;
    expect(await outcomeOf(() => service.emailCode.verify({ email, code }))).toBe('code_not_found');
    expect(await login(test, email, otherPassword)).toBe('ok');
  });

  it('refuses a wrong current password, and that of who has none, as a login does', async () => {
    const { hasher, verified } = countingHasher();
    const test = await makePro({ providers: { emailPassword: { hasher } } });
    const { user } = await signedUp(test);
    const { user: without } = await passwordless(test);
    for (const currentPassword of ['wrong', '', 'x'.repeat(5000), 'nul\0']) {
      for (const { id } of [user, without]) {
        const before = verified.length;
        expect(await outcomeOf(() => change(test, id, { currentPassword }))).toBe('invalid_credentials');
        expect(verified.length - before).toBe(1);
        test.clock.advance(15 * minute);
      }
    }
    const failed = test.log.filter(({ fields }) => fields['event'] === 'sign_in_failed');
    expect(failed[0]?.fields).toMatchObject({ method: 'password_change', reason: 'invalid_credentials' });
  });

  it('A-14: is charged to the budgets of a login of that address, and the other way round', async () => {
    const test = await makePro();
    const { email, user } = await signedUp(test);
    const ip = '192.0.2.9';
    for (let i = 0; i < 5; i += 1) {
      expect(await outcomeOf(() => change(test, user.id, { currentPassword: 'wrong' }, { ip }))).toBe(
        'invalid_credentials',
      );
      expect(await login(test, email, 'wrong', ip)).toBe('invalid_credentials');
    }
    expect(await outcomeOf(() => change(test, user.id, {}, { ip }))).toBe('rate_limit_exceeded');
    expect(await login(test, email, password, ip)).toBe('rate_limit_exceeded');
    // Another client is not locked out by the first.
    expect(await outcomeOf(() => change(test, user.id, {}, { ip: '192.0.2.10' }))).toBe('ok');
  });

  it('a right one forgives the failures before it', async () => {
    const test = await makePro();
    const { user } = await signedUp(test);
    const passwords = [password, otherPassword];
    for (let round = 0; round < 3; round += 1) {
      for (let i = 0; i < 9; i += 1) {
        expect(await outcomeOf(() => change(test, user.id, { currentPassword: 'wrong' }))).toBe(
          'invalid_credentials',
        );
      }
      const [currentPassword, newPassword] = round % 2 === 0 ? passwords : [...passwords].reverse();
      expect(await outcomeOf(() => change(test, user.id, { currentPassword, newPassword }))).toBe('ok');
    }
  });

  it('holds the new password against the policy of a signup, before the current one is looked at', async () => {
    const seen: unknown[] = [];
    const test = await makePro({
      providers: {
        emailPassword: {
          checkPassword: (plain, { email }) => {
            seen.push(email);
            return plain !== 'on a list of breached ones';
          },
        },
      },
    });
    const { email, user } = await signedUp(test);
    seen.length = 0;
    for (const newPassword of ['short', 'on a list of breached ones']) {
      expect(await outcomeOf(() => change(test, user.id, { newPassword, currentPassword: 'wrong' }))).toBe(
        'weak_password',
      );
    }
    expect(seen).toEqual([email]);
    expect(await login(test, email)).toBe('ok');
  });

  it.each([
    { newPassword: undefined },
    { newPassword: 42 },
    { newPassword: 'x'.repeat(1025) },
    { newPassword: 'lone \ud800 surrogate' },
    { currentPassword: 42 },
    { currentPassword: null },
    { currentPassword: {} },
  ])('of %p is invalid_request', async (fields) => {
    const test = await makePro();
    const { email, user } = await signedUp(test);
    expect(await outcomeOf(() => change(test, user.id, fields))).toBe('invalid_request');
    expect(await login(test, email)).toBe('ok');
  });

  it('for who is no user is user_not_found', async () => {
    const test = await makePro();
    for (const id of oddIds) {
      expect(await outcomeOf(() => change(test, id as string))).toBe('user_not_found');
    }
  });

  it('A-19: mails a notice where notifyTemplate is set, and none elsewhere', async () => {
    const notifyTemplate = ({ appName }: { appName: string }) => ({
      subject: `Your ${appName} password was changed`,
      text: 'Was it you?',
      html: '<p>Was it you?</p>',
    });
    const test = await makePro({ providers: { emailPassword: { notifyTemplate } } });
    const { email, user } = await signedUp(test);
    await outcomeOf(() => change(test, user.id, { currentPassword: 'wrong' }));
    await test.heard();
    expect(test.mail.messages).toEqual([]);
    await change(test, user.id);
    await test.heard();
    expect(test.mail.messages).toMatchObject([
      { kind: 'notice', to: email, subject: 'Your Acme password was changed' },
    ]);
    // A first password by signup, as somebody who is signed in, is a change as well; by signup as a stranger it is none.
    const passwordless = await verifiedUser(test);
    const { token: sessionToken } = test.service.createSessionToken(passwordless.id);
    test.mail.clear();
    await test.service.emailPassword.signup(
      { email: passwordless.email!, password: 'correct horse' },
      { sessionToken },
    );
    await test.heard();
    expect(test.mail.messages).toMatchObject([{ kind: 'notice', to: passwordless.email }]);
    const quiet = await makePro();
    await change(quiet, (await signedUp(quiet)).user.id);
    await quiet.heard();
    expect(quiet.mail.messages).toEqual([]);
  });

  it('a reset between the check and the change wins', async () => {
    const { hasher } = countingHasher();
    const [reached, go] = [gate(), gate()];
    const waiting = {
      ...hasher,
      hash: async (plain: string) => {
        if (plain === 'the slow one') {
          reached.open();
          await go.opened;
        }
        return hasher.hash(plain);
      },
    };
    const test = await makePro({ providers: { emailPassword: { hasher: waiting } } });
    const { email, user } = await signedUp(test);
    const slow = outcomeOf(() => change(test, user.id, { newPassword: 'the slow one' }));
    await reached.opened;
    expect(await setPassword(test, await resetToken(test, email))).toBe('ok');
    go.open();
    expect(await slow).toBe('invalid_credentials');
    expect(await login(test, email, 'the slow one')).toBe('invalid_credentials');
    expect(await login(test, email, otherPassword)).toBe('ok');
  });

  it('of parallel changes one is made', async () => {
    const test = await makePro();
    const { email, user } = await signedUp(test);
    const outcomes = await race(5, (index) => change(test, user.id, { newPassword: `password ${index}` }));
    expect(outcomes).toEqual({ ok: 1, invalid_credentials: 4 });
    expect(await login(test, email)).toBe('invalid_credentials');
    expect((await test.heardNames()).filter((name) => name === 'password.changed')).toHaveLength(1);
  });

  it('A-12 A-93: no password and no hash is answered, told, logged or thrown', async () => {
    const test = await makePro();
    const { user } = await signedUp(test);
    const answered = await change(test, user.id);
    const thrown = await change(test, user.id, { currentPassword: 'a wrong one' }).catch((error) => error);
    const text = JSON.stringify([answered, { ...thrown, ...{ message: (thrown as Error).message } }]);
    const seen = text + JSON.stringify([await test.heard(), test.log]);
    expect(seen).not.toMatch(/cheap\$|passwordHash|correct horse|battery staple|a wrong one/);
    expect(JSON.stringify(test.log)).not.toContain(user.email);
    if (sql) expect(JSON.stringify(await sql('select * from svc_users'))).not.toContain(otherPassword);
  });

  describe('without a current password', () => {
    it('sets the first one of a user who has none, in their own session, which goes on as another', async () => {
      const test = await makePro();
      const { email, user } = await passwordless(test);
      const { service } = test;
      const { token } = await service.sessionsProvider.create({ userId: user.id });
      const { token: elsewhere } = await service.sessionsProvider.create({ userId: user.id });
      await test.heard();
      const fields = { currentPassword: undefined };
      const { session } = await change(test, user.id, fields, { sessionToken: token, startSession: true });
      expect(await login(test, email, otherPassword)).toBe('ok');
      expect(await outcomeOf(() => service.getSessionUser(token))).toBe('token_invalid');
      // Nothing was taken from anybody: other devices stay.
      expect((await service.getSessionUser(elsewhere)).id).toBe(user.id);
      expect((await service.getSessionUser(session!.token)).id).toBe(user.id);
      expect((await test.heardNames())[0]).toBe('password.added');
    });

    it('is not_authorized without the live session of that user, in person', async () => {
      const test = await makePro({ providers: { sessions: { canImpersonate: () => true } } });
      const { email, user } = await passwordless(test);
      const { user: other } = await passwordless(test);
      const { sessionsProvider } = test.service;
      const { token: foreign } = await sessionsProvider.create({ userId: other.id });
      const { token: acting } = await sessionsProvider.impersonate(other.id, user.id);
      const { token: ended } = await sessionsProvider.create({ userId: user.id });
      await sessionsProvider.revoke(ended);
      for (const sessionToken of [undefined, 'x', foreign, acting, ended]) {
        const fields = { currentPassword: undefined };
        expect(await outcomeOf(() => change(test, user.id, fields, { sessionToken }))).toBe('not_authorized');
      }
      expect(await login(test, email, otherPassword)).toBe('invalid_credentials');
    });

    it('is invalid_credentials for who has one, and no try of it', async () => {
      const test = await makePro();
      const { email, user } = await signedUp(test);
      const { token: sessionToken } = await test.service.sessionsProvider.create({ userId: user.id });
      for (let i = 0; i < 20; i += 1) {
        const fields = { currentPassword: undefined };
        expect(await outcomeOf(() => change(test, user.id, fields, { sessionToken }))).toBe(
          'invalid_credentials',
        );
      }
      expect(await login(test, email)).toBe('ok');
    });

    it('is invalid_request for who has no address to sign in with, a guest for instance', async () => {
      const test = await makePro();
      const { user, token } = await test.service.sessionsProvider.createGuest();
      const fields = { currentPassword: undefined };
      const refused = await errorOf(() => change(test, user.id, fields, { sessionToken: token }));
      expect(refused).toMatchObject({ code: 'invalid_request', reason: 'email_missing' });
    });
  });
});
