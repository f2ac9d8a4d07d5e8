/** The dialog: sensitive changes require a recent sign-in and then continue. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import { faultsOf } from './support/axe.js';
import { choose, confirm, fill, open, press, see } from './support/hands.js';
import { passkeyDevice, world, type Person } from './support/people.js';

/** Long enough for what a test does first on a slow machine, short enough to wait for. */
const freshSeconds = 6;
const { person, message, lastMessageId, signIn } = world({ FRESH_SECONDS: String(freshSeconds) });

const untilStale = () => new Promise((resolve) => setTimeout(resolve, freshSeconds * 1000 + 200));

async function onAccountPage(): Promise<Person> {
  const ada = await person();
  await signIn(ada);
  await open(ada.page, 'Account');
  await see(ada.page, 'this device');
  return ada;
}

async function makeKey({ page }: Person): Promise<void> {
  await fill(page, 'Key name', 'Backup script');
  await press(page, 'Create key');
}

async function answerByCode({ page, email }: Person): Promise<void> {
  const since = await lastMessageId();
  await press(page, `Email a code to ${email}`);
  await fill(page, 'Code from the message', (await message(email, since)).code!);
  await press(page, 'Continue');
}

test('a code from the mail, and the key is made', async () => {
  const ada = await onAccountPage();
  await untilStale();
  await makeKey(ada);
  await see(ada.page, "Confirm it's you");
  assert.deepEqual(await faultsOf(ada.page, 'dialog[open]'), []);
  await answerByCode(ada);
  await see(ada.page, 'Copy your key now.');
  assert.equal(await ada.page.locator('#key-list li').count(), 1);
});

test('closing the dialog keeps what was typed and creates no key', async () => {
  const ada = await onAccountPage();
  const { page } = ada;
  await untilStale();
  await makeKey(ada);
  await open(page, 'Cancel');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  assert.equal(await page.getByLabel('Key name').inputValue(), 'Backup script');
  await press(page, 'Create key');
  await see(page, "Confirm it's you");
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await see(page, 'No keys yet.');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Create key');
});

test('a password, wrong and right', async () => {
  const ada = await onAccountPage();
  const { page } = ada;
  await fill(page, 'New password', 'correct horse battery');
  await press(page, 'Save password');
  await see(page, 'Password saved.');
  await untilStale();
  await makeKey(ada);
  await open(page, 'Use your password');
  await fill(page, 'Password', 'wrong horse battery');
  await press(page, 'Continue');
  await page.locator('#again-password-field-error:not(:empty)').waitFor();
  await fill(page, 'Password', 'correct horse battery');
  await press(page, 'Continue');
  await see(page, 'Copy your key now.');
});

test('a passkey', async () => {
  const ada = await onAccountPage();
  const { page } = ada;
  await passkeyDevice(ada);
  await press(page, 'Add passkey');
  await see(page, 'not used yet');
  await untilStale();
  await press(page, 'Remove');
  await confirm(page, 'Remove passkey');
  await press(page, 'Use a passkey');
  await see(page, 'No passkeys yet.');
});

test('a passkey of another user runs the action for neither user and shows the page of the other', async () => {
  const bob = await onAccountPage();
  const device = await passkeyDevice(bob);
  await press(bob.page, 'Add passkey');
  await see(bob.page, 'not used yet');
  const [passkey] = await device.passkeys();
  const ada = await onAccountPage();
  // Her own passkey is on a device that is not at hand.
  const own = await passkeyDevice(ada);
  await press(ada.page, 'Add passkey');
  await see(ada.page, 'not used yet');
  await own.remove();
  await (await passkeyDevice(ada)).add(passkey!);
  await untilStale();
  await makeKey(ada);
  await see(ada.page, "Confirm it's you");
  await press(ada.page, 'Use a passkey');
  await see(ada.page, bob.email);
  await see(ada.page, 'No keys yet.');
  assert.equal(await ada.page.getByLabel('Key name').inputValue(), '');
});

/** The labels of the ways that the dialog offers. */
const offered = ({ page }: Person) =>
  page
    .locator('#again [data-way]:not([hidden])')
    .evaluateAll((ways) => ways.map((way) => way.querySelector('button, a')?.textContent?.trim()));

test('the dialog offers the ways that the account has, and those that it got on this page', async () => {
  const ada = await onAccountPage();
  const { page, email } = ada;
  await untilStale();
  await makeKey(ada);
  await see(page, "Confirm it's you");
  assert.deepEqual(await offered(ada), [`Email a code to ${email}`]);
  assert.deepEqual(await faultsOf(page, 'dialog[open]'), []);
  await answerByCode(ada);
  await see(page, 'Copy your key now.');
  await fill(page, 'New password', 'correct horse battery');
  await press(page, 'Save password');
  await see(page, 'Password saved.');
  await passkeyDevice(ada);
  await press(page, 'Add passkey');
  await see(page, 'not used yet');
  await untilStale();
  await makeKey(ada);
  await see(page, "Confirm it's you");
  assert.deepEqual(await offered(ada), ['Use a passkey', `Email a code to ${email}`, 'Use your password']);
});

