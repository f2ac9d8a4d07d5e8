// The first proof of a mailbox on an unverified account, which reclaims it
// (docs/security-requirements.md T2, C-26).
import { describeAdapters } from '../support/describe-adapters.js';
import type { TestService } from '../support/make-service.js';
import { outcomeOf } from '../support/outcomes.js';
import { withoutFastPaths } from '../support/without-fast-paths.js';

const password = 'chosen by the attacker';

interface Context {
  sessionToken?: string;
}

/** The ways to prove a mailbox. Each resolves the signed-in user. */
const proofs: Record<
  string,
  (test: TestService, email: string, context?: Context) => Promise<{ id: string }>
> = {
  async 'a code'({ service, mail }, email, context) {
    await service.emailCode.sendCode({ email });
    return (await service.emailCode.verify({ email, code: mail.lastCode(email)! }, context)).user;
  },
  async 'a link'({ service }, email, context) {
    const { url } = await service.magicLink.sendLink({ email });
    return (await service.magicLink.verify(new URL(url).searchParams.get('token')!, context)).user;
  },
  async 'a password reset'({ service, mail }, email) {
    await service.emailPassword.requestReset({ email });
    await service.close();
    const token = new URL(mail.lastLink(email)!).searchParams.get('token')!;
    return (await service.emailPassword.setPassword({ token, newPassword: 'chosen by the owner' })).user;
  },
};

