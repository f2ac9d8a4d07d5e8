// What a user has given is remembered for the host that the page has shown: another one is asked for again.
import { internals } from '../../src/core/internals.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { openDocumentSite } from '../support/document-site.js';
import { openOAuthSite, type Browser, type OAuthSite } from '../support/oauth-site.js';
import { allow, askForToken, authorizeUrl, callback, refresh } from './protocol.js';

const other = 'https://other.test/callback';
const both = { scope: 'notes:read notes:write' };
const day = 24 * 60 * 60_000;

describeAdapters('A remembered consent', ({ adapter, uniqueEmail }) => {
  let site: OAuthSite;
  let clientId: string;
  beforeAll(async () => {
    site = await openOAuthSite({}, adapter());
    const { client } = await site.oauth.clients.create({ name: 'Notes', redirectUris: [callback, other] });
    clientId = client.id;
  });
  afterAll(() => site.close());
  // The limits of one test are not those of another.
  beforeEach(() => site.test.clock.advance(61 * 60_000));

  const isAsked = async (browser: Browser, id: string, params: Record<string, string> = {}) =>
    (await browser.open(authorizeUrl(site, id, params).url)).url.pathname === '/consent';

  it('does not count for another host of the client, until its user has allowed that too', async () => {
    const browser = await site.browser(uniqueEmail());
    await allow(site, browser, clientId);
    expect(await isAsked(browser, clientId)).toBe(false);
    expect(await isAsked(browser, clientId, { redirect_uri: other })).toBe(true);
    await allow(site, browser, clientId, { redirect_uri: other });
    expect(await isAsked(browser, clientId, { redirect_uri: other })).toBe(false);
    expect(await isAsked(browser, clientId)).toBe(false);
  });

  it('counts for another address of the same host', async () => {
    const more = 'https://notes.test/more';
    const { client } = await site.oauth.clients.create({ name: 'Notes', redirectUris: [callback, more] });
    const browser = await site.browser(uniqueEmail());
    await allow(site, browser, client.id);
    expect(await isAsked(browser, client.id, { redirect_uri: more })).toBe(false);
  });

  it('does not count for another host with prompt=none', async () => {
    const browser = await site.browser(uniqueEmail());
    await allow(site, browser, clientId);
    const { url } = authorizeUrl(site, clientId, { prompt: 'none', redirect_uri: other });
    const answer = new URL((await browser.send(url)).headers.get('location')!);
    expect([answer.host, answer.searchParams.get('error')]).toEqual(['other.test', 'consent_required']);
  });

  it('counts no scope at a host that was given for another one', async () => {
    const browser = await site.browser(uniqueEmail());
    await allow(site, browser, clientId, { scope: 'notes:write' });
    await allow(site, browser, clientId, { redirect_uri: other });
    expect(await isAsked(browser, clientId, { ...both, redirect_uri: other })).toBe(true);
  });

  it('adds up what was given for one host', async () => {
    const browser = await site.browser(uniqueEmail());
    await allow(site, browser, clientId, { scope: 'notes:write' });
    await allow(site, browser, clientId);
    expect(await isAsked(browser, clientId, both)).toBe(false);
  });

  it('ends for every host when the user removes the access', async () => {
    const email = uniqueEmail();
    const browser = await site.browser(email);
    await allow(site, browser, clientId);
    await allow(site, browser, clientId, { redirect_uri: other });
    await site.oauth.connectedApps.remove((await site.test.service.users.find({ email }))!.id, clientId);
    expect(await isAsked(browser, clientId)).toBe(true);
    expect(await isAsked(browser, clientId, { redirect_uri: other })).toBe(true);
  });

  it('ends 90 days after the last authorization, although its client still refreshes', async () => {
    const email = uniqueEmail();
    const first = await askForToken(site, await allow(site, await site.browser(email), clientId));
    site.test.clock.advance(60 * day);
    const second = await refresh(site, clientId, first.refresh_token);
    site.test.clock.advance(31 * day);
    expect(await isAsked(await site.browser(email), clientId)).toBe(true);
    expect((await refresh(site, clientId, second.refresh_token)).status).toBe(200);
  });

  it('does not count for a client whose document names another host now', async () => {
    const client = await openDocumentSite();
    const id = `${client.origin}/client.json`;
    site.test.service[internals].consents.network = client.network;
    client.publish({ client_id: id, client_name: 'Notes', redirect_uris: [callback] });
    const browser = await site.browser(uniqueEmail());
    await allow(site, browser, id);
    expect(await isAsked(browser, id)).toBe(false);
    client.publish({ client_id: id, client_name: 'Notes', redirect_uris: [other] });
    site.test.clock.advance(day);
    const page = await (
      await site.browser(uniqueEmail())
    ).open(authorizeUrl(site, id, { redirect_uri: other }).url);
    expect(page.html).toContain('other.test');
    expect(await isAsked(browser, id, { redirect_uri: other })).toBe(true);
    await client.close();
  });

  it('is not given for any host by the code of a device', async () => {
    const email = uniqueEmail();
    const browser = await site.browser(email);
    const redirectUris = [callback];
    const grants = ['authorization_code', 'device_code'] as const;
    const { client } = await site.oauth.clients.create({ name: 'TV', redirectUris, grants });
    const started = await fetch(`${site.issuer}/oauth/device`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: client.id, scope: 'notes:read' }),
    });
    const { user_code: code } = (await started.json()) as { user_code: string };
    const entered = await browser.open(`/device?code=${code}`);
    const asked = await browser.submit(entered.html, '/device/enter');
    await browser.submit(asked.html, '/device/allow');
    const { id } = (await site.test.service.users.find({ email }))!;
    expect((await site.oauth.connectedApps.list(id)).map(({ clientId: each }) => each)).toEqual([client.id]);
    expect(await isAsked(browser, client.id)).toBe(true);
  });
});
