/** What interrupts people: a reload, a deep link, another account, a slow network, a server that does not answer, a stale tab. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import { fill, open, press, see, seeNotes, seePage } from './support/hands.js';
import { startPageApplication } from './support/page-application.js';
import { world, type Person } from './support/people.js';
import { password, passwordField, signIns } from './support/sign-ins.js';

const site = world(() => startPageApplication());
const { person, message, lastMessageId, origin } = site;
const { askForCode, enterAddress, enterMailedCode, enterPassword, signIn, signOut, signUp } = signIns(site);

const pathOf = ({ page }: Person) => page.url().slice(origin().length);

test('a reload at every step of the sign-in stays there, with the address', async () => {
  const ada = await person();
  const { page, email } = ada;
  await enterAddress(ada);
  await page.reload();
  await see(page, email);
  const code = await askForCode(ada);
  await page.reload();
  await seePage(page, 'Check your email');
  await see(page, email);
  await open(page, 'Email me a link instead');
  await see(page, 'This page continues when you open the link.');
  await page.reload();
  await see(page, 'This page continues when you open the link.');
  await see(page, email);
  // Asking for a link has not ended the code.
  await open(page, 'Email me a code instead');
  await seePage(page, 'Check your email');
  await fill(page, 'Code', (await newestCode(email)) ?? code);
  await seeNotes(page);
});

const newestCode = async (email: string) => {
  const messages = await site.site().messages();
  return messages.find(({ to, code }) => to === email && code !== undefined)?.code;
};

test('a reload after a refused form shows the step again and sends nothing', async () => {
  const ada = await person();
  const { page } = ada;
  await enterPassword(ada, 'wrong horse battery');
  await see(page, 'The email address or password is wrong.');
  const posts: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') posts.push(request.url());
  });
  await page.reload();
  await passwordField(page, 'Password').waitFor();
  await see(page, ada.email);
  assert.deepEqual(posts, []);
});

test('a reload at the second step stays there, after a code and after a link', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  await page.goto('/account/security/authenticator');
  await press(page, 'Continue');
  const secret = (await page.locator('.secret-text').innerText()).replace(/\s/g, '');
  const code = () => {
    site.site().advance(30_000);
    return new TOTP({ secret }).generate({ timestamp: site.site().now() });
  };
  await fill(page, 'Authenticator code', code());
  await press(page, 'Turn on');
  await seePage(page, 'Save your recovery codes');
  await signOut(ada);

  await enterMailedCode(ada, '/sign-in?next=/notes');
  await seePage(page, 'Two-factor authentication');
  await page.reload();
  await seePage(page, 'Two-factor authentication');
  await fill(page, 'Code', code());
  await seeNotes(page);
  assert.equal(pathOf(ada), '/notes');
  await signOut(ada);

  await enterAddress(ada);
  const since = await lastMessageId();
  await open(page, 'Email me a link instead');
  await page.goto((await message(ada.email, since)).link!);
  await seePage(page, 'Two-factor authentication');
  await page.reload();
  await seePage(page, 'Two-factor authentication');
  await fill(page, 'Code', code());
  await seeNotes(page);
});

test('a reload on a page of the account repeats no change', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  await page.goto('/account/tokens/new');
  await fill(page, 'Name', 'Backup script');
  await press(page, 'Create key');
  await seePage(page, 'API key created');
  await page.reload();
  await page.goto('/account/tokens');
  assert.equal(await page.locator('[aria-labelledby=keys] li').count(), 1);
});

test('a reload does not repeat the message of a change', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  await page.goto('/account/profile/name');
  await fill(page, 'Name', 'Ada');
  await press(page, 'Save');
  await see(page, 'Profile saved.');
  assert.equal(pathOf(ada), '/account/profile');
  await page.reload();
  await seePage(page, 'Profile');
  assert.equal(await page.getByText('Profile saved.').count(), 0);
});

test('a sign-in ends at the page that was asked for, by code and by an identity provider, once', async () => {
  const ada = await person();
  await ada.page.goto('/account/devices');
  await fill(ada.page, 'Email address', ada.email);
  await press(ada.page, 'Continue');
  await fill(ada.page, 'Code', await askForCode(ada));
  await see(ada.page, 'This device');
  assert.equal(pathOf(ada), '/account/devices');
  await signOut(ada);
  await signIn(ada);
  assert.equal(pathOf(ada), '/');

  const bob = await person('bob');
  await bob.page.goto('/account/devices');
  await open(bob.page, 'Continue with Google');
  await fill(bob.page, 'Email address', bob.email);
  await bob.page.getByRole('button', { name: 'Continue' }).click();
  await see(bob.page, 'This device');
  assert.equal(pathOf(bob), '/account/devices');
});

test('a session that ended leads to the sign-in and back to the page', async () => {
  const ada = await person();
  const { page, context } = ada;
  await signIn(ada);
  await page.goto('/account/tokens/new');
  await context.clearCookies();
  await fill(page, 'Name', 'Too late');
  await press(page, 'Create key');
  await fill(page, 'Email address', ada.email);
  await press(page, 'Continue');
  await fill(page, 'Code', await askForCode(ada));
  await seePage(page, 'Create API key');
  assert.equal(pathOf(ada), '/account/tokens/new');
});

test('a sign-in ends only at pages of this site', async () => {
  const targets = [
    'https://evil.example/',
    '//evil.example/account',
    '/\\evil.example/account',
    '/\t/evil.example',
    'javascript:alert(1)',
    'http://[',
  ];
  for (const target of targets) {
    const ada = await person();
    await enterMailedCode(ada, `/sign-in?next=${encodeURIComponent(target)}`);
    await seeNotes(ada.page);
    assert.deepEqual([target, pathOf(ada)], [target, '/']);
    await ada.context.close();
  }
});

test('a server that does not answer leaves a form that can be sent again', async () => {
  const ada = await person();
  const { page } = ada;
  await page.goto('/sign-in');
  await fill(page, 'Email address', ada.email);
  let isDown = true;
  await page.route('**/sign-in', (route) =>
    isDown && route.request().method() === 'POST' ? route.abort('failed') : route.continue(),
  );
  const failed = page.waitForEvent('requestfailed', (request) => request.method() === 'POST');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await failed;
  isDown = false;
  // The error page interrupts what is opened before it is there.
  for (let tries = 1; ; tries += 1) {
    const error: unknown = await page.goto('/sign-in').catch((reason: unknown) => reason);
    if (!(error instanceof Error)) break;
    if (tries === 200) throw error;
    await page.waitForTimeout(300);
  }
  await fill(page, 'Email address', ada.email);
  await press(page, 'Continue');
  await passwordField(page, 'Password').waitFor();
});

