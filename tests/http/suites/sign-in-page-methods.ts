/** Further methods on the pages for sign-in: passkeys, text messages, user names, guests, and the choice to be remembered. */
import { createPages, type PagesOptions } from 'svc-auth/pages';
import { outbox, smsOutbox, softwareAuthenticator } from 'svc-auth/testing';
import { encryptionKey, origin } from '../../support/every-provider.js';
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword as password, type Site, type SiteOptions } from '../../support/http-site.js';
import { license } from '../../support/make-pro-service.js';
import { pageVisitor, type PageVisitor } from '../../support/page-visitor.js';
import { addPasskey, enrollTotp, uniquePhone } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';

/** As the script of the pages sends a form. */
const byScript = { 'Svc-Pages': '1' };

const uniqueName = (site: Site) => site.uniqueEmail().replace(/@.*/, '');

type Credential = (options: never) => unknown;

export function signInPageMethods(open: OpenSite): void {
  async function openPages(
    service: NonNullable<SiteOptions['service']>,
    options: Partial<PagesOptions> = {},
  ) {
    const site = await open({
      pro: true,
      service: { ...license, encryptionKey, ...service },
      after(app, test) {
        app.use('/app', createPages(test.service, { name: 'Acme', ...options }));
      },
    });
    return { site, browser: pageVisitor(site) };
  }

  /** Sends a form twice, as the script does: for the options, and with the credential. */
  async function withPasskey(
    browser: PageVisitor,
    action: string,
    fields: Record<string, string>,
    credential: Credential,
  ): Promise<HttpResponse> {
    const tab = browser.newTab();
    const options = await browser.press(action, fields, byScript);
    expect(options.headers['svc-ceremony']).toMatch(/^(?:create|get)$/);
    // The script still has the form.
    await tab.get(`/app${action}`);
    const sent = JSON.stringify(credential(options.json as never));
    return tab.press(action, { ...fields, credential: sent }, byScript);
  }

  describe('the pages of a passkey as the second step', () => {
    async function openPasskeySteps() {
      const mail = outbox();
      const { site, browser } = await openPages({
        mail,
        providers: {
          totp: { sender: mail, email: true, trustedBrowsers: { days: 30 } },
          webauthn: { rpId: 'app.test', origins: [origin], secondFactor: true },
          sessions: true as const,
        },
      });
      const { email, cookie: first } = await site.signInByCode();
      await site.post('/password/signup', { email, password }, { cookie: first });
      const authenticator = softwareAuthenticator({ origin });
      await addPasskey(site, first, authenticator);
      const { cookie, code } = await enrollTotp(site, first);
      const startSignIn = async () => {
        await browser.get('/app/sign-in?next=/notes');
        await browser.submit({ email });
        await browser.get('/app/sign-in/password');
        return browser.submit({ password });
      };
      return { site, browser, email, cookie, code, authenticator, startSignIn };
    }

    it('a passkey completes the sign-in, and the browser is trusted if the user wants it', async () => {
      const { browser, authenticator, startSignIn } = await openPasskeySteps();
      expect(await startSignIn()).toMatchObject({ location: '/app/two-factor' });
      const page = await browser.follow();
      expect(page.text).toContain('href="/app/two-factor/passkey"');
      await browser.get('/app/two-factor/passkey');
      const done = await withPasskey(browser, '/two-factor/passkey', { trust: 'yes' }, (options) =>
        authenticator.get(options),
      );
      expect(done).toMatchObject({ status: 204, headers: { 'svc-location': '/notes' } });
      expect(browser.cookieNames()).toEqual(expect.arrayContaining(['svc_session', 'svc_trust']));
    });

    it('the preferred method comes first, and the app remains within reach', async () => {
      const { site, browser, cookie, code, startSignIn } = await openPasskeySteps();
      await site.send('PUT', '/second-factor/preferred', { method: 'passkey' }, { cookie });
      await startSignIn();
      expect(await browser.follow()).toMatchObject({ location: '/app/two-factor/passkey' });
      const page = await browser.follow();
      expect(page.text).toContain('href="/app/two-factor?use=app"');
      await browser.get('/app/two-factor?use=app');
      expect(await browser.submit({ code: code() })).toMatchObject({ location: '/notes' });
    });

    it('a preferred code by email is sent when the user asks for it', async () => {
      const { site, browser, cookie, email, startSignIn } = await openPasskeySteps();
      await site.post('/second-factor/email/enable', undefined, { cookie });
      const again = (await site.post('/password/login', { email, password })).status;
      expect(again).toBe(403);
      const before = site.mail.messages.length;
      await startSignIn();
      await browser.get('/app/two-factor/email');
      expect(site.mail.messages.length).toBe(before);
      await browser.press('/two-factor/email/send');
      const page = await browser.follow();
      expect(page.text).toContain('We’ve sent a code to your email address.');
    });

    it('a passkey of another account is refused on the page, and no session starts', async () => {
      const { browser, startSignIn } = await openPasskeySteps();
      await startSignIn();
      await browser.get('/app/two-factor/passkey');
      const stranger = softwareAuthenticator({ origin });
      stranger.create({
        rp: { id: 'app.test', name: 'Acme' },
        user: { id: 'c3RyYW5nZXI', name: 'x', displayName: 'x' },
        challenge: 'AAAA',
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      } as never);
      const refused = await withPasskey(browser, '/two-factor/passkey', {}, (options) =>
        stranger.get({ ...(options as object), allowCredentials: [] } as never),
      );
      expect(refused.status).toBe(422);
      expect(refused.text).toContain('The passkey couldn’t be used.');
      expect(browser.cookieNames()).not.toContain('svc_session');
    });

    it('without a script, the page says what a passkey needs', async () => {
      const { browser, startSignIn } = await openPasskeySteps();
      await startSignIn();
      await browser.get('/app/two-factor/passkey');
      const page = await browser.press('/two-factor/passkey');
      expect(page.status).toBe(422);
      expect(page.text).toContain('Passkeys need JavaScript.');
    });
  });

  describe('the pages of a sign-up with a passkey', () => {
    const create: Credential = (options) => softwareAuthenticator({ origin }).create(options);
    const openSignUp = (address: 'verified' | 'later' | 'none') => {
      const sender = outbox();
      return openPages({
        mail: sender,
        usernames: { enabled: true },
        providers: {
          account: { sender },
          webauthn: {
            rpId: 'app.test',
            origins: [origin],
            signUp: { address, ...(address !== 'none' && { sender }) },
          },
        },
      });
    };

    it('a proven address comes before the passkey', async () => {
      const { site, browser } = await openSignUp('verified');
      const [email, username] = [site.uniqueEmail(), uniqueName(site)];
      await browser.get('/app/sign-up?next=/notes');
      await browser.get('/app/sign-up/passkey');
      expect(await browser.submit({ email })).toMatchObject({ location: '/app/sign-up/passkey/code' });
      await browser.follow();
      const wrong = await browser.press('/passkey/code', { code: '000000' }, byScript);
      expect(wrong.text).toContain('id="field-code-error">This code is wrong.');
      const code = site.mail.lastCode(email)!;
      const done = await withPasskey(browser, '/sign-up/passkey/code', { code, username }, create);
      expect(done.headers['svc-location']).toBe('/notes');
      expect(await site.service.users.find({ email })).toMatchObject({
        emailVerified: true,
        username,
      });
    });

    it('an address that is proven later gets its code after the passkey', async () => {
      const { site, browser } = await openSignUp('later');
      const email = site.uniqueEmail();
      await browser.get('/app/sign-up?next=/notes');
      await browser.get('/app/sign-up/passkey');
      const done = await withPasskey(browser, '/sign-up/passkey', { email }, create);
      expect(done.headers['svc-location']).toBe('/app/verify');
      await site.settle();
      const page = await browser.get('/app/verify');
      expect(page.text).toContain('<a class="button plain" href="/notes">Not now</a>');
      expect(await browser.submit({ code: site.mail.lastCode(email)! })).toMatchObject({
        location: '/notes',
      });
      expect(await site.service.users.find({ email })).toMatchObject({ emailVerified: true });
    });

    it('an account without an address needs nothing else', async () => {
      const { browser } = await openSignUp('none');
      await browser.get('/app/sign-up');
      const page = await browser.get('/app/sign-up/passkey');
      expect(page.text).not.toContain('type="email"');
      const done = await withPasskey(browser, '/sign-up/passkey', {}, create);
      expect(done.headers['svc-location']).toBe('/');
      expect(browser.cookieNames()).toContain('svc_session');
    });

    it('the steps are the same for an address that has an account', async () => {
      const { site, browser } = await openSignUp('verified');
      const { email } = await site.signInByCode();
      const pages: string[] = [];
      for (const each of [email, site.uniqueEmail()]) {
        browser.forget();
        await browser.get('/app/sign-up/passkey');
        await browser.submit({ email: each });
        const { text } = await browser.follow();
        pages.push(text.replaceAll(each, '…').replace(/value="[\w-]{22}"/g, ''));
      }
      expect(pages[1]).toBe(pages[0]);
    });
  });

  describe('the pages of a sign-in by text message', () => {
    it('a code in a text message signs in, after a number with spaces', async () => {
      const sms = smsOutbox();
      const { browser } = await openPages({ providers: { phoneOtp: { sender: sms } } });
      const phone = uniquePhone();
      const start = await browser.get('/app/sign-in?next=/notes');
      expect(start.text).toContain('href="/app/sign-in/phone"');
      await browser.get('/app/sign-in/phone');
      const wrong = await browser.submit({ phone: '12' });
      expect(wrong.text).toContain(
        'id="field-phone-error">This phone number isn’t valid. Check the country and the number.<',
      );
      const spaced = `${phone.slice(0, 2)} ${phone.slice(2, 5)} ${phone.slice(5)}`;
      expect(await browser.submit({ phone: spaced })).toMatchObject({ location: '/app/sign-in/phone/code' });
      const page = await browser.follow();
      const grouped = phone.replace(/^(\+1)(\d{3})(\d{3})/, '$1\u00a0$2\u00a0$3\u00a0');
      expect(page.text).toContain(`<bdi dir="ltr">${grouped}</bdi>`);
      expect(await browser.submit({ code: sms.lastCode(phone)! })).toMatchObject({ location: '/notes' });
    });

    it('a country that is not accepted is named next to the number', async () => {
      const phoneOtp = { sender: smsOutbox(), allowCountry: () => false };
      const { browser } = await openPages({ providers: { phoneOtp } });
      await browser.get('/app/sign-in/phone');
      const page = await browser.submit({ phone: uniquePhone() });
      expect(page.text).toContain('id="field-phone-error">Phone numbers from this country aren’t supported.');
    });
  });

  describe('the pages with user names', () => {
    const usernames = { enabled: true };

    it('a sign-up takes a user name, which then signs in with the password', async () => {
      const { site, browser } = await openPages({ usernames });
      const [email, username] = [site.uniqueEmail(), uniqueName(site)];
      await browser.get('/app/sign-up');
      expect(await browser.submit({ email, username, password })).toMatchObject({ status: 303 });
      browser.forget();
      const start = await browser.get('/app/sign-in?next=/notes');
      expect(start.text).toContain('Email address or username');
      expect(await browser.submit({ email: username.toUpperCase() })).toMatchObject({
        location: '/app/sign-in/password',
      });
      const page = await browser.follow();
      expect(page.text).not.toContain('Email me a code');
      expect(await browser.submit({ password })).toMatchObject({ location: '/notes' });
    });

    it('unknown and malformed user names get the response of a wrong password', async () => {
      const { site, browser } = await openPages({ usernames });
      const username = uniqueName(site);
      await site.post('/password/signup', { email: site.uniqueEmail(), password, username });
      const texts: string[] = [];
      for (const name of [username, uniqueName(site), '..malformed..']) {
        browser.forget();
        await browser.get('/app/sign-in');
        await browser.submit({ email: name });
        await browser.follow();
        const page = await browser.submit({ password: 'wrong horse battery' });
        expect(page.status).toBe(422);
        texts.push(page.text.replaceAll(name, '…').replace(/value="[\w-]{22}"/g, ''));
      }
      expect(texts[0]).toContain('The email address, username or password is wrong.');
      expect([texts[1], texts[2]]).toEqual([texts[0], texts[0]]);
    });

    it('a taken user name is named next to its field', async () => {
      const { site, browser } = await openPages({ usernames });
      const username = uniqueName(site);
      await site.post('/password/signup', { email: site.uniqueEmail(), password, username });
      await browser.get('/app/sign-up');
      const page = await browser.submit({
        email: site.uniqueEmail(),
        username: username.toUpperCase(),
        password,
      });
      expect(page.text).toContain('id="field-username-error">This username is taken.');
    });
  });

  describe('the pages for guests', () => {
    async function openGuest(service: NonNullable<SiteOptions['service']> = {}) {
      const { site, browser } = await openPages({ providers: { sessions: true as const }, ...service });
      const guest = await site.post('/guest');
      browser.adopt(guest.cookie());
      return { site, browser, id: guest.json.user.id as string };
    }

    it('a guest signs up with a password, and keeps the account', async () => {
      const { site, browser, id } = await openGuest();
      const email = site.uniqueEmail();
      const page = await browser.get('/app/sign-up?next=/notes');
      expect(page.text).toContain('Create an account to keep what you’ve done as a guest.');
      expect(await browser.submit({ email, password })).toMatchObject({ location: '/notes' });
      expect(await site.service.users.get(id)).toMatchObject({ email, isGuest: false });
    });

    it('a guest proves the address first if sign-ups are private', async () => {
      const { site, browser, id } = await openGuest({ signUp: { revealExisting: false } });
      const email = site.uniqueEmail();
      await browser.get('/app/sign-up?next=/notes');
      expect(await browser.submit({ email })).toMatchObject({ location: '/app/sign-up/code' });
      await browser.follow();
      expect(await browser.submit({ code: site.mail.lastCode(email)! })).toMatchObject({
        location: '/notes',
      });
      expect(await site.service.users.get(id)).toMatchObject({ email, emailVerified: true, isGuest: false });
    });

    it('a guest is offered no sign-up that would create another account', async () => {
      const google = { clientId: 'acme', clientSecret: 'secret', redirectUri: `${origin}/google/callback` };
      const { browser } = await openGuest({ providers: { sessions: true as const, google } });
      expect((await browser.get('/app/sign-up')).text).not.toContain('Continue with Google');
      expect((await browser.get('/app/sign-in')).text).toContain('Continue with Google');
    });

    it('a guest who waits for a link does not continue as the guest', async () => {
      const { browser } = await openGuest();
      expect((await browser.get('/app/sign-in/link/status')).status).toBe(204);
    });

    it('a guest can sign in to an account', async () => {
      const { site, browser } = await openGuest();
      const { user } = await site.signUp();
      await browser.get('/app/sign-in?next=/notes');
      await browser.submit({ email: user.email as string });
      await browser.follow();
      expect(await browser.submit({ password })).toMatchObject({ location: '/notes' });
    });
  });

  describe('the choice to be remembered', () => {
    it('a browser that is not to be remembered gets a cookie without an expiry', async () => {
      const { site, browser } = await openPages({}, { rememberMe: true });
      const { user } = await site.signUp();
      const maxAges: unknown[] = [];
      for (const fields of [{ remember: 'yes' }, { remember: '' }]) {
        browser.forget();
        await browser.get('/app/sign-in');
        await browser.submit({ email: user.email as string, ...fields });
        await browser.follow();
        const done = await browser.submit({ password });
        const cookie = done.cookies.find(({ name }) => name === 'svc_session');
        maxAges.push(
          cookie?.attributes['max-age'] === undefined && cookie?.attributes['expires'] === undefined,
        );
      }
      expect(maxAges).toEqual([false, true]);
    });
  });

  describe('two tabs of one browser', () => {
    it('two sign-ins with different addresses and targets do not mix', async () => {
      const { site, browser } = await openPages({});
      const [ada, grace] = [(await site.signUp()).user, (await site.signUp()).user];
      const other = browser.newTab();
      await browser.get('/app/sign-in?next=/a');
      await other.get('/app/sign-in?next=/b');
      await browser.submit({ email: ada.email as string });
      const first = await browser.follow();
      await other.submit({ email: grace.email as string });
      const second = await other.follow();
      expect(first.text).toContain(ada.email as string);
      expect(second.text).not.toContain(ada.email as string);
      expect(await browser.submit({ password })).toMatchObject({ location: '/a' });
      expect(await other.submit({ password })).toMatchObject({ location: '/b' });
    });
  });
}
