/** What every page must be: accessible, in light and dark, and no wider than a small phone. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe finds serious or critical, and what makes the page scroll sideways; empty where all is well.
 * @param part of the page that axe looks at, as a selector.
 * @param options.isStrict adds what axe finds moderate or minor.
 */
export async function faultsOf(page: Page, part = 'html', { isStrict = false } = {}): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // The way of the DevTools protocol, which the page's own policy has no say in.
    await page.evaluate(axe);
    const { violations } = await page.evaluate(
      (selector) =>
        (window as unknown as { axe: { run(part: string): Promise<AxeResults> } }).axe.run(selector),
      part,
    );
    for (const { id, impact, help, nodes } of violations) {
      if (!isStrict && impact !== 'serious' && impact !== 'critical') continue;
      faults.push(`${colorScheme}: ${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`);
    }
  }
  const before = page.viewportSize()!;
  await page.setViewportSize({ width: 360, height: 740 });
  const wide = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth ? `${scrollWidth} px wide` : null;
  });
  if (wide) faults.push(`at 360 px: ${wide}`);
  const small = await page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        'button, input:not([type=hidden], [aria-hidden=true]), select, a.button, summary',
      ),
    ]
      .filter((each) => each.offsetParent !== null && each.getBoundingClientRect().height < 44)
      .map((each) => each.outerHTML.slice(0, 120)),
  );
  faults.push(...small.map((html) => `less than 44 px high: ${html}`));
  await page.setViewportSize(before);
  return faults;
}
