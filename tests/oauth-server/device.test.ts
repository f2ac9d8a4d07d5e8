// Sign-in on a device without a browser (RFC 8628).
import * as oauth from 'oauth4webapi';
import { describeAdapters } from '../support/describe-adapters.js';
import { Browser, openOAuthSite, type OAuthSite } from '../support/oauth-site.js';
import { askForToken, call, callback, refresh } from './protocol.js';

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

const resources = { 'https://files.test/': { scopes: { 'files:read': 'Read your files' } } };

interface DeviceAnswer {
  status: number;
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
  error?: string;
}

describeAdapters('Sign-in on a device', ({ adapter, uniqueEmail }) => {
  let site: OAuthSite;
  let clientId: string;
  beforeAll(async () => {
    site = await openOAuthSite({ registration: true, resources }, adapter());
    const { client } = await site.oauth.clients.create({ name: 'Notes TV', grants: ['device_code'] });
    clientId = client.id;
  });
  afterAll(() => site.close());
  // The limit of an address for new codes and wrong ones.
  afterEach(() => site.test.clock.advance(60 * 60_000));

  async function begin(params: Record<string, string> = {}): Promise<DeviceAnswer> {
    const body = { client_id: clientId, resource: site.resource, scope: 'notes:read', ...params };
    const response = await fetch(`${site.issuer}/oauth/device`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(body).toString(),
    });
    return { status: response.status, ...((await response.json()) as Omit<DeviceAnswer, 'status'>) };
  }

  /** Asks whether the user has decided, not sooner than it may. */
  const poll = (code: string, more: Record<string, string> = {}) => {
    site.test.clock.advance(5_000);
    return askForToken(site, { grant_type: grantType, client_id: clientId, device_code: code, ...more });
  };

  const enter = async (browser: Browser, code: string) => {
    const page = await browser.open('/device');
    return browser.submit(page.html, '/device/enter', { code });
  };

  const allow = async (browser: Browser, code: string) =>
    browser.submit((await enter(browser, code)).html, '/device/allow');

  it('a device gets tokens after its user has entered the code and allowed it', async () => {
    const started = await begin();
    expect(started).toMatchObject({
      status: 200,
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${site.issuer}/device`,
      verification_uri_complete: `${site.issuer}/device?code=${started.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    expect(await poll(started.device_code)).toMatchObject({ status: 400, error: 'authorization_pending' });
    const email = uniqueEmail();
    const browser = await site.browser(email);
    const page = await enter(browser, started.user_code);
    for (const shown of ['Notes TV', 'Read your notes', started.user_code, email])
      expect(page.html).toContain(shown);
    const done = await browser.submit(page.html, '/device/allow');
    expect(done.html).toContain('Device connected');
    const tokens = await poll(started.device_code);
    expect(tokens).toMatchObject({ status: 200, scope: 'notes:read' });
    expect(await (await call(site, tokens.access_token)).json()).toMatchObject({ email });
    expect((await refresh(site, clientId, tokens.refresh_token)).status).toBe(200);
  });

  it('a code is accepted in any case, with spaces and without a hyphen', async () => {
    const started = await begin();
    const typed = ` ${started.user_code.toLowerCase().replace('-', ' ')} `;
    const page = await enter(await site.browser(uniqueEmail()), typed);
    expect(page.html).toContain('Notes TV');
  });

  it('the address with the code fills it in, but does not enter it', async () => {
    const started = await begin();
    const browser = await site.browser(uniqueEmail());
    const page = await browser.open(started.verification_uri_complete);
    expect(page.html).toContain(`value="${started.user_code}"`);
    expect(page.html).not.toContain('Notes TV');
    expect((await enter(await site.browser(uniqueEmail()), started.user_code)).html).toContain('Notes TV');
  });

  it('a request without scopes asks for those of the resource', async () => {
    const { device_code: code, user_code: user } = await begin({ scope: '' });
    await allow(await site.browser(uniqueEmail()), user);
    expect((await poll(code)).scope).toBe('notes:read notes:write');
  });

  it.each([
    ['an unknown scope', { scope: 'nothing:known' }, 'invalid_scope'],
    ['a scope of another resource', { scope: 'files:read' }, 'invalid_scope'],
    ['an unknown resource', { resource: 'https://other.test/mcp' }, 'invalid_target'],
    ['an unknown client', { client_id: 'nobody' }, 'invalid_client'],
  ])('a request with %s is refused', async (_name, params, error) => {
    expect((await begin(params)).error).toBe(error);
  });

  it('a client that is not registered for devices gets no code', async () => {
    const { client } = await site.oauth.clients.create({ name: 'Web', redirectUris: [callback] });
    expect(await begin({ client_id: client.id })).toMatchObject({
      error: expect.stringMatching(/^unauthorized_client$|^invalid_request$/),
    });
  });

  it('a client that registers itself can ask for the grant', async () => {
    const response = await fetch(`${site.issuer}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'TV', grant_types: [grantType] }),
    });
    const { client_id: id } = (await response.json()) as { client_id: string };
    expect((await begin({ client_id: id })).status).toBe(200);
  });

  it('a device that the user denies gets access_denied', async () => {
    const started = await begin();
    const browser = await site.browser(uniqueEmail());
    const page = await enter(browser, started.user_code);
    const done = await browser.submit(page.html, '/device/deny');
    expect(done.html).toContain('Access denied');
    expect(await poll(started.device_code)).toMatchObject({ error: 'access_denied' });
    expect((await enter(browser, started.user_code)).html).toContain('This code isn’t valid');
  });

  it('a device that asks too often is slowed down', async () => {
    const { device_code: code } = await begin();
    expect((await poll(code)).error).toBe('authorization_pending');
    const params = { grant_type: grantType, client_id: clientId, device_code: code };
    expect(await askForToken(site, params)).toMatchObject({ status: 400, error: 'slow_down' });
    expect((await poll(code)).error).toBe('authorization_pending');
  });

  it('a code ends after ten minutes', async () => {
    const started = await begin();
    site.test.clock.advance(10 * 60_000);
    expect(await poll(started.device_code)).toMatchObject({ error: 'expired_token' });
    const page = await enter(await site.browser(uniqueEmail()), started.user_code);
    expect(page.html).toContain('This code isn’t valid');
  });

  it('a code that one account has entered is unknown to another one', async () => {
    const started = await begin();
    const first = await site.browser(uniqueEmail());
    const page = await enter(first, started.user_code);
    const other = await site.browser(uniqueEmail());
    expect((await enter(other, started.user_code)).html).toContain('This code isn’t valid');
    expect((await other.open(started.verification_uri_complete)).html).not.toContain('Notes TV');
    // The page of the first account decides nothing for the second.
    const forged = page.html.replaceAll(/name="user" value="[^"]+"/g, 'name="user" value="other"');
    expect((await first.submit(forged, '/device/allow')).html).not.toContain('Device connected');
    expect((await poll(started.device_code)).error).toBe('authorization_pending');
    expect((await first.submit(page.html, '/device/allow')).html).toContain('Device connected');
  });

  it('of parallel decisions one counts', async () => {
    const started = await begin();
    const browser = await site.browser(uniqueEmail());
    const reports = () =>
      site.test.log.filter(({ fields }) => fields['event'] === 'oauth_access_granted').length;
    const before = reports();
    const page = await enter(browser, started.user_code);
    const ends = await Promise.all(
      ['/device/allow', '/device/deny', '/device/allow', '/device/deny'].map((action) =>
        browser.submit(page.html, action),
      ),
    );
    const isDone = ({ url }: { url: URL }) => url.searchParams.has('done');
    expect(ends.filter(isDone)).toHaveLength(1);
    const isAllowed = ends.find(isDone)!.url.searchParams.get('done') === 'allowed';
    const answer = await poll(started.device_code);
    expect(answer.error).toBe(isAllowed ? undefined : 'access_denied');
    // A decision that lost has given no access.
    expect(reports() - before).toBe(isAllowed ? 1 : 0);
  });

  it('another account of the same person can take over a code', async () => {
    const started = await begin();
    const browser = await site.browser(uniqueEmail());
    const page = await enter(browser, started.user_code);
    expect((await browser.submit(page.html, '/device/change')).url.pathname).toBe('/sign-in');
    const other = await site.browser(uniqueEmail());
    expect((await allow(other, started.user_code)).html).toContain('Device connected');
  });

  it('a code gives tokens once, and its return ends them', async () => {
    const started = await begin();
    await allow(await site.browser(uniqueEmail()), started.user_code);
    const tokens = await poll(started.device_code);
    expect((await call(site, tokens.access_token)).status).toBe(200);
    expect((await poll(started.device_code)).error).toBe('invalid_grant');
    expect((await call(site, tokens.access_token)).status).toBe(401);
  });

  it('a code of another client is refused', async () => {
    const other = await site.oauth.clients.create({ name: 'Other', grants: ['device_code'] });
    const started = await begin();
    await allow(await site.browser(uniqueEmail()), started.user_code);
    const stolen = await poll(started.device_code, { client_id: other.client.id });
    expect(stolen.error).toBe('invalid_grant');
    expect((await poll(started.device_code)).status).toBe(200);
  });

  it.each(['sign-out everywhere', 'block'] as const)(
    'a %s before the device asks gives nothing',
    async (end) => {
      const email = uniqueEmail();
      const started = await begin();
      await allow(await site.browser(email), started.user_code);
      const { users } = site.test.service;
      const { id } = (await users.find({ email }))!;
      await (end === 'block' ? users.block(id) : users.signOut(id));
      expect((await poll(started.device_code)).error).toBe('invalid_grant');
    },
  );

  it('ten wrong codes in an hour are enough for an account', async () => {
    const browser = await site.browser(uniqueEmail());
    const started = await begin();
    for (let guess = 0; guess < 10; guess++)
      expect((await enter(browser, 'BBBB-BBBB')).html).toContain('This code isn’t valid');
    const page = await enter(browser, started.user_code);
    expect(page.html).toContain('Too many attempts');
    expect(page.html).not.toContain('Notes TV');
  });

  it('a right code does not count as a guess', async () => {
    const browser = await site.browser(uniqueEmail());
    for (let round = 0; round < 12; round++)
      expect((await enter(browser, (await begin()).user_code)).html).toContain('Notes TV');
  });

  it('a visitor signs in first and comes back with the code', async () => {
    const started = await begin();
    const visitor = new Browser(site.issuer);
    const page = await visitor.open(started.verification_uri_complete);
    expect(page.url.pathname).toBe('/sign-in');
    expect(page.url.searchParams.get('next')).toBe(`/device?code=${started.user_code}`);
  });

  it('an administrator who impersonates a user connects no device', async () => {
    const { sessionsProvider, users } = site.test.service;
    const email = uniqueEmail();
    const admin = await users.create({ email: uniqueEmail() });
    const user = await users.create({ email });
    const { token } = await sessionsProvider.impersonate(admin.id, user.id);
    const browser = await site.browser(uniqueEmail());
    browser.dropCookie('svc_session');
    browser.setCookie(`svc_session=${token}; Path=/`);
    expect((await browser.open('/device')).status).toBe(403);
  });

  it('the pages of the package are not reachable', async () => {
    for (const path of ['/oauth/device/x', '/device/oidc', '/oauth/device'])
      expect([path, (await fetch(site.issuer + path)).status]).toEqual([path, 404]);
  });

  it('an independent client signs in', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const server = await oauth
      .discoveryRequest(new URL(site.issuer), insecure)
      .then((response) => oauth.processDiscoveryResponse(new URL(site.issuer), response));
    const client = { client_id: clientId };
    const params = new URLSearchParams({ scope: 'notes:read', resource: site.resource });
    const none = oauth.None();
    const begun = await oauth.deviceAuthorizationRequest(server, client, none, params, insecure);
    const device = await oauth.processDeviceAuthorizationResponse(server, client, begun);
    await allow(await site.browser(uniqueEmail()), device.user_code);
    const response = await oauth.deviceCodeGrantRequest(server, client, none, device.device_code, insecure);
    const tokens = await oauth.processDeviceCodeResponse(server, client, response);
    expect((await call(site, tokens.access_token)).status).toBe(200);
  });
});
