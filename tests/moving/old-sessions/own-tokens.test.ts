/** An application that moves keeps its secret: then the tokens of this service have a signature that a source of old sessions accepts. */
import express from 'express';
import { requireSession } from 'svc-auth';
import { jwt } from 'svc-auth/moving';
import { openSite, type Site } from '../../support/http-site.js';
import { testSecret } from '../../support/make-service.js';

const open: Site[] = [];

afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

describe('a session token of this service, whose secret is also that of the old sessions', () => {
  const siteFrom = async (from: { cookie: string } | { header: string }) => {
    const source = jwt({ secret: testSecret, from, userId: ({ sub }) => ({ id: sub ?? '' }) });
    const site = await openSite(express, undefined, {
      service: { session: { acceptSessionsFrom: [source] } },
      before: (app, { service }) => {
        app.get('/app/me', requireSession(service), (req, res) => void res.json(req.user));
      },
    });
    open.push(site);
    const user = await site.service.users.create({ email: site.uniqueEmail(), emailVerified: true });
    return { site, user };
  };

  it('is not an old session in the cookie of the former system', async () => {
    const { site, user } = await siteFrom({ cookie: 'token' });
    const { token } = site.service.createSessionToken(user.id, { expiresInSec: 3600 });
    const { status, cookies } = await site.send('GET', '/app/me', undefined, { cookie: `token=${token}` });
    expect([status, cookies]).toEqual([401, []]);
  });

  it('does not become another session after its sign-out', async () => {
    const { site } = await siteFrom({ header: 'Bearer' });
    const cookie = (await site.signInByCode()).cookie;
    const headers = { Authorization: `Bearer ${cookie.slice(cookie.indexOf('=') + 1)}` };
    expect((await site.send('GET', '/app/me', undefined, { headers })).status).toBe(200);
    expect((await site.post('/logout', {}, { cookie })).status).toBe(200);
    const { status, cookies } = await site.send('GET', '/app/me', undefined, { headers });
    expect([status, cookies]).toEqual([401, []]);
  });
});
