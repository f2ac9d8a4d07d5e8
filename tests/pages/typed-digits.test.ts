// What input methods make of digits: every code and number is read as what it is, by routes and pages, at the first try.
import { createPages } from 'svc-auth/pages';
import { accountPath, mount } from '../support/account-pages.js';
import { fullSiteOpener, type FullSite } from '../support/full-site.js';
import { validPassword, type SiteOptions } from '../support/http-site.js';
import { minute } from '../support/make-pro-service.js';
import { pageVisitor } from '../support/page-visitor.js';
import { enrollTotp } from '../support/site-actions.js';

const openSite = fullSiteOpener();
const phone = '+14155552671';

/** A keyboard: the digit zero of its script, and what it puts around and between the digits. */
const keyboards: Record<string, (code: string) => string> = {
  'full-width digits and a Japanese dash': (code) => spelled('０', code).replace(/^(.{3})/, '$1ー'),
  'Arabic-Indic digits between marks of direction': (code) => `\u200f${spelled('٠', code)}\u200e`,
  'Persian digits, isolated, with an en dash': (code) =>
    `\u2067${spelled('۰', code).replace(/^(.{3})/, '$1–')}\u2069`,
  'digits with invisible characters and blanks': (code) => `\ufeff${[...code].join('\u200b')}\u00a0\u3000`,
};

function spelled(zero: string, text: string): string {
  return text.replace(/\d/g, (digit) => String.fromCodePoint(zero.codePointAt(0)! + Number(digit)));
}

/** A wrong try would leave no other: the first one must be right. */
const oneTry = { code: { maxAttempts: 1 } };

async function openPages(service: SiteOptions['service'] = {}) {
  const site = await openSite({
    service: { ...oneTry, ...service },
    after: (app, { service }) => app.use(mount, createPages(service, { name: 'Acme', basePath: mount })),
  });
  return site;
}

const codeOf = (site: FullSite, to: string) => site.mail.lastCode(to) ?? '';

