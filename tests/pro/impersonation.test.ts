// Impersonation (specification 4.3 `sessionsProvider`; docs/security-requirements.md C-30).
import express from 'express';
import type { AddressInfo } from 'node:net';
import { createAuthRouter, isImpersonated, requireSession, type ServiceUser } from 'svc-auth';
import { describeAdapters, recordCalls } from '../support/describe-adapters.js';
import { httpClient } from '../support/http-client.js';
import { listen } from '../support/http-site.js';
import type { TestService } from '../support/make-service.js';
import { minute, invalidIds, proFixtures, type ProService } from '../support/make-pro-service.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';

describeAdapters('Impersonation', ({ make, uniqueEmail, adapter }) => {
  const { makePro, verifiedUser } = proFixtures({ make, uniqueEmail });
  const alive = ({ service }: TestService, token: string) => outcomeOf(() => service.getSessionUser(token));
  /** A user whom only the application has authenticated. */
  const someone = (test: TestService) => verifiedUser(test);

  describe('impersonate', () => {
    const canImpersonate = (admin: ServiceUser) => admin.email?.startsWith('admin') === true;
    const makeHelpdesk = () => makePro({ providers: { sessions: { canImpersonate } } });
    const admin = (test: ProService) => verifiedUser(test, `admin-${uniqueEmail()}`);

    // C-30
    it('reports an impersonation in isImpersonated, from the claims of a token or of a request', async () => {
      const test = await makeHelpdesk();
      const [boss, target] = [await admin(test), await someone(test)];
      const acting = await test.service.sessionsProvider.impersonate(boss.id, target.id);
      const own = await test.service.sessionsProvider.create({ userId: target.id });
      const free = test.service.createSessionToken(target.id);
      const results = [acting, own, free].map(({ token }) => isImpersonated(test.service.verifyToken(token)));
      expect(results).toEqual([true, false, false]);
      for (const none of [undefined, null]) {
        expect(() => isImpersonated(none as never)).toThrow(
          expect.objectContaining({ code: 'invalid_request' }),
        );
      }
    });

    // C-30
    it('returns a token of the target that names the administrator, valid for 15 minutes', async () => {
      const test = await makeHelpdesk();
      const [boss, target] = [await admin(test), await someone(test)];
      await test.takeEvents();
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
      expect(await test.takeEvents()).toEqual([
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

    // A-21, C-30
    it('logs an impersonation with both ids, and emits its reason', async () => {
      const test = await makeHelpdesk();
      const [boss, target] = [await admin(test), await someone(test)];
      await test.takeEvents();
      await test.service.sessionsProvider.impersonate(boss.id, target.id, { reason: 'ticket 4711' });
      expect((await test.takeEvents())[0]?.payload).toMatchObject({ reason: 'ticket 4711' });
      const fields = { event: 'impersonated', adminUserId: boss.id, userId: target.id };
      expect(test.log).toContainEqual({ level: 'warn', fields, message: expect.any(String) });
    });

    // C-30
    it('lists an impersonation among the devices of neither user', async () => {
      const test = await makeHelpdesk();
      const [boss, target] = [await admin(test), await someone(test)];
      await test.service.sessionsProvider.impersonate(boss.id, target.id);
      expect(await test.service.sessionsProvider.listDevices(target.id)).toEqual([]);
      expect(await test.service.sessionsProvider.listDevices(boss.id)).toEqual([]);
    });

    // C-30
    it.each([1, 900, 3600])('creates an impersonation of %i seconds', async (expiresInSec) => {
      const test = await makeHelpdesk();
      const [boss, target] = [await admin(test), await someone(test)];
      const { expiresAt } = await test.service.sessionsProvider.impersonate(boss.id, target.id, {
        expiresInSec,
      });
      expect(expiresAt.getTime()).toBe(test.clock.now() + expiresInSec * 1000);
    });

    // C-30
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
    ])('rejects an impersonation with %j with invalid_request', async (options) => {
      const test = await makeHelpdesk();
      const [boss, target] = [await admin(test), await someone(test)];
      await test.takeEvents();
      const impersonate = () =>
        test.service.sessionsProvider.impersonate(boss.id, target.id, options as never);
      expect(await outcomeOf(impersonate)).toBe('invalid_request');
      expect(await test.takeEventNames()).toEqual([]);
    });

    // C-30
    it('rejects an impersonation without canImpersonate with not_authorized', async () => {
      for (const sessions of [true, {}] as const) {
        const test = await makePro({ providers: { sessions } });
        const [boss, target] = [await admin(test), await someone(test)];
        expect(await outcomeOf(() => test.service.sessionsProvider.impersonate(boss.id, target.id))).toBe(
          'not_authorized',
        );
      }
    });

    // C-30
    it.each([false, undefined, null, 1, 'true', {}, Promise.resolve(false), Promise.resolve('yes')])(
      'rejects an impersonation with not_authorized if canImpersonate returns %p instead of true',
      async (answer) => {
        const test = await makePro({ providers: { sessions: { canImpersonate: () => answer as boolean } } });
        const [boss, target] = [await admin(test), await someone(test)];
        expect(await outcomeOf(() => test.service.sessionsProvider.impersonate(boss.id, target.id))).toBe(
          'not_authorized',
        );
      },
    );

    // C-30
    it('rejects with the error of canImpersonate and creates no token', async () => {
      const failure = new Error('directory is down');
      const test = await makePro({
        providers: { sessions: { canImpersonate: () => Promise.reject(failure) } },
      });
      const [boss, target] = [await admin(test), await someone(test)];
      expect(await errorOf(() => test.service.sessionsProvider.impersonate(boss.id, target.id))).toBe(
        failure,
      );
    });

    // C-30
    it('calls canImpersonate with both users, without their secrets', async () => {
      const calls: unknown[] = [];
      const ask = async (...users: unknown[]) => calls.push(users) > 0;
      const test = await makePro({ providers: { sessions: { canImpersonate: ask } } });
      const [boss, target] = [await admin(test), await someone(test)];
      await test.service.sessionsProvider.impersonate(boss.id, target.id);
      expect(calls).toEqual([[boss, target]]);
    });

    // C-30
    it('rejects an impersonation of oneself with not_authorized', async () => {
      const test = await makeHelpdesk();
      const boss = await admin(test);
      expect(await outcomeOf(() => test.service.sessionsProvider.impersonate(boss.id, boss.id))).toBe(
        'not_authorized',
      );
    });

    // C-30
    it('ends an impersonation when all sessions of either user are revoked, or either account is deleted', async () => {
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

    describe('an impersonation bound to the administrator’s session', () => {
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

      // C-30
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
      ])('ends an impersonation when its session %s', async (_how, end) => {
        const test = await makeHelpdesk();
        const impersonation = await impersonated(test);
        expect((await test.service.getSessionUser(impersonation.token)).id).toBe(impersonation.target.id);
        await end(test, impersonation);
        expect(await alive(test, impersonation.token)).toBe('token_invalid');
      });

      // C-30
      it('keeps an impersonation when another session of the administrator is revoked', async () => {
        const test = await makeHelpdesk();
        const { other, token } = await impersonated(test);
        await test.service.sessionsProvider.revoke(other.token);
        expect(await alive(test, token)).toBe('ok');
      });

      // C-30
      it('ends an impersonation when its session expires', async () => {
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

      // C-30
      it('rejects a session that is revoked, of another user, impersonated or without a row', async () => {
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

      // C-30
      it('checks an impersonation with one statement', async () => {
        const calls: string[] = [];
        const test = await makePro({
          adapter: recordCalls(adapter(), calls),
          providers: { sessions: { canImpersonate } },
        });
        const { token } = await impersonated(test);
        calls.length = 0;
        await test.service.getSessionUser(token);
        expect(calls).toEqual(['sessions.findWithTarget']);
      });
    });

    // C-30
    it('reserves the claims act, actEpoch, actSid, epoch and fid', async () => {
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

    // C-30
    it('never renews an impersonation, neither in requireSession nor in GET /session', async () => {
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

    // T1, C-30
    it('sets no password on an account without one through an impersonation', async () => {
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

    // T2, C-30
    it('does not preserve the password of a reclaimed account through an impersonation', async () => {
      const test = await makeHelpdesk();
      const boss = await admin(test);
      const email = uniqueEmail();
      const password = 'chosen by an attacker';
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

    // C-30
    it('rejects an impersonation with an unknown user on either side with user_not_found', async () => {
      const test = await makeHelpdesk();
      const boss = await admin(test);
      const { sessionsProvider } = test.service;
      for (const id of invalidIds) {
        expect(await outcomeOf(() => sessionsProvider.impersonate(boss.id, id as string))).toBe(
          'user_not_found',
        );
        expect(await outcomeOf(() => sessionsProvider.impersonate(id as string, boss.id))).toBe(
          'user_not_found',
        );
      }
    });
  });
});
