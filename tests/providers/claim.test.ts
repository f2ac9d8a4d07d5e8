// The first proof of a mailbox on an unverified account (docs/security-requirements.md T2, C-26).
import { describeAdapters } from '../support/describe-adapters.js';
import type { TestService } from '../support/make-service.js';
import { outcomeOf } from '../support/outcomes.js';

const password = 'chosen by the attacker';

interface Context {
  sessionToken?: string;
}

/** The ways to prove a mailbox, each to the user it ends in. */
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

describeAdapters('A claim', ({ make, person, adapter }) => {
  /** Somebody signs up with an address that is not theirs, and stays signed in. */
  async function planted(test: TestService, email = person()) {
    const context = { startSession: true };
    const metadata = { plan: 'free' };
    const { user, session } = await test.service.emailPassword.signup({ email, password, metadata }, context);
    const rowless = test.service.createSessionToken(user.id).token;
    // A millisecond later the owner comes.
    test.clock.advance(1);
    return { email, user, tokens: [session!.token, rowless] };
  }
  const login = ({ service }: TestService, email: string) =>
    outcomeOf(() => service.emailPassword.login({ email, password }));
  const alive = ({ service }: TestService, tokens: string[]) =>
    Promise.all(tokens.map((token) => outcomeOf(() => service.getSessionUser(token))));

  describe.each(Object.entries(proofs))('by %s', (_name, prove) => {
    it('T2 removes the password and every session that were there before, and keeps the id and the metadata', async () => {
      const test = await make();
      const { email, user, tokens } = await planted(test);
      expect(await alive(test, tokens)).toEqual(['ok', 'ok']);
      const claimed = await prove(test, email);
      expect(claimed).toMatchObject({ id: user.id, email, emailVerified: true, metadata: { plan: 'free' } });
      expect(await login(test, email)).toBe('invalid_credentials');
      expect(await alive(test, tokens)).toEqual(['token_invalid', 'token_invalid']);
    });

    it('T2 removes the identities and the pending resets that were there before', async () => {
      const test = await make();
      const { email, user } = await planted(test);
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

    it('T2 happens once: what the owner sets up afterwards stays', async () => {
      const test = await make();
      const { email, user } = await planted(test);
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
      it('in a live session of that very account only marks it verified', async () => {
        const test = await make();
        const { email, tokens } = await planted(test);
        const [ofRow, rowless] = tokens;
        for (const sessionToken of [ofRow, rowless]) {
          expect(await prove(test, email, { sessionToken })).toMatchObject({ emailVerified: true });
        }
        expect(await login(test, email)).toBe('ok');
        expect(await alive(test, tokens)).toEqual(['ok', 'ok']);
      });

      it('T2 in the session of another account is a claim like any other', async () => {
        const test = await make();
        const { email, tokens } = await planted(test);
        const stranger = await planted(test);
        await prove(test, email, { sessionToken: stranger.tokens[0] });
        expect(await login(test, email)).toBe('invalid_credentials');
        expect(await alive(test, tokens)).toEqual(['token_invalid', 'token_invalid']);
        expect(await alive(test, stranger.tokens)).toEqual(['ok', 'ok']);
      });

      it('T2 in a session of that account that was ended is a claim like any other', async () => {
        const test = await make();
        const { email, user, tokens } = await planted(test);
        await adapter().sessions.revokeAll(user.id, new Date(test.clock.now()));
        await prove(test, email, { sessionToken: tokens[0] });
        expect(await login(test, email)).toBe('invalid_credentials');
      });

      it(`T2 of many at once, all by ${name} and by code, is one claim, and every owner's new session holds`, async () => {
        const test = await make({ rateLimit: { maxPerWindow: 50 } });
        const { email, tokens } = await planted(test);
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
        // The claim voids the links that were not consumed by then: each either signed in or was too late.
        expect(outcomes).toContain('ok');
        expect(outcomes.filter((outcome) => outcome !== 'ok' && outcome !== 'token_invalid')).toEqual([]);
        expect(await alive(test, sessions)).toEqual(sessions.map(() => 'ok'));
        expect(await alive(test, tokens)).toEqual(['token_invalid', 'token_invalid']);
        const claims = test.log.filter(({ fields }) => fields['event'] === 'user_claimed');
        expect(claims).toHaveLength(1);
      });
    },
  );

  it('is not needed for who has no password: a verified account keeps its sessions with every proof', async () => {
    const test = await make();
    const email = person();
    const { id } = await proofs['a code']!(test, email);
    const { token } = test.service.createSessionToken(id);
    test.clock.advance(1);
    await proofs['a link']!(test, email);
    expect(await alive(test, [token])).toEqual(['ok']);
  });

  it('A-21 A-93 is told to the logger without the address', async () => {
    const test = await make();
    const { email, user } = await planted(test);
    await proofs['a link']!(test, email);
    const claims = test.log.filter(({ fields }) => fields['event'] === 'user_claimed');
    expect(claims).toEqual([
      expect.objectContaining({ level: 'warn', fields: { event: 'user_claimed', userId: user.id } }),
    ]);
    expect(JSON.stringify(test.log)).not.toContain(email);
  });
});
