/** The recovery codes by their facts: a line each inside their card, and on paper alone with the name of the product. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { fill, press, seePage } from './support/hands.js';
import { startPageApplication } from './support/page-application.js';
import { world } from './support/people.js';
import { signIns } from './support/sign-ins.js';

const site = world(() => startPageApplication());
const { signIn } = signIns(site);

/** For each code: its lines, and whether all of it is inside the card. */
const factsOf = (page: Page) =>
  page.locator('#recovery-codes li').evaluateAll((codes) =>
    codes.map((code) => {
      const range = document.createRange();
      range.selectNodeContents(code);
      const boxes = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
      const lines = new Set(boxes.map(({ top }) => Math.round(top / 8))).size;
      const frame = code.closest('.panel')!.getBoundingClientRect();
      const inside = boxes.every(({ left, right }) => left >= frame.left && right <= frame.right);
      return { lines, inside };
    }),
  );

test('recovery codes are a line each inside their card, and on paper alone with the name of the product', async () => {
  const ada = await site.person();
  const { page } = ada;
  await signIn(ada);
  await page.goto('/account/security/authenticator');
  await press(page, 'Continue');
  const secret = (await page.locator('.secret-text').innerText()).replace(/\s/g, '');
  await fill(page, 'Authenticator code', new TOTP({ secret }).generate({ timestamp: site.site().now() }));
  await press(page, 'Turn on');
  await seePage(page, 'Save your recovery codes');
  const oneLineInside = Array.from({ length: 10 }, () => ({ lines: 1, inside: true }));
  for (const width of [1280, 768, 360]) {
    await page.setViewportSize({ width, height: 800 });
    assert.deepEqual([width, await factsOf(page)], [width, oneLineInside]);
  }

  // A page of A4 at 96 dots to the inch, without its margins.
  await page.setViewportSize({ width: 718, height: 1047 });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ media: 'print', colorScheme });
    assert.deepEqual(await factsOf(page), oneLineInside);
    const paper = (await page.locator('body').innerText()).split('\n').filter((line) => line.trim() !== '');
    const codes = await page.locator('#recovery-codes li').allInnerTexts();
    assert.ok(paper.includes(`Acme recovery codes of ${ada.email}`), paper.join(' | '));
    assert.deepEqual(paper.slice(-10), codes);
    assert.equal(await page.locator('button:visible, a:visible:not(.skip)').count(), 0);
    const [left, right, bottom, color] = await page.locator('#recovery-codes').evaluate((element) => {
      const box = element.getBoundingClientRect();
      const color = getComputedStyle(element).color.match(/\d+/g)!.map(Number);
      return [box.left, box.right, box.bottom, Math.max(...color)] as const;
    });
    assert.ok(left >= 0 && right <= 718 && bottom <= 1047, `not on the page: ${left}, ${right}, ${bottom}`);
    // Dark on white, whatever the color scheme of the screen.
    assert.ok(color < 64, `${colorScheme}: the codes are too light`);
  }
});
