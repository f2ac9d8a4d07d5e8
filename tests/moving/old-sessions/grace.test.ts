/** The seconds after an old session was replaced, in which its cookie leads to the same session. */
import express from 'express';
import { requireSession } from 'svc-auth';
import { cookieSession } from 'svc-auth/moving';
import { openSite, type Site } from '../../support/http-site.js';

const open: Site[] = [];

afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

async function newSite(beforeLookup: () => unknown = () => undefined) {
  const rows = new Map<string, string>();
  const late = { respond: () => undefined as void };
  const source = cookieSession({
    cookieName: 'old',
    async findSession(token) {
      await beforeLookup();
      return rows.has(token) ? { user: rows.get(token) } : null;
    },
    endSession: (token) => rows.delete(token),
  });
  const site = await openSite(express, undefined, {
    service: { session: { acceptSessionsFrom: [source] } },
    before: (app, { service }) => {
      app.get('/app/me', requireSession(service), (req, res) => void res.json(req.user));
      app.get('/app/late', (_req, res, next) => {
        late.respond = () => void res.json('a timeout');
        next();
      });
      app.get('/app/late', requireSession(service), () => undefined);
    },
  });
  open.push(site);
  const newUser = (externalId: string) =>
    site.service.users.create({ email: site.uniqueEmail(), emailVerified: true, externalId });
  const me = async (cookie: string) => (await site.send('GET', '/app/me', undefined, { cookie })).status;
  return { site, rows, late, newUser, me };
}

describe('the cookie of a replaced session', () => {
  it('leads nowhere once all sessions were ended, or its user was blocked for a while', async () => {
    const { site, rows, newUser, me } = await newSite();
    const { users } = site.service;
    const ends: ((id: string) => Promise<unknown>)[] = [
      (id) => users.signOut(id),
      async (id) => {
        await users.block(id, {});
        await users.unblock(id);
      },
    ];
    for (const [index, end] of ends.entries()) {
      const { id } = await newUser(`user-${index}`);
      rows.set(`t${index}`, `user-${index}`);
      expect([await me(`old=t${index}`), await me(`old=t${index}`)]).toEqual([200, 200]);
      await end(id);
      rows.set(`t${index}`, `user-${index}`);
      expect(await me(`old=t${index}`)).toBe(401);
    }
  });
});

describe('a response that begins while an old session is looked up', () => {
  it('uses up no other session of the request, because it can set no cookie', async () => {
    let isLate = true;
    let continueLookup: () => void = () => undefined;
    const { site, rows, late, newUser, me } = await newSite(() => {
      if (!isLate) return;
      late.respond();
      return new Promise<void>((resolve) => (continueLookup = resolve));
    });
    await newUser('user-1');
    await newUser('user-2');
    rows.set('first', 'user-1').set('second', 'user-2');
    await site.send('GET', '/app/late', undefined, { cookie: 'old=first; old=second' });
    isLate = false;
    continueLookup();
    // The first one is used up and ended in any case.
    while (rows.has('first')) await new Promise(setImmediate);
    await me('old=unknown');
    site.clock.advance(31_000);
    expect(await me('old=second')).toBe(200);
  });
});
