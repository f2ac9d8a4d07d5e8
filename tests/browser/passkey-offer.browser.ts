/** A passkey after a sign-in without one, in Chromium: on the page that offers it, and by the browser alone. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { startAccountApplication, type AccountApplication } from './support/account-application.js';
import { faultsOf } from './support/axe.js';
import { launchBrowser, newAddress, newContext, passkeyDevice } from './support/people.js';

const password = 'correct horse battery staple';
const home = '/account/profile';
let site: AccountApplication;
let browser: Browser;

before(async () => {
  site = await startAccountApplication(
    {},
    { offerPasskey: true, automaticPasskeys: true, homeUrl: home, firstMethod: 'password' },
  );
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const atOffer = (page: Page) => page.getByRole('heading', { name: 'Add a passkey' }).waitFor();
const atHome = (page: Page) => page.waitForURL(`**${home}*`);

/** @param canCreate whether the browser can create passkeys by itself. Chromium can with the manager of Google only, so the page hears that it can. */
async function open({ canCreate = false } = {}) {
  const email = newAddress();
  const context = await newContext(browser, site);
  const page = await context.newPage();
  const device = await passkeyDevice({ page, context });
  await page.addInitScript((can) => {
    const api = PublicKeyCredential as unknown as { getClientCapabilities: () => Promise<object> };
    api.getClientCapabilities = async () => ({ conditionalCreate: can });
    const { credentials } = navigator;
    const create = credentials.create.bind(credentials);
    credentials.create = async (options) => {
      const { mediation, ...others } = options as CredentialCreationOptions & { mediation?: string };
      document.documentElement.dataset['mediation'] = mediation ?? 'none';
      return create(others);
    };
  }, canCreate);
  await page.goto('/sign-up');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Create account');
  await atHome(page);
  return { context, device, email, page };
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.context().clearCookies({ name: 'svc_session' });
  await page.goto('/sign-in');
  await page.getByLabel(/^Email address/).fill(email);
  await press(page, 'Continue');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Sign in');
}

test('the page creates a passkey, and the next sign-in does not ask', async () => {
  const { device, email, page } = await open();
  await signIn(page, email);
  await atOffer(page);
  assert.deepEqual(await faultsOf(page), []);
  await press(page, 'Create passkey');
  await atHome(page);
  assert.equal((await device.passkeys()).length, 1);
  await signIn(page, email);
  await atHome(page);
});

test('the page can be skipped, and does not ask again', async () => {
  const { device, email, page } = await open();
  await signIn(page, email);
  await atOffer(page);
  await press(page, 'Not now');
  await atHome(page);
  await signIn(page, email);
  await atHome(page);
  assert.equal((await device.passkeys()).length, 0);
});

test('a browser that can creates the passkey by itself, and no page asks', async () => {
  const { device, email, page } = await open({ canCreate: true });
  await signIn(page, email);
  await atHome(page);
  assert.equal((await device.passkeys()).length, 1);
  await page.goto('/account/security');
  await page.getByRole('link', { name: /^Remove/ }).waitFor();
});

test('a sign-in arrives if the browser creates none', async () => {
  const { device, email, page } = await open({ canCreate: true });
  await device.remove();
  await page.route('**/passkeys/register/start', (route) => route.abort());
  await signIn(page, email);
  await atOffer(page);
});
