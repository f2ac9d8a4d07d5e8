// Requests that may show no page: prompt=none (OpenID Connect Core, 3.1.2.1 and 3.1.2.6; RFC 9207).
import { loginAs } from '../../testing/index.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { Browser, openOAuthSite, type OAuthSite } from '../support/oauth-site.js';
import { clientSite, grantsOf } from './client-site.js';
import { allow, askForToken, authorizeUrl, callback, signedIn } from './protocol.js';

type Params = Record<string, string | undefined>;

/** The answer to a request with `prompt=none`, which must be a redirect to the client. */
async function silently(site: OAuthSite, browser: Browser, clientId: string, params: Params = {}) {
  const { url, verifier } = authorizeUrl(site, clientId, { prompt: 'none', ...params });
  const response = await browser.send(url);
  const answer = new URL(response.headers.get('location')!);
  expect([response.status, answer.origin + answer.pathname]).toEqual([303, callback]);
  // The engine keeps no session that could outlast the user's own.
  expect(response.headers.getSetCookie().join()).not.toContain('svc_authorize');
  const { code, error, iss, state } = Object.fromEntries(answer.searchParams);
  expect([iss, state]).toEqual([site.issuer, 'opaque']);
  return { code, error, verifier };
}

describeAdapters('A request with prompt=none', ({ adapter, uniqueEmail }) => {
  const site = clientSite({}, adapter);
  // The limit of requests of one test is not that of another.
  beforeEach(() => site.test.clock.advance(16 * 60_000));

  /** A browser whose user has given the client access. */
  async function consenting(params: Params = {}) {
    const email = uniqueEmail();
    const browser = await site.browser(email);
    await askForToken(site, await allow(site, browser, site.clientId, params));
    return { browser, email };
  }

  it('gets a code without a page for what its user has given before', async () => {
    const { browser } = await consenting();
    const { code, verifier } = await silently(site, browser, site.clientId);
    const tokens = await askForToken(site, {
      ...{ grant_type: 'authorization_code', client_id: site.clientId, redirect_uri: callback },
      ...{ resource: site.resource, code: code!, code_verifier: verifier },
    });
    expect([tokens.status, tokens.scope]).toEqual([200, 'notes:read']);
  });

  it('gets a code for an ID token of its user, with the time of the sign-in', async () => {
    const scope = 'openid notes:read';
    const email = uniqueEmail();
    const hint = (await signedIn(site, email, site.clientId, { scope })).id_token!;
    site.test.clock.advance(60_000);
    const browser = await site.browser(email);
    const own = await silently(site, browser, site.clientId, { scope, id_token_hint: hint, max_age: '60' });
    const answer = await askForToken(site, {
      ...{ grant_type: 'authorization_code', client_id: site.clientId, redirect_uri: callback },
      ...{ resource: site.resource, code: own.code!, code_verifier: own.verifier },
    });
    const claims = JSON.parse(Buffer.from(answer.id_token!.split('.')[1]!, 'base64url').toString()) as {
      auth_time: number;
    };
    expect(claims.auth_time).toBe(Math.floor(site.test.clock.now() / 1000));
  });

  it('is answered with login_required without a session', async () => {
    expect(await silently(site, new Browser(site.issuer), site.clientId)).toMatchObject({
      code: undefined,
      error: 'login_required',
    });
  });

  it('is answered with login_required for a guest', async () => {
    const { token } = await site.test.service.sessionsProvider.createGuest();
    const browser = new Browser(site.issuer, `svc_session=${token}`);
    expect((await silently(site, browser, site.clientId)).error).toBe('login_required');
  });

  it('is answered with login_required if the session is of another user than the ID token', async () => {
    const scope = 'openid notes:read';
    const { browser } = await consenting({ scope });
    const hint = (await signedIn(site, uniqueEmail(), site.clientId, { scope })).id_token!;
    const { code, error } = await silently(site, browser, site.clientId, { scope, id_token_hint: hint });
    expect([code, error]).toEqual([undefined, 'login_required']);
  });

  it.each(['0', '59'])(
    'is answered with login_required after a sign-in before max_age=%s',
    async (max_age) => {
      const scope = 'openid notes:read';
      const { browser } = await consenting({ scope });
      // For max_age=0, a session that begins at this moment is too old too.
      if (max_age !== '0') site.test.clock.advance(60_000);
      const { code, error } = await silently(site, browser, site.clientId, { scope, max_age });
      expect([code, error]).toEqual([undefined, 'login_required']);
    },
  );

  it('is answered with consent_required for a user who has given nothing', async () => {
    const browser = await site.browser(uniqueEmail());
    expect((await silently(site, browser, site.clientId)).error).toBe('consent_required');
  });

  it('is answered with consent_required for more than what was given, and gets nothing of it', async () => {
    const { browser } = await consenting();
    const more = { scope: 'notes:read notes:write' };
    const { code, error } = await silently(site, browser, site.clientId, more);
    expect([code, error]).toEqual([undefined, 'consent_required']);
  });

  it('is answered with consent_required after the user has removed the access', async () => {
    const { browser, email } = await consenting();
    const { id } = (await site.test.service.users.find({ email }))!;
    await site.oauth.connectedApps.remove(id, site.clientId);
    expect((await silently(site, browser, site.clientId)).error).toBe('consent_required');
  });

  it('is answered with interaction_required while an administrator impersonates the user', async () => {
    const { service } = site.test;
    const { browser, email } = await consenting();
    const { user: admin } = await loginAs(site.app, uniqueEmail(), { service });
    const { id } = (await service.users.find({ email }))!;
    const { token } = await service.sessionsProvider.impersonate(admin.id, id);
    browser.setCookie(`svc_session=${token}; Path=/`);
    const { code, error } = await silently(site, browser, site.clientId);
    expect([code, error]).toEqual([undefined, 'interaction_required']);
  });

  it('is answered with login_required for a blocked user', async () => {
    const { browser, email } = await consenting();
    const { id } = (await site.test.service.users.find({ email }))!;
    await site.test.service.users.block(id);
    const { code, error } = await silently(site, browser, site.clientId);
    expect([code, error]).toEqual([undefined, 'login_required']);
  });

  it('is refused together with another prompt, and for an unknown scope', async () => {
    const { browser } = await consenting();
    const errors = [{ prompt: 'none consent' }, { scope: 'unknown' }].map(
      async (params) => (await silently(site, browser, site.clientId, params)).error,
    );
    expect(await Promise.all(errors)).toEqual(['invalid_request', 'invalid_scope']);
  });

  it('has no effect as a prefetch', async () => {
    const { browser, email } = await consenting();
    const { url } = authorizeUrl(site, site.clientId, { prompt: 'none' });
    const fetched = await browser.send(url, { headers: { 'sec-purpose': 'prefetch' } });
    expect([fetched.status, fetched.headers.get('location')]).toEqual([204, null]);
    expect(await grantsOf(site, email)).toHaveLength(1);
  });

  it('is answered with consent_required for an address on the computer of the user', async () => {
    const local = 'http://127.0.0.1/callback';
    const { client } = await site.oauth.clients.create({ name: 'CLI', redirectUris: [local] });
    const browser = await site.browser(uniqueEmail());
    const params = { redirect_uri: 'http://127.0.0.1:4711/callback' };
    await allow(site, browser, client.id, params);
    const response = await browser.send(authorizeUrl(site, client.id, { prompt: 'none', ...params }).url);
    const answer = new URL(response.headers.get('location')!);
    expect([answer.origin, answer.searchParams.get('error')]).toEqual([
      'http://127.0.0.1:4711',
      'consent_required',
    ]);
  });
});

describe('A request with prompt=none for a user whose address is not verified', () => {
  it('is answered with interaction_required until it is, if verification is required', async () => {
    const emailPassword = { verifyEmail: 'require', verifyGraceMs: 60 * 60_000 } as const;
    const site = await openOAuthSite({}, undefined, { providers: { emailPassword } });
    const { client } = await site.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    const unverified = { email: 'ada@example.com', emailVerified: false };
    const { cookie, user } = await loginAs(site.app, unverified, { service: site.test.service });
    const browser = new Browser(site.issuer, cookie);
    expect((await silently(site, browser, client.id)).error).toBe('interaction_required');
    await site.test.adapter.users.markEmailVerified(user.id, new Date(site.test.clock.now()));
    expect((await silently(site, browser, client.id)).error).toBe('consent_required');
    await site.close();
  });
});
