/** The example application: its product, its inbox, and the sign-in page of its own on the client. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { faultsOf } from './support/axe.js';
import { startExample } from './support/example.js';
import { fill, open, press, see, seeNotes, seePage } from './support/hands.js';
import { passkeyDevice, world, type Person } from './support/people.js';
import { password, signIns } from './support/sign-ins.js';

const site = world(() => startExample());
const { person, message, lastMessageId, origin } = site;
const { askForCode, enterAddress, signIn, signOut, signUp } = signIns(site);

async function addNote({ page }: Person, text: string): Promise<void> {
  await fill(page, 'New note', text);
  await page.getByRole('button', { name: 'Add note' }).click();
  await page.getByRole('listitem').filter({ hasText: text }).waitFor();
}

for (const javaScriptEnabled of [true, false]) {
  test(`notes are written and deleted, ${javaScriptEnabled ? 'with' : 'without'} a script`, async () => {
    const ada = await person('ada', { javaScriptEnabled });
    const { page } = ada;
    await page.goto('/');
    await open(page, 'Create an account');
    await fill(page, 'Email address', ada.email);
    await fill(page, 'Password', password);
    await open(page, 'Create account');
    await see(page, `Signed in as ${ada.email}.`);
    await see(page, 'No notes yet.');
    await addNote(ada, 'Worth <b>keeping</b>');
    await addNote(ada, 'Worth deleting');
    await page.getByRole('listitem').first().getByText('Delete').first().click();
    await page.getByRole('button', { name: 'Delete note' }).locator('visible=true').click();
    await page.getByText('Worth deleting').waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('listitem').count(), 1);
    await page.getByLabel('New note').evaluate((input: HTMLInputElement) => (input.required = false));
    await page.getByRole('button', { name: 'Add note' }).click();
    await see(page, 'A note must have 1 to 500 characters.');
  });
}

test('a session that ended leads to the sign-in and back to the notes', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  await page.context().clearCookies();
  await fill(page, 'New note', 'Too late');
  await page.getByRole('button', { name: 'Add note' }).click();
  await seePage(page, 'Sign in to Acme');
  await fill(page, 'Email address', ada.email);
  await press(page, 'Continue');
  await fill(page, 'Code', await askForCode(ada));
  await see(page, 'No notes yet.');
});

test('an API key and the export contain the notes of the user and no other', async () => {
  const [ada, bob] = [await person(), await person('bob')];
  await signIn(bob);
  await addNote(bob, 'Of Bob');
  await signIn(ada);
  await addNote(ada, 'Of Ada');
  const { page } = ada;
  await page.goto('/account/tokens/new');
  await fill(page, 'Name', 'Backup script');
  await page.getByLabel('notes:read').check();
  await press(page, 'Create key');
  await seePage(page, 'API key created');
  const key = (await page.locator('main code').first().innerText()).trim();
  const headers = { authorization: `Bearer ${key}` };
  const { notes } = (await (await fetch(`${origin()}/api/v1/notes`, { headers })).json()) as {
    notes: { text: string }[];
  };
  assert.deepEqual(
    notes.map(({ text }) => text),
    ['Of Ada'],
  );
  await page.goto('/account/data');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download', exact: true }).click(),
  ]);
  const file = await readFile(await download.path(), 'utf8');
  assert.deepEqual([file.includes('Of Ada'), file.includes('Of Bob')], [true, false]);
});

test('the inbox shows a message as it arrives, and its link resets the password', async () => {
  const ada = await person();
  const { page, email } = ada;
  await signUp(ada, '/sign-up?next=/');
  await seeNotes(page);
  await signOut(ada);
  const inbox = await ada.context.newPage();
  await inbox.goto('/inbox');
  await enterAddress(ada);
  await open(page, 'Forgot your password?');
  await press(page, 'Send link');
  await inbox.bringToFront();
  await inbox
    .getByRole('article')
    .filter({ hasText: email })
    .getByRole('link', { name: 'Open link' })
    .click();
  await seePage(inbox, 'Choose a new password');
  await fill(inbox, 'New password', 'a brand new battery');
  await press(inbox, 'Save password');
  await seePage(inbox, 'Password changed');
});

const ownPage = '/own-pages/sign-in';

test('its own sign-in page signs in with a code, and shows what is wrong with one', async () => {
  const { page, email } = await person();
  await page.goto(ownPage);
  assert.deepEqual(await faultsOf(page), []);
  await fill(page, 'Email address', email);
  const since = await lastMessageId();
  await press(page, 'Email me a code');
  await see(page, 'We’ve sent a code to');
  const { code } = await message(email, since);
  await fill(page, 'Code', code === '111111' ? '222222' : '111111');
  await press(page, 'Sign in');
  await page.locator('#error:not(:empty)').waitFor();
  assert.deepEqual(await faultsOf(page), []);
  await fill(page, 'Code', `${code!.slice(0, 3)} ${code!.slice(3)}`);
  await press(page, 'Sign in');
  await see(page, `Signed in as ${email}.`);
});

test('its own sign-in page signs in with a suggested passkey and with Google', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  await passkeyDevice(ada);
  await page.goto('/account/security/passkeys/add');
  await page.getByRole('button', { name: 'Create passkey' }).click();
  await see(page, 'Passkey added.');
  await page.context().clearCookies();
  // The device answers by itself, as if the user had picked the suggestion of the address field.
  await page.goto(ownPage);
  await see(page, `Signed in as ${ada.email}.`);

  const bob = await person('bob');
  await bob.page.goto(ownPage);
  await open(bob.page, 'Continue with Google');
  await fill(bob.page, 'Email address', bob.email);
  await bob.page.getByRole('button', { name: 'Continue' }).click();
  await see(bob.page, `Signed in as ${bob.email}.`);
});

test('a guest writes notes and sees how to keep them', async () => {
  const guest = await person();
  const { page } = guest;
  await page.goto(ownPage);
  await press(page, 'Continue as guest');
  await see(page, 'You are using Acme as a guest.');
  await addNote(guest, 'Written as a guest');
  assert.deepEqual(await faultsOf(page), []);
  await page.goto('/account/profile');
  await see(page, 'You’re a guest');
  assert.deepEqual(await faultsOf(page), []);
});

test('its pages are accessible in light and dark, and fit a small phone', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  await addNote(ada, 'A-long-word-without-an-end'.repeat(10));
  assert.deepEqual(await faultsOf(page), []);
  for (const path of ['/inbox', '/nowhere']) {
    await page.goto(path);
    assert.deepEqual([path, await faultsOf(page)], [path, []]);
  }
  await signOut(ada);
  await open(page, 'Continue with Google');
  await see(page, 'Choose an account');
  assert.deepEqual(await faultsOf(page), []);
});
