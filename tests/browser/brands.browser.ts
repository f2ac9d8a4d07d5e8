/** The pages in the brands of tests/support/brands.ts: as in their pictures, accessible, and whole at every width. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { axeFaultsOf } from './support/axe.js';
import { brandNames } from './support/brand-names.js';
import { visitBrand } from './support/brand-site.js';
import { launchBrowser } from './support/people.js';
import { comparePicture, pictureScale } from './support/pictures.js';
import { signIns } from './support/sign-ins.js';

let browser: Browser;
before(async () => void (browser = await launchBrowser()));
after(() => browser?.close());

for (const brand of brandNames)
  test(`the pages of a brand look like their pictures: ${brand}`, async () => {
    await visitBrand(browser, brand, pictureScale, async (site, ada) => {
      const { page } = ada;
      const faults: string[] = [];
      await page.goto('/sign-in');
      await look('sign-in', brand === 'yellow' ? 1280 : 430);
      await signIns(site).signUp(ada);
      await page.waitForURL('**/verify*');
      await page.goto('/account/security');
      await look('security', 1000);
      assert.deepEqual(faults, []);

      async function look(name: string, width: number): Promise<void> {
        faults.push(...(await widthFaults(page)).map((fault) => `${name}: ${fault}`));
        await page.setViewportSize({ width, height: 800 });
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          const problem = await comparePicture(page, `brand-${brand}-${name}-${colorScheme}`);
          if (problem) faults.push(problem);
        }
        faults.push(...(await axeFaultsOf(page)).map((fault) => `${name}: ${fault}`));
      }
    });
  });

test('the aside and the footer of a brand need no stylesheet, and its links have the color of their ground', async () => {
  await visitBrand(browser, 'yellow', 1, async (_site, { page }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto('/sign-in');
    const aside = page.locator('aside');
    const text = (await aside.locator('h2').boundingBox())!;
    const ground = (await aside.boundingBox())!;
    assert.ok(text.x - ground.x >= 64 && text.y - ground.y >= 64, 'the text has padding');
    const colors = await aside.evaluate((element) =>
      [element, element.querySelector('a')!].map((each) => getComputedStyle(each).color),
    );
    assert.equal(colors[0], colors[1]);
    const [terms, privacy] = await page.locator('footer a').all();
    assert.equal(
      (await terms!.boundingBox())!.y,
      (await privacy!.boundingBox())!.y,
      'the footer is one line',
    );

    // A rule of the application needs no selector of the package.
    await page.locator('aside').evaluate((element) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('aside { background: rgb(1, 2, 3); padding: 7px; }');
      document.adoptedStyleSheets = [sheet];
      return element;
    });
    const own = await aside.evaluate((element) => {
      const { backgroundColor, paddingTop } = getComputedStyle(element);
      return { backgroundColor, paddingTop };
    });
    assert.deepEqual(own, { backgroundColor: 'rgb(1, 2, 3)', paddingTop: '7px' });
  });
});

/** What is wider than the screen, and strips next to the card of a phone. */
async function widthFaults(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const width of [320, 360, 400, 412, 430, 480, 481, 768]) {
    await page.setViewportSize({ width, height: 800 });
    const seen = await page.evaluate(() => {
      const card = document.querySelector('.card')?.getBoundingClientRect();
      const [brand, signOut] = ['.brand', '.who form'].map((selector) =>
        document.querySelector(selector)?.getBoundingClientRect(),
      );
      const meet = brand && signOut && brand.left < signOut.right && signOut.left < brand.right;
      return { page: document.documentElement.scrollWidth, card: card?.width, meet };
    });
    if (seen.page > width) faults.push(`${width} px: the page is ${seen.page} px wide`);
    if (width <= 480 && seen.card !== undefined && seen.card !== width)
      faults.push(`${width} px: the card is ${seen.card} px wide`);
    if (seen.meet) faults.push(`${width} px: the logo covers the button to sign out`);
  }
  return faults;
}
