// Users see which applications have access to their accounts, and can end it.
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createAuthRouter } from 'svc-auth';
import { createClient } from 'svc-auth/client';
import { createPages } from '../../src/pages.js';
import { loginAs } from '../../testing/index.js';
import { listen } from '../support/http-site.js';
import { makeService } from '../support/make-service.js';
import { openOAuthSite, type Browser, type OAuthSite } from '../support/oauth-site.js';
import { allow, askForToken, call, callback, refresh, signedIn } from './protocol.js';

const minute = 60_000;

describe('Connected apps', () => {
  let site: OAuthSite;
  let clientId: string;
  beforeEach(async () => {
    site = await openOAuthSite({ registration: true });
    const input = { name: 'Notes', redirectUris: [callback], uri: 'https://notes.test/about' };
    clientId = (await site.oauth.clients.create(input)).client.id;
  });
  afterEach(() => site.close());

  const clientOf = (browser: Browser) =>
    createClient({
      baseUrl: '/api/auth',
      fetch: async (url, init) => {
        const response = await browser.send(url, init);
        return { status: response.status, ok: response.ok, text: () => response.text() };
      },
    });

  const register = async (metadata: Record<string, unknown>) => {
    const response = await fetch(`${site.issuer}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(metadata),
    });
    return ((await response.json()) as { client_id: string }).client_id;
  };

  it('are listed with what they may do and when they were used, until the user removes their access', async () => {
    const { clock, service } = site.test;
    const start = new Date(clock.now());
    const tokens = await signedIn(site, 'ada@example.com', clientId, { scope: 'openid notes:read' });
    clock.advance(minute);
    const again = { scope: 'notes:read notes:write', prompt: 'consent' };
    await signedIn(site, 'ada@example.com', clientId, again);
    const browser = await site.browser('ada@example.com');
    const client = clientOf(browser);
    const scopes = [
      { resource: site.resource, name: 'notes:read', description: 'Read your notes' },
      { resource: site.resource, name: 'notes:write', description: 'Change your notes' },
      { resource: '', name: 'openid', description: 'openid' },
    ];
    const app = { clientId, name: 'Notes', host: 'notes.test', createdAt: start };
    const lastUsedAt = new Date(clock.now());
    expect(await client.connectedApps.list()).toEqual({ apps: [{ ...app, lastUsedAt, scopes }] });
    const { id } = (await client.session()).user!;
    expect(await site.oauth.connectedApps.list(id)).toEqual([{ ...app, lastUsedAt, scopes }]);

    const page = await browser.open('/account/apps');
    for (const text of ['Connected apps', 'Notes', 'notes.test', 'Read your notes', 'Change your notes'])
      expect(page.html).toContain(text);
    const path = `/account/apps/${clientId}/remove`;
    expect(page.html).toContain(`href="${path}"`);
    expect((await call(site, tokens.access_token)).status).toBe(200);
    const question = await browser.open(path);
    expect(question.html).toContain('Notes');
    const end = await browser.submit(question.html, path);
    expect(end.html).toContain('Access removed.');
    expect(end.html).toContain('No apps have access to your account.');
    expect((await call(site, tokens.access_token)).status).toBe(401);
    expect(await refresh(site, clientId, tokens.refresh_token)).toMatchObject({ error: 'invalid_grant' });
    expect((await browser.open(path)).status).toBe(404);
    expect(service.features.oauthServer).toBe(true);
  });

  it('lose their access with the client, and what belongs to other users and apps stays', async () => {
    const other = await site.oauth.clients.create({ name: 'Calendar', redirectUris: [callback] });
    const mine = await signedIn(site, 'ada@example.com', clientId);
    const kept = await signedIn(site, 'ada@example.com', other.client.id);
    const theirs = await signedIn(site, 'ben@example.com', clientId);
    const client = clientOf(await site.browser('ada@example.com'));
    expect(await client.connectedApps.remove(clientId)).toEqual({ ok: true });
    expect(await client.connectedApps.remove(clientId)).toEqual({ ok: true });
    const { apps } = await client.connectedApps.list();
    expect(apps.map(({ name, host }) => [name, host])).toEqual([['Calendar', null]]);
    const statuses = [mine, kept, theirs].map(async (token) => (await call(site, token.access_token)).status);
    expect(await Promise.all(statuses)).toEqual([401, 200, 200]);
  });

  it('show a use to within the lifetime of an access token, and none before the first one', async () => {
    const { clock } = site.test;
    const browser = await site.browser('ada@example.com');
    const redeemable = await allow(site, browser, clientId);
    const client = clientOf(browser);
    const lastUse = async () => (await client.connectedApps.list()).apps[0]!.lastUsedAt?.getTime() ?? null;
    expect(await lastUse()).toBeNull();
    clock.advance(1000);
    const tokens = await askForToken(site, redeemable);
    expect(await lastUse()).toBe(clock.now());
    clock.advance(30 * minute);
    await refresh(site, clientId, tokens.refresh_token);
    expect(await lastUse()).toBe(clock.now());
  });

  it('name hosts to which the user has returned for clients that have registered themselves', async () => {
    const evil = await register({
      client_name: 'Bank',
      client_uri: 'https://bank.example',
      redirect_uris: ['https://evil.test/callback'],
    });
    const local = await register({ client_name: 'CLI', redirect_uris: ['http://127.0.0.1/callback'] });
    await signedIn(site, 'ada@example.com', evil, { redirect_uri: 'https://evil.test/callback' });
    site.test.clock.advance(1);
    await signedIn(site, 'ada@example.com', local, { redirect_uri: 'http://127.0.0.1/callback' });
    const { apps } = await clientOf(await site.browser('ada@example.com')).connectedApps.list();
    expect(apps.map(({ name, host }) => [name, host])).toEqual([
      ['CLI', null],
      ['Bank', 'evil.test'],
    ]);
  });

  it('stay listed and removable after a client that has registered itself has expired', async () => {
    const { clock } = site.test;
    const id = await register({ client_name: 'CLI', redirect_uris: [callback] });
    clock.advance(60 * 24 * 60 * minute);
    await signedIn(site, 'ada@example.com', id);
    clock.advance(31 * 24 * 60 * minute);
    const client = clientOf(await site.browser('ada@example.com'));
    expect((await client.connectedApps.list()).apps).toMatchObject([{ clientId: id, name: 'CLI' }]);
    await client.connectedApps.remove(id);
    expect((await client.connectedApps.list()).apps).toEqual([]);
  });

  it('are shown to an administrator who impersonates the user, who cannot remove them', async () => {
    const { service } = site.test;
    await signedIn(site, 'ada@example.com', clientId);
    const admin = (await loginAs(site.app, 'root@example.com', { service })).user;
    const { user } = await loginAs(site.app, 'ada@example.com', { service });
    const { token } = await service.sessionsProvider.impersonate(admin.id, user.id);
    const browser = await site.browser('root@example.com');
    browser.setCookie(`svc_session=${token}; Path=/`);
    const client = clientOf(browser);
    expect((await client.connectedApps.list()).apps).toHaveLength(1);
    await expect(client.connectedApps.remove(clientId)).rejects.toMatchObject({ code: 'not_authorized' });
    const page = await browser.open('/account/apps');
    expect(page.html).toContain('Read your notes');
    expect(page.html).not.toContain('/remove');
    expect((await browser.open(`/account/apps/${clientId}/remove`)).status).toBe(403);
    expect((await client.connectedApps.list()).apps).toHaveLength(1);
  });

  it('are reported as events and in the log, without what they may do', async () => {
    const { log, service } = site.test;
    const events: unknown[] = [];
    service.on('*', (name, payload) => name.startsWith('oauth.') && events.push([name, payload]));
    await signedIn(site, 'ada@example.com', clientId);
    const browser = await site.browser('ada@example.com');
    const userId = (await clientOf(browser).session()).user!.id;
    expect(await site.oauth.connectedApps.remove(userId, clientId)).toBe(true);
    expect(await site.oauth.connectedApps.remove(userId, clientId)).toBe(false);
    await new Promise(setImmediate);
    const about = { userId, clientId };
    expect(events).toEqual([
      ['oauth.access_granted', about],
      ['oauth.access_removed', about],
    ]);
    for (const event of ['oauth_access_granted', 'oauth_access_removed'])
      expect(log.filter(({ fields }) => fields['event'] === event)).toMatchObject([{ fields: about }]);
  });

  it('end when the user is deleted, and are part of the export, without secrets', async () => {
    const { service } = site.test;
    const tokens = await signedIn(site, 'ada@example.com', clientId);
    const { id } = (await clientOf(await site.browser('ada@example.com')).session()).user!;
    const exported = await service.account.exportData(id);
    expect(exported.connectedApps).toEqual([
      {
        clientId,
        name: 'Notes',
        scopes: { [site.resource]: ['notes:read'] },
        createdAt: expect.any(Date),
        lastUsedAt: expect.any(Date),
        expiresAt: expect.any(Date),
      },
    ]);
    for (const secret of [tokens.access_token, tokens.refresh_token])
      expect(JSON.stringify(exported)).not.toContain(secret);
    await service.account.deleteUser(id);
    expect((await call(site, tokens.access_token)).status).toBe(401);
    expect(await site.oauth.connectedApps.list(id)).toEqual([]);
  });

  it('are absent without an OAuth server', async () => {
    const { service } = await makeService();
    expect(service.features.oauthServer).toBe(false);
    const app = express().use('/api/auth', createAuthRouter(service)).use(createPages(service));
    const { cookie } = await loginAs(app, 'ada@example.com', { service });
    const server = await listen(app);
    const { port } = server.address() as AddressInfo;
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie } });
    const answer = await get('/api/auth/connected-apps');
    expect(answer.status).toBe(501);
    expect(await answer.json()).toMatchObject({ error: 'provider_not_configured' });
    expect((await get('/account/apps')).status).toBe(404);
    expect(await (await get('/account/profile')).text()).not.toContain('/account/apps');
    server.closeAllConnections();
    server.close();
    await service.close();
  });
});
