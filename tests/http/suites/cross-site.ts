/** A page of another site cannot send a POST to the routes. */
import type { OpenSite } from '../matrix.js';
import type { Site } from '../../support/http-site.js';
import { expectError, expectRedirect, postRoutes } from './expect.js';

const trusted = 'https://admin.test';
const ownHost = 'acme.example';

type Headers = Record<string, string>;
const request = (headers: Headers): Headers => ({ Host: ownHost, ...headers });

const allowed: [string, Headers][] = [
  ['neither Origin nor Sec-Fetch-Site: not sent by a browser', {}],
  ['Sec-Fetch-Site: same-origin', { 'Sec-Fetch-Site': 'same-origin', Origin: `https://${ownHost}` }],
  ['Sec-Fetch-Site: none', { 'Sec-Fetch-Site': 'none' }],
  ['same-site from a trusted origin', { 'Sec-Fetch-Site': 'same-site', Origin: trusted }],
  ['cross-site from a trusted origin', { 'Sec-Fetch-Site': 'cross-site', Origin: trusted }],
  ['cross-site from the origin of baseUrl', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://links.test' }],
  [
    'cross-site from the origin of resetUrl',
    { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://reset.test' },
  ],
  ['the Origin of the application’s host', { Origin: `http://${ownHost}` }],
  ['the https Origin of the application’s host, behind a TLS proxy', { Origin: `https://${ownHost}` }],
  ['a trusted Origin', { Origin: trusted }],
];

const refused: [string, Headers][] = [
  ['Sec-Fetch-Site: cross-site', { 'Sec-Fetch-Site': 'cross-site' }],
  ['Sec-Fetch-Site: same-site', { 'Sec-Fetch-Site': 'same-site' }],
  ['cross-site from an unknown origin', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.test' }],
  ['same-site from a sibling', { 'Sec-Fetch-Site': 'same-site', Origin: `https://blog.${ownHost}` }],
  [
    'cross-site from the plain http page of the application’s host, behind a TLS proxy',
    { 'Sec-Fetch-Site': 'cross-site', Origin: `http://${ownHost}` },
  ],
  ['cross-site from Origin: null', { 'Sec-Fetch-Site': 'cross-site', Origin: 'null' }],
  ['a Sec-Fetch-Site that no browser sends', { 'Sec-Fetch-Site': 'same-origin, cross-site' }],
  ['an empty Sec-Fetch-Site', { 'Sec-Fetch-Site': '' }],
  ['another Origin', { Origin: 'https://evil.test' }],
  ['Origin: null', { Origin: 'null' }],
  ['an empty Origin', { Origin: '' }],
  ['a sibling subdomain', { Origin: `https://blog.${ownHost}` }],
  ['the application’s host on another port', { Origin: `https://${ownHost}:8443` }],
  ['an origin that begins like the application’s origin', { Origin: `https://${ownHost}.evil.test` }],
  ['an origin that ends like the application’s origin', { Origin: `https://evil${ownHost}` }],
  ['a trusted host over plain http', { Origin: 'http://admin.test' }],
  ['a trusted host on another port', { Origin: `${trusted}:8443` }],
  ['a subdomain of a trusted host', { Origin: 'https://x.admin.test' }],
  ['an origin that begins like a trusted one', { Origin: `${trusted}.evil.test` }],
  ['the application’s host as the user part', { Origin: `https://${ownHost}@evil.test` }],
  ['another scheme on the application’s host', { Origin: `chrome-extension://${ownHost}` }],
  ['an Origin that is not a URL', { Origin: ownHost }],
];

export function crossSite(open: OpenSite): void {
  const openTrusting = (trustProxy = false) =>
    open({
      trustProxy,
      service: {
        trustedOrigins: [trusted],
        providers: {
          magicLink: { baseUrl: 'https://links.test/open' },
          emailPassword: { resetUrl: 'https://reset.test/' },
        },
      },
    });
  const send = (site: Site, headers: Headers) =>
    site.post('/email-code/send', { email: site.uniqueEmail() }, { headers: request(headers) });

  describe('cross-site requests', () => {
    //
    it('a POST with allowed origin headers is accepted', async () => {
      const site = await openTrusting();
      for (const [description, headers] of allowed) {
        expect([description, (await send(site, headers)).status]).toEqual([description, 200]);
      }
    });

    //
    it('a POST with disallowed origin headers returns 403 not_authorized and sends no mail', async () => {
      const site = await openTrusting();
      for (const [description, headers] of refused) {
        const response = await send(site, headers);
        expect([description, response.status, response.json.error]).toEqual([
          description,
          403,
          'not_authorized',
        ]);
      }
      expect(site.mail.messages).toEqual([]);
    });

    //
    it('the plain http page of an https application counts as another site', async () => {
      const site = await openTrusting(true);
      const https = { 'X-Forwarded-Proto': 'https' };
      expectError(await send(site, { ...https, Origin: `http://${ownHost}` }), 403, 'not_authorized');
      const fetched = { ...https, 'Sec-Fetch-Site': 'cross-site', Origin: `http://${ownHost}` };
      expectError(await send(site, fetched), 403, 'not_authorized');
      expect((await send(site, { ...https, Origin: `https://${ownHost}` })).status).toBe(200);
    });

    //
    it('X-Forwarded-Host does not change the application’s own origin', async () => {
      for (const trustProxy of [false, true]) {
        const site = await openTrusting(trustProxy);
        const headers = {
          Origin: 'https://evil.test',
          'X-Forwarded-Host': 'evil.test',
          Forwarded: 'host=evil.test',
        };
        expectError(await send(site, headers), 403, 'not_authorized');
      }
    });

    //
    it('every POST route, login and logout included, refuses a request of another site without any effect', async () => {
      const site = await open();
      const { email, password, cookie } = await site.signUp();
      await site.post('/password/request-reset', { email });
      await site.post('/email-code/send', { email });
      await site.settle();
      const sent = site.mail.messages.length;
      const code = site.mail.lastCode(email);
      const resetMail = site.mail.messages.find(({ kind }) => kind === 'password_reset');
      const token = new URL(/https:\S+/.exec(resetMail!.text)![0]).searchParams.get('token');
      const real = { email, password, code, token, newPassword: 'a stolen password' };
      for (const headers of [
        { Origin: 'https://evil.test' },
        { 'Sec-Fetch-Site': 'cross-site' },
      ] as Headers[]) {
        for (const [route, body] of postRoutes) {
          const response = await site.post(route, { ...body, ...real }, { cookie, headers });
          expectError(response, 403, 'not_authorized');
          expect(response.cookies).toEqual([]);
        }
        const fresh = { email: site.uniqueEmail(), password };
        expectError(await site.post('/password/signup', fresh, { headers }), 403, 'not_authorized');
        expectError(await site.post('/password/login', fresh), 401, 'invalid_credentials');
      }
      await site.settle();
      expect(site.mail.messages).toHaveLength(sent);
      expect((await site.get('/session', { cookie })).status).toBe(200);
      expect((await site.post('/password/login', { email, password })).status).toBe(200);
      // Neither the code nor the reset link has been used.
      expect((await site.post('/email-code/verify', { email, code })).status).toBe(200);
    });

    //
    it('a content type that a form of another site can send without a preflight is refused, even without origin headers', async () => {
      const site = await open();
      const { email, password } = await site.signUp();
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
      ]) {
        const headers = { 'Content-Type': type };
        const response = await site.post('/password/login', JSON.stringify({ email, password }), { headers });
        expectError(response, 400, 'invalid_request');
      }
    });

    it('GET /magic-link/verify accepts a request of another site, so that mailed links open from anywhere', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      await site.post('/magic-link/send', { email });
      const headers = {
        'Sec-Fetch-Site': 'cross-site',
        'Sec-Fetch-Mode': 'navigate',
        'Sec-Fetch-Dest': 'document',
      };
      const response = await site.get(`/magic-link/verify?token=${site.mailedToken(email)}`, { headers });
      expectRedirect(response, '/', { signedIn: true });
      expect((await site.get('/session', { cookie: response.cookie(), headers })).status).toBe(200);
    });

    it('a refused cross-site POST is logged with its origin and without its body', async () => {
      const site = await open();
      await site.post(
        '/password/login',
        { email: site.uniqueEmail(), password: 'a secret password' },
        { headers: { Origin: 'https://evil.test' } },
      );
      const entry = site.log.find(({ fields }) => fields['event'] === 'cross_site_post');
      expect(entry).toMatchObject({ level: 'warn', fields: { origin: 'https://evil.test' } });
    });
  });
}
