/** The sign-up in a browser: the fields of the application, the password that stays, and the estimate of its strength. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { faultsOf } from './support/axe.js';
import { startPageApplication, type PageApplication } from './support/page-application.js';
import { launchBrowser, newAddress, newContext } from './support/people.js';

const password = 'correct horse battery staple';
let site: PageApplication;
let browser: Browser;

before(async () => {
  site = await startPageApplication({ hasFields: true });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await site?.stop();
});

async function newPage(options: { javaScriptEnabled?: boolean } = {}): Promise<Page> {
  const context = await newContext(browser, site, { viewport: { width: 320, height: 800 }, ...options });
  return context.newPage();
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const errorsOf = (page: Page) => page.locator('.error').allTextContents();
const overflows = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

async function fillIn(page: Page): Promise<void> {
  await page.getByLabel('Company').fill('Ada & Sons');
  await page.getByLabel('What do you do?').selectOption('Design');
  await page.getByLabel('I accept the terms').check();
}

test('a refused sign-up marks every field, and keeps the password in the browser', async () => {
  const page = await newPage();
  await page.goto(`${site.origin}/sign-up?next=/notes`);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Create account');
  await page.getByText('Enter your email address.').waitFor();
  assert.deepEqual(await errorsOf(page), [
    'Enter your email address.',
    'Fill in this field.',
    'Choose an option.',
    'Check this box to continue.',
  ]);
  assert.equal(await page.getByLabel('Password', { exact: true }).inputValue(), password);
  assert.deepEqual(await faultsOf(page), []);
  assert.equal(await overflows(page), false);
  await page.getByLabel('Email address').fill(newAddress());
  await fillIn(page);
  await press(page, 'Create account');
  await page.getByRole('heading', { name: 'Your notes' }).waitFor();
});

test('a refused password does not stay in the browser', async () => {
  const page = await newPage();
  await page.goto(`${site.origin}/sign-up`);
  await page.getByLabel('Password', { exact: true }).fill('short');
  await press(page, 'Create account');
  await page.getByText('This password is too short.').waitFor();
  assert.equal(await page.getByLabel('Password', { exact: true }).inputValue(), '');
});

test('the sign-up works without a script, and keeps what was typed', async () => {
  const page = await newPage({ javaScriptEnabled: false });
  await page.goto(`${site.origin}/sign-up?next=/notes`);
  const email = newAddress();
  await page.getByLabel('Email address').fill(email);
  await fillIn(page);
  await press(page, 'Create account');
  await page.getByText('Enter your password.').waitFor();
  assert.equal(await page.getByLabel('Email address').inputValue(), email);
  assert.equal(await page.getByLabel('Company').inputValue(), 'Ada & Sons');
  assert.equal(await page.getByLabel('I accept the terms').isChecked(), true);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Create account');
  await page.getByRole('heading', { name: 'Your notes' }).waitFor();
});

test('the estimate of a new password is loaded at the first key and not before', async () => {
  const page = await newPage();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`${site.origin}/sign-up`);
  await page.getByLabel('Password', { exact: true }).focus();
  await page.waitForLoadState('networkidle');
  assert.deepEqual(
    requests.filter((url) => url.includes('password-estimator')),
    [],
  );
  await page.getByLabel('Password', { exact: true }).pressSequentially('correct');
  await page.locator('.strength:not([hidden])').waitFor();
  assert.equal(requests.filter((url) => url.includes('password-estimator')).length, 1);
  assert.notEqual(await page.locator('.strength .level').textContent(), '');
});

test('a code that creates an account asks for the fields, and arrives where the sign-in began', async () => {
  const page = await newPage();
  const email = newAddress();
  await page.goto(`${site.origin}/sign-in?next=/notes`);
  await page.getByLabel('Email address').fill(email);
  await press(page, 'Continue');
  await press(page, 'Email me a code instead');
  await page.getByLabel('Code', { exact: true }).waitFor();
  const [message] = await site.messages();
  await page.getByLabel('Code', { exact: true }).fill(message!.code!);
  await page.getByRole('heading', { name: 'One last step' }).waitFor();
  assert.deepEqual(await faultsOf(page), []);
  assert.equal(await overflows(page), false);
  await page.reload();
  await fillIn(page);
  await press(page, 'Create account');
  await page.getByRole('heading', { name: 'Your notes' }).waitFor();
});
