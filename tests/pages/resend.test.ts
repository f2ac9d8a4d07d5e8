// Every page of a code sends another one, and the pause before that counts from the last one.
import { createPages } from 'svc-auth/pages';
import { softwareAuthenticator } from 'svc-auth/testing';
import { accountPath, mount } from '../support/account-pages.js';
import { fullSiteOpener } from '../support/full-site.js';
import type { HttpResponse } from '../support/http-client.js';
import { validPassword, type SiteOptions } from '../support/http-site.js';
import { minute } from '../support/make-pro-service.js';
import { pageVisitor, type PageVisitor } from '../support/page-visitor.js';
import { enrollTotp } from '../support/site-actions.js';

const openSite = fullSiteOpener();
const second = 1_000;

async function openPages(service: SiteOptions['service'] = {}) {
  const site = await openSite({
    service,
    after: (app, { service }) => app.use(mount, createPages(service, { name: 'Acme', basePath: mount })),
  });
  return { site, browser: pageVisitor(site), email: site.uniqueEmail() };
}

/** For how many seconds the button waits. 0 if it does not. */
const pauseOf = ({ text }: HttpResponse) => Number(/data-pause="(\d+)"/.exec(text)?.[1] ?? 0);

async function askForCode(browser: PageVisitor, email: string) {
  await browser.get(`${mount}/sign-in`);
  await browser.submit({ email });
  await browser.get(`${mount}/sign-in/password`);
  await browser.press('/use-code');
  return browser.get(`${mount}/sign-in/code`);
}

describe('The pause before another code', () => {
  it('counts from the last mail: over a reload, a wrong code and another address', async () => {
    const { site, browser, email } = await openPages();
    expect(pauseOf(await askForCode(browser, email))).toBe(30);
    site.clock.advance(25 * second);
    expect(pauseOf(await browser.get(`${mount}/sign-in/code`))).toBe(5);
    expect(pauseOf(await browser.press('/sign-in/code', { code: '000000' }))).toBe(5);
    site.clock.advance(5 * second);
    expect(pauseOf(await browser.get(`${mount}/sign-in/code`))).toBe(0);
    await browser.press('/code/again');
    expect(pauseOf(await browser.get(`${mount}/sign-in/code`))).toBe(30);
  });

  it('ends with an expired code and after too many wrong ones', async () => {
    const { site, browser, email } = await openPages();
    await askForCode(browser, email);
    for (let count = 0; count < 6; count += 1) await browser.press('/sign-in/code', { code: '000000' });
    expect(pauseOf(await browser.get(`${mount}/sign-in/code`))).toBe(0);
    await browser.press('/code/again');
    await browser.get(`${mount}/sign-in/code`);
    site.clock.advance(10 * minute);
    expect(pauseOf(await browser.press('/sign-in/code', { code: '000000' }))).toBe(0);
  });

  it('is for the eye only: a cookie without it sends no more mails than the limits allow', async () => {
    const { site, browser, email } = await openPages({ rateLimit: { maxPerWindow: 2 } });
    await askForCode(browser, email);
    site.mail.clear();
    for (let count = 0; count < 4; count += 1) {
      await askForCode(browser, email);
      const page = await browser.press('/code/again');
      if (page.status === 422) expect(page.text).toContain('Too many attempts.');
    }
    expect(site.mail.messages.length).toBeLessThan(4);
  });

  it.each(['', 'x', [['name', 'soon']], [['n'.repeat(99), 1]], [[1, 2]], { length: 1 }])(
    'does not fail with the note %j in the cookie',
    async (sent) => {
      const { site, browser, email } = await openPages();
      await askForCode(browser, email);
      const flow = JSON.parse(Buffer.from(browser.cookie('svc_pages')!, 'base64url').toString()) as object;
      const forged = Buffer.from(JSON.stringify({ ...flow, sent })).toString('base64url');
      const cookie = `svc_pages=${forged}`;
      const page = await site.send('GET', `${mount}/sign-in/code`, undefined, { cookie });
      expect([page.status, pauseOf(page)]).toEqual([200, 0]);
    },
  );
});

