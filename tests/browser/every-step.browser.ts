/** A reload, Back and Forward at every step: nothing is lost, nothing happens twice, and two tabs do not mix. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { fill, open, press, see, seeNotes, seePage } from './support/hands.js';
import { startPageApplication } from './support/page-application.js';
import { newAddress, passkeyDevice, world } from './support/people.js';
import { password, passwordField, signIns } from './support/sign-ins.js';

const site = world(() => startPageApplication({ isStrict: true }));
const { person, message, lastMessageId, origin } = site;
const { askForCode, enterAddress, enterMailedCode, signIn, signOut, signUp } = signIns(site);

// Playwright's `goBack` fails if the page reloads itself, as the pages do.
const back = (page: Page) => page.evaluate(() => history.back()).catch(() => undefined);
const forward = (page: Page) => page.evaluate(() => history.forward()).catch(() => undefined);

/** The step survives a reload, and the way to the one before it and back. */
async function staysAt(page: Page, title: string, before: string): Promise<void> {
  await seePage(page, title);
  await page.reload();
  await seePage(page, title);
  await back(page);
  await seePage(page, before);
  await forward(page);
  await seePage(page, title);
}

/** Returns what an authenticator app with this secret shows. A code counts once, so each is of the next half minute. */
function authenticatorApp(secret: string) {
  const totp = new TOTP({ secret });
  return () => {
    site.site().advance(30_000);
    return totp.generate({ timestamp: site.site().now() });
  };
}

async function addApp(page: Page, name: string, submit: string) {
  await page.goto('/account/security/authenticator');
  await press(page, 'Continue');
  const code = authenticatorApp((await page.locator('.secret-text').innerText()).replace(/\s/g, ''));
  await fill(page, 'Authenticator code', code());
  await fill(page, 'Name', name);
  await press(page, submit);
  return code;
}

test('a sign-up with a verification continues after a reload and Back, and is verified once', async () => {
  const ada = await person();
  const { page, email } = ada;
  await signUp(ada);
  await seePage(page, 'Check your email');
  await page.reload();
  await seePage(page, 'Check your email');
  await back(page);
  // The account exists: the form of the sign-up is not shown again.
  await seeNotes(page);
  await page.goto('/verify');
  await see(page, email);
  await fill(page, 'Code', (await message(email)).code!);
  await seeNotes(page);
  await back(page);
  await seeNotes(page);
});

test('a sign-up with a passkey continues after a reload and Back, and creates one account', async () => {
  const ada = await person();
  const { page } = ada;
  const device = await passkeyDevice(ada);
  await page.goto('/sign-up');
  await open(page, 'Sign up with a passkey');
  await page.getByRole('button', { name: 'Create passkey' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Create passkey' }).waitFor();
  await back(page);
  await passwordField(page, 'Password').waitFor();
  await forward(page);
  await press(page, 'Create passkey');
  await seeNotes(page);
  await back(page);
  await seeNotes(page);
  assert.equal((await device.passkeys()).length, 1);
});

test('a tab that waits for a link continues after a reload and Back, and after the sign-in leads to the product', async () => {
  const ada = await person();
  const { page, email } = ada;
  await enterAddress(ada, '/sign-in?next=/notes');
  const since = await lastMessageId();
  await open(page, 'Email me a link instead');
  await staysAt(page, 'Check your email', 'Sign in to Acme');
  await see(page, email);
  await page.goto((await message(email, since)).link!);
  await seeNotes(page);
  assert.equal(page.url(), `${origin()}/notes`);
  await back(page);
  await seeNotes(page);
});

test('a reset continues after a reload and Back, and its used link leads to another', async () => {
  const ada = await person();
  const { page, email } = ada;
  await signIn(ada);
  await signOut(ada);
  await page.goto('/sign-in');
  await page.goto('/reset');
  await fill(page, 'Email address', email);
  const since = await lastMessageId();
  await press(page, 'Send link');
  await staysAt(page, 'Check your email', 'Reset your password');
  await back(page);
  await seePage(page, 'Reset your password');
  assert.equal(await page.getByLabel('Email address').inputValue(), email);
  await page.goto((await message(email, since)).link!);
  await staysAt(page, 'Choose a new password', 'Reset your password');
  await fill(page, 'New password', password);
  await press(page, 'Save password');
  await seePage(page, 'Password changed');
  await page.reload();
  await seePage(page, 'Password changed');
  await back(page);
  await see(page, 'This link is no longer valid. Request a new one.');
  await press(page, 'Send link');
  await seePage(page, 'Check your email');
});

test('each of several authenticator apps completes a sign-in, also after a reload and Back', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  const phone = await addApp(page, 'Phone', 'Turn on');
  await seePage(page, 'Save your recovery codes');
  const tablet = await addApp(page, 'Tablet', 'Add app');
  await see(page, 'Authenticator app added.');
  for (const code of [phone, tablet]) {
    await signOut(ada);
    await enterMailedCode(ada, '/sign-in?next=/notes');
    await staysAt(page, 'Two-factor authentication', 'Check your email');
    await open(page, 'Use a recovery code');
    await page.reload();
    await page.getByLabel('Recovery code').waitFor();
    await back(page);
    await page.getByLabel('Code', { exact: true }).waitFor();
    await fill(page, 'Code', code());
    await seeNotes(page);
    assert.equal(page.url(), `${origin()}/notes`);
    await back(page);
    await seeNotes(page);
  }
});

test('a passkey is added once, whatever is reloaded and gone back to', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  await passkeyDevice(ada);
  await page.goto('/account/security');
  await open(page, 'Add passkey');
  await staysAt(page, 'Add a passkey', 'Sign-in and security');
  await press(page, 'Create passkey');
  await see(page, 'Passkey added.');
  await page.reload();
  await seePage(page, 'Sign-in and security');
  await back(page);
  await seePage(page, 'Add a passkey');
  await forward(page);
  await seePage(page, 'Sign-in and security');
  assert.equal(await page.locator('[aria-labelledby=passkeys] li').count(), 1);
});

