/** Pictures of the main pages, light and dark, on a phone and on a desk, for people to look at. `SCREENSHOTS=folder` */
import { mkdir } from 'node:fs/promises';
import { test } from 'node:test';
import { world, type Person } from './support/people.js';

const folder = process.env['SCREENSHOTS'];
const { person, signIn } = world();

/** @param part of the page; without it, all of the page. */
async function pictures({ page }: Person, name: string, part?: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [360, 1280]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: width === 360 ? 740 : 800 });
      await page.evaluate(() => scrollTo(0, 0));
      const path = `${folder}/${name}-${colorScheme}-${width}.png`;
      if (part) await page.locator(part).screenshot({ path });
      else await page.screenshot({ path, fullPage: true });
    }
  }
}

test('the main pages have their picture taken', { skip: !folder }, async () => {
  await mkdir(folder!, { recursive: true });
  const ada = await person('ada');
  const { page } = ada;
  await page.goto('/sign-in');
  await pictures(ada, 'sign-in');
  await page.goto('/sign-in?error=token_invalid&method=password');
  await pictures(ada, 'sign-in-error');
  await page.goto('/sign-in?error=mfa_required');
  await pictures(ada, 'second-factor');
  await page.goto('/reset?token=abc');
  await pictures(ada, 'reset');
  await page.goto('/join?token=abc');
  await pictures(ada, 'join');
  await page.evaluate(() => sessionStorage.clear());

  await signIn(ada);
  await pictures(ada, 'notes-empty');
  for (const text of [
    'Buy more coffee',
    'Passkeys for everyone by Friday',
    'Call Grace about the compiler',
  ]) {
    await page.getByLabel('New note').fill(text);
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.locator('#notes').getByText(text).waitFor();
  }
  await pictures(ada, 'notes');
  await page.goto('/account');
  await page.getByText('No organizations yet.').waitFor();
  await pictures(ada, 'account-empty');
  await page.getByLabel('Key name').fill('Backup script');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Copy your key now.').waitFor();
  await page.getByLabel('Organization name').fill('Analytical Engines Ltd');
  await page.getByRole('button', { name: 'Create organization' }).click();
  await page.locator('summary').click();
  await page.getByText('You', { exact: true }).waitFor();
  for (const [email, role] of [
    ['grace@acme.test', 'admin'],
    ['a-long-name-that-wants-a-line-of-its-own@research.acme.test', 'member'],
  ] as const) {
    await page.getByLabel('Invite by email').fill(email);
    await page.getByLabel('Role', { exact: true }).selectOption(role);
    await page.getByRole('button', { name: 'Send invitation', exact: true }).click();
    await page.getByText(`Invitation sent to ${email}.`).waitFor();
  }
  await page.getByLabel('Key name for Analytical Engines Ltd').fill('Build server');
  await page.getByRole('button', { name: 'Create key for Analytical Engines Ltd' }).click();
  await page.getByText('Copy this key now.').waitFor();
  await page.getByRole('button', { name: 'Set up authenticator app' }).click();
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  await pictures(ada, 'account-busy');
  await pictures(ada, 'organization', '#organizations');
  await page.getByRole('button', { name: 'Delete account' }).click();
  await page.getByRole('heading', { name: 'Delete your account?' }).waitFor();
  for (const [colorScheme, width] of [
    ['light', 360],
    ['dark', 1280],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 740 });
    await page.screenshot({ path: `${folder}/delete-${colorScheme}-${width}.png` });
  }
  await page.goto('/inbox');
  await pictures(ada, 'inbox');
});
