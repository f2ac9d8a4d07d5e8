/** GET /magic-link/verify: where it goes, who may open it, and what never follows from the request (T8, A-32 to A-35). */
import { CodeExpiredError, TokenInvalidError, type ServiceError } from 'svc-auth';
import type { OpenSite } from '../matrix.js';
import type { Site } from '../../support/http-site.js';
import { expectRedirect } from './expect.js';

const minute = 60_000;

async function mailLink(site: Site): Promise<string> {
  const email = site.address();
  await site.post('/magic-link/send', { email });
  return `/magic-link/verify?token=${site.mailedToken(email)}`;
}

export function links(open: OpenSite): void {
  describe('links', () => {
    it('go to successRedirect, exactly as given', async () => {
      for (const successRedirect of ['/welcome?from=mail#top', 'https://app.test/welcome']) {
        const site = await open({ router: { successRedirect } });
        expectRedirect(await site.get(await mailLink(site)), successRedirect, { signedIn: true });
      }
    });

    it('A-22: open once: the second time is a failure, and the first session stays', async () => {
      const site = await open();
      const link = await mailLink(site);
      const first = await site.get(link);
      expectRedirect(await site.get(link), '/?error=token_invalid');
      expect((await site.get('/session', { cookie: first.cookie() })).status).toBe(200);
    });

    it('A-25: are good until their lifetime is over, and code_expired from then on', async () => {
      const site = await open();
      const [early, late] = [await mailLink(site), await mailLink(site)];
      site.clock.advance(15 * minute - 1);
      expectRedirect(await site.get(early), '/', { signedIn: true });
      site.clock.advance(1);
      expectRedirect(await site.get(late), '/?error=code_expired');
    });

    it('A-31: changing any part of the token makes it token_invalid, and the mailed one stays good', async () => {
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

    it('failureRedirect unset: successRedirect with ?error=<code>, after a query and before a fragment', async () => {
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

    it('failureRedirect as a string is used exactly as given, whatever went wrong', async () => {
      const failureRedirect = 'https://app.test/sign-in?again=1#form';
      const site = await open({ router: { successRedirect: '/in', failureRedirect } });
      const link = await mailLink(site);
      expectRedirect(await site.get('/magic-link/verify?token=x'), failureRedirect);
      expectRedirect(await site.get('/magic-link/verify'), failureRedirect);
      site.clock.advance(15 * minute);
      expectRedirect(await site.get(link), failureRedirect);
    });

    it('failureRedirect as a function gets the ServiceError and returns the target', async () => {
      const seen: ServiceError[] = [];
      const failureRedirect = (error: ServiceError) => {
        seen.push(error);
        return `/sign-in/${error.code}`;
      };
      const site = await open({ router: { failureRedirect } });
      const link = await mailLink(site);
      expectRedirect(await site.get('/magic-link/verify?token=x'), '/sign-in/token_invalid');
      site.clock.advance(15 * minute);
      expectRedirect(await site.get(link), '/sign-in/code_expired');
      expect(seen).toEqual([expect.any(TokenInvalidError), expect.any(CodeExpiredError)]);
    });

    it('failureRedirect as a function that throws, or makes no target, falls back to the usual one', async () => {
      const failureRedirect = () => {
        throw new Error('a fault of the application');
      };
      for (const each of [failureRedirect, () => '//evil.test', () => 'back', () => undefined as never]) {
        const site = await open({ router: { failureRedirect: each } });
        expectRedirect(await site.get('/magic-link/verify?token=x'), '/?error=token_invalid');
      }
    });

    it('T8, A-33: HEAD is 200 and does not use the link up', async () => {
      const site = await open();
      const link = await mailLink(site);
      for (const target of [
        link,
        '/magic-link/verify?token=x',
        '/magic-link/verify',
        link.replace('verify', 'verify/'),
      ]) {
        const answer = await site.send('HEAD', target);
        expect([answer.status, answer.text, answer.cookies, answer.location]).toEqual([
          200,
          '',
          [],
          undefined,
        ]);
      }
      expectRedirect(await site.get(link), '/', { signedIn: true });
    });

    it('A-33: a prefetch or a preview does not use the link up, signs nobody in and says nothing', async () => {
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
        const answer = await site.get(link, { headers });
        expect([answer.status, answer.text, answer.cookies, answer.location]).toEqual([
          204,
          '',
          [],
          undefined,
        ]);
      }
      expectRedirect(await site.get(link), '/', { signedIn: true });
    });

    it('A-32: no token is in the answer to a link, neither in the body nor in the target', async () => {
      const site = await open();
      const link = await mailLink(site);
      const token = link.split('token=')[1]!;
      for (const answer of [await site.get(link), await site.get(link)]) {
        expect(answer.text).toBe('');
        expect(answer.location).not.toContain(token);
        expect(answer.headers['referrer-policy']).toBe('no-referrer');
      }
    });

    it('A-34: mailed links and redirects never follow Host, X-Forwarded-Host or the like', async () => {
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

    it('A-35, A-77: no parameter of the request changes where a link goes', async () => {
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

    it('a parameter that baseUrl has already is kept, beside the token', async () => {
      const baseUrl = 'https://app.test/open?lang=de#now';
      const site = await open({ service: { providers: { magicLink: { baseUrl } } } });
      const email = site.address();
      await site.post('/magic-link/send', { email });
      const link = new URL(site.mail.lastLink(email)!);
      expect([link.pathname, link.searchParams.get('lang'), link.hash]).toEqual(['/open', 'de', '#now']);
      const answer = await site.get(`/magic-link/verify?lang=de&token=${link.searchParams.get('token')}`);
      expectRedirect(answer, '/', { signedIn: true });
    });
  });
}
