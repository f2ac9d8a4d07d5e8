// Every response with 401, 403 or 429 leaves one record with its reason, and ordinary traffic a count.
import express from 'express';
import {
  asyncRoute,
  NotAuthorizedError,
  optionalSession,
  requireApiKey,
  requireRole,
  requireSession,
  sameOrigin,
  serviceErrorHandler,
  watchSession,
} from 'svc-auth';
import { createPages } from 'svc-auth/pages';
import { mockIdentityProvider, type MockIdentityProvider } from 'svc-auth/testing';
import { toAuditRecord, type AuditRecord } from '../../src/domain/audit.js';
import { scenarios } from '../http/every-reason.js';
import { cookieOf, openForReasons, withTotp } from '../http/reason-scenarios.js';
import { codeAt } from '../support/authenticator-app.js';
import type { HttpResponse } from '../support/http-client.js';
import { fullSiteOpener } from '../support/full-site.js';
import { validPassword, type Site, type SiteOptions } from '../support/http-site.js';
import { minute } from '../support/make-pro-service.js';
import { pageVisitor } from '../support/page-visitor.js';

const sites: Site[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});

async function opened(options: SiteOptions = {}): Promise<Site> {
  const site = await openForReasons({ ...options, service: { ...options.service, audit: true } });
  sites.push(site);
  return site;
}

/** Everything that was refused, the oldest first, after what was counted is stored. */
async function refusalsOf({ service, adapter }: Site): Promise<AuditRecord[]> {
  await service.close();
  const stored = await adapter.audit!.list({ outcome: 'failure' }, { limit: 1_000 });
  return stored.reverse().map(toAuditRecord);
}

const requestsOf = async (site: Site) =>
  (await refusalsOf(site)).filter(({ action }) => action === 'request.refused');

/** The site, and how many records it had before the last request. */
function watched(site: Site) {
  let earlier = new Set<string>();
  const note = async () => {
    const { records } = await site.service.audit.list({ outcome: 'failure', limit: 200 });
    earlier = new Set(records.map(({ id }) => id));
  };
  const noting =
    <Args extends unknown[], Result>(send: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await note();
      return send(...args);
    };
  const own = { ...site };
  Object.assign(site, {
    get: noting<Parameters<Site['get']>, HttpResponse>((...request) => own.get(...request)),
    post: noting<Parameters<Site['post']>, HttpResponse>((...request) => own.post(...request)),
    send: noting<Parameters<Site['send']>, HttpResponse>((...request) => own.send(...request)),
  });
  return async () => (await refusalsOf(site)).filter(({ id }) => !earlier.has(id));
}

/** They begin almost every visit, sign-in or refresh. */
const counted = [
  'cookie_missing',
  'token_expired',
  'api_key_missing',
  'session_proof_needed',
  'challenge_required',
];

/** Their user was deleted. */
const gone = ['session_unknown', 'user_deleted'];

