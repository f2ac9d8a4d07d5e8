// What a page says to a person at a moment that others never reach: a first password, a reclaimed account, a guest, an expired link.
import { createPages } from 'svc-auth/pages';
import { softwareAuthenticator } from 'svc-auth/testing';
import { accountPagesOpener, accountPath, mount, textOf } from '../support/account-pages.js';
import { fullSiteOpener, type FullSite } from '../support/full-site.js';
import type { HttpResponse } from '../support/http-client.js';
import { validPassword, type SiteOptions } from '../support/http-site.js';
import { minute } from '../support/make-pro-service.js';
import { pageVisitor, type PageVisitor } from '../support/page-visitor.js';

const openSite = fullSiteOpener();
const openAccount = accountPagesOpener();

async function openPages(service: SiteOptions['service'] = {}) {
  const site = await openSite({
    service,
    after: (app, { service }) => app.use(mount, createPages(service, { name: 'Acme', basePath: mount })),
  });
  return { site, browser: pageVisitor(site) };
}

/** Begins a sign-in with an address, and continues with another method than the password. */
async function begin(browser: PageVisitor, email: string, method: 'code' | 'link', next = '') {
  await browser.get(`${mount}/sign-in${next}`);
  await browser.submit({ email });
  await browser.get(`${mount}/sign-in/password`);
  await browser.press(`/use-${method}`);
  return browser.get(`${mount}/sign-in/${method}`);
}

/** Continues as a guest in this browser. */
async function becomeGuest(site: FullSite, browser: PageVisitor): Promise<void> {
  const { token } = await site.service.sessionsProvider.createGuest();
  browser.adopt(`svc_session=${token}`);
}

const pathOf = (url: string) => url.slice(new URL(url).origin.length);

describe('the link in the invitation of a user', () => {
  async function invited() {
    const { site, browser } = await openPages();
    const email = site.uniqueEmail();
    const { user } = await site.service.users.invite({ email }, {});
    await site.settle();
    const token = new URL(site.mail.lastLink(email) ?? '').searchParams.get('token') ?? '';
    return { site, browser, email, user, token };
  }

  it('asks for a password, and not for a new one', async () => {
    const { browser, token } = await invited();
    const page = textOf(await browser.get(`${mount}/reset?token=${token}`));
    expect(page).toContain('Choose a password');
    expect(page).not.toContain('Choose a new password');
    const refused = textOf(await browser.press('/reset/choose', { password: '' }));
    expect(refused).toContain('Choose a password');
    await browser.press('/reset/choose', { password: validPassword });
    const done = textOf(await browser.follow());
    expect(done).toContain('Password saved Your account is ready. Sign in with your password.');
    expect(done).not.toContain('signed out');
  });

  it('is a reset for a user who has a password', async () => {
    const { site, browser } = await openPages();
    const { email } = await site.signUp();
    await browser.get(`${mount}/reset`);
    await browser.submit({ email });
    await site.settle();
    const token = new URL(site.mail.lastLink(email) ?? '').searchParams.get('token') ?? '';
    expect(textOf(await browser.get(`${mount}/reset?token=${token}`))).toContain('Choose a new password');
    await browser.press('/reset/choose', { password: `${validPassword} too` });
    expect(textOf(await browser.follow())).toContain('Password changed You’re signed out everywhere.');
  });
});

describe('a sign-in that removes the password of an unverified account', () => {
  const said = 'Its password and other ways to sign in were removed.';

  function expectNotice(page: HttpResponse) {
    expect(page.status).toBe(200);
    expect(textOf(page)).toContain(said);
    expect(page.text).toContain(`href="${accountPath}/security/password"`);
    expect(page.text).toContain(`href="${mount}/sign-in/done"`);
  }

  it('says so after a mailed code, once, and continues at the page that was asked for', async () => {
    const { site, browser } = await openPages();
    const { email } = await site.signUp();
    await begin(browser, email, 'code', '?next=/notes');
    const signedIn = await browser.press('/sign-in/code', { code: site.mail.lastCode(email) ?? '' });
    expect(signedIn.location).toBe(`${mount}/sign-in/done?notice=reclaimed`);
    expectNotice(await browser.follow());
    expect((await browser.get(`${accountPath}/security/password`)).status).toBe(200);
    expect((await browser.get(`${mount}/sign-in/done`)).location).toBe('/notes');
    const later = pageVisitor(site);
    await begin(later, email, 'code');
    expect((await later.press('/sign-in/code', { code: site.mail.lastCode(email) ?? '' })).location).toBe(
      '/',
    );
  });

  it('says so after a mailed link', async () => {
    const { site, browser } = await openPages();
    const { email } = await site.signUp();
    await begin(browser, email, 'link', '?next=/notes');
    await site.settle();
    const opened = await browser.get(pathOf(site.mail.lastLink(email) ?? ''));
    expect(opened.location).toContain('notice=reclaimed');
    expectNotice(await browser.follow());
    expect((await browser.get(`${mount}/sign-in/done`)).location).toBe('/notes');
  });

  it('says nothing if the account had no password, or if the browser is signed out', async () => {
    const { site, browser } = await openPages();
    const email = site.uniqueEmail();
    await site.service.users.invite({ email }, {});
    await begin(browser, email, 'code');
    expect((await browser.press('/sign-in/code', { code: site.mail.lastCode(email) ?? '' })).location).toBe(
      '/',
    );
    const stranger = await pageVisitor(site).get(`${mount}/sign-in/done?notice=reclaimed`);
    expect([stranger.status, stranger.location]).toEqual([303, '/']);
  });
});

