/** The pictures of the README: `SCREENSHOTS=docs/images npm run test:e2e screenshots`. */
import { mkdir } from 'node:fs/promises';
import { test } from 'node:test';
import { startExample } from './support/example.js';
import { world } from './support/people.js';
import { signIns } from './support/sign-ins.js';

const folder = process.env['SCREENSHOTS'];

if (folder) {
  const site = world(() => startExample());
  const { signIn } = signIns(site);

  test('the pages of the README have their picture taken', async () => {
    await mkdir(folder, { recursive: true });
    const ada = await site.person('ada', { deviceScaleFactor: 1.5, viewport: { width: 1000, height: 720 } });
    ada.email = 'ada@acme.test';
    const { page } = ada;
    await page.goto('/sign-in');
    await page.screenshot({ path: `${folder}/sign-in.png`, caret: 'hide' });
    await signIn(ada);
    await page.goto('/account/security');
    await page.screenshot({ path: `${folder}/account.png`, caret: 'hide' });
  });

  test('the variables of the pages have their picture taken', async () => {
    const grace = await site.person('grace', {
      bypassCSP: true,
      deviceScaleFactor: 1.5,
      viewport: { width: 900, height: 760 },
    });
    const { page } = grace;
    await page.goto('/sign-in');
    await page.getByLabel(grace.texts.email).focus();
    await page.evaluate(label, [
      ['.column > header', '--page', 'inside'],
      ['.brand', '--font-heading', 'right'],
      ['.card', '--card, --line, --shadow', 'left'],
      ['h1', '--text', 'right'],
      ['input[name=email]', '--field, --focus, --radius', 'right'],
      ['button.primary', '--accent, --on-accent', 'right'],
      ['.below a', '--link', 'right'],
      ['.below', '--soft', 'left'],
    ] as const);
    await page.screenshot({ path: `${folder}/theme.png`, caret: 'hide' });
  });
} else {
  test(
    'the pages of the README have their picture taken',
    { skip: 'SCREENSHOTS names the folder' },
    () => {},
  );
}

type Side = 'inside' | 'left' | 'right';

/** Writes names next to elements, in the page. */
function label(names: readonly (readonly [selector: string, name: string, side: Side])[]): void {
  for (const [selector, name, side] of names) {
    const element = document.querySelector(selector);
    if (!element) throw new Error(`There is no ${selector}.`);
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const tag = document.createElement('div');
    tag.textContent = name;
    tag.style.cssText =
      'position: fixed; padding: 0 6px; border-radius: 4px; background: #10131a; color: #fff; font: 12px/20px monospace; white-space: nowrap; translate: 0 -50%';
    tag.style.top = `${(top + bottom) / 2}px`;
    if (side === 'left') tag.style.right = `${innerWidth - left + 8}px`;
    else tag.style.left = side === 'right' ? `${right + 8}px` : '16px';
    document.body.append(tag);
  }
}
