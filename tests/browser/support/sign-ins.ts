/** The sign-ins that most tests begin with, by clicking through the pages of the package. */
import type { Page } from 'playwright-core';
import { fill, open, press, seeNotes, seePage } from './hands.js';
import type { Person, World } from './people.js';

export const password = 'correct horse battery staple';

export function signIns({ message, lastMessageId }: Pick<World, 'message' | 'lastMessageId'>) {
  /** The first step: the address. The password comes next. */
  async function enterAddress({ page, email, texts }: Person, path = '/sign-in'): Promise<void> {
    await page.goto(path);
    // Its label depends on whether accounts have user names.
    await page.locator('main input[autocomplete^=username]:not(.unseen)').fill(email);
    await press(page, texts.continue);
    await passwordField(page, texts.password).waitFor();
  }

  /** Asks for a code and returns it. */
  async function askForCode({ page, email, texts }: Person): Promise<string> {
    const since = await lastMessageId();
    await open(page, texts.signIn.emailCode);
    await seePage(page, texts.checkEmail.title);
    return (await message(email, since)).code!;
  }

  /** Types a code. With a script, a complete code submits itself. */
  async function enterCode(page: Page, label: string, code: string): Promise<void> {
    await fill(page, label, code);
  }

  /** The first step of a sign-in with a mailed code, or the whole sign-in if the account has no second step. */
  async function enterMailedCode(who: Person, path?: string): Promise<void> {
    await enterAddress(who, path);
    await enterCode(who.page, who.texts.code, await askForCode(who));
  }

  /** Signs in with a mailed code; this creates the account. */
  async function signIn(who: Person): Promise<void> {
    await enterMailedCode(who);
    await seeNotes(who.page);
  }

  /** Creates an account with a password. */
  async function signUp({ page, email, texts }: Person, path = '/sign-up'): Promise<void> {
    await page.goto(path);
    await fill(page, texts.email, email);
    await fill(page, texts.password, password);
    await press(page, texts.signUp.submit);
  }

  async function enterPassword(who: Person, typed = password, path?: string): Promise<void> {
    await enterAddress(who, path);
    await passwordField(who.page, who.texts.password).fill(typed);
    await press(who.page, who.texts.signIn.submit);
  }

  /** Signs out on a page of the account. */
  async function signOut({ page, texts }: Person): Promise<void> {
    await page.goto('/account/profile');
    await page.getByRole('button', { name: texts.account.signOut, exact: true }).click();
    await seePage(page, texts.signIn.title('Acme'));
  }

  return { askForCode, enterAddress, enterCode, enterMailedCode, enterPassword, signIn, signOut, signUp };
}

export const passwordField = (page: Page, label: string) =>
  page.getByRole('textbox', { name: label, exact: true });
