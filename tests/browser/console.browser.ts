/** The console of a browser that shows motion, as most do: no page writes to it. The pages for administrators: admin.browser.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill, press, seeNotes } from './support/hands.js';
import { consoleInHurry } from './support/hurry.js';
import { startPageApplication } from './support/page-application.js';
import { world } from './support/people.js';
import { signIns } from './support/sign-ins.js';

const site = world(() => startPageApplication());
const { askForCode, enterAddress, signOut, signUp } = signIns(site);

test('no page of the account writes to the console, also if a click comes before the page has appeared', async () => {
  const ada = await site.person('ada', { reducedMotion: 'no-preference' });
  await signUp(ada);
  await seeNotes(ada.page);
  // The page of the application itself has no icon, which the browser reports.
  await ada.page.goto('/account/profile');
  const sections = ['profile', 'security', 'devices', 'tokens', 'organizations', 'data'];
  const paths = sections.map((section) => `/account/${section}`);
  assert.deepEqual(await consoleInHurry(ada.page, paths), []);
});

test('no page of the sign-in, the sign-up and the reset writes to the console, also if a click comes before the page has appeared', async () => {
  const ada = await site.person('ada', { reducedMotion: 'no-preference' });
  const { page, email } = ada;
  await signUp(ada);
  await seeNotes(page);
  await signOut(ada);
  await page.goto('/reset');
  await fill(page, 'Email address', email);
  const since = await site.lastMessageId();
  await press(page, 'Send link');
  const { link } = await site.message(email, since);
  await enterAddress(ada);
  await askForCode(ada);
  const steps = ['password', 'code', 'link', 'phone'].map((step) => `/sign-in/${step}`);
  const paths = ['/sign-in', '/sign-up', ...steps, '/reset', '/reset/sent', link!];
  assert.deepEqual(await consoleInHurry(ada.page, paths), []);
});
