/** Every page, in every state that matters: accessible, in light and dark, on a small phone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import { faultsOf } from './support/axe.js';
import { choose, fill, open, press, see } from './support/hands.js';
import { world } from './support/people.js';

const { person, signIn } = world();

test('the sign-in page, each method and its second half', async () => {
  const { page, email } = await person();
  await page.goto('/sign-in?error=token_invalid');
  for (const method of ['Code', 'Link', 'Password', 'Phone'] as const) {
    await choose(page, method);
    assert.deepEqual([method, await faultsOf(page)], [method, []]);
  }
  await choose(page, 'Password');
  await fill(page, 'Email address', email);
  await fill(page, 'Password', 'no such account');
  await press(page, 'Sign in');
  await page.locator('#login-password-error:not(:empty)').waitFor();
  assert.deepEqual(await faultsOf(page), []);
  await open(page, 'Create an account');
  assert.deepEqual(await faultsOf(page), []);
  await choose(page, 'Code');
  await press(page, 'Email me a code');
  await see(page, "We've sent a code to");
  assert.deepEqual(await faultsOf(page), []);
  await page.goto('/sign-in?error=mfa_required');
  assert.deepEqual(await faultsOf(page), []);
  await open(page, 'Use a recovery code');
  assert.deepEqual(await faultsOf(page), []);
});

test('the pages behind links, good ones and others', async () => {
  const { page } = await person();
  for (const address of ['/reset?token=t', '/reset', '/join?token=t', '/nowhere']) {
    await page.goto(address);
    assert.deepEqual([address, await faultsOf(page)], [address, []]);
  }
});

test('the inbox, and the page of the identity provider', async () => {
  const { page } = await person();
  await page.goto('/inbox');
  assert.deepEqual(await faultsOf(page), []);
  await page.goto('/sign-in');
  await open(page, 'Google');
  await see(page, 'Choose an account');
  assert.deepEqual(await faultsOf(page), []);
});

test('notes, none and some, and as a guest', async () => {
  const guest = await person();
  await guest.page.goto('/sign-in');
  await press(guest.page, 'Continue as guest');
  await see(guest.page, 'No notes yet.');
  assert.deepEqual(await faultsOf(guest.page), []);
  await fill(guest.page, 'New note', 'A-long-word-without-an-end'.repeat(10));
  await press(guest.page, 'Add note');
  await guest.page.locator('#notes li').waitFor();
  assert.deepEqual(await faultsOf(guest.page), []);
  await open(guest.page, 'Keep your notes');
  await see(guest.page, 'this device');
  assert.deepEqual(await faultsOf(guest.page), []);
});

test('the account page, before and after everything is set up', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  await open(page, 'Account');
  for (const text of ['No passkeys yet.', 'No keys yet.', 'No organizations yet.', 'this device']) {
    await see(page, text);
  }
  assert.deepEqual(await faultsOf(page), []);

  await fill(page, 'Key name', 'Backup script');
  await press(page, 'Create key');
  await see(page, 'Copy your key now.');
  await fill(page, 'Organization name', 'Analytical Engines');
  await press(page, 'Create organization');
  await page.getByText('Analytical Engines', { exact: true }).click();
  await page.getByLabel('Invite by email').waitFor();
  await open(page, 'Change email address');
  await press(page, 'Set up authenticator app');
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  assert.deepEqual(await faultsOf(page), []);
  const secret = (await page.locator('#totp-secret').innerText()).replace(/\s/g, '');
  await fill(page, 'Authenticator code', new TOTP({ secret }).generate());
  await press(page, 'Turn on two-factor');
  await see(page, 'Your recovery codes');
  assert.deepEqual(await faultsOf(page), []);
  await open(page, 'Delete account');
  await see(page, 'Delete your account?');
  assert.deepEqual(await faultsOf(page, 'dialog[open]'), []);
});