describe('the sign-in page', () => {
  const said = 'If you sign in to an existing account, what you’ve done as a guest isn’t moved to it.';

  it('says to a guest, and to no one else, that the work of the guest stays behind', async () => {
    const { site, browser } = await openPages();
    expect(textOf(await browser.get(`${mount}/sign-in`))).not.toContain(said);
    await becomeGuest(site, browser);
    expect(textOf(await browser.get(`${mount}/sign-in`))).toContain(said);
  });
});

describe('the page of a phone number', () => {
  const back = ({ text }: HttpResponse) => /href="([^"]+)">Back</.exec(text)?.[1];

  it('leads back to the page from which the visitor came, also after an error', async () => {
    const { browser } = await openPages();
    const path = `${mount}/sign-in/phone`;
    expect((await browser.get(`${mount}/sign-up`)).text).toContain(`href="${path}?from=sign-up"`);
    expect(back(await browser.get(`${path}?from=sign-up`))).toBe(`${mount}/sign-up`);
    expect(back(await browser.press('/sign-in/phone', { phone: 'none' }))).toBe(`${mount}/sign-up`);
    await browser.press('/sign-in/phone', { country: 'DE', phone: '0151 23456789' });
    expect((await browser.get(`${path}/code`)).text).toContain(`href="${path}?from=sign-up"`);
    expect((await browser.get(`${mount}/sign-in`)).text).toContain(`href="${path}"`);
    expect(back(await browser.get(path))).toBe(`${mount}/sign-in`);
    expect(back(await browser.press('/sign-in/phone', { phone: 'none' }))).toBe(`${mount}/sign-in`);
  });
});

describe('the page that waits for a mailed link', () => {
  const expiry = ({ text }: HttpResponse) => /data-expires="(\d+)"/.exec(text)?.[1];

  it('knows for how long the link is valid', async () => {
    const { site, browser } = await openPages();
    const page = await begin(browser, site.uniqueEmail(), 'link');
    expect(expiry(page)).toBe('900');
    expect(page.text).toContain('data-expired="This link has expired. Request a new one."');
    site.clock.advance(14 * minute);
    expect(expiry(await browser.get(`${mount}/sign-in/link`))).toBe('60');
    site.clock.advance(2 * minute);
    expect(expiry(await browser.get(`${mount}/sign-in/link`))).toBe('0');
    await browser.press('/link/again');
    expect(expiry(await browser.get(`${mount}/sign-in/link`))).toBe('900');
  });
});

describe('the page that verifies an address', () => {
  it('offers no other code if nothing can send it, as without a sender of the account', async () => {
    const signUp = { address: 'later' as const, sender: { send: async () => undefined } };
    const rp = { rpId: 'app.test', origins: ['https://app.test'] };
    const { site, browser } = await openPages({
      providers: { account: {}, webauthn: { ...rp, signUp } },
    });
    const email = site.uniqueEmail();
    const script = { 'Svc-Pages': '1' };
    await browser.get(`${mount}/sign-up/passkey`);
    const asked = await browser.submit({ email }, script);
    const passkey = softwareAuthenticator({ origin: 'https://app.test' }).create(JSON.parse(asked.text));
    await browser.get(`${mount}/sign-up/passkey`);
    await browser.submit({ email, credential: JSON.stringify(passkey) }, script);
    const page = await browser.get(`${mount}/verify`);
    expect(textOf(page)).toContain(email);
    expect(textOf(page)).toContain('Sign out');
    expect(textOf(page)).not.toContain('Resend');
    expect(page.text).not.toContain('/again"');
  });
});

describe('the sign-up page', () => {
  it('reads the session and the user of a guest once', async () => {
    const { site, browser } = await openPages();
    await becomeGuest(site, browser);
    const { users } = site.service;
    const get = users.get.bind(users);
    let reads = 0;
    users.get = async (id) => {
      reads += 1;
      return get(id);
    };
    expect(textOf(await browser.get(`${mount}/sign-up`))).toContain('keep what you’ve done as a guest');
    expect(reads).toBe(1);
  });
});

describe('the account pages', () => {
  it('call the first username a choice, and the next one a change', async () => {
    const { browser, open } = await openAccount();
    expect(textOf(await open('/profile/username'))).toContain('Choose a username');
    await browser.press('/profile/username', { username: 'ada' });
    expect(textOf(await open('/profile/username'))).toContain('Change username');
  });

  it('say that no device is signed in, if an impersonator looks at a user without sessions', async () => {
    const { browser, me, open, site } = await openAccount();
    const { sessionsProvider } = site.service;
    const target = (await site.signUp()).user.id as string;
    await sessionsProvider.revokeAll(target);
    const { token } = await sessionsProvider.impersonate(me.user.id as string, target);
    browser.forget();
    browser.adopt(`svc_session=${token}`);
    expect(textOf(await open('/devices'))).toContain('No devices are signed in.');
  });

  it('offer a guest an account first, and signing out second', async () => {
    const { browser, open, site } = await openAccount();
    await becomeGuest(site, browser);
    await open('/profile');
    const asked = await browser.press('/sign-out');
    expect(asked.text).toMatch(/class="button primary" href="[^"]+\/profile\/upgrade"\s*>Create account</);
    expect(asked.text).toMatch(/<button class="plain">Sign out</);
    expect(asked.text).not.toContain('"danger"');
  });
});
