// Requests of an attacker, who can send any header, register any client, and lead a user to any address.
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { memoryAdapter } from 'svc-auth';
import { formOf, openOAuthSite } from '../support/oauth-site.js';
import { loginAs } from '../../testing/index.js';
import { clientSite } from './client-site.js';
import { authorizeUrl, callback, refresh, signedIn } from './protocol.js';

describe('The OAuth server', () => {
  const site = clientSite({ registration: true });

  /** Sends what `fetch` does not: another host, and a whole address as the target. */
  const send = (path: string, headers: Record<string, string> = {}) =>
    new Promise<string>((resolve, reject) => {
      const { hostname: host, port } = new URL(site.issuer);
      const sent = request({ host, port, path, headers }, (response) => {
        let text = '';
        response.on('data', (part: Buffer) => (text += part.toString()));
        response.on('end', () => resolve(text));
      });
      sent.on('error', reject);
      sent.end();
    });

  const register = async (client: Record<string, unknown>) => {
    const response = await fetch(`${site.issuer}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [callback], ...client }),
    });
    const body = (await response.json()) as { client_id: string; error?: string };
    return { status: response.status, ...body };
  };

  it.each([
    ['Host', '', { host: 'evil.test' }],
    ['X-Forwarded-Host', '', { 'x-forwarded-host': 'evil.test' }],
    ['the request target', 'http://evil.test', {}],
  ] as const)('names the endpoints of the issuer, whatever %s says', async (_name, origin, headers) => {
    for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']) {
      const text = await send(origin + path, headers);
      expect(text).toContain(`"token_endpoint":"${site.issuer}/oauth/token"`);
      expect(text).not.toContain('evil.test');
    }
  });

  it('gives no code to an administrator who impersonates the user after the decision', async () => {
    const { service } = site.test;
    const admin = (await loginAs(site.app, 'root@example.com', { service })).user;
    const { user } = await loginAs(site.app, 'ivan@example.com', { service });
    const browser = await site.browser('ivan@example.com');
    const page = await browser.open(authorizeUrl(site, site.clientId).url);
    const fields = [...page.html.matchAll(/name="(request|user|form_token)" value="([^"]*)"/g)].slice(0, 3);
    const decided = await browser.send('/consent/allow', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: site.issuer },
      body: formOf(fields),
    });
    const leaving = await (await browser.send(decided.headers.get('location')!)).text();
    const target = /url=([^"]+)"/.exec(leaving)![1]!;
    const { token } = await service.sessionsProvider.impersonate(admin.id, user.id);
    browser.setCookie(`svc_session=${token}; Path=/`);
    const end = await browser.open(target);
    expect([end.url.pathname, end.status]).toEqual(['/consent', 403]);
  });

  it('answers with redirects only, and offers nothing else', async () => {
    const browser = await site.browser('ada@example.com');
    const { url } = await browser.open(authorizeUrl(site, site.clientId, { response_mode: 'form_post' }).url);
    expect(url.origin + url.pathname).toBe(callback);
    expect(url.searchParams.get('error')).toBe('unsupported_response_mode');
    const wrong = { response_mode: 'form_post', scope: 'notes:delete' };
    expect((await browser.open(authorizeUrl(site, site.clientId, wrong).url)).url.href).toContain('error=');
    const text = await send('/.well-known/oauth-authorization-server');
    expect(text).toContain('"response_modes_supported":["query","fragment"]');
    const metadata = Object.entries(JSON.parse(text) as Record<string, unknown>);
    const named = metadata.filter(([name]) => name.endsWith('_endpoint')).map(([, address]) => address);
    expect(named.filter((address) => !String(address).startsWith(`${site.issuer}/oauth/`))).toEqual([]);
  });

  it('shows no scope that it does not know: a client could write to the user with it', async () => {
    const browser = await site.browser('ada@example.com');
    const scope = 'notes:read Your-password-has-expired:evil.test';
    const page = await browser.open(authorizeUrl(site, site.clientId, { scope }).url);
    expect(page.html).toContain('Read your notes');
    expect(page.html).not.toContain('Your-password');
  });

  it.each(['Acme\u202Eelgoog', 'Acme\nGoogle', 'Acme\u0000', '\u200B', 'Acme\ud800', 'x'.repeat(101)])(
    'registers no client with the name %j',
    async (name) => {
      expect(await register({ client_name: name })).toMatchObject({
        status: 400,
        error: 'invalid_client_metadata',
      });
      await expect(site.oauth.clients.create({ name, redirectUris: [callback] })).rejects.toMatchObject({
        code: 'invalid_request',
      });
    },
  );

  it('answers a failure of the storage in the format of the protocol, and prints nothing', async () => {
    const adapter = memoryAdapter();
    const failing = await openOAuthSite({}, adapter);
    const { client } = await failing.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    const tokens = await signedIn(failing, 'ada@example.com', client.id);
    const printed = jest.spyOn(console, 'error').mockReturnValue();
    adapter.oauthServer!.rotate = () => Promise.reject(new Error('The storage fails.'));
    const answer = await refresh(failing, client.id, tokens.refresh_token);
    expect(answer).toMatchObject({ status: 500, error: 'server_error' });
    expect(answer).not.toHaveProperty('access_token');
    expect(printed).not.toHaveBeenCalled();
    expect(failing.test.log.some(({ fields }) => fields['event'] === 'oauth_server')).toBe(true);
    printed.mockRestore();
    await failing.close();
  });

  it('gives no access to a resource for a sign-in without its scopes', async () => {
    site.app.get('/any-scope', site.oauth.requireAccessToken(), (_req, res) => void res.json({}));
    const ask = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${site.issuer}/any-scope`, { headers });
      return [response.status, response.headers.get('www-authenticate')];
    };
    const identity = await signedIn(site, 'bob@example.com', site.clientId, { scope: 'openid' });
    const refused = expect.stringMatching(/error="insufficient_scope".*scope="notes:read notes:write"/);
    expect(await ask(identity.access_token)).toEqual([403, refused]);
    await expect(site.oauth.verifier.verifyAccessToken(identity.access_token)).rejects.toThrow('no scope');
    const reader = await signedIn(site, 'bob@example.com', site.clientId);
    expect(await ask(reader.access_token)).toEqual([200, null]);
  });

  it('answers a malformed address without a stack, and does not log a client that hangs up', async () => {
    expect(await send('/oauth/authorize/%ff')).not.toContain('URIError');
    const { hostname, port } = new URL(site.issuer);
    const socket = connect(Number(port), hostname);
    const type = 'Content-Type: application/x-www-form-urlencoded';
    socket.end(`POST /oauth/token HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: 10\r\n\r\nab`);
    await once(socket.resume(), 'close');
    await send('/oauth/jwks');
    expect(site.test.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
