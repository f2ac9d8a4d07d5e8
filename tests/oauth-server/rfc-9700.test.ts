// The attacks of RFC 9700, 4, and those of published advisories about OAuth servers inside applications.
import { codeAt } from '../support/authenticator-app.js';
import { Browser } from '../support/oauth-site.js';
import { clientSite } from './client-site.js';
import { allow, askForToken, authorizeUrl, call, callback, refresh, signedIn } from './protocol.js';

describe('Attacks on the OAuth server', () => {
  const site = clientSite({ registration: true });
  let confidential: { id: string; secret: string };
  beforeAll(async () => {
    const created = await site.oauth.clients.create({
      name: 'Partner',
      redirectUris: [callback],
      confidential: true,
    });
    confidential = { id: created.client.id, secret: created.secret! };
  });

  const answerTo = async (browser: Browser, params: Record<string, string | undefined>) => {
    const { url } = await browser.open(authorizeUrl(site, site.clientId, params).url);
    return url;
  };
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
  });

  // RFC 9700, 4.4; RFC 9207
  it('mix-up: names the issuer in every answer, errors too', async () => {
    const browser = await site.browser('ada@example.com');
    const refused = await answerTo(browser, { scope: 'unknown:scope' });
    expect(refused.searchParams.get('error')).toBe('invalid_scope');
    expect(refused.searchParams.get('iss')).toBe(site.issuer);
    const page = await browser.open(authorizeUrl(site, site.clientId).url);
    const { url } = await browser.submit(page.html, '/consent/allow');
    expect(url.searchParams.get('iss')).toBe(site.issuer);
  });

  // RFC 9700, 4.1
  it.each([
    `${callback}/`,
    `${callback}?next=https://evil.test`,
    `${callback}/../evil`,
    `${callback}%2f..%2fevil`,
    'https://notes.test/Callback',
    'https://notes.test:444/callback',
    'https://notes.test.evil.test/callback',
    'https://evil.test/callback',
    'https://notes.test@evil.test/callback',
    'http://notes.test/callback',
  ])('sends nothing to %s, a variation of a registered address', async (address) => {
    const browser = await site.browser('ada@example.com');
    const { status, url } = await browser.open(
      authorizeUrl(site, site.clientId, { redirect_uri: address }).url,
    );
    expect([status, url.origin]).toEqual([400, site.issuer]);
  });

  // RFC 9700, 4.5
  it('code injection: a code needs the verifier of the request that it was issued for', async () => {
    const stolen = await allow(site, await site.browser('ada@example.com'), site.clientId);
    const own = await allow(site, await site.browser('eve@example.com'), site.clientId);
    expect(await askForToken(site, { ...stolen, code_verifier: own.code_verifier })).toMatchObject({
      status: 400,
      error: 'invalid_grant',
    });
  });

  // RFC 9700, 4.8
  it.each([
    [{ code_challenge: undefined, code_challenge_method: undefined }],
    [{ code_challenge: undefined }],
    [{ code_challenge_method: 'plain' }],
    [{ code_challenge_method: undefined }],
  ])('PKCE downgrade: begins nothing with %j', async (params) => {
    const url = await answerTo(await site.browser('ada@example.com'), params);
    expect([url.searchParams.get('code'), url.searchParams.get('error')]).toEqual([null, 'invalid_request']);
  });

  it('PKCE downgrade: gives no token without the verifier', async () => {
    const { code_verifier: _verifier, ...redeemable } = await allow(
      site,
      await site.browser('ada@example.com'),
      site.clientId,
    );
    expect((await askForToken(site, redeemable)).error).toBe('invalid_grant');
  });

  // RFC 9700, 2.1.2
  it.each([
    { response_type: 'token' },
    { response_type: 'id_token', nonce: 'n' },
    { response_type: 'code id_token', nonce: 'n' },
    { response_mode: 'form_post' },
    { request: 'eyJhbGciOiJub25lIn0.e30.' },
    { request_uri: 'https://evil.test/request' },
  ])('offers no other way for an answer or a request: %j', async (params) => {
    const url = await answerTo(await site.browser('ada@example.com'), params);
    expect(url.searchParams.get('code')).toBeNull();
    expect(url.hash).not.toContain('token');
  });

  it('refuses a parameter that comes twice', async () => {
    const browser = await site.browser('ada@example.com');
    const { url } = await browser.open(
      `${authorizeUrl(site, site.clientId).url}&redirect_uri=https://evil.test`,
    );
    expect(url.origin).not.toBe('https://evil.test');
    expect(url.searchParams.get('code')).toBeNull();
  });

  // Advisories: a code or a token without the secret of its client
  it.each(['no secret', 'a wrong secret', 'an empty secret', 'the secret of another client'])(
    'client impersonation: gives a confidential client nothing with %s',
    async (name) => {
      const redeemable = await allow(site, await site.browser('ada@example.com'), confidential.id);
      const other = await site.oauth.clients.create({
        name: 'Other',
        redirectUris: [callback],
        confidential: true,
      });
      const headers = {
        'no secret': {},
        'a wrong secret': basic(confidential.id, 'x'.repeat(43)),
        'an empty secret': basic(confidential.id, ''),
        'the secret of another client': basic(confidential.id, other.secret!),
      }[name];
      const { client_id: _id, ...rest } = redeemable;
      const params = name === 'no secret' ? redeemable : rest;
      expect((await askForToken(site, params, headers)).error).toMatch(/^invalid_(client|request)$/);
      expect((await askForToken(site, rest, basic(confidential.id, confidential.secret))).status).toBe(200);
    },
  );

  it('client impersonation: a refresh token of a confidential client needs its secret', async () => {
    const { client_id: _id, ...rest } = await allow(
      site,
      await site.browser('ada@example.com'),
      confidential.id,
    );
    const tokens = await askForToken(site, rest, basic(confidential.id, confidential.secret));
    expect((await refresh(site, confidential.id, tokens.refresh_token)).error).toBe('invalid_client');
    expect((await refresh(site, site.clientId, tokens.refresh_token)).error).toBe('invalid_grant');
  });

  // Advisories: consent that is skipped
  it.each(['none', 'none consent', 'select_account'])(
    'gives no code for a user who has given nothing to a request with prompt=%s',
    async (prompt) => {
      const url = await answerTo(await site.browser('new@example.com'), { prompt });
      expect(url.searchParams.get('code')).toBeNull();
    },
  );

  // Advisories: an authorization before the second step
  it('gives no code to a user who has not passed the second step', async () => {
    const { service } = site.test;
    const email = 'grace@example.com';
    const user = await service.users.create({ email, emailVerified: true });
    const { secret } = await service.totp.beginEnrollment(user.id);
    await service.totp.confirmEnrollment(user.id, codeAt(secret, site.test.clock.now()));
    const browser = new Browser(site.issuer);
    const post = (route: string, body: object) =>
      browser.send(`/api/auth/email-code/${route}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: site.issuer },
        body: JSON.stringify(body),
      });
    await post('send', { email });
    await site.test.mail.next(email);
    const code = site.test.mail.lastCode(email);
    const response = await post('verify', { email, code });
    expect(await response.json()).toMatchObject({ error: 'mfa_required' });
    const { html, url } = await browser.open(authorizeUrl(site, site.clientId).url);
    expect(url.pathname).not.toBe('/consent');
    expect(html).not.toContain('/consent/allow');
  });

  // RFC 9700, 4.9 and 4.10
  it('takes no token for another kind of token', async () => {
    const tokens = await signedIn(site, 'ada@example.com', site.clientId, { scope: 'openid notes:read' });
    expect((await call(site, tokens.refresh_token)).status).toBe(401);
    expect((await call(site, tokens.id_token)).status).toBe(401);
    expect((await refresh(site, site.clientId, tokens.access_token)).error).toBe('invalid_grant');
    const code = { grant_type: 'authorization_code', client_id: site.clientId, redirect_uri: callback };
    const redeemed = await askForToken(site, {
      ...code,
      code: tokens.access_token,
      code_verifier: 'x'.repeat(43),
    });
    expect(redeemed.error).toBe('invalid_grant');
  });

  // Advisories: registration of what only an administrator may give
  it.each([
    { grant_types: ['client_credentials'] },
    { grant_types: ['urn:ietf:params:oauth:grant-type:token-exchange'] },
    { grant_types: ['implicit', 'password'] },
    { skip_consent: true, trusted: true },
    { client_id: 'chosen', client_secret: 'chosen' },
  ])('gives a client that registers itself no more with %j', async (metadata) => {
    const response = await fetch(`${site.issuer}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [callback], ...metadata }),
    });
    const body = (await response.json()) as { client_id?: string; grant_types?: string[] };
    expect(body.client_id).not.toBe('chosen');
    const allowed = ['authorization_code', 'refresh_token'];
    expect((body.grant_types ?? []).filter((type) => !allowed.includes(type))).toEqual([]);
    expect(Object.keys(body)).not.toContain('skip_consent');
    site.test.clock.advance(60 * 60_000);
  });
});
