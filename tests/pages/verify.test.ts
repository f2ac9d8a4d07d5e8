// The page that verifies the address of an account: no state of it is a dead end.
import { createPages } from 'svc-auth/pages';
import { errorsOf, mount, textOf } from '../support/account-pages.js';
import { fullSiteOpener, type FullSite } from '../support/full-site.js';
import { validPassword, type SiteOptions } from '../support/http-site.js';
import { minute } from '../support/make-pro-service.js';
import { pageVisitor } from '../support/page-visitor.js';

const openSite = fullSiteOpener();
const verify = `${mount}/verify`;

async function signedUp(service: SiteOptions['service'] = {}, next = '') {
  const site = await openSite({
    service,
    after: (app, { service }) => app.use(mount, createPages(service, { name: 'Acme', basePath: mount })),
  });
  const browser = pageVisitor(site);
  const email = site.uniqueEmail();
  await browser.get(`${mount}/sign-up${next}`);
  const done = await browser.press('/sign-up', { email, password: validPassword });
  expect(done.location).toBe(verify);
  await site.settle();
  return { site, browser, email, page: await browser.get(verify) };
}

const codeOf = (site: FullSite, email: string) => site.mail.lastCode(email) ?? '';
const userOf = (site: FullSite, email: string) => site.service.users.find({ email });

