/** The pages for sign-in, in a browser without a script. */
import { createPages, html, type PagesOptions } from 'svc-auth/pages';
import type { HttpResponse } from '../../support/http-client.js';
import { pageVisitor, type PageVisitor } from '../../support/page-visitor.js';
import { validPassword as password } from '../../support/http-site.js';
import type { OpenSite } from '../matrix.js';

export function signInPages(open: OpenSite): void {
  async function openPages(options: Partial<PagesOptions> = {}) {
    const site = await open({
      after(app, { service }) {
        app.use('/app', createPages(service, { name: 'Acme', ...options }));
      },
    });
    return { site, browser: pageVisitor(site) };
  }

  async function startSignIn(browser: PageVisitor, email: string, next = '/notes'): Promise<HttpResponse> {
    await browser.get(`/app/sign-in?next=${encodeURIComponent(next)}`);
    return browser.submit({ email });
  }

  describe('the pages for sign-in', () => {
    it('createPages throws config_invalid for wrong options', async () => {
      const { site } = await openPages();
      const wrong = [
        {},
        { name: '' },
        { name: 'Acme', accent: 'red' },
        { name: 'Acme', homeUrl: 'https://evil.test' },
        { name: 'Acme', logo: '//evil.test/logo.svg' },
        { name: 'Acme', firstMethod: 'telepathy' },
        { name: 'Acme', defaultLanguage: 'tlh' },
        { name: 'Acme', paths: { signIn: 'sign-in' } },
        { name: 'Acme', paths: { other: '/other' } },
      ];
      for (const options of wrong)
        expect(() => createPages(site.service, options as never)).toThrow(
          expect.objectContaining({ code: 'config_invalid' }),
        );
      expect(() => createPages(site.service, { name: 'Acme', unknown: true } as never)).toThrow(
        expect.objectContaining({ code: 'config_invalid' }),
      );
    });

    it('a sign-in with a password ends at the page that was asked for', async () => {
      const { site, browser } = await openPages();
      const { user } = await site.signUp();
      const step = await startSignIn(browser, user.email as string);
      expect(step).toMatchObject({ status: 303, location: '/app/sign-in/password' });
      await browser.follow();
      expect(await browser.submit({ password })).toMatchObject({ status: 303, location: '/notes' });
      expect(browser.cookieNames()).toContain('svc_session');
    });

    it('a sign-in with a code that contains blanks ends at the page that was asked for', async () => {
      const { site, browser } = await openPages({ firstMethod: 'code' });
      const email = site.uniqueEmail();
      await startSignIn(browser, email);
      await browser.follow();
      const code = site.mail.lastCode(email) ?? '';
      const result = await browser.submit({ code: ` ${code.slice(0, 3)} ${code.slice(3)}` });
      expect(result).toMatchObject({ status: 303, location: '/notes' });
    });

    it('the step after the address is the same whether or not the address has an account', async () => {
      const { site, browser } = await openPages();
      const { user } = await site.signUp();
      const known = await startSignIn(browser, user.email as string);
      const knownPage = await browser.follow();
      const unknown = await startSignIn(browser, site.uniqueEmail());
      const unknownPage = await browser.follow();
      expect(unknown.location).toBe(known.location);
      const blank = ({ text }: HttpResponse) =>
        text.replace(/[\w.-]+@[\w.-]+/g, '…').replace(/value="[\w-]{22}"/g, '');
      expect(blank(unknownPage)).toBe(blank(knownPage));
    });

    it('a wrong password shows its error next to the field, with status 422, and no password', async () => {
      const { site, browser } = await openPages();
      const { user } = await site.signUp();
      await startSignIn(browser, user.email as string);
      await browser.follow();
      const page = await browser.submit({ password: 'wrong horse battery' });
      expect(page.status).toBe(422);
      expect(page.text).toContain('id="field-password-error">The email address or password is wrong.');
      expect(page.text).not.toContain('wrong horse battery');
    });

    it('a step without an address in the browser leads back to the first one', async () => {
      const { browser } = await openPages();
      for (const step of ['password', 'code', 'link'])
        expect(await browser.get(`/app/sign-in/${step}`)).toMatchObject({
          status: 303,
          location: '/app/sign-in',
        });
    });

    it('next leads to a path of the application only', async () => {
      const { site, browser } = await openPages();
      const { user } = await site.signUp();
      for (const next of [
        'https://evil.test',
        '//evil.test',
        '/\\evil.test',
        'javascript:alert(1)',
        '/a\nb',
      ]) {
        browser.forget();
        await startSignIn(browser, user.email as string, next);
        await browser.follow();
        expect(await browser.submit({ password })).toMatchObject({ status: 303, location: '/' });
      }
    });

    it('a form without the token of this browser changes nothing', async () => {
      const { site, browser } = await openPages({ firstMethod: 'code' });
      const email = site.uniqueEmail();
      await browser.get('/app/sign-in');
      const page = await browser.submit({ email, form_token: 'x'.repeat(22) });
      expect(page.status).toBe(422);
      expect(page.text).toContain('This page has expired.');
      expect(site.mail.messages).toEqual([]);
    });

    it('a form of another site is refused with 403, with the right token too', async () => {
      const { site, browser } = await openPages({ firstMethod: 'code' });
      const email = site.uniqueEmail();
      await browser.get('/app/sign-in');
      const page = await browser.submit(
        { email },
        { Origin: 'https://evil.test', 'Sec-Fetch-Site': 'cross-site' },
      );
      expect(page.status).toBe(403);
      expect(site.mail.messages).toEqual([]);
    });

    it('no name, address or error code of a request becomes markup', async () => {
      const { browser } = await openPages({ name: '<b>Acme</b>' });
      const attack = '"><img src=x onerror=alert(1)>';
      const start = await browser.get(`/app/sign-in?error=${encodeURIComponent(attack)}`);
      expect(start.text).not.toMatch(/<img src=x|<b>Acme/);
      await browser.submit({ email: attack });
      const step = await browser.follow();
      expect(step.text).not.toContain('<img src=x');
    });

    it('every response forbids frames, inline scripts and caches', async () => {
      const { browser } = await openPages();
      const { headers } = await browser.get('/app/sign-in');
      expect(headers['content-security-policy']).toMatch(/frame-ancestors 'none'/);
      expect(headers['content-security-policy']).toMatch(/script-src 'self';/);
      expect(headers['content-security-policy']).not.toMatch(/unsafe/);
      expect(headers['x-frame-options']).toBe('DENY');
      expect(headers['cache-control']).toBe('no-store');
    });

    it('a visitor who is signed in goes straight to the page that was asked for', async () => {
      const { site, browser } = await openPages();
      const { cookie } = await site.signUp();
      browser.adopt(cookie);
      for (const path of ['/app/sign-in', '/app/sign-up'])
        expect(await browser.get(`${path}?next=/notes`)).toMatchObject({ status: 303, location: '/notes' });
    });

    it('a sign-up with a password signs in, and an address that has an account is named next to its field', async () => {
      const { site, browser } = await openPages();
      const email = site.uniqueEmail();
      await browser.get('/app/sign-up?next=/notes');
      expect(await browser.submit({ email, password })).toMatchObject({ status: 303, location: '/notes' });
      browser.forget();
      await browser.get('/app/sign-up');
      const page = await browser.submit({ email, password });
      expect(page.status).toBe(422);
      expect(page.text).toContain('id="field-email-error">This address already has an account.');
    });

    it('a reset by mail sets a new password and signs no one in', async () => {
      const { site, browser } = await openPages();
      const { user } = await site.signUp();
      const email = user.email as string;
      await browser.get('/app/reset');
      await browser.submit({ email });
      expect((await browser.follow()).text).toContain('has an account, we’ve sent a link');
      const link = (await site.settle(), new URL(site.mail.lastLink(email) ?? ''));
      await browser.get(`/app/reset${link.search}`);
      expect(await browser.submit({ password: 'another horse battery' })).toMatchObject({
        status: 303,
        location: '/app/reset/done',
      });
      expect(browser.cookieNames()).not.toContain('svc_session');
      await startSignIn(browser, email);
      await browser.follow();
      expect(await browser.submit({ password: 'another horse battery' })).toMatchObject({
        location: '/notes',
      });
    });

    it('a page speaks the language that the browser asks for, and the default one else', async () => {
      const { en } = await import('../../../src/pages/texts/en.js');
      const { browser } = await openPages({
        languages: { sv: en, 'de-CH': { ...en, continue: 'Onwards' } },
      });
      const asked = await browser.get('/app/sign-in', {
        'Accept-Language': 'fr;q=0.4, de-CH-zurich;q=0.9, en;q=0.5',
      });
      expect(asked.text).toContain('Onwards');
      expect(asked.text).toContain('<html lang="de-CH" dir="ltr">');
      const other = await browser.get('/app/sign-in', { 'Accept-Language': 'tlh, *;q=0.1' });
      expect(other.text).toContain('<html lang="en" dir="ltr">');
    });

    it('slots show markup of the application next to the card and below it', async () => {
      const { browser } = await openPages({
        slots: {
          signInAside: () => html`<p>Notes & more</p>`,
          footer: () => html`<a href="/terms">${'<Terms>'}</a>`,
        },
      });
      const { text } = await browser.get('/app/sign-in');
      expect(text).toContain('<aside><p>Notes & more</p></aside>');
      expect(text).toContain('<a href="/terms">&#60;Terms&#62;</a>');
    });
  });
}
