/** The pages of what few applications have: fields of a sign-up, challenges, links that ask elsewhere, and impersonations. */
import { fill, open, press } from './hands.js';
import type { PageApplication } from './page-application.js';
import type { Person, World } from './people.js';
import { signIns } from './sign-ins.js';
import type { Look } from './tour.js';

/** @param look is called on each page. */
export async function rarePages(
  {
    message,
    lastMessageId,
    site,
  }: Pick<World, 'message' | 'lastMessageId'> & { site: () => PageApplication },
  ada: Person,
  look: Look,
): Promise<void> {
  const { page, email, texts: t } = ada;
  const { askForCode, enterAddress } = signIns({ message, lastMessageId });
  await page.goto('/sign-up');
  await look('sign-up-fields');
  await enterAddress(ada);
  await fill(page, t.code, await askForCode(ada));
  await page.waitForURL('**/sign-up/complete*');
  await look('complete-sign-up');
  await press(page, t.signUp.submit);
  await page.locator('.error').first().waitFor();
  await look('complete-sign-up-empty');

  // The application says them in English alone.
  await page.getByLabel('Company').fill('Analytical Engines');
  await page.getByLabel('What do you do?').selectOption('engineering');
  await page.getByLabel('I accept the terms').check();
  await press(page, t.signUp.submit);
  await page.waitForURL((url) => !url.pathname.startsWith('/sign-up'));
  await page.goto('/account/activity');
  await look('account-activity');

  const context = page.context();
  await context.clearCookies();
  await enterAddress(ada);
  const since = await lastMessageId();
  await open(page, t.signIn.emailLink);
  const { link } = await message(email, since);
  await context.clearCookies();
  await page.goto(link!);
  await look('link-confirmation');

  const token = await site().impersonate(email);
  await context.addCookies([{ name: 'svc_session', value: token, url: site().origin, httpOnly: true }]);
  await page.goto('/account/profile');
  await look('impersonation');

  // With a script it continues by itself.
  await context.clearCookies();
  await page.route('**/*.js', (route) => route.abort());
  await page.goto('/sign-up');
  await page.getByLabel(t.email).fill('grace@acme.test');
  await page.getByLabel(t.password, { exact: true }).fill('correct horse battery staple');
  await page.getByLabel('Company').fill('Analytical Engines');
  await page.getByLabel('What do you do?').selectOption('engineering');
  await page.getByLabel('I accept the terms').check();
  await page.getByRole('button', { name: t.signUp.submit, exact: true }).click();
  await page.getByRole('heading', { name: t.challenge.title }).waitFor();
  await look('challenge');
}
