/** The pages of the package in an application of a few lines: with and without a script, on a phone, by keyboard alone. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { faultsOf } from './support/axe.js';
import { startPageApplication, type PageApplication } from './support/page-application.js';
import { flags, newAddress } from './support/people.js';

const password = 'correct horse battery staple';
let site: PageApplication;
let browser: Browser;

before(async () => {
  site = await startPageApplication();
  browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: flags,
  });
});
after(async () => {
  await browser?.close();
  await site?.close();
});

const newPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(20_000);
  return context.newPage();
};
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const atNotes = (page: Page) => page.getByRole('heading', { name: 'Your notes' }).waitFor();

async function signUp(page: Page): Promise<string> {
  const email = newAddress();
  await page.goto(`${site.origin}/sign-up?next=/notes`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Create account');
  await atNotes(page);
  return email;
}

async function enterAddress(page: Page, email: string): Promise<void> {
  await page.goto(`${site.origin}/sign-in?next=/notes`);
  await page.getByLabel('Email address').fill(email);
  await press(page, 'Continue');
  await page.getByRole('textbox', { name: 'Password' }).waitFor();
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with a script' : 'without a script';

  test(`signs up, and signs in with a password, ${how}`, async () => {
    const page = await newPage({ javaScriptEnabled });
    const email = await signUp(page);
    await page.context().clearCookies();
    await enterAddress(page, email);
    await page.getByRole('textbox', { name: 'Password' }).fill('wrong horse battery');
    await press(page, 'Sign in');
    await page.getByText('The email address or password is wrong.').waitFor();
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await press(page, 'Sign in');
    await atNotes(page);
  });

  test(`signs in with a code after a reload of its step, ${how}`, async () => {
    const page = await newPage({ javaScriptEnabled });
    const email = newAddress();
    await enterAddress(page, email);
    await press(page, 'Email me a code instead');
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    await page.reload();
    await page.getByLabel('Code').fill(site.codeTo(email));
    // The script submits a complete code.
    if (!javaScriptEnabled) await press(page, 'Continue');
    await atNotes(page);
  });

  test(`resets a password with the mailed link, ${how}`, async () => {
    const page = await newPage({ javaScriptEnabled });
    const email = await signUp(page);
    await page.context().clearCookies();
    await enterAddress(page, email);
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await press(page, 'Send link');
    await page.getByText('has an account, we’ve sent a link').waitFor();
    await assert.doesNotReject(async () => {
      for (let i = 0; site.linkTo(email) === '' && i < 50; i += 1) await page.waitForTimeout(100);
    });
    await page.goto(site.linkTo(email));
    await page.getByLabel('New password', { exact: true }).fill('another horse battery');
    await press(page, 'Save password');
    await page.getByRole('heading', { name: 'Your password is changed' }).waitFor();
  });
}

test('the tab that asked for a link continues when the link is opened in another tab', async () => {
  const page = await newPage();
  const email = newAddress();
  await enterAddress(page, email);
  await press(page, 'Email me a link instead');
  await page.getByText('This page continues when you open the link.').waitFor();
  const other = await page.context().newPage();
  await other.goto(site.linkTo(email));
  await atNotes(other);
  await page.bringToFront();
  await atNotes(page);
});

test('Back leads from the code to the first step, and the address is still there', async () => {
  const page = await newPage();
  const email = newAddress();
  await enterAddress(page, email);
  await page.goBack();
  await page.getByRole('heading', { name: 'Sign in to Acme' }).waitFor();
  assert.equal(await page.getByLabel('Email address').inputValue(), email);
});

test('a sign-in works with the keyboard alone', async () => {
  const page = await newPage();
  const email = await signUp(page);
  await page.context().clearCookies();
  await page.goto(`${site.origin}/sign-in?next=/notes`);
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Password' }).waitFor();
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await atNotes(page);
});

test('every page is accessible in light and dark, and fits a small phone', async () => {
  const page = await newPage();
  const email = await signUp(page);
  for (const path of ['/account/profile', '/account/security', '/account/devices', '/account/data']) {
    await page.goto(site.origin + path);
    assert.deepEqual(await faultsOf(page), [], path);
  }
  await page.context().clearCookies();
  for (const path of ['/sign-up', '/reset', '/sign-in']) {
    await page.goto(site.origin + path);
    assert.deepEqual(await faultsOf(page), [], path);
  }
  await enterAddress(page, email);
  assert.deepEqual(await faultsOf(page), []);
  await press(page, 'Email me a code instead');
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  assert.deepEqual(await faultsOf(page), []);
});

test('a page asks no other site for anything, and its script runs under its policy', async () => {
  const page = await newPage();
  const others: string[] = [];
  const problems: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== site.origin) others.push(request.url());
  });
  page.on('console', (message) => {
    if (/policy|refused/i.test(message.text())) problems.push(message.text());
  });
  await enterAddress(page, newAddress());
  await press(page, 'Email me a code instead');
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  assert.deepEqual([others, problems], [[], []]);
});
