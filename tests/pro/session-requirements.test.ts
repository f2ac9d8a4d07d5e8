// What `requireSession` can ask of a session beside that it is live: fresh, of two factors, of a member.
import express5 from 'express';
import express4 from 'express4';
import type { Express } from 'express';
import type { AddressInfo } from 'node:net';
import { TOTP } from 'otpauth';
import { requireOrgRole, requireSession, type RequireSessionOptions } from 'svc-auth';
import { softwareAuthenticator } from 'svc-auth/testing';
import { describeAdapters } from '../support/describe-adapters.js';
import { httpClient, type HttpClient } from '../support/http-client.js';
import { listen } from '../support/http-site.js';
import { makeService } from '../support/make-service.js';
import { minute, pro, type ProService } from '../support/make-pro-service.js';
import { errorOf } from '../support/outcomes.js';

const versions = [
  { version: 'Express 4', makeApp: express4 },
  { version: 'Express 5', makeApp: express5 },
];
const inSession = { startSession: true };
const paths = ['/fresh', '/mfa', '/admin', '/all', '/mfa-stateless'];

describeAdapters('Requirements of a session', ({ make, person }) => {
  const { makePro, verifiedUser } = pro({ make, person });

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

    /** What the routes answer to a token, by path. */
    async function answers(token: string, orgId = '') {
      const entries = paths.map(async (path) => {
        const headers = { Authorization: `Bearer ${token}` };
        const answer = await client.send({ method: 'GET', path: `${path}?org=${orgId}`, headers });
        return [path, answer.status === 200 ? 'ok' : `${answer.status} ${answer.json.error}`] as const;
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

    it('let the fresh session of a member through, and ask for what it lacks', async () => {
      const { user, token } = await signedIn();
      const { org } = await test.service.orgs.create({ name: 'Acme', ownerUserId: user.id });
      const lacks = { '/mfa': '403 mfa_required', '/mfa-stateless': '403 mfa_required' };
      const outside = { '/admin': '403 not_authorized', '/all': '403 mfa_required' };
      expect(await answers(token)).toEqual({ '/fresh': 'ok', ...lacks, ...outside });
      const inside = { '/admin': 'ok', '/all': '403 mfa_required' };
      expect(await answers(token, org.id)).toEqual({ '/fresh': 'ok', ...lacks, ...inside });
      test.clock.advance(10 * minute);
      expect((await answers(token))['/fresh']).toBe('ok');
      test.clock.advance(1);
      expect((await answers(token))['/fresh']).toBe('403 reauth_required');
    });

    it('A-16 know a session of two factors, also after its renewal', async () => {
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
      expect(await answers(session!.token)).toMatchObject({ '/mfa': 'ok', '/mfa-stateless': 'ok' });
      expect(test.service.verifyToken(session!.token).amr).toEqual(['mfa']);

      test.clock.advance(25 * 60 * minute);
      const path = '/mfa';
      const cookie = `svc_session=${session!.token}`;
      const renew = async () =>
        (await client.send({ method: 'GET', path, headers: { Cookie: cookie } })).cookie();
      // The second as a request that was sent with the old cookie before the first one's answer was there.
      for (const renewed of [await renew(), await renew()]) {
        expect(renewed).not.toBe(cookie);
        expect(await answers(renewed.replace('svc_session=', ''))).toMatchObject({ '/mfa': 'ok' });
        // A renewal is no sign-in.
        expect((await answers(renewed.replace('svc_session=', '')))['/fresh']).toBe('403 reauth_required');
      }
    });

    it('take a passkey that checked its holder for two factors, and a mere touch for one', async () => {
      const { user } = await signedIn();
      const { webauthn } = test.service;
      const authenticator = softwareAuthenticator();
      const { options, challenge } = await webauthn.startRegistration(user.id);
      const response = authenticator.create(options);
      await webauthn.finishRegistration({ userId: user.id, response, expectedChallenge: challenge });
      for (const userVerified of [true, false]) {
        const start = await webauthn.startAuthentication();
        const answer = authenticator.get(start.options, { userVerified });
        const input = { response: answer, expectedChallenge: start.challenge };
        const { session } = await webauthn.finishAuthentication(input, inSession);
        expect((await answers(session!.token))['/mfa']).toBe(userVerified ? 'ok' : '403 mfa_required');
      }
    });

    it('take no impersonation for fresh', async () => {
      const [admin, { user }] = [await verifiedUser(test), await signedIn()];
      const { token } = await test.service.sessionsProvider.impersonate(admin.id, user.id);
      expect((await answers(token))['/fresh']).toBe('403 not_authorized');
    });

    it('are as old as the issue of a token without a session', async () => {
      const { user } = await signedIn();
      const { token } = test.service.createSessionToken(user.id);
      expect((await answers(token))['/fresh']).toBe('ok');
      test.clock.advance(10 * minute + 1);
      expect((await answers(token))['/fresh']).toBe('403 reauth_required');
    });
  });
});

describe('Requirements that cannot be meant', () => {
  const odd: [string, unknown][] = [
    ['an unknown one', { maxAge: 1 }],
    ['an age of 0', { maxAgeMs: 0 }],
    ['an age that is a text', { maxAgeMs: '1000' }],
    ['an age that is no number', { maxAgeMs: Number.NaN }],
    ['mfa that is a text', { mfa: 'false' }],
    ['an organisation without a role', { org: { id: () => 'x' } }],
    ['an organisation without an id', { org: { min: 'admin' } }],
    ['an age of a token alone', { stateless: true, maxAgeMs: 1000 }],
    ['an organisation of a token alone', { stateless: true, org: { min: 'admin', id: () => 'x' } }],
  ];

  it.each(odd)('are refused when the guard is made: %s', async (_name, options) => {
    const { service } = await makeService();
    const error = await errorOf(() => requireSession(service, options as RequireSessionOptions));
    expect(['invalid_request', 'org_error']).toContain(error.code);
  });

  it('are not those that are undefined', async () => {
    const { service } = await makeService();
    const none = { maxAgeMs: undefined, mfa: undefined, org: undefined, stateless: undefined };
    expect(requireSession(service, none)).toBeInstanceOf(Function);
    expect(requireOrgRole(service, { min: 'member', org: () => 'x' })).toBeInstanceOf(Function);
  });
});
