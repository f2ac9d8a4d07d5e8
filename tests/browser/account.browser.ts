/** The account page: everything that users can change about themselves. */
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
  await see(page, 'not verified');
  const since = await lastMessageId();
  await press(page, 'Verify email address');
  await fill(page, 'Code from the email', (await message(email, since)).code!);
  await press(page, 'Verify code');
  await see(page, 'Email address verified.');
  await page.reload();
  await page.locator('#verified').waitFor();
});

test('an address becomes another one by codes to both', async () => {
  const { page, email } = await onAccountPage();
  const next = newAddress('ada.new');
  await open(page, 'Change email address');
  await fill(page, 'New email address', next);
  const since = await lastMessageId();
  await press(page, 'Send codes');
  await fill(page, 'Code sent to the new address', (await message(next, since)).code!);
  await fill(page, 'Code sent to your current address', (await message(email, since)).code!);
  await press(page, 'Change email address');
  await see(page, 'Email address changed.');
  await see(page, next);
});

test('a first password, then another one, which needs the first', async () => {
  const ada = await onAccountPage();
  const { page, email } = ada;
  await fill(page, 'New password', 'correct horse battery');
  await press(page, 'Save password');
  await see(page, 'Password saved.');
  await page.reload();
  await fill(page, 'Current password', 'not that one');
  await fill(page, 'New password', 'a better battery');
  await press(page, 'Save password');
  await page.locator('#current-password-error:not(:empty)').waitFor();
  await fill(page, 'Current password', 'correct horse battery');
  await press(page, 'Save password');
  await see(page, 'Password saved.');

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
  await see(desk.page, 'Device signed out.');
  assert.equal(await desk.page.locator('#device-list li').count(), 2);
  // The newest is the first of the list.
  await tablet.page.reload();
  await tablet.page.getByRole('heading', { name: 'Sign in to Acme' }).waitFor();
  await phone.page.reload();
  await seeNotes(phone.page);

  await press(desk.page, 'Sign out everywhere else');
  await see(desk.page, 'Signed out everywhere else.');
  // A page that is open finds out by its next request.
  await fill(phone.page, 'New note', 'Too late');
  await press(phone.page, 'Add note');
  await see(phone.page, "You've been signed out.");
});

test('an account elsewhere is linked, signs in, and is unlinked', async () => {
  const { page, email } = await onAccountPage();
  const elsewhere = newAddress('orbit');
  await see(page, 'No linked accounts yet.');
  await press(page, 'Link Orbit');
  await fill(page, 'Email address', elsewhere);
  await page.getByRole('button', { name: 'Continue' }).click();
  await see(page, elsewhere);
  assert.equal(new URL(page.url()).pathname, '/account');

  await press(page, 'Sign out');
  await open(page, 'Orbit');
  await fill(page, 'Email address', elsewhere);
  await page.getByRole('button', { name: 'Continue' }).click();
  await see(page, `Signed in as ${email}.`);
  await open(page, 'Account');
  await press(page, 'Unlink Orbit');
  await confirm(page, 'Unlink account');
  await see(page, 'No linked accounts yet.');

  await press(page, 'Link Google');
  await fill(page, 'Email address', newAddress('google'));
  await page.getByRole('button', { name: 'Continue' }).click();
  await press(page, 'Unlink Google');
  await confirm(page, 'Unlink account');
  await see(page, 'No linked accounts yet.');

  await press(page, 'Link Orbit');
  await open(page, 'Cancel and go back to Acme');
  await see(page, 'That was canceled or failed.');
});

