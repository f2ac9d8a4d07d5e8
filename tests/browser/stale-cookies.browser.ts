/** One browser with session cookies of several domains, and one whose tabs show several accounts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { press, see, seeNotes, seePage } from './support/hands.js';
import { send, sessionOf } from './support/page-scripts.js';
import { startPageApplication } from './support/page-application.js';
import { world, type Person } from './support/people.js';
import { password, signIns } from './support/sign-ins.js';

const parent = 'acme.localhost';
const host = `app.${parent}`;
const site = world(() => startPageApplication({ host }));
const { person, origin } = site;
const { enterPassword, signOut, signUp } = signIns(site);

const restart = (cookieDomain: string | undefined) => site.site().restart({ cookieDomain });
const eightDays = 8 * 24 * 60 * 60_000;
const name = 'svc_session';

/** The domains of the session cookies in the browser, sorted; the one of a cookie with `Domain` starts with a dot. */
async function domainsOf({ context }: Person): Promise<string[]> {
  const cookies = (await context.cookies()).filter((cookie) => cookie.name === name);
  return cookies.map(({ domain }) => domain).sort();
}

/** A cookie of this domain with the token of a session that has ended. */
async function endedSession(domain: string, path = '/') {
  const bob = await person('bob');
  await signUp(bob);
  await seeNotes(bob.page);
  const { value } = (await bob.context.cookies()).find((cookie) => cookie.name === name)!;
  await signOut(bob);
  return { name, value, domain, path };
}

const signedOut = { status: 401, email: undefined };

/** The next request and the next page are this user's. */
async function seeSignedIn(who: Person): Promise<void> {
  await seeNotes(who.page);
  assert.deepEqual(await sessionOf(who.page), { status: 200, email: who.email });
  await who.page.goto('/notes');
  await see(who.page, `Signed in as ${who.email}.`);
}

/** @param left the domains of the cookies that no response can expire. */
async function signOutAtOnce(who: Person, left: string[] = []): Promise<void> {
  await signOut(who);
  assert.deepEqual(await sessionOf(who.page), signedOut);
  assert.deepEqual(await domainsOf(who), left);
  await who.page.goto('/notes');
  await seePage(who.page, 'Welcome');
}

const asShown = (domain: string | undefined) => (domain === undefined ? host : `.${domain}`);
const changes = [
  [undefined, parent],
  [parent, undefined],
  [parent, host],
  [host, parent],
] as const;

for (const [before, after] of changes) {
  const change = `session.cookie.domain changes from ${before ?? 'none'} to ${after ?? 'none'}`;

  test(`a user signs in again and signs out after ${change}`, async () => {
    await restart(before);
    const ada = await person();
    await signUp(ada);
    await seeSignedIn(ada);
    assert.deepEqual(await domainsOf(ada), [asShown(before)]);

    await restart(after);
    // The change of the option signs no one out.
    assert.deepEqual(await sessionOf(ada.page), { status: 200, email: ada.email });
    site.site().advance(eightDays);
    assert.deepEqual(await sessionOf(ada.page), signedOut);
    assert.deepEqual(await domainsOf(ada), [asShown(before)]);
    await enterPassword(ada);
    await seeSignedIn(ada);
    assert.deepEqual(await domainsOf(ada), [asShown(after)]);
    await signOutAtOnce(ada);
  });

  test(`no session of another user comes back after ${change}`, async () => {
    await restart(before);
    const [ada, bob] = [await person('ada'), await person('bob')];
    await signUp(bob);
    await seeNotes(bob.page);
    await signUp(ada);
    await seeNotes(ada.page);

    await restart(after);
    const login = { email: bob.email, password };
    assert.equal((await send(ada.page, '/password/login', login)).status, 200);
    const shared = { ...ada, email: bob.email };
    await seeSignedIn(shared);
    assert.deepEqual(await domainsOf(shared), [asShown(after)]);
    await signOutAtOnce(shared);
  });
}

