// What `requireSession` can require of a session: a recent sign-in, two factors, a role.
import express5 from 'express';
import express4 from 'express4';
import type { Express } from 'express';
import type { AddressInfo } from 'node:net';
import { TOTP } from 'otpauth';
import { requireOrgRole, requireRole, requireSession, type RequireSessionOptions } from 'svc-auth';
import { softwareAuthenticator } from 'svc-auth/testing';
import { describeAdapters } from '../support/describe-adapters.js';
import { httpClient, type HttpClient } from '../support/http-client.js';
import { listen } from '../support/http-site.js';
import { makeService } from '../support/make-service.js';
import { minute, proFixtures, type ProService } from '../support/make-pro-service.js';
import { errorOf } from '../support/outcomes.js';

const versions = [
  { version: 'Express 4', makeApp: express4 },
  { version: 'Express 5', makeApp: express5 },
];
const inSession = { startSession: true };
const paths = ['/fresh', '/mfa', '/admin', '/all', '/mfa-stateless'];

describeAdapters('Session requirements', ({ make, uniqueEmail }) => {
  const { makePro, verifiedUser } = proFixtures({ make, uniqueEmail });

  describe.each(versions)('on $version', ({ makeApp }) => {
    let test: ProService;
    let client: HttpClient;
    let close: () => void;

    beforeEach(async () => {
      test = await makePro({
        encryptionKey: 'an encryption key of the tests, 32 bytes or more',
        providers: {
          totp: true,
          webauthn: { rpId: 'app.test', origins: ['https://app.test'] },
          sessions: { canImpersonate: () => true },
        },
      });
      const app: Express = makeApp();
      const guarded = (path: string, options: RequireSessionOptions) =>
        app.get(path, requireSession(test.service, options), (req, res) => void res.json(req.svcAuth));
      const org = {
        min: 'admin',
        id: (req: { query: object }) => (req.query as { org: string }).org,
      } as const;
      guarded('/fresh', { maxAgeMs: 10 * minute });
      guarded('/mfa', { mfa: true });
      guarded('/admin', { org });
      guarded('/all', { maxAgeMs: 10 * minute, mfa: true, org });
      app.get('/support', requireRole(test.service, 'support'), (req, res) => void res.json(req.user));
      guarded('/support-and-mfa', { role: 'support', mfa: true });
      guarded('/mfa-stateless', { mfa: true, stateless: true });
      const server = await listen(app);
      client = httpClient((server.address() as AddressInfo).port);
      close = () => {
        client.close();
        server.closeAllConnections();
        server.close();
      };
    });

    afterEach(() => close());

    /** The responses of the routes to a token, by path. */
    async function responsesTo(token: string, orgId = '') {
      const entries = paths.map(async (path) => {
        const headers = { Authorization: `Bearer ${token}` };
        const response = await client.send({ method: 'GET', path: `${path}?org=${orgId}`, headers });
        return [path, response.status === 200 ? 'ok' : `${response.status} ${response.json.error}`] as const;
      });
      return Object.fromEntries(await Promise.all(entries));
    }

    async function signedIn() {
      const user = await verifiedUser(test);
      await test.service.emailCode.sendCode({ email: user.email! });
      const code = test.mail.lastCode(user.email!)!;
      const { session } = await test.service.emailCode.verify({ email: user.email!, code }, inSession);
      return { user, token: session!.token };
    }

    it('accepts a recent session of a member, and names the missing requirement', async () => {
      const { user, token } = await signedIn();
      const { org } = await test.service.orgs.create({ name: 'Acme', ownerUserId: user.id });
      const lacks = { '/mfa': '403 mfa_required', '/mfa-stateless': '403 mfa_required' };
      const outside = { '/admin': '403 not_authorized', '/all': '403 mfa_required' };
      expect(await responsesTo(token)).toEqual({ '/fresh': 'ok', ...lacks, ...outside });
      const inside = { '/admin': 'ok', '/all': '403 mfa_required' };
      expect(await responsesTo(token, org.id)).toEqual({ '/fresh': 'ok', ...lacks, ...inside });
      test.clock.advance(10 * minute);
      expect((await responsesTo(token))['/fresh']).toBe('ok');
      test.clock.advance(1);
      expect((await responsesTo(token))['/fresh']).toBe('403 reauth_required');
    });

    it('requires a role, which counts from the next request on, and exposes only the public user', async () => {
      const { user, token } = await signedIn();
      const { users } = test.service;
      const get = async (path: string, headers = { Authorization: `Bearer ${token}` }) => {
        const { status, json } = await client.send({ method: 'GET', path, headers });
        return status === 200 ? json : `${status} ${json.error}`;
      };
      expect(await get('/support')).toBe('403 not_authorized');
      await users.update(user.id, { roles: ['supporter'] });
      expect(await get('/support')).toBe('403 not_authorized');
      await users.update(user.id, { roles: ['admin', 'support'] });
      const { updatedAt } = await users.get(user.id);
      const publicUser = { ...user, updatedAt };
      expect(await get('/support')).toEqual(JSON.parse(JSON.stringify(publicUser)));
      expect(await get('/support-and-mfa')).toBe('403 mfa_required');
      expect(await get('/support', { Authorization: '' })).toBe('401 token_invalid');
      await users.update(user.id, { roles: [] });
      expect(await get('/support')).toBe('403 not_authorized');
    });

    it.each([undefined, null, '', 'No Role', 42, ['support']])(
      'requireRole() refuses %j as a role',
      async (role) => {
        const error = await errorOf(() => requireRole(test.service, role as string));
        expect(error).toMatchObject({ code: 'invalid_request' });
      },
    );

    //
    it('recognizes a session with two factors, also after its renewal', async () => {
      const { user } = await signedIn();
      const { secret } = await test.service.totp.beginEnrollment(user.id);
      const code = () => new TOTP({ secret }).generate({ timestamp: test.clock.now() });
      await test.service.totp.confirmEnrollment(user.id, code());
      test.clock.advance(minute);
      await test.service.emailCode.sendCode({ email: user.email! });
      const mailed = { email: user.email!, code: test.mail.lastCode(user.email!)! };
      const { pending } = await test.service.emailCode.verify(mailed, inSession);
      const { session } = await test.service.totp.finishSignIn(
        { token: pending!.token, code: code() },
        inSession,
      );
      expect(await responsesTo(session!.token)).toMatchObject({ '/mfa': 'ok', '/mfa-stateless': 'ok' });
      expect(test.service.verifyToken(session!.token).amr).toEqual(['mfa']);

      test.clock.advance(25 * 60 * minute);
      const path = '/mfa';
      const cookie = `svc_session=${session!.token}`;
      const renew = async () =>
        (await client.send({ method: 'GET', path, headers: { Cookie: cookie } })).cookie();
      // The second request is sent with the old cookie, before the first response arrives.
      for (const renewed of [await renew(), await renew()]) {
        expect(renewed).not.toBe(cookie);
        expect(await responsesTo(renewed.replace('svc_session=', ''))).toMatchObject({ '/mfa': 'ok' });
        // A renewal is not a sign-in.
        expect((await responsesTo(renewed.replace('svc_session=', '')))['/fresh']).toBe(
          '403 reauth_required',
        );
      }
    });

    it('counts a passkey with user verification as two factors, and one without as one', async () => {
      const { user } = await signedIn();
      const { webauthn } = test.service;
      const authenticator = softwareAuthenticator();
      const { options, challenge } = await webauthn.startRegistration(user.id);
      const response = authenticator.create(options);
      await webauthn.finishRegistration({ userId: user.id, response, expectedChallenge: challenge });
      for (const userVerified of [true, false]) {
        const start = await webauthn.startAuthentication();
        const assertion = authenticator.get(start.options, { userVerified });
        const input = { response: assertion, expectedChallenge: start.challenge };
        const { session } = await webauthn.finishAuthentication(input, inSession);
        expect((await responsesTo(session!.token))['/mfa']).toBe(userVerified ? 'ok' : '403 mfa_required');
      }
    });

    it('does not accept an impersonation as a recent sign-in', async () => {
      const [admin, { user }] = [await verifiedUser(test), await signedIn()];
      const { token } = await test.service.sessionsProvider.impersonate(admin.id, user.id);
      expect((await responsesTo(token))['/fresh']).toBe('403 not_authorized');
    });

    it('measures the age of a token without a session from its issue', async () => {
      const { user } = await signedIn();
      const { token } = test.service.createSessionToken(user.id);
      expect((await responsesTo(token))['/fresh']).toBe('ok');
      test.clock.advance(10 * minute + 1);
      expect((await responsesTo(token))['/fresh']).toBe('403 reauth_required');
    });
  });
});

