// Requests of browsers that no person has made: scripts of other sites, prefetched pages, forms of other sites.
import { once } from 'node:events';
import express from 'express';
import { clientSite, grantsOf } from './client-site.js';
import { askForToken, allow, authorizeUrl, callback, signedIn } from './protocol.js';

describe('A browser', () => {
  const site = clientSite({ registration: true });

  it.each([
    ['/oauth/token', 'POST'],
    ['/oauth/revoke', 'POST'],
    ['/oauth/introspect', 'POST'],
    ['/oauth/register', 'POST'],
    ['/oauth/userinfo', 'POST'],
    ['/oauth/jwks', 'GET'],
    ['/.well-known/oauth-authorization-server', 'GET'],
    ['/.well-known/openid-configuration', 'GET'],
    ['/.well-known/oauth-protected-resource/mcp', 'GET'],
  ])('may ask whether a script may call %s', async (path, method) => {
    const response = await fetch(site.issuer + path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.test',
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type,mcp-protocol-version',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toMatch(/^(\*|https:\/\/app\.test)$/);
    expect(response.headers.get('access-control-allow-methods')).toContain(method);
    expect(response.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('content-type');
    expect(response.headers.get('access-control-allow-headers')?.toLowerCase()).toContain(
      'mcp-protocol-version',
    );
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('may call for a public client from where its users return, and from nowhere else', async () => {
    const { client: local } = await site.oauth.clients.create({
      name: 'Inspector',
      redirectUris: ['http://localhost/callback'],
    });
    const redirect = { redirect_uri: 'http://localhost:6274/callback' };
    for (const [id, origin, params, isAllowed] of [
      [site.clientId, 'https://notes.test', {}, true],
      [site.clientId, 'https://evil.test', {}, false],
      [site.clientId, 'null', {}, false],
      [local.id, 'http://localhost:6274', redirect, true],
      [local.id, 'http://localhost.evil.test:6274', redirect, false],
    ] as const) {
      const redeemable = await allow(site, await site.browser('ada@example.com'), id, params);
      const response = await fetch(`${site.issuer}/oauth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
        body: new URLSearchParams(redeemable).toString(),
      });
      const allowed = response.headers.get('access-control-allow-origin');
      expect([origin, response.status, allowed]).toEqual([
        origin,
        isAllowed ? 200 : 400,
        isAllowed ? origin : null,
      ]);
    }
  });

  it.each([
    ['HEAD', { method: 'HEAD' }],
    ['a prefetch', { headers: { 'sec-purpose': 'prefetch' } }],
    ['a prerendering', { headers: { 'sec-purpose': 'prefetch;prerender' } }],
    ['a link preview', { headers: { purpose: 'preview' } }],
  ])('has no effect with %s', async (name, init) => {
    const email = `bob-${name.length}@example.com`;
    await signedIn(site, email, site.clientId);
    const browser = await site.browser(email);
    const { url } = authorizeUrl(site, site.clientId);
    const early = await browser.send(url, init);
    expect([early.status, early.headers.get('location'), early.headers.getSetCookie()]).toEqual([
      204,
      null,
      [],
    ]);
    const begun = await browser.send(url);
    const consent = begun.headers.get('location')!;
    const before = await grantsOf(site, email);
    await browser.send(consent, init);
    expect(await grantsOf(site, email)).toEqual(before);
    const html = await (await browser.send(consent)).text();
    expect(await grantsOf(site, email)).toHaveLength(before.length + 1);
    const target = /url=([^"]+)"/.exec(html)![1]!;
    expect((await browser.send(target, init)).status).toBe(204);
    const end = await browser.send(target);
    expect(end.headers.get('location')).toMatch(/^https:\/\/notes\.test\/callback\?code=/);
  });

  it('may send an authorization request as a form (OpenID Connect Core, 3.1.2.1)', async () => {
    const { search } = new URL(authorizeUrl(site, site.clientId).url);
    const send = (body: string, headers: Record<string, string> = {}) =>
      fetch(`${site.issuer}/oauth/authorize`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body,
      });
    const response = await send(search.slice(1));
    expect([response.status, response.headers.get('location')]).toEqual([303, `/oauth/authorize${search}`]);
    const browser = await site.browser('ada@example.com');
    const page = await browser.open(response.headers.get('location')!);
    expect(page.url.href).toMatch(/code=|consent/);
    for (const refused of [
      await send(''),
      await send('x'.repeat(9_000)),
      await send('{}', { 'content-type': 'text/plain' }),
    ]) {
      expect([refused.status, refused.headers.get('content-type')]).toEqual([
        400,
        'text/html; charset=utf-8',
      ]);
      expect(await refused.text()).toContain('Go back to the app');
    }
  });

  it('may send it to an application that reads forms itself', async () => {
    const app = express();
    app.use(express.urlencoded({ extended: true }), site.oauth.router);
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const response = await fetch(`http://127.0.0.1:${port}/oauth/authorize`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'client_id=x&resource=a&resource=b',
    });
    expect(response.headers.get('location')).toBe('/oauth/authorize?client_id=x&resource=a&resource=b');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('learns nothing from a router that is mounted at the wrong path, and the log says why', async () => {
    const app = express();
    app.use('/auth', site.oauth.router);
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}/auth${path}`);
    expect((await ask('/other')).status).toBe(404);
    const metadata = await ask('/.well-known/oauth-authorization-server');
    expect([metadata.status, await metadata.json()]).toEqual([500, { error: 'server_error' }]);
    expect((await ask('/oauth/authorize')).status).toBe(500);
    const hints = site.test.log.filter(({ fields }) => fields['mountedAt'] === '/auth');
    expect(hints).toHaveLength(1);
    expect(JSON.stringify(hints)).toContain('mount it at the root');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('is sent back when another user than that of the ID token has signed in', async () => {
    const params = { scope: 'openid notes:read' };
    const { id_token: idToken } = await askForToken(
      site,
      await allow(site, await site.browser('ada@example.com'), site.clientId, params),
    );
    const hinted = { ...params, id_token_hint: idToken };
    const right = await allow(site, await site.browser('ada@example.com'), site.clientId, hinted);
    expect((await askForToken(site, right)).status).toBe(200);
    const browser = await site.browser('eve@example.com');
    const page = await browser.open(authorizeUrl(site, site.clientId, hinted).url);
    const { url } = await browser.submit(page.html, '/consent/allow');
    expect([url.origin + url.pathname, url.searchParams.get('error')]).toEqual([callback, 'login_required']);
    expect(await grantsOf(site, 'eve@example.com')).toEqual([]);
    const forged = `${idToken!.split('.').slice(0, 2).join('.')}.${'A'.repeat(86)}`;
    const refused = await browser.open(
      authorizeUrl(site, site.clientId, { ...hinted, id_token_hint: forged }).url,
    );
    expect(refused.url.searchParams.get('error')).toBe('invalid_request');
  });
});
