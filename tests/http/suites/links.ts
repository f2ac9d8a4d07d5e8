/**
 * GET /magic-link/verify: its redirects, who can open a link, and what never depends on the request
 * (T8, A-32 to A-35).
 */
import { CodeExpiredError, TokenInvalidError, type ServiceError } from 'svc-auth';
import type { OpenSite } from '../matrix.js';
import type { Site } from '../../support/http-site.js';
import { expectRedirect } from './expect.js';

const minute = 60_000;

async function mailLink(site: Site): Promise<string> {
  const email = site.uniqueEmail();
  await site.post('/magic-link/send', { email });
  return `/magic-link/verify?token=${site.mailedToken(email)}`;
}

export function links(open: OpenSite): void {
  describe('magic links', () => {
    it('GET /magic-link/verify redirects to successRedirect exactly as configured', async () => {
      for (const successRedirect of ['/welcome?from=mail#top', 'https://app.test/welcome']) {
        const site = await open({ router: { successRedirect } });
        expectRedirect(await site.get(await mailLink(site)), successRedirect, { signedIn: true });
      }
    });

    //
    it('a magic link works once, and a second use does not end the first session', async () => {
      const site = await open();
      const link = await mailLink(site);
      const first = await site.get(link);
      expectRedirect(await site.get(link), '/?error=token_invalid');
      expect((await site.get('/session', { cookie: first.cookie() })).status).toBe(200);
    });

    //
    it('a magic link works until its lifetime ends and returns code_expired afterwards', async () => {
      const site = await open();
      const [early, late] = [await mailLink(site), await mailLink(site)];
      site.clock.advance(15 * minute - 1);
      expectRedirect(await site.get(early), '/', { signedIn: true });
      site.clock.advance(1);
      expectRedirect(await site.get(late), '/?error=code_expired');
    });

    //
    it('a magic link with an altered token returns token_invalid, and the mailed link remains valid', async () => {
      const site = await open();
      const link = await mailLink(site);
      const other = await mailLink(site);
      const [body = '', signature = ''] = link.split('token=')[1]!.split('.');
      const [otherBody = '', otherSignature = ''] = other.split('token=')[1]!.split('.');
      const forged = Buffer.from(body, 'base64url').toString('latin1').replace('person', 'victim');
      for (const token of [
        `${body}.${otherSignature}`,
        `${otherBody}.${signature}`,
        `${Buffer.from(forged, 'latin1').toString('base64url')}.${signature}`,
        `${body}.${signature}.${signature}`,
        `${body}.`,
        `.${signature}`,
        body,
        `${body}=.${signature}`,
      ]) {
        expectRedirect(await site.get(`/magic-link/verify?token=${token}`), '/?error=token_invalid');
      }
      expectRedirect(await site.get(link), '/', { signedIn: true });
    });

    it('without failureRedirect a failure redirects to successRedirect with ?error=<code>, after a query and before a fragment', async () => {
      for (const [successRedirect, target] of [
        [undefined, '/?error=token_invalid'],
        ['/home', '/home?error=token_invalid'],
        ['/home?a=1', '/home?a=1&error=token_invalid'],
        ['/#/home', '/?error=token_invalid#/home'],
      ] as const) {
        const site = await open({ router: { successRedirect } });
        expectRedirect(await site.get('/magic-link/verify?token=x'), target);
      }
    });

    it('a failureRedirect string is used exactly as configured for every failure', async () => {
      const failureRedirect = 'https://app.test/sign-in?again=1#form';
      const site = await open({ router: { successRedirect: '/in', failureRedirect } });
      const link = await mailLink(site);
      expectRedirect(await site.get('/magic-link/verify?token=x'), failureRedirect);
      expectRedirect(await site.get('/magic-link/verify'), failureRedirect);
      site.clock.advance(15 * minute);
      expectRedirect(await site.get(link), failureRedirect);
    });

    it('a failureRedirect function receives the ServiceError and returns the target', async () => {
      const receivedErrors: ServiceError[] = [];
      const failureRedirect = (error: ServiceError) => {
        receivedErrors.push(error);
        return `/sign-in/${error.code}`;
      };
      const site = await open({ router: { failureRedirect } });
      const link = await mailLink(site);
      expectRedirect(await site.get('/magic-link/verify?token=x'), '/sign-in/token_invalid');
      site.clock.advance(15 * minute);
      expectRedirect(await site.get(link), '/sign-in/code_expired');
      expect(receivedErrors).toEqual([expect.any(TokenInvalidError), expect.any(CodeExpiredError)]);
    });

    it('a failureRedirect function that throws or returns an invalid target falls back to the default target', async () => {
      const failureRedirect = () => {
        throw new Error('an error of the application');
      };
      for (const redirect of [failureRedirect, () => '//evil.test', () => 'back', () => undefined as never]) {
        const site = await open({ router: { failureRedirect: redirect } });
        expectRedirect(await site.get('/magic-link/verify?token=x'), '/?error=token_invalid');
      }
    });

    // T8, A-33
    it('HEAD /magic-link/verify returns 200 and does not use the link', async () => {
      const site = await open();
      const link = await mailLink(site);
      for (const target of [
        link,
        '/magic-link/verify?token=x',
        '/magic-link/verify',
        link.replace('verify', 'verify/'),
      ]) {
        const response = await site.send('HEAD', target);
        expect([response.status, response.text, response.cookies, response.location]).toEqual([
          200,
          '',
          [],
          undefined,
        ]);
      }
      expectRedirect(await site.get(link), '/', { signedIn: true });
    });

    //
    it('a prefetch or a preview of a magic link returns 204, does not use the link and signs no one in', async () => {
      const site = await open();
      const link = await mailLink(site);
      for (const headers of [
        { 'Sec-Purpose': 'prefetch' },
        { 'Sec-Purpose': 'prefetch;prerender' },
        { 'Sec-Purpose': 'prefetch;anonymous-client-ip' },
        { Purpose: 'prefetch' },
        { Purpose: 'preview' },
        { 'X-Moz': 'prefetch' },
        { 'X-Purpose': 'preview', Purpose: 'Prefetch' },
      ] as Record<string, string>[]) {
        const response = await site.get(link, { headers });
        expect([response.status, response.text, response.cookies, response.location]).toEqual([
          204,
          '',
          [],
          undefined,
        ]);
      }
      expectRedirect(await site.get(link), '/', { signedIn: true });
    });

    //
    it('neither the body nor the redirect target of a magic link contains the token', async () => {
      const site = await open();
      const link = await mailLink(site);
      const token = link.split('token=')[1]!;
      for (const response of [await site.get(link), await site.get(link)]) {
        expect(response.text).toBe('');
        expect(response.location).not.toContain(token);
        expect(response.headers['referrer-policy']).toBe('no-referrer');
      }
    });

    //
    it('mailed links and redirects never depend on Host, X-Forwarded-Host or similar headers', async () => {
      for (const trustProxy of [false, true]) {
        const site = await open({ trustProxy });
        const { email } = await site.signUp();
        const headers = {
          Host: 'evil.test',
          'X-Forwarded-Host': 'evil.test',
          'X-Forwarded-Server': 'evil.test',
          'X-Original-Host': 'evil.test',
          'X-Host': 'evil.test',
          Forwarded: 'host=evil.test;proto=https',
          Referer: 'https://evil.test/',
        };
        await site.post('/magic-link/send', { email }, { headers });
        expect(site.mail.lastLink(email)).toMatch(
          /^https:\/\/app\.test\/api\/auth\/magic-link\/verify\?token=/,
        );
        const link = `/magic-link/verify?token=${site.mailedToken(email)}`;
        await site.post('/password/request-reset', { email }, { headers });
        await site.settle();
        expect(site.mail.lastLink(email)).toMatch(/^https:\/\/app\.test\/reset\?token=/);
        await site.post('/email-code/send', { email }, { headers });
        for (const { html, text, subject } of site.mail.messages) {
          expect(html + text + subject).not.toContain('evil.test');
        }
        expectRedirect(await site.get(link, { headers }), '/', { signedIn: true });
        expectRedirect(await site.get(link, { headers }), '/?error=token_invalid');
      }
    });

    //
    it('no parameter of the request changes the target of a magic link', async () => {
      const site = await open();
      const names = [
        'redirectTo',
        'redirect',
        'next',
        'returnTo',
        'return_to',
        'url',
        'state',
        'successRedirect',
      ];
      const query = names.map((name) => `${name}=https://evil.test/`).join('&');
      expectRedirect(await site.get(`${await mailLink(site)}&${query}`), '/', { signedIn: true });
      expectRedirect(await site.get(`/magic-link/verify?token=x&${query}`), '/?error=token_invalid');
    });

    it('a query parameter of baseUrl is kept in the mailed link, in addition to the token', async () => {
      const baseUrl = 'https://app.test/open?lang=de#now';
      const site = await open({ service: { providers: { magicLink: { baseUrl } } } });
      const email = site.uniqueEmail();
      await site.post('/magic-link/send', { email });
      const link = new URL(site.mail.lastLink(email)!);
      expect([link.pathname, link.searchParams.get('lang'), link.hash]).toEqual(['/open', 'de', '#now']);
      const response = await site.get(`/magic-link/verify?lang=de&token=${link.searchParams.get('token')}`);
      expectRedirect(response, '/', { signedIn: true });
    });
  });
}
