// To which addresses codes may travel (RFC 9700, 2.1; RFC 8252, 7).
import { targetOf } from '../../src/oauth-server/asked.js';
import { openOAuthSite, type OAuthSite } from '../support/oauth-site.js';
import { authorizeUrl } from './protocol.js';

describe('A redirect address on the computer of the user', () => {
  it.each([
    ...['localhost', 'localhost.', 'a.localhost', '127.0.0.1', '127.0.0.2', '127.255.1.9', '2130706433'],
    ...['0.0.0.0', '[::]', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:127.9.0.0]', '[::ffff:0.0.0.0]'],
  ])('is asked for with a warning, and never remembered: %s', (host) => {
    expect(targetOf({ redirect_uri: `https://${host}/callback` }).isLocal).toBe(true);
  });

  it.each([
    ...['notes.test', 'localhost.test', 'alocalhost', '127.0.0.1.test', '128.0.0.1', '10.0.0.1'],
    ...['[::2]', '[::ffff:128.0.0.1]', '[2001:db8::1]'],
  ])('is not %s', (host) => {
    expect(targetOf({ redirect_uri: `https://${host}/callback` }).isLocal).toBe(false);
  });
});

describe('A redirect address', () => {
  let site: OAuthSite;
  beforeAll(async () => {
    site = await openOAuthSite({ registration: true });
  });
  afterAll(() => site.close());
  beforeEach(() => site.test.clock.advance(3_600_001));

  const register = async (client: Record<string, unknown>) => {
    const response = await fetch(`${site.issuer}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(client),
    });
    return (await response.json()) as { error?: string; client_id: string };
  };

  it.each([
    ...[
      'intent://scan/#Intent;end',
      'intent://scan/',
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'data:text/html,x',
    ],
    ...[
      'file:///etc/passwd',
      'vbscript:x',
      'blob:https://a.test/x',
      'about:blank',
      'view-source:https://a.test',
    ],
    ...[
      'ftp://a.test/x',
      'ws://a.test/x',
      'notes:/callback',
      'notes://callback',
      'market://details',
      'tel:1',
      'mailto:a@b.c',
    ],
    ...[
      'http://a.test/x',
      'http://127.0.0.1.evil.test/x',
      'http://localhost.evil.test/x',
      'http://127.0.0.2/x',
    ],
    ...[
      'http://2130706433.evil.test/',
      'https://user@a.test/x',
      'https://user:pass@a.test/x',
      'https://a.test/#',
    ],
    ...['https://a.test/x#y', '/callback', 'a.test/callback', '', 'https://'],
    ...[
      'https://a.test/x\u0000',
      'https://a.test/\r\nx',
      'https://a.test/a\tb',
      'https://a.test/a b',
      ' https://a.test/x',
    ],
    ...[
      'https:\\\\a.test\\x',
      'https://a.test\\@b.test/x',
      'https://a.test/é',
      'https://a.test/<x>',
      'https://a.test/"',
    ],
    ...['com.example:/x#y', '.com:/x', 'com.:/x', '\u0001javascript:alert(1)', ' javascript:alert(1)'],
  ])('%j is refused', async (address) => {
    for (const type of ['web', 'native', undefined])
      expect(await register({ redirect_uris: [address], application_type: type })).toMatchObject({
        error: 'invalid_redirect_uri',
      });
    const created = site.oauth.clients.create({ name: 'Bad', redirectUris: [address] });
    await expect(created).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it.each([
    'https://a.test/x',
    'https://a.test/x?y=1',
    'https://a.test/a%20b?y=%C3%A9&z=(1)',
    'http://[::1]/x',
    'com.example.notes:/x',
    'com.example.notes://x',
  ])('%j is accepted', async (address) => {
    const { client_id: id } = await register({ redirect_uris: [address] });
    const response = await fetch(authorizeUrl(site, id, { redirect_uri: address }).url, {
      redirect: 'manual',
    });
    expect(response.status).toBe(303);
  });

  it('of a loopback counts with any port, also next to one on the web', async () => {
    const { client } = await site.oauth.clients.create({
      name: 'Editor',
      redirectUris: ['https://editor.test/callback', 'http://127.0.0.1/callback'],
    });
    const begin = async (redirect_uri: string) =>
      (await fetch(authorizeUrl(site, client.id, { redirect_uri }).url, { redirect: 'manual' })).status;
    expect(await begin('http://127.0.0.1:33418/callback')).toBe(303);
    expect(await begin('https://editor.test/callback')).toBe(303);
    expect(await begin('https://editor.test:8443/callback')).toBe(400);
  });
});
