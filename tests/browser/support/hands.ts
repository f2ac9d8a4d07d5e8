/** What a person does to a page. */
import type { Page } from 'playwright-core';

/**
 * Waits until the scripts of a page have run. Before that, a complete code does not submit itself, and the second click of a double click
 * sends a form again.
 */
const scriptsReady = (page: Page) => page.waitForLoadState('load');

/** Types into the field with this label. */
export async function fill(page: Page, label: string, value: string): Promise<void> {
  const fields = page
    .locator('input:not([type=radio], [type=hidden])')
    .and(page.getByLabel(label, { exact: true }));
  const field = fields.locator('visible=true');
  await field.waitFor();
  await scriptsReady(page);
  await field.fill(value);
}

/** Clicks a button twice, as many people do everywhere: nothing may happen twice (see `world`). */
export async function press(page: Page, name: string): Promise<void> {
  const button = page.getByRole('main').getByRole('button', { name, exact: true });
  await button.waitFor();
  await scriptsReady(page);
  await button.dblclick();
}

/**
 * Clicks a button or a link that only shows something else.
 * @param about what it is about, which only a screen reader announces: there are several links with one label.
 */
export async function open(page: Page, label: string, about?: string): Promise<void> {
  const quoted = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const options =
    about === undefined
      ? { name: label, exact: true }
      : { name: new RegExp(`^${quoted(label)}\\s*:\\s*${quoted(about)}$`) };
  const opener = page.getByRole('button', options).or(page.getByRole('link', options)).first();
  await opener.waitFor();
  await scriptsReady(page);
  await opener.click();
}

export async function see(page: Page, text: string | RegExp): Promise<void> {
  await page
    .getByText(text)
    .locator('visible=true')
    .first()
    .waitFor()
    .catch(async (error: Error) => {
      // What is there instead is what one wants to know.
      throw new Error(`${page.url()} does not show ${String(text)} but\n${await page.innerText('body')}`, {
        cause: error,
      });
    });
}

/** Waits for the page with this main heading. */
export async function seePage(page: Page, title: string): Promise<void> {
  await page
    .getByRole('heading', { level: 1, name: title, exact: true })
    .waitFor()
    .catch(async (error: Error) => {
      throw new Error(`${page.url()} is not “${title}” but\n${await page.innerText('body')}`, {
        cause: error,
      });
    });
}

export const seeNotes = (page: Page) => seePage(page, 'Your notes');