describe('The page that verifies an address', () => {
  it('offers another address, to continue without, and to sign out', async () => {
    const { page } = await signedUp({}, '?next=/notes');
    for (const way of [`href="${verify}/address"`, 'href="/notes"', `action="${verify}/sign-out"`])
      expect(page.text).toContain(way);
    for (const label of ['spam folder', 'Resend', 'Use another address', 'Not now', 'Sign out'])
      expect(textOf(page)).toContain(label);
  });

  it('cannot be put off if the application requires a verified address, before or after its grace time', async () => {
    const emailPassword = (verifyGraceMs: number) => ({
      emailPassword: { verifyEmail: 'require' as const, verifyGraceMs },
    });
    const strict = await signedUp({ providers: emailPassword(0) });
    expect(textOf(strict.page)).not.toContain('Not now');
    expect(textOf(strict.page)).toContain('Use another address');
    const patient = await signedUp({ providers: emailPassword(minute) });
    expect(textOf(patient.page)).toContain('Not now');
    patient.site.clock.advance(minute);
    expect(textOf(await patient.browser.get(verify))).not.toContain('Not now');
  });

  it('gives the account another address with the code that was mailed to it, and continues', async () => {
    const { site, browser, email } = await signedUp({}, '?next=/notes');
    const right = site.uniqueEmail();
    await browser.get(`${verify}/address`);
    expect((await browser.press('/address', { email: right })).location).toBe(verify);
    const page = await browser.get(verify);
    expect(textOf(page)).toContain(`We’ve sent a code to ${right}`);
    expect((await userOf(site, email))?.emailVerified).toBe(false);
    const wrong = await browser.press('/verify/new', { code: codeOf(site, email) });
    expect(errorsOf(wrong)).toEqual(['code: This code is wrong. Check it and try again.']);
    expect((await browser.press('/verify/new', { code: codeOf(site, right) })).location).toBe('/notes');
    expect((await userOf(site, right))?.emailVerified).toBe(true);
    expect(await userOf(site, email)).toBeNull();
  });

  it('returns to the address of the account if that one is typed, whose code is still valid', async () => {
    const { site, browser, email } = await signedUp();
    const code = codeOf(site, email);
    for (const typed of [site.uniqueEmail(), email.toUpperCase()]) {
      await browser.get(`${verify}/address`);
      await browser.press('/address', { email: typed });
    }
    expect(textOf(await browser.get(verify))).toContain(`We’ve sent a code to ${email}`);
    expect((await browser.press('/verify', { code })).location).toBe('/');
    expect((await userOf(site, email))?.emailVerified).toBe(true);
  });

  it('refuses a malformed address next to its field', async () => {
    const { browser } = await signedUp();
    await browser.get(`${verify}/address`);
    expect(errorsOf(await browser.press('/address', { email: '' }))).toEqual([
      'email: Enter your email address.',
    ]);
    expect(errorsOf(await browser.press('/address', { email: 'ada' }))[0]).toMatch(/^email: /);
  });

  it('continues after the address was verified or changed in another tab', async () => {
    const { site, browser, email } = await signedUp();
    await site.service.emailPassword.verifyEmail({
      userId: (await userOf(site, email))!.id,
      code: codeOf(site, email),
    });
    expect((await browser.press('/verify', { code: '000000' })).location).toBe('/');
    const changed = await signedUp();
    const tab = changed.browser.newTab();
    const right = changed.site.uniqueEmail();
    await tab.get(`${verify}/address`);
    await tab.press('/address', { email: right });
    await tab.get(verify);
    await tab.press('/verify/new', { code: codeOf(changed.site, right) });
    // The first tab still shows the form of the address that is gone.
    expect((await changed.browser.press('/verify', { code: '000000' })).location).toBe('/');
  });

  it('sends another code at once after too many wrong ones and after one that has expired', async () => {
    const { site, browser, email } = await signedUp();
    for (let count = 0; count < 5; count += 1) await browser.press('/verify', { code: '000000' });
    const refused = await browser.press('/verify', { code: '000000' });
    expect(errorsOf(refused)).toEqual(['code: Too many wrong codes. Request a new one.']);
    expect(refused.text).not.toContain('data-pause=');
    expect((await browser.press('/verify/again')).location).toBe(verify);
    expect((await browser.get(verify)).text).toContain('data-pause="30"');
    site.clock.advance(11 * minute);
    const expired = await browser.press('/verify', { code: codeOf(site, email) });
    expect(errorsOf(expired)).toEqual(['code: This code has expired. Request a new one.']);
    expect(expired.text).not.toContain('data-pause=');
  });

  it('leads a visitor to the sign-in, which returns to it', async () => {
    const { browser, email } = await signedUp();
    browser.forget();
    const next = encodeURIComponent(verify);
    expect((await browser.get(verify)).location).toBe(`${mount}/sign-in?next=${next}`);
    await browser.follow();
    await browser.submit({ email });
    await browser.follow();
    expect((await browser.submit({ password: validPassword })).location).toBe(verify);
  });

  it('signs this browser out, and leads to the sign-in', async () => {
    const { browser } = await signedUp();
    expect((await browser.press('/verify/sign-out')).location).toBe(`${mount}/sign-in`);
    expect(browser.cookieNames()).not.toContain('svc_session');
    expect((await browser.get(verify)).location).toBe(`${mount}/sign-in?next=${encodeURIComponent(verify)}`);
  });

  it('changes nothing for a tab that shows another account, and says which one it is now', async () => {
    const { site, browser, email } = await signedUp();
    const tab = browser.newTab();
    await tab.get(`${verify}/address`);
    const other = await site.signUp();
    await site.settle();
    browser.adopt(other.cookie);
    const notice = `You’re now signed in as ${other.email}. Nothing was changed.`;
    const typed = site.uniqueEmail();
    const refused = await tab.press('/address', { email: typed });
    expect([refused.status, errorsOf(refused)]).toEqual([422, [notice]]);
    expect(refused.text).not.toContain(typed);
    expect(site.mail.lastCode(typed)).toBeUndefined();
    await tab.get(verify);
    const third = await site.signUp();
    await site.settle();
    browser.adopt(third.cookie);
    for (const form of ['/verify/sign-out', '/verify/again', '/verify']) {
      const kept = await tab.press(form, form === '/verify' ? { code: codeOf(site, email) } : {});
      expect([form, kept.status, errorsOf(kept)]).toEqual([
        form,
        422,
        [`You’re now signed in as ${third.email}. Nothing was changed.`],
      ]);
      browser.adopt(other.cookie);
      await tab.get(verify);
      browser.adopt(third.cookie);
    }
    expect(browser.cookieNames()).toContain('svc_session');
  });
});
