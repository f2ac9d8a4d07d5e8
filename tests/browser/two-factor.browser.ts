/** The second factor, from the picture on the account page to the gate on every way in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import { choose, confirm, fill, open, press, see, seeNotes } from './support/hands.js';
import { passkeyDevice, world, type Person } from './support/people.js';

const { person, message, lastMessageId, enterCode, signIn } = world();

/** The app on the phone. A code counts once, so the next one may be of the next half minute. */
function authenticatorApp(secret: string) {
  const totp = new TOTP({ secret });
  let steps = -1;
  return () => totp.generate({ timestamp: Date.now() + 30_000 * (steps += 1) });
}

async function signOut({ page }: Person): Promise<void> {
  await press(page, 'Sign out');
  await see(page, "You've signed out.");
}

/** A signed-in user with an authenticator app and recovery codes. */
async function protectedPerson() {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  await open(page, 'Account');
  await see(page, 'off');
  await press(page, 'Set up authenticator app');
  await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
  const code = authenticatorApp((await page.locator('#totp-secret').innerText()).replace(/\s/g, ''));
  await fill(page, 'Authenticator code', '000000');
  await press(page, 'Turn on two-factor');
  await page.locator('#totp-code-error:not(:empty)').waitFor();
  await fill(page, 'Authenticator code', code());
  await press(page, 'Turn on two-factor');
  await see(page, 'Your recovery codes');
  const recoveryCodes = await page.locator('#recovery-codes li').allInnerTexts();
  assert.equal(recoveryCodes.length, 10);
  await open(page, "I've saved my codes");
  await see(page, '10 recovery codes left.');
  return { ada, page, code, recoveryCodes };
}

test('after the code from the mail comes the app; a recovery code does as well', async () => {
  const { ada, page, code, recoveryCodes } = await protectedPerson();
  await signOut(ada);
  await enterCode(ada);
  await see(page, 'One more step');
  await fill(page, 'Authenticator code', '000000');
  await press(page, 'Sign in');
  await page.locator('#second-factor-app-code-error:not(:empty)').waitFor();
  await fill(page, 'Authenticator code', code());
  await press(page, 'Sign in');
  await seeNotes(page);

  await signOut(ada);
  await enterCode(ada);
  await open(page, 'Use a recovery code');
  await fill(page, 'Recovery code', recoveryCodes[0]!);
  await press(page, 'Sign in');
  await seeNotes(page);
  await open(page, 'Account');
  await see(page, '9 recovery codes left.');
});

test('a link from the mail leads to the second step, and so does an identity provider', async () => {
  const { ada, page, recoveryCodes } = await protectedPerson();
  await signOut(ada);
  await choose(page, 'Link');
  await fill(page, 'Email address', ada.email);
  const since = await lastMessageId();
  await press(page, 'Email me a link');
  await page.goto((await message(ada.email, since)).link!);
  await see(page, 'One more step');
  await open(page, 'Use a recovery code');
  await fill(page, 'Recovery code', recoveryCodes[0]!);
  await press(page, 'Sign in');
  await seeNotes(page);

  await signOut(ada);
  await open(page, 'Google');
  await fill(page, 'Email address', ada.email);
  await page.getByRole('button', { name: 'Continue' }).click();
  await see(page, 'One more step');
  await open(page, 'Start over');
  await page.getByRole('heading', { name: 'Sign in to Acme' }).waitFor();
});

test('a passkey that checked its holder is two factors', async () => {
  const { ada, page } = await protectedPerson();
  const device = await passkeyDevice(ada);
  await press(page, 'Add passkey');
  await see(page, 'not used yet');
  await device.touchOnRequest();
  await signOut(ada);
  await page.locator('[data-suggested=passkeys]').waitFor();
  await press(page, 'Sign in with a passkey');
  await seeNotes(page);
});

test('recovery codes are replaced, copied and printed; the second factor is turned off', async () => {
  const { ada, page, recoveryCodes } = await protectedPerson();
  await ada.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await press(page, 'Replace recovery codes');
  await confirm(page, 'Replace codes');
  await see(page, 'Your recovery codes');
  const fresh = await page.locator('#recovery-codes li').allInnerTexts();
  assert.equal(
    fresh.some((code) => recoveryCodes.includes(code)),
    false,
  );
  await open(page, 'Copy codes');
  await see(page, 'Copied.');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), fresh.join('\n'));
  // On paper there are the codes and nothing else to be pressed.
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.getByText(fresh[0]!).isVisible(), true);
  assert.equal(await page.getByRole('heading', { name: 'Passkeys' }).isVisible(), false);
  await page.emulateMedia({ media: null });
  await open(page, "I've saved my codes");

  await press(page, 'Turn off two-factor');
  await confirm(page, 'Turn off two-factor');
  await see(page, 'Two-factor authentication turned off.');
  await signOut(ada);
  await enterCode(ada);
  await seeNotes(page);
});
