/** Back, forward, and no mouse. (Every test of this folder clicks twice where people click.) */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { choose, fill, open, press, see, seeNotes } from './support/hands.js';
import { newAddress, world } from './support/people.js';

const { person, message, lastMessageId, signIn } = world();

const isVisible = (page: Page, id: string) => page.locator(`#${id}`).isVisible();

/** Back shows what was before, with what was typed; forward what came after. */
async function backAndForward(page: Page, before: string, after: string): Promise<void> {
  await page.locator(`#${after}`).waitFor();
  await page.goBack();
  await page.locator(`#${before}`).waitFor();
  assert.equal(await isVisible(page, after), false);
  await page.goForward();
  await page.locator(`#${after}`).waitFor();
  assert.equal(await isVisible(page, before), false);
}

test('back and forward go through the steps of every way in', async () => {
  const { page, email } = await person();
  await page.goto('/sign-in');
  await fill(page, 'Email address', email);
  await press(page, 'Email me a code');
  const { code } = await message(email);
  await backAndForward(page, 'code-send', 'code-verify');
  await see(page, email);
  await page.goBack();
  assert.equal(await page.locator('#code-email').inputValue(), email);
  await page.goForward();
  // The other methods keep separate steps.
  await choose(page, 'Link');
  await press(page, 'Email me a link');
  await backAndForward(page, 'link-send', 'link-sent');
  await choose(page, 'Password');
  await open(page, 'Create an account');
  await backAndForward(page, 'login', 'signup');
  await page.goBack();
  await open(page, 'Forgot your password?');
  await press(page, 'Email me a reset link');
  await backAndForward(page, 'forgot', 'forgot-sent');
  await choose(page, 'Phone');
  await fill(page, 'Phone number', `+4915124${String(process.pid).padStart(6, '0').slice(-6)}`);
  await press(page, 'Text me a code');
  await backAndForward(page, 'phone-send', 'phone-verify');
  // What was half done is still good.
  await choose(page, 'Code');
  await page.locator('#code-verify').waitFor();
  await fill(page, 'Code from the email', code!);
  await press(page, 'Sign in');
  await seeNotes(page);
});

test('back shows no form after a sign-in and no private page after a sign-out', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  await page.goBack();
  await seeNotes(page);
  await open(page, 'Account');
  await press(page, 'Sign out');
  await see(page, "You've signed out.");
  await page.goBack();
  await page.getByRole('heading', { name: 'Sign in to Acme' }).waitFor();
});

test('back and forward go through the steps of the account page', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  await open(page, 'Account');
  await open(page, 'Change email address');
  await backAndForward(page, 'profile-idle', 'change-email');
  await fill(page, 'New email address', newAddress('next'));
  await press(page, 'Send codes');
  await backAndForward(page, 'change-email', 'confirm-email');
  await page.goBack();
  await page.goBack();
  await page.locator('#profile-idle').waitFor();
});

test('a guest who goes back is still the same guest', async () => {
  const { page } = await person();
  await page.goto('/sign-in');
  await press(page, 'Continue as guest');
  await see(page, 'You are using Acme as a guest.');
  await fill(page, 'New note', 'Mine');
  await press(page, 'Add note');
  await page.locator('#notes').getByText('Mine').waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Sign in to Acme' }).waitFor();
  await press(page, 'Continue as guest');
  await page.locator('#notes').getByText('Mine').waitFor();
});

test('a reset page that is gone back to says what it needs', async () => {
  const ada = await person();
  const { page, email } = ada;
  await signIn(ada);
  await press(page, 'Sign out');
  await choose(page, 'Password');
  await open(page, 'Forgot your password?');
  await fill(page, 'Email address', email);
  const since = await lastMessageId();
  await press(page, 'Email me a reset link');
  await page.goto((await message(email, since)).link!);
  await fill(page, 'New password', 'a brand new battery');
  await press(page, 'Save password');
  await see(page, 'Password changed.');
  await page.goBack();
  await see(page, 'This link has expired or has already been used.');
});

test('a sign-in by keyboard alone', async () => {
  const { page, email } = await person();
  await page.goto('/sign-in');
  const tabTo = async (name: string) => {
    for (let presses = 0; presses < 20; presses += 1) {
      await page.keyboard.press('Tab');
      const { label, outline } = await page.evaluate(() => {
        const element = document.activeElement as HTMLInputElement;
        const text = element.labels?.[0]?.textContent ?? element.textContent ?? '';
        const shown = element.type === 'radio' ? (element.nextElementSibling ?? element) : element;
        return { label: text.trim(), outline: getComputedStyle(shown).outlineStyle };
      });
      assert.equal(outline, 'solid', `the focus on “${label}” cannot be seen`);
      if (label === name) return;
    }
    throw new Error(`Tab does not reach ${name}.`);
  };
  await tabTo('Code');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.getByRole('radio', { name: 'Link' }).isChecked(), true);
  await page.keyboard.press('ArrowLeft');
  await tabTo('Email address');
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  await page.getByLabel('Code from the email').waitFor();
  // The focus has moved on by itself.
  await page.keyboard.type((await message(email)).code!);
  await page.keyboard.press('Enter');
  await seeNotes(page);
});
