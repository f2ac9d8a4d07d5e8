/** Temporary pictures. */
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { TOTP } from 'otpauth';
import { fill, open, press, seePage } from './support/hands.js';
import { startPageApplication } from './support/page-application.js';
import { world } from './support/people.js';
import { signIns } from './support/sign-ins.js';
const site = world(() => startPageApplication({ isStrict: true }));
const { enterAddress, askForCode, signUp } = signIns(site);
async function shoot(page: Page, name: string) {
  for (const [width, height] of [[360, 740], [1280, 800]] as const)
    for (const colorScheme of ['light', 'dark'] as const) {
      if (width === 1280 && colorScheme === 'light') continue;
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `/tmp/codes-shots/${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
}
test('pictures', async () => {
  const ada = await site.person();
  const { page } = ada;
  await enterAddress(ada);
  await shoot(page, 'password');
  await askForCode(ada);
  await shoot(page, 'code');
  await page.goto('/sign-in/phone');
  await shoot(page, 'phone');
  await signUp(ada);
  await seePage(page, 'Check your email');
  await shoot(page, 'verify');
  await page.goto('/verify/address');
  await shoot(page, 'verify-address');
  await page.goto('/account/security/phones/add');
  await shoot(page, 'account-phone');
  await page.goto('/account/security/authenticator');
  await press(page, 'Continue');
  const secret = (await page.locator('.secret-text').innerText()).replace(/\s/g, '');
  await fill(page, 'Authenticator code', new TOTP({ secret }).generate({ timestamp: site.site().now() }));
  await press(page, 'Turn on');
  await seePage(page, 'Save your recovery codes');
  await shoot(page, 'recovery');
  await page.reload();
  await seePage(page, 'Recovery codes');
  await shoot(page, 'lost');
  await page.goto('/account/profile');
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await seePage(page, 'Sign in to Acme');
  await enterAddress(ada);
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery staple');
  await press(page, 'Sign in');
  await seePage(page, 'Two-factor authentication');
  await shoot(page, 'second');
  await open(page, 'Use a recovery code');
  await shoot(page, 'second-recovery');
});
