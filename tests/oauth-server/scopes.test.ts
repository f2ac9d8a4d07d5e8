// What a request asks for if it names nothing, and how users read it.
import { de } from '../../src/pages/texts/de/de.js';
import { en } from '../../src/pages/texts/en.js';
import { ja } from '../../src/pages/texts/ja/ja.js';
import { clientSite, grantsOf } from './client-site.js';
import { allow, askForToken, authorizeUrl, signedIn } from './protocol.js';

const files = 'https://files.test/api';

describe('A request', () => {
  const site = clientSite({
    resources: {
      [files]: {
        scopes: { 'files:read': 'Read your files', 'notes:write': 'Write on your files' },
        defaultScopes: ['files:read'],
      },
    },
  });

  it('that names several resources and no scopes gets the default scopes of each, and no more', async () => {
    const { url } = authorizeUrl(site, site.clientId, { scope: undefined });
    const browser = await site.browser('ada@example.com');
    const page = await browser.open(`${url}&resource=${encodeURIComponent(files)}`);
    for (const text of ['Read your notes', 'Change your notes', 'Read your files'])
      expect(page.html).toContain(text);
    expect(page.html).not.toContain('Write on your files');
    await browser.submit(page.html, '/consent/allow');
    const grants = await grantsOf(site, 'ada@example.com');
    expect(grants.map(({ scopes }) => scopes)).toEqual([
      { [site.resource]: ['notes:read', 'notes:write'], [files]: ['files:read'] },
    ]);
  });

  it('that names neither resources nor scopes asks for the first resource', async () => {
    const params = { scope: undefined, resource: undefined };
    const { resource: _, ...redeemable } = await allow(
      site,
      await site.browser('bob@example.com'),
      site.clientId,
      params,
    );
    const tokens = await askForToken(site, redeemable);
    expect(tokens.scope).toBe('notes:read notes:write');
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    expect((await fetch(site.resource, { headers })).status).toBe(200);
  });

  it('cannot widen or narrow itself with a parameter of this server', async () => {
    const { url } = authorizeUrl(site, site.clientId, { scope: 'notes:write', resource: files });
    const browser = await site.browser('carol@example.com');
    const page = await browser.open(`${url}&svc_default_scopes=1`);
    expect(page.html).toContain('Write on your files');
  });

  it.each([
    ['en', en],
    ['de', de],
    ['ja', ja],
  ])('for the identity of its user is in words in %s', async (language, { consent: texts }) => {
    const browser = await site.browser('dora@example.com');
    const { url } = authorizeUrl(site, site.clientId, {
      scope: 'openid profile email offline_access',
      prompt: 'consent',
    });
    const page = (await browser.send(url)).headers.get('location')!;
    const html = await (await browser.send(page, { headers: { 'accept-language': language } })).text();
    const list = /<ul class="scopes">.*?<\/ul>/s.exec(html)?.[0] ?? '';
    expect(list.match(/<li>/g)).toHaveLength(3);
    for (const text of Object.values(texts.scopes)) expect(list).toContain(text);
    expect(html).not.toContain('offline_access');
  });

  it('for the identity alone gives nothing of a resource', async () => {
    const tokens = await signedIn(site, 'eve@example.com', site.clientId, { scope: 'openid' });
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    expect((await fetch(site.resource, { headers })).status).toBe(403);
  });
});
