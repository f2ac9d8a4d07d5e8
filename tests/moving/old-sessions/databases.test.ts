/** Sessions in tables: of better-auth, and of express-session in PostgreSQL, with several processes on one database. */
import { createHmac, randomUUID } from 'node:crypto';
import express from 'express';
import { Store, type SessionData } from 'express-session';
import pg from 'pg';
import { ConfigError } from 'svc-auth';
import { betterAuth, cookieSession, expressSession, type SessionSource } from 'svc-auth/moving';
import { createMigratedDatabase, type TestDatabase } from '../../support/postgres.js';
import { openSite, type Site } from '../../support/http-site.js';
import { openStorage } from '../../support/open-storage.js';
import { oldSecret, openOldApplication } from '../../support/old-application.js';
import { testClock } from 'svc-auth/testing';

const year = 365 * 86_400_000;
let database: TestDatabase;
let pool: pg.Pool;
const adapters: ReturnType<typeof openStorage>[] = [];
const open: Site[] = [];

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = new pg.Pool({ connectionString: database.url });
  await pool.query(
    `create table "session" ("id" text primary key, "token" text unique not null, "expiresAt" timestamptz not null,
       "createdAt" timestamptz not null, "userId" text not null)`,
  );
  await pool.query(
    'create table old_sessions (sid text primary key, content json not null, expire timestamptz not null)',
  );
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
  for (const adapter of adapters.splice(0)) await adapter.close();
});

/** Opens a site on the database with its own connections, as another process has them. */
async function siteOn(...acceptSessionsFrom: SessionSource[]): Promise<Site> {
  const adapter = openStorage(database.url);
  adapters.push(adapter);
  const clock = testClock(Date.now());
  const site = await openSite(express, adapter, { service: { clock, session: { acceptSessionsFrom } } });
  open.push(site);
  return site;
}

async function newUser(site: Site, externalId: string) {
  return site.service.users.create({ email: `${randomUUID()}@example.com`, emailVerified: true, externalId });
}

/** A store over PostgreSQL as connect-pg-simple is one. */
class TableStore extends Store {
  override get(sid: string, done: (error: unknown, session?: SessionData | null) => void): void {
    void pool
      .query<{ content: SessionData }>(
        'select content from old_sessions where sid = $1 and expire >= now()',
        [sid],
      )
      .then(({ rows }) => done(null, rows[0]?.content), done);
  }

  override set(sid: string, session: SessionData, done?: (error?: unknown) => void): void {
    void pool
      .query(
        `insert into old_sessions values ($1, $2, $3)
         on conflict (sid) do update set content = excluded.content, expire = excluded.expire`,
        [sid, JSON.stringify(session), session.cookie.expires ?? new Date(Date.now() + year)],
      )
      .then(() => done?.(), done);
  }

  override destroy(sid: string, done?: (error?: unknown) => void): void {
    void pool.query('delete from old_sessions where sid = $1', [sid]).then(() => done?.(), done);
  }
}

