/** Passkeys and challenges on the pages of the package, in an application of a few lines. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { faultsOf } from './support/axe.js';
import { startPageApplication, type PageApplication } from './support/page-application.js';
import { launchBrowser, newAddress } from './support/people.js';

const password = 'correct horse battery staple';
let site: PageApplication;
let strict: PageApplication;
let browser: Browser;

before(async () => {
  [site, strict] = [await startPageApplication(), await startPageApplication({ challenge: true })];
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await site?.stop();
  await strict?.stop();
});

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const atNotes = (page: Page) => page.getByRole('heading', { name: 'Your notes' }).waitFor();

/** Opens a page on a device that answers every request for a passkey. */
async function newPage(): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return page;
}

async function signUp(page: Page, { origin }: PageApplication): Promise<string> {
  const email = newAddress();
  await page.goto(`${origin}/sign-up?next=/notes`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Create account');
  await atNotes(page);
  return email;
}

/** Calls a JSON route in the session of the page. */
const call = (page: Page, path: string, body: object = {}) =>
  page.evaluate(
    async ([url, text]) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(url!, { method: 'POST', headers, body: text! });
      return (await response.json()) as { secret: string };
    },
    [`/api/auth${path}`, JSON.stringify(body)],
  );

/** Adds a passkey to the account that is signed in. */
const addPasskey = (page: Page) =>
  page.evaluate(`(async () => {
    const post = async (path, body) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch('/api/auth/passkeys/register/' + path, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(await response.text());
      return response.json();
    };
    const { options } = await post('start', {});
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    const credential = await navigator.credentials.create({ publicKey });
    await post('finish', { response: credential.toJSON() });
  })()`);

test('signs up with a passkey, and signs in with the suggestion in the address field', async () => {
  const page = await newPage();
  await page.goto(`${site.origin}/sign-up?next=/notes`);
  await page.getByRole('link', { name: 'Sign up with a passkey' }).click();
  await page.getByText('A passkey replaces the password.').waitFor();
  assert.deepEqual(await faultsOf(page), []);
  await press(page, 'Create passkey');
  await atNotes(page);
  await page.context().clearCookies();
  // The device answers what the page asks for without a click.
  await page.goto(`${site.origin}/sign-in?next=/notes`);
  await atNotes(page);
});

test('a passkey completes a sign-in with a password, and the script asks once at a time', async () => {
  const page = await newPage();
  const email = await signUp(page, site);
  const { secret } = await call(page, '/totp/enroll');
  await call(page, '/totp/confirm', { code: new TOTP({ secret }).generate() });
  await addPasskey(page);
  await page.context().clearCookies();
  const asked: string[] = [];
  // The device would pick a suggestion at once. As on a slow network, none comes before the user has continued.
  await page.route('**/authenticate/autofill', (route) => void asked.push(route.request().url()));
  await page.goto(`${site.origin}/sign-in?next=/notes`);
  await page.getByLabel('Email address').fill(email);
  await press(page, 'Continue');
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  assert.ok(asked.length <= 1);
  await press(page, 'Sign in');
  await page.getByText('Enter the code from your authenticator app.').waitFor();
  await page.getByRole('link', { name: 'Use your passkey' }).click();
  await page.getByText('Confirm that it’s you with your passkey.').waitFor();
  assert.deepEqual(await faultsOf(page), []);
  await press(page, 'Continue with passkey');
  await atNotes(page);
});

test('a code that is pasted with a space submits itself', async () => {
  const page = await newPage();
  const email = newAddress();
  await page.goto(`${site.origin}/sign-in?next=/notes`);
  await page.getByLabel('Email address').fill(email);
  await press(page, 'Continue');
  await press(page, 'Email me a code instead');
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  const { code = '' } = (await site.messages()).find(({ to }) => to === email)!;
  await page.getByRole('button', { name: /^Resend in \d+ s$/ }).waitFor();
  await page.getByLabel('Code').fill(`${code.slice(0, 3)} ${code.slice(3)}`);
  await atNotes(page);
});

test('the script solves the challenge of a sign-up, and what was typed is not lost', async () => {
  const page = await newPage();
  await signUp(page, strict);
});
