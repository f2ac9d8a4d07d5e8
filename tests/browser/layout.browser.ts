/** Pictures by their facts: what is on one line, inside its card, and on paper. In light and dark, on a desk and on a phone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { fill, open, press, see } from './support/hands.js';
import { world } from './support/people.js';

const { person, signIn } = world();

const screens = [
  { name: 'desk', width: 1280, height: 800 },
  { name: 'phone', width: 360, height: 740 },
];

interface Facts {
  /** Lines of text, by the tops of their boxes. */
  lines: number;
  /** Whether all of its text is inside the nearest card or banner. */
  inside: boolean;
}

/** The facts about each element that the selector finds. */
function factsOf(page: Page, selector: string): Promise<Facts[]> {
  return page.locator(selector).evaluateAll((elements) =>
    elements.map((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const boxes = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
      const tops: number[] = [];
      // Text of another size on the same line begins a few pixels lower.
      for (const { top } of boxes) if (!tops.some((known) => Math.abs(known - top) < 8)) tops.push(top);
      const frame = (element.closest('.banner, .card, dialog') ?? document.body).getBoundingClientRect();
      const inside = boxes.every(
        ({ left, right, top, bottom }) =>
          left >= frame.left - 1 &&
          right <= frame.right + 1 &&
          top >= frame.top - 1 &&
          bottom <= frame.bottom + 1,
      );
      return { lines: tops.length, inside };
    }),
  );
}

async function onEveryScreen(page: Page, look: (screen: string) => Promise<void>): Promise<void> {
  for (const { name, ...size } of screens) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await look(`${name}, ${colorScheme}`);
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      );
      assert.equal(wide, false, `${name}: the page scrolls sideways`);
    }
  }
}

test('the banner for guests is one line on a desk and reads as one sentence on a phone', async () => {
  const { page } = await person();
  await page.goto('/sign-in');
  await press(page, 'Continue as guest');
  await see(page, 'No notes yet.');
  await onEveryScreen(page, async (screen) => {
    const [banner] = await factsOf(page, '.banner');
    assert.ok(banner?.inside, screen);
    assert.ok(banner.lines <= (screen.startsWith('desk') ? 1 : 3), `${screen}: ${banner.lines} lines`);
  });
});

test('recovery codes are a line each inside their card, and on paper alone with the name of the application', async () => {
  const ada = await person();
  const { page } = ada;
  await signIn(ada);
  await open(page, 'Account');
  await press(page, 'Set up authenticator app');
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  const secret = (await page.locator('#totp-secret').innerText()).replace(/\s/g, '');
  await fill(page, 'Authenticator code', new TOTP({ secret }).generate());
  await press(page, 'Turn on two-factor');
  await see(page, 'Your recovery codes');
  const oneLineInside = Array.from({ length: 10 }, () => ({ lines: 1, inside: true }));
  await onEveryScreen(page, async (screen) => {
    assert.deepEqual([screen, await factsOf(page, '#recovery-codes li')], [screen, oneLineInside]);
    const beyond = await page.locator('#recovery-codes').evaluate((list) => {
      const card = list.closest('.card')!;
      const edge = card.getBoundingClientRect().right - parseFloat(getComputedStyle(card).paddingRight);
      return list.getBoundingClientRect().right - edge;
    });
    assert.ok(beyond <= 0, `${screen}: the codes are ${beyond} px wider than their card allows`);
  });

  // A page of A4 at 96 dots to the inch, without its margins.
  await page.setViewportSize({ width: 718, height: 1047 });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ media: 'print', colorScheme });
    assert.deepEqual(await factsOf(page, '#recovery-codes li'), oneLineInside);
    const paper = (await page.locator('body').innerText()).split('\n').filter((line) => line.trim() !== '');
    const codes = await page.locator('#recovery-codes li').allInnerTexts();
    const [title, ...others] = paper;
    assert.equal(title, `Acme recovery codes of ${ada.email}`);
    assert.deepEqual(others.slice(-10), codes);
    assert.ok(others.length <= 12, `more on paper than the codes: ${paper.join(' | ')}`);
    const [left, right, bottom, color] = await page.locator('#recovery').evaluate((element) => {
      const box = element.getBoundingClientRect();
      return [box.left, box.right, box.bottom, getComputedStyle(element).color] as const;
    });
    assert.ok(left >= 0 && right <= 718 && bottom <= 1047, `not on the page: ${left}, ${right}, ${bottom}`);
    assert.equal(color, 'rgb(0, 0, 0)');
  }
});
