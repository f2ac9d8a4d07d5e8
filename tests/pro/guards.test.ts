// The guards of the Pro tier over HTTP: requireApiKey and requireOrgRole, on Express 4 and 5 (
// SECURITY A-46, A-92, A-93, A-99, A-100).
import express5 from 'express';
import express4 from 'express4';
import type { Express, NextFunction, Request, Response } from 'express';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requireApiKey, requireOrgRole, type OrgRole, type ServiceUser, type StorageAdapter } from 'svc-auth';
import { describeAdapters, type OnAdapter } from '../support/describe-adapters.js';
import { httpClient, type Answer, type HttpClient } from '../support/http-client.js';
import { listen } from '../support/http-site.js';
import { makeService, type Overrides, type TestService } from '../support/make-service.js';
import {
  day,
  license,
  nobody,
  pro,
  proProviders,
  settled,
  type ProService,
} from '../support/make-pro-service.js';
import { outcomeOf } from '../support/outcomes.js';

const versions = [
  { version: 'Express 4', makeApp: express4 },
  { version: 'Express 5', makeApp: express5 },
];
const roles: OrgRole[] = ['member', 'admin', 'owner'];

/** A refusal as every route answers it. */
function expectRefusal(answer: Answer, status: number, error: string): void {
  expect([answer.status, answer.json]).toEqual([status, { error, message: expect.any(String) }]);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  expect(answer.headers).not.toHaveProperty('etag');
  expect(answer.text).not.toMatch(/\.(?:ts|js):\d+|node_modules|svc_[0-9a-f]{32}|eyJ/);
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
  get: (path: string, headers?: Record<string, string>) => Promise<Answer>;
  send: HttpClient['send'];
}