describe('a refused request', () => {
  it.each(scenarios)('that is refused for %s leaves one record', async (reason, options, produce) => {
    const site = await opened(options);
    const newRecords = watched(site);
    const { status } = await produce(site);
    expect([401, 403, 429]).toContain(status);
    const records = await newRecords();
    expect(records.filter(({ action }) => action !== 'refresh.reuse_detected')).toMatchObject([
      {
        action: expect.stringMatching(/^(request\.refused|sign_in\.failed)$/) as string,
        reason,
        details: counted.includes(reason) ? { count: 1 } : expect.not.objectContaining({ count: 1 }),
      },
    ]);
    // Of an account that is gone, no record has an origin.
    const ip = expect.stringContaining('127.0.0.1') as string;
    expect(records.at(-1)!.origin).toEqual(gone.includes(reason) ? null : expect.objectContaining({ ip }));
  });

  it('names the account of an authentic token, and no actor', async () => {
    const site = await opened();
    const expected: unknown[] = [];
    for (const [reason, end] of [
      ['session_revoked', (cookie: string) => site.post('/logout', undefined, { cookie })],
      ['epoch_passed', (_: string, id: string) => site.service.users.signOut(id)],
      ['user_blocked', (_: string, id: string) => site.service.users.block(id)],
    ] as const) {
      const { cookie, user } = await site.signUp();
      await end(cookie, user.id as string);
      await site.send('GET', '/app/me?secret=hidden', undefined, { cookie });
      expected.push({ reason, userId: user.id, actors: [{ type: 'anonymous' }] });
    }
    const records = await requestsOf(site);
    expect(records.map(({ reason, userId, actors }) => ({ reason, userId, actors }))).toEqual(expected);
  });

  it('names no account for a forged token', async () => {
    const site = await opened();
    const { cookie } = await site.signUp();
    await site.send('GET', '/app/me', undefined, { cookie: `${cookie.slice(0, -4)}AAAA` });
    expect(await requestsOf(site)).toMatchObject([{ reason: 'signature_invalid', userId: null }]);
  });

  it('names the user who acts, with the method and the pattern of the route', async () => {
    const site = await opened();
    const { cookie, user } = await site.signUp();
    const orgId = '01890a5d-ac96-774b-bcce-b302099a8057';
    const headers = { 'User-Agent': 'Phone' };
    await site.send('GET', `/app/orgs/${orgId}?token=hidden`, undefined, { cookie, headers });
    await site.send('GET', '/app/admin', undefined, { cookie });
    site.clock.advance(2 * minute);
    await site.send('GET', '/app/recent', undefined, { cookie });
    const records = await requestsOf(site);
    const { id } = user as { id: string };
    expect(records.map(({ reason, details }) => [reason, details])).toEqual([
      ['org_role_missing', { route: 'GET /app/orgs/:id' }],
      ['role_missing', { route: 'GET /app/admin' }],
      ['sign_in_too_old', { route: 'GET /app/recent' }],
    ]);
    for (const record of records)
      expect(record).toMatchObject({ userId: id, actors: [{ type: 'user', id }] });
    expect(records[0]!.origin).toMatchObject({ userAgent: 'Phone' });
    const text = JSON.stringify(records);
    for (const secret of [orgId, 'hidden', cookie.slice('svc_session='.length)])
      expect(text).not.toContain(secret);
  });

  it('names the administrator who impersonates the user', async () => {
    const site = await opened();
    const [admin, person] = [await site.signUp(), await site.signUp()];
    const sessionToken = admin.cookie.slice('svc_session='.length);
    const [adminId, userId] = [admin.user.id as string, person.user.id as string];
    const { token } = await site.service.sessionsProvider.impersonate(adminId, userId, { sessionToken });
    await site.send('DELETE', '/account', undefined, { cookie: cookieOf(token) });
    expect(await requestsOf(site)).toMatchObject([
      {
        reason: 'impersonation',
        userId,
        actors: [
          { type: 'user', id: userId },
          { type: 'administrator', id: adminId },
        ],
        details: { route: 'DELETE /account' },
      },
    ]);
  });

  it('names the user and the API key', async () => {
    const site = await opened();
    const { user } = await site.signInByCode();
    const { id: userId } = user as { id: string };
    const { key, record } = await site.service.apiKeys.create({ userId, name: 'key', scopes: ['read'] });
    const send = () =>
      site.send('GET', '/app/key', undefined, { headers: { Authorization: `Bearer ${key}` } });
    await send();
    await site.service.users.block(userId);
    await send();
    await site.service.users.unblock(userId);
    await site.service.apiKeys.revoke(record.id);
    await send();
    const records = await requestsOf(site);
    expect(records.map(({ reason, userId: about }) => [reason, about])).toEqual([
      ['scope_missing', userId],
      ['user_blocked', userId],
      ['api_key_revoked', userId],
    ]);
    expect(records[0]!.actors).toEqual([
      { type: 'user', id: userId },
      { type: 'api_key', id: record.id },
    ]);
    expect(JSON.stringify(records)).not.toContain(key);
  });

  it('names the account whose password was right if the second factor is missing', async () => {
    const site = await opened();
    await withTotp(site);
    const [record, ...others] = await requestsOf(site);
    expect(others).toEqual([]);
    expect(record).toMatchObject({ reason: 'mfa_required', userId: expect.any(String) as string });
  });

  it('of another site leaves one record of a middleware that no guard precedes', async () => {
    const site = await opened({
      after: (app, { service }) =>
        app.post('/app/change', sameOrigin(service), (_req, res) => void res.json({})),
    });
    await site.send('POST', '/app/change', {}, { headers: { Origin: 'https://evil.test' } });
    expect(await requestsOf(site)).toMatchObject([
      {
        reason: 'origin_mismatch',
        userId: null,
        actors: [{ type: 'anonymous' }],
        details: { route: 'POST /app/change' },
        origin: { ip: expect.stringContaining('127.0.0.1') as string },
      },
    ]);
  });

  it('of a socket leaves one record, also if an error handler sees its error again', async () => {
    const site = await opened({
      after(app, { service }) {
        const watch = asyncRoute(async (req) => void (await watchSession(service, req, () => undefined)));
        app.get('/app/stream', watch);
        app.use(serviceErrorHandler(service));
      },
    });
    const { cookie, user } = await site.signUp();
    await site.post('/logout', undefined, { cookie });
    await site.send('GET', '/app/stream', undefined, { cookie });
    expect(await requestsOf(site)).toMatchObject([{ reason: 'session_revoked', userId: user.id as string }]);
  });

  it('leaves one record for each request and user, also if the application throws one error object in all of them', async () => {
    const denied = new NotAuthorizedError();
    const site = await opened({
      after(app, { service }) {
        app.get('/app/denied', requireSession(service), (_req, _res, next) => next(denied));
        app.use(serviceErrorHandler(service));
      },
    });
    const ids: unknown[] = [];
    for (const { cookie, user } of [await site.signUp(), await site.signUp()]) {
      await site.send('GET', '/app/denied', undefined, { cookie });
      ids.push(user.id);
    }
    expect((await requestsOf(site)).map(({ userId }) => userId)).toEqual(ids);
  });

  it('leaves no record if it passes without a user', async () => {
    const site = await opened({
      after: (app, { service }) =>
        app.get('/app/maybe', optionalSession(service), (_req, res) => void res.json({})),
    });
    expect((await site.send('GET', '/app/maybe')).status).toBe(200);
    expect((await site.send('GET', '/app/maybe', undefined, { cookie: cookieOf('x') })).status).toBe(200);
    expect(await refusalsOf(site)).toEqual([]);
  });

  it('is not recorded without the option', async () => {
    const site = await openForReasons();
    sites.push(site);
    await site.send('GET', '/app/admin', undefined, { cookie: (await site.signUp()).cookie });
    expect(await refusalsOf(site)).toEqual([]);
  });

  it('is in the lists of operators, and not in the activity of the user', async () => {
    const site = await opened();
    const { cookie, user } = await site.signUp();
    await site.send('GET', '/app/admin', undefined, { cookie });
    const query = `?action=request.refused&userId=${user.id as string}`;
    const { json } = await site.get(`/admin/audit${query}`, { cookie });
    expect(json.records).toMatchObject([{ action: 'request.refused', reason: 'role_missing' }]);
    const activity = await site.get('/activity', { cookie });
    const seen = activity.json.activity as { action: string }[];
    expect(seen.map(({ action }) => action).sort()).toEqual(['session.created', 'user.created']);
    await site.service.audit.seal();
    const tailed: string[] = [];
    for await (const { action } of site.service.audit.tail({ follow: false })) tailed.push(action);
    expect(tailed).toContain('request.refused');
    expect(await site.service.audit.verify()).toMatchObject({ ok: true });
  });

  it('leaves a record without an origin if the account is gone', async () => {
    const site = await opened();
    const { cookie, user } = await site.signUp();
    await site.service.account.deleteUser(user.id as string);
    await site.send('GET', '/app/me', undefined, { cookie });
    expect(await requestsOf(site)).toMatchObject([
      { reason: 'session_unknown', userId: user.id as string, origin: null },
    ]);
  });
});

