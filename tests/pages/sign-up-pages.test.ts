// What the sign-up pages keep and forget: guests with fields, the address of a passkey sign-up, and what a first step accepts.
import { createPages, type PagesOptions } from 'svc-auth/pages';
import { mockIdentityProvider, softwareAuthenticator, type MockIdentityProvider } from 'svc-auth/testing';
import * as z from 'zod';
import { mount } from '../support/account-pages.js';
import { callbackUrl, clientOptions } from '../support/every-provider.js';
import { fullSiteOpener } from '../support/full-site.js';
import type { SiteOptions } from '../support/http-site.js';
import { pageVisitor } from '../support/page-visitor.js';

let google: MockIdentityProvider;
beforeAll(async () => void (google = await mockIdentityProvider({ redirectUri: callbackUrl('/google') })));
afterAll(() => google.close());

const openSite = fullSiteOpener(undefined, () => ({ google }));
const fields = z.object({ company: z.string().min(2) });

async function openPages(service: SiteOptions['service'] = {}, options: Partial<PagesOptions> = {}) {
  const site = await openSite({
    service,
    after(app, { service }) {
      app.use(mount, createPages(service, { name: 'Acme', basePath: mount, ...options }));
    },
  });
  return { site, browser: pageVisitor(site) };
}

describe('required fields', () => {
  it('are asked for after an identity provider, and the sign-in arrives where it began', async () => {
    const { browser, site } = await openPages({ signUp: { fields } });
    const email = site.uniqueEmail();
    const started = await browser.get('/api/auth/google/start?state=%2Fnotes');
    google.accounts.set('ada', { email, email_verified: true });
    const callback = await google.signIn(started.location!, 'ada');
    const proven = await browser.get(`/api/auth/google/callback${callback.search}`);
    expect(proven.location).toBe(`${mount}/sign-up/complete?next=%2Fnotes`);
    await browser.follow();
    expect(await site.adapter.users.findByEmail(email)).toBeNull();
    const created = await browser.submit({ 'fields.company': 'Acme' });
    expect([created.status, created.location]).toEqual([303, '/notes']);
    expect(await site.adapter.users.findByEmail(email)).toMatchObject({ metadata: { company: 'Acme' } });
  });

  it('are stored as they were typed, also if the provider knows another name', async () => {
    const { browser, site } = await openPages({
      signUp: { fields: z.object({ name: z.string() }) },
      providers: { google: { ...clientOptions(google), profileToMetadata: true } },
    });
    const email = site.uniqueEmail();
    const started = await browser.get('/api/auth/google/start');
    const picture = 'https://pictures.test/ada';
    google.accounts.set('name', { email, email_verified: true, name: 'Ada King', picture });
    const callback = await google.signIn(started.location!, 'name');
    await browser.get(`/api/auth/google/callback${callback.search}`);
    await browser.follow();
    expect((await browser.submit({ 'fields.name': 'Ada Lovelace' })).status).toBe(303);
    const user = await site.adapter.users.findByEmail(email);
    expect(user?.metadata).toEqual({ name: 'Ada Lovelace', picture });
  });

  it('are asked for after a mailed link', async () => {
    const { browser, site } = await openPages({ signUp: { fields } });
    const email = site.uniqueEmail();
    await browser.get(`${mount}/sign-in?next=/notes`);
    await browser.submit({ email });
    await browser.follow();
    await browser.press('/use-link');
    await site.settle();
    const { pathname, search } = new URL(site.mail.lastLink(email) ?? '');
    const proven = await browser.get(pathname + search);
    expect(proven.location).toMatch(new RegExp(`^${mount}/sign-up/complete\\?link=`));
    await browser.follow();
    expect((await browser.submit({ 'fields.company': 'Acme' })).location).toBe('/notes');
    expect(await site.adapter.users.findByEmail(email)).toMatchObject({ emailVerified: true });
  });

  it('are asked for when a guest becomes a user, with the code', async () => {
    const { browser, site } = await openPages({ signUp: { fields, revealExisting: false } });
    const guest = await site.post('/guest', {});
    browser.adopt(guest.cookies.map(({ name, value }) => `${name}=${value}`)[0]!);
    const email = site.uniqueEmail();
    await browser.get(`${mount}/sign-up`);
    await browser.submit({ email });
    const step = await browser.follow();
    expect(step.text).toContain('name="fields.company"');
    await site.settle();
    const code = site.mail.lastCode(email) ?? '';
    const refused = await browser.submit({ code });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('Fill in this field.')]);
    expect((await browser.submit({ code, 'fields.company': 'Acme' })).status).toBe(303);
    expect(await site.adapter.users.findByEmail(email)).toMatchObject({ metadata: { company: 'Acme' } });
  });
});

describe('an address that has an account', () => {
  it('is filled in at the sign-in, to which the sign-up points', async () => {
    const { browser, site } = await openPages();
    const email = site.uniqueEmail();
    await site.service.users.create({ email });
    await browser.get(`${mount}/sign-up`);
    const refused = await browser.submit({ email, password: 'correct horse battery' });
    expect(refused.text).toContain('This address already has an account. Sign in instead.');
    expect((await browser.get(`${mount}/sign-in`)).text).toContain(`value="${email}"`);
  });
});

