/** Reset links for an application that mails them itself. */
import { describeAdapters } from '../support/describe-adapters.js';
import { outcomeOf } from '../support/outcomes.js';
import { login, passwordAccounts } from '../support/password-accounts.js';

const minute = 60_000;
const newPassword = 'battery staple new';

describeAdapters('Created reset links', ({ make, uniqueEmail }) => {
  const { signUpUser } = passwordAccounts(uniqueEmail);

  it('a created link sets a password once, ends every session, and no mail is sent', async () => {
    const test = await make();
    const { email, user } = await signUpUser(test);
    const { token: session } = test.service.createSessionToken(user.id);
    const reset = await test.service.emailPassword.createReset({ email: ` ${email.toUpperCase()}` });
    expect(reset).toEqual({
      token: expect.any(String) as string,
      url: `https://app.test/reset?token=${reset!.token}`,
      expiresAt: new Date(test.clock.now() + 30 * minute),
    });
    const set = () => test.service.emailPassword.setPassword({ token: reset!.token, newPassword });
    expect((await set()).user).toMatchObject({ id: user.id, emailVerified: true });
    expect(await outcomeOf(set)).toBe('token_invalid');
    expect(await outcomeOf(() => test.service.getSessionUser(session))).toBe('token_invalid');
    expect(await login(test, email, newPassword)).toBe('ok');
    await test.service.close();
    expect(test.mail.messages).toEqual([]);
  });

  it('is null for an address without an account', async () => {
    const { service } = await make();
    expect(await service.emailPassword.createReset({ email: uniqueEmail() })).toBeNull();
  });

  it('a created link ends after 30 minutes, with a change of the password, and with a mailed link that was used', async () => {
    const test = await make();
    const { emailPassword, users } = test.service;
    const create = async (email: string) => (await emailPassword.createReset({ email }))!.token;
    const { email } = await signUpUser(test);
    const late = await create(email);
    test.clock.advance(30 * minute);
    expect(await outcomeOf(() => emailPassword.setPassword({ token: late, newPassword }))).toBe(
      'token_invalid',
    );
    const { email: other, user } = await signUpUser(test);
    await users.update(user.id, { emailVerified: true });
    const first = await create(other);
    await users.setPassword(user.id, 'chosen by the support');
    expect(await outcomeOf(() => emailPassword.setPassword({ token: first, newPassword }))).toBe(
      'token_invalid',
    );
    const [second, third] = [await create(other), await create(other)];
    await emailPassword.setPassword({ token: second, newPassword });
    expect(await outcomeOf(() => emailPassword.setPassword({ token: third, newPassword }))).toBe(
      'token_invalid',
    );
  });

  it('counts against the limits of mailed resets, with or without an account', async () => {
    const test = await make();
    const { emailPassword } = test.service;
    const { email } = await signUpUser(test);
    for (const address of [email, uniqueEmail()]) {
      await emailPassword.requestReset({ email: address });
      await test.service.close();
      for (let i = 0; i < 4; i += 1) await emailPassword.createReset({ email: address });
      expect(await outcomeOf(() => emailPassword.createReset({ email: address }))).toBe(
        'rate_limit_exceeded',
      );
    }
    test.clock.advance(15 * minute);
    expect(await emailPassword.createReset({ email })).not.toBeNull();
  });

  it('rejects a malformed address, and a page that is not allowed, with or without an account', async () => {
    const test = await make({ trustedOrigins: ['https://other.test'] });
    const { emailPassword } = test.service;
    const { email } = await signUpUser(test);
    for (const malformed of [undefined, null, 1, '', 'ada', 'ada@example.com\nBcc: x@example.com'])
      expect(await outcomeOf(() => emailPassword.createReset({ email: malformed as string }))).toBe(
        'invalid_request',
      );
    for (const address of [email, uniqueEmail()])
      for (const redirectTo of ['https://evil.test/', 'https://app.test.evil.test/', '//evil.test', ''])
        expect(await outcomeOf(() => emailPassword.createReset({ email: address, redirectTo }))).toBe(
          'invalid_request',
        );
    const { url, token } = (await emailPassword.createReset({
      email,
      redirectTo: 'https://other.test/new?a=1',
    }))!;
    expect(url).toBe(`https://other.test/new?a=1&token=${token}`);
  });

  it('rejects with provider_not_configured without a page, with or without an account', async () => {
    const test = await make({ providers: { emailPassword: { resetUrl: undefined } } });
    const { email } = await signUpUser(test);
    for (const address of [email, uniqueEmail()])
      expect(await outcomeOf(() => test.service.emailPassword.createReset({ email: address }))).toBe(
        'provider_not_configured',
      );
  });

  it('logs neither the link nor the address', async () => {
    const test = await make();
    const { email } = await signUpUser(test);
    const { token } = (await test.service.emailPassword.createReset({ email }))!;
    const log = JSON.stringify(test.log);
    expect(log).toContain('password_reset_created');
    expect(log).not.toContain(token);
    expect(log).not.toContain(email);
  });
});