test('a phone number that the account signs in with gets the code', async () => {
  const ada = await person();
  const { page } = ada;
  const number = `+4915125${String(process.pid).padStart(6, '0').slice(-6)}`;
  const textedCode = async (since: number) => (await message(number, since)).code!;
  await page.goto('/sign-in');
  await choose(page, 'Phone');
  await fill(page, 'Phone number', number);
  await press(page, 'Text me a code');
  await fill(page, 'Code from the message', await textedCode(0));
  await press(page, 'Sign in');
  await open(page, 'Account');
  await see(page, 'this device');
  await untilStale();
  await makeKey(ada);
  await see(page, "Confirm it's you");
  assert.equal(await page.locator('#again-text [data-show]').innerText(), number);
  assert.deepEqual(await offered(ada), ['Text me a code']);
  const since = await lastMessageId();
  await press(page, 'Text me a code');
  await fill(page, 'Code from the message', await textedCode(since));
  await press(page, 'Continue');
  await see(page, 'Copy your key now.');
});

test('a Google user signs in again at Google and comes back to the account page', async () => {
  const ada = await person();
  const { page, email } = ada;
  const atGoogle = async () => {
    await fill(page, 'Email address', email);
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
  };
  await page.goto('/sign-in');
  await open(page, 'Google');
  await atGoogle();
  await open(page, 'Account');
  await see(page, 'this device');
  await untilStale();
  await makeKey(ada);
  await see(page, "Confirm it's you");
  assert.deepEqual(await offered(ada), ['Continue with Google', `Email a code to ${email}`]);
  await open(page, 'Continue with Google');
  await atGoogle();
  await see(page, "You're signed in again. You can make the change now.");
  await makeKey(ada);
  await see(page, 'Copy your key now.');
});

test('an account with two factors requires both', async () => {
  const ada = await onAccountPage();
  const { page } = ada;
  await press(page, 'Set up authenticator app');
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  const secret = (await page.locator('#totp-secret').innerText()).replace(/\s/g, '');
  const totp = new TOTP({ secret });
  await fill(page, 'Authenticator code', totp.generate());
  await press(page, 'Turn on two-factor');
  await open(page, "I've saved my codes");
  await untilStale();
  await press(page, 'Turn off two-factor');
  await confirm(page, 'Turn off two-factor');
  await answerByCode(ada);
  await fill(page, 'Authenticator code', totp.generate({ timestamp: Date.now() + 30_000 }));
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).dblclick();
  await see(page, 'Two-factor authentication turned off.');
});

test('a guest, who cannot sign in again, is asked to create an account first', async () => {
  const { page } = await person();
  await page.goto('/sign-in');
  await press(page, 'Continue as guest');
  await open(page, 'Account');
  await untilStale();
  await press(page, 'Download my data');
  await see(page, 'Create an account first');
  await open(page, 'Cancel');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
});

test('deletion asks twice: for the word, and who it is', async () => {
  const ada = await onAccountPage();
  const { page } = ada;
  await untilStale();
  await open(page, 'Delete account');
  await fill(page, 'Type “delete” to confirm', 'delete');
  await press(page, 'Delete my account');
  await see(page, "Confirm it's you");
  await answerByCode(ada);
  await see(page, 'Your account has been deleted.');
});

test('a code from the mail, and an invitation is withdrawn and a member removed', async () => {
  const [ada, grace] = [await onAccountPage(), await person('grace')];
  const { page } = ada;
  await fill(page, 'Organization name', 'Analytical Engines');
  await press(page, 'Create organization');
  await page.getByText('Analytical Engines', { exact: true }).click();
  const invite = async (email: string) => {
    await fill(page, 'Invite by email', email);
    await press(page, 'Send invitation');
    await see(page, `Invitation sent to ${email}.`);
  };
  const since = await lastMessageId();
  await invite(grace.email);
  await invite('joan@acme.test');
  const { link } = await message(grace.email, since);
  await signIn(grace);
  await grace.page.goto(link!);
  await press(grace.page, 'Accept invitation');
  await see(grace.page, 'Analytical Engines');

  await untilStale();
  await press(page, 'Withdraw the invitation to joan@acme.test');
  await confirm(page, 'Withdraw invitation');
  await see(page, "Confirm it's you");
  await answerByCode(ada);
  await see(page, 'Invitation to joan@acme.test withdrawn.');
  await page.reload();
  await page.getByText('Analytical Engines', { exact: true }).click();
  await untilStale();
  await press(page, `Remove ${grace.email}`);
  await confirm(page, 'Remove member');
  await see(page, "Confirm it's you");
  await answerByCode(ada);
  await see(page, 'Member removed.');
});