describe('the step for required fields', () => {
  it('can be left after an identity provider, by words that fit it', async () => {
    const { browser, site } = await openPages({ signUp: { fields } });
    google.accounts.set('eve', { email: site.uniqueEmail(), email_verified: true });
    const started = await browser.get('/api/auth/google/start');
    const callback = await google.signIn(started.location!, 'eve');
    await browser.get(`/api/auth/google/callback${callback.search}`);
    const page = await browser.follow();
    expect(page.text).toContain('Start again');
    expect(page.text).not.toContain('Use another address');
  });
});

describe('the address of a passkey sign-up that is confirmed later', () => {
  async function signUpLater() {
    const pages = await openPages({
      providers: {
        webauthn: {
          rpId: 'app.test',
          origins: ['https://app.test'],
          signUp: { address: 'later', sender: { send: async () => undefined } },
        },
      },
    });
    const { browser, site } = pages;
    const email = site.uniqueEmail();
    await browser.get(`${mount}/sign-up/passkey`);
    const asked = await browser.submit({ email }, { 'Svc-Pages': '1' });
    const response = softwareAuthenticator({ origin: 'https://app.test' }).create(JSON.parse(asked.text));
    await browser.get(`${mount}/sign-up/passkey`);
    const created = await browser.submit(
      { email, credential: JSON.stringify(response) },
      { 'Svc-Pages': '1' },
    );
    expect(created.headers['svc-location']).toBe(`${mount}/verify`);
    return { ...pages, email };
  }

  it('stays in the profile with "Not now", where its code is entered', async () => {
    const { browser, email } = await signUpLater();
    const { text } = await browser.get(`${mount}/account/profile`);
    expect(text).toMatch(new RegExp(`Pending: <bdi class="value">${email}</bdi>`));
    expect(text).toContain(`href="${mount}/account/profile/email/code"`);
    expect(text).not.toContain('You have no email address.');
    expect((await browser.get(`${mount}/account/profile/email/code`)).text).toContain(email);
  });

  it('can be removed from the profile', async () => {
    const { browser, email } = await signUpLater();
    await browser.get(`${mount}/account/profile`);
    await browser.press('/email/forget');
    const { text } = await browser.get(`${mount}/account/profile`);
    expect(text).not.toContain(email);
    expect(text).toContain('You have no email address.');
  });
});

describe('the first step of a sign-in', () => {
  it.each([
    ['not an address', true, 'Enter your email address or username.'],
    ['not an address', false, 'Enter an email address, such as ada@example.com.'],
    ['ada@', true, 'Enter an email address, such as ada@example.com.'],
  ])('refuses "%s" with user names %s', async (email, enabled, sentence) => {
    const { browser } = await openPages({ usernames: { enabled } });
    await browser.get(`${mount}/sign-in`);
    const refused = await browser.submit({ email });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(sentence)]);
  });

  it('accepts a user name', async () => {
    const { browser } = await openPages({ usernames: { enabled: true } });
    await browser.get(`${mount}/sign-in`);
    expect((await browser.submit({ email: 'Ada' })).location).toBe(`${mount}/sign-in/password`);
  });
});

describe('a new password', () => {
  const meter = /class="strength"[^>]*data-strength="\/app\/assets\//;

  it('has an estimate of its strength at sign-up', async () => {
    const { browser } = await openPages();
    expect((await browser.get(`${mount}/sign-up`)).text).toMatch(meter);
  });

  it('has an estimate of its strength at a reset', async () => {
    const { browser, site } = await openPages();
    const { email } = await site.signUp();
    await site.service.emailPassword.requestReset({ email });
    await site.settle();
    const { search } = new URL(site.mail.lastLink(email) ?? '');
    expect((await browser.get(`${mount}/reset${search}`)).text).toMatch(meter);
  });
});

describe('a sign-up without an address', () => {
  const alone = { usernames: { enabled: true, signUpWithoutEmail: true } };
  const password = 'correct horse battery';

  it('is created with a user name and a password, and needs one of address and user name', async () => {
    const { browser, site } = await openPages(alone);
    const shown = await browser.get(`${mount}/sign-up`);
    expect(shown.text).toMatch(/Email[^<]*<[^>]*>[^<]*optional/);
    const refused = await browser.submit({ email: '', username: '', password });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('Enter your email address or username.');
    await browser.submit({ email: '', username: 'Ada.Alone', password });
    const user = await site.service.users.find({ username: 'ada.alone' });
    expect(user).toMatchObject({ email: null, hasPassword: true });
  });

  it('is not offered unless the service allows it', async () => {
    const { browser } = await openPages({ usernames: { enabled: true } });
    await browser.get(`${mount}/sign-up`);
    const refused = await browser.submit({ email: '', username: 'Ada.Never', password });
    expect([refused.status, refused.text.includes('Enter your email address.')]).toEqual([422, true]);
  });
});