test('a change of the address continues after a reload and Back, can send its codes again, and is made once', async () => {
  const ada = await person();
  const { page, email } = ada;
  const next = newAddress('next');
  await signIn(ada);
  await page.goto('/account/profile/email');
  await fill(page, 'New email address', next);
  await press(page, 'Send code');
  await staysAt(page, 'Enter the codes', 'Change email address');
  await back(page);
  await seePage(page, 'Change email address');
  assert.equal(await page.getByLabel('New email address').inputValue(), next);
  await forward(page);
  await page.getByRole('button', { name: /^Resend in \d+ s$/ }).waitFor();
  const since = await lastMessageId();
  await page.clock.install();
  await page.reload();
  await page.clock.fastForward(31_000);
  await press(page, 'Resend');
  const code = (await message(next, since)).code!;
  const currentCode = (await message(email, since)).code!;
  await seePage(page, 'Enter the codes');
  await fill(page, `Code sent to ${next}`, code);
  await fill(page, `Code sent to ${email}`, currentCode);
  await press(page, 'Change email address');
  await see(page, 'Email address changed.');
  await back(page);
  await seePage(page, 'Change email address');
  await page.goto('/account/profile');
  await see(page, next);
});

test('two tabs end at the pages that they asked for, which can be long', async () => {
  const ada = await person();
  await signUp(ada);
  await seePage(ada.page, 'Check your email');
  await fill(ada.page, 'Code', (await message(ada.email)).code!);
  await seeNotes(ada.page);
  await signOut(ada);
  const long = `/notes?second=${'x'.repeat(900)}`;
  const second = { ...ada, page: await ada.context.newPage() };
  await enterAddress(ada, '/sign-in?next=/notes?first');
  await enterAddress(second, `/sign-in?next=${encodeURIComponent(long)}`);
  await fill(ada.page, 'Code', await askForCode(ada));
  await seeNotes(ada.page);
  assert.equal(ada.page.url(), `${origin()}/notes?first`);
  await passwordField(second.page, 'Password').fill(password);
  await press(second.page, 'Sign in');
  await seeNotes(second.page);
  assert.equal(second.page.url(), origin() + long);
});

test('two tabs at an identity provider do not end at the page of the other', async () => {
  const ada = await person();
  const pathOf = (name: string) => `/notes?${name}=${'x'.repeat(600)}`;
  const second = await ada.context.newPage();
  for (const [page, name] of [
    [ada.page, 'first'],
    [second, 'second'],
  ] as const) {
    await page.goto(`/sign-in?next=${encodeURIComponent(pathOf(name))}`);
    await open(page, 'Continue with Google');
    await page.getByLabel('Email address').fill(ada.email);
  }
  await second.getByRole('button', { name: 'Continue' }).click();
  await seeNotes(second);
  assert.equal(second.url(), origin() + pathOf('second'));
  await ada.page.getByRole('button', { name: 'Continue' }).click();
  await seeNotes(ada.page);
  assert.equal(ada.page.url(), `${origin()}/`);
});
