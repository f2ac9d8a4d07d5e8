/** The console of a browser that shows motion, as most do: no page writes to it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeNotes } from './support/hands.js';
import { startPageApplication } from './support/page-application.js';
import { world } from './support/people.js';
import { signIns } from './support/sign-ins.js';

const site = world(() => startPageApplication());
const { signUp } = signIns(site);

test('no page of the account writes to the console, also if a click comes before the page has appeared', async () => {
  const ada = await site.person('ada', { reducedMotion: 'no-preference' });
  const { context, page } = ada;
  await signUp(ada);
  await seeNotes(page);
  // The page of the application itself has no icon, which the browser reports.
  await page.goto('/account/profile');
  const written: string[] = [];
  context.on('console', (message) => written.push(`${message.page()?.url()}: ${message.text()}`));
  context.on('weberror', (error) => written.push(`${page.url()}: ${String(error.error())}`));
  for (const section of ['profile', 'security', 'devices', 'tokens', 'organizations', 'data']) {
    await page.goto(`/account/${section}`);
    // Leaves each page as soon as it has been parsed: the page after it is on its way when the next click comes.
    for (const next of ['profile', 'security']) {
      const arrived = page.waitForEvent('framenavigated');
      await page.evaluate((path) => void setTimeout(() => location.assign(path)), `/account/${next}`);
      await arrived;
      await page.waitForLoadState('domcontentloaded');
    }
  }
  await page.getByRole('heading', { level: 1 }).waitFor();
  assert.deepEqual(written, []);
});
