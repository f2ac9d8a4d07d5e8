// Invites of users by an administrator.
import { describeAdapters } from '../support/describe-adapters.js';
import { day, license } from '../support/make-pro-service.js';
import type { Overrides, TestService } from '../support/make-service.js';
import { errorOf, outcomeOf, race, tallyOf } from '../support/outcomes.js';

const newPassword = 'correct horse battery';

describeAdapters('users.invite', ({ make, uniqueEmail }) => {
  const makeLicensed = (overrides: Overrides = {}) => make({ ...license, ...overrides });
  const tokenFor = ({ mail }: TestService, email: string) =>
    new URL(mail.lastLink(email)!).searchParams.get('token')!;

  it('mails a link with which the user sets a password, verifies the address and keeps roles and metadata', async () => {
    const test = await makeLicensed();
    const { users, emailPassword } = test.service;
    const email = uniqueEmail();
    const events: unknown[] = [];
    test.service.on('*', (name, payload) => events.push([name, payload]));
    const by = { actor: { type: 'user', id: 'admin-1' } } as const;
    const { user, created, expiresAt } = await users.invite(
      { email, roles: ['support'], metadata: { team: 1 } },
      by,
    );
    expect([created, user.email, user.emailVerified, user.hasPassword]).toEqual([true, email, false, false]);
    expect(expiresAt).toEqual(new Date(test.clock.now() + 7 * day));
    const [message] = test.mail.messages;
    expect([message?.kind, message?.to, test.mail.messages.length]).toEqual(['user_invite', email, 1]);
    expect(message?.text).toContain('7 days');
    test.clock.advance(7 * day - 1000);
    const token = tokenFor(test, email);
    await emailPassword.setPassword({ token, newPassword });
    expect(await outcomeOf(() => emailPassword.setPassword({ token, newPassword }))).toBe('token_invalid');
    await emailPassword.login({ email, password: newPassword });
    expect(await users.get(user.id)).toMatchObject({
      emailVerified: true,
      hasPassword: true,
      roles: ['support'],
      metadata: { team: 1 },
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(events.slice(0, 2)).toEqual([
      ['user.created', { userId: user.id, method: 'users.invite', ...by }],
      ['user.invited', { userId: user.id, ...by }],
    ]);
  });

  it('the link expires after seven days and works once of 50 parallel uses', async () => {
    const test = await makeLicensed();
    const [late, raced] = [uniqueEmail(), uniqueEmail()];
    await test.service.users.invite({ email: raced });
    const token = tokenFor(test, raced);
    const use = () => test.service.emailPassword.setPassword({ token, newPassword });
    expect(await race(50, use)).toEqual({ ok: 1, token_invalid: 49 });
    await test.service.users.invite({ email: late });
    test.clock.advance(7 * day);
    const expired = { token: tokenFor(test, late), newPassword };
    expect(await outcomeOf(() => test.service.emailPassword.setPassword(expired))).toBe('token_invalid');
  });

  it('without a resetUrl mails a magic link that signs the user in', async () => {
    const test = await makeLicensed({ providers: { emailPassword: undefined } });
    const email = uniqueEmail();
    const { user } = await test.service.users.invite({ email });
    test.clock.advance(6 * day);
    const token = tokenFor(test, email);
    const signedIn = await test.service.magicLink.verify(token);
    expect([signedIn.user.id, signedIn.user.emailVerified, signedIn.created]).toEqual([user.id, true, false]);
    expect(await outcomeOf(() => test.service.magicLink.verify(token))).toBe('token_invalid');
  });

  it('refuses to invite without a page for the link', async () => {
    const test = await makeLicensed({
      providers: { emailPassword: { resetUrl: undefined }, magicLink: undefined },
    });
    const email = uniqueEmail();
    expect(await outcomeOf(() => test.service.users.invite({ email }))).toBe('provider_not_configured');
    expect(await test.service.users.find({ email })).toBeNull();
  });

  it('removes what a stranger has set on the account before, and does not give it roles', async () => {
    const test = await makeLicensed();
    const { users, emailPassword } = test.service;
    const email = uniqueEmail();
    const stranger = await emailPassword.signup({ email, password: 'password of a stranger' });
    const { user, created } = await users.invite({ email, roles: ['admin'] });
    expect([user.id, created, user.roles]).toEqual([stranger.user.id, false, []]);
    await emailPassword.setPassword({ token: tokenFor(test, email), newPassword });
    const login = () => emailPassword.login({ email, password: 'password of a stranger' });
    expect(await outcomeOf(login)).toBe('invalid_credentials');
  });

  it('refuses verified and blocked users, malformed input, other origins, and a flood of mails', async () => {
    const test = await makeLicensed();
    const { users } = test.service;
    const [verified, blocked] = [uniqueEmail(), uniqueEmail()];
    await users.create({ email: verified, emailVerified: true });
    await users.block((await users.create({ email: blocked })).id);
    expect(await outcomeOf(() => users.invite({ email: verified }))).toBe('email_exists');
    expect(await outcomeOf(() => users.invite({ email: blocked }))).toBe('user_blocked');
    const email = uniqueEmail();
    const malformed: unknown[] = [
      undefined,
      {},
      { email: 'x' },
      { email, roles: ['No Role'] },
      { email, metadata: [] },
      { email, redirectTo: 'https://evil.test/' },
    ];
    for (const input of malformed) {
      expect([input, await outcomeOf(() => users.invite(input as { email: string }))]).toEqual([
        input,
        'invalid_request',
      ]);
    }
    expect([await users.find({ email }), test.mail.messages]).toEqual([null, []]);
    const outcomes: string[] = [];
    for (let i = 0; i < 6; i += 1) outcomes.push(await outcomeOf(() => users.invite({ email })));
    expect(tallyOf(outcomes)).toEqual({ ok: 5, rate_limit_exceeded: 1 });
  });

  it('keeps the user and voids the link if the mail cannot be sent', async () => {
    const failing = { send: () => Promise.reject(new Error('down')) };
    const test = await makeLicensed({ providers: { emailPassword: { sender: failing } } });
    const email = uniqueEmail();
    const error = await errorOf(() => test.service.users.invite({ email }));
    expect(error['code']).toBe('email_send_failed');
    expect(await test.service.users.find({ email })).toMatchObject({ email, emailVerified: false });
  });
});
