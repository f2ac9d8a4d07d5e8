/** What every page must be: accessible, in light and dark, and no wider than a small phone. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds in light and in dark, of any impact. */
export async function axeFaultsOf(page: Page, part = 'html'): Promise<string[]> {
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
    for (const { id, help, nodes } of violations)
      faults.push(`${colorScheme}: ${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`);
  }
  return faults;
}

/** What axe finds, what makes the page scroll sideways on a phone, and what is too small for a finger; empty if all is well. */
export async function faultsOf(page: Page): Promise<string[]> {
  const faults = await axeFaultsOf(page);
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
      .filter((each) => {
        // The label of a radio button or a box is its target.
        const { type, labels } = each as HTMLInputElement;
        const targets = type === 'radio' || type === 'checkbox' ? [each, ...(labels ?? [])] : [each];
        const heights = targets.map((target) => target.getBoundingClientRect().height);
        return each.offsetParent !== null && Math.max(...heights) < 44;
      })
      .map((each) => each.outerHTML.slice(0, 120)),
  );
  faults.push(...small.map((html) => `less than 44 px high: ${html}`));
  await page.setViewportSize(before);
  return faults;
}