describeAdapters('Guards', ({ make, person, adapter }: OnAdapter) => {
  const { makePro, verifiedUser } = pro({ make, person });

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

      it('A-99 lets a good key through and sets req.apiKey, by Bearer or X-Api-Key, in any case of the words', async () => {
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
          const answer = await get('/key', each);
          expect(answer.status).toBe(200);
          expect({ ...answer.json.key, lastUsedAt: null }).toEqual(expected);
          expect(answer.text).not.toContain(key.split('_')[2]);
          await settled(test);
        }
      });

      it('A-99 refuses no key, garbage, another scheme, two keys, and keys that have ended', async () => {
        const { get, test, user, key } = await withKey();
        const ended = await test.service.apiKeys.create({ userId: user.id, name: 'ended' });
        await test.service.apiKeys.revoke(ended.record.id);
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
          bearer(ended.key),
          bearer(expired.key),
        ];
        for (const each of headers) expectRefusal(await get('/key', each), 401, 'api_key_invalid');
      });

      it('keeps what a route shows from caches, unless the application has said otherwise', async () => {
        const { get, key } = await withKey();
        const cachingOf = async (path: string) => (await get(path, bearer(key))).headers['cache-control'];
        expect([await cachingOf('/key'), await cachingOf('/cached')]).toEqual([
          'no-store',
          'private, max-age=60',
        ]);
      });

      it('A-64 refuses session, access and refresh tokens', async () => {
        const { get, test, user } = await withKey();
        const pair = await test.service.refresh.issue({ userId: user.id });
        const { token } = await test.service.sessionsProvider.create({ userId: user.id });
        for (const each of [token, pair.accessToken, pair.refreshToken]) {
          expectRefusal(await get('/key', bearer(each)), 401, 'api_key_invalid');
        }
        expectRefusal(await get('/key', { Cookie: `svc_session=${token}` }), 401, 'api_key_invalid');
      });

      it('A-80 reads no key from the query or the body', async () => {
        const { get, send, key } = await withKey();
        for (const name of ['key', 'api_key', 'apiKey', 'access_token', 'x-api-key']) {
          expectRefusal(await get(`/key?${name}=${key}`), 401, 'api_key_invalid');
        }
        const answer = await send({ method: 'POST', path: '/key', body: { apiKey: key, key } });
        expectRefusal(answer, 401, 'api_key_invalid');
      });

      it('A-46 lets no req.apiKey through that another middleware put there', async () => {
        const { get, key, record } = await withKey();
        expectRefusal(await get('/key'), 401, 'api_key_invalid');
        expect((await get('/key', bearer(key))).json.key.id).toBe(record.id);
        expectRefusal(await get('/scoped', bearer(key)), 403, 'not_authorized');
      });

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
      ])('A-99 C-32 asks for every scope by equality: %j is let through: %p', async (scopes, passes) => {
        const { get, key } = await withKey(scopes);
        const answer = await get('/scoped', bearer(key));
        if (passes) expect(answer.status).toBe(200);
        else expectRefusal(answer, 403, 'not_authorized');
      });

      it('A-99 sees that a key was revoked, or its owner deleted, at once', async () => {
        const { get, test, user, key, record } = await withKey();
        const other = await test.service.apiKeys.create({ userId: user.id, name: 'other' });
        expect((await get('/key', bearer(key))).status).toBe(200);
        await test.service.apiKeys.revoke(record.id);
        expectRefusal(await get('/key', bearer(key)), 401, 'api_key_invalid');
        expect((await get('/key', bearer(other.key))).status).toBe(200);
        await test.service.account.deleteUser(user.id);
        expectRefusal(await get('/key', bearer(other.key)), 401, 'api_key_invalid');
      });

      it('leaves faults of the application to the application', async () => {
        const { get, key } = await withKey();
        const answer = await get('/failing', bearer(key));
        expect([answer.status, answer.json]).toEqual([500, { app: 'a fault of the application' }]);
      });

      it('A-92 is 500 with a constant text where the database fails, and recovers', async () => {
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
        const answer = await get('/key', bearer(key));
        expectRefusal(answer, 500, 'internal_error');
        expect(answer.text).not.toContain('db.internal');
        expect(test.log.filter(({ level }) => level === 'error')).toHaveLength(1);
        down = false;
        expect((await get('/key', bearer(key))).status).toBe(200);
      });

      it('A-93 logs refusals without the key', async () => {
        const { get, key, test } = await withKey();
        await get(`/key?key=${key}`, bearer(`${key.slice(0, -1)}x`));
        const refusals = test.log.filter(({ fields }) => fields['code'] === 'api_key_invalid');
        expect(refusals).toHaveLength(1);
        expect(JSON.stringify(test.log)).not.toContain(key.slice(0, 50));
      });

      it('without a licence, or without the provider, is 501', async () => {
        const unlicensed = await site(await makeService({ providers: proProviders }));
        expectRefusal(await unlicensed.get('/key', bearer('x')), 501, 'license_required');
        expectRefusal(await unlicensed.get('/key'), 501, 'license_required');
        const unconfigured = await site(await makeService({ ...license }));
        expectRefusal(await unconfigured.get('/key', bearer('x')), 501, 'provider_not_configured');
      });

      it('that is given scopes which are no list fails when it is made', async () => {
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

      it('A-100 lets through who holds the role or a higher one, with req.user and req.svcAuth', async () => {
        const { get, test, org } = await withOrg();
        const passed: string[] = [];
        for (const role of roles) {
          const { user, headers } = await memberAs(test, org.id, role);
          for (const min of roles) {
            const answer = await get(`/orgs/${org.id}/${min}`, headers);
            if (answer.status !== 200) expectRefusal(answer, 403, 'not_authorized');
            else {
              expect(answer.json).toMatchObject({
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

      it('A-46 without a session is 401, whatever another middleware put there', async () => {
        const { get, test, org, owner } = await withOrg();
        const { key } = await test.service.apiKeys.create({ orgId: org.id, name: 'x' });
        const pair = await test.service.refresh.issue({ userId: owner.id });
        for (const headers of [{}, bearer('garbage'), bearer(key), bearer(pair.refreshToken)]) {
          expectRefusal(await get(`/orgs/${org.id}/member`, headers), 401, 'token_invalid');
        }
        expect((await get(`/orgs/${org.id}/owner`, bearer(pair.accessToken))).status).toBe(200);
      });

      it('A-100 is the same 403 for a stranger, for no such organisation, and for none', async () => {
        const { get, test, org, owner } = await withOrg();
        const stranger = await signedIn(test, await verifiedUser(test));
        const texts = [];
        for (const [path, headers] of [
          [`/orgs/${org.id}/member`, stranger],
          [`/orgs/${nobody}/member`, stranger],
          [`/orgs/${org.slug}/member`, await signedIn(test, owner)],
          [`/orgs/nul%00/member`, stranger],
          ['/orgs/__proto__/member', stranger],
          ['/nowhere', stranger],
          ['/odd', stranger],
        ] as const) {
          const answer = await get(path, headers);
          expectRefusal(answer, 403, 'not_authorized');
          texts.push(answer.text);
        }
        expect(new Set(texts).size).toBe(1);
      });

      it('A-100 asks anew on every request: a role that was lost is lost at once', async () => {
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

      it('C-30 lets an impersonation through as the target, and says who is behind it', async () => {
        const { get, test, org, owner } = await withOrg({
          providers: { sessions: { canImpersonate: () => true } },
        });
        const stranger = await verifiedUser(test);
        const { token } = await test.service.sessionsProvider.impersonate(stranger.id, owner.id);
        const answer = await get(`/orgs/${org.id}/owner`, bearer(token));
        expect(answer.json).toMatchObject({ user: { id: owner.id }, claims: { act: { sub: stranger.id } } });
        const back = await test.service.sessionsProvider.impersonate(owner.id, stranger.id);
        expectRefusal(await get(`/orgs/${org.id}/member`, bearer(back.token)), 403, 'not_authorized');
      });

      it('renews a session in the cookie as requireSession does', async () => {
        const { get, test, org, owner } = await withOrg();
        const { token } = await test.service.sessionsProvider.create({ userId: owner.id });
        test.clock.advance(2 * day);
        const answer = await get(`/orgs/${org.id}/owner`, { Cookie: `svc_session=${token}` });
        expect([answer.status, answer.cookies.map(({ name }) => name)]).toEqual([200, ['svc_session']]);
      });

      it('is 500 with a constant text where the application cannot say which organisation, or the database fails', async () => {
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
        const answer = await get(`/orgs/${org.id}/owner`, headers);
        expectRefusal(answer, 500, 'internal_error');
        expect(answer.text).not.toContain('db.internal');
      });

      it('without a licence, or without the provider, is 501 for who is signed in, 401 for who is not', async () => {
        const test = await makeService({ providers: proProviders });
        const { get } = await site(test);
        const email = 'ada@example.com';
        await test.service.emailCode.sendCode({ email });
        const code = test.mail.lastCode(email)!;
        const { session } = await test.service.emailCode.verify({ email, code }, { startSession: true });
        expectRefusal(await get('/orgs/x/member', bearer(session!.token)), 501, 'license_required');
        expectRefusal(await get('/orgs/x/member'), 401, 'token_invalid');
      });

      it('with a role that is none, or without a way to the organisation, fails when it is made', async () => {
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
