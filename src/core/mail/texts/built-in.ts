/** The languages of the built-in mails, each loaded at its first use. */
import { en, type MailTexts } from './en.js';

export const builtInMails: ReadonlyMap<string, () => Promise<MailTexts>> = new Map([
  ['en', async () => en],
  ['de', async () => (await import('./de.js')).de],
  ['fr', async () => (await import('./fr.js')).fr],
  ['es', async () => (await import('./es.js')).es],
  ['es-419', async () => (await import('./es-419.js')).es419],
  ['pt', async () => (await import('./pt.js')).pt],
  ['pt-PT', async () => (await import('./pt-PT.js')).ptPT],
  ['it', async () => (await import('./it.js')).it],
  ['nl', async () => (await import('./nl.js')).nl],
  ['sv', async () => (await import('./sv.js')).sv],
  ['pl', async () => (await import('./pl.js')).pl],
  ['tr', async () => (await import('./tr.js')).tr],
  ['ja', async () => (await import('./ja.js')).ja],
  ['ko', async () => (await import('./ko.js')).ko],
  ['zh-Hans', async () => (await import('./zh-Hans.js')).zhHans],
  ['zh-Hant', async () => (await import('./zh-Hant.js')).zhHant],
  ['uk', async () => (await import('./uk.js')).uk],
  ['ar', async () => (await import('./ar.js')).ar],
]);
