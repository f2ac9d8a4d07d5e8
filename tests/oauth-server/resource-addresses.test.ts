// The addresses of resources, as RFC 8707 and RFC 9728 allow them, and parameters without a value.
import { createOAuthServer } from '../../src/oauth-server.js';
import { makeService } from '../support/make-service.js';
import { openOAuthSite } from '../support/oauth-site.js';
import { clientSite } from './client-site.js';
import { allow, askForToken, authorizeUrl, refresh } from './protocol.js';

const scopes = { read: 'Read' };
const wellKnown = '/.well-known/oauth-protected-resource';

describe('The address of a resource', () => {
  it.each(['https://acme.test/mcp#part', 'https://acme.test/mcp#', 'https://a:b@acme.test/mcp', 'mcp'])(
    'is refused by its option if it is %s',
    async (resource) => {
      const { service } = await makeService();
      const options = { issuer: 'https://acme.test', resources: { [resource]: { scopes } } };
      expect(() => createOAuthServer(service, options)).toThrow('without a fragment (#)');
      await service.close();
    },
  );

  it('is refused if another one is the same', async () => {
    const { service } = await makeService();
    const resources = { 'https://acme.test': { scopes }, 'https://acme.test/': { scopes } };
    expect(() => createOAuthServer(service, { issuer: 'https://acme.test', resources })).toThrow('once');
    await service.close();
  });

  it('may contain what Express reads as a pattern', async () => {
    const issuer = 'https://acme.test';
    const paths = ['/a(b', '/a*', '/a:b', '/a?x=1', '/a?x=2', '/a+b'];
    const resources = Object.fromEntries(paths.map((path) => [issuer + path, { scopes }]));
    const site = await openOAuthSite({ issuer, resources });
    const found = await Promise.all(
      paths.map(async (path) => (await fetch(site.issuer + wellKnown + path)).json()),
    );
    expect(found.map((each) => (each as { resource: string }).resource)).toEqual(
      paths.map((path) => issuer + path),
    );
    for (const path of ['/ab', '/abc', '/a?x=3'])
      expect([path, (await fetch(site.issuer + wellKnown + path)).status]).toEqual([path, 404]);
    await site.close();
  });

  it.each(['', '/'])('without a path is described at one place, if it is configured with %j', async (end) => {
    const issuer = 'https://acme.test';
    const site = await openOAuthSite({ issuer, resources: { [issuer + end]: { scopes } } });
    for (const path of ['', '/'])
      expect(await (await fetch(site.issuer + wellKnown + path)).json()).toMatchObject({
        resource: issuer + end,
      });
    await site.close();
  });
});

describe('A request', () => {
  const root = 'https://root.test';
  const site = clientSite({ resources: { [root]: { scopes, accessTokens: 'jwt' } } });

  it.each([root, `${root}/`])('for a resource without a path may name it %s', async (asked) => {
    const browser = await site.browser('ada@example.com');
    const params = { resource: asked, scope: 'read', prompt: 'consent' };
    const redeemable = await allow(site, browser, site.clientId, params);
    const other = asked === root ? `${root}/` : root;
    const tokens = await askForToken(site, { ...redeemable, resource: other });
    expect(tokens).toMatchObject({ status: 200, scope: 'read' });
    const claims = JSON.parse(Buffer.from(tokens.access_token.split('.')[1]!, 'base64url').toString()) as {
      aud: string;
    };
    expect(claims.aud).toBe(root);
    for (const name of [asked, other]) {
      const verified = await site.oauth.verifierFor(name).verifyAccessToken(tokens.access_token);
      expect(verified).toMatchObject({ clientId: site.clientId, scopes: ['read'] });
      expect(() => site.oauth.requireAccessToken({ resource: name })).not.toThrow();
    }
    await expect(site.oauth.verifier.verifyAccessToken(tokens.access_token)).rejects.toThrow('not valid');
    expect((await refresh(site, site.clientId, tokens.refresh_token, { resource: asked })).status).toBe(200);
  });

  it('has verifiers for the resources of the server alone', () => {
    expect(() => site.oauth.verifierFor('https://other.test')).toThrow('must be one of');
  });

  it.each([
    ['scope', { scope: '' }, ['Read your notes', 'Change your notes']],
    ['resource', { resource: '' }, ['Read your notes']],
    ['scope and resource', { scope: '', resource: '' }, ['Read your notes', 'Change your notes']],
  ])('with an empty %s counts as one without it', async (_name, params, shown) => {
    const browser = await site.browser('bob@example.com');
    const { html } = await browser.open(authorizeUrl(site, site.clientId, params).url);
    for (const text of shown) expect(html).toContain(text);
  });

  it('that names scopes and no resource is for the first resource that has them', async () => {
    const browser = await site.browser('bob@example.com');
    const params = { resource: undefined, scope: 'openid read', prompt: 'consent' };
    const redeemable = await allow(site, browser, site.clientId, params);
    const answer = await askForToken(site, { ...redeemable, resource: '' });
    expect(answer).toMatchObject({ status: 200, scope: 'read' });
  });

  it('of a device that names scopes and no resource is for the first resource that has them', async () => {
    const { client } = await site.oauth.clients.create({ name: 'TV', grants: ['device_code'] });
    const body = new URLSearchParams({ client_id: client.id, scope: 'read', resource: '' });
    const begun = await fetch(`${site.issuer}/oauth/device`, { method: 'POST', body });
    const { user_code: code } = (await begun.json()) as { user_code: string };
    const browser = await site.browser('bob@example.com');
    const entry = await browser.open('/device');
    const page = await browser.submit(entry.html, '/device/enter', { code });
    expect(page.html).toContain('<bdi>Read</bdi>');
  });
});
