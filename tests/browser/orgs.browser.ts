/** Organisations on the account page: pending invitations, what may be granted, keys. Joining is in account.browser.ts. */
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

/** Somebody with an organisation that is open on their page. */
async function founder(): Promise<Person> {
  const ada = await onAccountPage('ada');
  await fill(ada.page, 'Name of a new organisation', org);
  await press(ada.page, 'Found it');
  await unfold(ada);
  await see(ada.page, 'No invitation is waiting.');
  await see(ada.page, 'No keys of this organisation yet.');
  return ada;
}

async function invite({ page }: Person, email: string, role = 'member'): Promise<void> {
  await fill(page, 'Invite by mail', email);
  await page.getByLabel('Role', { exact: true }).selectOption(role);
  await press(page, 'Invite');
  await see(page, `An invitation is on its way to ${email}.`);
}

/** A colleague who has accepted an invitation to this role, on their account page. */
async function colleague(of: Person, role: string): Promise<Person> {
  const grace = await onAccountPage('grace');
  const since = await lastMessageId();
  await invite(of, grace.email, role);
  await grace.page.goto((await message(grace.email, since)).link!);
  await press(grace.page, 'Join');
  await unfold(grace);
  return grace;
}

const offered = ({ page }: Person) =>
  page.getByLabel('Role', { exact: true }).locator('option').allInnerTexts();

test('an invitation waits, is withdrawn, and lets nobody in any more', async () => {
  const ada = await founder();
  const { page } = ada;
  const grace = await person('grace');
  const since = await lastMessageId();
  await invite(ada, grace.email, 'admin');
  const waiting = page.getByRole('region', { name: `Invitations of ${org}` }).getByRole('listitem');
  assert.match(await waiting.innerText(), new RegExp(`${grace.email}\\s+as admin · until`));
  // The form begins anew.
  assert.equal(await page.getByLabel('Role', { exact: true }).inputValue(), 'member');
  await press(page, `Withdraw the invitation to ${grace.email}`);
  await confirm(page, 'Withdraw invitation');
  await see(page, `The invitation to ${grace.email} is withdrawn.`);
  await see(page, 'No invitation is waiting.');
  const focused = page.locator(':focus');
  assert.equal(await focused.getAttribute('data-nothing'), 'No invitation is waiting.');

  const { link } = await message(grace.email, since);
  await signIn(grace);
  await grace.page.goto(link!);
  await press(grace.page, 'Join');
  await see(grace.page, 'This needs the link from the mail.');
  await grace.page.goto('/account');
  await see(grace.page, 'You are in no organisation yet.');
});

test('an address that is none is said beside its field, and what was sent before stays', async () => {
  const ada = await founder();
  const { page } = ada;
  const email = newAddress('grace');
  await invite(ada, email);
  await fill(page, 'Invite by mail', 'grace@localhost');
  await press(page, 'Invite');
  await see(page, 'This does not look like an email address.');
  assert.equal(await page.locator(':focus').inputValue(), 'grace@localhost');
  await see(page, email);
  assert.deepEqual(await faultsOf(page), []);
});

test('everybody is offered what they may do: owners every role, admins no owners, members nothing', async () => {
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
  await see(ada.page, `${grace.email} is member now.`);
  await grace.page.reload();
  await unfold(grace);
  await see(grace.page, 'since');
  for (const hidden of ['Invitations', 'Keys']) {
    assert.equal(await grace.page.getByRole('region', { name: `${hidden} of ${org}` }).count(), 0);
  }
  await press(grace.page, `Leave ${org}`);
  await confirm(grace.page, 'Leave organization');
  await see(grace.page, `You have left ${org}.`);
});

test('who was an admin when the page was opened is told what they may not do any more', async () => {
  const ada = await founder();
  const grace = await colleague(ada, 'admin');
  await see(grace.page, 'No keys of this organisation yet.');
  await ada.page.reload();
  await unfold(ada);
  await press(ada.page, `Remove ${grace.email}`);
  await confirm(ada.page, 'Remove member');
  await see(ada.page, 'Member removed.');
  const keys = grace.page.getByRole('region', { name: `Keys of ${org}` });
  await fill(grace.page, `Name of a new key of ${org}`, 'Too late');
  await press(grace.page, `Make a key of ${org}`);
  await keys.locator('form [data-message]:not(:empty)').waitFor();
  await ada.page.reload();
  await unfold(ada);
  await see(ada.page, 'No keys of this organisation yet.');
});

test('a key of an organisation is shown once, works for it, and is ended by another admin', async () => {
  const ada = await founder();
  const grace = await colleague(ada, 'admin');
  const { page } = grace;
  await grace.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const keys = page.getByRole('region', { name: `Keys of ${org}` });
  await fill(page, `Name of a new key of ${org}`, 'Build server');
  await press(page, `Make a key of ${org}`);
  await see(page, 'Copy this key now.');
  assert.equal(await page.locator(':focus').innerText(), 'Copy this key now. It is not shown again.');
  assert.deepEqual(await faultsOf(page), []);
  await keys.getByRole('button', { name: 'Copy the key' }).click();
  const key = await page.evaluate(() => navigator.clipboard.readText());
  const ask = (path: string) =>
    fetch(`${origin()}/api/v1/${path}`, { headers: { authorization: `Bearer ${key}` } });
  const answer = await (await ask('organisation')).json();
  assert.deepEqual(answer, { ...answer, name: org, members: 2 });
  assert.equal((await ask('notes')).status, 403);
  // It is the organisation's, not hers.
  await see(page, 'No keys yet.');

  await ada.page.reload();
  await unfold(ada);
  await see(ada.page, 'Build server');
  assert.equal((await ada.page.innerText('body')).includes(key), false);
  await press(ada.page, 'Revoke Build server');
  await confirm(ada.page, 'Revoke key');
  await see(ada.page, 'No keys of this organisation yet.');
  assert.equal((await ask('organisation')).status, 401);
});

test('a new key stays in sight while another organisation is founded', async () => {
  const { page } = await founder();
  await fill(page, `Name of a new key of ${org}`, 'Build server');
  await press(page, `Make a key of ${org}`);
  await see(page, 'Copy this key now.');
  await fill(page, 'Name of a new organisation', 'Difference Engines');
  await press(page, 'Found it');
  await see(page, 'Difference Engines is founded. Invite somebody.');
  assert.equal(await page.getByText('Copy this key now.').isVisible(), true);
  await press(page, `Delete ${org}`);
  await confirm(page, 'Delete organization');
  await see(page, `${org} is deleted.`);
  assert.equal(await page.locator('#org-list > li').count(), 1);
});

test('a button that is busy says so to everybody, and has its name back afterwards', async () => {
  const { page } = await founder();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/orgs\/[^/]+\/api-keys$/, async (route) => {
    if (route.request().method() === 'POST') await held;
    await route.continue();
  });
  await fill(page, `Name of a new key of ${org}`, 'Build server');
  await press(page, `Make a key of ${org}`);
  await page.getByRole('button', { name: 'Making…', exact: true }).waitFor();
  release();
  await see(page, 'Copy this key now.');
  await page.getByRole('button', { name: `Make a key of ${org}`, exact: true }).waitFor();
});
