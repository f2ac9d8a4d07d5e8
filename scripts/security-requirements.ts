// Reads the sources of the table of requirements: the list in docs/security-requirements.md, and the tags of the tests.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

export interface Requirement {
  id: string;
  text: string;
  /** The state and reason of a requirement that is not simply met and tested. */
  exception?: { state: State; why: string };
}

const states = ['met', 'deviates', 'not applicable'] as const;
export type State = (typeof states)[number];

/** The ids in the tags of a file's tests. */
export interface TaggedTests {
  /** Path in the repository, with forward slashes. */
  file: string;
  ids: Set<string>;
}

const expectedIds = Array.from({ length: 107 }, (_, index) => `A-${String(index + 1).padStart(2, '0')}`);
const exceptionsHeading = '\n## Exceptions\n';

/** Reads the page. Throws if an id is missing, duplicated or out of order, or has an unknown state. */
export function readRequirements(page: string): Requirement[] {
  const [list = '', afterwards] = page.split(exceptionsHeading);
  if (afterwards === undefined) throw new Error(`The page lacks the heading${exceptionsHeading}`);
  const exceptions = new Map<string, { state: State; why: string }>();
  for (const [id = '', state = '', why = ''] of rowsOf(afterwards)) {
    if (!expectedIds.includes(id) || exceptions.has(id))
      throw new Error(`${id} is not a requirement, or has two states`);
    if (!isState(state) || why === '') throw new Error(`${id} needs a state and a reason: ${state}, ${why}`);
    exceptions.set(id, { state, why });
  }
  const rows = rowsOf(list);
  const ids = rows.map(([id]) => id);
  const misplaced = expectedIds.find((id, index) => ids[index] !== id);
  if (misplaced !== undefined || ids.length > expectedIds.length)
    throw new Error(`The ids A-01 to A-107 must occur once each, in order: see ${misplaced ?? 'the last'}`);
  return rows.map(([id = '', source = '', text = '']) => {
    if (source === '' || text === '') throw new Error(`${id} needs a source and a text`);
    const exception = exceptions.get(id);
    return { id, text, ...(exception && { exception }) };
  });
}

const isState = (text: string): text is State => (states as readonly string[]).includes(text);

/** Returns the cells of every table row that begins with an id. */
function rowsOf(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => /^\| A-\d+ \|.*\|$/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

/** Returns every file below `tests` whose tests, or the groups around them, are tagged with requirements. */
export function readTaggedTests(repository: string): TaggedTests[] {
  const files = readdirSync(path.join(repository, 'tests'), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join('tests', file.replaceAll(path.sep, '/')))
    // The ids in the tests of the table itself are samples.
    .filter((file) => !file.startsWith('tests/architecture/'))
    .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'));
  return files.sort().flatMap((file) => {
    const tags = tagsIn(readFileSync(path.join(repository, file), 'utf8'));
    const ids = new Set(tags.filter((id) => id.startsWith('A-')));
    return ids.size > 0 ? [{ file, ids }] : [];
  });
}

const id = String.raw`(?:[AC]-\d{1,3}|T\d{1,2})`;
const tagLine = new RegExp(String.raw`^ *// (${id}(?:, ${id})*)$`);
const unprovenTest = /^\s*(?:it|test|describe\w*)\.(?:skip|todo|failing)\b/;

/**
 * Returns the ids in the tags of a file. A tag is a comment of ids alone, `// A-07, C-12`, on the line before a test, a group or a
 * row of `each`. The tag of a test that is skipped proves nothing and does not count.
 */
export function tagsIn(text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const ids = tagLine.exec(line)?.[1];
    return ids === undefined || unprovenTest.test(lines[index + 1] ?? '') ? [] : ids.split(', ');
  });
}
