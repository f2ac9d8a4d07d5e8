/** Organizations on the account page: pending invitations, what may be granted, keys. Joining is in account.browser.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf } from './support/axe.js';
import { confirm, fill, open, press, see } from './support/hands.js';
import { newAddress, world, type Person } from './support/people.js';

const { person, message, lastMessageId, signIn, origin } = world();

const org = 'Analytical Engines';

async function onAccountPage(name: string): Promise<Person> {
  const somebody = await person(name);
  await signIn(somebody);
  await open(somebody.page, 'Account');
  await see(somebody.page, 'this device');
  return somebody;
}

async function unfold({ page }: Person): Promise<void> {
  await page.getByText(org, { exact: true }).click();
  await page.getByRole('region', { name: `Members of ${org}` }).waitFor();
}

/** A user with an organization that is open on the account page. */
async function founder(): Promise<Person> {
  const ada = await onAccountPage('ada');
  await fill(ada.page, 'Organization name', org);
  await press(ada.page, 'Create organization');
  await unfold(ada);
  await see(ada.page, 'No pending invitations.');
  await see(ada.page, 'No organization keys yet.');
  return ada;
}

async function invite({ page }: Person, email: string, role = 'member'): Promise<void> {
  await fill(page, 'Invite by email', email);
  await page.getByLabel('Role', { exact: true }).selectOption(role);
  await press(page, 'Send invitation');
  await see(page, `Invitation sent to ${email}.`);
}

/** A colleague who has accepted an invitation to this role, on their account page. */
async function colleague(of: Person, role: string): Promise<Person> {
  const grace = await onAccountPage('grace');
  const since = await lastMessageId();
  await invite(of, grace.email, role);
  await grace.page.goto((await message(grace.email, since)).link!);
  await press(grace.page, 'Accept invitation');
  await unfold(grace);
  return grace;
}

const offered = ({ page }: Person) =>
  page.getByLabel('Role', { exact: true }).locator('option').allInnerTexts();

test('an invitation is pending until it is withdrawn, and is then refused', async () => {
  const ada = await founder();
  const { page } = ada;
  const grace = await person('grace');
  const since = await lastMessageId();
  await invite(ada, grace.email, 'admin');
  const waiting = page.getByRole('region', { name: `Invitations of ${org}` }).getByRole('listitem');
  assert.match(await waiting.innerText(), new RegExp(`${grace.email}\\s+admin · expires`));
  // The form is reset.
  assert.equal(await page.getByLabel('Role', { exact: true }).inputValue(), 'member');
  await press(page, `Withdraw the invitation to ${grace.email}`);
  await confirm(page, 'Withdraw invitation');
  await see(page, `Invitation to ${grace.email} withdrawn.`);
  await see(page, 'No pending invitations.');
  const focused = page.locator(':focus');
  assert.equal(await focused.getAttribute('data-nothing'), 'No pending invitations.');

  const { link } = await message(grace.email, since);
  await signIn(grace);
  await grace.page.goto(link!);
  await press(grace.page, 'Accept invitation');
  await see(grace.page, 'This invitation has expired or has already been used.');
  await grace.page.goto('/account');
  await see(grace.page, 'No organizations yet.');
});

test('an invalid address is reported next to its field, and earlier invitations remain', async () => {
  const ada = await founder();
  const { page } = ada;
  const email = newAddress('grace');
  await invite(ada, email);
  await fill(page, 'Invite by email', 'grace@localhost');
  await press(page, 'Send invitation');
  await see(page, 'Enter a valid email address.');
  assert.equal(await page.locator(':focus').inputValue(), 'grace@localhost');
  await see(page, email);
  assert.deepEqual(await faultsOf(page), []);
});

