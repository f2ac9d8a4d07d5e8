/**
 * Which English sentences have changed since their translations were read. `npm run lint -- translations` fails with the list. When the
 * translations have been read, and corrected where they must be, `npx tsx scripts/translations.ts read` records it; with
 * `--except ko,uk`, these languages remain to be read, and `npm run release:check` names them.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { builtInMails } from '../src/core/mail/texts/built-in.js';
import { en as mails } from '../src/core/mail/texts/en.js';
import { en as pages } from '../src/pages/texts/en.js';
import { en as admin } from '../src/admin/texts/en.js';

interface ReadTexts {
  /** A digest of each English sentence, by its key. */
  english: Record<string, string>;
  /** The keys that remain to be read, by language. */
  unread: Record<string, string[]>;
}

const file = new URL('translations.json', import.meta.url);

/** Returns the keys of English sentences that are new or have changed. */
function changedKeys({ english }: ReadTexts): string[] {
  return Object.entries(englishTexts())
    .filter(([key, digest]) => english[key] !== digest)
    .map(([key]) => key);
}

function englishTexts(): Record<string, string> {
  return Object.fromEntries([
    ...digestsOf('mails', mails),
    ...digestsOf('pages', pages),
    ...digestsOf('admin', admin),
  ]);
}

function digestsOf(key: string, text: unknown): [string, string][] {
  if (typeof text === 'object' && text !== null)
    return Object.entries(text).flatMap(([name, each]) => digestsOf(`${key}.${name}`, each));
  const source = String(text).replace(/\s+/g, ' ');
  return [[key, createHash('sha256').update(source).digest('hex').slice(0, 8)]];
}

/** The languages that remain to be read, with their keys. */
export function unreadTranslations(): [language: string, keys: string[]][] {
  return Object.entries(read().unread);
}

function read(): ReadTexts {
  return JSON.parse(readFileSync(file, 'utf8')) as ReadTexts;
}

function markAsRead(except: readonly string[]): void {
  const former = read();
  const changed = changedKeys(former);
  const english = englishTexts();
  const unread = except.map((language) => {
    const keys = [...(former.unread[language] ?? []), ...changed].filter((key) => key in english);
    return [language, [...new Set(keys)].sort()] as const;
  });
  const left = unread.filter(([, keys]) => keys.length > 0);
  const record: ReadTexts = { english, unread: Object.fromEntries(left) };
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
  console.log(
    `${changed.length} changed sentences are recorded as read${except.length > 0 ? `, except in ${except.join(', ')}` : ''}.`,
  );
}

function list(): void {
  const changed = changedKeys(read());
  for (const [language, keys] of unreadTranslations())
    console.log(`${language} remains to be read: ${keys.join(', ')}.`);
  if (changed.length === 0) return;
  console.error(
    `These English sentences have changed since their translations were read:\n  ${changed.join('\n  ')}`,
  );
  console.error('Read and correct them in each language, then run `npx tsx scripts/translations.ts read`.');
  process.exitCode = 1;
}

if (process.argv[1]?.endsWith('translations.ts')) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { except: { type: 'string' } },
  });
  const except = values.except?.split(',') ?? [];
  const unknown = except.filter((language) => !builtInMails.has(language));
  if (unknown.length > 0) throw new Error(`Unknown language: ${unknown.join(', ')}.`);
  if (positionals[0] === 'read') markAsRead(except);
  else list();
}
