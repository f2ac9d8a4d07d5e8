/** Sensitive changes require a recent sign-in: `/account/confirm` offers what the account has, and leads back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import { faultsOf } from './support/axe.js';
import { fill, open, press, see, seeNotes, seePage } from './support/hands.js';
import { startPageApplication } from './support/page-application.js';
import { passkeyDevice, world, type Person } from './support/people.js';
import { password, passwordField, signIns } from './support/sign-ins.js';

const site = world(() => startPageApplication());
const { person, message, lastMessageId } = site;
const { signIn } = signIns(site);

const passTime = () => site.site().advance(11 * 60_000);

async function signedIn(): Promise<Person> {
  const ada = await person();
  await signIn(ada);
  return ada;
}

/** Opens the form of a new key, which needs a recent sign-in. */
const openNewKey = ({ page }: Person) => page.goto('/account/tokens/new');
const asked = ({ page }: Person) => seePage(page, 'Confirm it’s you');

async function confirmByCode({ page, email }: Person): Promise<void> {
  const since = await lastMessageId();
  await press(page, 'Email me a code');
  await seePage(page, 'Enter the code');
  await fill(page, 'Code', (await message(email, since)).code!);
}

/** Gives an account that has none a password. */
async function setPassword({ page }: Person): Promise<void> {
  await page.goto('/account/security/password');
  await fill(page, 'New password', password);
  await press(page, 'Set password');
  await see(page, 'Password saved.');
}

async function createKey({ page }: Person): Promise<void> {
  await seePage(page, 'Create API key');
  await fill(page, 'Name', 'Backup script');
  await press(page, 'Create key');
  await seePage(page, 'API key created');
}

/** The labels of the methods that the page offers. */
const offered = ({ page }: Person) =>
  page
    .locator('main :is(button, a.button):visible')
    .evaluateAll((controls) =>
      controls
        .map((each) => each.textContent?.trim())
        .filter((label) => label !== 'Show' && label !== 'Hide'),
    );

test('confirms with a mailed code and continues with the change', async () => {
  const ada = await signedIn();
  passTime();
  await openNewKey(ada);
  await asked(ada);
  assert.deepEqual(await offered(ada), ['Email me a code']);
  assert.deepEqual(await faultsOf(ada.page), []);
  await confirmByCode(ada);
  await createKey(ada);
});

test('cancel leads to the section that was asked for, and changes nothing', async () => {
  const ada = await signedIn();
  passTime();
  await openNewKey(ada);
  await asked(ada);
  await open(ada.page, 'Cancel');
  await seePage(ada.page, 'Keys and apps');
  await see(ada.page, 'You have no API keys.');
});

test('confirms with a password, wrong and right', async () => {
  const ada = await signedIn();
  const { page } = ada;
  await setPassword(ada);
  passTime();
  await openNewKey(ada);
  await asked(ada);
  await passwordField(page, 'Password').fill('wrong horse battery');
  await press(page, 'Continue');
  await page.locator('.error').waitFor();
  await passwordField(page, 'Password').fill(password);
  await press(page, 'Continue');
  await createKey(ada);
});

async function addPasskey({ page }: Person): Promise<void> {
  await page.goto('/account/security/passkeys/add');
  await page.getByRole('button', { name: 'Create passkey' }).click();
  await see(page, 'Passkey added.');
}

test('confirms with a passkey, before one is removed', async () => {
  const ada = await signedIn();
  const { page } = ada;
  await passkeyDevice(ada);
  await addPasskey(ada);
  passTime();
  await page.goto('/account/security');
  await open(page, 'Remove', 'Passkey');
  await asked(ada);
  await open(page, 'Use a passkey');
  await press(page, 'Remove passkey');
  await see(page, 'Passkey removed. Delete it from your device too.');
});

test('a passkey of another user signs that user in and shows nothing of the first one', async () => {
  const bob = await signedIn();
  const device = await passkeyDevice(bob);
  await addPasskey(bob);
  const [passkey] = await device.passkeys();
  const ada = await signedIn();
  // Her own passkey is on a device that is not at hand.
  const own = await passkeyDevice(ada);
  await addPasskey(ada);
  await own.remove();
  await (await passkeyDevice(ada)).add(passkey!);
  passTime();
  await openNewKey(ada);
  await asked(ada);
  await open(ada.page, 'Use a passkey');
  await seePage(ada.page, 'Create API key');
  await see(ada.page, bob.email);
  assert.equal(await ada.page.getByText(ada.email).count(), 0);
  await ada.page.goto('/account/tokens');
  await see(ada.page, 'You have no API keys.');
});

test('offers every method that the account has', async () => {
  const ada = await signedIn();
  await setPassword(ada);
  await passkeyDevice(ada);
  await addPasskey(ada);
  passTime();
  await openNewKey(ada);
  await asked(ada);
  assert.deepEqual(await offered(ada), ['Continue', 'Email me a code', 'Use a passkey']);
  await see(ada.page, ada.email);
});

test('a user of Google confirms at Google and comes back to the form', async () => {
  const ada = await person();
  const { page, email } = ada;
  const atGoogle = async () => {
    await open(page, 'Continue with Google');
    await fill(page, 'Email address', email);
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
  };
  await page.goto('/sign-in');
  await atGoogle();
  await seeNotes(page);
  passTime();
  await openNewKey(ada);
  await asked(ada);
  assert.deepEqual(await offered(ada), ['Email me a code', 'Continue with Google']);
  await atGoogle();
  await createKey(ada);
});

test('an account with two factors confirms with both', async () => {
  const ada = await signedIn();
  const { page } = ada;
  await page.goto('/account/security/authenticator');
  await press(page, 'Continue');
  const secret = (await page.locator('.secret-text').innerText()).replace(/\s/g, '');
  const code = () => new TOTP({ secret }).generate({ timestamp: site.site().now() });
  await fill(page, 'Authenticator code', code());
  await press(page, 'Turn on');
  await seePage(page, 'Save your recovery codes');
  passTime();
  await page.goto('/account/security/authenticator/turn-off');
  await asked(ada);
  await confirmByCode(ada);
  await seePage(page, 'Two-factor authentication');
  await fill(page, 'Code', code());
  await seePage(page, 'Turn off two-factor authentication');
  await press(page, 'Turn off');
  await see(page, 'Two-factor authentication turned off.');
});

test('a guest, who cannot sign in again, is asked to create an account first', async () => {
  const { page } = await person();
  await page.goto('/sign-in');
  await page.evaluate(() => fetch('/api/auth/guest', { method: 'POST' }));
  passTime();
  await page.goto('/account/confirm');
  await see(page, 'Create an account first. This change needs a way to sign in again.');
});

test('what was typed into a form that became too old is not sent, and the change is made after the confirmation', async () => {
  const ada = await signedIn();
  const { page } = ada;
  await openNewKey(ada);
  await fill(page, 'Name', 'Backup script');
  passTime();
  await press(page, 'Create key');
  await asked(ada);
  await confirmByCode(ada);
  await createKey(ada);
  await page.goto('/account/tokens');
  assert.equal(await page.locator('main li').count(), 1);
});
