/** Every sign-in method in an application of a few lines: with and without a script, at each width, in two languages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill, open, seeNotes, seePage } from './support/hands.js';
import { startPageApplication } from './support/page-application.js';
import { newAddress, passkeyDevice, world, type Person } from './support/people.js';
import { password, passwordField, signIns } from './support/sign-ins.js';

const site = world(() => startPageApplication());
const { message, lastMessageId } = site;
const { askForCode, enterAddress } = signIns(site);

const screens = [
  { width: 1280, colorScheme: 'light' },
  { width: 768, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light' },
] as const;

const forget = ({ context }: Person) => context.clearCookies();
const submit = (page: Person['page'], name: string) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).click();

async function arrived({ page, email }: Person): Promise<void> {
  await seeNotes(page);
  assert.equal(await page.locator('#who').innerText(), email);
  assert.equal(new URL(page.url()).pathname, '/notes');
}

async function byPassword(ada: Person): Promise<void> {
  const { page, email, texts: t } = ada;
  await page.goto('/sign-up?next=/notes');
  await fill(page, t.email, email);
  await fill(page, t.password, password);
  await submit(page, t.signUp.submit);
  await arrived(ada);
  await forget(ada);
  await enterAddress(ada, '/sign-in?next=/notes');
  await passwordField(page, t.password).fill(password);
  await submit(page, t.signIn.submit);
  await arrived(ada);
}

async function byCode(ada: Person, hasScript: boolean): Promise<void> {
  const { page, texts: t } = ada;
  await enterAddress(ada, '/sign-in?next=/notes');
  await fill(page, t.code, await askForCode(ada));
  // The script submits a complete code.
  if (!hasScript) await submit(page, t.continue);
  // The first proof of the address removes the password of the sign-up.
  await seePage(page, t.notices.reclaimed.title);
  await open(page, t.continue);
  await arrived(ada);
}

async function byLink(ada: Person): Promise<void> {
  const { page, email, texts: t } = ada;
  await enterAddress(ada, '/sign-in?next=/notes');
  const since = await lastMessageId();
  await open(page, t.signIn.emailLink);
  await seePage(page, t.checkEmail.title);
  await page.goto((await message(email, since)).link!);
  await arrived(ada);
}

async function byProvider(ada: Person, provider: string): Promise<void> {
  const { page, email, texts: t } = ada;
  await page.goto('/sign-in?next=/notes');
  await open(page, t.continueWith(provider));
  // The page of the provider.
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await arrived(ada);
}

async function byReset(ada: Person): Promise<void> {
  const { page, email, texts: t } = ada;
  await page.goto('/reset');
  await fill(page, t.email, email);
  const since = await lastMessageId();
  await submit(page, t.reset.submit);
  await page.waitForURL('**/reset/sent');
  await page.goto((await message(email, since)).link!);
  await passwordField(page, t.newPassword).fill('a brand new battery');
  await submit(page, t.reset.save);
  await seePage(page, t.reset.done);
  await enterAddress(ada, '/sign-in?next=/notes');
  await passwordField(page, t.password).fill('a brand new battery');
  await submit(page, t.signIn.submit);
  await arrived(ada);
}

async function byPasskey(ada: Person): Promise<void> {
  const { page, texts: t } = ada;
  const { passkeys } = t.account;
  const device = await passkeyDevice(ada);
  await page.goto('/account/security/passkeys/add');
  await submit(page, passkeys.create);
  await page.waitForURL('**/account/security?*');
  await device.touchOnRequest();
  await forget(ada);
  await page.goto('/sign-in?next=/notes');
  await submit(page, t.signIn.passkey);
  await arrived(ada);
}

for (const language of ['en', 'ar'] as const) {
  for (const { width, colorScheme } of screens) {
    for (const javaScriptEnabled of [true, false]) {
      const how = javaScriptEnabled ? 'with a script' : 'without a script';
      test(`every method signs in ${how}, ${width} px wide, ${colorScheme}, in ${language}`, async () => {
        const ada = await site.person('ada', {
          ...{ language, colorScheme, javaScriptEnabled },
          viewport: { width, height: width === 360 ? 740 : 800 },
          ...(width === 360 && { hasTouch: true, isMobile: true }),
        });
        await byPassword(ada);
        await forget(ada);
        await byCode(ada, javaScriptEnabled);
        await forget(ada);
        await byLink(ada);
        await forget(ada);
        await byProvider(ada, 'Google');
        await forget(ada);
        // An account of another provider is not connected to an existing one by its address.
        await byProvider({ ...ada, email: newAddress() }, 'Orbit');
        await forget(ada);
        await byReset(ada);
        if (javaScriptEnabled) await byPasskey(ada);
        else assert.equal(await ada.page.locator('[data-passkey]:visible').count(), 0);
        await ada.context.close();
      });
    }
  }
}

test('a page has the language and the direction that the browser asks for', async () => {
  for (const [language, direction] of [
    ['en', 'ltr'],
    ['ar', 'rtl'],
  ] as const) {
    const { page, context } = await site.person('ada', { language });
    await page.goto('/sign-in');
    const html = page.locator('html');
    assert.deepEqual(
      [await html.getAttribute('lang'), await html.getAttribute('dir')],
      [language, direction],
    );
    await context.close();
  }
});

test('a page asks no other site for anything, and its script runs under its policy', async () => {
  const ada = await site.person();
  const { page } = ada;
  const others: string[] = [];
  const problems: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== site.origin()) others.push(request.url());
  });
  page.on('console', (each) => {
    if (/policy|refused/i.test(each.text())) problems.push(each.text());
  });
  await enterAddress(ada);
  await askForCode(ada);
  await page.goto('/sign-up');
  assert.deepEqual([others, problems], [[], []]);
});
