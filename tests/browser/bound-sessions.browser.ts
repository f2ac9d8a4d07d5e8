/**
 * `session.bound` in Chromium: a cookie jar that was copied is worthless within one lifetime, and its owner notices nothing. The browser
 * signs six times in nine minutes per site, which limits how often a test can refresh. `SCREENSHOTS=docs/images` takes the pictures of the
 * documentation again; `BOUND_MINUTES=60` runs ten tabs for an hour.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { startBoundApplication, type BoundApplication } from './support/bound-application.js';
import { newAddress } from './support/people.js';

const password = 'correct horse battery';
const [ttlMs, minutes] = [20_000, Number(process.env['BOUND_MINUTES'] ?? 0.75)];
/** The browser replaces a cookie in its last two minutes: one that lasts 140 seconds every 20, and a shorter one until its own limit. */
const tabsTtlMs = minutes > 1 ? 240_000 : 170_000;
const folder = process.env['SCREENSHOTS'];

let site: BoundApplication;
const profiles: { context: BrowserContext; data: string }[] = [];

before(async () => {
  site = await startBoundApplication(ttlMs);
});
after(async () => site?.close());
afterEach(async () => {
  for (const { context, data } of profiles.splice(0)) {
    await context.close();
    await rm(data, { recursive: true, force: true });
  }
});

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A browser with its own profile on the disk, as a person has it. @param binds whether it can bind sessions. */
async function openProfile({ application = site, binds = true } = {}): Promise<BrowserContext> {
  const data = await mkdtemp(path.join(tmpdir(), 'svc-auth-profile-'));
  const flags = binds ? application.flags : application.flags.filter((flag) => !flag.includes('features'));
  const context = await chromium.launchPersistentContext(data, {
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: [
      ...flags,
      '--disable-background-networking',
      '--disable-quic',
      '--no-first-run',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
    baseURL: application.origin,
    locale: 'en-US',
    reducedMotion: 'reduce',
    viewport: { width: 1000, height: 560 },
  });
  profiles.push({ context, data });
  return context;
}

const picture = async (page: Page, name: string) => {
  if (folder) await page.screenshot({ path: `${folder}/bound-${name}.png`, caret: 'hide' });
};

const who = (page: Page) =>
  page.evaluate(async () => {
    const response = await fetch('/who');
    return { status: response.status, bound: (await response.json()).bound as boolean | undefined };
  });

/** Signs in on the page, and waits until the browser has bound the session, if it can. */
async function signIn(context: BrowserContext, application = site, binds = true): Promise<Page> {
  const email = newAddress();
  await application.signUp(email, password);
  const page = await context.newPage();
  page.setDefaultTimeout(8_000);
  const seen = application.requests.length;
  await page.goto('/sign-in?next=/account/devices');
  await page.locator('input[name=email]').fill(email);
  await page.locator('input[name=email]').press('Enter');
  await page.locator('input[name=password]:not([type=hidden])').fill(password);
  await page.locator('input[name=password]').press('Enter');
  await page.waitForURL('**/account/devices');
  if (binds) await until(() => application.requests.slice(seen).some(isRegistration), 'a registration');
  return page;
}

const isRegistration = ({ path: to, status }: { path: string; status: number }) =>
  to === '/api/auth/session/bound' && status === 200;
const isRefresh = ({ path: to, status }: { path: string; status: number }) =>
  to === '/api/auth/session/bound/refresh' && status === 200;

async function until(condition: () => boolean, what: string): Promise<void> {
  for (let round = 0; round < 600; round += 1) {
    if (condition()) return;
    await wait(50);
  }
  assert.fail(`There was not ${what}.`);
}

test('a copied cookie jar is worthless within one lifetime, and the owner notices nothing', async () => {
  const owner = await openProfile();
  const page = await signIn(owner);
  await page.goto('/account/devices');
  await page.getByText('Bound to this device').waitFor();
  await picture(page, 'owner');
  const thief = await openProfile();
  await thief.addCookies(await owner.cookies());
  const copy = await thief.newPage();
  await copy.goto('/account/devices');
  await copy.getByText('Bound to this device').waitFor();
  await picture(copy, 'copy');
  assert.equal((await who(copy)).status, 200);
  await wait(ttlMs + 1_000);
  assert.equal((await who(copy)).status, 401);
  await copy.goto('/account/devices');
  await copy.getByText('Your session has ended.').waitFor();
  await picture(copy, 'copy-later');
  assert.deepEqual(await who(page), { status: 200, bound: true });
  await page.goto('/account/devices');
  await page.getByText('Bound to this device').waitFor();
  await picture(page, 'owner-later');
  // What the server asks for, because a script can send neither the mode with a proof nor the name of the session.
  const registered = site.requests.find(isRegistration);
  assert.equal(registered?.headers['sec-fetch-mode'], 'no-cors');
  assert.ok(site.requests.find(isRefresh)?.headers['sec-secure-session-id']);
});

test('a link of another site leads to the page, although the cookie must be replaced first', async () => {
  const page = await signIn(await openProfile());
  await wait(ttlMs);
  await page.goto(site.origin.replace('app.bound.test', 'www.other.test') + '/link');
  const seen = site.requests.length;
  await page.getByRole('link', { name: 'Go' }).click();
  await page.getByText('Bound to this device').waitFor();
  assert.ok(site.requests.slice(seen).some(isRefresh));
});

test('a sign-out ends the session of the browser too', async () => {
  const page = await signIn(await openProfile());
  await page.goto('/empty');
  await page.evaluate(() => fetch('/api/auth/logout', { method: 'POST' }));
  assert.equal((await who(page)).status, 401);
  const seen = site.requests.length;
  for (let round = 0; round < 3; round += 1) assert.equal((await who(page)).status, 401);
  assert.deepEqual(
    site.requests.slice(seen).map((request) => request.path),
    ['/who', '/who', '/who'],
  );
});

/** Signs in, and registers its own key in every mode of `fetch`. As text: the compiler adds helpers that the page does not have. */
const registersItself = `async (body) => {
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const signedIn = await fetch('/api/auth/password/login', json);
  const offer = signedIn.headers.get('secure-session-registration') ?? '';
  const [, jti] = /challenge="([^"]+)"/.exec(offer) ?? [];
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']);
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', pair.publicKey);
  const encode = (bytes) =>
    btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const bytesOf = (text) => new TextEncoder().encode(text);
  const part = (value) => encode(bytesOf(JSON.stringify(value)));
  const text = part({ alg: 'ES256', typ: 'dbsc+jwt', jwk: { kty, crv, x, y } }) + '.' + part({ jti });
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, pair.privateKey, bytesOf(text));
  const headers = { 'Secure-Session-Response': '"' + text + '.' + encode(signature) + '"' };
  const statuses = [];
  for (const mode of ['cors', 'same-origin', 'no-cors']) {
    const sent = await fetch('/api/auth/session/bound', { method: 'POST', mode, headers });
    statuses.push(sent.status);
  }
  return { jti, statuses };
}`;

test('a script of the page cannot register a key for a session that begins', async () => {
  const page = await signIn(await openProfile({ binds: false }), site, false);
  const email = newAddress();
  await site.signUp(email, password);
  const body = JSON.stringify({ email, password });
  const attempt: { jti?: string; statuses: number[] } = await page.evaluate(`(${registersItself})(${body})`);
  // The script reads the challenge, and the browser sends the cookie. What is left is the mode of the request.
  assert.ok(attempt.jti);
  assert.deepEqual(attempt.statuses, [401, 401, 401]);
  assert.deepEqual(await who(page), { status: 200, bound: false });
});

test('a browser that cannot bind sessions keeps an ordinary one', async () => {
  const page = await signIn(await openProfile({ binds: false }), site, false);
  await wait(ttlMs);
  assert.deepEqual(await who(page), { status: 200, bound: false });
  assert.equal(await page.evaluate(async () => (await fetch('/strict')).status), 403);
});

test('ten tabs share the refreshes, and no request of the owner fails', async (context) => {
  const application = await startBoundApplication(tabsTtlMs);
  try {
    const profile = await openProfile({ application });
    const first = await signIn(profile, application);
    const tabs = [first, ...(await Promise.all(Array.from({ length: 9 }, () => profile.newPage())))];
    await Promise.all(tabs.map((tab) => tab.goto('/empty')));
    const counts = await Promise.all(
      tabs.map((tab) =>
        tab.evaluate(async (lastsMs) => {
          const statuses: Record<string, number> = {};
          for (const end = Date.now() + lastsMs; Date.now() < end;) {
            const { status } = await fetch('/who');
            statuses[status] = (statuses[status] ?? 0) + 1;
            await new Promise((resolve) => setTimeout(resolve, 300));
          }
          return statuses;
        }, minutes * 60_000),
      ),
    );
    const refreshes = application.requests.filter(isRefresh).length;
    const requests = counts.reduce((sum, { 200: good = 0 }) => sum + good, 0);
    context.diagnostic(`${requests} requests, ${refreshes} refreshes in ${minutes} minutes`);
    // The headers of a refused request say why the browser has not refreshed.
    const refused = application.requests.filter(({ path: to, status }) => to === '/who' && status !== 200);
    assert.deepEqual(refused, []);
    for (const statuses of counts) assert.deepEqual(Object.keys(statuses), ['200']);
    assert.ok(refreshes > 0);
  } finally {
    await application.close();
  }
});
