/** What interrupts people: a reload, a deep link, another account, a server that does not answer, a stale tab. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import { choose, fill, open, press, see, seeNotes } from './support/hands.js';
import { world, type Person } from './support/people.js';

const { person, message, lastMessageId, enterCode, signIn, origin } = world();

const pathOf = ({ page }: Person) => page.url().slice(origin().length);

/** Signs in with a code on the sign-in page that is open. */
async function signInHere({ page, email }: Person): Promise<void> {
  await fill(page, 'Email address', email);
  const since = await lastMessageId();
  await press(page, 'Email me a code');
  await fill(page, 'Code from the email', (await message(email, since)).code!);
  await press(page, 'Sign in');
}

test('a reload at the code step stays there, with the address', async () => {
  const ada = await person();
  const { page, email } = ada;
  await page.goto('/sign-in');
  await fill(page, 'Email address', email);
  await press(page, 'Email me a code');
  await see(page, "We've sent a code to");
  await page.reload();
  await see(page, email);
  await fill(page, 'Code from the email', (await message(email)).code!);
  await press(page, 'Sign in');
  await seeNotes(page);
});

test('a reload at the code step of a phone keeps the method and the number', async () => {
  const { page } = await person();
  const number = `+4915126${String(process.pid).padStart(6, '0').slice(-6)}`;
  await page.goto('/sign-in');
  await choose(page, 'Phone');
  await fill(page, 'Phone number', number);
  await press(page, 'Text me a code');
  await see(page, "We've sent a code to");
  await page.reload();
  await see(page, number);
  await fill(page, 'Code from the message', (await message(number)).code!);
  await press(page, 'Sign in');
  await seeNotes(page);
});

test('a reload at the second factor stays there, after a code and after a link', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  await open(page, 'Account');
  await press(page, 'Set up authenticator app');
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  const secret = (await page.locator('#totp-secret').innerText()).replace(/\s/g, '');
  const code = (steps: number) => new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 });
  await fill(page, 'Authenticator code', code(-1));
  await press(page, 'Turn on two-factor');
  await see(page, 'Your recovery codes');
  await press(page, 'Sign out');
  await see(page, "You've signed out.");

  await enterCode(ada);
  await see(page, 'One more step');
  await page.reload();
  await see(page, 'One more step');
  await fill(page, 'Authenticator code', code(0));
  await press(page, 'Sign in');
  await seeNotes(page);
  await press(page, 'Sign out');
  await see(page, "You've signed out.");

  await choose(page, 'Link');
  await fill(page, 'Email address', ada.email);
  const since = await lastMessageId();
  await press(page, 'Email me a link');
  await page.goto((await message(ada.email, since)).link!);
  await see(page, 'One more step');
  await page.waitForURL(({ search }) => search === '');
  await page.reload();
  await see(page, 'One more step');
  await fill(page, 'Authenticator code', code(1));
  await press(page, 'Sign in');
  await seeNotes(page);
});

test('a deep link is where a sign-in ends, by code and by an identity provider', async () => {
  const ada = await person();
  await ada.page.goto('/account#devices');
  await signInHere(ada);
  await see(ada.page, 'this device');
  assert.equal(pathOf(ada), '/account#devices');
  // Once: the next sign-in ends at the notes.
  await press(ada.page, 'Sign out');
  await see(ada.page, "You've signed out.");
  await signInHere(ada);
  await seeNotes(ada.page);

  const bob = await person('bob');
  await bob.page.goto('/account');
  await open(bob.page, 'Google');
  await fill(bob.page, 'Email address', bob.email);
  await bob.page.getByRole('button', { name: 'Continue' }).click();
  await see(bob.page, 'this device');
  assert.equal(pathOf(bob), '/account');
});

test('a session that ended on a page leads back to that page', async () => {
  const ada = await person();
  const { page, context } = ada;
  await signIn(ada);
  await open(page, 'Account');
  await see(page, 'No keys yet.');
  await context.clearCookies();
  await fill(page, 'Key name', 'Too late');
  await press(page, 'Create key');
  await see(page, "You've been signed out.");
  await signInHere(ada);
  await see(page, 'this device');
  assert.equal(pathOf(ada), '/account');
});

test('a sign-in ends only at pages of this site, and at none of its routes', async () => {
  const targets = [
    'https://evil.example/',
    '//evil.example/account',
    '/\\evil.example/account',
    'javascript:alert(1)',
    '/api/auth/magic-link/verify?token=of-an-attacker',
    '/account/../API/auth/google/start',
    'http://[',
  ];
  for (const target of targets) {
    const ada = await person();
    await ada.page.goto(`/sign-in?next=${encodeURIComponent(target)}`);
    await signInHere(ada);
    await seeNotes(ada.page);
    assert.deepEqual([target, pathOf(ada)], [target, '/']);
    await ada.context.close();
  }
});

