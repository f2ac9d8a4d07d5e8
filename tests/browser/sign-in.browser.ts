/** Every method of the sign-in pages, by clicking. With and without a script, in two languages: every-method.browser.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill, open, press, see, seeNotes, seePage } from './support/hands.js';
import { startPageApplication } from './support/page-application.js';
import { newAddress, newNumber, passkeyDevice, world, type Person } from './support/people.js';
import { password, passwordField, signIns } from './support/sign-ins.js';

const site = world(() => startPageApplication());
const { person, message, lastMessageId } = site;
const { askForCode, enterAddress, enterPassword, signIn, signOut, signUp } = signIns(site);

const signedInAs = (page: Person['page'], email: string) => see(page, `Signed in as ${email}.`);

test('signs in with a mailed code, which submits itself', async () => {
  const ada = await person();
  await signIn(ada);
  await signedInAs(ada.page, ada.email);
});

test('shows the error of a wrong code next to its field, and the right code still works', async () => {
  const ada = await person();
  const { page } = ada;
  await enterAddress(ada);
  const code = await askForCode(ada);
  await fill(page, 'Code', code === '111111' ? '222222' : '111111');
  const field = page.locator('input[aria-invalid=true]');
  await field.waitFor();
  const described = await field.evaluate((input) =>
    document.getElementById(input.getAttribute('aria-describedby')!)?.textContent?.trim(),
  );
  assert.equal(described, 'This code is wrong. Check it and try again.');
  assert.equal(await field.evaluate((input) => input === document.activeElement), true);
  assert.match(await page.title(), /^Error: /);
  await field.pressSequentially(code.slice(0, 1));
  // The error is about what was sent, and not about what is typed now.
  assert.equal(await page.locator('.error, [aria-invalid]').count(), 0);
  await fill(page, 'Code', `${code.slice(0, 3)} ${code.slice(3)}`);
  await seeNotes(page);
});

test('sends another code after a pause, and the new one signs in', async () => {
  const ada = await person();
  const { page, email } = ada;
  await page.clock.install();
  await enterAddress(ada);
  await askForCode(ada);
  const since = await lastMessageId();
  const again = page.getByRole('button', { name: /^Resend/ });
  assert.equal(await again.isDisabled(), true);
  assert.match(await again.innerText(), /^Resend in \d+ s$/);
  await page.clock.fastForward(31_000);
  await press(page, 'Resend');
  const { code } = await message(email, since);
  await fill(page, 'Code', code!);
  await seeNotes(page);
});

test('the page that waits for a link says when it has expired, and sends another one', async () => {
  const ada = await person();
  const { page, email } = ada;
  await page.clock.install();
  await enterAddress(ada);
  await press(page, 'Email me a link instead');
  await see(page, 'This page continues when you open the link.');
  const since = await lastMessageId();
  await page.clock.fastForward(16 * 60_000);
  await see(page, 'This link has expired. Request a new one.');
  assert.equal(await page.getByText('This page continues').count(), 0);
  assert.equal(await page.locator('button.primary', { hasText: 'Resend' }).count(), 1);
  await press(page, 'Resend');
  await see(page, 'This page continues when you open the link.');
  assert.ok((await message(email, since)).link);
});

test('a sign-in that removes the password of an unverified account says so, and leads to a new one', async () => {
  const [ada, mallory] = [await person(), await person()];
  await signUp({ ...mallory, email: ada.email });
  await mallory.page.waitForURL((url) => url.pathname !== '/sign-up');
  await enterAddress(ada);
  await fill(ada.page, 'Code', await askForCode(ada));
  await seePage(ada.page, 'Email address confirmed');
  await open(ada.page, 'Set password');
  await seePage(ada.page, 'Set password');
  await ada.page.goto('/sign-in/done');
  await seeNotes(ada.page);
});

test('a mailed link works once, also in another browser', async () => {
  const ada = await person();
  await enterAddress(ada);
  await open(ada.page, 'Email me a link instead');
  await see(ada.page, 'This page continues when you open the link.');
  const phone = await person();
  const { link } = await message(ada.email);
  await phone.page.goto(link!);
  await signedInAs(phone.page, ada.email);
  // The browser that asked for the link is not signed in.
  await ada.page.goto(link!);
  await see(ada.page, 'This link is no longer valid. Request a new one.');
});

test('the tab that asked for a link continues when the link is opened in another tab', async () => {
  const ada = await person();
  const { page } = ada;
  await enterAddress(ada, '/sign-in?next=/notes');
  await open(page, 'Email me a link instead');
  await see(page, 'This page continues when you open the link.');
  const other = await ada.context.newPage();
  await other.goto((await message(ada.email)).link!);
  await seeNotes(other);
  await page.bringToFront();
  await seeNotes(page);
  assert.equal(new URL(page.url()).pathname, '/notes');
});

test('creates an account with a password, refuses a weak one, and signs in with it', async () => {
  const ada = await person();
  const { page, email } = ada;
  await page.goto('/sign-in');
  await open(page, 'Create an account');
  await fill(page, 'Email address', email);
  await fill(page, 'Password', 'short');
  await press(page, 'Create account');
  await see(page, 'This password is too short. Choose a longer one.');
  assert.equal(await page.getByLabel('Email address').inputValue(), email);
  await fill(page, 'Password', password);
  await press(page, 'Create account');
  await signedInAs(page, email);
  await signOut(ada);

  await enterPassword(ada, 'wrong horse battery');
  await see(page, 'The email address or password is wrong.');
  await passwordField(page, 'Password').fill(password);
  await press(page, 'Sign in');
  await signedInAs(page, email);
});

test('a password can be shown and hidden, and is sent hidden or not', async () => {
  const ada = await person();
  const { page } = ada;
  await page.goto('/sign-up');
  await fill(page, 'Email address', ada.email);
  await fill(page, 'Password', password);
  const field = page.locator('#field-password');
  await page.getByRole('button', { name: 'Show: Password' }).click();
  assert.equal(await field.getAttribute('type'), 'text');
  await page.getByRole('button', { name: 'Hide: Password' }).click();
  assert.equal(await field.getAttribute('type'), 'password');
  await page.getByRole('button', { name: 'Show: Password' }).click();
  await press(page, 'Create account');
  await signedInAs(page, ada.email);
});

test('says that an address has an account at the sign-up, and what comes next at the sign-in is the same without one', async () => {
  const ada = await person();
  await signUp(ada);
  await seeNotes(ada.page);
  await signOut(ada);
  await signUp(ada);
  await see(ada.page, 'This address already has an account. Sign in instead.');
  const shown = async (email: string) => {
    await enterAddress({ ...ada, email });
    return (await ada.page.locator('main').innerText()).replaceAll(email, 'ADDRESS');
  };
  assert.equal(await shown(ada.email), await shown(newAddress('unknown')));
});

test('resets a forgotten password with the link of a mail, which works once', async () => {
  const ada = await person();
  const { page, email } = ada;
  await signUp(ada);
  await seeNotes(page);
  await signOut(ada);
  await enterAddress(ada);
  const since = await lastMessageId();
  await open(page, 'Forgot your password?');
  await press(page, 'Send link');
  await see(page, 'has an account, we’ve sent a link');
  const { link } = await message(email, since);
  await page.goto(link!);
  await seePage(page, 'Choose a new password');
  await fill(page, 'New password', 'a brand new battery');
  await press(page, 'Save password');
  await seePage(page, 'Password changed');
  await enterPassword(ada, 'a brand new battery');
  await seeNotes(page);
  await page.goto(link!);
  await see(page, 'This link is no longer valid. Request a new one.');
});

for (const provider of ['Google', 'Orbit']) {
  test(`signs in with ${provider}, also after the user has canceled there`, async () => {
    const { page, email } = await person();
    await page.goto('/sign-in?next=/notes');
    await open(page, `Continue with ${provider}`);
    await open(page, 'Cancel and go back to Acme');
    await see(page, `Sign-in with ${provider} was canceled.`);
    await open(page, `Continue with ${provider}`);
    await fill(page, 'Email address', email);
    await page.getByRole('button', { name: 'Continue' }).click();
    await signedInAs(page, email);
    assert.equal(new URL(page.url()).pathname, '/notes');
  });
}

const passkeys = (page: Person['page']) => page.locator('[aria-labelledby=passkeys] li');

/** Adds a passkey on the page of the account. */
async function addPasskey({ page }: Person): Promise<void> {
  await page.goto('/account/security/passkeys/add');
  await page.getByRole('button', { name: 'Create passkey' }).click();
  await see(page, 'Passkey added.');
}

