/**
 * `magicLink.confirmElsewhere`: the browser that asked for a link signs in with it at once, and any
 * other only when its user presses a button. tests/attack/scanners replays mail scanners.
 */
import type { Express } from 'express';
import { asyncRoute, rememberLinkBrowser, signInContext } from 'svc-auth';
import { codeAt } from '../../support/authenticator-app.js';
import { encryptionKey } from '../../support/every-provider.js';
import type { Site, SiteOptions } from '../../support/http-site.js';
import {
  askForLink,
  both,
  expectPage,
  openAndPress,
  press,
  proofOf,
  submit,
} from '../../support/link-pages.js';
import { license } from '../../support/make-pro-service.js';
import type { TestService } from '../../support/make-service.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectRedirect, userLike } from './expect.js';

const minute = 60_000;

export function linkConfirmation(open: OpenSite): void {
  const openSite = ({ service, ...options }: SiteOptions = {}) => {
    const { providers, ...overrides } = service ?? {};
    return open({ ...options, service: { ...overrides, providers: { ...providers, magicLink: both } } });
  };
  /** Expects that the link still works: its own browser signs in with it. */
  const expectUnused = async (site: Site, { link, browser }: { link: string; browser: string }) =>
    expectRedirect(await site.get(link, { cookie: browser }), '/', { signedIn: true });
  const expectSignedIn = (response: Awaited<ReturnType<Site['get']>>, location = '/') => {
    expect([response.status, response.location, response.text]).toEqual([303, location, '']);
    expect(response.cookie()).toMatch(/^svc_session=/);
  };

  describe('confirmation of links', () => {
    it('POST /magic-link/send sets a cookie that only this host and top-level pages get, for the lifetime of the link', async () => {
      const site = await openSite();
      const response = await site.post('/magic-link/send', { email: site.uniqueEmail() });
      expect(response.cookies).toEqual([
        {
          name: 'svc_link',
          value: expect.stringMatching(/^[\w-]{43}$/),
          attributes: {
            'max-age': String((15 * minute) / 1000),
            expires: expect.any(String),
            path: '/',
            httponly: true,
            samesite: 'Lax',
          },
        },
      ]);
      expect(Object.keys(response.json)).toEqual(['expiresAt', 'codeExpiresAt']);
    });

    it('the browser that asked signs in at once', async () => {
      const site = await openSite();
      const { link, browser } = await askForLink(site);
      expectRedirect(await site.get(link, { cookie: browser }), '/', { signedIn: true });
      expectRedirect(await site.get(link, { cookie: browser }), '/?error=token_invalid');
    });

    it('another browser shows a page, and signs in when its button is pressed', async () => {
      const site = await openSite();
      const { email, link, browser } = await askForLink(site);
      const shown = await site.get(link);
      expectPage(shown);
      expectSignedIn(await press(site, link, shown));
      expect((await site.service.users.find({ email }))?.emailVerified).toBe(true);
      expectRedirect(await site.get(link, { cookie: browser }), '/?error=token_invalid');
      const again = await press(site, link, shown);
      expect([again.status, again.location]).toEqual([303, '/?error=token_invalid']);
    });

    it('the page names the masked address and the application, and contains neither the token nor the address', async () => {
      const site = await openSite({ service: { appName: 'Acme & "Sons" <b>' } });
      const { email, link } = await askForLink(site);
      const { text, headers } = await site.get(link);
      expect(text).toContain(`<strong><bdi>${email[0]}***@example.com</bdi></strong`);
      expect(text).toContain('<title>Sign in to Acme &#38; &#34;Sons&#34; &#60;b&#62;</title>');
      expect(text).not.toContain(email);
      expect(text).not.toContain(link.split('token=')[1]!);
      expect(headers['x-robots-tag']).toBe('noindex, nofollow');
      expect(headers['set-cookie']?.[0]).toMatch(/^svc_link_form=[\w-]{43}; .*HttpOnly; SameSite=Lax$/);
    });

    it('the policy of the page allows its form to be redirected to the configured targets', async () => {
      const policyOf = async (router: SiteOptions['router']) => {
        const site = await openSite({ router });
        const { headers } = await site.get((await askForLink(site)).link);
        return /form-action ([^;]*)/.exec(String(headers['content-security-policy']))?.[1];
      };
      expect(await policyOf({ successRedirect: '/in' })).toBe("'self'");
      const targets = { successRedirect: 'https://app.test/in', failureRedirect: 'https://b.test/out?x=1' };
      expect(await policyOf(targets)).toBe("'self' https://app.test https://b.test");
      expect(await policyOf({ failureRedirect: () => '/out' })).toBe("'self' https: http:");
    });

    it('a malformed or expired link redirects to the failure target without a page', async () => {
      const site = await openSite();
      const { link, browser } = await askForLink(site);
      for (const broken of ['/magic-link/verify', '/magic-link/verify?token=x', `${link}&token=x`])
        expectRedirect(await site.get(broken), '/?error=token_invalid');
      site.clock.advance(15 * minute);
      expectRedirect(await site.get(link), '/?error=code_expired');
      expectRedirect(await site.get(link, { cookie: browser }), '/?error=code_expired');
    });

    it('a form of another browser, another link or without its cookie shows the page again and keeps the link', async () => {
      const site = await openSite();
      const mine = await askForLink(site);
      const [shown, elsewhere] = [await site.get(mine.link), await site.get(mine.link)];
      const otherPage = await site.get((await askForLink(site)).link);
      const cookie = shown.cookie('svc_link_form');
      for (const [proof, cookies] of [
        [proofOf(shown), undefined],
        [proofOf(shown), ''],
        [proofOf(shown), 'svc_link_form=x'],
        [proofOf(shown), elsewhere.cookie('svc_link_form')],
        [proofOf(otherPage), otherPage.cookie('svc_link_form')],
        ['', cookie],
        ['x'.repeat(43), cookie],
      ] as const) {
        expectPage(await submit(site, mine.link, proof, cookies === undefined ? {} : { cookie: cookies }));
      }
      await expectUnused(site, mine);
    });

    it('a page of another site cannot press the button, and a submission by a script does not count', async () => {
      const site = await openSite();
      const mine = await askForLink(site);
      const shown = await site.get(mine.link);
      const own = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate' };
      for (const headers of [
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
        { Origin: 'https://evil.test' },
        { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://evil.test' },
        { ...own, 'Sec-CH-UA': '"HeadlessChrome";v="140"' },
      ] as Record<string, string>[]) {
        expectPage(await press(site, mine.link, shown, { headers }));
      }
      const pressed = { ...own, 'Sec-CH-UA': '"Chromium";v="140"', 'Sec-Fetch-User': '?1', Origin: 'null' };
      expectSignedIn(await press(site, mine.link, shown, { headers: pressed }));
    });

    it('the button works with the tabs of two links, and for an hour', async () => {
      const site = await openSite();
      const [first, second] = [await askForLink(site), await askForLink(site)];
      const shown = await site.get(first.link);
      const cookie = shown.cookie('svc_link_form');
      const other = await site.get(second.link, { cookie });
      expect(other.cookie('svc_link_form')).toBe(cookie);
      expectSignedIn(await press(site, first.link, shown));
      expectSignedIn(await press(site, second.link, other));
    });

    it('an image or a frame in the browser that asked does not sign in', async () => {
      const site = await openSite();
      const mine = await askForLink(site);
      for (const headers of [
        { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' },
        { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' },
        { 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' },
      ] as Record<string, string>[]) {
        expectPage(await site.get(mine.link, { headers, cookie: mine.browser }));
      }
      await expectUnused(site, mine);
    });

    it('a browser remembers the last five links that it asked for', async () => {
      const site = await openSite();
      let cookie = '';
      const links: string[] = [];
      for (let i = 0; i < 6; i += 1) {
        const { link, browser } = await askForLink(site, site.uniqueEmail(), cookie);
        links.push(link);
        cookie = browser;
      }
      expectPage(await site.get(links[0]!, { cookie }));
      for (const link of links.slice(1))
        expectRedirect(await site.get(link, { cookie }), '/', { signedIn: true });
    });

    it('the cookie of one link does not open another link to the same address', async () => {
      const site = await openSite();
      const attacker = await askForLink(site);
      const owner = await askForLink(site, attacker.email);
      expectPage(await site.get(owner.link, { cookie: attacker.browser }));
      await expectUnused(site, owner);
    });

    it('the code of the mail signs in anywhere, also after a scanner has opened the link', async () => {
      const site = await openSite();
      const { email, code, link } = await askForLink(site);
      expectPage(await site.get(link));
      expect((await site.post('/magic-link/verify-code', { email, code })).status).toBe(200);
      const opened = await site.get(link);
      expect([opened.status, opened.location]).toEqual([302, '/?error=token_invalid']);
    });

    it('POST /magic-link/confirm signs in for a page of the application, and refuses other sites', async () => {
      const site = await openSite();
      const { email, link } = await askForLink(site);
      const token = link.split('token=')[1]!;
      const headers = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.test' };
      expectError(await site.post('/magic-link/confirm', { token }, { headers }), 403, 'not_authorized');
      const response = await site.post('/magic-link/confirm', { token });
      expect(response.json).toEqual({ user: userLike({ email, emailVerified: true }), created: true });
      expect(response.cookie()).toMatch(/^svc_session=/);
      expectError(await site.post('/magic-link/confirm', { token }), 401, 'token_invalid');
      expectError(await site.post('/magic-link/confirm', {}), 400, 'invalid_request');
    });

    it('an account with a second factor gets svc_mfa and no session for the button', async () => {
      const site = await openSite({
        service: { ...license, encryptionKey, providers: { totp: true } },
        pro: true,
      });
      const { email, user } = await site.signInByCode();
      const { secret } = await site.service.totp.beginEnrollment(user.id);
      await site.service.totp.confirmEnrollment(user.id, codeAt(secret, site.clock.now()));
      const response = await openAndPress(site, (await askForLink(site, email)).link);
      expect([response.status, response.location]).toEqual([303, '/?error=mfa_required']);
      expect(response.cookies.map(({ name }) => name)).toEqual(['svc_mfa']);
    });

    it('the invite of a user always asks for a confirmation', async () => {
      const site = await open({
        service: { providers: { magicLink: both, emailPassword: { resetUrl: undefined } } },
      });
      const email = site.uniqueEmail();
      await site.service.users.invite({ email });
      const response = await openAndPress(site, `/magic-link/verify?token=${site.mailedToken(email)}`);
      expectSignedIn(response);
    });

    it('rememberLinkBrowser sets the cookie for a link that the application sends', async () => {
      const before = (app: Express, { service }: TestService) =>
        app.post(
          '/app/link/:email',
          asyncRoute(async (req, res) => {
            const input = { email: String(req.params['email']), metadata: { from: 'app' } };
            const sent = await service.magicLink.sendLink(input, signInContext(service, req));
            rememberLinkBrowser(service, req, res, sent);
            res.sendStatus(204);
          }),
        );
      const site = await openSite({ before });
      const email = site.uniqueEmail();
      const response = await site.post(`/app/link/${email}`);
      const link = `/magic-link/verify?token=${site.mailedToken(email)}`;
      await expectUnused(site, { link, browser: response.cookie('svc_link') });
      const plain = await open({ before });
      expect((await plain.post(`/app/link/${plain.uniqueEmail()}`)).cookies).toEqual([]);
    });

    it('the cookies use the __Host- prefix if the session cookie does', async () => {
      const cookie = { name: '__Host-svc_session', secure: true } as const;
      const site = await openSite({ service: { session: { cookie } } });
      const email = site.uniqueEmail();
      const { cookies } = await site.post('/magic-link/send', { email });
      const shown = await site.get(`/magic-link/verify?token=${site.mailedToken(email)}`);
      const names = [...cookies, ...shown.cookies].map(({ name, attributes }) => [
        name,
        attributes['secure'],
      ]);
      expect(names).toEqual([
        ['__Host-svc_link', true],
        ['__Host-svc_link_form', true],
      ]);
      const response = await press(site, `/magic-link/verify?token=${site.mailedToken(email)}`, shown);
      expect(response.cookie('__Host-svc_session')).toMatch(/=/);
    });

    it('without confirmElsewhere links sign in anywhere, and the routes of the confirmation do not exist or are not configured', async () => {
      const site = await open();
      const { link, browser } = await askForLink(site);
      expect(browser).toBe('');
      expect((await submit(site, link, '')).status).toBe(404);
      const token = link.split('token=')[1];
      expectError(await site.post('/magic-link/confirm', { token }), 501, 'provider_not_configured');
      expectRedirect(await site.get(link), '/', { signedIn: true });
    });
  });
}
