// What the table of requirements is made of: the list in docs/security-requirements.md, and the names of the tests.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

export interface Requirement {
  id: string;
  text: string;
  /** Of those that are not simply held by a test. */
  exception?: { state: State; why: string };
}

const states = ['held', 'deviates', 'not applicable'] as const;
export type State = (typeof states)[number];

/** The ids in the names of a file's tests. */
export interface NamedTests {
  /** Path in the repository, with forward slashes. */
  file: string;
  ids: Set<string>;
}

const idPattern = /\bA-\d{2,3}\b/g;
const expectedIds = Array.from({ length: 100 }, (_, index) => `A-${String(index + 1).padStart(2, '0')}`);
const exceptionsHeading = '\n## Not held by a test, or not as written\n';

/** Reads the page. Throws where an id is missing, stands twice or out of place, or has a state that is none. */
export function readRequirements(page: string): Requirement[] {
  const [list = '', afterwards] = page.split(exceptionsHeading);
  if (afterwards === undefined) throw new Error(`The page lacks the heading${exceptionsHeading}`);
  const exceptions = new Map<string, { state: State; why: string }>();
  for (const [id = '', state = '', why = ''] of rowsOf(afterwards)) {
    if (!expectedIds.includes(id) || exceptions.has(id))
      throw new Error(`${id} is no requirement, or has two states`);
    if (!isState(state) || why === '') throw new Error(`${id} needs a state and a reason: ${state}, ${why}`);
    exceptions.set(id, { state, why });
  }
  const rows = rowsOf(list);
  const ids = rows.map(([id]) => id);
  const misplaced = expectedIds.find((id, index) => ids[index] !== id);
  if (misplaced !== undefined || ids.length > expectedIds.length)
    throw new Error(`Each id from A-01 to A-100 stands once, in order: see ${misplaced ?? 'the last'}`);
  return rows.map(([id = '', source = '', text = '']) => {
    if (source === '' || text === '') throw new Error(`${id} needs a source and a text`);
    const exception = exceptions.get(id);
    return { id, text, ...(exception && { exception }) };
  });
}

const isState = (text: string): text is State => (states as readonly string[]).includes(text);

/** The cells of every table row that begins with an id. */
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

/** Every file below `tests` whose tests, or the groups around them, name requirements. */
export function readNamedTests(repository: string): NamedTests[] {
  const files = readdirSync(path.join(repository, 'tests'), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join('tests', file.replaceAll(path.sep, '/')))
    // Ids in the tests of the table itself are samples.
    .filter((file) => !file.startsWith('tests/architecture/'))
    .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'));
  return files.sort().flatMap((file) => {
    const ids = idsInNames(file, readFileSync(path.join(repository, file), 'utf8'));
    return ids.size > 0 ? [{ file, ids }] : [];
  });
}

/** The ids in the names of tests and of groups, and in the rows of `each`, where names are made of them. */
export function idsInNames(file: string, text: string): Set<string> {
  const ids = new Set<string>();
  if (text.search(idPattern) === -1) return ids;
  const note = (node: ts.Node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      for (const [id] of node.text.matchAll(idPattern)) ids.add(id);
  };
  const visit = (node: ts.Node) => {
    if (ts.isCallExpression(node) && isRunner(node.expression)) {
      // The name, whole or with values in it. What a test does is not looked at here.
      const [name, ...others] = node.arguments;
      if (name && !ts.isFunctionLike(name)) descend(name, note);
      for (const other of others) visit(other);
      descend(node.expression, note);
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, false, ts.ScriptKind.TS));
  return ids;
}

/** `it`, `test`, `describe`, `describeAdapters` and what hangs on them, `it.each(…)`; not what proves nothing, `it.skip`. */
function isRunner(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return /^(it|test|describe\w*)$/.test(callee.text);
  if (ts.isPropertyAccessExpression(callee) && /^(skip|todo|failing)$/.test(callee.name.text)) return false;
  if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee))
    return isRunner(callee.expression);
  return ts.isTaggedTemplateExpression(callee) && isRunner(callee.tag);
}

function descend(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  ts.forEachChild(node, (child) => descend(child, look));
}
