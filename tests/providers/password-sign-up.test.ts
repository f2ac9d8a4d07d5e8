// Sign-up with a password (specification 1, 2.4, 4.3, 5.5, 5.6; docs/security-requirements.md T1,
// T10, A-01 to, C-27).
import { describeAdapters } from '../support/describe-adapters.js';
import { errorOf, outcomeOf, race } from '../support/outcomes.js';
import { login, otherPassword as other, password, passwordAccounts } from '../support/password-accounts.js';

const userFields = 'createdAt email emailVerified id metadata updatedAt'.split(' ');

describeAdapters('Sign-up with a password', ({ make, uniqueEmail, adapter }) => {
  const { signUpUser, passwordlessUser } = passwordAccounts(uniqueEmail);

  describe('signup', () => {
    it('creates an account with an unverified address', async () => {
      const { service, clock } = await make();
      const email = uniqueEmail();
      const result = await service.emailPassword.signup({
        email: ` ${email.toUpperCase()} `,
        password,
        metadata: { plan: 'pro' },
      });
      expect(result.user).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        email,
        emailVerified: false,
        metadata: { plan: 'pro' },
        createdAt: new Date(clock.now()),
        updatedAt: new Date(clock.now()),
      });
      expect((await service.emailPassword.login({ email, password })).user).toEqual(result.user);
    });

    it('rejects an address with a password with email_exists, in any notation', async () => {
      const test = await make();
      const { email } = await signUpUser(test);
      const again = (form: string) =>
        outcomeOf(() => test.service.emailPassword.signup({ email: form, password: other }));
      expect(await again(email)).toBe('email_exists');
      expect(await again(email.toUpperCase())).toBe('email_exists');
      expect(await login(test, email, other)).toBe('invalid_credentials');
      expect(await login(test, email)).toBe('ok');
    });

    // T1
    it('rejects an account without a password with email_exists, and sets none', async () => {
      const test = await make();
      const { email } = await passwordlessUser(test);
      expect(await outcomeOf(() => test.service.emailPassword.signup({ email, password }))).toBe(
        'email_exists',
      );
      expect(await login(test, email)).toBe('invalid_credentials');
    });

    // T1, C-27
    it('sets the first password of an account in its own active session only', async () => {
      const test = await make();
      const { email, user } = await passwordlessUser(test);
      const stranger = await passwordlessUser(test);
      const signup = (sessionToken: string | undefined, chosen = password) =>
        outcomeOf(() => test.service.emailPassword.signup({ email, password: chosen }, { sessionToken }));
      const tokenFor = (id: string, expiresInSec?: number) =>
        test.service.createSessionToken(id, { expiresInSec }).token;
      const short = tokenFor(user.id, 1);
      test.clock.advance(1000);
      for (const token of [undefined, '', 'garbage', short, tokenFor(stranger.user.id)]) {
        expect(await signup(token)).toBe('email_exists');
      }
      const own = tokenFor(user.id);
      await adapter().sessions.revokeAll(stranger.user.id, new Date(test.clock.now()));
      expect(await signup(own)).toBe('ok');
      expect(await login(test, email)).toBe('ok');
      // The password exists now: a sign-up sets only the first.
      expect(await signup(own, other)).toBe('email_exists');
      expect(await login(test, email, other)).toBe('invalid_credentials');
    });

    // T1, C-27
    it('sets no password in a revoked session', async () => {
      const test = await make();
      const { email, user } = await passwordlessUser(test);
      const { token } = test.service.createSessionToken(user.id);
      test.clock.advance(1);
      await adapter().sessions.revokeAll(user.id, new Date(test.clock.now()));
      const signup = () => test.service.emailPassword.signup({ email, password }, { sessionToken: token });
      expect(await outcomeOf(signup)).toBe('email_exists');
      expect(await login(test, email)).toBe('invalid_credentials');
    });

    it.each([
      ['a weak password', { password: '1234567' }, 'weak_password'],
      //
      ['four emoji', { password: '👍'.repeat(4) }, 'weak_password'],
      ['an empty password', { password: '' }, 'weak_password'],
      ['a password with U+0000', { password: 'password\0' }, 'invalid_request'],
      ['a password of 1025 bytes', { password: 'x'.repeat(1025) }, 'invalid_request'],
      ['a number as the password', { password: 12345678 }, 'invalid_request'],
      ['a list as the password', { password: ['password1'] }, 'invalid_request'],
      ['a String object as the password', { password: Object('password1') }, 'invalid_request'],
      ['null as the password', { password: null }, 'invalid_request'],
      ['no password', { password: undefined }, 'invalid_request'],
      // T10
      [
        'metadata in the reserved namespace',
        { metadata: { __svc: { passwordHash: 'x' } } },
        'invalid_request',
      ],
      ['metadata that is too large', { metadata: { a: 'x'.repeat(9000) } }, 'invalid_request'],
    ])('rejects %s and stores nothing', async (_name, input, outcome) => {
      const test = await make();
      const email = uniqueEmail();
      const signup = () => test.service.emailPassword.signup({ email, password, ...(input as object) });
      expect(await outcomeOf(signup)).toBe(outcome);
      expect(await adapter().users.findByEmail(email)).toBeNull();
    });

    it.each(['ada@', 'ada@example.com,eve@evil.com', '', undefined, ['ada@example.com']])(
      'rejects the address %p',
      async (email) => {
        const { service } = await make();
        const signup = () => service.emailPassword.signup({ email: email as string, password });
        expect(await outcomeOf(signup)).toBe('invalid_request');
      },
    );

    // T10, A-81
    it('refuses all input except its fields, and creates nothing', async () => {
      const test = await make();
      const email = uniqueEmail();
      const extra = { id: '1', emailVerified: true, passwordHash: 'x', epoch: 9, createdAt: new Date(0) };
      for (const [name, value] of Object.entries(extra)) {
        const signup = () => test.service.emailPassword.signup({ email, password, [name]: value });
        expect(await errorOf(signup)).toMatchObject({
          code: 'invalid_request',
          message: expect.stringContaining(name) as string,
        });
      }
      expect(await login(test, email)).toBe('invalid_credentials');
    });

    //
    it('never returns the hash', async () => {
      const test = await make();
      const email = uniqueEmail();
      const { user } = await test.service.emailPassword.signup({ email, password });
      const signedIn = await test.service.emailPassword.login({ email, password });
      const session = await test.service.getSessionUser(test.service.createSessionToken(user.id).token);
      for (const each of [user, signedIn.user, session]) {
        expect(Object.keys(each).sort()).toEqual(userFields);
        expect(JSON.stringify(each)).not.toContain('cheap$');
      }
    });

    //
    it('calls checkPassword with the password and the address', async () => {
      const calls: unknown[] = [];
      const checkPassword = (candidate: string, context: { email: string | null }) => {
        calls.push([candidate, context.email]);
        return candidate !== password;
      };
      const test = await make({ providers: { emailPassword: { checkPassword } } });
      const email = uniqueEmail();
      const signup = (chosen: string) =>
        outcomeOf(() => test.service.emailPassword.signup({ email, password: chosen }));
      expect(await signup(password)).toBe('weak_password');
      expect(await adapter().users.findByEmail(email)).toBeNull();
      expect(await signup(other)).toBe('ok');
      expect(calls).toEqual([
        [password, email],
        [other, email],
      ]);
    });

    it('creates one account for 50 concurrent sign-ups, with the password of that sign-up', async () => {
      const test = await make();
      const email = uniqueEmail();
      const winners: number[] = [];
      const tally = await race(50, async (i) => {
        await test.service.emailPassword.signup({ email, password: `password-${i}` });
        winners.push(i);
      });
      expect(tally).toEqual({ ok: 1, email_exists: 49 });
      expect(await login(test, email, `password-${winners[0]}`)).toBe('ok');
    });
  });
});
