/** The admin pages: with and without JavaScript, on a phone and on a desk. The first administrator is made on the command line. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { runCommandLine } from '../support/command-line.js';
import { faultsOf } from './support/axe.js';
import { startExample } from './support/example.js';
import { fill, press, see, seeNotes, seePage } from './support/hands.js';
import { consoleInHurry } from './support/hurry.js';
import { newAddress, world } from './support/people.js';
import { signIns } from './support/sign-ins.js';

const adminEmail = 'admin@acme.test';
const repository = fileURLToPath(new URL('../../', import.meta.url));
const config = ['--config', 'example-app/users.config.ts'];
const env = { DATA: mkdtempSync(path.join(tmpdir(), 'svc-auth-admin-')) };

// As the README of the example says.
const created = await runCommandLine(
  ['user', 'create', '--email', adminEmail, '--verified', '--role', 'admin', ...config],
  { folder: repository, env: { ...process.env, ...env, DATABASE_URL: '' } },
);
assert.equal(created.code, 0, created.err);

const site = world(() => startExample(env));
const { person, message, lastMessageId } = site;
const { enterMailedCode, enterPassword, signIn } = signIns(site);

/** As `faultsOf`, with everything that axe finds. */
const everyFaultOf = faultsOf;

/** An administrator; with other options, the session is that of a browser that has signed in. */
async function administrator(options: BrowserContextOptions = {}): Promise<Page> {
  const ada = await person();
  ada.email = adminEmail;
  await signIn(ada);
  if (Object.keys(options).length === 0) return ada.page;
  const storageState = await ada.context.storageState();
  return (await person('admin', { ...options, storageState })).page;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const link = (page: Page, name: string | RegExp) =>
  page.getByRole('main').getByRole('link', { name, exact: true }).click();

/** Invite, set a password, block, refused, unblock, in. */
async function walk(admin: Page): Promise<void> {
  const grace = await person('grace');
  const password = 'a long enough password';
  await admin.goto('/admin');
  await link(admin, 'Invite user');
  await admin.getByLabel('Email address').fill(grace.email);
  const since = await lastMessageId();
  await button(admin, 'Send invitation');
  await see(admin, 'Invitation sent.');
  await admin.getByRole('heading', { name: grace.email, level: 1 }).waitFor();
  const user = admin.url().replace(/\?.*/, '');

  await grace.page.goto((await message(grace.email, since)).link!);
  await fill(grace.page, 'New password', password);
  await press(grace.page, 'Save password');
  await seePage(grace.page, 'Password saved');
  await enterPassword(grace, password);
  await seeNotes(grace.page);

  await admin.goto(user);
  await see(admin, 'Chrome on Linux');
  await link(admin, 'Block');
  await admin.getByLabel('Reason').fill('Sent spam <b>to others</b>');
  await admin.getByLabel('Duration').selectOption({ label: '7 days' });
  await button(admin, 'Block user');
  await see(admin, 'User blocked.');
  await see(admin, 'Sent spam <b>to others</b>');

  await grace.page.goto('/');
  await seePage(grace.page, 'Sign in to Acme');
  await enterPassword(grace, password);
  await see(grace.page, /blocked/i);
  assert.match(grace.page.url(), /sign-in/);

  await link(admin, 'Unblock');
  await button(admin, 'Unblock user');
  await see(admin, 'User unblocked.');
  await enterPassword(grace, password);
  await seeNotes(grace.page);
}

const desk = { width: 1280, height: 800 };
const phone = { width: 360, height: 740 };

for (const [name, options] of [
  ['with JavaScript on a desk', { viewport: desk }],
  ['with JavaScript on a phone', { viewport: phone }],
  ['without JavaScript on a desk', { viewport: desk, javaScriptEnabled: false }],
  ['without JavaScript on a phone', { viewport: phone, javaScriptEnabled: false }],
] as const) {
  test(`an administrator invites, blocks and unblocks a user ${name}`, async () => {
    await walk(await administrator(options));
  });
}

test('axe finds nothing on the pages, in light and dark, and they fit a phone', async () => {
  const page = await administrator();
  const ada = await person('subject');
  await signIn(ada);
  await page.goto(`/admin/users?search=${encodeURIComponent(ada.email)}`);
  await page.getByRole('link', { name: ada.email }).click();
  const user = new URL(page.url()).pathname;
  const pages = [
    '/admin/users',
    '/admin/users?blocked=no&verified=yes&search=s',
    '/admin/users?search=nobody-has-this-name',
    '/admin/users?role=No+Role',
    '/admin/users/invite',
    '/admin/users/new',
    '/admin/users/invite-list',
    `/admin/users/bulk/block?id=${user.split('/').at(-1)}`,
    '/admin/users/bulk/sign-out',
    '/admin/users?search=acme&within=words',
    '/admin/lockdown',
    user,
    `${user}?done=roles`,
    ...[
      'block',
      'sign-out',
      'address',
      'username',
      'roles',
      'password',
      'metadata',
      'impersonate',
      'delete',
    ].map((form) => `${user}/${form}`),
    `${user}/sessions/x/end`,
    '/admin/users/0190f6a0-0000-7000-8000-000000000001',
  ];
  for (const address of pages) {
    await page.goto(address);
    assert.deepEqual([address, await everyFaultOf(page)], [address, []]);
  }
  await page.goto(`${user}/block`);
  await page.getByLabel('Duration').selectOption({ label: 'Until a date' });
  await button(page, 'Block user');
  await see(page, 'Enter the date and the time.');
  assert.deepEqual(await everyFaultOf(page), []);
  await page.goto(`${user}/metadata`);
  await page.getByLabel('Metadata (JSON)').fill('{\n  "plan": pro\n}');
  await button(page, 'Save metadata');
  await see(page, 'Check line 2, column 11.');
  assert.deepEqual(await everyFaultOf(page), []);
  await page.goto(`${user}/block`);
  await page.getByLabel('Reason').fill('Spam');
  await button(page, 'Block user');
  await see(page, 'User blocked.');
  assert.deepEqual(await everyFaultOf(page), []);
});

test('dates are written in the time zone and the language of the viewer', async () => {
  const page = await administrator({ timezoneId: 'Asia/Tokyo', locale: 'de-DE' });
  await page.goto(`/admin/users?search=${encodeURIComponent(adminEmail)}`);
  const time = page.locator('time[data-show=time]').first();
  const at = new Date((await time.getAttribute('datetime'))!);
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Tokyo' } as const;
  assert.equal(await time.innerText(), new Intl.DateTimeFormat('de-DE', format).format(at));
  // The script has noted the zone: the server writes the next page in it, and names it.
  const next = await (await page.request.get('/admin/users')).text();
  assert.match(next, /<bdi data-zone>Asia\/Tokyo<\/bdi>/);
});

test('no page for administrators writes to the console, also if a click comes before the page has appeared', async () => {
  const page = await administrator({ reducedMotion: 'no-preference' });
  const paths = ['/admin/users', '/admin/users/new', '/admin/users/invite', '/admin/users?search=admin'];
  await page.goto(`/admin/users?search=${encodeURIComponent(adminEmail)}`);
  paths.push((await page.getByRole('link', { name: adminEmail }).getAttribute('href'))!);
  assert.deepEqual(await consoleInHurry(page, paths), []);
});

test('the keyboard reaches the content, the links and the buttons', async () => {
  const page = await administrator();
  await page.goto('/admin/users');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to content');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'main');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent?.trim()), 'Download CSV');
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle);
  assert.equal(outline, 'solid');
});

