/**
 * Builds src/runtime/common-passwords.cjs from a list of passwords, the most common first:
 * `npx tsx scripts/build-common-passwords.ts <list>`. Which list, and its license: docs/decisions/common-passwords.md.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildFilterOf } from '../src/core/passwords/build-filter.js';
import { foldPassword } from '../src/core/passwords/fold-password.js';

const wanted = 100_000;
/** The default of `minLength`: shorter passwords are refused anyway, and would leave less than half of the list. */
const minLength = 8;

const target = fileURLToPath(new URL('../src/runtime/common-passwords.cjs', import.meta.url));

/** Returns the most common passwords, and the most common ones of at least `minLength` characters. */
function select(passwords: readonly string[]): Set<string> {
  const folded = [...new Set(passwords.map(foldPassword))].filter((password) => password !== '');
  const long = folded.filter((password) => [...password].length >= minLength);
  if (long.length < wanted)
    throw new Error(`The list has less than ${wanted} passwords of ${minLength} characters.`);
  return new Set([...folded.slice(0, wanted), ...long.slice(0, wanted)]);
}

const notice = `/**
 * The most common passwords as a filter of truncated digests, from which they cannot be read back. Written by
 * scripts/build-common-passwords.ts; a string, so that a bundle contains it.
 * Derived from the "10 million passwords" of Mark Burnett as published by the OWASP SecLists project, and as a derived work
 * licensed under the Creative Commons Attribution-ShareAlike 3.0 License: docs/decisions/common-passwords.md.
 */
'use strict';

`;

const [list] = process.argv.slice(2);
if (list === undefined) throw new Error('Name the file with the list.');
const folder = mkdtempSync(path.join(tmpdir(), 'svc-auth-passwords-'));
try {
  const out = path.join(folder, 'filter');
  const { passwords, bytes } = await buildFilterOf(select(readFileSync(list, 'utf8').split(/\r?\n/)), out);
  writeFileSync(target, `${notice}module.exports =\n  '${readFileSync(out, 'base64')}';\n`);
  console.log(`${passwords} passwords, ${bytes} bytes.`);
} finally {
  rmSync(folder, { recursive: true });
}
