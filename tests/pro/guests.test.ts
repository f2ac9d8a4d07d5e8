// Guests and their upgrade by an identity (specification 4.3 `sessionsProvider`;
// docs/security-requirements.md C-29).
import { describeAdapters } from '../support/describe-adapters.js';
import { appOrigin, type TestService } from '../support/make-service.js';
import { minute, invalidIds, proFixtures, type ProService } from '../support/make-pro-service.js';
import { outcomeOf, race } from '../support/outcomes.js';

const google = {
  clientId: 'client',
  clientSecret: 'secret',
  redirectUri: `${appOrigin}/api/auth/google/callback`,
};

describeAdapters('Guests', ({ make, uniqueEmail, adapter, sql }) => {
  const { makePro, verifiedUser } = proFixtures({ make, uniqueEmail });
  const alive = ({ service }: TestService, token: string) => outcomeOf(() => service.getSessionUser(token));
  /** A user whom only the application has authenticated. */
  const someone = (test: TestService) => verifiedUser(test);

  describe('createGuest', () => {
    it('creates a user without an address and signs the guest in', async () => {
      const test = await makePro();
      const guest = await test.service.sessionsProvider.createGuest({
        device: { name: 'kiosk' },
        metadata: { basket: ['a'] },
      });
      expect(guest.user).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        email: null,
        emailVerified: false,
        metadata: { basket: ['a'] },
        createdAt: new Date(test.clock.now()),
        updatedAt: new Date(test.clock.now()),
      });
      expect(await test.service.getSessionUser(guest.token)).toEqual(guest.user);
      expect(guest.session).toMatchObject({ userId: guest.user.id, device: { name: 'kiosk' } });
      expect(await test.takeEventNames()).toEqual(['user.created', 'session.created']);
    });

    it('creates another guest at each call, without arguments', async () => {
      const test = await makePro();
      const [first, second] = [
        await test.service.sessionsProvider.createGuest(),
        await test.service.sessionsProvider.createGuest(),
      ];
      expect(first.user.id).not.toBe(second.user.id);
      expect(first.user.metadata).toEqual({});
    });

    it.each([{ metadata: 'x' }, { metadata: { __svc: 1 } }, { metadata: { a: 'nul\0' } }, { device: 1 }])(
      'rejects a guest with %j with invalid_request and creates no user',
      async (input) => {
        const test = await makePro();
        const create = () => test.service.sessionsProvider.createGuest(input as never);
        expect(await outcomeOf(create)).toBe('invalid_request');
        expect(await test.takeEventNames()).toEqual([]);
      },
    );
  });

  describe('isGuest', () => {
    it('distinguishes guests from users', async () => {
      const test = await makePro();
      const { user } = await test.service.sessionsProvider.createGuest();
      expect(await test.service.sessionsProvider.isGuest(user.id)).toBe(true);
      expect(await test.service.sessionsProvider.isGuest((await someone(test)).id)).toBe(false);
    });

    it('rejects the check of an unknown user with user_not_found', async () => {
      const test = await makePro();
      for (const userId of invalidIds) {
        expect(await outcomeOf(() => test.service.sessionsProvider.isGuest(userId as string))).toBe(
          'user_not_found',
        );
      }
    });
  });

  describe('upgrade', () => {
    let accounts = 0;
    const account = () => `account-${(accounts += 1)}-${Math.floor(performance.now() * 1000)}`;
    const upgradeOf = (test: ProService, userId: string, input: object = {}) =>
      test.service.sessionsProvider.upgrade({
        userId,
        provider: 'github',
        providerAccountId: account(),
        ...input,
      });

    // C-29
    it('turns a guest into a user with the same id and metadata, the identity and the address', async () => {
      const test = await makePro();
      const guest = await test.service.sessionsProvider.createGuest({ metadata: { basket: ['a'] } });
      await test.takeEvents();
      test.clock.advance(minute);
      const email = uniqueEmail();
      const providerAccountId = account();
      const { user } = await upgradeOf(test, guest.user.id, {
        providerAccountId,
        email: ` ${email.toUpperCase()} `,
      });
      expect(user).toEqual({
        ...guest.user,
        email,
        emailVerified: false,
        updatedAt: new Date(test.clock.now()),
      });
      expect(await test.service.sessionsProvider.isGuest(user.id)).toBe(false);
      expect((await adapter().identities.findUser('github', providerAccountId))?.id).toBe(user.id);
      expect(await test.takeEvents()).toEqual([
        { name: 'user.upgraded', payload: { userId: user.id } },
        { name: 'identity.linked', payload: { userId: user.id, provider: 'github' } },
      ]);
    });

    // C-29
    it('revokes every token of the guest and accepts new sessions', async () => {
      const test = await makePro();
      const { service } = test;
      const guest = await service.sessionsProvider.createGuest();
      const pair = await service.refresh.issue({ userId: guest.user.id });
      const tokens = [guest.token, service.createSessionToken(guest.user.id).token, pair.accessToken];
      for (const token of tokens) expect(await alive(test, token)).toBe('ok');
      await upgradeOf(test, guest.user.id);
      for (const token of tokens) expect(await alive(test, token)).toBe('token_invalid');
      expect(await outcomeOf(() => service.refresh.refresh(pair.refreshToken))).toBe('refresh_token_invalid');
      test.clock.advance(1);
      const { token } = await service.sessionsProvider.create({ userId: guest.user.id });
      expect(await alive(test, token)).toBe('ok');
    });

    it('leaves the user without an address if none is given', async () => {
      const test = await makePro();
      const { user: guest } = await test.service.sessionsProvider.createGuest();
      const { user } = await upgradeOf(test, guest.id, { emailVerified: true });
      expect(user).toMatchObject({ id: guest.id, email: null, emailVerified: false });
    });

    // C-29
    it.each([
      ['of a configured provider', { provider: 'google', emailVerified: true }, true],
      ['of a provider that is not configured', { provider: 'github', emailVerified: true }, false],
      ['that is a string', { provider: 'google', emailVerified: 'true' }, false],
      ['that is a number', { provider: 'google', emailVerified: 1 }, false],
      ['that is absent', { provider: 'google' }, false],
      ['of a provider in other capitals', { provider: 'Google', emailVerified: true }, false],
    ])('trusts emailVerified only of a configured identity provider: %s', async (_name, input, expected) => {
      const test = await makePro({ providers: { google } });
      const { user: guest } = await test.service.sessionsProvider.createGuest();
      const { user } = await upgradeOf(test, guest.id, { email: uniqueEmail(), ...input });
      expect(user.emailVerified).toBe(expected);
    });

    // C-29
    it('rejects an address that has an account with email_exists instead of merging, and keeps the guest', async () => {
      const test = await makePro({ providers: { google } });
      const victim = await someone(test);
      const guest = await test.service.sessionsProvider.createGuest();
      const providerAccountId = account();
      const input = { provider: 'google', providerAccountId, email: victim.email, emailVerified: true };
      expect(await outcomeOf(() => upgradeOf(test, guest.user.id, input))).toBe('email_exists');
      expect(await test.service.sessionsProvider.isGuest(guest.user.id)).toBe(true);
      expect(await alive(test, guest.token)).toBe('ok');
      expect(await adapter().identities.findUser('google', providerAccountId)).toBeNull();
      expect(await adapter().users.findByEmail(victim.email!)).toMatchObject({ id: victim.id });
    });

    // C-29
    it('rejects an identity that another user has with not_authorized, and keeps the guest', async () => {
      const test = await makePro();
      const first = await test.service.sessionsProvider.createGuest();
      const providerAccountId = account();
      await upgradeOf(test, first.user.id, { providerAccountId });
      const guest = await test.service.sessionsProvider.createGuest();
      const email = uniqueEmail();
      expect(await outcomeOf(() => upgradeOf(test, guest.user.id, { providerAccountId, email }))).toBe(
        'not_authorized',
      );
      expect(await test.service.sessionsProvider.isGuest(guest.user.id)).toBe(true);
      expect(await alive(test, guest.token)).toBe('ok');
      expect(await adapter().users.findByEmail(email)).toBeNull();
      // The same account id at another provider is another identity.
      expect(
        await outcomeOf(() => upgradeOf(test, guest.user.id, { provider: 'gitlab', providerAccountId })),
      ).toBe('ok');
    });

    it('removes passkeys and a second factor that an attacker planted in the guest (PostgreSQL)', async () => {
      if (!sql) return;
      const test = await makePro();
      const guest = await verifiedUser(test);
      const now = new Date(test.clock.now());
      const credential = { id: guest.id, userId: guest.id, publicKey: 'key', counter: 0, transports: [] };
      const backup = {
        backupEligible: false,
        backedUp: false,
        aaguid: '',
        name: null,
        lastUsedFrom: null,
        userHandle: null,
        createdAt: now,
        lastUsedAt: null,
      };
      const { credentials, totp, users } = adapter();
      expect(await credentials!.insert({ ...credential, ...backup }, 0)).toBe('inserted');
      await totp!.savePending(guest.id, 'sealed');
      const confirmation = {
        userId: guest.id,
        pendingSecret: 'sealed',
        step: 1,
        recoveryCodeHashes: ['a'],
        now,
      };
      expect(await totp!.confirm(confirmation)).toBe(true);
      // The service cannot create a guest who has these.
      await sql(`update svc_users set is_guest = true, email = null where id = '${guest.id}'`);
      await upgradeOf(test, guest.id);
      expect(await credentials!.listForUser(guest.id)).toEqual([]);
      expect(await totp!.find(guest.id)).toBeNull();
      expect(await totp!.countRecoveryCodes(guest.id)).toBe(0);
      expect(await users.findById(guest.id)).toMatchObject({ totpEnabled: false });
    });

    // C-29
    it('rejects the upgrade of a user who is not a guest with not_authorized', async () => {
      const test = await makePro();
      const { user } = await test.service.sessionsProvider.createGuest();
      await upgradeOf(test, user.id);
      expect(await outcomeOf(() => upgradeOf(test, user.id))).toBe('not_authorized');
      const other = await someone(test);
      const { token } = await test.service.sessionsProvider.create({ userId: other.id });
      expect(await outcomeOf(() => upgradeOf(test, other.id, { email: uniqueEmail() }))).toBe(
        'not_authorized',
      );
      expect(await test.service.getSessionUser(token)).toEqual(other);
    });

    // C-29
    it('upgrades a guest once in 50 concurrent calls', async () => {
      const test = await makePro();
      const { user } = await test.service.sessionsProvider.createGuest();
      expect(await race(50, () => upgradeOf(test, user.id))).toEqual({ ok: 1, not_authorized: 49 });
      expect(await adapter().identities.listForUser(user.id)).toHaveLength(1);
    });

    // C-29
    it('upgrades one of 50 concurrent guests to an identity, and one to an address', async () => {
      const test = await makePro();
      const guests = await Promise.all(
        Array.from({ length: 50 }, async () => (await test.service.sessionsProvider.createGuest()).user.id),
      );
      const providerAccountId = account();
      const toIdentity = await race(50, (i) => upgradeOf(test, guests[i]!, { providerAccountId }));
      expect(toIdentity).toEqual({ ok: 1, not_authorized: 49 });
      const guestIds: string[] = [];
      for (const id of guests) if (await test.service.sessionsProvider.isGuest(id)) guestIds.push(id);
      expect(guestIds).toHaveLength(49);
      const email = uniqueEmail();
      expect(await race(49, (i) => upgradeOf(test, guestIds[i]!, { email }))).toEqual({
        ok: 1,
        email_exists: 48,
      });
    });

    it('lets the owner of the mailbox reclaim the unverified address of an upgraded guest', async () => {
      const test = await makePro({ providers: { apiKeys: { allowUnverified: true } } });
      const email = uniqueEmail();
      const { user } = await test.service.sessionsProvider.createGuest();
      const providerAccountId = account();
      await upgradeOf(test, user.id, { email, providerAccountId });
      test.clock.advance(1);
      const { token } = await test.service.sessionsProvider.create({ userId: user.id });
      const { key } = await test.service.apiKeys.create({ userId: user.id, name: 'planted' });
      const pair = await test.service.refresh.issue({ userId: user.id });
      const owner = await verifiedUser(test, email);
      expect(owner).toMatchObject({ id: user.id, emailVerified: true });
      expect(await alive(test, token)).toBe('token_invalid');
      expect(await alive(test, pair.accessToken)).toBe('token_invalid');
      expect(await outcomeOf(() => test.service.refresh.refresh(pair.refreshToken))).toBe(
        'refresh_token_invalid',
      );
      expect(await outcomeOf(() => test.service.apiKeys.verify(key))).toBe('api_key_invalid');
      expect(await adapter().identities.findUser('github', providerAccountId)).toBeNull();
    });

    it('rejects the upgrade of an unknown user with user_not_found', async () => {
      const test = await makePro();
      for (const userId of invalidIds) {
        expect(await outcomeOf(() => upgradeOf(test, userId as string))).toBe('user_not_found');
      }
    });

    it.each([
      { provider: '' },
      { provider: undefined },
      { provider: 1 },
      { provider: 'x'.repeat(256) },
      { provider: 'nul\0' },
      { providerAccountId: '' },
      { providerAccountId: 12345 },
      { providerAccountId: null },
      { providerAccountId: '\ud800' },
      { email: 'no address' },
      { email: null },
      { email: ['ada@example.com'] },
      { email: 'ada@example.com,eve@evil.com' },
    ])('rejects an upgrade with %j with invalid_request, and keeps the guest', async (input) => {
      const test = await makePro();
      const guest = await test.service.sessionsProvider.createGuest();
      expect(await outcomeOf(() => upgradeOf(test, guest.user.id, input))).toBe('invalid_request');
      expect(await test.service.sessionsProvider.isGuest(guest.user.id)).toBe(true);
      expect(await alive(test, guest.token)).toBe('ok');
    });
  });
});