test('on a slow network the button is busy, a second click sends nothing, and the sign-in completes', async () => {
  const ada = await person();
  const { page } = ada;
  await page.goto('/sign-in');
  const devtools = await ada.context.newCDPSession(page);
  await devtools.send('Network.enable');
  // The limits of DevTools for a slow 3G connection.
  const slow = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
  await devtools.send('Network.emulateNetworkConditions', slow);
  const posts: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    // Not the suggestions of passkeys.
    if (request.method() === 'POST' && !pathname.startsWith('/api/')) posts.push(pathname);
  });
  await fill(page, 'Email address', ada.email);
  const button = page.getByRole('button', { name: 'Continue', exact: true });
  await button.click();
  assert.equal(await button.getAttribute('aria-busy'), 'true');
  await button.click();
  await passwordField(page, 'Password').waitFor();
  const code = await askForCode(ada);
  await fill(page, 'Code', code);
  await seeNotes(page);
  assert.deepEqual(posts, ['/sign-in', '/sign-in/password/use-code', '/sign-in/code']);
});

test('the second click of a double click does not press the button of the next step', async () => {
  const ada = await person();
  const { page } = ada;
  await enterAddress(ada);
  await askForCode(ada);
  const click = async (clickCount: number) => {
    await page.mouse.down({ clickCount });
    await page.mouse.up({ clickCount });
  };
  const hover = (name: string) => page.getByRole('button', { name, exact: true }).hover();
  await hover('Use your password instead');
  await click(1);
  await passwordField(page, 'Password').waitFor();
  await hover('Email me a link instead');
  await click(2);
  await page.waitForTimeout(300);
  await passwordField(page, 'Password').waitFor();
  await hover('Email me a link instead');
  await click(1);
  await see(page, 'This page continues when you open the link.');
});

test('a form of a tab that shows one account changes nothing in another that was signed in to since', async () => {
  const [ada, bob] = [await person('ada'), await person('bob')];
  const { page } = ada;
  await signIn(ada);
  await page.goto('/account/tokens/new');
  await fill(page, 'Name', 'Of whom?');
  const second = { ...bob, context: ada.context, page: await ada.context.newPage() };
  await signOut(second);
  await signIn(second);

  await press(page, 'Create key');
  await see(page, `You’re now signed in as ${bob.email}. Nothing was changed.`);
  assert.equal(await page.getByLabel('Name').inputValue(), '');
  await page.goto('/account/tokens');
  await see(page, 'You have no API keys.');
});

test('two tabs of one browser sign in one after the other', async () => {
  const ada = await person();
  const { page } = ada;
  await signUp(ada);
  await seeNotes(page);
  await signOut(ada);
  await enterAddress(ada);
  const second = { ...ada, page: await ada.context.newPage() };
  await enterPassword(second);
  await seeNotes(second.page);
  // The form of the first tab still works, although the second one has finished the flow.
  await passwordField(page, 'Password').fill(password);
  await press(page, 'Sign in');
  await page
    .getByRole('heading', { level: 1 })
    .filter({ hasText: /Your notes|Sign in to Acme/ })
    .waitFor();
  await page.goto('/');
  await seeNotes(page);
});
