/**
 * Sessions that are bound to a key, in two processes that share checked sessions in Redis (skipped if Redis is not installed): a check
 * that needs no query needs the proof all the same.
 */
import express from 'express';
import { memoryAdapter } from 'svc-auth';
import { testClock, type TestClock } from 'svc-auth/testing';
import { redisSessionCache } from '../../src/redis.js';
import { newKey, proofsOf } from '../oauth-server/proofs.js';
import { bind, refresh } from '../support/bound-browser.js';
import { boundSites, graceMs, sessionStatus, signIn, ttlMs } from '../support/bound-site.js';
import { until } from '../support/cached-sessions.js';
import { openSite, validPassword, type Site } from '../support/http-site.js';
import { libraries } from '../support/redis-clients.js';
import { describeWithRedis, startRedis, type RedisServer } from '../support/redis-server.js';

/** The age of an entry is measured by the clock of the service, so it must run. It can be moved, too. */
function movedClock(): TestClock {
  const moved = testClock(0);
  return { ...moved, now: () => Date.now() + moved.now() };
}

describeWithRedis('with checked sessions in Redis', () => {
  const { newSite, closeSites } = boundSites();
  const ends: (() => unknown)[] = [];
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    await closeSites();
    for (const end of ends.splice(0)) await end();
  });
  afterAll(() => redis.stop());

  /** @param maxStaleMs so long that only messages of Redis can end a cached session within the test. */
  async function cacheOf(maxStaleMs = 60_000) {
    const { client, close } = await libraries['ioredis']!(redis.url);
    ends.push(close);
    return { maxStaleMs, store: redisSessionCache(client) };
  }

  describe('a bound session', () => {
    async function twoSites(): Promise<[Site, Site]> {
      const [adapter, clock] = [memoryAdapter(), movedClock()];
      const open = async () => newSite({ service: { clock, session: { cache: await cacheOf() } } }, adapter);
      return [await open(), await open()];
    }

    const statusesOf = (sites: Site[], cookie: string) =>
      Promise.all(sites.map((site) => sessionStatus(site, cookie)));

    it('ends its old cookie in both processes, and continues in both with a proof', async () => {
      const sites = await twoSites();
      const [one, two] = sites;
      const { cookie, response } = await signIn(one);
      // Cached in both before it is bound.
      expect(await statusesOf(sites, cookie)).toEqual([200, 200]);
      const jar = await bind(one, response);
      one.clock.advance(graceMs);
      await until('the end of the old cookie in both', async () =>
        (await statusesOf(sites, cookie)).every((status) => status === 401),
      );
      expect(await statusesOf(sites, jar.cookie)).toEqual([200, 200]);
      one.clock.advance(ttlMs);
      expect(await statusesOf(sites, jar.cookie)).toEqual([401, 401]);
      const next = (await refresh(two, jar)).cookie();
      expect(await statusesOf(sites, next)).toEqual([200, 200]);
    });

    it('is refreshed in neither process after a sign-out in one', async () => {
      const sites = await twoSites();
      const [one, two] = sites;
      const jar = await bind(one, (await signIn(one)).response);
      expect(await statusesOf(sites, jar.cookie)).toEqual([200, 200]);
      await one.post('/logout', {}, { cookie: jar.cookie });
      await until('a refusal by both', async () =>
        (await statusesOf(sites, jar.cookie)).every((status) => status === 401),
      );
      for (const site of [one, two]) expect((await refresh(site, jar)).status).toBe(401);
    });
  });

  describe('a bearer session with DPoP', () => {
    const asking = { 'svc-session': 'bearer' };
    const key = newKey();

    async function scene() {
      const [adapter, clock] = [memoryAdapter(), movedClock()];
      const open = async () => {
        const session = { bearer: true as const, cache: await cacheOf() };
        const site = await openSite(express, adapter, { service: { clock, session } });
        ends.push(() => site.close());
        return site;
      };
      const sites: [Site, Site] = [await open(), await open()];
      const [one] = sites;
      const proofFor = (method: string, site: Site, path: string, token?: string) =>
        proofsOf(() => ({ test: site }))(key, method, `${site.origin}/api/auth${path}`, token);
      const dpop = proofFor('POST', one, '/password/signup');
      const body = { email: one.uniqueEmail(), password: validPassword };
      const { json } = await one.post('/password/signup', body, { headers: { ...asking, dpop } });
      const { accessToken: token } = json.bearer as { accessToken: string };
      const check = async (site: Site, proof = proofFor('GET', site, '/session', token)) => {
        const headers = { authorization: `DPoP ${token}`, dpop: proof };
        return (await site.get('/session', { headers })).status;
      };
      return { sites, token, check, proofFor };
    }

    it('needs a new proof for each request, also if the session is cached', async () => {
      const { sites, token, check, proofFor } = await scene();
      const [one] = sites;
      for (const site of [...sites, ...sites]) expect(await check(site)).toBe(200);
      const proof = proofFor('GET', one, '/session', token);
      expect(await check(one, proof)).toBe(200);
      expect(await check(one, proof)).toBe(401);
      for (const site of sites) {
        const headers = { authorization: `Bearer ${token}` };
        expect((await site.get('/session', { headers })).status).toBe(401);
      }
    });

    it('ends in both processes after a sign-out in one', async () => {
      const { sites, token, check, proofFor } = await scene();
      const [one] = sites;
      for (const site of sites) expect(await check(site)).toBe(200);
      const dpop = proofFor('POST', one, '/logout', token);
      const headers = { authorization: `DPoP ${token}`, dpop };
      expect((await one.post('/logout', {}, { headers })).status).toBe(200);
      await until('a refusal by both', async () => {
        const statuses = await Promise.all(sites.map((site) => check(site)));
        return statuses.every((status) => status === 401);
      });
    });
  });
});