test('an invitation that the wrong account opened is accepted after switching accounts', async () => {
  const [ada, grace] = [await person('ada'), await person('grace')];
  await signIn(ada);
  await open(ada.page, 'Account');
  await fill(ada.page, 'Organization name', 'Analytical Engines');
  await press(ada.page, 'Create organization');
  await ada.page.getByText('Analytical Engines', { exact: true }).click();
  const since = await lastMessageId();
  await fill(ada.page, 'Invite by email', grace.email);
  await press(ada.page, 'Send invitation');
  const { link } = await message(grace.email, since);

  const other = await person('other');
  const { page } = other;
  await signIn(other);
  await page.goto(link!);
  await see(page, other.email);
  await press(page, 'Accept invitation');
  await see(page, 'This invitation was sent to a different email address');
  await press(page, 'Use a different account');
  await see(page, 'Sign in to accept the invitation.');
  await signInHere({ ...other, email: grace.email });
  await see(page, grace.email);
  await press(page, 'Accept invitation');
  await see(page, 'Analytical Engines');
});

test('a server that does not answer is reported, and the form works again', async () => {
  const { page, email } = await person();
  await page.goto('/sign-in');
  await page.route('**/email-code/send', () => undefined);
  await fill(page, 'Email address', email);
  await press(page, 'Email me a code');
  const button = page.locator('#code-send button[data-busy]');
  assert.equal(await button.getAttribute('aria-disabled'), 'true');
  await page.getByText('The server did not respond.').waitFor({ timeout: 30_000 });
  assert.equal(await button.getAttribute('aria-disabled'), null);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await press(page, 'Email me a code');
  await see(page, "We've sent a code to");
});

test('the second click of a double-click does not press the button of the next step', async () => {
  const { page, email } = await person();
  const click = async (clickCount: number) => {
    await page.mouse.down({ clickCount });
    await page.mouse.up({ clickCount });
  };
  await page.goto('/sign-in');
  await fill(page, 'Email address', email);
  await page.getByRole('button', { name: 'Email me a code', exact: true }).hover();
  await click(1);
  await see(page, "We've sent a code to");
  await page.getByRole('button', { name: 'Continue as guest', exact: true }).hover();
  await click(2);
  await see(page, "We've sent a code to");
  await click(1);
  await seeNotes(page);
});

test('notes that are not saved in time are reported as well', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  await page.route('**/api/notes', () => undefined);
  await fill(page, 'New note', 'Still here');
  await press(page, 'Add note');
  await page.getByText('The server did not respond.').waitFor({ timeout: 30_000 });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await press(page, 'Add note');
  await page.locator('#notes').getByText('Still here').waitFor();
});

test('the error of a field goes when its value changes', async () => {
  const { page, email } = await person();
  await page.goto('/sign-in?method=password');
  await fill(page, 'Email address', email);
  await fill(page, 'Password', 'no such account');
  await press(page, 'Sign in');
  const error = page.locator('#login-password-error');
  await page.locator('#login-password-error:not(:empty)').waitFor();
  const field = page.locator('#login-password');
  await field.pressSequentially('x');
  assert.deepEqual([await error.textContent(), await field.getAttribute('aria-invalid')], ['', null]);
});

test('a reset offers to remove passkeys and API keys, and does not by itself', async () => {
  const ada = await person();
  const { page, email } = ada;
  await signIn(ada);
  await press(page, 'Sign out');
  await see(page, "You've signed out.");
  const resetWith = async (tick: boolean) => {
    await page.goto('/sign-in?method=password#forgot');
    await fill(page, 'Email address', email);
    const since = await lastMessageId();
    await press(page, 'Email me a reset link');
    await page.goto((await message(email, since)).link!);
    await fill(page, 'New password', 'a brand new battery');
    const box = page.getByLabel('Also remove my passkeys and API keys');
    assert.equal(await box.isChecked(), false);
    if (tick) await box.check();
    const sent = page.waitForRequest('**/password/reset');
    await press(page, 'Save password');
    await see(page, 'Password changed.');
    return (await sent).postDataJSON() as Record<string, unknown>;
  };
  assert.equal('revokeCredentials' in (await resetWith(false)), false);
  assert.equal((await resetWith(true))['revokeCredentials'], true);
});

test('a tab that shows one account changes nothing in another that was signed in to since', async () => {
  const [ada, bob] = [await person('ada'), await person('bob')];
  const { page } = ada;
  await signIn(ada);
  await open(page, 'Account');
  await see(page, 'No keys yet.');

  const second = { ...bob, context: ada.context, page: await ada.context.newPage() };
  await second.page.goto('/');
  await press(second.page, 'Sign out');
  await see(second.page, "You've signed out.");
  await signInHere(second);
  await seeNotes(second.page);

  await fill(page, 'Key name', 'Of whom?');
  await press(page, 'Create key');
  await see(page, 'You are now signed in to a different account.');
  await open(page, 'Reload page');
  await page.locator('header').getByText(bob.email).waitFor();
  await see(page, 'No keys yet.');
});

test('the answer session_changed is worded, wherever it comes from', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  const refused = { status: 409, json: { error: 'session_changed', message: 'The session has changed.' } };
  await page.route('**/api/notes', (route) =>
    route.request().method() === 'POST' ? route.fulfill(refused) : route.fallback(),
  );
  const request = page.waitForRequest((each) => each.method() === 'POST');
  await fill(page, 'New note', 'Mine');
  await press(page, 'Add note');
  await see(page, 'You are now signed in to a different account.');
  // The page says for whom it asks.
  const me = (await (await page.request.get('/me')).json()) as { id: string };
  assert.equal((await request).headers()['svc-user'], me.id);
});
