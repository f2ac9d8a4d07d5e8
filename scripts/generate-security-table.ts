/**
 * Writes the table of requirements into docs/security.md: `npm run docs -- security`. The requirements come from
 * docs/security-requirements.md, the proofs from the tags of the tests. With `--check` it writes nothing and fails
 * if the table is out of date; `npm run lint` uses this option.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  readRequirements,
  readTaggedTests,
  type TaggedTests,
  type Requirement,
} from './security-requirements.js';

const repository = fileURLToPath(new URL('..', import.meta.url));
const securityPage = path.join(repository, 'docs/security.md');
const requirementsPage = path.join(repository, 'docs/security-requirements.md');

const begin = '<!-- requirements: written by `npm run docs -- security`, do not edit -->';
const end = '<!-- end of requirements -->';

/** Returns one row per requirement. Throws for a requirement without a test or reason, and for a test of an unknown id. */
export function requirementsTable(requirements: Requirement[], tests: TaggedTests[]): string {
  const known = new Set(requirements.map(({ id }) => id));
  for (const { file, ids } of tests)
    for (const id of ids) if (!known.has(id)) throw new Error(`${file} names ${id}, which is not listed`);
  const rows = requirements.map(({ id, exception }) => {
    const links = tests
      .filter(({ ids }) => ids.has(id))
      .map(({ file }) => file)
      .sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
      .map((file) => `[${labelOf(file)}](../${file})`)
      .slice(0, maxProofs);
    if (links.length === 0 && !exception)
      throw new Error(`${id} has neither a test with its tag nor a reason`);
    const state = exception ? ` (${exception.state}: ${exception.why})` : '';
    return `- ${id}${state}${links.length > 0 ? `: ${links.join(', ')}` : ''}`;
  });
  return rows.join('\n');
}

/** A search for the id in `tests` finds the others. */
const maxProofs = 2;

/** Attacks come first, because they test the finished product from outside. */
const rankOf = (file: string) => (file.startsWith('tests/attack/') ? 0 : 1);

const labelOf = (file: string) => file.replace(/^tests\//, '').replace(/(\.test|\.browser)?\.ts$/, '');

/** Returns the page with the table replaced. */
export function withTable(page: string, table: string): string {
  const [before, rest, ...more] = page.split(begin);
  const after = rest?.split(end);
  if (after?.length !== 2 || more.length > 0) throw new Error(`docs/security.md needs ${begin} and ${end}`);
  return `${before}${begin}\n\n${table}\n\n${end}${after[1]}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = readFileSync(securityPage, 'utf8');
  const requirements = readRequirements(readFileSync(requirementsPage, 'utf8'));
  const written = withTable(page, requirementsTable(requirements, readTaggedTests(repository)));
  if (!process.argv.includes('--check')) writeFileSync(securityPage, written);
  else if (written !== page) {
    console.error('docs/security.md is out of date: run `npm run docs -- security`.');
    process.exitCode = 1;
  }
}
