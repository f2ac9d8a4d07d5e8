// What password managers need from the pages: the account of a new password, and the page that changes it.
import { createPages, type PagesOptions } from 'svc-auth/pages';
import { mount } from '../support/account-pages.js';
import { fullSiteOpener } from '../support/full-site.js';
import type { SiteOptions } from '../support/http-site.js';
import { minute } from '../support/make-pro-service.js';
import { pageVisitor } from '../support/page-visitor.js';

const openSite = fullSiteOpener();

async function openPages(options: Partial<PagesOptions> = {}, service: SiteOptions['service'] = {}) {
  const site = await openSite({
    service,
    after(app, { service }) {
      app.use(mount, createPages(service, { name: 'Acme', basePath: mount, ...options }));
    },
  });
  return { site, browser: pageVisitor(site) };
}

/** The accounts that a page shows to password managers. */
function accountsIn(page: { text: string }): (string | undefined)[] {
  const fields = page.text.match(/<input[^>]*autocomplete="username"[^>]*>/g) ?? [];
  for (const field of fields) expect(field).not.toContain('type="hidden"');
  return fields.map((field) => /value="([^"]*)"/.exec(field)?.[1]);
}

describe('the form for a new password', () => {
  async function openLink() {
    const { site, browser } = await openPages();
    const { email } = await site.signUp();
    await site.service.emailPassword.requestReset({ email });
    await site.settle();
    const { search } = new URL(site.mail.lastLink(email) ?? '');
    return { site, browser, email, path: `${mount}/reset${search}` };
  }

  it('shows the account of a mailed link to password managers, also after a refused password', async () => {
    const { browser, email, path } = await openLink();
    expect(accountsIn(await browser.get(path))).toEqual([email]);
    const refused = await browser.submit({ password: 'short' });
    expect([refused.status, accountsIn(refused)]).toEqual([422, [email]]);
    const chosen = await browser.submit({ password: 'a battery that is a horse' });
    expect(chosen).toMatchObject({ status: 303, location: `${mount}/reset/done` });
  });

  it('shows no account for a link that is malformed or expired', async () => {
    const { site, browser, path } = await openLink();
    expect(accountsIn(await browser.get(`${path}x`))).toEqual([]);
    expect(accountsIn(await browser.get(`${mount}/reset?token=x`))).toEqual([]);
    site.clock.advance(61 * minute);
    expect(accountsIn(await browser.get(path))).toEqual([]);
  });
});

describe('/.well-known/change-password', () => {
  const wellKnown = `${mount}/.well-known/change-password`;

  it('leads a signed-in user to the page of the password', async () => {
    const { site, browser } = await openPages();
    const { cookie, email } = await site.signUp();
    browser.adopt(cookie);
    expect(await browser.get(wellKnown)).toMatchObject({
      status: 303,
      location: `${mount}/account/security/password`,
    });
    expect(accountsIn(await browser.follow())).toEqual([email]);
  });

  it('leads others to the sign-in, and back to the page of the password', async () => {
    const { browser } = await openPages({ paths: { account: '/me' } });
    expect((await browser.get(wellKnown)).location).toBe(`${mount}/me/security/password`);
    expect((await browser.follow()).location).toBe(
      `${mount}/sign-in?next=${encodeURIComponent(`${mount}/me/security/password`)}`,
    );
  });

  it('is not found if passwords cannot be changed', async () => {
    const { browser } = await openPages({}, { providers: { emailPassword: undefined } });
    expect((await browser.get(wellKnown)).status).toBe(404);
  });
});
