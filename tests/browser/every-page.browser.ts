/** Every page in every state: accessible in light and dark, without scrolling sideways at any width, and as in its picture. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { axeFaultsOf } from './support/axe.js';
import { open } from './support/hands.js';
import { startPageApplication } from './support/page-application.js';
import { world } from './support/people.js';
import { comparePicture, pictureScale, renewsPictures } from './support/pictures.js';
import { tour } from './support/tour.js';

const site = world(() => startPageApplication({ isStrict: true }));

const heights = { 1280: 800, 768: 1024, 430: 932, 360: 740 } as const;
type Width = keyof typeof heights;
const widths = [1280, 768, 430, 360] as const;

/** Which combinations of a width and a color scheme have a picture. Each width and each scheme, in both directions. */
const pictured: Record<'en' | 'ar', readonly (readonly [Width, 'light' | 'dark'])[]> = {
  en: [
    [1280, 'light'],
    [768, 'dark'],
    [360, 'light'],
  ],
  ar: [
    [1280, 'dark'],
    [360, 'light'],
  ],
};

const setScreen = async (page: Page, width: Width, colorScheme: 'light' | 'dark') => {
  await page.setViewportSize({ width, height: heights[width] });
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
};

for (const language of ['en', 'ar'] as const) {
  test(`every page is accessible, fits every width and looks like its pictures (${language})`, async () => {
    const ada = await site.person('ada', {
      language,
      deviceScaleFactor: pictureScale,
      viewport: { width: 1280, height: 800 },
    });
    ada.email = `ada@${language}.acme.test`;
    const { page } = ada;
    const faults: string[] = [];
    await tour(site, ada, async (name) => {
      for (const width of widths) {
        await setScreen(page, width, 'light');
        const excess = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        if (excess > 0) faults.push(`${name}: scrolls sideways by ${excess} px at ${width} px`);
      }
      for (const [width, scheme] of pictured[language]) {
        await setScreen(page, width, scheme);
        const problem = await comparePicture(page, `${name}-${language}-${width}-${scheme}`);
        if (problem) faults.push(problem);
      }
      faults.push(...(await axeFaultsOf(page)).map((fault) => `${name}: ${fault}`));
      await setScreen(page, 1280, 'light');
    });
    assert.deepEqual(faults, []);
  });
}

test('a torn layout is noticed', { skip: renewsPictures && 'the pictures are being renewed' }, async () => {
  const torn = {
    'a card at the wrong place': '.column > main { margin-inline-start: 20rem; }',
    'a form without its field': '.field { display: none; }',
    'buttons on top of each other': '.others { position: absolute; }',
    'no stylesheet': '*, * * { all: revert !important; }',
  };
  for (const [what, content] of Object.entries(torn)) {
    const { context, page } = await site.person('ada', {
      bypassCSP: true,
      deviceScaleFactor: pictureScale,
      viewport: { width: 1280, height: 800 },
    });
    await page.goto('/sign-in');
    assert.equal(await comparePicture(page, 'sign-in-en-1280-light'), null);
    await page.addStyleTag({ content });
    assert.notEqual(await comparePicture(page, 'sign-in-en-1280-light'), null, what);
    await context.close();
  }
});

test('the pages work on a phone that shows them at three pixels per point', async () => {
  const { page } = await site.person('ada', {
    deviceScaleFactor: 3,
    hasTouch: true,
    isMobile: true,
    viewport: { width: 360, height: 740 },
  });
  await page.goto('/sign-in');
  await open(page, 'Create an account');
  const font = await page
    .getByLabel('Email address')
    .evaluate((input) => parseFloat(getComputedStyle(input).fontSize));
  // iOS zooms in on a field with smaller letters.
  assert.ok(font >= 16, `${font} px`);
});
