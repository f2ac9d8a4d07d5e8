// What a person sees of an authorization request that is not answered to its client.
import { memoryAdapter } from 'svc-auth';
import { internals } from '../../src/core/internals.js';
import { html } from '../../src/html/html.js';
import { ar } from '../../src/pages/texts/ar/ar.js';
import { de } from '../../src/pages/texts/de/de.js';
import { en } from '../../src/pages/texts/en.js';
import { zhHant } from '../../src/pages/texts/zh-Hant/zh-Hant.js';
import { openDocumentSite } from '../support/document-site.js';
import { openOAuthSite } from '../support/oauth-site.js';
import { clientSite } from './client-site.js';
import { authorizeUrl, callback } from './protocol.js';

describe('A refused authorization request', () => {
  const site = clientSite({ registration: true });

  const open = async (url: string, language = 'en') => {
    const response = await fetch(url, { redirect: 'manual', headers: { 'accept-language': language } });
    return { response, html: await response.text() };
  };
  const registerItself = async (redirectUri = callback) => {
    const response = await fetch(`${site.issuer}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Itself', redirect_uris: [redirectUri] }),
    });
    return ((await response.json()) as { client_id: string }).client_id;
  };

  it.each([
    ['en', en],
    ['de', de],
    ['ar', ar],
    ['zh-Hant', zhHant],
  ])('is a page of the application in %s', async (language, { consent, errors }) => {
    const { response, html: page } = await open(authorizeUrl(site, 'unknown').url, language);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const code = html`<bdi dir="ltr">invalid_client (client is invalid)</bdi>`;
    const technical = html`${consent.refused.code(code)}`.text;
    for (const text of [errors.failedTitle, consent.ended.lead, technical]) expect(page).toContain(text);
    expect(page).toContain(`<html lang="${language}"`);
    expect(page).not.toContain('<script');
  });

  it('escapes what a client has sent', async () => {
    const { html } = await open(
      authorizeUrl(site, site.clientId, { redirect_uri: 'https://evil.test/<script>alert(1)</script>' }).url,
    );
    expect(html).toContain('invalid_redirect_uri');
    expect(html).not.toContain('evil.test');
  });

  it('says how long to wait when there are too many', async () => {
    const limited = await openOAuthSite();
    const { url } = authorizeUrl(limited, 'unknown');
    let last = await open(url);
    for (let count = 0; count < 200 && last.response.status === 400; count++) last = await open(url);
    const { response, html } = last;
    expect([response.status, response.headers.get('retry-after')]).toEqual([
      429,
      expect.stringMatching(/^\d+$/),
    ]);
    expect(html).toMatch(/Too many attempts. Try again in \d+ minutes/);
    expect(html).toContain('temporarily_unavailable');
    await limited.close();
  });

  it('is a page when the storage fails, before the protocol and within it', async () => {
    const adapter = memoryAdapter();
    const failing = await openOAuthSite({}, adapter);
    const { client } = await failing.oauth.clients.create({ name: 'Notes', redirectUris: [callback] });
    const findClient = adapter.oauthServer!.findClient.bind(adapter.oauthServer);
    adapter.oauthServer!.findClient = () => Promise.reject(new Error('The storage fails.'));
    for (const id of [client.id, 'https://client.test/c']) {
      const { response, html } = await open(authorizeUrl(failing, id).url);
      expect(response.status).toBe(500);
      expect(html).toContain('Try again in a moment');
      expect(html).toContain('server_error');
      expect(html).not.toContain('The storage fails.');
    }
    adapter.oauthServer!.findClient = findClient;
    const { rateLimits } = adapter;
    const hit = rateLimits.hit.bind(rateLimits);
    rateLimits.hit = () => Promise.reject(new Error('The storage fails.'));
    expect((await open(authorizeUrl(failing, client.id).url)).response.status).toBe(500);
    rateLimits.hit = hit;
    await failing.close();
  });

  it('is text when the page fails', async () => {
    const { pageTargets } = site.test.service[internals];
    const refusedRequest = pageTargets.refusedRequest!.bind(pageTargets);
    pageTargets.refusedRequest = () => Promise.reject(new Error('The template fails.'));
    const { response, html } = await open(authorizeUrl(site, 'unknown').url);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      400,
      'text/plain; charset=utf-8',
    ]);
    expect(html).toContain('The request was refused: invalid_client');
    pageTargets.refusedRequest = refusedRequest;
  });

  it('leads to the address of a registered client, with the error', async () => {
    const { response } = await open(authorizeUrl(site, site.clientId, { scope: 'unknown' }).url);
    expect(response.headers.get('location')).toMatch(/^https:\/\/notes\.test\/callback\?error=invalid_scope/);
  });

  it.each([
    [{ scope: 'unknown' }, 'invalid_scope'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ prompt: 'none' }, 'login_required'],
    [{ response_mode: 'fragment', scope: 'unknown' }, 'invalid_scope'],
    [{ resource: 'https://other.test' }, 'invalid_target'],
  ])('leads no browser to a client that registered itself, with %j', async (params, code) => {
    site.test.clock.advance(3_600_001);
    const id = await registerItself('https://evil.test/phishing');
    const { url } = authorizeUrl(site, id, { redirect_uri: 'https://evil.test/phishing', ...params });
    const { response, html } = await open(url);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(html).toContain('The app asked to send you to <strong><bdi dir="ltr">evil.test</bdi></strong>.');
    expect(html).toContain(code);
    expect(html).not.toContain('href="https://evil.test');
    const browser = await site.browser('ada@example.com');
    expect((await browser.open(url)).url.origin).toBe(site.issuer);
  });

  it('leads no browser to a client with a metadata document', async () => {
    const client = await openDocumentSite();
    site.test.service[internals].consents.network = client.network;
    client.publish({ client_id: `${client.origin}/c`, redirect_uris: [callback] });
    const { response } = await open(authorizeUrl(site, `${client.origin}/c`, { scope: 'unknown' }).url);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    await client.close();
  });

  it('leads to a client that registered itself when the user has refused', async () => {
    const id = await registerItself();
    const browser = await site.browser('ada@example.com');
    const page = await browser.open(authorizeUrl(site, id).url);
    const { url } = await browser.submit(page.html, '/consent/deny');
    expect(url.origin + url.pathname).toBe(callback);
    expect(url.searchParams.get('error')).toBe('access_denied');
  });
});
