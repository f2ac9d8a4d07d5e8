/** Sessions of a former system after a lockdown. */
import express from 'express';
import { requireSession } from 'svc-auth';
import { cookieSession } from 'svc-auth/moving';
import { createSharedDatabase, type SharedDatabase } from '../../support/databases.js';
import { openSite, type Site } from '../../support/http-site.js';
import { openStorage } from '../../support/open-storage.js';

describe.each(['PostgreSQL', 'SQLite'] as const)('a lockdown on %s', (storage) => {
  let database: SharedDatabase;
  let adapter: ReturnType<typeof openStorage>;
  let site: Site;
  let userId: string;
  /** The sign-in of every old session. */
  let signedInAt: Date;

  beforeEach(async () => {
    database = await createSharedDatabase(storage);
    adapter = openStorage(database.url);
    await adapter.init();
    const source = cookieSession({
      cookieName: 'old',
      findSession: () => ({ user: 'user-7', signedInAt }),
      endSession: () => undefined,
    });
    site = await openSite(express, adapter, {
      service: { session: { acceptSessionsFrom: [source] } },
      before: (app, { service }) => {
        app.get('/app/me', requireSession(service), (req, res) => void res.json(req.user));
      },
    });
    const email = site.uniqueEmail();
    ({ id: userId } = await site.service.users.create({ email, emailVerified: true, externalId: 'user-7' }));
    signInAgo(60_000);
  });

  afterEach(async () => {
    await site.close();
    await adapter.close();
    await database.drop();
  });

  const signInAgo = (ms: number) => (signedInAt = new Date(site.clock.now() - ms));
  const statusOf = async (cookie: string) =>
    (await site.send('GET', '/app/me', undefined, { cookie })).status;

  describe.each([
    ['everyone', () => ({})],
    ['its user', () => ({ userId })],
  ])('of %s', (_scope, whom) => {
    it('ends the seconds in which the cookie of a replaced session leads to its successor', async () => {
      expect([await statusOf('old=one'), await statusOf('old=one')]).toEqual([200, 200]);
      await site.service.lockdown(whom());
      site.clock.advance(5_000);
      signInAgo(1_000);
      expect(await statusOf('old=one')).toBe(401);
    });

    it('refuses a session of before, and one of a later sign-in, which the former system accepts as ever', async () => {
      await site.service.lockdown(whom());
      expect(await statusOf('old=early')).toBe(401);
      site.clock.advance(120_000);
      signInAgo(60_000);
      expect(await statusOf('old=late')).toBe(401);
      expect(await site.adapter.sessions.listLive(userId, new Date(site.clock.now()))).toEqual([]);
    });
  });
});
