/** The overview of the admin pages: with numbers and without, on a phone and on a desk, light and dark, and by keyboard. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import express from 'express';
import { createAuthRouter, createService, memoryAdapter } from 'svc-auth';
import { createAdminPages } from 'svc-auth/admin';
import { loginAs } from 'svc-auth/testing';
import { activePeriodsOf, hourOf, periodsOf } from '../../src/core/support/statistics-periods.js';
import { faultsOf } from './support/axe.js';
import { world } from './support/people.js';
import type { Site } from './support/site.js';

const hour = 60 * 60_000;
const now = Date.parse('2031-05-06T17:30:00Z');
/** `OVERVIEW_PICTURES=folder` keeps what the pages look like. */
const folder = process.env['OVERVIEW_PICTURES'];

type Cookies = { name: string; value: string; domain: string; path: string }[];

const cookies = new Map<boolean, Cookies>();

/** The same numbers on every run: a wave over the day, and a few kinds. */
async function fill(adapter: ReturnType<typeof memoryAdapter>): Promise<void> {
  const kinds: [string, string, number][] = [
    ['sign_ups', 'email_code', 14],
    ['sign_ups', 'google', 9],
    ['sign_ins', 'password_login', 120],
    ['sign_ins', 'google', 75],
    ['sign_ins', 'passkey', 31],
    ['sign_ins', 'password_login+trusted_browser', 12],
    ['failed_sign_ins', 'invalid_credentials', 22],
    ['failed_sign_ins', 'code_expired', 4],
    ['limits', 'login:address', 5],
    ['mails', 'sent', 60],
    ['mails', 'failed', 3],
  ];
  for (let back = 0; back < 24 * 40; back += 1) {
    const at = hourOf(now - back * hour);
    const wave = 1 + Math.sin((back / 24) * 2 * Math.PI) * 0.8;
    const counts = kinds.flatMap(([name, label, size], index) =>
      periodsOf(at).map((period) => ({
        ...{ name, label, ...period },
        count: Math.round(size * wave * (1 + ((back + index) % 5) / 10)),
      })),
    );
    await adapter.statistics!.add(counts, []);
    if (back % 24 !== 0) continue;
    const active = activePeriodsOf(at.slice(0, 10)).map(({ period, countExpiresAt }) => ({
      ...{ period, name: 'active_users', label: '', expiresAt: countExpiresAt },
      count: 900 + ((back * 7) % 300),
    }));
    await adapter.statistics!.add(active, []);
  }
}

async function start(statistics: boolean): Promise<Site> {
  const adapter = memoryAdapter();
  if (statistics) await fill(adapter);
  const service = createService({
    ...{ adapter, statistics, clock: () => now },
    session: { secret: 'a secret of the browser tests, 32 bytes long' },
  });
  await service.init();
  const app = express();
  app.use('/api/auth', createAuthRouter(service));
  app.use(
    '/admin',
    createAdminPages(service, { authorize: ({ roles }) => roles.includes('admin'), name: 'Acme admin' }),
  );
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const session = await loginAs(app, { email: 'ada@acme.test', roles: ['admin'] }, { service });
  cookies.set(statistics, session.cookies(origin));
  return {
    origin,
    messages: async () => [],
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await service.close();
    },
  };
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