describe('a session of better-auth', () => {
  const secret = 'the secret of better-auth';
  const plain = 'better-auth.session_token';

  async function signedIn(userId: string, { expiresAt = new Date(Date.now() + year) } = {}): Promise<string> {
    const token = randomUUID();
    await pool.query('insert into "session" values ($1, $2, $3, $4, $5)', [
      randomUUID(),
      token,
      expiresAt,
      new Date(Date.now() - 5_000),
      userId,
    ]);
    return token;
  }

  const signed = (token: string, key = secret) =>
    encodeURIComponent(`${token}.${createHmac('sha256', key).update(token).digest('base64')}`);

  it.each([plain, `__Secure-${plain}`])('signs in once, from %s, and its row is deleted', async (name) => {
    const site = await siteOn(betterAuth({ secret, pool }));
    const externalId = randomUUID();
    const user = await newUser(site, externalId);
    const token = await signedIn(externalId);
    const cookie = `${name}=${signed(token)}`;
    const response = await site.get('/session', { cookie });
    expect(response.json.user.id).toBe(user.id);
    const { rows } = await pool.query('select 1 from "session" where "token" = $1', [token]);
    expect(rows).toEqual([]);
    site.clock.advance(31_000);
    expect((await site.get('/session', { cookie })).status).toBe(401);
  });

  it('is refused with a forged signature, when it has expired, and without a row', async () => {
    const site = await siteOn(betterAuth({ secret, pool }));
    const externalId = randomUUID();
    await newUser(site, externalId);
    const token = await signedIn(externalId);
    const expired = await signedIn(externalId, { expiresAt: new Date(Date.now() - 60_000) });
    const refused = [signed(token, 'another'), token, `${token}.`, signed(expired), signed(randomUUID())];
    for (const value of refused)
      expect((await site.get('/session', { cookie: `${plain}=${value}` })).status).toBe(401);
    expect((await site.get('/session', { cookie: `${plain}=${signed(token)}` })).status).toBe(200);
  });

  it('is refused if an administrator acts as the user', async () => {
    const site = await siteOn(betterAuth({ secret, pool }));
    const externalId = randomUUID();
    await newUser(site, externalId);
    const [impersonation, own] = [await signedIn(externalId), await signedIn(externalId)];
    await pool.query('alter table "session" add column "impersonatedBy" text');
    await pool.query('update "session" set "impersonatedBy" = $1 where "token" = $2', [
      'admin-1',
      impersonation,
    ]);
    expect((await site.get('/session', { cookie: `${plain}=${signed(impersonation)}` })).status).toBe(401);
    expect((await site.get('/session', { cookie: `${plain}=${signed(own)}` })).status).toBe(200);
    await pool.query('alter table "session" drop column "impersonatedBy"');
  });

  it('requires a pool or two functions', () => {
    expect(() => betterAuth({ secret })).toThrow(ConfigError);
    expect(() => betterAuth({ secret, pool, findSession: () => null })).toThrow(ConfigError);
    expect(() => betterAuth({ secret: [], pool })).toThrow(ConfigError);
  });
});

describe('a session of express-session in PostgreSQL', () => {
  it('becomes one session for forty parallel requests to four processes', async () => {
    const store = new TableStore();
    const old = await openOldApplication(store);
    const source = () =>
      expressSession({ store, secret: oldSecret, userId: (session) => session.passport?.user });
    const sites = await Promise.all(Array.from({ length: 4 }, () => siteOn(source())));
    const externalId = randomUUID();
    const user = await newUser(sites[0]!, externalId);
    const cookie = await old.signIn(externalId);
    const requests = Array.from({ length: 40 }, (_, n) => sites[n % 4]!.get('/session', { cookie }));
    const responses = await Promise.all(requests);
    expect(responses.map(({ status }) => status)).toEqual(Array(40).fill(200));
    expect(responses.every(({ json }) => json.user.id === user.id)).toBe(true);
    const live = await sites[0]!.adapter.sessions.listLive(user.id, new Date());
    expect(live).toHaveLength(1);
    expect(await old.whoIs(cookie)).toBeNull();
    // Each of the cookies is one of that session.
    for (const response of responses)
      expect((await sites[1]!.get('/session', { cookie: response.cookie() })).status).toBe(200);
    await old.close();
  });

  it('signs in at the next request if the storage has failed at the first', async () => {
    const store = new TableStore();
    const old = await openOldApplication(store);
    const source = expressSession({ store, secret: oldSecret, userId: (session) => session.passport?.user });
    const site = await siteOn(source);
    const externalId = randomUUID();
    await newUser(site, externalId);
    const cookie = await old.signIn(externalId);
    await pool.query(
      `alter table svc_sessions add constraint refuses_all check (created_at < '2000-01-01') not valid`,
    );
    const failed = await site.get('/session', { cookie });
    await pool.query('alter table svc_sessions drop constraint refuses_all');
    expect([failed.status, failed.cookies]).toEqual([500, []]);
    expect((await site.get('/session', { cookie })).status).toBe(200);
    await old.close();
  });
});

describe('a session of another system with a table', () => {
  it('signs in once, and ends by a function of the application', async () => {
    const rows = new Map<string, string>();
    const source = cookieSession({
      cookieName: 'auth_session',
      findSession: (token) => ({ user: rows.get(token) }),
      endSession: (token) => rows.delete(token),
    });
    const site = await siteOn(source);
    const user = await newUser(site, `lucia-${randomUUID()}`);
    rows.set('a-token', (await site.service.users.get(user.id)).externalId!);
    expect((await site.get('/session', { cookie: 'auth_session=other' })).status).toBe(401);
    const response = await site.get('/session', { cookie: 'auth_session=a-token' });
    expect(response.json.user.id).toBe(user.id);
    expect(rows.size).toBe(0);
  });
});
