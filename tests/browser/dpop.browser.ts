/** A bearer session in Chromium whose key cannot be exported: an application on another site, with the client of this package. */
import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, newAddress } from './support/people.js';

/** Not an import of its name: the types of the package are not those of a browser. */
const application = new URL('../support/dpop-application.ts', import.meta.url).href;
const password = 'correct horse battery';

let [api, frontEnd]: Server[] = [];
let [apiOrigin, pageOrigin] = ['', ''];
let browser: Browser;

const listen = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

before(async () => {
  const { outputFiles } = await build({
    entryPoints: ['src/client.ts'],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'svcAuth',
    platform: 'browser',
    external: ['@simplewebauthn/browser', '@zxcvbn-ts/*', 'altcha-lib', 'altcha-lib/*'],
  });
  const script = outputFiles[0]!.text;
  frontEnd = createServer((req, res) => {
    const isScript = req.url === '/client.js';
    res.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    res.end(isScript ? script : '<!doctype html><title>App</title><script src="/client.js"></script>');
  });
  // A name and an address are two sites, and both are secure contexts.
  pageOrigin = `http://localhost:${await listen(frontEnd)}`;
  const { dpopApplication } = (await import(application)) as {
    dpopApplication: (pageOrigin: string) => RequestListener;
  };
  api = createServer(dpopApplication(pageOrigin));
  apiOrigin = `http://127.0.0.1:${await listen(api)}`;
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  api?.close();
  frontEnd?.close();
});

/** Runs a script of the page with a client, whose tokens the page keeps when it is reloaded. */
const run = (page: Page, work: string): Promise<unknown> =>
  page.evaluate(`(async () => {
    const storage = {
      get: () => localStorage.getItem('session'),
      set: (value) => value === null ? localStorage.removeItem('session') : localStorage.setItem('session', value),
    };
    const api = '${apiOrigin}';
    const client = svcAuth.createClient({ baseUrl: api + '/api/auth', bearer: { storage, dpop: true } });
    ${work}
  })()`);

test('the key of a session cannot be exported, survives a reload, and its tokens are worthless elsewhere', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(pageOrigin);
  const email = newAddress();
  const credentials = JSON.stringify({ email, password });
  const signedUp = (await run(page, `return client.password.signup(${credentials})`)) as {
    user: { id: string };
  };
  assert.ok(signedUp.user.id);

  await page.reload();
  const { user } = (await run(page, 'return client.session()')) as { user: { id: string } };
  assert.equal(user.id, signedUp.user.id);

  const payouts = `const url = api + '/payouts'; const headers = await client.requestHeaders('GET', url);
    const first = await fetch(url, { headers }); const again = await fetch(url, { headers });
    return [first.status, again.status];`;
  assert.deepEqual(await run(page, payouts), [200, 401]);

  const exported = await run(
    page,
    `const open = indexedDB.open('svc-auth'); await new Promise((done) => (open.onsuccess = done));
    const all = open.result.transaction('keys').objectStore('keys').getAll();
    await new Promise((done) => (all.onsuccess = done));
    const [{ privateKey }] = all.result;
    const formats = ['jwk', 'pkcs8', 'raw'];
    const failures = await Promise.all(formats.map((format) =>
      crypto.subtle.exportKey(format, privateKey).then(() => 'exported', (error) => error.name)));
    return [all.result.length, privateKey.extractable, failures.includes('exported')];`,
  );
  assert.deepEqual(exported, [1, false, false]);

  // A script took the tokens along: neither a program nor another browser can use them.
  const stored = JSON.parse((await run(page, `return localStorage.getItem('session')`)) as string) as {
    accessToken: string;
  };
  for (const authorization of [`Bearer ${stored.accessToken}`, `DPoP ${stored.accessToken}`])
    assert.equal((await fetch(`${apiOrigin}/payouts`, { headers: { authorization } })).status, 401);
  const other = await browser.newContext();
  const thief = await other.newPage();
  await thief.goto(pageOrigin);
  await thief.evaluate((value) => localStorage.setItem('session', value), JSON.stringify(stored));
  assert.deepEqual(await run(thief, 'return client.session()'), { user: null });
  const after = (await run(page, 'return client.session()')) as { user: { id: string } };
  assert.equal(after.user.id, signedUp.user.id);
});

test('tabs that start at the same time have one key', async () => {
  const context = await browser.newContext();
  const pages = await Promise.all([1, 2, 3].map(() => context.newPage()));
  await Promise.all(pages.map((page) => page.goto(pageOrigin)));
  const credentials = JSON.stringify({ email: newAddress(), password });
  await Promise.all(pages.map((page) => run(page, `await client.requestHeaders('GET', api)`)));
  await run(pages[0]!, `await client.password.signup(${credentials})`);
  for (const page of pages) {
    const { user } = (await run(page, 'return client.session()')) as { user: object | null };
    assert.ok(user);
  }
});