test('owners are offered every role, admins every role but owner, members none', async () => {
  const ada = await founder();
  assert.deepEqual(await offered(ada), ['member', 'admin', 'owner']);
  const grace = await colleague(ada, 'admin');
  const owner = newAddress('heir');
  await invite(ada, owner, 'owner');
  await grace.page.reload();
  await unfold(grace);
  await see(grace.page, owner);
  assert.deepEqual(await offered(grace), ['member', 'admin']);
  const button = (text: string) => grace.page.getByRole('button', { name: text });
  assert.equal(await button(`Withdraw the invitation to ${owner}`).count(), 0);
  assert.equal(await button(`Remove ${ada.email}`).count(), 0);
  await invite(grace, newAddress('joan'), 'admin');

  await ada.page.reload();
  await unfold(ada);
  const choice = ada.page.getByLabel(`Role of ${grace.email}`);
  await choice.selectOption('member');
  await see(ada.page, `${grace.email} is now member.`);
  await grace.page.reload();
  await unfold(grace);
  await see(grace.page, 'since');
  for (const hidden of ['Invitations', 'API keys']) {
    assert.equal(await grace.page.getByRole('region', { name: `${hidden} of ${org}` }).count(), 0);
  }
  await press(grace.page, `Leave ${org}`);
  await confirm(grace.page, 'Leave organization');
  await see(grace.page, `You've left ${org}.`);
});

test('a former admin gets an error for an action that is no longer allowed', async () => {
  const ada = await founder();
  const grace = await colleague(ada, 'admin');
  await see(grace.page, 'No organization keys yet.');
  await ada.page.reload();
  await unfold(ada);
  await press(ada.page, `Remove ${grace.email}`);
  await confirm(ada.page, 'Remove member');
  await see(ada.page, 'Member removed.');
  const keys = grace.page.getByRole('region', { name: `API keys of ${org}` });
  await fill(grace.page, `Key name for ${org}`, 'Too late');
  await press(grace.page, `Create key for ${org}`);
  await keys.locator('form [data-message]:not(:empty)').waitFor();
  await ada.page.reload();
  await unfold(ada);
  await see(ada.page, 'No organization keys yet.');
});

test('a key of an organization is shown once, works, and is revoked by another admin', async () => {
  const ada = await founder();
  const grace = await colleague(ada, 'admin');
  const { page } = grace;
  await grace.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const keys = page.getByRole('region', { name: `API keys of ${org}` });
  await fill(page, `Key name for ${org}`, 'Build server');
  await press(page, `Create key for ${org}`);
  await see(page, 'Copy this key now.');
  assert.equal(await page.locator(':focus').innerText(), "Copy this key now. It won't be shown again.");
  assert.deepEqual(await faultsOf(page), []);
  await keys.getByRole('button', { name: 'Copy key' }).click();
  const key = await page.evaluate(() => navigator.clipboard.readText());
  const ask = (path: string) =>
    fetch(`${origin()}/api/v1/${path}`, { headers: { authorization: `Bearer ${key}` } });
  const answer = await (await ask('organization')).json();
  assert.deepEqual(answer, { ...answer, name: org, members: 2 });
  assert.equal((await ask('notes')).status, 403);
  // It is the organization's, not hers.
  await see(page, 'No keys yet.');

  await ada.page.reload();
  await unfold(ada);
  await see(ada.page, 'Build server');
  assert.equal((await ada.page.innerText('body')).includes(key), false);
  await press(ada.page, 'Revoke Build server');
  await confirm(ada.page, 'Revoke key');
  await see(ada.page, 'No organization keys yet.');
  assert.equal((await ask('organization')).status, 401);
});

test('a new key remains visible while another organization is created', async () => {
  const { page } = await founder();
  await fill(page, `Key name for ${org}`, 'Build server');
  await press(page, `Create key for ${org}`);
  await see(page, 'Copy this key now.');
  await fill(page, 'Organization name', 'Difference Engines');
  await press(page, 'Create organization');
  await see(page, 'Organization created.');
  assert.equal(await page.getByText('Copy this key now.').isVisible(), true);
  await press(page, `Delete ${org}`);
  await confirm(page, 'Delete organization');
  await see(page, 'Organization deleted.');
  assert.equal(await page.locator('#org-list > li').count(), 1);
});

test('a busy button announces it to screen readers and has its name back afterward', async () => {
  const { page } = await founder();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/orgs\/[^/]+\/api-keys$/, async (route) => {
    if (route.request().method() === 'POST') await held;
    await route.continue();
  });
  await fill(page, `Key name for ${org}`, 'Build server');
  await press(page, `Create key for ${org}`);
  await page.getByRole('button', { name: 'Creating…', exact: true }).waitFor();
  release();
  await see(page, 'Copy this key now.');
  await page.getByRole('button', { name: `Create key for ${org}`, exact: true }).waitFor();
});