describe('Invalid session requirements', () => {
  const odd: [string, unknown][] = [
    ['an unknown option', { maxAge: 1 }],
    ['an age of 0', { maxAgeMs: 0 }],
    ['an age that is a string', { maxAgeMs: '1000' }],
    ['an age that is NaN', { maxAgeMs: Number.NaN }],
    ['mfa that is a string', { mfa: 'false' }],
    ['an organization without a role', { org: { id: () => 'x' } }],
    ['an organization without an id', { org: { min: 'admin' } }],
    ['an age with stateless', { stateless: true, maxAgeMs: 1000 }],
    ['an organization with stateless', { stateless: true, org: { min: 'admin', id: () => 'x' } }],
  ];

  it.each(odd)('throw when the guard is created: %s', async (_name, options) => {
    const { service } = await makeService();
    const error = await errorOf(() => requireSession(service, options as RequireSessionOptions));
    expect(['invalid_request', 'org_error']).toContain(error.code);
  });

  it('ignores undefined options', async () => {
    const { service } = await makeService();
    const none = { maxAgeMs: undefined, mfa: undefined, org: undefined, stateless: undefined };
    expect(requireSession(service, none)).toBeInstanceOf(Function);
    expect(requireOrgRole(service, { min: 'member', org: () => 'x' })).toBeInstanceOf(Function);
  });
});
