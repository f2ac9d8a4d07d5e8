/** Organizations in the account: members, roles, invitations, keys, and the page that the link of an invitation opens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf } from './support/axe.js';
import { fill, open, press, see, seeNotes, seePage } from './support/hands.js';
import { startPageApplication } from './support/page-application.js';
import { newAddress, world, type Person } from './support/people.js';
import { signIns } from './support/sign-ins.js';

const site = world(() => startPageApplication());
const { person, message, lastMessageId, origin } = site;
const { askForCode, signIn, signUp } = signIns(site);

const org = 'Analytical Engines';

/** A user with an organization, on its page. */
async function founder(): Promise<Person> {
  const ada = await person('ada');
  await signIn(ada);
  await ada.page.goto('/account/organizations');
  await open(ada.page, 'Create organization');
  await fill(ada.page, 'Name', org);
  await press(ada.page, 'Create organization');
  await seePage(ada.page, org);
  return ada;
}

async function invite({ page }: Person, email: string, role = 'Member'): Promise<void> {
  await open(page, 'Invite member');
  await fill(page, 'Email address', email);
  await page.getByRole('radio', { name: role }).check();
  await press(page, 'Send invitation');
  await see(page, 'Invitation sent.');
}

const openOrg = async ({ page }: Person): Promise<void> => {
  await page.goto('/account/organizations');
  await open(page, 'Manage', org);
  await seePage(page, org);
};

/** A colleague who has accepted an invitation to this role, on the page of the organization. */
async function colleague(of: Person, role: string): Promise<Person> {
  const grace = await person('grace');
  await signIn(grace);
  const since = await lastMessageId();
  await invite(of, grace.email, role);
  await grace.page.goto((await message(grace.email, since)).link!);
  await press(grace.page, 'Accept invitation');
  await seePage(grace.page, `You joined ${org}`);
  await openOrg(grace);
  return grace;
}

const panel = ({ page }: Person, id: string) => page.locator(`[aria-labelledby=${id}]`);

test('an invited user without an account signs in, comes back and joins', async () => {
  const ada = await founder();
  const grace = await person('grace');
  const since = await lastMessageId();
  await invite(ada, grace.email, 'Admin');
  await grace.page.goto((await message(grace.email, since)).link!);
  await seePage(grace.page, `Join ${org}`);
  assert.deepEqual(await faultsOf(grace.page), []);
  await open(grace.page, 'Sign in to accept');
  await fill(grace.page, 'Email address', grace.email);
  await press(grace.page, 'Continue');
  await fill(grace.page, 'Code', await askForCode(grace));
  await seePage(grace.page, `Join ${org}`);
  await press(grace.page, 'Accept invitation');
  await seePage(grace.page, `You joined ${org}`);
  await grace.page.goto('/account/organizations');
  await see(grace.page, org);
  await ada.page.reload();
  await see(ada.page, grace.email);
});

test('an invitation for another address says so, and leads to the sign-in with the invited one', async () => {
  const ada = await founder();
  const grace = await person('grace');
  const since = await lastMessageId();
  await invite(ada, grace.email);
  const { link } = await message(grace.email, since);
  await ada.page.goto(link!);
  await see(ada.page, `You’re signed in as ${ada.email}. This invitation is for another address.`);
  // The page shows the first letter of the invited address, which is the same here.
  const other = await person('gina');
  await signIn(other);
  const { page } = other;
  await page.goto(link!);
  await press(page, 'Accept invitation');
  await see(page, `You’re signed in as ${other.email}. This invitation is for another address.`);
  assert.deepEqual(await faultsOf(page), []);
  await press(page, 'Use another account');
  await seePage(page, 'Sign in to Acme');
  await fill(page, 'Email address', grace.email);
  await press(page, 'Continue');
  await fill(page, 'Code', await askForCode({ ...other, email: grace.email }));
  await press(page, 'Accept invitation');
  await seePage(page, `You joined ${org}`);
});

test('an unverified address is verified before an invitation is accepted', async () => {
  const ada = await founder();
  const grace = await person('grace');
  const { page } = grace;
  await signUp(grace);
  await seeNotes(page);
  const since = await lastMessageId();
  await invite(ada, grace.email);
  const { link, id } = await message(grace.email, since);
  await page.goto(link!);
  await see(page, 'Verify your email address first.');
  await press(page, 'Verify');
  await seePage(page, 'Check your email');
  await fill(page, 'Code', (await message(grace.email, id)).code!);
  await press(page, 'Accept invitation');
  await seePage(page, `You joined ${org}`);
});

