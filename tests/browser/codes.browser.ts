/** The steps of codes: how long the button of another one waits, what a keyboard types, and what a reload shows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import { fill, open, press, see, seeNotes, seePage } from './support/hands.js';
import { startPageApplication } from './support/page-application.js';
import { newNumber, passkeyDevice, world } from './support/people.js';
import { signIns } from './support/sign-ins.js';

const site = world(() => startPageApplication({ isStrict: true }));
const { enterAddress, enterPassword, askForCode, signIn, signUp, signOut } = signIns(site);

const resend = /^Resend( in \d+ s)?$/;

test('the button of another code waits from the last mail on, and not after a code that has expired', async () => {
  const ada = await site.person();
  const { page } = ada;
  // The countdown is the browser's.
  await page.clock.setFixedTime(Date.now());
  await enterAddress(ada);
  const code = await askForCode(ada);
  const button = page.getByRole('button', { name: resend });
  assert.equal(await button.isDisabled(), true);
  site.site().advance(40_000);
  await page.reload();
  assert.equal(await button.innerText(), 'Resend');
  assert.equal(await button.isDisabled(), false);
  await button.click();
  await page.getByRole('button', { name: /^Resend in/ }).waitFor();
  site.site().advance(11 * 60_000);
  await fill(page, 'Code', code);
  await see(page, 'This code has expired. Request a new one.');
  assert.equal(await button.isDisabled(), false);
});

test('a complete code submits itself, in the digits of any keyboard', async () => {
  for (const zero of ['０', '٠', '۰']) {
    const ada = await site.person();
    await enterAddress(ada);
    const code = await askForCode(ada);
    const typed = [...code]
      .map((digit) => String.fromCodePoint(zero.codePointAt(0)! + Number(digit)))
      .join('');
    await fill(ada.page, 'Code', `\u200e${typed}\u200f`);
    await seeNotes(ada.page);
  }
});

test('the page of the address lets its user change it, continue without, and sign out', async () => {
  const ada = await site.person();
  const { page } = ada;
  await signUp(ada);
  await seePage(page, 'Check your email');
  const other = `other-${ada.email}`;
  const since = await site.lastMessageId();
  await open(page, 'Use another address');
  await fill(page, 'Email address', other);
  await press(page, 'Send code');
  await see(page, `We’ve sent a code to ${other}`);
  const { code } = await site.message(other, since);
  await fill(page, 'Code', code!);
  await seeNotes(page);
  await see(page, other);

  const eve = await site.person('eve');
  await signUp(eve);
  await seePage(eve.page, 'Check your email');
  await open(eve.page, 'Not now');
  await seeNotes(eve.page);
  await eve.page.goto('/verify');
  await press(eve.page, 'Sign out');
  await seePage(eve.page, 'Sign in to Acme');
});

test('recovery codes are not shown again by a reload, which offers new ones', async () => {
  const ada = await site.person();
  const { page } = ada;
  await signIn(ada);
  await page.goto('/account/security/authenticator');
  await press(page, 'Continue');
  const secret = (await page.locator('.secret-text').innerText()).replace(/\s/g, '');
  await fill(page, 'Authenticator code', new TOTP({ secret }).generate({ timestamp: site.site().now() }));
  await press(page, 'Turn on');
  await seePage(page, 'Save your recovery codes');
  await page.reload();
  await seePage(page, 'Recovery codes');
  await see(page, 'Two-factor authentication is on. Recovery codes are shown once.');
  await press(page, 'Create new codes');
  await seePage(page, 'Save your recovery codes');
  assert.equal(await page.locator('#recovery-codes li').count(), 10);
  await page.reload();
  await seePage(page, 'Replace recovery codes');
});

test('the second step names the account, and with a passkey the focus is on its button', async () => {
  const ada = await site.person();
  const { page } = ada;
  await signUp(ada);
  await seePage(page, 'Check your email');
  const device = await passkeyDevice(ada);
  await page.goto('/account/security/passkeys/add');
  await press(page, 'Create passkey');
  await see(page, 'Passkey added.');
  await device.touchOnRequest();
  await page.goto('/account/security/authenticator');
  await press(page, 'Continue');
  const secret = (await page.locator('.secret-text').innerText()).replace(/\s/g, '');
  await fill(page, 'Authenticator code', new TOTP({ secret }).generate({ timestamp: site.site().now() }));
  await press(page, 'Turn on');
  await seePage(page, 'Save your recovery codes');
  await signOut(ada);
  await enterPassword(ada);
  await seePage(page, 'Two-factor authentication');
  await see(page, ada.email);
  await open(page, 'Use your passkey');
  await page.getByRole('button', { name: 'Continue with passkey' }).waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent?.includes('Continue with passkey'));
});

test('a number is typed as at home in the country that is chosen, and with + as it is', async () => {
  const ada = await site.person('ada', { locale: 'de-AT', language: 'en' });
  const { page } = ada;
  await page.goto('/sign-in/phone');
  const country = page.locator('select[name=country]');
  assert.equal(await country.inputValue(), 'AT');
  await country.selectOption('DE');
  const number = newNumber();
  const [label] = await page.locator('label[for=field-phone]').allInnerTexts();
  await fill(page, label!.trim(), `0${number.slice(3)}`);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/sign-in/phone/code');
  assert.equal((await site.message(number)).to, number);
});
