// Rules that a linter comment could disable, and rules that no linter has.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { filesBelow, findSyntax, parseSource, readLibrary, repository } from './source-graph.js';

/** A wall against files that no one can survey. The median is what matters: a limit just above it breeds fragments. */
const longest = 400;
const longestMedian = 100;

const isAny = (node: ts.Node) => node.kind === ts.SyntaxKind.AnyKeyword;

const isDefaultExport = (node: ts.Node) =>
  ts.isExportAssignment(node) ||
  (node.kind === ts.SyntaxKind.DefaultKeyword && !ts.isDefaultClause(node.parent)) ||
  (ts.isExportSpecifier(node) && node.name.text === 'default');

const isMathRandom = (node: ts.Node) =>
  (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) &&
  /^Math(\.random|\[['"]random['"]\])$/.test(node.getText());

const linesOf = (text: string) => text.replace(/\n$/, '').split('\n').length;

describe('The source', () => {
  const source = readLibrary();

  it('is read', () => {
    expect(source.length).toBeGreaterThan(0);
  });

  it('has no `any`', () => {
    expect(findSyntax(source, isAny)).toEqual([]);
  });

  it('has no default export', () => {
    expect(findSyntax(source, isDefaultExport)).toEqual([]);
  });

  it('never calls Math.random', () => {
    expect(findSyntax(source, isMathRandom)).toEqual([]);
  });

  it('names the headers and proofs of device-bound sessions in one folder and one file', () => {
    const draft = /['"`](?:sec-)?secure-session-|dbsc\+jwt/i;
    const rooms = source.filter(({ text }) => draft.test(text)).map((file) => file.path);
    expect(rooms.map((file) => file.replace(/^.*src\//, '')).sort()).toEqual([
      'core/sessions/bound-proofs.ts',
      'http/bound-sessions/headers.ts',
    ]);
  });

  it(`has no file over ${longest} lines`, () => {
    const long = source.filter((file) => linesOf(file.text) > longest);
    expect(long.map((file) => `${file.path}: ${linesOf(file.text)} lines`)).toEqual([]);
  });

  it(`has files of at most ${longestMedian} lines in the median`, () => {
    const lengths = source.map((file) => linesOf(file.text)).sort((a, b) => a - b);
    expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(longestMedian);
  });
});

describe('The repository', () => {
  it.each(['src', 'testing', 'tests', 'example-app', 'bench'])(
    'has no utils, helpers or common in %s',
    (folder) => {
      const vague = /(^|\/)(utils?|helpers?|common)(\.[^/]*)?(\/|$)/i;
      const paths = filesBelow(path.join(repository, folder), /\.(ts|js|mjs|cjs)$/);
      expect(paths.filter((file) => vague.test(file))).toEqual([]);
    },
  );

  it('starts installed servers only in tests of tests/servers, which `npm test` leaves out', () => {
    const tests = path.join(repository, 'tests');
    const starts = /^support\/(mariadb|mariadb-server|redis-server|pgbouncer|replicated-postgres)\.ts$/;
    const starting = filesBelow(tests, /\.test\.ts$/).filter((file) =>
      parseSource(file, readFileSync(path.join(tests, file), 'utf8')).imports.some(({ to }) =>
        starts.test(to),
      ),
    );
    expect(starting.length).toBeGreaterThan(0);
    expect(starting.filter((file) => !file.startsWith('servers/'))).toEqual([]);
  });
});

describe('The reader of syntax', () => {
  it.each([
    ['any', isAny, 'const x: any = 1;'],
    ['any in a generic', isAny, 'const x = new Map<string, any>();'],
    ['a default export', isDefaultExport, 'export default 1;'],
    ['a default function', isDefaultExport, 'export default function f() {}'],
    ['a renamed default', isDefaultExport, 'const a = 1; export { a as default };'],
    ['Math.random', isMathRandom, 'const pick = Math.random;'],
  ])('notices %s', (_name, question, text) => {
    expect(findSyntax([parseSource('made-up.ts', text)], question)).toEqual(['made-up.ts:1']);
  });

  it('ignores words in comments and strings, and a default case', () => {
    const text = "// any Math.random\nswitch ('any Math.random') { default: }";
    const file = parseSource('made-up.ts', text);
    expect(
      [isAny, isDefaultExport, isMathRandom].flatMap((question) => findSyntax([file], question)),
    ).toEqual([]);
  });
});
