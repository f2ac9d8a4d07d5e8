// The guards of the Pro tier over HTTP: requireApiKey and requireOrgRole, on Express 4 and 5
// (docs/security-requirements.md A-46, A-92, A-93, A-99, A-100).
import express5 from 'express';
import express4 from 'express4';
import type { Express, NextFunction, Request, Response } from 'express';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requireApiKey, requireOrgRole, type OrgRole, type ServiceUser, type StorageAdapter } from 'svc-auth';
import { describeAdapters, type StorageContext } from '../support/describe-adapters.js';
import { httpClient, type HttpResponse, type HttpClient } from '../support/http-client.js';
import { listen } from '../support/http-site.js';
import { makeService, type Overrides, type TestService } from '../support/make-service.js';
import {
  day,
  license,
  unknownId,
  proFixtures,
  proProviders,
  settleService,
  type ProService,
} from '../support/make-pro-service.js';
import { outcomeOf } from '../support/outcomes.js';
import { asInProduction } from '../support/refusal-reason.js';

const versions = [
  { version: 'Express 4', makeApp: express4 },
  { version: 'Express 5', makeApp: express5 },
];
const roles: OrgRole[] = ['member', 'admin', 'owner'];

/** Checks an error response, which is the same on every route. */
function expectRefusal(response: HttpResponse, status: number, error: string): void {
  const body = asInProduction(response.json);
  expect([response.status, body]).toEqual([status, { error, message: expect.any(String) }]);
  expect(response.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  expect(response.headers).not.toHaveProperty('etag');
  expect(response.text).not.toMatch(/\.(?:ts|js):\d+|node_modules|svc_[0-9a-f]{32}|eyJ/);
}

function routes(app: Express, { service }: TestService): void {
  app.use((req, _res, next) => {
    Object.assign(req, {
      user: { id: 'planted' },
      svcAuth: { claims: { sub: 'planted' } },
      apiKey: { id: 'planted', scopes: ['builds:read', 'builds:write'] },
    });
    next();
  });
  const show = (req: Request, res: Response) => void res.json({ key: req.apiKey });
  app.get('/key', requireApiKey(service), show);
  app.post('/key', requireApiKey(service), show);
  const setCaching = (_req: Request, res: Response, next: NextFunction) => {
    res.setHeader('Cache-Control', 'private, max-age=60');
    next();
  };
  app.get('/cached', setCaching, requireApiKey(service), show);
  app.get('/scoped', requireApiKey(service, { scopes: ['builds:read', 'builds:write'] }), show);
  app.get('/failing', requireApiKey(service), () => {
    throw new Error('a fault of the application');
  });
  const showUser = (req: Request, res: Response) =>
    void res.json({ user: req.user, claims: req.svcAuth?.claims });
  const org = (req: Request) => req.params['orgId'];
  for (const min of roles) app.get(`/orgs/:orgId/${min}`, requireOrgRole(service, { min, org }), showUser);
  app.get('/nowhere', requireOrgRole(service, { min: 'member', org: () => undefined }), showUser);
  app.get('/odd', requireOrgRole(service, { min: 'member', org: (() => ['x']) as never }), showUser);
  app.get(
    '/throwing',
    requireOrgRole(service, {
      min: 'member',
      org: () => {
        throw new Error('a fault of the application');
      },
    }),
    showUser,
  );
  app.use((error: Error, _req: Request, res: Response, _next: NextFunction) => {
    res.status(500).json({ app: error.message });
  });
}

interface Site {
  get: (path: string, headers?: Record<string, string>) => Promise<HttpResponse>;
  send: HttpClient['send'];
}

describeAdapters('Guards', ({ make, uniqueEmail, adapter }: StorageContext) => {
  const { makePro, verifiedUser } = proFixtures({ make, uniqueEmail });

  describe.each(versions)('with $version', ({ makeApp }) => {
    const open: { server: Server; client: HttpClient }[] = [];
    afterEach(() => {
      for (const { server, client } of open.splice(0)) {
        client.close();
        server.closeAllConnections();
        server.close();
      }
    });

    async function site(test: TestService): Promise<Site> {
      const app = makeApp();
      routes(app, test);
      const server = await listen(app);
      const client = httpClient((server.address() as AddressInfo).port);
      open.push({ server, client });
      return {
        get: (path, headers = {}) => client.send({ method: 'GET', path, headers }),
        send: (sent) => client.send(sent),
      };
    }
    const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

    describe('requireApiKey', () => {
      async function withKey(scopes: string[] = [], overrides: Overrides = {}) {
        const test = await makePro(overrides);
        const user = await verifiedUser(test);
        const { key, record } = await test.service.apiKeys.create({ userId: user.id, name: 'CI', scopes });
        return { test, user, key, record, ...(await site(test)) };
      }

      // A-99
      it('accepts a valid key by Bearer or X-Api-Key, in any capitals, and sets req.apiKey', async () => {
        const { get, key, record, test } = await withKey(['read']);
        const expected = { ...record, createdAt: record.createdAt.toISOString() };
        const headers: Record<string, string>[] = [
          bearer(key),
          { authorization: `bearer ${key}` },
          { AUTHORIZATION: `BEARER  ${key}` },
          { 'X-Api-Key': key },
          { 'x-api-key': key },
        ];
        for (const each of headers) {
          const response = await get('/key', each);
          expect(response.status).toBe(200);
          expect({ ...response.json.key, lastUsedAt: null }).toEqual(expected);
          expect(response.text).not.toContain(key.split('_')[2]);
          await settleService(test);
        }
      });

      // A-99
      it('rejects a missing, malformed, doubled, revoked or expired key, and other schemes', async () => {
        const { get, test, user, key } = await withKey();
        const revoked = await test.service.apiKeys.create({ userId: user.id, name: 'ended' });
        await test.service.apiKeys.revoke(revoked.record.id);
        const expiresAt = new Date(test.clock.now() + 1000);
        const expired = await test.service.apiKeys.create({ userId: user.id, name: 'expired', expiresAt });
        test.clock.advance(1000);
        const headers: Record<string, string>[] = [
          {},
          bearer('garbage'),
          bearer(''),
          bearer(`${key}0`),
          bearer(`${key} ${key}`),
          { Authorization: key },
          { Authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` },
          { Authorization: `Token ${key}` },
          { 'X-Api-Key': '' },
          { 'X-Api-Key': `${key}, ${key}` },
          { 'X-Api-Key': `Bearer ${key}` },
          { Cookie: `api_key=${key}; svc_session=${key}` },
          bearer(revoked.key),
          bearer(expired.key),
        ];
        for (const each of headers) expectRefusal(await get('/key', each), 401, 'api_key_invalid');
      });

      it('sets Cache-Control: no-store, unless the application has set another value', async () => {
        const { get, key } = await withKey();
        const cachingOf = async (path: string) => (await get(path, bearer(key))).headers['cache-control'];
        expect([await cachingOf('/key'), await cachingOf('/cached')]).toEqual([
          'no-store',
          'private, max-age=60',
        ]);
      });

      // A-64
      it('rejects session, access and refresh tokens', async () => {
        const { get, test, user } = await withKey();
        const pair = await test.service.refresh.issue({ userId: user.id });
        const { token } = await test.service.sessionsProvider.create({ userId: user.id });
        for (const each of [token, pair.accessToken, pair.refreshToken]) {
          expectRefusal(await get('/key', bearer(each)), 401, 'api_key_invalid');
        }
        expectRefusal(await get('/key', { Cookie: `svc_session=${token}` }), 401, 'api_key_invalid');
      });

      // A-80
      it('reads no key from the query or the body', async () => {
        const { get, send, key } = await withKey();
        for (const name of ['key', 'api_key', 'apiKey', 'access_token', 'x-api-key']) {
          expectRefusal(await get(`/key?${name}=${key}`), 401, 'api_key_invalid');
        }
        const response = await send({ method: 'POST', path: '/key', body: { apiKey: key, key } });
        expectRefusal(response, 401, 'api_key_invalid');
      });

      // A-46
      it('ignores a req.apiKey of another middleware', async () => {
        const { get, key, record } = await withKey();
        expectRefusal(await get('/key'), 401, 'api_key_invalid');
        expect((await get('/key', bearer(key))).json.key.id).toBe(record.id);
        expectRefusal(await get('/scoped', bearer(key)), 403, 'not_authorized');
      });

      // A-99, C-32
      it.each([
        [['builds:read', 'builds:write'], true],
        [['builds:write', 'other', 'builds:read'], true],
        [['builds:read'], false],
        [['builds:write'], false],
        [[], false],
        [['*'], false],
        [['builds'], false],
        [['builds:read,builds:write'], false],
        [['BUILDS:READ', 'BUILDS:WRITE'], false],
        [['builds:readx', 'builds:writex'], false],
      ])('requires every scope by equality: %j passes: %p', async (scopes, passes) => {
        const { get, key } = await withKey(scopes);
        const response = await get('/scoped', bearer(key));
        if (passes) expect(response.status).toBe(200);
        else expectRefusal(response, 403, 'not_authorized');
      });

      // A-99
      it('rejects a key immediately after it is revoked, or its owner deleted', async () => {
        const { get, test, user, key, record } = await withKey();
        const other = await test.service.apiKeys.create({ userId: user.id, name: 'other' });
        expect((await get('/key', bearer(key))).status).toBe(200);
        await test.service.apiKeys.revoke(record.id);
        expectRefusal(await get('/key', bearer(key)), 401, 'api_key_invalid');
        expect((await get('/key', bearer(other.key))).status).toBe(200);
        await test.service.account.deleteUser(user.id);
        expectRefusal(await get('/key', bearer(other.key)), 401, 'api_key_invalid');
      });

      it('passes errors of the application on', async () => {
        const { get, key } = await withKey();
        const response = await get('/failing', bearer(key));
        expect([response.status, response.json]).toEqual([500, { app: 'a fault of the application' }]);
      });

      // A-92
      it('responds 500 with a constant message if the database fails, and recovers', async () => {
        const real = adapter();
        let down = false;
        const apiKeys = {
          ...real.apiKeys!,
          findById: (id: string) =>
            down
              ? Promise.reject(new Error('connect ECONNREFUSED db.internal:5432'))
              : real.apiKeys!.findById(id),
        };
        const { get, key, test } = await withKey([], { adapter: { ...real, apiKeys } });
        down = true;
        const response = await get('/key', bearer(key));
        expectRefusal(response, 500, 'internal_error');
        expect(response.text).not.toContain('db.internal');
        expect(test.log.filter(({ level }) => level === 'error')).toHaveLength(1);
        down = false;
        expect((await get('/key', bearer(key))).status).toBe(200);
      });

      // A-93
      it('logs rejected keys without the key', async () => {
        const { get, key, test } = await withKey();
        await get(`/key?key=${key}`, bearer(`${key.slice(0, -1)}x`));
        const refusals = test.log.filter(({ fields }) => fields['code'] === 'api_key_invalid');
        expect(refusals).toHaveLength(1);
        expect(JSON.stringify(test.log)).not.toContain(key.slice(0, 50));
      });

      it('responds 501 without a license or without the provider', async () => {
        const unlicensed = await site(await makeService({ providers: proProviders }));
        expectRefusal(await unlicensed.get('/key', bearer('x')), 501, 'license_required');
        expectRefusal(await unlicensed.get('/key'), 501, 'license_required');
        const unconfigured = await site(await makeService({ ...license }));
        expectRefusal(await unconfigured.get('/key', bearer('x')), 501, 'provider_not_configured');
      });

      it('throws invalid_request for malformed scopes when it is created', async () => {
        const { service } = await makePro();
        for (const scopes of ['read', {}, null, 7]) {
          expect(await outcomeOf(() => requireApiKey(service, { scopes: scopes as never }))).toBe(
            'invalid_request',
          );
        }
      });
    });

    describe('requireOrgRole', () => {
      async function withOrg(overrides: Overrides = {}) {
        const test = await makePro(overrides);
        const owner = await verifiedUser(test);
        const { org } = await test.service.orgs.create({ name: 'Acme', ownerUserId: owner.id });
        return { test, owner, org, ...(await site(test)) };
      }
      const signedIn = async ({ service }: ProService, user: ServiceUser) =>
        bearer((await service.sessionsProvider.create({ userId: user.id })).token);
      async function memberAs(test: ProService, orgId: string, role: OrgRole) {
        const user = await verifiedUser(test);
        await test.service.orgs.addMember(orgId, user.id, role);
        return { user, headers: await signedIn(test, user) };
      }

      // A-100
      it('accepts members with the role or a higher one, and sets req.user and req.svcAuth', async () => {
        const { get, test, org } = await withOrg();
        const passed: string[] = [];
        for (const role of roles) {
          const { user, headers } = await memberAs(test, org.id, role);
          for (const min of roles) {
            const response = await get(`/orgs/${org.id}/${min}`, headers);
            if (response.status !== 200) expectRefusal(response, 403, 'not_authorized');
            else {
              expect(response.json).toMatchObject({
                user: { id: user.id, email: user.email },
                claims: { sub: user.id },
              });
              passed.push(`${role} as ${min}`);
            }
          }
        }
        expect(passed).toEqual([
          'member as member',
          'admin as member',
          'admin as admin',
          'owner as member',
          'owner as admin',
          'owner as owner',
        ]);
      });

      // A-46
      it('responds 401 without a session, also after another middleware has set a user', async () => {
        const { get, test, org, owner } = await withOrg();
        const { key } = await test.service.apiKeys.create({ orgId: org.id, name: 'x' });
        const pair = await test.service.refresh.issue({ userId: owner.id });
        for (const headers of [{}, bearer('garbage'), bearer(key), bearer(pair.refreshToken)]) {
          expectRefusal(await get(`/orgs/${org.id}/member`, headers), 401, 'token_invalid');
        }
        expect((await get(`/orgs/${org.id}/owner`, bearer(pair.accessToken))).status).toBe(200);
      });

      // A-100
      it('responds with the same 403 to strangers and for unknown or missing organizations', async () => {
        const { get, test, org, owner } = await withOrg();
        const stranger = await signedIn(test, await verifiedUser(test));
        const bodies = [];
        for (const [path, headers] of [
          [`/orgs/${org.id}/member`, stranger],
          [`/orgs/${unknownId}/member`, stranger],
          [`/orgs/${org.slug}/member`, await signedIn(test, owner)],
          [`/orgs/nul%00/member`, stranger],
          ['/orgs/__proto__/member', stranger],
          ['/nowhere', stranger],
          ['/odd', stranger],
        ] as const) {
          const response = await get(path, headers);
          expectRefusal(response, 403, 'not_authorized');
          bodies.push(JSON.stringify(asInProduction(JSON.parse(response.text))));
        }
        expect(new Set(bodies).size).toBe(1);
      });

      // A-100
      it('reads the role at every request', async () => {
        const { get, test, org } = await withOrg();
        const { user, headers } = await memberAs(test, org.id, 'admin');
        expect((await get(`/orgs/${org.id}/admin`, headers)).status).toBe(200);
        await test.service.orgs.setRole(org.id, user.id, 'member');
        expectRefusal(await get(`/orgs/${org.id}/admin`, headers), 403, 'not_authorized');
        await test.service.orgs.removeMember(org.id, user.id);
        expectRefusal(await get(`/orgs/${org.id}/member`, headers), 403, 'not_authorized');
        await test.service.sessionsProvider.revokeAll(user.id);
        expectRefusal(await get(`/orgs/${org.id}/member`, headers), 401, 'token_invalid');
      });

      // C-30
      it('accepts an impersonation as the target, and names the administrator in the claims', async () => {
        const { get, test, org, owner } = await withOrg({
          providers: { sessions: { canImpersonate: () => true } },
        });
        const stranger = await verifiedUser(test);
        const { token } = await test.service.sessionsProvider.impersonate(stranger.id, owner.id);
        const response = await get(`/orgs/${org.id}/owner`, bearer(token));
        expect(response.json).toMatchObject({
          user: { id: owner.id },
          claims: { act: { sub: stranger.id } },
        });
        const back = await test.service.sessionsProvider.impersonate(owner.id, stranger.id);
        expectRefusal(await get(`/orgs/${org.id}/member`, bearer(back.token)), 403, 'not_authorized');
      });

      it('renews a session in the cookie as requireSession does', async () => {
        const { get, test, org, owner } = await withOrg();
        const { token } = await test.service.sessionsProvider.create({ userId: owner.id });
        test.clock.advance(2 * day);
        const response = await get(`/orgs/${org.id}/owner`, { Cookie: `svc_session=${token}` });
        expect([response.status, response.cookies.map(({ name }) => name)]).toEqual([200, ['svc_session']]);
      });

      it('responds 500 with a constant message if the application or the database fails', async () => {
        const real = adapter();
        let down = false;
        const orgs: StorageAdapter['orgs'] = {
          ...real.orgs!,
          roleOf: (orgId, userId) =>
            down ? Promise.reject(new Error('db.internal')) : real.orgs!.roleOf(orgId, userId),
        };
        const { get, test, org, owner } = await withOrg({ adapter: { ...real, orgs } });
        const headers = await signedIn(test, owner);
        expectRefusal(await get('/throwing', headers), 500, 'internal_error');
        down = true;
        const response = await get(`/orgs/${org.id}/owner`, headers);
        expectRefusal(response, 500, 'internal_error');
        expect(response.text).not.toContain('db.internal');
      });

      it('responds 501 without a license to a signed-in user, and 401 to others', async () => {
        const test = await makeService({ providers: proProviders });
        const { get } = await site(test);
        const email = 'ada@example.com';
        await test.service.emailCode.sendCode({ email });
        const code = test.mail.lastCode(email)!;
        const { session } = await test.service.emailCode.verify({ email, code }, { startSession: true });
        expectRefusal(await get('/orgs/x/member', bearer(session!.token)), 501, 'license_required');
        expectRefusal(await get('/orgs/x/member'), 401, 'token_invalid');
      });

      it('throws for an unknown role or a missing organization when it is created', async () => {
        const { service } = await makePro();
        const org = () => 'x';
        for (const min of ['boss', '', 'Owner', undefined, null, 2]) {
          expect(await outcomeOf(() => requireOrgRole(service, { min: min as OrgRole, org }))).toBe(
            'org_error',
          );
        }
        for (const each of [undefined, null, 'orgId', {}]) {
          expect(await outcomeOf(() => requireOrgRole(service, { min: 'member', org: each as never }))).toBe(
            'invalid_request',
          );
        }
      });
    });
  });
});
