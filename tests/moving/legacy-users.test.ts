// `emailPassword.legacy`: users who are imported when they are first needed.
import { randomUUID } from 'node:crypto';
import type { ImportedUser } from 'svc-auth';
import { account, oidc, signIn, startProvider } from '../providers/google-provider.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { proFixtures } from '../support/make-pro-service.js';
import { cheapHash, importedPassword, importingHasher, oldUser } from '../support/imported-users.js';

type Query = { email?: string | undefined; username?: string | undefined };

startProvider();

describeAdapters('emailPassword.legacy', (on) => {
  const { makePro, verifiedUser } = proFixtures(on);

  async function open(
    people: ImportedUser[],
    answer?: (query: Query) => Promise<ImportedUser | null>,
    more: { signUp?: { revealExisting: boolean } } = {},
  ) {
    const asked: Query[] = [];
    const legacy = async (query: Query) => {
      asked.push(query);
      if (answer) return answer(query);
      return (
        people.find(({ email, username }) =>
          query.email === undefined ? username === query.username : email === query.email,
        ) ?? null
      );
    };
    const test = await makePro({
      ...more,
      usernames: { enabled: true },
      encryptionKey: 'a key of the tests for second factors, 32 bytes',
      providers: {
        emailPassword: { hasher: importingHasher(), legacy },
        google: oidc.client,
        totp: true,
        webauthn: {
          rpId: 'app.test',
          rpName: 'App',
          origins: ['https://app.test'],
          signUp: { address: 'none' },
        },
      },
    });
    const login = (email: string, password: string) =>
      test.service.emailPassword.login({ email, password }, { startSession: true });
    const find = (record: ImportedUser) => test.service.users.find({ externalId: String(record.externalId) });
    return { ...test, asked, login, find };
  }

  const wrong = { code: 'invalid_credentials' };

  it('signs in with the right password and imports the user, who then has an account here', async () => {
    const person = oldUser({ metadata: { plan: 'gold' } });
    const test = await open([person]);
    const { user } = await test.login(person.email!, importedPassword);
    expect(user).toMatchObject({ email: person.email, emailVerified: true, metadata: { plan: 'gold' } });
    expect((await test.find(person))?.id).toBe(user.id);
    expect((await test.login(person.email!, importedPassword)).user.id).toBe(user.id);
  });

  it('creates nothing for a wrong password, whose error is that of an unknown user', async () => {
    const person = oldUser();
    const test = await open([person]);
    const errors = await Promise.all(
      [person.email!, on.uniqueEmail()].map((email) =>
        test.login(email, 'wrong').catch((error: Error) => error),
      ),
    );
    expect(errors).toMatchObject([wrong, wrong]);
    expect((errors[0] as Error).message).toBe((errors[1] as Error).message);
    expect(await test.find(person)).toBeNull();
    expect(await test.service.users.find({ email: person.email! })).toBeNull();
  });

  it('is asked once at every login, whether or not the address has an account', async () => {
    const test = await open([]);
    const known = await verifiedUser(test);
    test.asked.length = 0;
    const emails = [known.email!, on.uniqueEmail()];
    for (const email of emails) await test.login(email, 'wrong').catch(() => undefined);
    expect(test.asked).toEqual(emails.map((email) => ({ email })));
  });

  it('is not asked when a limit refuses the login', async () => {
    const test = await open([]);
    const email = on.uniqueEmail();
    const tries = [];
    for (let n = 0; n < 15; n += 1)
      tries.push(
        await test.service.emailPassword
          .login({ email, password: 'wrong' }, { ip: '192.0.2.9' })
          .catch((error: { code: string }) => error.code),
      );
    expect(tries.at(-1)).toBe('rate_limit_exceeded');
    expect(test.asked.length).toBe(tries.filter((code) => code === 'invalid_credentials').length);
  });

  it('finds a user by the name of the old system, as it was typed', async () => {
    const person = oldUser({ username: `Anna ${randomUUID().slice(0, 8)}`, email: null });
    const test = await open([person]);
    const login = { username: person.username!, password: importedPassword };
    expect((await test.service.emailPassword.login(login)).user.email).toBeNull();
    expect(await test.find(person)).toMatchObject({ username: person.username });
  });

  it.each([
    ['rejects', async () => Promise.reject(new Error('down'))],
    ['returns another user', async () => oldUser()],
    ['returns a record that is refused', async () => ({ ...oldUser(), foo: 1 })],
    ['returns nonsense', async () => 'yes' as never],
  ] as const)('is logged and counts as no user if it %s', async (_, answer) => {
    const test = await open([], answer);
    const known = await verifiedUser(test);
    await test.service.users.setPassword(known.id, 'a new password of the account');
    await expect(test.login(on.uniqueEmail(), importedPassword)).rejects.toMatchObject(wrong);
    expect((await test.login(known.email!, 'a new password of the account')).user.id).toBe(known.id);
    expect(
      test.log.filter(
        ({ level, fields }) => level === 'error' && String(fields['event']).startsWith('legacy'),
      ),
    ).not.toEqual([]);
  });

  it('does not sign in with an address or a password that the user has changed since the import', async () => {
    const person = oldUser();
    const test = await open([person]);
    const { user } = await test.login(person.email!, importedPassword);
    await test.service.users.setPassword(user.id, 'a new password of the account');
    await expect(test.login(person.email!, importedPassword)).rejects.toMatchObject(wrong);
    await test.service.users.update(user.id, { email: on.uniqueEmail(), emailVerified: true });
    await expect(test.login(person.email!, importedPassword)).rejects.toMatchObject(wrong);
    await expect(test.login(person.email!, 'a new password of the account')).rejects.toMatchObject(wrong);
  });

  it('never gives a record to an account that exists', async () => {
    const test = await open([]);
    const known = await verifiedUser(test);
    const person = oldUser({ email: known.email!, passwordHash: cheapHash('a password of the old system') });
    const attacked = await open([person]);
    await expect(attacked.login(known.email!, 'a password of the old system')).rejects.toMatchObject(wrong);
    expect(await attacked.find(person)).toBeNull();
  });

  it('imports a user once, whose first logins are simultaneous', async () => {
    const person = oldUser();
    const test = await open([person]);
    const users = await Promise.all(
      Array.from({ length: 8 }, () => test.login(person.email!, importedPassword)),
    );
    expect(new Set(users.map(({ user }) => user.id)).size).toBe(1);
  });

  it('imports the user of an address for a reset, so that the mail arrives', async () => {
    const person = oldUser();
    const test = await open([person]);
    await test.service.emailPassword.requestReset({ email: person.email! });
    await test.service.emailPassword.requestReset({ email: on.uniqueEmail() });
    await test.takeEvents();
    expect(test.mail.messages.map(({ to }) => to)).toEqual([person.email]);
    expect(await test.find(person)).not.toBeNull();
  });

  it('imports the user of an address for a reset that the application mails', async () => {
    const person = oldUser();
    const test = await open([person]);
    expect(await test.service.emailPassword.createReset({ email: person.email! })).toMatchObject({
      token: expect.any(String),
    });
    expect(await test.find(person)).not.toBeNull();
  });

  it('imports the user of an address that a code proves, and refuses a sign-up with it', async () => {
    const [one, other] = [oldUser(), oldUser()];
    const test = await open([one, other]);
    await test.service.emailCode.sendCode({ email: one.email! });
    const code = test.mail.lastCode(one.email!)!;
    const { user } = await test.service.emailCode.verify({ email: one.email!, code });
    expect((await test.find(one))?.id).toBe(user.id);
    expect((await test.login(one.email!, importedPassword)).user.id).toBe(user.id);
    const signUp = { email: other.email!, password: 'a password of a stranger' };
    await expect(test.service.emailPassword.signup(signUp)).rejects.toMatchObject({ code: 'email_exists' });
    expect((await test.login(other.email!, importedPassword)).created).toBe(false);
  });

  it('imports the user of an address that an identity provider has verified, with the second factor and the block', async () => {
    const totp = { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' };
    const [one, other] = [oldUser({ totp }), oldUser({ blocked: true })];
    const test = await open([one, other]);
    const [subject, blocked] = [one, other].map(({ email }) =>
      account({ email: email!, email_verified: true }),
    );
    expect(await signIn(test, subject!)).toMatchObject({ created: false });
    expect(await test.find(one)).toMatchObject({ email: one.email, twoFactor: true });
    await expect(signIn(test, blocked!)).rejects.toMatchObject({ code: 'user_blocked' });
    expect(await test.find(other)).toMatchObject({ email: other.email });
  });

  it('keeps the user name of a user of the old system from a sign-up', async () => {
    const person = oldUser({ username: `anna${randomUUID().slice(0, 8)}`, email: null });
    const test = await open([person]);
    const signUp = {
      email: on.uniqueEmail(),
      username: person.username!,
      password: 'a password of a stranger',
    };
    await expect(test.service.emailPassword.signup(signUp)).rejects.toMatchObject({
      reason: 'username_taken',
    });
    const login = { username: person.username!, password: importedPassword };
    expect((await test.service.emailPassword.login(login)).created).toBe(false);
  });

  describe('keeps the user name of a user of the old system', () => {
    const taken = { reason: 'username_taken' };
    const named = () => oldUser({ username: `anna${randomUUID().slice(0, 8)}`, email: null });

    it('from a private sign-up', async () => {
      const person = named();
      const test = await open([person], undefined, { signUp: { revealExisting: false } });
      const signUp = { email: on.uniqueEmail(), password: 'a password of a stranger' };
      await expect(
        test.service.emailPassword.startSignUp({ ...signUp, username: person.username! }),
      ).rejects.toMatchObject(taken);
    });

    it('from a sign-up with a passkey', async () => {
      const person = named();
      const test = await open([person]);
      const start = (username: string) => test.service.webauthn.startSignUp({ username });
      await expect(start(person.username!)).rejects.toMatchObject(taken);
      expect(await start(named().username!)).toMatchObject({ challenge: expect.any(String) });
    });

    it('from a user who changes the name, and not from its owner', async () => {
      const person = named();
      const test = await open([person]);
      const { id: userId } = await verifiedUser(test);
      const { usernames } = test.service;
      const username = person.username!;
      await expect(usernames.change({ userId, username })).rejects.toMatchObject(taken);
      const owner = await test.find(person);
      const spelled = username.toUpperCase();
      expect(await usernames.change({ userId: owner!.id, username: spelled })).toEqual({ username: spelled });
    });
  });

  it('does not keep others from the queue when it does not respond to sign-ups', async () => {
    // As many as the queue takes.
    const count = 64;
    let asked = 0;
    let allAsked: () => void;
    const everyoneWaits = new Promise<void>((resolve) => (allAsked = resolve));
    const test = await open([], ({ email }) => {
      if (!email?.startsWith('slow')) return Promise.resolve(null);
      asked += 1;
      if (asked === count) allAsked();
      return new Promise(() => undefined);
    });
    const known = await verifiedUser(test);
    await test.service.users.setPassword(known.id, 'a new password of the account');
    const signUps = Array.from({ length: count }, (_, n) =>
      test.service.emailPassword
        .signup(
          { email: `slow${n}${on.uniqueEmail()}`, password: 'a password of a stranger' },
          { ip: `198.51.100.${n}` },
        )
        .catch(() => undefined),
    );
    await everyoneWaits;
    expect((await test.login(known.email!, 'a new password of the account')).user.id).toBe(known.id);
    await Promise.all(signUps);
  });

  it('counts as no user if it does not respond within two seconds', async () => {
    const test = await open([], () => new Promise(() => undefined));
    await expect(test.login(on.uniqueEmail(), 'wrong')).rejects.toMatchObject(wrong);
  });
});
