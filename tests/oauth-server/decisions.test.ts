// What a user decides about an application: one decision counts, and it is stored as a whole.
import { memoryAdapter } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { formOf, openOAuthSite, type Browser, type OAuthSite } from '../support/oauth-site.js';
import { clientSite, grantsOf } from './client-site.js';
import { askForToken, authorizeUrl, call, callback } from './protocol.js';

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

async function beginOnDevice(site: OAuthSite, clientId: string) {
  const response = await fetch(`${site.issuer}/oauth/device`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: clientId, resource: site.resource, scope: 'notes:read' }),
  });
  return (await response.json()) as { device_code: string; user_code: string };
}

/** A site on which a user has entered the code of a device, before the decision. */
async function enterOnDevice() {
  const adapter = memoryAdapter();
  const site = await openOAuthSite({}, adapter);
  const { client } = await site.oauth.clients.create({ name: 'TV', grants: ['device_code'] });
  const started = await beginOnDevice(site, client.id);
  const browser = await site.browser('ada@example.com');
  const entry = await browser.open('/device');
  const page = await browser.submit(entry.html, '/device/enter', { code: started.user_code });
  return { adapter, browser, client, page, site, started };
}

describe('A decision about a device', () => {
  it('can be made again after a failure of the storage, and gives access once', async () => {
    const { adapter, browser, client, page, site, started } = await enterOnDevice();
    const { oauthServer } = adapter;
    const failing = jest
      .spyOn(oauthServer!, 'insertGrant')
      .mockRejectedValueOnce(new Error('The storage fails.'));
    expect((await browser.submit(page.html, '/device/allow')).status).toBe(500);
    failing.mockRestore();
    const ask = () => {
      site.test.clock.advance(5_000);
      const params = { grant_type: grantType, client_id: client.id, device_code: started.device_code };
      return askForToken(site, params);
    };
    expect((await ask()).error).toBe('authorization_pending');
    expect((await browser.submit(page.html, '/device/allow')).html).toContain('Device connected');
    expect(await grantsOf(site, 'ada@example.com')).toHaveLength(1);
    const tokens = await ask();
    expect((await call(site, tokens.access_token)).status).toBe(200);
    await site.close();
  });

  it('counts although older grants could not be limited', async () => {
    const { adapter, browser, page, site } = await enterOnDevice();
    const failing = jest
      .spyOn(adapter.oauthServer!, 'listGrants')
      .mockRejectedValueOnce(new Error('The storage fails.'));
    expect((await browser.submit(page.html, '/device/allow')).html).toContain('Device connected');
    failing.mockRestore();
    expect(
      site.test.log.some(({ level, fields }) => level === 'error' && fields['event'] === 'oauth_server'),
    ).toBe(true);
    await site.close();
  });
});

describeAdapters('Parallel decisions about one consent', ({ adapter, uniqueEmail }) => {
  const site = clientSite({}, adapter);

  /** Sends forms at the same moment, and follows the request to its client. */
  async function race(browser: Browser, decisions: readonly ('allow' | 'deny')[]) {
    const page = await browser.open(authorizeUrl(site, site.clientId, { prompt: 'consent' }).url);
    const { oauthServer } = site.test.adapter;
    // Every form is checked before the first decision is stored.
    let waiting = 0;
    let open: () => void = () => undefined;
    const all = new Promise<void>((resolve) => (open = resolve));
    const arrive = () => {
      if (++waiting === decisions.length) open();
      return all;
    };
    const insertGrant = oauthServer!.insertGrant.bind(oauthServer);
    const changeToken = oauthServer!.changeToken.bind(oauthServer);
    const spies = [
      jest.spyOn(oauthServer!, 'insertGrant').mockImplementation(async (...args) => {
        await arrive();
        return insertGrant(...args);
      }),
      jest.spyOn(oauthServer!, 'changeToken').mockImplementation(async (...args) => {
        await arrive();
        return changeToken(...args);
      }),
    ];
    const before = await grantsOf(site, email(browser));
    const sent = decisions.map((decision) => browser.submit(page.html, `/consent/${decision}`));
    const ends = await Promise.all(sent);
    for (const spy of spies) spy.mockRestore();
    const answers = ends.flatMap(({ url }) => (url.href.startsWith(callback) ? [url.searchParams] : []));
    const after = await grantsOf(site, email(browser));
    return { answers, given: after.length - before.length };
  }

  const emails = new WeakMap<Browser, string>();
  const email = (browser: Browser) => emails.get(browser)!;
  async function newBrowser() {
    const address = uniqueEmail();
    const browser = await site.browser(address);
    emails.set(browser, address);
    return browser;
  }

  it('two of "Allow" give access once', async () => {
    const { answers, given } = await race(await newBrowser(), ['allow', 'allow']);
    expect(given).toBe(1);
    expect(answers.filter((answer) => answer.has('code'))).toHaveLength(1);
  });

  it('a decided request that continues several times at once gets one code', async () => {
    const browser = await newBrowser();
    const page = await browser.open(authorizeUrl(site, site.clientId, { prompt: 'consent' }).url);
    const fields = [...page.html.matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)];
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: site.issuer };
    await browser.send('/consent/allow', {
      method: 'POST',
      headers,
      body: formOf(fields.map(([, name = '', value = '']) => ['', name, value])),
    });
    const decided = await (await browser.send(page.url.href)).text();
    const [, address = ''] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(decided) ?? [];
    const ends = await Promise.all(
      Array.from({ length: 8 }, () => browser.send(address.replaceAll('&amp;', '&'))),
    );
    const addresses = ends.map(({ headers: given }) => given.get('location') ?? '');
    expect(addresses.filter((each) => each.includes('code='))).toHaveLength(1);
  });

  it('of "Allow" and "Deny" one counts, and a refusal leaves no access', async () => {
    for (const decisions of [
      ['allow', 'deny'],
      ['deny', 'allow'],
    ] as const) {
      const { answers, given } = await race(await newBrowser(), decisions);
      const codes = answers.filter((answer) => answer.has('code'));
      const refusals = answers.filter((answer) => answer.get('error') === 'access_denied');
      expect(given).toBe(codes.length);
      expect(codes.length + refusals.length).toBe(1);
    }
  });
});
