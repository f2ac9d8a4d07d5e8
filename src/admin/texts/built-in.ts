/** The languages of the admin pages, each loaded at its first use. */
import { en } from './en.js';
import type { AdminTexts } from './texts.js';

export const builtInAdminPages: ReadonlyMap<string, () => Promise<AdminTexts>> = new Map([
  ['en', async () => en],
]);
