/** What removes something asks first: every button that does, and what its dialog promises. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { faultsOf } from './support/axe.js';
import { confirm, fill, open, press, see } from './support/hands.js';
import { world, type Person } from './support/people.js';

const { person, signIn } = world();

const dialogOf = (page: Page) => page.getByRole('dialog');

async function withKey(): Promise<Person> {
  const ada = await person();
  await signIn(ada);
  await open(ada.page, 'Account');
  await see(ada.page, 'No keys yet.');
  await fill(ada.page, 'Key name', 'Backup script');
  await press(ada.page, 'Create key');
  await see(ada.page, 'Copy your key now.');
  return ada;
}

test('a dialog names what is removed, begins at Cancel, and is readable for everyone', async () => {
  const { page } = await withKey();
  await open(page, 'Revoke Backup script');
  const dialog = dialogOf(page);
  assert.equal(await dialog.getByRole('heading').innerText(), 'Revoke Backup script?');
  assert.equal(await page.locator(':focus').innerText(), 'Cancel');
  assert.deepEqual(await faultsOf(page, 'dialog[open]'), []);
  const named = await dialog.evaluate((element) =>
    ['aria-labelledby', 'aria-describedby'].map(
      (name) => document.getElementById(element.getAttribute(name)!)?.textContent,
    ),
  );
  assert.deepEqual(named, [
    'Revoke Backup script?',
    'Programs that use this key stop working. This cannot be undone.',
  ]);
});

test('nothing is removed by Cancel, by Escape, or by a double click, and the focus returns', async () => {
  const { page } = await withKey();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.method()));
  const revoke = page.getByRole('button', { name: 'Revoke Backup script', exact: true });
  await revoke.click();
  await open(page, 'Cancel');
  await dialogOf(page).waitFor({ state: 'hidden' });
  assert.equal(await revoke.evaluate((element) => element === document.activeElement), true);
  await revoke.click();
  await page.keyboard.press('Escape');
  await dialogOf(page).waitFor({ state: 'hidden' });

  // The button that confirms is put where the first click was.
  const box = (await revoke.boundingBox())!;
  await page.evaluate(
    ({ x, y }) => {
      new MutationObserver(() => {
        const button = document.querySelector<HTMLElement>('dialog[open] .danger');
        if (!button) return;
        const at = button.getBoundingClientRect();
        button.style.translate = `${x - at.left - at.width / 2}px ${y - at.top - at.height / 2}px`;
      }).observe(document.body, { childList: true });
    },
    { x: box.x + box.width / 2, y: box.y + box.height / 2 },
  );
  await revoke.dblclick();
  assert.equal(await dialogOf(page).isVisible(), true);
  assert.equal(requests.includes('DELETE'), false);
});

test('a key is revoked by keyboard alone', async () => {
  const { page } = await withKey();
  await page.getByRole('button', { name: 'Revoke Backup script' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Shift+Tab');
  assert.equal(await page.locator(':focus').innerText(), 'Revoke key');
  await page.keyboard.press('Enter');
  await see(page, 'Key revoked.');
  await see(page, 'No keys yet.');
});

test('a note is deleted after a question', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  await fill(page, 'New note', 'Worth keeping');
  await press(page, 'Add note');
  await press(page, 'Delete: Worth keeping');
  await open(page, 'Cancel');
  assert.equal(await page.locator('#notes li').count(), 1);
  await press(page, 'Delete: Worth keeping');
  await confirm(page, 'Delete note');
  await see(page, 'No notes yet.');
});
