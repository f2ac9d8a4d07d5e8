// The sign-in page marks the method of the last sign-in in this browser, which the cookie `svc_last_method` names.
import { createPages } from 'svc-auth/pages';
import { fullSiteOpener, loopbackProviders, type IdentityProviders } from '../support/full-site.js';
import { mount } from '../support/account-pages.js';
import { validPassword } from '../support/http-site.js';
import { pageVisitor } from '../support/page-visitor.js';
import { signInMethods } from '../support/sign-in-methods.js';

type Both = Required<Pick<IdentityProviders, 'google' | 'acme'>>;
const openSite = fullSiteOpener<Both>(undefined, loopbackProviders('google', 'acme'));

const open = () =>
  openSite({
    after: (app, { service }) =>
      app.use(mount, createPages(service, { name: 'Acme', basePath: mount, rememberMe: true })),
  });

/** Returns the text of the button with the mark. */
function marked(page: string): string | null {
  const controls = page.match(/<(button|a)\b[^>]*aria-describedby="last-used"[^]*?<\/\1\s*>/g) ?? [];
  expect(controls.length).toBeLessThan(2);
  const [control] = controls;
  if (control === undefined) return null;
  expect(control).toMatch(/<span class="last-used" id="last-used" aria-hidden="true">Last used<\/span>/);
  return control
    .replace(/<span [^>]*aria-hidden="true"[^>]*>[^]*?<\/span>|<[^>]+>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

const labels: Record<string, string> = {
  'a code by email': 'Continue',
  'a magic link': 'Continue',
  'the code of a magic link': 'Continue',
  'a password': 'Continue',
  'a signup': 'Continue',
  'a second factor': 'Continue',
  google: 'Continue with Google',
  'the identity provider': 'Continue with Google',
  'an OAuth provider': 'Continue with Acme',
  'a code by text message': 'Continue with phone',
  'a touched passkey': 'Sign in with a passkey',
  'a passkey': 'Sign in with a passkey',
};

it.each(Object.entries(signInMethods))(
  'after a sign-in with %s, the page marks its button in this browser',
  async (name, prepare) => {
    const site = await open();
    const response = await (await prepare(site))();
    const cookie = response.cookies.find((each) => each.name === 'svc_last_method');
    expect(cookie?.attributes).toMatchObject({ path: '/', samesite: 'Lax', 'max-age': '31536000' });
    const value = `svc_last_method=${cookie?.value}`;
    const page = await site.get(`${mount}/sign-in`, { cookie: value });
    expect(marked(page.text)).toBe(labels[name]);
    const signUp = await site.get(`${mount}/sign-up`, { cookie: value });
    expect(marked(signUp.text)).toBeNull();
  },
);

it.each([
  ['password_login', 'Sign in', 'Use your password instead'],
  ['email_code', 'Email me a code instead', null],
  ['magic_link', 'Email me a link instead', 'Email me a link instead'],
  ['passkey', null, null],
])('the steps after the address mark the method %s too', async (method, withPassword, withCode) => {
  const site = await open();
  const browser = pageVisitor(site);
  browser.adopt(`svc_last_method=${method}`);
  await browser.get(`${mount}/sign-in`);
  await browser.submit({ email: site.uniqueEmail() });
  expect(marked((await browser.follow()).text)).toBe(withPassword);
  await browser.press('/use-code');
  expect(marked((await browser.follow()).text)).toBe(withCode);
});

it('the mark stays when the user signs out, and names no user', async () => {
  const site = await open();
  const { email } = await site.signUp();
  const browser = pageVisitor(site);
  await browser.get(`${mount}/sign-in`);
  await browser.submit({ email, remember: 'yes' });
  await browser.get(`${mount}/sign-in/password`);
  expect((await browser.submit({ password: validPassword })).status).toBe(303);
  expect(browser.cookie('svc_last_method')).toBe('password_login');
  await browser.get(`${mount}/account/profile`);
  await browser.press('/account/sign-out');
  const page = await browser.get(`${mount}/sign-in`);
  expect(marked(page.text)).toBe('Continue');
  expect(page.text).not.toContain(email);
});

it('a sign-in that the browser is to forget leaves no mark', async () => {
  const site = await open();
  const { email } = await site.signUp();
  const browser = pageVisitor(site);
  await browser.get(`${mount}/sign-in`);
  const values = new URLSearchParams({ email, form_token: browser.formToken() });
  expect((await browser.post(`${mount}/sign-in`, values)).status).toBe(303);
  await browser.get(`${mount}/sign-in/password`);
  expect((await browser.submit({ password: validPassword })).status).toBe(303);
  expect(browser.cookie('svc_session')).toBeDefined();
  expect(browser.cookieNames()).not.toContain('svc_last_method');
});

it('a failed sign-in, and one that waits for its second factor, leave no mark', async () => {
  const site = await open();
  const { email } = await site.signUp();
  const browser = pageVisitor(site);
  await browser.get(`${mount}/sign-in`);
  await browser.submit({ email, remember: 'yes' });
  await browser.get(`${mount}/sign-in/password`);
  expect((await browser.submit({ password: 'a wrong password' })).status).toBe(422);
  expect(browser.cookieNames()).not.toContain('svc_last_method');
});

it.each(['unknown', '__proto__', 'constructor', '"><script>', 'x'.repeat(2000)])(
  'a cookie with the value %s marks nothing',
  async (value) => {
    const site = await open();
    const cookie = `svc_last_method=${encodeURIComponent(value)}`;
    const page = await site.get(`${mount}/sign-in`, { cookie });
    expect(page.status).toBe(200);
    expect(marked(page.text)).toBeNull();
    expect(page.text).not.toContain('<script>');
  },
);

it('a service without pages sets no such cookie', async () => {
  const site = await openSite();
  const { email, password } = await site.signUp();
  const response = await site.post('/password/login', { email, password });
  expect(response.cookies.map(({ name }) => name)).toEqual(['svc_session', 'svc_device']);
});
