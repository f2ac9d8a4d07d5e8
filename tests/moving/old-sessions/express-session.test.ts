/** Sessions of express-session are replaced, once each. */
import { createHmac } from 'node:crypto';
import express, { type Express } from 'express';
import { optionalSession, requireSession } from 'svc-auth';
import { expressSession, type ExpressSessionOptions } from 'svc-auth/moving';
import { validPassword, openSite, type Site, type SiteOptions } from '../../support/http-site.js';
import {
  oldMiddleware,
  oldSecret,
  openOldApplication,
  type OldApplication,
} from '../../support/old-application.js';
import type { TestService } from '../../support/make-service.js';

let old: OldApplication;
const open: Site[] = [];
let ids = 0;

beforeAll(async () => {
  old = await openOldApplication();
});

afterAll(() => old.close());

afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

function source(options: Partial<ExpressSessionOptions> = {}) {
  return expressSession({
    store: old.store,
    secret: oldSecret,
    userId: (session) => session.passport?.user,
    ...options,
  });
}

async function newSite(options: SiteOptions = {}): Promise<Site> {
  const site = await openSite(express, undefined, {
    before: pages,
    ...options,
    service: {
      ...options.service,
      session: {
        acceptSessionsFrom: [source()],
        acceptSessionsUntil: new Date(Date.now() + 3_650 * 86_400_000),
        ...options.service?.session,
      },
    },
  });
  open.push(site);
  return site;
}

function pages(app: Express, { service }: TestService): void {
  app.get('/app/me', requireSession(service), (req, res) => void res.json(req.user));
  app.post('/app/me', requireSession(service), (req, res) => void res.json(req.user));
  app.get('/app/maybe', optionalSession(service), (req, res) => void res.json(req.user ?? null));
  app.get('/app/recent', requireSession(service, { maxAgeMs: 600_000 }), (_req, res) => void res.json(true));
}

/** Creates a user who is signed in to the former system. */
async function movedUser(site: Site) {
  const externalId = (ids += 1);
  const user = await site.service.users.create({
    email: site.uniqueEmail(),
    emailVerified: true,
    externalId,
    password: validPassword,
  });
  return { user, externalId, cookie: await old.signIn(externalId) };
}

