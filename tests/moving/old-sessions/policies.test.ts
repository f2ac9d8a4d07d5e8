/** What an old session needs here: second factors, pages, the configuration, and limits of sessions. */
import express, { type Express } from 'express';
import { createService, memoryAdapter, optionalSession, requireSession } from 'svc-auth';
import { cookieSession, type CookieSessionOptions } from 'svc-auth/moving';
import { createPages } from 'svc-auth/pages';
import { outbox } from 'svc-auth/testing';
import { codeAt } from '../../support/authenticator-app.js';
import { encryptionKey } from '../../support/every-provider.js';
import { openSite, validPassword, type Site, type SiteOptions } from '../../support/http-site.js';
import { makeService, testSecret, type TestService } from '../../support/make-service.js';

const open: Site[] = [];

afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

/** The sessions of a former system: by token, the id of the user there. */
function formerSystem(options: Partial<CookieSessionOptions> = {}) {
  const rows = new Map<string, string>();
  const source = cookieSession({
    cookieName: 'old',
    findSession: (token) => (rows.has(token) ? { user: rows.get(token) } : null),
    endSession: (token) => rows.delete(token),
    ...options,
  });
  return { rows, source };
}

async function newSite(
  { source, rows }: ReturnType<typeof formerSystem>,
  { service, ...options }: SiteOptions = {},
) {
  const site = await openSite(express, undefined, {
    before: (app: Express, { service: created }: TestService) => {
      app.get('/app/me', requireSession(created), (req, res) => void res.json(req.user));
      app.get('/app/maybe', optionalSession(created), (req, res) => void res.json(req.user ?? null));
      app.get('/app/mfa', requireSession(created, { mfa: true }), (_req, res) => void res.json(true));
    },
    after: (app, { service: created }) => void app.use('/app/pages', createPages(created, { name: 'Acme' })),
    ...options,
    service: { ...service, session: { acceptSessionsFrom: [source], ...service?.session } },
  });
  open.push(site);
  const user = await site.service.users.create({
    email: site.uniqueEmail(),
    emailVerified: true,
    externalId: 'user-7',
  });
  rows.set('a-token', 'user-7');
  return { site, user, cookie: 'old=a-token' };
}

describe('an old session of an account with a second factor', () => {
  const withTotp: SiteOptions = { pro: true, service: { encryptionKey, providers: { totp: {} } } };

  /** Enrolls an app without ending the old session: it was signed in afterwards. */
  async function enrolled(system: ReturnType<typeof formerSystem>) {
    const made = await newSite(system, withTotp);
    const { site, user } = made;
    const { secret } = await site.service.totp.beginEnrollment(user.id);
    await site.service.totp.confirmEnrollment(user.id, codeAt(secret, site.clock.now()));
    site.clock.advance(60_000);
    return made;
  }

  /** Brings a user with the app of the former system. */
  async function importedWithApp(options: Partial<CookieSessionOptions> = {}) {
    const made = await newSite(
      formerSystem({ findSession: () => ({ user: 'user-8' }), ...options }),
      withTotp,
    );
    const { site } = made;
    const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
    await site.service.users.import([{ externalId: 'user-8', email: site.uniqueEmail(), totp: { secret } }]);
    const user = (await site.service.users.find({ externalId: 'user-8' }))!;
    return { ...made, user, code: () => codeAt(secret, site.clock.now()) };
  }

  it('is refused if the factor was added after its sign-in, which has ended all sessions', async () => {
    const { site, cookie } = await enrolled(formerSystem());
    expect((await site.get('/session', { cookie })).status).toBe(401);
  });

  it('is accepted, as a sign-in with one factor', async () => {
    const { site, user, cookie } = await importedWithApp();
    const response = await site.send('GET', '/app/me', undefined, { cookie });
    expect(response.json.id).toBe(user.id);
    const refused = await site.send('GET', '/app/mfa', undefined, { cookie: response.cookie() });
    expect([refused.status, refused.json.error]).toEqual([403, 'mfa_required']);
  });

  it("must complete the second step with secondFactor 'ask'", async () => {
    const { site, user, cookie, code } = await importedWithApp({ secondFactor: 'ask' });
    const asked = await site.send('GET', '/app/me', undefined, { cookie });
    expect([asked.status, asked.json.error]).toEqual([403, 'mfa_required']);
    expect(asked.cookies.map(({ name }) => name)).toEqual(['svc_mfa']);
    expect((await site.send('GET', '/app/maybe', undefined, { cookie })).json).toBeNull();
    const page = await site.send('GET', '/app/pages/account/profile', undefined, { cookie });
    expect([page.status, page.location]).toEqual([303, expect.stringContaining('/app/pages/sign-in')]);
    const cookies = `${cookie}; ${asked.cookie('svc_mfa')}`;
    const completed = await site.post('/mfa/verify', { code: code() }, { cookie: cookies });
    expect(completed.json.user.id).toBe(user.id);
    const own = completed.cookie();
    expect((await site.send('GET', '/app/mfa', undefined, { cookie: own })).status).toBe(200);
    await site.post('/logout', {}, { cookie: `${own}; ${cookie}` });
    expect((await site.send('GET', '/app/me', undefined, { cookie })).status).toBe(401);
  });
});

