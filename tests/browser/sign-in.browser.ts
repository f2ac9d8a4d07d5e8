/** Every way in, by clicking. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passkeyDevice, world } from './support/people.js';

const { person, signIn } = world();

test('a code from the mail signs in', async () => {
  const ada = await person();
  await signIn(ada);
  await ada.page.getByText(`Only you can see this page, ${ada.email}.`).waitFor();
});

test('a passkey is registered, and signs in', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  const device = await passkeyDevice(ada);
  await page.goto('/account');
  await page.getByText('No passkeys yet.').waitFor();
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('not used yet').waitFor();
  assert.equal((await device.passkeys()).length, 1);

  await device.answer(false);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await device.answer(true);
  await page.getByText(`Only you can see this page, ${ada.email}.`).waitFor();
});