describe('a session of express-session', () => {
  it('signs in at a guard, which sets the cookie and req.user at once, and ends in its store', async () => {
    const site = await newSite();
    const { user, externalId, cookie } = await movedUser(site);
    expect(await old.whoIs(cookie)).toBe(externalId);
    const response = await site.send('GET', '/app/me', undefined, { cookie });
    expect([response.status, response.json.id]).toEqual([200, user.id]);
    expect(response.headers['cache-control']).toBe('no-store');
    const own = response.cookie();
    expect(response.cookies.find(({ name }) => name === 'connect.sid')).toMatchObject({ value: '' });
    expect(await old.whoIs(cookie)).toBeNull();
    expect((await site.get('/session', { cookie: own })).json.user.id).toBe(user.id);
  });

  it('signs in at the routes and at an optional guard', async () => {
    const site = await newSite();
    const { user, cookie } = await movedUser(site);
    expect((await site.get('/session', { cookie })).json.user.id).toBe(user.id);
    const other = await movedUser(site);
    const response = await site.send('GET', '/app/maybe', undefined, { cookie: other.cookie });
    expect(response.json.id).toBe(other.user.id);
  });

  it('does not count as a recent sign-in', async () => {
    const site = await newSite();
    const { cookie } = await movedUser(site);
    const response = await site.send('GET', '/app/recent', undefined, { cookie });
    expect([response.status, response.json.error]).toEqual([403, 'reauth_required']);
  });

  it('gives parallel requests one session, and none of them is signed out', async () => {
    const site = await newSite();
    const { user, cookie } = await movedUser(site);
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => site.send('GET', '/app/me', undefined, { cookie })),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await site.adapter.sessions.listLive(user.id, new Date(site.clock.now()))).toHaveLength(1);
  });

  it('does not sign in again with a replayed cookie, even if the store has its session again', async () => {
    const site = await newSite();
    const { externalId, cookie } = await movedUser(site);
    const sid = decodeURIComponent(cookie).slice('connect.sid=s:'.length).split('.')[0]!;
    const stored = await new Promise<never>((resolve) => {
      old.store.get(sid, (_error, session) => resolve(session as never));
    });
    await site.get('/session', { cookie });
    site.clock.advance(31_000);
    old.store.set(sid, stored);
    expect(await old.whoIs(cookie)).toBe(externalId);
    expect((await site.get('/session', { cookie })).status).toBe(401);
  });

  it('does not undo a sign-out, within the grace time or with the cookie alone', async () => {
    const site = await newSite();
    const { cookie } = await movedUser(site);
    const own = (await site.get('/session', { cookie })).cookie();
    await site.post('/logout', {}, { cookie: `${own}; ${cookie}` });
    expect((await site.get('/session', { cookie })).status).toBe(401);
    const other = await movedUser(site);
    const signedOut = await site.post('/logout', {}, { cookie: other.cookie });
    expect(signedOut.cookies.map(({ name }) => name)).toContain('connect.sid');
    expect((await site.get('/session', { cookie: other.cookie })).status).toBe(401);
    expect(await old.whoIs(other.cookie)).toBeNull();
  });

  it('is refused after its user was blocked, was deleted, or got another external id', async () => {
    const site = await newSite({ pro: true, service: { providers: { account: {} } } });
    const [blocked, deleted, moved] = [await movedUser(site), await movedUser(site), await movedUser(site)];
    await site.service.users.block(blocked.user.id);
    await site.service.account.deleteUser(deleted.user.id);
    await site.service.users.update(moved.user.id, { externalId: 'another' });
    for (const { cookie } of [blocked, deleted, moved])
      expect((await site.get('/session', { cookie })).status).toBe(401);
  });

  it('is refused after all sessions of its user were ended here, as by a new password', async () => {
    const site = await newSite();
    const [revoked, unblocked] = [await movedUser(site), await movedUser(site)];
    await site.service.users.setPassword(revoked.user.id, 'another horse battery');
    await site.service.users.block(unblocked.user.id);
    await site.service.users.unblock(unblocked.user.id);
    for (const { cookie } of [revoked, unblocked])
      expect((await site.get('/session', { cookie })).status).toBe(401);
  });

  it('is refused with a forged signature, another secret or another cookie name, without a lookup', async () => {
    const site = await newSite();
    const { cookie } = await movedUser(site);
    const lookup = jest.spyOn(old.store, 'get');
    const value = decodeURIComponent(cookie.slice('connect.sid='.length));
    const sid = value.slice(2, value.lastIndexOf('.'));
    const signed = createHmac('sha256', 'another secret').update(sid).digest('base64').replace(/=+$/, '');
    const forged = [
      `connect.sid=${encodeURIComponent(`${value.slice(0, -1)}${value.endsWith('A') ? 'B' : 'A'}`)}`,
      `connect.sid=${encodeURIComponent(`${value}=`)}`,
      `connect.sid=${encodeURIComponent(`s:${sid}.${signed}`)}`,
      `connect.sid=s:${sid}`,
      `connect.sid=${sid}`,
      'connect.sid=s:__proto__.x',
      `sid=${encodeURIComponent(value)}`,
      `__proto__=${encodeURIComponent(value)}`,
    ];
    for (const each of forged) expect((await site.get('/session', { cookie: each })).status).toBe(401);
    expect(lookup).not.toHaveBeenCalled();
    lookup.mockRestore();
    expect((await site.get('/session', { cookie })).status).toBe(200);
  });

  it('leads to no account if it names one by a key of a prototype, or by nothing', async () => {
    const site = await newSite();
    for (const id of ['__proto__', 'constructor', 'undefined', '0']) {
      const cookie = await old.signIn(id);
      expect((await site.get('/session', { cookie })).status).toBe(401);
    }
  });

  it('is refused from acceptSessionsUntil on', async () => {
    const until = new Date(Date.now() + 1_000 * 86_400_000);
    const site = await newSite({ service: { session: { acceptSessionsUntil: until } } });
    const [before, after] = [await movedUser(site), await movedUser(site)];
    site.clock.advance(until.getTime() - site.clock.now() - 1);
    expect((await site.get('/session', { cookie: before.cookie })).status).toBe(200);
    site.clock.advance(1);
    expect((await site.get('/session', { cookie: after.cookie })).status).toBe(401);
  });

  it('is refused if its own cookie has expired, although the store still has it', async () => {
    const site = await newSite();
    const { cookie } = await movedUser(site);
    site.clock.advance(3_700 * 86_400_000);
    expect((await site.get('/session', { cookie })).status).toBe(401);
  });

  it('does not sign in at a request that a page of another site has sent, and stays valid', async () => {
    const site = await newSite();
    const { user, cookie } = await movedUser(site);
    const crossSite = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
    const posted = await site.send('POST', '/app/me', undefined, { cookie, headers: crossSite });
    expect([posted.status, posted.json.error, posted.cookies]).toEqual([403, 'not_authorized', []]);
    const image = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' };
    const loaded = await site.send('GET', '/app/me', undefined, { cookie, headers: image });
    expect([loaded.status, loaded.cookies]).toEqual([401, []]);
    const link = {
      'Sec-Fetch-Site': 'cross-site',
      'Sec-Fetch-Mode': 'navigate',
      'Sec-Fetch-Dest': 'document',
    };
    const opened = await site.send('GET', '/app/me', undefined, { cookie, headers: link });
    expect([opened.status, opened.json.id]).toEqual([200, user.id]);
  });

  it('counts as absent, and is logged without its id, if the store fails', async () => {
    const store = {
      get: (sid: string, done: (error: unknown) => void) => done(new Error(`no connection for ${sid}`)),
      destroy: () => undefined,
    };
    const site = await newSite({ service: { session: { acceptSessionsFrom: [source({ store })] } } });
    const { cookie } = await movedUser(site);
    const sid = decodeURIComponent(cookie).slice('connect.sid=s:'.length).split('.')[0]!;
    expect((await site.get('/session', { cookie })).status).toBe(401);
    const failures = site.log.filter(({ fields }) => fields['event'] === 'old_session_failed');
    expect(failures).toHaveLength(1);
    expect(JSON.stringify(site.log)).not.toContain(sid);
  });

  it('ends although the application still has the middleware, which saves its sessions', async () => {
    const site = await newSite({
      before(app, test) {
        app.use(oldMiddleware(old.store));
        app.use((req, _res, next) => {
          Object.assign(req.session, { visits: 1 });
          next();
        });
        pages(app, test);
      },
    });
    const { cookie } = await movedUser(site);
    expect((await site.send('GET', '/app/me', undefined, { cookie })).status).toBe(200);
    expect(await old.whoIs(cookie)).toBeNull();
  });

  it('is looked up at most 300 times in 15 minutes for a client whose cookies name no session', async () => {
    const site = await newSite();
    const lookup = jest.spyOn(old.store, 'get');
    const sign = (sid: string) =>
      createHmac('sha256', oldSecret).update(sid).digest('base64').replace(/=+$/, '');
    for (let n = 0; n < 320; n += 1)
      await site.get('/session', { cookie: `connect.sid=${encodeURIComponent(`s:x${n}.${sign(`x${n}`)}`)}` });
    expect(lookup).toHaveBeenCalledTimes(300);
    lookup.mockRestore();
  });
});
