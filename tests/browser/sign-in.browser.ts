/** Every way in, by clicking. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose, confirm, fill, open, press, see, seeNotes } from './support/hands.js';
import { passkeyDevice, world, type Person } from './support/people.js';

const { person, message, lastMessageId, signIn } = world();

async function signOut({ page }: Person): Promise<void> {
  await press(page, 'Sign out');
  await see(page, "You've signed out.");
}

test('a code from the mail', async () => {
  const ada = await person();
  await signIn(ada);
  await see(ada.page, `Signed in as ${ada.email}.`);
});

test('a wrong code is said next to its field, and the right one still works', async () => {
  const { page, email } = await person();
  await page.goto('/sign-in');
  await fill(page, 'Email address', email);
  await press(page, 'Email me a code');
  const { code } = await message(email);
  await fill(page, 'Code from the email', code === '111111' ? '222222' : '111111');
  await press(page, 'Sign in');
  const field = page.getByLabel('Code from the email');
  await page.locator('#code-error:not(:empty)').waitFor();
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  assert.match((await field.getAttribute('aria-describedby'))!, /code-error/);
  assert.equal(await field.evaluate((element) => element === document.activeElement), true);
  await field.fill(`${code!.slice(0, 3)} ${code!.slice(3)}`);
  await press(page, 'Sign in');
  await seeNotes(page);
});

test('a code that is sent again signs in', async () => {
  const { page, email } = await person();
  await page.goto('/sign-in');
  await fill(page, 'Email address', email);
  await press(page, 'Email me a code');
  const first = await message(email);
  // The same request within 250 ms of the first would count as sent twice (see `world`).
  await page.waitForTimeout(300);
  await press(page, 'Resend code');
  await see(page, 'Code sent.');
  await fill(page, 'Code from the email', (await message(email, first.id)).code!);
  await press(page, 'Sign in');
  await seeNotes(page);
});

test('a link from the mail, opened in another browser', async () => {
  const ada = await person();
  await ada.page.goto('/sign-in');
  await choose(ada.page, 'Link');
  await fill(ada.page, 'Email address', ada.email);
  await press(ada.page, 'Email me a link');
  await see(ada.page, 'Check your inbox');
  const phone = await person();
  const { link } = await message(ada.email);
  await phone.page.goto(link!);
  await see(phone.page, `Signed in as ${ada.email}.`);
  // The browser that requested the link is not signed in, and the link works once.
  await ada.page.goto(link!);
  await see(ada.page, 'This link has expired or has already been used.');
});

test('a password: account, sign-in, and what is wrong with either', async () => {
  const ada = await person();
  const { page, email } = ada;
  await page.goto('/sign-in?method=password');
  await open(page, 'Create an account');
  await fill(page, 'Email address', email);
  await fill(page, 'Password', 'short');
  await press(page, 'Create account');
  await page.locator('#signup-password-error:not(:empty)').waitFor();
  await fill(page, 'Password', 'correct horse battery');
  await press(page, 'Create account');
  await seeNotes(page);
  await signOut(ada);

  await choose(page, 'Password');
  await fill(page, 'Email address', email);
  await fill(page, 'Password', 'wrong horse battery');
  await press(page, 'Sign in');
  await page.locator('#login-password-error:not(:empty)').waitFor();
  await fill(page, 'Password', 'correct horse battery');
  await press(page, 'Sign in');
  await seeNotes(page);
});

test('a forgotten password, through the inbox', async () => {
  const ada = await person();
  const { page, email } = ada;
  await signIn(ada);
  await signOut(ada);
  await choose(page, 'Password');
  await open(page, 'Forgot your password?');
  await fill(page, 'Email address', email);
  const since = await lastMessageId();
  await press(page, 'Email me a reset link');
  await see(page, "we've sent a link");
  await message(email, since);

  const inbox = await ada.context.newPage();
  await inbox.goto('/inbox');
  await inbox
    .getByRole('article')
    .filter({ hasText: email })
    .first()
    .getByRole('link', { name: 'Open link' })
    .click();
  await inbox.getByRole('heading', { name: 'Choose a new password' }).waitFor();
  // The page's script takes the token out of the address bar.
  await inbox.waitForURL(({ search }) => search === '');
  await fill(inbox, 'New password', 'a brand new battery');
  await press(inbox, 'Save password');
  await see(inbox, 'Password changed.');
  await fill(inbox, 'Email address', email);
  await fill(inbox, 'Password', 'a brand new battery');
  await press(inbox, 'Sign in');
  await seeNotes(inbox);
  // The link is used up.
  await page.goto((await message(email, since)).link!);
  await fill(page, 'New password', 'yet another battery');
  await press(page, 'Save password');
  await see(page, 'This link has expired or has already been used.');
});

test('a code by text message', async () => {
  const { page } = await person();
  const number = `+4915123${String(process.pid).padStart(6, '0').slice(-6)}`;
  await page.goto('/sign-in');
  await choose(page, 'Phone');
  await fill(page, 'Phone number', '0815');
  await press(page, 'Text me a code');
  await see(page, 'Enter a valid phone number');
  await fill(page, 'Phone number', number);
  await press(page, 'Text me a code');
  await fill(page, 'Code from the message', (await message(number)).code!);
  await press(page, 'Sign in');
  await seeNotes(page);
});

for (const provider of ['Google', 'Orbit']) {
  test(`${provider}, and the way back from there`, async () => {
    const { page, email } = await person();
    await page.goto('/sign-in');
    await open(page, provider);
    await open(page, 'Cancel and go back to Acme');
    await see(page, 'Sign-in was canceled or failed.');
    await open(page, provider);
    await fill(page, 'Email address', email);
    await page.getByRole('button', { name: 'Continue' }).click();
    await see(page, `Signed in as ${email}.`);
  });
}

test('a guest keeps the account by an address, notes included', async () => {
  const { page, email } = await person('guest');
  await page.goto('/sign-in');
  await press(page, 'Continue as guest');
  await see(page, 'You are using Acme as a guest.');
  await fill(page, 'New note', 'Written as a guest');
  await press(page, 'Add note');
  await page.locator('#notes').getByText('Written as a guest').waitFor();
  await open(page, 'Keep your notes');
  await fill(page, 'Email address', email);
  await press(page, 'Email me a code');
  await fill(page, 'Code from the email', (await message(email)).code!);
  await press(page, 'Create account');
  await see(page, `Signed in as ${email}.`);
  await page.locator('#notes').getByText('Written as a guest').waitFor();
  assert.equal(await page.locator('#notes li').count(), 1);
});

test('a guest keeps the account by a password', async () => {
  const { page, email } = await person('guest');
  await page.goto('/sign-in');
  await press(page, 'Continue as guest');
  await open(page, 'Keep your notes');
  await open(page, 'Use a password instead');
  await fill(page, 'Email address', email);
  await fill(page, 'Password', 'correct horse battery');
  await press(page, 'Create account');
  await see(page, `Signed in as ${email}.`);
});

test('a passkey', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  const device = await passkeyDevice(ada);
  await open(page, 'Account');
  await see(page, 'No passkeys yet.');
  await press(page, 'Add passkey');
  await see(page, 'not used yet');
  assert.equal((await device.passkeys()).length, 1);

  await device.touchOnRequest();
  await signOut(ada);
  await page.locator('[data-suggested=passkeys]').waitFor();
  await press(page, 'Sign in with a passkey');
  await see(page, `Signed in as ${ada.email}.`);

  await open(page, 'Account');
  await see(page, /last used/);
  await press(page, 'Remove');
  await confirm(page, 'Remove passkey');
  await see(page, 'No passkeys yet.');
});

test('a passkey without user verification is stored, but Chromium does not sign in with it, and the page reports it', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  const device = await passkeyDevice(ada, { checksHolder: false });
  await open(page, 'Account');
  await press(page, 'Add passkey');
  await see(page, 'not used yet');
  assert.equal((await device.passkeys()).length, 1);
  await signOut(ada);
  await press(page, 'Sign in with a passkey');
  await see(page, 'No passkey was used.');
});

test('a passkey from the suggestions of the address field', async () => {
  const ada = await person();
  await signIn(ada);
  await passkeyDevice(ada);
  await open(ada.page, 'Account');
  await press(ada.page, 'Add passkey');
  await see(ada.page, 'not used yet');
  // The device answers the form by itself, as if its suggestion had been picked.
  await press(ada.page, 'Sign out');
  await see(ada.page, `Signed in as ${ada.email}.`);
});
