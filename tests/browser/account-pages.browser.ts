/** The account pages of the package: what only a browser can show, and every page at a glance of axe. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startAccountApplication, type AccountApplication } from './support/account-application.js';
import { faultsOf } from './support/axe.js';
import { launchBrowser, newAddress, newContext, passkeyDevice } from './support/people.js';

let site: AccountApplication;
let browser: Browser;
const complaints: string[] = [];

before(async () => {
  site = await startAccountApplication();
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
  // What the policy of the pages refuses is among it.
  assert.deepEqual(complaints, []);
});

async function openAs(token: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await newContext(browser, site, options);
  await context.addCookies([{ name: 'svc_session', value: token, url: site.origin, httpOnly: true }]);
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
      complaints.push(message.text());
  });
  return context.newPage();
}

async function openAsUser(options: BrowserContextOptions = {}) {
  const email = newAddress();
  return { email, page: await openAs(await site.signIn(email), options) };
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const see = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();

/** Sets an authenticator app up. Ends at the recovery codes, or at the section for an app besides others. */
async function addAuthenticator(page: Page, name: string, submit: string): Promise<void> {
  await page.goto('/account/security/authenticator');
  await press(page, 'Continue');
  const secret = (await page.locator('.secret-text').textContent())!.replace(/\s/g, '');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Authenticator code').fill(site.authenticatorCode(secret));
  await press(page, submit);
}

test('a passkey gets the name that was typed, another one, and is removed', async () => {
  const { page } = await openAsUser();
  await passkeyDevice({ page, context: page.context() });
  await page.goto('/account/security/passkeys/add');
  await page.getByLabel('Name').fill('Work laptop');
  await page.keyboard.press('Enter');
  await see(page, 'Passkey added.');
  await see(page, 'Work laptop');
  await page.getByRole('link', { name: /^Rename/ }).click();
  await page.getByLabel('Name').fill('<b>Old laptop</b>');
  await page.keyboard.press('Enter');
  await see(page, 'Name saved.');
  await see(page, '<b>Old laptop</b>');
  await page.getByRole('link', { name: /^Remove.*Old laptop/ }).click();
  await press(page, 'Remove passkey');
  await see(page, 'Passkey removed. Delete it from your device too.');
});

test('the strength of a new password is estimated in the browser, and no request contains it', async () => {
  const { page } = await openAsUser();
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
  await page.goto('/account/security/password');
  const field = page.getByRole('textbox', { name: 'New password' });
  await field.pressSequentially('password123');
  await see(page, 'Very weak password');
  await field.fill('');
  assert.equal(await page.getByRole('status').isVisible(), false);
  await field.pressSequentially('a battery that is a horse of 1815');
  await see(page, 'Very strong password');
  assert.deepEqual(
    sent.filter((request) => request.includes('battery') || request.includes('password123')),
    [],
  );
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with a script' : 'without a script';

  test(`two-factor authentication, its methods and a phone number are set up ${how}`, async () => {
    const { page } = await openAsUser({ javaScriptEnabled });
    await addAuthenticator(page, 'Work phone', 'Turn on');
    await see(page, 'Save your recovery codes');
    assert.equal(await page.locator('.codes li').count(), 10);
    await addAuthenticator(page, 'Tablet', 'Add app');
    await see(page, 'Authenticator app added.');
    await page.getByRole('link', { name: /^Turn on.*Codes by email/ }).click();
    await press(page, 'Turn on');
    await see(page, 'Codes by email turned on.');
    await page.getByRole('link', { name: /^Change.*Preferred method/ }).click();
    await page.getByLabel('Preferred method').selectOption('Code by email');
    await press(page, 'Save');
    await see(page, 'Preferred method saved.');
    await page.goto('/account/security/phones/add');
    await page.getByLabel('Phone number').fill('12');
    await press(page, 'Send code');
    await see(page, 'This phone number isn’t valid. Check the country and the number.');
    const phone = javaScriptEnabled ? '+14155552671' : '+14155552672';
    await page.getByLabel('Phone number').fill(phone);
    await press(page, 'Send code');
    await see(page, 'Enter the code');
    await page.reload();
    await page.getByLabel('Code').fill(site.textTo(phone));
    // The script sends a complete code.
    if (!javaScriptEnabled) await press(page, 'Add phone number');
    await see(page, 'Phone number added.');
  });

  test(`a guest creates an account ${how}`, async () => {
    const page = await openAs(await site.signInAsGuest(), { javaScriptEnabled });
    await page.goto('/account');
    await page.getByRole('link', { name: 'Create account' }).click();
    const email = newAddress('guest');
    await page.getByLabel('Email address').fill(email);
    await press(page, 'Send code');
    await see(page, 'Enter the code');
    await page.getByLabel('Code').fill(site.codeTo(email));
    if (!javaScriptEnabled) await press(page, 'Create account');
    await see(page, 'Account created.');
    await see(page, email);
  });
}

test('the focus is on the field with the error, which goes away when typing begins', async () => {
  const { page } = await openAsUser();
  await page.goto('/account/security/phones/add');
  await page.keyboard.type('12');
  await page.keyboard.press('Enter');
  const error = page.getByText('This phone number isn’t valid.');
  await error.waitFor();
  const field = page.getByLabel('Phone number');
  assert.equal(await field.evaluate((each) => each === document.activeElement), true);
  await page.keyboard.type('3');
  await error.waitFor({ state: 'detached' });
});

test('every page is accessible in light and dark, and fits a small phone', async () => {
  const { page } = await openAsUser();
  await passkeyDevice({ page, context: page.context() });
  await page.goto('/account/security/passkeys/add');
  await press(page, 'Create passkey');
  await see(page, 'Passkey added.');
  await page.getByRole('link', { name: /^Remove/ }).click();
  assert.deepEqual(await faultsOf(page), []);
  await addAuthenticator(page, 'A name that is long enough to need a line, and then another one', 'Turn on');
  await see(page, 'Save your recovery codes');
  assert.deepEqual(await faultsOf(page), []);
  const paths = [
    '/profile',
    '/profile/username',
    '/profile/email',
    '/security',
    '/security/password',
    '/security/authenticator',
    '/security/authenticator/turn-off',
    '/security/email-codes',
    '/security/preferred',
    '/security/recovery-codes',
    '/security/passkeys/add',
    '/security/phones/add',
    '/devices',
    '/devices/sign-out-others',
    '/tokens',
    '/tokens/new',
    '/data',
    '/data/delete',
  ];
  for (const path of paths) {
    await page.goto(`/account${path}`);
    assert.deepEqual([path, await faultsOf(page)], [path, []]);
  }
});