describe('ordinary traffic', () => {
  it('is counted once a minute for each reason, with what its requests have in common', async () => {
    const site = await opened();
    for (let i = 0; i < 20; i += 1) await site.send('GET', '/app/me');
    await site.send('GET', '/app/key');
    await site.send('GET', '/app/admin');
    site.clock.advance(minute);
    await site.send('GET', '/app/me');
    const records = await requestsOf(site);
    expect(records.map(({ reason, details }) => [reason, details]).sort()).toEqual([
      ['api_key_missing', { route: 'GET /app/key', count: 1 }],
      ['cookie_missing', { count: 21 }],
      ['cookie_missing', { route: 'GET /app/me', count: 1 }],
    ]);
  });
});

describe('a refused attempt to sign in', () => {
  let idp: MockIdentityProvider;
  beforeAll(async () => {
    idp = await mockIdentityProvider({ redirectUri: 'http://localhost:3000/api/auth/oauth/acme/callback' });
  });
  afterAll(() => idp.close());

  const openFull = fullSiteOpener(undefined, () => ({ acme: idp }));
  const open = () =>
    openFull({
      service: { audit: true },
      after: (app, { service }) => app.use('/app', createPages(service, { name: 'Acme' })),
    });
  type Opened = Awaited<ReturnType<typeof open>>;

  const atProvider = async (site: Opened, subject: string) => {
    const started = await site.get('/oauth/acme/start');
    const { search } = await idp.signIn(new URL(started.location!), subject);
    return site.get(`/oauth/acme/callback${search}`, { cookie: started.cookie('svc_oauth') });
  };

  const paths: Readonly<
    Record<string, readonly [reason: string, attempt: (site: Opened) => Promise<unknown>]>
  > = {
    'a JSON route': [
      'invalid_credentials',
      async (site) => site.post('/password/login', { email: site.uniqueEmail(), password: 'wrong' }),
    ],
    'the second step': [
      'code_invalid',
      async (site) => {
        const { pending, secret } = await withTotp(site);
        site.clock.advance(minute);
        const right = codeAt(secret, site.clock.now());
        const code = right === '111111' ? '222222' : '111111';
        return site.post('/mfa/verify', { code }, { cookie: pending });
      },
    ],
    'a form of a page': [
      'invalid_credentials',
      async (site) => {
        const browser = pageVisitor(site);
        await browser.get('/app/sign-in');
        await browser.submit({ email: site.uniqueEmail() });
        await browser.get('/app/sign-in/password');
        return browser.submit({ password: 'another wrong password' });
      },
    ],
    'a form of a page, of a blocked user': [
      'user_blocked',
      async (site) => {
        const { email, user } = await site.signUp();
        await site.service.users.block(user.id as string);
        const browser = pageVisitor(site);
        await browser.get('/app/sign-in');
        await browser.submit({ email });
        await browser.get('/app/sign-in/password');
        expect((await browser.submit({ password: validPassword })).status).toBe(403);
      },
    ],
    'a mailed link': ['link_invalid', (site) => site.get('/magic-link/verify?token=forged')],
    'an identity provider': [
      'user_blocked',
      async (site) => {
        const subject = site.uniqueEmail();
        idp.accounts.set(subject, {});
        expect((await atProvider(site, subject)).location).not.toContain('error');
        const [user] = (await site.service.users.list()).users;
        await site.service.users.block(user!.id);
        return atProvider(site, subject);
      },
    ],
    'a forged redirect of an identity provider': [
      'expired',
      (site) => site.get('/oauth/acme/callback?code=forged&state=forged'),
    ],
  };

  it.each(Object.entries(paths))('over %s leaves no other record', async (_path, [reason, attempt]) => {
    const site = await open();
    await attempt(site);
    const records = await refusalsOf(site);
    // The first step asks for the second one.
    const about = records.filter((record) => record.reason !== 'mfa_required');
    expect(about).toMatchObject([{ action: 'sign_in.failed', reason }]);
  });
});

it('guards leave nothing of the secrets of a request in a record', async () => {
  const site = await opened({
    before(app, { service }) {
      const ok = (_req: express.Request, res: express.Response) => void res.json({});
      const inner = express.Router();
      inner.get('/:name', requireRole(service, 'admin'), ok);
      app.use('/app/links/:token', inner);
      app.use('/app/closed', requireSession(service), ok);
      app.get(/^\/app\/pattern\/.*$/, requireApiKey(service), ok);
    },
  });
  const { cookie } = await site.signUp();
  await site.send('GET', '/app/links/secret-token/secret-name?secret-query=1', undefined, { cookie });
  await site.send('GET', '/app/closed/secret-path', undefined, { cookie: cookieOf('secret.cookie') });
  await site.send('GET', '/app/pattern/secret-path', undefined, { headers: { 'X-Api-Key': 'svc_secret' } });
  const records = await requestsOf(site);
  expect(records.map(({ reason, details }) => [reason, details])).toEqual([
    ['role_missing', { route: 'GET /:name' }],
    ['token_malformed', {}],
    ['api_key_unknown', {}],
  ]);
  expect(JSON.stringify(records)).not.toContain('secret');
});