describeAdapters('The reclaim of an unverified account', ({ make, uniqueEmail, adapter }) => {
  /** An attacker signs up with another person's address and stays signed in. */
  async function signUpAsAttacker(test: TestService, email = uniqueEmail()) {
    const context = { startSession: true };
    const metadata = { plan: 'free' };
    const { user, session } = await test.service.emailPassword.signup({ email, password, metadata }, context);
    const rowless = test.service.createSessionToken(user.id).token;
    // The owner of the mailbox comes a millisecond later.
    test.clock.advance(1);
    return { email, user, tokens: [session!.token, rowless] };
  }
  const login = ({ service }: TestService, email: string) =>
    outcomeOf(() => service.emailPassword.login({ email, password }));
  const alive = ({ service }: TestService, tokens: string[]) =>
    Promise.all(tokens.map((token) => outcomeOf(() => service.getSessionUser(token))));

  describe.each(Object.entries(proofs))('by %s', (_name, prove) => {
    // T2
    it('is in the result of the sign-in, but not if the session of the request keeps the password', async () => {
      const test = await make();
      const signIn = async (email: string, context = {}) => {
        await test.service.emailCode.sendCode({ email });
        return test.service.emailCode.verify({ email, code: test.mail.lastCode(email)! }, context);
      };
      const { email } = await signUpAsAttacker(test);
      expect(await signIn(email)).toMatchObject({ created: false, reclaimed: true });
      expect(await signIn(email)).not.toHaveProperty('reclaimed');
      const own = await signUpAsAttacker(test);
      const context = { startSession: true, sessionToken: own.tokens[0] };
      expect(await signIn(own.email, context)).not.toHaveProperty('reclaimed');
      expect(await signIn(uniqueEmail())).not.toHaveProperty('reclaimed');
    });

    it('removes the earlier password and sessions, and keeps the id and the metadata', async () => {
      const test = await make();
      const { email, user, tokens } = await signUpAsAttacker(test);
      expect(await alive(test, tokens)).toEqual(['ok', 'ok']);
      const claimed = await prove(test, email);
      expect(claimed).toMatchObject({ id: user.id, email, emailVerified: true, metadata: { plan: 'free' } });
      expect(await login(test, email)).toBe('invalid_credentials');
      expect(await alive(test, tokens)).toEqual(['token_invalid', 'token_invalid']);
    });

    // T2
    it('removes earlier identities and pending resets', async () => {
      const test = await make();
      const { email, user } = await signUpAsAttacker(test);
      await test.service.emailPassword.requestReset({ email });
      await test.service.close();
      const pending = new URL(test.mail.lastLink(email)!).searchParams.get('token')!;
      const identity = {
        id: user.id,
        userId: user.id,
        provider: 'google',
        providerAccountId: `of-${user.id}`,
      };
      expect(await adapter().identities.link({ ...identity, createdAt: new Date() }, 0)).toBe(true);
      await prove(test, email);
      expect(await adapter().identities.findUser('google', `of-${user.id}`)).toBeNull();
      const setPassword = () =>
        test.service.emailPassword.setPassword({ token: pending, newPassword: password });
      expect(await outcomeOf(setPassword)).toBe('token_invalid');
    });

    // T2
    it('reclaims an account once, and keeps later additions of the owner', async () => {
      const test = await make();
      const { email, user } = await signUpAsAttacker(test);
      await prove(test, email);
      test.clock.advance(1);
      const { token } = test.service.createSessionToken(user.id);
      test.clock.advance(1);
      await proofs['a code']!(test, email);
      expect(await alive(test, [token])).toEqual(['ok']);
    });
  });

  describe.each(Object.entries(proofs).filter(([name]) => name !== 'a password reset'))(
    'by %s',
    (name, prove) => {
      it('only verifies the address in an active session of the same account', async () => {
        const test = await make();
        const { email, tokens } = await signUpAsAttacker(test);
        const [ofRow, rowless] = tokens;
        for (const sessionToken of [ofRow, rowless]) {
          expect(await prove(test, email, { sessionToken })).toMatchObject({ emailVerified: true });
        }
        expect(await login(test, email)).toBe('ok');
        expect(await alive(test, tokens)).toEqual(['ok', 'ok']);
      });

      // T2
      it('reclaims the account in a session of another account', async () => {
        const test = await make();
        const { email, tokens } = await signUpAsAttacker(test);
        const stranger = await signUpAsAttacker(test);
        await prove(test, email, { sessionToken: stranger.tokens[0] });
        expect(await login(test, email)).toBe('invalid_credentials');
        expect(await alive(test, tokens)).toEqual(['token_invalid', 'token_invalid']);
        expect(await alive(test, stranger.tokens)).toEqual(['ok', 'ok']);
      });

      // T2
      it('reclaims the account in a revoked session of the same account', async () => {
        const test = await make();
        const { email, user, tokens } = await signUpAsAttacker(test);
        await adapter().sessions.revokeAll(user.id, new Date(test.clock.now()));
        await prove(test, email, { sessionToken: tokens[0] });
        expect(await login(test, email)).toBe('invalid_credentials');
      });

      // T2
      it(`happens once for concurrent proofs (${name}), and the owner's new sessions are valid`, async () => {
        const test = await make({ rateLimit: { maxPerWindow: 50 } });
        const { email, tokens } = await signUpAsAttacker(test);
        const links = await Promise.all(
          Array.from({ length: 10 }, async () => {
            const { url } = await test.service.magicLink.sendLink({ email });
            return new URL(url).searchParams.get('token')!;
          }),
        );
        const sessions: string[] = [];
        const outcomes = await Promise.all(
          links.map((token) =>
            outcomeOf(async () => {
              const { session } = await test.service.magicLink.verify(token, { startSession: true });
              sessions.push(session!.token);
            }),
          ),
        );
        // The reclaim revokes unused links, so each link either signed in or came too late.
        expect(outcomes).toContain('ok');
        expect(outcomes.filter((outcome) => outcome !== 'ok' && outcome !== 'token_invalid')).toEqual([]);
        expect(await alive(test, sessions)).toEqual(sessions.map(() => 'ok'));
        expect(await alive(test, tokens)).toEqual(['token_invalid', 'token_invalid']);
        const claims = test.log.filter(({ fields }) => fields['event'] === 'user_claimed');
        expect(claims).toHaveLength(1);
      });
    },
  );

  it('leaves an account whose address an administrator changes during the proof', async () => {
    const { oneTimeCodes, ...storage } = withoutFastPaths(adapter());
    const other = uniqueEmail();
    let userId = '';
    // Between the right code and the reclaim.
    const attempt: typeof oneTimeCodes.attempt = async (guess) => {
      const outcome = await oneTimeCodes.attempt(guess);
      await test.service.users.update(userId, { email: other });
      return outcome;
    };
    const test = await make({ adapter: { ...storage, oneTimeCodes: { ...oneTimeCodes, attempt } } });
    const { email, user } = await signUpAsAttacker(test);
    userId = user.id;
    const prover = await proofs['a code']!(test, email);
    expect(prover).toMatchObject({ email, emailVerified: true });
    expect(prover.id).not.toBe(userId);
    expect(await storage.users.findById(userId)).toMatchObject({ email: other, emailVerified: false });
    expect(await login(test, other)).toBe('ok');
  });

  it('keeps the sessions of a verified account at every proof', async () => {
    const test = await make();
    const email = uniqueEmail();
    const { id } = await proofs['a code']!(test, email);
    const { token } = test.service.createSessionToken(id);
    test.clock.advance(1);
    await proofs['a link']!(test, email);
    expect(await alive(test, [token])).toEqual(['ok']);
  });

  //
  it('logs the reclaim without the address', async () => {
    const test = await make();
    const { email, user } = await signUpAsAttacker(test);
    await proofs['a link']!(test, email);
    const claims = test.log.filter(({ fields }) => fields['event'] === 'user_claimed');
    expect(claims).toEqual([
      expect.objectContaining({ level: 'warn', fields: { event: 'user_claimed', userId: user.id } }),
    ]);
    expect(JSON.stringify(test.log)).not.toContain(email);
  });
});