test('signs in with a passkey, and removes it', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  const device = await passkeyDevice(ada);
  await page.goto('/account/security');
  assert.equal(await passkeys(page).count(), 0);
  await addPasskey(ada);
  assert.equal((await device.passkeys()).length, 1);

  await device.touchOnRequest();
  await signOut(ada);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await signedInAs(page, ada.email);

  await page.goto('/account/security');
  await see(page, /last used/);
  await open(page, 'Remove', 'Passkey');
  await press(page, 'Remove passkey');
  await see(page, 'Passkey removed. Delete it from your device too.');
  assert.equal(await passkeys(page).count(), 0);
});

test('a passkey that cannot verify its user is stored, and its sign-in ends without one', async () => {
  const ada = await person();
  await signIn(ada);
  const device = await passkeyDevice(ada, { checksHolder: false });
  await addPasskey(ada);
  assert.equal((await device.passkeys()).length, 1);
  await signOut(ada);
  const button = ada.page.getByRole('button', { name: 'Sign in with a passkey' });
  await button.click();
  await ada.page.locator('[data-passkey]:not([aria-busy])').waitFor();
  await seePage(ada.page, 'Sign in to Acme');
});

test('signs in with a code by text message, after an invalid number was refused', async () => {
  const { page } = await person();
  const number = newNumber();
  await page.goto('/sign-in?next=/notes');
  await open(page, 'Continue with phone');
  await fill(page, 'Phone number', '0815');
  await press(page, 'Continue');
  await see(page, 'This phone number isn’t valid.');
  await fill(page, 'Phone number', number);
  const since = await lastMessageId();
  await press(page, 'Continue');
  await seePage(page, 'Check your phone');
  // In the groups of its country.
  const shown = new RegExp(`\\${[...number].join('\\s?')}`);
  await see(page, shown);
  await page.reload();
  await see(page, shown);
  await fill(page, 'Code', (await message(number, since)).code!);
  await seeNotes(page);
});