test('a stale cookie of the parent domain is gone after the sign-in', async () => {
  await restart(undefined);
  for (const stale of [
    { name, value: 'stale', domain: `.${parent}`, path: '/' },
    await endedSession(`.${parent}`),
  ]) {
    const ada = await person();
    await ada.context.addCookies([stale]);
    await signUp(ada);
    await seeSignedIn(ada);
    assert.deepEqual(await domainsOf(ada), [host]);
    await signOutAtOnce(ada);
  }
});

test('a sign-in on another subdomain is valid on one with a stale cookie, which the sign-out removes', async () => {
  await restart(parent);
  const ada = await person();
  await ada.context.addCookies([await endedSession(host)]);
  await signUp(ada, `${origin().replace('app.', 'id.')}/sign-up`);
  await seeNotes(ada.page);
  // No response of the other subdomain can expire the cookie of this one, which the browser sends first.
  assert.deepEqual(await domainsOf(ada), [`.${parent}`, host]);
  await ada.page.goto('/');
  await seeSignedIn(ada);
  await signOutAtOnce(ada);
});

test('a stale cookie of a longer path, which the browser sends first and keeps, locks no one out', async () => {
  await restart(undefined);
  const ada = await person();
  await ada.context.addCookies([await endedSession(host, '/api'), await endedSession(host, '/notes')]);
  await signUp(ada);
  await seeSignedIn(ada);
  await signOutAtOnce(ada, [host, host]);
});

const deletion = ({ page, email }: Person) => page.getByLabel(`To confirm, type ${email}`);

/** A tab that shows the account of ada, and one in which bob signs up. */
async function twoTabs() {
  await restart(undefined);
  const [ada, { email }] = [await person('ada'), await person('bob')];
  await signUp(ada);
  await seeNotes(ada.page);
  return { ada, bob: { ...ada, email, page: await ada.context.newPage() } };
}

test('a form of a tab whose user has signed out in another tab changes nothing and asks to sign in', async () => {
  const { ada, bob } = await twoTabs();
  await ada.page.goto('/account/data/delete');
  await deletion(ada).fill(ada.email);
  await signOut(bob);
  await press(ada.page, 'Delete account');
  await seePage(ada.page, 'Sign in to Acme');
  await enterPassword(ada, password, ada.page.url());
  await seePage(ada.page, 'Delete your account');
  assert.equal(await deletion(ada).inputValue(), '');
});

test('forms of a tab that shows another user change neither account, and show whose session it is', async () => {
  const { ada, bob } = await twoTabs();
  await ada.page.goto('/account/data/delete');
  await deletion(ada).fill(ada.email);
  const third = await ada.context.newPage();
  await third.goto('/account/profile');
  await signOut(bob);
  await signUp(bob);
  await seeNotes(bob.page);

  await press(ada.page, 'Delete account');
  await see(ada.page, `You’re now signed in as ${bob.email}. Nothing was changed.`);
  assert.equal(await deletion({ ...ada, email: bob.email }).inputValue(), '');
  assert.equal(await ada.page.getByText(ada.email).count(), 0);
  await third.getByRole('button', { name: 'Sign out', exact: true }).click();
  await see(third, bob.email);
  await seeSignedIn(bob);
  await signOutAtOnce(bob);
  await enterPassword(ada);
  await seeSignedIn(ada);
});

test('a script of a tab that shows another user gets 409 session_changed and changes neither account', async () => {
  const { ada, bob } = await twoTabs();
  const shown = { 'svc-user': (await send(ada.page, '/session')).user!.id };
  await signOut(bob);
  await signUp(bob);
  await seeNotes(bob.page);
  for (const route of ['/logout', '/devices/revoke-others', '/api-keys']) {
    const { status, error } = await send(ada.page, route, { name: 'Of whom?' }, shown);
    assert.deepEqual([route, status, error], [route, 409, 'session_changed']);
  }
  await bob.page.goto('/account/tokens');
  await see(bob.page, 'You have no API keys.');
  await bob.page.goto('/');
  await seeSignedIn(bob);
});
