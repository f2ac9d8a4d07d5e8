/**
 * Writes the tables of src/domain/identifier-letters.ts from IdentifierStatus.txt and confusables.txt of
 * https://www.unicode.org/Public/17.0.0/security/: `npx tsx scripts/generate-identifier-letters.ts <folder>`, on a Node.js whose
 * `process.versions.unicode` is the version of the files, then `npx prettier --write` on the table.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { argv } from 'node:process';
import { usernameScripts } from '../src/domain/username.js';

const target = 'src/domain/identifier-letters.ts';
const folder = argv[2] ?? '';
const linesOf = (file: string) => readFileSync(path.join(folder, file), 'utf8').split('\n');
const toText = (hex: string) =>
  hex
    .trim()
    .split(' ')
    .map((each) => String.fromCodePoint(parseInt(each, 16)))
    .join('');

/** What a user name can contain, apart from its status. */
const scripts = new RegExp(`[${usernameScripts.map((name) => `\\p{scx=${name}}`).join('')}0-9]`, 'u');
const isCandidate = (letter: string) =>
  /[\p{Ll}\p{Lu}\p{Lo}\p{Lm}\p{Nd}\p{Mn}\p{Mc}]/u.test(letter) &&
  !/\p{Script=Han}/u.test(letter) &&
  scripts.test(letter) &&
  letter.normalize('NFKC') === letter;

const allowed = new Set<string>();
for (const line of linesOf('IdentifierStatus.txt')) {
  const [, first, last = first] = /^([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*Allowed/.exec(line) ?? [];
  if (first === undefined || last === undefined) continue;
  for (let code = parseInt(first, 16); code <= parseInt(last, 16); code += 1)
    allowed.add(String.fromCodePoint(code));
}

/** Ranges end at letters that are restricted, and at code points that a later version may assign. */
const ranges: [number, number][] = [];
let isOpen = false;
for (let code = 0; code <= 0x1ffff; code += 1) {
  const letter = String.fromCodePoint(code);
  const last = ranges.at(-1);
  if (isCandidate(letter) && allowed.has(letter)) {
    if (isOpen && last) last[1] = code;
    else ranges.push([code, code]);
    isOpen = true;
  } else if (isCandidate(letter) || /\p{Unassigned}/u.test(letter)) isOpen = false;
}
const hex = (code: number) => code.toString(16);
const letters = ranges.map(([first, last]) => (first === last ? hex(first) : `${hex(first)}-${hex(last)}`));

const ascii = new Map<string, string[]>();
for (const line of linesOf('confusables.txt')) {
  const [, source, prototype] = /^([0-9A-F]+) ;\t([0-9A-F ]+) ;\tMA/.exec(line) ?? [];
  if (source === undefined || prototype === undefined) continue;
  const [letter, spelled] = [toText(source), toText(prototype)];
  if (!isCandidate(letter) || !allowed.has(letter) || !/^[a-z0-9]+$/i.test(spelled)) continue;
  ascii.set(spelled, [...(ascii.get(spelled) ?? []), source.toLowerCase().replace(/^0+/, '')]);
}

const quoted = (words: readonly string[]) => {
  const lines = [''];
  for (const word of words) {
    if ((lines.at(-1)?.length ?? 0) + word.length > 110) lines.push('');
    lines.push(`${lines.pop() ?? ''}${word} `);
  }
  return lines.map((line, index) => `'${index === lines.length - 1 ? line.trim() : line}'`).join(' +\n  ');
};
const table = [...ascii].sort(([a], [b]) => (a < b ? -1 : 1));

function replacePart(text: string, name: string, content: string): string {
  const part = new RegExp(`(// Generated: ${name}[^\\n]*\\n)[\\s\\S]*?\\s*(// Generated: end)`);
  if (!part.test(text)) throw new Error(`${target} has no part with the name ${name}.`);
  return text.replace(part, (_all, start: string, end: string) => `${start}${content}\n${end}`);
}

let source = readFileSync(target, 'utf8');
source = replacePart(source, 'letters', `  ${quoted(letters)};`);
source = replacePart(
  source,
  'lookalikes',
  table.map(([spelled, codes]) => `  '${spelled}': '${codes.join(' ')}',`).join('\n'),
);
writeFileSync(target, source);
