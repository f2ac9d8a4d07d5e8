/** Identity providers on the pages for sign-in: the page to arrive at, the second step, and the choice to be remembered. */
import { createPages, type PagesOptions } from 'svc-auth/pages';
import { encryptionKey } from '../../support/every-provider.js';
import type { HttpResponse } from '../../support/http-client.js';
import type { Site } from '../../support/http-site.js';
import { unescaped } from '../../support/admin-pages.js';
import { license } from '../../support/make-pro-service.js';
import { startOidcServer, type OidcServer } from '../../support/oidc-server.js';
import { pageVisitor, type PageVisitor } from '../../support/page-visitor.js';
import { enrollTotp } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';

const redirectUri = 'https://app.test/api/auth/google/callback';
let accounts = 0;

export function signInPageProviders(open: OpenSite): void {
  let oidc: OidcServer;

  async function openPages(options: Partial<PagesOptions> = {}) {
    const site = await open({
      pro: true,
      service: { ...license, encryptionKey, providers: { google: oidc.client, totp: {} } },
      after(app, test) {
        app.use('/app', createPages(test.service, { name: 'Acme', authPath: '/', ...options }));
      },
    });
    return { site, browser: pageVisitor(site) };
  }

  function person(site: Site): { subject: string; email: string } {
    const subject = `page-subject-${(accounts += 1)}`;
    const email = site.uniqueEmail();
    oidc.accounts.set(subject, { email, email_verified: true });
    return { subject, email };
  }

  /** The targets of the button, as they are in the page. */
  function targetsIn(page: HttpResponse): string[] {
    const links = page.text.matchAll(/href="([^"]*\/google\/start[^"]*)"/g);
    return [...links].map(([, target = '']) => unescaped(target));
  }

  /** Comes back from the provider. The routes do not know where a test mounts the pages. */
  async function comeBack(browser: PageVisitor, started: HttpResponse, subject: string) {
    const { search } = await oidc.signIn(started.location!, subject);
    const back = await browser.get(`/google/callback${search}`);
    return { back, arrived: await browser.get(`/app${back.location}`) };
  }

  describe('identity providers on the sign-in pages', () => {
    beforeAll(async () => {
      oidc = await startOidcServer(redirectUri);
    });
    afterAll(() => oidc.stop());

    it('two tabs at the provider arrive at the page that each of them asked for', async () => {
      const { site, browser } = await openPages();
      const { subject } = person(site);
      const other = browser.newTab();
      const [first = ''] = targetsIn(await browser.get('/app/sign-in?next=/a%3Fb%3D1'));
      const [second = ''] = targetsIn(await other.get('/app/sign-in?next=/c'));
      const [startedFirst, startedSecond] = [await browser.get(first), await other.get(second)];
      const { arrived } = await comeBack(browser, startedFirst, subject);
      expect(arrived.location).toBe('/a?b=1');
      expect((await comeBack(other, startedSecond, subject)).arrived.location).toBe('/c');
    });

    it('the page that was asked for survives the second step', async () => {
      const { site, browser } = await openPages();
      const { email, cookie } = await site.signInByCode();
      const subject = `page-subject-${(accounts += 1)}`;
      oidc.accounts.set(subject, { email, email_verified: true });
      await enrollTotp(site, cookie);
      const [target = ''] = targetsIn(await browser.get('/app/sign-in?next=/a'));
      const started = await browser.get(target);
      // Another tab asks for another page.
      await browser.newTab().get('/app/sign-in?next=/b');
      const { back, arrived } = await comeBack(browser, started, subject);
      expect(back.location).toBe('/two-factor?next=%2Fa');
      expect(browser.cookieNames()).not.toContain('svc_session');
      expect(arrived.text).toContain('name="flow_next" value="/a"');
    });

    it('the state of a sign-in leads to no other site', async () => {
      const { browser } = await openPages();
      for (const state of [
        'https://evil.test',
        '//evil.test',
        '/\\evil.test',
        'javascript:alert(1)',
        '/a\r\nb',
      ])
        expect(await browser.get(`/app/sign-in/done?state=${encodeURIComponent(state)}`)).toMatchObject({
          status: 303,
          location: '/',
        });
    });

    it('a page that is too long for the state is in the cookie', async () => {
      const { site, browser } = await openPages();
      const { subject } = person(site);
      const next = `/${'a'.repeat(600)}`;
      const [target = ''] = targetsIn(await browser.get(`/app/sign-in?next=${next}`));
      expect(target).toMatch(/^\/google\/start\?state=[\w-]{22}$/);
      const { arrived } = await comeBack(browser, await browser.get(target), subject);
      expect(arrived.location).toBe(next);
    });

    it('without a script, the choice to be remembered has a separate target', async () => {
      const { site, browser } = await openPages({ rememberMe: true });
      const { subject } = person(site);
      const [kept = '', forgotten = ''] = targetsIn(await browser.get('/app/sign-in'));
      expect(kept).not.toContain('remember');
      const { back } = await comeBack(browser, await browser.get(forgotten), subject);
      const session = back.cookies.find(({ name }) => name === 'svc_session')!;
      expect([session.attributes['max-age'], session.attributes['expires']]).toEqual([undefined, undefined]);
      expect(targetsIn(await pageVisitor(site).get('/app/sign-up'))).toHaveLength(1);
    });
  });
}
