// The official MCP client signs in at the OAuth server, from nothing but the address of the resource.
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/client';
import { openOAuthSite, type OAuthSite } from '../support/oauth-site.js';

const callback = 'http://127.0.0.1:7777/callback';

/** What a client stores. */
interface Memory {
  client?: unknown;
  tokens?: { access_token: string; refresh_token?: string };
  verifier?: string;
  url?: URL;
  discovery?: unknown;
}

function providerOf(memory: Memory): OAuthClientProvider {
  return {
    redirectUrl: callback,
    clientMetadata: { client_name: 'Notes CLI', redirect_uris: [callback] },
    clientInformation: () => memory.client as never,
    saveClientInformation: (client) => void (memory.client = client),
    tokens: () => memory.tokens as never,
    saveTokens: (tokens) => void (memory.tokens = tokens),
    redirectToAuthorization: (url) => void (memory.url = url),
    saveCodeVerifier: (verifier) => void (memory.verifier = verifier),
    codeVerifier: () => memory.verifier!,
    saveDiscoveryState: (state) => void (memory.discovery = state),
    discoveryState: () => memory.discovery as never,
  };
}

describe('The official MCP client', () => {
  let site: OAuthSite;
  beforeAll(async () => {
    site = await openOAuthSite({ registration: true });
  });
  afterAll(() => site.close());

  it('registers, signs its user in, calls the resource and refreshes', async () => {
    const memory: Memory = {};
    const provider = providerOf(memory);
    expect(await auth(provider, { serverUrl: site.resource })).toBe('REDIRECT');
    const browser = await site.browser('ada@example.com');
    const page = await browser.open(memory.url!.href);
    expect(page.html).toContain('Notes CLI');
    expect(page.html).toContain('Read your notes');
    expect(page.html).toContain('127.0.0.1:7777');
    const { url } = await browser.submit(page.html, '/consent/allow');
    expect(url.href).toMatch(/^http:\/\/127\.0\.0\.1:7777\/callback\?code=/);
    const [authorizationCode, iss] = [url.searchParams.get('code')!, url.searchParams.get('iss')!];
    expect(await auth(provider, { serverUrl: site.resource, authorizationCode, iss })).toBe('AUTHORIZED');
    const call = () =>
      fetch(site.resource, { headers: { authorization: `Bearer ${memory.tokens!.access_token}` } });
    expect(await (await call()).json()).toMatchObject({
      email: 'ada@example.com',
      scopes: ['notes:read', 'notes:write'],
    });
    const { refresh_token: first } = memory.tokens!;
    expect(await auth(provider, { serverUrl: site.resource })).toBe('AUTHORIZED');
    expect(memory.tokens!.refresh_token).not.toBe(first);
    expect((await call()).status).toBe(200);
  });
});