test('an impersonation starts and ends in the browser, and closes the pages in the meantime', async () => {
  const page = await administrator();
  const ada = await person('impersonated');
  await signIn(ada);
  await page.goto(`/admin/users?search=${encodeURIComponent(ada.email)}`);
  await page.getByRole('link', { name: ada.email }).click();
  await link(page, 'Impersonate');
  await button(page, 'Impersonate user');
  await seeNotes(page);
  await see(page, ada.email);
  await page.goto('/admin');
  await see(page, 'You are impersonating a user');
  assert.deepEqual(await everyFaultOf(page), []);
  await button(page, 'Stop impersonating');
  await see(page, 'Impersonation ended.');
  await see(page, adminEmail);
});

test('a user is deleted with the address typed in, and a second click sends a form once', async () => {
  const page = await administrator();
  const email = newAddress('gone');
  await page.goto('/admin/users/new');
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Create user' }).dblclick();
  await see(page, 'User created.');
  await link(page, 'Delete user');
  await page.getByLabel(`To confirm, type ${email}`).fill(email);
  await button(page, 'Delete user');
  await see(page, 'User deleted.');
});

test('a user without the role, and a visitor, get no page; the notes link the pages for administrators', async () => {
  const ada = await person();
  await ada.page.goto('/admin/users?blocked=yes');
  await seePage(ada.page, 'Sign in to Acme');
  // The sign-in page returns to the requested page.
  await enterMailedCode(ada, ada.page.url());
  await see(ada.page, 'No access');
  assert.match(ada.page.url(), /\/admin\/users\?blocked=yes$/);
  assert.deepEqual(await everyFaultOf(ada.page), []);
  await ada.page.goto('/');
  assert.equal(await ada.page.getByRole('link', { name: 'Admin', exact: true }).count(), 0);
  const page = await administrator();
  await page.goto('/');
  await page.getByRole('link', { name: 'Admin', exact: true }).click();
  await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
});