test('an invitation is pending until it is revoked, and its link is then refused', async () => {
  const ada = await founder();
  const { page } = ada;
  const grace = await person('grace');
  await see(page, 'No invitations are pending.');
  const since = await lastMessageId();
  await invite(ada, grace.email, 'Admin');
  assert.match(await panel(ada, 'invites').innerText(), new RegExp(`${grace.email}\\s+Admin · Expires`));
  await open(page, 'Revoke', grace.email);
  await press(page, 'Revoke invitation');
  await see(page, 'Invitation revoked.');
  await see(page, 'No invitations are pending.');
  await grace.page.goto((await message(grace.email, since)).link!);
  await seePage(grace.page, 'This invitation is no longer valid');
  assert.deepEqual(await faultsOf(grace.page), []);
});

test('shows the error of an invalid address next to its field', async () => {
  const ada = await founder();
  const { page } = ada;
  await open(page, 'Invite member');
  await fill(page, 'Email address', 'grace@localhost');
  await press(page, 'Send invitation');
  await page.locator('#field-email-error').waitFor();
  assert.equal(await page.locator(':focus').inputValue(), 'grace@localhost');
  assert.deepEqual(await faultsOf(page), []);
});

test('owners can give every role, admins every role but owner, members none', async () => {
  const ada = await founder();
  const offered = async ({ page }: Person) => {
    await open(page, 'Invite member');
    await seePage(page, 'Invite a member');
    const roles = await page
      .getByRole('radio')
      .evaluateAll((each) => each.map((radio) => (radio as HTMLInputElement).value));
    await open(page, 'Cancel');
    await seePage(page, org);
    return roles.sort();
  };
  assert.deepEqual(await offered(ada), ['admin', 'member', 'owner']);
  const grace = await colleague(ada, 'Admin');
  assert.deepEqual(await offered(grace), ['admin', 'member']);
  assert.equal(
    await grace.page.getByRole('link', { name: new RegExp(`^Remove\\s*:\\s*${ada.email}`) }).count(),
    0,
  );

  await ada.page.reload();
  await open(ada.page, 'Change role', grace.email);
  await ada.page.getByRole('radio', { name: 'Member' }).check();
  await press(ada.page, 'Save role');
  await see(ada.page, 'Role saved.');
  await grace.page.reload();
  await seePage(grace.page, org);
  for (const hidden of ['invites', 'keys']) assert.equal(await panel(grace, hidden).count(), 0);
  await open(grace.page, 'Leave organization');
  await press(grace.page, 'Leave organization');
  await see(grace.page, 'You left the organization.');
});

test('a former admin gets no key from a form that is still open', async () => {
  const ada = await founder();
  const grace = await colleague(ada, 'Admin');
  await panel(grace, 'keys').getByRole('link', { name: 'Create key' }).click();
  await fill(grace.page, 'Name', 'Too late');
  await ada.page.reload();
  await open(ada.page, 'Remove', grace.email);
  await press(ada.page, 'Remove member');
  await see(ada.page, 'Member removed.');
  await press(grace.page, 'Create key');
  await see(grace.page, /Not found|can’t do this with your role/);
  await see(ada.page, 'The organization has no API keys.');
});

test('a key of an organization is shown once, works, and is revoked by another admin', async () => {
  const ada = await founder();
  const grace = await colleague(ada, 'Admin');
  const { page } = grace;
  await panel(grace, 'keys').getByRole('link', { name: 'Create key' }).click();
  await fill(page, 'Name', 'Build server');
  await page.getByLabel('notes:read').check();
  await press(page, 'Create key');
  await seePage(page, 'API key created');
  const key = (await page.locator('main code').first().innerText()).trim();
  assert.deepEqual(await faultsOf(page), []);
  const notes = () => fetch(`${origin()}/api/v1/notes`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal((await notes()).status, 200);
  // It is the organization's, not hers.
  await page.goto('/account/tokens');
  await see(page, 'You have no API keys.');

  await ada.page.reload();
  await see(ada.page, 'Build server');
  assert.equal((await ada.page.content()).includes(key), false);
  await open(ada.page, 'Revoke', 'Build server');
  await press(ada.page, 'Revoke key');
  await see(ada.page, 'Key revoked.');
  assert.equal((await notes()).status, 401);
});

test('deletes an organization when its name is typed', async () => {
  const ada = await founder();
  const { page } = ada;
  await invite(ada, newAddress('joan'));
  await open(page, 'Delete organization');
  await press(page, 'Delete organization');
  await see(page, 'The text doesn’t match.');
  await fill(page, `To confirm, type ${org}`, org);
  await press(page, 'Delete organization');
  await see(page, 'Organization deleted.');
  await see(page, 'You’re not a member of an organization.');
});
