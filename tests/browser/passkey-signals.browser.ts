/** What Chromium does with the passkeys on its device after changes of the account: it forgets what was removed, and nothing else. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startAccountApplication, type AccountApplication } from './support/account-application.js';
import { launchBrowser, newAddress, newContext, passkeyDevice } from './support/people.js';

type Device = Awaited<ReturnType<typeof passkeyDevice>>;

let site: AccountApplication;
let browser: Browser;

before(async () => {
  site = await startAccountApplication();
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const see = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();

interface Scene {
  email: string;
  context: BrowserContext;
  page: Page;
  device: Device;
  /** The signals of the pages so far, in order. */
  signals: () => Promise<string[]>;
  /** The names of the account that the pages have signaled so far, in order. */
  names: () => Promise<string[]>;
}

/** A user on a device. Every page writes down what it signals. */
async function open(): Promise<Scene> {
  const email = newAddress();
  const context = await newContext(browser, site);
  const value = await site.signIn(email);
  await context.addCookies([{ name: 'svc_session', value, url: site.origin, httpOnly: true }]);
  const page = await context.newPage();
  const device = await passkeyDevice({ page, context });
  const seen: string[] = [];
  const names: string[] = [];
  await page.exposeFunction('noteSignal', (signal: string, name?: string) => {
    seen.push(signal);
    if (name !== undefined) names.push(name);
  });
  await page.addInitScript(() => {
    const api = PublicKeyCredential as unknown as Record<string, (options: object) => Promise<void>>;
    for (const name of [
      'signalUnknownCredential',
      'signalAllAcceptedCredentials',
      'signalCurrentUserDetails',
    ]) {
      const signal = api[name]!.bind(api);
      api[name] = async (options) => {
        const { noteSignal } = window as unknown as { noteSignal: (...args: unknown[]) => Promise<void> };
        await noteSignal(name, (options as { name?: string }).name);
        return signal(options);
      };
    }
  });
  return { email, context, page, device, signals: async () => [...seen], names: async () => [...names] };
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.goto('/account/security/passkeys/add');
  await page.getByLabel('Name').fill(name);
  await press(page, 'Create passkey');
  await see(page, 'Passkey added.');
}

/** Waits until the device has so many passkeys. */
async function devicePasskeys(device: Device, count: number) {
  for (let round = 0; round < 100; round += 1) {
    const passkeys = await device.passkeys();
    if (passkeys.length === count) return passkeys;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`The device has ${(await device.passkeys()).length} passkeys instead of ${count}.`);
}

/** Waits until a signal could have arrived. */
const settle = (page: Page) => page.waitForTimeout(700);

const openRemoval = async (page: Page, name: string) => {
  await page.goto('/account/security');
  await page.getByRole('link', { name: new RegExp(`^Remove.*${name}`) }).click();
  await page.getByRole('button', { name: 'Remove passkey', exact: true }).waitFor();
};

test('a removed passkey is gone from the browser, and that of another account remains', async () => {
  const { context, page, device } = await open();
  await addPasskey(page, 'Laptop');
  const [theirs] = await devicePasskeys(device, 1);
  const value = await site.signIn(newAddress());
  await context.addCookies([{ name: 'svc_session', value, url: site.origin, httpOnly: true }]);
  await addPasskey(page, 'Phone');
  await devicePasskeys(device, 2);
  await openRemoval(page, 'Phone');
  await press(page, 'Remove passkey');
  await see(page, 'Passkey removed. Delete it from your device too.');
  const left = await devicePasskeys(device, 1);
  assert.equal(left[0]!.credentialId, theirs!.credentialId);
});

test('nothing is signaled after a refused removal, and the passkey remains', async () => {
  const { context, page, device, signals } = await open();
  await addPasskey(page, 'Laptop');
  await openRemoval(page, 'Laptop');
  await settle(page);
  const before = await signals();
  // Another session: the form of the first is refused.
  const value = await site.signIn(newAddress());
  await context.addCookies([{ name: 'svc_session', value, url: site.origin, httpOnly: true }]);
  await press(page, 'Remove passkey');
  await settle(page);
  assert.deepEqual(await signals(), before);
  await devicePasskeys(device, 1);
});

