// A passkey for users who have signed in without one: who is asked, how often, and where the sign-in arrives.
import { createPages, type PagesOptions } from 'svc-auth/pages';
import { softwareAuthenticator } from 'svc-auth/testing';
import { mount, textOf } from '../support/account-pages.js';
import { origin } from '../support/every-provider.js';
import { fullSiteOpener } from '../support/full-site.js';
import { validPassword as password } from '../support/http-site.js';
import { errorOf } from '../support/outcomes.js';
import { pageVisitor, type PageVisitor } from '../support/page-visitor.js';
import { addPasskey, enrollTotp } from '../support/site-actions.js';

const openSite = fullSiteOpener();
const offer = `${mount}/sign-in/passkey`;
const byScript = { 'svc-pages': '1' };

async function open(options: Partial<PagesOptions> = { offerPasskey: true }) {
  const site = await openSite({
    after: (app, { service }) =>
      app.use(mount, createPages(service, { name: 'Acme', basePath: mount, ...options })),
  });
  return { site, browser: pageVisitor(site) };
}

async function signInByPassword(browser: PageVisitor, email: string, headers: Record<string, string> = {}) {
  // A signed-in user needs no sign-in.
  browser.adopt('svc_session=');
  await browser.get(`${mount}/sign-in?next=/notes`);
  await browser.submit({ email });
  await browser.get(`${mount}/sign-in/password`);
  return browser.submit({ password }, headers);
}

/** Signs in and opens the offer. Returns where the user is now. */
async function arrive(browser: PageVisitor, email: string) {
  const { location } = await signInByPassword(browser, email);
  if (!location?.startsWith(offer)) return location;
  const page = await browser.follow();
  return page.location ?? textOf(page);
}

const asks = expect.stringContaining('Add a passkey');

describe('the page that offers a passkey', () => {
  it('follows a sign-in with a password, and leads to the page that was asked for', async () => {
    const { site, browser } = await open();
    const { email } = await site.signUp();
    expect(await arrive(browser, email)).toEqual(asks);
    const later = await browser.press('/later');
    expect([later.status, later.location]).toEqual([303, '/notes']);
  });

  it('follows a sign-in with a code and with a link, and none with an option that is off', async () => {
    const { site, browser } = await open({ offerPasskey: true, firstMethod: 'code' });
    const email = site.uniqueEmail();
    await browser.get(`${mount}/sign-in?next=/notes`);
    await browser.submit({ email });
    await browser.get(`${mount}/sign-in/code`);
    const byCode = await browser.press('/sign-in/code', { code: site.mail.lastCode(email) ?? '' });
    expect(byCode.location).toBe(`${offer}?next=${encodeURIComponent('/notes')}`);

    await site.post('/magic-link/send', { email });
    const byLink = await browser.newTab().get(`/api/auth/magic-link/verify?token=${site.mailedToken(email)}`);
    const tab = browser.newTab();
    expect((await tab.get(byLink.location!)).location).toMatch(`${offer}?next=`);
    expect(textOf(await tab.follow())).toEqual(asks);

    const off = await open({});
    const { email: other } = await off.site.signUp();
    expect((await signInByPassword(off.browser, other)).location).toBe('/notes');
    expect((await off.browser.get(`${offer}?next=/notes`)).location).toBe('/notes');
  });

  it('follows the second step of a sign-in', async () => {
    const { site, browser } = await open();
    const { email, cookie } = await site.signUp();
    const { code } = await enrollTotp(site, cookie);
    site.clock.advance(60_000);
    expect((await signInByPassword(browser, email)).location).toBe(`${mount}/two-factor`);
    await browser.follow();
    const { location } = await browser.submit({ code: code() });
    expect(location).toMatch(offer);
  });

  it('is skipped by a user who has a passkey', async () => {
    const { site, browser } = await open();
    const { email, cookie } = await site.signUp();
    await addPasskey(site, cookie);
    expect(await arrive(browser, email)).toBe('/notes');
  });

  it('is skipped for 90 days by a user who has skipped it, in this browser only', async () => {
    const { site, browser } = await open();
    const { email } = await site.signUp();
    await arrive(browser, email);
    const { cookies } = await browser.press('/later');
    const cookie = cookies.find(({ name }) => name === 'svc_passkey_later');
    expect(cookie?.attributes).toMatchObject({ httponly: true, path: '/' });
    expect(Number(cookie?.attributes['max-age'])).toBe(90 * 24 * 60 * 60);
    expect(cookie?.value).not.toContain(email);
    expect(await arrive(browser, email)).toBe('/notes');
    expect(await arrive(pageVisitor(site), email)).toEqual(asks);
    // Another user of the same browser, whose answer does not replace that of the first.
    const { email: other } = await site.signUp();
    expect(await arrive(browser, other)).toEqual(asks);
    await browser.press('/later');
    expect([await arrive(browser, other), await arrive(browser, email)]).toEqual(['/notes', '/notes']);
  });

  it('is not skipped with the answer of another user or one that was made up', async () => {
    const { site, browser } = await open();
    const [{ email }, { email: other }] = [await site.signUp(), await site.signUp()];
    await arrive(browser, other);
    await browser.press('/later');
    const theirs = browser.cookie('svc_passkey_later')!;
    for (const value of [theirs, 'A'.repeat(43), '', 'x', `${theirs}.${theirs}`]) {
      const victim = pageVisitor(site);
      victim.adopt(`svc_passkey_later=${value}`);
      expect([value, await arrive(victim, email)]).toEqual([value, asks]);
    }
  });

  it('adds the passkey that the browser creates, and leads on', async () => {
    const { site, browser } = await open();
    const { email } = await site.signUp();
    await arrive(browser, email);
    const tab = browser.newTab();
    const authenticator = softwareAuthenticator({ origin });
    const options = await browser.press('/sign-in/passkey', {}, byScript);
    expect(options.headers['svc-ceremony']).toBe('create');
    await tab.get(`${offer}?next=/notes`);
    const credential = JSON.stringify(authenticator.create(options.json as never));
    const added = await tab.press('/sign-in/passkey', { credential }, byScript);
    expect([added.status, added.headers['svc-location']]).toEqual([204, '/notes']);
    expect(await arrive(browser, email)).toBe('/notes');
  });

  it('says why it needs a script, and shows the form again after a wrong credential', async () => {
    const { site, browser } = await open();
    const { email } = await site.signUp();
    await arrive(browser, email);
    const plain = await browser.press('/sign-in/passkey');
    expect([plain.status, textOf(plain)]).toEqual([
      422,
      expect.stringContaining('Passkeys need JavaScript.'),
    ]);
    const wrong = await browser.press('/sign-in/passkey', { credential: '{}' }, byScript);
    expect([wrong.status, textOf(wrong)]).toEqual([422, asks]);
  });

  it('asks to sign in without a session, and after a sign-in that is too old to add a passkey', async () => {
    const { site, browser } = await open();
    expect((await browser.get(offer)).location).toBe(`${mount}/sign-in`);
    const { email } = await site.signUp();
    await arrive(browser, email);
    site.clock.advance(11 * 60_000);
    const late = await browser.press('/sign-in/passkey', {}, byScript);
    expect(late.headers['svc-location']).toMatch(`${mount}/account/confirm?next=`);
    expect(late.headers['svc-ceremony']).toBeUndefined();
  });

  it('leads to no other site', async () => {
    const { site, browser } = await open();
    const { email } = await site.signUp();
    await arrive(browser, email);
    for (const next of ['//evil.test', 'https://evil.test', '/\\evil.test']) {
      await browser.get(`${offer}?next=${encodeURIComponent(next)}`);
      const { location } = await browser.newTab().get(`${offer}?next=${encodeURIComponent(next)}`);
      expect(location ?? '/').toMatch(/^\/(?![/\\])/);
    }
  });
});

