/** Links that ask for a confirmation in another browser: for people, and for scanners that run Chromium. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { faultsOf } from './support/axe.js';
import { startLinkSite, type LinkSite } from './support/link-site.js';
import { launchBrowser, newAddress } from './support/people.js';

let site: LinkSite;
let browser: Browser;

before(async () => {
  site = await startLinkSite();
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

const newPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(60_000);
  return context.newPage();
};
const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
const button = (page: Page) => page.getByRole('button', { name: 'Sign in', exact: true });

/** Asks for a link in this browser. */
async function askIn(page: Page): Promise<string> {
  const email = newAddress();
  await page.goto(site.app);
  const status = await page.evaluate(async (address) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ email: address });
    return (await fetch('/api/auth/magic-link/send', { method: 'POST', headers, body })).status;
  }, email);
  assert.equal(status, 200);
  return email;
}

async function isSignedIn(page: Page): Promise<boolean> {
  return (await page.context().cookies()).some(({ name }) => name === 'svc_session');
}

async function assertWelcome(page: Page): Promise<void> {
  await page.waitForURL(`${site.app}/welcome`);
  assert.equal(await isSignedIn(page), true);
}

test('the browser that asked signs in by a click in its webmail, which also loads the link as an image, a frame and a prefetch', async () => {
  const page = await newPage();
  const email = await askIn(page);
  await page.goto(site.mailTo(email), { waitUntil: 'load' });
  assert.equal(await isSignedIn(page), false);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await assertWelcome(page);
});

test('another browser shows a page that cannot be framed, and signs in when its button is pressed', async () => {
  const email = await askIn(await newPage());
  const page = await newPage();
  await page.goto(site.mailTo(email), { waitUntil: 'load' });
  const [, frame] = page.frames();
  assert.equal(await frame!.locator('form').count(), 0);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Sign in to Acme' }).waitFor();
  assert.equal(await isSignedIn(page), false);
  await button(page).click();
  await assertWelcome(page);
});

test('the page is accessible, and works on a phone without JavaScript', async () => {
  const email = await askIn(await newPage());
  const reader = await newPage();
  await reader.goto(site.linkTo(email));
  assert.deepEqual(await faultsOf(reader), []);
  const page = await newPage({ ...phone, javaScriptEnabled: false });
  await page.goto(site.linkTo(email));
  await button(page).tap();
  await assertWelcome(page);
});

test('the page works with the keyboard alone', async () => {
  const email = await askIn(await newPage());
  const page = await newPage();
  await page.goto(site.linkTo(email));
  await page.keyboard.press('Tab');
  assert.equal(await page.locator(':focus').innerText(), 'Sign in');
  await page.keyboard.press('Enter');
  await assertWelcome(page);
});

test('a double click signs in, also over a slow connection', async () => {
  for (const pauseMs of [0, 100, 250]) {
    const email = await askIn(await newPage());
    const page = await newPage();
    const devtools = await page.context().newCDPSession(page);
    await page.goto(site.linkTo(email));
    const { x, y } = (await button(page).boundingBox())!;
    const slow = { offline: false, latency: 400, downloadThroughput: -1, uploadThroughput: -1 };
    await devtools.send('Network.emulateNetworkConditions', slow);
    site.presses.length = 0;
    // Playwright would wait for the first click to take effect.
    for (const type of ['mousePressed', 'mouseReleased', 'mousePressed', 'mouseReleased'] as const) {
      await devtools.send('Input.dispatchMouseEvent', {
        ...{ type, x: x + 20, y: y + 20, clickCount: 1 },
        button: 'left',
      });
      if (type === 'mouseReleased') await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    await assertWelcome(page);
    assert.equal(site.presses.length, 1);
  }
});

test('a page that was reloaded, or left and opened again, still signs in', async () => {
  const email = await askIn(await newPage());
  const page = await newPage();
  await page.goto(site.linkTo(email));
  await page.reload();
  await page.goto(site.app);
  await page.goBack();
  await button(page).click();
  await assertWelcome(page);
});

test('a headless browser whose scripts press the button and submit the form gets no session, and the owner signs in', async () => {
  for (const action of ['click', 'submit', 'requestSubmit'] as const) {
    const asker = await newPage();
    const email = await askIn(asker);
    const scanner = await newPage();
    site.presses.length = 0;
    await scanner.addInitScript((how) => {
      addEventListener('DOMContentLoaded', () => {
        const form = document.querySelector('form');
        if (!form || sessionStorage.getItem('pressed')) return;
        sessionStorage.setItem('pressed', how);
        if (how === 'click') form.querySelector('button')!.click();
        else form[how]();
      });
    }, action);
    await scanner.goto(site.linkTo(email));
    await scanner.waitForFunction(() => sessionStorage.getItem('pressed'));
    for (let tries = 0; tries < 3_000 && site.presses.length === 0; tries += 1)
      await scanner.waitForTimeout(20);
    await scanner.waitForLoadState('networkidle');
    assert.deepEqual([action, site.presses.length, await isSignedIn(scanner)], [action, 1, false]);
    assert.equal(site.presses[0]!['sec-fetch-user'], undefined);
    await scanner.close();
    await asker.goto(site.mailTo(email));
    await asker.getByRole('link', { name: 'Sign in' }).click();
    await assertWelcome(asker);
  }
});

test('the code of the mail signs in after a scanner has opened the link', async () => {
  const asker = await newPage();
  const email = await askIn(asker);
  const scanner = await newPage();
  await scanner.goto(site.linkTo(email), { waitUntil: 'networkidle' });
  assert.equal(await isSignedIn(scanner), false);
  const status = await asker.evaluate(
    async (body) => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch('/api/auth/magic-link/verify-code', { method: 'POST', headers, body })).status;
    },
    JSON.stringify({ email, code: site.codeTo(email) }),
  );
  assert.deepEqual([status, await isSignedIn(asker)], [200, true]);
});
