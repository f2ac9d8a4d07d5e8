/** Names and pictures in a browser: what a picture that is missing leaves, what moves, and what each page requests. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { faultsOf } from './support/axe.js';
import { startNamesApplication, type NamesApplication } from './support/names-application.js';
import { launchBrowser, newContext } from './support/people.js';

let site: NamesApplication;
let browser: Browser;
const complaints: string[] = [];

before(async () => {
  site = await startNamesApplication();
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
  // What the policy of the pages refuses is among it.
  assert.deepEqual(complaints, []);
});

async function openPage(options: BrowserContextOptions = {}, token = site.token): Promise<Page> {
  const context = await newContext(browser, site, options);
  await context.addCookies([{ name: 'svc_session', value: token, url: site.origin, httpOnly: true }]);
  context.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
      complaints.push(message.text());
  });
  return context.newPage();
}

const changes = async (page: Page, name: string, title: string) => {
  await page.goto('/account/profile/name');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.keyboard.press('Enter');
  await page.locator('.who', { hasText: title }).waitFor();
};

test('a name is typed in with the keyboard alone, with and without a script', async () => {
  for (const javaScriptEnabled of [true, false]) {
    const page = await openPage({ javaScriptEnabled });
    await changes(page, 'Ada Lovelace', 'Ada Lovelace');
    assert.equal(await page.locator('.who .avatar').innerText(), 'AL');
    await changes(page, '', 'ada@acme.test');
    await page.context().close();
  }
});

test('a picture that cannot be loaded leaves the initials, and moves nothing', async () => {
  const page = await openPage();
  await page.goto(site.orgPath);
  const avatarOf = (name: string) => page.locator('.entry', { hasText: name }).locator('.avatar');
  const grace = avatarOf('Grace Hopper').locator('img');
  await grace.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
  assert.ok((await grace.evaluate((image: HTMLImageElement) => image.naturalWidth)) > 0);
  const missing = avatarOf('aisha@acme.test');
  // What it looks like without an image at all: not the icon of a broken one.
  const { x, y, width, height } = (await missing.boundingBox())!;
  // Within the round edge, which is smoothed.
  const clip = { x: x + 10, y: y + 10, width: width - 20, height: height - 20 };
  const withImage = await page.screenshot({ clip });
  await missing.locator('img').evaluate((image) => image.remove());
  assert.ok(withImage.equals(await page.screenshot({ clip })));
  assert.equal(await missing.locator('bdi').innerText(), 'ع');
  const sizes = await page
    .locator('#members ~ *, .entry')
    .locator('.avatar.normal')
    .evaluateAll((avatars) =>
      avatars.map((avatar) =>
        [avatar.getBoundingClientRect().width, avatar.getBoundingClientRect().height].join(),
      ),
    );
  assert.deepEqual([...new Set(sizes)], ['36,36']);
});

test('no page with names is inaccessible or too wide, in either direction of writing', async () => {
  const page = await openPage();
  await changes(page, 'Wolfeschlegelsteinhausenbergerdorff', 'Wolfe');
  for (const path of [
    '/account/profile',
    '/account/profile/name',
    '/account/organizations',
    site.orgPath,
    `${site.orgPath}/edit`,
    '/admin/users',
    site.userPath,
    `${site.userPath}/name`,
  ]) {
    await page.goto(path);
    assert.deepEqual([path, await faultsOf(page)], [path, []]);
  }
  const arabic = await openPage({ locale: 'ar' });
  for (const path of ['/account/profile', site.orgPath, `${site.orgPath}/edit`]) {
    await arabic.goto(path);
    assert.deepEqual([path, await faultsOf(arabic)], [path, []]);
  }
});

const excess = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test('a long address makes no page wider than a phone', async () => {
  const page = await openPage({ viewport: { width: 360, height: 740 } }, site.longToken);
  for (const path of ['/account/profile', '/account/data/delete', '/account/profile/email', '/admin/users']) {
    await page.goto(path);
    assert.deepEqual([path, await excess(page)], [path, 0]);
  }
});

test('no date in the list of users is broken within a word on a tablet', async () => {
  const page = await openPage({ viewport: { width: 768, height: 1024 } });
  await page.goto('/admin/users');
  const broken = await page.locator('td.date time').evaluateAll((times) =>
    times.flatMap(({ firstChild }) => {
      const text = firstChild?.textContent ?? '';
      return [...text.matchAll(/\S+/g)].filter(({ 0: word, index }) => {
        const range = document.createRange();
        range.setStart(firstChild!, index);
        range.setEnd(firstChild!, index + word.length);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size !== 1;
      });
    }),
  );
  assert.deepEqual(broken, []);
  assert.ok((await page.locator('td.date time').count()) > 0);
});

test('the languages keep a distance from the edges of a phone', async () => {
  const context = await browser.newContext({ baseURL: site.origin, viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  await page.goto('/sign-in');
  await page.locator('.languages summary').click();
  const edges = await page.locator('.languages button').evaluateAll((buttons) =>
    buttons.flatMap((button) => {
      const { left, right } = button.getBoundingClientRect();
      return [left, innerWidth - right];
    }),
  );
  assert.ok(Math.min(...edges) >= 16, `${Math.min(...edges)} px`);
});

const folder = process.env['SCREENSHOTS'];
test(
  'the pages have their picture taken',
  { skip: folder ? false : 'SCREENSHOTS names the folder' },
  async () => {
    await mkdir(folder!, { recursive: true });
    const setup = await openPage();
    await changes(setup, 'Ada Lovelace', 'Ada Lovelace');
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [360, 1280]) {
        const page = await openPage({ colorScheme, viewport: { width, height: 800 } });
        for (const [name, path] of Object.entries({
          profile: '/account/profile',
          edit: '/account/profile/name',
          organizations: '/account/organizations',
          organization: site.orgPath,
          users: '/admin/users',
          user: site.userPath,
        })) {
          await page.goto(path);
          await page.screenshot({ path: `${folder!}/${name}-${width}-${colorScheme}.png`, fullPage: true });
        }
        await page.context().close();
      }
    const arabic = await openPage({ locale: 'ar', viewport: { width: 360, height: 800 } });
    await arabic.goto(site.orgPath);
    await arabic.screenshot({ path: `${folder!}/organization-360-ar.png`, fullPage: true });
  },
);
