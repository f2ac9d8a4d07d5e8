// Administrators register, change and remove clients on the admin pages.
import express from 'express';
import { createAdminPages, type AdminPagesOptions } from 'svc-auth/admin';
import { loginAs } from '../../testing/index.js';
import { fieldsOf, isAdmin } from '../support/admin-pages.js';
import { listen } from '../support/http-site.js';
import { makeService } from '../support/make-service.js';
import { openOAuthSite, type Browser, type OAuthSite } from '../support/oauth-site.js';
import { call, callback, signedIn } from './protocol.js';

describe('The admin pages for clients', () => {
  let site: OAuthSite;
  let browser: Browser;
  beforeEach(async () => {
    site = await openOAuthSite({ registration: true });
    site.app.use('/admin', createAdminPages(site.test.service, { authorize: isAdmin }));
    browser = await administrator('root@example.com');
  });
  afterEach(() => site.close());

  async function administrator(email: string): Promise<Browser> {
    const { service } = site.test;
    const { user } = await loginAs(site.app, email, { service });
    await service.users.update(user.id, { roles: ['admin'] });
    return site.browser(email);
  }

  /** Opens a form, fills in some of its fields, and sends it. */
  async function submit(path: string, fields: Record<string, string> = {}, by = browser) {
    const page = await by.open(path);
    expect(page.status).toBe(200);
    return by.open(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: site.issuer },
      body: new URLSearchParams({ ...fieldsOf(page.html), ...fields }).toString(),
    });
  }

  const secretOn = (html: string) => /<dt>Secret<\/dt>\s*<dd><code>([\w-]{43})<\/code>/.exec(html)?.[1];

  it('register a client, and show its secret once', async () => {
    const fields = {
      name: 'Partner <b>',
      redirectUris: `${callback}\r\n https://two.test/callback \r\n`,
      uri: 'https://partner.test/',
      confidential: 'on',
    };
    const page = await submit('/admin/clients/new', fields);
    expect([page.status, page.url.pathname]).toEqual([200, '/admin/clients/new']);
    const secret = secretOn(page.html)!;
    expect(secret).toBeDefined();
    const [client] = await site.oauth.clients.list();
    expect(client).toMatchObject({
      ...{ name: 'Partner <b>', redirectUris: [callback, 'https://two.test/callback'] },
      ...{ uri: 'https://partner.test/', confidential: true },
    });
    const list = await browser.open('/admin/clients');
    for (const text of ['Partner &#60;b&#62;', 'notes.test, two.test', 'Registered', '1 client'])
      expect(list.html).toContain(text);
    const shown = await browser.open(`/admin/clients/${client!.id}`);
    expect(shown.html).toContain(callback);
    expect(list.html + shown.html).not.toContain(secret);
    expect(JSON.stringify(site.test.log)).not.toContain(secret);
  });

  it('register a client without a secret, and lead to it', async () => {
    const page = await submit('/admin/clients/new', {
      name: 'App',
      redirectUris: 'com.example.app:/callback',
    });
    const [client] = await site.oauth.clients.list();
    expect(page.url.pathname).toBe(`/admin/clients/${client!.id}`);
    expect(page.html).toContain('Client registered.');
    expect(page.html).not.toContain('Add secret');
    expect((await browser.open('/admin/clients')).html).toContain('com.example.app:');
  });

  it.each([
    ['name', { name: 'x\u202e' }, 'Enter a name of at most 100 characters on one line.'],
    ['redirectUris', { redirectUris: 'http://partner.test/' }, 'Enter one to twenty addresses'],
    ['redirectUris', { redirectUris: ' ' }, 'Enter one to twenty addresses'],
    ['uri', { uri: 'partner' }, 'Enter an address, such as'],
  ])('say next to the field %s what is wrong, and change nothing', async (field, wrong, text) => {
    const right = { name: 'Partner', redirectUris: callback };
    const page = await submit('/admin/clients/new', { ...right, ...wrong });
    expect(page.status).toBe(422);
    expect(page.html).toContain(`id="field-${field}-error"`);
    expect(page.html).toContain(text);
    expect(await site.oauth.clients.list()).toEqual([]);
  });

  it('change a client, and replace its secret', async () => {
    const input = { name: 'Partner', redirectUris: [callback], confidential: true };
    const { client } = await site.oauth.clients.create(input);
    const path = `/admin/clients/${client.id}`;
    expect((await submit(`${path}/edit`, { name: 'Renamed' })).html).toContain('Client saved.');
    expect(await site.oauth.clients.get(client.id)).toEqual({ ...client, name: 'Renamed' });
    const added = await submit(`${path}/secrets/new`);
    expect(secretOn(added.html)).toBeDefined();
    const page = await browser.open(path);
    expect(page.html).not.toContain('Add secret');
    const third = await submit(`${path}/secrets/new`);
    expect([third.status, third.html]).toEqual([422, expect.stringContaining('The client has two secrets.')]);
    const removed = await submit(`${path}/secrets/${client.secrets[0]!.id}/remove`);
    expect(removed.html).toContain('Secret removed.');
    const [last] = (await site.oauth.clients.get(client.id))!.secrets;
    const refused = await submit(`${path}/secrets/${last!.id}/remove`);
    expect([refused.status, refused.html]).toEqual([422, expect.stringContaining('the only secret')]);
  });

  it('change a client without redirect addresses, which acts for itself', async () => {
    const { client } = await site.oauth.clients.create({
      ...{ name: 'Job', confidential: true, grants: ['client_credentials'], scopes: ['notes:read'] },
    });
    const path = `/admin/clients/${client.id}`;
    expect((await submit(`${path}/edit`, { name: 'Renamed' })).html).toContain('Client saved.');
    expect(await site.oauth.clients.get(client.id)).toEqual({ ...client, name: 'Renamed' });
    const partner = await site.oauth.clients.create({ name: 'Partner', redirectUris: [callback] });
    const emptied = await submit(`/admin/clients/${partner.client.id}/edit`, { redirectUris: '' });
    expect(emptied.status).toBe(422);
  });

  it('remove a client with what users have given it, also one that has registered itself', async () => {
    const response = await fetch(`${site.issuer}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'CLI', redirect_uris: [callback] }),
    });
    const { client_id: id } = (await response.json()) as { client_id: string };
    const tokens = await signedIn(site, 'ada@example.com', id);
    const path = `/admin/clients/${id}`;
    const page = await browser.open(path);
    expect(page.html).toContain('Registered itself');
    for (const text of ['/edit', '/secrets']) expect(page.html).not.toContain(path + text);
    const end = await submit(`${path}/remove`);
    expect([end.url.pathname, end.html]).toEqual([
      '/admin/clients',
      expect.stringContaining('Client removed.'),
    ]);
    expect((await call(site, tokens.access_token)).status).toBe(401);
    for (const each of ['', '/edit', '/remove', '/secrets/new'])
      expect((await browser.open(path + each)).status).toBe(404);
  });

  it('name the administrator in events, and refuse one who has lost the role', async () => {
    const { service } = site.test;
    const events: unknown[] = [];
    service.on('oauth_client.created', (payload) => events.push(payload.actor));
    await submit('/admin/clients/new', { name: 'Partner', redirectUris: callback });
    await new Promise(setImmediate);
    const admin = (await service.users.find({ email: 'root@example.com' }))!;
    expect(events).toEqual([{ type: 'user', id: admin.id }]);
    await service.users.update(admin.id, { roles: [] });
    expect((await browser.open('/admin/clients')).status).toBe(403);
  });

  it('ask for a recent sign-in before changes, and for none before the list', async () => {
    site.test.clock.advance(11 * 60_000);
    expect((await browser.open('/admin/clients')).status).toBe(200);
    expect((await browser.open('/admin/clients/new')).status).toBe(403);
  });

  it('show what authorize allows, without a target', async () => {
    const asked: [string, string | null][] = [];
    const authorize: AdminPagesOptions['authorize'] = (_user, action, target) => {
      asked.push([action, target]);
      return ['users.list', 'oauthClients.list'].includes(action);
    };
    site.app.use('/support', createAdminPages(site.test.service, { authorize }));
    const { client } = await site.oauth.clients.create({ name: 'Partner', redirectUris: [callback] });
    const page = await browser.open(`/support/clients/${client.id}`);
    expect(page.html).toContain('aria-current');
    expect(page.html).not.toContain('/remove');
    expect((await browser.open('/support/clients')).html).not.toContain('/clients/new');
    for (const path of ['new', `${client.id}/edit`, `${client.id}/remove`, `${client.id}/secrets/new`])
      expect((await browser.open(`/support/clients/${path}`)).status).toBe(403);
    expect(asked.every(([action, target]) => action.startsWith('users.') || target === null)).toBe(true);
    expect((await browser.open('/support/users')).html).toContain('href="/support/clients"');
  });

  it('do not exist without an OAuth server', async () => {
    const { service } = await makeService();
    const app = express().use('/admin', createAdminPages(service, { authorize: isAdmin }));
    const { cookie, user } = await loginAs(app, 'root@example.com', { service });
    await service.users.update(user.id, { roles: ['admin'] });
    const server = await listen(app);
    const { port } = server.address() as { port: number };
    const get = (path: string) => fetch(`http://127.0.0.1:${port}/admin${path}`, { headers: { cookie } });
    expect((await get('/clients')).status).toBe(404);
    const users = await get('/users');
    expect([users.status, await users.text()]).toEqual([200, expect.not.stringContaining('/clients')]);
    server.closeAllConnections();
    server.close();
    await service.close();
  });
});