describe('a passkey that the browser creates by itself', () => {
  const header = async (browser: PageVisitor, email: string, headers = byScript) =>
    (await signInByPassword(browser, email, headers)).headers['svc-passkey'];

  it('is allowed after a sign-in with a password only, to a user without a passkey', async () => {
    const { site, browser } = await open({ automaticPasskeys: true });
    const { email, cookie } = await site.signUp();
    expect(await header(browser, email)).toBe('/api/auth/passkeys/register');
    expect(await header(browser, email, {} as never)).toBeUndefined();
    await addPasskey(site, cookie);
    expect(await header(browser, email)).toBeUndefined();
  });

  it('is allowed neither by default, nor before the second step, nor to a user who has skipped the offer', async () => {
    const off = await open();
    expect(await header(off.browser, (await off.site.signUp()).email)).toBeUndefined();
    const { site, browser } = await open({ automaticPasskeys: true, offerPasskey: true });
    const { email } = await site.signUp();
    await arrive(browser, email);
    await browser.press('/later');
    expect(await header(browser, email)).toBeUndefined();
    const { email: other, cookie } = await site.signUp();
    await enrollTotp(site, cookie);
    site.clock.advance(60_000);
    expect(await header(pageVisitor(site), other)).toBeUndefined();
  });

  it('is registered without user presence by the routes', async () => {
    const { site } = await open();
    const { cookie } = await site.signUp();
    const register = async (automatic: boolean | undefined) => {
      const started = await site.post(
        '/passkeys/register/start',
        automatic === undefined ? undefined : { automatic },
        {
          cookie,
        },
      );
      const response = softwareAuthenticator({ origin }).create(
        (started.json as { options: never }).options,
        { userPresent: false, userVerified: false },
      );
      const cookies = `${cookie}; ${started.cookie('svc_webauthn')}`;
      return (await site.post('/passkeys/register/finish', { response }, { cookie: cookies })).status;
    };
    expect([await register(undefined), await register(false), await register(true)]).toEqual([401, 401, 200]);
  });
});

it.each([['offerPasskey'], ['automaticPasskeys']])(
  'createPages refuses %s that is not a boolean',
  async (option) => {
    const error = await errorOf(async () => open({ [option]: 'yes' }));
    expect(error).toMatchObject({ faults: [{ path: `createPages(service, { ${option} })` }] });
  },
);
