/** Pages with ejected templates that an application has changed: the policy, the script and axe. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { startAccountApplication, type AccountApplication } from './support/account-application.js';
import { faultsOf } from './support/axe.js';
import { launchBrowser, newAddress, newContext } from './support/people.js';

const folder = mkdtempSync(path.join(tmpdir(), 'ejected-'));
let site: AccountApplication;
let browser: Browser;

/** Loaded by a path that the compiler does not follow: it has no types of a browser. */
async function eject(): Promise<void> {
  const commandLine: string = '../support/command-line.js';
  const { runCommandLine } = (await import(commandLine)) as {
    runCommandLine: (args: string[], options: { folder: string }) => Promise<{ code: number | null }>;
  };
  const { code } = await runCommandLine(['pages', 'eject', '.', '--ts'], { folder });
  assert.equal(code, 0);
}

function change(file: string, from: string, to: string): void {
  const text = readFileSync(path.join(folder, file), 'utf8');
  assert.ok(text.includes(from), `${file} contains ${from}`);
  writeFileSync(path.join(folder, file), text.replace(from, to));
}

before(async () => {
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  await eject();
  // One changed line each: a stylesheet of the application, an inline script, which the policy refuses, and markup.
  change(
    'document.ts',
    '<meta charset="utf-8" />',
    '<meta charset="utf-8" /><link rel="stylesheet" href="/own.css" /><script>document.title = "inline"</script>',
  );
  change(
    'account-frame.ts',
    '<div class="heading">',
    '<p class="own">Your account at Acme</p><div class="heading">',
  );
  const index = (await import(path.join(folder, 'index.ts'))) as { templates: object };
  site = await startAccountApplication(index.templates);
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a changed document and frame keep the files and the policy of the pages, and axe finds nothing', async () => {
  const context = await newContext(browser, site);
  const token = await site.signIn(newAddress());
  await context.addCookies([{ name: 'svc_session', value: token, url: site.origin, httpOnly: true }]);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
      complaints.push(message.text());
  });
  for (const section of ['profile', 'security', 'devices', 'tokens', 'data']) {
    await page.goto(`/account/${section}`);
    const own = page.getByText('Your account at Acme');
    assert.equal(await own.evaluate((element) => getComputedStyle(element).letterSpacing), '3px');
    assert.notEqual(await page.title(), 'inline');
    assert.deepEqual(await faultsOf(page), [], section);
  }
  // Only the inline script was refused, once on each page.
  assert.equal(complaints.length, 5);
  for (const complaint of complaints) assert.match(complaint, /inline script.*Content Security Policy/);

  // The script of the pages runs: a refused form replaces the content without a reload.
  await page.goto('/account/profile/username');
  await page.evaluate(() => void Object.assign(window, { isSamePage: true }));
  await page.getByRole('button', { name: 'Save username', exact: true }).click();
  await page.getByText('Enter a username.', { exact: true }).waitFor();
  assert.equal(await page.evaluate(() => 'isSamePage' in window), true);
  assert.equal(await page.getByText('Your account at Acme').count(), 1);
});
