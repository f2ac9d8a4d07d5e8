/** The languages of the admin pages, each loaded at its first use. */
import { en } from './en.js';
import type { AdminTexts } from './texts.js';

export const builtInAdminPages: ReadonlyMap<string, () => Promise<AdminTexts>> = new Map([
  ['en', async () => en],
  ['de', async () => (await import('./de/de.js')).de],
  ['fr', async () => (await import('./fr/fr.js')).fr],
  ['es', async () => (await import('./es/es.js')).es],
  ['es-419', async () => (await import('./es-419/es-419.js')).es419],
  ['pt', async () => (await import('./pt/pt.js')).pt],
  ['pt-PT', async () => (await import('./pt-PT/pt-PT.js')).ptPT],
  ['it', async () => (await import('./it/it.js')).it],
  ['nl', async () => (await import('./nl/nl.js')).nl],
  ['sv', async () => (await import('./sv/sv.js')).sv],
  ['pl', async () => (await import('./pl/pl.js')).pl],
  ['tr', async () => (await import('./tr/tr.js')).tr],
  ['ja', async () => (await import('./ja/ja.js')).ja],
  ['ko', async () => (await import('./ko/ko.js')).ko],
  ['zh-Hans', async () => (await import('./zh-Hans/zh-Hans.js')).zhHans],
  ['zh-Hant', async () => (await import('./zh-Hant/zh-Hant.js')).zhHant],
  ['uk', async () => (await import('./uk/uk.js')).uk],
  ['ar', async () => (await import('./ar/ar.js')).ar],
]);
