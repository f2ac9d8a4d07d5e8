// Device sessions, guests and impersonation (specification 4.3 `sessionsProvider`;
// SECURITY A-52, C-29, C-30).
import express from 'express';
import type { AddressInfo } from 'node:net';
import { createAuthRouter, isImpersonated, requireSession, type ServiceUser } from 'svc-auth';
import { internals } from '../../src/kit/internals.js';
import { testLicense } from 'svc-auth/testing';
import { describeAdapters, noting } from '../support/describe-adapters.js';
import { httpClient } from '../support/http-client.js';
import { listen } from '../support/http-site.js';
import { appOrigin, type TestService } from '../support/make-service.js';
import { day, minute, oddIds, pro, settled, type ProService } from '../support/make-pro-service.js';
import { oddThrows, throwOdd } from '../support/odd-throws.js';
import { errorOf, outcomeOf, race } from '../support/outcomes.js';

const google = {
  clientId: 'client',
  clientSecret: 'secret',
  redirectUri: `${appOrigin}/api/auth/google/callback`,
};

describeAdapters('The sessions provider', ({ make, person, adapter, sql }) => {
  const { makePro, verifiedUser } = pro({ make, person });
  const alive = ({ service }: TestService, token: string) => outcomeOf(() => service.getSessionUser(token));
  /** A user whom nobody but the application has authenticated. */
  const someone = (test: TestService) => verifiedUser(test);

  describe('create', () => {
    it('makes a session with a row and a token, as a sign-in does', async () => {
      const test = await makePro();
      const user = await someone(test);
      await test.heard();
      const device = { name: 'Work laptop', userAgent: 'Test/1', ip: '192.0.2.1' };
      const { token, session } = await test.service.sessionsProvider.create({ userId: user.id, device });
      const now = new Date(test.clock.now());
      expect(session).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        userId: user.id,
        device,
        createdAt: now,
        lastSeenAt: now,
        expiresAt: new Date(now.getTime() + 7 * day),
        revokedAt: null,
      });
      expect(test.service.verifyToken(token)).toMatchObject({
        sub: user.id,
        sid: session.id,
        epoch: 0,
        use: 'session',
      });
      expect(await test.service.getSessionUser(token)).toEqual(user);
      expect(await test.heard()).toEqual([
        { name: 'session.created', payload: { userId: user.id, sessionId: session.id } },
      ]);
    });

    it('A-53 makes one that ends with its last millisecond, also where the token counts whole seconds', async () => {
      const test = await makePro();
      const { id: userId } = await someone(test);
      const { token } = await test.service.sessionsProvider.create({ userId, ttlMs: 1500 });
      test.clock.advance(1499);
      expect((await test.service.getSessionUser(token)).id).toBe(userId);
      test.clock.advance(1);
      expect(test.service.verifyToken(token).sub).toBe(userId);
      expect(await outcomeOf(() => test.service.getSessionUser(token))).toBe('token_invalid');
    });

    it('takes a lifetime, at most session.maxAgeMs', async () => {
      const test = await makePro({ session: { maxAgeMs: 20 * day } });
      const { id: userId } = await someone(test);
      const end = async (ttlMs: number) =>
        (await test.service.sessionsProvider.create({ userId, ttlMs })).session.expiresAt.getTime() -
        test.clock.now();
      expect([await end(1000), await end(5 * minute), await end(20 * day), await end(400 * day)]).toEqual([
        1000,
        5 * minute,
        20 * day,
        20 * day,
      ]);
      const { token } = await test.service.sessionsProvider.create({ userId, ttlMs: 5 * minute });
      test.clock.advance(5 * minute - 1);
      expect(await alive(test, token)).toBe('ok');
      test.clock.advance(1);
      expect(await alive(test, token)).toBe('token_invalid');
    });

    it('keeps a shorter lifetime shorter when the session is renewed', async () => {
      const test = await makePro();
      const { id: userId } = await someone(test);
      const { token } = await test.service.sessionsProvider.create({ userId, ttlMs: 2 * day });
      test.clock.advance(1.5 * day);
      const { sessions } = test.service[internals];
      const renewed = await sessions.renew(await sessions.authenticate(token));
      expect(renewed?.session.expiresAt.getTime()).toBe(test.clock.now() + 2 * day);
    });

    it('keeps only what a device has, and copies it', async () => {
      const test = await makePro();
      const { id: userId } = await someone(test);
      const device = { name: 'x', admin: true, __proto__: { ip: 'inherited' } };
      const { session } = await test.service.sessionsProvider.create({ userId, device: device });
      expect(session.device).toMatchObject({ name: 'x' });
      expect(session.device).not.toHaveProperty('admin');
      device.name = 'changed';
      expect((await test.service.sessionsProvider.listDevices(userId))[0]?.device.name).toBe('x');
    });

    it('for who is no user is user_not_found', async () => {
      const test = await makePro();
      for (const userId of oddIds) {
        expect(
          await outcomeOf(() => test.service.sessionsProvider.create({ userId: userId as string })),
        ).toBe('user_not_found');
      }
    });

    it.each([
      { ttlMs: 0 },
      { ttlMs: -1 },
      { ttlMs: 999 },
      { ttlMs: 1000.5 },
      { ttlMs: NaN },
      { ttlMs: Infinity },
      { ttlMs: '60000' },
      { ttlMs: null },
      { ttlMs: 2 ** 53 },
      { device: 'phone' },
      { device: null },
      { device: [] },
      { device: { name: 1 } },
      { device: { ip: ['192.0.2.1'] } },
      { device: { userAgent: 'x'.repeat(513) } },
    ])('with %j is invalid_request and leaves no session', async (input) => {
      const test = await makePro();
      const { id: userId } = await someone(test);
      const create = () => test.service.sessionsProvider.create({ userId, ...input } as never);
      expect(await outcomeOf(create)).toBe('invalid_request');
      expect(await test.service.sessionsProvider.listDevices(userId)).toEqual([]);
    });
  });

  describe('listDevices', () => {
    it('A-52 lists the live sessions, newest first, and marks the one that asks', async () => {
      const test = await makePro();
      const { sessionsProvider } = test.service;
      const { id: userId } = await someone(test);
      const other = await someone(test);
      await sessionsProvider.create({ userId: other.id });
      const made = [];
      for (const name of ['phone', 'laptop', 'tablet', 'watch']) {
        made.push(
          await sessionsProvider.create({ userId, device: { name }, ttlMs: name === 'watch' ? minute : day }),
        );
        test.clock.advance(1000);
      }
      await sessionsProvider.revokeDevice(made[2]!.session.id);
      const names = async (token?: string) =>
        (await sessionsProvider.listDevices(userId, token)).map(({ device, current }) => [
          device.name,
          current,
        ]);
      expect(await names(made[0]!.token)).toEqual([
        ['watch', false],
        ['laptop', false],
        ['phone', true],
      ]);
      test.clock.advance(minute);
      expect(await names(made[1]!.token)).toEqual([
        ['laptop', true],
        ['phone', false],
      ]);
      expect(await names()).toEqual([
        ['laptop', false],
        ['phone', false],
      ]);
    });

    it('holds a session with its dates and no token', async () => {
      const test = await makePro();
      const { id: userId } = await someone(test);
      const { token, session } = await test.service.sessionsProvider.create({ userId });
      const devices = await test.service.sessionsProvider.listDevices(userId, token);
      expect(devices).toEqual([{ ...session, current: true }]);
      expect(JSON.stringify(devices)).not.toContain('eyJ');
    });

    it('marks none where the token is of another kind, expired, garbage or of somebody else', async () => {
      const test = await makePro();
      const { service } = test;
      const { id: userId } = await someone(test);
      await service.sessionsProvider.create({ userId });
      const others = await service.sessionsProvider.create({ userId: (await someone(test)).id });
      const tokens = [
        '',
        'garbage',
        null,
        42,
        others.token,
        service.createSessionToken(userId).token,
        (await service.refresh.issue({ userId })).refreshToken,
        (await service.refresh.issue({ userId })).accessToken,
      ];
      for (const token of tokens) {
        const devices = await service.sessionsProvider.listDevices(userId, token as string);
        expect(devices.map(({ current }) => current)).toEqual([false]);
      }
    });

    it('shows what signed in over HTTP, with address and user agent, and ends it', async () => {
      const test = await makePro();
      const app = express();
      app.use('/api/auth', createAuthRouter(test.service));
      app.get('/me', requireSession(test.service), (req, res) => void res.json(req.user));
      const server = await listen(app);
      const client = httpClient((server.address() as AddressInfo).port);
      try {
        const post = (route: string, body: object, userAgent: string) =>
          client.send({
            method: 'POST',
            path: `/api/auth${route}`,
            body,
            headers: { 'User-Agent': userAgent },
          });
        const email = person();
        const signup = await post(
          '/password/signup',
          { email, password: 'correct horse battery' },
          'Phone/1',
        );
        const login = await post('/password/login', { email, password: 'correct horse battery' }, 'Laptop/2');
        const userId = (signup.json as { user: ServiceUser }).user.id;
        const token = login.cookie().slice('svc_session='.length);
        const devices = await test.service.sessionsProvider.listDevices(userId, token);
        expect(
          devices
            .map(({ device: { userAgent, ip }, current }) => ({ userAgent, current, ip: typeof ip }))
            .sort(byAgent),
        ).toEqual([
          { userAgent: 'Laptop/2', current: true, ip: 'string' },
          { userAgent: 'Phone/1', current: false, ip: 'string' },
        ]);
        const status = async (cookie: string) =>
          (await client.send({ method: 'GET', path: '/me', headers: { Cookie: cookie } })).status;
        expect([await status(signup.cookie()), await status(login.cookie())]).toEqual([200, 200]);
        await test.service.sessionsProvider.revokeDevice(devices.find(({ current }) => !current)!.id);
        expect([await status(signup.cookie()), await status(login.cookie())]).toEqual([401, 200]);
      } finally {
        client.close();
        server.close();
      }
    });

    it('of who is no user is user_not_found', async () => {
      const test = await makePro();
      for (const userId of oddIds) {
        expect(await outcomeOf(() => test.service.sessionsProvider.listDevices(userId as string))).toBe(
          'user_not_found',
        );
      }
    });
  });

  describe('revokeDevice and revoke', () => {
    it('A-52 end one session and no other, once', async () => {
      const test = await makePro();
      const { sessionsProvider } = test.service;
      const { id: userId } = await someone(test);
      const [one, two, three] = await Promise.all([1, 2, 3].map(() => sessionsProvider.create({ userId })));
      await test.heard();
      await sessionsProvider.revokeDevice(one!.session.id);
      await sessionsProvider.revoke(two!.token);
      expect(await Promise.all([one, two, three].map((each) => alive(test, each!.token)))).toEqual([
        'token_invalid',
        'token_invalid',
        'ok',
      ]);
      await sessionsProvider.revokeDevice(one!.session.id);
      await sessionsProvider.revoke(two!.token);
      expect(await test.heard()).toEqual(
        [one, two].map((each) => ({
          name: 'session.revoked',
          payload: { userId, sessionId: each!.session.id },
        })),
      );
    });

    it('50 times at once is one end', async () => {
      const test = await makePro();
      const { id: userId } = await someone(test);
      const { session } = await test.service.sessionsProvider.create({ userId });
      await test.heard();
      expect(await race(50, () => test.service.sessionsProvider.revokeDevice(session.id))).toEqual({
        ok: 50,
      });
      expect(await test.heardNames()).toEqual(['session.revoked']);
    });

    it('revokeDevice of what is no session changes nothing and is no failure of the service', async () => {
      const test = await makePro();
      for (const sessionId of oddIds) {
        const outcome = await outcomeOf(() =>
          test.service.sessionsProvider.revokeDevice(sessionId as string),
        );
        expect(outcome).toBe(typeof sessionId === 'string' ? 'ok' : 'invalid_request');
      }
    });

    it('revoke of an access token ends its refresh family', async () => {
      const test = await makePro();
      const { service } = test;
      const { id: userId } = await someone(test);
      const pair = await service.refresh.issue({ userId });
      await service.sessionsProvider.revoke(pair.accessToken);
      expect(await alive(test, pair.accessToken)).toBe('token_invalid');
      expect(await outcomeOf(() => service.refresh.refresh(pair.refreshToken))).toBe('refresh_token_invalid');
    });

    it('revoke of what names no session is token_invalid', async () => {
      const test = await makePro();
      const { service } = test;
      const { id: userId } = await someone(test);
      const { session, token } = await service.sessionsProvider.create({ userId, ttlMs: minute });
      const pair = await service.refresh.issue({ userId });
      const { key } = await service.apiKeys.create({ userId, name: 'key' });
      const tokens: unknown[] = [
        ...oddIds,
        session.id,
        `${token}x`,
        service.createSessionToken(userId).token,
        pair.refreshToken,
        key,
      ];
      for (const each of tokens) {
        expect(await outcomeOf(() => service.sessionsProvider.revoke(each as string))).toBe('token_invalid');
      }
      expect(await alive(test, token)).toBe('ok');
      test.clock.advance(minute);
      expect(await outcomeOf(() => service.sessionsProvider.revoke(token))).toBe('token_invalid');
    });
  });

  describe('revokeAll', () => {
    it('A-52 C-5 ends every session and every token of the user, and nobody else’s', async () => {
      const test = await makePro({ providers: { sessions: { canImpersonate: () => true } } });
      const { service } = test;
      const [user, admin] = [await someone(test), await someone(test)];
      const pair = await service.refresh.issue({ userId: user.id });
      const mine = [
        (await service.sessionsProvider.create({ userId: user.id })).token,
        service.createSessionToken(user.id).token,
        pair.accessToken,
        (await service.sessionsProvider.impersonate(admin.id, user.id)).token,
        (await service.sessionsProvider.impersonate(user.id, admin.id)).token,
      ];
      const others = [
        (await service.sessionsProvider.create({ userId: admin.id })).token,
        service.createSessionToken(admin.id).token,
      ];
      const { key } = await service.apiKeys.create({ userId: user.id, name: 'key' });
      for (const token of [...mine, ...others]) expect(await alive(test, token)).toBe('ok');
      await test.heard();
      await service.sessionsProvider.revokeAll(user.id);
      for (const token of mine) expect(await alive(test, token)).toBe('token_invalid');
      for (const token of others) expect(await alive(test, token)).toBe('ok');
      expect(await outcomeOf(() => service.refresh.refresh(pair.refreshToken))).toBe('refresh_token_invalid');
      expect(await service.sessionsProvider.listDevices(user.id)).toEqual([]);
      // A key is no session.
      expect(await outcomeOf(() => service.apiKeys.verify(key))).toBe('ok');
      expect(await test.heard()).toEqual([{ name: 'session.all_revoked', payload: { userId: user.id } }]);
      test.clock.advance(1);
      expect(await alive(test, (await service.sessionsProvider.create({ userId: user.id })).token)).toBe(
        'ok',
      );
    });

    it('while sessions begin leaves none of them alive that began before it', async () => {
      const test = await makePro();
      const { sessionsProvider } = test.service;
      const { id: userId } = await someone(test);
      const epoch = (await adapter().users.findById(userId))!.epoch;
      const tokens: string[] = [];
      const tally = await race(50, async (i) => {
        if (i === 25) return sessionsProvider.revokeAll(userId);
        return tokens.push((await sessionsProvider.create({ userId })).token);
      });
      expect(Object.keys(tally).filter((outcome) => !['ok', 'token_invalid'].includes(outcome))).toEqual([]);
      for (const token of tokens) {
        const began = test.service.verifyToken(token).epoch!;
        expect(await alive(test, token)).toBe(began === epoch ? 'token_invalid' : 'ok');
      }
    });

    it('of who is no user is user_not_found', async () => {
      const test = await makePro();
      for (const userId of oddIds) {
        expect(await outcomeOf(() => test.service.sessionsProvider.revokeAll(userId as string))).toBe(
          'user_not_found',
        );
      }
    });
  });

  describe('createGuest', () => {
    it('makes a user without an address, and signs them in', async () => {
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
      expect(await test.heardNames()).toEqual(['user.created', 'session.created']);
    });

    it('needs no argument, and every guest is another', async () => {
      const test = await makePro();
      const [one, two] = [
        await test.service.sessionsProvider.createGuest(),
        await test.service.sessionsProvider.createGuest(),
      ];
      expect(one.user.id).not.toBe(two.user.id);
      expect(one.user.metadata).toEqual({});
    });

    it.each([{ metadata: 'x' }, { metadata: { __svc: 1 } }, { metadata: { a: 'nul\0' } }, { device: 1 }])(
      'with %j is invalid_request and makes nobody',
      async (input) => {
        const test = await makePro();
        const create = () => test.service.sessionsProvider.createGuest(input as never);
        expect(await outcomeOf(create)).toBe('invalid_request');
        expect(await test.heardNames()).toEqual([]);
      },
    );
  });

  describe('isGuest', () => {
    it('tells guests from users', async () => {
      const test = await makePro();
      const { user } = await test.service.sessionsProvider.createGuest();
      expect(await test.service.sessionsProvider.isGuest(user.id)).toBe(true);
      expect(await test.service.sessionsProvider.isGuest((await someone(test)).id)).toBe(false);
    });

    it('of who is no user is user_not_found', async () => {
      const test = await makePro();
      for (const userId of oddIds) {
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

    it('C-29 makes the guest a user with the same id, its identity, address and metadata', async () => {
      const test = await makePro();
      const guest = await test.service.sessionsProvider.createGuest({ metadata: { basket: ['a'] } });
      await test.heard();
      test.clock.advance(minute);
      const email = person();
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
      expect(await test.heard()).toEqual([
        { name: 'user.upgraded', payload: { userId: user.id } },
        { name: 'identity.linked', payload: { userId: user.id, provider: 'github' } },
      ]);
    });

    it('C-29 ends every token of the guest; a new session holds', async () => {
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

    it('without an address leaves the user without one', async () => {
      const test = await makePro();
      const { user: guest } = await test.service.sessionsProvider.createGuest();
      const { user } = await upgradeOf(test, guest.id, { emailVerified: true });
      expect(user).toMatchObject({ id: guest.id, email: null, emailVerified: false });
    });

    it.each([
      ['of a provider that is configured', { provider: 'google', emailVerified: true }, true],
      ['of a provider that is not', { provider: 'github', emailVerified: true }, false],
      ['that is a text', { provider: 'google', emailVerified: 'true' }, false],
      ['that is a number', { provider: 'google', emailVerified: 1 }, false],
      ['that is absent', { provider: 'google' }, false],
      ['of a provider in other letters', { provider: 'Google', emailVerified: true }, false],
    ])(
      'C-29 believes emailVerified only of a configured identity provider: %s',
      async (_name, input, expected) => {
        const test = await makePro({ providers: { google } });
        const { user: guest } = await test.service.sessionsProvider.createGuest();
        const { user } = await upgradeOf(test, guest.id, { email: person(), ...input });
        expect(user.emailVerified).toBe(expected);
      },
    );

    it('C-29 never merges: an address that somebody has is email_exists, and the guest stays a guest', async () => {
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

    it('C-29 to an identity that somebody has is not_authorized, and the guest stays a guest', async () => {
      const test = await makePro();
      const first = await test.service.sessionsProvider.createGuest();
      const providerAccountId = account();
      await upgradeOf(test, first.user.id, { providerAccountId });
      const guest = await test.service.sessionsProvider.createGuest();
      const email = person();
      expect(await outcomeOf(() => upgradeOf(test, guest.user.id, { providerAccountId, email }))).toBe(
        'not_authorized',
      );
      expect(await test.service.sessionsProvider.isGuest(guest.user.id)).toBe(true);
      expect(await alive(test, guest.token)).toBe('ok');
      expect(await adapter().users.findByEmail(email)).toBeNull();
      // The same account elsewhere is another identity.
      expect(
        await outcomeOf(() => upgradeOf(test, guest.user.id, { provider: 'gitlab', providerAccountId })),
      ).toBe('ok');
    });

    it('leaves no passkey and no second factor, whoever should have planted one in the guest (PostgreSQL)', async () => {
      if (!sql) return;
      const test = await makePro();
      const guest = await verifiedUser(test);
      const now = new Date(test.clock.now());
      const credential = { id: guest.id, userId: guest.id, publicKey: 'key', counter: 0, transports: [] };
      const backup = { backupEligible: false, backedUp: false, aaguid: '', createdAt: now, lastUsedAt: null };
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
      // No way through the seam makes a guest of a user who has these.
      await sql(`update svc_users set is_guest = true, email = null where id = '${guest.id}'`);
      await upgradeOf(test, guest.id);
      expect(await credentials!.listForUser(guest.id)).toEqual([]);
      expect(await totp!.find(guest.id)).toBeNull();
      expect(await totp!.countRecoveryCodes(guest.id)).toBe(0);
      expect(await users.findById(guest.id)).toMatchObject({ totpEnabled: false });
    });

    it('C-29 of who is no guest is not_authorized: a second upgrade, and a user', async () => {
      const test = await makePro();
      const { user } = await test.service.sessionsProvider.createGuest();
      await upgradeOf(test, user.id);
      expect(await outcomeOf(() => upgradeOf(test, user.id))).toBe('not_authorized');
      const other = await someone(test);
      const { token } = await test.service.sessionsProvider.create({ userId: other.id });
      expect(await outcomeOf(() => upgradeOf(test, other.id, { email: person() }))).toBe('not_authorized');
      expect(await test.service.getSessionUser(token)).toEqual(other);
    });

    it('C-29 of one guest 50 times at once happens once', async () => {
      const test = await makePro();
      const { user } = await test.service.sessionsProvider.createGuest();
      expect(await race(50, () => upgradeOf(test, user.id))).toEqual({ ok: 1, not_authorized: 49 });
      expect(await adapter().identities.listForUser(user.id)).toHaveLength(1);
    });

    it('C-29 of 50 guests to one identity at once happens once, and to one address once', async () => {
      const test = await makePro();
      const guests = await Promise.all(
        Array.from({ length: 50 }, async () => (await test.service.sessionsProvider.createGuest()).user.id),
      );
      const providerAccountId = account();
      const toIdentity = await race(50, (i) => upgradeOf(test, guests[i]!, { providerAccountId }));
      expect(toIdentity).toEqual({ ok: 1, not_authorized: 49 });
      const still: string[] = [];
      for (const id of guests) if (await test.service.sessionsProvider.isGuest(id)) still.push(id);
      expect(still).toHaveLength(49);
      const email = person();
      expect(await race(49, (i) => upgradeOf(test, still[i]!, { email }))).toEqual({
        ok: 1,
        email_exists: 48,
      });
    }, 60_000);

    it('the address of an upgraded guest is claimed by its owner like any other unproven one', async () => {
      const test = await makePro({ providers: { apiKeys: { allowUnverified: true } } });
      const email = person();
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

    it('of who is no user is user_not_found', async () => {
      const test = await makePro();
      for (const userId of oddIds) {
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
    ])('with %j is invalid_request, and the guest stays a guest', async (input) => {
      const test = await makePro();
      const guest = await test.service.sessionsProvider.createGuest();
      expect(await outcomeOf(() => upgradeOf(test, guest.user.id, input))).toBe('invalid_request');
      expect(await test.service.sessionsProvider.isGuest(guest.user.id)).toBe(true);
      expect(await alive(test, guest.token)).toBe('ok');
    });
  });

  describe('purgeExpired', () => {
    it('C-29 removes guests 30 days after their creation, with all that is theirs, and no upgraded one', async () => {
      const test = await makePro();
      const { service } = test;
      const [guest, upgraded] = [
        await service.sessionsProvider.createGuest(),
        await service.sessionsProvider.createGuest(),
      ];
      await service.sessionsProvider.upgrade({
        userId: upgraded.user.id,
        provider: 'github',
        providerAccountId: upgraded.user.id,
      });
      const user = await someone(test);
      const { org } = await service.orgs.create({ name: 'Acme', ownerUserId: user.id });
      await service.orgs.addMember(org.id, guest.user.id, 'member');
      test.clock.advance(30 * day - 1);
      await service.purgeExpired();
      expect(await service.sessionsProvider.isGuest(guest.user.id)).toBe(true);
      test.clock.advance(1);
      const younger = await service.sessionsProvider.createGuest();
      await service.purgeExpired();
      expect(await outcomeOf(() => service.sessionsProvider.isGuest(guest.user.id))).toBe('user_not_found');
      expect(await outcomeOf(() => service.getSessionUser(guest.token))).not.toBe('ok');
      expect((await service.orgs.listMembers(org.id)).map(({ userId }) => userId)).toEqual([user.id]);
      expect(await service.sessionsProvider.isGuest(upgraded.user.id)).toBe(false);
      expect(await service.sessionsProvider.isGuest(younger.user.id)).toBe(true);
    });

    it('C-29 counts guests, and removes at most limit of them', async () => {
      const test = await makePro();
      for (let i = 0; i < 3; i += 1) await test.service.sessionsProvider.createGuest();
      test.clock.advance(400 * day);
      // Those of earlier tests go first.
      while ((await test.service.purgeExpired({ limit: 1000 }))['guests'] === 1000);
      for (let i = 0; i < 3; i += 1) await test.service.sessionsProvider.createGuest();
      test.clock.advance(30 * day);
      expect((await test.service.purgeExpired({ limit: 2 }))['guests']).toBe(2);
      expect((await test.service.purgeExpired())['guests']).toBe(1);
    });

    it('C-34 takes along what the application holds about a guest, and tells user.deleted', async () => {
      const test = await makePro();
      const { user } = await test.service.sessionsProvider.createGuest();
      const { user: younger } = await test.service.sessionsProvider.createGuest();
      const asked: string[] = [];
      test.service.account.contribute('baskets', { deleteData: (userId) => void asked.push(userId) });
      await test.service.sessionsProvider.upgrade({
        userId: younger.id,
        provider: 'github',
        providerAccountId: younger.id,
      });
      test.clock.advance(30 * day);
      await test.heard();
      await test.service.purgeExpired();
      expect(asked).toContain(user.id);
      expect(asked).not.toContain(younger.id);
      const deleted = (await test.heard()).filter(({ name }) => name === 'user.deleted');
      expect(deleted.map(({ payload }) => payload['userId'])).toEqual(asked);
    });

    it('is held up by no guest whose data cannot be deleted: it is logged, and tried again', async () => {
      const test = await makePro();
      const guests: string[] = [];
      for (let i = 0; i < 4; i += 1) {
        guests.push((await test.service.sessionsProvider.createGuest()).user.id);
      }
      let failing = guests.slice(0, 2);
      const deleteData = async (userId: string) => {
        if (failing.includes(userId)) throw new Error('the basket is locked');
      };
      test.service.account.contribute('baskets', { deleteData });
      test.clock.advance(30 * day);
      const purge = async (limit?: number) => (await test.service.purgeExpired({ limit }))['guests'];
      const left = async () => {
        const found = await Promise.all(guests.map((id) => adapter().users.findById(id)));
        return guests.filter((_, index) => found[index] !== null);
      };
      // Those of earlier tests go first.
      await purge(3);
      for (let i = 0; i < 50 && (await left()).length > 2; i += 1) await purge(1);
      await purge();
      expect(await left()).toEqual(failing);
      const logged = test.log.filter(({ fields }) => fields['event'] === 'guest_deletion_failed');
      expect(new Set(logged.map(({ fields }) => fields['userId']))).toEqual(new Set(failing));
      expect(logged[0]).toMatchObject({ level: 'error', fields: { err: { code: 'internal_error' } } });
      failing = [];
      expect(await purge(10)).toBe(2);
      expect(await left()).toEqual([]);
    });

    let rounds = 0;
    /** A service whose guests of earlier tests are gone, `count` guests whose time is up, and every try at one of them. */
    async function abandoned(count: number, fails: (userId: string) => unknown) {
      const test = await makePro();
      // Later than any guest of the rounds before.
      test.clock.advance((rounds += 1) * 1000 * day);
      await test.service.purgeExpired();
      const guests: string[] = [];
      for (let i = 0; i < count; i += 1) {
        guests.push((await test.service.sessionsProvider.createGuest()).user.id);
      }
      const tried: string[] = [];
      const deleteData = (userId: string) => {
        tried.push(userId);
        fails(userId);
      };
      test.service.account.contribute('baskets', { deleteData });
      test.clock.advance(30 * day);
      test.log.length = 0;
      const lines = (event: string) => test.log.filter(({ fields }) => fields['event'] === event);
      return { test, guests, tried, lines };
    }
    const broken = () => {
      throw new Error('the table is gone');
    };

    it('tries at most limit guests, and goes on behind them the next time', async () => {
      const { test, guests, tried } = await abandoned(5, broken);
      for (const _ of [1, 2, 3, 4]) {
        expect((await test.service.purgeExpired({ limit: 2 }))['guests']).toBe(0);
      }
      const sorted = [...guests].sort();
      expect(tried).toEqual([...sorted, ...sorted.slice(0, 3)]);
      expect((await test.service.purgeExpired({ limit: 0 }))['guests']).toBe(0);
      expect(tried).toHaveLength(8);
    });

    it('gives up on guests after 10 failures in a row, says so once, and begins behind them the next time', async () => {
      let isBroken = true;
      const { test, guests, tried, lines } = await abandoned(12, () => isBroken && broken());
      expect((await test.service.purgeExpired())['guests']).toBe(0);
      expect([tried.length, lines('guest_deletion_failed').length]).toEqual([10, 10]);
      expect(lines('guest_purge_stopped')).toEqual([
        expect.objectContaining({ level: 'error', fields: expect.objectContaining({ failed: 10 }) }),
      ]);
      isBroken = false;
      expect((await test.service.purgeExpired())['guests']).toBe(12);
      expect(tried.slice(10).sort()).toEqual([...guests].sort());
      expect(tried[10]).toBe([...guests].sort()[10]);
    });

    it.each(Object.entries(oddThrows))(
      'goes on with the next guest where a contributor throws %s',
      async (_name, make) => {
        let isFirst = true;
        const { test, lines } = await abandoned(2, () => {
          if (!isFirst) return;
          isFirst = false;
          throwOdd(make);
        });
        expect((await test.service.purgeExpired())['guests']).toBe(1);
        expect(lines('guest_deletion_failed')).toHaveLength(1);
        expect((await test.service.purgeExpired())['guests']).toBe(1);
      },
    );

    it('leaves guests while no licence holds, and says so: the contributors are not there', async () => {
      const { test } = await abandoned(1, () => undefined);
      const lapsed = await make({
        clock: test.clock,
        ...testLicense({ expiresAt: new Date(test.clock.now() - 1) }),
        providers: { sessions: true, account: true },
      });
      const said = () => lapsed.log.filter(({ fields }) => fields['event'] === 'guests_left');
      expect((await lapsed.service.purgeExpired())['guests']).toBe(0);
      expect(said()).toEqual([expect.objectContaining({ level: 'info' })]);
      expect((await test.service.purgeExpired())['guests']).toBe(1);
      await lapsed.service.purgeExpired();
      expect(said()).toHaveLength(1);
    });

    it('deletes guests together if the application deletes nothing with them, and one by one if it does', async () => {
      const { test } = await abandoned(0, () => undefined);
      const calls: string[] = [];
      const plain = await makePro({ clock: test.clock, adapter: noting(adapter(), calls) });
      for (let i = 0; i < 25; i += 1) await test.service.sessionsProvider.createGuest();
      test.clock.advance(30 * day);
      await plain.heard();
      expect((await plain.service.purgeExpired())['guests']).toBe(25);
      const isDeletion = (call: string) => call.startsWith('guests.delete');
      expect(calls.filter(isDeletion)).toEqual(['guests.deleteAbandoned']);
      expect((await plain.heardNames()).filter((name) => name === 'user.deleted')).toHaveLength(25);
      for (let i = 0; i < 3; i += 1) await test.service.sessionsProvider.createGuest();
      test.clock.advance(30 * day);
      plain.service.account.contribute('baskets', { deleteData: () => undefined });
      calls.length = 0;
      expect((await plain.service.purgeExpired())['guests']).toBe(3);
      expect(calls.filter(isDeletion)).toEqual(['guests.delete', 'guests.delete', 'guests.delete']);
    });

    it('in several processes at once deletes, counts and tells each guest once', async () => {
      const test = await makePro();
      const other = await makePro({ clock: test.clock });
      test.clock.advance(400 * day);
      await test.service.purgeExpired();
      for (let i = 0; i < 20; i += 1) await test.service.sessionsProvider.createGuest();
      test.clock.advance(30 * day);
      await test.heard();
      const counts = await Promise.all(
        [test, other, test, other].map(({ service }) => service.purgeExpired()),
      );
      expect(counts.reduce((sum, { guests }) => sum + guests!, 0)).toBe(20);
      const told = [...(await test.heardNames()), ...(await other.heardNames())];
      expect(told.filter((name) => name === 'user.deleted')).toHaveLength(20);
    });
  });

  describe('impersonate', () => {
    const canImpersonate = (admin: ServiceUser) => admin.email?.startsWith('admin') === true;
    const makeHelpdesk = () => makePro({ providers: { sessions: { canImpersonate } } });
    const admin = (test: ProService) => verifiedUser(test, `admin-${person()}`);

    it('C-30 is told by isImpersonated, from the claims of a token or of a request', async () => {
      const test = await makeHelpdesk();
      const [boss, target] = [await admin(test), await someone(test)];
      const acting = await test.service.sessionsProvider.impersonate(boss.id, target.id);
      const own = await test.service.sessionsProvider.create({ userId: target.id });
      const free = test.service.createSessionToken(target.id);
      const answers = [acting, own, free].map(({ token }) => isImpersonated(test.service.verifyToken(token)));
      expect(answers).toEqual([true, false, false]);
      for (const none of [undefined, null]) {
        expect(() => isImpersonated(none as never)).toThrow(
          expect.objectContaining({ code: 'invalid_request' }),
        );
      }
    });

    it('C-30 gives a token of the target that names the admin, for 15 minutes', async () => {
      const test = await makeHelpdesk();
      const [boss, target] = [await admin(test), await someone(test)];
      await test.heard();
      const { token, expiresAt, ...others } = await test.service.sessionsProvider.impersonate(
        boss.id,
        target.id,
      );
      expect(others).toEqual({});
      const iat = test.clock.now() / 1000;
      expect(expiresAt).toEqual(new Date((iat + 900) * 1000));
      expect(test.service.verifyToken(token)).toEqual({
        sub: target.id,
        act: { sub: boss.id },
        epoch: 0,
        actEpoch: 0,
        iat,
        exp: iat + 900,
        use: 'session',
      });
      expect(await test.service.getSessionUser(token)).toEqual(target);
      expect(await test.heard()).toEqual([
        {
          name: 'session.impersonated',
          payload: { adminUserId: boss.id, userId: target.id, reason: null },
        },
      ]);
      test.clock.advance(900_000 - 1000);
      expect(await alive(test, token)).toBe('ok');
      test.clock.advance(1000);
      expect(await alive(test, token)).toBe('token_invalid');
    });

    it('A-21 C-30 is logged with both ids, and its event has the reason', async () => {
      const test = await makeHelpdesk();
      const [boss, target] = [await admin(test), await someone(test)];
      await test.heard();
      await test.service.sessionsProvider.impersonate(boss.id, target.id, { reason: 'ticket 4711' });
      expect((await test.heard())[0]?.payload).toMatchObject({ reason: 'ticket 4711' });
      const fields = { event: 'impersonated', adminUserId: boss.id, userId: target.id };
      expect(test.log).toContainEqual({ level: 'warn', fields, message: expect.any(String) });
    });

    it('C-30 shows up in no list of devices, of either', async () => {
      const test = await makeHelpdesk();
      const [boss, target] = [await admin(test), await someone(test)];
      await test.service.sessionsProvider.impersonate(boss.id, target.id);
      expect(await test.service.sessionsProvider.listDevices(target.id)).toEqual([]);
      expect(await test.service.sessionsProvider.listDevices(boss.id)).toEqual([]);
    });

    it.each([1, 900, 3600])('C-30 lasts %i seconds where asked to', async (expiresInSec) => {
      const test = await makeHelpdesk();
      const [boss, target] = [await admin(test), await someone(test)];
      const { expiresAt } = await test.service.sessionsProvider.impersonate(boss.id, target.id, {
        expiresInSec,
      });
      expect(expiresAt.getTime()).toBe(test.clock.now() + expiresInSec * 1000);
    });

    it.each([
      { expiresInSec: 3601 },
      { expiresInSec: 0 },
      { expiresInSec: -1 },
      { expiresInSec: 1.5 },
      { expiresInSec: '900' },
      { expiresInSec: NaN },
      { expiresInSec: null },
      { reason: 7 },
      { reason: {} },
      { reason: 'x'.repeat(501) },
    ])('C-30 with %j is invalid_request', async (options) => {
      const test = await makeHelpdesk();
      const [boss, target] = [await admin(test), await someone(test)];
      await test.heard();
      const impersonate = () =>
        test.service.sessionsProvider.impersonate(boss.id, target.id, options as never);
      expect(await outcomeOf(impersonate)).toBe('invalid_request');
      expect(await test.heardNames()).toEqual([]);
    });

    it('C-30 without canImpersonate is not_authorized', async () => {
      for (const sessions of [true, {}] as const) {
        const test = await makePro({ providers: { sessions } });
        const [boss, target] = [await admin(test), await someone(test)];
        expect(await outcomeOf(() => test.service.sessionsProvider.impersonate(boss.id, target.id))).toBe(
          'not_authorized',
        );
      }
    });

    it.each([false, undefined, null, 1, 'true', {}, Promise.resolve(false), Promise.resolve('yes')])(
      'C-30 where canImpersonate says %p, not true, is not_authorized',
      async (answer) => {
        const test = await makePro({ providers: { sessions: { canImpersonate: () => answer as boolean } } });
        const [boss, target] = [await admin(test), await someone(test)];
        expect(await outcomeOf(() => test.service.sessionsProvider.impersonate(boss.id, target.id))).toBe(
          'not_authorized',
        );
      },
    );

    it('C-30 where canImpersonate fails, fails with its error and gives no token', async () => {
      const failure = new Error('directory is down');
      const test = await makePro({
        providers: { sessions: { canImpersonate: () => Promise.reject(failure) } },
      });
      const [boss, target] = [await admin(test), await someone(test)];
      expect(await errorOf(() => test.service.sessionsProvider.impersonate(boss.id, target.id))).toBe(
        failure,
      );
    });

    it('C-30 asks canImpersonate with both users, without their secrets', async () => {
      const asked: unknown[] = [];
      const ask = async (...users: unknown[]) => asked.push(users) > 0;
      const test = await makePro({ providers: { sessions: { canImpersonate: ask } } });
      const [boss, target] = [await admin(test), await someone(test)];
      await test.service.sessionsProvider.impersonate(boss.id, target.id);
      expect(asked).toEqual([[boss, target]]);
    });

    it('C-30 of oneself is not_authorized', async () => {
      const test = await makeHelpdesk();
      const boss = await admin(test);
      expect(await outcomeOf(() => test.service.sessionsProvider.impersonate(boss.id, boss.id))).toBe(
        'not_authorized',
      );
    });

    it('C-30 ends with all sessions of the target, of the admin, and with either account', async () => {
      const test = await makeHelpdesk();
      const { service } = test;
      const token = async (boss: ServiceUser, target: ServiceUser) =>
        (await service.sessionsProvider.impersonate(boss.id, target.id)).token;
      const ends: ((boss: ServiceUser, target: ServiceUser) => Promise<void>)[] = [
        (_boss, target) => service.sessionsProvider.revokeAll(target.id),
        (boss) => service.sessionsProvider.revokeAll(boss.id),
        (_boss, target) => service.account.deleteUser(target.id),
        (boss) => service.account.deleteUser(boss.id),
      ];
      for (const end of ends) {
        const [boss, target] = [await admin(test), await someone(test)];
        const impersonation = await token(boss, target);
        expect(await alive(test, impersonation)).toBe('ok');
        await end(boss, target);
        expect(await alive(test, impersonation)).not.toBe('ok');
      }
    });

    describe('with the administrator’s session token', () => {
      async function impersonated(test: ProService) {
        const { sessionsProvider } = test.service;
        const [boss, target] = [await admin(test), await someone(test)];
        const [own, other] = [
          await sessionsProvider.create({ userId: boss.id }),
          await sessionsProvider.create({ userId: boss.id }),
        ];
        const options = { sessionToken: own.token };
        const { token } = await sessionsProvider.impersonate(boss.id, target.id, options);
        return { boss, target, own, other, token };
      }

      it.each<[string, (test: ProService, made: Awaited<ReturnType<typeof impersonated>>) => unknown]>([
        ['is signed out', ({ service }, { own }) => service.sessionsProvider.revoke(own.token)],
        [
          'is revoked as a device',
          ({ service }, { own }) => service.sessionsProvider.revokeDevice(own.session.id),
        ],
        [
          'is replaced by another sign-in',
          async ({ service, mail }, { boss, own }) => {
            const email = boss.email!;
            await service.emailCode.sendCode({ email });
            const context = { startSession: true, sessionToken: own.token };
            await service.emailCode.verify({ email, code: mail.lastCode(email)! }, context);
          },
        ],
        [
          'is purged',
          async ({ service }, { own }) => {
            await service.sessionsProvider.revoke(own.token);
            await service.purgeExpired();
          },
        ],
        ['ends with all others', ({ service }, { boss }) => service.sessionsProvider.revokeAll(boss.id)],
      ])('C-30 ends when that session %s', async (_how, end) => {
        const test = await makeHelpdesk();
        const made = await impersonated(test);
        expect((await test.service.getSessionUser(made.token)).id).toBe(made.target.id);
        await end(test, made);
        expect(await alive(test, made.token)).toBe('token_invalid');
      });

      it('C-30 does not end with another session of the administrator', async () => {
        const test = await makeHelpdesk();
        const { other, token } = await impersonated(test);
        await test.service.sessionsProvider.revoke(other.token);
        expect(await alive(test, token)).toBe('ok');
      });

      it('C-30 ends when that session expires', async () => {
        const test = await makeHelpdesk();
        const [boss, target] = [await admin(test), await someone(test)];
        const { sessionsProvider } = test.service;
        const { token: sessionToken } = await sessionsProvider.create({ userId: boss.id, ttlMs: minute });
        const { token } = await sessionsProvider.impersonate(boss.id, target.id, { sessionToken });
        test.clock.advance(minute - 1);
        expect(await alive(test, token)).toBe('ok');
        test.clock.advance(1);
        expect(await alive(test, token)).toBe('token_invalid');
      });

      it('C-30 is refused for a session of another user, an ended one, an impersonation and a token without a session', async () => {
        const test = await makeHelpdesk();
        const { service } = test;
        const { boss, target, other, token } = await impersonated(test);
        await service.sessionsProvider.revoke(other.token);
        const foreign = await service.sessionsProvider.create({ userId: target.id });
        const nested = await service.sessionsProvider.impersonate(boss.id, target.id);
        const refused: [unknown, string][] = [
          [foreign.token, 'not_authorized'],
          [token, 'not_authorized'],
          [nested.token, 'not_authorized'],
          [other.token, 'token_invalid'],
          ['x', 'token_invalid'],
          [null, 'token_invalid'],
          [service.createSessionToken(boss.id).token, 'invalid_request'],
          [(await service.refresh.issue({ userId: boss.id })).accessToken, 'invalid_request'],
        ];
        for (const [sessionToken, outcome] of refused) {
          const options = { sessionToken: sessionToken as string };
          const call = () => service.sessionsProvider.impersonate(boss.id, target.id, options);
          expect(await outcomeOf(call)).toBe(outcome);
        }
      });

      it('C-30 is checked by one statement', async () => {
        const calls: string[] = [];
        const test = await makePro({
          adapter: noting(adapter(), calls),
          providers: { sessions: { canImpersonate } },
        });
        const { token } = await impersonated(test);
        calls.length = 0;
        await test.service.getSessionUser(token);
        expect(calls).toEqual(['sessions.findWithTarget']);
      });
    });

    it('C-30 cannot be made by hand: act, actEpoch and epoch are reserved claims', async () => {
      const test = await makePro();
      const user = await someone(test);
      for (const claims of [
        { act: { sub: user.id } },
        { actEpoch: 0 },
        { actSid: 'x' },
        { epoch: 0 },
        { fid: 'x' },
      ]) {
        expect(await outcomeOf(() => test.service.createSessionToken(user.id, { claims }))).toBe(
          'invalid_request',
        );
        expect(await outcomeOf(() => test.service.refresh.issue({ userId: user.id, claims }))).toBe(
          'invalid_request',
        );
      }
    });

    it('C-30 is never renewed, neither by requireSession nor by GET /session', async () => {
      const test = await makePro({
        session: { renewAfterMs: 1000 },
        providers: { sessions: { canImpersonate } },
      });
      const [boss, target] = [await admin(test), await someone(test)];
      const { token } = await test.service.sessionsProvider.impersonate(boss.id, target.id);
      const app = express();
      app.use('/api/auth', createAuthRouter(test.service));
      app.get('/me', requireSession(test.service), (req, res) => void res.json(req.svcAuth?.claims.act));
      const server = await listen(app);
      const client = httpClient((server.address() as AddressInfo).port);
      try {
        test.clock.advance(10 * minute);
        const headers = { Cookie: `svc_session=${token}` };
        const me = await client.send({ method: 'GET', path: '/me', headers });
        expect([me.status, me.json, me.cookies]).toEqual([200, { sub: boss.id }, []]);
        const session = await client.send({ method: 'GET', path: '/api/auth/session', headers });
        expect([session.status, session.json.user.id, session.cookies]).toEqual([200, target.id, []]);
        test.clock.advance(5 * minute);
        expect((await client.send({ method: 'GET', path: '/me', headers })).status).toBe(401);
      } finally {
        client.close();
        server.close();
      }
    });

    it('T1 C-30 is not the user’s own session: it gives no password to an account without one', async () => {
      const test = await makeHelpdesk();
      const [boss, target] = [await admin(test), await someone(test)];
      const { token } = await test.service.sessionsProvider.impersonate(boss.id, target.id);
      const signup = (sessionToken: string) =>
        test.service.emailPassword.signup(
          { email: target.email!, password: 'chosen by the admin' },
          { sessionToken },
        );
      expect(await outcomeOf(() => signup(token))).toBe('email_exists');
      const own = await test.service.sessionsProvider.create({ userId: target.id });
      expect(await outcomeOf(() => signup(own.token))).toBe('ok');
    });

    it('T2 C-30 does not keep what a claim removes', async () => {
      const test = await makeHelpdesk();
      const boss = await admin(test);
      const email = person();
      const password = 'chosen by somebody';
      const { user } = await test.service.emailPassword.signup({ email, password });
      const { token } = await test.service.sessionsProvider.impersonate(boss.id, user.id);
      await test.service.emailCode.sendCode({ email });
      await test.service.emailCode.verify(
        { email, code: test.mail.lastCode(email)! },
        { sessionToken: token },
      );
      expect(await outcomeOf(() => test.service.emailPassword.login({ email, password }))).toBe(
        'invalid_credentials',
      );
    });

    it('C-30 with what is no user is user_not_found, on either side', async () => {
      const test = await makeHelpdesk();
      const boss = await admin(test);
      const { sessionsProvider } = test.service;
      for (const id of oddIds) {
        expect(await outcomeOf(() => sessionsProvider.impersonate(boss.id, id as string))).toBe(
          'user_not_found',
        );
        expect(await outcomeOf(() => sessionsProvider.impersonate(id as string, boss.id))).toBe(
          'user_not_found',
        );
      }
    });
  });

  it('A-12 returns and logs no secret', async () => {
    const test = await makePro({ providers: { sessions: { canImpersonate: () => true } } });
    const { user } = await test.service.emailPassword.signup({
      email: person(),
      password: 'correct horse battery',
    });
    const { sessionsProvider } = test.service;
    const guest = await sessionsProvider.createGuest();
    const results = [
      (await sessionsProvider.create({ userId: user.id })).session,
      await sessionsProvider.listDevices(user.id),
      guest.user,
      guest.session,
      await sessionsProvider.upgrade({
        userId: guest.user.id,
        provider: 'x',
        providerAccountId: guest.user.id,
      }),
    ];
    await settled(test);
    expect(JSON.stringify(results)).not.toMatch(/eyJ|cheap\$|passwordHash|epoch|sessionsValidAfter/);
    expect(JSON.stringify(test.log)).not.toMatch(/eyJ|cheap\$/);
  });
});

function byAgent(a: { userAgent?: string }, b: { userAgent?: string }): number {
  return (a.userAgent ?? '').localeCompare(b.userAgent ?? '');
}
