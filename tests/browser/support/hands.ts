/** What a person does to a page. */
import type { Page } from 'playwright-core';

/** Types into the field with this label. */
export async function fill(page: Page, label: string, value: string): Promise<void> {
  const fields = page.locator('input:not([type=radio])').and(page.getByLabel(label, { exact: true }));
  await fields.locator('visible=true').fill(value);
}

/** Clicks a button twice, as many people do everywhere: nothing may happen twice (see `world`). */
export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).dblclick();
}

/** Answers the question that a button asks before it removes something. */
export async function confirm(page: Page, verb: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click();
}

/** Clicks a button or a link that only shows something else. */
export async function open(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  await button.or(page.getByRole('link', { name, exact: true })).click();
}

/** Chooses one of the ways of the sign-in page. */
export async function choose(page: Page, method: 'Code' | 'Link' | 'Password' | 'Phone'): Promise<void> {
  await page.getByRole('radio', { name: method }).check();
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

export async function seeNotes(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Your notes' }).waitFor();
}
