// Device sessions: creation, lists and revocation (specification 4.3 `sessionsProvider`;
// docs/security-requirements.md A-52).
import express from 'express';
import type { AddressInfo } from 'node:net';
import { createAuthRouter, requireSession, type ServiceUser } from 'svc-auth';
import { internals } from '../../src/core/internals.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { httpClient } from '../support/http-client.js';
import { listen } from '../support/http-site.js';
import type { TestService } from '../support/make-service.js';
import { day, minute, invalidIds, proFixtures, settleService } from '../support/make-pro-service.js';
import { outcomeOf, race } from '../support/outcomes.js';

describeAdapters('Device sessions', ({ make, uniqueEmail, adapter }) => {
  const { makePro, verifiedUser } = proFixtures({ make, uniqueEmail });
  const alive = ({ service }: TestService, token: string) => outcomeOf(() => service.getSessionUser(token));
  /** A user whom only the application has authenticated. */
  const someone = (test: TestService) => verifiedUser(test);

  describe('create', () => {
    it('creates a session with a row and a token, as a sign-in does', async () => {
      const test = await makePro();
      const user = await someone(test);
      await test.takeEvents();
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
        boundAt: null,
      });
      expect(test.service.verifyToken(token)).toMatchObject({
        sub: user.id,
        sid: session.id,
        epoch: 0,
        use: 'session',
      });
      expect(await test.service.getSessionUser(token)).toEqual(user);
      expect(await test.takeEvents()).toEqual([
        { name: 'session.created', payload: { userId: user.id, sessionId: session.id } },
      ]);
    });

    //
    it('ends a session at its last millisecond, although its token counts whole seconds', async () => {
      const test = await makePro();
      const { id: userId } = await someone(test);
      const { token } = await test.service.sessionsProvider.create({ userId, ttlMs: 1500 });
      test.clock.advance(1499);
      expect((await test.service.getSessionUser(token)).id).toBe(userId);
      test.clock.advance(1);
      expect(test.service.verifyToken(token).sub).toBe(userId);
      expect(await outcomeOf(() => test.service.getSessionUser(token))).toBe('token_invalid');
    });

    it('creates a session with the given lifetime, at most session.maxAgeMs', async () => {
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

    it('keeps a shorter lifetime when the session is renewed', async () => {
      const test = await makePro();
      const { id: userId } = await someone(test);
      const { token } = await test.service.sessionsProvider.create({ userId, ttlMs: 2 * day });
      test.clock.advance(1.5 * day);
      const { sessions } = test.service[internals];
      const renewed = await sessions.renewSession(await sessions.authenticate(token));
      expect(renewed?.session.expiresAt.getTime()).toBe(test.clock.now() + 2 * day);
    });

    it('stores a copy of the device, and refuses unknown fields', async () => {
      const test = await makePro();
      const { id: userId } = await someone(test);
      const device = { name: 'x', __proto__: { ip: 'inherited' } };
      const { session } = await test.service.sessionsProvider.create({ userId, device: device });
      expect(session.device).toMatchObject({ name: 'x' });
      const wrong = { ...device, admin: true } as typeof device;
      expect(await outcomeOf(() => test.service.sessionsProvider.create({ userId, device: wrong }))).toBe(
        'invalid_request',
      );
      device.name = 'changed';
      expect((await test.service.sessionsProvider.listDevices(userId))[0]?.device.name).toBe('x');
    });

    it('rejects a session for an unknown user with user_not_found', async () => {
      const test = await makePro();
      for (const userId of invalidIds) {
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
    ])('rejects a session with %j with invalid_request and creates none', async (input) => {
      const test = await makePro();
      const { id: userId } = await someone(test);
      const create = () => test.service.sessionsProvider.create({ userId, ...input } as never);
      expect(await outcomeOf(create)).toBe('invalid_request');
      expect(await test.service.sessionsProvider.listDevices(userId)).toEqual([]);
    });
  });

  describe('listDevices', () => {
    //
    it('lists the active sessions, newest first, and marks the current one', async () => {
      const test = await makePro();
      const { sessionsProvider } = test.service;
      const { id: userId } = await someone(test);
      const other = await someone(test);
      await sessionsProvider.create({ userId: other.id });
      const created = [];
      for (const name of ['phone', 'laptop', 'tablet', 'watch']) {
        created.push(
          await sessionsProvider.create({ userId, device: { name }, ttlMs: name === 'watch' ? minute : day }),
        );
        test.clock.advance(1000);
      }
      await sessionsProvider.revokeDevice(created[2]!.session.id);
      const names = async (token?: string) =>
        (await sessionsProvider.listDevices(userId, token)).map(({ device, current }) => [
          device.name,
          current,
        ]);
      expect(await names(created[0]!.token)).toEqual([
        ['watch', false],
        ['laptop', false],
        ['phone', true],
      ]);
      test.clock.advance(minute);
      expect(await names(created[1]!.token)).toEqual([
        ['laptop', true],
        ['phone', false],
      ]);
      expect(await names()).toEqual([
        ['laptop', false],
        ['phone', false],
      ]);
    });

    it('returns each session with its dates and without a token', async () => {
      const test = await makePro();
      const { id: userId } = await someone(test);
      const { token, session } = await test.service.sessionsProvider.create({ userId });
      const devices = await test.service.sessionsProvider.listDevices(userId, token);
      expect(devices).toEqual([{ ...session, current: true }]);
      expect(JSON.stringify(devices)).not.toContain('eyJ');
    });

    it('marks no session as current for a token that is expired, malformed, of another kind or of another user', async () => {
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

    it('lists sessions that were started over HTTP, with address and user agent, and revokes them', async () => {
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
        const email = uniqueEmail();
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

    it('rejects the devices of an unknown user with user_not_found', async () => {
      const test = await makePro();
      for (const userId of invalidIds) {
        expect(await outcomeOf(() => test.service.sessionsProvider.listDevices(userId as string))).toBe(
          'user_not_found',
        );
      }
    });
  });

  describe('revokeDevice and revoke', () => {
    //
    it('revokes one session and no other, once', async () => {
      const test = await makePro();
      const { sessionsProvider } = test.service;
      const { id: userId } = await someone(test);
      const [first, second, third] = await Promise.all(
        [1, 2, 3].map(() => sessionsProvider.create({ userId })),
      );
      await test.takeEvents();
      await sessionsProvider.revokeDevice(first!.session.id);
      await sessionsProvider.revoke(second!.token);
      expect(await Promise.all([first, second, third].map((each) => alive(test, each!.token)))).toEqual([
        'token_invalid',
        'token_invalid',
        'ok',
      ]);
      await sessionsProvider.revokeDevice(first!.session.id);
      await sessionsProvider.revoke(second!.token);
      expect(await test.takeEvents()).toEqual(
        [first, second].map((each) => ({
          name: 'session.revoked',
          payload: { userId, sessionId: each!.session.id },
        })),
      );
    });

    it('revokes a session once in 50 concurrent calls', async () => {
      const test = await makePro();
      const { id: userId } = await someone(test);
      const { session } = await test.service.sessionsProvider.create({ userId });
      await test.takeEvents();
      expect(await race(50, () => test.service.sessionsProvider.revokeDevice(session.id))).toEqual({
        ok: 50,
      });
      expect(await test.takeEventNames()).toEqual(['session.revoked']);
    });

    it('ignores the id of an unknown session, and rejects a malformed one with invalid_request', async () => {
      const test = await makePro();
      for (const sessionId of invalidIds) {
        const outcome = await outcomeOf(() =>
          test.service.sessionsProvider.revokeDevice(sessionId as string),
        );
        expect(outcome).toBe(typeof sessionId === 'string' ? 'ok' : 'invalid_request');
      }
    });

    it('revokes the refresh family of an access token', async () => {
      const test = await makePro();
      const { service } = test;
      const { id: userId } = await someone(test);
      const pair = await service.refresh.issue({ userId });
      await service.sessionsProvider.revoke(pair.accessToken);
      expect(await alive(test, pair.accessToken)).toBe('token_invalid');
      expect(await outcomeOf(() => service.refresh.refresh(pair.refreshToken))).toBe('refresh_token_invalid');
    });

    it('rejects a token without an active session with token_invalid', async () => {
      const test = await makePro();
      const { service } = test;
      const { id: userId } = await someone(test);
      const { session, token } = await service.sessionsProvider.create({ userId, ttlMs: minute });
      const pair = await service.refresh.issue({ userId });
      const { key } = await service.apiKeys.create({ userId, name: 'key' });
      const tokens: unknown[] = [
        ...invalidIds,
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
    // A-52, C-5
    it('revokes every session and token of that user alone', async () => {
      const test = await makePro({ providers: { sessions: { canImpersonate: () => true } } });
      const { service } = test;
      const [user, admin] = [await someone(test), await someone(test)];
      const pair = await service.refresh.issue({ userId: user.id });
      const tokensOfUser = [
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
      for (const token of [...tokensOfUser, ...others]) expect(await alive(test, token)).toBe('ok');
      await test.takeEvents();
      await service.sessionsProvider.revokeAll(user.id);
      for (const token of tokensOfUser) expect(await alive(test, token)).toBe('token_invalid');
      for (const token of others) expect(await alive(test, token)).toBe('ok');
      expect(await outcomeOf(() => service.refresh.refresh(pair.refreshToken))).toBe('refresh_token_invalid');
      expect(await service.sessionsProvider.listDevices(user.id)).toEqual([]);
      // An API key is not a session.
      expect(await outcomeOf(() => service.apiKeys.verify(key))).toBe('ok');
      expect(await test.takeEvents()).toEqual([
        { name: 'session.all_revoked', payload: { userId: user.id } },
      ]);
      test.clock.advance(1);
      expect(await alive(test, (await service.sessionsProvider.create({ userId: user.id })).token)).toBe(
        'ok',
      );
    });

    it('revokes every session that began before it, while others begin', async () => {
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

    it('rejects a revocation for an unknown user with user_not_found', async () => {
      const test = await makePro();
      for (const userId of invalidIds) {
        expect(await outcomeOf(() => test.service.sessionsProvider.revokeAll(userId as string))).toBe(
          'user_not_found',
        );
      }
    });
  });

  //
  it('returns and logs no secret', async () => {
    const test = await makePro({ providers: { sessions: { canImpersonate: () => true } } });
    const { user } = await test.service.emailPassword.signup({
      email: uniqueEmail(),
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
    await settleService(test);
    expect(JSON.stringify(results)).not.toMatch(/eyJ|cheap\$|passwordHash|epoch|sessionsValidAfter/);
    expect(JSON.stringify(test.log)).not.toMatch(/eyJ|cheap\$/);
  });
});

function byAgent(a: { userAgent?: string }, b: { userAgent?: string }): number {
  return (a.userAgent ?? '').localeCompare(b.userAgent ?? '');
}
