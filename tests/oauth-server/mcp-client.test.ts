// The official MCP client signs in at the OAuth server, from nothing but the address of the resource.
import { auth } from '@modelcontextprotocol/client';
import { mcpCallback, mcpProvider, type McpMemory } from '../support/mcp-memory.js';
import { openOAuthSite, type OAuthSite } from '../support/oauth-site.js';

describe('The official MCP client', () => {
  let site: OAuthSite;
  beforeAll(async () => {
    site = await openOAuthSite({ registration: true });
  });
  afterAll(() => site.close());

  it('registers, signs its user in, calls the resource and refreshes', async () => {
    const memory: McpMemory = {};
    const provider = mcpProvider(memory);
    expect(await auth(provider, { serverUrl: site.resource })).toBe('REDIRECT');
    const browser = await site.browser('ada@example.com');
    const page = await browser.open(memory.url!);
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

  it('signs in as a client that the application has registered', async () => {
    const { client } = await site.oauth.clients.create({ name: 'Desk', redirectUris: [mcpCallback] });
    const memory: McpMemory = { client: { client_id: client.id, redirect_uris: [mcpCallback] } };
    const provider = mcpProvider(memory);
    expect(await auth(provider, { serverUrl: site.resource })).toBe('REDIRECT');
    expect(new URL(memory.url!).searchParams.get('client_id')).toBe(client.id);
    const browser = await site.browser('grace@example.com');
    const page = await browser.open(memory.url!);
    const { url } = await browser.submit(page.html, '/consent/allow');
    const [authorizationCode, iss] = [url.searchParams.get('code')!, url.searchParams.get('iss')!];
    expect(await auth(provider, { serverUrl: site.resource, authorizationCode, iss })).toBe('AUTHORIZED');
  });
});
