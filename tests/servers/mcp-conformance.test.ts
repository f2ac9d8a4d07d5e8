/** The conformance tests of MCP for authorization servers, on machines that have them. */
import { describeWithMcpConformance, testAuthorizationServer } from '../support/mcp-conformance.js';
import { freePort } from '../support/free-port.js';
import { openOAuthSite, type OAuthSite } from '../support/oauth-site.js';

describeWithMcpConformance('the conformance tests of MCP', () => {
  let site: OAuthSite;
  beforeAll(async () => {
    site = await openOAuthSite();
  });
  afterAll(() => site.close());

  // With a secret, the runner would still ask without it, because the server also knows clients that have none.
  it('pass for an authorization server', async () => {
    const port = await freePort();
    const { issuer, oauth, resource } = site;
    const redirectUris = [`http://127.0.0.1:${port}/callback`];
    const { client } = await oauth.clients.create({ name: 'Runner', redirectUris });
    const options = { url: issuer, 'client-id': client.id, resource, port: String(port) };
    const { code, out } = await testAuthorizationServer(options, async (url) => {
      const browser = await site.browser('ada@example.com');
      const page = await browser.open(url);
      const end = await browser.submit(page.html, '/consent/allow');
      await fetch(end.url);
    });
    expect(out).toContain('authorization-server-metadata-endpoint');
    expect(out).toContain('authorization-code-grant');
    expect({ code, out }).toEqual({ code: 0, out });
  });
});
