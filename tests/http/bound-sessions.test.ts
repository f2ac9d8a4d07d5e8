/** `session.bound`: the whole life of a session that is bound to a key of its browser. */
import express from 'express';
import { requireSession } from 'svc-auth';
import {
  bind,
  challengeOf,
  deviceKey,
  offerOf,
  refresh,
  register,
  sendRefresh,
} from '../support/bound-browser.js';
import { openSite, validPassword, type Site, type SiteOptions } from '../support/http-site.js';

const open: Site[] = [];
const ttlMs = 600_000;
const grace = 10_000;

afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

async function newSite({ service, ...options }: SiteOptions = {}): Promise<Site> {
  const session = { bound: { ttlMs }, cookie: { secure: true }, ...service?.session };
  const site = await openSite(express, undefined, { ...options, service: { ...service, session } });
  open.push(site);
  return site;
}

const statusOf = async (site: Site, cookie: string) => (await site.get('/session', { cookie })).status;

async function signIn(site: Site) {
  const email = site.uniqueEmail();
  const { user } = await site.signUp(email);
  const response = await site.post('/password/login', { email, password: validPassword });
  return { email, user, response, cookie: response.cookie() };
}

describe('a session that is bound to its browser', () => {
  it.each(['ES256', 'RS256'] as const)('lasts as long as the browser proves its key with %s', async (algorithm) => {
    const site = await newSite();
    const { response } = await signIn(site);
    const jar = await bind(site, response, algorithm);
    expect(jar.response.status).toBe(200);
    expect(jar.response.json).toEqual({
      session_identifier: jar.id,
      refresh_url: '/api/auth/session/bound/refresh',
      scope: {
        include_site: false,
        scope_specification: [{ type: 'exclude', domain: '*', path: '/api/auth/session/bound' }],
      },
      credentials: [
        { type: 'cookie', name: 'svc_session', attributes: 'Path=/; Secure; HttpOnly; SameSite=Lax' },
      ],
    });
    let { cookie } = jar;
    for (let round = 0; round < 4; round += 1) {
      expect(await statusOf(site, cookie)).toBe(200);
      site.clock.advance(ttlMs);
      expect(await statusOf(site, cookie)).toBe(401);
      const refreshed = await refresh(site, jar);
      expect(refreshed.status).toBe(200);
      cookie = refreshed.cookie();
    }
    expect(await statusOf(site, cookie)).toBe(200);
  });

  it('refuses the cookie from before the registration, as soon as requests under way have arrived', async () => {
    const site = await newSite();
    const { cookie, response } = await signIn(site);
    const { cookie: bound } = await bind(site, response);
    site.clock.advance(grace - 1);
    expect(await statusOf(site, cookie)).toBe(200);
    site.clock.advance(1);
    expect(await statusOf(site, cookie)).toBe(401);
    expect(await statusOf(site, bound)).toBe(200);
  });
});
