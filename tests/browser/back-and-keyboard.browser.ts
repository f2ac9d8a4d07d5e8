/** Back, forward, and no mouse. (Every test of this folder clicks twice where people click.) */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { fill, open, press, see, seeNotes, seePage } from './support/hands.js';
import { startPageApplication } from './support/page-application.js';
import { newAddress, world } from './support/people.js';
import { password, passwordField, signIns } from './support/sign-ins.js';

const site = world(() => startPageApplication());
const { person, message, lastMessageId } = site;
const { askForCode, enterAddress, signIn, signOut, signUp } = signIns(site);

/**
 * As the button of the browser. Playwright's `goBack` fails if the page reloads itself, as the pages do: the server decides what a step
 * shows now. The page may be gone before it responds.
 */
const back = (page: Page) => page.evaluate(() => history.back()).catch(() => undefined);
const forward = (page: Page) => page.evaluate(() => history.forward()).catch(() => undefined);

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with a script' : 'without a script';

  test(`back and forward go through the steps of the sign-in, ${how}`, async () => {
    const ada = await person('ada', { javaScriptEnabled });
    const { page, email } = ada;
    const atAddress = () => page.getByLabel('Email address').waitFor();
    const atPassword = () => passwordField(page, 'Password').waitFor();
    await page.goto('/sign-in');
    await fill(page, 'Email address', email);
    await open(page, 'Continue');
    await atPassword();
    await askForCode(ada);
    await back(page);
    await atPassword();
    await back(page);
    await atAddress();
    assert.equal(await page.getByLabel('Email address').inputValue(), email);
    await forward(page);
    await atPassword();
    await forward(page);
    await seePage(page, 'Check your email');
    await see(page, email);
    await back(page);
    await atPassword();
    await back(page);
    await atAddress();
    await open(page, 'Create an account');
    await seePage(page, 'Create your account');
    await back(page);
    await atAddress();
    await forward(page);
    await seePage(page, 'Create your account');
    // What was half done is still valid.
    await page.goto('/sign-in/code');
    await fill(page, 'Code', (await message(email)).code!);
    if (!javaScriptEnabled) await open(page, 'Continue');
    await seeNotes(page);
  });
}

test('back shows no form after a sign-in, and no private page after a sign-out', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  await back(page);
  await seeNotes(page);
  await page.goto('/account/profile');
  await signOut(ada);
  await back(page);
  await seePage(page, 'Sign in to Acme');
  assert.equal(await page.getByText('Member since').count(), 0);
});

test('back and forward go through the steps of the account', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  await page.goto('/account/profile');
  await open(page, 'Change', 'Email address');
  await seePage(page, 'Change email address');
  await back(page);
  await seePage(page, 'Profile');
  await forward(page);
  await fill(page, 'New email address', newAddress('next'));
  await press(page, 'Send code');
  await seePage(page, 'Enter the codes');
  await back(page);
  await seePage(page, 'Change email address');
  await back(page);
  await seePage(page, 'Profile');
});

test('a reset page that is gone back to asks for another link', async () => {
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
  await page.goto((await message(email, since)).link!);
  await fill(page, 'New password', 'a brand new battery');
  await press(page, 'Save password');
  await seePage(page, 'Password changed');
  await back(page);
  // Said at once, before a password is typed that a password manager keeps.
  await see(page, 'This link is no longer valid. Request a new one.');
});

/** Presses Tab until the control with this name has the focus, which must be visible at every control. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 25; presses += 1) {
    await page.keyboard.press('Tab');
    const { label, outline, tag } = await page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement;
      const text = element.labels?.[0]?.textContent ?? element.textContent ?? '';
      return { label: text.trim(), outline: getComputedStyle(element).outlineStyle, tag: element.tagName };
    });
    // After the last control, the browser begins again.
    if (tag === 'BODY') continue;
    assert.equal(outline, 'solid', `the focus on “${label}” is not visible`);
    if (label === name) return;
  }
  throw new Error(`Tab does not reach ${name}.`);
}

test('signs up, signs in and manages a key with the keyboard alone', async () => {
  const ada = await person();
  const { page, email } = ada;
  await page.goto('/sign-in');
  // The field of the first step has the focus; the links come after it.
  await tabTo(page, 'Create an account');
  await page.keyboard.press('Enter');
  await seePage(page, 'Create your account');
  await page.keyboard.type(email);
  await tabTo(page, 'Password');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await seeNotes(page);
  await signOut(ada);

  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  await passwordField(page, 'Password').waitFor();
  await tabTo(page, 'Email me a code instead');
  const since = await lastMessageId();
  await page.keyboard.press('Enter');
  await seePage(page, 'Check your email');
  await page.keyboard.type((await message(email, since)).code!);
  // The first proof of the address removes the password of the sign-up.
  await seePage(page, 'Email address confirmed');
  await tabTo(page, 'Continue');
  await page.keyboard.press('Enter');
  await seeNotes(page);

  await page.goto('/account/tokens');
  await page.keyboard.press('Tab');
  assert.equal(await page.locator(':focus').innerText(), 'Skip to content');
  await page.evaluate(() => (document.body.dataset['shown'] = 'before'));
  await page.keyboard.press('Enter');
  await tabTo(page, 'Create key');
  assert.equal(await page.locator('body').getAttribute('data-shown'), 'before', 'the page was loaded again');
  await page.keyboard.press('Enter');
  await seePage(page, 'Create API key');
  await page.keyboard.type('Backup script');
  await page.keyboard.press('Enter');
  await seePage(page, 'API key created');
});
