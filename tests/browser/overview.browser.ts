/** The overview of the admin pages: with numbers and without, on a phone and on a desk, light and dark, and by keyboard. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { faultsOf } from './support/axe.js';
import { world } from './support/people.js';
import type { Site } from './support/site.js';

/** `OVERVIEW_PICTURES=folder` keeps what the pages look like. */
const folder = process.env['OVERVIEW_PICTURES'];

type Cookies = { name: string; value: string; domain: string; path: string }[];

interface OverviewApplication {
  origin: string;
  cookies: Cookies;
  stop: () => Promise<void>;
}

const cookies = new Map<boolean, Cookies>();

/** The application of tests/support, loaded by a path that the compiler does not follow, as link-site.ts does. */
async function start(statistics: boolean): Promise<Site> {
  const application: string = '../support/overview-application.js';
  const { startOverviewApplication } = (await import(application)) as {
    startOverviewApplication: (statistics: boolean) => Promise<OverviewApplication>;
  };
  const { cookies: ofAdministrator, ...site } = await startOverviewApplication(statistics);
  cookies.set(statistics, ofAdministrator);
  return { ...site, messages: async () => [] };
}

const counted = world(() => start(true));
const off = world(() => start(false));

async function administrator(site: typeof counted, isCounted: boolean, options: object = {}) {
  const { page, context } = await site.person('ada', options);
  await context.addCookies(cookies.get(isCounted)!);
  return page;
}

test('the overview shows its charts on a phone and on a desk, light and dark, without a fault', async () => {
  const page = await administrator(counted, true);
  for (const range of ['day', 'month', 'year']) {
    await page.goto(`/admin/overview?range=${range}`);
    assert.equal(await page.getByRole('img').count(), range === 'day' ? 5 : 6);
    assert.deepEqual(await faultsOf(page), []);
    for (const width of [360, 1280]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        if (folder === undefined) continue;
        mkdirSync(folder, { recursive: true });
        const name = `overview-${range}-${width}-${colorScheme}.png`;
        await page.screenshot({ path: path.join(folder, name), fullPage: true });
      }
    }
  }
});

test('the overview says how to switch it on, without a fault', async () => {
  const page = await administrator(off, false);
  await page.goto('/admin/overview');
  await page.getByRole('heading', { name: 'Nothing is counted yet' }).waitFor();
  assert.deepEqual(await faultsOf(page), []);
  if (folder !== undefined) await page.screenshot({ path: path.join(folder, 'overview-off.png') });
});

test('the overview works by keyboard and without a script', async () => {
  const page = await administrator(counted, true, { javaScriptEnabled: false });
  await page.goto('/admin/overview');
  const press = async (name: string) => {
    await page.getByRole('link', { name, exact: true }).focus();
    await page.keyboard.press('Enter');
  };
  await press('30 days');
  await page.waitForURL(/range=month/);
  assert.equal(await page.getByRole('link', { name: '30 days' }).getAttribute('aria-current'), 'page');
  const numbers = page.getByText('Numbers of the chart').first();
  await numbers.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('rowheader', { name: 'May 6, 2031' }).first().waitFor();
  const download = page.waitForEvent('download');
  await press('Download CSV');
  assert.equal((await download).suggestedFilename(), 'statistics-month.csv');
});