for (const [how, answer] of [
  ['interrupted', null],
  ['answered with an error', { status: 500, json: { error: 'internal' } }],
  [
    'answered without a list',
    { json: { rpId: 'localhost', userId: 'AAAA', credentialIds: null, name: null } },
  ],
  ['answered by another server', { body: '<html></html>', contentType: 'text/html' }],
] as const)
  test(`nothing is signaled if the request for the list is ${how}`, async () => {
    const { page, device, signals } = await open();
    await addPasskey(page, 'Laptop');
    await settle(page);
    const before = await signals();
    await page.route('**/passkeys/signals', (route) => (answer ? route.fulfill(answer) : route.abort()));
    await page.goto('/account/security');
    await settle(page);
    assert.deepEqual(await signals(), before);
    await devicePasskeys(device, 1);
  });

test('nothing is signaled if the removal is interrupted', async () => {
  const { page, device, signals } = await open();
  await addPasskey(page, 'Laptop');
  await openRemoval(page, 'Laptop');
  await settle(page);
  const before = await signals();
  await page.route('**/remove', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  await press(page, 'Remove passkey');
  await page.getByRole('alert').first().waitFor();
  await settle(page);
  assert.deepEqual(await signals(), before);
  await devicePasskeys(device, 1);
});

test('nothing is signaled while another tab creates a passkey', async () => {
  const { context, page, device, signals } = await open();
  await addPasskey(page, 'Laptop');
  await settle(page);
  const before = await signals();
  const tab = await context.newPage();
  await tab.goto('/account');
  await tab.evaluate(() => {
    void navigator.locks.request('svc-auth passkeys', { mode: 'shared' }, () => new Promise(() => undefined));
  });
  await page.goto('/account/security');
  await settle(page);
  assert.deepEqual(await signals(), before);
  await tab.close();
  await page.goto('/account/security');
  await page.waitForFunction(() => true);
  await settle(page);
  assert.deepEqual((await signals()).slice(before.length), [
    'signalAllAcceptedCredentials',
    'signalCurrentUserDetails',
  ]);
  await devicePasskeys(device, 1);
});

test('the passkeys of a deleted account are gone from the browser', async () => {
  const { email, page, device } = await open();
  await addPasskey(page, 'Laptop');
  await page.goto('/account/data/delete');
  await page.getByRole('textbox').fill(email);
  await press(page, 'Delete account');
  await devicePasskeys(device, 0);
});

test('a passkey that the account no longer has is gone from the browser after a sign-in with it', async () => {
  const { context, page, device } = await open();
  await addPasskey(page, 'Laptop');
  const [passkey] = await devicePasskeys(device, 1);
  // Removed on another device.
  const removed = await page.evaluate(
    async (id) => (await fetch(`/api/auth/passkeys/${id}`, { method: 'DELETE' })).status,
    passkey!.credentialId.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
  );
  assert.equal(removed, 200);
  await devicePasskeys(device, 1);
  await context.clearCookies();
  await page.goto('/sign-in');
  await press(page, 'Sign in with a passkey');
  await page.waitForURL(/error=token_invalid/);
  await devicePasskeys(device, 0);
});

test('the browser shows the new user name next to the passkey', async () => {
  const { page, device, signals } = await open();
  await addPasskey(page, 'Laptop');
  await settle(page);
  const before = (await signals()).length;
  await page.goto('/account/profile/username');
  await page.getByLabel('Username').fill(`ada.${Date.now()}`);
  await page.keyboard.press('Enter');
  await settle(page);
  assert.ok((await signals()).slice(before).includes('signalCurrentUserDetails'));
  await devicePasskeys(device, 1);
});

test('the browser shows the new address next to the passkey', async () => {
  const { email, page, device, signals, names } = await open();
  await addPasskey(page, 'Laptop');
  await settle(page);
  assert.deepEqual(new Set(await names()), new Set([email]));
  const before = (await signals()).length;
  const next = newAddress('next');
  await page.goto('/account/profile/email');
  await page.getByLabel('New email address').fill(next);
  await press(page, 'Send code');
  await page.getByLabel(`Code sent to ${next}`).fill(site.codeTo(next));
  await page.getByLabel(`Code sent to ${email}`).fill(site.codeTo(email));
  await press(page, 'Change email address');
  await see(page, 'Email address changed.');
  await settle(page);
  assert.ok((await signals()).slice(before).includes('signalCurrentUserDetails'));
  assert.equal((await names()).at(-1), next);
  await devicePasskeys(device, 1);
});
