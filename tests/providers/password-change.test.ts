// Password changes by the user, and first passwords (docs/providers/email-password.md;
// docs/security-requirements.md ).
import type { PasswordChangeInput } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { minute, invalidIds, proFixtures } from '../support/make-pro-service.js';
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

describeAdapters('Password changes', ({ make, uniqueEmail, sql }) => {
  const { makePro, verifiedUser } = proFixtures({ make, uniqueEmail });
  const { signUpUser, passwordlessUser } = passwordAccounts(uniqueEmail);

  const change = (
    { service }: TestService,
    userId: string,
    fields: Partial<Record<keyof PasswordChangeInput, unknown>> = {},
    context: Parameters<typeof service.emailPassword.changePassword>[1] = {},
  ) => {
    const input = { userId, currentPassword: password, newPassword: otherPassword, ...fields };
    return service.emailPassword.changePassword(input as PasswordChangeInput, context);
  };

  it('replaces the password and returns the user', async () => {
    const test = await makePro();
    const { email, user } = await signUpUser(test);
    const changed = await change(test, user.id);
    expect(changed).toEqual({ user: { ...user, updatedAt: new Date(test.clock.now()) } });
    expect(await login(test, email)).toBe('invalid_credentials');
    expect(await login(test, email, otherPassword)).toBe('ok');
  });

  it('revokes every session and token, and starts a new session with startSession', async () => {
    const test = await makePro();
    const { email, user } = await signUpUser(test);
    const { service } = test;
    const context = { startSession: true, ip: '192.0.2.1', userAgent: 'Test/1' };
    const first = (await service.emailPassword.login({ email, password }, context)).session!;
    const second = (await service.emailPassword.login({ email, password }, context)).session!;
    const { token: bare } = service.createSessionToken(user.id);
    const { refreshToken } = await service.refresh.issue({ userId: user.id });
    await test.takeEvents();
    const { session } = await change(test, user.id, {}, { ...context, sessionToken: first.token });
    for (const token of [first.token, second.token, bare]) {
      expect(await outcomeOf(() => service.getSessionUser(token))).toBe('token_invalid');
    }
    expect(await outcomeOf(() => service.refresh.refresh(refreshToken))).toBe('refresh_token_invalid');
    expect((await service.getSessionUser(session!.token)).id).toBe(user.id);
    expect(await service.sessionsProvider.listDevices(user.id)).toMatchObject([
      { id: session!.session.id, device: { ip: '192.0.2.1', userAgent: 'Test/1' } },
    ]);
    expect(await test.takeEvents()).toEqual([
      { name: 'password.changed', payload: { userId: user.id } },
      { name: 'session.created', payload: { userId: user.id, sessionId: session!.session.id } },
    ]);
  });

  it('revokes pending resets, links and codes of the user', async () => {
    const test = await makePro();
    const { email, user } = await signUpUser(test);
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

  it('rejects a wrong current password, and that of a user without one, as a login does', async () => {
    const { hasher, verified } = countingHasher();
    const test = await makePro({ providers: { emailPassword: { hasher } } });
    const { user } = await signUpUser(test);
    const { user: userWithoutPassword } = await passwordlessUser(test);
    for (const currentPassword of ['wrong', '', 'x'.repeat(5000), 'nul\0']) {
      for (const { id } of [user, userWithoutPassword]) {
        const before = verified.length;
        expect(await outcomeOf(() => change(test, id, { currentPassword }))).toBe('invalid_credentials');
        expect(verified.length - before).toBe(1);
        test.clock.advance(15 * minute);
      }
    }
    const failures = test.log.filter(({ fields }) => fields['event'] === 'sign_in_failed');
    expect(failures[0]?.fields).toMatchObject({ method: 'password_change', reason: 'invalid_credentials' });
  });

  //
  it('shares the limits of logins of that address', async () => {
    const test = await makePro();
    const { email, user } = await signUpUser(test);
    const ip = '192.0.2.9';
    for (let i = 0; i < 5; i += 1) {
      expect(await outcomeOf(() => change(test, user.id, { currentPassword: 'wrong' }, { ip }))).toBe(
        'invalid_credentials',
      );
      expect(await login(test, email, 'wrong', ip)).toBe('invalid_credentials');
    }
    expect(await outcomeOf(() => change(test, user.id, {}, { ip }))).toBe('rate_limit_exceeded');
    expect(await login(test, email, password, ip)).toBe('rate_limit_exceeded');
    // Another client is not locked out.
    expect(await outcomeOf(() => change(test, user.id, {}, { ip: '192.0.2.10' }))).toBe('ok');
  });

  it('resets the failures before a successful change', async () => {
    const test = await makePro();
    const { user } = await signUpUser(test);
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

  it('checks the new password against the sign-up policy before it verifies the current one', async () => {
    const addresses: unknown[] = [];
    const test = await makePro({
      providers: {
        emailPassword: {
          checkPassword: (plain, { email }) => {
            addresses.push(email);
            return plain !== 'on a list of breached ones';
          },
        },
      },
    });
    const { email, user } = await signUpUser(test);
    addresses.length = 0;
    for (const newPassword of ['short', 'on a list of breached ones']) {
      expect(await outcomeOf(() => change(test, user.id, { newPassword, currentPassword: 'wrong' }))).toBe(
        'weak_password',
      );
    }
    expect(addresses).toEqual([email]);
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
  ])('rejects %p with invalid_request', async (fields) => {
    const test = await makePro();
    const { email, user } = await signUpUser(test);
    expect(await outcomeOf(() => change(test, user.id, fields))).toBe('invalid_request');
    expect(await login(test, email)).toBe('ok');
  });

  it('rejects an unknown user with user_not_found', async () => {
    const test = await makePro();
    for (const id of invalidIds) {
      expect(await outcomeOf(() => change(test, id as string))).toBe('user_not_found');
    }
  });

  //
  it('mails a notice only if notifyTemplate is set', async () => {
    const notifyTemplate = ({ appName }: { appName: string }) => ({
      subject: `Your ${appName} password was changed`,
      text: 'Was it you?',
      html: '<p>Was it you?</p>',
    });
    const test = await makePro({ providers: { emailPassword: { notifyTemplate } } });
    const { email, user } = await signUpUser(test);
    await outcomeOf(() => change(test, user.id, { currentPassword: 'wrong' }));
    await test.takeEvents();
    expect(test.mail.messages).toEqual([]);
    await change(test, user.id);
    await test.takeEvents();
    expect(test.mail.messages).toMatchObject([
      { kind: 'notice', to: email, subject: 'Your Acme password was changed' },
    ]);
    // Setting a first password by sign-up while signed in is a change, too.
    const passwordless = await verifiedUser(test);
    const { token: sessionToken } = test.service.createSessionToken(passwordless.id);
    test.mail.clear();
    await test.service.emailPassword.signup(
      { email: passwordless.email!, password: 'correct horse' },
      { sessionToken },
    );
    await test.takeEvents();
    expect(test.mail.messages).toMatchObject([{ kind: 'notice', to: passwordless.email }]);
    const quiet = await makePro();
    await change(quiet, (await signUpUser(quiet)).user.id);
    await quiet.takeEvents();
    expect(quiet.mail.messages).toEqual([]);
  });

  it('rejects a change that a reset overtakes', async () => {
    const { hasher } = countingHasher();
    const [hashing, release] = [gate(), gate()];
    const waiting = {
      ...hasher,
      hash: async (plain: string) => {
        if (plain === 'the slow one') {
          hashing.open();
          await release.opened;
        }
        return hasher.hash(plain);
      },
    };
    const test = await makePro({ providers: { emailPassword: { hasher: waiting } } });
    const { email, user } = await signUpUser(test);
    const slow = outcomeOf(() => change(test, user.id, { newPassword: 'the slow one' }));
    await hashing.opened;
    expect(await setPassword(test, await resetToken(test, email))).toBe('ok');
    release.open();
    expect(await slow).toBe('invalid_credentials');
    expect(await login(test, email, 'the slow one')).toBe('invalid_credentials');
    expect(await login(test, email, otherPassword)).toBe('ok');
  });

  it('applies one of several concurrent changes', async () => {
    const test = await makePro();
    const { email, user } = await signUpUser(test);
    const outcomes = await race(5, (index) => change(test, user.id, { newPassword: `password ${index}` }));
    expect(outcomes).toEqual({ ok: 1, invalid_credentials: 4 });
    expect(await login(test, email)).toBe('invalid_credentials');
    expect((await test.takeEventNames()).filter((name) => name === 'password.changed')).toHaveLength(1);
  });

  //
  it('reveals no password and no hash in responses, events, logs and errors', async () => {
    const test = await makePro();
    const { user } = await signUpUser(test);
    const response = await change(test, user.id);
    const error = await change(test, user.id, { currentPassword: 'a wrong one' }).catch((error) => error);
    const text = JSON.stringify([response, { ...error, ...{ message: (error as Error).message } }]);
    const outputs = text + JSON.stringify([await test.takeEvents(), test.log]);
    expect(outputs).not.toMatch(/cheap\$|passwordHash|correct horse|battery staple|a wrong one/);
    expect(JSON.stringify(test.log)).not.toContain(user.email);
    if (sql) expect(JSON.stringify(await sql('select * from svc_users'))).not.toContain(otherPassword);
  });

  describe('without a current password', () => {
    it('sets the first password of a user in their own session, which a new one replaces', async () => {
      const test = await makePro();
      const { email, user } = await passwordlessUser(test);
      const { service } = test;
      const { token } = await service.sessionsProvider.create({ userId: user.id });
      const { token: elsewhere } = await service.sessionsProvider.create({ userId: user.id });
      await test.takeEvents();
      const fields = { currentPassword: undefined };
      const { session } = await change(test, user.id, fields, { sessionToken: token, startSession: true });
      expect(await login(test, email, otherPassword)).toBe('ok');
      expect(await outcomeOf(() => service.getSessionUser(token))).toBe('token_invalid');
      // Other devices remain signed in, as nothing was replaced.
      expect((await service.getSessionUser(elsewhere)).id).toBe(user.id);
      expect((await service.getSessionUser(session!.token)).id).toBe(user.id);
      expect((await test.takeEventNames())[0]).toBe('password.added');
    });

    it('rejects with not_authorized without an active, unimpersonated session of that user', async () => {
      const test = await makePro({ providers: { sessions: { canImpersonate: () => true } } });
      const { email, user } = await passwordlessUser(test);
      const { user: other } = await passwordlessUser(test);
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

    it('rejects a user who has a password with invalid_credentials, and counts no attempt', async () => {
      const test = await makePro();
      const { email, user } = await signUpUser(test);
      const { token: sessionToken } = await test.service.sessionsProvider.create({ userId: user.id });
      for (let i = 0; i < 20; i += 1) {
        const fields = { currentPassword: undefined };
        expect(await outcomeOf(() => change(test, user.id, fields, { sessionToken }))).toBe(
          'invalid_credentials',
        );
      }
      expect(await login(test, email)).toBe('ok');
    });

    it('rejects a user without an address with invalid_request, such as a guest', async () => {
      const test = await makePro();
      const { user, token } = await test.service.sessionsProvider.createGuest();
      const fields = { currentPassword: undefined };
      const refused = await errorOf(() => change(test, user.id, fields, { sessionToken: token }));
      expect(refused).toMatchObject({ code: 'invalid_request', reason: 'email_missing' });
    });
  });
});