describe('Another code', () => {
  it('is mailed for a new password', async () => {
    const { site, browser } = await openPages({ providers: { emailPassword: { reset: 'code' } } });
    const { email } = await site.signUp();
    await browser.get(`${mount}/reset`);
    await browser.press('/reset', { email });
    await site.settle();
    const first = site.mail.lastCode(email);
    expect(pauseOf(await browser.get(`${mount}/reset/code`))).toBe(30);
    await browser.press('/reset/code/again');
    await site.settle();
    expect(site.mail.lastCode(email)).not.toBe(first);
    await browser.get(`${mount}/reset/code`);
    const done = await browser.press('/reset/code', {
      code: site.mail.lastCode(email) ?? '',
      password: 'another horse battery',
    });
    expect(done.location).toBe(`${mount}/reset/done`);
  });

  it('is mailed for a private sign-up, without the password, and replaces the first', async () => {
    const { site, browser, email } = await openPages({ signUp: { revealExisting: false } });
    await browser.get(`${mount}/sign-up`);
    await browser.press('/sign-up', { email, password: validPassword });
    const first = site.mail.lastCode(email) ?? '';
    expect(pauseOf(await browser.get(`${mount}/sign-up/code`))).toBe(30);
    expect((await browser.press('/sign-up/code/again')).location).toBe(`${mount}/sign-up/code`);
    const code = site.mail.lastCode(email) ?? '';
    expect(code).not.toBe(first);
    await browser.get(`${mount}/sign-up/code`);
    expect((await browser.press('/sign-up/code', { code: first })).text).toContain('This code is wrong.');
    expect((await browser.press('/sign-up/code', { code })).location).toBe('/');
    const login = await site.post('/password/login', { email, password: validPassword });
    expect(login.status).toBe(200);
  });

  it('is mailed for a private sign-up whose code has expired, and leads to the sign-up when nothing waits', async () => {
    const { site, browser, email } = await openPages({ signUp: { revealExisting: false } });
    await browser.get(`${mount}/sign-up`);
    await browser.press('/sign-up', { email, password: validPassword });
    await browser.get(`${mount}/sign-up/code`);
    site.clock.advance(11 * minute);
    expect((await browser.press('/sign-up/code', { code: '000000' })).text).toContain('expired');
    await browser.press('/sign-up/code/again');
    await browser.get(`${mount}/sign-up/code`);
    expect((await browser.press('/sign-up/code', { code: site.mail.lastCode(email) ?? '' })).location).toBe(
      '/',
    );
    const other = browser.newTab();
    other.forget();
    await other.get(`${mount}/sign-up`);
    await other.press('/sign-up', { email: site.uniqueEmail(), password: validPassword });
    await other.get(`${mount}/sign-up/code`);
    site.clock.advance(2 * 60 * minute);
    expect((await other.press('/sign-up/code/again')).location).toBe(`${mount}/sign-up`);
  });

  it('is mailed for a sign-up with a passkey', async () => {
    const { site, browser, email } = await openPages();
    await browser.get(`${mount}/sign-up/passkey`);
    await browser.press('/sign-up/passkey', { email });
    const first = site.mail.lastCode(email);
    expect(pauseOf(await browser.get(`${mount}/sign-up/passkey/code`))).toBe(30);
    expect((await browser.press('/passkey/code/again')).location).toBe(`${mount}/sign-up/passkey/code`);
    const code = site.mail.lastCode(email) ?? '';
    expect(code).not.toBe(first);
    const { webauthn } = site.service;
    const { options, challenge } = await webauthn.startSignUp({ email, code });
    const response = softwareAuthenticator({ origin: 'https://app.test' }).create(options);
    const { user } = await webauthn.finishSignUp({ response, expectedChallenge: challenge });
    expect(user).toMatchObject({ email, emailVerified: true });
  });

  it('is sent by text message, by mail in the second step, and to sign in again', async () => {
    const { site, browser } = await openPages();
    const phone = '+14155552671';
    await browser.get(`${mount}/sign-in/phone`);
    await browser.submit({ phone });
    expect(pauseOf(await browser.get(`${mount}/sign-in/phone/code`))).toBe(30);
    await browser.press('/phone/code/again');
    expect(site.sms.messages).toHaveLength(2);

    const me = await site.signInByCode();
    const again = pageVisitor(site);
    again.adopt(me.cookie);
    site.clock.advance(11 * minute);
    await again.get(`${accountPath}/confirm`);
    await again.press('/confirm/mail');
    expect(pauseOf(await again.get(`${accountPath}/confirm/code`))).toBe(30);
    site.clock.advance(20 * second);
    expect(pauseOf(await again.get(`${accountPath}/confirm/code`))).toBe(10);
  });

  it('does not help after too many codes of the second step: the page says when to try again', async () => {
    const { site, browser } = await openPages();
    const me = await site.signUp();
    await enrollTotp(site, me.cookie);
    await browser.get(`${mount}/sign-in`);
    await browser.submit({ email: me.email });
    await browser.get(`${mount}/sign-in/password`);
    await browser.submit({ password: validPassword });
    const page = await browser.get(`${mount}/two-factor`);
    expect(page.text).toContain(`<p class="identity"><bdi>${me.email}</bdi>`);
    for (let count = 0; count < 5; count += 1) await browser.press('/two-factor', { code: '000000' });
    const refused = await browser.press('/two-factor', { code: '000000' });
    expect(refused.text).toContain('Too many attempts. Try again in 15 minutes.');
  });
});