test('an API key is shown once, works, and ends', async () => {
  const ada = await onAccountPage();
  const { page } = ada;
  await ada.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await fill(page, 'Key name', 'Backup script');
  await press(page, 'Create key');
  await see(page, 'Copy your key now.');
  await open(page, 'Copy key');
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
    await open(page, 'Copy curl command');
    const line = await page.evaluate(() => navigator.clipboard.readText());
    const [, token = ''] = /Bearer ([\w.-]+)/.exec(line) ?? [];
    const answer = await fetch(`${origin()}/me`, { headers: { authorization: `Bearer ${token}` } });
    return { token, status: answer.status };
  };
  await fill(page, 'App name', 'Notes on my phone');
  await page.getByRole('button', { name: 'Create token' }).dblclick();
  await see(page, 'Notes on my phone is signed in');
  const first = await copied();
  assert.equal(first.status, 200);
  await press(page, 'Renew tokens');
  await see(page, 'Tokens renewed.');
  assert.equal((await copied()).status, 200);
  await page.locator('#app-tokens').getByRole('button', { name: 'Revoke tokens' }).click();
  await see(page, 'Tokens revoked.');
  const after = await fetch(`${origin()}/me`, { headers: { authorization: `Bearer ${first.token}` } });
  assert.equal(after.status, 401);
  await see(page, 'No apps are signed in.');

  // The page loses its tokens on reload. Signing out everywhere else also signs out apps, which are not in the list of devices.
  await fill(page, 'App name', 'Notes on my watch');
  await press(page, 'Create token');
  await see(page, 'Notes on my watch is signed in');
  const lost = await copied();
  await page.reload();
  await see(page, 'this device');
  await press(page, 'Sign out everywhere else');
  await see(page, 'Signed out everywhere else.');
  const gone = await fetch(`${origin()}/me`, { headers: { authorization: `Bearer ${lost.token}` } });
  assert.deepEqual([lost.status, gone.status], [200, 401]);
  await see(page, 'No apps are signed in.');
});

test('the tokens of an app are listed after a reload and revoked one by one', async () => {
  const ada = await onAccountPage();
  const { page } = ada;
  await ada.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const issue = async (name: string) => {
    await fill(page, 'App name', name);
    await page.getByRole('button', { name: 'Create token' }).dblclick();
    await see(page, `${name} is signed in`);
    await open(page, 'Copy curl command');
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

test('an organization is created, and an invited user joins and gets another role', async () => {
  const ada = await onAccountPage('ada');
  await fill(ada.page, 'Organization name', 'Analytical Engines');
  await press(ada.page, 'Create organization');
  await ada.page.getByText('Analytical Engines', { exact: true }).click();
  const grace = await person('grace');
  const since = await lastMessageId();
  await fill(ada.page, 'Invite by email', grace.email);
  await press(ada.page, 'Send invitation');
  await see(ada.page, `Invitation sent to ${grace.email}.`);

  await grace.page.goto((await message(grace.email, since)).link!);
  await see(grace.page, "You've been invited");
  // The page's script takes the token out of the address bar.
  await grace.page.waitForURL(({ search }) => search === '');
  await open(grace.page, 'Sign in');
  await see(grace.page, 'Sign in to accept the invitation.');
  await fill(grace.page, 'Email address', grace.email);
  await press(grace.page, 'Email me a code');
  await fill(grace.page, 'Code from the email', (await message(grace.email, since + 1)).code!);
  await press(grace.page, 'Sign in');
  await press(grace.page, 'Accept invitation');
  await see(grace.page, 'Analytical Engines');

  await ada.page.reload();
  await ada.page.getByText('Analytical Engines', { exact: true }).click();
  await ada.page.getByLabel(`Role of ${grace.email}`).selectOption('admin');
  await see(ada.page, `${grace.email} is now admin.`);
  await grace.page.reload();
  await see(grace.page, 'admin');
  await ada.page.getByRole('button', { name: `Remove ${grace.email}` }).dblclick();
  await confirm(ada.page, 'Remove member');
  await see(ada.page, 'Member removed.');
  await press(ada.page, 'Delete Analytical Engines');
  await confirm(ada.page, 'Delete organization');
  await see(ada.page, 'No organizations yet.');
});

test('everything is downloaded, then deleted', async () => {
  const { page, email } = await onAccountPage();
  await open(page, 'Notes');
  await fill(page, 'New note', 'Worth taking along');
  await press(page, 'Add note');
  await page.locator('#notes').getByText('Worth taking along').waitFor();
  await open(page, 'Account');
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download my data')]);
  const file = await readFile(await download.path(), 'utf8');
  assert.match(file, /Worth taking along/);
  assert.ok(file.includes(email));

  await open(page, 'Delete account');
  await fill(page, 'Type “delete” to confirm', 'no');
  await press(page, 'Delete my account');
  await see(page, 'Type the word “delete”.');
  await fill(page, 'Type “delete” to confirm', 'delete');
  await press(page, 'Delete my account');
  await see(page, 'Your account has been deleted.');
  await page.goBack();
  await page.getByRole('heading', { name: 'Sign in to Acme' }).waitFor();
});
