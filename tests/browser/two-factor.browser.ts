/** The second step, from its set-up in the account to the step of each sign-in method. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import { fill, open, press, see, seeNotes, seePage } from './support/hands.js';
import { startPageApplication } from './support/page-application.js';
import { passkeyDevice, world, type Person } from './support/people.js';
import { signIns } from './support/sign-ins.js';

const site = world(() => startPageApplication());
const { person, message, lastMessageId } = site;
const { enterAddress, enterMailedCode, signIn, signOut } = signIns(site);

/** The app on the phone. A code counts once, so the next one is of the next half minute. */
function authenticatorApp(secret: string) {
  const totp = new TOTP({ secret });
  return () => {
    site.site().advance(30_000);
    return totp.generate({ timestamp: site.site().now() });
  };
}

/** A signed-in user with an authenticator app and recovery codes. */
async function protectedPerson() {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  await page.goto('/account/security');
  await open(page, 'Set up', 'Authenticator app');
  await press(page, 'Continue');
  await page.getByRole('img', { name: 'Scan this QR code with your authenticator app' }).waitFor();
  const code = authenticatorApp((await page.locator('.secret-text').innerText()).replace(/\s/g, ''));
  await fill(page, 'Authenticator code', '000000');
  await press(page, 'Turn on');
  await see(page, 'This code is wrong. Check it and try again.');
  await fill(page, 'Authenticator code', code());
  await press(page, 'Turn on');
  await seePage(page, 'Save your recovery codes');
  const recoveryCodes = await page.locator('#recovery-codes li').allInnerTexts();
  assert.equal(recoveryCodes.length, 10);
  return { ada, page, code, recoveryCodes };
}

const secondStep = ({ page }: Person) => seePage(page, 'Two-factor authentication');

test('asks for a code of the app after a mailed code, or for a recovery code', async () => {
  const { ada, page, code, recoveryCodes } = await protectedPerson();
  await open(page, 'I’ve saved my codes');
  await see(page, '10 codes left');
  await signOut(ada);
  await enterMailedCode(ada);
  await secondStep(ada);
  await fill(page, 'Code', '000000');
  await see(page, 'This code is wrong. Check it and try again.');
  // Complete codes submit themselves.
  await fill(page, 'Code', code());
  await seeNotes(page);

  await signOut(ada);
  await enterMailedCode(ada);
  await secondStep(ada);
  await open(page, 'Use a recovery code');
  await fill(page, 'Recovery code', recoveryCodes[0]!);
  await press(page, 'Continue');
  await seeNotes(page);
  await page.goto('/account/security');
  await see(page, '9 codes left');
});

test('asks for the second step after a password, a link and an identity provider', async () => {
  const { ada, page, code, recoveryCodes } = await protectedPerson();
  await signOut(ada);
  await enterAddress(ada, '/sign-in?next=/notes');
  const since = await lastMessageId();
  await open(page, 'Email me a link instead');
  await page.goto((await message(ada.email, since)).link!);
  await secondStep(ada);
  await open(page, 'Use a recovery code');
  await fill(page, 'Recovery code', recoveryCodes[0]!);
  await press(page, 'Continue');
  await seeNotes(page);
  assert.equal(new URL(page.url()).pathname, '/notes');

  await page.goto('/account/security/password');
  await fill(page, 'New password', 'a brand new battery');
  await page.getByRole('button', { name: 'Set password', exact: true }).click();
  await see(page, 'Password saved.');
  await signOut(ada);
  await enterAddress(ada);
  await page.getByRole('textbox', { name: 'Password' }).fill('a brand new battery');
  await press(page, 'Sign in');
  await secondStep(ada);
  await fill(page, 'Code', code());
  await seeNotes(page);

  await signOut(ada);
  await open(page, 'Continue with Google');
  await fill(page, 'Email address', ada.email);
  await page.getByRole('button', { name: 'Continue' }).click();
  await secondStep(ada);
  await open(page, 'Start again');
  await seePage(page, 'Sign in to Acme');
});

test('no page of the account opens between the steps', async () => {
  const { ada, page } = await protectedPerson();
  await signOut(ada);
  await enterMailedCode(ada);
  await secondStep(ada);
  for (const path of ['/account/profile', '/account/security/authenticator', '/notes']) {
    await page.goto(path);
    assert.equal(await page.getByText(ada.email).count(), 0, path);
  }
});

test('a passkey that verifies its user counts as both steps', async () => {
  const { ada, page } = await protectedPerson();
  const device = await passkeyDevice(ada);
  await page.goto('/account/security/passkeys/add');
  await page.getByRole('button', { name: 'Create passkey' }).click();
  await see(page, 'Passkey added.');
  await device.touchOnRequest();
  await signOut(ada);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await seeNotes(page);
});

test('recovery codes are replaced, copied, downloaded and printed, and the second step is turned off', async () => {
  const { ada, page, recoveryCodes } = await protectedPerson();
  await ada.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/account/security');
  await open(page, 'Replace', 'Recovery codes');
  await press(page, 'Create new codes');
  await seePage(page, 'Save your recovery codes');
  const codes = await page.locator('#recovery-codes li').allInnerTexts();
  assert.deepEqual(
    codes.filter((code) => recoveryCodes.includes(code)),
    [],
  );
  await open(page, 'Copy');
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), codes.join('\n'));
  const [download] = await Promise.all([page.waitForEvent('download'), open(page, 'Download')]);
  assert.equal(download.suggestedFilename(), 'recovery-codes.txt');
  const file = await readFile(await download.path(), 'utf8');
  assert.deepEqual(
    codes.filter((code) => !file.includes(code)),
    [],
  );
  await open(page, 'I’ve saved my codes');

  await page.goto('/account/security/authenticator/turn-off');
  await press(page, 'Turn off');
  await see(page, 'Two-factor authentication turned off.');
  await signOut(ada);
  await enterMailedCode(ada);
  await seeNotes(page);
});
