/** Sessions of express-session that connect-redis keeps are replaced, once each. Skipped if Redis or the package is not installed. */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import express from 'express';
import type { Store } from 'express-session';
import { createClient } from 'redis';
import { memoryAdapter } from 'svc-auth';
import { expressSession } from 'svc-auth/moving';
import { testClock } from 'svc-auth/testing';
import { apps, describeWithOldPackages } from '../moving/support/application.js';
import { openSite, type Site } from '../support/http-site.js';
import { oldSecret, openOldApplication, type OldApplication } from '../support/old-application.js';
import { describeWithRedis, startRedis, type RedisServer } from '../support/redis-server.js';

const load = createRequire(apps('package.json'));

describeWithRedis('acceptSessionsFrom on Redis', () => {
  describeWithOldPackages('with the store of connect-redis', () => {
    let redis: RedisServer;
    let client: ReturnType<typeof createClient>;
    let old: OldApplication;
    const open: Site[] = [];

    beforeAll(async () => {
      redis = await startRedis();
      client = createClient({ url: redis.url });
      await client.connect();
      const { RedisStore } = load('connect-redis') as { RedisStore: new (options: object) => Store };
      old = await openOldApplication(new RedisStore({ client }));
    });

    afterAll(async () => {
      await old?.close();
      client?.destroy();
      await redis?.stop();
    });

    afterEach(async () => {
      for (const site of open.splice(0)) await site.close();
    });

    /** A process of the new application, on a storage that it shares with the others. */
    async function siteOn(adapter: ReturnType<typeof memoryAdapter>): Promise<Site> {
      const source = expressSession({
        store: old.store,
        secret: oldSecret,
        userId: (session) => session.passport?.user,
      });
      const clock = testClock(Date.now());
      const session = { acceptSessionsFrom: [source] };
      const site = await openSite(express, adapter, { service: { clock, session } });
      open.push(site);
      return site;
    }

    async function personOf(site: Site, externalId: string) {
      const email = `${randomUUID()}@example.com`;
      const { id } = await site.service.users.create({ email, emailVerified: true, externalId });
      return id;
    }

    it('signs a browser in once, and ends the session in Redis', async () => {
      const site = await siteOn(memoryAdapter());
      const id = await personOf(site, '42');
      const cookie = await old.signIn(42);
      expect(await client.keys('sess:*')).toHaveLength(1);
      const response = await site.get('/session', { cookie });
      expect(response.json.user).toMatchObject({ id });
      expect((await site.get('/session', { cookie: response.cookie() })).json.user).toMatchObject({ id });
      expect(await client.keys('sess:*')).toEqual([]);
      expect(await old.whoIs(cookie)).toBeNull();
    });

    it('signs in one session for each old one, of two processes that get it at the same time', async () => {
      const adapter = memoryAdapter();
      const sites = [await siteOn(adapter), await siteOn(adapter)];
      const id = await personOf(sites[0]!, '43');
      const cookie = await old.signIn(43);
      const responses = await Promise.all(
        Array.from({ length: 10 }, (_, at) => sites[at % 2]!.get('/session', { cookie })),
      );
      for (const { json } of responses) expect(json.user).toMatchObject({ id });
      expect(await adapter.sessions.listLive(id, new Date())).toHaveLength(1);
    });

    it('refuses a session that Redis no longer has', async () => {
      const site = await siteOn(memoryAdapter());
      await personOf(site, '44');
      const cookie = await old.signIn(44);
      await client.flushAll();
      expect((await site.get('/session', { cookie })).status).toBe(401);
    });
  });
});
