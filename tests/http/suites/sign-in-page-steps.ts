/** Further steps of the pages for sign-in: second step, links with codes, private sign-up, mailed links, invites. */
import { createPages } from 'svc-auth/pages';
import { outbox } from 'svc-auth/testing';
import { differentCode, enrollTotp } from '../../support/site-actions.js';
import { encryptionKey } from '../../support/every-provider.js';
import { validPassword as password, type Site, type SiteOptions } from '../../support/http-site.js';
import { license } from '../../support/make-pro-service.js';
import { pageVisitor } from '../../support/page-visitor.js';
import type { OpenSite } from '../matrix.js';

export function signInPageSteps(open: OpenSite): void {
  async function openPages(service: SiteOptions['service'], pro?: true) {
    const site = await open({
      ...(pro && { pro }),
      service: service ?? {},
      after(app, test) {
        app.use('/app', createPages(test.service, { name: 'Acme', firstMethod: 'link' }));
      },
    });
    return { site, browser: pageVisitor(site) };
  }

  async function openStrong() {
    const mail = outbox();
    const totp = { sender: mail, email: true, trustedBrowsers: { days: 14 } };
    return openPages({ ...license, mail, encryptionKey, providers: { totp, sessions: true as const } }, true);
  }

  async function enrolled(site: Site) {
    const { email, cookie } = await site.signInByCode();
    await site.post('/password/signup', { email, password }, { cookie });
    return { email, ...(await enrollTotp(site, cookie)) };
  }

  describe('the pages of the second step', () => {
    it('a password alone leads to the second step, and the code of the app to the page that was asked for', async () => {
      const { site, browser } = await openStrong();
      const person = await enrolled(site);
      await browser.get('/app/sign-in?next=/notes');
      await browser.submit({ email: person.email });
      await browser.get('/app/sign-in/password');
      expect(await browser.submit({ password })).toMatchObject({ location: '/app/two-factor' });
      expect(browser.cookieNames()).not.toContain('svc_session');
      expect((await browser.follow()).text).toContain('Trust this browser for 14 days');
      const wrong = await browser.submit({ code: '000000' });
      expect(wrong.status).toBe(422);
      expect(wrong.text).toContain('id="field-code-error">This code is wrong.');
      expect(await browser.submit({ code: person.code(), trust: 'yes' })).toMatchObject({
        location: '/notes',
      });
      expect(browser.cookieNames()).toEqual(expect.arrayContaining(['svc_session', 'svc_trust']));
    });

    it('a recovery code completes the sign-in', async () => {
      const { site, browser } = await openStrong();
      const person = await enrolled(site);
      await browser.get('/app/sign-in');
      await browser.submit({ email: person.email });
      await browser.get('/app/sign-in/password');
      await browser.submit({ password });
      await browser.get('/app/two-factor/recovery');
      expect(await browser.submit({ code: person.recoveryCodes[0]! })).toMatchObject({ location: '/' });
    });

    it('a code by email completes the sign-in of a user who has chosen it', async () => {
      const { site, browser } = await openStrong();
      const person = await enrolled(site);
      await site.post('/second-factor/email/enable', undefined, { cookie: person.cookie });
      await browser.get('/app/sign-in');
      await browser.submit({ email: person.email });
      await browser.get('/app/sign-in/password');
      await browser.submit({ password });
      await browser.follow();
      expect(await browser.press('/two-factor/email/send')).toMatchObject({
        location: '/app/two-factor/email',
      });
      await browser.follow();
      const code = site.mail.lastCode(person.email)!;
      expect(await browser.submit({ code })).toMatchObject({ location: '/' });
    });

    it('the second step without a first one leads to the sign-in', async () => {
      const { browser } = await openStrong();
      for (const page of ['', '/recovery', '/email'])
        expect(await browser.get(`/app/two-factor${page}`)).toMatchObject({ location: '/app/sign-in' });
    });
  });

  describe('the pages of long codes', () => {
    //
    it('show and accept ten letters after strangers have used up the guesses of a day, with and without an account', async () => {
      const { site, browser } = await openPages({});
      const { email: known } = await site.signInByCode();
      const unknown = site.uniqueEmail();
      const pages = [];
      for (const email of [known, unknown]) {
        const stranger = { headers: { 'X-Forwarded-For': '203.0.113.7' } };
        for (let mails = 0; mails < 10; mails += 1) {
          await site.post('/email-code/send', { email }, stranger);
          const code = differentCode(site.mail.lastCode(email));
          for (let guess = 0; guess < 5; guess += 1)
            await site.post('/email-code/verify', { email, code }, stranger);
          site.clock.advance(8 * 60_000);
        }
        browser.forget();
        await browser.get('/app/sign-in');
        await browser.submit({ email });
        await browser.get('/app/sign-in/link');
        await browser.press('/use-code');
        const page = await browser.follow();
        expect(page.text).toContain('The code has ten letters.');
        expect(/<input[^>]*name="code"[^>]*>/.exec(page.text)?.[0].replace(/\s+/g, ' ')).toContain(
          'inputmode="text" autocomplete="one-time-code" autocapitalize="characters"',
        );
        pages.push(
          page.text.replaceAll(email, 'the address').replace(/name="form_token" value="[^"]*"/g, ''),
        );
        const code = site.mail.lastCode(email)!;
        expect(code).toMatch(/^[A-Z]{10}$/);
        const typed = `${code.slice(0, 5)}-${code.slice(5)}`.toLowerCase();
        expect(await browser.submit({ code: typed })).toMatchObject({ location: '/' });
      }
      expect(pages[1]).toBe(pages[0]);
    });
  });

  describe('the pages of a reset by code', () => {
    it.each(['code', 'both'] as const)('with reset: %s, the mailed code sets the password', async (reset) => {
      const mail = outbox();
      const { site, browser } = await openPages({
        mail,
        providers: {
          emailPassword: { sender: mail, reset, minLength: 12, resetUrl: 'https://app.test/reset' },
        },
      });
      const { email, cookie } = await site.signInByCode();
      expect(cookie).toBeDefined();
      const other = browser.newTab();
      const start = await browser.get('/app/reset');
      expect(start.text).toContain('We’ll send you a code');
      expect(await browser.submit({ email })).toMatchObject({ location: '/app/reset/code' });
      const known = await browser.follow();
      expect(known.text).toContain('At least 12 characters.');
      const unknown = site.uniqueEmail();
      await other.get('/app/reset');
      await other.submit({ email: unknown });
      const page = await other.follow();
      expect(page.text.replaceAll(unknown, email)).toBe(known.text);
      await site.settle();
      const code = mail.lastCode(email)!;
      await browser.get('/app/reset/code');
      const short = await browser.submit({ email, code, password: 'too short' });
      expect(short).toMatchObject({ status: 422 });
      const wrong = await browser.submit({ email, code: code === '000000' ? '000001' : '000000', password });
      expect(wrong.text).toContain('This code is wrong. Check it and try again.');
      expect(await browser.submit({ email, code, password })).toMatchObject({ location: '/app/reset/done' });
      expect(browser.cookieNames()).not.toContain('svc_session');
    });

    it('without a page for links, no reset is offered', async () => {
      const mail = outbox();
      const { site, browser } = await openPages({
        mail,
        providers: { emailPassword: { sender: mail, resetUrl: undefined } },
      });
      await browser.get('/app/sign-in');
      await browser.submit({ email: site.uniqueEmail() });
      expect((await browser.get('/app/sign-in/password')).text).not.toContain('Forgot');
      expect(await browser.get('/app/reset')).toMatchObject({ location: '/app/sign-in' });
    });
  });

  describe('the pages of mailed links', () => {
    it('a link that is opened in the same browser ends at the page that was asked for', async () => {
      const { site, browser } = await openPages({});
      const email = site.uniqueEmail();
      await browser.get('/app/sign-in?next=/notes');
      expect(await browser.submit({ email })).toMatchObject({ location: '/app/sign-in/link' });
      await browser.follow();
      expect((await browser.get('/app/sign-in/link/status')).status).toBe(204);
      const token = site.mailedToken(email);
      const opened = await browser.get(`/magic-link/verify?token=${token}`);
      expect(opened.location).toMatch(/^\/sign-in\/done\?link=[\w-]{22}$/);
      expect((await browser.get('/app/sign-in/link/status')).status).toBe(200);
      expect(await browser.get(`/app${opened.location}`)).toMatchObject({ status: 303, location: '/notes' });
    });

    it('two tabs of a browser that asked for links arrive at their own pages, also with a second step', async () => {
      const { site, browser } = await openStrong();
      const [plain, strong] = [await site.signInByCode(), await enrolled(site)];
      const other = browser.newTab();
      await browser.get('/app/sign-in?next=/first');
      await other.get('/app/sign-in?next=/second');
      await browser.submit({ email: plain.email });
      await other.submit({ email: strong.email });
      // A third tab without a page to arrive at, and one that begins later.
      await browser.newTab().get('/app/sign-in?next=/third');
      const open = (email: string) => browser.get(`/magic-link/verify?token=${site.mailedToken(email)}`);
      const second = await open(strong.email);
      expect(second.location).toMatch(/^\/two-factor\?link=/);
      await other.get(`/app${second.location}`);
      expect(await other.submit({ code: strong.code() })).toMatchObject({ location: '/second' });
      const first = await open(plain.email);
      expect(await browser.get(`/app${first.location}`)).toMatchObject({ location: '/first' });
    });

    it('a link has no page in another browser, and no page of another tab', async () => {
      const { site, browser } = await openPages({});
      const email = site.uniqueEmail();
      await browser.get('/app/sign-in?next=/notes');
      await browser.submit({ email });
      const { location } = await browser.get(`/magic-link/verify?token=${site.mailedToken(email)}`);
      const stranger = pageVisitor(site);
      expect(await stranger.get(`/app${location}`)).toMatchObject({ location: '/' });
      await stranger.get('/app/sign-in?next=/other');
      expect(await stranger.get(`/app${location}`)).toMatchObject({ location: '/' });
    });

    it('a page of another site in the cookie is ignored', async () => {
      const { browser } = await openPages({});
      const name = 'a'.repeat(22);
      const links = ['https://evil.test/', '//evil.test', '/\\evil.test', 7].map((each) => [name, each]);
      const flow = { formToken: 'a'.repeat(22), links };
      browser.adopt(`svc_pages=${Buffer.from(JSON.stringify(flow)).toString('base64url')}`);
      expect(await browser.get(`/app/sign-in/done?link=${name}`)).toMatchObject({ location: '/' });
    });

    it('a link that is no longer valid ends at the sign-in, which says so', async () => {
      const { browser } = await openPages({});
      const opened = await browser.get('/magic-link/verify?token=unknown');
      expect(opened.location).toBe('/sign-in?error=token_invalid');
      expect((await browser.get(`/app${opened.location}`)).text).toContain('This link is no longer valid.');
    });

    it('the code in the same mail signs in too', async () => {
      const { site, browser } = await openPages({ providers: { magicLink: { withCode: true } } });
      const email = site.uniqueEmail();
      await browser.get('/app/sign-in?next=/notes');
      await browser.submit({ email });
      await browser.follow();
      expect(await browser.submit({ code: site.mail.lastCode(email)! })).toMatchObject({
        location: '/notes',
      });
    });
  });

  describe('the pages of a private sign-up', () => {
    it('the pages are the same for known and unknown addresses, and the mailed code signs in', async () => {
      const { site, browser } = await openPages({ signUp: { revealExisting: false } });
      const known = await site.signInByCode();
      const pages: string[] = [];
      for (const email of [known.email, site.uniqueEmail()]) {
        browser.forget();
        await browser.get('/app/sign-up?next=/notes');
        expect(await browser.submit({ email, password })).toMatchObject({ location: '/app/sign-up/code' });
        const page = await browser.follow();
        pages.push(page.text.replaceAll(email, '…').replace(/value="[\w-]{22}"/g, ''));
        expect(await browser.submit({ code: site.mail.lastCode(email)! })).toMatchObject({
          location: '/notes',
        });
        expect(browser.cookieNames()).toContain('svc_session');
      }
      expect(pages[1]).toBe(pages[0]);
    });
  });
}
