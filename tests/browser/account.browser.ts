/** The pages of the account: everything that users can change about themselves. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fill, open, press, see, seeNotes, seePage } from './support/hands.js';
import { startPageApplication } from './support/page-application.js';
import { newAddress, world, type Person } from './support/people.js';
import { password, signIns } from './support/sign-ins.js';

const site = world(() => startPageApplication());
const { person, message, lastMessageId, origin } = site;
const { enterPassword, signIn, signOut, signUp } = signIns(site);

async function signedIn(path: string, name?: string): Promise<Person> {
  const ada = await person(name);
  await signIn(ada);
  await ada.page.goto(path);
  return ada;
}

const rows = ({ page }: Person, panel: string) => page.locator(`[aria-labelledby=${panel}] li`);

test('verifies an address with a mailed code', async () => {
  const ada = await person();
  const { page, email } = ada;
  await signUp(ada, '/sign-up?next=/account/profile');
  await see(page, 'Unverified');
  await open(page, 'Verify');
  const since = await lastMessageId();
  await press(page, 'Send code');
  await fill(page, 'Code', (await message(email, since)).code!);
  await see(page, 'Email address verified.');
  assert.equal(await page.getByText('Unverified').count(), 0);
});

test('changes an address with codes to both addresses', async () => {
  const { page, email } = await signedIn('/account/profile');
  const next = newAddress('ada.new');
  await open(page, 'Change', 'Email address');
  await fill(page, 'New email address', next);
  const since = await lastMessageId();
  await press(page, 'Send code');
  await fill(page, `Code sent to ${next}`, (await message(next, since)).code!);
  await fill(page, `Code sent to ${email}`, (await message(email, since)).code!);
  await press(page, 'Change email address');
  await see(page, 'Email address changed.');
  await see(page, next);
});

test('sets a first password, and changes it with the current one', async () => {
  const ada = await signedIn('/account/security');
  const { page } = ada;
  await open(page, 'Set password');
  await fill(page, 'New password', password);
  await press(page, 'Set password');
  await see(page, 'Password saved.');
  await open(page, 'Change password');
  await fill(page, 'Current password', 'not that one');
  await fill(page, 'New password', 'a better battery');
  await press(page, 'Change password');
  await see(page, 'This isn’t your current password.');
  await fill(page, 'Current password', password);
  await fill(page, 'New password', 'a better battery');
  await press(page, 'Change password');
  await see(page, 'Password saved.');
  await signOut(ada);
  await enterPassword(ada, 'a better battery');
  await seeNotes(page);
});

test('signs a device out from another one, and then all others', async () => {
  const desk = await signedIn('/account/devices');
  const phone = { ...(await person()), email: desk.email };
  await signIn(phone);
  const tablet = { ...(await person()), email: desk.email };
  await signIn(tablet);
  await phone.page.goto('/account/tokens/new');
  await desk.page.reload();
  await see(desk.page, 'This device');
  assert.equal(await rows(desk, 'devices').count(), 3);
  // The newest is the first of the list.
  await desk.page
    .getByRole('link', { name: /^Sign out\s*:/ })
    .first()
    .click();
  await press(desk.page, 'Sign out');
  await see(desk.page, 'Device signed out.');
  assert.equal(await rows(desk, 'devices').count(), 2);
  await tablet.page.goto('/account/devices');
  await seePage(tablet.page, 'Sign in to Acme');

  await open(desk.page, 'Sign out everywhere else');
  await press(desk.page, 'Sign out everywhere else');
  await see(desk.page, 'You’re signed out everywhere else.');
  // A page that is open finds out by its next request.
  await fill(phone.page, 'Name', 'Too late');
  await press(phone.page, 'Create key');
  await seePage(phone.page, 'Sign in to Acme');
});

test('connects an account at a provider, signs in with it, and disconnects it', async () => {
  const ada = await signedIn('/account/security');
  const { page, email } = ada;
  const elsewhere = newAddress('orbit');
  await open(page, 'Connect', 'Orbit');
  await fill(page, 'Email address', elsewhere);
  await page.getByRole('button', { name: 'Continue' }).click();
  await seePage(page, 'Sign-in and security');
  await page.getByRole('link', { name: /^Disconnect\s*:\s*Orbit$/ }).waitFor();

  await signOut(ada);
  await open(page, 'Continue with Orbit');
  await fill(page, 'Email address', elsewhere);
  await page.getByRole('button', { name: 'Continue' }).click();
  await see(page, `Signed in as ${email}.`);
  await page.goto('/account/security');
  await open(page, 'Disconnect', 'Orbit');
  await press(page, 'Disconnect');
  await see(page, 'Account disconnected.');

  await open(page, 'Connect', 'Orbit');
  await open(page, 'Cancel and go back to Acme');
  await page.goto('/account/security');
  await page.getByRole('button', { name: /^Connect\s*:\s*Orbit$/ }).waitFor();
});

test('shows an API key once, which works until it is revoked', async () => {
  const ada = await signedIn('/account/tokens');
  const { page } = ada;
  await ada.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(page, 'Create key');
  await fill(page, 'Name', 'Backup script');
  await page.getByLabel('notes:read').check();
  await press(page, 'Create key');
  await seePage(page, 'API key created');
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const key = await page.evaluate(() => navigator.clipboard.readText());
  const notes = async () =>
    (await fetch(`${origin()}/api/v1/notes`, { headers: { authorization: `Bearer ${key}` } })).status;
  assert.equal(await notes(), 200);
  await open(page, 'Done');
  await see(page, 'Backup script');
  assert.equal((await page.content()).includes(key), false);
  await open(page, 'Revoke', 'Backup script');
  await see(page, 'Programs that use this key stop working at once.');
  await press(page, 'Revoke key');
  await see(page, 'Key revoked.');
  await see(page, 'You have no API keys.');
  assert.equal(await notes(), 401);
});

test('nothing is revoked by opening the question, by Cancel or by Back', async () => {
  const ada = await signedIn('/account/tokens/new');
  const { page } = ada;
  await fill(page, 'Name', 'Backup script');
  await press(page, 'Create key');
  await seePage(page, 'API key created');
  const posts: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') posts.push(request.url());
  });
  await open(page, 'Done');
  await open(page, 'Revoke', 'Backup script');
  await seePage(page, 'Revoke API key');
  await open(page, 'Cancel');
  await seePage(page, 'Keys and apps');
  await open(page, 'Revoke', 'Backup script');
  await seePage(page, 'Revoke API key');
  await page.goBack();
  await see(page, 'Backup script');
  assert.deepEqual(posts, []);
});

test('revokes a key with the keyboard alone', async () => {
  const { page } = await signedIn('/account/tokens/new');
  await fill(page, 'Name', 'Backup script');
  await press(page, 'Create key');
  await seePage(page, 'API key created');
  await page.goto('/account/tokens');
  await page.getByRole('link', { name: /^Revoke\s*:/ }).focus();
  await page.keyboard.press('Enter');
  await seePage(page, 'Revoke API key');
  const button = page.getByRole('button', { name: 'Revoke key' });
  for (let presses = 0; presses < 30; presses += 1) {
    if (await button.evaluate((element) => element === document.activeElement)) break;
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await see(page, 'Key revoked.');
});

test('lists the apps that are signed in, and signs one out', async () => {
  const ada = await signedIn('/account/devices');
  const { page } = ada;
  const issue = (name: string) =>
    page.evaluate(async (device) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ device: { name: device } });
      const response = await fetch('/api/auth/token/issue', { method: 'POST', headers, body });
      return ((await response.json()) as { accessToken: string }).accessToken;
    }, name);
  const tokens = [await issue('Notes on my phone'), await issue('Notes on my watch')];
  const statuses = () =>
    Promise.all(
      tokens.map(async (token) => {
        const headers = { authorization: `Bearer ${token}` };
        return (await (await fetch(`${origin()}/api/auth/session`, { headers })).json()) as {
          error?: string;
        };
      }),
    );
  await page.reload();
  await open(page, 'Sign out', 'Notes on my phone');
  await press(page, 'Sign out');
  await see(page, /signed out\./);
  assert.equal(await rows(ada, 'devices').count(), 2);
  assert.deepEqual(
    (await statuses()).map(({ error }) => error),
    ['token_invalid', undefined],
  );
});

test('downloads everything, and deletes the account when its address is typed', async () => {
  const ada = await signedIn('/account/data');
  const { page, email } = ada;
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download', exact: true }).click(),
  ]);
  const file = await readFile(await download.path(), 'utf8');
  assert.ok(file.includes(email));

  await open(page, 'Delete account');
  await fill(page, `To confirm, type ${email}`, 'no');
  await press(page, 'Delete account');
  await see(page, 'The text doesn’t match.');
  await fill(page, `To confirm, type ${email}`, email);
  await press(page, 'Delete account');
  await seePage(page, 'Account deleted');
  await page.goBack();
  await seePage(page, 'Sign in to Acme');
});
