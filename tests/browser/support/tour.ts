/** Every page of the package, in every state that looks different, in one language: a walk through an application. */
import { TOTP } from 'otpauth';
import { fill, open, press, seePage } from './hands.js';
import type { PageApplication } from './page-application.js';
import type { Person, World } from './people.js';
import { password, passwordField, signIns } from './sign-ins.js';

export type Look = (name: string) => Promise<void>;

/** @param look is called on each page. */
export async function tour(
  {
    message,
    lastMessageId,
    site,
  }: Pick<World, 'message' | 'lastMessageId'> & {
    site: () => PageApplication;
  },
  ada: Person,
  look: Look,
): Promise<void> {
  const { page, email, texts: t } = ada;
  const { account: words } = t;
  const { askForCode, enterAddress, enterPassword } = signIns({ message, lastMessageId });
  const visit = async (path: string, name: string) => {
    await page.goto(path);
    await look(name);
  };
  /** Opens a step that redirects if the sign-in has not come so far. */
  const at = async (path: string, name: string) => {
    await page.waitForURL(`**${path}*`);
    await look(name);
  };

  await visit('/sign-in', 'sign-in');
  await visit('/sign-in?error=oauth_error', 'sign-in-error');
  await visit('/sign-in?error=user_blocked', 'blocked');
  await visit('/sign-in/phone', 'phone');
  await page.goto('/sign-in');
  await press(page, t.continue);
  await page.locator('.error').waitFor();
  await look('sign-in-empty');
  await enterAddress(ada);
  await look('password');
  await press(page, t.signIn.submit);
  await page.locator('.error').waitFor();
  await look('password-empty');
  await askForCode(ada);
  await look('code');
  await fill(page, t.code, '000000');
  await page.locator('.error').waitFor();
  await look('code-wrong');
  await open(page, t.signIn.emailLink);
  await at('/sign-in/link', 'link-and-code');

  await visit('/sign-up/passkey', 'sign-up-passkey');
  await visit('/sign-up', 'sign-up');
  await fill(page, t.email, email);
  await fill(page, t.password, 'short');
  await press(page, t.signUp.submit);
  await page.locator('.error').waitFor();
  await look('sign-up-weak-password');
  await fill(page, t.password, password);
  await press(page, t.signUp.submit);
  await at('/verify', 'verify');
  await visit('/verify/address', 'verify-address');
  await page.goto('/verify');
  const verification = (await message(email)).code!;
  await fill(page, t.code, verification);
  await page.waitForURL((url) => url.pathname !== '/verify');

  await visit('/account/profile', 'account-profile');
  await visit('/account/profile/name', 'account-name');
  await visit('/account/profile/email', 'account-email');
  await fill(page, words.profile.newEmail, 'ada.new@acme.test');
  await press(page, words.profile.sendCodes);
  await at('/account/profile/email/code', 'account-email-codes');
  await visit('/account/profile/username', 'account-username');
  await visit('/account/security', 'account-security');
  await visit('/account/security/password', 'account-password');
  await press(page, words.password.change);
  await page.locator('.error').first().waitFor();
  await look('account-password-empty');
  await visit('/account/security/passkeys/add', 'account-passkey');
  await visit('/account/security/authenticator', 'account-authenticator');
  await press(page, t.continue);
  await page.locator('.secret-text').waitFor();
  const secret = (await page.locator('.secret-text').innerText()).replace(/\s/g, '');
  // Before the picture, which hides the secret.
  site().advance(30_000);
  const code = new TOTP({ secret }).generate({ timestamp: site().now() });
  await look('account-authenticator-scan');
  await fill(page, words.authenticator.code, code);
  await press(page, words.authenticator.turnOn);
  await page.locator('#recovery-codes').waitFor();
  await look('account-recovery-codes');
  await visit('/account/security', 'account-security-two-factor');
  await visit('/account/security/authenticator/turn-off', 'account-authenticator-turn-off');
  await visit('/account/security/recovery-codes', 'account-recovery-codes-replace');

  await visit('/account/devices', 'account-devices');
  await visit('/account/devices/sign-out-others', 'account-devices-sign-out');
  await visit('/account/tokens', 'account-tokens-none');
  await visit('/account/tokens/new', 'account-key-new');
  await fill(page, words.tokens.name, 'Backup script');
  await press(page, words.tokens.create);
  await seePage(page, words.tokens.createdTitle);
  await look('account-key-created');
  await visit('/account/tokens', 'account-tokens');
  await page.getByRole('link', { name: words.tokens.revoke }).click();
  await at('/revoke', 'account-key-revoke');

  await visit('/account/organizations', 'account-organizations-none');
  await visit('/account/organizations/new', 'account-organization-new');
  await fill(page, words.organizations.name, 'Analytical Engines');
  await press(page, words.organizations.create);
  await seePage(page, 'Analytical Engines');
  const organization = new URL(page.url()).pathname;
  await visit(`${organization}/invite`, 'account-organization-invite');
  await fill(page, t.email, 'grace@acme.test');
  await press(page, words.organizations.sendInvite);
  await seePage(page, 'Analytical Engines');
  await visit(organization, 'account-organization');
  await visit('/account/organizations', 'account-organizations');
  await visit(`${organization}/edit`, 'account-organization-edit');
  await visit(`${organization}/delete`, 'account-organization-delete');
  const { link: invitation } = await message('grace@acme.test');
  await visit(invitation!, 'join-signed-in');
  await visit('/join?done=declined', 'join-declined');
  await visit('/sign-in?error=email_exists', 'error');
  await visit(await site().consentUrl(), 'consent');
  await visit('/device', 'device');
  await fill(page, t.code, await site().deviceCode());
  await press(page, t.continue);
  await seePage(page, t.consent.title('Acme TV'));
  await look('device-decision');
  await visit('/account/apps', 'account-apps-none');
  await site().connectApp(email);
  await visit('/account/apps', 'account-apps');
  await page.getByRole('link', { name: words.apps.remove }).click();
  await at('/remove', 'account-apps-remove');
  await visit('/account/data', 'account-data');
  await visit('/account/data/delete', 'account-delete');
  await visit('/account/organizations/no-such-organization', 'account-not-found');
  site().advance(11 * 60_000);
  await visit('/account/data/delete', 'account-confirm');
  await press(page, words.confirm.emailCode);
  await at('/account/confirm/code', 'account-confirm-code');

  await page.context().clearCookies();
  await visit(invitation!, 'join');
  await visit('/join?token=invalid', 'join-invalid');
  await enterPassword(ada);
  await at('/two-factor', 'two-factor');
  await fill(page, t.code, '000000');
  await page.locator('.error').waitFor();
  await look('two-factor-wrong');
  await open(page, t.twoFactor.useRecovery);
  await at('/two-factor/recovery', 'two-factor-recovery');

  await visit('/reset', 'reset');
  await fill(page, t.email, email);
  const since = await lastMessageId();
  await press(page, t.reset.submit);
  await at('/reset/sent', 'reset-sent');
  await visit((await message(email, since)).link!, 'reset-choose');
  await passwordField(page, t.newPassword).fill('a brand new battery');
  await press(page, t.reset.save);
  await seePage(page, t.reset.done);
  await look('reset-done');
  await visit('/reset?token=invalid', 'reset-invalid');
}