describe('an old session', () => {
  it('signs in at the pages, which show the account at once', async () => {
    const { site, user, cookie } = await newSite(formerSystem());
    const page = await site.send('GET', '/app/pages/account/profile', undefined, { cookie });
    expect([page.status, page.text.includes(user.email!)]).toEqual([200, true]);
    const signIn = await site.send('GET', '/app/pages/sign-in', undefined, { cookie: page.cookie() });
    expect(signIn.status).toBe(303);
  });

  it('counts for session.maxPerUser as one sign-in, however many requests arrive', async () => {
    const { site, user, cookie } = await newSite(formerSystem(), { service: { session: { maxPerUser: 2 } } });
    const { email } = user;
    const other = await site.signInByCode(email!);
    await Promise.all(Array.from({ length: 10 }, () => site.get('/session', { cookie })));
    expect((await site.get('/session', { cookie: other.cookie })).status).toBe(200);
  });

  it('lasts as long as any other, and at least half of maxAgeMs if its sign-in was long ago', async () => {
    const ago = (ms: number, site: { clock: { now(): number } }) => new Date(site.clock.now() - ms);
    const day = 86_400_000;
    const times: { signedInAt?: Date } = {};
    const system = formerSystem({ findSession: () => ({ user: 'user-7', ...times }) });
    const { site, user } = await newSite(system);
    const started = async (n: number) => {
      await site.get('/session', { cookie: `old=token-${n}` });
      const [session] = await site.adapter.sessions.listLive(user.id, new Date(site.clock.now()));
      await site.adapter.sessions.end(session!.id, new Date(site.clock.now()));
      const { createdAt, expiresAt } = session!;
      return [site.clock.now() - createdAt.getTime(), expiresAt.getTime() - site.clock.now()];
    };
    expect(await started(1)).toEqual([day, 7 * day]);
    times.signedInAt = ago(60_000, site);
    expect(await started(2)).toEqual([day, 7 * day]);
    times.signedInAt = ago(3 * day, site);
    expect(await started(3)).toEqual([3 * day, 7 * day]);
    times.signedInAt = ago(400 * day, site);
    expect(await started(4)).toEqual([15 * day, 7 * day]);
  });

  it('is neither read nor ended by a request with a session of this service', async () => {
    const system = formerSystem();
    const { site, cookie } = await newSite(system);
    const account = await site.signUp();
    const response = await site.get('/session', { cookie: `${cookie}; ${account.cookie}` });
    expect(response.json.user.id).toBe(account.user.id);
    expect(system.rows.size).toBe(1);
  });

  it('ends with a sign-in, and does not return when that session is revoked', async () => {
    const system = formerSystem();
    const { site, user, cookie } = await newSite(system);
    const { email, user: other } = await site.signUp();
    const login = { email, password: validPassword };
    const signedIn = await site.post('/password/login', login, { cookie });
    expect(signedIn.json.user.id).toBe(other.id);
    expect([...system.rows.keys()]).toEqual([]);
    const now = new Date(site.clock.now());
    for (const { id } of await site.adapter.sessions.listLive(other.id as string, now))
      await site.adapter.sessions.revoke(id, now);
    system.rows.set('a-token', 'user-7');
    const cookies = `${signedIn.cookie()}; ${cookie}`;
    expect((await site.get('/session', { cookie: cookies })).status).toBe(401);
    expect(await site.adapter.sessions.listLive(user.id, new Date(site.clock.now()))).toEqual([]);
  });

  it('fills no table: sign-outs with cookies that no store has leave nothing behind', async () => {
    const { site } = await newSite(formerSystem());
    const claim = jest.spyOn(site.adapter.singleUseTokens, 'claim');
    for (let n = 0; n < 20; n += 1) await site.post('/logout', {}, { cookie: `old=made-up-${n}` });
    expect(claim).not.toHaveBeenCalled();
    claim.mockRestore();
  });
});

describe('session.acceptSessionsFrom', () => {
  const make = (session: object) =>
    createService({
      appName: 'Acme',
      adapter: memoryAdapter(),
      session: { secret: testSecret, ...session },
      providers: { emailCode: { sender: outbox() } },
    });

  it('takes sources, and a date', () => {
    const { source } = formerSystem();
    expect(() => make({ acceptSessionsFrom: [source], acceptSessionsUntil: new Date() })).not.toThrow();
    expect(() => make({ acceptSessionsFrom: source })).toThrow('acceptSessionsFrom');
    expect(() => make({ acceptSessionsFrom: [{ store: {} }] })).toThrow('expressSession');
    expect(() => make({ acceptSessionsFrom: [], acceptSessionsUntil: '2027-01-01' })).toThrow(
      'acceptSessionsUntil',
    );
    expect(() => make({ acceptSessionsUntil: new Date(Number.NaN) })).toThrow('acceptSessionsUntil');
  });

  it('warns if there is no end', async () => {
    const { source } = formerSystem();
    const option = 'session.acceptSessionsUntil';
    const warnings = async (session: object) =>
      (await makeService({ session })).log.filter(({ fields }) => fields['option'] === option);
    expect(await warnings({ acceptSessionsFrom: [source] })).toHaveLength(1);
    const until = { acceptSessionsFrom: [source], acceptSessionsUntil: new Date() };
    expect(await warnings(until)).toEqual([]);
    expect(await warnings({})).toEqual([]);
  });
});