describe.each(Object.entries(keyboards))('%s', (_name, type) => {
  it('are read by the routes of sign-ins and sign-ups', async () => {
    const site = await openPages({
      providers: { emailPassword: { reset: 'code', verifyEmail: 'send' } },
    });
    const statuses: Record<string, number> = {};
    const post = async (route: string, body: object, cookie?: string) => {
      const response = await site.post(route, body, cookie === undefined ? {} : { cookie });
      statuses[route] = response.status;
      return response;
    };
    const email = site.uniqueEmail();
    await site.post('/email-code/send', { email });
    await post('/email-code/verify', { email, code: type(codeOf(site, email)) });
    await site.post('/magic-link/send', { email });
    await post('/magic-link/verify-code', { email, code: type(codeOf(site, email)) });
    await site.post('/phone/send', { phone: type(phone) });
    await post('/phone/verify', { phone: type(phone), code: type(site.sms.lastCode(phone) ?? '') });
    await site.post('/passkeys/signup/send', { email: 'new@example.com' });
    await post('/passkeys/signup/start', {
      email: 'new@example.com',
      code: type(codeOf(site, 'new@example.com')),
    });
    const me = await site.signUp();
    await site.settle();
    await post('/password/verify-email', { code: type(codeOf(site, me.email)) }, me.cookie);
    await site.post('/password/request-reset', { email: me.email });
    await site.settle();
    await post('/password/reset', {
      email: me.email,
      code: type(codeOf(site, me.email)),
      newPassword: 'another horse battery',
    });
    expect(statuses).toEqual(Object.fromEntries(Object.keys(statuses).map((route) => [route, 200])));
    expect(Object.keys(statuses)).toHaveLength(6);
  });

  it('are read by the routes of an account and of the second step', async () => {
    const site = await openPages();
    const me = await site.signInByCode();
    const [to, number] = [site.uniqueEmail(), '+14155552672'];
    await site.post('/phone/link/send', { phone: type(number) }, { cookie: me.cookie });
    const link = { phone: type(number), code: type(site.sms.lastCode(number) ?? '') };
    expect((await site.post('/phone/link', link, { cookie: me.cookie })).status).toBe(200);
    await site.post('/account/email', { email: to }, { cookie: me.cookie });
    const codes = { code: type(codeOf(site, to)), currentCode: type(codeOf(site, me.email)) };
    const changed = await site.post('/account/email/confirm', { email: to, ...codes }, { cookie: me.cookie });
    expect(changed.status).toBe(200);

    const guest = await site.post('/guest');
    await site.post('/guest/upgrade/send', { email: 'guest@example.com' }, { cookie: guest.cookie() });
    const upgrade = { email: 'guest@example.com', code: type(codeOf(site, 'guest@example.com')) };
    expect((await site.post('/guest/upgrade', upgrade, { cookie: guest.cookie() })).status).toBe(200);

    const other = await site.signUp();
    const app = await enrollTotp(site, other.cookie);
    const waiting = async () => {
      const login = await site.post('/password/login', { email: other.email, password: validPassword });
      return login.cookie('svc_mfa');
    };
    const [recoveryCode = ''] = app.recoveryCodes;
    for (const proof of [{ code: type(app.code()) }, { recoveryCode: type(recoveryCode) }])
      expect((await site.post('/mfa/verify', proof, { cookie: await waiting() })).status).toBe(200);
  });

  it('are read by the pages of sign-ins and sign-ups', async () => {
    const site = await openPages({ signUp: { revealExisting: false } });
    const browser = pageVisitor(site);
    const email = site.uniqueEmail();
    await browser.get(`${mount}/sign-up`);
    await browser.press('/sign-up', { email, password: validPassword });
    await browser.get(`${mount}/sign-up/code`);
    const done = await browser.press('/sign-up/code', { code: type(codeOf(site, email)) });
    expect(done.location).toBe('/');
    browser.forget();
    for (const method of ['code', 'link']) {
      await browser.get(`${mount}/sign-in`);
      await browser.submit({ email });
      await browser.get(`${mount}/sign-in/password`);
      await browser.press(`/use-${method}`);
      await browser.get(`${mount}/sign-in/${method}`);
      const signedIn = await browser.press(`/sign-in/${method}`, { code: type(codeOf(site, email)) });
      expect([method, signedIn.location]).toEqual([method, '/']);
      browser.forget();
    }
    await browser.get(`${mount}/sign-in/phone`);
    await browser.submit({ country: 'US', phone: type('4155552671') });
    await browser.get(`${mount}/sign-in/phone/code`);
    const byPhone = await browser.submit({ code: type(site.sms.lastCode(phone) ?? '') });
    expect(byPhone.location).toBe('/');
  });

  it('are read by the pages of an account and of the second step', async () => {
    const site = await openPages();
    const me = await site.signUp();
    await site.settle();
    const browser = pageVisitor(site);
    browser.adopt(me.cookie);
    await browser.get(`${mount}/verify`);
    expect((await browser.press('/verify', { code: type(codeOf(site, me.email)) })).location).toBe('/');
    await browser.get(`${accountPath}/security/phones/add`);
    await browser.press('/phones/add', { country: 'US', phone: type('4155552671') });
    await browser.get(`${accountPath}/security/phones/code`);
    const added = await browser.press('/phones/code', { code: type(site.sms.lastCode(phone) ?? '') });
    expect(added.location).toContain('done=phoneAdded');
    site.clock.advance(11 * minute);
    await browser.get(`${accountPath}/confirm`);
    await browser.press('/confirm/mail');
    await browser.get(`${accountPath}/confirm/code`);
    const confirmed = await browser.press('/code/verify', { code: type(codeOf(site, me.email)) });
    expect(confirmed.status).toBe(303);

    const other = await site.signUp();
    const app = await enrollTotp(site, other.cookie);
    const visitor = pageVisitor(site);
    for (const [path, code] of [
      ['/two-factor', app.code()],
      ['/two-factor/recovery', app.recoveryCodes[0] ?? ''],
    ] as const) {
      await visitor.get(`${mount}/sign-in`);
      await visitor.submit({ email: other.email });
      await visitor.get(`${mount}/sign-in/password`);
      await visitor.submit({ password: validPassword });
      await visitor.get(mount + path);
      expect([path, (await visitor.press(path, { code: type(code) })).location]).toEqual([path, '/']);
      visitor.forget();
    }
  });
});
