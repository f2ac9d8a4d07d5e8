// The page of the consent: who asks, and who decides.
import { formOf, openOAuthSite } from '../support/oauth-site.js';
import { loginAs } from '../../testing/index.js';
import { clientSite } from './client-site.js';
import { allow, authorizeUrl, callback, signedIn } from './protocol.js';

describe('The consent', () => {
  const site = clientSite();
  let localId: string;
  const local = 'http://127.0.0.1/callback';
  beforeAll(async () => {
    localId = (await site.oauth.clients.create({ name: 'Notes CLI', redirectUris: [local] })).client.id;
  });

  it('leads a visitor to the sign-in, and back', async () => {
    const browser = await site.browser('ada@example.com');
    browser.dropCookie('svc_session');
    const { url } = authorizeUrl(site, site.clientId);
    const page = await browser.open(url);
    expect(page.url.pathname).toBe('/sign-in');
    expect(page.url.searchParams.get('next')).toMatch(/^\/consent\?request=/);
  });

  it('says who asks, for what, for which account, and where the browser returns', async () => {
    const browser = await site.browser('ada@example.com');
    const { html } = await browser.open(
      authorizeUrl(site, site.clientId, { scope: 'notes:read notes:write' }).url,
    );
    expect(html.match(/<ul class="scopes">.*?<\/ul>/s)?.[0].match(/<li>/g)).toHaveLength(2);
    expect(html).not.toContain('banner warn');
    for (const text of ['Notes', 'Read your notes', 'Change your notes', 'ada@example.com', 'notes.test'])
      expect(html).toContain(text);
    expect(html).not.toContain('app on this device');
  });

  it('warns of an answer that any program on the computer can receive, and always asks', async () => {
    const browser = await site.browser('ada@example.com');
    const params = { redirect_uri: 'http://127.0.0.1:4711/callback' };
    for (let time = 0; time < 2; time++) {
      const page = await browser.open(authorizeUrl(site, localId, params).url);
      expect(page.html).toContain('app on this device');
      expect(page.html).toMatch(/<p class="banner warn">.*app on this device/);
      const { url } = await browser.submit(page.html, '/consent/allow');
      expect(url.href).toMatch(/^http:\/\/127\.0\.0\.1:4711\/callback\?code=/);
    }
  });

  it('remembers what was given, and asks again when it grows', async () => {
    await signedIn(site, 'bob@example.com', site.clientId);
    const browser = await site.browser('bob@example.com');
    const again = await browser.open(authorizeUrl(site, site.clientId).url);
    expect(again.url.href).toMatch(/^https:\/\/notes\.test\/callback\?code=/);
    const more = await browser.open(
      authorizeUrl(site, site.clientId, { scope: 'notes:read notes:write' }).url,
    );
    expect(more.url.pathname).toBe('/consent');
    const asked = await browser.open(authorizeUrl(site, site.clientId, { prompt: 'consent' }).url);
    expect(asked.url.pathname).toBe('/consent');
  });

  it('returns a refusal to the client, with the issuer', async () => {
    const browser = await site.browser('carol@example.com');
    const page = await browser.open(authorizeUrl(site, site.clientId).url);
    const { url } = await browser.submit(page.html, '/consent/deny');
    expect(url.origin + url.pathname).toBe(callback);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'opaque',
      iss: site.issuer,
    });
  });

  it('gives nothing for another user than the one to whom the page was shown', async () => {
    const browser = await site.browser('dora@example.com');
    const page = await browser.open(authorizeUrl(site, site.clientId).url);
    const { cookie, user } = await loginAs(site.app, 'eve@example.com', { service: site.test.service });
    browser.setCookie(`${cookie}; Path=/`);
    const shown = await browser.submit(page.html, '/consent/allow');
    expect(shown.url.pathname).toBe('/consent');
    expect(shown.html).toContain('eve@example.com');
    const { url } = await browser.submit(shown.html, '/consent/allow');
    expect(url.searchParams.has('code')).toBe(true);
    expect(await site.test.service.users.get(user.id)).toBeTruthy();
  });

  it('gives no code for a user who has signed out after the decision', async () => {
    const browser = await site.browser('frank@example.com');
    const page = await browser.open(authorizeUrl(site, site.clientId).url);
    const fields = [...page.html.matchAll(/name="(request|user|form_token)" value="([^"]*)"/g)].slice(0, 3);
    const decided = await browser.send('/consent/allow', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: site.issuer },
      body: formOf(fields),
    });
    const leaving = await (await browser.send(decided.headers.get('location')!)).text();
    const target = /url=([^"]+)"/.exec(leaving)![1]!;
    browser.dropCookie('svc_session');
    const end = await browser.open(target);
    expect(end.url.pathname).toBe('/sign-in');
  });

  it('is not given by a forged form, nor within a frame, nor twice', async () => {
    const browser = await site.browser('grace@example.com');
    const page = await browser.open(authorizeUrl(site, site.clientId).url);
    const response = await browser.send(page.url.href);
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const request = page.url.searchParams.get('request')!;
    const user = /name="user" value="([^"]+)"/.exec(page.html)![1]!;
    const forged = await browser.send('/consent/allow', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.test' },
      body: new URLSearchParams({ request, user }).toString(),
    });
    expect(forged.status).toBe(403);
    const withoutToken = await browser.send('/consent/allow', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: site.issuer },
      body: new URLSearchParams({ request, user }).toString(),
    });
    expect(withoutToken.status).toBe(422);
    const first = await browser.submit(page.html, '/consent/allow');
    expect(first.url.searchParams.has('code')).toBe(true);
    const second = await browser.submit(page.html, '/consent/allow');
    expect(second.url.searchParams.has('code')).toBe(false);
  });

  it('of two tabs, a page decides about its own request only', async () => {
    const browser = await site.browser('heidi@example.com');
    const first = await browser.open(authorizeUrl(site, site.clientId).url);
    await browser.open(
      authorizeUrl(site, localId, { redirect_uri: 'http://127.0.0.1:1/callback', scope: 'notes:write' }).url,
    );
    const { html, url } = await browser.submit(first.html, '/consent/allow');
    expect(url.pathname).toBe('/consent');
    expect(html).toContain('This request has ended');
  });

  it('is refused to an administrator who impersonates the user', async () => {
    const { service } = site.test;
    const admin = (await loginAs(site.app, 'root@example.com', { service })).user;
    const { user } = await loginAs(site.app, 'ivan@example.com', { service });
    const { token } = await service.sessionsProvider.impersonate(admin.id, user.id);
    const browser = await site.browser('ivan@example.com');
    browser.setCookie(`svc_session=${token}; Path=/`);
    const page = await browser.open(authorizeUrl(site, site.clientId).url);
    expect(page.status).toBe(403);
  });

  it('asks again for a scope of the same name at another resource', async () => {
    const other = 'https://other.test/api';
    const two = await openOAuthSite({ resources: { [other]: { scopes: { 'notes:read': 'Read others' } } } });
    const { client } = await two.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    await signedIn(two, 'ada@example.com', client.id);
    const browser = await two.browser('ada@example.com');
    const page = await browser.open(authorizeUrl(two, client.id, { resource: other }).url);
    expect([page.url.pathname, page.html]).toEqual(['/consent', expect.stringContaining('Read others')]);
    await two.close();
  });

  it.each([{ prompt: 'login' }, { max_age: '60', scope: 'openid notes:read' }])(
    'asks for a new sign-in for a request with %j',
    async (params) => {
      const email = `judy-${Object.keys(params)[0]}@example.com`;
      const browser = await site.browser(email);
      site.test.clock.advance(61_000);
      const { url } = authorizeUrl(site, site.clientId, params);
      const page = await browser.open(url);
      expect(page.url.pathname).toBe('/account/confirm');
      const { cookie } = await loginAs(site.app, email, { service: site.test.service });
      browser.setCookie(`${cookie}; Path=/`);
      // The page that asked leads on, and does not ask again.
      const back = await browser.open(page.url.href);
      expect(back.url.pathname).toBe('/consent');
      const end = await browser.submit(back.html, '/consent/allow');
      expect(end.url.searchParams.has('code')).toBe(true);
    },
  );

  it('sends no browser to an address that is not registered', async () => {
    const browser = await site.browser('ada@example.com');
    for (const wrong of [
      { redirect_uri: 'https://notes.test/callback/other' },
      { redirect_uri: 'https://notes.test.evil.test/callback' },
      { redirect_uri: 'https://notes.test/callback?more=1' },
      { client_id: 'unknown' },
    ]) {
      const { url, status } = await browser.open(authorizeUrl(site, site.clientId, wrong).url);
      expect([url.pathname, status]).toEqual(['/oauth/authorize', 400]);
    }
  });

  it('sends no code to an address that was removed after the request began', async () => {
    const { client } = await site.oauth.clients.create({
      name: 'Partner',
      redirectUris: [callback, 'https://old.notes.test/callback'],
    });
    const browser = await site.browser('ada@example.com');
    const old = { redirect_uri: 'https://old.notes.test/callback' };
    const page = await browser.open(authorizeUrl(site, client.id, old).url);
    await site.oauth.clients.update(client.id, { redirectUris: [callback] });
    for (const decision of ['allow', 'deny']) {
      const end = await browser.submit(page.html, `/consent/${decision}`);
      expect([end.url.pathname, end.status]).toEqual(['/consent', 404]);
    }
    expect((await signedIn(site, 'ada@example.com', client.id)).status).toBe(200);
  });

  it.each([
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ resource: 'https://other.test/mcp' }, 'invalid_target'],
    [{ scope: 'notes:delete' }, 'invalid_scope'],
  ])('a request with %j is answered with %s and the issuer', async (params, error) => {
    const browser = await site.browser('ada@example.com');
    const { url } = await browser.open(authorizeUrl(site, site.clientId, params).url);
    expect(url.origin + url.pathname).toBe(callback);
    const answer = new URLSearchParams(url.search || url.hash.slice(1));
    expect(Object.fromEntries(answer)).toMatchObject({ error, iss: site.issuer });
  });

  it('a request without scopes asks for those of the resource', async () => {
    const tokens = await allow(site, await site.browser('ken@example.com'), site.clientId, {
      scope: undefined,
    });
    expect(tokens.code).toBeTruthy();
    const { html } = await (
      await site.browser('leo@example.com')
    ).open(authorizeUrl(site, site.clientId, { scope: undefined }).url);
    for (const text of ['Read your notes', 'Change your notes']) expect(html).toContain(text);
  });

  it('does not count a scope that was given for another resource', async () => {
    const other = 'https://other.test/api';
    const two = await openOAuthSite({
      resources: { [other]: { scopes: { 'notes:read': 'Read all payments' } } },
    });
    const { client } = await two.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    await signedIn(two, 'ada@example.com', client.id);
    const browser = await two.browser('ada@example.com');
    const page = await browser.open(authorizeUrl(two, client.id, { resource: other }).url);
    expect(page.url.pathname).toBe('/consent');
    expect(page.html).toContain('Read all payments');
    await two.close();
  });

  it('names the scheme of an app, not the host that follows it', async () => {
    const redirectUri = 'com.evil.app://bank.example/callback';
    const { client } = await site.oauth.clients.create({ name: 'App', redirectUris: [redirectUri] });
    const browser = await site.browser('ada@example.com');
    const page = await browser.open(authorizeUrl(site, client.id, { redirect_uri: redirectUri }).url);
    expect(page.html).toContain('com.evil.app:');
    expect(page.html).not.toContain('bank.example');
  });

  it('limits the requests of one address, each of which is stored', async () => {
    const limited = await openOAuthSite();
    const { client } = await limited.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    const { url } = authorizeUrl(limited, client.id);
    let status = 303;
    for (let count = 0; count < 201 && status === 303; count++)
      ({ status } = await fetch(url, { redirect: 'manual' }));
    expect(status).toBe(429);
    await limited.close();
  });

  it('gives nothing for a guest who sends the form without its page', async () => {
    const { token, user } = await site.test.service.sessionsProvider.createGuest();
    const browser = await site.browser('ada@example.com');
    browser.setCookie(`svc_session=${token}; Path=/`);
    const signIn = await browser.open(authorizeUrl(site, site.clientId).url);
    expect(signIn.url.pathname).toBe('/sign-in');
    const request = new URLSearchParams(signIn.url.searchParams.get('next')!.split('?')[1]).get('request')!;
    const formToken = /name="form_token" value="([^"]+)"/.exec(signIn.html)![1]!;
    const end = await browser.open('/consent/allow', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: site.issuer },
      body: new URLSearchParams({ request, user: user.id, form_token: formToken }).toString(),
    });
    expect(end.url.searchParams.has('code')).toBe(false);
    expect(end.url.pathname).toBe('/sign-in');
  });
});
