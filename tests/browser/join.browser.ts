/** An invite to an organization for an account whose address is unverified, and links that two tabs asked for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { faultsOf } from './support/axe.js';
import { fill, press, see, seePage } from './support/hands.js';
import { startPageApplication } from './support/page-application.js';
import { world } from './support/people.js';
import { password, signIns } from './support/sign-ins.js';

const site = world(() => startPageApplication({ isStrict: true }));
const { person, message, lastMessageId, origin } = site;
const { enterAddress, signIn } = signIns(site);

/** One click: without a script, a second one aborts the navigation of the first. */
const click = (page: Page, name: string) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).click();

for (const javaScriptEnabled of [true, false]) {
  const mode = javaScriptEnabled ? 'with JavaScript' : 'without JavaScript';
  test(`an invited user verifies the address, returns to the invite, and accepts it (${mode})`, async () => {
    const [ada, grace] = [await person(), await person(undefined, { javaScriptEnabled })];
    const { page } = grace;
    await signIn(ada);
    await ada.page.goto('/account/organizations/new');
    await fill(ada.page, 'Name', 'Analytical Engines');
    await press(ada.page, 'Create organization');
    await seePage(ada.page, 'Analytical Engines');
    await ada.page.goto(`${ada.page.url().split('?')[0]}/invite`);
    await fill(ada.page, 'Email address', grace.email);
    await press(ada.page, 'Send invitation');
    await seePage(ada.page, 'Analytical Engines');
    const invitation = (await message(grace.email)).link!;

    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(origin())) elsewhere.push(request.url());
    });
    await page.goto('/sign-up');
    await fill(page, 'Email address', grace.email);
    await fill(page, 'Password', password);
    await click(page, 'Create account');
    await page.waitForURL('**/verify');
    await page.goto(invitation);
    await seePage(page, 'Join Analytical Engines');
    assert.equal(await page.getByRole('button', { name: 'Accept invitation' }).count(), 0);
    const since = await lastMessageId();
    await click(page, 'Verify');
    await page.waitForURL('**/verify');
    await fill(page, 'Code', (await message(grace.email, since)).code!);
    if (!javaScriptEnabled) await click(page, 'Continue');
    await seePage(page, 'Join Analytical Engines');
    if (javaScriptEnabled) assert.deepEqual(await faultsOf(page), []);
    await click(page, 'Accept invitation');
    await seePage(page, 'You joined Analytical Engines');
    await page.goto('/account/organizations');
    await see(page, 'Analytical Engines');
    assert.deepEqual(elsewhere, []);
  });
}

test('the links that two tabs asked for lead to the page of each tab', async () => {
  const [ada, grace] = [await person(), await person()];
  const tabs = { '/notes?tab=one': ada.email, '/notes?tab=two': grace.email };
  for (const [next, email] of Object.entries(tabs)) {
    const page = await ada.page.context().newPage();
    await enterAddress({ ...ada, page, email }, `/sign-in?next=${encodeURIComponent(next)}`);
    await page.getByRole('button', { name: 'Email me a link instead' }).click();
    await page.waitForURL('**/sign-in/link');
    // Only the mail continues, not the tab that waits.
    await page.close();
  }
  for (const [next, email] of Object.entries(tabs)) {
    const page = await ada.page.context().newPage();
    await page.goto((await message(email)).link!);
    assert.equal(page.url(), origin() + next);
    await page.close();
  }
});
