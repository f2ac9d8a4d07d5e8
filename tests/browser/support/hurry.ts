/** A person who clicks on before a page has appeared. */
import type { Page } from 'playwright-core';

/**
 * Opens each page, and leaves it for the others as soon as it has been parsed: the page after it is on its way when the next click comes.
 * Returns what the pages write to the console and what they throw.
 */
export async function consoleInHurry(page: Page, paths: string[]): Promise<string[]> {
  const context = page.context();
  const written: string[] = [];
  context.on('console', (message) => written.push(`${message.page()?.url()}: ${message.text()}`));
  context.on('weberror', (error) => written.push(`${page.url()}: ${String(error.error())}`));
  for (const path of paths) {
    await page.goto(path);
    for (const next of paths.slice(0, 2)) {
      const arrived = page.waitForEvent('framenavigated');
      await page.evaluate((to) => void setTimeout(() => location.assign(to)), next);
      await arrived;
      await page.waitForLoadState('domcontentloaded');
    }
  }
  await page.getByRole('heading', { level: 1 }).waitFor();
  return written;
}
