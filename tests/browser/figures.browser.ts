/** What a page costs its visitor: requests, bytes over the wire, and what moves while it loads. `npm run bench -- visit` also measures times. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill, seeNotes } from './support/hands.js';
import { startPageApplication } from './support/page-application.js';
import { world } from './support/people.js';
import { password, signIns } from './support/sign-ins.js';
import { visitCost } from './support/visit-cost.js';

const site = world(() => startPageApplication());
const { signUp } = signIns(site);
const many = world(() =>
  startPageApplication({
    providers: [
      'github',
      'gitlab',
      'microsoft',
      'apple',
      'discord',
      'facebook',
      'linkedin',
      'x',
      'slack',
      'twitch',
    ],
  }),
);

/** In bytes, with the headers. */
const budget = {
  first: 15_872,
  manyFirst: 18_432,
  account: 22_000,
  later: 8_000,
  laterAccount: 14_000,
  manyLater: 16_000,
};

test('a first visit to the sign-in takes 15.5 KB, and nothing moves while it loads', async (t) => {
  const { page } = await site.person();
  for (const path of ['/sign-in', '/sign-up', '/reset']) {
    await page.context().clearCookies();
    const first = await visitCost(page, path, 'empty');
    const later = await visitCost(page, path, 'filled');
    t.diagnostic(`${path}: ${JSON.stringify({ first, later })}`);
    // The sign-in also asks for passkeys to suggest.
    assert.ok(first.requests <= (path === '/sign-in' ? 4 : 3), `${path}: ${first.requests} requests`);
    assert.ok(first.bytes <= budget.first, `${path}: ${first.bytes} bytes`);
    assert.ok(later.bytes <= budget.later, `${path}, again: ${later.bytes} bytes`);
    assert.equal(first.shift, 0, `${path} moves`);
  }
});

test('a sign-in with twelve identity providers takes 18 KB, and shows the address without scrolling', async (t) => {
  const { page } = await many.person(undefined, { viewport: { width: 360, height: 640 } });
  const first = await visitCost(page, '/sign-in', 'empty');
  const later = await visitCost(page, '/sign-in', 'filled');
  t.diagnostic(JSON.stringify({ first, later }));
  assert.ok(first.bytes <= budget.manyFirst, `${first.bytes} bytes`);
  assert.ok(later.bytes <= budget.manyLater, `again: ${later.bytes} bytes`);
  assert.equal(first.shift, 0);
  const field = await page.locator('#field-email').boundingBox();
  assert.ok(field && field.y + field.height < 640, 'the address is below the fold');
  assert.equal(await page.locator('#field-email').evaluate((each) => each === document.activeElement), true);
});

test('a page of the account takes 22 KB at first, and nothing moves while it loads', async (t) => {
  const ada = await site.person();
  await signUp(ada);
  await seeNotes(ada.page);
  for (const path of ['/account/security', '/account/profile']) {
    const first = await visitCost(ada.page, path, 'empty');
    const later = await visitCost(ada.page, path, 'filled');
    t.diagnostic(`${path}: ${JSON.stringify({ first, later })}`);
    // The list of passkeys is read again, for the browser to forget removed ones.
    assert.ok(
      first.requests <= (path === '/account/security' ? 4 : 3),
      `${path}: ${first.requests} requests`,
    );
    assert.ok(first.bytes <= budget.account, `${path}: ${first.bytes} bytes`);
    assert.ok(later.bytes <= budget.laterAccount, `${path}, again: ${later.bytes} bytes`);
    assert.equal(first.shift, 0, `${path} moves`);
  }
});

test('the estimator of passwords is loaded at the first key, and compressed', async () => {
  const { page } = await site.person();
  const loaded: string[] = [];
  page.on('response', (response) => {
    if (response.url().includes('password-estimator'))
      loaded.push(response.headers()['content-encoding'] ?? '');
  });
  await page.goto('/sign-up', { waitUntil: 'networkidle' });
  await page.getByLabel('Password', { exact: true }).focus();
  assert.deepEqual(loaded, []);
  await fill(page, 'Password', password);
  await page.locator('[data-score]').waitFor();
  assert.deepEqual(loaded.length, 1);
  assert.match(loaded[0] ?? '', /^(br|gzip)$/);
});
