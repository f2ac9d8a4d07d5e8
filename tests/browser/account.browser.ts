/** The account page: everything that somebody may change about themselves. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { choose, confirm, fill, open, press, see, seeNotes } from './support/hands.js';
import { newAddress, world, type Person } from './support/people.js';

const { person, message, lastMessageId, signIn, origin } = world();

async function onAccountPage(name?: string): Promise<Person> {
  const somebody = await person(name);
  await signIn(somebody);
  await open(somebody.page, 'Account');
  await see(somebody.page, 'this device');
  return somebody;
}

test('an address is verified by a code', async () => {
  const { page, email } = await person();
  await page.goto('/sign-in?method=password');
  await open(page, 'Create an account');
  await fill(page, 'Email address', email);
  await fill(page, 'Password', 'correct horse battery');
  await press(page, 'Create account');
  await open(page, 'Account');
  await see(page, 'not verified yet');
  const since = await lastMessageId();
  await press(page, 'Verify the address');
  await fill(page, 'Code from the mail', (await message(email, since)).code!);
  await press(page, 'Verify');
  await see(page, 'Your address is verified.');
  await page.reload();
  await page.locator('#verified').waitFor();
});

test('an address becomes another one by codes to both', async () => {
  const { page, email } = await onAccountPage();
  const next = newAddress('ada.new');
  await open(page, 'Change the address');
  await fill(page, 'New address', next);
  const since = await lastMessageId();
  await press(page, 'Continue');
  await fill(page, 'Code from the mail to the new address', (await message(next, since)).code!);
  await fill(page, 'Code from the mail to the present address', (await message(email, since)).code!);
  await press(page, 'Change the address');
  await see(page, 'Your account has its new address.');
  await see(page, next);
});

test('a first password, then another one, which needs the first', async () => {
  const ada = await onAccountPage();
  const { page, email } = ada;
  await fill(page, 'New password', 'correct horse battery');
  await press(page, 'Save the password');
  await see(page, 'The password is saved.');
  await page.reload();
  await fill(page, 'Present password', 'not that one');
  await fill(page, 'New password', 'a better battery');
  await press(page, 'Save the password');
  await page.locator('#current-password-error:not(:empty)').waitFor();
  await fill(page, 'Present password', 'correct horse battery');
  await press(page, 'Save the password');
  await see(page, 'The password is saved.');

  await press(page, 'Sign out');
  await choose(page, 'Password');
  await fill(page, 'Email address', email);
  await fill(page, 'Password', 'a better battery');
  await press(page, 'Sign in');
  await seeNotes(page);
});

test('a device is signed out from another one, which sees it', async () => {
  const desk = await onAccountPage();
  const phone = { ...(await person()), email: desk.email };
  await signIn(phone);
  const tablet = { ...(await person()), email: desk.email };
  await signIn(tablet);
  await desk.page.reload();
  await see(desk.page, 'this device');
  assert.equal(await desk.page.locator('#device-list li').count(), 3);
  await desk.page
    .getByRole('button', { name: /^Sign out Chrome on/ })
    .first()
    .dblclick();
  await see(desk.page, 'That device is signed out.');
  assert.equal(await desk.page.locator('#device-list li').count(), 2);
  // The newest is the first of the list.
  await tablet.page.reload();
  await tablet.page.getByRole('heading', { name: 'Sign in to Acme' }).waitFor();
  await phone.page.reload();
  await seeNotes(phone.page);

  await press(desk.page, 'Sign out everywhere else');
  await see(desk.page, 'You are signed out everywhere else.');
  // A page that is open finds out by its next request.
  await fill(phone.page, 'New note', 'Too late');
  await press(phone.page, 'Add');
  await see(phone.page, 'You have been signed out.');
});

test('an account elsewhere is linked, signs in, and is unlinked', async () => {
  const { page, email } = await onAccountPage();
  const elsewhere = newAddress('orbit');
  await see(page, 'Nothing is linked.');
  await press(page, 'Link Orbit');
  await fill(page, 'Email address', elsewhere);
  await page.getByRole('button', { name: 'Continue' }).click();
  await see(page, elsewhere);
  assert.equal(new URL(page.url()).pathname, '/account');

  await press(page, 'Sign out');
  await open(page, 'Orbit');
  await fill(page, 'Email address', elsewhere);
  await page.getByRole('button', { name: 'Continue' }).click();
  await see(page, `Only you can see this page, ${email}.`);
  await open(page, 'Account');
  await press(page, 'Unlink Orbit');
  await confirm(page, 'Unlink account');
  await see(page, 'Nothing is linked.');

  await press(page, 'Link Google');
  await fill(page, 'Email address', newAddress('google'));
  await page.getByRole('button', { name: 'Continue' }).click();
  await press(page, 'Unlink Google');
  await confirm(page, 'Unlink account');
  await see(page, 'Nothing is linked.');

  await press(page, 'Link Orbit');
  await open(page, 'Cancel and go back to Acme');
  await see(page, 'That was canceled, or it did not work.');
});

test('an API key is shown once, works, and ends', async () => {
  const ada = await onAccountPage();
  const { page } = ada;
  await ada.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await fill(page, 'Name of the new key', 'Backup script');
  await press(page, 'Make a key');
  await see(page, 'Copy your key now.');
  await open(page, 'Copy the key');
  const key = await page.evaluate(() => navigator.clipboard.readText());
  const notes = () => fetch(`${origin()}/api/v1/notes`, { headers: { authorization: `Bearer ${key}` } });
  assert.deepEqual([(await notes()).status, await (await notes()).json()], [200, { notes: [] }]);
  await page.reload();
  await see(page, 'Backup script');
  assert.equal((await page.innerText('body')).includes(key), false);
  await press(page, 'Revoke Backup script');
  await confirm(page, 'Revoke key');
  await see(page, 'No keys yet.');
  assert.equal((await notes()).status, 401);
});

test('an app gets tokens, renews them, and is signed out', async () => {
  const ada = await onAccountPage();
  const { page } = ada;
  await ada.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = async () => {
    await open(page, 'Copy a curl line');
    const line = await page.evaluate(() => navigator.clipboard.readText());
    const [, token = ''] = /Bearer ([\w.-]+)/.exec(line) ?? [];
    const answer = await fetch(`${origin()}/me`, { headers: { authorization: `Bearer ${token}` } });
    return { token, status: answer.status };
  };
  await fill(page, 'Name of the app', 'Notes on my phone');
  await page.getByRole('button', { name: 'Sign it in' }).dblclick();
  await see(page, 'Notes on my phone is signed in');
  const first = await copied();
  assert.equal(first.status, 200);
  await press(page, 'Renew');
  await see(page, 'The app has new tokens.');
  assert.equal((await copied()).status, 200);
  await page.locator('#app-tokens').getByRole('button', { name: 'End' }).click();
  await see(page, 'The app is signed out.');
  const after = await fetch(`${origin()}/me`, { headers: { authorization: `Bearer ${first.token}` } });
  assert.equal(after.status, 401);
  await see(page, 'No app is signed in.');

  // The page forgets its tokens, and an app is no device of the list: it is out with everything else.
  await fill(page, 'Name of the app', 'Notes on my watch');
  await press(page, 'Sign it in');
  await see(page, 'Notes on my watch is signed in');
  const lost = await copied();
  await page.reload();
  await see(page, 'this device');
  await press(page, 'Sign out everywhere else');
  await see(page, 'You are signed out everywhere else.');
  const gone = await fetch(`${origin()}/me`, { headers: { authorization: `Bearer ${lost.token}` } });
  assert.deepEqual([lost.status, gone.status], [200, 401]);
  await see(page, 'No app is signed in.');
});

test('the tokens of an app are listed after a reload and revoked one by one', async () => {
  const ada = await onAccountPage();
  const { page } = ada;
  await ada.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const issue = async (name: string) => {
    await fill(page, 'Name of the app', name);
    await page.getByRole('button', { name: 'Sign it in' }).dblclick();
    await see(page, `${name} is signed in`);
    await open(page, 'Copy a curl line');
    const line = await page.evaluate(() => navigator.clipboard.readText());
    const [, token = ''] = /Bearer ([\w.-]+)/.exec(line) ?? [];
    return async () =>
      (await fetch(`${origin()}/me`, { headers: { authorization: `Bearer ${token}` } })).status;
  };
  const phone = await issue('Notes on my phone');
  const watch = await issue('Notes on my watch');
  await page.reload();
  const rows = page.locator('#app-token-list li');
  await rows.nth(1).waitFor();
  assert.match((await rows.allInnerTexts()).join(), /my watch[\s\S]*not used yet[\s\S]*my phone/);
  await press(page, 'Revoke Notes on my phone');
  await confirm(page, 'Revoke tokens');
  await see(page, 'Tokens revoked.');
  assert.equal(await rows.count(), 1);
  assert.deepEqual([await phone(), await watch()], [401, 200]);
});

test('an organisation: founded, somebody invited, who joins and gets another role', async () => {
  const ada = await onAccountPage('ada');
  await fill(ada.page, 'Name of a new organisation', 'Analytical Engines');
  await press(ada.page, 'Found it');
  await ada.page.getByText('Analytical Engines', { exact: true }).click();
  const grace = await person('grace');
  const since = await lastMessageId();
  await fill(ada.page, 'Invite by mail', grace.email);
  await press(ada.page, 'Invite');
  await see(ada.page, `An invitation is on its way to ${grace.email}.`);

  await grace.page.goto((await message(grace.email, since)).link!);
  await see(grace.page, 'You are invited');
  // The page's script takes the token out of the address bar.
  await grace.page.waitForURL(({ search }) => search === '');
  await open(grace.page, 'Sign in');
  await see(grace.page, 'Sign in, and the invitation is yours to accept.');
  await fill(grace.page, 'Email address', grace.email);
  await press(grace.page, 'Email me a code');
  await fill(grace.page, 'Code from the mail', (await message(grace.email, since + 1)).code!);
  await press(grace.page, 'Sign in');
  await press(grace.page, 'Join');
  await see(grace.page, 'Analytical Engines');

  await ada.page.reload();
  await ada.page.getByText('Analytical Engines', { exact: true }).click();
  await ada.page.getByLabel(`Role of ${grace.email}`).selectOption('admin');
  await see(ada.page, `${grace.email} is admin now.`);
  await grace.page.reload();
  await see(grace.page, 'admin');
  await ada.page.getByRole('button', { name: `Remove ${grace.email}` }).dblclick();
  await confirm(ada.page, 'Remove member');
  await see(ada.page, 'Member removed.');
  await press(ada.page, 'Delete Analytical Engines');
  await confirm(ada.page, 'Delete organization');
  await see(ada.page, 'You are in no organisation yet.');
});

test('everything is downloaded, then deleted', async () => {
  const { page, email } = await onAccountPage();
  await open(page, 'Notes');
  await fill(page, 'New note', 'Worth taking along');
  await press(page, 'Add');
  await page.locator('#notes').getByText('Worth taking along').waitFor();
  await open(page, 'Account');
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download everything')]);
  const file = await readFile(await download.path(), 'utf8');
  assert.match(file, /Worth taking along/);
  assert.ok(file.includes(email));

  await open(page, 'Delete the account');
  await fill(page, 'Type “delete” to confirm', 'no');
  await press(page, 'Delete everything');
  await see(page, 'Type the word “delete”.');
  await fill(page, 'Type “delete” to confirm', 'delete');
  await press(page, 'Delete everything');
  await see(page, 'Your account and everything in it is deleted.');
  await page.goBack();
  await page.getByRole('heading', { name: 'Sign in to Acme' }).waitFor();
});
